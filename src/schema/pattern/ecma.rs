//! ECMA-262 patterns (Unicode mode) in the syntax of the engines.
//!
//! Where Unicode mode knows no meaning a harmless reading is kept when there is only one (an escaped punctuation mark,
//! a hyphen beside `\w` in a class, a lone `]`); other dialects' forms (`\A`, `(?i)`, `(?P<n>`, `a++`) are refused, for
//! they would mean something else to the provider's engine.

use std::fmt::Write as _;
use std::iter::Peekable;
use std::str::Chars;

const LAST: u32 = 0x10_FFFF;
const DIGIT: &[(u32, u32)] = &[(0x30, 0x39)];
const WORD: &[(u32, u32)] = &[(0x30, 0x39), (0x41, 0x5A), (0x5F, 0x5F), (0x61, 0x7A)];
const LINE_END: &[(u32, u32)] = &[(0x0A, 0x0A), (0x0D, 0x0D), (0x2028, 0x2029)];
/// `WhiteSpace` and `LineTerminator` of ECMA-262.
const SPACE: &[(u32, u32)] = &[
    (0x09, 0x0D),
    (0x20, 0x20),
    (0xA0, 0xA0),
    (0x1680, 0x1680),
    (0x2000, 0x200A),
    (0x2028, 0x2029),
    (0x202F, 0x202F),
    (0x205F, 0x205F),
    (0x3000, 0x3000),
    (0xFEFF, 0xFEFF),
];

/// A pattern no ECMA-262 engine takes, or one that means something else there.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct NotEcma;

type Outcome<T> = Result<T, NotEcma>;

/// The same pattern for `regex-syntax`; look-around and back-references come out in `fancy-regex`'s form.
pub(super) fn translate(source: &str) -> Outcome<String> {
    let mut translator =
        Translator { rest: source.chars().peekable(), out: String::new(), names: names(source), depth: 0, atom: false };
    while let Some(c) = translator.rest.next() {
        translator.one(c)?;
    }
    if translator.depth == 0 { Ok(translator.out) } else { Err(NotEcma) }
}

/// The name of every capturing group, in order of number.
fn names(source: &str) -> Vec<Option<String>> {
    let (mut names, mut class) = (Vec::new(), false);
    let mut rest = source.chars().peekable();
    while let Some(c) = rest.next() {
        match c {
            '\\' => drop(rest.next()),
            '[' => class = true,
            ']' => class = false,
            '(' if !class => {
                let mut ahead = rest.clone();
                match (ahead.next(), ahead.next(), ahead.peek()) {
                    (Some('?'), Some('<'), Some('=' | '!')) => {}
                    (Some('?'), Some('<'), _) => names.push(Some(ahead.take_while(|c| *c != '>').collect())),
                    (Some('?'), ..) => {}
                    _ => names.push(None),
                }
            }
            _ => {}
        }
    }
    names
}

struct Translator<'a> {
    rest: Peekable<Chars<'a>>,
    out: String,
    names: Vec<Option<String>>,
    /// Open groups.
    depth: usize,
    /// What stands before can be repeated.
    atom: bool,
}

/// One thing in a class.
enum Item {
    Char(u32),
    Set(String),
}

