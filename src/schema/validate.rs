//! Judging a candidate: strict parse, then validation against the original schema, bounded in time and memory.
//!
//! The evaluator is our own because its cost must be proven for any schema and any value (see `evaluate`); the
//! `jsonschema` crate checks schemas against their meta-schema, asserts formats, and is the reference its verdicts are
//! compared with in the tests.

mod compile;
mod evaluate;
mod message;
mod number;
mod program;
mod sink;

use std::sync::Arc;

use self::compile::Formats;
use self::evaluate::{Run, Stop};
use self::program::Program;
use super::{Dialect, ResponseFormat, SchemaError, references, stack};
use crate::issue::{Issue, Issues};
use crate::json::{self, ParseError, ParseLimits, Value};

/// Work that deciding one candidate may take; a unit is 15 to 40 ns in the development profile.
const DECIDE_FUEL: u64 = 30_000_000;
/// Work that collecting the issues of an invalid one may take on top.
const COLLECT_FUEL: u64 = 8_000_000;
/// Work that judging one value of a schema by another part of it may take.
const FITTING_FUEL: u64 = 300_000;
/// Memory a parsed candidate may take, estimated from its text.
pub(crate) const MAX_MEMORY: usize = 150 * 1024 * 1024;

/// A compiled schema, ready to judge. Cheap to share, `Send + Sync`.
#[derive(Clone)]
pub struct Judge {
    program: Arc<Program>,
    limits: ParseLimits,
}

/// What [`Judge::judge`] says.
#[derive(Debug, Clone, PartialEq)]
pub enum Judgement {
    Valid { value: Value, canonical: String },
    NotJson(ParseError),
    Invalid(Issues),
}

/// How candidates are judged.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct JudgeOptions {
    pub limits: ParseLimits,
    /// Assert `format` (ENGINE §2: off unless the caller asks).
    pub assert_format: bool,
}

/// Compiles the schema of a checked format.
///
/// # Errors
/// What the compiler refuses that preflight let through (should be nothing).
pub fn judge(format: &ResponseFormat, options: JudgeOptions) -> Result<Judge, SchemaError> {
    let named = format.schema.get("$schema").and_then(Value::as_str).and_then(Dialect::from_uri);
    of_schema(&format.schema, named.unwrap_or(Dialect::Draft202012), options)
}

/// Which of a few values are valid under a part of a schema; `None` when that cannot be told.
pub(crate) fn fitting(schema: &Value, dialect: Dialect, values: &[Value]) -> Option<Vec<bool>> {
    let options = JudgeOptions { limits: ParseLimits::default(), assert_format: false };
    let judge = of_schema(schema, dialect, options).ok()?;
    let one = |value| Run::new(&judge.program, FITTING_FUEL).decide(value).ok();
    stack::with_known_stack(|| values.iter().map(one).collect()).flatten()
}

fn of_schema(schema: &Value, dialect: Dialect, options: JudgeOptions) -> Result<Judge, SchemaError> {
    let index = references::index(schema, dialect);
    let index = index
        .map_err(|errors| errors.into_iter().next().unwrap_or_else(|| unexpected("the references do not resolve")))?;
    let formats = if options.assert_format { Formats::Asserted } else { Formats::Annotation };
    let compiled = stack::with_known_stack(|| compile::compile(&index, formats));
    let program = compiled.ok_or_else(|| unexpected("no memory for another thread"))??;
    Ok(Judge { program: Arc::new(program), limits: options.limits })
}

fn unexpected(message: &str) -> SchemaError {
    let reason = super::Reason::TooExpensive;
    SchemaError { reason, path: String::new(), position: None, message: message.to_owned() }
}

impl Judge {
    /// Parses and validates one candidate text. Runs long on large ones: call it off the loop.
    #[must_use]
    pub fn judge(&self, text: &str) -> Judgement {
        // past the byte limit the parser refuses at once; below it a text may still become hundreds of megabytes
        if text.len() <= self.limits.max_bytes && memory(text) > MAX_MEMORY {
            return match json::check(text, self.limits) {
                Ok(()) => Judgement::Invalid(too_expensive("the candidate has too many values to be judged")),
                Err(error) => Judgement::NotJson(error),
            };
        }
        let value = match json::parse(text, self.limits) {
            Ok(value) => value,
            Err(error) => return Judgement::NotJson(error),
        };
        let issues = self.validate(&value);
        if issues.list.is_empty() {
            let canonical = json::canonical(&value);
            return Judgement::Valid { value, canonical };
        }
        json::discard(value);
        Judgement::Invalid(issues)
    }

    /// Validates a value that was parsed already.
    #[must_use]
    pub fn validate(&self, value: &Value) -> Issues {
        let done = stack::with_known_stack(|| self.run(value));
        done.unwrap_or_else(|| too_expensive("the candidate could not be judged: no memory for another thread"))
    }

    /// Lends itself for many values in a row, on one thread whose stack is known; `None` when there is no such thread.
    pub(crate) fn on_one_thread<T: Send>(&self, work: impl FnOnce(&OneThread<'_>) -> T + Send) -> Option<T> {
        stack::with_known_stack(|| work(&OneThread(self)))
    }

    fn run(&self, value: &Value) -> Issues {
        let mut run = Run::new(&self.program, DECIDE_FUEL);
        match run.decide(value) {
            Ok(true) => Issues::default(),
            Ok(false) => {
                let (sink, ended) = run.collect(value, COLLECT_FUEL);
                close(sink.finish(), ended)
            }
            Err(stop) => stopped(stop),
        }
    }
}

/// A judge on a thread whose stack is known.
pub(crate) struct OneThread<'a>(&'a Judge);

impl OneThread<'_> {
    /// As [`Judge::validate`].
    pub(crate) fn validate(&self, value: &Value) -> Issues {
        self.0.run(value)
    }
}

/// The issues of an invalid value; when the search ended early that is said.
fn close(mut issues: Issues, ended: Option<Stop>) -> Issues {
    if let Some(stop) = ended {
        issues.omitted += 1;
        if issues.list.is_empty() {
            issues = match stop {
                Stop::TooExpensive => {
                    too_expensive("the candidate breaks the schema; finding out where takes too much work")
                }
                precision @ Stop::Precision { .. } => stopped(precision),
            };
        }
    }
    issues
}

fn stopped(stop: Stop) -> Issues {
    match stop {
        Stop::TooExpensive => too_expensive("judging the candidate by this schema takes too much work; it was stopped"),
        Stop::Precision { path, schema_path, keyword } => {
            let message =
                format!("the number cannot be compared exactly: too large an exponent or divisor ({keyword})");
            one("number_precision", path, schema_path, message, keyword)
        }
    }
}

fn too_expensive(message: &str) -> Issues {
    one("too_expensive", String::new(), String::new(), message.to_owned(), "")
}

fn one(code: &'static str, path: String, schema_path: String, message: String, keyword: &str) -> Issues {
    Issues { list: vec![Issue { code, path, schema_path, message, keyword: keyword.to_owned() }], omitted: 0 }
}

/// About how much memory the parsed text takes: what stands between quotes counts by its length.
pub(crate) fn memory(text: &str) -> usize {
    const ELEMENT: usize = 130;
    const OBJECT: usize = 256;
    let (mut total, mut quoted, mut escaped) = (text.len(), false, false);
    for byte in text.bytes() {
        match (quoted, byte) {
            (true, _) if escaped => escaped = false,
            (true, b'\\') => escaped = true,
            (_, b'"') => quoted = !quoted,
            (false, b',' | b'[') => total += ELEMENT,
            (false, b'{') => total += OBJECT,
            _ => {}
        }
    }
    total
}
