//! What every wire dialect shares: the dialect-free call ([`Call`]) that goes in, the HTTP request that comes out,
//! the frames that come back. Each dialect is a file of its own below this one; none imports another. Pure.

pub mod anthropic;
mod attach;
pub mod azure_openai_responses;
pub mod bedrock;
mod fault;
pub mod google;
mod held;
mod loose;
pub mod ollama;
pub mod openai_chat;
pub mod openai_responses;
mod responses;

use self::attach::Pdf;
use crate::capability::Dialect;
use crate::event::{CallFailure, RawEvent};
use crate::json::Value;

/// A turn of the conversation, dialect-free.
#[derive(Debug, Clone, PartialEq)]
pub enum Message {
    System {
        text: String,
    },
    User {
        text: String,
        attachments: Vec<Attachment>,
    },
    /// What the model said. `calls` keep their raw argument text; `kept` are the opaque parts of [`RawEvent::Keep`], in
    /// their order, for the dialect that gave them out.
    Assistant {
        text: String,
        calls: Vec<ToolCall>,
        kept: Vec<Value>,
    },
    /// The result of one tool call (or a synthetic one, where the wire demands it).
    ToolResult {
        call_id: String,
        name: String,
        content: String,
        is_error: bool,
    },
}

impl Message {
    /// A user's turn without attachments.
    #[must_use]
    pub fn user(text: impl Into<String>) -> Self {
        Self::User { text: text.into(), attachments: Vec::new() }
    }

    /// A plain answer of the model.
    #[must_use]
    pub fn assistant(text: impl Into<String>) -> Self {
        Self::Assistant { text: text.into(), calls: Vec::new(), kept: Vec::new() }
    }
}

/// A file that goes with a user's turn.
#[derive(Clone, PartialEq, Eq)]
pub struct Attachment {
    /// File name without folders.
    pub name: String,
    /// `image/png`, `application/pdf`, `text/plain`, …
    pub media_type: String,
    pub bytes: std::sync::Arc<[u8]>,
}

impl std::fmt::Debug for Attachment {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{} ({}, {} bytes)", self.name, self.media_type, self.bytes.len())
    }
}

/// A tool call as the model made it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ToolCall {
    pub id: String,
    pub name: String,
    /// Raw argument text, unparsed.
    pub arguments: String,
}

/// A tool offered to the model.
#[derive(Debug, Clone, PartialEq)]
pub struct ToolSpec {
    pub name: String,
    pub description: String,
    pub parameters: Value,
    pub strict: bool,
}

/// Which tool the model must take.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub enum ToolChoice {
    /// Nothing is sent.
    #[default]
    Unset,
    Auto,
    None,
    Required,
    Named(String),
}

/// The provider's own schema parameter, native mode only.
#[derive(Debug, Clone, PartialEq)]
pub struct NativeFormat {
    pub name: String,
    pub description: Option<String>,
    pub strict: bool,
    pub schema: Value,
}

/// One provider call, complete and dialect-free. Records and replays compare this.
#[derive(Debug, Clone, PartialEq)]
pub struct Call {
    pub model_id: String,
    pub messages: Vec<Message>,
    pub format: Option<NativeFormat>,
    pub tools: Vec<ToolSpec>,
    pub tool_choice: ToolChoice,
    /// `Some(false)` forbids parallel calls; sent only when there are tools.
    pub parallel_tool_calls: Option<bool>,
    pub max_output_tokens: Option<u64>,
    pub reasoning_effort: Option<String>,
}

/// A header; a secret one is never shown, recorded or logged.
#[derive(Clone, PartialEq, Eq)]
pub struct Header {
    pub name: String,
    pub value: String,
    pub secret: bool,
}

impl std::fmt::Debug for Header {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}: {}", self.name, if self.secret { "[secret]" } else { &self.value })
    }
}

/// An HTTP request, ready to send. Always POST with a JSON body.
#[derive(Debug, Clone, PartialEq)]
pub struct WireRequest {
    pub url: String,
    pub headers: Vec<Header>,
    /// Body in the order the dialect documents; serialised once.
    pub body: Value,
}

/// Where a call goes, as far as a builder must know.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Target {
    pub base_url: String,
    /// The provider's name in the config (`openai`, `lab`, …): some servers need small deviations.
    pub provider: String,
    /// True for the vendor's own endpoint.
    pub official: bool,
}

