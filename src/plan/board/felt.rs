//! What the board says of a schema with an offered constraint in it, and what each provider would be sent.

use serde::Serialize;

use super::super::GrammarVerdict;
use super::super::portability::projection;
use super::{Board, Moved, PROVIDERS, Provider};
use crate::json::{Value, canonical};
use crate::schema::ResponseFormat;
use crate::schema::loose::Finding;
use crate::schema::profile::ProfileId;
use crate::schema::project::{Level, Place};
use crate::schema::weight::{Weight, weigh};

/// Bytes of schemas that are held against every provider, all offers together. An offer past them is told without.
const MAX_BYTES: usize = 256 * 1024;
/// Offers that are held against the providers.
const MAX_OFFERS: usize = 60;

/// What a provider would be sent.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Sent {
    pub provider: &'static str,
    /// The lowest level that opens the native route: `exact`, `narrow`, `relax`.
    pub level: &'static str,
    /// Estimated tokens.
    pub tokens: usize,
}

impl Sent {
    /// Is it worth a line of its own: more than a fiftieth off the schema as it is?
    #[must_use]
    pub const fn differs(&self, whole: &Weight) -> bool {
        self.tokens.abs_diff(whole.tokens) * 50 > whole.tokens
    }
}

/// For each finding, in their order, the providers that would take the schema less well with its offer in it. Those past
/// the first few dozen get none, fewer of a large schema: each is held against the whole board once more.
pub fn felt_by(
    format: &ResponseFormat,
    findings: &[Finding],
    grammar: impl Fn(ProfileId, &Value) -> Option<GrammarVerdict>,
) -> Vec<Vec<Moved>> {
    let affordable = MAX_BYTES / canonical(&format.schema).len().max(1);
    let most = affordable.saturating_sub(1).min(MAX_OFFERS);
    let now = (most > 0).then(|| Board::of(format, &grammar));
    let mut left = most;
    let mut one = |finding: &Finding| {
        let tighter = finding.offer.as_ref().filter(|_| left > 0)?.applied(&format.schema)?;
        left -= 1;
        let after = Board::of(&ResponseFormat { schema: tighter, ..format.clone() }, &grammar);
        let moved = now.as_ref()?.moved(&after);
        Some(moved.into_iter().filter(|moved| moved.to.is_worse_than(moved.from)).collect())
    };
    findings.iter().map(|finding| one(finding).unwrap_or_default()).collect()
}

/// What each provider that takes the schema natively would be sent, weighed.
pub fn sent(format: &ResponseFormat, grammar: impl Fn(ProfileId, &Value) -> Option<GrammarVerdict>) -> Vec<Sent> {
    let one = |provider: &Provider| {
        let id = provider.profile?;
        let verdict = grammar(id, &format.schema);
        let at = |level: Level| Some((level, projection(id, verdict.as_ref(), Place::Native, format, level).ok()?));
        let (level, projected) = Level::ALL.into_iter().find_map(at)?;
        Some(Sent { provider: provider.name, level: level.name(), tokens: weigh(&projected.schema).tokens })
    };
    PROVIDERS.iter().filter_map(one).collect()
}

#[cfg(test)]
mod tests {
    use super::super::super::portability::Support;
    use super::*;
    use crate::json::{ParseLimits, parse};
    use crate::schema::loose::loose;
    use crate::schema::preflight::check_text;
    use crate::schema::validate::JudgeOptions;

    fn findings(format: &ResponseFormat, good: &str) -> Vec<Finding> {
        let options = JudgeOptions { limits: ParseLimits::default(), assert_format: false };
        loose(format, &parse(good, ParseLimits::default()).unwrap(), options).unwrap().findings
    }

    #[test]
    fn every_provider_of_the_board_is_asked_those_with_a_grammar_too() {
        let text = r#"{"type":"object","properties":{"name":{"type":"string"}},"required":["name"],"additionalProperties":false}"#;
        let format = check_text(text).unwrap().format;
        let findings = findings(&format, r#"{"name":"Ada"}"#);
        // A compiler that takes the schema only as it was.
        let grammar = |id: ProfileId, schema: &Value| {
            (id == ProfileId::Llguidance && *schema != format.schema)
                .then(|| GrammarVerdict::refused(crate::schema::profile::RuleName::GrammarNotBuilt, "", "no"))
        };
        let felt = felt_by(&format, &findings, grammar);
        assert_eq!(felt.len(), findings.len());
        let at = findings.iter().position(|f| f.offer.as_ref().is_some_and(|o| o.keyword == "minLength")).unwrap();
        let of = |name: &str| felt[at].iter().find(|moved| moved.provider == name).map(|m| (m.from, m.to));
        assert_eq!(of("local"), Some((Support::Accepted, Support::Refused)));
        assert_eq!(of("openai"), Some((Support::Accepted, Support::Relax)));
        assert_eq!(of("llama_cpp"), of("lmstudio"));
        assert_eq!(of("deepseek"), None, "nobody knows what it takes");
    }

    #[test]
    fn a_large_schema_is_not_held_against_every_provider_for_each_offer() {
        let fields: Vec<String> = (0..4_000).map(|n| format!(r#""field_{n}":{{"type":"string"}}"#)).collect();
        let text = format!(r#"{{"type":"object","properties":{{{}}}}}"#, fields.join(","));
        let format = check_text(&text).unwrap().format;
        let findings = findings(&format, r#"{"field_1":"x","field_2":"y"}"#);
        let asked = std::cell::Cell::new(0_usize);
        let felt = felt_by(&format, &findings, |_, _| {
            asked.set(asked.get() + 1);
            None
        });
        assert_eq!((felt.len(), felt.iter().all(Vec::is_empty)), (findings.len(), true));
        assert!(findings.len() > 1 && asked.get() < 40, "{} findings, asked {}", findings.len(), asked.get());
    }

    #[test]
    fn what_is_sent_is_named_by_provider() {
        let format = check_text(r#"{"type":"object","properties":{"a":{"type":"string","minLength":2}}}"#).unwrap();
        let sent = sent(&format.format, |_, _| None);
        let of = |name: &str| sent.iter().find(|sent| sent.provider == name).map(|sent| sent.level);
        assert_eq!((of("openai"), of("llama_cpp"), of("deepseek")), (Some("relax"), Some("exact"), None));
    }
}
