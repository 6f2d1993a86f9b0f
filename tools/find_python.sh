#!/bin/sh
# Prints the first Python of at least 3.11; nothing, and exit code 1, if there is none.
# PYTHON names one to take instead.
for python in ${PYTHON:-python3 python3.14 python3.13 python3.12 python3.11 python}; do
    if "$python" -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null; then
        command -v "$python"
        exit 0
    fi
done
exit 1
