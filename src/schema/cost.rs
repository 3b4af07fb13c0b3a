//! What evaluating a schema can cost, from the schema alone: cycles that consume nothing, and fan-out.
//!
//! The graph has the places of the document as nodes; an edge leads to every place that is applied to *the same
//! instance*: references and `allOf anyOf oneOf not if then else dependentSchemas dependencies`. A cycle would never
//! end; without cycles the number of paths says how often one instance may be judged. What depends on the instance
//! as well is bounded while judging (`validate::evaluate`).

use super::error::MAX_ERRORS;
use super::keywords::{self, Applies};
use super::references::{Index, PlaceId};
use super::{Reason, SchemaError};
use crate::json::push_token;

/// More paths than this through the same-instance graph of one schema are refused. Validators without a memo (the
/// model's provider, the user's other tools) walk every path: 65,536 of them is about a second in the common ones.
pub(crate) const MAX_FAN_OUT: u64 = 65_536;

struct Edge {
    to: PlaceId,
    keyword: &'static str,
}

fn edges(index: &Index<'_>, id: PlaceId) -> Vec<Edge> {
    let Some(place) = index.places.get(id) else { return Vec::new() };
    let mut out = Vec::new();
    for reference in &place.references {
        out.push(Edge { to: reference.target, keyword: reference.keyword });
        if let Some(name) = &reference.dynamic {
            let others = index.dynamic_anchors.iter().filter(|((_, n), at)| n == name && **at != reference.target);
            out.extend(others.map(|(_, at)| Edge { to: *at, keyword: reference.keyword }));
        }
    }
    let hidden = keywords::ref_hides_siblings(place.dialect) && !place.references.is_empty();
    if !hidden {
        let same = place.children.iter().filter(|(_, k)| k.applies == Applies::Same);
        out.extend(same.map(|(to, k)| Edge { to: *to, keyword: k.name }));
    }
    out
}

#[derive(Clone, Copy, PartialEq)]
enum State {
    New,
    Open,
    Done,
}

/// One open place of the walk: its edges, the next one to take, the paths counted so far.
struct Frame {
    id: PlaceId,
    edges: Vec<Edge>,
    next: usize,
    paths: u64,
}

/// Refuses cycles and explosive fan-out.
///
/// # Errors
/// Every cycle found (at its closing reference), or the places where the fan-out passes the bound.
pub(crate) fn check(index: &Index<'_>) -> Result<(), Vec<SchemaError>> {
    let mut state = vec![State::New; index.places.len()];
    let mut paths = vec![0_u64; index.places.len()];
    let mut cycles = Vec::new();
    for start in 0..index.places.len() {
        if state.get(start) == Some(&State::New) {
            walk(index, start, &mut state, &mut paths, &mut cycles);
        }
    }
    if !cycles.is_empty() {
        cycles.truncate(MAX_ERRORS);
        return Err(cycles);
    }
    match paths.iter().enumerate().find(|(_, n)| **n > MAX_FAN_OUT) {
        Some((id, _)) => Err(vec![SchemaError {
            reason: Reason::TooExpensive,
            path: index.pointer(id),
            position: None,
            message: format!(
                "one value would be judged more than {MAX_FAN_OUT} times here: branches of anyOf, oneOf, allOf and \
                 references multiply; list the alternatives once instead of nesting them"
            ),
        }]),
        None => Ok(()),
    }
}

fn open(index: &Index<'_>, id: PlaceId, state: &mut [State]) -> Frame {
    if let Some(s) = state.get_mut(id) {
        *s = State::Open;
    }
    Frame { id, edges: edges(index, id), next: 0, paths: 1 }
}

fn walk(index: &Index<'_>, start: PlaceId, state: &mut [State], paths: &mut [u64], cycles: &mut Vec<SchemaError>) {
    let mut stack = vec![open(index, start, state)];
    while let Some(frame) = stack.last_mut() {
        let Some(edge) = frame.edges.get(frame.next) else {
            let (id, total) = (frame.id, frame.paths);
            stack.pop();
            set(state, id, State::Done);
            set(paths, id, total);
            if let Some(above) = stack.last_mut() {
                above.paths = above.paths.saturating_add(total);
            }
            continue;
        };
        frame.next += 1;
        let to = edge.to;
        match state.get(to).copied().unwrap_or(State::Done) {
            State::New => stack.push(open(index, to, state)),
            State::Done => frame.paths = frame.paths.saturating_add(paths.get(to).copied().unwrap_or(0)),
            State::Open => {
                if cycles.len() < MAX_ERRORS {
                    let mut path = index.pointer(frame.id);
                    push_token(&mut path, edge.keyword);
                    cycles.push(SchemaError {
                        reason: Reason::ReferenceCycle,
                        path,
                        position: None,
                        message: CYCLE.to_owned(),
                    });
                }
            }
        }
    }
}

fn set<T>(list: &mut [T], at: usize, value: T) {
    if let Some(slot) = list.get_mut(at) {
        *slot = value;
    }
}

const CYCLE: &str = "these references lead back to where they started without going into the value: nothing would ever \
     be decided; recursion must pass through properties, items or the like";
