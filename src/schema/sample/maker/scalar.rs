//! Texts and numbers.

use std::cmp::Ordering;

use rand::RngExt;

use super::super::words;
use super::{Maker, Texts};
use crate::json::Value;
use crate::schema::decimal::short::Short;
use crate::schema::pattern::Pattern;
use crate::schema::tree::Node;
use crate::schema::tree::merge::{number, short};
use crate::schema::tree::types::Types;

/// Longer texts are not made.
const MAX_TEXT: f64 = 200_000.0;
/// Work one match of a made text may take.
const MATCH_FUEL: u64 = 1_000_000;

impl Maker {
    pub(super) fn string(&mut self, node: &Node, name: &str) -> Option<Value> {
        let bound = |key: &str| node.data(key).and_then(Value::as_f64);
        let least = bound("minLength").unwrap_or(0.0);
        let most = bound("maxLength").unwrap_or(f64::MAX);
        if least > most || least > MAX_TEXT {
            return None;
        }
        #[allow(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            reason = "both are between 0 and MAX_TEXT here"
        )]
        let (least, most) = (least.ceil() as usize, most.min(MAX_TEXT).floor() as usize);
        if let Some(pattern) = node.data("pattern").and_then(Value::as_str) {
            let pattern = pattern.to_owned();
            return self.matching(&pattern, least, most).map(Value::String);
        }
        let formatted =
            node.data("format").and_then(Value::as_str).and_then(|format| words::format(format, &mut self.rng));
        if let Some(text) = formatted.filter(|text| (least..=most).contains(&text.chars().count())) {
            return Some(Value::String(text));
        }
        let text = words::text(&mut self.rng, name);
        Some(Value::String(words::fitted(&mut self.rng, text, least, most)))
    }

    /// A text that matches a pattern, and has the length if one was found.
    pub(super) fn matching(&mut self, pattern: &str, least: usize, most: usize) -> Option<String> {
        let wide = u32::try_from(least.min(4_000)).unwrap_or(0);
        let mut fallback = None;
        for stretch in [5, 1, 12, wide.saturating_add(1), wide.saturating_mul(2).saturating_add(8)] {
            for _ in 0..12 {
                self.step()?;
                let Some(text) = self.draw(pattern, stretch) else { break };
                let fits = (least..=most).contains(&text.chars().count());
                if fits && self.matches(pattern, &text) {
                    return Some(text);
                }
                fallback = fallback.or(Some(text));
            }
        }
        fallback.or_else(|| self.guess(pattern))
    }

    fn draw(&mut self, pattern: &str, stretch: u32) -> Option<String> {
        let key = (pattern.to_owned(), stretch);
        let texts = self.texts.entry(key).or_insert_with(|| Texts::new(pattern, stretch));
        texts.as_ref().map(|texts| texts.one(&mut self.rng))
    }

    /// Texts that many patterns without a generator accept.
    fn guess(&mut self, pattern: &str) -> Option<String> {
        const GUESSES: [&str; 8] = ["", "a", "abc", "1", "A1", "value", "https://example.com/a", "1.0.0"];
        GUESSES.iter().find(|text| self.matches(pattern, text)).map(|text| (*text).to_owned())
    }

    /// Does a text match a pattern? Unknown patterns match everything; the value is checked in the end.
    pub(super) fn matches(&mut self, pattern: &str, text: &str) -> bool {
        let compiled = self.matches.entry(pattern.to_owned()).or_insert_with(|| Pattern::compile(pattern).ok());
        let mut fuel = MATCH_FUEL;
        compiled.as_ref().is_none_or(|compiled| compiled.is_match(text, &mut fuel).unwrap_or(true))
    }

    pub(super) fn number(&mut self, node: &Node, kind: Types, name: &str) -> Option<Value> {
        let whole = kind == Types::INTEGER;
        let bounds = Bounds::of(node);
        let step = step(node, whole, name)?;
        let demanded = (whole || node.word("multipleOf").is_some()).then_some(step);
        for refined in 0..8 {
            let Some(step) = finer(step, refined, demanded) else { break };
            if let Some(value) = self.on_grid(&bounds, step, name) {
                let fits = kind != Types::FRACTION || !value.is_integer();
                if fits || refined > 0 {
                    return number(value);
                }
            }
        }
        // Bounds too large for exact arithmetic: the bound itself is the best guess.
        node.data("minimum").or_else(|| node.data("maximum")).cloned()
    }

    /// A multiple of `step` between the bounds, near a plausible range.
    fn on_grid(&mut self, bounds: &Bounds, step: Short, name: &str) -> Option<Short> {
        let (low, high, _) = words::range(name);
        let (plain_low, plain_high) = (Short::parse(low)?, Short::parse(high)?);
        let span = plain_high.add(plain_low.negated())?;
        let (low, high) = match (bounds.low, bounds.high) {
            (Some(low), Some(high)) => (low, high),
            (Some(low), None) if inside(low, plain_low, plain_high) => (low, plain_high),
            (Some(low), None) if low.compare(plain_low)? == Ordering::Less => (plain_low, plain_high),
            (Some(low), None) => (low, low.add(span)?.add(step)?),
            (None, Some(high)) if inside(high, plain_low, plain_high) => (plain_low, high),
            (None, Some(high)) if high.compare(plain_high)? == Ordering::Greater => (plain_low, plain_high),
            (None, Some(high)) => (high.add(span.negated())?.add(step.negated())?, high),
            (None, None) => (plain_low, plain_high),
        };
        let mut first = low.div_floor(step)?;
        let exact = step.times(first)?.compare(low)? == Ordering::Equal;
        let excluded =
            bounds.low_excluded && bounds.low.is_some_and(|bound| bound.compare(low) == Some(Ordering::Equal));
        if !exact || excluded {
            first = first.checked_add(1)?;
        }
        let mut last = high.div_floor(step)?;
        let ends = bounds.high.is_some_and(|bound| bound.compare(high) == Some(Ordering::Equal));
        if bounds.high_excluded && ends && step.times(last)?.compare(high)? == Ordering::Equal {
            last = last.checked_sub(1)?;
        }
        if first > last {
            // A wide step may have no multiple in the plausible range; the bounds themselves may still have one.
            return self.any_multiple(bounds, step);
        }
        step.times(self.rng.random_range(first..=last))
    }

    fn any_multiple(&mut self, bounds: &Bounds, step: Short) -> Option<Short> {
        let candidate = match (bounds.low, bounds.high) {
            (Some(low), _) => step.times(low.div_floor(step)?.checked_add(1)?)?,
            (None, Some(high)) => step.times(high.div_floor(step)?.checked_sub(1)?)?,
            (None, None) => step.times(self.rng.random_range(1..9))?,
        };
        bounds.allow(candidate).then_some(candidate)
    }
}

