//! The verdict on a schema, from compiling it. Needs no weights: a vocabulary of single bytes will do.

use std::collections::HashMap;
use std::sync::{Arc, OnceLock};

use super::locate::{locate, unwritable};
use super::outline::{self, Reason};
use super::vocabulary::Bytes;
use super::{Compiler, GrammarError};
use crate::json::Value;
use crate::plan::{Dropped, GrammarVerdict};
use crate::schema::profile::RuleName;
use crate::schema::stack::with_known_stack;
use crate::schema::tree::Tree;

/// So often are keywords looked for that stand in the way.
const ROUNDS: usize = 4;

/// What the grammar compiler makes of a schema: strict, only without some keywords, or not at all. Bounded in work and
/// time on any schema.
#[must_use]
pub fn verdict(schema: &Value) -> GrammarVerdict {
    with_known_stack(|| judge(schema)).unwrap_or_else(|| refused(GrammarError::TooLarge))
}

/// As [`verdict`]; wants a large stack.
pub(super) fn judge(schema: &Value) -> GrammarVerdict {
    let Ok(tree) = Tree::read(schema) else { return refused(GrammarError::Dangling) };
    let Some(compiler) = without_model() else { return refused(GrammarError::Vocabulary) };
    let mut without: HashMap<String, Reason> = unwritable(&tree, compiler);
    let mut last = GrammarError::NotHeld;
    for _ in 0..ROUNDS {
        let Ok(outline) = outline::outline(&tree, &without) else { return refused(GrammarError::TooLarge) };
        let dropped = outline.dropped.clone();
        match compiler.compile(outline.document()) {
            Ok(_) if dropped.is_empty() => return GrammarVerdict::Strict,
            Ok(_) => return GrammarVerdict::Lenient { schema: relaxed(schema, &dropped), dropped },
            Err(error) => last = error,
        }
        let found = locate(&tree, compiler, &without, last);
        if found.is_empty() {
            break;
        }
        without.extend(found);
    }
    refused(last)
}

/// A compiler without a model, made once.
fn without_model() -> Option<&'static Compiler> {
    static COMPILER: OnceLock<Option<Compiler>> = OnceLock::new();
    COMPILER.get_or_init(|| Compiler::with_slices(&Arc::new(Bytes::new()), &[]).ok()).as_ref()
}

fn refused(error: GrammarError) -> GrammarVerdict {
    let rule = match error {
        GrammarError::Unsatisfiable => RuleName::Unsatisfiable,
        GrammarError::OneOf => RuleName::OneOfOverlaps,
        GrammarError::Overlap => RuleName::PatternOverlap,
        GrammarError::Circular => RuleName::RefSiblings,
        GrammarError::TooLarge => RuleName::TooLarge,
        GrammarError::Dangling => RuleName::DanglingReference,
        GrammarError::NotHeld | GrammarError::NoTool | GrammarError::Vocabulary => RuleName::KeywordNotSupported,
    };
    GrammarVerdict::refused(rule, "", &error.to_string())
}

/// The author's document without the keywords that were left out.
fn relaxed(schema: &Value, dropped: &[Dropped]) -> Value {
    let mut document = schema.clone();
    // Deeper places first: a `oneOf` that becomes an `anyOf` takes its pointer with it.
    let mut places: Vec<&Dropped> = dropped.iter().collect();
    places.sort_by_key(|place| std::cmp::Reverse(place.path.len()));
    for place in places {
        let Some((parent, name)) = place.path.rsplit_once('/') else { continue };
        let name = name.replace("~1", "/").replace("~0", "~");
        let Some(Value::Object(members)) = document.pointer_mut(parent) else { continue };
        let taken = members.shift_remove(&name);
        if name == "oneOf"
            && let Some(branches) = taken.filter(|_| !members.contains_key("anyOf"))
        {
            members.insert("anyOf".to_owned(), branches);
        }
    }
    document
}
