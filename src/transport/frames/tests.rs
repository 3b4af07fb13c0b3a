//! Frames made here by the format's description, cut and damaged in every way.

use proptest::prelude::*;

use super::*;

/// A frame as the description has it: big-endian lengths, checksum of these, headers, payload, checksum of all.
fn frame(headers: &[u8], payload: &[u8]) -> Vec<u8> {
    let mut bytes = Vec::new();
    let total = u32::try_from(16 + headers.len() + payload.len()).unwrap();
    bytes.extend(total.to_be_bytes());
    bytes.extend(u32::try_from(headers.len()).unwrap().to_be_bytes());
    bytes.extend(crc32fast::hash(&bytes).to_be_bytes());
    bytes.extend(headers);
    bytes.extend(payload);
    bytes.extend(crc32fast::hash(&bytes).to_be_bytes());
    bytes
}

fn text_header(name: &str, value: &str) -> Vec<u8> {
    let mut bytes = vec![u8::try_from(name.len()).unwrap()];
    bytes.extend(name.as_bytes());
    bytes.push(7);
    bytes.extend(u16::try_from(value.len()).unwrap().to_be_bytes());
    bytes.extend(value.as_bytes());
    bytes
}

fn event(name: &str, payload: &str) -> Vec<u8> {
    let headers = [text_header(":message-type", "event"), text_header(":event-type", name)].concat();
    frame(&headers, payload.as_bytes())
}

type Got = (Option<String>, String);

fn read(reads: &[&[u8]]) -> Result<Vec<Got>, FrameError> {
    let (mut framer, mut out) = (Framer::default(), Vec::new());
    for read in reads {
        framer.feed(read, &mut |frame| out.push((frame.event.clone(), frame.data.clone())))?;
    }
    framer.finish()?;
    Ok(out)
}

fn got(event: &str, data: &str) -> Got {
    (Some(event.to_owned()), data.to_owned())
}

#[test]
fn events_exceptions_and_errors() {
    let exception = [text_header(":message-type", "exception"), text_header(":exception-type", "throttlingException")];
    let error = [
        text_header(":message-type", "error"),
        text_header(":error-code", "InternalFailure"),
        text_header(":error-message", "\"quoted\""),
    ];
    let bytes = [
        event("messageStart", r#"{"role":"assistant"}"#),
        frame(&exception.concat(), br#"{"message":"slow down"}"#),
        frame(&error.concat(), b""),
        frame(&[], b""),
    ];
    assert_eq!(
        read(&[&bytes.concat()]).unwrap(),
        [
            got("messageStart", r#"{"role":"assistant"}"#),
            got("throttlingException", r#"{"message":"slow down"}"#),
            got("error", r#"{"code":"InternalFailure","message":"\"quoted\""}"#),
            (None, String::new()),
        ]
    );
}

#[test]
fn every_damaged_byte_is_found_and_every_cut_is_torn() {
    let bytes = [event("a", "{}"), event("messageStop", r#"{"stopReason":"end_turn"}"#)].concat();
    let first = event("a", "{}").len();
    for at in 0..bytes.len() {
        let mut damaged = bytes.clone();
        damaged[at] ^= 0x10;
        let want = if at < PRELUDE { FrameError::Foreign } else { FrameError::Checksum };
        assert_eq!(read(&[&damaged]), Err(want), "byte {at}");
    }
    for at in 1..bytes.len() {
        let want = if at == first { Ok(vec![got("a", "{}")]) } else { Err(FrameError::Torn) };
        assert_eq!(read(&[&bytes[..at]]), want, "cut at {at}");
    }
}

/// Lengths with a valid checksum.
fn prelude(total: u32, headers: u32) -> Vec<u8> {
    let mut bytes = [total.to_be_bytes(), headers.to_be_bytes()].concat();
    bytes.extend(crc32fast::hash(&bytes).to_be_bytes());
    bytes
}

#[test]
fn lengths_are_bounded_before_anything_is_waited_for() {
    let payload = u32::try_from(MAX_PAYLOAD).unwrap();
    let headers = u32::try_from(MAX_HEADERS).unwrap();
    for (name, total, headers, want) in [
        ("largest payload", payload + 16, 0, FrameError::Torn),
        ("payload too large", payload + 17, 0, FrameError::FrameTooLarge),
        ("largest headers", headers + 16, headers, FrameError::Torn),
        ("headers too large", headers + 17, headers + 1, FrameError::FrameTooLarge),
        ("all ones", u32::MAX, 0, FrameError::FrameTooLarge),
        ("headers larger than the frame", 16, 1, FrameError::Headers),
        ("no room for the checksums", 15, 0, FrameError::Headers),
        ("nothing at all", 0, 0, FrameError::Headers),
    ] {
        assert_eq!(read(&[&prelude(total, headers)]), Err(want), "{name}");
    }
}

#[test]
fn a_foreign_body_is_seen_at_once() {
    for body in ["<!doctype html><html>", "data: {\"a\":1}\n\n", "{\"message\":\"no\"}", "HTTP/1.1 200 OK"] {
        assert_eq!(read(&[body.as_bytes()]), Err(FrameError::Foreign), "{body}");
    }
    assert_eq!(read(&[]), Ok(Vec::new()));
    assert_eq!(read(&[&frame(&[], b"\xff")]), Err(FrameError::NotUtf8));
}

proptest! {
    #[test]
    fn any_cut_gives_the_same(
        frames in prop::collection::vec(("[a-z]{0,5}", "[ -~é那]{0,20}"), 0..6),
        cuts in prop::collection::vec(1..40usize, 0..40),
    ) {
        let bytes: Vec<u8> = frames.iter().flat_map(|(name, payload)| event(name, payload)).collect();
        let (mut reads, mut rest) = (Vec::new(), bytes.as_slice());
        for cut in cuts {
            let (read, tail) = rest.split_at(cut.min(rest.len()));
            reads.push(read);
            rest = tail;
        }
        reads.push(rest);
        let want: Vec<Got> = frames.iter().map(|(name, payload)| got(name, payload)).collect();
        prop_assert_eq!(read(&reads), Ok(want));
    }

    /// A server that knows the checksums may still send nonsense inside.
    #[test]
    fn headers_of_any_bytes_never_panic(headers in prop::collection::vec(any::<u8>(), 0..60), payload in prop::collection::vec(any::<u8>(), 0..20)) {
        let _ = read(&[&frame(&headers, &payload)]);
    }

    #[test]
    fn bytes_never_panic(bytes in prop::collection::vec(any::<u8>(), 0..80)) {
        let _ = read(&[&bytes]);
    }
}
