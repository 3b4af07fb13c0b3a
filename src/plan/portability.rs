//! What one provider makes of a schema: by which route, at which level, what stands in the way, and which edits would
//! bring it there. Pure; says nothing about models, keys or endpoints.

use std::collections::HashSet;

use serde::Serialize;

use super::GrammarVerdict;
use crate::schema::ResponseFormat;
use crate::schema::profile::{Measure, ProfileId, RuleName, StrictTools, profile_at};
use crate::schema::project::{Assessment, Change, Level, Place, Projected, Refusal, Source, project, refusal};

/// The lowest projection level at which a route takes the schema.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Support {
    Accepted,
    Narrow,
    Relax,
    Refused,
    /// Nobody proved anything about this route.
    Unknown,
}

/// One provider's answer.
#[derive(Debug, Clone, PartialEq)]
pub struct Portability {
    pub native: Support,
    /// The hidden submit tool.
    pub tool: Support,
    /// Every place that stands in the way of the exact projection.
    pub objections: Vec<Objection>,
    /// Places that pass, although reports say they sometimes fail.
    pub warnings: Vec<Refusal>,
    /// Each limit of the profile, with its use by the schema as it is; nothing where the use is not known.
    pub uses: Vec<Use>,
    /// What the native route would change, at the lowest level that opens it.
    pub edits: Vec<Change>,
}

/// A refused place, and the routes it closes.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Objection {
    #[serde(flatten)]
    pub refusal: Refusal,
    pub routes: &'static [&'static str],
}

/// A limit and how much of it is used.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct Use {
    pub what: Measure,
    pub limit: usize,
    pub used: Option<usize>,
}

const NATIVE: &[&str] = &["native"];
const TOOL: &[&str] = &["tool"];
const BOTH: &[&str] = &["native", "tool"];

/// Holds a schema against a profile, as native schema and as strict tool. `grammar` is the compiler's verdict where one
/// decides instead of a list.
#[must_use]
pub fn portability(
    id: ProfileId,
    grammar: Option<&GrammarVerdict>,
    source: &Source<'_>,
    format: &ResponseFormat,
) -> Portability {
    let rules = profile_at(id, Place::Native);
    let native = assess(id, grammar, Place::Native, source, format);
    let (tool, in_tool) = match rules.strict_tools {
        // One list for both routes, and a root that needs no wrapper: the same answer.
        StrictTools::Held if grammar.is_none() && source.is_alike(id) => {
            (Support::of(native.level), native.refusals.clone())
        }
        StrictTools::Held => {
            let tool = assess(id, grammar, Place::Tool, source, format);
            (Support::of(tool.level), tool.refusals)
        }
        StrictTools::Unproven => (Support::Unknown, Vec::new()),
        StrictTools::Missing => (Support::Refused, vec![no_strict_tools()]),
    };
    let use_of = |what| native.counts.iter().find(|count| count.what == what).map(|count| count.used);
    let uses = rules.limits.iter().map(|limit| Use { what: limit.what, limit: limit.most, used: use_of(limit.what) });
    Portability {
        native: Support::of(native.level),
        tool,
        objections: objections(native.refusals, in_tool),
        uses: uses.collect(),
        warnings: native.level.map_or_else(Vec::new, |_| native.projected.warnings),
        edits: native.level.map_or_else(Vec::new, |_| native.projected.changes),
    }
}

/// The schema as it would be sent: by the grammar compiler where one decides, else by the profile.
///
/// # Errors
/// Every place that stays refused at that level.
pub fn projection(
    id: ProfileId,
    grammar: Option<&GrammarVerdict>,
    place: Place,
    format: &ResponseFormat,
    level: Level,
) -> Result<Projected, Vec<Refusal>> {
    match grammar {
        Some(verdict) => verdict.project(place, format, level),
        None => project(id, place, format, level),
    }
}

fn assess(
    id: ProfileId,
    grammar: Option<&GrammarVerdict>,
    place: Place,
    source: &Source<'_>,
    format: &ResponseFormat,
) -> Assessment {
    let Some(verdict) = grammar else { return source.assess(id, place) };
    let mut refusals = Vec::new();
    for level in Level::ALL {
        match verdict.project(place, format, level) {
            Ok(projected) => {
                let (left, counts) = (Vec::new(), Vec::new());
                return Assessment { level: Some(level), refusals, left, counts, projected };
            }
            Err(found) if level == Level::Exact => refusals = found,
            Err(_) => {}
        }
    }
    Assessment { left: refusals.clone(), refusals, level: None, counts: Vec::new(), projected: source.untouched() }
}

