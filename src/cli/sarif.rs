//! The report of `check` as SARIF 2.1.0, for the code-scanning views of forges and editors.

use serde_json::json;

use super::check::{Report, Row};
use super::schema_file::Loaded;
use crate::json::{Position, Value};

/// The report's name.
pub(super) const NAME: &str = "SARIF";

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
        let refusals = row.refusals.iter().map(|objection| (&objection.refusal, "warning"));
        let notes = row.warnings.iter().map(|warning| (warning, "note"));
        for (refusal, level) in refusals.chain(notes) {
            let rule = format!("{}/{}", row.provider, refusal.rule).into();
            let path = format!("{}{}", report.below, refusal.path);
            let mut found = result(loaded, &rule, level, &refusal.message, &path, None);
            if let Some(members) = found.as_object_mut() {
                let told = json!({ "verdict": refusal.verdict, "mends_at": refusal.mends_at });
                members.insert("properties".to_owned(), told);
            }
            results.push(found);
        }
    }
    let driver = json!({ "name": "formwork", "version": env!("CARGO_PKG_VERSION"), "rules": rules(&results) });
    let providers: Vec<Value> = report.providers.iter().map(provider).collect();
    let run = json!({
        "tool": { "driver": driver },
        "results": results,
        "properties": { "providers": providers },
    });
    json!({ "$schema": SCHEMA, "version": "2.1.0", "runs": [run] })
}

/// What no single place tells: the verdicts, the counts against limits, the offered edits.
fn provider(row: &Row) -> Value {
    json!({
        "provider": row.provider,
        "native": row.native,
        "tool": row.tool,
        "counts": row.counts,
        "edits": row.edits,
    })
}

/// Every rule that has a result, once.
fn rules(results: &[Value]) -> Vec<Value> {
    let mut ids: Vec<&Value> = results.iter().filter_map(|result| result.get("ruleId")).collect();
    ids.sort_by_key(|id| id.as_str());
    ids.dedup();
    ids.into_iter().map(|id| json!({ "id": id })).collect()
}

fn result(loaded: &Loaded, rule: &Value, level: &str, message: &str, path: &str, at: Option<Position>) -> Value {
    let at = at.or_else(|| loaded.place(path));
    let mut physical = json!({ "artifactLocation": { "uri": uri(&loaded.name) } });
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

/// A relative or absolute path as a URI reference: every byte that may not stand in one is escaped.
fn uri(name: &str) -> String {
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || b"-._~/!$&'()*+,;=@".contains(&byte);
    let path = name.bytes().map(|byte| if plain(byte) { char::from(byte).to_string() } else { format!("%{byte:02X}") });
    let path: String = path.collect();
    if path.starts_with('/') { format!("file://{path}") } else { path }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_becomes_a_uri_reference() {
        for (name, want) in [
            ("schemas/a.json", "schemas/a.json"),
            ("/tmp/a b.json", "file:///tmp/a%20b.json"),
            ("standard input", "standard%20input"),
            ("c:é#?%.json", "c%3A%C3%A9%23%3F%25.json"),
        ] {
            assert_eq!(uri(name), want);
            url::Url::parse("file:///base/").unwrap().join(want).unwrap();
        }
    }
}