impl Translator<'_> {
    fn one(&mut self, c: char) -> Outcome<()> {
        match c {
            '\\' => return self.escape(),
            '[' => self.class()?,
            '(' => return self.group(),
            ')' => {
                self.depth = self.depth.checked_sub(1).ok_or(NotEcma)?;
                self.out.push(')');
            }
            '.' => self.out.push_str(&set(LINE_END, true)),
            '*' | '+' | '?' => return self.quantifier(c.encode_utf8(&mut [0; 4])),
            '{' => {
                let inner: String = std::iter::from_fn(|| self.rest.next_if(|c| *c != '}')).collect();
                let closed = self.rest.next().is_some();
                let (least, most) = inner.split_once(',').unwrap_or((&inner, ""));
                let digits = |t: &str| t.bytes().all(|b| b.is_ascii_digit());
                let ordered = match (least.parse::<u32>(), most.parse::<u32>()) {
                    (Ok(least), Ok(most)) => least <= most,
                    (Ok(_), Err(_)) => most.is_empty(),
                    (Err(_), _) => false,
                };
                if !closed || !digits(least) || !digits(most) || !ordered {
                    return Err(NotEcma);
                }
                return self.quantifier(&format!("{{{inner}}}"));
            }
            '^' | '$' | '|' => {
                self.out.push(c);
                self.atom = false;
                return Ok(());
            }
            _ => literal(&mut self.out, u32::from(c)),
        }
        self.atom = true;
        Ok(())
    }

    fn quantifier(&mut self, text: &str) -> Outcome<()> {
        if !std::mem::replace(&mut self.atom, false) {
            return Err(NotEcma);
        }
        self.out.push_str(text);
        if self.rest.next_if_eq(&'?').is_some() {
            self.out.push('?');
        }
        Ok(())
    }

    fn group(&mut self) -> Outcome<()> {
        self.depth += 1;
        self.atom = false;
        self.out.push('(');
        if self.rest.next_if_eq(&'?').is_none() {
            return Ok(());
        }
        let kind: String = match self.rest.next() {
            Some(c @ (':' | '=' | '!')) => format!("?{c}"),
            Some('<') => {
                if let Some(c) = self.rest.next_if(|c| matches!(c, '=' | '!')) {
                    format!("?<{c}")
                } else {
                    self.name()?;
                    String::new()
                }
            }
            Some('i') if self.rest.next_if_eq(&':').is_some() => "?i:".to_owned(),
            Some('-') if self.rest.next() == Some('i') && self.rest.next() == Some(':') => "?-i:".to_owned(),
            _ => return Err(NotEcma),
        };
        self.out.push_str(&kind);
        Ok(())
    }

    /// A group's name and the `>` after it.
    fn name(&mut self) -> Outcome<String> {
        let name: String = std::iter::from_fn(|| self.rest.next_if(|c| *c != '>')).collect();
        let starts = name.chars().next().is_some_and(|c| c.is_alphabetic() || c == '_' || c == '$');
        let fits = starts && name.chars().all(|c| c.is_alphanumeric() || c == '_' || c == '$');
        if fits && self.rest.next().is_some() { Ok(name) } else { Err(NotEcma) }
    }

    fn escape(&mut self) -> Outcome<()> {
        match self.rest.peek().copied().ok_or(NotEcma)? {
            c @ ('b' | 'B') => {
                self.rest.next();
                let _ = write!(self.out, "(?-u:\\{c})");
                self.atom = false;
                return Ok(());
            }
            'k' => {
                self.rest.next();
                self.rest.next_if_eq(&'<').ok_or(NotEcma)?;
                let name = self.name()?;
                let numbers: Vec<usize> =
                    (1..).zip(&self.names).filter(|(_, n)| n.as_deref() == Some(&name)).map(|(at, _)| at).collect();
                if numbers.is_empty() {
                    return Err(NotEcma);
                }
                self.back(&numbers);
            }
            '1'..='9' => {
                let digits: String = std::iter::from_fn(|| self.rest.next_if(char::is_ascii_digit)).collect();
                let number = digits.parse().ok().filter(|n| *n <= self.names.len()).ok_or(NotEcma)?;
                self.back(&[number]);
            }
            _ => match self.item()? {
                Item::Char(c) => literal(&mut self.out, c),
                Item::Set(inner) => {
                    let _ = write!(self.out, "[{inner}]");
                }
            },
        }
        self.atom = true;
        Ok(())
    }

    /// A reference to a group that took no part matches the empty text.
    fn back(&mut self, numbers: &[usize]) {
        self.out.push_str("(?:");
        for number in numbers {
            let _ = write!(self.out, "(?({number})\\{number}|)");
        }
        self.out.push(')');
    }

    /// What an escape inside or outside a class stands for; the backslash is read, what follows is not.
    fn item(&mut self) -> Outcome<Item> {
        let c = self.rest.next().ok_or(NotEcma)?;
        let code = match c {
            'd' | 'D' => return Ok(Item::Set(ranges(DIGIT, c == 'D'))),
            'w' | 'W' => return Ok(Item::Set(ranges(WORD, c == 'W'))),
            's' | 'S' => return Ok(Item::Set(ranges(SPACE, c == 'S'))),
            'p' | 'P' => {
                self.rest.next_if_eq(&'{').ok_or(NotEcma)?;
                let name: String = std::iter::from_fn(|| self.rest.next_if(|c| *c != '}')).collect();
                self.rest.next().ok_or(NotEcma)?;
                let fits = name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_' || c == '=');
                return if fits { Ok(Item::Set(format!("\\{c}{{{name}}}"))) } else { Err(NotEcma) };
            }
            't' => 0x09,
            'n' => 0x0A,
            'v' => 0x0B,
            'f' => 0x0C,
            'r' => 0x0D,
            '0' if !self.rest.peek().is_some_and(char::is_ascii_digit) => 0,
            'c' => {
                let letter = self.rest.next_if(char::is_ascii_alphabetic).ok_or(NotEcma)?;
                u32::from(letter) % 32
            }
            'x' => self.hex(2)?,
            'u' => self.unicode()?,
            c if c.is_alphanumeric() => return Err(NotEcma),
            c => u32::from(c),
        };
        Ok(Item::Char(code))
    }

    fn hex(&mut self, digits: usize) -> Outcome<u32> {
        let mut value = 0;
        for _ in 0..digits {
            value = value * 16 + self.rest.next().and_then(|c| c.to_digit(16)).ok_or(NotEcma)?;
        }
        Ok(value)
    }

    fn unicode(&mut self) -> Outcome<u32> {
        if self.rest.next_if_eq(&'{').is_some() {
            let digits: String = std::iter::from_fn(|| self.rest.next_if(|c| *c != '}')).collect();
            self.rest.next().ok_or(NotEcma)?;
            return u32::from_str_radix(&digits, 16).ok().filter(|c| *c <= LAST).ok_or(NotEcma);
        }
        let first = self.hex(4)?;
        if (0xD800..0xDC00).contains(&first) {
            let before = self.rest.clone();
            if self.rest.next() == Some('\\') && self.rest.next() == Some('u') {
                let second = self.hex(4).unwrap_or(0);
                if (0xDC00..0xE000).contains(&second) {
                    return Ok(0x1_0000 + ((first - 0xD800) << 10) + (second - 0xDC00));
                }
            }
            self.rest = before;
        }
        Ok(first)
    }

    fn class(&mut self) -> Outcome<()> {
        let negated = self.rest.next_if_eq(&'^').is_some();
        let mut inner = String::new();
        while let Some(first) = self.class_item()? {
            let Item::Char(low) = first else {
                push_item(&mut inner, &first);
                continue;
            };
            let mut ahead = self.rest.clone();
            let range = ahead.next() == Some('-') && ahead.peek().is_some_and(|c| *c != ']');
            if !range {
                push_item(&mut inner, &first);
                continue;
            }
            self.rest.next();
            match self.class_item()? {
                Some(Item::Char(high)) if low <= high => push_range(&mut inner, low, high),
                Some(set @ Item::Set(_)) => {
                    push_range(&mut inner, low, low);
                    push_range(&mut inner, u32::from('-'), u32::from('-'));
                    push_item(&mut inner, &set);
                }
                Some(Item::Char(_)) | None => return Err(NotEcma),
            }
        }
        match (negated, inner.is_empty()) {
            (false, true) => self.out.push_str(&set(&[(0, LAST)], true)),
            (true, true) => self.out.push_str(&set(&[(0, LAST)], false)),
            (_, false) => {
                let _ = write!(self.out, "[{}{inner}]", if negated { "^" } else { "" });
            }
        }
        Ok(())
    }

    /// The next thing in the class; `None` at its end.
    fn class_item(&mut self) -> Outcome<Option<Item>> {
        match self.rest.next().ok_or(NotEcma)? {
            ']' => Ok(None),
            '\\' if self.rest.next_if_eq(&'b').is_some() => Ok(Some(Item::Char(0x08))),
            '\\' => self.item().map(Some),
            c => Ok(Some(Item::Char(u32::from(c)))),
        }
    }
}

