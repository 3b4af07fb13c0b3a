//! Recorded responses and what each of them says. The outcome of a recording is written by hand; the harness decodes it
//! as recorded, byte by byte, in random cuts, with other line ends, with comments in between and cut off at every event.
//!
//! A new dialect adds: an arm in [`announces`], its framing in [`cut`] if it is a new one, a file with its three tables
//! beside this one, and its folder in `FOLDERS` of `streams.rs`.

use formwork::capability::Dialect;
use formwork::dialect::{self, Decoder, Frame, Framing};
use formwork::event::{CallFailure, ErrorCode, RawEvent, Terminal, Usage};
use formwork::json::Value;
use formwork::transport::framing::Framer;
use formwork::transport::sse::FrameError;

#[path = "../support/cases.rs"]
mod cases;

pub(crate) use cases::shared;

/// Text of a recording: whole, or length in bytes, start and end.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum Said {
    Exactly(&'static str),
    Long(usize, &'static str, &'static str),
}

pub(crate) const NOTHING: Said = Said::Exactly("");

impl Said {
    fn is(self, text: &str) -> bool {
        match self {
            Self::Exactly(want) => text == want,
            Self::Long(length, start, end) => text.len() == length && text.starts_with(start) && text.ends_with(end),
        }
    }
}

/// What a response says.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Want {
    pub(crate) text: Said,
    pub(crate) thinking: Said,
    pub(crate) refusal: Said,
    /// Id, name, argument text.
    pub(crate) calls: &'static [(&'static str, &'static str, &'static str)],
    /// Input, output, reasoning, cached.
    pub(crate) usage: [Option<u64>; 4],
    pub(crate) model: Option<&'static str>,
    /// How many parts must go back unchanged.
    pub(crate) kept: usize,
    pub(crate) ending: Terminal,
}

impl Want {
    /// A response that says nothing but this.
    pub(crate) fn ends(ending: Terminal, model: &'static str, usage: [Option<u64>; 4]) -> Self {
        Self {
            text: NOTHING,
            thinking: NOTHING,
            refusal: NOTHING,
            calls: &[],
            usage,
            model: Some(model).filter(|model| !model.is_empty()),
            kept: 0,
            ending,
        }
    }
}

/// How a file becomes the body that came over the wire.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Form {
    /// The body itself.
    Body,
    /// One payload a line: `data:` only, and `[DONE]` at the end.
    ChatPayloads,
    /// One payload a line: `data:` only.
    DataPayloads,
    /// One payload a line: `event:` is the payload's `type`.
    NamedPayloads,
    /// The same, and several responses in one file: this one of them.
    Response(usize),
}

/// A recorded stream.
pub(crate) struct Recording {
    pub(crate) dialect: Dialect,
    /// Below `streams/`.
    pub(crate) file: &'static str,
    pub(crate) form: Form,
    pub(crate) want: Want,
}

/// A recorded answer in one body.
pub(crate) struct Whole {
    pub(crate) dialect: Dialect,
    pub(crate) file: &'static str,
    pub(crate) want: Want,
}

/// A recorded refusal of service.
pub(crate) struct Refused {
    pub(crate) dialect: Dialect,
    pub(crate) file: &'static str,
    pub(crate) status: u16,
    pub(crate) code: ErrorCode,
    pub(crate) provider_code: Option<&'static str>,
    pub(crate) request_id: Option<&'static str>,
    pub(crate) retryable: bool,
    /// In the provider's text.
    pub(crate) says: &'static str,
}

/// A decoded response, put together.
#[derive(Debug, Clone, PartialEq, Default)]
pub(crate) struct Told {
    pub(crate) text: String,
    pub(crate) thinking: String,
    pub(crate) refusal: String,
    pub(crate) calls: Vec<(String, String, String)>,
    pub(crate) usage: Usage,
    pub(crate) model: Option<String>,
    pub(crate) kept: Vec<Value>,
    pub(crate) ending: Option<Terminal>,
}

impl Told {
    pub(crate) fn of(events: Vec<RawEvent>) -> Self {
        let mut told = Self::default();
        for event in events {
            assert_eq!(told.ending, None, "something follows the terminal: {event:?}");
            match event {
                RawEvent::Text { delta } => told.text.push_str(&delta),
                RawEvent::Restart => told.text.clear(),
                RawEvent::Thinking { delta } => told.thinking.push_str(&delta),
                RawEvent::Refusal { delta } => told.refusal.push_str(&delta),
                RawEvent::ToolStart { slot, id, name } => {
                    assert_eq!(slot as usize, told.calls.len(), "slots are given out in order");
                    told.calls.push((id, name, String::new()));
                }
                RawEvent::ToolArgs { slot, delta } => told.calls[slot as usize].2.push_str(&delta),
                RawEvent::Usage { usage } => told.usage = usage,
                RawEvent::Model { id } => told.model = Some(id),
                RawEvent::Keep { part } => told.kept.push(part),
                RawEvent::Terminal { terminal } => told.ending = Some(terminal),
            }
        }
        assert!(told.ending.is_some(), "no terminal");
        told
    }

