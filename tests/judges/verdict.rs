//! Where a client's reading of an answer differs from ours.

use formwork::dialect::failure;
use formwork::event::Terminal;
use formwork::json::{ParseLimits, Value, parse};

use super::all::harness::{Told, cut, decode};
use super::stage::{Act, Kind};
use formwork::capability::Dialect;

/// Answers a client reads otherwise, and why ours stands: client, part of the name, reason.
const OTHERWISE: &[(&str, &str, &str)] = &[
    ("node", "ai__duplicate-message-start", "the helper wants one message_start; a second one changes nothing"),
    ("python", "ai__google-stream-tool-call-arguments", "the client gives out pieces of arguments, not the whole"),
    ("python", "of the future", "an unknown word is its own ending here"),
];

/// What differs, in sentences.
pub(crate) fn differences(client: &str, act: &Act, line: &Value) -> Vec<String> {
    if OTHERWISE.iter().any(|(who, name, _)| *who == client && act.name.contains(name)) {
        return Vec::new();
    }
    let found = match act.kind {
        Kind::Refused(status) => refused(act, status, line),
        Kind::Stream => answered(act, &decode(act.dialect, &cut(act.dialect, &[&act.body])), line),
        Kind::Whole => {
            let text = String::from_utf8(act.body.clone()).unwrap();
            answered(act, &Told::of(formwork::dialect::decode_whole(act.dialect, &text)), line)
        }
    };
    found.into_iter().map(|fault| format!("{client} {}: {fault}", act.name)).collect()
}

fn refused(act: &Act, status: u16, line: &Value) -> Vec<String> {
    let ours = failure(act.dialect, status, &act.body);
    let mut out = Vec::new();
    if line["status"].as_u64() != Some(u64::from(status)) || ours.status != Some(status) {
        out.push(format!("status {} and {:?}", line["status"], ours.status));
    }
    // Servers that put a number where the word belongs are read by their type here.
    let word = line["word"].as_str().filter(|word| word.parse::<u16>().is_err());
    if word.is_some() && word != ours.provider_code.as_deref() {
        out.push(format!("word {word:?} and {:?}", ours.provider_code));
    }
    out
}

fn answered(act: &Act, ours: &Told, line: &Value) -> Vec<String> {
    let ending = ours.ending.as_ref().unwrap();
    if line.get("raised").is_some() {
        // What a client raises is no success here either.
        return if ours.succeeded() {
            vec![format!("raised {} and ours is {ending:?}", line["says"])]
        } else {
            Vec::new()
        };
    }
    let text = |key: &str| line[key].as_str().unwrap_or_default();
    let mut out = Vec::new();
    let mut same = |what: &str, theirs: &str, ours: &str| {
        if theirs != ours {
            out.push(format!("{what} {theirs:?} and {ours:?}"));
        }
    };
    same("text", text("text"), &ours.text);
    let family = family(act.dialect);
    // Summaries of reasoning are no part of what the Responses helper was asked for.
    if family != Dialect::OpenaiResponses {
        same("thinking", text("thinking"), &ours.thinking);
    }
    if matches!(family, Dialect::OpenaiChat | Dialect::OpenaiResponses) {
        same("refusal", text("refusal"), &ours.refusal);
    }
    same("ending", means(family, line, ours), kind(ending));
    out.extend(calls(line, ours));
    out.extend(usage(line, ours));
    out
}

fn family(dialect: Dialect) -> Dialect {
    if dialect == Dialect::AzureOpenaiResponses { Dialect::OpenaiResponses } else { dialect }
}

fn kind(ending: &Terminal) -> &'static str {
    match ending {
        Terminal::Stop => "stop",
        Terminal::ToolUse => "tool_use",
        Terminal::Length => "length",
        Terminal::Refusal => "refusal",
        Terminal::ContentFilter => "content_filter",
        Terminal::Paused => "paused",
        Terminal::ContextOverflow => "context_overflow",
        Terminal::Error { .. } => "error",
        Terminal::Missing => "missing",
        Terminal::Unknown { .. } => "unknown",
    }
}

