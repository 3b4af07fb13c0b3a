//! Every wire dialect as a server speaks it: one good answer, in pieces, and what it sends them as.

use std::sync::Arc;

use formwork::capability::Dialect;
use formwork::catalog::{Catalog, Endpoint};
use formwork::config::{AwsAccount, AwsKeys, Config, Env, Provider};
use formwork::json::Value;

pub(crate) const KEY: &str = "sk-SECRET-0123456789";
pub(crate) const SECRETS: [&str; 3] = [KEY, "AWS-SECRET-0123456789", "AWS-TOKEN-0123456789"];

/// A dialect, and how its requests are let in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Wire {
    pub(crate) dialect: Dialect,
    pub(crate) signed: bool,
}

/// All of them; Bedrock with a token and with a signature.
pub(crate) fn wires() -> Vec<Wire> {
    let mut dialects = vec![
        Dialect::OpenaiChat,
        Dialect::OpenaiResponses,
        Dialect::AzureOpenaiResponses,
        Dialect::Anthropic,
        Dialect::Google,
        Dialect::Ollama,
    ];
    if cfg!(feature = "bedrock") {
        dialects.push(Dialect::Bedrock);
    }
    let mut wires: Vec<Wire> = dialects.into_iter().map(|dialect| Wire { dialect, signed: false }).collect();
    if cfg!(feature = "bedrock") {
        wires.push(Wire { dialect: Dialect::Bedrock, signed: true });
    }
    wires
}

impl Wire {
    pub(crate) fn endpoint(self, base_url: &str) -> Arc<Endpoint> {
        let provider = Provider {
            base_url: Some(base_url.to_owned()),
            api_key_env: Some("LAB_KEY".to_owned()),
            ..Provider::default()
        };
        let mut config = Config { env: Env::from_pairs([("LAB_KEY", KEY)]), ..Config::default() };
        config.providers.insert("lab".to_owned(), provider);
        let mut endpoint = Endpoint::clone(&Catalog::new(&config).find("lab/m").unwrap().0);
        (endpoint.dialect, endpoint.capability.dialect) = (self.dialect, self.dialect);
        if self.signed {
            let keys = AwsKeys {
                access_key_id: "AKIDEXAMPLE".to_owned(),
                secret_access_key: SECRETS[1].into(),
                session_token: Some(SECRETS[2].into()),
                origin: "test".to_owned(),
            };
            endpoint.aws = AwsAccount { keys: Some(keys), region: Some("eu-west-1".to_owned()) };
            (endpoint.api_key, endpoint.api_key_env, endpoint.needs_key) = (None, None, false);
        }
        Arc::new(endpoint)
    }

    pub(crate) fn content_type(self) -> &'static str {
        match self.dialect {
            Dialect::Ollama => "application/x-ndjson",
            Dialect::Bedrock => "application/vnd.amazon.eventstream",
            _ => "text/event-stream",
        }
    }

    /// A fragment of answer text.
    pub(crate) fn text(self, text: &str) -> Vec<u8> {
        let text = Value::from(text).to_string();
        let sse = |payload: String| format!("data: {payload}\n\n").into_bytes();
        match self.dialect {
            Dialect::OpenaiResponses | Dialect::AzureOpenaiResponses => sse(format!(
                r#"{{"type":"response.output_text.delta","output_index":0,"content_index":0,"delta":{text}}}"#
            )),
            Dialect::Anthropic => sse(format!(
                r#"{{"type":"content_block_delta","index":0,"delta":{{"type":"text_delta","text":{text}}}}}"#
            )),
            Dialect::Google => {
                sse(format!(r#"{{"candidates":[{{"content":{{"parts":[{{"text":{text}}}]}},"index":0}}]}}"#))
            }
            Dialect::Ollama => {
                format!("{{\"message\":{{\"role\":\"assistant\",\"content\":{text}}},\"done\":false}}\n").into_bytes()
            }
            Dialect::Bedrock => {
                frame("contentBlockDelta", format!(r#"{{"contentBlockIndex":0,"delta":{{"text":{text}}}}}"#).as_bytes())
            }
            _ => sse(format!(r#"{{"choices":[{{"index":0,"delta":{{"content":{text}}},"finish_reason":null}}]}}"#)),
        }
    }

    /// What ends a good answer.
    pub(crate) fn end(self) -> Vec<u8> {
        let sse = |payload: &str| format!("data: {payload}\n\n").into_bytes();
        match self.dialect {
            Dialect::OpenaiResponses | Dialect::AzureOpenaiResponses => {
                sse(r#"{"type":"response.completed","response":{"status":"completed"}}"#)
            }
            Dialect::Anthropic => [
                sse(r#"{"type":"message_delta","delta":{"stop_reason":"end_turn"},"usage":{"output_tokens":1}}"#),
                sse(r#"{"type":"message_stop"}"#),
            ]
            .concat(),
            Dialect::Google => sse(r#"{"candidates":[{"content":{"parts":[]},"finishReason":"STOP","index":0}]}"#),
            Dialect::Ollama => b"{\"message\":{\"content\":\"\"},\"done\":true,\"done_reason\":\"stop\"}\n".to_vec(),
            Dialect::Bedrock => [
                frame("messageStop", br#"{"stopReason":"end_turn"}"#),
                frame("metadata", br#"{"usage":{"inputTokens":1,"outputTokens":1}}"#),
            ]
            .concat(),
            _ => [sse(r#"{"choices":[{"index":0,"delta":{},"finish_reason":"stop"}]}"#), b"data: [DONE]\n\n".to_vec()]
                .concat(),
        }
    }

    /// A piece of a stream that is not UTF-8, well framed otherwise.
    pub(crate) fn broken_text(self) -> Vec<u8> {
        match self.dialect {
            Dialect::Ollama => b"{\"message\":\"\xff\xfe\"}\n".to_vec(),
            Dialect::Bedrock => frame("contentBlockDelta", b"{\"x\":\"\xff\xfe\"}"),
            _ => b"data: {\"x\":\"\xff\xfe\"}\n\n".to_vec(),
        }
    }
}

/// A binary frame, by the vendor's own writer.
#[cfg(feature = "bedrock")]
pub(crate) fn frame(event: &str, payload: &[u8]) -> Vec<u8> {
    use aws_smithy_types::event_stream::{Header, HeaderValue, Message};
    let text = |text: &str| HeaderValue::String(text.to_owned().into());
    let message = Message::new(payload.to_vec())
        .add_header(Header::new(":message-type", text("event")))
        .add_header(Header::new(":event-type", text(event)))
        .add_header(Header::new(":content-type", text("application/json")));
    let mut bytes = Vec::new();
    aws_smithy_eventstream::frame::write_message_to(&message, &mut bytes).unwrap();
    bytes
}

#[cfg(not(feature = "bedrock"))]
pub(crate) fn frame(_: &str, _: &[u8]) -> Vec<u8> {
    Vec::new()
}