/// What a server cannot do, whatever is declared for it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Bounds {
    /// The schema parameter.
    pub schema: bool,
    /// The schema parameter beside tools.
    pub schema_with_tools: bool,
    /// Tools whose arguments are held to their schema.
    pub strict_tools: bool,
}

/// How a response stream is cut into frames.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Framing {
    /// Server-sent events.
    Sse,
    /// One JSON value a line.
    Lines,
    /// `application/vnd.amazon.eventstream`: binary frames with checksums.
    EventStream,
}

/// Where the key stands in a request. The transport puts it there.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum KeyPlace {
    /// `Authorization: Bearer KEY`
    Bearer,
    /// A header of this name.
    Header(&'static str),
    /// Signed with the account's credentials (`SigV4`); a bearer token wins.
    Signed,
}

/// One frame of a response stream (an SSE event, a line, a binary frame: `event` is then its `:event-type` or
/// `:exception-type`).
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Frame {
    pub event: Option<String>,
    pub data: String,
}

/// Turns frames into raw events. After [`Decoder::finish`] exactly one `Terminal` has been given out.
pub trait Decoder: Send {
    /// Decodes one frame, appending to `out`. Nothing is given out after a terminal.
    fn frame(&mut self, frame: &Frame, out: &mut Vec<RawEvent>);
    /// The body ended: gives the outstanding terminal (`Missing` when there was none).
    fn finish(&mut self, out: &mut Vec<RawEvent>);
    /// True once nothing more of interest can come (`[DONE]`, or an in-stream error): the stream may be dropped.
    fn is_done(&self) -> bool;
}

/// Builds the request of a call. Only wire dialects are asked.
#[must_use]
pub fn build(dialect: Dialect, target: &Target, call: &Call) -> WireRequest {
    match dialect {
        Dialect::Anthropic => anthropic::build(target, call),
        Dialect::Google => google::build(target, call),
        Dialect::OpenaiResponses => openai_responses::build(target, call),
        Dialect::AzureOpenaiResponses => azure_openai_responses::build(target, call),
        Dialect::Bedrock => bedrock::build(target, call),
        Dialect::Ollama => ollama::build(target, call),
        Dialect::OpenaiChat | Dialect::Sim | Dialect::Local => openai_chat::build(target, call),
    }
}

/// A text file as it stands in a prompt: named and fenced.
#[must_use]
pub fn inlined(name: &str, content: &str) -> String {
    attach::fenced(name, content)
}

/// Can a file go with a user's turn in this dialect? Asked before anything is sent.
///
/// # Errors
/// Why not, in words that follow "cannot attach NAME: ".
pub fn accepts(dialect: Dialect, attachment: &Attachment) -> Result<(), String> {
    const COMMON_IMAGES: &[&str] = &["image/png", "image/jpeg", "image/gif", "image/webp"];
    match dialect {
        Dialect::OpenaiChat => openai_chat::accepts(attachment),
        Dialect::Anthropic => anthropic::accepts(attachment),
        Dialect::Google => google::accepts(attachment),
        Dialect::OpenaiResponses => attach::only(attachment, "the Responses API", COMMON_IMAGES, Pdf::Taken),
        Dialect::AzureOpenaiResponses => attach::only(attachment, "the Azure API", COMMON_IMAGES, Pdf::Taken),
        Dialect::Bedrock => attach::only(attachment, "Bedrock", COMMON_IMAGES, Pdf::Taken),
        Dialect::Ollama => attach::only(attachment, "Ollama", &["image/png", "image/jpeg"], Pdf::Refused),
        Dialect::Sim => attach::only(attachment, "the built-in provider", &[], Pdf::Refused),
        Dialect::Local => attach::only(attachment, "the built-in model", &[], Pdf::Refused),
    }
}

/// As [`accepts`], for one server: some that speak a dialect take less than it allows.
///
/// # Errors
/// As [`accepts`].
pub fn accepts_at(dialect: Dialect, target: &Target, attachment: &Attachment) -> Result<(), String> {
    accepts(dialect, attachment)?;
    match dialect {
        Dialect::OpenaiChat => openai_chat::accepts_at(target, attachment),
        Dialect::OpenaiResponses
        | Dialect::AzureOpenaiResponses
        | Dialect::Anthropic
        | Dialect::Google
        | Dialect::Bedrock
        | Dialect::Ollama
        | Dialect::Sim
        | Dialect::Local => Ok(()),
    }
}

