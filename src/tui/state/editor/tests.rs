//! The editor's tables and laws.

use proptest::prelude::*;

use super::*;
use crate::command::{Chord, Key};

fn typed(editor: &mut Editor, text: &str) {
    for c in text.chars() {
        editor.key(Chord::plain(if c == '\n' { Key::Enter } else { Key::Char(c) }));
    }
}

fn keys(editor: &mut Editor, keys: &[&str]) {
    for key in keys {
        editor.key(key.parse().unwrap());
    }
}

#[test]
fn a_paste_has_unix_lines_and_is_one_undo() {
    let mut e = Editor::new("");
    e.insert("a b\r\nc\rd");
    assert_eq!(e.text(), "a b\nc\nd");
    e.undo();
    assert_eq!(e.text(), "");
    e.redo();
    assert_eq!(e.text(), "a b\nc\nd");
}

#[test]
fn ctrl_u_clears_to_the_start_of_the_line_and_ctrl_w_takes_a_word() {
    let mut e = Editor::new("one two three");
    e.to_end();
    keys(&mut e, &["ctrl-w"]);
    assert_eq!(e.text(), "one two ");
    keys(&mut e, &["ctrl-u"]);
    assert_eq!(e.text(), "");
}

#[test]
fn undo_takes_words_and_redo_gives_them_back() {
    let mut e = Editor::new("");
    typed(&mut e, "hello big world");
    e.undo();
    assert_eq!(e.text(), "hello big ");
    while e.undo() {}
    assert_eq!(e.text(), "");
    while e.redo() {}
    assert_eq!(e.text(), "hello big world");
}

#[test]
fn a_moved_caret_begins_a_new_step() {
    let mut e = Editor::new("");
    typed(&mut e, "ab");
    keys(&mut e, &["left", "right"]);
    typed(&mut e, "c");
    e.undo();
    assert_eq!(e.text(), "ab");
}

#[test]
fn replace_can_be_undone_at_once() {
    let mut e = Editor::new("one\ntwo");
    e.replace("three");
    assert_eq!((e.text().as_str(), e.caret()), ("three", (0, 0)));
    e.undo();
    assert_eq!(e.text(), "one\ntwo");
}

#[test]
fn backspace_takes_what_reads_as_one_character() {
    let mut e = Editor::new("");
    e.insert("a👨‍👩‍👧e\u{301}");
    keys(&mut e, &["backspace"]);
    assert_eq!(e.text(), "a👨‍👩‍👧");
    keys(&mut e, &["backspace"]);
    assert_eq!(e.text(), "a");
}

#[test]
fn a_new_line_keeps_and_deepens_the_indent_and_a_closing_bracket_takes_it_back() {
    let mut e = Editor::new("");
    typed(&mut e, "  {\n");
    assert_eq!(e.text(), "  {\n    ");
    typed(&mut e, "1\n}");
    assert_eq!(e.text(), "  {\n    1\n  }");
    let mut e = Editor::new("[]");
    keys(&mut e, &["right", "enter"]);
    assert_eq!((e.text().as_str(), e.caret()), ("[\n  \n]", (1, 2)));
    e.undo();
    assert_eq!(e.text(), "[]");
}

#[test]
fn offsets_and_places_agree() {
    let mut e = Editor::new("{\n  \"ä\": 1\n}");
    for (offset, place) in [(0, (0, 0)), (2, (1, 0)), (5, (1, 3)), (7, (1, 4)), (12, (2, 0)), (999, (2, 1))] {
        assert_eq!(e.place(offset), place, "{offset}");
    }
    e.jump_offset(6);
    assert_eq!(e.caret_offset(), 5, "no offset inside a character");
    e.jump(1, 99);
    assert_eq!(e.caret(), (1, 8));
}

#[test]
fn a_place_far_along_a_line_can_be_jumped_to() {
    let mut e = Editor::new(&"x".repeat(100_000));
    e.jump(0, 90_000);
    assert_eq!(e.caret(), (0, 90_000));
}

#[test]
fn brackets_match_outside_strings() {
    let mut e = Editor::new("{\"a}\": [1, \"\\\"]\"]}");
    assert_eq!(e.bracket(), Some(17));
    assert!(e.to_bracket());
    assert_eq!(e.bracket(), Some(0));
    assert_eq!(Editor::new("]").bracket(), None);
    let mut e = Editor::new("{\n  \"a\": [\n    {}\n  ]\n}");
    for (from, to) in [(0, 22), (9, 20), (20, 9), (22, 0), (15, 16), (16, 15)] {
        e.jump_offset(from);
        assert_eq!(e.bracket(), Some(to), "{from}");
    }
}

