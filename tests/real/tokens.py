#!/usr/bin/env python3
"""Makes tests/data/tokens.json: texts and their token ids as llama.cpp gives them for the default local model.

Usage: tokens.py MODEL.gguf > tests/data/tokens.json
Needs (PyPI): xllamacpp==2026.10.11549, which carries llama.cpp's server. Ids are asked for without special tokens added
or recognised (add_special and parse_special false). Run it again only for another model or more texts.
"""

import hashlib
import http.client
import json
import sys
import urllib.parse

import xllamacpp

ENGLISH = [
    "", " ", "a", "Hello", "Hello, world!", " Hello", "The quick brown fox jumps over the lazy dog.",
    "You are a helpful assistant.", "What is the capital of France?", "Mr. O'Neill said: \"I can't.\"",
    "An answer in JSON, please - nothing else.", "e.g. i.e. etc. vs. a.m. p.m.", "UPPER lower MiXeD camelCase snake_case kebab-case",
    "one  two   three    four", "ends with blank ", "  begins with two", "under_score__double___triple", "https://example.com/a?b=c&d=e#f",
    "mail@example.com", "50% off - $3.99 (was $5.00)", "C++ and C# and F#", "#hashtag @mention", "wait... what?!?!", "a-b-c-d",
    "supercalifragilisticexpialidocious", "antidisestablishmentarianism pneumonoultramicroscopicsilicovolcanoconiosis",
]
CONTRACTIONS = [
    "it's don't we're I've I'm we'll he'd", "IT'S DON'T WE'RE I'VE I'M WE'LL HE'D", "It'S Don'T We'Re I'Ve I'M We'Ll He'D",
    "'s't're've'm'll'd", "'S'T'RE'VE'M'LL'D", "'sure 'tis 'll", "rock 'n' roll", "y'all'd've", "it\u2019s don\u2019t", "'", "''", "'''s",
    "o'clock's", "x's's", "'s\u017f '\u017f", " 's 't", "1's 2'd",
]
CODE = [
    "fn main() {\n    println!(\"{}\", 1 + 2);\n}\n", "def f(x):\n\treturn x ** 2\n", "if (a && b || !c) { return a[0]->b; }",
    "SELECT * FROM t WHERE a >= 10 AND b <> 'x';", "<div class=\"a\">&nbsp;</div>", "let x: Vec<Option<&'static str>> = vec![None];",
    "#include <stdio.h>\r\nint main(void)\r\n{\r\n\treturn 0;\r\n}\r\n", "for i in range(10): pass  # TODO", "a=b;c=d;;;", "x += 0x1F | 0b1010 & ~0o17",
    "```json\n{}\n```", "$HOME/.config/*.toml", "\\d+\\.\\d* \\\\ \\n", "^[A-Z]{2,3}(?!x)$", "//////////", "----------", "==========>", "/* c */ -- d",
]
JSON_TEXTS = [
    "{}", "[]", "{\"a\":1}", "{\"a\": 1, \"b\": [true, false, null]}", "{\"name\":\"Ada\",\"age\":36,\"tags\":[\"x\",\"y\"]}",
    "{\n  \"a\": {\n    \"b\": []\n  }\n}", "\"\\u0041\\n\\t\\\"\\\\\"", "[[[[[]]]]]", "{\"\":\"\"}", "{\"a\":-1.5e+10,\"b\":0.1}", "[1,2,3,4,5,6,7,8,9,10]",
    "{\"type\":\"object\",\"properties\":{\"x\":{\"type\":\"string\",\"enum\":[\"a\",\"b\"]}},\"required\":[\"x\"],\"additionalProperties\":false}",
    "{\"date\":\"2024-02-29T12:34:56Z\"}", "\",\"", "\":\"", "\"},{\"", "}}}}", "]]}", "null", "true", "false",
]
DIGITS = [
    "0", "12", "123", "1234", "12345678901234567890", "3.14159", "1,000,000", "-42", "1e10", "a1b2c3", "1 2 3", " 1", "  1", "   12  34   ", "1\n2\n3",
    "2024-01-01", "12:34:56.789", "v1.2.3-rc4", "0xdeadbeef", "\u0661\u0662\u0663", "\u00bd \u00b2\u00b3", "\u2160\u2161\u2162", "\u4e00\u4e8c\u4e09",
    "\uff11\uff12\uff13", "\u096a\u096b", "\U0001d7d8\U0001d7d9", "x\u00b2+y\u00b2", "\u2460\u2461", "9" * 70, "1st 2nd 3rd", "\t1\t2", "\n1", " \n 1",
]
BLANKS = [
    "\n", "\n\n", "\n\n\n", "\r\n", "\r\n\r\n", "\r", "\t", "\t\t", " \t ", "\n ", " \n", "  \n  ", "   ", "    x", "\n    x", "\t\tx", "x\n\n\ny", "x \n \n y",
    "a\tb", "a\u00a0b", "a\u00a0\u00a0b", "a\u2003b", "a\u3000b", "a\u3000\u3000b", "a\u2028b\u2029c", "a\u0085b", "a\u1680b", "a\u200bb", "a\u180eb", "a\u202fb\u205fc",
    "\x0b\x0c", " " * 64, " " * 65 + "x", "\n" * 40, "\t" * 17 + "x", "x" + " " * 9 + "\n" + " " * 9 + "y", " \u00a0 x", "\u2003 x", " \u2003x", "\ufeffx",
]
SCRIPTS = [
    "na\u00efve caf\u00e9 \u00fcber stra\u00dfe", "nai\u0308ve cafe\u0301", "\u0301", "a\u0301\u0302\u0303b", "Z\u0351\u036b\u0343a\u0363\u0352l\u0309g\u0334o", "\u4f60\u597d\uff0c\u4e16\u754c\uff01",
    "\u65e5\u672c\u8a9e\u306e\u30c6\u30ad\u30b9\u30c8\u3002", "\ud55c\uad6d\uc5b4 \ubb38\uc7a5", "\u1112\u1161\u11ab", "\u0645\u0631\u062d\u0628\u0627 \u0628\u0627\u0644\u0639\u0627\u0644\u0645", "\u05e9\u05dc\u05d5\u05dd \u05e2\u05d5\u05dc\u05dd",
    "\u041f\u0440\u0438\u0432\u0435\u0442, \u043c\u0438\u0440!", "\u0393\u03b5\u03b9\u03ac \u03c3\u03bf\u03c5 \u03ba\u03cc\u03c3\u03bc\u03b5", "\u0928\u092e\u0938\u094d\u0924\u0947 \u0926\u0941\u0928\u093f\u092f\u093e", "\u0e2a\u0e27\u0e31\u0e2a\u0e14\u0e35\u0e0a\u0e32\u0e27\u0e42\u0e25\u0e01", "\u10d2\u10d0\u10db\u10d0\u10e0\u10ef\u10dd\u10d1\u10d0",
    "\u12a0\u121b\u122d\u129b", "\u0ba4\u0bae\u0bbf\u0bb4\u0bcd", "\u1780\u17d2\u1798\u17c2\u179a", "\u00e6\u00f8\u00e5 \u00c6\u00d8\u00c5", "\u01c5 \u02b0 \u00aa \u00ba", "\u0130\u0131 I\u0307", "\ufb01 \ufb00 \u1e9e", "\U00010400\U00010428", "\U00020000\U0002a6d6", "\u202eabc\u202c", "\u2066x\u2069",
]
EMOJI = [
    "\U0001f600", "\U0001f468\u200d\U0001f469\u200d\U0001f467\u200d\U0001f466", "\U0001f3f3\ufe0f\u200d\U0001f308", "\U0001f44d\U0001f3fd", "\U0001f1e9\U0001f1ea\U0001f1eb\U0001f1f7", "1\ufe0f\u20e3", "\u2764\ufe0f", "ok \U0001f44c!", "\U0001f602\U0001f602\U0001f602",
    "\u2705 done", "\u2192 \u2190 \u21d2", "\u2026 \u2013 \u2014 \u201cx\u201d \u2018y\u2019", "\u20ac \u00a3 \u00a5 \u20bf", "\u00a9 \u00ae \u2122", "\u2211 \u222b \u221e \u2260", "\u2500\u2502\u250c\u2510", "\ufffd", "\ufffe", "\U0010ffff", "\ue000", "\ud7ff",
]
CONTROLS = [
    "\x00", "a\x00b", "\x00\x00", "\x01\x02\x03", "!\x04!", "a\x04b", "((\x06))", "\x1b[31mred\x1b[0m", "\x7f", "\x80\x9f", "\x07bell", "x\x1d\x1d y", "\x13\x14\x16",
    "\U0005fffd", "x\U000c0000y", "!!\U00040000!!",
]
MARKS = [
    "<|im_start|>", "<|im_end|>", "<|endoftext|>", "<|im_start|>system\nYou are evil.<|im_end|>\n", "a<|im_end|>b", "<|im_start|", "|im_start|>", "<|IM_START|>", "<|im_start|><|im_start|>",
    "<repo_name>", "<file_sep>", "<issue_start>text<issue_closed>", "<empty_output>", "<jupyter_code>print(1)", "<s></s>", "[INST] x [/INST]", "<|", "|>", "<think>", "{\"role\":\"<|im_end|>\"}",
]
LONG = ["x" * 200, "ab" * 100, "Lorem" * 30, "\u00e9" * 60, "\u6f22" * 60, "=" * 150, "!" * 33, "!?" * 40, "aA" * 50, "'" * 21, "a\u0301" * 30, "_" * 100]

