//! Filling a template: strict about what is undefined, bounded in work and in length.

use std::collections::BTreeMap;
use std::io::{self, Write};

use minijinja::value::Value as Held;
use minijinja::{Environment, Error, ErrorKind, UndefinedBehavior};

use super::{Fault, Function, Kind, Template, Var};
use crate::config::nearest::nearest;
use crate::json::{self, ParseLimits, Position, Value};

/// What a filled template may have at most: as a prompt from a file.
const MAX_TEXT: usize = 8 * 1024 * 1024;
/// Steps of the template's program: a million rows of a loop need a few times that.
const FUEL: u64 = 20_000_000;

/// Values by the names of variables.
pub type Given = BTreeMap<String, Value>;

/// A filled function.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Filled {
    pub system: Option<String>,
    pub prompt: String,
}

impl Function {
    /// Fills the templates; what was not given has its default.
    ///
    /// # Errors
    /// [`Fault`]: a variable that is unknown, missing or of the wrong kind, or a template that cannot be filled.
    pub fn fill(&self, given: &Given) -> Result<Filled, Fault> {
        let values = self.values(given)?;
        let system = self.system.as_ref().map(|template| self.render(template, &values)).transpose()?;
        let prompt = self.render(&self.prompt, &values)?;
        if prompt.trim().is_empty() {
            return Err(Fault::new(&self.file, None, "the filled prompt is empty").advised("give its variables a text"));
        }
        Ok(Filled { system: system.filter(|text| !text.trim().is_empty()), prompt })
    }

    /// A value of `--var` as the variable's kind takes it: a text as it is, anything else read as JSON.
    ///
    /// # Errors
    /// [`Fault`] when there is no such variable, or the text is no value of its kind.
    pub fn value(&self, name: &str, text: String) -> Result<Value, Fault> {
        let var = self.vars.iter().find(|var| var.name == name).ok_or_else(|| self.unknown(name))?;
        if var.kind == Kind::Text {
            return Ok(Value::String(text));
        }
        let value = json::parse(&text, ParseLimits::default()).ok().filter(|value| var.kind.holds(value));
        value.ok_or_else(|| self.wrong_kind(var))
    }

    fn values(&self, given: &Given) -> Result<BTreeMap<String, Held>, Fault> {
        if let Some(name) = given.keys().find(|name| !self.vars.iter().any(|var| var.name == **name)) {
            return Err(self.unknown(name));
        }
        let missing: Vec<&str> =
            self.vars.iter().filter(|var| lacks(var, given)).map(|var| var.name.as_str()).collect();
        if let Some(first) = missing.first() {
            let message = format!("not given: {}", missing.join(", "));
            return Err(Fault::new(&self.file, None, message).advised(format!("give it a value: --var {first}=…")));
        }
        let mut values = BTreeMap::new();
        for var in &self.vars {
            let Some(value) = given.get(&var.name).or(var.default.as_ref()) else { continue };
            if !var.kind.holds(value) {
                return Err(self.wrong_kind(var));
            }
            values.insert(var.name.clone(), held(value));
        }
        Ok(values)
    }

    fn unknown(&self, name: &str) -> Fault {
        let shown: String = name.chars().take(64).collect();
        let known: Vec<&str> = self.vars.iter().map(|var| var.name.as_str()).collect();
        let fault = Fault::new(&self.file, None, format!("{} has no variable {shown:?}", self.name));
        fault.advised(match nearest(name, known.iter().copied()) {
            Some(near) => format!("did you mean {near}?"),
            None if known.is_empty() => "it takes none".to_owned(),
            None => format!("it has {}", known.join(", ")),
        })
    }

    fn wrong_kind(&self, var: &Var) -> Fault {
        let what = match var.kind {
            Kind::Text => "a text",
            Kind::Number => "a number, such as 12 or 0.5",
            Kind::Flag => "true or false",
            Kind::List => "a JSON list, such as [\"a\", \"b\"]",
            Kind::Object => "a JSON object, such as {\"a\": 1}",
        };
        Fault::new(&self.file, None, format!("the variable {} must be {what}", var.name))
    }

