//! YAML 1.2 as JSON, from the parser's events: one document, the core schema, no tags, no merge keys.
//!
//! The parser is asked for one event at a time, so a text that nests or repeats too much ends early. An alias is a copy,
//! and copies are paid for: what a text of a few lines can unfold to is bounded.

use std::collections::HashMap;

use saphyr_parser::{Event, Parser, ScalarStyle, ScanError, StrInput};

use super::places::{Place, Places};
use super::{Keys, slip, too_deep};
use crate::json::{Hint, Map, ParseError, ParseLimits, Span, Value, discard, push_token};

mod scalar;

/// What all copies that anchors and aliases ask for may weigh: a value is worth [`VALUE`], and its texts their bytes.
/// Eight times the bytes a schema may have.
const MAX_COPIED: usize = 8 * 1024 * 1024;
const VALUE: usize = 32;

pub(super) fn read(text: &str, limits: ParseLimits, keys: Keys) -> Result<(Value, Places), ParseError> {
    let mut reader = Reader::new(text, limits, keys);
    let document = reader.document();
    reader.dismantle();
    document.map(|value| (value, reader.places))
}

/// A container whose end has not come.
struct Open {
    made: Made,
    place: usize,
    anchor: usize,
    start: usize,
    /// End of the last value in it.
    end: usize,
    /// Levels of containers below it.
    height: usize,
    weight: usize,
}

enum Made {
    List(Vec<Value>),
    /// `key` is the member whose value comes next.
    Mapping {
        members: Map<String, Value>,
        key: Option<(String, Span)>,
    },
}

/// A whole value.
struct Done {
    value: Value,
    span: Span,
    height: usize,
    weight: usize,
}

/// A value that an alias may copy.
struct Anchored {
    value: Value,
    places: Vec<Place>,
    height: usize,
    weight: usize,
}

struct Reader<'t> {
    text: &'t str,
    limits: ParseLimits,
    keys: Keys,
    events: Parser<'t, StrInput<'t>>,
    offsets: Offsets,
    places: Places,
    open: Vec<Open>,
    anchors: HashMap<usize, Anchored>,
    copied: usize,
}

type Slip<T> = Result<T, ParseError>;

impl<'t> Reader<'t> {
    fn new(text: &'t str, limits: ParseLimits, keys: Keys) -> Self {
        Self {
            text,
            limits,
            keys,
            events: Parser::new_from_str(text),
            offsets: Offsets::new(text),
            places: Places::default(),
            open: Vec::new(),
            anchors: HashMap::new(),
            copied: 0,
        }
    }

    fn document(&mut self) -> Slip<Value> {
        let mut document = None;
        while let Some(next) = self.events.next_event() {
            let (event, span) = next.map_err(|error| self.unreadable(&error))?;
            let span = Span { start: self.offsets.byte(span.start.index()), end: self.offsets.byte(span.end.index()) };
            match event {
                Event::StreamEnd => break,
                Event::DocumentStart(_) if document.is_some() => {
                    let message = "A second document begins here: one file holds one schema.";
                    return Err(self.slip(Hint::SecondDocument, span.start, message));
                }
                Event::Nothing | Event::StreamStart | Event::DocumentStart(_) | Event::DocumentEnd => {}
                event => {
                    if let Some(value) = self.event(event, span)? {
                        document = Some(value);
                    }
                }
            }
        }
        document.ok_or_else(|| self.slip(Hint::Empty, 0, "The text holds nothing: a value is expected."))
    }

    /// One event of the document; gives the document with its last.
    fn event(&mut self, event: Event<'_>, span: Span) -> Slip<Option<Value>> {
        match event {
            Event::Alias(id) => self.alias(id, span),
            Event::Scalar(text, style, anchor, tag) => {
                self.untagged(tag.is_some(), span)?;
                self.scalar(&text, style, anchor, span)
            }
            Event::SequenceStart(anchor, tag) => {
                self.untagged(tag.is_some(), span)?;
                self.begin(Made::List(Vec::new()), anchor, span).map(|()| None)
            }
            Event::MappingStart(anchor, tag) => {
                self.untagged(tag.is_some(), span)?;
                self.begin(Made::Mapping { members: Map::new(), key: None }, anchor, span).map(|()| None)
            }
            Event::SequenceEnd | Event::MappingEnd => self.close(span),
            Event::Nothing | Event::StreamStart | Event::StreamEnd | Event::DocumentStart(_) | Event::DocumentEnd => {
                Ok(None)
            }
        }
    }

    fn untagged(&self, tagged: bool, span: Span) -> Slip<()> {
        if !tagged {
            return Ok(());
        }
        Err(self.slip(Hint::Syntax, span.start, "A tag (`!…`) has no meaning in JSON: leave it out."))
    }

    /// Does the next scalar name a member?
    fn wants_key(&self) -> bool {
        matches!(self.open.last(), Some(Open { made: Made::Mapping { key: None, .. }, .. }))
    }

