//! Any keys, texts, events and sizes in any order: nothing panics, nothing untamed reaches a cell, no part leaves the
//! screen, lies over another or loses its border.
#![allow(clippy::unwrap_used, reason = "helpers of tests stop at the first surprise, like tests")]

#[path = "support/screen.rs"]
mod screen;

use formwork::command::{Chord, Id, table};
use formwork::event::{ErrorCode, Mode, RunEvent};
use formwork::feed::Item;
use formwork::issue::Issue;
use formwork::json::{ParseLimits, parse};
use formwork::tui::state::popup::Popup;
use formwork::tui::update::{Msg, Pointer};
use proptest::prelude::*;
use ratatui::layout::Rect;
use screen::Screen;

/// Texts a person types, pastes or reads, harmless and not.
const TEXTS: [&str; 12] = [
    "a",
    " ",
    "/schema ",
    "/layout ",
    "価格 語語",
    "\u{1f468}\u{200d}\u{1f469}\u{200d}\u{1f467}e\u{301}",
    "مرحبا שלום",
    "{\"type\": \"object\", \"properties\": {\"a\": {\"enum\": [1, 2]}, \"\": {\"type\": \"array\"}}}",
    "[{\"a\": 1, \"b\": [true, null]}, {\"a\": 1e400, \"c\": \"x\\ny\"}]",
    "\u{1b}[2J\u{202e}gnp\u{2066}\u{200b}\u{feff}\r\u{8}\u{9b}31m\u{ad}",
    "a-very-long-name-that-no-column-has-room-for-0123456789-0123456789-0123456789-0123456789-0123456789",
    "line\nline\n\n",
];

const SIZES: [(u16, u16); 10] =
    [(40, 10), (41, 11), (60, 20), (61, 14), (80, 24), (99, 27), (120, 30), (200, 50), (320, 40), (400, 100)];

#[derive(Debug, Clone)]
enum Step {
    /// A key of the table, whichever context it is of.
    Key(String),
    Type(usize),
    Paste(usize),
    Size(u16, u16),
    Press(u16, u16),
    Wheel(u16, u16),
    /// A command of the table with an argument.
    Command(usize, usize),
    /// A run fed by hand begins.
    Run,
    Delta(u32, usize),
    Retry(u32),
    Value(usize),
    Settle,
}

/// Keys of every command, but for what ends the program or leaves the machine.
fn keys() -> Vec<String> {
    let own =
        ["backspace", "delete", "left", "right", "up", "down", "home", "end", "enter", "esc", "tab", "shift-left"];
    let of_table = table().iter().filter(|row| !outward(row.id)).flat_map(|row| row.keys.iter().copied());
    let mut all: Vec<String> = of_table.chain(own).map(str::to_owned).collect();
    all.sort_unstable();
    all.dedup();
    all
}

/// What ends the program or asks another machine.
fn outward(id: Id) -> bool {
    matches!(id, Id::Quit | Id::ModelPull | Id::Probe)
}

fn step() -> impl Strategy<Value = Step> {
    let text = || 0..TEXTS.len();
    let size = prop_oneof![prop::sample::select(SIZES.to_vec()), (40u16..=400, 10u16..=100), (0u16..40, 0u16..12),];
    prop_oneof![
        12 => prop::sample::select(keys()).prop_map(Step::Key),
        3 => text().prop_map(Step::Type),
        1 => text().prop_map(Step::Paste),
        3 => size.prop_map(|(width, height)| Step::Size(width, height)),
        1 => (0u16..400, 0u16..100).prop_map(|(x, y)| Step::Press(x, y)),
        1 => (0u16..400, 0u16..100).prop_map(|(x, y)| Step::Wheel(x, y)),
        3 => (0..table().len(), text()).prop_map(|(at, argument)| Step::Command(at, argument)),
        1 => Just(Step::Run),
        3 => (1u32..4, text()).prop_map(|(attempt, text)| Step::Delta(attempt, text)),
        1 => (1u32..4).prop_map(Step::Retry),
        1 => text().prop_map(Step::Value),
        3 => Just(Step::Settle),
    ]
}

fn retry(attempt: u32) -> Item {
    let issue = |text: &str| Issue {
        code: "schema_violation",
        path: format!("/{text}"),
        schema_path: "/properties/a/enum".to_owned(),
        message: text.to_owned(),
        keyword: "enum".to_owned(),
    };
    Item::Event(RunEvent::StructuredOutputRetry {
        attempt,
        next_attempt: attempt + 1,
        code: ErrorCode::ValidationFailed,
        issues: TEXTS.iter().map(|text| issue(text)).collect(),
        omitted: 3,
        position: None,
        hint: None,
    })
}

