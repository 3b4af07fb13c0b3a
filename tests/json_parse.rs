//! What the strict parser takes and refuses, with which hint and where.
#![allow(clippy::expect_used, clippy::string_slice, reason = "helpers of tests may stop a test")]

use formwork::json::{self, Hint, ParseError, ParseLimits, Part, Value};

fn parse(text: &str) -> Result<Value, ParseError> {
    json::parse(text, ParseLimits::default())
}

fn refused(text: &str) -> (Hint, usize) {
    let error = parse(text).expect_err(text);
    assert!(error.position.offset <= text.len() && text.is_char_boundary(error.position.offset), "{text}");
    (error.hint, error.position.offset)
}

#[test]
fn every_slip_has_its_hint_and_place() {
    let long_string = format!("[\"{}\u{1}\"]", "x".repeat(100));
    #[rustfmt::skip]
    let table: &[(&str, Hint, usize)] = &[
        ("", Hint::Empty, 0), (" \n\t ", Hint::Empty, 4),
        ("```json\n{}\n```", Hint::Fence, 0), ("\n```\n{}\n```", Hint::Fence, 1), ("~~~\n1", Hint::Fence, 0), ("{}\n```", Hint::Fence, 3),
        ("Here it is:\n```json\n{}\n```", Hint::ProseBefore, 0), ("Sure! {\"a\":1}", Hint::ProseBefore, 0),
        ("I cannot do that.", Hint::ProseBefore, 0), ("<think>x</think>{}", Hint::ProseBefore, 0), ("- item [1]", Hint::ProseBefore, 0),
        ("None of these: {}", Hint::ProseBefore, 0), ("## Answer\n{}", Hint::ProseBefore, 0), ("1. First, {\"a\":1}", Hint::ProseBefore, 0), ("- 1. [1]", Hint::ProseBefore, 0), ("2026-11-30: {}", Hint::ProseBefore, 0), ("Ünïcode {}", Hint::ProseBefore, 0),
        ("{} done", Hint::ProseAfter, 3), ("[1] is it", Hint::ProseAfter, 4), ("1 is it", Hint::ProseAfter, 2), ("{}\n\n— bye", Hint::ProseAfter, 4),
        ("{}'", Hint::ProseAfter, 2), ("{} 2 items", Hint::ProseAfter, 3), ("{};", Hint::ProseAfter, 2),
        ("{}{}", Hint::SecondDocument, 2), ("1\n2\n", Hint::SecondDocument, 2), ("{} []", Hint::SecondDocument, 3), ("{},{}", Hint::SecondDocument, 2),
        ("true null", Hint::SecondDocument, 5), ("\"a\" \"b\"", Hint::SecondDocument, 4), ("{}\n-1.5e3\n", Hint::SecondDocument, 3),
        ("[1,]", Hint::TrailingComma, 2), ("{\"a\":1, }", Hint::TrailingComma, 6), ("[[1,\n],2]", Hint::TrailingComma, 3), ("{},", Hint::TrailingComma, 2),
        ("'a'", Hint::SingleQuotes, 0), ("{'a':1}", Hint::SingleQuotes, 1), ("{\"a\":'b'}", Hint::SingleQuotes, 5), ("[‘a’]", Hint::SingleQuotes, 1),
        ("// c\n1", Hint::Comment, 0), ("/* c */ {}", Hint::Comment, 0), ("# c\n{}", Hint::Comment, 0), ("[1 // c\n]", Hint::Comment, 3),
        ("[ /* c */ 1]", Hint::Comment, 2), ("{ // c\n}", Hint::Comment, 2), ("{\"a\" /**/ :1}", Hint::Comment, 5), ("{} // c", Hint::Comment, 3),
        ("{\"a\":1, # c\n\"b\":2}", Hint::Comment, 8),
        ("NaN", Hint::NonFinite, 0), ("Infinity", Hint::NonFinite, 0), ("-Infinity", Hint::NonFinite, 0), ("{\"a\":{\"b\":NaN}}", Hint::NonFinite, 10),
        ("[-Infinity]", Hint::NonFinite, 1), ("[+Infinity]", Hint::NonFinite, 1), ("[nan]", Hint::NonFinite, 1), ("[-inf", Hint::NonFinite, 1), (" NaN\n", Hint::NonFinite, 1),
        ("{\"a\":1,\"a\":2}", Hint::RepeatedKey, 7), ("{\"a\":1,\"\\u0061\":2}", Hint::RepeatedKey, 7), ("[{\"\":{\"b\":1,\"b\":[]}}]", Hint::RepeatedKey, 12),
        ("\"\\ud83d\"", Hint::LoneSurrogate, 1), ("\"\\udd25\"", Hint::LoneSurrogate, 1), ("\"\\ud83d\\u0041\"", Hint::LoneSurrogate, 1), ("\"\\ud83dx\"", Hint::LoneSurrogate, 1),
        ("\"\\ud83d\\n\"", Hint::LoneSurrogate, 1), ("{\"a\\udc00\":1}", Hint::LoneSurrogate, 3),
        ("\u{FEFF}{}", Hint::ByteOrderMark, 0), ("{}\u{FEFF}", Hint::ByteOrderMark, 2), ("[\u{FEFF}1]", Hint::ByteOrderMark, 1),
        ("\"\t\"", Hint::ControlCharacter, 1), ("{\"a\":\"b\n\"}", Hint::ControlCharacter, 7), ("\"\0\"", Hint::ControlCharacter, 1), (&long_string, Hint::ControlCharacter, 102),
        ("{\"a\":1", Hint::Truncated, 6), ("[", Hint::Truncated, 1), ("{\"a", Hint::Truncated, 3), ("{\"a\"", Hint::Truncated, 4), ("{\"a\":", Hint::Truncated, 5), ("{\"a\":1,", Hint::Truncated, 7),
        ("\"abc", Hint::Truncated, 4), ("\"a\\", Hint::Truncated, 3), ("\"\\u12", Hint::Truncated, 5), ("\"\\ud83d", Hint::Truncated, 7), ("\"\\ud83d\\", Hint::Truncated, 8),
        ("[tr", Hint::Truncated, 3), ("nul", Hint::Truncated, 3), ("[1.", Hint::Truncated, 3), ("[1e", Hint::Truncated, 3), ("[-", Hint::Truncated, 2), ("[1e+", Hint::Truncated, 4), ("[1, ", Hint::Truncated, 4),
        ("{\\\"a\\\":1}", Hint::DoubleEncoded, 1), ("\\\"{}", Hint::DoubleEncoded, 0),
        ("{a:1}", Hint::UnquotedKey, 1), ("{\"a\":1,b:2}", Hint::UnquotedKey, 7), ("{1:2}", Hint::UnquotedKey, 1), ("{$x:2}", Hint::UnquotedKey, 1), ("{é:2}", Hint::UnquotedKey, 1),
        ("01", Hint::BadNumber, 0), ("+1", Hint::BadNumber, 0), (".5", Hint::BadNumber, 0), ("1.", Hint::BadNumber, 0), ("1e", Hint::BadNumber, 0), ("0x1", Hint::BadNumber, 0), ("-", Hint::BadNumber, 0),
        ("[-]", Hint::BadNumber, 1), ("[01]", Hint::BadNumber, 1), ("[-01]", Hint::BadNumber, 1), ("[+1]", Hint::BadNumber, 1), ("[.5]", Hint::BadNumber, 1), ("[1.]", Hint::BadNumber, 1), ("[1.e3]", Hint::BadNumber, 1),
        ("[1_000]", Hint::BadNumber, 1), ("{\"v\":3.5.5.5", Hint::BadNumber, 5), ("2026-11-30", Hint::BadNumber, 0), ("-.5", Hint::BadNumber, 0), ("[10n]", Hint::BadNumber, 1),
        ("\"\\x41\"", Hint::BadEscape, 1), ("\"\\*\"", Hint::BadEscape, 1), ("\"\\u12g4\"", Hint::BadEscape, 1), ("\"\\u12\"", Hint::BadEscape, 1), ("\"\\'\"", Hint::BadEscape, 1), ("\"\\U0041\"", Hint::BadEscape, 1), ("\"\\ud83d\\uZZZZ\"", Hint::BadEscape, 7),
        ("True", Hint::BadLiteral, 0), ("None", Hint::BadLiteral, 0), ("undefined", Hint::BadLiteral, 0), ("[True]", Hint::BadLiteral, 1), ("{\"a\":None}", Hint::BadLiteral, 5), ("[truex]", Hint::BadLiteral, 1), ("[nul]", Hint::BadLiteral, 1), ("{\"a\":yes}", Hint::BadLiteral, 5),
        ("[1,,2]", Hint::Syntax, 3), ("[,1]", Hint::Syntax, 1), ("{\"a\"}", Hint::Syntax, 4), ("{\"a\":}", Hint::Syntax, 5), ("[1 2]", Hint::Syntax, 3), ("[1}", Hint::Syntax, 2), ("{}}", Hint::Syntax, 2), ("}", Hint::Syntax, 0),
        ("\u{A0}{}", Hint::Syntax, 0), ("\u{2028}{}", Hint::Syntax, 0), ("\u{B}{}", Hint::Syntax, 0), ("{}\u{C}", Hint::Syntax, 2), ("{\u{A0}}", Hint::Syntax, 1), ("[1, ...]", Hint::Syntax, 4), ("{“a”:1}", Hint::Syntax, 1), ("\"a\":1", Hint::Syntax, 3),
        ("{\"a\" \"b\"}", Hint::Syntax, 5), ("{\"a\":\"b\"c\"}", Hint::Syntax, 8),
    ];
    for (text, hint, offset) in table {
        assert_eq!(refused(text), (*hint, *offset), "{text:?}");
    }
    let elsewhere = [Hint::InvalidUtf8, Hint::TooLarge, Hint::TooDeep];
    for hint in ALL {
        assert!(elsewhere.contains(&hint) || table.iter().any(|(_, h, _)| *h == hint), "{hint} is never given");
        assert_eq!(json::canonical(&serde_json::to_value(hint).unwrap()), format!("\"{hint}\""));
    }
}

