//! What would have to be edited for one provider, edit by edit, each with what it does to the meaning.

use super::super::GrammarVerdict;
use super::super::portability::projection;
use crate::json::edit::{Edit, between};
use crate::json::{Value, canonical, tokens};
use crate::schema::ResponseFormat;
use crate::schema::diff::{Verdict, diff};
use crate::schema::profile::ProfileId;
use crate::schema::project::{Change, Effect, Level, Place};
use crate::text;

/// Bytes of schema that are compared, all edits together; beyond, the projection's own word counts.
const MAX_COMPARED: usize = 256 * 1024;
/// Cells of a value that an offer shows.
const SHOWN: usize = 48;

/// One edit that can be made for itself.
#[derive(Debug, Clone, PartialEq)]
pub struct Offer {
    /// Pointers are into the schema, not the document around it.
    pub edit: Edit,
    /// `additionalProperties: false`, `without minLength`.
    pub what: String,
    /// What it does to the set of allowed values.
    pub effect: Effect,
    /// The effect was shown by comparing the schemas; else it is what the projection needed at that place.
    pub shown: bool,
    /// What the projection says of that place: short phrases.
    pub reasons: Vec<String>,
}

/// Everything one provider needs.
#[derive(Debug, Clone, PartialEq)]
pub struct Offers {
    /// The level that all of them together need.
    pub level: Level,
    /// In the order of the document.
    pub each: Vec<Offer>,
    /// The schema with all of them.
    pub schema: Value,
}

/// The edits that make the provider take the schema natively, at the lowest level that helps; nothing when none does, or
/// when it takes the schema as it is.
#[must_use]
pub fn offers(id: ProfileId, grammar: Option<&GrammarVerdict>, format: &ResponseFormat) -> Option<Offers> {
    let at = |level: Level| projection(id, grammar, Place::Native, format, level).ok();
    let made = Level::ALL.into_iter().find_map(at)?;
    let edits = between(&format.schema, &made.schema);
    let small = canonical(&format.schema).len().saturating_mul(edits.len()) <= MAX_COMPARED;
    let each = edits.into_iter().map(|edit| {
        let shown = if small { effect_of(&format.schema, &edit) } else { None };
        offer(edit, &made.changes, shown)
    });
    let each: Vec<Offer> = each.collect();
    (!each.is_empty()).then_some(Offers { level: made.level, each, schema: made.schema })
}

/// What an edit alone does to the meaning; nothing where neither direction can be shown.
fn effect_of(schema: &Value, edit: &Edit) -> Option<Effect> {
    let edited = edit.of_value(schema)?;
    match diff(schema, &edited).verdict {
        Verdict::Same | Verdict::Annotations => Some(Effect::Keeps),
        Verdict::Stricter => Some(Effect::Narrows),
        Verdict::Looser => Some(Effect::Widens),
        Verdict::Incomparable => None,
    }
}

fn offer(edit: Edit, changes: &[Change], shown: Option<Effect>) -> Offer {
    let near = |of: fn(&str, &str) -> bool| -> Vec<&Change> {
        changes.iter().filter(|change| of(&change.path, edit.pointer())).collect()
    };
    let all = [near(is_listed), near(speaks_of), changes.iter().collect()];
    let all = all.into_iter().find(|found| !found.is_empty()).unwrap_or_default();
    let needed = all.iter().map(|change| change.effect()).max().unwrap_or(Effect::Keeps);
    let mut reasons: Vec<String> = all.iter().map(|change| change.what.clone()).collect();
    reasons.dedup();
    Offer { what: words(&edit), effect: shown.unwrap_or(needed), shown: shown.is_some(), reasons, edit }
}

/// Is a change's place that of an edit: the same, inside it, or the schema whose keyword is edited?
fn speaks_of(change: &str, edit: &str) -> bool {
    let within = |inner: &str, outer: &str| {
        inner.strip_prefix(outer).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
    };
    within(change, edit) || change == edit.rsplit_once('/').map_or("", |(parent, _)| parent)
}

/// That a property became required is told of the property.
fn is_listed(change: &str, edit: &str) -> bool {
    let property = edit.strip_suffix("/required").and_then(|schema| change.strip_prefix(schema));
    property.and_then(|rest| rest.strip_prefix("/properties/")).is_some_and(|name| !name.contains('/'))
}

fn words(edit: &Edit) -> String {
    let name = tokens(edit.pointer()).and_then(|mut tokens| tokens.pop()).unwrap_or_default();
    let shown = |value: &Value| text::truncate(&text::safe(&canonical(value)), SHOWN).into_owned();
    match edit {
        Edit::Set { value, .. } | Edit::Insert { value, .. } if name.is_empty() => shown(value),
        Edit::Set { value, .. } | Edit::Insert { value, .. } => format!("{}: {}", text::safe(&name), shown(value)),
        Edit::Remove { .. } => format!("without {}", text::safe(&name)),
        Edit::Rename { to, .. } => format!("{} becomes {}", text::safe(&name), text::safe(to)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::json::edit::apply;
    use crate::json::pretty;
    use crate::schema::preflight::check_text;

    const SCHEMA: &str = r#"{
  "type": "object",
  "properties": {
    "name": { "type": "string", "minLength": 1 },
    "age": { "type": "integer" }
  },
  "required": ["name"]
}"#;

    fn told(id: ProfileId, schema: &str) -> Vec<(String, String, Effect)> {
        let format = check_text(schema).unwrap().format;
        let offers = offers(id, None, &format).map_or_else(Vec::new, |offers| offers.each);
        offers.into_iter().map(|o| (o.edit.pointer().to_owned(), o.what, o.effect)).collect()
    }

    #[test]
    fn each_edit_says_what_it_does_to_the_meaning() {
        let told = told(ProfileId::OpenaiStrict, SCHEMA);
        let of = |pointer: &str| {
            told.iter().find(|(at, _, _)| at == pointer).map(|(_, what, effect)| (what.as_str(), *effect))
        };
        assert_eq!(of("/additionalProperties"), Some(("additionalProperties: false", Effect::Narrows)));
        assert_eq!(of("/required"), Some((r#"required: ["name","age"]"#, Effect::Narrows)));
        assert_eq!(of("/properties/name/minLength"), Some(("without minLength", Effect::Widens)));
    }

    #[test]
    fn all_of_them_together_are_the_projection() {
        let format = check_text(SCHEMA).unwrap().format;
        let offers = offers(ProfileId::OpenaiStrict, None, &format).unwrap();
        let edits: Vec<Edit> = offers.each.iter().map(|offer| offer.edit.clone()).collect();
        let edited = check_text(&apply(SCHEMA, &edits).unwrap()).unwrap().format;
        assert_eq!(pretty(&edited.schema), pretty(&offers.schema));
        assert_eq!(super::offers(ProfileId::OpenaiStrict, None, &edited), None, "nothing is left to edit");
    }

    #[test]
    fn a_schema_that_is_taken_as_it_is_has_no_offers() {
        assert_eq!(told(ProfileId::None, SCHEMA), []);
        assert_eq!(
            told(ProfileId::OpenaiStrict, r#"{"type":"object","additionalProperties":false,"properties":{}}"#),
            []
        );
    }
}
