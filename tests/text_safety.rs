//! Text from outside on its way to the terminal: nothing is obeyed, nothing is hidden, widths are right.
#![allow(clippy::unwrap_used, clippy::string_slice, reason = "helpers of tests may stop a test")]

#[path = "support/cases.rs"]
mod cases;

use std::borrow::Cow;

use formwork::json;
use formwork::text::{self, Holdback, fit_left, graphemes, safe, safe_keep_lines, truncate, width};
use proptest::prelude::*;
use ratatui::buffer::CellWidth as _;

/// Written apart from the code under test, by code point.
fn dangerous(letter: char) -> bool {
    let code = u32::from(letter);
    letter.is_control()
        || [0x061C, 0x200B, 0x200E, 0x200F, 0x2028, 0x2029, 0x2060, 0xFEFF].contains(&code)
        || (0x202A..=0x202E).contains(&code)
        || (0x2066..=0x2069).contains(&code)
}

fn assert_safe(text: &str) {
    let one = safe(text);
    assert!(!one.contains(dangerous), "{one:?}");
    let many = safe_keep_lines(text);
    assert!(!many.contains(|c| dangerous(c) && c != '\n'), "{many:?}");
    assert_eq!(safe(&one), one, "safe text stays as it is");
    assert!(matches!(safe(&one), Cow::Borrowed(_)));
}

#[test]
fn each_kind_has_its_stand_in() {
    #[rustfmt::skip]
    let table = [
        ("plain ~", "plain ~"), ("a\tb", "a b"), ("a\nb\r\n", "a␊b␍␊"), ("\u{1B}[31mred\u{7}", "␛[31mred␇"), ("\0\u{7F}", "␀␡"),
        ("\u{9B}2J\u{85}", "⟨U+009B⟩2J⟨U+0085⟩"), ("a\u{202E}b\u{2066}c", "a⟨U+202E⟩b⟨U+2066⟩c"), ("\u{200E}\u{200F}\u{61C}", "⟨U+200E⟩⟨U+200F⟩⟨U+061C⟩"),
        ("a\u{2028}b\u{2029}", "a⟨U+2028⟩b⟨U+2029⟩"), ("\u{FEFF}x", "⟨U+FEFF⟩x"), ("a\u{200B}b\u{2060}", "a⟨U+200B⟩b⟨U+2060⟩"), ("pay\u{AD}pal", "pay⟨U+00AD⟩pal"),
        ("\u{E0041}\u{1F3F4}\u{E0041}\u{E007F}", "⟨U+E0041⟩\u{1F3F4}⟨U+E0041⟩⟨U+E007F⟩"), ("a\u{200D}b", "a⟨U+200D⟩b"), ("\u{FE0F}", "⟨U+FE0F⟩"),
        ("☺\u{FE0F}\u{FE01}\u{E0101}", "☺\u{FE0F}⟨U+FE01⟩⟨U+E0101⟩"), ("é\u{1B}é\t\u{9B}", "é␛é ⟨U+009B⟩"),
        // These stay: emoji, Persian and Devanagari joiners, an English flag, accents, wide text.
        ("👩\u{200D}👧 #\u{FE0F}\u{20E3}", "👩\u{200D}👧 #\u{FE0F}\u{20E3}"), ("می\u{200C}خواهم", "می\u{200C}خواهم"), ("क्\u{200D}ष", "क्\u{200D}ष"),
        ("🏴\u{E0067}\u{E0062}\u{E0065}\u{E006E}\u{E0067}\u{E007F}!", "🏴\u{E0067}\u{E0062}\u{E0065}\u{E006E}\u{E0067}\u{E007F}!"), ("é e\u{301} 日本", "é e\u{301} 日本"),
    ];
    for (text, want) in table {
        assert_eq!(safe(text), want, "{text:?}");
        assert_eq!(matches!(safe(text), Cow::Borrowed(_)), text == want, "{text:?}");
    }
}

