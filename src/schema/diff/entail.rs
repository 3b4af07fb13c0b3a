//! One keyword at a time: does a conjunction already say what this keyword demands?

mod arrays;
mod objects;

use super::arena::{Bound, End};
use super::prove::{Prover, same_data};
use super::value::among;
use crate::json::Value;
use crate::schema::decimal::Decimal;
use crate::schema::tree::keywords::is_annotation;
use crate::schema::tree::types::Types;
use crate::schema::tree::{Body, Held, Id, Word};

impl Prover {
    /// Every instance of the conjunction meets this word of this node.
    pub(super) fn entails_word(&mut self, all: &[Id], node: Id, word: &Word) -> bool {
        let name = word.name.as_str();
        if is_annotation(name) || self.arena.is_looked_through(word) {
            // What is looked through stands beside its node in every conjunction.
            return true;
        }
        let types = self.arena.types(all);
        let spoken = Types::spoken_of_by(name);
        if spoken != Types::ALL && !types.meets(spoken) {
            return true;
        }
        match (name, &word.held) {
            ("type", Held::Data(value)) => self.type_within(all, types, value),
            ("enum", Held::Data(Value::Array(list))) => self.values_within(all, types, list),
            ("const", Held::Data(only)) => self.values_within(all, types, std::slice::from_ref(only)),
            ("minimum" | "exclusiveMinimum", _) => self.bounded(all, node, types, End::Least),
            ("maximum" | "exclusiveMaximum", _) => self.bounded(all, node, types, End::Most),
            ("multipleOf", Held::Data(step)) => self.stepped(all, types, step),
            ("minLength" | "minItems", Held::Data(value)) => self.counted(all, node, word, value, End::Least),
            ("maxLength" | "maxItems", Held::Data(value)) => self.counted(all, node, word, value, End::Most),
            ("pattern" | "format", Held::Data(value)) => self.stated(all, name, value),
            ("anyOf", Held::List(branches)) => self.some(all, branches),
            ("oneOf", Held::List(branches)) => self.exactly_one(all, branches),
            ("not", Held::One(part)) => self.excludes(all, *part),
            ("if", Held::One(part)) => self.conditional(all, node, *part),
            // Beside `if` they are judged with it; alone they say nothing.
            ("then" | "else", _) => true,
            _ if spoken == Types::OBJECT => self.entails_object(all, node, word),
            _ if spoken == Types::ARRAY => self.entails_array(all, node, word),
            _ => false,
        }
    }

    fn type_within(&self, all: &[Id], types: Types, stated: &Value) -> bool {
        let wanted = Types::of_keyword(stated);
        let whole = wanted.meets(Types::INTEGER) && !wanted.meets(Types::FRACTION) && types.meets(Types::INTEGER);
        if whole && self.arena.strict_integer {
            // Draft 4 wants the number written without a fraction: only the same word says so.
            let says = |id: &Id| {
                let own = self.arena.node(*id).data("type").map(Types::of_keyword);
                own.is_some_and(|own| !own.meets(Types::FRACTION))
            };
            let listed = self.arena.values(all).is_some();
            if self.arena.mixed_integer || !listed && !all.iter().any(says) {
                return false;
            }
        }
        types.within(wanted)
    }

    fn values_within(&mut self, all: &[Id], types: Types, list: &[Value]) -> bool {
        if let Some(values) = self.arena.values(all) {
            return self.pay((values.len() * list.len()) as u64)
                && values.iter().all(|value| {
                    among(value, list) == Some(true) || all.iter().any(|id| self.meets(value, *id, 0) == Some(false))
                });
        }
        let has = |value: &Value| list.contains(value);
        types.within(Types::NULL.or(Types::BOOLEAN))
            && (!types.meets(Types::NULL) || has(&Value::Null))
            && (!types.meets(Types::BOOLEAN) || has(&Value::Bool(true)) && has(&Value::Bool(false)))
    }

    fn bounded(&self, all: &[Id], node: Id, types: Types, end: End) -> bool {
        let wanted = self.arena.own_bounds(node, end);
        let data = |name: &str| self.arena.node(node).data(name).is_some_and(|value| !value.is_boolean());
        let stated = match end {
            End::Least => usize::from(data("minimum")) + usize::from(data("exclusiveMinimum")),
            End::Most => usize::from(data("maximum")) + usize::from(data("exclusiveMaximum")),
        };
        // A bound that cannot be compared exactly is not shown.
        let whole = types.and(Types::NUMBER).within(Types::INTEGER);
        let own = self.arena.bound(all, end);
        wanted.len() == stated
            && wanted.iter().all(|limit| own.as_ref().is_some_and(|own| at_least_as_tight(own, limit, whole, end)))
    }

    fn stepped(&self, all: &[Id], types: Types, step: &Value) -> bool {
        let exact = |value: &Value| Decimal::parse(value.as_number()?).ok();
        let Some(step) = exact(step) else { return false };
        let steps = all.iter().filter_map(|id| exact(self.arena.node(*id).data("multipleOf")?));
        let one = types.and(Types::NUMBER).within(Types::INTEGER).then(|| Decimal::from_text("1").ok()).flatten();
        steps.chain(one).any(|own| own.is_multiple_of(&step) == Ok(true))
    }