    /// Does every template compile, and does it name declared variables only?
    pub(super) fn proofread(&self) -> Result<(), Fault> {
        for template in self.system.iter().chain([&self.prompt]) {
            if let Some(fault) = template.fault(&self.file, &self.vars).or_else(|| self.rehearsed(template)) {
                return Err(fault);
            }
        }
        if self.prompt.text.trim().is_empty() {
            let fault = Fault::new(&self.file, Some(self.prompt.start), "the prompt is empty");
            return Err(fault.advised("write what is asked below `# Prompt`"));
        }
        Ok(())
    }

    /// Fills a template with stand-ins: a filter, test or function that is not there is seen now. What else fails may be the
    /// stand-ins' fault.
    fn rehearsed(&self, template: &Template) -> Option<Fault> {
        let stand_in = |var: &Var| match (&var.default, var.kind) {
            (Some(value), _) => held(value),
            (None, Kind::Text) => Held::from("text"),
            (None, Kind::Number) => Held::from(1),
            (None, Kind::Flag) => Held::from(true),
            (None, Kind::List) => Held::from(vec![Held::from("text")]),
            (None, Kind::Object) => std::iter::empty::<(String, Held)>().collect(),
        };
        let values: BTreeMap<String, Held> = self.vars.iter().map(|var| (var.name.clone(), stand_in(var))).collect();
        let env = environment();
        let error =
            env.template_from_str(&template.text).ok()?.render_captured_to(&values, &mut Bounded(Vec::new())).err()?;
        let absent =
            matches!(error.kind(), ErrorKind::UnknownFilter | ErrorKind::UnknownTest | ErrorKind::UnknownFunction);
        absent.then(|| template.told(&self.file, &error))
    }

    fn render(&self, template: &Template, values: &BTreeMap<String, Held>) -> Result<String, Fault> {
        let env = environment();
        let compiled = env.template_from_str(&template.text).map_err(|error| template.told(&self.file, &error))?;
        let mut out = Bounded(Vec::new());
        compiled.render_captured_to(values, &mut out).map_err(|error| template.told(&self.file, &error))?;
        String::from_utf8(out.0).map_err(|_| Fault::new(&self.file, None, "the filled template is no text"))
    }
}

fn lacks(var: &Var, given: &Given) -> bool {
    var.default.is_none() && !given.contains_key(&var.name)
}

/// The variables a text would need, in the order of their names; `None` when it is no template.
pub(super) fn needed(text: &str) -> Option<Vec<String>> {
    let env = environment();
    let template = env.template_from_str(text).ok()?;
    let globals: Vec<&str> = env.globals().map(|(name, _)| name).collect();
    let free = template.undeclared_variables(false).into_iter();
    let mut names: Vec<String> = free.filter(|name| !globals.contains(&name.as_str())).collect();
    names.sort();
    Some(names)
}

fn environment() -> Environment<'static> {
    let mut env = Environment::new();
    env.set_undefined_behavior(UndefinedBehavior::Strict);
    env.set_fuel(Some(FUEL));
    // Errors tell the place; the text they would show is not asked for.
    env.set_debug(true);
    env
}

impl Template {
    fn fault(&self, file: &std::path::Path, vars: &[Var]) -> Option<Fault> {
        if let Err(error) = environment().template_from_str(&self.text) {
            return Some(self.told(file, &error));
        }
        let undeclared = needed(&self.text)?.into_iter().find(|name| !vars.iter().any(|var| var.name == *name))?;
        let at = word(&self.text, &undeclared).map(|offset| self.place(offset));
        let fault = Fault::new(
            file,
            at.or(Some(self.start)),
            format!("the template uses `{undeclared}`, which is not declared"),
        );
        Some(match nearest(&undeclared, vars.iter().map(|var| var.name.as_str())) {
            Some(near) => fault.advised(format!("did you mean `{near}`? Else declare it: [vars.{undeclared}]")),
            None => fault.advised(format!("declare it in the settings: [vars.{undeclared}]")),
        })
    }