fn no_strict_tools() -> Refusal {
    refusal(RuleName::NoStrictTools, String::new(), "the provider does not hold tools to their schema")
}

/// One list of both routes' refusals: what closes both stands once.
fn objections(native: Vec<Refusal>, tool: Vec<Refusal>) -> Vec<Objection> {
    let key = |refusal: &Refusal| (refusal.path.clone(), refusal.rule.clone());
    let mut only_tool: HashSet<_> = tool.iter().map(key).collect();
    let mut all: Vec<Objection> = Vec::with_capacity(native.len());
    for refusal in native {
        let routes = if only_tool.remove(&key(&refusal)) { BOTH } else { NATIVE };
        all.push(Objection { refusal, routes });
    }
    let rest = tool.into_iter().filter(|refusal| only_tool.contains(&key(refusal)));
    all.extend(rest.map(|refusal| Objection { refusal, routes: TOOL }));
    all
}

impl Support {
    const fn of(level: Option<Level>) -> Self {
        match level {
            Some(Level::Exact) => Self::Accepted,
            Some(Level::Narrow) => Self::Narrow,
            Some(Level::Relax) => Self::Relax,
            None => Self::Refused,
        }
    }

    /// Does less of the schema arrive than with the other? What nobody proved is neither better nor worse.
    #[must_use]
    pub const fn is_worse_than(self, other: Self) -> bool {
        const fn rank(of: Support) -> Option<u8> {
            match of {
                Support::Accepted => Some(0),
                Support::Narrow => Some(1),
                Support::Relax => Some(2),
                Support::Refused => Some(3),
                Support::Unknown => None,
            }
        }
        matches!((rank(self), rank(other)), (Some(own), Some(before)) if own > before)
    }

    /// The word of reports.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Accepted => "accepted",
            Self::Narrow => "narrow",
            Self::Relax => "relax",
            Self::Refused => "refused",
            Self::Unknown => "unknown",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::schema::preflight::check_text;

    fn of(id: ProfileId, schema: &str) -> Portability {
        let format = check_text(schema).unwrap().format;
        portability(id, None, &Source::read(&format.schema), &format)
    }

    #[test]
    fn native_and_tool_have_verdicts_of_their_own() {
        let odd = r#"{"type":"object","properties":{"a[]":{"type":"string"}},"required":["a[]"],"additionalProperties":false}"#;
        let anthropic = of(ProfileId::Anthropic, odd);
        assert_eq!((anthropic.native, anthropic.tool), (Support::Accepted, Support::Refused));
        let told: Vec<_> = anthropic.objections.iter().map(|o| (o.refusal.path.as_str(), o.routes)).collect();
        assert_eq!(told, [("/properties/a[]", TOOL)]);
        let text = r#"{"type":"string"}"#;
        let openai = of(ProfileId::OpenaiStrict, text);
        assert_eq!((openai.native, openai.tool), (Support::Refused, Support::Accepted), "a tool's root is wrapped");
        assert_eq!(
            (of(ProfileId::Groq, text).tool, of(ProfileId::Vllm, text).tool),
            (Support::Refused, Support::Unknown)
        );
    }

    #[test]
    fn what_closes_both_routes_stands_once() {
        let openai = of(ProfileId::OpenaiStrict, r#"{"type":"object","properties":{"a":{"type":"string"}}}"#);
        assert!(!openai.objections.is_empty() && openai.objections.iter().all(|o| o.routes == BOTH), "{openai:?}");
        assert_eq!((openai.native, openai.edits.len()), (Support::Narrow, 2), "{:?}", openai.edits);
    }

    #[test]
    fn counts_are_those_of_the_schema_as_it_is() {
        let fields: Vec<String> = (0..30).map(|n| format!(r#""p{n}":{{"type":"string"}}"#)).collect();
        let wide = format!(r#"{{"type":"object","additionalProperties":false,"properties":{{{}}}}}"#, fields.join(","));
        let anthropic = of(ProfileId::Anthropic, &wide);
        let optional = anthropic.uses.iter().find(|u| u.what == Measure::OptionalProperties).unwrap();
        assert_eq!((optional.used, optional.limit), (Some(30), 24));
        assert_eq!(anthropic.native, Support::Narrow);
    }

    #[test]
    fn what_is_ignored_is_no_acceptance() {
        use crate::schema::project::Verdict;
        let google = of(ProfileId::Google, r#"{"type":"object","properties":{"a":{"type":"string","maxLength":3}}}"#);
        let told: Vec<_> = google.objections.iter().map(|o| (o.refusal.verdict, o.refusal.mends_at)).collect();
        assert_eq!((google.native, told), (Support::Relax, vec![(Verdict::Ignored, Some(Level::Relax))]));
    }
}