#[rustfmt::skip]
const ALL: [Hint; 23] = [
    Hint::Empty, Hint::Fence, Hint::ProseBefore, Hint::ProseAfter, Hint::SecondDocument, Hint::TrailingComma, Hint::SingleQuotes, Hint::Comment,
    Hint::NonFinite, Hint::RepeatedKey, Hint::LoneSurrogate, Hint::ByteOrderMark, Hint::ControlCharacter, Hint::Truncated, Hint::DoubleEncoded,
    Hint::UnquotedKey, Hint::BadNumber, Hint::BadEscape, Hint::BadLiteral, Hint::InvalidUtf8, Hint::TooLarge, Hint::TooDeep, Hint::Syntax,
];

#[test]
fn what_is_json_is_kept_as_written() {
    #[rustfmt::skip]
    let table = [
        ("true", "true"), (" \t\r\n{} \t\r\n", "{}"), ("-0", "-0"), ("-0.0", "-0.0"), ("1e6", "1e6"), ("1E+06", "1E+06"), ("1.50", "1.50"),
        ("1e999999999", "1e999999999"), ("123456789012345678901234567890123456789012345678901234567890", "123456789012345678901234567890123456789012345678901234567890"),
        ("9007199254740993.0", "9007199254740993.0"), ("\"\\u0000\\u001F\\b\\f\\n\\r\\t\\/\\\\\\\"\"", "\"\\u0000\\u001f\\b\\f\\n\\r\\t/\\\\\\\"\""),
        ("\"\u{7F}\u{85}é\\u00e9\u{2028}\"", "\"\u{7F}\u{85}éé\u{2028}\""), ("\"\\ud83d\\udd25\"", "\"🔥\""), ("\"```sh\\nls\"", "\"```sh\\nls\""),
        ("{\"b\":[1, {\"é\":null}],\"a\":{},\"\":[]}", "{\"\":[],\"a\":{},\"b\":[1,{\"é\":null}]}"),
        ("{\"$serde_json::private::Number\":\"1\"}", "{\"$serde_json::private::Number\":\"1\"}"),
        ("{\"\u{FF61}\":1,\"\u{1F600}\":2,\"z\":3}", "{\"z\":3,\"\u{FF61}\":1,\"\u{1F600}\":2}"),
    ];
    for (text, canonical) in table {
        let value = parse(text).expect(text);
        assert_eq!(json::canonical(&value), canonical);
        assert_eq!(parse(&json::pretty(&value)), Ok(value), "{text}");
    }
    assert!(parse("{\"$serde_json::private::Number\":\"1\"}").unwrap().is_object());
}

