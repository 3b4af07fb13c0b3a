//! The packed form of a catalogue: one row a model, fields by position, so that it stays small.

use serde_json::json;

use super::{ListingError, Model, Snapshot};
use crate::capability::ModelFlag;
use crate::json::{Number, Value};

/// The form's version; another one is not guessed at.
const VERSION: u64 = 1;
const FIELDS: [&str; 14] = [
    "id",
    "name",
    "structured_output",
    "tool_call",
    "reasoning",
    "attachment",
    "context",
    "input",
    "output",
    "cost_in",
    "cost_out",
    "takes",
    "gives",
    "status",
];

/// Document → catalogue.
pub(super) fn read(document: &Value) -> Result<Snapshot, ListingError> {
    match document.get("version").and_then(Value::as_u64) {
        Some(VERSION) => {}
        Some(other) => return Err(ListingError::Version(other)),
        None => return Err(ListingError::Foreign("it has no version")),
    }
    let named = document.get("fields").and_then(Value::as_array).is_some_and(|fields| fields.iter().eq(FIELDS.iter()));
    if !named {
        return Err(ListingError::Foreign("its fields are not those of version 1"));
    }
    let lists = document.get("providers").and_then(Value::as_object);
    let lists = lists.ok_or(ListingError::Foreign("it has no providers"))?;
    let mut snapshot = Snapshot {
        source: text(document.get("source")).unwrap_or_default(),
        date: document.get("date").and_then(Value::as_str).and_then(|date| date.parse().ok()),
        ..Snapshot::default()
    };
    for (provider, rows) in lists {
        let rows = rows.as_array().ok_or(ListingError::Foreign("a provider's models are no list"))?;
        let models: Option<Vec<Model>> = rows.iter().map(model).collect();
        let mut models = models.ok_or(ListingError::Foreign("a model is no row of 14 fields with an id"))?;
        models.sort_by(|a, b| a.id.cmp(&b.id));
        snapshot.providers.insert(provider.clone(), models);
    }
    Ok(snapshot)
}

/// Catalogue → document.
pub(super) fn write(snapshot: &Snapshot) -> Value {
    let row = |model: &Model| {
        let flag = match model.structured_output {
            ModelFlag::Yes => Some(true),
            ModelFlag::No => Some(false),
            ModelFlag::Absent => None,
        };
        json!([
            model.id,
            model.name,
            flag,
            model.tools,
            model.reasoning,
            model.attachment,
            model.context,
            model.input,
            model.output,
            model.cost_in,
            model.cost_out,
            model.takes,
            model.gives,
            model.status,
        ])
    };
    let providers: crate::json::Map<String, Value> = snapshot
        .providers
        .iter()
        .map(|(provider, models)| (provider.clone(), models.iter().map(row).collect::<Value>()))
        .collect();
    json!({
        "version": VERSION,
        "source": snapshot.source,
        "licence": "MIT",
        "date": snapshot.date,
        "fields": FIELDS,
        "providers": providers,
    })
}

fn model(row: &Value) -> Option<Model> {
    let row = row.as_array().filter(|row| row.len() == FIELDS.len())?;
    let at = |index: usize| row.get(index);
    Some(Model {
        id: text(at(0)).filter(|id| !id.is_empty())?,
        name: text(at(1)),
        structured_output: flag(at(2)),
        tools: at(3).and_then(Value::as_bool),
        reasoning: at(4).and_then(Value::as_bool),
        attachment: at(5).and_then(Value::as_bool),
        context: at(6).and_then(Value::as_u64),
        input: at(7).and_then(Value::as_u64),
        output: at(8).and_then(Value::as_u64),
        cost_in: number(at(9)),
        cost_out: number(at(10)),
        takes: texts(at(11)),
        gives: texts(at(12)),
        status: text(at(13)),
    })
}

/// A name from outside, of a sensible length.
pub(super) fn text(value: Option<&Value>) -> Option<String> {
    value.and_then(Value::as_str).filter(|text| text.len() <= 300).map(str::to_owned)
}

pub(super) fn texts(value: Option<&Value>) -> Vec<String> {
    let list = value.and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default();
    list.iter().filter_map(|item| text(Some(item))).take(16).collect()
}

/// The tri-state: what is neither true nor false is unknown.
pub(super) fn flag(value: Option<&Value>) -> ModelFlag {
    match value.and_then(Value::as_bool) {
        Some(true) => ModelFlag::Yes,
        Some(false) => ModelFlag::No,
        None => ModelFlag::Absent,
    }
}

/// A price, rounded where a sum of floats left a tail of digits.
pub(super) fn number(value: Option<&Value>) -> Option<Number> {
    let written = value?.as_number()?;
    if written.to_string().len() <= 12 {
        return Some(written.clone());
    }
    let rounded = (written.as_f64()? * 1e6).round() / 1e6;
    Number::from_f64(rounded)
}
