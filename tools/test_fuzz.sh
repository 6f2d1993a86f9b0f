#!/bin/sh
# Fuzzes each target of core/fuzz for SECONDS seconds (60). The sanitizers that cargo-fuzz asks
# for are not in stable Rust, hence RUSTC_BOOTSTRAP.
set -eu
cd "$(dirname "$0")/../core"
if ! cargo fuzz --version >/dev/null 2>&1; then
    echo "installing cargo-fuzz"
    if ! cargo install --quiet --locked cargo-fuzz --root ../target/tools; then
        echo "skipped: cargo-fuzz could not be installed; type: cargo install --locked cargo-fuzz"
        exit 0
    fi
    export PATH="$PATH:$PWD/../target/tools/bin"
fi
export RUSTC_BOOTSTRAP=1
passed=0 failed=0
for source in fuzz/fuzz_targets/*.rs; do
    name=$(basename "$source" .rs)
    mkdir -p "fuzz/corpus/$name"
    # What is found goes to the first folder; the committed seeds are only read.
    if cargo fuzz run --target-dir ../target/fuzz "$name" "fuzz/corpus/$name" "fuzz/seeds/$name" \
        -- -max_total_time="${SECONDS:-60}" -rss_limit_mb=2048 -timeout=10; then
        passed=$((passed + 1))
    else
        failed=$((failed + 1))
    fi
done
echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ]
