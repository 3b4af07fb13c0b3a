#!/bin/sh
# Installs the judges into a folder: a Python environment, Node packages, and a Node that is new enough.
# Usage: install.sh DIR
set -eu
here=$(cd "$(dirname "$0")" && pwd)
dir=$1
mkdir -p "$dir/node"
if ! cmp -s "$here/requirements.txt" "$dir/requirements.txt"; then
    python3 -m venv "$dir/venv"
    "$dir/venv/bin/pip" install --quiet --disable-pip-version-check -r "$here/requirements.txt"
    cp "$here/requirements.txt" "$dir/requirements.txt"
fi
if ! cmp -s "$here/package.json" "$dir/node/installed.json"; then
    cp "$here/package.json" "$dir/node/package.json"
    # An older Node silently picks an older client; the one to run comes from the packages.
    (cd "$dir/node" && npm install --no-audit --no-fund --no-package-lock --force --loglevel=error >&2)
    cp "$here/package.json" "$dir/node/installed.json"
fi
