//! What providers make of a schema with an offered constraint in it, and what each of them would be sent. Pure.

use serde::Serialize;

use super::portability::Support;
use crate::json::Value;
use crate::schema::ResponseFormat;
use crate::schema::loose::{Finding, Offer};
use crate::schema::profile::ProfileId;
use crate::schema::project::{Level, Place, Source};
use crate::schema::weight::{Weight, weigh};

/// Larger schemas are not held against every profile once more for each offer.
const MAX_BYTES: usize = 64 * 1024;
/// Offers that are held against the profiles.
const MAX_OFFERS: usize = 60;
/// The profiles a report speaks of, in its order.
const PROFILES: [ProfileId; 10] = [
    ProfileId::OpenaiStrict,
    ProfileId::Azure,
    ProfileId::Anthropic,
    ProfileId::Google,
    ProfileId::Bedrock,
    ProfileId::Ollama,
    ProfileId::Vllm,
    ProfileId::Groq,
    ProfileId::Mistral,
    ProfileId::Xai,
];

/// A provider that takes the schema less well with an offer in it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Felt {
    pub profile: &'static str,
    /// Natively, the schema as it is.
    pub before: Support,
    pub after: Support,
}

/// What a provider would be sent.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Sent {
    pub profile: &'static str,
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

impl Felt {
    /// `groq: refused`.
    #[must_use]
    pub fn short(&self) -> String {
        format!("{}: {}", self.profile, self.after.name())
    }

    /// `groq refuses the schema (now accepted)`.
    #[must_use]
    pub fn words(&self) -> String {
        let then = match self.after {
            Support::Refused => "refuses the schema",
            Support::Narrow => "takes a narrowed copy",
            Support::Relax => "takes a copy without some constraints",
            Support::Accepted => "takes the schema",
            Support::Unknown => "was not proved to take it",
        };
        format!("{} {then} (now {})", self.profile, self.before.name())
    }
}

const fn support(level: Option<Level>) -> Support {
    match level {
        Some(Level::Exact) => Support::Accepted,
        Some(Level::Narrow) => Support::Narrow,
        Some(Level::Relax) => Support::Relax,
        None => Support::Refused,
    }
}

const fn rank(level: Option<Level>) -> u8 {
    match level {
        Some(Level::Exact) => 0,
        Some(Level::Narrow) => 1,
        Some(Level::Relax) => 2,
        None => 3,
    }
}

/// What the providers make of a schema now, to hold offers against.
#[derive(Debug, Clone)]
pub struct Board<'a> {
    schema: &'a Value,
    now: Vec<(ProfileId, Option<Level>)>,
}

impl<'a> Board<'a> {
    /// Reads a schema; a large one has an empty board.
    #[must_use]
    pub fn of(format: &'a ResponseFormat) -> Self {
        let small = crate::json::canonical(&format.schema).len() <= MAX_BYTES;
        let source = small.then(|| Source::read(&format.schema));
        let one = |id: &ProfileId| source.as_ref().map(|source| (*id, source.assess(*id, Place::Native).level));
        Self { schema: &format.schema, now: PROFILES.iter().filter_map(one).collect() }
    }

    /// The providers that would take the schema less well with the offer in it.
    #[must_use]
    pub fn felt(&self, offer: &Offer) -> Vec<Felt> {
        if self.now.is_empty() {
            return Vec::new();
        }
        let Some(tighter) = offer.applied(self.schema) else { return Vec::new() };
        let source = Source::read(&tighter);
        let one = |(id, before): &(ProfileId, Option<Level>)| {
            let after = source.assess(*id, Place::Native).level;
            let felt = || Felt { profile: id.name(), before: support(*before), after: support(after) };
            (rank(after) > rank(*before)).then(felt)
        };
        self.now.iter().filter_map(one).collect()
    }

    /// The same for a list of findings, in their order; those past the first few dozen get none.
    #[must_use]
    pub fn felt_by(&self, findings: &[Finding]) -> Vec<Vec<Felt>> {
        let one = |(at, finding): (usize, &Finding)| match &finding.offer {
            Some(offer) if at < MAX_OFFERS => self.felt(offer),
            Some(_) | None => Vec::new(),
        };
        findings.iter().enumerate().map(one).collect()
    }
}

/// What each provider that takes the schema natively would be sent, weighed.
#[must_use]
pub fn sent(format: &ResponseFormat) -> Vec<Sent> {
    let source = Source::read(&format.schema);
    let one = |id: &ProfileId| {
        let assessed = source.assess(*id, Place::Native);
        let level = match assessed.level? {
            Level::Exact => "exact",
            Level::Narrow => "narrow",
            Level::Relax => "relax",
        };
        let tokens = weigh(&assessed.projected.schema).tokens;
        Some(Sent { profile: id.name(), level, tokens })
    };
    PROFILES.iter().filter_map(one).collect()
}