    fn begin(&mut self, made: Made, anchor: usize, span: Span) -> Slip<()> {
        if self.wants_key() {
            return Err(self.no_text(span));
        }
        if self.open.len() >= self.limits.max_depth {
            return Err(too_deep(self.text, span.start, self.limits));
        }
        let place = self.places.add(self.key_span(), span);
        let (start, end) = (span.start, span.end);
        self.open.push(Open { made, place, anchor, start, end, height: 0, weight: VALUE });
        Ok(())
    }

    fn no_text(&self, span: Span) -> ParseError {
        let message = "A key must be a text; put it in quotes.";
        self.slip(Hint::UnquotedKey, span.start, message)
    }

    fn scalar(&mut self, text: &str, style: ScalarStyle, anchor: usize, span: Span) -> Slip<Option<Value>> {
        let plain = style == ScalarStyle::Plain;
        if self.wants_key() {
            return self.key(text, plain, anchor, span).map(|()| None);
        }
        let value = if plain {
            let read = scalar::value(text);
            read.map_err(|refused| self.slip(refused.hint(), span.start, refused.message()))?
        } else {
            Value::String(text.to_owned())
        };
        let weight = VALUE + text.len();
        let span = match style {
            ScalarStyle::Literal => self.block(span, '|'),
            ScalarStyle::Folded => self.block(span, '>'),
            ScalarStyle::Plain | ScalarStyle::SingleQuoted | ScalarStyle::DoubleQuoted => span,
        };
        let place = self.places.add(self.key_span(), span);
        self.put(Done { value, span, height: 0, weight }, place, anchor)
    }

    /// A block scalar is told without its sign and its last line end; both belong to it.
    fn block(&self, span: Span, sign: char) -> Span {
        let before = self.text.get(..span.start).unwrap_or_default();
        let header = |at: &usize| {
            let (header, rest) = before.get(at + 1..)?.split_once('\n')?;
            let header = header.trim_start_matches(|c: char| c.is_ascii_digit() || c == '+' || c == '-').trim();
            Some((header.is_empty() || header.starts_with('#')) && rest.trim().is_empty())
        };
        let start = before.rfind(sign).filter(|at| header(at) == Some(true)).unwrap_or(span.start);
        let ended = self.text.get(span.end..).is_some_and(|rest| rest.starts_with('\n'));
        Span { start, end: span.end + usize::from(ended) }
    }

    fn key(&mut self, text: &str, plain: bool, anchor: usize, span: Span) -> Slip<()> {
        if plain && text == "<<" {
            let message = "`<<` merges only in YAML 1.1: write the members out, or put the key in quotes.";
            return Err(self.slip(Hint::Syntax, span.start, message));
        }
        let is_text = !plain || matches!(scalar::value(text), Ok(Value::String(_)));
        let as_written = self.keys == Keys::AsWritten && matches!(scalar::value(text), Ok(Value::Number(_)));
        if !is_text && !as_written {
            return Err(self.no_text(span));
        }
        if anchor != 0 {
            self.anchored(
                anchor,
                Done { value: Value::String(text.to_owned()), span, height: 0, weight: VALUE },
                None,
            )?;
        }
        let repeated = match self.open.last() {
            Some(Open { made: Made::Mapping { members, .. }, .. }) => members.contains_key(text),
            Some(_) | None => false,
        };
        if repeated {
            let message = "The same key stands twice in one mapping; only one value could count.";
            let mut error = self.slip(Hint::RepeatedKey, span.start, message);
            error.path = Some(self.path(text));
            return Err(error);
        }
        if let Some(Open { made: Made::Mapping { key, .. }, .. }) = self.open.last_mut() {
            *key = Some((text.to_owned(), span));
        }
        Ok(())
    }

    fn key_span(&self) -> Option<Span> {
        match self.open.last() {
            Some(Open { made: Made::Mapping { key: Some((_, span)), .. }, .. }) => Some(*span),
            Some(_) | None => None,
        }
    }

    fn close(&mut self, span: Span) -> Slip<Option<Value>> {
        let Some(open) = self.open.pop() else { return Ok(None) };
        let flow = span.end > span.start;
        let end = if flow { span.end } else { open.end };
        let start = match open.made {
            Made::List(_) if !flow => self.dash(open.start),
            Made::List(_) | Made::Mapping { .. } => open.start,
        };
        self.places.close(open.place, start, end);
        let value = match open.made {
            Made::List(items) => Value::Array(items),
            Made::Mapping { members, .. } => Value::Object(members),
        };
        let span = Span { start, end };
        self.put(Done { value, span, height: open.height + 1, weight: open.weight }, open.place, open.anchor)
    }