/// What the server at this address cannot do, as far as its deviations are known: the dialect says nothing of it, and
/// no declaration or probe changes it.
#[must_use]
pub fn bounds(dialect: Dialect, target: &Target) -> Bounds {
    match dialect {
        Dialect::OpenaiChat => openai_chat::bounds(target),
        Dialect::OpenaiResponses
        | Dialect::AzureOpenaiResponses
        | Dialect::Anthropic
        | Dialect::Google
        | Dialect::Bedrock
        | Dialect::Ollama
        | Dialect::Sim
        | Dialect::Local => Bounds { schema: true, schema_with_tools: true, strict_tools: true },
    }
}

/// How the dialect's streams are framed.
#[must_use]
pub const fn framing(dialect: Dialect) -> Framing {
    match dialect {
        Dialect::Bedrock => Framing::EventStream,
        Dialect::Ollama => Framing::Lines,
        Dialect::OpenaiChat
        | Dialect::OpenaiResponses
        | Dialect::AzureOpenaiResponses
        | Dialect::Anthropic
        | Dialect::Google
        | Dialect::Sim
        | Dialect::Local => Framing::Sse,
    }
}

/// Where the dialect wants its key.
#[must_use]
pub const fn key_place(dialect: Dialect) -> KeyPlace {
    match dialect {
        Dialect::Anthropic => KeyPlace::Header("x-api-key"),
        Dialect::Google => KeyPlace::Header("x-goog-api-key"),
        Dialect::AzureOpenaiResponses => KeyPlace::Header("api-key"),
        Dialect::Bedrock => KeyPlace::Signed,
        Dialect::OpenaiChat | Dialect::OpenaiResponses | Dialect::Ollama | Dialect::Sim | Dialect::Local => {
            KeyPlace::Bearer
        }
    }
}

/// A fresh decoder for one response.
#[must_use]
pub fn decoder(dialect: Dialect) -> Box<dyn Decoder> {
    match dialect {
        Dialect::Anthropic => Box::new(anthropic::MessagesDecoder::default()),
        Dialect::Google => Box::new(google::GenerateDecoder::default()),
        Dialect::OpenaiResponses => Box::new(openai_responses::ResponsesDecoder::default()),
        Dialect::AzureOpenaiResponses => Box::new(azure_openai_responses::ResponsesDecoder::default()),
        Dialect::Bedrock => Box::new(bedrock::ConverseDecoder::default()),
        Dialect::Ollama => Box::new(ollama::OllamaDecoder::default()),
        Dialect::OpenaiChat | Dialect::Sim | Dialect::Local => Box::new(openai_chat::ChatDecoder::default()),
    }
}

/// Decodes a 2xx response that came as one JSON body instead of a stream.
#[must_use]
pub fn decode_whole(dialect: Dialect, body: &str) -> Vec<RawEvent> {
    match dialect {
        Dialect::Anthropic => anthropic::decode_whole(body),
        Dialect::Google => google::decode_whole(body),
        Dialect::OpenaiResponses => openai_responses::decode_whole(body),
        Dialect::AzureOpenaiResponses => azure_openai_responses::decode_whole(body),
        Dialect::Bedrock => bedrock::decode_whole(body),
        Dialect::Ollama => ollama::decode_whole(body),
        Dialect::OpenaiChat | Dialect::Sim | Dialect::Local => openai_chat::decode_whole(body),
    }
}

/// Classifies a non-2xx response by its status and body.
#[must_use]
pub fn failure(dialect: Dialect, status: u16, body: &[u8]) -> CallFailure {
    match dialect {
        Dialect::Anthropic => anthropic::failure(status, body),
        Dialect::Google => google::failure(status, body),
        Dialect::OpenaiResponses => openai_responses::failure(status, body),
        Dialect::AzureOpenaiResponses => azure_openai_responses::failure(status, body),
        Dialect::Bedrock => bedrock::failure(status, body),
        Dialect::Ollama => ollama::failure(status, body),
        Dialect::OpenaiChat | Dialect::Sim | Dialect::Local => openai_chat::failure(status, body),
    }
}
