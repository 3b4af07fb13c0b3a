//! One text delta through the whole path: bytes → frames → decoder → machine → feed → rows.
//!
//! `cargo bench --bench path` prints nanoseconds per delta and memory per byte of text for growing numbers of deltas;
//! both must stay flat. Each size runs in a process of its own, so that memory is that size's. Linux only (/proc).

#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::print_stdout,
    clippy::disallowed_methods,
    clippy::cast_precision_loss,
    reason = "a benchmark stops at the first surprise and prints its figures"
)]

use std::process::Command;
use std::time::Instant;

use formwork::capability::Dialect;
use formwork::dialect::{self, Message, ToolChoice};
use formwork::event::RunEvent;
use formwork::feed::{self, Item};
use formwork::machine::{Budget, Effect, Input, Machine, Setup};
use formwork::transport::sse::Framer;
use formwork::tui::rows::{Gutter, Rows, Syntax};

const SIZES: [usize; 4] = [1_000, 10_000, 100_000, 1_000_000];
const DELTA: &str = "\\\"key\\\": 12,\\n ";

fn main() {
    if let Some(deltas) = std::env::args().nth(1).and_then(|n| n.parse().ok()) {
        return one(deltas);
    }
    println!("{:>10}  {:>9}  {:>9}  {:>13}", "deltas", "ns/delta", "text MiB", "memory/text");
    for size in SIZES {
        let output = Command::new(std::env::current_exe().unwrap()).arg(size.to_string()).output().unwrap();
        print!("{}", String::from_utf8(output.stdout).unwrap());
    }
}

fn one(deltas: usize) {
    // warm: code pages and allocator
    path(500);
    let before = resident();
    let started = Instant::now();
    let rows = path(deltas);
    let nanos = started.elapsed().as_nanos() / deltas as u128;
    let (grown, text) = (resident().saturating_sub(before), rows.text().len());
    println!(
        "{deltas:>10}  {nanos:>9}  {:>9.2}  {:>12.1}x",
        text as f64 / f64::from(1 << 20),
        grown as f64 / text as f64
    );
}

/// Deltas arrive sixteen a network read; the screen drains after each read, as it does between two frames.
fn path(deltas: usize) -> Rows {
    let mut framer = Framer::default();
    let mut decoder = dialect::decoder(Dialect::OpenaiChat);
    let mut machine = Machine::new(setup());
    let (sender, mut feed) = feed::channel();
    let mut rows = Rows::new(Syntax::Json, Gutter::LineNumbers);
    rows.fit(100);
    let mut effects = Vec::new();
    machine.step(Input::Start, &mut effects);
    effects.clear();
    let event = format!(
        "data: {{\"id\":\"chatcmpl-1\",\"object\":\"chat.completion.chunk\",\"created\":1,\"model\":\"m\",\"choices\":[{{\"index\":0,\"delta\":{{\"content\":\"{DELTA}\"}},\"finish_reason\":null}}],\"usage\":null}}\n\n"
    );
    let read = event.repeat(16);
    let mut left = deltas;
    while left > 0 {
        let now = left.min(16);
        let mut raw = Vec::new();
        let bytes = read.get(..event.len() * now).unwrap();
        framer.feed(bytes.as_bytes(), &mut |frame| decoder.frame(frame, &mut raw)).unwrap();
        machine.step(Input::Raw(raw), &mut effects);
        for effect in effects.drain(..) {
            if let Effect::Emit(event) = effect {
                sender.push(Item::Event(event));
            }
        }
        for item in feed.drain() {
            if let Item::Event(RunEvent::TextDelta { delta, .. }) = item {
                rows.push(&delta);
            }
        }
        left -= now;
    }
    // what the program holds at this moment, machine and rows, is what is measured
    std::mem::forget(machine);
    rows
}

fn setup() -> Setup {
    Setup {
        run_id: "run".into(),
        provider: "bench".into(),
        model_id: "m".into(),
        simulated: false,
        plan: None,
        schema_hash: None,
        messages: vec![Message::user("x")],
        tools: Vec::new(),
        tool_choice: ToolChoice::Unset,
        parallel_tool_calls: None,
        max_output_tokens: None,
        reasoning_effort: None,
        budget: Budget { max_retries: 6, max_iterations: 20 },
        seed: 1,
    }
}

/// Resident memory in bytes.
fn resident() -> usize {
    let status = fs_err::read_to_string("/proc/self/status").unwrap();
    let line = status.lines().find(|l| l.starts_with("VmRSS")).unwrap();
    line.split_whitespace().nth(1).unwrap().parse::<usize>().unwrap() * 1024
}
