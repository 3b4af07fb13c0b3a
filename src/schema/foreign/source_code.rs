//! Source of other languages: which language it is, and the flat models in it that leave no doubt. No interpreter:
//! one line that is not plainly a field, and the model is not offered.

use super::What;
use crate::json::{Map, Value};

/// Lines looked at.
const LINES: usize = 20_000;

/// What the source is, and the schemas of its simple models by name.
pub(super) fn recognise(text: &str) -> Option<(What, Map<String, Value>)> {
    let lines: Vec<&str> = text.lines().take(LINES).collect();
    let any = |is: &dyn Fn(&str) -> bool| lines.iter().any(|line| is(line.trim_start()));
    if any(&|line| line.starts_with("class ") && is_model(line)) {
        return Some((What::Pydantic, pydantic(&lines)));
    }
    let code = any(&|line| line.starts_with("import ") || line.starts_with("const ") || line.starts_with("export "));
    if code && text.contains("z.object(") {
        return Some((What::Zod, Map::new()));
    }
    if any(&|line| opened(line).is_some()) {
        return Some((What::TypeScript, typescript(&lines)));
    }
    None
}

fn is_model(line: &str) -> bool {
    let bases = line.split_once('(').and_then(|(_, rest)| rest.split_once(')')).map(|(bases, _)| bases);
    let model = |base: &str| {
        let base = base.trim().rsplit('.').next().unwrap_or_default();
        base == "BaseModel" || base == "TypedDict" || base.ends_with("Model")
    };
    line.contains("):") && bases.is_some_and(|bases| bases.split(',').any(model))
}

/// The name of an interface or object type that a line opens.
fn opened(line: &str) -> Option<&str> {
    let line = line.strip_prefix("export ").unwrap_or(line);
    let line = line.strip_prefix("declare ").unwrap_or(line);
    let rest = line.strip_prefix("interface ").or_else(|| line.strip_prefix("type "))?;
    let end = rest.find(|c: char| !(c.is_alphanumeric() || c == '_' || c == '$'))?;
    let (name, tail) = rest.split_at(end);
    let head = line.starts_with("interface ") || tail.trim_start().starts_with('=');
    (!name.is_empty() && head && tail.contains(['{', '='])).then_some(name)
}

/// A model being read.
struct Model {
    name: String,
    properties: Map<String, Value>,
    required: Vec<Value>,
    sound: bool,
}

impl Model {
    fn new(name: &str) -> Self {
        Self { name: name.to_owned(), properties: Map::new(), required: Vec::new(), sound: true }
    }

    fn field(&mut self, name: &str, schema: Option<Value>, needed: Needed) {
        match schema {
            Some(schema) if !self.properties.contains_key(name) => {
                self.properties.insert(name.to_owned(), schema);
                if needed == Needed::Always {
                    self.required.push(Value::from(name));
                }
            }
            Some(_) | None => self.sound = false,
        }
    }

