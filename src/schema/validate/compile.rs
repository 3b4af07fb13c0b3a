//! From the index of a checked schema to a program. Follows nothing, decides nothing about instances.

use std::collections::{HashMap, HashSet};

use super::number::{Bound, normal};
use super::program::{Check, Counted, End, Node, NodeId, Program, Types};
use crate::json::{Map, Value, canonical};
use crate::schema::decimal::{Decimal, Imprecise};
use crate::schema::keywords;
use crate::schema::pattern::Pattern;
use crate::schema::references::{Index, Place};
use crate::schema::{Dialect, Reason, SchemaError};

/// Whether `format` is asserted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Formats {
    Annotation,
    Asserted,
}

type Combine = fn(Vec<NodeId>) -> Check;

/// Why a place could not be compiled: keyword and reason.
type Bad = (&'static str, Reason, &'static str);

/// Compiles a schema.
///
/// # Errors
/// Numbers in the schema whose exponent is beyond exact comparison, patterns that do not compile.
pub(super) fn compile(index: &Index<'_>, formats: Formats) -> Result<Program, SchemaError> {
    let mut program = Program::default();
    let mut shared = HashSet::new();
    for place in &index.places {
        shared.extend(place.references.iter().map(|r| r.target));
    }
    for (id, place) in index.places.iter().enumerate() {
        let mut maker = Maker { index, place, formats, checks: Vec::new() };
        let fixed = place.value.as_bool();
        if let Value::Object(object) = place.value {
            maker.object(object).map_err(|(keyword, reason, message)| {
                let path = format!("{}/{keyword}", index.pointer(id));
                SchemaError { reason, path, position: None, message: message.to_owned() }
            })?;
        }
        let needs_marks =
            maker.checks.iter().any(|c| matches!(c, Check::UnevaluatedItems(_) | Check::UnevaluatedProperties(_)));
        let (parent, suffix) = (place.parent(), place.suffix().to_owned());
        let checks = maker.checks;
        let resource = place.resource;
        program.nodes.push(Node { parent, suffix, resource, fixed, checks, needs_marks, shared: shared.contains(&id) });
    }
    program.dynamic.clone_from(&index.dynamic_anchors);
    Ok(program)
}

struct Maker<'i, 'a> {
    index: &'i Index<'a>,
    place: &'i Place<'a>,
    formats: Formats,
    checks: Vec<Check>,
}

const IMPRECISE: &str = "the exponent of this number is too large for exact comparison";

fn imprecise(keyword: &'static str) -> impl Fn(Imprecise) -> Bad {
    move |_| (keyword, Reason::MetaSchema, IMPRECISE)
}

/// At most this many characters of an expected constraint are shown in a message.
const SHOWN: usize = 240;

fn cut(text: &str) -> String {
    if text.chars().count() <= SHOWN {
        return text.to_owned();
    }
    text.chars().take(SHOWN).chain(std::iter::once('…')).collect()
}

