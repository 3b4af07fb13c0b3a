//! `sim/script:FILE`: a provider that says what a file tells it to.
//!
//! The file is JSON (a list of calls, each a list of steps) or JSON Lines (one call, a list of steps, a line). A step
//! is an object with one member:
//!
//! | step | what happens |
//! | --- | --- |
//! | `{"text": "…"}` | a delta of answer text |
//! | `{"answer": "…"}` | the same, but in tool mode a delta of the submit tool's arguments |
//! | `{"thinking": "…"}` | a delta of reasoning |
//! | `{"refusal": "…"}` | a delta of a refusal |
//! | `{"tool": {"name": "…", "arguments": "…", "id": "…"}}` | a tool call (`id` may be left out) |
//! | `{"usage": {"input_tokens": 1, "output_tokens": 2}}` | token counts |
//! | `{"wait_ms": 50}` | a pause, at most 600000 |
//! | `{"terminal": "stop"}` | the end: `stop tool_use length refusal content_filter paused context_overflow missing`, or any other word |
//! | `{"error": {"code": "rate_limited", "status": 429, "retryable": true, "retry_after_ms": 10}}` | the call fails |
//!
//! A call without an end is a stream that broke off. A run that makes more calls than the file has fails.

use serde::Deserialize;

use super::play::failure;
use crate::event::{CallFailure, ErrorCode, RawEvent, Terminal, Usage};
use crate::json::{self, ParseLimits, Part, Value, parse_bytes};

/// One thing the scripted provider does.
#[derive(Debug, Clone, PartialEq)]
pub enum Step {
    Event(RawEvent),
    /// Answer text, wherever the mode wants it.
    Answer(String),
    Wait {
        ms: u64,
    },
    Fail(Box<CallFailure>),
}

/// Why a script cannot be played. Names the place, never what stands there.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct ScriptError {
    /// Line of the file, where it is known.
    pub line: Option<usize>,
    pub message: String,
}

/// A script larger than this is no script.
const MAX_BYTES: u64 = 16 * 1024 * 1024;
const LIMITS: ParseLimits = ParseLimits { max_bytes: 16 * 1024 * 1024, max_depth: 16 };
const MAX_WAIT_MS: u64 = 600_000;

