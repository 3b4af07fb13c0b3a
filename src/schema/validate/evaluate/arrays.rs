//! Keywords about the elements of an array.

use std::hash::{DefaultHasher, Hash, Hasher};

use super::{Marks, Mode, Run, Stop, Subject, Verdict};
use crate::json::Value;
use crate::schema::validate::number::normal;
use crate::schema::validate::program::{Check, NodeId};
use crate::schema::validate::sink::Token;

impl<'a> Run<'a> {
    pub(super) fn array_check(
        &mut self,
        id: NodeId,
        check: &'a Check,
        subject: Subject<'a>,
        marks: Option<&mut Marks<'a>>,
    ) -> Verdict {
        let Some(Value::Array(list)) = subject.value() else { return Ok(true) };
        match check {
            Check::Array { prefix, rest, rest_keyword } => self.elements(id, prefix, *rest, rest_keyword, list, marks),
            Check::Contains { .. } => self.contains(id, check, list, marks),
            Check::UniqueItems => {
                let valid = self.unique(id, list)?;
                self.verdict(valid, id, "uniqueItems", || "must not have the same item twice (uniqueItems)".to_owned())
            }
            Check::UnevaluatedItems(node) => self.unevaluated_items(id, *node, list, marks),
            _ => Ok(true),
        }
    }

    fn element(&mut self, node: NodeId, at: usize, value: &'a Value) -> Verdict {
        self.path.push(Token::Index(at));
        let verdict = self.eval(node, Subject::Value(value), None);
        self.path.pop();
        verdict
    }

    /// An element no other keyword covers.
    fn extra_element(
        &mut self,
        id: NodeId,
        keyword: &'static str,
        node: NodeId,
        at: usize,
        value: &'a Value,
    ) -> Verdict {
        if self.program.nodes.get(node).is_some_and(|n| n.fixed == Some(false)) {
            self.path.push(Token::Index(at));
            let verdict =
                self.verdict(false, id, keyword, || format!("no item is allowed at position {at} ({keyword})"));
            self.path.pop();
            return verdict;
        }
        self.element(node, at, value)
    }

    fn elements(
        &mut self,
        id: NodeId,
        prefix: &'a [NodeId],
        rest: Option<NodeId>,
        rest_keyword: &'static str,
        list: &'a [Value],
        marks: Option<&mut Marks<'a>>,
    ) -> Verdict {
        let mut valid = true;
        for (at, value) in list.iter().enumerate() {
            valid &= match (prefix.get(at), rest) {
                (Some(node), _) => self.element(*node, at, value)?,
                (None, Some(node)) => self.extra_element(id, rest_keyword, node, at, value)?,
                (None, None) => break,
            };
            if !valid && self.mode == Mode::Decide {
                return Ok(false);
            }
        }
        if let Some(marks) = marks {
            marks.items_up_to = marks.items_up_to.max(prefix.len());
            marks.all_items |= rest.is_some();
        }
        Ok(valid)
    }

    fn contains(
        &mut self,
        id: NodeId,
        check: &'a Check,
        list: &'a [Value],
        mut marks: Option<&mut Marks<'a>>,
    ) -> Verdict {
        let Check::Contains { node, least, most, least_given, marks: marking } = check else { return Ok(true) };
        let mut matched = 0_u64;
        for (at, value) in list.iter().enumerate() {
            if !self.deciding(|run| run.eval(*node, Subject::Value(value), None))? {
                continue;
            }
            matched += 1;
            if let (true, Some(marks)) = (*marking, marks.as_deref_mut()) {
                self.pay(20)?;
                marks.items.insert(at);
            } else if matched >= *least && most.is_none() {
                break;
            }
        }
        let mut valid = true;
        if matched < *least {
            let keyword = if *least_given { "minContains" } else { "contains" };
            valid = false;
            self.report(id, "/contains", keyword, || {
                if *least_given {
                    format!("must have at least {least} items that match `contains` (minContains)")
                } else {
                    "must have an item that matches `contains` (contains)".to_owned()
                }
            })?;
        }
        if let Some(most) = most.filter(|m| matched > *m) {
            valid = false;
            self.report(id, "/contains", "maxContains", || {
                format!("must have at most {most} items that match `contains` (maxContains)")
            })?;
        }
        Ok(valid)
    }

    /// Hashes first, compares what has equal hashes: no quadratic work, no doubt about collisions.
    fn unique(&mut self, id: NodeId, list: &'a [Value]) -> Verdict {
        let mut hashes = Vec::new();
        for (at, value) in list.iter().enumerate() {
            let text = self.normal_of(id, value)?;
            let mut state = DefaultHasher::new();
            text.hash(&mut state);
            hashes.push((state.finish(), at));
        }
        hashes.sort_unstable();
        for pair in hashes.windows(2) {
            if let [(a, first), (b, second)] = pair
                && a == b
                && let (Some(first), Some(second)) = (list.get(*first), list.get(*second))
                && self.normal_of(id, first)? == self.normal_of(id, second)?
            {
                return Ok(false);
            }
        }
        Ok(true)
    }

    fn normal_of(&mut self, id: NodeId, value: &Value) -> Result<String, Stop> {
        let mut text = String::new();
        normal(value, &mut text, usize::MAX).map_err(|e| self.imprecise(id, "uniqueItems")(e))?;
        self.pay(12 + text.len() as u64)?;
        Ok(text)
    }

    fn unevaluated_items(
        &mut self,
        id: NodeId,
        node: NodeId,
        list: &'a [Value],
        marks: Option<&mut Marks<'a>>,
    ) -> Verdict {
        let Some(marks) = marks else { return Ok(true) };
        let mut valid = true;
        if !marks.all_items {
            for (at, value) in list.iter().enumerate().skip(marks.items_up_to) {
                self.pay(3)?;
                if !marks.items.contains(&at) {
                    valid &= self.extra_element(id, "unevaluatedItems", node, at, value)?;
                    if !valid && self.mode == Mode::Decide {
                        return Ok(false);
                    }
                }
            }
        }
        marks.all_items = true;
        Ok(valid)
    }
}
