//! Where in a rejected candidate its issues are, and why each is one, in words for the user's own screen.
//!
//! Worked out once, when the attempt is rejected: one pass over the text an issue, of which there are twenty at most.

use std::ops::Range;

use super::run::nearest;
use crate::issue::Issue;
use crate::json::Value;
use crate::schema::expect::{expected, found};
use crate::tui::rows::Mark;
use crate::tui::theme::Role;

/// What is known of one issue.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Finding {
    /// Bytes of the candidate it speaks of, or of the nearest value around them.
    pub place: Option<Range<usize>>,
    /// `expected an integer ≥ 1, found text "abc"`; absent where the issue's message says it best.
    pub why: Option<String>,
}

/// Looks at every issue. `wrapped`: the candidate stands as `value` inside the submit tool's argument.
#[must_use]
pub fn findings(text: &str, issues: &[Issue], schema: Option<&Value>, wrapped: bool) -> Vec<Finding> {
    let one = |issue: &Issue| {
        let pointer = if wrapped { format!("/value{}", issue.path) } else { issue.path.clone() };
        let place = nearest(text, &pointer).map(|(start, end)| start..end);
        let there = place.clone().and_then(|place| text.get(place));
        let why = schema.and_then(|schema| expected(schema, &issue.schema_path)).zip(there);
        let why = why.map(|(expected, there)| format!("expected {expected}, found {}", found(there)));
        Finding { place, why }
    };
    issues.iter().map(one).collect()
}

/// A mark for every finding; the selected one stands out, and is the last to be painted.
#[must_use]
pub fn marks(text: &str, findings: &[Finding], selected: usize) -> Vec<Mark> {
    let mark = |(at, finding): (usize, &Finding)| {
        let role = if at == selected { Role::MarkError } else { Role::MarkWarning };
        Some(Mark { range: short(text, finding.place.clone()?), role })
    };
    let (on, others): (Vec<_>, Vec<_>) = findings.iter().enumerate().partition(|(at, _)| *at == selected);
    others.into_iter().chain(on).filter_map(mark).collect()
}

/// Of a value over several lines only its bracket is marked: a whole red screen points at nothing.
pub(super) fn short(text: &str, place: Range<usize>) -> Range<usize> {
    let long = text.get(place.clone()).is_some_and(|t| t.contains('\n'));
    let end = if long { place.start + 1 } else { place.end.max(place.start + 1) };
    place.start..end
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn issue(path: &str, schema_path: &str) -> Issue {
        Issue {
            code: "schema_violation",
            path: path.to_owned(),
            schema_path: schema_path.to_owned(),
            message: String::new(),
            keyword: schema_path.rsplit('/').next().unwrap_or_default().to_owned(),
        }
    }

    #[test]
    fn every_issue_has_its_place_and_its_reason() {
        let schema =
            json!({"properties": {"n": {"$ref": "#/$defs/n"}}, "$defs": {"n": {"type": "integer", "minimum": 1}}});
        let text = "{\n  \"n\": \"abc\",\n  \"m\": {\n  }\n}";
        let issues = [issue("", "/required"), issue("/n", "/$defs/n/type"), issue("/m/x", "/required")];
        let all = findings(text, &issues, Some(&schema), false);
        assert_eq!(all[1].why.as_deref(), Some("expected an integer ≥ 1, found text \"abc\""));
        assert_eq!(all[0].why, None);
        let marks = marks(text, &all, 1);
        let marked: Vec<(&str, Role)> = marks.iter().map(|m| (text.get(m.range.clone()).unwrap(), m.role)).collect();
        assert_eq!(marked, [("{", Role::MarkWarning), ("{", Role::MarkWarning), ("\"abc\"", Role::MarkError)]);
        let wrapped = format!("{{\"value\": {text}}}");
        let inside = findings(&wrapped, &issues, Some(&schema), true);
        assert_eq!(
            inside[1].place.as_ref().unwrap().start,
            all[1].place.as_ref().unwrap().start + "{\"value\": ".len()
        );
    }
}
