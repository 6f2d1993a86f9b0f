#!/bin/sh
# Runs the C program with a C library whose Rust is instrumented too: AddressSanitizer then sees a
# read past the end on either side. The sanitizer is not in stable Rust, hence RUSTC_BOOTSTRAP.
set -eu
cd "$(dirname "$0")/.."
target=x86_64-unknown-linux-gnu
if [ "$(uname -sm)" != "Linux x86_64" ]; then
    echo "skipped: AddressSanitizer is run on x86-64 Linux only"
    exit 0
fi
folder=target/asan
mkdir -p $folder
echo 'int main(void) { return 0; }' >$folder/probe.c
if ! "${CC:-cc}" -fsanitize=address $folder/probe.c -o $folder/probe 2>/dev/null; then
    echo "skipped: ${CC:-cc} has no AddressSanitizer; install gcc with libasan"
    exit 0
fi
RUSTC_BOOTSTRAP=1 RUSTFLAGS="-Zsanitizer=address" CARGO_TARGET_DIR=$folder \
    cargo build --locked --profile demo --target $target -p shardlane-capi
built=$folder/$target/demo
ln -sf libshardlane.so $built/libshardlane.so.0
for source in capi/tests/c/*.c; do
    program=$folder/$(basename "$source" .c)
    "${CC:-cc}" -std=c11 -Wall -Wextra -Werror -pedantic -g -fsanitize=address,undefined \
        -Icapi/include "$source" -o "$program" $built/libshardlane.so -lpthread -lm -ldl
    LD_LIBRARY_PATH=$built "$program"
done