#[test]
fn pretty_keeps_the_author_order() {
    let value = parse("{\"b\":[],\"a\":[1,{\"x\":{}}]}").unwrap();
    assert_eq!(json::pretty(&value), "{\n  \"b\": [],\n  \"a\": [\n    1,\n    {\n      \"x\": {}\n    }\n  ]\n}");
}

#[test]
fn a_repeated_key_is_named_by_its_pointer() {
    let error = parse("{\"x\":[0,{\"a/b~\":1,\"c\":2,\"a\\/b~\":3}]}").unwrap_err();
    assert_eq!((error.hint, error.path.as_deref()), (Hint::RepeatedKey, Some("/x/1/a~1b~0")));
    assert_eq!(parse("[1,]").unwrap_err().path, None);
}

#[test]
fn limits_are_exact() {
    let nested = |n: usize| "[".repeat(n) + &"]".repeat(n);
    let limits = ParseLimits { max_bytes: 1024, max_depth: 512 };
    assert!(json::parse(&nested(512), limits).is_ok());
    let deep = ParseLimits { max_bytes: 2000, max_depth: 512 };
    let error = json::parse(&nested(513), deep).unwrap_err();
    assert_eq!((error.hint, error.position.offset), (Hint::TooDeep, 512));
    assert_eq!(json::parse(&nested(513), limits).unwrap_err().hint, Hint::TooLarge);
    assert!(json::parse("1", ParseLimits { max_bytes: 1, max_depth: 0 }).is_ok());
    let umlauts = json::parse("\"ää\"", ParseLimits { max_bytes: 4, max_depth: 0 }).unwrap_err();
    assert_eq!(umlauts.position.offset, 3, "inside a character");
}

