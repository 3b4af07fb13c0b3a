//! The retro-check behind an edit: 10,000 recorded answers of about 1 KiB, judged again.
//!
//! `cargo bench --bench retro`. Goal: 1 s in the background on two cores.

#![allow(
    clippy::unwrap_used,
    clippy::print_stdout,
    clippy::disallowed_methods,
    reason = "a benchmark stops at the first surprise and prints its figures"
)]

use std::time::{Duration, Instant};

use formwork::json::ParseLimits;
use formwork::schema::preflight::check_text;
use formwork::schema::retro::{Go, Recorded, Retro, Shelf};
use formwork::schema::validate::JudgeOptions;
use formwork::schema::{Judge, judge};
use formwork::store::lineage::Identity;
use formwork::store::{self, Candidate, NewUse};

const COUNT: u32 = 10_000;
const LINES: usize = 12;

fn schema(least: u32) -> String {
    format!(
        r#"{{"title":"Invoice","type":"object","properties":{{"number":{{"type":"string","pattern":"^R-[0-9]+$"}},"total":{{"type":"number"}},"lines":{{"type":"array","items":{{"type":"object","properties":{{"text":{{"type":"string","maxLength":80}},"price":{{"type":"number","minimum":{least}}},"unit":{{"enum":["piece","hour","kg"]}}}},"required":["text","price","unit"],"additionalProperties":false}}}}}},"required":["number","total","lines"],"additionalProperties":false}}"#
    )
}

fn answer(i: u32) -> String {
    let line =
        |n: usize| format!(r#"{{"text":"Line {n} of the invoice, in words","price":{},"unit":"hour"}}"#, i % 500);
    let lines: Vec<String> = (0..LINES).map(line).collect();
    format!(r#"{{"number":"R-{i}","total":{i}.5,"lines":[{}]}}"#, lines.join(","))
}

fn judge_of(schema: &str) -> Judge {
    let options = JudgeOptions { limits: ParseLimits::default(), assert_format: false };
    judge(&check_text(schema).unwrap().format, options).unwrap()
}

fn timed<T>(what: &str, work: impl FnOnce() -> T) -> T {
    let began = Instant::now();
    let out = work();
    println!("{what:<52} {:>9.1?}", began.elapsed());
    out
}

fn fill(folder: &std::path::Path) {
    let (mut store, _) = store::open(folder, 1).unwrap();
    let text = schema(0);
    let format = check_text(&text).unwrap().format;
    let new = NewUse {
        hash: format.schema_hash.clone(),
        canonical: formwork::json::canonical(&format.schema),
        written: text,
        identity: Identity::of(&format, None),
        run: "run".to_owned(),
        model: "lab/m".to_owned(),
        at: 1,
    };
    store.keep_use("/p", &new).unwrap();
    for i in 0..COUNT {
        let candidate = Candidate {
            run: "run".to_owned(),
            attempt: i + 1,
            schema: format.schema_hash.clone(),
            wrapped: false,
            verdict: store::ACCEPTED.to_owned(),
            text: answer(i),
            at: 1,
        };
        store.keep_candidate("/p", &candidate).unwrap();
    }
}

fn main() {
    let folder = tempfile::tempdir().unwrap();
    println!("{COUNT} different answers of {} bytes", answer(1234).len());
    let began = Instant::now();
    fill(folder.path());
    println!("{:<52} {:>9.1?}", "one kept, on average", began.elapsed() / COUNT);
    let store = timed("opening the store, integrity checked", || store::open(folder.path(), 2).unwrap().0);
    let shelf = timed("the first edit: reading and parsing them", || {
        let mut shelf = Shelf::default();
        store
            .candidates("/p", 0, |found| {
                let candidate = found.candidate;
                let (id, valid) = (found.id, candidate.accepted());
                shelf.add(Recorded { id, version: 0, valid, wrapped: candidate.wrapped, text: candidate.text });
                true
            })
            .unwrap();
        shelf
    });
    let judge = judge_of(&schema(0));
    let all = |judge: &Judge| -> Retro { shelf.judge(judge, &|_| true, || Go::On).unwrap() };
    let mut best = Duration::MAX;
    for _ in 0..5 {
        let began = Instant::now();
        assert_eq!(all(&judge).pass, COUNT as usize);
        best = best.min(began.elapsed());
    }
    println!("{:<52} {best:>9.1?}", "every further edit, all pass (best of five)");
    let retro = timed("an edit under which half fail", || all(&judge_of(&schema(250))));
    println!("{} pass, {} now fail at {}", retro.pass, retro.now_fail, retro.places[0].0);
}