    pub(crate) fn succeeded(&self) -> bool {
        matches!(self.ending, Some(Terminal::Stop | Terminal::ToolUse))
    }

    #[track_caller]
    pub(crate) fn must_be(&self, want: &Want, file: &str) {
        assert_eq!(self.ending.as_ref(), Some(&want.ending), "{file}");
        assert!(want.text.is(&self.text), "{file}: text {:?}", self.text);
        assert!(want.thinking.is(&self.thinking), "{file}: thinking {:?}", self.thinking);
        assert!(want.refusal.is(&self.refusal), "{file}: refusal {:?}", self.refusal);
        let calls: Vec<(&str, &str, &str)> =
            self.calls.iter().map(|(id, name, arguments)| (id.as_str(), name.as_str(), arguments.as_str())).collect();
        assert_eq!(calls, want.calls, "{file}");
        let Usage { input_tokens, output_tokens, reasoning_tokens, cached_tokens } = self.usage;
        assert_eq!([input_tokens, output_tokens, reasoning_tokens, cached_tokens], want.usage, "{file}");
        assert_eq!((self.model.as_deref(), self.kept.len()), (want.model, want.kept), "{file}");
    }
}

/// Is this the frame (or one of those) without which a stream of the dialect is no success? By another reading than the
/// decoder's.
pub(crate) fn announces(dialect: Dialect, frame: &Frame) -> bool {
    let text = frame.data.replace(' ', "");
    match dialect {
        Dialect::OpenaiChat => text.contains("\"finish_reason\":\""),
        Dialect::Anthropic => text.contains("\"type\":\"message_stop\""),
        Dialect::Google => text.contains("\"finishReason\":\""),
        Dialect::OpenaiResponses | Dialect::AzureOpenaiResponses => text.contains("\"type\":\"response.completed\""),
        Dialect::Bedrock => frame.event.as_deref() == Some("messageStop"),
        Dialect::Ollama => text.contains("\"done\":true"),
        other @ (Dialect::Sim | Dialect::Local) => panic!("say which frame ends a stream of {}", other.name()),
    }
}

/// A fault inside a stream.
pub(crate) fn fault(
    code: ErrorCode,
    provider_code: &str,
    retryable: bool,
    message: &str,
    detail: &str,
) -> Terminal {
    let failure = CallFailure {
        code,
        status: None,
        provider_code: Some(provider_code.to_owned()),
        request_id: None,
        retryable,
        retry_after_ms: None,
        message: message.to_owned(),
        detail: Some(detail.to_owned()),
    };
    Terminal::Error { failure }
}

/// Cuts reads into frames, as the transport does.
pub(crate) fn try_cut(dialect: Dialect, reads: &[&[u8]]) -> Result<Vec<Frame>, FrameError> {
    let mut framer = Framer::new(dialect::framing(dialect)).expect("this build knows the framing");
    let mut out = Vec::new();
    for read in reads {
        framer.feed(read, &mut |frame| out.push(frame.clone()))?;
    }
    framer.finish(&mut |frame| out.push(frame.clone()))?;
    Ok(out)
}

pub(crate) fn cut(dialect: Dialect, reads: &[&[u8]]) -> Vec<Frame> {
    try_cut(dialect, reads).unwrap()
}

/// Does this build know how the recording is framed?
fn is_built(recording: &Recording) -> bool {
    Framer::new(dialect::framing(recording.dialect)).is_some()
}

pub(crate) fn decode(dialect: Dialect, frames: &[Frame]) -> Told {
    let (mut decoder, mut out): (Box<dyn Decoder>, _) = (dialect::decoder(dialect), Vec::new());
    for frame in frames {
        decoder.frame(frame, &mut out);
    }
    decoder.finish(&mut out);
    decoder.finish(&mut out);
    assert!(decoder.is_done());
    Told::of(out)
}

fn decode_reads(dialect: Dialect, reads: &[&[u8]]) -> Told {
    decode(dialect, &cut(dialect, reads))
}

/// The body as it came over the wire.
pub(crate) fn load(recording: &Recording) -> Option<Vec<u8>> {
    let bytes = fs_err::read(shared()?.join("streams").join(recording.file)).unwrap();
    if !is_built(recording) {
        return None;
    }
    if recording.form == Form::Body {
        return Some(bytes);
    }
    let text = String::from_utf8(bytes).unwrap();
    let mut body = String::new();
    let mut number = 0;
    for line in text.lines().filter(|line| !line.is_empty()) {
        if let Form::Response(wanted) = recording.form {
            let here = number;
            number += usize::from(line.contains("\"type\":\"response.completed\""));
            if here != wanted {
                continue;
            }
        }
        if matches!(recording.form, Form::NamedPayloads | Form::Response(_)) {
            let value: Value = formwork::json::parse(line, limits()).unwrap();
            body.push_str(&format!("event: {}\n", value["type"].as_str().unwrap()));
        }
        body.push_str(&format!("data: {line}\n\n"));
    }
    if recording.form == Form::ChatPayloads {
        body.push_str("data: [DONE]\n\n");
    }
    Some(body.into_bytes())
}

