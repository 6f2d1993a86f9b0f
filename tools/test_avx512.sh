#!/bin/sh
# Runs the tests of the lanes where AVX-512 is: on this CPU, or on one that Bochs emulates.
# LIMIT bounds the emulator's time in seconds.
set -eu
cd "$(dirname "$0")/.."
target=x86_64-unknown-linux-gnu
if [ "$(uname -sm)" != "Linux x86_64" ]; then
    echo "skipped: AVX-512 is tested on x86-64 Linux only"
    exit 0
fi

# A program that needs no file but itself: the emulated machine has none.
programs=$(
    export RUSTFLAGS="-C target-feature=+crt-static" CARGO_TARGET_DIR=target/avx512
    tools/test_executables.sh --locked --profile demo --target $target -p shardlane \
        --no-default-features --lib --test lanes
)

# run LAUNCHER...: all tests of tests/lanes.rs, and the unit tests of the lanes.
run() {
    for program in $programs; do
        case $program in
        */shardlane-*) only=lanes ;;
        *) only= ;;
        esac
        # shellcheck disable=SC2086 # no filter is no argument
        "$@" "$program" $only || return
    done
}

if grep -qw avx512bw /proc/cpuinfo; then
    echo "this CPU has AVX-512"
    run env
    exit
fi

status=0
tools/apt_packages.sh bochs bochs-term bochsbios vgabios isolinux syslinux-common xorriso \
    busybox-static bsdutils binutils || status=$?
[ "$status" -eq 75 ] && exit 0
[ "$status" -eq 0 ]
run tools/bochs.sh || status=$?
[ "$status" -eq 75 ] && exit 0
exit "$status"
