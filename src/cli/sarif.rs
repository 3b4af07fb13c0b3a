//! The report of `check` as SARIF 2.1.0, for the code-scanning views of forges and editors.

use serde_json::json;

use super::check::Report;
use super::schema_file::Loaded;
use crate::json::{self, Part, Position, Value};

const SCHEMA: &str = "https://json.schemastore.org/sarif-2.1.0.json";

/// One run with one result for each issue, warning and refusal.
pub(super) fn log(loaded: &Loaded, report: &Report) -> Value {
    let issues = report.preflight.issues.iter().map(|issue| (issue, "error"));
    let warnings = report.preflight.warnings.iter().map(|issue| (issue, "warning"));
    let mut results: Vec<Value> = Vec::new();
    for (issue, level) in issues.chain(warnings) {
        let rule = serde_json::to_value(issue.reason).unwrap_or(Value::Null);
        results.push(result(loaded, &rule, level, &issue.message, &issue.path, issue.position));
    }
    for row in &report.providers {
        for refusal in &row.refusals {
            let rule = format!("{}/{}", row.provider, refusal.rule).into();
            results.push(result(loaded, &rule, "warning", &refusal.message, &refusal.path, None));
        }
    }
    let driver = json!({ "name": "formwork", "version": env!("CARGO_PKG_VERSION"), "rules": rules(&results) });
    json!({ "$schema": SCHEMA, "version": "2.1.0", "runs": [{ "tool": { "driver": driver }, "results": results }] })
}

/// Every rule that has a result, once.
fn rules(results: &[Value]) -> Vec<Value> {
    let mut ids: Vec<&Value> = results.iter().filter_map(|result| result.get("ruleId")).collect();
    ids.sort_by_key(|id| id.as_str());
    ids.dedup();
    ids.into_iter().map(|id| json!({ "id": id })).collect()
}

fn result(loaded: &Loaded, rule: &Value, level: &str, message: &str, path: &str, at: Option<Position>) -> Value {
    let at = at.or_else(|| {
        let span =
            json::locate(&loaded.text, path, Part::Key).or_else(|| json::locate(&loaded.text, path, Part::Value))?;
        Some(json::position(&loaded.text, span.start))
    });
    let mut physical = json!({ "artifactLocation": { "uri": loaded.name } });
    if let (Some(at), Some(physical)) = (at, physical.as_object_mut()) {
        physical.insert("region".to_owned(), json!({ "startLine": at.line, "startColumn": at.column }));
    }
    json!({
        "ruleId": rule,
        "level": level,
        "message": { "text": message },
        "locations": [{
            "physicalLocation": physical,
            "logicalLocations": [{ "fullyQualifiedName": path, "kind": "member" }],
        }],
    })
}
