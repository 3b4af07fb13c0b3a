//! Decode rate of the wire dialects on one core: bytes of a stream → frames → raw events.
//!
//! `cargo bench --bench dialect`. The aim: at least 200 MiB/s for each.

use divan::Bencher;
use divan::counter::BytesCount;
use formwork::capability::Dialect;
use formwork::dialect::{self, Frame, Framing};
use formwork::transport::framing::Framer;

/// Deltas of one stream.
const DELTAS: usize = 20_000;
/// What one network read brings.
const READ: usize = 16 * 1024;
/// Escaped, as most text of a JSON answer is on the wire.
const TEXT: &str = r#"\"key\": 12,\n "#;

const STREAMS: &[&str] = &[
    "chat",
    "chat tool",
    "anthropic",
    "anthropic tool",
    "google",
    "google long",
    "responses",
    "responses tool",
    "azure",
    "ollama",
    #[cfg(feature = "bedrock")]
    "bedrock",
    #[cfg(feature = "bedrock")]
    "bedrock tool",
];

fn main() {
    divan::main();
}

fn dialect_of(stream: &str) -> Dialect {
    match stream.split(' ').next() {
        Some("anthropic") => Dialect::Anthropic,
        Some("google") => Dialect::Google,
        Some("responses") => Dialect::OpenaiResponses,
        Some("azure") => Dialect::AzureOpenaiResponses,
        Some("ollama") => Dialect::Ollama,
        Some("bedrock") => Dialect::Bedrock,
        _ => Dialect::OpenaiChat,
    }
}

/// One delta as the vendor writes it.
fn delta(stream: &str) -> String {
    match stream {
        "chat" => format!(
            r#"data: {{"id":"chatcmpl-D8Z5oo6uDh67AD85p73ksdT1KxhE0","object":"chat.completion.chunk","created":1770933892,"model":"gpt-4.1-nano-2025-04-14","service_tier":"default","system_fingerprint":"fp_de604bd877","choices":[{{"index":0,"delta":{{"content":"{TEXT}"}},"logprobs":null,"finish_reason":null}}],"usage":null,"obfuscation":"yhjoJbEF"}}"#
        ),
        "chat tool" => format!(
            r#"data: {{"id":"chatcmpl-D8Z5oo6uDh67AD85p73ksdT1KxhE0","object":"chat.completion.chunk","created":1770933892,"model":"gpt-4.1-nano-2025-04-14","system_fingerprint":"fp_de604bd877","choices":[{{"index":0,"delta":{{"tool_calls":[{{"index":0,"function":{{"name":null,"arguments":"{TEXT}"}}}}]}},"logprobs":null,"finish_reason":null}}],"usage":null}}"#
        ),
        "anthropic" => format!(
            "event: content_block_delta\ndata: {{\"type\":\"content_block_delta\",\"index\":0,\"delta\":{{\"type\":\"text_delta\",\"text\":\"{TEXT}\"}}           }}"
        ),
        "anthropic tool" => format!(
            "event: content_block_delta\ndata: {{\"type\":\"content_block_delta\",\"index\":0,\"delta\":{{\"type\":\"input_json_delta\",\"partial_json\":\"{TEXT}\"}}           }}"
        ),
        "responses" | "azure" => format!(
            "event: response.output_text.delta\ndata: {{\"type\":\"response.output_text.delta\",\"sequence_number\":24,\"item_id\":\"msg_0ca3f598125653cf01693c1f2ba6408195b1f9ddd95d7d\",\"output_index\":0,\"content_index\":0,\"delta\":\"{TEXT}\",\"logprobs\":[],\"obfuscation\":\"GlDdtcOO7\"}}"
        ),
        "responses tool" => format!(
            "event: response.function_call_arguments.delta\ndata: {{\"type\":\"response.function_call_arguments.delta\",\"sequence_number\":4,\"item_id\":\"fc_04041325ab8ae30400698c51c5468c8197a395f18875a5339f\",\"output_index\":0,\"delta\":\"{TEXT}\",\"obfuscation\":\"SdSOtFre\"}}"
        ),
        "ollama" => format!(
            r#"{{"model":"qwen3:4b","created_at":"2026-11-30T12:00:00.000000Z","message":{{"role":"assistant","content":"{TEXT}"}},"done":false}}"#
        ),
        "bedrock" => {
            format!(r#"{{"contentBlockIndex":0,"delta":{{"text":"{TEXT}"}},"p":"abcdefghijklmnopqrstuvwxyzABCDE"}}"#)
        }
        "bedrock tool" => format!(
            r#"{{"contentBlockIndex":0,"delta":{{"toolUse":{{"input":"{TEXT}"}}}},"p":"abcdefghijklmnopqrstuvwxyzABCDE"}}"#
        ),
        _ => {
            let text = if stream == "google long" { TEXT.repeat(20) } else { TEXT.to_owned() };
            format!(
                r#"data: {{"candidates": [{{"content": {{"parts": [{{"text": "{text}"}}],"role": "model"}},"index": 0}}],"usageMetadata": {{"promptTokenCount": 9,"candidatesTokenCount": 13,"totalTokenCount": 324,"promptTokensDetails": [{{"modality": "TEXT","tokenCount": 9}}],"thoughtsTokenCount": 302}},"modelVersion": "gemini-3-pro-preview","responseId": "M3iLaY-AI7zTxN8P3Piw4Qg"}}"#
            )
        }
    }
}

fn start(stream: &str) -> &'static str {
    match stream {
        "anthropic tool" => {
            "data: {\"type\":\"content_block_start\",\"index\":0,\"content_block\":{\"type\":\"tool_use\",\"id\":\"t\",\"name\":\"f\",\"input\":{}}}\n\n"
        }
        "responses tool" => {
            "data: {\"type\":\"response.output_item.added\",\"output_index\":0,\"item\":{\"type\":\"function_call\",\"call_id\":\"c\",\"name\":\"f\"}}\n\n"
        }
        "chat tool" => {
            "data: {\"choices\":[{\"index\":0,\"delta\":{\"tool_calls\":[{\"index\":0,\"id\":\"c\",\"function\":{\"name\":\"f\",\"arguments\":\"\"}}]}}]}\n\n"
        }
        _ => "",
    }
}

