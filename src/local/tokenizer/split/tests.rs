//! Splits by hand for each way of cutting. The ways of the default model are held against llama.cpp itself in
//! `tests/local_tokens.rs`; these are for those whose models are not at hand.

use super::*;

fn words<'t>(style: &str, text: &'t str) -> Vec<&'t str> {
    let splitter = Splitter::new(Style::by_name(style).unwrap()).unwrap();
    let mut words = Vec::new();
    splitter.words(text, |word| words.push(word));
    assert_eq!(words.concat(), text);
    words
}

#[test]
fn qwen2_takes_digits_one_by_one_and_line_ends_with_what_is_before() {
    let cases: &[(&str, &[&str])] = &[
        ("Hello'Ve world 123\n\n  foo", &["Hello", "'Ve", " world", " ", "1", "2", "3", "\n\n", " ", " foo"]),
        ("I'LL we'll don'T", &["I", "'LL", " we", "'ll", " don", "'T"]),
        ("a.b (c)\n\nd", &["a", ".b", " (", "c", ")\n\n", "d"]),
        ("{\"a\": 10}", &["{\"", "a", "\":", " ", "1", "0", "}"]),
        ("  \n  x", &["  \n", " ", " x"]),
        ("x  ", &["x", "  "]),
        ("\tif", &["\tif"]),
        ("\t\tif", &["\t", "\tif"]),
        ("a\r\nb", &["a", "\r\n", "b"]),
        ("½²", &["½", "²"]),
        ("cafe\u{301} ok", &["cafe", "\u{301}", " ok"]),
        ("你好，世界", &["你好", "，世界"]),
        ("", &[]),
    ];
    for (text, expected) in cases {
        assert_eq!(words("qwen2", text), *expected, "{text:?}");
    }
}

#[test]
fn llama3_takes_digits_in_threes() {
    assert_eq!(words("llama-bpe", "in 12345 a"), ["in", " ", "123", "45", " a"]);
    assert_eq!(words("llama-bpe", "x'RE\n"), ["x", "'RE", "\n"]);
    assert_eq!(words("smaug-bpe", "!!\n\n a"), ["!!\n\n", " a"]);
}

#[test]
fn gpt2_takes_numbers_whole_and_knows_small_contractions_only() {
    assert_eq!(words("gpt-2", "it's IT'S 2024  ok\n\n"), ["it", "'s", " IT", "'", "S", " 2024", " ", " ok", "\n\n"]);
    assert_eq!(words("gpt-2", "a\n b\t\tc"), ["a", "\n", " b", "\t", "\t", "c"]);
}

#[test]
fn smollm_cuts_at_digits_first_so_that_blanks_before_them_stay_together() {
    assert_eq!(words("smollm", "a  12  b"), ["a", "  ", "1", "2", " ", " b"]);
    assert_eq!(words("smollm", " 1"), [" ", "1"]);
}

#[test]
fn every_style_cuts_every_text_without_loss() {
    for (name, _) in STYLES {
        for text in ["", "a", "\u{0}\u{1f468}\u{200d}\u{1f469} \u{a0}\u{2003}x", "\u{10ffff}\u{e000} \r\n\t", "'''s 'S"]
        {
            words(name, text);
        }
    }
    assert!(Style::by_name("default").is_none() && Style::by_name("").is_none());
}
