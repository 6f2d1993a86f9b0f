#!/bin/sh
# usage: tools/apt_packages.sh PACKAGE...
# Installs the Debian packages that are missing. Where that is not possible, prints
# `skipped: reason` and ends with exit code 75.
set -u
skip() {
    echo "skipped: $1"
    exit 75
}
command -v dpkg-query >/dev/null 2>&1 ||
    skip "this is not a Debian machine; the test needs the Debian packages $*"
missing=
for package in "$@"; do
    [ "$(dpkg-query -W -f '${Status}' "$package" 2>/dev/null)" = "install ok installed" ] ||
        missing="$missing $package"
done
[ -z "$missing" ] && exit 0
[ "$(id -u)" = 0 ] || skip "not root; to run this, first type: sudo apt-get install$missing"
export DEBIAN_FRONTEND=noninteractive
log=$(mktemp)
trap 'rm -f "$log"' EXIT
# shellcheck disable=SC2086 # the packages are words
if ! { apt-get -q update && apt-get -qy install --no-install-recommends $missing; } >"$log" 2>&1; then
    tail -n 3 "$log"
    skip "apt-get could not install$missing"
fi
