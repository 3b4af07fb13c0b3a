"""The vendors' own Python clients as judges: each reads the answers our server plays and says what it understood.

Usage: clients.py MANIFEST. The manifest is a list of {id, dialect, kind, base}; one JSON line an entry comes out, with
what the client's own types say. Nothing is put right here: pieces are joined, names are taken over.
"""

import json
import sys

import anthropic
import boto3
import botocore.config
import botocore.exceptions
import ollama
import openai
from google import genai
from google.genai import errors as genai_errors
from google.genai import types as genai_types

ASK = [{"role": "user", "content": "x"}]


def empty():
    return {"text": "", "thinking": "", "refusal": "", "calls": [], "input": None, "output": None, "stop": None}


def dump(value):
    return json.dumps(value, ensure_ascii=False)


# Chat Completions


def chat(entry):
    client = openai.OpenAI(base_url=entry["base"] + "/v1", api_key="k", max_retries=0)
    out = empty()
    if entry["kind"] == "stream":
        chunks = client.chat.completions.create(
            model="m", messages=ASK, stream=True, stream_options={"include_usage": True}
        )
        calls = {}
        for chunk in chunks:
            chat_usage(out, chunk.usage)
            for choice in chunk.choices or []:
                chat_delta(out, choice.delta, calls)
                out["stop"] = choice.finish_reason or out["stop"]
        out["calls"] = [calls[index] for index in sorted(calls)]
    else:
        answer = client.chat.completions.create(model="m", messages=ASK)
        chat_usage(out, answer.usage)
        choice = answer.choices[0]
        calls = {}
        chat_delta(out, choice.message, calls)
        out["calls"] = [[c.id, c.function.name, c.function.arguments] for c in choice.message.tool_calls or []]
        out["stop"] = choice.finish_reason
    return out


def chat_delta(out, delta, calls):
    if delta is None:
        return
    out["text"] += delta.content or ""
    out["refusal"] += delta.refusal or ""
    extra = delta.model_extra or {}
    out["thinking"] += extra.get("reasoning_content") or extra.get("reasoning") or ""
    for call in delta.tool_calls or []:
        index = getattr(call, "index", None)
        index = len(calls) if index is None else index
        known = calls.setdefault(index, ["", "", ""])
        known[0] = known[0] or call.id or ""
        known[1] = known[1] or (call.function and call.function.name) or ""
        known[2] += (call.function and call.function.arguments) or ""


def chat_usage(out, usage):
    if usage is not None:
        out["input"], out["output"] = usage.prompt_tokens, usage.completion_tokens


# Responses


def responses(entry):
    if entry["dialect"] == "azure_openai_responses":
        client = openai.AzureOpenAI(
            azure_endpoint=entry["base"], api_key="k", api_version="2025-04-01-preview", max_retries=0
        )
    else:
        client = openai.OpenAI(base_url=entry["base"] + "/v1", api_key="k", max_retries=0)
    if entry["kind"] != "stream":
        return response(client.responses.create(model="m", input="x"))
    last, said = None, empty()
    for event in client.responses.create(model="m", input="x", stream=True):
        if event.type in ("response.completed", "response.incomplete", "response.failed"):
            last = event.response
        elif event.type == "response.output_text.delta":
            said["text"] += event.delta
        elif event.type == "error":
            return {**said, "stop": "error"}
    return said if last is None else response(last)


def response(answer):
    out = empty()
    for item in answer.output or []:
        if item.type == "message":
            # The last message counts: the commentary before it is no answer.
            texts = [part.text for part in item.content if part.type == "output_text"]
            out["refusal"] += "".join(part.refusal for part in item.content if part.type == "refusal")
            out["text"] = "".join(texts)
        elif item.type == "function_call":
            out["calls"].append([item.call_id, item.name, item.arguments])
    if answer.usage is not None:
        out["input"], out["output"] = answer.usage.input_tokens, answer.usage.output_tokens
    reason = answer.incomplete_details and answer.incomplete_details.reason
    code = answer.error and answer.error.code
    out["stop"] = ":".join(word for word in (answer.status, reason, code) if word)
    return out


# Messages


def messages(entry):
    client = anthropic.Anthropic(base_url=entry["base"], api_key="k", max_retries=0)
    ask = {"model": "m", "max_tokens": 10, "messages": ASK}
    if entry["kind"] != "stream":
        return message(client.messages.create(**ask))
    with client.messages.stream(**ask) as stream:
        ended = False
        for event in stream:
            ended = ended or event.type == "message_stop"
        out = message(stream.get_final_message())
    # The client does not tell a stream without an end from one with it; the events do.
    return out if ended else {**out, "stop": None}


def message(answer):
    out = empty()
    for block in answer.content:
        if block.type == "text":
            out["text"] += block.text
        elif block.type == "thinking":
            out["thinking"] += block.thinking
        elif block.type == "tool_use":
            out["calls"].append([block.id, block.name, dump(block.input)])
    usage = answer.usage
    if usage is not None:
        beside = (usage.cache_read_input_tokens or 0) + (usage.cache_creation_input_tokens or 0)
        out["input"], out["output"] = usage.input_tokens + beside, usage.output_tokens
    out["stop"] = answer.stop_reason
    return out


