//! What a key and a frame of the schema editor cost, and how long a mark takes: `cargo bench --bench editor`.
//!
//! Three documents: a schema of 1,000 lines, one of 1 MiB, the same on a single line. `before` is the editor this one
//! took the place of (a list of lines in the text area of a library), with what its view asked of it for each frame.
//! Medians, in microseconds.

#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::print_stdout,
    clippy::disallowed_methods,
    clippy::cast_precision_loss,
    clippy::string_slice,
    unreachable_pub,
    reason = "a benchmark stops at the first surprise and prints its figures"
)]

#[path = "../tests/support/screen.rs"]
mod screen;

use std::fmt::Write as _;
use std::hint::black_box;
use std::time::Instant;

use formwork::command::{Chord, Key};
use formwork::tui::state::Region;
use formwork::tui::state::editor::Editor;
use formwork::tui::update::Msg;
use screen::Screen;
use tui_textarea::{CursorMove, Input};

const ROUNDS: usize = 41;

fn main() {
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build().unwrap();
    println!("{:<24}{:>12}{:>12}{:>10}", "", "before", "after", "ratio");
    let small = schema(110);
    let large = schema(2_900);
    let single = large.lines().map(str::trim).collect::<String>();
    for (name, text) in [("1,000 lines", &small), ("1 MiB", &large), ("1 MiB, one line", &single)] {
        println!("{name}: {} lines, {} bytes", text.lines().count(), text.len());
        runtime.block_on(measure(text));
    }
}

/// An object with so many members, nine lines each.
fn schema(members: usize) -> String {
    let mut out = "{\n  \"type\": \"object\",\n  \"properties\": {\n".to_owned();
    for i in 0..members {
        let pad = "x".repeat(if members > 1_000 { 170 } else { 20 });
        let comma = if i + 1 < members { "," } else { "" };
        writeln!(out, "    \"member_{i}\": {{\n      \"type\": \"array\",\n      \"description\": \"{pad}\",\n      \"items\": {{\n        \"type\": \"string\",\n        \"minLength\": 1\n      }},\n      \"maxItems\": 9\n    }}{comma}").unwrap();
    }
    out.push_str("  }\n}\n");
    out
}

fn median(mut round: impl FnMut(usize)) -> f64 {
    let mut times: Vec<f64> = (0..ROUNDS)
        .map(|i| {
            let start = Instant::now();
            round(i);
            start.elapsed().as_secs_f64() * 1e6
        })
        .collect();
    times.sort_by(f64::total_cmp);
    times[ROUNDS / 2]
}

/// An edit that is not measured, then its undo.
fn undo_time(mut act: impl FnMut(bool) -> bool) -> f64 {
    let mut times: Vec<f64> = (0..ROUNDS)
        .map(|_| {
            black_box(act(true));
            let start = Instant::now();
            black_box(act(false));
            start.elapsed().as_secs_f64() * 1e6
        })
        .collect();
    times.sort_by(f64::total_cmp);
    times[ROUNDS / 2]
}

fn told(what: &str, before: Option<f64>, after: f64) {
    match before {
        Some(before) => println!("  {what:<22}{before:>12.0}{after:>12.0}{:>9.1}x", before / after),
        None => println!("  {what:<22}{:>12}{after:>12.0}", ""),
    }
}

async fn measure(text: &str) {
    let dir = tempfile::tempdir().unwrap();
    let mut s = Screen::new(200, 50, dir.path());
    s.settle().await;
    s.app.state.focus = Region::Schema;
    s.app.state.schema.editor = Editor::new(text);
    let middle = text.len() / 2;
    let middle = middle + text[middle..].find('x').unwrap();
    s.app.state.schema.editor.jump_offset(middle);
    s.app.apply(Msg::Tick);
    s.settle().await;

    let mut old = old::Editor::new(text);
    let (row, column) = s.app.state.schema.editor.caret();
    old.area.move_cursor(CursorMove::Jump(u16::try_from(row).unwrap(), u16::try_from(column).unwrap_or(u16::MAX)));

    let letter = |i: usize| char::from(b'a' + u8::try_from(i % 26).unwrap());
    let before = median(|i| {
        old.area.input(Input { key: tui_textarea::Key::Char(letter(i)), ctrl: false, alt: false, shift: false });
        black_box(old.text());
    });
    let after = median(|i| s.app.state.schema.editor.key(Chord::plain(Key::Char(letter(i)))));
    told("key, editor alone", Some(before), after);
    let before = median(|_| {
        black_box((old.bracket(), old.text() == text));
    });
    let after = median(|_| {
        black_box((s.app.state.schema.editor.bracket(), s.app.state.schema.dirty()));
    });
    told("asked for each frame", Some(before), after);
    let before = undo_time(|go| if go { old.area.insert_str("one two") } else { old.undo() });
    let after = undo_time(|go| {
        let editor = &mut s.app.state.schema.editor;
        if go {
            editor.insert("one two");
        } else {
            assert!(editor.undo());
        }
        true
    });
    told("undo", Some(before), after);
    s.app.apply(Msg::Tick);
    s.settle().await;

    told("key, whole program", None, median(|i| s.app.apply(Msg::Key(Chord::plain(Key::Char(letter(i)))))));
    s.settle().await;
    told("frame, whole screen", None, median(|_| s.app.draw().unwrap()));
    let mut marks = Vec::new();
    for i in 0..ROUNDS {
        let start = Instant::now();
        s.app.apply(Msg::Key(Chord::plain(Key::Char(letter(i)))));
        while s.app.state.schema.checking() {
            let wake = s.app.wait().await;
            s.app.wake(wake);
        }
        s.app.draw().unwrap();
        marks.push(start.elapsed().as_secs_f64() * 1e6);
    }
    marks.sort_by(f64::total_cmp);
    told("key to mark", None, marks[ROUNDS / 2]);
    s.settle().await;
}

/// The editor as it was.
mod old {
    use tui_textarea::TextArea;

    pub struct Editor {
        pub area: TextArea<'static>,
    }

    impl Editor {
        pub fn new(text: &str) -> Self {
            let mut area = TextArea::new(text.split('\n').map(str::to_owned).collect());
            area.set_max_histories(10_000);
            Self { area }
        }

        pub fn text(&self) -> String {
            self.area.lines().join("\n")
        }

        pub fn undo(&mut self) -> bool {
            let before = self.area.lines().to_vec();
            self.area.undo() && before.len() == self.area.lines().len()
        }

        pub fn bracket(&self) -> Option<usize> {
            let at = self.area.cursor();
            let above: usize = self.area.lines().iter().take(at.0).map(|l| l.len() + 1).sum();
            let line = self.area.lines().get(at.0)?;
            let at = above + line.chars().take(at.1).map(char::len_utf8).sum::<usize>();
            partner(&self.text(), at)
        }
    }

    fn partner(text: &str, at: usize) -> Option<usize> {
        let mut open = Vec::new();
        let (mut quoted, mut escaped) = (false, false);
        for (i, byte) in text.bytes().enumerate() {
            if quoted {
                quoted = escaped || byte != b'"';
                escaped = byte == b'\\' && !escaped;
                quoted &= byte != b'\n';
                continue;
            }
            match byte {
                b'"' => (quoted, escaped) = (true, false),
                b'{' | b'[' => open.push(i),
                b'}' | b']' => {
                    let start = open.pop()?;
                    if start == at {
                        return Some(i);
                    }
                    if i == at {
                        return Some(start);
                    }
                }
                _ => {}
            }
        }
        None
    }
}
