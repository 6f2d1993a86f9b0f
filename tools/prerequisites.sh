#!/bin/sh
# usage: tools/prerequisites.sh [rust] [cc] [python]
# Says everything that is missing at once, and what to install; exit code 1 if anything is.
cd "$(dirname "$0")/.." || exit 1
faults=0

missing() {
    [ "$faults" -eq 0 ] && echo "This machine lacks something:" >&2
    faults=$((faults + 1))
    printf '%s\n' "- $1" "    $2" >&2
}

check_rust() {
    wanted=$(sed -n 's/^rust-version = "\(.*\)"/\1/p' Cargo.toml)
    how="install it from https://rustup.rs, or with rustup: rustup update stable"
    found=$(rustc --version 2>/dev/null | cut -d' ' -f2)
    if ! command -v cargo >/dev/null 2>&1 || [ -z "$found" ]; then
        missing "Rust $wanted or newer: cargo and rustc were not found" "$how"
        return
    fi
    newer=$(printf '%s\n%s\n' "$wanted" "${found%%-*}" | sort -V | tail -n 1)
    [ "$newer" = "${found%%-*}" ] || missing "Rust $wanted or newer: this one is $found" "$how"
}

check_cc() {
    command -v "${CC:-cc}" >/dev/null 2>&1 ||
        missing "a C compiler and linker: ${CC:-cc} was not found" \
            "Debian, Ubuntu: apt-get install gcc g++ libc6-dev · macOS: xcode-select --install"
}

check_python() {
    if ! python=$(tools/find_python.sh); then
        found=$("${PYTHON:-python3}" --version 2>/dev/null || echo none)
        missing "Python 3.11 or newer: found $found" \
            "Debian, Ubuntu: apt-get install python3 python3-venv, or name one: make PYTHON=python3.12"
        return
    fi
    "$python" -c 'import ensurepip, venv' 2>/dev/null ||
        missing "the venv module of $python" "Debian, Ubuntu: apt-get install python3-venv"
}

for part in "$@"; do
    "check_$part"
done
[ "$faults" -eq 0 ]
