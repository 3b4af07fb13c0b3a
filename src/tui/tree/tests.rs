use proptest::prelude::*;
use ratatui::buffer::Buffer;
use ratatui::layout::Rect;

use super::*;
use crate::json;
use crate::tui::scroll::Motion;
use crate::tui::theme::Theme;

const H: usize = 6;

fn value(text: &str) -> Value {
    json::parse(text, ParseLimits::default()).unwrap()
}

fn tree(text: &str) -> (TreeRows, TreeState) {
    let rows = TreeRows::build(&value(text), Order::Author).unwrap();
    let state = TreeState::new(&rows);
    (rows, state)
}

fn screen(rows: &TreeRows, state: &TreeState, width: u16, height: u16) -> Vec<String> {
    let area = Rect::new(0, 0, width, height);
    let mut buf = Buffer::empty(area);
    rows.render(area, &mut buf, state, &Theme::mono());
    let row = |y| (0..width).map(|x| buf[(x, y)].symbol()).collect::<String>().trim_end().to_owned();
    (0..height).map(row).collect()
}

const SAMPLE: &str = r#"{"name": "Zoë", "n": 1.0e2, "big": 9007199254740993, "list": [1, {"b c": null}, []], "e": {}}"#;

#[test]
fn shows_keys_indexes_counts_and_exact_numbers() {
    let (rows, state) = tree(SAMPLE);
    assert_eq!(
        screen(&rows, &state, 40, 11),
        [
            "❯▾ { 5 keys",
            "     name: \"Zoë\"",
            "     n: 1.0e2",
            "     big: 9007199254740993",
            "   ▾ list: [ 3 items",
            "       0: 1",
            "     ▾ 1: { 1 key",
            "         \"b c\": null",
            "       2: []",
            "     e: {}",
            ""
        ]
    );
}

#[test]
fn a_folded_row_counts_and_previews() {
    let (rows, mut state) = tree(SAMPLE);
    state.fold_level(&rows, H, 1);
    assert_eq!(
        screen(&rows, &state, 34, 6),
        [
            "❯▾ { 5 keys",
            "     name: \"Zoë\"",
            "     n: 1.0e2",
            "     big: 9007199254740993",
            "   ▸ list: […] 3 items  [1,{\"b c\"…",
            "     e: {}"
        ]
    );
    let (short, mut folded) = tree("[[1],2]");
    folded.select(&short, H, 1);
    folded.toggle(&short, H);
    assert_eq!(screen(&short, &folded, 34, 2)[1], "❯  ▸ 0: […] 1 item  [1]", "nothing of the siblings");
    state.fold_level(&rows, H, 0);
    assert_eq!(screen(&rows, &state, 20, 2), ["❯▸ {…} 5 keys  {\"na…", ""]);
    state.fold_level(&rows, H, usize::MAX);
    assert_eq!(screen(&rows, &state, 60, 12).iter().filter(|r| !r.is_empty()).count(), 10);
}

