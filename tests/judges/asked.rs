//! Requests of every dialect, in all their members: what is sent to be judged.

use formwork::capability::Dialect;
use formwork::dialect::{
    Attachment, Call, Message, NativeFormat, Target, ToolCall, ToolChoice, ToolSpec, WireRequest, build,
};
use formwork::json::Value;
use serde_json::json;

/// Bodies of one dialect.
const EACH: u64 = 160;

/// What a judge of an older day does not know yet: dialect, judge, part of its words, reason.
const KNOWN: &[(&str, &str, &str, &str)] = &[
    (
        "azure_openai_responses",
        "openapi",
        "reasoning.encrypted_content' is not one of",
        "the file is of 2025-04-01-preview; a recording of the present service holds encrypted reasoning",
    ),
    ("azure_openai_responses", "openapi", "'type': 'reasoning', 'id': 'rs_1'", "the same"),
    (
        "azure_openai_responses",
        "openapi",
        "{'type': 'function_call', 'call_id'",
        "that file wants the item's own id; the vendor's present one and the clients leave it out",
    ),
];

pub(crate) fn is_known(dialect: &str, judge: &str, fault: &str) -> bool {
    KNOWN.iter().any(|(of, by, words, _)| *of == dialect && *by == judge && fault.contains(words))
}

/// Chooses, always in the same way.
struct Dice(u64);

impl Dice {
    fn roll(&mut self, sides: u64) -> u64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % sides
    }

    fn yes(&mut self) -> bool {
        self.roll(2) == 0
    }

    fn pick<'a>(&mut self, from: &[&'a str]) -> &'a str {
        from[usize::try_from(self.roll(from.len() as u64)).unwrap()]
    }
}

/// Every entry as the judges read it, and the request it was made of.
pub(crate) fn bodies() -> Vec<(Value, WireRequest)> {
    let dialects = [
        (Dialect::OpenaiChat, "https://api.openai.com/v1", "gpt-6.1-sol"),
        (Dialect::OpenaiResponses, "https://api.openai.com/v1", "gpt-6.1-sol"),
        (Dialect::AzureOpenaiResponses, "https://x.openai.azure.com/openai/v1", "deployment"),
        (Dialect::Anthropic, "https://api.anthropic.com", "claude-sonnet-5"),
        (Dialect::Google, "https://generativelanguage.googleapis.com/v1beta", "gemini-3-pro"),
        (Dialect::Bedrock, "https://bedrock-runtime.us-east-1.amazonaws.com", "us.anthropic.claude-haiku-4-5-v1:0"),
        (Dialect::Ollama, "http://127.0.0.1:11434", "qwen3"),
    ];
    let mut out = Vec::new();
    let mut dice = Dice(7);
    for (dialect, base_url, model) in dialects {
        let target = Target { base_url: base_url.to_owned(), provider: "x".to_owned(), official: true };
        for _ in 0..EACH {
            let request = build(dialect, &target, &call(&mut dice, dialect, model));
            out.push((json!({"id": out.len(), "dialect": dialect.name(), "body": request.body}), request));
        }
    }
    out
}

fn call(dice: &mut Dice, dialect: Dialect, model: &str) -> Call {
    let tools: Vec<ToolSpec> = (0..dice.roll(3)).map(|number| tool(dice, number)).collect();
    let tool_choice = match (dice.roll(5), tools.first()) {
        (0, _) | (_, None) => ToolChoice::Unset,
        (1, _) => ToolChoice::Auto,
        (2, _) => ToolChoice::None,
        (3, _) => ToolChoice::Required,
        (_, Some(tool)) => ToolChoice::Named(tool.name.clone()),
    };
    let mut messages = Vec::new();
    if dice.yes() {
        messages.push(Message::System { text: "Be brief.".to_owned() });
    }
    messages.push(user(dice, dialect));
    if dice.yes() {
        messages.extend(round(dice, dialect));
    }
    let schema = json!({
        "type": "object",
        "properties": {"n": {"type": "integer"}, "é": {"type": ["string", "null"]}},
        "required": ["n", "é"],
        "additionalProperties": false,
    });
    let format = dice.yes().then(|| NativeFormat {
        name: "response".to_owned(),
        description: dice.yes().then(|| "What is wanted".to_owned()),
        strict: dice.yes(),
        schema,
    });
    Call {
        model_id: model.to_owned(),
        messages,
        format,
        tools,
        tool_choice,
        parallel_tool_calls: [None, Some(true), Some(false)][usize::try_from(dice.roll(3)).unwrap()],
        max_output_tokens: dice.yes().then(|| 1 + dice.roll(100_000)),
        reasoning_effort: dice.yes().then(|| dice.pick(&["low", "medium", "high"]).to_owned()),
    }
}