impl<'a> Maker<'_, 'a> {
    fn get(&self, object: &'a Map<String, Value>, keyword: &str) -> Option<&'a Value> {
        keywords::find_in(keyword, self.place.dialect)?;
        object.get(keyword)
    }

    fn node(&self, value: &Value) -> Option<NodeId> {
        self.index.place_of(value)
    }

    fn one(&self, object: &'a Map<String, Value>, keyword: &str) -> Option<NodeId> {
        self.get(object, keyword).and_then(|v| self.node(v))
    }

    fn list(&self, object: &'a Map<String, Value>, keyword: &str) -> Option<Vec<NodeId>> {
        let list = self.get(object, keyword)?.as_array()?;
        Some(list.iter().filter_map(|v| self.node(v)).collect())
    }

    fn object(&mut self, object: &'a Map<String, Value>) -> Result<(), Bad> {
        let references = &self.place.references;
        let hidden = keywords::ref_hides_siblings(self.place.dialect) && !references.is_empty();
        if !hidden {
            self.scalars(object)?;
        }
        for reference in references {
            self.checks.push(Check::Reference { to: reference.target, dynamic: reference.dynamic.clone() });
        }
        if hidden {
            return Ok(());
        }
        self.dependencies(object);
        self.parts(object)?;
        self.combinators(object);
        if let Some(node) = self.one(object, "unevaluatedItems") {
            self.checks.push(Check::UnevaluatedItems(node));
        }
        if let Some(node) = self.one(object, "unevaluatedProperties") {
            self.checks.push(Check::UnevaluatedProperties(node));
        }
        Ok(())
    }

    fn scalars(&mut self, object: &'a Map<String, Value>) -> Result<(), Bad> {
        if let Some(types) = self.get(object, "type") {
            self.types(types);
        }
        if let Some(Value::Array(list)) = self.get(object, "enum") {
            let shown = cut(&list.iter().take(40).map(canonical).collect::<Vec<_>>().join(", "));
            self.values("enum", list, shown)?;
        }
        if let Some(value) = self.get(object, "const") {
            self.values("const", std::slice::from_ref(value), cut(&canonical(value)))?;
        }
        self.bounds(object)?;
        self.counts(object)?;
        if let Some(Value::String(source)) = self.get(object, "pattern") {
            let pattern = compile_pattern(source, "pattern")?;
            self.checks.push(Check::Pattern { pattern: Box::new(pattern), shown: cut(source) });
        }
        if let Some(Value::Array(names)) = self.get(object, "required") {
            self.checks.push(Check::Required(texts(names)));
        }
        if self.get(object, "uniqueItems") == Some(&Value::Bool(true)) {
            self.checks.push(Check::UniqueItems);
        }
        if let (Formats::Asserted, Some(Value::String(name))) = (self.formats, self.get(object, "format")) {
            self.format(name);
        }
        Ok(())
    }

    fn types(&mut self, value: &Value) {
        let mut types = Types::default();
        types.strict_integer = self.place.dialect == Dialect::Draft4;
        let names: Vec<&str> = match value {
            Value::String(one) => vec![one],
            Value::Array(list) => list.iter().filter_map(Value::as_str).collect(),
            _ => return,
        };
        for name in &names {
            types.add(name);
        }
        self.checks.push(Check::Type { types, shown: names.join(" or ") });
    }

    fn values(&mut self, keyword: &'static str, list: &[Value], shown: String) -> Result<(), Bad> {
        let mut keys = HashSet::new();
        for value in list {
            let mut key = String::new();
            normal(value, &mut key, usize::MAX).map_err(imprecise(keyword))?;
            keys.insert(key);
        }
        let longest = keys.iter().map(String::len).max().unwrap_or(0);
        self.checks.push(Check::Enum { keyword, keys, longest, shown });
        Ok(())
    }

    fn bounds(&mut self, object: &'a Map<String, Value>) -> Result<(), Bad> {
        let rows: [(&'static str, &'static str, End); 2] =
            [("minimum", "exclusiveMinimum", End::Least), ("maximum", "exclusiveMaximum", End::Most)];
        for (plain, exclusive, end) in rows {
            let legacy = self.place.dialect == Dialect::Draft4;
            let open = legacy && object.get(exclusive) == Some(&Value::Bool(true));
            let mut put = |keyword: &'static str, open: bool| -> Result<(), Bad> {
                if let Some(Value::Number(number)) = object.get(keyword) {
                    let bound = Bound::new(number).map_err(imprecise(keyword))?;
                    let keyword = if open { exclusive } else { plain };
                    self.checks.push(Check::Bound { keyword, end, open, bound });
                }
                Ok(())
            };
            put(plain, open)?;
            if !legacy {
                put(exclusive, true)?;
            }
        }
        if let Some(Value::Number(number)) = object.get("multipleOf") {
            self.checks.push(Check::MultipleOf(Bound::new(number).map_err(imprecise("multipleOf"))?));
        }
        Ok(())
    }

    fn counts(&mut self, object: &'a Map<String, Value>) -> Result<(), Bad> {
        use Counted::{Characters, Items, Properties};
        let rows: [(&'static str, Counted, End); 6] = [
            ("minLength", Characters, End::Least),
            ("maxLength", Characters, End::Most),
            ("minItems", Items, End::Least),
            ("maxItems", Items, End::Most),
            ("minProperties", Properties, End::Least),
            ("maxProperties", Properties, End::Most),
        ];
        for (keyword, counted, end) in rows {
            if let Some(limit) = self.get(object, keyword).map(|v| count_of(v, keyword)).transpose()? {
                self.checks.push(Check::Count { keyword, counted, end, limit });
            }
        }
        Ok(())
    }

    fn format(&mut self, name: &str) {
        let draft = match self.place.dialect {
            Dialect::Draft4 => jsonschema::Draft::Draft4,
            Dialect::Draft6 => jsonschema::Draft::Draft6,
            Dialect::Draft7 => jsonschema::Draft::Draft7,
            Dialect::Draft201909 => jsonschema::Draft::Draft201909,
            Dialect::Draft202012 => jsonschema::Draft::Draft202012,
        };
        let schema = serde_json::json!({ "format": name });
        if let Ok(validator) = jsonschema::options().with_draft(draft).should_validate_formats(true).build(&schema) {
            self.checks.push(Check::Format { validator: Box::new(validator), shown: cut(name) });
        }
    }

    fn dependencies(&mut self, object: &'a Map<String, Value>) {
        for keyword in ["dependentRequired", "dependentSchemas", "dependencies"] {
            let Some(Value::Object(map)) = self.get(object, keyword) else { continue };
            let keyword = keywords::find(keyword).map_or("", |k| k.name);
            let lists = map.iter().filter_map(|(k, v)| v.as_array().map(|names| (k.clone(), texts(names))));
            let required: Vec<_> = lists.collect();
            if !required.is_empty() {
                self.checks.push(Check::DependentRequired { keyword, table: required });
            }
            let schemas: Vec<_> = map.iter().filter_map(|(k, v)| self.node(v).map(|n| (k.clone(), n))).collect();
            if !schemas.is_empty() {
                self.checks.push(Check::DependentSchemas(schemas));
            }
        }
    }

    fn parts(&mut self, object: &'a Map<String, Value>) -> Result<(), Bad> {
        self.properties(object)?;
        if let Some(node) = self.one(object, "propertyNames") {
            self.checks.push(Check::PropertyNames(node));
        }
        self.array(object);
        if let Some(node) = self.one(object, "contains") {
            let bound = |keyword: &'static str| self.get(object, keyword).map(|v| count_of(v, keyword)).transpose();
            let (least, most) = (bound("minContains")?, bound("maxContains")?);
            let marks = self.place.dialect == Dialect::Draft202012;
            let check = Check::Contains { node, least: least.unwrap_or(1), most, least_given: least.is_some(), marks };
            self.checks.push(check);
        }
        Ok(())
    }

    fn properties(&mut self, object: &'a Map<String, Value>) -> Result<(), Bad> {
        let map = |keyword| self.get(object, keyword).and_then(Value::as_object);
        let (own, by_pattern, rest) =
            (map("properties"), map("patternProperties"), self.one(object, "additionalProperties"));
        let mut patterns = Vec::new();
        for (source, value) in by_pattern.into_iter().flatten() {
            if let Some(node) = self.node(value) {
                patterns.push((compile_pattern(source, "patternProperties")?, node));
            }
        }
        let properties: HashMap<String, NodeId> =
            own.into_iter().flatten().filter_map(|(k, v)| self.node(v).map(|n| (k.clone(), n))).collect();
        if !properties.is_empty() || !patterns.is_empty() || rest.is_some() {
            self.checks.push(Check::Object { properties, patterns, rest });
        }
        Ok(())
    }

    fn array(&mut self, object: &'a Map<String, Value>) {
        let new = self.place.dialect == Dialect::Draft202012;
        let (prefix_keyword, rest_keyword) = if new { ("prefixItems", "items") } else { ("items", "additionalItems") };
        let prefix = self.list(object, prefix_keyword);
        let single = self.one(object, "items");
        let check = match (prefix, single) {
            (Some(prefix), _) => Check::Array { prefix, rest: self.one(object, rest_keyword), rest_keyword },
            (None, Some(node)) => Check::Array { prefix: Vec::new(), rest: Some(node), rest_keyword: "items" },
            (None, None) => return,
        };
        self.checks.push(check);
    }

    fn combinators(&mut self, object: &'a Map<String, Value>) {
        let makers: [(&str, Combine); 3] = [("allOf", Check::AllOf), ("anyOf", Check::AnyOf), ("oneOf", Check::OneOf)];
        for (keyword, make) in makers {
            let list = self.list(object, keyword).filter(|l| !l.is_empty());
            self.checks.extend(list.map(make));
        }
        if let Some(node) = self.one(object, "not") {
            self.checks.push(Check::Not(node));
        }
        if let Some(test) = self.one(object, "if") {
            let (then, otherwise) = (self.one(object, "then"), self.one(object, "else"));
            self.checks.push(Check::If { test, then, otherwise });
        }
    }
}

fn texts(list: &[Value]) -> Vec<String> {
    list.iter().filter_map(Value::as_str).map(str::to_owned).collect()
}

fn count_of(value: &Value, keyword: &'static str) -> Result<u64, Bad> {
    let number = value.as_number().ok_or((keyword, Reason::MetaSchema, "a count is needed here"))?;
    let exact = Decimal::parse(number).map_err(imprecise(keyword))?;
    Ok(exact.to_u64().unwrap_or(u64::MAX))
}

fn compile_pattern(source: &str, keyword: &'static str) -> Result<Pattern, Bad> {
    Pattern::compile(source).map_err(|_| (keyword, Reason::Pattern, "this pattern does not compile"))
}
