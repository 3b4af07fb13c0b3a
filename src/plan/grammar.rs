//! What a grammar compiler makes of a schema: the verdict negotiation needs where a grammar holds the answer.
//!
//! Plain data; who compiles is not known here.

use serde::Serialize;

use crate::json::Value;
use crate::schema::ResponseFormat;
use crate::schema::profile::{ProfileId, RuleName};
use crate::schema::project::{Change, Level, Place, Projected, Refusal, Verdict, project, refusal};

/// The verdict of the grammar compiler on a whole schema.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub enum GrammarVerdict {
    /// Every text the grammar allows is valid for the schema.
    Strict,
    /// The grammar holds the schema only without these keywords; the rest is checked locally.
    Lenient {
        /// The schema without them.
        schema: Value,
        dropped: Vec<Dropped>,
    },
    /// No grammar at all.
    Refused(Refusal),
}

/// A keyword the grammar does not hold.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Dropped {
    /// Pointer into the original schema, at the keyword.
    pub path: String,
    pub keyword: String,
    /// Stable name of the rule.
    pub rule: String,
    /// Why, in half a sentence.
    pub why: String,
}

impl GrammarVerdict {
    /// No grammar: the rule, where, and what is wrong.
    #[must_use]
    pub fn refused(rule: RuleName, path: &str, message: &str) -> Self {
        Self::Refused(refusal(rule, path.to_owned(), message))
    }

    /// What the verdict makes of the schema at this place and level: as [`project`] does for a profile.
    ///
    /// # Errors
    /// Every keyword that stays in the way at that level.
    pub fn project(&self, place: Place, format: &ResponseFormat, level: Level) -> Result<Projected, Vec<Refusal>> {
        match self {
            Self::Strict => project(ProfileId::Llguidance, place, format, level),
            Self::Lenient { schema, dropped } if level == Level::Relax => {
                let relaxed = ResponseFormat { schema: schema.clone(), ..format.clone() };
                let mut projected = project(ProfileId::Llguidance, place, &relaxed, level)?;
                projected.changes.extend(dropped.iter().map(Dropped::change));
                projected.changes.sort_by(|a, b| a.path.cmp(&b.path));
                projected.level = Level::Relax;
                Ok(projected)
            }
            Self::Lenient { dropped, .. } => Err(dropped.iter().map(Dropped::refusal).collect()),
            Self::Refused(refusal) => Err(vec![refusal.clone()]),
        }
    }

    /// The lowest level at which the grammar takes the schema.
    #[must_use]
    pub const fn lowest_level(&self) -> Option<Level> {
        match self {
            Self::Strict => Some(Level::Exact),
            Self::Lenient { .. } => Some(Level::Relax),
            Self::Refused(_) => None,
        }
    }
}

impl Dropped {
    fn change(&self) -> Change {
        let what = match self.keyword.as_str() {
            "oneOf" => "read oneOf as anyOf".to_owned(),
            keyword => format!("dropped {keyword}"),
        };
        Change { path: self.path.clone(), level: Level::Relax, what }
    }

    fn refusal(&self) -> Refusal {
        Refusal {
            path: self.path.clone(),
            verdict: Verdict::Refused,
            rule: self.rule.clone(),
            message: self.why.clone(),
            mends_at: Some(Level::Relax),
        }
    }
}
