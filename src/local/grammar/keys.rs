//! Names of an object's members that are already written. The grammar itself would allow a name twice where names are
//! free; a strict reader refuses such an object.
//!
//! Relies on the grammar: the text is compact JSON, and every string has one spelling.

use std::collections::HashSet;

/// A place in compact JSON text.
#[derive(Debug, Clone, Default)]
pub(super) struct Keys {
    open: Vec<Container>,
    /// Inside a string: is the next byte escaped, and if the string is a name, its text so far.
    string: Option<InString>,
}

#[derive(Debug, Clone)]
enum Container {
    Array,
    /// The names, and whether a name comes next.
    Object {
        names: HashSet<Box<[u8]>>,
        name_next: bool,
    },
}

#[derive(Debug, Clone)]
struct InString {
    escaped: bool,
    name: Option<Vec<u8>>,
}

impl Keys {
    /// The text goes on with these bytes.
    pub(super) fn push(&mut self, bytes: &[u8]) {
        for byte in bytes {
            self.step(*byte);
        }
    }

    /// Would these bytes write a name that the object already has?
    pub(super) fn repeats(&self, bytes: &[u8]) -> bool {
        let Some(start) = self.start() else { return false };
        let mut ahead = start;
        bytes.iter().any(|byte| ahead.repeats(*byte, self))
    }

    /// Is the innermost container an object with names, where a repeated one could come?
    pub(super) fn may_repeat(&self) -> bool {
        self.start().is_some() && matches!(self.open.last(), Some(Container::Object { names, .. }) if !names.is_empty())
    }

    fn step(&mut self, byte: u8) {
        if let Some(string) = &mut self.string {
            if string.escaped {
                string.escaped = false;
            } else if byte == b'\\' {
                string.escaped = true;
            } else if byte == b'"' {
                let name = self.string.take().and_then(|string| string.name);
                if let (Some(name), Some(Container::Object { names, name_next })) = (name, self.open.last_mut()) {
                    names.insert(name.into_boxed_slice());
                    *name_next = false;
                }
                return;
            }
            if let Some(name) = &mut string.name {
                name.push(byte);
            }
            return;
        }
        match byte {
            b'"' => {
                let is_name = matches!(self.open.last(), Some(Container::Object { name_next: true, .. }));
                self.string = Some(InString { escaped: false, name: is_name.then(Vec::new) });
            }
            b'{' => self.open.push(Container::Object { names: HashSet::new(), name_next: true }),
            b'[' => self.open.push(Container::Array),
            b'}' | b']' => {
                self.open.pop();
            }
            b',' => {
                if let Some(Container::Object { name_next, .. }) = self.open.last_mut() {
                    *name_next = true;
                }
            }
            _ => {}
        }
    }

    /// Where a look ahead begins; `None` when no name can begin or end before the container changes.
    fn start(&self) -> Option<Ahead> {
        match (self.open.last()?, &self.string) {
            (Container::Object { .. }, Some(string)) => Some(Ahead {
                escaped: string.escaped,
                within: true,
                name: string.name.clone(),
                name_next: false,
                over: false,
            }),
            (Container::Object { name_next, .. }, None) => {
                Some(Ahead { escaped: false, within: false, name: None, name_next: *name_next, over: false })
            }
            (Container::Array, _) => None,
        }
    }
}

/// A look ahead from a [`Keys`], in the same object only: a token that opens another cannot repeat a name within itself
/// unless it holds two whole names, which no vocabulary's tokens do.
#[allow(clippy::struct_excessive_bools, reason = "each is one fact about the text so far, free of the others")]
struct Ahead {
    within: bool,
    escaped: bool,
    name: Option<Vec<u8>>,
    name_next: bool,
    over: bool,
}

impl Ahead {
    fn repeats(&mut self, byte: u8, keys: &Keys) -> bool {
        if self.over {
            return false;
        }
        if self.within {
            if self.escaped {
                self.escaped = false;
            } else if byte == b'\\' {
                self.escaped = true;
            } else if byte == b'"' {
                self.within = false;
                let Some(name) = self.name.take() else { return false };
                self.name_next = false;
                return match keys.open.last() {
                    Some(Container::Object { names, .. }) => names.contains(name.as_slice()),
                    Some(Container::Array) | None => false,
                };
            }
            if let Some(name) = &mut self.name {
                name.push(byte);
            }
            return false;
        }
        match byte {
            b'"' => {
                self.within = true;
                self.name = self.name_next.then(Vec::new);
            }
            b',' => self.name_next = true,
            b'{' | b'[' | b'}' | b']' => self.over = true,
            _ => {}
        }
        false
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_is_known_after_it_was_written() {
        for (text, next, repeats) in [
            (r#"{"a":1,"#, r#""a""#, true),
            (r#"{"a":1,"#, r#""b""#, false),
            (r#"{"a":1"#, r#","a":"#, true),
            (r#"{"a":1,"a"#, r#"""#, true),
            (r#"{"a":1,"a"#, r#"b""#, false),
            (r#"{"a":{"b":1},"#, r#""b""#, false),
            (r#"{"a":{"b":1},"#, r#""a""#, true),
            (r#"{"a":["a","#, r#""a""#, false),
            (r#"{"a":""#, r#"a""#, false),
            (r#"{"a\"":1,"a\"#, r#"""#, false),
            (r#"{"a\"":1,"a\""#, r#"""#, true),
            (r#"{"a":"{","#, r#""a""#, true),
            (r#"{"a":1},{"#, r#""a""#, false),
            (r#"{"a":1}"#, r#"}"a""#, false),
        ] {
            let mut keys = Keys::default();
            keys.push(text.as_bytes());
            assert_eq!(keys.repeats(next.as_bytes()), repeats, "{text} {next}");
            assert!(keys.may_repeat() || !repeats, "{text}");
        }
    }
}
