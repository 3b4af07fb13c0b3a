//! What a probe found at one endpoint, and what that makes of its record. Pure: `probe` sends, this decides.

use std::collections::BTreeMap;

use serde::Serialize;

use super::{Capability, Day, Evidence, Native};

/// What was tried.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Feature {
    /// An answer that comes piece by piece.
    Streaming,
    /// The schema parameter, with one pinned value that the prompt never names.
    Schema,
    /// The schema parameter, with a list that must not be empty.
    ArrayBound,
    /// A strict tool, with one pinned value.
    StrictTool,
    /// The schema parameter while a tool is offered.
    WithTools,
}

impl Feature {
    /// All of them, in the order they are tried.
    pub const ALL: [Self; 5] = [Self::Streaming, Self::Schema, Self::ArrayBound, Self::StrictTool, Self::WithTools];

    /// The name in reports and in the kept file.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Streaming => "streaming",
            Self::Schema => "schema",
            Self::ArrayBound => "array_bound",
            Self::StrictTool => "strict_tool",
            Self::WithTools => "with_tools",
        }
    }
}

/// How a feature did.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Verdict {
    /// The answer could only come from a server that holds the schema.
    Enforced,
    /// Names and types of the schema, but not its values.
    ShapeOnly,
    /// JSON, but of another shape.
    JsonOnly,
    /// As if nothing had been asked.
    Ignored,
    /// The server answered with an error that names no other cause.
    Refused,
    /// Nothing was learned: key, limit, network, or a cut answer.
    Unreachable,
}

impl Verdict {
    /// All of them.
    pub const ALL: [Self; 6] =
        [Self::Enforced, Self::ShapeOnly, Self::JsonOnly, Self::Ignored, Self::Refused, Self::Unreachable];

    /// The name in reports and in the kept file.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Enforced => "enforced",
            Self::ShapeOnly => "shape_only",
            Self::JsonOnly => "json_only",
            Self::Ignored => "ignored",
            Self::Refused => "refused",
            Self::Unreachable => "unreachable",
        }
    }

    /// What it says of the server, in words.
    #[must_use]
    pub const fn meaning(self) -> &'static str {
        match self {
            Self::Enforced => "the server holds it",
            Self::ShapeOnly => "names and types are held, values are not",
            Self::JsonOnly => "JSON comes, the schema is not held",
            Self::Ignored => "the server does as if it had not been asked",
            Self::Refused => "the server does not take such a request",
            Self::Unreachable => "nothing was learned; an earlier verdict stays",
        }
    }

    /// Was anything learned?
    #[must_use]
    pub const fn is_known(self) -> bool {
        !matches!(self, Self::Unreachable)
    }
}

/// What was found of one feature, and by what.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Found {
    pub verdict: Verdict,
    /// Fixed words of ours and numbers; never text of a provider.
    pub evidence: String,
    pub date: Day,
}

/// The findings at one endpoint for one model.
pub type Findings = BTreeMap<Feature, Found>;

/// A finding counts this long: servers are updated.
pub const GOOD_FOR_DAYS: i64 = 90;

impl Capability {
    /// The record as the findings change it. A finding that is older than what the record rests on, or older than
    /// [`GOOD_FOR_DAYS`], changes nothing.
    #[must_use]
    pub fn probed(self, findings: &Findings, today: Day) -> Self {
        let before = self.since;
        let counts = |feature: Feature| {
            let found = findings.get(&feature).filter(|found| found.verdict.is_known())?;
            let fresh = today.days_since(found.date) <= GOOD_FOR_DAYS && before.is_none_or(|since| found.date >= since);
            fresh.then_some(found)
        };
        let mut record = self;
        let mut latest = None;
        for feature in Feature::ALL {
            let Some(found) = counts(feature) else { continue };
            let holds = found.verdict == Verdict::Enforced;
            match feature {
                Feature::Streaming => record.streaming = holds,
                Feature::Schema => {
                    record.native = if holds { Native::Supported } else { Native::Unsupported };
                    record.native_model_opt_in = false;
                }
                // Which bounds hold is the profile's matter; one that does not only sharpens the report.
                Feature::ArrayBound => {}
                Feature::StrictTool => record.strict_tool = holds,
                Feature::WithTools => record.with_tools = holds,
            }
            latest = latest.max(Some(found.date));
        }
        if latest.is_some() {
            record.evidence = Evidence::Probed;
            record.since = latest;
        }
        record
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::capability::{Dialect, Vendor};

    fn found(verdict: Verdict, date: Day) -> Found {
        Found { verdict, evidence: String::new(), date }
    }

    const TODAY: Day = Day::of(2026, 12, 1);

    #[test]
    fn a_finding_opens_and_closes_routes() {
        let unknown = Capability::undeclared(Dialect::OpenaiChat);
        for verdict in Verdict::ALL {
            let findings = BTreeMap::from([(Feature::Schema, found(verdict, TODAY))]);
            let record = unknown.clone().probed(&findings, TODAY);
            let native = match verdict {
                Verdict::Enforced => Native::Supported,
                Verdict::Unreachable => Native::Unknown,
                _ => Native::Unsupported,
            };
            let evidence = if verdict.is_known() { Evidence::Probed } else { Evidence::Nobody };
            assert_eq!((record.native, record.evidence, record.strict_tool), (native, evidence, false), "{verdict:?}");
        }
    }

    #[test]
    fn old_findings_count_no_more() {
        let findings = |date| BTreeMap::from([(Feature::Schema, found(Verdict::Ignored, date))]);
        let official = || Capability::official(Vendor::Openai, Dialect::OpenaiChat, "m");
        // Older than the table.
        assert_eq!(official().probed(&findings(Day::of(2026, 11, 29)), TODAY), official());
        // As new as the table.
        let newer = official().probed(&findings(Day::of(2026, 11, 30)), TODAY);
        assert_eq!((newer.native, newer.since), (Native::Unsupported, Some(Day::of(2026, 11, 30))));
        // Expired.
        let later = Day::of(2027, 3, 1);
        let unknown = Capability::undeclared(Dialect::OpenaiChat);
        assert_eq!(unknown.clone().probed(&findings(Day::of(2026, 11, 30)), later), unknown);
        assert_eq!(unknown.clone().probed(&findings(Day::of(2026, 12, 1)), later).native, Native::Unsupported);
    }
}
