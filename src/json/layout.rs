//! A document laid out anew: the same tokens, byte for byte, with other space between them.
//!
//! Only for text that [`super::check`] accepts; comments and what is no JSON are refused by it.

use super::Span;
use super::walk::{Token, Walk};

/// How a document is laid out.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Layout {
    /// Two spaces a level; a list of scalars on one line while it fits.
    Pretty,
    /// No space at all.
    Compact,
}

/// Cells a list on one line may take, its indent included.
const WIDTH: usize = 100;

/// Lays a valid document out. With it the place that `offset` has become: the same place in the same token.
#[must_use]
pub fn lay_out(text: &str, layout: Layout, offset: usize) -> (String, usize) {
    let mut tokens = Vec::new();
    let mut walk = Walk::default();
    while let Some(token) = walk.step(text) {
        tokens.push(token);
    }
    let mut writer = Writer { text, out: String::with_capacity(text.len()), layout, depth: 0, caret: None, offset };
    let mut at = 0;
    while at < tokens.len() {
        at = writer.token(&tokens, at);
    }
    if layout == Layout::Pretty && text.ends_with('\n') {
        writer.out.push('\n');
    }
    let caret = writer.caret.unwrap_or(writer.out.len());
    (writer.out, caret)
}

struct Writer<'t> {
    text: &'t str,
    out: String,
    layout: Layout,
    depth: usize,
    /// Where the asked place went, once its token was written.
    caret: Option<usize>,
    offset: usize,
}

impl Writer<'_> {
    /// Writes a token, or a whole list that fits on a line; gives the place of the next.
    fn token(&mut self, tokens: &[(Token, Span)], at: usize) -> usize {
        let Some((token, span)) = tokens.get(at).copied() else { return at + 1 };
        match token {
            Token::Open => {
                if let Some(end) = self.short(tokens, at) {
                    return self.inline(tokens, at, end);
                }
                self.write(span);
                self.depth += 1;
                self.line();
            }
            Token::Close => {
                self.depth = self.depth.saturating_sub(1);
                self.line();
                self.write(span);
            }
            Token::Comma => {
                self.write(span);
                self.line();
            }
            Token::Colon => {
                self.write(span);
                self.space();
            }
            Token::Text | Token::Word => self.write(span),
        }
        at + 1
    }

    /// The closing bracket of an empty container, or of a list of scalars that fits on this line.
    fn short(&self, tokens: &[(Token, Span)], at: usize) -> Option<usize> {
        let list = self.text.as_bytes().get(tokens.get(at)?.1.start) == Some(&b'[');
        if tokens.get(at + 1)?.0 == Token::Close {
            return Some(at + 1);
        }
        if !list {
            return None;
        }
        let line = self.out.len() - self.out.rfind('\n').map_or(0, |i| i + 1);
        let mut cells = line + 1;
        for (i, (token, span)) in tokens.iter().enumerate().skip(at + 1).take_while(|_| list) {
            cells += span.end - span.start + usize::from(*token == Token::Comma);
            match token {
                _ if cells > WIDTH => return None,
                Token::Close => return Some(i),
                Token::Open | Token::Colon => return None,
                Token::Comma | Token::Text | Token::Word => {}
            }
        }
        None
    }

    fn inline(&mut self, tokens: &[(Token, Span)], at: usize, end: usize) -> usize {
        for (token, span) in tokens.get(at..=end).unwrap_or_default() {
            self.write(*span);
            if *token == Token::Comma {
                self.space();
            }
        }
        end + 1
    }

    fn write(&mut self, span: Span) {
        if self.caret.is_none() && self.offset < span.end {
            self.caret = Some(self.out.len() + self.offset.saturating_sub(span.start));
        }
        self.out.push_str(self.text.get(span.start..span.end).unwrap_or_default());
        if self.caret.is_none() && self.offset == span.end {
            self.caret = Some(self.out.len());
        }
    }

    fn space(&mut self) {
        if self.layout == Layout::Pretty {
            self.out.push(' ');
        }
    }

    fn line(&mut self) {
        if self.layout == Layout::Pretty {
            self.out.push('\n');
            self.out.extend(std::iter::repeat_n("  ", self.depth));
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::json::{ParseLimits, canonical, parse};

    const LIMITS: ParseLimits = ParseLimits { max_bytes: 1 << 20, max_depth: 99 };

    #[test]
    fn numbers_escapes_and_order_stay_as_they_were_written() {
        let text = "{\"b\":1.50e+1,\"a\":[1,\"\\u00e4\\/\",true],\"c\":{},\"d\":[],\"e\":[{}]}\n";
        let (pretty, _) = lay_out(text, Layout::Pretty, 0);
        let wanted = "{\n  \"b\": 1.50e+1,\n  \"a\": [1, \"\\u00e4\\/\", true],\n  \"c\": {},\n  \"d\": [],\n  \"e\": [\n    {}\n  ]\n}\n";
        assert_eq!(pretty, wanted);
        assert_eq!(lay_out(&pretty, Layout::Pretty, 0).0, pretty);
        assert_eq!(lay_out(&pretty, Layout::Compact, 0).0, text.trim_end());
    }

    #[test]
    fn the_caret_stays_in_its_token() {
        let text = "{\"alpha\":[1,2],\"beta\":\"xyz\"}";
        for word in ["lpha", "ta\"", "yz\"", "1,2"] {
            let (pretty, caret) = lay_out(text, Layout::Pretty, text.find(word).unwrap());
            assert!(pretty.get(caret..).unwrap().starts_with(word.chars().next().unwrap()), "{word}: {caret}");
        }
        assert_eq!(lay_out(text, Layout::Pretty, 999).1, lay_out(text, Layout::Pretty, 0).0.len());
    }

    fn json() -> impl Strategy<Value = String> {
        let leaf = prop_oneof![Just("null".to_owned()), Just("-1.0E2".to_owned()), "\"[a-cä]{0,40}\"".prop_map(|s| s)];
        leaf.prop_recursive(4, 40, 6, |inner| {
            prop_oneof![
                prop::collection::vec(inner.clone(), 0..6).prop_map(|v| format!("[ {} ]", v.join(" ,\n"))),
                prop::collection::vec(inner, 0..4).prop_map(|v| {
                    let members: Vec<String> = v.iter().enumerate().map(|(i, v)| format!("\"k{i}\"  :{v}")).collect();
                    format!("{{\t{}}}", members.join(","))
                }),
            ]
        })
    }

    proptest! {
        #[test]
        fn the_value_is_the_same_and_a_second_time_changes_nothing(text in json(), at in 0usize..200) {
            let value = canonical(&parse(&text, LIMITS).unwrap());
            for layout in [Layout::Pretty, Layout::Compact] {
                let (laid, caret) = lay_out(&text, layout, at);
                prop_assert_eq!(canonical(&parse(&laid, LIMITS).unwrap()), value.clone());
                prop_assert!(caret <= laid.len());
                prop_assert_eq!(&lay_out(&laid, layout, 0).0, &laid);
            }
        }
    }
}
