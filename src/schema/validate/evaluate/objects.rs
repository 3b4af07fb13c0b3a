//! Keywords about the members of an object.

use std::collections::HashMap;

use super::{Marks, Mode, Run, Subject, Verdict};
use crate::json::{Map, Value};
use crate::schema::pattern::Pattern;
use crate::schema::validate::message::quoted;
use crate::schema::validate::program::{Check, NodeId};
use crate::schema::validate::sink::Token;

impl<'a> Run<'a> {
    pub(super) fn object_check(
        &mut self,
        id: NodeId,
        check: &'a Check,
        subject: Subject<'a>,
        marks: Option<&mut Marks<'a>>,
    ) -> Verdict {
        let Some(Value::Object(object)) = subject.value() else { return Ok(true) };
        match check {
            Check::Object { properties, patterns, rest } => {
                self.members(id, properties, patterns, *rest, object, marks)
            }
            Check::PropertyNames(node) => self.property_names(*node, object),
            Check::Required(names) => self.required(id, names, object),
            Check::DependentRequired { keyword, table } => self.dependent_required(id, keyword, table, object),
            Check::DependentSchemas(table) => self.dependent_schemas(table, object, subject, marks),
            Check::UnevaluatedProperties(node) => self.unevaluated(id, *node, object, marks),
            _ => Ok(true),
        }
    }

    /// Judges one member by one node.
    fn member(&mut self, node: NodeId, key: &'a str, value: &'a Value) -> Verdict {
        self.path.push(Token::Key(key));
        let verdict = self.eval(node, Subject::Value(value), None);
        self.path.pop();
        verdict
    }

    fn is_false(&self, node: NodeId) -> bool {
        self.program.nodes.get(node).is_some_and(|n| n.fixed == Some(false))
    }

    fn members(
        &mut self,
        id: NodeId,
        properties: &'a HashMap<String, NodeId>,
        patterns: &'a [(Pattern, NodeId)],
        rest: Option<NodeId>,
        object: &'a Map<String, Value>,
        mut marks: Option<&mut Marks<'a>>,
    ) -> Verdict {
        let mut valid = true;
        for (key, value) in object {
            self.pay_for(key.len() * 2)?;
            let mut known = false;
            if let Some(node) = properties.get(key) {
                known = true;
                valid &= self.member(*node, key, value)?;
            }
            for (pattern, node) in patterns {
                if pattern.is_match(key, &mut self.fuel)? {
                    known = true;
                    valid &= self.member(*node, key, value)?;
                }
            }
            if let (false, Some(node)) = (known, rest) {
                known = true;
                valid &= self.extra(id, "additionalProperties", node, key, value)?;
            }
            if let (true, Some(marks)) = (known, marks.as_deref_mut()) {
                self.pay(20)?;
                marks.properties.insert(key);
            }
            if !valid && self.mode == Mode::Decide {
                return Ok(false);
            }
        }
        Ok(valid)
    }

    /// A member no other keyword covers; a `false` schema gives an issue of the object, naming the member.
    fn extra(&mut self, id: NodeId, keyword: &'static str, node: NodeId, key: &'a str, value: &'a Value) -> Verdict {
        if self.is_false(node) {
            return self
                .verdict(false, id, keyword, || format!("must not have the property {} ({keyword})", quoted(key)));
        }
        self.member(node, key, value)
    }

    fn property_names(&mut self, node: NodeId, object: &'a Map<String, Value>) -> Verdict {
        let mut valid = true;
        for key in object.keys() {
            let before = self.naming.replace(key);
            let verdict = self.eval(node, Subject::Key(key), None);
            self.naming = before;
            valid &= verdict?;
            if !valid && self.mode == Mode::Decide {
                return Ok(false);
            }
        }
        Ok(valid)
    }

    fn required(&mut self, id: NodeId, names: &'a [String], object: &'a Map<String, Value>) -> Verdict {
        let mut valid = true;
        for name in names {
            self.pay_for(name.len())?;
            if !object.contains_key(name) {
                valid = self
                    .verdict(false, id, "required", || format!("must have the property {} (required)", quoted(name)))?;
                if self.mode == Mode::Decide {
                    return Ok(false);
                }
            }
        }
        Ok(valid)
    }

    fn dependent_required(
        &mut self,
        id: NodeId,
        keyword: &'static str,
        table: &'a [(String, Vec<String>)],
        object: &'a Map<String, Value>,
    ) -> Verdict {
        let mut valid = true;
        for (key, names) in table {
            self.pay_for(key.len())?;
            if !object.contains_key(key) {
                continue;
            }
            for name in names {
                self.pay_for(name.len())?;
                if !object.contains_key(name) {
                    valid = self.verdict(false, id, keyword, || {
                        format!("must have the property {} because {} is there ({keyword})", quoted(name), quoted(key))
                    })?;
                }
            }
        }
        Ok(valid)
    }

    fn dependent_schemas(
        &mut self,
        table: &'a [(String, NodeId)],
        object: &'a Map<String, Value>,
        subject: Subject<'a>,
        mut marks: Option<&mut Marks<'a>>,
    ) -> Verdict {
        let mut valid = true;
        for (key, node) in table {
            self.pay_for(key.len())?;
            if object.contains_key(key) {
                valid &= self.eval(*node, subject, marks.as_deref_mut())?;
            }
        }
        Ok(valid)
    }

    fn unevaluated(
        &mut self,
        id: NodeId,
        node: NodeId,
        object: &'a Map<String, Value>,
        marks: Option<&mut Marks<'a>>,
    ) -> Verdict {
        let Some(marks) = marks else { return Ok(true) };
        let mut valid = true;
        if !marks.all_properties {
            for (key, value) in object {
                self.pay_for(key.len() + 48)?;
                if !marks.properties.contains(key.as_str()) {
                    valid &= self.extra(id, "unevaluatedProperties", node, key, value)?;
                    if !valid && self.mode == Mode::Decide {
                        return Ok(false);
                    }
                }
            }
        }
        marks.all_properties = true;
        Ok(valid)
    }
}