#[test]
fn depth_never_meets_the_stack() {
    let limits = ParseLimits { max_bytes: usize::MAX, max_depth: usize::MAX };
    let n = 100_000;
    let text = "{\"a\":[".repeat(n) + "1" + &"]}".repeat(n);
    let value = json::parse(&text, limits).unwrap();
    assert_eq!(json::canonical(&value), text);
    json::discard(value);
    for tail in [" x", "{}"] {
        assert!(json::parse(&(text.clone() + tail), limits).is_err());
    }
    assert_eq!(json::parse(&format!("[{text},{text}"), limits).unwrap_err().hint, Hint::Truncated);
    assert_eq!(json::parse(&format!("{{\"k\":1,\"k\":{text}}}"), limits).unwrap_err().hint, Hint::RepeatedKey);
    assert_eq!(json::parse(&"[".repeat(n), limits).unwrap_err().hint, Hint::Truncated);
    assert!(json::locate(&text, "/a/0/a/0/a", Part::Value).is_some());
}

#[test]
fn bytes_must_be_utf8() {
    let bytes = |b: &[u8]| {
        json::parse_bytes(b, ParseLimits::default()).map_err(|e| (e.hint, e.position.offset, e.position.line))
    };
    assert_eq!(bytes(b"[1]"), Ok(parse("[1]").unwrap()));
    assert_eq!(bytes(b"[1,\n\"\xC3\x28\"]"), Err((Hint::InvalidUtf8, 5, 2)));
    assert_eq!(bytes(b"\xEF\xBB\xBF{}"), Err((Hint::ByteOrderMark, 0, 1)));
    assert_eq!(bytes(b"\xFF\xFE{\0}\0"), Err((Hint::InvalidUtf8, 0, 1)));
    assert_eq!(bytes(b"\"\xED\xA0\x80\""), Err((Hint::InvalidUtf8, 1, 1)));
}

