use proptest::prelude::*;

use super::*;
use crate::tui::state::editor::Shift;

const NESTED: &str =
    "{\n  \"a\": [{\n    \"b\": 1\n  }, {\n    \"c\": 2\n  }],\n  \"d\": {\n    \"e\": \"}\" // }\n  }\n}";

fn pane(text: &str) -> SchemaPane {
    let mut pane = SchemaPane::default();
    pane.editor = Editor::new(text);
    pane.path = Some("a.jsonc".into());
    pane.follow();
    pane
}

/// The lines that show, from 0.
fn shown(pane: &SchemaPane) -> Vec<usize> {
    pane.shown().collect()
}

#[test]
fn what_begins_on_a_line_is_folded_or_else_what_is_around() {
    for (row, wanted) in [
        (0, vec![0]),
        (1, vec![0, 1, 6, 7, 8, 9]),
        (2, vec![0, 1, 3, 4, 5, 6, 7, 8, 9]),
        (3, vec![0, 1, 2, 3, 6, 7, 8, 9]),
        (4, vec![0, 1, 2, 3, 6, 7, 8, 9]),
        (7, vec![0, 1, 2, 3, 4, 5, 6, 9]),
        (8, vec![0, 1, 2, 3, 4, 5, 6, 9]),
        (9, vec![0]),
    ] {
        let mut pane = pane(NESTED);
        pane.editor.jump(row, 1);
        assert_eq!(pane.fold(), Folded::Shut, "{row}");
        assert_eq!(shown(&pane), wanted, "{row}");
        assert!(pane.folds.below(pane.editor.row()).is_some(), "the caret stands on the line that stays");
        assert_eq!(pane.fold(), Folded::Opened, "{row}");
        assert_eq!(shown(&pane), (0..10).collect::<Vec<_>>());
        assert_eq!(pane.editor.as_str(), NESTED);
    }
    let mut flat = pane("{ \"a\": [1, 2] }");
    assert_eq!(flat.fold(), Folded::Nothing);
    let mut broken = pane("{\n[\n");
    assert_eq!(broken.fold(), Folded::Nothing, "a bracket without its partner");
}

#[test]
fn levels_are_folded_from_the_outside() {
    let mut pane = pane(NESTED);
    for (level, count, wanted) in [
        (1, 4, vec![0, 1, 6, 9]),
        (2, 2, vec![0, 1, 3, 6, 7, 8, 9]),
        (3, 0, (0..10).collect()),
        (1, 4, vec![0, 1, 6, 9]),
        (0, 0, (0..10).collect()),
    ] {
        assert_eq!(pane.fold_below(level), count, "{level}");
        assert_eq!(shown(&pane), wanted, "{level}");
    }
}

#[test]
fn a_fold_moves_along_and_an_edit_in_it_opens_it() {
    let mut pane = pane(NESTED);
    pane.editor.jump(7, 0);
    pane.fold();
    assert_eq!(shown(&pane), [0, 1, 2, 3, 4, 5, 6, 9]);
    // Before it, in lines above and in its own.
    pane.editor.jump(0, 1);
    pane.editor.insert("\n\n");
    pane.editor.jump(8, 2);
    pane.editor.insert("x");
    pane.settle();
    assert_eq!(shown(&pane), [0, 1, 2, 3, 4, 5, 6, 7, 8, 11]);
    assert_eq!(pane.folds.below(8).map(Hidden::count), Some(2));
    // Behind it.
    pane.editor.to_end();
    pane.editor.insert("\n");
    pane.settle();
    assert_eq!(shown(&pane), [0, 1, 2, 3, 4, 5, 6, 7, 8, 11, 12]);
    // Another program's hand: a line of it changes while the caret stays outside.
    let text = pane.editor.text().replace("// }", "// {");
    pane.editor.replace(&text);
    pane.settle();
    assert!(pane.folds.is_empty(), "what changed is seen");
    // Its bracket becomes part of a text.
    pane.editor.jump(9, 0);
    pane.fold();
    assert!(!pane.folds.is_empty());
    pane.editor.jump(8, 8);
    pane.editor.insert("\"");
    pane.settle();
    assert!(pane.folds.is_empty());
}

#[test]
fn a_jump_into_a_fold_opens_no_more_than_hides_it() {
    let mut pane = pane(NESTED);
    pane.fold_below(1);
    pane.editor.jump(7, 4);
    pane.settle();
    assert_eq!(shown(&pane), [0, 1, 6, 7, 8, 9]);
    pane.editor.jump(3, 0);
    pane.settle();
    assert_eq!(shown(&pane), [0, 1, 3, 6, 7, 8, 9], "the folds inside stay shut");
}

