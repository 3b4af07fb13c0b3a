"""Serves a GGUF model with llama.cpp's own server on a free loopback port and prints its base URL.

    python serve.py MODEL.gguf [TEMPLATE.jinja]

Ends when standard input closes, so a test that dies takes its server along.
"""

import pathlib
import sys

import xllamacpp

params = xllamacpp.CommonParams()
params.model.path = sys.argv[1]
params.n_ctx = 2048
params.n_parallel = 1
params.cpuparams.n_threads = 1
params.use_jinja = True
if len(sys.argv) > 2:
    params.chat_template = pathlib.Path(sys.argv[2]).read_text()
params.hostnames = ["127.0.0.1"]
params.port = 0
server = xllamacpp.Server(params)
print("ready", server.listening_address, flush=True)
sys.stdin.read()