#[test]
fn lines_end_in_three_ways_and_columns_count_characters() {
    let text = "a\nbé\r\nc\rd🔥e";
    let at = |offset| (json::position(text, offset).line, json::position(text, offset).column);
    let seen: Vec<_> = text.char_indices().map(|(i, _)| at(i)).chain([at(99)]).collect();
    #[rustfmt::skip]
    assert_eq!(seen, [(1, 1), (1, 2), (2, 1), (2, 2), (2, 3), (2, 4), (3, 1), (3, 2), (4, 1), (4, 2), (4, 3), (4, 4)]);
    assert_eq!(json::position(text, 4).offset, 3);
}

#[test]
fn a_text_that_holds_a_document_is_double_encoded() {
    let double = |text| json::double_encoded(&parse(text).unwrap());
    assert!(double(r#""{\"a\":1}""#) && double(r#"" [1] ""#));
    assert!(!double(r#""{a}""#) && !double(r#""1""#) && !double("{}") && !double(r#""""#));
}

#[test]
fn pointers_are_followed_and_found() {
    let text = "{ \"a/b\" : [10, {\"~\":\"x\\\"}\"}], \"\\u0061\" : {\"\" : -1.5}, \"t\": tru";
    let found = |pointer, part| json::locate(text, pointer, part).map(|s| &text[s.start..s.end]);
    assert_eq!(found("/a~1b/1/~0", Part::Value), Some("\"x\\\"}\""));
    assert_eq!(found("/a~1b/0", Part::Value), Some("10"));
    assert_eq!(found("/a~1b/0", Part::Key), None);
    assert_eq!(found("/a", Part::Key), Some("\"\\u0061\""));
    assert_eq!(found("/a/", Part::Value), Some("-1.5"));
    assert_eq!(found("/t", Part::Value), Some("tru"));
    assert_eq!(found("", Part::Value), Some(text));
    assert_eq!(found("", Part::Key), None);
    for missing in ["/x", "/a~1b/2", "/a~1b/00", "/a~1b/-", "/t/x", "a", "/~2"] {
        assert_eq!(found(missing, Part::Value), None, "{missing}");
    }
    let value = parse("{\"a/b\":[10,{\"~\":true}]}").unwrap();
    assert_eq!(json::resolve(&value, "/a~1b/1/~0"), Some(&Value::Bool(true)));
    assert_eq!(json::resolve(&value, ""), Some(&value));
    assert!(json::resolve(&value, "/a~1b/01").is_none() && json::resolve(&value, "/a~1b/+1").is_none());
}

#[test]
fn hashes_are_sha256_in_hex() {
    assert_eq!(json::sha256_hex("abc"), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
}

#[test]
fn a_check_says_what_a_parse_says() {
    let mut texts: Vec<String> = [
        "[1,[2,{\"a\":[],\"b\":{\"c\":1,\"c\":2}}]]",
        "{\"a\":1}",
        "[1,2,]",
        "[1 2]",
        "",
        "nul",
        "\"\\ud800\"",
        "[[[[",
        "1e5x",
    ]
    .map(str::to_owned)
    .into();
    texts.push("[".repeat(600));
    for text in texts {
        let limits = ParseLimits::default();
        assert_eq!(json::check(&text, limits).err(), json::parse(&text, limits).err(), "{text}");
    }
}
