//! As much of a Rust lexer as the tidy rules need: comments and strings out, test modules out, paths and macros found.

use std::collections::HashMap;

/// One source file, read once.
pub(crate) struct Source {
    code: String,
    with_strings: String,
    paths: Vec<String>,
    macros: Vec<String>,
    words: Vec<String>,
}

impl Source {
    /// Reads a file of the crate; its name gives the meaning of `self` and `super`.
    pub(crate) fn new(file: &str, text: &str) -> Self {
        let is_test_file = file.ends_with("/tests.rs") || file.contains("/tests/");
        let (code, with_strings) = if is_test_file { <_>::default() } else { blank(text) };
        let (code, with_strings) = without_tests(&code, &with_strings);
        let tokens = tokens(&code);
        let found = Found::read(&tokens, &module_path(file));
        let macros = tokens.windows(2).filter(|w| w[1] == "!" && is_word(&w[0])).map(|w| w[0].clone()).collect();
        let words = tokens.iter().filter(|token| is_word(token)).cloned().collect();
        Self { code, with_strings, paths: found.paths, macros, words }
    }

    /// Absolute paths the code names, by `use` or inline: `crate::…`, `std::…`, `reqwest::…`.
    pub(crate) fn paths(&self) -> &[String] {
        &self.paths
    }

    /// Names of macros that are called.
    pub(crate) fn macros(&self) -> &[String] {
        &self.macros
    }

    /// All identifiers.
    pub(crate) fn words(&self) -> &[String] {
        &self.words
    }

    /// The code without comments and tests, strings kept.
    pub(crate) fn with_strings(&self) -> &str {
        &self.with_strings
    }

    /// Lines that hold code, tests left out.
    pub(crate) fn code_lines(&self) -> usize {
        self.code.lines().filter(|line| !line.trim().is_empty()).count()
    }
}

/// Blanks comments, and once also strings; both results have the same length as the text.
fn blank(text: &str) -> (String, String) {
    let chars: Vec<char> = text.chars().collect();
    let (mut code, mut kept) = (chars.clone(), chars.clone());
    let mut at = 0;
    while at < chars.len() {
        let (end, is_comment) = lexeme(&chars, at);
        if end > at + 1 || is_comment {
            let last = if is_comment { end } else { end.saturating_sub(1) };
            let first = if is_comment { at } else { at + 1 };
            wipe(&mut code, first, last);
            if is_comment {
                wipe(&mut kept, at, end);
            }
        }
        at = end.max(at + 1);
    }
    (code.into_iter().collect(), kept.into_iter().collect())
}

fn wipe(chars: &mut [char], from: usize, to: usize) {
    for c in chars.iter_mut().take(to).skip(from) {
        if *c != '\n' {
            *c = ' ';
        }
    }
}

/// End of the comment, string or character that begins at `at`; `at + 1` for anything else.
fn lexeme(chars: &[char], at: usize) -> (usize, bool) {
    let next = chars.get(at + 1).copied();
    match chars[at] {
        '/' if next == Some('/') => (until(chars, at, |c| c == '\n'), true),
        '/' if next == Some('*') => (block_comment(chars, at), true),
        '"' => (quoted(chars, at, '"'), false),
        '\'' => (character(chars, at), false),
        'r' if !follows_word(chars, at) => (raw_string(chars, at), false),
        'b' if next == Some('r') && !follows_word(chars, at) => (raw_string(chars, at + 1), false),
        _ => (at + 1, false),
    }
}

fn follows_word(chars: &[char], at: usize) -> bool {
    at > 0 && (chars[at - 1].is_alphanumeric() || chars[at - 1] == '_')
}

fn until(chars: &[char], at: usize, stop: impl Fn(char) -> bool) -> usize {
    chars[at..].iter().position(|c| stop(*c)).map_or(chars.len(), |n| at + n)
}

fn block_comment(chars: &[char], start: usize) -> usize {
    let (mut depth, mut at) = (0, start);
    while at < chars.len() {
        match (chars[at], chars.get(at + 1)) {
            ('/', Some('*')) => {
                depth += 1;
                at += 1;
            }
            ('*', Some('/')) => {
                depth -= 1;
                at += 1;
            }
            _ => {}
        }
        at += 1;
        if depth == 0 {
            break;
        }
    }
    at
}

fn quoted(chars: &[char], start: usize, quote: char) -> usize {
    let mut at = start + 1;
    while at < chars.len() && chars[at] != quote {
        at += if chars[at] == '\\' { 2 } else { 1 };
    }
    (at + 1).min(chars.len())
}

/// A character literal, or the tick of a lifetime.
fn character(chars: &[char], start: usize) -> usize {
    match (chars.get(start + 1), chars.get(start + 2)) {
        (Some('\\'), _) => quoted(chars, start, '\''),
        (Some(_), Some('\'')) => start + 3,
        _ => start + 1,
    }
}

fn raw_string(chars: &[char], start: usize) -> usize {
    let hashes = chars[start + 1..].iter().take_while(|c| **c == '#').count();
    if chars.get(start + 1 + hashes) != Some(&'"') {
        return start + 1;
    }
    let mut at = start + 2 + hashes;
    while at < chars.len() {
        let closes = chars[at] == '"' && chars[at + 1..].iter().take_while(|c| **c == '#').count() >= hashes;
        if closes {
            return at + 1 + hashes;
        }
        at += 1;
    }
    chars.len()
}