#[test]
fn lines_are_kept_where_asked() {
    assert_eq!(safe_keep_lines("a\r\nb\n\tc\rd\u{B}e"), "a\nb\n    c␍d␋e");
    assert!(matches!(safe_keep_lines("a\nb"), Cow::Borrowed(_)));
}

#[test]
fn every_character_that_acts_is_gone() {
    for letter in '\0'..=char::MAX {
        let text = format!("x{letter}y");
        let shown = safe(&text);
        assert!(!shown.contains(dangerous), "{:x}", u32::from(letter));
        assert!(width(&shown) >= 2 && shown.starts_with('x') && shown.ends_with('y'));
    }
}

#[test]
fn naughty_strings_and_terminal_recordings_do_nothing() {
    let Some(root) = cases::shared() else { return };
    let strings = fs_err::read(root.join("corpora/text/blns.json")).unwrap();
    let strings = json::parse_bytes(&strings, json::ParseLimits::default()).unwrap();
    let list = strings.as_array().unwrap();
    assert!(list.len() > 300);
    for string in list {
        assert_safe(string.as_str().unwrap());
    }
    let utf8 = fs_err::read(root.join("corpora/text/utf8tests.bin")).unwrap();
    assert_safe(&String::from_utf8_lossy(&utf8));
    let mut seen = 0;
    for entry in fs_err::read_dir(root.join("corpora/terminal")).unwrap() {
        let bytes = fs_err::read(entry.unwrap().path()).unwrap();
        assert_safe(&String::from_utf8_lossy(&bytes));
        // Bytes read one by one as Latin-1 make C1 controls of everything above 0x7F.
        assert_safe(&bytes.iter().map(|&b| char::from(b)).collect::<String>());
        seen += 1;
    }
    assert!(seen > 50);
}

#[test]
fn every_emoji_stays_whole_and_has_its_width() {
    let Some(root) = cases::shared() else { return };
    let list = fs_err::read_to_string(root.join("corpora/text/emoji-test.txt")).unwrap();
    let mut seen = 0;
    for line in list.lines().filter(|l| !l.starts_with('#') && l.contains(';')) {
        let (codes, status) = line.split_once(';').unwrap();
        let emoji: String =
            codes.split_whitespace().map(|c| char::from_u32(u32::from_str_radix(c, 16).unwrap()).unwrap()).collect();
        assert_eq!(safe(&emoji), emoji, "{line}");
        assert_eq!(graphemes(&emoji).count(), 1, "{line}");
        assert_eq!(width(&emoji), usize::from(emoji.as_str().cell_width()), "{line}");
        if status.trim_start().starts_with("fully-qualified") {
            assert_eq!(width(&emoji), 2, "{line}");
        }
        seen += 1;
    }
    assert!(seen > 1000, "{seen}");
}

#[test]
fn texts_are_cut_in_cells() {
    #[rustfmt::skip]
    let table = [
        ("abc", 3, "abc", "abc"), ("abcd", 3, "ab…", "…cd"), ("abcd", 1, "…", "…"), ("abcd", 0, "", ""), ("", 0, "", ""),
        ("日本語", 5, "日本…", "…本語"), ("日本語", 4, "日…", "…語"), ("日本語", 6, "日本語", "日本語"), ("日本", 2, "…", "…"),
        ("e\u{301}e\u{301}e\u{301}", 2, "e\u{301}…", "…e\u{301}"), ("👩\u{200D}👧👩\u{200D}👧", 3, "👩\u{200D}👧…", "…👩\u{200D}👧"), 
    ];
    for (text, cells, left, right) in table {
        assert_eq!(
            (truncate(text, cells).as_ref(), fit_left(text, cells).as_ref()),
            (left, right),
            "{text} in {cells}"
        );
    }
    assert_eq!(fit_left("/home/someone/schemas/answer.json", 16), "…has/answer.json".replace("has", "mas"));
}

