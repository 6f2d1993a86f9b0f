#!/bin/sh
# usage: tools/test_c.sh FOLDER     the folder that libshardlane was built into
# Compiles capi/tests/{c,cpp} against the header and both libraries, runs the programs, and looks
# at what the shared library shows to the world.
set -u
cd "$(dirname "$0")/.." || exit 1
built=$(cd "$1" && pwd) || exit 1
out=$(mktemp -d) || exit 1
trap 'rm -rf "$out"' EXIT
passed=0 failed=0
strict="-Wall -Wextra -Werror -pedantic -O1 -Icapi/include"
system=$(uname -s)
case $system in
Darwin) needs="-lpthread -lm -framework CoreFoundation" ;;
*) needs="-lpthread -lm -ldl" ;;
esac

# check NAME COMMAND...: one line for the outcome, all of the output if it failed.
check() {
    name=$1
    shift
    if "$@" >"$out/log" 2>&1; then
        echo "$name ... ok"
        passed=$((passed + 1))
    else
        cat "$out/log"
        echo "$name ... FAILED"
        failed=$((failed + 1))
    fi
}

# both NAME COMPILER SOURCE: the program with the shared library and with the static one.
both() {
    program=$out/$(basename "$3")
    # The loader asks for the library by its SONAME, as it will on the user's machine.
    check "$1, shared: compiles" \
        sh -c "$2 $strict $3 -o $program.shared $out/libshardlane.so $needs"
    check "$1, shared: runs" env LD_LIBRARY_PATH="$out" "$program.shared"
    check "$1, static: compiles" sh -c "$2 $strict $3 -o $program.static $built/libshardlane.a $needs"
    check "$1, static: runs" "$program.static"
}

only_our_names() {
    names=$(nm -D --defined-only "$out/libshardlane.so" | cut -d' ' -f3)
    echo "$names"
    [ -n "$names" ] && ! echo "$names" | grep -qv '^shardlane_'
}

all_names_of_the_header() {
    names=$(sed -n 's/.*\(shardlane_[a-z_0-9]*\)(.*);$/\1/p' capi/include/shardlane.h | sort)
    echo "$names"
    [ "$names" = "$(nm -D --defined-only "$out/libshardlane.so" | cut -d' ' -f3 | sort)" ]
}

no_executable_stack() {
    stack=$(readelf -lW "$1" | grep GNU_STACK) || return 1
    echo "$stack"
    ! echo "$stack" | grep -q RWE
}

has_soname() {
    readelf -dW "$out/libshardlane.so"
    readelf -dW "$out/libshardlane.so" | grep -q 'SONAME.*\[libshardlane\.so\.0\]'
}

library=$built/libshardlane.so
[ "$system" = Darwin ] && library=$built/libshardlane.dylib
cp "$library" "$out/libshardlane.so" || exit 1
ln -s libshardlane.so "$out/libshardlane.so.0"
[ "$system" = Darwin ] && ln -s libshardlane.so "$out/libshardlane.0.dylib" &&
    needs="$needs -Wl,-rpath,$out"

both C11 "${CC:-cc} -std=c11" capi/tests/c/identity.c
if command -v "${CXX:-c++}" >/dev/null 2>&1; then
    both C++17 "${CXX:-c++} -std=c++17" capi/tests/cpp/identity.cpp
else
    echo "skipped: ${CXX:-c++} was not found, so no C++ was tested; install g++"
fi
if [ "$system" = Linux ]; then
    check "the library exports shardlane_* and nothing else" only_our_names
    check "the library exports what the header declares" all_names_of_the_header
    check "the library has its SONAME" has_soname
    check "the shared library asks for no executable stack" no_executable_stack "$library"
    check "a program with the static library asks for none" \
        no_executable_stack "$out/identity.c.static"
else
    echo "skipped: the exported symbols, the SONAME and the stack are looked at on Linux only"
fi
echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ]
