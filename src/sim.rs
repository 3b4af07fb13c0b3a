//! The built-in scripted provider: answers without any network, through the same machine as every other provider, as
//! raw events. For demos, drills and tests. Deterministic: the same call and seed give the same events and waits.
//!
//! Knows no HTTP and no surface; what it says is marked as simulated by the run (`RunStart.simulated`).

pub mod answer;
pub mod play;
pub mod script;

use serde::Deserialize as _;

use crate::dialect::{ToolCall, ToolSpec};
use crate::json::{ParseLimits, Value, parse};

/// The provider's name: `sim/sample` and so on.
pub const PROVIDER: &str = "sim";

/// One built-in model.
#[derive(Debug, Clone, Copy)]
pub struct Model {
    pub name: &'static str,
    pub kind: Kind,
    pub about: &'static str,
}

/// How a built-in model behaves.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    Sample,
    Repair,
    TwiceBad,
    Fence,
    Refusal,
    Truncated,
    Eof,
    Slow,
    Flood,
    Tools,
}

/// For whom a built-in model types. `sim/slow` and the pauses of a script are drills and hold for both.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Tempo {
    /// A person watches: a token every few milliseconds.
    Typing,
    /// A program waits: no pause.
    AtOnce,
}

/// All built-in models; `script:FILE` comes on top.
pub const MODELS: &[Model] = &[
    model("sample", Kind::Sample, "an instance of the schema, streamed"),
    model("repair", Kind::Repair, "the first answer breaks the schema, the second is right"),
    model("twice-bad", Kind::TwiceBad, "both answers break the schema"),
    model("fence", Kind::Fence, "the first answer stands in a code fence, the second is right"),
    model("refusal", Kind::Refusal, "the model refuses"),
    model("truncated", Kind::Truncated, "the answer is cut at the token limit"),
    model("eof", Kind::Eof, "the stream ends in the middle"),
    model("slow", Kind::Slow, "an instance of the schema, 200 ms a chunk"),
    model("flood", Kind::Flood, "tens of thousands of deltas as fast as they can be taken"),
    model("tools", Kind::Tools, "a round with each tool that is offered, first its own `lookup`, then the answer"),
];

const fn model(name: &'static str, kind: Kind, about: &'static str) -> Model {
    Model { name, kind, about }
}

/// The behaviour of a built-in model's name.
#[must_use]
pub fn kind(model: &str) -> Option<Kind> {
    MODELS.iter().find(|m| m.name == model).map(|m| m.kind)
}

/// The file of `script:FILE`.
#[must_use]
pub fn script_path(model: &str) -> Option<&str> {
    model.strip_prefix("script:").filter(|path| !path.is_empty())
}

/// Name of the harmless tool that is executed in the process.
pub const LOOKUP: &str = "lookup";

/// The tools that are offered to a built-in model.
#[must_use]
pub fn tools(model: &str) -> Vec<ToolSpec> {
    if kind(model) != Some(Kind::Tools) {
        return Vec::new();
    }
    let parameters = r#"{"type":"object","properties":{"query":{"type":"string"}},"required":["query"],"additionalProperties":false}"#;
    vec![ToolSpec {
        name: LOOKUP.to_owned(),
        description: "Looks a word up in a small built-in list.".to_owned(),
        parameters: parse(parameters, ParseLimits::default()).unwrap_or(Value::Null),
        strict: true,
    }]
}

/// What `sim/tools` calls a tool with: what makes sense for those that come with the program.
#[must_use]
pub fn arguments(name: &str) -> &'static str {
    match name {
        LOOKUP => r#"{"query": "schema"}"#,
        "read_file" => r#"{"path": "README.md"}"#,
        "list_dir" => r#"{"path": "."}"#,
        "search_text" => r#"{"text": "schema"}"#,
        _ => "{}",
    }
}

#[derive(serde::Deserialize)]
struct LookupArguments {
    query: String,
}

/// Executes `lookup`. `Err` is the text of a failed tool.
///
/// # Errors
/// When the tool is another one or its arguments are no `{"query": "…"}`.
pub fn run_tool(call: &ToolCall) -> Result<String, String> {
    if call.name != LOOKUP {
        return Err("there is no such tool".to_owned());
    }
    let arguments = parse(&call.arguments, ParseLimits::default()).map_err(|e| e.to_string())?;
    let arguments =
        LookupArguments::deserialize(arguments).map_err(|_| "the argument `query` is missing".to_owned())?;
    let letters = arguments.query.chars().count();
    Ok(format!("found 1 entry ({letters} characters asked for): this is simulated"))
}