fn value(text: &str) -> Item {
    let limits = ParseLimits::default();
    let value = parse(text, limits).unwrap_or_else(|_| formwork::json::Value::String(text.to_owned()));
    Item::Event(RunEvent::StructuredOutputEnd { attempt: 1, mode: Mode::Native, value })
}

async fn take(s: &mut Screen, step: &Step) {
    // A question may be about a download or a paid request: here it is always answered with no.
    if matches!(s.app.state.popups.last(), Some(Popup::Ask(_))) {
        s.keys(&["esc"]);
    }
    match step {
        Step::Key(key) => s.keys(&[key]),
        Step::Type(at) => {
            for c in TEXTS[*at].chars().filter(|c| !c.is_control()) {
                s.app.apply(Msg::Key(Chord::plain(formwork::command::Key::Char(c))));
            }
        }
        Step::Paste(at) => s.app.apply(Msg::Paste(TEXTS[*at].to_owned())),
        Step::Size(width, height) => s.resize(*width, *height),
        Step::Press(x, y) => s.app.apply(Msg::Mouse(Pointer::Press(*x, *y))),
        Step::Wheel(x, y) => s.app.apply(Msg::Mouse(Pointer::WheelDown(*x, *y))),
        Step::Command(at, argument) => {
            let id = table()[*at].id;
            if !outward(id) {
                s.command(id, TEXTS[*argument]);
            }
        }
        Step::Run => s.feed_run(true),
        Step::Delta(attempt, text) => s.delta(*attempt, TEXTS[*text]),
        Step::Retry(attempt) => s.feed(vec![retry(*attempt)]),
        Step::Value(text) => s.feed(vec![value(TEXTS[*text])]),
        Step::Settle => s.settle().await,
    }
    s.app.draw().unwrap();
}

fn check(s: &Screen) -> Result<(), TestCaseError> {
    let buffer = &s.app.stage.buffer;
    for cell in &buffer.content {
        let untamed = |c: char| {
            c.is_control()
                || matches!(c, '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}' | '\u{200b}' | '\u{feff}' | '\u{ad}')
        };
        prop_assert!(!cell.symbol().chars().any(untamed), "{:?} in\n{}", cell.symbol(), s.text());
    }
    let screen = buffer.area;
    if screen.width < 40 || screen.height < 10 {
        return Ok(());
    }
    let parts: Vec<Rect> = s.app.state.sizes.regions.into_iter().flatten().collect();
    for (i, part) in parts.iter().enumerate() {
        prop_assert!(screen.union(*part) == screen, "{part:?} leaves {screen:?}");
        let over = |other: &Rect| other != part && part.intersects(*other);
        prop_assert!(!parts[i + 1..].iter().any(over), "{part:?} lies over another:\n{}", s.text());
    }
    // What lies below a popup, or below what is shown until the next key, is not all to be seen.
    if s.app.state.popups.is_empty() && s.app.state.glance.is_none() && s.app.state.prompt.completions.is_empty() {
        for part in parts {
            let symbol = |x: u16, y: u16| buffer[(x, y)].symbol();
            let (right, bottom) = (part.right() - 1, part.bottom() - 1);
            let corners =
                [symbol(part.x, part.y), symbol(right, part.y), symbol(part.x, bottom), symbol(right, bottom)];
            prop_assert_eq!(corners, ["╭", "╮", "╰", "╯"], "{:?}:\n{}", part, s.text());
            for y in part.y + 1..bottom {
                prop_assert_eq!([symbol(part.x, y), symbol(right, y)], ["│", "│"], "{:?}:\n{}", part, s.text());
            }
        }
    }
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 100, max_shrink_iters: 400, ..ProptestConfig::default() })]

    #[test]
    fn any_order_of_anything_leaves_a_whole_screen(steps in prop::collection::vec(step(), 1..60)) {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().start_paused(true).build().unwrap();
        runtime.block_on(async {
            let dir = tempfile::tempdir().unwrap();
            let mut s = Screen::new(100, 30, dir.path());
            s.settle().await;
            for step in &steps {
                take(&mut s, step).await;
                check(&s)?;
            }
            Ok::<(), TestCaseError>(())
        })?;
    }
}