fn inside(value: Short, low: Short, high: Short) -> bool {
    value.compare(low).is_some_and(|order| order != Ordering::Less)
        && value.compare(high).is_some_and(|order| order == Ordering::Less)
}

/// The bounds of a number schema.
struct Bounds {
    low: Option<Short>,
    low_excluded: bool,
    high: Option<Short>,
    high_excluded: bool,
}

impl Bounds {
    fn of(node: &Node) -> Self {
        let strict = |name: &str| node.data(name) == Some(&Value::Bool(true));
        let read = |name: &str| node.data(name).and_then(short);
        let (low, low_excluded) = tighter(read("minimum"), read("exclusiveMinimum"), Ordering::Greater);
        let (high, high_excluded) = tighter(read("maximum"), read("exclusiveMaximum"), Ordering::Less);
        Self {
            low,
            low_excluded: low_excluded || strict("exclusiveMinimum"),
            high,
            high_excluded: high_excluded || strict("exclusiveMaximum"),
        }
    }

    fn allow(&self, value: Short) -> bool {
        let above = self.low.is_none_or(|low| match value.compare(low) {
            Some(Ordering::Greater) => true,
            Some(Ordering::Equal) => !self.low_excluded,
            Some(Ordering::Less) | None => false,
        });
        let below = self.high.is_none_or(|high| match value.compare(high) {
            Some(Ordering::Less) => true,
            Some(Ordering::Equal) => !self.high_excluded,
            Some(Ordering::Greater) | None => false,
        });
        above && below
    }
}

/// The stricter of an inclusive and an exclusive bound, and whether it is excluded.
fn tighter(inclusive: Option<Short>, exclusive: Option<Short>, strict: Ordering) -> (Option<Short>, bool) {
    match (inclusive, exclusive) {
        (Some(a), Some(b)) if a.compare(b) == Some(strict) => (Some(a), false),
        (_, Some(b)) => (Some(b), true),
        (a, None) => (a, false),
    }
}

/// The grid the number lies on.
fn step(node: &Node, whole: bool, name: &str) -> Option<Short> {
    let one = Short::whole(1);
    let multiple = node.data("multipleOf").and_then(short).filter(|step| step.is_positive());
    match (multiple, whole) {
        (Some(step), true) => step.lcm(one),
        (Some(step), false) => Some(step),
        (None, true) => Some(one),
        (None, false) => Short::parse(words::range(name).2),
    }
}

/// A finer grid for a later try; a grid the schema demands stays.
fn finer(step: Short, round: i32, demanded: Option<Short>) -> Option<Short> {
    match (round, demanded) {
        (0, _) => Some(step),
        (_, Some(_)) => None,
        (_, None) => Some(Short::new(1, round.checked_mul(-2)?)),
    }
}
