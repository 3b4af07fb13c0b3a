//! What each provider accepts, keyword by keyword and limit by limit; allow-lists with date and source.
//!
//! Data only: `project` holds a schema against it. What no row names is refused, never guessed. Rules that rest on thin
//! evidence are marked uncertain.

mod anthropic;
mod azure;
mod bedrock;
mod google;
mod grammar;
mod groq;
mod llama_cpp;
mod mistral;
mod none;
mod ollama;
mod openai;
mod vllm;
mod xai;

use super::project::{Place, Verdict};
use super::tree::types::Types;
use serde::{Deserialize, Serialize};

pub use super::accepted::Keyword;
pub use super::limit::{Limit, Measure};
pub use super::rule::{Evidence, Rule, RuleName};

use super::accepted::{ANTHROPIC, CONVERTER, doubtful, keyword};
use super::limit::{limit, stricter};
use super::rule::{rule, suspected};

/// Which allow-list of schema keywords applies.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize, Default)]
#[serde(rename_all = "snake_case")]
pub enum ProfileId {
    /// `OpenAI`'s strict mode; `openai` names it too.
    #[serde(alias = "openai")]
    OpenaiStrict,
    Azure,
    Anthropic,
    Google,
    Bedrock,
    LlamaCpp,
    Vllm,
    Ollama,
    Groq,
    Mistral,
    Xai,
    /// The grammar compiler of the built-in model: it is asked, no list stands for it.
    Llguidance,
    /// Accepts every schema as it is.
    #[default]
    None,
}

impl ProfileId {
    /// Every profile, in the order of reports.
    pub const ALL: [Self; 13] = [
        Self::OpenaiStrict,
        Self::Azure,
        Self::Anthropic,
        Self::Google,
        Self::Bedrock,
        Self::LlamaCpp,
        Self::Vllm,
        Self::Ollama,
        Self::Groq,
        Self::Mistral,
        Self::Xai,
        Self::Llguidance,
        Self::None,
    ];

    /// The words the config takes.
    pub const WORDS: [&'static str; 14] = [
        "openai",
        "openai_strict",
        "azure",
        "anthropic",
        "google",
        "bedrock",
        "llama_cpp",
        "lmstudio",
        "vllm",
        "ollama",
        "groq",
        "mistral",
        "xai",
        "none",
    ];

    /// The name used in the config and in reports.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::OpenaiStrict => "openai_strict",
            Self::Azure => "azure",
            Self::Anthropic => "anthropic",
            Self::Google => "google",
            Self::Bedrock => "bedrock",
            Self::LlamaCpp => "llama_cpp",
            Self::Vllm => "vllm",
            Self::Ollama => "ollama",
            Self::Groq => "groq",
            Self::Mistral => "mistral",
            Self::Xai => "xai",
            Self::Llguidance => "llguidance",
            Self::None => "none",
        }
    }

    /// The profile a word of the config names.
    #[must_use]
    pub fn named(word: &str) -> Option<Self> {
        match word {
            "openai" => Some(Self::OpenaiStrict),
            "lmstudio" => Some(Self::LlamaCpp),
            _ => Self::ALL.into_iter().find(|id| *id != Self::Llguidance && id.name() == word),
        }
    }
}

/// Are the arguments of a tool held to its schema?
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum StrictTools {
    Held,
    /// Nobody proved it.
    Unproven,
    /// The provider does not offer it.
    Missing,
}

/// One provider's allow-list.
#[derive(Debug, Clone, Copy)]
pub struct Profile {
    pub id: ProfileId,
    /// Name in reports: `openai_strict`.
    pub name: &'static str,
    /// The day the facts were collected.
    pub date: &'static str,
    /// Where they come from.
    pub source: &'static str,
    /// Schemas pass as they are; nothing below counts.
    pub accepts_everything: bool,
    /// Unknown keywords and annotations may stand in the schema (the server skips them).
    pub keeps_annotations: bool,
    /// Are tools held to their schema?
    pub strict_tools: StrictTools,
    /// Keywords that are accepted and enforced.
    pub keywords: &'static [Keyword],
    /// Keywords that are accepted and ignored: the answer may break them.
    pub ignored: &'static [&'static str],
    /// Types of the values `enum` and `const` may hold.
    pub(crate) values: Types,
    /// Keywords accepted at the root besides.
    pub root_keywords: &'static [&'static str],
    /// Values of `format` that are enforced.
    pub formats: &'static [&'static str],
    /// May stand beside `$ref`.
    pub reference_siblings: &'static [&'static str],
    /// May stand beside `anyOf`.
    pub union_siblings: &'static [&'static str],
    /// Rules beyond single keywords.
    pub rules: &'static [Rule],
    pub limits: &'static [Limit],
}

/// A provider with a list: what most of them have in common, each says the rest.
const ALLOW_LIST: Profile = Profile {
    accepts_everything: false,
    keeps_annotations: false,
    root_keywords: &["$schema", "$id"],
    reference_siblings: &["title", "description"],
    union_siblings: &["title", "description"],
    ..EVERYTHING
};