#[test]
fn another_language_is_not_folded() {
    let mut pane = pane(NESTED);
    pane.fold_below(1);
    pane.path = Some("a.yaml".into());
    pane.settle();
    assert!(pane.folds.is_empty());
}

/// What a person does.
fn act(pane: &mut SchemaPane, act: u8, n: usize) {
    let key = |text: &str| text.parse::<Chord>().unwrap();
    let length = pane.editor.as_str().len().max(1);
    match act {
        0..=2 => {
            _ = pane.fold();
        }
        3 => {
            _ = pane.fold_below(n % 4);
        }
        4 => pane.key(key("up")),
        5 => pane.key(key("down")),
        6 => pane.key(key("left")),
        7 => pane.key(key("right")),
        8 => pane.key(key("shift-down")),
        9 => pane.key(key("enter")),
        10 => pane.key(key("backspace")),
        11 => pane.key(key("delete")),
        12 => {
            _ = pane.editor.undo();
        }
        13 => {
            _ = pane.editor.redo();
        }
        14 => pane.editor.jump_offset(n % length),
        15 => pane.editor.insert(["{", "}", "\"", "[\n1\n]", "/*", "ä"][n % 6]),
        16 => {
            _ = pane.editor.shift_lines(if n.is_multiple_of(2) { Shift::Up } else { Shift::Down });
        }
        17 => {
            _ = pane.editor.cut();
        }
        18 => pane.step(isize::try_from(n % 9).unwrap() - 4, Select::Drop),
        19 => {
            pane.editor.search(["{", "]", "1"][n % 3]);
            assert!(pane.editor.replace_all(["", "[", "\n"][n % 3]).is_ok());
        }
        _ => pane.editor.indent(),
    }
}

proptest! {
    #[test]
    fn whatever_is_done_the_caret_shows_and_nothing_is_lost(
        pieces in prop::collection::vec(prop::sample::select(vec![
            "{", "}", "[", "]", "{\n", "[\n", "\n}", "\n]", "\n", ",", "1", "\"", "\"a\": ", "//", "/*", "*/", "\\", "ä",
        ]), 0..40),
        acts in prop::collection::vec((0_u8..21, 0_usize..100), 0..30),
    ) {
        let mut pane = pane(&pieces.concat());
        for (what, n) in acts {
            let (text, from) = (pane.editor.text(), pane.folds.index(pane.editor.row()));
            act(&mut pane, what, n);
            if what <= 8 || what == 14 || what == 18 {
                prop_assert_eq!(pane.editor.as_str(), &text);
            }
            pane.settle();
            let rows = pane.editor.lines().len();
            let row = pane.editor.row();
            prop_assert!(pane.folds.hides(row).is_none());
            if what == 5 {
                prop_assert!(pane.folds.index(row) == from + 1 || pane.folds.next(row) >= rows);
            }
            // The map by definition: a line shows when no fold covers it.
            let covered: Vec<Hidden> =
                pane.folds.shut.iter().map(|fold| covered(&pane.editor, *fold).unwrap()).collect();
            let shows = |row: usize| !covered.iter().any(|hidden| hidden.first <= row && row <= hidden.last);
            let wanted: Vec<usize> = (0..rows).filter(|row| shows(*row)).collect();
            pane.top = 0;
            prop_assert_eq!(shown(&pane), wanted.clone());
            for (index, row) in wanted.iter().enumerate() {
                prop_assert_eq!(pane.folds.index(*row), index);
                prop_assert_eq!(pane.folds.row_at(index), *row);
            }
            // Every fold is a pair of brackets of the text as it is.
            let pairs = pairs(pane.editor.as_str());
            for fold in &pane.folds.shut {
                prop_assert!(pairs.iter().any(|pair| pair.fold() == Some(*fold)));
            }
            pane.scroll(3);
            let place = pane.folds.index(row) - pane.folds.index(pane.top);
            prop_assert!(place < 3);
            pane.top = 0;
        }
        let text = pane.editor.text();
        pane.fold_below(0);
        prop_assert_eq!(shown(&pane), (0..pane.editor.lines().len()).collect::<Vec<_>>());
        prop_assert_eq!(pane.editor.as_str(), &text);
    }
}
