//! The chat decoder against recorded streams, reported faults and hand-written oddities, under every chunking.
#![allow(clippy::unwrap_used, clippy::panic, clippy::print_stdout, reason = "a test stops at the first surprise")]

#[path = "support/cases.rs"]
mod cases;
#[path = "support/sse.rs"]
mod sse;

use formwork::dialect::openai_chat::{ChatDecoder, build, decode_whole, failure};
use formwork::dialect::{Call, Decoder, Frame, NativeFormat, Target, ToolChoice, ToolSpec};
use formwork::event::{CallFailure, ErrorCode, RawEvent, Terminal, Usage};
use formwork::json::Value;
use formwork::transport::sse::Framer;
use proptest::prelude::*;

/// A decoded response, put together.
#[derive(Debug, Clone, PartialEq, Default)]
struct Told {
    text: String,
    thinking: String,
    refusal: String,
    /// id, name, arguments.
    calls: Vec<(String, String, String)>,
    usage: Option<Usage>,
    model: Option<String>,
    ending: Option<Terminal>,
}

impl Told {
    fn of(events: Vec<RawEvent>) -> Self {
        let mut told = Self::default();
        for event in events {
            assert_eq!(told.ending, None, "something follows the terminal: {event:?}");
            match event {
                RawEvent::Text { delta } => told.text.push_str(&delta),
                RawEvent::Thinking { delta } => told.thinking.push_str(&delta),
                RawEvent::Refusal { delta } => told.refusal.push_str(&delta),
                RawEvent::ToolStart { slot, id, name } => {
                    assert_eq!(slot as usize, told.calls.len(), "slots are given out in order");
                    told.calls.push((id, name, String::new()));
                }
                RawEvent::ToolArgs { slot, delta } => told.calls[slot as usize].2.push_str(&delta),
                RawEvent::Usage { usage } => told.usage = Some(usage),
                RawEvent::Keep { .. } => {}
                RawEvent::Model { id } => told.model = Some(id),
                RawEvent::Terminal { terminal } => told.ending = Some(terminal),
            }
        }
        assert!(told.ending.is_some(), "no terminal");
        told
    }

    fn succeeded(&self) -> bool {
        matches!(self.ending, Some(Terminal::Stop | Terminal::ToolUse))
    }

    fn failure(&self) -> &CallFailure {
        match &self.ending {
            Some(Terminal::Error { failure }) => failure,
            other => panic!("no error: {other:?}"),
        }
    }
}

fn decode(frames: &[Frame]) -> Told {
    let (mut decoder, mut out) = (ChatDecoder::default(), Vec::new());
    for frame in frames {
        decoder.frame(frame, &mut out);
    }
    decoder.finish(&mut out);
    decoder.finish(&mut out);
    assert!(decoder.is_done());
    Told::of(out)
}

/// Cuts reads into frames, by the transport's framing, which must say what the plain reading says.
fn frames<'a>(reads: impl IntoIterator<Item = &'a [u8]>) -> Vec<Frame> {
    let reads: Vec<&[u8]> = reads.into_iter().collect();
    let (mut framer, mut out) = (Framer::default(), Vec::new());
    for read in &reads {
        framer.push(read, &mut out).unwrap();
    }
    assert_eq!(out, sse::frames(reads));
    framer.finish(&mut |frame| out.push(frame.clone()));
    out
}

fn body(bytes: &[u8]) -> Told {
    decode(&frames([bytes]))
}

fn framed<'a>(payloads: impl Iterator<Item = &'a str>) -> String {
    payloads.chain(["[DONE]"]).flat_map(|payload| ["data: ", payload, "\n\n"]).collect()
}

/// A stream of these payloads, ended by `[DONE]`.
fn chunks(payloads: &[&str]) -> Told {
    body(framed(payloads.iter().copied()).as_bytes())
}

/// What one recording holds, found out by another program (Python's json) and by eye.
struct Recording {
    file: &'static str,
    /// Length in bytes, start and end of the answer text.
    text: (usize, &'static str, &'static str),
    thinking: &'static str,
    refusal: &'static str,
    call: Option<(&'static str, &'static str)>,
    ending: Terminal,
    /// Input, output, reasoning, cached.
    usage: [Option<u64>; 4],
}

const NO_TEXT: (usize, &str, &str) = (0, "", "");

