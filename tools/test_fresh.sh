#!/bin/sh
# Does what a stranger does, on a bare Debian with Rust, Python and a C compiler and nothing else:
# clone, make demo, make test, then pip install ./python and the README's Python lines.
# Everything is under target/fresh; the logs stay there.
set -eu
cd "$(dirname "$0")/.."
[ "$(id -u)" = 0 ] || {
    echo "skipped: only root can make a Debian root folder; type: sudo make test-fresh"
    exit 0
}
status=0
tools/apt_packages.sh debootstrap || status=$?
[ "$status" -eq 75 ] && exit 0
[ "$status" -eq 0 ]

fresh=$PWD/target/fresh
root=$fresh/root
release=$(sed -n 's/^VERSION_CODENAME=//p' /etc/os-release)
packages=gcc,libc6-dev,make,git,ca-certificates,python3,python3-venv
unmount() { ! mountpoint -q "$root/proc" || umount "$root/proc"; }
trap unmount EXIT
unmount
rm -rf "$root"
mkdir -p "$fresh/packages"
echo "making a Debian $release in target/fresh"
if ! debootstrap --variant=minbase --cache-dir="$fresh/packages" --include=$packages \
    "$release" "$root" >"$fresh/debootstrap.log" 2>&1; then
    tail -n 3 "$fresh/debootstrap.log"
    echo "skipped: debootstrap could not make a Debian root folder"
    exit 0
fi
if ! mount -t proc proc "$root/proc" 2>/dev/null; then
    echo "skipped: proc cannot be mounted here (a container without the right to?)"
    exit 0
fi
toolchain=$(rustc --print sysroot)
mkdir -p "$root/opt/rust"
for part in bin lib libexec; do
    [ ! -e "$toolchain/$part" ] || cp -a "$toolchain/$part" "$root/opt/rust/"
done
cp /etc/resolv.conf "$root/etc/"
# This machine's certificates: the network may have one of its own.
cp /etc/ssl/certs/ca-certificates.crt "$root/etc/ssl/certs/"
git clone --quiet --no-hardlinks . "$root/home/shardlane"

passed=0 failed=0
# try NAME SCRIPT: in the fresh root, in the clone, with an environment of four variables.
try() {
    start=$(date +%s)
    log=$fresh/$(echo "$1" | tr -c 'a-z0-9\n' -).log
    if chroot "$root" env -i HOME=/root CI=true PATH=/opt/rust/bin:/usr/bin:/bin:/usr/sbin:/sbin \
        SSL_CERT_FILE=/etc/ssl/certs/ca-certificates.crt \
        PIP_CERT=/etc/ssl/certs/ca-certificates.crt \
        sh -euc "cd /home/shardlane && $2" </dev/null >"$log" 2>&1; then
        passed=$((passed + 1))
        outcome=ok
    else
        failed=$((failed + 1))
        outcome=FAILED
        tail -n 40 "$log"
    fi
    echo "$1 ... $outcome ($(($(date +%s) - start)) s)"
}

try "make demo" "make demo"
try "make test" "make test"
try "pip install ./python" "python3 -m venv /opt/notebook &&
    /opt/notebook/bin/pip install --quiet ./python polars pandas duckdb pyarrow"
try "README in that environment" "/opt/notebook/bin/python tools/readme.py"
echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ]