/// Blanks `#[cfg(test)] mod … { … }` in both texts.
fn without_tests(code: &str, with_strings: &str) -> (String, String) {
    let (mut code, mut kept): (Vec<char>, Vec<char>) = (code.chars().collect(), with_strings.chars().collect());
    let mark: Vec<char> = "#[cfg(test)]".chars().collect();
    let mut at = 0;
    while at + mark.len() <= code.len() {
        if code[at..at + mark.len()] == mark[..] {
            let end = item_end(&code, at + mark.len());
            wipe(&mut code, at, end);
            wipe(&mut kept, at, end);
        }
        at += 1;
    }
    (code.into_iter().collect(), kept.into_iter().collect())
}

/// End of the item that begins at `at`: its closing brace or its semicolon, whichever comes first.
fn item_end(chars: &[char], start: usize) -> usize {
    let mut depth = 0_usize;
    for (offset, c) in chars[start..].iter().enumerate() {
        match c {
            '{' => depth += 1,
            '}' => {
                depth = depth.saturating_sub(1);
                if depth == 0 {
                    return start + offset + 1;
                }
            }
            ';' if depth == 0 => return start + offset + 1,
            _ => {}
        }
    }
    chars.len()
}

fn is_word(token: &str) -> bool {
    token.starts_with(|c: char| c.is_alphabetic() || c == '_')
}

/// Identifiers, `::`, and every other sign on its own.
fn tokens(code: &str) -> Vec<String> {
    let chars: Vec<char> = code.chars().collect();
    let mut tokens = Vec::new();
    let mut at = 0;
    while at < chars.len() {
        let c = chars[at];
        let end = if c.is_alphanumeric() || c == '_' {
            until(&chars, at, |c| !(c.is_alphanumeric() || c == '_'))
        } else if c == ':' && chars.get(at + 1) == Some(&':') {
            at + 2
        } else {
            at + 1
        };
        if !c.is_whitespace() {
            tokens.push(chars[at..end].iter().collect());
        }
        at = end;
    }
    tokens
}

/// `schema/profile.rs` → `crate::schema::profile`; the roots are `crate`.
fn module_path(file: &str) -> Vec<String> {
    let stem = file.trim_end_matches(".rs");
    let mut path = vec!["crate".to_owned()];
    if stem != "lib" && stem != "main" {
        path.extend(stem.split('/').map(str::to_owned));
    }
    path
}

#[derive(Default)]
struct Found {
    paths: Vec<String>,
    /// Name in scope → what it stands for.
    names: HashMap<String, Vec<String>>,
}

impl Found {
    fn read(tokens: &[String], module: &[String]) -> Self {
        let mut found = Self::default();
        let mut inline = Vec::new();
        let mut at = 0;
        while at < tokens.len() {
            if tokens[at] == "use" {
                at = found.tree(tokens, at + 1, &[], module);
            } else if is_word(&tokens[at]) {
                let start = at;
                at = path_end(tokens, at);
                if at > start + 1 {
                    inline.push(tokens[start..at].iter().filter(|t| *t != "::").cloned().collect::<Vec<_>>());
                }
            } else {
                at += 1;
            }
        }
        for path in inline {
            found.inline(path, module);
        }
        found
    }

    /// One tree of a `use`; gives the place after it.
    fn tree(&mut self, tokens: &[String], mut at: usize, prefix: &[String], module: &[String]) -> usize {
        let mut path = prefix.to_vec();
        while let Some(token) = tokens.get(at) {
            match token.as_str() {
                "::" => at += 1,
                "{" => return self.group(tokens, at + 1, &path, module),
                "*" => {
                    self.leaf(&path, None, module);
                    return at + 1;
                }
                "as" => {
                    self.leaf(&path, tokens.get(at + 1).cloned(), module);
                    return at + 2;
                }
                word if is_word(word) => {
                    path.push(token.clone());
                    at += 1;
                }
                _ => break,
            }
        }
        self.leaf(&path, None, module);
        at
    }

    fn group(&mut self, tokens: &[String], mut at: usize, prefix: &[String], module: &[String]) -> usize {
        while let Some(token) = tokens.get(at) {
            match token.as_str() {
                "}" => return at + 1,
                "," => at += 1,
                _ => at = self.tree(tokens, at, prefix, module),
            }
        }
        at
    }

    fn leaf(&mut self, path: &[String], alias: Option<String>, module: &[String]) {
        let mut path = path.to_vec();
        if path.len() > 1 && path.last().is_some_and(|last| last == "self") {
            path.pop();
        }
        let path = absolute(path, module);
        if let Some(name) = alias.or_else(|| path.last().cloned()) {
            self.names.insert(name, path.clone());
        }
        self.paths.push(path.join("::"));
    }

    fn inline(&mut self, path: Vec<String>, module: &[String]) {
        let path = match path.first().and_then(|first| self.names.get(first)) {
            Some(known) => known.iter().cloned().chain(path.into_iter().skip(1)).collect(),
            None => absolute(path, module),
        };
        self.paths.push(path.join("::"));
    }
}

fn path_end(tokens: &[String], start: usize) -> usize {
    let mut at = start + 1;
    while tokens.get(at).is_some_and(|t| t == "::") && tokens.get(at + 1).is_some_and(|t| is_word(t)) {
        at += 2;
    }
    at
}

/// Resolves `self` and `super`.
fn absolute(path: Vec<String>, module: &[String]) -> Vec<String> {
    let mut base = module.to_vec();
    let mut rest = path.as_slice();
    match rest.first().map(String::as_str) {
        Some("self") => rest = &rest[1..],
        Some("super") => {
            while rest.first().is_some_and(|first| first == "super") {
                base.pop();
                rest = &rest[1..];
            }
        }
        _ => return path,
    }
    base.extend_from_slice(rest);
    base
}