#[test]
fn a_stream_of_marks_costs_no_more_than_its_length() {
    let mut holdback = Holdback::default();
    let mut out = String::new();
    for _ in 0..200_000 {
        out.push_str(&holdback.push("\u{301}"));
        assert!(holdback.held().len() <= 1024);
    }
    out.push_str(&holdback.flush());
    assert_eq!(out, "\u{301}".repeat(200_000));
}

#[test]
fn a_finished_line_does_not_wait() {
    let mut holdback = Holdback::default();
    assert_eq!(holdback.push("ab"), "a");
    assert_eq!(holdback.push("c\r"), "bc");
    assert_eq!(holdback.push("\n"), "\r\n");
    assert_eq!(holdback.push("x\n"), "x\n");
    assert_eq!(holdback.flush(), "");
}

/// Pieces that join with each other in many ways.
fn joining() -> impl Strategy<Value = String> {
    let piece = prop_oneof![
        "[a-c \\n\\r\\t]",
        Just("e\u{301}".to_owned()),
        Just("\u{200D}".to_owned()),
        Just("👩".to_owned()),
        Just("👧🏽".to_owned()),
        Just("\u{FE0F}".to_owned()),
        Just("🇩".to_owned()),
        Just("🇪".to_owned()),
        Just("क्".to_owned()),
        Just("ष".to_owned()),
        Just("각".to_owned()),
        Just("ᄀ".to_owned()),
        Just("ᅡ".to_owned()),
        Just("\u{600}".to_owned()),
        Just("ﾞ".to_owned()),
        Just("\u{E0067}".to_owned()),
        Just("🏴".to_owned()),
        "\\PC",
        "[\\x00-\\x1f\\x7f-\\x9f]",
    ];
    prop::collection::vec(piece, 0..24).prop_map(|p| p.concat())
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, cases: 500, ..ProptestConfig::default() })]

    #[test]
    fn any_cut_of_a_stream_gives_the_same_clusters(text in joining(), cuts in prop::collection::vec(any::<prop::sample::Index>(), 0..12)) {
        let mut at: Vec<usize> = cuts.iter().map(|c| text.floor_char_boundary(c.index(text.len() + 1))).collect();
        at.extend([0, text.len()]);
        at.sort_unstable();
        let mut holdback = Holdback::default();
        let mut pieces: Vec<String> = at.windows(2).map(|w| holdback.push(&text[w[0]..w[1]])).collect();
        pieces.push(holdback.flush());
        prop_assert_eq!(pieces.concat(), text.as_str());
        let clusters: Vec<&str> = pieces.iter().flat_map(|p| graphemes(p)).collect();
        prop_assert_eq!(clusters, graphemes(&text).collect::<Vec<_>>());
        prop_assert_eq!(pieces.iter().map(|p| safe(p)).collect::<String>(), safe(&text));
        prop_assert_eq!(pieces.iter().map(|p| safe_keep_lines(p)).collect::<String>(), safe_keep_lines(&text));
        prop_assert_eq!(pieces.iter().map(|p| width(p)).sum::<usize>(), width(&text));
    }

    #[test]
    fn safe_text_is_safe_and_measured_as_it_is_drawn(text in prop_oneof![joining(), "(?s).{0,30}"], cells in 0_usize..20) {
        let shown = safe(&text);
        prop_assert!(!shown.contains(dangerous));
        prop_assert_eq!(safe(&shown), shown.as_ref());
        let drawn: usize = graphemes(&shown).map(|g| usize::from(g.cell_width())).sum();
        prop_assert_eq!(width(&shown), drawn);
        prop_assert!(width(&truncate(&shown, cells)) <= cells);
        prop_assert!(width(&fit_left(&shown, cells)) <= cells);
        prop_assert_eq!(truncate(&shown, cells) == shown, width(&shown) <= cells);
        prop_assert_eq!(text::cluster_width("\n"), 0);
    }
}