fn push_item(inner: &mut String, item: &Item) {
    match item {
        Item::Char(c) => push_range(inner, *c, *c),
        Item::Set(set) => inner.push_str(set),
    }
}

/// A range without the surrogates, which no text of JSON holds alone.
fn push_range(inner: &mut String, low: u32, high: u32) {
    let low = if (0xD800..0xE000).contains(&low) { 0xE000 } else { low };
    let high = if (0xD800..0xE000).contains(&high) { 0xD7FF } else { high };
    if low <= high {
        let _ = write!(inner, "\\x{{{low:X}}}");
        if low < high {
            let _ = write!(inner, "-\\x{{{high:X}}}");
        }
    }
}

fn literal(out: &mut String, code: u32) {
    match char::from_u32(code) {
        Some(c) if c.is_alphanumeric() => out.push(c),
        Some(_) => {
            let _ = write!(out, "\\x{{{code:X}}}");
        }
        // half a surrogate pair: no text holds it
        None => out.push_str(&set(&[(0, LAST)], true)),
    }
}

fn ranges(of: &[(u32, u32)], complement: bool) -> String {
    let mut inner = String::new();
    let mut next = 0;
    for (low, high) in of {
        if !complement {
            push_range(&mut inner, *low, *high);
        } else if next < *low {
            push_range(&mut inner, next, low - 1);
        }
        next = high + 1;
    }
    if complement && next <= LAST {
        push_range(&mut inner, next, LAST);
    }
    inner
}

/// A class; the complement of everything is written as a class that matches nothing.
fn set(of: &[(u32, u32)], complement: bool) -> String {
    format!("[{}{}]", if complement { "^" } else { "" }, ranges(of, false))
}