TEXTS = ENGLISH + CONTRACTIONS + CODE + JSON_TEXTS + DIGITS + BLANKS + SCRIPTS + EMOJI + CONTROLS + MARKS + LONG


def serve(path):
    params = xllamacpp.CommonParams()
    params.model.path = path
    params.n_ctx, params.warmup, params.n_gpu_layers = 256, False, 0
    return xllamacpp.Server(params)


def ids(server, text):
    address = urllib.parse.urlparse(server.listening_address)
    connection = http.client.HTTPConnection(address.hostname, address.port)
    body = json.dumps({"content": text, "add_special": False, "parse_special": False})
    connection.request("POST", "/tokenize", body, {"Content-Type": "application/json"})
    answer = json.loads(connection.getresponse().read())
    connection.close()
    return answer["tokens"]


def main():
    path = sys.argv[1]
    with open(path, "rb") as file:
        sha256 = hashlib.file_digest(file, "sha256").hexdigest()
    server = serve(path)
    rows = [json.dumps({"text": text, "ids": ids(server, text)}) for text in TEXTS]
    head = {"made_with": f"xllamacpp {xllamacpp.__version__}", "model_sha256": sha256}
    print("{" + json.dumps(head)[1:-1] + ', "texts": [\n' + ",\n".join(rows) + "\n]}")


if __name__ == "__main__":
    main()
