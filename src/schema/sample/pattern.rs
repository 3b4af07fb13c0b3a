//! Texts that match a pattern: ECMA syntax turned into a generator's, anchors and look-around left out. What comes out
//! is only likely to match; the validator decides.

use std::fmt::Write as _;

use rand::Rng;
use rand::distr::Distribution;

/// Longer texts are not made.
const MAX_LENGTH: usize = 20_000;

/// A generator of texts for one pattern.
pub(super) struct Texts {
    regex: rand_regex::Regex,
}

impl Texts {
    /// Repetitions without an upper bound go up to `stretch` times more than they must.
    pub(super) fn new(pattern: &str, stretch: u32) -> Option<Self> {
        let translated = translate(pattern, stretch);
        let hir = regex_syntax::ParserBuilder::new().nest_limit(100).build().parse(&translated).ok()?;
        if hir.properties().minimum_len().is_none_or(|length| length > MAX_LENGTH) {
            return None;
        }
        if hir.properties().maximum_len().is_some_and(|length| length > 50 * MAX_LENGTH) {
            return None;
        }
        rand_regex::Regex::with_hir(hir, stretch).ok().map(|regex| Self { regex })
    }

    pub(super) fn one<R: Rng>(&self, rng: &mut R) -> String {
        self.regex.sample(rng)
    }
}

