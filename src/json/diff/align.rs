//! Which elements of two lists are the same ones: a rising list of pairs of equal tokens.
//!
//! Tokens that stand once on both sides anchor the rest; small gaps between anchors get their longest common part, large
//! ones without an anchor stay open. So no input makes it slower than about `n log n`.

use std::collections::HashMap;

/// Cells of the table for a gap.
const TABLE: usize = 1 << 16;

/// The pairs, rising on both sides.
pub(super) fn align(old: &[u128], new: &[u128]) -> Vec<(usize, usize)> {
    let mut pairs = Vec::new();
    let front = old.iter().zip(new).take_while(|(a, b)| a == b).count();
    let most = old.len().min(new.len()) - front;
    let back = old.iter().rev().zip(new.iter().rev()).take(most).take_while(|(a, b)| a == b).count();
    pairs.extend((0..front).map(|i| (i, i)));
    let (end_old, end_new) = (old.len() - back, new.len() - back);
    let anchors = anchors((old, front, end_old), (new, front, end_new));
    let (mut i, mut j) = (front, front);
    for (at_old, at_new) in anchors.into_iter().chain([(end_old, end_new)]) {
        gap((old, i, at_old), (new, j, at_new), &mut pairs);
        if at_old < end_old {
            pairs.push((at_old, at_new));
        }
        (i, j) = (at_old + 1, at_new + 1);
    }
    pairs.extend((0..back).map(|k| (end_old + k, end_new + k)));
    pairs
}

/// A part of a list: from, to.
type Part<'a> = (&'a [u128], usize, usize);

fn part((list, from, to): Part<'_>) -> &[u128] {
    list.get(from..to).unwrap_or_default()
}

/// The longest rising list of pairs of tokens that stand once on both sides.
fn anchors(old: Part<'_>, new: Part<'_>) -> Vec<(usize, usize)> {
    let mut seen: HashMap<u128, (usize, usize, usize)> = HashMap::new();
    for token in part(old) {
        seen.entry(*token).or_default().0 += 1;
    }
    for (j, token) in part(new).iter().enumerate() {
        if let Some(entry) = seen.get_mut(token) {
            entry.1 += 1;
            entry.2 = new.1 + j;
        }
    }
    let once = part(old).iter().enumerate().filter_map(|(i, token)| match seen.get(token) {
        Some((1, 1, j)) => Some((old.1 + i, *j)),
        _ => None,
    });
    rising(&once.collect::<Vec<_>>())
}

/// The longest part that rises in the second place, of a list that rises in the first.
fn rising(pairs: &[(usize, usize)]) -> Vec<(usize, usize)> {
    // tails[k]: index of the pair that ends the best part of length k + 1.
    let mut tails: Vec<usize> = Vec::new();
    let mut before: Vec<Option<usize>> = Vec::with_capacity(pairs.len());
    let second = |at: usize| pairs.get(at).map_or(0, |pair| pair.1);
    for (at, (_, j)) in pairs.iter().enumerate() {
        let place = tails.partition_point(|tail| second(*tail) < *j);
        before.push(place.checked_sub(1).and_then(|p| tails.get(p).copied()));
        match tails.get_mut(place) {
            Some(tail) => *tail = at,
            None => tails.push(at),
        }
    }
    let step = |at: &usize| before.get(*at).copied().flatten();
    let mut chosen: Vec<(usize, usize)> =
        std::iter::successors(tails.last().copied(), step).filter_map(|at| pairs.get(at).copied()).collect();
    chosen.reverse();
    chosen
}

/// The longest common part of a gap that is small enough.
fn gap(old: Part<'_>, new: Part<'_>, pairs: &mut Vec<(usize, usize)>) {
    let (a, b) = (part(old), part(new));
    if a.is_empty() || b.is_empty() || a.len().saturating_mul(b.len()) > TABLE {
        return;
    }
    let score = |i: usize, j: usize| u32::from(a.get(i) == b.get(j));
    pairs.extend(best(a.len(), b.len(), score).into_iter().map(|(i, j)| (old.1 + i, new.1 + j)));
}

/// The rising list of pairs with the highest sum of scores; pairs that score 0 are left out.
pub(super) fn best(n: usize, m: usize, score: impl Fn(usize, usize) -> u32) -> Vec<(usize, usize)> {
    let width = m + 1;
    let scores: Vec<u32> = (0..n * m).map(|cell| score(cell / m, cell % m)).collect();
    // sums[i][j]: the best of the rest from (i, j).
    let mut sums = vec![0_u32; (n + 1) * width];
    let get = |sums: &[u32], i: usize, j: usize| sums.get(i * width + j).copied().unwrap_or(0);
    let own = |i: usize, j: usize| scores.get(i * m + j).copied().unwrap_or(0);
    for i in (0..n).rev() {
        for j in (0..m).rev() {
            let taken = match own(i, j) {
                0 => 0,
                points => points + get(&sums, i + 1, j + 1),
            };
            let most = taken.max(get(&sums, i + 1, j)).max(get(&sums, i, j + 1));
            if let Some(cell) = sums.get_mut(i * width + j) {
                *cell = most;
            }
        }
    }
    let mut pairs = Vec::new();
    let (mut i, mut j) = (0, 0);
    while i < n && j < m {
        let here = get(&sums, i, j);
        if own(i, j) > 0 && here == own(i, j) + get(&sums, i + 1, j + 1) {
            pairs.push((i, j));
            (i, j) = (i + 1, j + 1);
        } else if here == get(&sums, i + 1, j) {
            i += 1;
        } else {
            j += 1;
        }
    }
    pairs
}