#[test]
fn search_is_literal_goes_around_and_counts() {
    let mut e = Editor::new("a.b\naxb\nA.B");
    assert!(e.search("a.b"));
    assert_eq!(e.hit_count(), (1, 2));
    assert!(e.next_match());
    assert_eq!((e.caret(), e.hit_count()), ((2, 3), (2, 2)));
    assert!(e.next_match());
    assert_eq!(e.caret(), (0, 3));
    assert!(e.previous_match());
    assert_eq!(e.hit_count(), (2, 2));
    e.set_search(Needle::new("a.b", Case::Exact, Manner::Text));
    assert_eq!(e.hit_count(), (0, 1));
    assert!(!e.search("zzz"));
}

#[test]
fn replacing_one_goes_to_the_next_and_replacing_all_is_one_step() {
    let mut e = Editor::new("cat Cat dog cat");
    e.search("cat");
    assert!(e.replace_hit("bird"));
    assert_eq!((e.text().as_str(), e.selected_text()), ("bird Cat dog cat", Some("Cat")));
    assert_eq!(e.replace_all("x"), Ok(2));
    assert_eq!(e.text(), "bird x dog x");
    e.undo();
    assert_eq!(e.text(), "bird Cat dog cat");
    e.redo();
    assert_eq!(e.text(), "bird x dog x");
}

#[test]
fn shift_selects_and_a_plain_move_drops_it() {
    let mut e = Editor::new("one two\nthree");
    keys(&mut e, &["shift-right", "shift-right"]);
    assert_eq!(e.selected_text(), Some("on"));
    keys(&mut e, &["shift-down"]);
    assert_eq!(e.selected_text(), Some("one two\nth"));
    keys(&mut e, &["left"]);
    assert_eq!((e.selected(), e.caret_offset()), (None, 0), "to the side of the selection");
    keys(&mut e, &["shift-end"]);
    typed(&mut e, "x");
    assert_eq!(e.text(), "x\nthree");
    e.select_all();
    keys(&mut e, &["backspace"]);
    assert_eq!(e.text(), "");
    e.undo();
    assert_eq!(e.selected_text(), Some("x\nthree"), "undo brings the selection back");
}

#[test]
fn vertical_moves_keep_the_column_they_came_from() {
    let mut e = Editor::new("long line\nx\nlong line");
    e.jump(0, 6);
    keys(&mut e, &["down"]);
    assert_eq!(e.caret(), (1, 1));
    keys(&mut e, &["down"]);
    assert_eq!(e.caret(), (2, 6));
    keys(&mut e, &["home", "up"]);
    assert_eq!(e.caret(), (1, 0));
}

#[test]
fn whole_lines_are_cut_copied_moved_and_deleted() {
    let mut e = Editor::new("a\nb\nc");
    e.jump(1, 0);
    assert_eq!(e.copied(), "b\n");
    e.duplicate_lines();
    assert_eq!((e.text().as_str(), e.caret()), ("a\nb\nb\nc", (2, 0)));
    e.undo();
    assert!(e.shift_lines(Shift::Down));
    assert_eq!((e.text().as_str(), e.caret()), ("a\nc\nb", (2, 0)));
    assert!(!e.shift_lines(Shift::Down));
    assert!(e.shift_lines(Shift::Up) && e.shift_lines(Shift::Up) && !e.shift_lines(Shift::Up));
    assert_eq!(e.text(), "b\na\nc");
    e.jump(2, 0);
    assert_eq!((e.cut().as_str(), e.text().as_str()), ("c\n", "b\na"));
    e.delete_lines();
    assert_eq!(e.text(), "b");
    e.delete_lines();
    assert_eq!(e.text(), "");
    e.delete_lines();
    assert_eq!(e.text(), "");
}

#[test]
fn a_selection_is_indented_and_outdented_and_stays() {
    let mut e = Editor::new("a\n  b\n\nc");
    e.select(0..6);
    e.indent();
    assert_eq!((e.text().as_str(), e.selected_text()), ("  a\n    b\n\nc", Some("a\n    b\n")));
    e.outdent();
    e.outdent();
    assert_eq!(e.text(), "a\nb\n\nc");
}

#[test]
fn only_what_differs_is_touched() {
    for (old, new) in [("abcdef", "abXef"), ("aa", "aaa"), ("aaa", "aa"), ("ä", "ö"), ("", "x"), ("x", ""), ("é", "è")]
    {
        let (range, with) = difference(old, new);
        let mut made = old.to_owned();
        made.replace_range(range, with);
        assert_eq!(made, new);
    }
    let mut e = Editor::new("one two three");
    e.take_touched();
    e.replace("one 2 three");
    assert_eq!(e.take_touched().map(|touched| touched.first), Some(4));
    assert_eq!(e.take_touched(), None);
}