/// What the client's own word for the ending means by PROVIDERS, beside what else it read.
fn means(family: Dialect, line: &Value, ours: &Told) -> &'static str {
    let Some(word) = line["stop"].as_str() else { return "missing" };
    let called = line["calls"].as_array().is_some_and(|calls| !calls.is_empty());
    let refused = line["refusal"].as_str().is_some_and(|text| !text.is_empty());
    match (family, word) {
        (Dialect::OpenaiChat | Dialect::OpenaiResponses, "stop" | "completed" | "tool_calls") if refused => "refusal",
        (Dialect::OpenaiResponses, "completed") if called => "tool_use",
        (Dialect::Ollama, "stop") if called => "tool_use",
        (Dialect::OpenaiResponses, "incomplete:max_output_tokens") => "length",
        (Dialect::OpenaiResponses, "incomplete:content_filter") => "content_filter",
        (Dialect::OpenaiResponses, "completed") => "stop",
        (Dialect::OpenaiResponses, _) => "error",
        (_, "stop" | "end_turn" | "stop_sequence" | "STOP") => "stop",
        (_, "tool_calls" | "tool_use") => "tool_use",
        (_, "length" | "max_tokens" | "MAX_TOKENS") => "length",
        (_, "refusal") => "refusal",
        (_, "pause_turn" | "compaction") => "paused",
        (_, "model_context_window_exceeded") => "context_overflow",
        (_, "content_filter" | "guardrail_intervened" | "content_filtered" | "blocked") => "content_filter",
        (_, "SAFETY" | "RECITATION" | "LANGUAGE" | "BLOCKLIST" | "PROHIBITED_CONTENT" | "SPII" | "IMAGE_SAFETY") => {
            "content_filter"
        }
        (_, "MALFORMED_FUNCTION_CALL" | "UNEXPECTED_TOOL_CALL") => "error",
        // A word that PROVIDERS gives no meaning: ours must not be a success.
        _ if !ours.succeeded() => kind(ours.ending.as_ref().unwrap()),
        _ => "no success",
    }
}

/// Ids where the client has them, names, and arguments as values (clients that parse them write them anew).
fn calls(line: &Value, ours: &Told) -> Option<String> {
    let theirs = line["calls"].as_array().unwrap();
    let value = |text: &str| {
        let text = if text.is_empty() { "{}" } else { text };
        parse(text, ParseLimits { max_bytes: 1 << 20, max_depth: 64 }).unwrap_or_else(|_| Value::from(text))
    };
    let alike = theirs.len() == ours.calls.len()
        && theirs.iter().zip(&ours.calls).all(|(theirs, (id, name, arguments))| {
            let of = |at: usize| theirs[at].as_str().unwrap_or_default();
            (of(0).is_empty() || of(0) == id) && of(1) == name && numbers(&value(of(2))) == numbers(&value(arguments))
        });
    (!alike).then(|| format!("calls {} and {:?}", line["calls"], ours.calls))
}

/// Clients read numbers as floats: 1.50 and 1.5 are one to them.
fn numbers(value: &Value) -> String {
    fn plain(value: &Value) -> Value {
        match value {
            Value::Number(number) => number.as_f64().map_or_else(|| value.clone(), Value::from),
            Value::Array(list) => list.iter().map(plain).collect(),
            Value::Object(map) => map.iter().map(|(key, value)| (key.clone(), plain(value))).collect(),
            Value::Null | Value::Bool(_) | Value::String(_) => value.clone(),
        }
    }
    plain(value).to_string()
}

/// Reasoning that a server counts beside the output is part of it here.
fn usage(line: &Value, ours: &Told) -> Option<String> {
    let (input, output) = (line["input"].as_u64(), line["output"].as_u64());
    let beside = output.map(|output| output + ours.usage.reasoning_tokens.unwrap_or(0));
    let fits = (input, output) == (ours.usage.input_tokens, ours.usage.output_tokens)
        || (input, beside) == (ours.usage.input_tokens, ours.usage.output_tokens);
    (!fits).then(|| format!("usage {input:?} {output:?} and {:?}", ours.usage))
}