    pub(super) fn counted(&self, all: &[Id], node: Id, word: &Word, value: &Value, end: End) -> bool {
        let name = word.name.as_str();
        if self.stated(all, name, value) {
            return true;
        }
        let (own, wanted) = (self.arena.count(all, name, end), self.arena.own_count(node, name));
        let Some(wanted) = wanted else { return false };
        match end {
            End::Least => wanted == 0 || own.is_some_and(|own| own >= wanted),
            End::Most => own.is_some_and(|own| own <= wanted),
        }
    }

    /// One of the nodes says the very same.
    pub(super) fn stated(&self, all: &[Id], name: &str, value: &Value) -> bool {
        all.iter().any(|id| self.arena.node(*id).data(name).is_some_and(|own| same_data(name, own, value)))
    }

    fn some(&mut self, all: &[Id], branches: &[Id]) -> bool {
        branches.iter().any(|branch| {
            let wanted = self.arena.flat(&[*branch]);
            self.implies(all, &wanted)
        })
    }

    fn exactly_one(&mut self, all: &[Id], branches: &[Id]) -> bool {
        (0..branches.len()).any(|at| {
            let wanted = self.arena.flat(&[branches[at]]);
            self.implies(all, &wanted)
                && branches.iter().enumerate().all(|(other, branch)| other == at || self.excludes(all, *branch))
        })
    }

    /// No instance of the conjunction meets this part.
    fn excludes(&mut self, all: &[Id], part: Id) -> bool {
        let forbidden: Vec<Id> = all.iter().filter_map(|id| self.arena.node(*id).one("not")).collect();
        let own = self.arena.flat(&[part]);
        forbidden.into_iter().any(|wider| {
            let wider = self.arena.flat(&[wider]);
            self.implies(&own, &wider)
        }) || self.disjoint(all, part)
    }

    fn conditional(&mut self, all: &[Id], node: Id, condition: Id) -> bool {
        let (then, other) = (self.arena.node(node).one("then"), self.arena.node(node).one("else"));
        // What the same condition leads to elsewhere in the conjunction.
        let same: Vec<Id> = all.iter().copied().filter(|id| self.has_condition(*id, condition)).collect();
        let led = |prover: &Self, name: &str| prover.parts(&same, name);
        let (mut met, unmet) = (led(self, "then"), led(self, "else"));
        met.push(condition);
        let (yes, no) = (self.holds_with(all, &met, then), self.holds_with(all, &unmet, other));
        let flat = self.arena.flat(&[condition]);
        yes && (no || self.implies(all, &flat)) || no && self.disjoint(all, condition)
    }

    fn has_condition(&mut self, id: Id, condition: Id) -> bool {
        let own = self.arena.node(id).one("if");
        own.is_some_and(|own| self.is_same(own, condition))
    }

    /// The conjunction with some more implies the part, when there is one.
    fn holds_with(&mut self, all: &[Id], more: &[Id], wanted: Option<Id>) -> bool {
        let Some(wanted) = wanted else { return true };
        let (parts, wanted) = (self.arena.flat(&[all, more].concat()), self.arena.flat(&[wanted]));
        self.implies(&parts, &wanted)
    }

    /// The parts a keyword holds in the nodes of a conjunction.
    pub(super) fn parts(&self, all: &[Id], name: &str) -> Vec<Id> {
        all.iter().filter_map(|id| self.arena.node(*id).one(name)).collect()
    }

    /// Does the schema accept everything?
    pub(super) fn is_any(&mut self, id: Id) -> bool {
        let flat = self.arena.flat(&[id]);
        let judges = |id: &Id| {
            let node = self.arena.node(*id);
            node.body == Body::Never || node.body.words().iter().any(|word| !is_annotation(&word.name))
        };
        !flat.iter().any(judges)
    }
}

fn at_least_as_tight(own: &Bound, wanted: &Bound, whole: bool, end: End) -> bool {
    let order = match end {
        End::Least => own.0.cmp(&wanted.0),
        End::Most => wanted.0.cmp(&own.0),
    };
    if order.is_gt() || order.is_eq() && (own.1 || !wanted.1) {
        return true;
    }
    // Whole numbers above 0 are those from 1 on.
    let text = |bound: &Decimal| {
        let mut text = String::new();
        bound.normal(&mut text);
        text
    };
    let integer = |bound: &Decimal| whole.then(|| plain(&text(bound), bound)).flatten();
    let Some((a, b)) = integer(&own.0).zip(integer(&wanted.0)) else { return false };
    match end {
        End::Least => a + i128::from(own.1) >= b + i128::from(wanted.1),
        End::Most => a - i128::from(own.1) <= b - i128::from(wanted.1),
    }
}

/// A whole number that is small enough to count with.
fn plain(normal: &str, bound: &Decimal) -> Option<i128> {
    if !bound.is_integer() {
        return None;
    }
    let negative = normal.starts_with('-');
    let size = if negative { flipped(bound)? } else { bound.to_u64()? };
    Some(if negative { -i128::from(size) } else { i128::from(size) })
}

/// The size of a negative whole number.
fn flipped(bound: &Decimal) -> Option<u64> {
    let mut normal = String::new();
    bound.normal(&mut normal);
    let (digits, point) = normal.strip_prefix('-')?.split_once('e')?;
    Decimal::from_text(&format!("0.{digits}e{point}")).ok()?.to_u64()
}