    /// A list that is indented no deeper than its key is told to begin after its first dash.
    fn dash(&self, start: usize) -> usize {
        let before = self.text.get(..start).unwrap_or_default().trim_end_matches(' ');
        let begins = !self.text.get(start..).unwrap_or_default().starts_with('-') && before.ends_with('-');
        if begins { before.len() - 1 } else { start }
    }

    /// Puts a whole value where it belongs; gives it back when it is the document.
    fn put(&mut self, done: Done, place: usize, anchor: usize) -> Slip<Option<Value>> {
        let done = if anchor == 0 { done } else { self.anchored(anchor, done, Some(place))? };
        let Some(top) = self.open.last_mut() else { return Ok(Some(done.value)) };
        top.end = top.end.max(done.span.end);
        top.height = top.height.max(done.height);
        top.weight += done.weight;
        match &mut top.made {
            Made::List(items) => items.push(done.value),
            Made::Mapping { members, key } => {
                if let Some((key, _)) = key.take() {
                    top.weight += key.len();
                    members.insert(key, done.value);
                }
            }
        }
        Ok(None)
    }

    /// Keeps a copy for the aliases of an anchor. `place` is where its subtree begins.
    fn anchored(&mut self, anchor: usize, done: Done, place: Option<usize>) -> Slip<Done> {
        self.pay(done.weight, done.span)?;
        let places = if let Some(place) = place {
            self.places.subtree(place)
        } else {
            let mut alone = Places::default();
            alone.add(None, done.span);
            alone.subtree(0)
        };
        let copy = Anchored { value: done.value.clone(), places, height: done.height, weight: done.weight };
        self.anchors.insert(anchor, copy);
        Ok(done)
    }

    fn alias(&mut self, id: usize, span: Span) -> Slip<Option<Value>> {
        if self.wants_key() {
            return Err(self.no_text(span));
        }
        let Some((height, weight)) = self.anchors.get(&id).map(|found| (found.height, found.weight)) else {
            let message = "This alias names a value that it stands in itself.";
            return Err(self.slip(Hint::Syntax, span.start, message));
        };
        self.pay(weight, span)?;
        if self.open.len() + height > self.limits.max_depth {
            return Err(too_deep(self.text, span.start, self.limits));
        }
        let key = self.key_span();
        let Some(found) = self.anchors.get(&id) else { return Ok(None) };
        self.places.graft(&found.places, key, span);
        let done = Done { value: found.value.clone(), span, height, weight };
        self.put(done, 0, 0)
    }

    fn pay(&mut self, weight: usize, span: Span) -> Slip<()> {
        self.copied = self.copied.saturating_add(weight);
        if self.copied <= MAX_COPIED {
            return Ok(());
        }
        let message = "Anchors and aliases unfold to more than a schema may hold: write fewer of them.";
        Err(self.slip(Hint::TooLarge, span.start, message))
    }

    /// Pointer to a member of the innermost mapping.
    fn path(&self, member: &str) -> String {
        let mut path = String::new();
        for open in &self.open {
            match &open.made {
                Made::List(items) => push_token(&mut path, &items.len().to_string()),
                Made::Mapping { key: Some((key, _)), .. } => push_token(&mut path, key),
                Made::Mapping { key: None, .. } => {}
            }
        }
        push_token(&mut path, member);
        path
    }

    fn slip(&self, hint: Hint, offset: usize, message: &str) -> ParseError {
        slip(self.text, hint, offset, message)
    }

    fn unreadable(&self, error: &ScanError) -> ParseError {
        // One of the parser's sentences holds a character of the text.
        let what = match error.info() {
            info if info.starts_with("unexpected character") => "a character stands here that begins nothing",
            info => info,
        };
        let at = self.offsets.byte(error.marker().index());
        let hint = if what.contains("recursion") { Hint::TooDeep } else { Hint::Syntax };
        slip(self.text, hint, at, format!("The YAML cannot be read: {what}."))
    }

    /// What an error left open may be deep.
    fn dismantle(&mut self) {
        for open in self.open.drain(..) {
            match open.made {
                Made::List(items) => discard(Value::Array(items)),
                Made::Mapping { members, .. } => discard(Value::Object(members)),
            }
        }
        for (_, anchored) in self.anchors.drain() {
            discard(anchored.value);
        }
    }
}

/// The parser counts characters; places are bytes. Without a letter of several bytes they are the same.
struct Offsets {
    /// Byte offset of every character; empty when each has one byte.
    bytes: Vec<u32>,
    length: usize,
}

impl Offsets {
    fn new(text: &str) -> Self {
        let bytes = if text.is_ascii() {
            Vec::new()
        } else {
            text.char_indices().map(|(at, _)| u32::try_from(at).unwrap_or(u32::MAX)).collect()
        };
        Self { bytes, length: text.len() }
    }

    fn byte(&self, character: usize) -> usize {
        if self.bytes.is_empty() {
            return character.min(self.length);
        }
        self.bytes.get(character).map_or(self.length, |at| *at as usize)
    }
}
