//! Time of the strict parser and of canonical text on 8 MiB of several shapes, beside the parser it is measured against.
//! The aim: at most 1.5 times the other one's time.

use divan::Bencher;
use divan::counter::BytesCount;
use formwork::json::{self, ParseLimits, Value};

const SIZE: usize = 8 << 20;
const LIMITS: ParseLimits = ParseLimits { max_bytes: usize::MAX, max_depth: 512 };
const SHAPES: [&str; 7] = ["records", "pretty", "integers", "floats", "prose", "escapes", "wide"];

fn main() {
    divan::main();
}

/// About [`SIZE`] bytes of one shape.
fn document(shape: &str) -> String {
    let item = |n: usize| match shape {
        "records" | "pretty" => {
            format!(r#"{{"id":{n},"name":"item {n}","tags":["a","b"],"ok":true,"size":{{"w":{n}.5,"h":null}}}}"#)
        }
        "integers" => n.wrapping_mul(2_654_435_761).to_string(),
        "floats" => format!("{n}.{n}e-3"),
        "prose" => format!("\"{}\"", "A sentence of an answer, with äöü and 日本 in it. ".repeat(40)),
        "escapes" => r#""line\n\ttab \"quoted\" \u00e9 \ud83d\udd25""#.to_owned(),
        _ => format!("\"property_{n}\":{n}"),
    };
    let (open, close) = if shape == "wide" { ("{", "}") } else { ("[", "]") };
    let mut text = open.to_owned();
    for n in 0.. {
        text.push_str(&item(n));
        if text.len() >= SIZE {
            break;
        }
        text.push(',');
    }
    text.push_str(close);
    if shape == "pretty" { json::parse(&text, LIMITS).map_or(text, |value| json::pretty(&value)) } else { text }
}

#[divan::bench(args = SHAPES, sample_count = 10, sample_size = 1)]
fn parse(bencher: Bencher, shape: &str) {
    let text = document(shape);
    bencher.counter(BytesCount::of_str(&text)).bench_local(|| json::parse(divan::black_box(&text), LIMITS));
}

#[divan::bench(args = SHAPES, sample_count = 10, sample_size = 1)]
#[expect(clippy::disallowed_methods, reason = "the other parser is the measure here")]
fn parse_serde_json(bencher: Bencher, shape: &str) {
    let text = document(shape);
    bencher
        .counter(BytesCount::of_str(&text))
        .bench_local(|| serde_json::from_slice::<Value>(divan::black_box(text.as_bytes())));
}

#[divan::bench(args = SHAPES, sample_count = 10, sample_size = 1)]
fn canonical(bencher: Bencher, shape: &str) {
    let text = document(shape);
    let value = json::parse(&text, LIMITS).unwrap_or_default();
    bencher.counter(BytesCount::of_str(&text)).bench_local(|| json::canonical(divan::black_box(&value)));
}
