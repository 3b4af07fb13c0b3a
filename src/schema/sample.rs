//! Instances made from a schema; every one is checked by the validator before it is given out.
//!
//! Looks like real data where the schema leaves room. Bounded on any schema: a number of tries, each with a budget.

mod heights;
mod maker;
mod pattern;
mod reasons;
mod words;

use super::tree::{Dangling, Tree};
use super::validate::{JudgeOptions, judge};
use super::{Judge, ResponseFormat};
use crate::json::{ParseLimits, Value};

use maker::{Maker, Style};

/// Tries with different choices.
const TRIES: u32 = 60;

/// Why no sample could be made.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum SampleError {
    /// The schema demands what cannot be, at this pointer.
    #[error("nothing satisfies this schema: {why} at {path:?}")]
    Unsatisfiable { path: String, why: String },
    /// Tried and failed.
    #[error("no valid instance was found in {tries} tries (the schema may still have some)")]
    NotFound { tries: u32, path: String },
}

/// Makes one instance; the same seed gives the same instance.
///
/// # Errors
/// [`SampleError`] when none was found; never an invalid instance.
pub fn sample(format: &ResponseFormat, seed: u64) -> Result<Value, SampleError> {
    let nothing = |path: String| SampleError::NotFound { tries: 0, path };
    let tree = Tree::read(&format.schema).map_err(|Dangling(path)| nothing(path))?;
    if let Some((path, why)) = reasons::impossible(&tree) {
        return Err(SampleError::Unsatisfiable { path, why });
    }
    let options = JudgeOptions { limits: ParseLimits::default(), assert_format: false };
    let judge = judge(format, options).map_err(|error| nothing(error.path))?;
    search(tree, &judge, seed)
}

/// Tries until an instance is valid.
fn search(tree: Tree, judge: &Judge, seed: u64) -> Result<Value, SampleError> {
    let mut maker = Maker::new(tree);
    for number in 0..TRIES {
        let mixed = seed.wrapping_mul(0x9e37_79b9_7f4a_7c15).wrapping_add(u64::from(number));
        if let Some(value) = maker.make(mixed, style(number))
            && judge.validate(&value).list.is_empty()
        {
            return Ok(value);
        }
    }
    Err(SampleError::NotFound { tries: TRIES, path: String::new() })
}

/// The first tries make rich values; later ones get plainer and less choosy.
const fn style(number: u32) -> Style {
    match number {
        0..4 => Style { optional: 90, hints: true, short: false },
        4..12 => Style { optional: 60, hints: false, short: false },
        _ => match number % 4 {
            0 => Style { optional: 0, hints: false, short: false },
            1 => Style { optional: 0, hints: false, short: true },
            2 => Style { optional: 100, hints: false, short: false },
            _ => Style { optional: 30, hints: false, short: true },
        },
    }
}
