// The vendors' own Node clients as judges: openai (Chat, Responses) and @anthropic-ai/sdk. As clients.py: a manifest in,
// one JSON line an entry out, of what the client's own helpers put together.

import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { pathToFileURL } from "node:url";

// The packages are installed beside the build's output, not beside this file.
const [, , manifest, packages] = process.argv;
const require = createRequire(pathToFileURL(`${packages}/x.js`));
const load = async (name) => (await import(pathToFileURL(require.resolve(name)))).default;
const OpenAI = await load("openai");
const Anthropic = await load("@anthropic-ai/sdk");

const ask = [{ role: "user", content: "x" }];
const empty = () => ({ text: "", thinking: "", refusal: "", calls: [], input: null, output: null, stop: null });

async function chat(entry) {
  const client = new OpenAI({ baseURL: `${entry.base}/v1`, apiKey: "k", maxRetries: 0 });
  const out = empty();
  const usage = (told) => {
    if (told) [out.input, out.output] = [told.prompt_tokens, told.completion_tokens];
  };
  const take = (said, calls) => {
    out.text += said.content ?? "";
    out.refusal += said.refusal ?? "";
    out.thinking += said.reasoning_content || said.reasoning || "";
    for (const call of said.tool_calls ?? []) {
      const known = (calls[call.index ?? calls.length] ??= ["", "", ""]);
      known[0] ||= call.id ?? "";
      known[1] ||= call.function?.name ?? "";
      known[2] += call.function?.arguments ?? "";
    }
  };
  if (entry.kind === "stream") {
    const stream = await client.chat.completions.create({
      model: "m",
      messages: ask,
      stream: true,
      stream_options: { include_usage: true },
    });
    for await (const chunk of stream) {
      usage(chunk.usage);
      for (const choice of chunk.choices ?? []) {
        take(choice.delta ?? {}, out.calls);
        out.stop = choice.finish_reason || out.stop;
      }
    }
  } else {
    const answer = await client.chat.completions.create({ model: "m", messages: ask });
    usage(answer.usage);
    take(answer.choices[0].message, out.calls);
    out.stop = answer.choices[0].finish_reason;
  }
  return out;
}

async function responses(entry) {
  const client = new OpenAI({ baseURL: `${entry.base}/v1`, apiKey: "k", maxRetries: 0 });
  if (entry.kind !== "stream") return response(await client.responses.create({ model: "m", input: "x" }));
  let last = null;
  const said = empty();
  for await (const event of await client.responses.create({ model: "m", input: "x", stream: true })) {
    if (["response.completed", "response.incomplete", "response.failed"].includes(event.type)) last = event.response;
    else if (event.type === "response.output_text.delta") said.text += event.delta;
  }
  return last ? response(last) : said;
}

function response(answer) {
  const out = empty();
  for (const item of answer.output ?? []) {
    if (item.type === "message") {
      // The last message counts: the commentary before it is no answer.
      const of = (kind, key) => item.content.filter((part) => part.type === kind).map((part) => part[key]).join("");
      out.refusal += of("refusal", "refusal");
      out.text = of("output_text", "text");
    } else if (item.type === "function_call") {
      out.calls.push([item.call_id, item.name, item.arguments]);
    }
  }
  if (answer.usage) [out.input, out.output] = [answer.usage.input_tokens, answer.usage.output_tokens];
  out.stop = [answer.status, answer.incomplete_details?.reason, answer.error?.code].filter(Boolean).join(":");
  return out;
}

async function messages(entry) {
  const client = new Anthropic({ baseURL: entry.base, apiKey: "k", maxRetries: 0 });
  const body = { model: "m", max_tokens: 10, messages: ask };
  if (entry.kind !== "stream") return message(await client.messages.create(body));
  let ended = false;
  const stream = client.messages.stream(body);
  stream.on("streamEvent", (event) => (ended ||= event.type === "message_stop"));
  const out = message(await stream.finalMessage());
  return ended ? out : { ...out, stop: null };
}

function message(answer) {
  const out = empty();
  for (const block of answer.content) {
    if (block.type === "text") out.text += block.text;
    else if (block.type === "thinking") out.thinking += block.thinking;
    else if (block.type === "tool_use") out.calls.push([block.id, block.name, JSON.stringify(block.input)]);
  }
  const { input_tokens, output_tokens, cache_read_input_tokens, cache_creation_input_tokens } = answer.usage ?? {};
  out.input = (input_tokens ?? 0) + (cache_read_input_tokens ?? 0) + (cache_creation_input_tokens ?? 0);
  out.output = output_tokens ?? null;
  out.stop = answer.stop_reason;
  return out;
}

const dialects = { openai_chat: chat, openai_responses: responses, azure_openai_responses: responses, anthropic: messages };

for (const entry of JSON.parse(readFileSync(manifest, "utf8"))) {
  const judge = dialects[entry.dialect];
  if (!judge) continue;
  let told;
  try {
    told = await judge(entry);
  } catch (error) {
    const body = error?.error?.error ?? error?.error ?? {};
    const word = error?.code ?? body?.code ?? body?.type ?? null;
    told = {
      raised: error?.constructor?.name,
      status: error?.status ?? null,
      word: word === null ? null : String(word),
      says: String(error?.message).slice(0, 300),
    };
  }
  console.log(JSON.stringify({ id: entry.id, ...told }));
}
