//! Where the compiler's own limits do not bound its time, these do.

use crate::schema::tree::{Held, Id, Node, Tree};

use super::Reason;
use crate::schema::profile::RuleName;

/// The compiler holds every pattern of names against every other, again wherever objects are combined, about a
/// millisecond each at worst.
const MAX_COMPARISONS: usize = 3_000;
/// Patterns that one text must match together double its work each: 10 ms for eight, minutes for twenty.
const MAX_MEETING: usize = 8;

/// Counted properties are written out once for each that may be left out.
const MAX_COUNTED: usize = 20_000;

pub(super) const TOO_MANY_COUNTED: Reason =
    Reason { rule: RuleName::TooLarge, why: "too many properties to count them in the grammar" };
pub(super) const TOO_MANY_NAMES: Reason =
    Reason { rule: RuleName::PatternOverlap, why: "too many patterns of property names to tell them apart" };
pub(super) const TOO_MANY_MEET: Reason =
    Reason { rule: RuleName::TooLarge, why: "too many patterns may apply to one text together" };

/// Can all patterns of names be held against one another?
pub(super) fn names_fit(tree: &Tree) -> bool {
    let count = |node: &Node| node.named("patternProperties").map_or(0, <[_]>::len);
    let all: usize = tree.nodes.iter().map(count).sum();
    let combining = |node: &&Node| ["allOf", "anyOf", "oneOf", "$ref"].iter().any(|word| node.word(word).is_some());
    let alone: usize = tree.nodes.iter().map(|node| count(node).pow(2) / 2).sum();
    let combined = match tree.nodes.iter().filter(combining).count() {
        0 => 0,
        combining => all.saturating_pow(2).saturating_mul(combining) / 2,
    };
    alone.saturating_add(combined) <= MAX_COMPARISONS
}

/// Can properties be counted wherever the schema asks for it?
pub(super) fn counts_fit(tree: &Tree) -> bool {
    let counts = |node: &&Node| node.word("minProperties").or_else(|| node.word("maxProperties")).is_some();
    let size = |node: &Node| node.named("properties").map_or(0, <[_]>::len);
    let largest = tree.nodes.iter().map(size).max().unwrap_or(0);
    // Combined objects may bring the count and the properties together.
    tree.nodes.iter().filter(counts).count().saturating_mul(largest.pow(2)) <= MAX_COUNTED
}

/// Are the patterns that may meet at one text few? Counted from above: parts of combined objects are taken to be the
/// same part.
pub(super) fn meetings_fit(tree: &Tree) -> bool {
    let mut known = vec![None; tree.nodes.len()];
    let mut stack = vec![(tree.root, false)];
    while let Some((id, done)) = stack.pop() {
        match (done, known.get(id).copied().flatten()) {
            (true, _) => {
                let most = meeting(tree.node(id), &known);
                if most > MAX_MEETING {
                    return false;
                }
                set(&mut known, id, most);
            }
            (false, Some(_)) => {}
            (false, None) => {
                // A node that leads back to itself adds nothing there.
                set(&mut known, id, 0);
                stack.push((id, true));
                let words = tree.node(id).body.words();
                stack.extend(words.iter().flat_map(|word| word.held.children()).map(|child| (child, false)));
            }
        }
    }
    true
}

fn set(known: &mut [Option<usize>], id: Id, most: usize) {
    if let Some(place) = known.get_mut(id) {
        *place = Some(most);
    }
}

fn meeting(node: &Node, known: &[Option<usize>]) -> usize {
    let own = usize::from(node.word("pattern").is_some());
    let most = |held: &Held| {
        let of = |id: &Id| known.get(*id).copied().flatten().unwrap_or(0);
        let children = held.children();
        (children.iter().map(of).max().unwrap_or(0), children.iter().map(of).sum::<usize>())
    };
    let (mut parts, mut together) = (0, 0);
    for word in node.body.words() {
        let (largest, sum) = most(&word.held);
        match word.name.as_str() {
            "allOf" => together += sum,
            "$ref" | "anyOf" | "oneOf" => together += largest,
            _ => parts = parts.max(largest),
        }
    }
    own.max(parts) + together
}
