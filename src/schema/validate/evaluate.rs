//! The evaluator: judges one instance against a program with a bounded amount of work.
//!
//! Every step is paid for from a budget before it is done, verdicts of shared nodes are remembered per value, and the
//! nesting of calls is limited, so that any schema against any value ends: with a verdict, or with [`Stop`]. The first
//! pass only decides; the second one, for what is invalid, collects issues.

mod arrays;
mod objects;
mod scalars;

use std::collections::{HashMap, HashSet};

use super::message;
use super::program::{Check, NodeId, Program};
use super::sink::{Sink, Token};
use crate::json::Value;
use crate::schema::decimal::Imprecise;
use crate::schema::pattern::NoAnswer;

/// Nested calls of [`Run::eval`]. One takes at most about 4 KiB of stack without optimisation; `stack::STACK_BYTES` holds them.
const MAX_LEVELS: usize = 12_000;
/// Remembered verdicts; one takes about 25 bytes.
const MAX_MEMO: usize = 1_000_000;

/// Why judging ended without a verdict.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Stop {
    /// The budget is spent, or calls nest too deep.
    TooExpensive,
    /// A number cannot be compared exactly: where, and by which keyword.
    Precision { path: String, schema_path: String, keyword: &'static str },
}

impl From<NoAnswer> for Stop {
    fn from(_: NoAnswer) -> Self {
        Self::TooExpensive
    }
}

/// What is judged: a value, or an object's key (for `propertyNames`).
#[derive(Clone, Copy)]
pub(super) enum Subject<'a> {
    Value(&'a Value),
    Key(&'a str),
}

impl<'a> Subject<'a> {
    fn value(self) -> Option<&'a Value> {
        match self {
            Self::Value(value) => Some(value),
            Self::Key(_) => None,
        }
    }

    fn text(self) -> Option<&'a str> {
        match self {
            Self::Value(value) => value.as_str(),
            Self::Key(key) => Some(key),
        }
    }
}

/// What parts of one instance were evaluated, for `unevaluatedItems` and `unevaluatedProperties`.
#[derive(Default)]
pub(super) struct Marks<'a> {
    all_properties: bool,
    properties: HashSet<&'a str>,
    all_items: bool,
    items_up_to: usize,
    items: HashSet<usize>,
}

impl<'a> Marks<'a> {
    /// Joins two sets; the smaller one is moved, so a chain of judgements does not copy the marks at every link.
    fn merge(&mut self, mut other: Marks<'a>) {
        if other.properties.len() > self.properties.len() {
            std::mem::swap(&mut self.properties, &mut other.properties);
        }
        if other.items.len() > self.items.len() {
            std::mem::swap(&mut self.items, &mut other.items);
        }
        self.all_properties |= other.all_properties;
        self.all_items |= other.all_items;
        self.items_up_to = self.items_up_to.max(other.items_up_to);
        self.properties.extend(other.properties);
        self.items.extend(other.items);
    }

    /// What merging costs at most.
    fn cost_of_merge(&self, other: &Self) -> u64 {
        let moved = self.properties.len().min(other.properties.len()) + self.items.len().min(other.items.len());
        12 * moved as u64
    }
}

/// Whether failures are reported.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Mode {
    Decide,
    Collect,
}

/// One judgement under way.
pub(super) struct Run<'a> {
    program: &'a Program,
    fuel: u64,
    levels: usize,
    mode: Mode,
    /// Resources entered, outermost first.
    scope: Vec<usize>,
    memo: HashMap<(NodeId, usize), bool>,
    collected: HashSet<(NodeId, usize)>,
    path: Vec<Token<'a>>,
    /// The key under judgement by `propertyNames`.
    naming: Option<&'a str>,
    sink: Sink<'a>,
}

type Verdict = Result<bool, Stop>;

impl<'a> Run<'a> {
    pub(super) fn new(program: &'a Program, fuel: u64) -> Self {
        Self {
            program,
            fuel,
            levels: 0,
            mode: Mode::Decide,
            scope: Vec::new(),
            memo: HashMap::new(),
            collected: HashSet::new(),
            path: Vec::new(),
            naming: None,
            sink: Sink::default(),
        }
    }

    /// Decides whether the value is valid.
    pub(super) fn decide(&mut self, value: &'a Value) -> Verdict {
        self.eval(0, Subject::Value(value), None)
    }

    /// Collects the issues of a value that is invalid; what was found is kept when the budget ends the search.
    pub(super) fn collect(mut self, value: &'a Value, fuel: u64) -> (Sink<'a>, Option<Stop>) {
        self.fuel = fuel;
        self.mode = Mode::Collect;
        let ended = self.eval(0, Subject::Value(value), None).err();
        (self.sink, ended)
    }

    fn pay(&mut self, cost: u64) -> Result<(), Stop> {
        self.fuel = self.fuel.checked_sub(cost).ok_or(Stop::TooExpensive)?;
        Ok(())
    }

    fn pay_for(&mut self, length: usize) -> Result<(), Stop> {
        self.pay(1 + (length as u64) / 16)
    }

