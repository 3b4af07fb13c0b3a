//! `POST /api/schema/check`: is a schema legal, and which providers take it. The report of `formwork check`.

use serde_json::json;

use super::fields::{BadRequest, Fields};
use crate::json::{Map, Value};
use crate::plan::board::{PROVIDERS, Provider};
use crate::plan::portability::portability;
use crate::runtime::grammar::verdict;
use crate::schema::project::Source;
use crate::schema::{Checked, preflight, profile};

/// Checks `{schema, for?}`.
pub(super) fn check(request: Value) -> Result<Value, BadRequest> {
    let mut fields = Fields::of(request)?;
    let schema = fields.any("schema").ok_or_else(|| BadRequest::new("schema", "`schema` is missing"))?;
    let wanted = fields.any("for");
    fields.done()?;
    let wanted = wanted.map(|names| providers(&names)).transpose()?.unwrap_or_else(|| PROVIDERS.iter().collect());
    Ok(match preflight::check(&schema) {
        Err(errors) => json!({ "schema_hash": null, "preflight": { "ok": false, "issues": errors, "warnings": [] },
            "providers": [] }),
        Ok(checked) => {
            let source = Source::read(&checked.format.schema);
            let rows: Vec<Value> = wanted.into_iter().map(|provider| row(provider, &checked, &source)).collect();
            json!({ "schema_hash": checked.format.schema_hash, "providers": rows,
                "preflight": { "ok": true, "issues": [], "warnings": checked.warnings } })
        }
    })
}

fn providers(names: &Value) -> Result<Vec<&'static Provider>, BadRequest> {
    let wrong = || BadRequest::new("for", "`for` must be a list of provider names");
    let names = names.as_array().ok_or_else(wrong)?;
    let find = |name: &Value| {
        let name = name.as_str().ok_or_else(wrong)?;
        let known = PROVIDERS.iter().find(|provider| provider.name == name);
        let all = || PROVIDERS.map(|provider| provider.name).join(", ");
        known.ok_or_else(|| {
            BadRequest::new("for", format!("`for` names a provider that is not known; known are {}", all()))
        })
    };
    names.iter().map(find).collect()
}

fn row(provider: &Provider, checked: &Checked, source: &Source<'_>) -> Value {
    let Some(id) = provider.profile else {
        return json!({ "provider": provider.name, "profile": null, "profile_date": null, "native": "unknown",
            "tool": "unknown", "prompt": "accepted", "refusals": [], "warnings": [], "counts": {}, "edits": [] });
    };
    let grammar = verdict(id, &checked.format.schema);
    let found = portability(id, grammar.as_ref(), source, &checked.format);
    let known = profile::profile(id);
    let counts: Map<String, Value> = found
        .uses
        .iter()
        .map(|row| {
            let name = serde_json::to_value(row.what).unwrap_or_default();
            (name.as_str().unwrap_or_default().to_owned(), json!({ "limit": row.limit, "use": row.used }))
        })
        .collect();
    let edits: Vec<Value> = found
        .edits
        .iter()
        .map(|change| json!({ "path": change.path, "effect": change.effect(), "what": change.what }))
        .collect();
    json!({ "provider": provider.name, "profile": known.name, "profile_date": known.date, "native": found.native,
        "tool": found.tool, "prompt": "accepted", "refusals": found.objections, "warnings": found.warnings,
        "counts": counts, "edits": edits })
}
