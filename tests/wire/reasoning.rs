//! Reasoning that goes back unchanged (`reasoning_details`): how its pieces become blocks, and its bound.

use formwork::dialect::openai_chat::ChatDecoder;
use formwork::dialect::{Decoder, Frame};
use formwork::event::{RawEvent, Terminal};

use super::chunks;

/// Blocks come in pieces and go back whole, in their order; what cannot be a further piece is a block of its own.
#[test]
fn reasoning_that_goes_back() {
    let kept = |chunks: &[&str]| -> Vec<String> {
        let mut payloads: Vec<String> = chunks
            .iter()
            .map(|details| format!(r#"{{"choices":[{{"delta":{{"content":"","reasoning_details":{details}}}}}]}}"#))
            .collect();
        payloads.push(r#"{"choices":[{"delta":{"content":"t"},"finish_reason":"stop"}]}"#.to_owned());
        let (mut decoder, mut out) = (ChatDecoder::default(), Vec::new());
        for data in payloads {
            decoder.frame(&Frame { event: None, data }, &mut out);
        }
        decoder.finish(&mut out);
        assert!(matches!(out.last(), Some(RawEvent::Terminal { terminal: Terminal::Stop })));
        out.iter()
            .filter_map(|event| if let RawEvent::Keep { part } = event { Some(part.to_string()) } else { None })
            .collect()
    };
    let a = r#"[{"type":"reasoning.text","text":"The ","format":"anthropic-claude-v1","index":0}]"#;
    let b = r#"[{"type":"reasoning.text","text":"user","signature":null,"format":"anthropic-claude-v1","index":0}]"#;
    let signed = r#"[{"type":"reasoning.text","signature":"SIG","format":"anthropic-claude-v1","index":0}]"#;
    let whole =
        r#"{"type":"reasoning.text","text":"The user","format":"anthropic-claude-v1","index":0,"signature":"SIG"}"#;
    assert_eq!(kept(&[a, b, signed]), [whole]);
    let brackets = ['[', ']'];
    // Another place is another block.
    let hidden = r#"[{"type":"reasoning.encrypted","data":"gAAA","id":"rs_1","index":1}]"#;
    assert_eq!(kept(&[a, b, signed, hidden]), [whole, hidden.trim_matches(brackets)]);
    // Without places: a signature ends a block, and encrypted ones come whole.
    let bare = |text: &str| text.replace(r#","index":0"#, "").replace(r#","index":1"#, "");
    let (a, b, signed, hidden) = (bare(a), bare(b), bare(signed), bare(hidden));
    let plain = bare(whole);
    assert_eq!(kept(&[&a, &b, &signed, &a, &b, &signed]), [plain.as_str(), &plain]);
    assert_eq!(kept(&[&hidden, &hidden]), [hidden.trim_matches(brackets); 2]);
    // Other shapes are no blocks.
    assert!(kept(&["null", "7", "{}", "[]", "[null,7,\"x\"]"]).is_empty());
    // Shown where it is said nowhere else, once.
    let shown = |delta: &str| chunks(&[&format!(r#"{{"choices":[{{"delta":{delta}}}]}}"#)]).thinking;
    assert_eq!(shown(r#"{"reasoning_details":[{"type":"reasoning.summary","summary":"s"}]}"#), "s");
    assert_eq!(shown(r#"{"reasoning":"r","reasoning_details":[{"type":"reasoning.text","text":"r"}]}"#), "r");
}

#[test]
fn hidden_reasoning_is_bounded() {
    let piece = format!(
        r#"{{"choices":[{{"delta":{{"reasoning_details":[{{"type":"reasoning.encrypted","data":"{}","index":0}}]}}}}]}}"#,
        "x".repeat(1 << 20)
    );
    let (mut decoder, mut out) = (ChatDecoder::default(), Vec::new());
    let frame = Frame { event: None, data: piece };
    let taken = (0..64).take_while(|_| {
        decoder.frame(&frame, &mut out);
        !decoder.is_done()
    });
    assert_eq!(taken.count(), 15, "the sixteenth is one too many");
    assert!(matches!(out.last(), Some(RawEvent::Terminal { terminal: Terminal::Error { .. } })));
}