fn body(stream: &str) -> Vec<u8> {
    let one = match dialect::framing(dialect_of(stream)) {
        Framing::Sse => format!("{}\n\n", delta(stream)).into_bytes(),
        Framing::Lines => format!("{}\n", delta(stream)).into_bytes(),
        Framing::EventStream => binary("contentBlockDelta", delta(stream).as_bytes()),
    };
    [start(stream).as_bytes().to_vec(), one.repeat(DELTAS)].concat()
}

/// A frame as the service makes it, by the vendor's own writer.
#[cfg(feature = "bedrock")]
fn binary(event: &str, payload: &[u8]) -> Vec<u8> {
    use aws_smithy_types::event_stream::{Header, HeaderValue, Message};
    let text = |text: &str| HeaderValue::String(text.to_owned().into());
    let message = Message::new(payload.to_vec())
        .add_header(Header::new(":event-type", text(event)))
        .add_header(Header::new(":content-type", text("application/json")))
        .add_header(Header::new(":message-type", text("event")));
    let mut bytes = Vec::new();
    let written = aws_smithy_eventstream::frame::write_message_to(&message, &mut bytes);
    assert!(written.is_ok(), "the frame is well formed");
    bytes
}

#[cfg(not(feature = "bedrock"))]
fn binary(_: &str, _: &[u8]) -> Vec<u8> {
    Vec::new()
}

/// Framing and decoding, as the transport does it.
#[divan::bench(args = STREAMS, sample_count = 12, sample_size = 1)]
fn stream(bencher: Bencher, stream: &str) {
    let body = body(stream);
    let dialect = dialect_of(stream);
    bencher.counter(BytesCount::new(body.len())).bench_local(|| {
        let Some(mut framer) = Framer::new(dialect::framing(dialect)) else { return 0 };
        let mut decoder = dialect::decoder(dialect);
        let mut told = 0;
        let mut events = Vec::new();
        for read in body.chunks(READ) {
            let fed = framer.feed(read, &mut |frame| decoder.frame(frame, &mut events));
            assert!(fed.is_ok(), "the stream is well formed");
            told += events.len();
            events.clear();
        }
        decoder.finish(&mut events);
        assert!(told >= DELTAS, "every delta was told");
        told
    });
}

/// The decoder alone.
#[divan::bench(args = STREAMS, sample_count = 12, sample_size = 1)]
fn decode(bencher: Bencher, stream: &str) {
    let text = delta(stream);
    let data = text.rsplit_once("data: ").map_or(text.as_str(), |(_, data)| data).to_owned();
    let dialect = dialect_of(stream);
    let event = (dialect == Dialect::Bedrock).then(|| "contentBlockDelta".to_owned());
    let frame = Frame { event, data };
    bencher.counter(BytesCount::new(frame.data.len() * DELTAS)).bench_local(|| {
        let (mut decoder, mut events) = (dialect::decoder(dialect), Vec::new());
        for _ in 0..DELTAS {
            decoder.frame(divan::black_box(&frame), &mut events);
            if events.len() > 256 {
                events.clear();
            }
        }
        events.len()
    });
}
