#!/bin/sh
# The pages of reports in a headless Chromium, which is installed where that is possible.
# SHARDLANE_PICTURES=FOLDER keeps pictures of them.
set -eu
cd "$(dirname "$0")/.."
found=
for name in chromium chromium-browser google-chrome chrome; do
    command -v $name >/dev/null 2>&1 && found=$name
done
if [ -z "$found" ]; then
    status=0
    tools/apt_packages.sh chromium || status=$?
    [ "$status" -eq 75 ] && exit 0
    [ "$status" -eq 0 ] || exit "$status"
fi
python=$PWD/.venv/bin/python
cd tools/page/tests && exec "$python" -m pytest -ra -p no:cacheprovider "$@"
