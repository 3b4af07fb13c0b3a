//! Asks the grammar compiler about a schema, where one holds the answer. Work: some milliseconds, bounded on any schema.

use crate::json::Value;
use crate::plan::GrammarVerdict;
use crate::schema::profile::ProfileId;

/// The compiler's verdict, if this profile is the grammar compiler's; `None` where a list decides.
#[must_use]
pub fn verdict(profile: ProfileId, schema: &Value) -> Option<GrammarVerdict> {
    match profile {
        ProfileId::Llguidance => Some(ask(schema)),
        _ => None,
    }
}

#[cfg(feature = "local")]
fn ask(schema: &Value) -> GrammarVerdict {
    crate::local::grammar::verdict(schema)
}

#[cfg(not(feature = "local"))]
fn ask(_schema: &Value) -> GrammarVerdict {
    use crate::schema::profile::RuleName;
    GrammarVerdict::refused(
        RuleName::GrammarNotBuilt,
        "",
        "this program was built without the local model: the cargo feature `local` is off",
    )
}
