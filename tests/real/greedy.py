#!/usr/bin/env python3
"""Makes tests/data/greedy.json: what llama.cpp says next, token by token, for the default local model.

Usage: greedy.py MODEL.gguf > tests/data/greedy.json
Needs (PyPI): xllamacpp==2026.10.11549, which carries llama.cpp's server, and gguf==0.19.0.

llama.cpp multiplies quantised weights with inputs that it rounds to 8 bits, which moves its logits by some tenths; the
program multiplies the same weights, unpacked, with inputs as they are. So that the two can be held against each other
number by number, llama.cpp is asked with the weights of the file unpacked to single precision ("exact"), and, to show
what its rounding does, with the file as it is ("rounded"). For every step the likeliest tokens stand there with the
natural logarithms of their probabilities. Run it again only for another model or other prompts.
"""

import hashlib
import http.client
import json
import os
import sys
import tempfile
import urllib.parse

import gguf
import xllamacpp

COUNT = 16


def chat(text):
    return f"<|im_start|>user\n{text}<|im_end|>\n<|im_start|>assistant\n"


# None of them ends within COUNT tokens.
PROMPTS = [
    chat("Describe the city of Paris in detail."),
    chat("Name three primary colours."),
    chat("Count from one to ten."),
    "The quick brown fox jumps over the lazy",
    "def fibonacci(n):\n    if n < 2:\n        return n\n",
    "<|im_start|>system\nYou are a helpful assistant.<|im_end|>\n" + chat("Write a haiku about the sea."),
]


def unpack(source, target):
    """The same model, every tensor in single precision."""
    reader = gguf.GGUFReader(source)
    writer = gguf.GGUFWriter(target, reader.get_field("general.architecture").contents())
    for field in reader.fields.values():
        if field.name == "general.architecture" or field.name.startswith("GGUF."):
            continue
        kind = field.types[0]
        writer.add_key_value(field.name, field.contents(), kind, field.types[-1] if kind == gguf.GGUFValueType.ARRAY else None)
    for tensor in reader.tensors:
        values = gguf.dequantize(tensor.data, tensor.tensor_type)
        writer.add_tensor(tensor.name, values.reshape(list(reversed([int(n) for n in tensor.shape]))))
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()


def ask(server, path, body):
    address = urllib.parse.urlparse(server.listening_address)
    connection = http.client.HTTPConnection(address.hostname, address.port)
    connection.request("POST", path, json.dumps(body), {"Content-Type": "application/json"})
    answer = json.loads(connection.getresponse().read())
    connection.close()
    if "error" in answer:
        sys.exit(f"{path}: {answer['error']}")
    return answer


def continued(server, ids):
    body = {"prompt": ids, "n_predict": COUNT, "temperature": 0.0, "n_probs": 3, "return_tokens": True, "cache_prompt": False}
    answer = ask(server, "/completion", body)
    steps = answer["completion_probabilities"]
    likeliest = [[[top["id"], round(top["logprob"], 5)] for top in step["top_logprobs"]] for step in steps]
    if answer["tokens"] != [step["id"] for step in steps] or answer["tokens"] != [tops[0][0] for tops in likeliest] or len(steps) != COUNT:
        sys.exit(f"an answer of another form: {answer}")
    return likeliest


def serve(path):
    params = xllamacpp.CommonParams()
    params.model.path = path
    params.n_ctx, params.warmup, params.n_gpu_layers = 512, False, 0
    params.cache_type_k = params.cache_type_v = xllamacpp.ggml_type.GGML_TYPE_F32
    return xllamacpp.Server(params)


def run(path):
    server = serve(path)
    asked = [ask(server, "/tokenize", {"content": text, "add_special": False, "parse_special": True})["tokens"] for text in PROMPTS]
    return [(ids, continued(server, ids)) for ids in asked]


def main():
    path = sys.argv[1]
    with open(path, "rb") as file:
        sha256 = hashlib.file_digest(file, "sha256").hexdigest()
    with tempfile.TemporaryDirectory() as folder:
        unpacked = os.path.join(folder, "unpacked.gguf")
        unpack(path, unpacked)
        exact = run(unpacked)
    rounded = run(path)
    rows = [
        json.dumps({"text": text, "ids": ids, "exact": steps, "rounded": others})
        for text, (ids, steps), (_, others) in zip(PROMPTS, exact, rounded)
    ]
    head = {"made_with": f"xllamacpp {xllamacpp.__version__}", "model_sha256": sha256}
    print("{" + json.dumps(head)[1:-1] + ', "prompts": [\n' + ",\n".join(rows) + "\n]}")


if __name__ == "__main__":
    main()