fn recordings() -> Vec<Recording> {
    let none =
        |file, ending, usage| Recording { file, text: NO_TEXT, thinking: "", refusal: "", call: None, ending, usage };
    vec![
        Recording {
            call: Some(("file_report", r#"{"summary": "#)),
            ..none(
                "compat_deepseek/rig__streaming_budget_24_truncated_arguments_keep_the_turn.0.200.sse",
                Terminal::Length,
                [Some(372), Some(24), None, Some(256)],
            )
        },
        Recording {
            call: Some(("record", r#"{"note": "The"#)),
            ..none(
                "compat_llamacpp/rig__streaming_tool_call_cut_mid_arguments.0.200.sse",
                Terminal::Length,
                [Some(165), Some(20), None, Some(164)],
            )
        },
        Recording {
            text: (98, "Maple trees are known for their vibrant ", "des of red, orange, and yellow"),
            ..none(
                "compat_llamacpp/rig__streaming_truncated_turn.0.200.sse",
                Terminal::Length,
                [Some(35), Some(24), None, Some(34)],
            )
        },
        Recording {
            refusal: "I'm very sorry, but I can't assist with this request.",
            ..none(
                "compat_openrouter/rig__streaming_azure_routed_refusal.0.200.sse",
                Terminal::Refusal,
                [Some(49), Some(14), Some(0), Some(0)],
            )
        },
        Recording {
            refusal: "I'm sorry, I can't assist with that request.",
            ..none(
                "compat_openrouter/rig__streaming_raw_model_surfaces_refusal.0.200.sse",
                Terminal::Refusal,
                [Some(49), Some(11), Some(0), Some(0)],
            )
        },
        Recording {
            text: (5, "Hello", "Hello"),
            thinking: "First, the user said",
            ..none("compat_xai/ai__xai-text.chunks.txt", Terminal::Stop, [Some(12), Some(1), Some(290), Some(11)])
        },
        Recording {
            text: (1730, "**Holiday Name:** Harmony Day\n\n**Date:**", "xperiences and mutual respect."),
            ..none("openai_chat/ai__openai-text.chunks.txt", Terminal::Stop, [Some(16), Some(300), Some(0), Some(0)])
        },
        Recording {
            text: (405, "{\"answer\":\"One common tree species is th", "dscaping, and reforestation.\"}"),
            ..none(
                "openai_chat/rig__chat_control_non_refusing_stream_is_unchanged.0.200.sse",
                Terminal::Stop,
                [Some(46), Some(111), Some(0), Some(0)],
            )
        },
        Recording {
            text: (68, "### The Splendor of Maple Trees\n\nMaple t", " trees, belonging to the genus"),
            ..none(
                "openai_chat/rig__chat_streaming_partial_text_truncation.0.200.sse",
                Terminal::Length,
                [Some(17), Some(16), Some(0), Some(0)],
            )
        },
        Recording {
            refusal: "I'm very sorry, but I can't assist with that.",
            ..none(
                "openai_chat/rig__chat_streaming_raw_model_surfaces_refusal.0.200.sse",
                Terminal::Refusal,
                [Some(49), Some(12), Some(0), Some(0)],
            )
        },
    ]
}

/// The recorded body; payload lists get the framing they had.
fn load(file: &str) -> Option<Vec<u8>> {
    let text = fs_err::read_to_string(cases::shared()?.join("streams").join(file)).unwrap();
    if !file.ends_with(".chunks.txt") {
        return Some(text.into_bytes());
    }
    Some(framed(text.lines().filter(|line| !line.is_empty())).into_bytes())
}

#[test]
fn every_recorded_stream_is_in_the_table() {
    let Some(root) = cases::shared() else { return };
    let mut found: Vec<String> = Vec::new();
    for folder in fs_err::read_dir(root.join("streams")).unwrap().map(|entry| entry.unwrap().path()) {
        let name = folder.file_name().unwrap().to_string_lossy().into_owned();
        if name != "openai_chat" && !name.starts_with("compat_") {
            continue;
        }
        for file in fs_err::read_dir(&folder).unwrap().map(|entry| entry.unwrap().file_name()) {
            let file = file.to_string_lossy().into_owned();
            if [".sse", ".chunks.txt"].iter().any(|end| file.ends_with(end)) {
                found.push(format!("{name}/{file}"));
            }
        }
    }
    found.sort();
    let mut told: Vec<&str> = recordings().iter().map(|recording| recording.file).collect();
    told.sort_unstable();
    assert_eq!(found, told);
}

#[test]
fn recordings_under_every_chunking() {
    for recording in recordings() {
        let Some(bytes) = load(recording.file) else { return };
        let told = body(&bytes);
        assert_eq!(told.ending, Some(recording.ending.clone()), "{}", recording.file);
        let (length, start, end) = recording.text;
        assert_eq!(told.text.len(), length, "{}", recording.file);
        assert!(told.text.starts_with(start) && told.text.ends_with(end), "{}", recording.file);
        assert_eq!((told.thinking.as_str(), told.refusal.as_str()), (recording.thinking, recording.refusal));
        let call = told.calls.first().map(|(_, name, arguments)| (name.as_str(), arguments.as_str()));
        assert_eq!((call, told.calls.len()), (recording.call, usize::from(recording.call.is_some())));
        let usage = told.usage.unwrap();
        let counts = [usage.input_tokens, usage.output_tokens, usage.reasoning_tokens, usage.cached_tokens];
        assert_eq!(counts, recording.usage, "{}", recording.file);
        assert!(told.model.is_some());

        assert_eq!(decode(&frames(bytes.chunks(1))), told, "one byte a read: {}", recording.file);
        let text = String::from_utf8(bytes.clone()).unwrap();
        assert_eq!(body(text.replace('\n', "\r\n").as_bytes()), told, "CRLF: {}", recording.file);
        assert_eq!(body(text.replace('\n', "\r").as_bytes()), told, "CR: {}", recording.file);
        let commented = text.replace("data:", ": ping\n\n: x\ndata:");
        assert_eq!(body(commented.as_bytes()), told, "comments: {}", recording.file);
    }
}

/// A frame that carries the finish reason, by another reading than the decoder's.
fn finishes(frame: &Frame) -> bool {
    let text = frame.data.replace(' ', "");
    text.contains("\"finish_reason\":\"")
}

#[test]
fn a_stream_cut_before_its_end_is_never_a_success() {
    for recording in recordings() {
        let Some(bytes) = load(recording.file) else { return };
        let frames = frames([bytes.as_slice()]);
        for cut in 0..frames.len() {
            let before = &frames[..cut];
            let told = decode(before);
            if before.iter().any(finishes) {
                assert_eq!(told.ending, Some(recording.ending.clone()), "{} at {cut}", recording.file);
            } else {
                assert!(
                    matches!(told.ending, Some(Terminal::Missing | Terminal::Refusal)),
                    "{} at {cut}",
                    recording.file
                );
            }
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn cuts_of_the_reads_change_nothing(which in 0_usize..10, cuts in prop::collection::vec(0_usize..4_000, 0..40)) {
        let all = recordings();
        let recording = &all[which % all.len()];
        if let Some(bytes) = load(recording.file) {
            let bytes = &bytes[..bytes.len().min(4_000)];
            let mut places: Vec<usize> = cuts.iter().map(|cut| (*cut).min(bytes.len())).collect();
            places.extend([0, bytes.len()]);
            places.sort_unstable();
            let reads: Vec<&[u8]> = places.windows(2).map(|pair| &bytes[pair[0]..pair[1]]).collect();
            prop_assert_eq!(decode(&frames(reads)), body(bytes));
        }
    }

    /// Whatever a server sends: one terminal, last, and no success without a finish reason.
    #[test]
    fn no_frame_breaks_the_decoder(frames in prop::collection::vec(frame(), 0..12)) {
        let told = decode(&frames);
        if told.succeeded() {
            prop_assert!(frames.iter().any(|frame| frame.data.contains("finish_reason")));
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(256))]

    /// A connection that ends at any byte.
    #[test]
    fn no_byte_cut_makes_a_success(which in 0_usize..10, part in 0.0_f64..1.0) {
        let all = recordings();
        if let Some(bytes) = load(all[which].file) {
            #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, clippy::cast_precision_loss, reason = "a place in a small file")]
            let cut = (bytes.len() as f64 * part) as usize;
            let told = body(&bytes[..cut]);
            prop_assert!(!told.succeeded() || frames([&bytes[..cut]]).iter().any(finishes));
        }
    }
}

fn frame() -> impl Strategy<Value = Frame> {
    let piece = prop_oneof![
        Just("{}".to_owned()),
        Just("null".to_owned()),
        Just("[]".to_owned()),
        Just("[DONE]".to_owned()),
        Just(r#"{"choices":[{"delta":{"content":"a"}}]}"#.to_owned()),
        Just(r#"{"choices":[{"delta":{"content":["a",{"type":"text","text":"b"},7]}}]}"#.to_owned()),
        Just(r#"{"choices":[{"finish_reason":"stop"}]}"#.to_owned()),
        Just(r#"{"choices":[{"delta":{"tool_calls":[{"function":{"arguments":{"n":1.50}}},{}]}}]}"#.to_owned()),
        Just(r#"{"choices":null,"usage":{"prompt_tokens":"x","completion_tokens":-1}}"#.to_owned()),
        Just(r#"{"error":5}"#.to_owned()),
        ".{0,20}",
    ];
    let event = prop_oneof![9 => Just(None), 1 => Just(Some("error".to_owned()))];
    (event, piece).prop_map(|(event, data)| Frame { event, data })
}

/// Outcome of each reported fault of kind `wire` that speaks chat: answer text, calls, ending.
fn reported(id: &str) -> (&'static str, Option<&'static str>, &'static str) {
    match id {
        "lm-001" => ("", None, "stop"),
        "ta-001" => ("", Some(r#"{"n":7}"#), "tool_use"),
        "ws-001" => ("{\"s\":\"那个🔥\"}", None, "stop"),
        "ws-004" | "ws-005" | "ws-006" | "ws-009" => (r#"{"n":7}"#, None, "stop"),
        "ws-011" | "ws-016" => (r#"{"n":7}"#, None, "missing"),
        "ws-015" => (r#"{"n":"#, None, "error"),
        other => panic!("a new case: {other}"),
    }
}

fn hex(text: &str) -> Vec<u8> {
    text.as_bytes().chunks(2).map(|pair| u8::from_str_radix(std::str::from_utf8(pair).unwrap(), 16).unwrap()).collect()
}

#[test]
fn reported_wire_faults() {
    let rows = cases::rows("cases/faults.jsonl");
    let chat = |row: &&Value| row["input"]["kind"] == "wire" && row["input"]["dialect"] == "openai-chat";
    let mut count = 0;
    for row in rows.iter().filter(chat) {
        count += 1;
        let id = row["id"].as_str().unwrap();
        let reads: Vec<Vec<u8>> =
            row["input"]["reads_hex"].as_array().unwrap().iter().map(|r| hex(r.as_str().unwrap())).collect();
        let joined = reads.concat();
        let (text, call, ending) = reported(id);
        for told in [decode(&frames(reads.iter().map(Vec::as_slice))), decode(&frames(joined.chunks(1)))] {
            assert_eq!(told.text, text, "{id}");
            assert_eq!(told.calls.first().map(|(_, _, arguments)| arguments.as_str()), call, "{id}");
            let word = serde_json::to_value(told.ending.as_ref().unwrap()).unwrap();
            assert_eq!(word["kind"], ending, "{id}");
        }
        if row["expected"]["must_end_without_eof"] == true {
            let (mut decoder, mut out) = (ChatDecoder::default(), Vec::new());
            for frame in frames([joined.as_slice()]) {
                decoder.frame(&frame, &mut out);
            }
            assert!(decoder.is_done(), "{id}: the error ends the call");
            assert_eq!(Told::of(out).failure().code, ErrorCode::Provider);
        }
        if id == "lm-001" {
            assert_eq!(decode(&frames([joined.as_slice()])).thinking, r#"{"joke":"ok"}"#);
        }
    }
    assert!(rows.is_empty() || count == 10, "{count} wire cases speak chat");
}

#[test]
fn reported_whole_responses() {
    let rows = cases::rows("cases/faults.jsonl");
    let mine = |row: &&Value| row["input"]["kind"] == "response" && row["input"]["dialect"] == "openai-chat";
    let mut count = 0;
    for row in rows.iter().filter(mine) {
        count += 1;
        let told = Told::of(decode_whole(&serde_json::to_string(&row["input"]["body"]).unwrap()));
        assert_eq!((row["id"].as_str(), told.ending), (Some("re-014"), Some(Terminal::Refusal)));
    }
    assert!(rows.is_empty() || count == 1);
}

#[test]
fn recorded_whole_responses() {
    let Some(root) = cases::shared() else { return };
    let refusal = "I'm sorry, but I can't assist with that request.";
    let release = r#"{"lane":"canary","checks":{"compile":true,"replay":true},"risk":"low"}"#;
    let table = [
        ("openai_chat/rig__chat_blocking_refusal_finishes_with_stop.0.200.json", "", None, Terminal::Refusal),
        (
            "openai_chat/rig__chat_control_plain_refusal_is_content_not_refusal.0.200.json",
            refusal,
            None,
            Terminal::Stop,
        ),
        ("compat_groq/rig__json_schema_structured_output_roundtrip.0.200.json", release, None, Terminal::Stop),
        ("compat_groq/pai__test_tool_use_failed_error.1.200.json", "", Some(r#"{"name":"test"}"#), Terminal::ToolUse),
        (
            "compat_mistral/rig__json_schema_structured_output_roundtrip.0.200.json",
            r#"{"lane": "canary", "checks": {"compile": true, "replay": true}, "risk": "low"}"#,
            None,
            Terminal::Stop,
        ),
        (
            "compat_ollama/pai__test_ollama_local_native_output_uses_json_schema.0.200.json",
            r#"{ "city": "Paris", "country": "France" }"#,
            None,
            Terminal::Stop,
        ),
        // Ollama's own API, another dialect: nothing of it is taken for an answer.
        ("compat_ollama/rig__structured_output_smoke.0.200.json", "", None, Terminal::Missing),
    ];
    for (file, text, call, ending) in table {
        let told = Told::of(decode_whole(&fs_err::read_to_string(root.join("streams").join(file)).unwrap()));
        assert_eq!((told.text.as_str(), told.ending), (text, Some(ending)), "{file}");
        assert_eq!(told.calls.first().map(|(_, _, arguments)| arguments.as_str()), call, "{file}");
    }
    let last = fs_err::read_to_string(root.join("streams/compat_groq/pai__test_tool_use_failed_error.2.200.json"));
    let told = Told::of(decode_whole(&last.unwrap()));
    assert!(told.succeeded() && told.text.starts_with("The first call failed") && !told.thinking.is_empty());
}

#[test]
fn whitespace_without_end_passes_through() {
    let frames = vec![Frame { event: None, data: r#"{"choices":[{"delta":{"content":"\n\t"}}]}"#.to_owned() }; 8_154];
    let told = decode(&frames);
    assert_eq!((told.text.len(), told.ending), (2 * 8_154, Some(Terminal::Missing)));
}

#[test]
fn endings() {
    let finish = |word: &str| chunks(&[&format!(r#"{{"choices":[{{"delta":{{}},"finish_reason":{word}}}]}}"#)]).ending;
    let table = [
        (r#""stop""#, Terminal::Stop),
        (r#""tool_calls""#, Terminal::ToolUse),
        (r#""function_call""#, Terminal::ToolUse),
        (r#""length""#, Terminal::Length),
        (r#""model_length""#, Terminal::ContextOverflow),
        (r#""content_filter""#, Terminal::ContentFilter),
        (r#""weird""#, Terminal::Unknown { word: "weird".to_owned() }),
        (r#""""#, Terminal::Missing),
        ("null", Terminal::Missing),
        ("7", Terminal::Missing),
    ];
    for (word, ending) in table {
        assert_eq!(finish(word), Some(ending), "{word}");
    }
    for word in ["error", "insufficient_system_resource"] {
        let ending = finish(&format!("\"{word}\""));
        assert!(
            matches!(ending, Some(Terminal::Error { failure }) if failure.retryable && failure.code == ErrorCode::Provider)
        );
    }
}

/// The chat cases of the reference's area `terminal`.
#[test]
fn reference_terminal_cases() {
    let rows = cases::rows("cases/reference.jsonl");
    let mine = |row: &&Value| row["area"] == "terminal" && row["input"]["dialect"] == "openai_chat";
    let mut count = 0;
    for row in rows.iter().filter(mine) {
        count += 1;
        let payloads: Vec<String> = row["input"]["signals"]
            .as_array()
            .unwrap()
            .iter()
            .map(|signal| signal.as_str().unwrap().strip_prefix("finish_reason=").unwrap().to_owned())
            .map(|word| format!(r#"{{"choices":[{{"delta":{{"content":"x"}},"finish_reason":"{word}"}}]}}"#))
            .collect();
        let told = chunks(&payloads.iter().map(String::as_str).collect::<Vec<_>>());
        // All three are `incomplete` for the run: neither a candidate nor a fault of the provider.
        assert!(matches!(told.ending, Some(Terminal::Length | Terminal::Unknown { .. })), "{}", row["name"]);
    }
    assert!(rows.is_empty() || count == 3, "{count}");
}

#[test]
fn the_worse_ending_stays() {
    let first_length = [r#"{"choices":[{"finish_reason":"length"}]}"#, r#"{"choices":[{"finish_reason":"stop"}]}"#];
    assert_eq!(chunks(&first_length).ending, Some(Terminal::Length));
    let then_filter =
        [r#"{"choices":[{"finish_reason":"stop"}]}"#, r#"{"choices":[{"finish_reason":"content_filter"}]}"#];
    assert_eq!(chunks(&then_filter).ending, Some(Terminal::ContentFilter));
    let cut = [
        r#"{"choices":[{"delta":{"tool_calls":[{"index":0,"id":"a","function":{"name":"f","arguments":"{\"x\""}}]},"finish_reason":null}]}"#,
        r#"{"choices":[{"delta":{},"finish_reason":"tool_calls","native_finish_reason":"length"}]}"#,
    ];
    assert_eq!(chunks(&cut).ending, Some(Terminal::Length), "a router's word is no proof");
}

#[test]
fn an_end_without_done_counts_and_one_without_a_reason_does_not() {
    let stop = r#"data: {"choices":[{"delta":{"content":"1"},"finish_reason":"stop"}]}"#;
    assert_eq!(body(format!("{stop}\n\n").as_bytes()).ending, Some(Terminal::Stop));
    assert_eq!(body(b"data: [DONE]\n\n").ending, Some(Terminal::Missing));
    assert_eq!(body(b"").ending, Some(Terminal::Missing));
    // Nothing is taken after the end mark.
    assert_eq!(body(format!("data: [DONE]\n\n{stop}\n\n").as_bytes()).text, "");
}

#[test]
fn a_refusal_is_one_whatever_the_finish_reason() {
    for word in ["stop", "tool_calls", "length", "weird"] {
        let finish = format!(r#"{{"choices":[{{"delta":{{}},"finish_reason":"{word}"}}]}}"#);
        let told = chunks(&[r#"{"choices":[{"delta":{"content":"","refusal":"No."}}]}"#, &finish]);
        assert_eq!((told.refusal.as_str(), told.ending), ("No.", Some(Terminal::Refusal)), "{word}");
    }
    let empty = [r#"{"choices":[{"delta":{"content":"1","refusal":""},"finish_reason":"stop"}]}"#];
    assert_eq!(chunks(&empty).ending, Some(Terminal::Stop));
}

#[test]
fn odd_chunks() {
    let told = chunks(&[
        r#"{"choices":[],"prompt_filter_results":[{"prompt_index":0}],"object":"","model":""}"#,
        r#"{"id":"x","unknown":{"deep":[1,2,{"a":null}]},"model":"m","choices":[{"index":0,"delta":{"role":"assistant","content":null,"refusal":null,"tool_calls":null,"function_call":null},"logprobs":null,"finish_reason":""}],"usage":null,"error":null}"#,
        r#"{"choices":[{"index":1,"delta":{"content":"other"},"finish_reason":"length"},{"index":0,"delta":{"content":"{\"n\":"}}]}"#,
        r#"{"choices":[{"delta":{"content":"1.50"}},{"index":1,"delta":{"content":"more"}}]}"#,
        r#"{"choices":[{"delta":null,"finish_reason":"stop"}]}"#,
        r#"{"choices":[{"delta":{"content":"}"}}],"usage":{"prompt_tokens":3,"completion_tokens":4}}"#,
    ]);
    assert_eq!((told.text.as_str(), told.model.as_deref()), (r#"{"n":1.50}"#, Some("m")));
    assert_eq!(told.usage.unwrap().input_tokens, Some(3));
    assert_eq!(told.ending, Some(Terminal::Stop));
}

#[test]
fn reasoning_and_content_parts() {
    let told = chunks(&[
        r#"{"choices":[{"delta":{"reasoning":"a"}}]}"#,
        r#"{"choices":[{"delta":{"reasoning_content":"b","reasoning":"b"}}]}"#,
        r#"{"choices":[{"delta":{"content":[{"type":"thinking","thinking":[{"type":"text","text":"c"}]},{"type":"text","text":"t"}]}}]}"#,
        r#"{"choices":[{"finish_reason":"stop"}]}"#,
    ]);
    assert_eq!((told.thinking.as_str(), told.text.as_str()), ("abc", "t"));
}

fn call(id: &str, name: &str, arguments: &str) -> (String, String, String) {
    (id.to_owned(), name.to_owned(), arguments.to_owned())
}

#[test]
fn tool_fragments() {
    let calls = |deltas: &[&str]| {
        let payloads: Vec<String> =
            deltas.iter().map(|tools| format!(r#"{{"choices":[{{"delta":{{"tool_calls":[{tools}]}}}}]}}"#)).collect();
        chunks(&payloads.iter().map(String::as_str).collect::<Vec<_>>()).calls
    };
    let begun = r#"{"index":0,"id":"a","type":"function","function":{"name":"f","arguments":""}}"#;
    let more = r#"{"index":0,"function":{"arguments":"{\"x\":"}}"#;
    let rest = r#"{"index":0,"function":{"arguments":"1}"}}"#;
    let whole = vec![call("a", "f", r#"{"x":1}"#)];
    assert_eq!(calls(&[begun, more, rest]), whole);
    // No index, only the first carries the id.
    let bare: Vec<String> = [begun, more, rest].iter().map(|t| t.replace(r#""index":0,"#, "")).collect();
    assert_eq!(calls(&bare.iter().map(String::as_str).collect::<Vec<_>>()), whole);
    // The id and the name are repeated in every fragment.
    let again = r#"{"index":0,"id":"a","function":{"name":"f","arguments":"{\"x\":"}}"#;
    let and_again = r#"{"index":0,"id":"a","function":{"name":"f","arguments":"1}"}}"#;
    assert_eq!(calls(&[begun, again, and_again]), whole);
    // A fresh id in every fragment, but no name.
    assert_eq!(calls(&[begun, r#"{"index":0,"id":"z","function":{"arguments":"{\"x\":1}"}}"#]), whole);
    // Two calls that both say index 0.
    let second = r#"{"index":0,"id":"b","function":{"name":"g","arguments":"{}"}}"#;
    assert_eq!(calls(&[begun, second]), vec![call("a", "f", ""), call("b", "g", "{}")]);
    // Interleaved fragments of parallel calls.
    let other = r#"{"index":1,"id":"b","function":{"name":"g","arguments":"{"}}"#;
    let end = r#"{"index":1,"function":{"arguments":"}"}}"#;
    assert_eq!(calls(&[begun, other, more, end, rest]), vec![call("a", "f", r#"{"x":1}"#), call("b", "g", "{}")]);
    // Arguments before the name; arguments as an object keep their numbers.
    let early = r#"{"index":0,"id":"a","function":{"arguments":"{\"x\":"}}"#;
    let named = r#"{"index":0,"function":{"name":"f","arguments":"1}"}}"#;
    assert_eq!(calls(&[early, named]), whole);
    let object = r#"{"id":"a","function":{"name":"f","arguments":{"z":1.50,"a":12345678901234567890123}}}"#;
    assert_eq!(calls(&[object]), vec![call("a", "f", r#"{"z":1.50,"a":12345678901234567890123}"#)]);
    // A call whose name never comes is still a call.
    assert_eq!(calls(&[early]), vec![call("a", "", r#"{"x":"#)]);
    // Two whole calls without index and id.
    let nameless = r#"{"function":{"name":"f","arguments":"{}"}}"#;
    assert_eq!(calls(&[nameless, nameless]).len(), 2);
}

#[test]
fn the_legacy_function_call() {
    let told = chunks(&[
        r#"{"choices":[{"delta":{"function_call":{"name":"f","arguments":""}}}]}"#,
        r#"{"choices":[{"delta":{"function_call":{"arguments":"{}"}}}]}"#,
        r#"{"choices":[{"delta":{},"finish_reason":"function_call"}]}"#,
    ]);
    assert_eq!((told.calls, told.ending), (vec![call("", "f", "{}")], Some(Terminal::ToolUse)));
}

#[test]
fn errors_inside_a_stream() {
    // data, code, retryable, provider code
    let table = [
        (
            r#"{"error":{"message":"upstream failed","type":"server_error"}}"#,
            ErrorCode::Provider,
            true,
            Some("server_error"),
        ),
        (r#"{"error":"lost"}"#, ErrorCode::Provider, true, None),
        (
            r#"{"error":{"code":502,"message":"m"},"choices":[{"index":0,"delta":{"content":""},"finish_reason":"error"}]}"#,
            ErrorCode::Provider,
            true,
            Some("502"),
        ),
        (
            r#"{"choices":[{"delta":{},"finish_reason":"error","error":{"code":429,"message":"m"}}]}"#,
            ErrorCode::RateLimited,
            true,
            Some("429"),
        ),
        (r#"{"error":{"code":401,"message":"m"}}"#, ErrorCode::Auth, false, Some("401")),
        (
            r#"{"error":{"code":"insufficient_quota","message":"m"}}"#,
            ErrorCode::RateLimited,
            false,
            Some("insufficient_quota"),
        ),
        (
            r#"{"error":{"code":"context_length_exceeded","message":"m"}}"#,
            ErrorCode::Incomplete,
            false,
            Some("context_length_exceeded"),
        ),
        (
            r#"{"error":{"message":"m","type":"invalid_request_error","code":"tool_use_failed","status_code":400}}"#,
            ErrorCode::Provider,
            false,
            Some("tool_use_failed"),
        ),
        (r#"{"object":"error","message":"m","code":400}"#, ErrorCode::Provider, true, None),
        ("not json", ErrorCode::Provider, true, None),
        ("null", ErrorCode::Provider, true, None),
    ];
    for (data, code, retryable, word) in table {
        let told = chunks(&[r#"{"choices":[{"delta":{"content":"x"}}]}"#, data]);
        let failure = told.failure();
        assert_eq!(
            (failure.code, failure.retryable, failure.provider_code.as_deref()),
            (code, retryable, word),
            "{data}"
        );
        assert_eq!((told.text.as_str(), failure.status), ("x", None));
    }
    let named = body(b"event: error\ndata: {\"error\":{\"message\":\"m\",\"code\":\"json_validate_failed\"}}\n\n");
    assert_eq!(named.failure().provider_code.as_deref(), Some("json_validate_failed"));
    assert!(!named.failure().retryable);
    let text = body(b"event: error\ndata: it broke\n\n");
    assert_eq!(text.failure().detail.as_deref(), Some("it broke"));
}

#[test]
fn errors_instead_of_a_stream() {
    use ErrorCode::{Auth, Incomplete, Provider, RateLimited, Refusal};
    let table: &[(u16, &str, ErrorCode, bool, Option<&str>)] = &[
        (
            400,
            r#"{"error":{"message":"m","type":"invalid_request_error","param":null,"code":"context_length_exceeded"}}"#,
            Incomplete,
            false,
            Some("context_length_exceeded"),
        ),
        (
            400,
            r#"{"error":{"code":400,"message":"m","n_ctx":512,"type":"exceed_context_size_error"}}"#,
            Incomplete,
            false,
            Some("exceed_context_size_error"),
        ),
        (
            400,
            r#"{"error":{"message":"m","type":"invalid_request_error","param":"response_format","code":null}}"#,
            Provider,
            false,
            Some("invalid_request_error"),
        ),
        (400, r#"{"error":"'response_format.type' must be 'json_schema' or 'text'"}"#, Provider, false, None),
        (400, r#"{"error":{"code":"content_filter","message":"m"}}"#, Refusal, false, Some("content_filter")),
        (
            400,
            r#"{"error":{"code":"json_validate_failed","message":"m","failed_generation":"{}"}}"#,
            Provider,
            false,
            Some("json_validate_failed"),
        ),
        (
            400,
            r#"{"code":400,"reason":"INVALID_REQUEST_BODY","message":"m"}"#,
            Provider,
            false,
            Some("INVALID_REQUEST_BODY"),
        ),
        (
            401,
            r#"{"error":{"code":401,"message":"Invalid API Key","type":"authentication_error"}}"#,
            Auth,
            false,
            Some("authentication_error"),
        ),
        (
            401,
            r#"{"error":{"message":"m","type":"invalid_request_error","code":"invalid_api_key"}}"#,
            Auth,
            false,
            Some("invalid_api_key"),
        ),
        (
            401,
            r#"{"error":{"message":"m","type":"invalid_request_error"}}"#,
            Auth,
            false,
            Some("invalid_request_error"),
        ),
        (403, "<html>denied</html>", Auth, false, None),
        (404, r#"{"error":{"message":"m","code":"model_not_found"}}"#, Provider, false, Some("model_not_found")),
        (404, "", Provider, false, None),
        (408, "", Provider, true, None),
        (409, "", Provider, true, None),
        (413, "", Provider, false, None),
        (425, "", Provider, true, None),
        (
            429,
            r#"{"error":{"code":"insufficient_quota","type":"insufficient_quota"}}"#,
            RateLimited,
            false,
            Some("insufficient_quota"),
        ),
        (429, r#"{"error":{"code":"rate_limit_exceeded"}}"#, RateLimited, true, Some("rate_limit_exceeded")),
        (
            429,
            r#"[{"error":{"code":429,"message":"m","status":"RESOURCE_EXHAUSTED"}}]"#,
            RateLimited,
            true,
            Some("RESOURCE_EXHAUSTED"),
        ),
        (422, r#"{"detail":[{"loc":["body"],"msg":"m"}]}"#, Provider, false, None),
        (500, "<html>", Provider, true, None),
        (502, "", Provider, true, None),
        (529, r#"{"error":{"type":"overloaded_error"}}"#, Provider, true, Some("overloaded_error")),
    ];
    for (status, body, code, retryable, word) in table {
        let failure = failure(*status, body.as_bytes());
        assert_eq!((failure.code, failure.retryable), (*code, *retryable), "{status} {body}");
        assert_eq!(failure.provider_code.as_deref(), *word, "{status} {body}");
        assert_eq!(failure.status, Some(*status));
        assert_eq!(failure.detail.is_some(), !body.is_empty(), "{status} {body}");
    }
}

#[test]
fn a_refused_response_format_is_named() {
    for param in ["response_format", "response_format.json_schema.schema"] {
        let body = format!(r#"{{"error":{{"message":"m","type":"invalid_request_error","param":"{param}"}}}}"#);
        let failure = failure(400, body.as_bytes());
        assert!(failure.message.contains("response format") && !failure.retryable);
    }
    let other = failure(400, br#"{"error":{"message":"m","param":"messages"}}"#);
    assert!(!other.message.contains("response format"));
}

#[test]
fn recorded_error_bodies() {
    let Some(root) = cases::shared() else { return };
    let table = [
        ("compat_groq/pai__test_tool_use_failed_error.0.400.json", 400, ErrorCode::Provider, "tool_use_failed"),
        (
            "compat_llamacpp/rig__context_overflow_streaming.0.400.json",
            400,
            ErrorCode::Incomplete,
            "exceed_context_size_error",
        ),
        ("compat_llamacpp/rig__missing_api_key_is_401.0.401.json", 401, ErrorCode::Auth, "authentication_error"),
        ("compat_openrouter/rig__routed_failure_error_shape.0.400.json", 400, ErrorCode::Provider, ""),
    ];
    for (file, status, code, word) in table {
        let failure = failure(status, &fs_err::read(root.join("streams").join(file)).unwrap());
        assert_eq!((failure.code, failure.retryable), (code, false), "{file}");
        assert_eq!(failure.provider_code.unwrap_or_default(), word, "{file}");
        assert!(failure.detail.is_some());
    }
}

#[test]
fn provider_text_is_bounded_and_its_code_display_safe() {
    let body =
        format!(r#"{{"error":{{"code":"a\u001b[31m b{}","message":"{}"}}}}"#, "x".repeat(100), "é".repeat(5_000));
    let failure = failure(400, body.as_bytes());
    let code = failure.provider_code.unwrap();
    assert!(code.starts_with("a[31mb") && code.len() == 64, "{code}");
    let detail = failure.detail.unwrap();
    assert!(detail.len() <= 4_096 && detail.starts_with('é'));
    assert!(!failure.message.contains('é'));
    let binary = self::failure(500, &[0xff, 0xfe, 0x00]);
    assert!(binary.retryable && binary.detail.is_some());
}

/// The faults of kind `http_error` are answers to a probe; what a run makes of the body is here.
#[test]
fn reported_http_errors() {
    let rows = cases::rows("cases/faults.jsonl");
    let mut count = 0;
    for row in rows.iter().filter(|row| row["input"]["kind"] == "http_error") {
        count += 1;
        let status = u16::try_from(row["input"]["status"].as_u64().unwrap()).unwrap();
        let failure = failure(status, serde_json::to_string(&row["input"]["body"]).unwrap().as_bytes());
        let auth = row["expected"]["outcome"] == "auth_error";
        let code = if auth { ErrorCode::Auth } else { ErrorCode::Provider };
        assert_eq!((failure.code, failure.retryable), (code, false), "{}", row["id"]);
    }
    assert!(rows.is_empty() || count == 4, "{count}");
}

fn call_of(input: &Value) -> Call {
    let format = &input["response_format"];
    let text = |value: &Value| value.as_str().map(str::to_owned);
    let tool = |tool: &Value| ToolSpec {
        name: text(&tool["name"]).unwrap(),
        description: text(&tool["description"]).unwrap(),
        parameters: tool["parameters"].clone(),
        strict: true,
    };
    Call {
        model_id: "m".to_owned(),
        messages: Vec::new(),
        format: (!format.is_null()).then(|| NativeFormat {
            name: text(&format["name"]).unwrap_or("response".to_owned()),
            description: text(&format["description"]),
            strict: format["strict"] != false,
            schema: format["schema"].clone(),
        }),
        tools: input["tools"].as_array().into_iter().flatten().map(tool).collect(),
        tool_choice: ToolChoice::Unset,
        parallel_tool_calls: None,
        max_output_tokens: None,
        reasoning_effort: None,
    }
}

/// The chat cases of the reference's area `payload`.
#[test]
fn reference_payload_cases() {
    let rows = cases::rows("cases/reference.jsonl");
    let target =
        Target { base_url: "https://api.openai.com/v1".to_owned(), provider: "openai".to_owned(), official: true };
    let mut count = 0;
    for row in rows.iter().filter(|row| row["area"] == "payload" && row["input"]["dialect"] == "openai_chat") {
        count += 1;
        let body = build(&target, &call_of(&row["input"])).body;
        for (key, want) in row["expected"].as_object().unwrap() {
            assert_eq!(&body[key], want, "{}: {key}", row["name"]);
        }
    }
    assert!(rows.is_empty() || count == 2, "{count}");
}

/// `or-001`. Its sibling `or-002` needs a user option for routing, which this version does not have: a structured call
/// to the router is always pinned.
#[test]
fn a_structured_call_to_the_router_is_pinned() {
    let rows = cases::rows("cases/faults.jsonl");
    let target = Target {
        base_url: "https://openrouter.ai/api/v1".to_owned(),
        provider: "openrouter".to_owned(),
        official: false,
    };
    for row in rows.iter().filter(|row| row["input"]["provider"] == "openrouter" && row["input"]["kind"] == "payload") {
        let format = serde_json::json!({"response_format": {"schema": row["input"]["schema"]}});
        let body = build(&target, &call_of(&format)).body;
        assert_eq!(body["provider"], serde_json::json!({"require_parameters": true}), "{}", row["id"]);
    }
}
