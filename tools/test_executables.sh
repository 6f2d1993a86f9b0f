#!/bin/sh
# usage: tools/test_executables.sh CARGO-TEST-ARGUMENTS...
# Builds test programs without running them and prints where each one is.
set -eu
cargo test --no-run --message-format=json-render-diagnostics "$@" |
    sed -n 's/.*"reason":"compiler-artifact".*"executable":"\([^"]*\)".*/\1/p'
