//! Look-aheads at the start of a pattern, taken apart: each is a condition of its own. Works on translated patterns.

/// `^`, look-aheads and a rest, when the pattern has that form: all of them must hold at the start. Each part with
/// whether it is negated.
pub(super) fn conjunction(translated: &str) -> Option<Vec<(bool, String)>> {
    let mut rest = translated.strip_prefix('^')?;
    let mut parts = Vec::new();
    loop {
        let negated = rest.starts_with("(?!");
        let Some(body) = rest.strip_prefix("(?=").or_else(|| rest.strip_prefix("(?!")) else { break };
        let end = group_end(body)?;
        let (inner, after) = (body.get(..end)?, body.get(end + 1..)?);
        if after.starts_with(['*', '+', '?', '{']) {
            return None;
        }
        parts.push((negated, format!("^(?:{inner})")));
        rest = after;
    }
    if parts.is_empty() || alternates(rest) {
        return None;
    }
    parts.push((false, format!("^(?:{rest})")));
    Some(parts)
}

/// Bytes of a translated pattern that stand outside classes and escapes, with their place.
fn syntax(text: &str) -> impl Iterator<Item = (usize, u8)> {
    let (mut class, mut escaped) = (false, false);
    text.bytes().enumerate().filter(move |(_, byte)| {
        if escaped {
            escaped = false;
            return false;
        }
        match byte {
            b'\\' => escaped = true,
            b'[' => class = true,
            b']' if class => class = false,
            _ => return !class,
        }
        false
    })
}

/// Where the group ends whose inside begins here.
fn group_end(body: &str) -> Option<usize> {
    let mut depth = 0_usize;
    for (at, byte) in syntax(body) {
        match byte {
            b'(' => depth += 1,
            b')' if depth == 0 => return Some(at),
            b')' => depth -= 1,
            _ => {}
        }
    }
    None
}

/// Has a `|` outside groups.
fn alternates(text: &str) -> bool {
    let mut depth = 0_usize;
    syntax(text).any(|(_, byte)| {
        match byte {
            b'(' => depth += 1,
            b')' => depth = depth.saturating_sub(1),
            _ => {}
        }
        byte == b'|' && depth == 0
    })
}