#[derive(Debug, Clone)]
enum Act {
    Key(&'static str),
    Insert(String),
    Replace(String),
    All(String, String),
    Block(u8),
    Jump(usize),
}

fn act() -> impl Strategy<Value = Act> {
    const KEYS: &[&str] = &[
        "a",
        "1",
        "}",
        "{",
        "enter",
        "backspace",
        "delete",
        "tab",
        "left",
        "right",
        "up",
        "down",
        "home",
        "end",
        "ctrl-w",
        "ctrl-u",
        "ctrl-k",
        "alt-d",
        "shift-left",
        "shift-right",
        "shift-up",
        "shift-down",
        "ctrl-left",
        "ctrl-right",
        "shift-home",
        "shift-end",
        "ctrl-home",
        "ctrl-end",
        "alt-backspace",
    ];
    prop_oneof![
        8 => prop::sample::select(KEYS).prop_map(Act::Key),
        2 => "[ab{}ä語\r\n\t ]{0,8}".prop_map(Act::Insert),
        1 => "[ab{}ä\n]{0,12}".prop_map(Act::Replace),
        1 => ("[aä\n]{1,2}", "[bé\n]{0,3}").prop_map(|(a, b)| Act::All(a, b)),
        2 => (0u8..9).prop_map(Act::Block),
        1 => (0usize..40).prop_map(Act::Jump),
    ]
}

fn perform(e: &mut Editor, act: &Act) {
    match act {
        Act::Key(key) => e.key(key.parse().unwrap()),
        Act::Insert(text) => e.insert(text),
        Act::Replace(text) => e.replace(text),
        Act::All(needle, with) => {
            e.set_search(Needle::new(needle, Case::Folded, Manner::Text));
            let _ = e.replace_all(with);
        }
        Act::Block(0) => e.duplicate_lines(),
        Act::Block(1) => e.delete_lines(),
        Act::Block(2) => drop(e.cut()),
        Act::Block(3) => e.indent(),
        Act::Block(4) => e.outdent(),
        Act::Block(5) => {
            e.shift_lines(Shift::Up);
        }
        Act::Block(6) => {
            e.shift_lines(Shift::Down);
        }
        Act::Block(7) => e.select_all(),
        Act::Block(_) => {
            e.to_bracket();
        }
        Act::Jump(at) => e.jump_offset(*at),
    }
}

proptest! {
    #[test]
    fn anything_can_be_undone_and_redone(first in "[ab{}ä\n ]{0,20}", acts in prop::collection::vec(act(), 0..30)) {
        let mut e = Editor::new(&first);
        for act in &acts {
            let before = (e.text(), e.revision());
            perform(&mut e, act);
            prop_assert!(e.as_str().is_char_boundary(e.caret_offset()), "{act:?}");
            let selected = e.selected().unwrap_or(0..0);
            prop_assert!(e.as_str().get(selected).is_some(), "{act:?}");
            prop_assert_eq!(before.0 != e.text(), before.1 != e.revision());
            let (row, column) = e.caret();
            let at = e.caret_offset();
            let mut copy = e.clone();
            copy.jump(row, column);
            prop_assert_eq!(copy.caret_offset(), at);
        }
        let last = e.text();
        while e.undo() {}
        prop_assert_eq!(e.text(), unix_lines(&first));
        while e.redo() {}
        prop_assert_eq!(e.text(), last);
    }
}

#[test]
fn an_expression_is_searched_and_its_groups_are_put_in() {
    let mut e = Editor::new("{\"a\": 1, \"b\": 22}");
    e.set_search(Needle::new(r#""(\w)": (\d+)"#, Case::Exact, Manner::Expression));
    assert_eq!(e.hits().len(), 2);
    assert!(e.search(r#""(\w)": (\d+)"#));
    assert!(e.replace_hit(r#""$2": "$1""#));
    assert_eq!(e.text(), "{\"1\": \"a\", \"b\": 22}");
    assert_eq!(e.selected_text(), Some("\"b\": 22"));
    assert_eq!(e.replace_all(r"\n$0$0"), Ok(1));
    assert_eq!(e.text(), "{\"1\": \"a\", \n\"b\": 22\"b\": 22}");
    e.undo();
    assert_eq!(e.text(), "{\"1\": \"a\", \"b\": 22}");
    e.set_search(Needle::new("(", Case::Exact, Manner::Expression));
    assert_eq!((e.hits().len(), e.needle().fault()), (0, Some("unclosed group")));
    // As a text it has no groups.
    e.set_search(Needle::new("22", Case::Exact, Manner::Text));
    assert_eq!(e.replace_all("$1"), Ok(1));
    assert!(e.text().ends_with("$1}"));
}

#[test]
fn replacing_does_not_make_a_text_that_nobody_could_read() {
    let mut e = Editor::new(&"a".repeat(20_000));
    e.set_search(Needle::new("a", Case::Exact, Manner::Text));
    assert_eq!(e.replace_all(&"b".repeat(1_000)), Err(Refused::TooLarge));
    assert!(!e.undo());
}