    fn end(self, models: &mut Map<String, Value>) {
        if !self.sound || self.properties.is_empty() {
            return;
        }
        let mut schema = Map::from_iter([
            ("title".to_owned(), Value::from(self.name.as_str())),
            ("type".to_owned(), Value::from("object")),
            ("properties".to_owned(), Value::Object(self.properties)),
        ]);
        if !self.required.is_empty() {
            schema.insert("required".to_owned(), Value::Array(self.required));
        }
        schema.insert("additionalProperties".to_owned(), Value::Bool(false));
        models.insert(self.name, Value::Object(schema));
    }
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Needed {
    Always,
    Maybe,
}

fn typescript(lines: &[&str]) -> Map<String, Value> {
    let mut models = Map::new();
    let mut model: Option<Model> = None;
    let mut remark = false;
    for line in lines.iter().flat_map(|line| spread(line)) {
        let line = line.split("//").next().unwrap_or_default().trim();
        // Remarks stand on lines of their own, or the model is not simple.
        if remark || line.starts_with("/*") {
            remark = !line.ends_with("*/");
            continue;
        }
        let Some(open) = &mut model else {
            // Only a body of its own lines, nothing inherited and nothing generic.
            let plain = |l: &&str| !l.contains("extends") && !l.contains(['<', '&', '|']) && l.ends_with('{');
            model = Some(line).filter(plain).and_then(opened).map(Model::new);
            continue;
        };
        match line {
            "" => {}
            "}" | "};" => {
                if let Some(done) = model.take() {
                    done.end(&mut models);
                }
            }
            line => {
                let line = line.strip_prefix("readonly ").unwrap_or(line).trim_end_matches([';', ',']);
                let (name, kind) = line.split_once(':').unwrap_or((line, ""));
                let bare = name.trim().trim_end_matches('?').trim_matches(['"', '\'']);
                let word = !bare.is_empty() && bare.chars().all(|c| c.is_alphanumeric() || c == '_' || c == '$');
                let needed = if name.trim().ends_with('?') { Needed::Maybe } else { Needed::Always };
                open.field(bare, ts_type(kind.trim(), 0).filter(|_| word), needed);
            }
        }
    }
    models
}

/// A model whose body stands on the line of its name, as the lines it would have.
fn spread(line: &str) -> Vec<&str> {
    let whole = line.split("//").next().unwrap_or_default().trim();
    let body = whole.trim_end_matches(';').strip_suffix('}').and_then(|rest| {
        let (head, body) = rest.split_once('{')?;
        opened(whole).filter(|_| !body.contains(['{', '}']))?;
        // The head keeps its bracket.
        Some((rest.get(..=head.len())?, body))
    });
    match body {
        Some((head, body)) => std::iter::once(head).chain(body.split([';', ','])).chain(["}"]).collect(),
        None => vec![line],
    }
}

fn typed(name: &str) -> Value {
    Value::Object(Map::from_iter([("type".to_owned(), Value::from(name))]))
}

fn list(items: Value) -> Value {
    Value::Object(Map::from_iter([("type".to_owned(), Value::from("array")), ("items".to_owned(), items)]))
}

/// Deeper lists of lists are not simple.
const MAX_LISTS: usize = 8;

fn ts_type(kind: &str, depth: usize) -> Option<Value> {
    if depth > MAX_LISTS {
        return None;
    }
    if let Some(items) = kind.strip_suffix("[]").filter(|items| !items.contains('|')) {
        return ts_type(items.trim(), depth + 1).map(list);
    }
    if let Some(items) = kind.strip_prefix("Array<").and_then(|rest| rest.strip_suffix('>')) {
        return ts_type(items.trim(), depth + 1).map(list);
    }
    if kind.contains('|') {
        return either(kind.trim_start_matches('|'), |part| ts_type(part, depth + 1));
    }
    match kind {
        "string" => Some(typed("string")),
        "number" => Some(typed("number")),
        "boolean" => Some(typed("boolean")),
        "null" => Some(typed("null")),
        _ => None,
    }
}

/// A choice between quoted words, or a type or null.
fn either(kind: &str, part_type: impl Fn(&str) -> Option<Value>) -> Option<Value> {
    let mut parts: Vec<&str> = kind.split('|').map(str::trim).collect();
    let all = parts.len();
    parts.retain(|part| !matches!(*part, "null" | "None"));
    let null = parts.len() < all;
    let mut schema = match parts.as_slice() {
        [one] if literal(one).is_none() => part_type(one)?,
        [] => return Some(typed("null")),
        words => choice(words)?,
    };
    if null {
        make_nullable(&mut schema);
    }
    Some(schema)
}

fn make_nullable(schema: &mut Value) {
    if let Some(name) = schema.get_mut("type") {
        *name = Value::Array(vec![name.take(), Value::from("null")]);
    }
    if let Some(Value::Array(choices)) = schema.get_mut("enum") {
        choices.push(Value::Null);
    }
}

fn choice(words: &[&str]) -> Option<Value> {
    let choices: Vec<Value> = words.iter().map(|word| literal(word).map(Value::from)).collect::<Option<_>>()?;
    let unique = choices.iter().enumerate().all(|(i, c)| !choices.iter().take(i).any(|other| other == c));
    let schema = [("type".to_owned(), Value::from("string")), ("enum".to_owned(), Value::Array(choices))];
    unique.then(|| Value::Object(Map::from_iter(schema)))
}

/// A word in quotes, without escapes.
fn literal(word: &str) -> Option<&str> {
    let quote = word.chars().next().filter(|c| matches!(c, '"' | '\''))?;
    let inner = word.strip_prefix(quote)?.strip_suffix(quote)?;
    (!inner.contains([quote, '\\'])).then_some(inner)
}

fn pydantic(lines: &[&str]) -> Map<String, Value> {
    let mut models = Map::new();
    let mut model: Option<Model> = None;
    for line in lines {
        let indented = line.starts_with([' ', '\t']);
        let text = line.split(" #").next().unwrap_or_default().trim();
        if text.is_empty() || text.starts_with('#') {
            continue;
        }
        if !indented {
            if let Some(done) = model.take() {
                done.end(&mut models);
            }
            // One plain base: what another brings along is not known.
            let name = text.strip_prefix("class ").and_then(|rest| rest.split_once("(BaseModel):"));
            model = name.map(|(name, _)| Model::new(name));
            // Fields on the line of the name.
            if let (Some(open), Some((_, fields))) = (&mut model, name) {
                for field in fields.split(';').map(str::trim).filter(|field| !field.is_empty()) {
                    python_field(open, field);
                }
            }
        } else if let Some(open) = &mut model {
            python_field(open, text);
        }
    }
    if let Some(done) = model.take() {
        done.end(&mut models);
    }
    models
}

fn python_field(model: &mut Model, text: &str) {
    let quoted = text.len() >= 6 && text.starts_with("\"\"\"") && text.ends_with("\"\"\"");
    if quoted && model.properties.is_empty() {
        return;
    }
    let (field, default) = text.split_once('=').map_or((text, None), |(field, default)| (field, Some(default.trim())));
    let (name, kind) = field.split_once(':').unwrap_or((field, ""));
    let name = name.trim();
    let word = !name.is_empty() && name.chars().all(|c| c.is_alphanumeric() || c == '_') && !name.starts_with('_');
    // A default that is called may say anything.
    let plain = default.is_none_or(|default| !default.contains('('));
    let needed = if default.is_some() { Needed::Maybe } else { Needed::Always };
    model.field(name, py_type(kind.trim(), 0).filter(|_| word && plain), needed);
}

fn py_type(kind: &str, depth: usize) -> Option<Value> {
    if depth > MAX_LISTS {
        return None;
    }
    let inside = |name: &str| kind.strip_prefix(name)?.strip_prefix('[')?.strip_suffix(']').map(str::trim);
    if let Some(items) = inside("list").or_else(|| inside("List")) {
        return py_type(items, depth + 1).map(list);
    }
    if let Some(inner) = inside("Optional") {
        let mut schema = py_type(inner, depth + 1)?;
        make_nullable(&mut schema);
        return Some(schema);
    }
    if let Some(words) = inside("Literal") {
        return choice(&words.split(',').map(str::trim).collect::<Vec<_>>());
    }
    if kind.contains('|') {
        return either(kind, |part| py_type(part, depth + 1));
    }
    match kind {
        "str" => Some(typed("string")),
        "int" => Some(typed("integer")),
        "float" => Some(typed("number")),
        "bool" => Some(typed("boolean")),
        "None" => Some(typed("null")),
        _ => None,
    }
}