fn limits() -> formwork::json::ParseLimits {
    formwork::json::ParseLimits { max_bytes: usize::MAX, max_depth: 512 }
}

/// The recording under every chunking, line end and interruption.
pub(crate) fn check(recording: &Recording) {
    let Recording { dialect, file, want, .. } = recording;
    let dialect = *dialect;
    let Some(bytes) = load(recording) else { return };
    let told = decode_reads(dialect, &[&bytes]);
    told.must_be(want, file);
    let single: Vec<&[u8]> = bytes.chunks(1).collect();
    assert_eq!(decode_reads(dialect, &single), told, "one byte a read: {file}");
    if dialect::framing(dialect) == Framing::Sse {
        let text = String::from_utf8(bytes.clone()).unwrap().replace("\r\n", "\n");
        for (name, changed) in [
            ("CRLF", text.replace('\n', "\r\n")),
            ("CR", text.replace('\n', "\r")),
            ("comments", text.replace("\n\n", "\n\n: ping\n\n:\n").replace("data:", ": x\ndata:")),
        ] {
            assert_eq!(decode_reads(dialect, &[changed.as_bytes()]), told, "{name}: {file}");
        }
    }
    let frames = cut(dialect, &[&bytes]);
    for end in 0..frames.len() {
        let before = &frames[..end];
        let told = decode(dialect, before);
        let announced = before.iter().any(|frame| announces(dialect, frame));
        assert!(announced || !told.succeeded(), "{file}: cut before frame {end} it is taken for complete");
        if !before.iter().any(|frame| announces(dialect, frame)) && !told.succeeded() {
            let unfinished = matches!(
                told.ending,
                Some(Terminal::Missing | Terminal::Refusal | Terminal::ContentFilter | Terminal::Error { .. })
            );
            assert!(unfinished, "{file} at {end}: {:?}", told.ending);
        }
    }
}

/// Random cuts of the reads change nothing.
pub(crate) fn check_cuts(recording: &Recording, cuts: &[usize]) {
    let Some(bytes) = load(recording) else { return };
    let mut places: Vec<usize> = cuts.iter().map(|cut| cut % (bytes.len() + 1)).collect();
    places.extend([0, bytes.len()]);
    places.sort_unstable();
    let reads: Vec<&[u8]> = places.windows(2).map(|pair| &bytes[pair[0]..pair[1]]).collect();
    decode_reads(recording.dialect, &reads).must_be(&recording.want, recording.file);
}

/// A connection that ends at any byte is no success before the frame that ends the stream.
pub(crate) fn check_end(recording: &Recording, at: usize) {
    let Some(bytes) = load(recording) else { return };
    let bytes = &bytes[..at % (bytes.len() + 1)];
    // In the middle of a binary frame the transport fails by itself.
    let Ok(frames) = try_cut(recording.dialect, &[bytes]) else { return };
    let announced = frames.iter().any(|frame| announces(recording.dialect, frame));
    assert!(announced || !decode(recording.dialect, &frames).succeeded(), "{} at byte {}", recording.file, bytes.len());
}

/// No damaged byte of a binary stream comes through.
pub(crate) fn check_damage(recording: &Recording) {
    let Some(mut bytes) = load(recording) else { return };
    if dialect::framing(recording.dialect) != Framing::EventStream {
        return;
    }
    for at in 0..bytes.len() {
        for flip in [0x01, 0x80] {
            bytes[at] ^= flip;
            assert!(try_cut(recording.dialect, &[&bytes]).is_err(), "{} byte {at}", recording.file);
            bytes[at] ^= flip;
        }
    }
}

pub(crate) fn check_whole(whole: &Whole) {
    let Some(root) = shared() else { return };
    let text = fs_err::read_to_string(root.join("streams").join(whole.file)).unwrap();
    Told::of(dialect::decode_whole(whole.dialect, &text)).must_be(&whole.want, whole.file);
}

pub(crate) fn check_refused(refused: &Refused) {
    let Some(root) = shared() else { return };
    let body = fs_err::read(root.join("streams").join(refused.file)).unwrap();
    let CallFailure { code, status, provider_code, request_id, retryable, retry_after_ms: _, message, detail } =
        dialect::failure(refused.dialect, refused.status, &body);
    let file = refused.file;
    assert_eq!((code, status), (refused.code, Some(refused.status)), "{file}");
    assert_eq!(
        (provider_code.as_deref(), request_id.as_deref()),
        (refused.provider_code, refused.request_id),
        "{file}"
    );
    assert_eq!(retryable, refused.retryable, "{file}");
    let detail = detail.unwrap();
    assert!(detail.contains(refused.says), "{file}: {detail}");
    assert!(!message.contains(refused.says), "{file}: the provider's text stands in a public message");
}