/// The pattern in the generator's syntax: printable ASCII for wide classes, no anchors, no look-around.
fn translate(pattern: &str, stretch: u32) -> String {
    let characters: Vec<char> = pattern.chars().collect();
    let mut out = String::with_capacity(pattern.len() + 16);
    let mut at = 0;
    while let Some(character) = characters.get(at).copied() {
        match character {
            '\\' => at = escape(&characters, at, &mut out, Place::Outside),
            '[' => at = class(&characters, at, &mut out),
            '^' | '$' => at += 1,
            '.' => {
                out.push_str("[ -~]");
                at += 1;
            }
            '(' => at = group(&characters, at, &mut out),
            '{' => at = repeat(&characters, at, &mut out, stretch),
            '}' => {
                out.push_str("\\}");
                at += 1;
            }
            other => {
                out.push(other);
                at += 1;
            }
        }
    }
    out
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Place {
    Outside,
    Class,
}

/// One escape; gives the index behind it.
fn escape(characters: &[char], at: usize, out: &mut String, place: Place) -> usize {
    let Some(next) = characters.get(at + 1).copied() else {
        out.push_str("\\\\");
        return at + 1;
    };
    let inside = place == Place::Class;
    let set = |set: &str| if inside { set.to_owned() } else { format!("[{set}]") };
    match next {
        'd' => out.push_str(&set("0-9")),
        'w' => out.push_str(&set("A-Za-z0-9_")),
        's' => out.push(' '),
        'D' => out.push_str("[A-Za-z]"),
        'W' => out.push_str("[ .,;:!?/-]"),
        'S' => out.push_str("[!-~]"),
        'b' | 'B' if !inside => {}
        'p' | 'P' | 'u' | 'x' if characters.get(at + 2) == Some(&'{') => {
            let end = characters.iter().skip(at).position(|c| *c == '}').map_or(characters.len(), |n| at + n + 1);
            out.extend(characters.get(at..end).unwrap_or_default());
            return end;
        }
        'n' | 'r' | 't' | 'f' | 'v' | 'p' | 'P' | 'u' | 'x' => {
            out.push('\\');
            out.push(next);
        }
        '0' => out.push_str("\\x00"),
        'c' if characters.get(at + 2).is_some_and(char::is_ascii_alphabetic) => {
            let letter = characters.get(at + 2).map_or(0, |letter| u32::from(*letter) % 32);
            let _ = write!(out, "\\x{letter:02x}");
            return at + 3;
        }
        letter if letter.is_ascii_alphanumeric() => out.push(letter),
        sign if sign.is_ascii_punctuation() => {
            out.push('\\');
            out.push(sign);
        }
        other => out.push(other),
    }
    at + 2
}

/// One bracketed class; a negated one is kept to printable ASCII.
fn class(characters: &[char], at: usize, out: &mut String) -> usize {
    let negated = characters.get(at + 1) == Some(&'^');
    let mut index = at + 1 + usize::from(negated);
    let mut inner = String::new();
    while let Some(character) = characters.get(index).copied() {
        match character {
            ']' => {
                index += 1;
                break;
            }
            '\\' => index = escape(characters, index, &mut inner, Place::Class),
            '[' | '&' | '~' | '^' => {
                inner.push('\\');
                inner.push(character);
                index += 1;
            }
            other => {
                inner.push(other);
                index += 1;
            }
        }
    }
    match (negated, inner.is_empty()) {
        (true, true) => out.push_str("[ -~]"),
        (true, false) => {
            let _ = write!(out, "[[^{inner}]&&[ -~]]");
        }
        (false, true) => out.push_str("[a&&b]"),
        (false, false) => {
            let _ = write!(out, "[{inner}]");
        }
    }
    index
}

/// A group's opening; look-around is skipped whole.
fn group(characters: &[char], at: usize, out: &mut String) -> usize {
    let looks = |start: &str| start.chars().enumerate().all(|(i, c)| characters.get(at + i) == Some(&c));
    if ["(?=", "(?!", "(?<=", "(?<!"].iter().any(|start| looks(start)) {
        return skip_group(characters, at);
    }
    out.push('(');
    at + 1
}

fn skip_group(characters: &[char], at: usize) -> usize {
    let (mut depth, mut index) = (0_usize, at);
    while let Some(character) = characters.get(index).copied() {
        match character {
            '\\' => index += 1,
            '(' => depth += 1,
            ')' => {
                depth -= 1;
                if depth == 0 {
                    return index + 1;
                }
            }
            _ => {}
        }
        index += 1;
    }
    index
}

/// A counted repetition, its upper bound lowered to what reads well; a lone brace is a brace.
fn repeat(characters: &[char], at: usize, out: &mut String, stretch: u32) -> usize {
    let Some(end) = characters.iter().skip(at).position(|c| *c == '}').map(|n| at + n) else {
        out.push_str("\\{");
        return at + 1;
    };
    let body: String = characters.get(at + 1..end).unwrap_or_default().iter().collect();
    let (low, high) = match body.split_once(',') {
        Some((low, high)) => (low.parse::<u32>().ok(), Some(high)),
        None => (body.parse::<u32>().ok(), None),
    };
    let Some(low) = low else {
        out.push_str("\\{");
        return at + 1;
    };
    match high {
        None => {
            let _ = write!(out, "{{{low}}}");
        }
        Some(high) => {
            let most = high.parse::<u32>().unwrap_or(u32::MAX).min(low.saturating_add(stretch));
            {
                let _ = write!(out, "{{{low},{}}}", most.max(low));
            }
        }
    }
    end + 1
}

#[cfg(test)]
mod tests {
    use rand::SeedableRng;
    use rand::rngs::StdRng;

    use super::*;

    #[test]
    fn patterns_give_texts_that_match() {
        let mut rng = StdRng::seed_from_u64(1);
        for pattern in [
            "^[A-Z]{3}-\\d{4}$",
            "^(a|b)+$",
            "^[^@\\s]+@[^@\\s]+\\.[a-z]{2,}$",
            "^a$|^b$",
            "^\\w+( \\w+)*$",
            "^(?:[0-9a-f]{2}:){5}[0-9a-f]{2}$",
            "^\\{[a-z]+\\}$",
            "^[[a-z]+$",
            "^(?!admin)[a-z]{3,9}$",
            "^\\/api\\/v[0-9]+$",
            "^\\p{Lu}\\p{Ll}+$",
        ] {
            let judge = crate::schema::pattern::Pattern::compile(pattern).unwrap();
            let texts = Texts::new(pattern, 6).unwrap();
            let fits = (0..20).filter(|_| judge.is_match(&texts.one(&mut rng), &mut 1_000_000) == Ok(true)).count();
            assert!(fits >= 15, "{pattern}: {fits}");
        }
    }

    #[test]
    fn monstrous_patterns_are_given_up() {
        assert!(Texts::new("((a{1000}){1000}){1000}", 4).is_none());
        assert!(Texts::new("(", 4).is_none());
    }
}