# generateContent


def generate(entry):
    client = genai.Client(api_key="k", http_options=genai_types.HttpOptions(base_url=entry["base"]))
    if entry["kind"] == "stream":
        answers = client.models.generate_content_stream(model="m", contents="x")
    else:
        answers = [client.models.generate_content(model="m", contents="x")]
    out = empty()
    for answer in answers:
        if answer.prompt_feedback and answer.prompt_feedback.block_reason:
            out["stop"] = "blocked"
        if answer.usage_metadata:
            usage = answer.usage_metadata
            out["input"] = usage.prompt_token_count
            counts = (usage.candidates_token_count, usage.thoughts_token_count)
            out["output"] = None if counts == (None, None) else sum(count or 0 for count in counts)
        for candidate in answer.candidates or []:
            for part in (candidate.content and candidate.content.parts) or []:
                if part.function_call:
                    call = part.function_call
                    out["calls"].append([call.id or "", call.name, dump(call.args or {})])
                elif part.text:
                    out["thinking" if part.thought else "text"] += part.text
            if candidate.finish_reason:
                out["stop"] = candidate.finish_reason.value
    return out


# Converse


def converse(entry):
    client = boto3.client(
        "bedrock-runtime",
        endpoint_url=entry["base"],
        region_name="us-east-1",
        aws_access_key_id="AKIDEXAMPLE",
        aws_secret_access_key="secret",
        config=botocore.config.Config(retries={"total_max_attempts": 1}),
    )
    ask = {"modelId": "m", "messages": [{"role": "user", "content": [{"text": "x"}]}]}
    out = empty()
    if entry["kind"] != "stream":
        answer = client.converse(**ask)
        for block in answer["output"]["message"]["content"]:
            out["text"] += block.get("text", "")
            if "toolUse" in block:
                tool = block["toolUse"]
                out["calls"].append([tool["toolUseId"], tool["name"], dump(tool["input"])])
        out["stop"] = answer["stopReason"]
        out["input"], out["output"] = answer["usage"]["inputTokens"], answer["usage"]["outputTokens"]
        return out
    for event in client.converse_stream(**ask)["stream"]:
        if "contentBlockStart" in event and "toolUse" in event["contentBlockStart"]["start"]:
            tool = event["contentBlockStart"]["start"]["toolUse"]
            out["calls"].append([tool["toolUseId"], tool["name"], ""])
        elif "contentBlockDelta" in event:
            delta = event["contentBlockDelta"]["delta"]
            out["text"] += delta.get("text", "")
            out["thinking"] += delta.get("reasoningContent", {}).get("text", "")
            if "toolUse" in delta:
                out["calls"][-1][2] += delta["toolUse"]["input"]
        elif "messageStop" in event:
            out["stop"] = event["messageStop"]["stopReason"]
        elif "metadata" in event:
            usage = event["metadata"]["usage"]
            out["input"], out["output"] = usage["inputTokens"], usage["outputTokens"]
    return out


# Ollama


def native(entry):
    client = ollama.Client(host=entry["base"])
    streamed = entry["kind"] == "stream"
    answer = client.chat(model="m", messages=ASK, stream=streamed)
    out = empty()
    for line in answer if streamed else [answer]:
        out["text"] += line.message.content or ""
        out["thinking"] += line.message.thinking or ""
        for call in line.message.tool_calls or []:
            out["calls"].append(["", call.function.name, dump(dict(call.function.arguments))])
        if line.done:
            out["stop"] = line.done_reason
            out["input"], out["output"] = line.prompt_eval_count, line.eval_count
    return out


DIALECTS = {
    "openai_chat": chat,
    "openai_responses": responses,
    "azure_openai_responses": responses,
    "anthropic": messages,
    "google": generate,
    "bedrock": converse,
    "ollama": native,
}


def status_of(error):
    """What the client's own error says: status and the provider's word."""
    if isinstance(error, (openai.APIError, anthropic.APIError)):
        body = error.body if isinstance(error.body, dict) else {}
        body = body.get("error", body) if isinstance(body.get("error", body), dict) else body
        word = getattr(error, "code", None) or body.get("code") or body.get("type")
        return getattr(error, "status_code", None), word
    if isinstance(error, genai_errors.APIError):
        return error.code, error.status
    if isinstance(error, botocore.exceptions.ClientError):
        answer = error.response
        return answer.get("ResponseMetadata", {}).get("HTTPStatusCode"), answer.get("Error", {}).get("Code")
    if isinstance(error, ollama.ResponseError):
        return error.status_code, None
    return None, None


def main():
    with open(sys.argv[1], encoding="utf-8") as manifest:
        entries = json.load(manifest)
    for entry in entries:
        try:
            told = DIALECTS[entry["dialect"]](entry)
        except Exception as error:  # noqa: BLE001 - whatever a client raises is its verdict
            status, word = status_of(error)
            word = None if word is None else str(word)
            told = {"raised": type(error).__name__, "status": status, "word": word, "says": str(error)[:300]}
        print(json.dumps({"id": entry["id"], **told}, ensure_ascii=False), flush=True)


main()