    /// The engine's error, at its place in the file. Its details may hold values: only those of the template itself are told.
    fn told(&self, file: &std::path::Path, error: &Error) -> Fault {
        let span = error.range().filter(|range| range.start < self.text.len());
        let line_start = |line: usize| self.text.split_inclusive('\n').take(line.saturating_sub(1)).map(str::len).sum();
        let offset = span.clone().map(|range| range.start).or_else(|| error.line().map(line_start));
        let part = span.and_then(|range| self.text.get(range)).map(str::trim);
        let part = part.filter(|part| !part.is_empty() && part.len() <= 60 && !part.contains('\n'));
        let what = match (error.kind(), error.detail()) {
            (ErrorKind::SyntaxError, Some(detail)) => format!("the template is wrong: {detail}"),
            (ErrorKind::UndefinedError, _) => "the template uses what is not there".to_owned(),
            (ErrorKind::OutOfFuel, _) => "filling the template takes too long".to_owned(),
            (ErrorKind::WriteFailure, _) => format!("the filled template is longer than {MAX_TEXT} bytes"),
            (kind, _) => format!("the template cannot be filled: {kind}"),
        };
        let message = part.filter(|_| error.kind() != ErrorKind::SyntaxError).map(|part| format!("{what}: `{part}`"));
        Fault::new(file, Some(offset.map_or(self.start, |offset| self.place(offset))), message.unwrap_or(what))
    }

    /// A place of the template in the file. A `\` that was taken from a heading's line makes that line's columns one less.
    fn place(&self, offset: usize) -> Position {
        let inside = json::position(&self.text, offset);
        let column = if inside.line == 1 { self.start.column + inside.column - 1 } else { inside.column };
        Position { offset: self.start.offset + inside.offset, line: self.start.line + inside.line - 1, column }
    }
}

/// Where a whole word first stands after a `{`.
fn word(text: &str, name: &str) -> Option<usize> {
    let letter = |c: char| c.is_alphanumeric() || c == '_';
    let from = text.find('{').unwrap_or(0);
    let rest = text.get(from..)?;
    let whole = |at: usize| {
        let before = rest.get(..at).and_then(|before| before.chars().next_back());
        let after = rest.get(at + name.len()..).and_then(|after| after.chars().next());
        !before.is_some_and(letter) && !after.is_some_and(letter)
    };
    let inside = |at: usize| {
        let before = rest.get(..at).unwrap_or_default();
        let opened = before.rfind("{{").max(before.rfind("{%"));
        opened > before.rfind("}}").max(before.rfind("%}"))
    };
    rest.match_indices(name).map(|(at, _)| at).find(|at| whole(*at) && inside(*at)).map(|at| from + at)
}

/// A value as the template engine holds it. A number whose digits would be lost is held as its text.
fn held(value: &Value) -> Held {
    match value {
        Value::Null => Held::from(()),
        Value::Bool(flag) => Held::from(*flag),
        Value::Number(number) => {
            let text = number.to_string();
            let float = number.as_f64().filter(|float| float.to_string() == text).map(Held::from);
            number.as_i64().map(Held::from).or(float).unwrap_or_else(|| Held::from(text))
        }
        Value::String(text) => Held::from(text.as_str()),
        Value::Array(items) => items.iter().map(held).collect::<Vec<Held>>().into(),
        Value::Object(members) => members.iter().map(|(name, member)| (name.clone(), held(member))).collect(),
    }
}

/// Takes up to [`MAX_TEXT`] bytes.
struct Bounded(Vec<u8>);

impl Write for Bounded {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        if self.0.len() + bytes.len() > MAX_TEXT {
            return Err(io::Error::other("too long"));
        }
        self.0.extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}
