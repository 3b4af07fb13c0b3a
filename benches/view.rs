//! What the screen costs: `cargo bench --bench view`. A delta must cost the same however long the text is, and a frame
//! the visible rows only.
#![allow(clippy::unwrap_used, reason = "a bench whose input cannot be made must stop")]

use divan::counter::ItemsCount;
use formwork::json::{self, ParseLimits, Value};
use formwork::tui::highlight;
use formwork::tui::rows::{Gutter, Rows, Syntax};
use formwork::tui::scroll::{Motion, Scroll};
use formwork::tui::theme::{ColorDepth, Theme};
use formwork::tui::tree::{Order, TreeRows, TreeState};
use ratatui::buffer::Buffer;
use ratatui::layout::Rect;

const AREA: Rect = Rect { x: 0, y: 0, width: 200, height: 50 };
const ITEM: &str = "{\"id\": 12345, \"name\": \"Zoë 語\", \"tags\": [\"a\", \"b\"], \"on\": true},\n";

fn main() {
    divan::main();
}

fn theme() -> Theme {
    Theme::load("dark", &[], ColorDepth::TrueColor).unwrap()
}

fn text(bytes: usize) -> String {
    format!("[\n{}0]", ITEM.repeat(bytes / ITEM.len()))
}

fn value(bytes: usize) -> Value {
    json::parse(&text(bytes), ParseLimits { max_bytes: usize::MAX, max_depth: 512 }).unwrap()
}

/// One delta is a token of about four characters, as models send them.
#[divan::bench(args = [10_000, 100_000, 1_000_000], sample_count = 3, sample_size = 1)]
fn push_deltas(bencher: divan::Bencher<'_, '_>, deltas: usize) {
    let source: Vec<String> = ITEM.chars().collect::<Vec<_>>().chunks(4).map(|c| c.iter().collect()).collect();
    bencher.counter(ItemsCount::new(deltas)).bench_local(|| {
        let mut rows = Rows::new(Syntax::Json, Gutter::LineNumbers);
        for delta in source.iter().cycle().take(deltas) {
            rows.push(delta);
        }
        rows.len()
    });
}

#[divan::bench(args = [1, 5, 50])]
fn frame_of_a_candidate(bencher: divan::Bencher<'_, '_>, mib: usize) {
    let (theme, mut buf) = (theme(), Buffer::empty(AREA));
    let mut rows = Rows::of(&text(mib << 20), Syntax::Json, Gutter::LineNumbers);
    rows.fit(AREA.width);
    let mut scroll = Scroll::default();
    scroll.go(&rows, 50, Motion::Up(1000));
    bencher.bench_local(|| rows.render(AREA, &mut buf, &scroll, &theme));
}

#[divan::bench(sample_count = 10, sample_size = 1)]
fn rewrap_5_mib(bencher: divan::Bencher<'_, '_>) {
    let mut rows = Rows::of(&text(5 << 20), Syntax::Json, Gutter::LineNumbers);
    let mut width = 100;
    bencher.bench_local(|| {
        width = 300 - width;
        rows.fit(width);
    });
}

#[divan::bench(sample_count = 10, sample_size = 1)]
fn highlight_5_mib(bencher: divan::Bencher<'_, '_>) {
    let text = text(5 << 20);
    bencher.bench_local(|| {
        let mut runs = 0_usize;
        highlight::lex(&mut highlight::State::default(), &text, 0, |_| runs += 1);
        runs
    });
}

#[divan::bench(sample_count = 5, sample_size = 1)]
fn build_tree_10_mib(bencher: divan::Bencher<'_, '_>) {
    let value = value(10 << 20);
    bencher.bench_local(|| TreeRows::build(&value, Order::Author).unwrap().memory());
}

#[divan::bench(args = [1, 10])]
fn step_and_frame_of_a_tree(bencher: divan::Bencher<'_, '_>, mib: usize) {
    let (theme, mut buf) = (theme(), Buffer::empty(AREA));
    let rows = TreeRows::build(&value(mib << 20), Order::Author).unwrap();
    let mut state = TreeState::new(&rows);
    state.go(&rows, 50, Motion::End);
    bencher.bench_local(|| {
        state.go(&rows, 50, Motion::Up(3));
        rows.render(AREA, &mut buf, &state, &theme)
    });
}

#[divan::bench(sample_count = 5, sample_size = 1)]
fn search_a_tree_10_mib(bencher: divan::Bencher<'_, '_>) {
    let rows = TreeRows::build(&value(10 << 20), Order::Author).unwrap();
    bencher.bench_local(|| rows.search("lovelace").len());
}