#[test]
fn tu_018_tu_019_path_and_value_of_the_selected_row() {
    let (rows, mut state) = tree(r#"{"a": [{"b c": 1}], "x/y~z": {"é": "q\"\n"}, "s": ["t"]}"#);
    let node = rows.find("/a/0/b c").unwrap();
    state.select(&rows, H, node);
    for (what, want) in [
        (CopyWhat::Pointer, "/a/0/b c"),
        (CopyWhat::JsonPath, "$['a'][0]['b c']"),
        (CopyWhat::Key, "b c"),
        (CopyWhat::Value, "1"),
    ] {
        assert_eq!(rows.copy(state.selected(), what), want);
    }
    let node = rows.find("/x~1y~0z/é").unwrap();
    assert_eq!(rows.pointer(node), "/x~1y~0z/é");
    assert_eq!(rows.json_path(node), "$['x/y~z']['é']");
    assert_eq!(rows.copy(node, CopyWhat::Value), "q\"\n");
    assert_eq!(rows.copy(node, CopyWhat::Json), r#""q\"\n""#);
    assert_eq!(rows.copy(rows.find("/a").unwrap(), CopyWhat::Value), "[\n  {\n    \"b c\": 1\n  }\n]");
    assert_eq!(rows.copy(0, CopyWhat::Canonical), r#"{"a":[{"b c":1}],"s":["t"],"x/y~z":{"é":"q\"\n"}}"#);
    assert_eq!(rows.find("/a/1"), None);
    assert_eq!(rows.find("/nope/0"), None);
    assert_eq!(rows.find(""), Some(0));
}

#[test]
fn keys_fold_and_walk() {
    let (rows, mut state) = tree(SAMPLE);
    state.select(&rows, H, rows.find("/list").unwrap());
    state.fold_or_parent(&rows, H);
    assert!(state.is_folded(state.selected()));
    state.go(&rows, H, Motion::Down(1));
    assert_eq!(rows.pointer(state.selected()), "/e");
    state.go(&rows, H, Motion::Up(1));
    state.unfold_or_child(&rows, H);
    state.unfold_or_child(&rows, H);
    assert_eq!(rows.pointer(state.selected()), "/list/0");
    state.to_next_sibling(&rows, H);
    state.to_next_sibling(&rows, H);
    state.to_next_sibling(&rows, H);
    assert_eq!(rows.pointer(state.selected()), "/list/2");
    state.to_previous_sibling(&rows, H);
    assert_eq!(rows.pointer(state.selected()), "/list/1");
    state.fold_or_parent(&rows, H);
    state.fold_or_parent(&rows, H);
    assert_eq!(rows.pointer(state.selected()), "/list");
    state.select(&rows, H, rows.find("/list/1/b c").unwrap());
    assert!(!state.is_folded(rows.find("/list/1").unwrap()), "opened what hid it");
}

#[test]
fn search_finds_keys_and_scalars_and_walks_around() {
    let (rows, mut state) = tree(r#"{"Alpha": "x", "b": ["ALPHA\n", 12, {"alphabet": true}], "c": "\"q"}"#);
    assert_eq!(state.search(&rows, H, "alpha"), 3);
    let mut seen = vec![];
    for _ in 0..4 {
        seen.push(rows.pointer(state.selected()));
        assert!(state.next_hit(&rows, H));
    }
    assert_eq!(seen, ["/Alpha", "/b/0", "/b/2/alphabet", "/Alpha"]);
    assert!(state.previous_hit(&rows, H));
    assert_eq!(rows.pointer(state.selected()), "/Alpha");
    assert_eq!(state.search(&rows, H, "12"), 1);
    assert_eq!(state.search(&rows, H, "\"q"), 1);
    assert_eq!(state.search(&rows, H, "\": "), 0);
    assert_eq!(state.search(&rows, H, "no"), 0);
    assert!(!state.next_hit(&rows, H));
}

#[test]
fn sorted_order_is_a_view_of_its_own() {
    let rows = TreeRows::build(&value(r#"{"b": 1, "a": {"d": 1, "c": 2}}"#), Order::Sorted).unwrap();
    assert_eq!(rows.value_text(0), r#"{"a":{"c":2,"d":1},"b":1}"#);
}

#[test]
fn hostile_strings_and_wide_characters_are_cut_cleanly() {
    let (rows, state) = tree(r#"["\u001b[2J\u202e", "語語語語語語語語", "\u009b"]"#);
    for width in 0..20 {
        for line in screen(&rows, &state, width, 5) {
            assert!(!line.chars().any(|c| c.is_control() || c == '\u{202E}'), "{line:?}");
        }
    }
    assert_eq!(screen(&rows, &state, 40, 2)[1], "     0: \"\\u001b[2J⟨U+202E⟩\"");
    // The cell behind a wide character reads as a blank here.
    assert_eq!(screen(&rows, &state, 14, 3)[2], "     1: \"語 語 …");
    assert_eq!(screen(&rows, &state, 13, 3)[2], "     1: \"語  …");
}

#[test]
fn deep_nesting_is_walked_without_recursion_and_still_shows_something() {
    let text = format!("{}1{}", "[".repeat(400), "]".repeat(400));
    let (rows, mut state) = tree(&text);
    state.go(&rows, H, Motion::End);
    assert_eq!(rows.depth(state.selected()), 400);
    assert_eq!(rows.value_text(1).len(), text.len() - 2);
    assert!(screen(&rows, &state, 30, 6)[5].ends_with("0: 1"));
}

#[test]
fn memory_is_at_most_four_times_the_text() {
    let item = r#"{"id": 12345, "name": "Ada Lovelace", "tags": ["a", "bc"], "on": true},"#;
    let text = format!("[{}0]", item.repeat(10_000));
    let (rows, _) = tree(&text);
    assert!(rows.memory() <= 4 * text.len(), "{} for {}", rows.memory(), text.len());
}

/// The visible rows by definition: every node none of whose ancestors is folded.
fn visible(rows: &TreeRows, state: &TreeState) -> Vec<Node> {
    let shown = |node: &Node| !rows.ancestors(*node).any(|a| state.is_folded(a));
    (0..rows.count()).filter(shown).collect()
}

fn any_json() -> impl Strategy<Value = String> {
    let leaf = prop::sample::select(vec!["1", "\"a\\\"b,]}\"", "null", "true", "1e400", "[]", "{}", "\"語\"", "-0.0"]);
    let leaf = leaf.prop_map(str::to_owned);
    leaf.prop_recursive(5, 40, 5, |inner| {
        let items = prop::collection::vec(inner, 1..5);
        prop_oneof![
            items.clone().prop_map(|items| format!("[{}]", items.join(","))),
            items.prop_map(|items| {
                let members = items.iter().enumerate().map(|(i, item)| format!("\"k\\\\{i}:\":{item}"));
                format!("{{{}}}", members.collect::<Vec<_>>().join(","))
            })
        ]
    })
}

proptest! {
    #[test]
    fn the_table_holds_the_value(text in any_json()) {
        let (rows, _) = tree(&text);
        prop_assert_eq!(rows.value_text(0), &text);
        let root = value(&text);
        for node in 0..rows.count() {
            let pointer = rows.pointer(node);
            let wanted = json::resolve(&root, &pointer).unwrap();
            prop_assert_eq!(&value(rows.value_text(node)), wanted);
            prop_assert_eq!(rows.find(&pointer), Some(node));
            let count = match wanted {
                Value::Array(items) => items.len(),
                Value::Object(members) => members.len(),
                _ => 0,
            };
            prop_assert_eq!(rows.children(node), count);
        }
    }

    #[test]
    fn any_steps_keep_the_window_true(text in any_json(), steps in prop::collection::vec((0u8..14, 0u32..40), 0..40)) {
        let (rows, mut state) = tree(&text);
        for (step, n) in steps {
            match step {
                0 => state.go(&rows, H, Motion::Up(n as usize)),
                1 => state.go(&rows, H, Motion::Down(n as usize)),
                2 => state.go(&rows, H, Motion::PageUp),
                3 => state.go(&rows, H, Motion::PageDown),
                4 => state.go(&rows, H, Motion::Home),
                5 => state.go(&rows, H, Motion::End),
                6 | 7 => state.toggle(&rows, H),
                8 => state.fold_level(&rows, H, n as usize % 4),
                9 => state.select(&rows, H, n),
                10 => state.fold_or_parent(&rows, H),
                11 => state.unfold_or_child(&rows, H),
                12 => state.to_next_sibling(&rows, H),
                _ => state.to_previous_sibling(&rows, H),
            }
            let all = visible(&rows, &state);
            let top = all.iter().position(|node| *node == state.top());
            let selected = all.iter().position(|node| *node == state.selected());
            let (Some(top), Some(selected)) = (top, selected) else { panic!("hidden {state:?}") };
            prop_assert!(top <= selected && selected < top + H);
            prop_assert!(top == 0 || top + H <= all.len());
            let area = Rect::new(0, 0, 20, 6);
            let drawn = rows.render(area, &mut Buffer::empty(area), &state, &Theme::mono());
            prop_assert_eq!(drawn, H.min(all.len() - top));
        }
    }
}

#[test]
fn a_path_has_one_spelling() {
    let value = value(r#"{"it's":{"\\":{"\u0000\u001f\n\t\b\f\r\"":1}}}"#);
    let rows = TreeRows::build(&value, Order::Author).unwrap();
    assert_eq!(rows.json_path(3), r#"$['it\'s']['\\']['\u0000\u001f\n\t\b\f\r"']"#);
    assert_eq!(rows.json_path(0), "$");
}
