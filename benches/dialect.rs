//! Decode rate of the server-sent dialects on one core: bytes of a stream → frames → raw events.
//!
//! `cargo bench --bench dialect`. The aim: at least 200 MiB/s for each.

use divan::Bencher;
use divan::counter::BytesCount;
use formwork::capability::Dialect;
use formwork::dialect::{self, Frame};
use formwork::transport::sse::Framer;

/// Deltas of one stream.
const DELTAS: usize = 20_000;
/// What one network read brings.
const READ: usize = 16 * 1024;
/// Escaped, as most text of a JSON answer is on the wire.
const TEXT: &str = r#"\"key\": 12,\n "#;

const STREAMS: [&str; 6] = ["chat", "chat tool", "anthropic", "anthropic tool", "google", "google long"];

fn main() {
    divan::main();
}

fn dialect_of(stream: &str) -> Dialect {
    match stream.split(' ').next() {
        Some("anthropic") => Dialect::Anthropic,
        Some("google") => Dialect::Google,
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
        "chat tool" => {
            "data: {\"choices\":[{\"index\":0,\"delta\":{\"tool_calls\":[{\"index\":0,\"id\":\"c\",\"function\":{\"name\":\"f\",\"arguments\":\"\"}}]}}]}\n\n"
        }
        _ => "",
    }
}

fn body(stream: &str) -> String {
    let one = format!("{}\n\n", delta(stream));
    format!("{}{}", start(stream), one.repeat(DELTAS))
}

/// Framing and decoding, as the transport does it.
#[divan::bench(args = STREAMS, sample_count = 12, sample_size = 1)]
fn stream(bencher: Bencher, stream: &str) {
    let body = body(stream);
    let dialect = dialect_of(stream);
    bencher.counter(BytesCount::of_str(&body)).bench_local(|| {
        let (mut framer, mut decoder) = (Framer::default(), dialect::decoder(dialect));
        let mut told = 0;
        let mut events = Vec::new();
        for read in body.as_bytes().chunks(READ) {
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
    let frame = Frame { event: None, data };
    let dialect = dialect_of(stream);
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
