//! `--dry-run`: what would be sent, secrets out, as one JSON object. Sends nothing.

use super::failure::{self, Exit, Outcome};
use super::output;
use crate::dialect::{Header, WireRequest};
use crate::json::{Map, Value, pretty};
use crate::runtime::{self, DryRun, RunSpec};
use crate::schema::project::Level;

/// What stands where a secret would.
const SECRET: &str = "[secret]";

/// Prints the object; indented when a person looks at it.
pub(super) fn print(spec: &RunSpec) -> Outcome {
    let dry = runtime::dry_run(spec).map_err(|error| failure::of_run(&error))?;
    let value = object(spec, dry);
    let text = if output::stdout_is_terminal() { pretty(&value) } else { value.to_string() };
    output::line(&text)?;
    Ok(Exit::Done)
}

fn object(spec: &RunSpec, dry: DryRun) -> Value {
    let mut object = Map::new();
    let hash = spec.format.as_ref().map(|format| format.schema_hash.clone());
    object.insert("mode".to_owned(), dry.mode.map_or(Value::Null, word));
    object.insert("model".to_owned(), format!("{}/{}", spec.endpoint.provider, spec.model_id).into());
    object.insert("schema_hash".to_owned(), hash.into());
    let changes = dry.plan.as_ref().filter(|plan| plan.level > Level::Exact).map(|plan| word(&plan.changes));
    object.insert("provider_schema".to_owned(), dry.plan.map_or(Value::Null, |plan| plan.provider_schema));
    object.insert("request".to_owned(), dry.request.map_or(Value::Null, request));
    if let Some(changes) = changes {
        object.insert("changes".to_owned(), changes);
    }
    Value::Object(object)
}

fn request(wire: WireRequest) -> Value {
    let headers = wire.headers.into_iter().map(|header| (header.name.clone(), shown(header))).collect();
    let mut object = Map::new();
    object.insert("method".to_owned(), "POST".into());
    object.insert("url".to_owned(), wire.url.into());
    object.insert("headers".to_owned(), Value::Object(headers));
    object.insert("body".to_owned(), wire.body);
    Value::Object(object)
}

fn shown(header: Header) -> Value {
    if header.secret { SECRET.into() } else { header.value.into() }
}

fn word(value: impl serde::Serialize) -> Value {
    serde_json::to_value(value).unwrap_or(Value::Null)
}