#[derive(Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
enum Written {
    Text(String),
    Answer(String),
    Thinking(String),
    Refusal(String),
    Tool(WrittenTool),
    Usage(WrittenUsage),
    WaitMs(u64),
    Terminal(String),
    Error(WrittenError),
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct WrittenTool {
    name: String,
    #[serde(default)]
    arguments: String,
    id: Option<String>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
#[expect(clippy::struct_field_names, reason = "the names of the file")]
struct WrittenUsage {
    input_tokens: Option<u64>,
    output_tokens: Option<u64>,
    reasoning_tokens: Option<u64>,
    cached_tokens: Option<u64>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct WrittenError {
    #[serde(default)]
    code: String,
    status: Option<u16>,
    #[serde(default)]
    retryable: bool,
    retry_after_ms: Option<u64>,
}

/// Reads a script file. Waits for the disk: call it off the loop.
///
/// # Errors
/// [`ScriptError`].
pub fn load(file: &std::path::Path) -> Result<Vec<Vec<Step>>, ScriptError> {
    let fault = |message: String| ScriptError { line: None, message };
    let about = fs_err::metadata(file).map_err(|e| fault(format!("the script cannot be read: {}", e.kind())))?;
    if !about.is_file() || about.len() > MAX_BYTES {
        return Err(fault("the script is no file of at most 16 MiB".to_owned()));
    }
    let bytes = fs_err::read(file).map_err(|e| fault(format!("the script cannot be read: {}", e.kind())))?;
    read(&bytes)
}

/// Reads a script's bytes.
///
/// # Errors
/// [`ScriptError`].
pub fn read(bytes: &[u8]) -> Result<Vec<Vec<Step>>, ScriptError> {
    match parse_bytes(bytes, LIMITS) {
        Ok(document) => {
            let calls = document.as_array().filter(|calls| calls.iter().all(Value::is_array));
            // A single line of JSON Lines is also one JSON document: a list of steps.
            match calls {
                Some(calls) if !calls.is_empty() => {
                    calls.iter().enumerate().map(|(at, c)| call(c, &|step| line_of(bytes, &[at, step]))).collect()
                }
                _ => Ok(vec![call(&document, &|step| line_of(bytes, &[step]))?]),
            }
        }
        Err(whole) => lines(bytes).unwrap_or_else(|| {
            Err(ScriptError {
                line: Some(whole.position.line),
                message: format!("the script is no JSON: {}", whole.message),
            })
        }),
    }
}

/// JSON Lines; `None` when the first line is no JSON either: then the file was meant as one document.
fn lines(bytes: &[u8]) -> Option<Result<Vec<Vec<Step>>, ScriptError>> {
    let mut calls = Vec::new();
    for (number, line) in bytes.split(|b| *b == b'\n').enumerate() {
        if line.trim_ascii().is_empty() {
            continue;
        }
        match parse_bytes(line, LIMITS) {
            Ok(value) => match call(&value, &|_| Some(number + 1)) {
                Ok(steps) => calls.push(steps),
                Err(error) => return Some(Err(error)),
            },
            Err(_) if calls.is_empty() => return None,
            Err(error) => {
                let message = format!("the line is no JSON: {}", error.message);
                return Some(Err(ScriptError { line: Some(number + 1), message }));
            }
        }
    }
    Some(Ok(calls))
}

/// The line on which an element of the document begins.
fn line_of(bytes: &[u8], path: &[usize]) -> Option<usize> {
    let text = std::str::from_utf8(bytes).ok()?;
    let pointer: String = path.iter().map(|at| format!("/{at}")).collect();
    let span = json::locate(text, &pointer, Part::Value)?;
    Some(json::position(text, span.start).line)
}

/// `line` tells where a step stands.
fn call(value: &Value, line: &dyn Fn(usize) -> Option<usize>) -> Result<Vec<Step>, ScriptError> {
    let fault = |at: usize, message: String| ScriptError { line: line(at), message };
    let steps = value.as_array().ok_or_else(|| fault(0, "a call is a list of steps".to_owned()))?;
    let mut slot = 0;
    let mut out = Vec::new();
    for (number, step_value) in steps.iter().enumerate() {
        let written = Written::deserialize(step_value.clone()).map_err(|_| {
            fault(
                number,
                format!(
                    "step {} is none of text, answer, thinking, refusal, tool, usage, wait_ms, terminal, error",
                    number + 1
                ),
            )
        })?;
        step(written, &mut slot, &mut out);
    }
    Ok(out)
}

fn step(written: Written, slot: &mut u32, out: &mut Vec<Step>) {
    let event = match written {
        Written::Answer(text) => return out.push(Step::Answer(text)),
        Written::WaitMs(ms) => return out.push(Step::Wait { ms: ms.min(MAX_WAIT_MS) }),
        Written::Error(error) => return out.push(Step::Fail(Box::new(call_failure(&error)))),
        Written::Tool(tool) => return push_tool(tool, slot, out),
        Written::Text(delta) => RawEvent::Text { delta },
        Written::Thinking(delta) => RawEvent::Thinking { delta },
        Written::Refusal(delta) => RawEvent::Refusal { delta },
        Written::Usage(u) => RawEvent::Usage {
            usage: Usage {
                input_tokens: u.input_tokens,
                output_tokens: u.output_tokens,
                reasoning_tokens: u.reasoning_tokens,
                cached_tokens: u.cached_tokens,
            },
        },
        Written::Terminal(word) => RawEvent::Terminal { terminal: terminal(word) },
    };
    out.push(Step::Event(event));
}

/// Slot 0 is the submit tool's ([`Step::Answer`]).
fn push_tool(tool: WrittenTool, slot: &mut u32, out: &mut Vec<Step>) {
    *slot += 1;
    let id = tool.id.unwrap_or_else(|| format!("call_{slot}"));
    out.push(Step::Event(RawEvent::ToolStart { slot: *slot, id, name: tool.name }));
    out.push(Step::Event(RawEvent::ToolArgs { slot: *slot, delta: tool.arguments }));
}

fn terminal(word: String) -> Terminal {
    match word.as_str() {
        "stop" => Terminal::Stop,
        "tool_use" => Terminal::ToolUse,
        "length" => Terminal::Length,
        "refusal" => Terminal::Refusal,
        "content_filter" => Terminal::ContentFilter,
        "paused" => Terminal::Paused,
        "context_overflow" => Terminal::ContextOverflow,
        "missing" => Terminal::Missing,
        _ => Terminal::Unknown { word },
    }
}

fn call_failure(error: &WrittenError) -> CallFailure {
    let code = match error.code.as_str() {
        "auth" => ErrorCode::Auth,
        "rate_limited" => ErrorCode::RateLimited,
        "transport" => ErrorCode::Transport,
        "timeout" => ErrorCode::Timeout,
        "incomplete" => ErrorCode::Incomplete,
        "unsupported" => ErrorCode::Unsupported,
        _ => ErrorCode::Provider,
    };
    let mut failure = failure("the script lets this call fail");
    failure.code = code;
    failure.status = error.status;
    failure.retryable = error.retryable;
    failure.retry_after_ms = error.retry_after_ms;
    failure
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(delta: &str) -> Step {
        Step::Event(RawEvent::Text { delta: delta.to_owned() })
    }

    #[test]
    fn a_document_and_lines_say_the_same() {
        let document = br#"[[{"text":"a"},{"terminal":"stop"}],[{"wait_ms":5},{"answer":"b"}]]"#;
        let lines = b"[{\"text\":\"a\"},{\"terminal\":\"stop\"}]\n\n[{\"wait_ms\":5},{\"answer\":\"b\"}]\n";
        let stop = Step::Event(RawEvent::Terminal { terminal: Terminal::Stop });
        let want = vec![vec![text("a"), stop], vec![Step::Wait { ms: 5 }, Step::Answer("b".to_owned())]];
        assert_eq!(read(document).unwrap(), want);
        assert_eq!(read(lines).unwrap(), want);
        assert_eq!(read(br#"[{"text":"a"}]"#).unwrap(), [[text("a")]]);
    }

    #[test]
    fn a_bad_file_says_where_and_repeats_nothing() {
        for (bytes, line, message) in [
            (&b"[[{\"text\":\"SECRET\"},{\"txet\":1}]]"[..], Some(1), "step 2 is none of"),
            (b"[\n [\n  {\"text\":\"SECRET\"},\n  {\"wait_ms\":-1}\n ]\n]", Some(4), "step 2 is none of"),
            (b"[\n {\"terminal\":1}\n]", Some(2), "step 1 is none of"),
            (b"[{\"text\":\"a\"}]\n{\"SECRET\":1}\n", Some(2), "a call is a list of steps"),
            (b"[{\"text\":\"a\"}]\n[{\"text\":SECRET\n", Some(2), "the line is no JSON"),
            (b"[\n[{\"text\": SECRET", Some(2), "the script is no JSON"),
            (b"{}", None, "a call is a list of steps"),
        ] {
            let error = read(bytes).unwrap_err();
            assert_eq!(error.line, line, "{error}");
            assert!(error.message.starts_with(message), "{error}");
            assert!(!error.message.contains("SECRET"), "{error}");
        }
    }
}