/// No list: schemas pass as they are.
const EVERYTHING: Profile = Profile {
    id: ProfileId::None,
    name: "",
    date: "",
    source: "",
    accepts_everything: true,
    keeps_annotations: true,
    strict_tools: StrictTools::Unproven,
    keywords: &[],
    ignored: &[],
    values: Types::ALL,
    root_keywords: &[],
    formats: &[],
    reference_siblings: &[],
    union_siblings: &[],
    rules: &[],
    limits: &[],
};

impl Profile {
    /// The rule of this name, when the profile has it.
    #[must_use]
    pub fn rule(&self, name: RuleName) -> Option<&'static Rule> {
        self.rules.iter().find(|rule| rule.name == name)
    }

    /// Does the profile have this rule?
    #[must_use]
    pub fn has(&self, name: RuleName) -> bool {
        self.rule(name).is_some()
    }

    /// The row of an accepted keyword.
    #[must_use]
    pub fn keyword(&self, name: &str) -> Option<&'static Keyword> {
        self.keywords.iter().find(|row| row.name == name)
    }
}

impl Profile {
    /// What the provider does with a keyword of this name, beside the types it speaks about.
    #[must_use]
    pub fn verdict(&self, name: &str) -> Verdict {
        if self.accepts_everything || self.keyword(name).is_some() || self.root_keywords.contains(&name) {
            Verdict::Accepted
        } else if self.ignored.contains(&name) {
            Verdict::Ignored
        } else {
            Verdict::Refused
        }
    }
}

/// The profile of an id, for a schema in native place.
#[must_use]
pub const fn profile(id: ProfileId) -> &'static Profile {
    profile_at(id, Place::Native)
}

/// The profile of an id at a place: tools have rules of their own at some providers.
#[must_use]
pub const fn profile_at(id: ProfileId, place: Place) -> &'static Profile {
    match (id, place) {
        (ProfileId::OpenaiStrict, _) => &openai::PROFILE,
        (ProfileId::Azure, _) => &azure::PROFILE,
        (ProfileId::Anthropic, Place::Native) => &anthropic::PROFILE,
        (ProfileId::Anthropic, Place::Tool) => &anthropic::TOOL,
        (ProfileId::Google, Place::Native) => &google::PROFILE,
        (ProfileId::Google, Place::Tool) => &google::TOOL,
        (ProfileId::Bedrock, Place::Native) => &bedrock::PROFILE,
        (ProfileId::Bedrock, Place::Tool) => &bedrock::TOOL,
        (ProfileId::LlamaCpp, _) => &llama_cpp::PROFILE,
        (ProfileId::Vllm, _) => &vllm::PROFILE,
        (ProfileId::Ollama, _) => &ollama::PROFILE,
        (ProfileId::Groq, _) => &groq::PROFILE,
        (ProfileId::Mistral, _) => &mistral::PROFILE,
        (ProfileId::Xai, _) => &xai::PROFILE,
        (ProfileId::Llguidance, _) => &grammar::PROFILE,
        (ProfileId::None, _) => &none::PROFILE,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_profile_is_dated_and_sourced() {
        for id in ProfileId::ALL {
            let profile = profile(id);
            assert_eq!(profile.id, id);
            assert_eq!(profile.name, id.name());
            assert_eq!(profile.date.len(), 10, "{}", profile.name);
            assert!(!profile.source.is_empty());
            assert_eq!(profile_at(id, Place::Tool).id, id);
        }
    }

    #[test]
    fn tables_name_nothing_twice() {
        for (id, place) in ProfileId::ALL.into_iter().flat_map(|id| [(id, Place::Native), (id, Place::Tool)]) {
            let profile = profile_at(id, place);
            for (index, row) in profile.keywords.iter().enumerate() {
                assert!(profile.keywords.iter().skip(index + 1).all(|other| other.name != row.name), "{}", row.name);
            }
            for (index, row) in profile.rules.iter().enumerate() {
                assert!(profile.rules.iter().skip(index + 1).all(|other| other.name != row.name), "{:?}", row.name);
            }
            for limit in profile.limits {
                assert!(limit.warn <= limit.safe && limit.safe <= limit.most, "{} {limit:?}", profile.name);
            }
        }
    }

    #[test]
    fn every_word_of_the_config_names_a_profile() {
        for word in ProfileId::WORDS {
            assert!(ProfileId::named(word).is_some(), "{word}");
        }
        // The built-in model's grammar is no word of the config: no server has it.
        for id in ProfileId::ALL.into_iter().filter(|id| *id != ProfileId::Llguidance) {
            assert_eq!(ProfileId::named(id.name()), Some(id));
            assert!(ProfileId::WORDS.contains(&id.name()), "{}", id.name());
        }
        assert_eq!(ProfileId::named("openai"), Some(ProfileId::OpenaiStrict));
        assert_eq!(ProfileId::named("llama.cpp"), None);
    }
}
