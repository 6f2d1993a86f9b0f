#!/bin/sh
# Runs the tests of the lanes on 64-bit Arm: on this machine, or with Debian's cross compiler and
# QEMU. Debian has the Rust compiler for browsers, rustc-web, new enough and for other machines.
# LIMIT bounds the seconds of each test program.
set -eu
cd "$(dirname "$0")/.."
set -x; target=aarch64-unknown-linux-gnu
# run [argument...]: all tests of tests/lanes.rs, and the unit tests of the lanes.
run() {
    package="--locked --profile demo -p shardlane --no-default-features"
    # shellcheck disable=SC2086 # the arguments are words
    # shellcheck disable=SC2086
    cargo test $package "$@" --lib lanes
}
case $(uname -m) in
aarch64 | arm64)
    run
    exit 0
    ;;
esac

status=0
tools/apt_packages.sh rustc-web libstd-rust-web-dev gcc-aarch64-linux-gnu \
    libc6-dev-arm64-cross qemu-user-static || status=$?
[ "$status" -eq 75 ] && exit 0
[ "$status" -eq 0 ]

# The standard library for Arm, of the very version of the compiler, unpacked beside its own. apt
# gets lists of its own so that the machine does not become one of two architectures.
sysroot=$(/usr/bin/rustc --print sysroot)
if [ ! -e "$sysroot/lib/rustlib/$target" ]; then
    version=$(dpkg-query -W -f '${Version}' libstd-rust-web-dev)
    work=$(mktemp -d)
    trap 'rm -rf "$work"' EXIT
    mkdir -p "$work/lists/partial"
    if ! (
        cd "$work"
        lists="-oAPT::Architecture=arm64 -oAPT::Architectures=arm64 -oDir::State::Lists=$work/lists"
        # shellcheck disable=SC2086 # the options are words
        { apt-get -q $lists update && apt-get -q $lists download "libstd-rust-web-dev=$version"; } \
            >log 2>&1 || { tail -n 3 log; exit 1; }
        dpkg -x libstd-rust-web-dev_*_arm64.deb unpacked
        cp -r "unpacked$sysroot/lib/rustlib/$target" "$sysroot/lib/rustlib/"
    ); then
        echo "skipped: the Rust standard library $version for Arm could not be downloaded"
        exit 0
    fi
fi

export RUSTC=/usr/bin/rustc CARGO_TARGET_DIR=target/neon
export CARGO_TARGET_AARCH64_UNKNOWN_LINUX_GNU_LINKER=aarch64-linux-gnu-gcc
# A test that hangs in the emulator would hang for ever.
qemu="timeout ${LIMIT:-900} qemu-aarch64-static -L /usr/aarch64-linux-gnu"
export CARGO_TARGET_AARCH64_UNKNOWN_LINUX_GNU_RUNNER="$qemu"
run --target $target