    /// Judges the subject by one node.
    fn eval(&mut self, id: NodeId, subject: Subject<'a>, marks: Option<&mut Marks<'a>>) -> Verdict {
        self.pay(2)?;
        let program = self.program;
        let Some(node) = program.nodes.get(id) else { return Ok(true) };
        if let Some(fixed) = node.fixed {
            if !fixed {
                self.report(id, "", "false", || "no value is allowed here (the schema is false)".to_owned())?;
            }
            return Ok(fixed);
        }
        if node.checks.is_empty() {
            return Ok(true);
        }
        if self.levels >= MAX_LEVELS {
            return Err(Stop::TooExpensive);
        }
        self.levels += 1;
        let entered = self.scope.last() != Some(&node.resource);
        if entered {
            self.scope.push(node.resource);
        }
        let verdict = self.remembered(id, subject, marks);
        if entered {
            self.scope.pop();
        }
        self.levels -= 1;
        verdict
    }

    /// The memo around [`Self::node`]. Verdicts depend on the dynamic scope where dynamic references are used, and
    /// marks are not remembered: such judgements run, on the budget, every time.
    fn remembered(&mut self, id: NodeId, subject: Subject<'a>, marks: Option<&mut Marks<'a>>) -> Verdict {
        let shared = self.program.nodes.get(id).is_some_and(|n| n.shared) && self.program.dynamic.is_empty();
        let Some(value) = subject.value() else { return self.node(id, subject, marks) };
        let key = (id, std::ptr::from_ref(value) as usize);
        if self.mode == Mode::Collect {
            return self.collect_once(key, subject, marks);
        }
        if !shared || marks.is_some() {
            return self.node(id, subject, marks);
        }
        if let Some(known) = self.memo.get(&key) {
            return Ok(*known);
        }
        let verdict = self.node(id, subject, None)?;
        if self.memo.len() < MAX_MEMO {
            self.pay(2)?;
            self.memo.insert(key, verdict);
        }
        Ok(verdict)
    }

    /// When collecting: the same node at the same value would only repeat its issues.
    fn collect_once(
        &mut self,
        key: (NodeId, usize),
        subject: Subject<'a>,
        mut marks: Option<&mut Marks<'a>>,
    ) -> Verdict {
        let shared = self.program.nodes.get(key.0).is_some_and(|n| n.shared);
        if shared {
            if self.deciding(|run| run.remembered(key.0, subject, marks.as_deref_mut()))? {
                return Ok(true);
            }
            self.pay(2)?;
            if !self.collected.insert(key) {
                return Ok(false);
            }
        }
        self.node(key.0, subject, marks)
    }

    /// Runs something without reporting.
    fn deciding<T>(&mut self, work: impl FnOnce(&mut Self) -> T) -> T {
        let before = std::mem::replace(&mut self.mode, Mode::Decide);
        let out = work(self);
        self.mode = before;
        out
    }

    fn node(&mut self, id: NodeId, subject: Subject<'a>, mut marks: Option<&mut Marks<'a>>) -> Verdict {
        let program = self.program;
        let Some(node) = program.nodes.get(id) else { return Ok(true) };
        let mut own = node.needs_marks.then(Marks::default);
        let mut valid = true;
        for check in &node.checks {
            let seen = own.as_mut().or(marks.as_deref_mut());
            valid &= self.check(id, check, subject, seen)?;
            if !valid && self.mode == Mode::Decide {
                return Ok(false);
            }
        }
        if let (Some(own), Some(marks)) = (own, marks) {
            self.pay(own.cost_of_merge(marks))?;
            marks.merge(own);
        }
        Ok(valid)
    }

    fn check(&mut self, id: NodeId, check: &'a Check, subject: Subject<'a>, marks: Option<&mut Marks<'a>>) -> Verdict {
        match check {
            Check::Reference { to, dynamic } => {
                let to = dynamic.as_ref().map_or(*to, |name| self.dynamic_target(*to, name));
                self.eval(to, subject, marks)
            }
            Check::AllOf(list) => self.all_of(list, subject, marks),
            Check::AnyOf(list) => self.any_of(id, list, subject, marks),
            Check::OneOf(list) => self.one_of(id, list, subject, marks),
            Check::Not(node) => {
                let matched = self.deciding(|run| run.eval(*node, subject, None))?;
                if matched {
                    self.report(id, "/not", "not", || "must not match the schema under `not`".to_owned())?;
                }
                Ok(!matched)
            }
            Check::If { test, then, otherwise } => self.condition(*test, *then, *otherwise, subject, marks),
            Check::Object { .. }
            | Check::PropertyNames(_)
            | Check::DependentRequired { .. }
            | Check::DependentSchemas(_)
            | Check::Required(_)
            | Check::UnevaluatedProperties(_) => self.object_check(id, check, subject, marks),
            Check::Array { .. } | Check::Contains { .. } | Check::UniqueItems | Check::UnevaluatedItems(_) => {
                self.array_check(id, check, subject, marks)
            }
            Check::Type { .. }
            | Check::Enum { .. }
            | Check::Bound { .. }
            | Check::MultipleOf(_)
            | Check::Count { .. }
            | Check::Pattern { .. }
            | Check::Format { .. } => self.scalar_check(id, check, subject),
        }
    }