fn tool(dice: &mut Dice, number: u64) -> ToolSpec {
    ToolSpec {
        name: format!("tool_{number}"),
        description: "Looks up".to_owned(),
        parameters: json!({
            "type": "object",
            "properties": {"x": {"type": "number"}},
            "required": ["x"],
            "additionalProperties": false,
        }),
        strict: dice.yes(),
    }
}

fn user(dice: &mut Dice, dialect: Dialect) -> Message {
    let file = |name: &str, media_type: &str, bytes: &[u8]| Attachment {
        name: name.to_owned(),
        media_type: media_type.to_owned(),
        bytes: bytes.into(),
    };
    let files = [
        file("a.txt", "text/plain", "näher".as_bytes()),
        file("b.png", "image/png", b"\x89PNG\r\n\x1a\n"),
        file("c d.pdf", "application/pdf", b"%PDF-1.7"),
        file("e.json", "application/json", b"{}"),
    ];
    let taken = files.into_iter().filter(|file| formwork::dialect::accepts(dialect, file).is_ok());
    let attachments = taken.filter(|_| dice.roll(3) == 0).collect();
    Message::User { text: "How many?".to_owned(), attachments }
}

/// What the model said, with what of it goes back, and what its calls gave.
fn round(dice: &mut Dice, dialect: Dialect) -> Vec<Message> {
    let kept = match dialect {
        Dialect::OpenaiResponses | Dialect::AzureOpenaiResponses => {
            vec![json!({"type": "reasoning", "id": "rs_1", "summary": [], "encrypted_content": "gAAA"})]
        }
        Dialect::Anthropic => {
            vec![json!({"text": 0, "calls": 0, "block": {"type": "thinking", "thinking": "hm", "signature": "S"}})]
        }
        Dialect::Google => vec![
            json!({"text": 0, "calls": 0, "part": {"thought": true, "text": "hm", "thoughtSignature": "c2ln"}}),
            json!({"text": 5, "calls": 0, "call": {"id": "g1", "thoughtSignature": "c2ln"}}),
        ],
        Dialect::Bedrock => {
            vec![json!({"reasoningContent": {"reasoningText": {"text": "hm", "signature": "S"}}})]
        }
        Dialect::OpenaiChat | Dialect::Ollama | Dialect::Sim | Dialect::Local => Vec::new(),
    };
    let kept = if dice.yes() { kept } else { Vec::new() };
    let arguments = dice.pick(&[r#"{"x": 1.50}"#, "", r#"{"x":"#, "7"]).to_owned();
    let calls = vec![ToolCall { id: "call_1".to_owned(), name: "tool_0".to_owned(), arguments }];
    let calls = if dice.yes() { calls } else { Vec::new() };
    let called = !calls.is_empty();
    let mut out = vec![Message::Assistant { text: "On it".to_owned(), calls, kept }];
    if called {
        let content = dice.pick(&["12", "", "no such thing"]).to_owned();
        let (call_id, name) = ("call_1".to_owned(), "tool_0".to_owned());
        out.push(Message::ToolResult { call_id, name, content, is_error: dice.yes() });
    }
    out.push(Message::user("Go on"));
    out
}
