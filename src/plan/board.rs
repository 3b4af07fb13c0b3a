//! The portability board: what every provider makes of one schema, side by side, and the edits that would bring it to
//! one of them. Pure; says nothing about models, keys or endpoints.

mod felt;
mod offer;

pub use felt::{Sent, felt_by, sent};
pub use offer::{Offer, Offers, offers};

use serde::Serialize;

use super::GrammarVerdict;
use super::portability::{Portability, Support, portability};
use crate::json::Value;
use crate::schema::ResponseFormat;
use crate::schema::profile::{Profile, ProfileId, profile};
use crate::schema::project::Source;

/// A provider of the board, and the profile this version has for it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Provider {
    pub name: &'static str,
    /// Absent: what it accepts depends on what stands behind it.
    pub profile: Option<ProfileId>,
}

const fn known(name: &'static str, profile: ProfileId) -> Provider {
    Provider { name, profile: Some(profile) }
}

/// Every provider that reports name, in their order.
pub const PROVIDERS: [Provider; 15] = [
    known("openai", ProfileId::OpenaiStrict),
    known("azure", ProfileId::Azure),
    known("anthropic", ProfileId::Anthropic),
    known("google", ProfileId::Google),
    known("bedrock", ProfileId::Bedrock),
    known("ollama", ProfileId::Ollama),
    known("llama_cpp", ProfileId::LlamaCpp),
    known("vllm", ProfileId::Vllm),
    known("lmstudio", ProfileId::LlamaCpp),
    known("groq", ProfileId::Groq),
    known("mistral", ProfileId::Mistral),
    Provider { name: "deepseek", profile: None },
    known("xai", ProfileId::Xai),
    Provider { name: "openrouter", profile: None },
    known("local", ProfileId::Llguidance),
];

/// One provider's answer.
#[derive(Debug, Clone, PartialEq)]
pub struct Row {
    pub provider: Provider,
    /// Absent for a provider without a profile.
    pub found: Option<Portability>,
}

/// All answers about one schema.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Board {
    pub rows: Vec<Row>,
}

/// A provider whose native answer is another after an edit.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct Moved {
    pub provider: &'static str,
    #[serde(rename = "before")]
    pub from: Support,
    #[serde(rename = "after")]
    pub to: Support,
}

impl Moved {
    /// `groq: refused`.
    #[must_use]
    pub fn short(&self) -> String {
        format!("{}: {}", self.provider, self.to.name())
    }

    /// `groq refuses the schema (now accepted)`.
    #[must_use]
    pub fn words(&self) -> String {
        let then = match self.to {
            Support::Refused => "refuses the schema",
            Support::Narrow => "takes a narrowed copy",
            Support::Relax => "takes a copy without some constraints",
            Support::Accepted => "takes the schema",
            Support::Unknown => "was not proved to take it",
        };
        format!("{} {then} (now {})", self.provider, self.from.name())
    }
}

impl Board {
    /// Asks all of them. `grammar` is the compiler's verdict where one decides instead of a list; the schema is read once,
    /// and providers with one profile share its answer.
    pub fn of(format: &ResponseFormat, grammar: impl Fn(ProfileId, &Value) -> Option<GrammarVerdict>) -> Self {
        let source = Source::read(&format.schema);
        let mut rows: Vec<Row> = Vec::with_capacity(PROVIDERS.len());
        for provider in PROVIDERS {
            let same = rows.iter().find(|row| row.provider.profile == provider.profile);
            let found = match (same, provider.profile) {
                (Some(row), _) => row.found.clone(),
                (None, None) => None,
                (None, Some(id)) => {
                    let verdict = grammar(id, &format.schema);
                    Some(portability(id, verdict.as_ref(), &source, format))
                }
            };
            rows.push(Row { provider, found });
        }
        Self { rows }
    }

    /// What an edit moved: this board is from before it.
    #[must_use]
    pub fn moved(&self, after: &Self) -> Vec<Moved> {
        let pairs = self.rows.iter().zip(&after.rows);
        let changed = pairs.filter(|(before, after)| before.native() != after.native());
        changed
            .map(|(before, after)| Moved { provider: before.provider.name, from: before.native(), to: after.native() })
            .collect()
    }
}

impl Row {
    /// The lowest level at which the schema parameter takes the schema.
    #[must_use]
    pub fn native(&self) -> Support {
        self.found.as_ref().map_or(Support::Unknown, |found| found.native)
    }

    /// The same of the submit tool.
    #[must_use]
    pub fn tool(&self) -> Support {
        self.found.as_ref().map_or(Support::Unknown, |found| found.tool)
    }

    /// The profile behind the answer.
    #[must_use]
    pub fn profile(&self) -> Option<&'static Profile> {
        self.provider.profile.map(profile)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::schema::preflight::check_text;

    fn board(schema: &str) -> Board {
        Board::of(&check_text(schema).unwrap().format, |_, _| None)
    }

    #[test]
    fn every_provider_has_a_row_and_those_without_a_profile_say_so() {
        let board = board(r#"{"type":"object","properties":{"a":{"type":"string","minLength":2}}}"#);
        let native = |name: &str| board.rows.iter().find(|row| row.provider.name == name).unwrap().native();
        assert_eq!(board.rows.len(), PROVIDERS.len());
        assert_eq!(native("deepseek"), Support::Unknown);
        assert_eq!(native("openai"), Support::Relax);
        assert_eq!(native("llama_cpp"), native("lmstudio"));
    }

    #[test]
    fn an_edit_moves_providers() {
        let before = board(r#"{"type":"object","properties":{"a":{"type":"string"}},"required":["a"]}"#);
        let after = board(
            r#"{"type":"object","properties":{"a":{"type":"string"}},"required":["a"],"additionalProperties":false}"#,
        );
        let moved = before.moved(&after);
        let openai = moved.iter().find(|moved| moved.provider == "openai").unwrap();
        assert_eq!((openai.from, openai.to), (Support::Narrow, Support::Accepted));
        assert!(before.moved(&before).is_empty());
    }
}
