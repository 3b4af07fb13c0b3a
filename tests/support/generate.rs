//! The generators of the legend in `cases/reference.jsonl`: large inputs written small.

use formwork::json::{Map, Number, Value};

fn number(n: usize) -> Value {
    Value::Number(Number::from(n))
}

fn object(members: Vec<(&str, Value)>) -> Value {
    Value::Object(members.into_iter().map(|(k, v)| (k.to_owned(), v)).collect())
}

fn nest(key: &str, n: usize, leaf: Value) -> Value {
    (0..n).fold(leaf, |inner, _| object(vec![(key, inner)]))
}

fn refchain(n: usize, leaf: Value) -> Value {
    let link = |i: usize| Value::String(format!("#/$defs/d{i}"));
    let mut defs: Map<String, Value> = (0..n).map(|i| (format!("d{i}"), object(vec![("$ref", link(i + 1))]))).collect();
    defs.insert(format!("d{n}"), leaf);
    object(vec![("$defs", Value::Object(defs)), ("$ref", link(0))])
}

/// Replaces every `{"$gen": …}` in a value.
pub(crate) fn expand(value: &Value) -> Value {
    let Value::Object(map) = value else {
        return match value {
            Value::Array(list) => Value::Array(list.iter().map(expand).collect()),
            other => other.clone(),
        };
    };
    let Some(kind) = map.get("$gen").and_then(Value::as_str) else {
        return Value::Object(map.iter().map(|(k, v)| (k.clone(), expand(v))).collect());
    };
    let n = usize::try_from(map["n"].as_u64().unwrap()).unwrap();
    let text = |key: &str| map.get(key).and_then(Value::as_str).unwrap_or_default();
    let leaf = || map.get("leaf").map_or(Value::Object(Map::new()), expand);
    match kind {
        "nest" => nest(text("key"), n, leaf()),
        "nest_array" => (1..n).fold(Value::Array(Vec::new()), |inner, _| Value::Array(vec![inner])),
        "repeat" => Value::Array(vec![expand(&map["value"]); n]),
        "range" => Value::Array((0..n).map(number).collect()),
        "str" => Value::String(text("unit").repeat(n)),
        "refchain" => refchain(n, leaf()),
        "wrap_text" => Value::String(format!("{}{}{}", text("open").repeat(n), text("mid"), text("close").repeat(n))),
        "digits" => Value::String("1".repeat(n)),
        other => panic!("unknown generator {other}"),
    }
}