    /// The outermost resource in the dynamic scope that has the anchor.
    fn dynamic_target(&self, fallback: NodeId, name: &str) -> NodeId {
        let found = self.scope.iter().find_map(|r| self.program.dynamic.get(&(*r, name.to_owned())));
        found.copied().unwrap_or(fallback)
    }

    fn all_of(&mut self, list: &[NodeId], subject: Subject<'a>, mut marks: Option<&mut Marks<'a>>) -> Verdict {
        let mut valid = true;
        for node in list {
            valid &= self.eval(*node, subject, marks.as_deref_mut())?;
            if !valid && self.mode == Mode::Decide {
                return Ok(false);
            }
        }
        Ok(valid)
    }

    /// Judges a branch that may fail: its marks count only when it holds.
    fn branch(&mut self, node: NodeId, subject: Subject<'a>, marks: Option<&mut Marks<'a>>) -> Verdict {
        let mut own = marks.is_some().then(Marks::default);
        let valid = self.deciding(|run| run.eval(node, subject, own.as_mut()))?;
        if let (true, Some(own), Some(marks)) = (valid, own, marks) {
            self.pay(own.cost_of_merge(marks))?;
            marks.merge(own);
        }
        Ok(valid)
    }

    fn any_of(
        &mut self,
        id: NodeId,
        list: &[NodeId],
        subject: Subject<'a>,
        mut marks: Option<&mut Marks<'a>>,
    ) -> Verdict {
        let mut valid = false;
        for node in list {
            valid |= self.branch(*node, subject, marks.as_deref_mut())?;
            if valid && marks.is_none() {
                return Ok(true);
            }
        }
        if !valid {
            let program = self.program;
            self.report(id, "/anyOf", "anyOf", || message::no_branch(program, list, "anyOf"))?;
            self.nearest(list, subject)?;
        }
        Ok(valid)
    }

    fn one_of(
        &mut self,
        id: NodeId,
        list: &[NodeId],
        subject: Subject<'a>,
        mut marks: Option<&mut Marks<'a>>,
    ) -> Verdict {
        let mut matched = Vec::new();
        for (at, node) in list.iter().enumerate() {
            if self.branch(*node, subject, marks.as_deref_mut())? {
                matched.push(at);
            }
            if matched.len() > 1 && self.mode == Mode::Decide {
                return Ok(false);
            }
        }
        let program = self.program;
        match matched.len() {
            1 => Ok(true),
            0 => {
                self.report(id, "/oneOf", "oneOf", || message::no_branch(program, list, "oneOf"))?;
                self.nearest(list, subject)?;
                Ok(false)
            }
            _ => {
                self.report(id, "/oneOf", "oneOf", || message::several_branches(&matched, list.len()))?;
                Ok(false)
            }
        }
    }

    /// When the kind of the value leaves one branch only, its issues say more than the combinator's.
    fn nearest(&mut self, list: &[NodeId], subject: Subject<'a>) -> Result<(), Stop> {
        if self.mode == Mode::Collect
            && let Some(value) = subject.value()
            && let Some(node) = message::only_branch(self.program, list, value)
        {
            self.eval(node, subject, None)?;
        }
        Ok(())
    }

    fn condition(
        &mut self,
        test: NodeId,
        then: Option<NodeId>,
        otherwise: Option<NodeId>,
        subject: Subject<'a>,
        mut marks: Option<&mut Marks<'a>>,
    ) -> Verdict {
        let held = self.branch(test, subject, marks.as_deref_mut())?;
        match if held { then } else { otherwise } {
            Some(node) => self.eval(node, subject, marks),
            None => Ok(true),
        }
    }

    /// Adds one issue at the current path when collecting.
    fn report(
        &mut self,
        id: NodeId,
        suffix: &str,
        keyword: &'static str,
        text: impl FnOnce() -> String,
    ) -> Result<(), Stop> {
        if self.mode == Mode::Decide {
            return Ok(());
        }
        self.pay(4)?;
        if !self.sink.takes(&self.path) {
            return Ok(());
        }
        self.pay(20)?;
        let schema_path = format!("{}{suffix}", self.program.pointer(id));
        let text = match self.naming {
            Some(key) => format!("the property name {} {}", message::quoted(key), text()),
            None => text(),
        };
        self.sink.put(&self.path, schema_path, keyword, text);
        Ok(())
    }

    /// The stop for a number that cannot be compared exactly.
    fn imprecise(&self, id: NodeId, keyword: &'static str) -> impl FnOnce(Imprecise) -> Stop + use<> {
        let path = super::sink::pointer(&self.path);
        let schema_path = format!("{}/{keyword}", self.program.pointer(id));
        move |_| Stop::Precision { path, schema_path, keyword }
    }
}
