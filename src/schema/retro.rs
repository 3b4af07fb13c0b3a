//! The retro-check: texts that were judged before, judged again under another schema, and what that changes.
//!
//! Pure, and bounded in memory: parsed values are kept between checks up to a limit, equal texts are held and judged
//! once. Whoever calls decides how long it may go on.

use std::collections::{BTreeMap, HashMap};

use super::validate::{Judge, MAX_MEMORY, memory};
use crate::issue::{Issue, Issues};
use crate::json::{self, ParseLimits, Value};

/// Memory that parsed values may take together, estimated; past it texts are parsed anew at every check.
pub const MAX_VALUES: usize = 192 * 1024 * 1024;
/// Candidates that changed are named up to this number; all are counted.
pub const MAX_CHANGED: usize = 1_000;
/// Places that are told apart; all failures are counted.
const MAX_PLACES: usize = 64;

/// A text that was judged before.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Recorded {
    /// The caller's number for it.
    pub id: i64,
    /// The caller's number for the schema it was recorded under.
    pub version: u32,
    pub valid: bool,
    /// What is judged stands inside `{"value": …}`.
    pub wrapped: bool,
    pub text: String,
}

/// Recorded texts, ready to be judged again and again.
#[derive(Debug, Default)]
pub struct Shelf {
    texts: Vec<Held>,
    /// SHA-256 of a text → its place in `texts`.
    places: HashMap<String, usize>,
    /// Estimated bytes of the parsed values.
    bytes: usize,
    count: usize,
}

#[derive(Debug)]
struct Held {
    body: Body,
    members: Vec<Member>,
    bytes: usize,
}

#[derive(Debug, Clone, Copy)]
struct Member {
    id: i64,
    version: u32,
    valid: bool,
}

#[derive(Debug)]
enum Body {
    Parsed(Value),
    /// Too much in all to keep parsed.
    Text {
        text: String,
        wrapped: bool,
    },
    /// No JSON, not inside its wrapping, or too much to be judged: no schema ever takes it.
    Hopeless,
}

/// What another schema says of the recorded texts.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Retro {
    /// Passed then and pass now.
    pub pass: usize,
    /// Failed then and fail now.
    pub fail: usize,
    pub newly_pass: usize,
    pub now_fail: usize,
    /// Where those that now fail do, most often first; indexes stand as `*`.
    pub places: Vec<(String, usize)>,
    /// Those that changed, by number, newest first; at most [`MAX_CHANGED`].
    pub changed: Vec<Change>,
    /// Not judged: there was not time enough.
    pub left_out: usize,
}

/// A text that stands otherwise than it did.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Change {
    pub id: i64,
    /// Its first issue; `None` for one that newly passes.
    pub fails: Option<Issue>,
}

/// Should the check go on?
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Go {
    On,
    /// What was judged counts, the rest is left out.
    Enough,
    /// Nothing counts.
    Cancelled,
}

impl Shelf {
    /// How many texts stand here, equal ones counted each.
    #[must_use]
    pub fn len(&self) -> usize {
        self.count
    }

    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.count == 0
    }

    /// Puts a text on the shelf.
    pub fn add(&mut self, recorded: Recorded) {
        let Recorded { id, version, valid, wrapped, text } = recorded;
        let key = format!("{}{}", u8::from(wrapped), json::sha256_hex(&text));
        let member = Member { id, version, valid };
        self.count += 1;
        if let Some(held) = self.places.get(&key).and_then(|at| self.texts.get_mut(*at)) {
            held.members.push(member);
            return;
        }
        let bytes = memory(&text);
        let body = if bytes > MAX_MEMORY {
            // The judge does not take it either.
            Body::Hopeless
        } else if self.bytes.saturating_add(bytes) > MAX_VALUES {
            Body::Text { text, wrapped }
        } else {
            parsed(&text, wrapped).map_or(Body::Hopeless, Body::Parsed)
        };
        let bytes = if matches!(body, Body::Parsed(_)) { bytes } else { 0 };
        self.bytes += bytes;
        self.places.insert(key, self.texts.len());
        self.texts.push(Held { body, members: vec![member], bytes });
    }

    /// Takes away what the caller does not have any more; `kept` are the numbers it has, rising.
    pub fn retain(&mut self, kept: &[i64]) {
        self.count = 0;
        for held in &mut self.texts {
            held.members.retain(|member| kept.binary_search(&member.id).is_ok());
            self.count += held.members.len();
            if held.members.is_empty() {
                self.bytes -= std::mem::take(&mut held.bytes);
                if let Body::Parsed(value) = std::mem::replace(&mut held.body, Body::Hopeless) {
                    json::discard(value);
                }
            }
        }
        if self.texts.iter().any(|held| held.members.is_empty()) {
            self.compact();
        }
    }

    fn compact(&mut self) {
        let mut free = 0..;
        let stays = self.texts.iter().map(|held| !held.members.is_empty());
        let moved: Vec<Option<usize>> = stays.map(|stays| if stays { free.next() } else { None }).collect();
        self.texts.retain(|held| !held.members.is_empty());
        self.places.retain(|_, place| match moved.get(*place).copied().flatten() {
            Some(new) => {
                *place = new;
                true
            }
            None => false,
        });
    }

    /// Judges every text recorded under one of the `versions` again. `go` is asked between two texts; `None` when it
    /// said that nothing counts.
    pub fn judge(
        &self,
        judge: &Judge,
        versions: &(dyn Fn(u32) -> bool + Sync),
        mut go: impl FnMut() -> Go + Send,
    ) -> Option<Retro> {
        let mut tally = Tally::default();
        let done = judge.on_one_thread(|judge| {
            let mut going = Go::On;
            for held in &self.texts {
                let members = held.members.iter().filter(|member| versions(member.version));
                if held.members.iter().any(|member| versions(member.version)) && going == Go::On {
                    going = go();
                }
                match going {
                    Go::On => tally.take(members, || held.body.issues(judge)),
                    Go::Enough => tally.retro.left_out += members.count(),
                    Go::Cancelled => return false,
                }
            }
            true
        });
        done.unwrap_or(false).then(|| tally.finish())
    }
}

/// The value of a recorded text, out of its wrapping; `None` when it is no JSON, or not inside.
#[must_use]
pub fn unwrapped(text: &str, wrapped: bool) -> Option<Value> {
    if memory(text) > MAX_MEMORY { None } else { parsed(text, wrapped) }
}

fn parsed(text: &str, wrapped: bool) -> Option<Value> {
    let mut value = json::parse(text, ParseLimits::default()).ok()?;
    if !wrapped {
        return Some(value);
    }
    let only = value.as_object_mut().filter(|arguments| arguments.len() == 1);
    only.and_then(|arguments| arguments.shift_remove("value"))
}

impl Body {
    fn issues(&self, judge: &super::validate::OneThread<'_>) -> Issues {
        match self {
            Self::Parsed(value) => judge.validate(value),
            Self::Text { text, wrapped } => match parsed(text, *wrapped) {
                Some(value) => {
                    let issues = judge.validate(&value);
                    json::discard(value);
                    issues
                }
                None => hopeless(),
            },
            Self::Hopeless => hopeless(),
        }
    }
}

fn hopeless() -> Issues {
    let issue = Issue {
        code: "invalid_json",
        path: String::new(),
        schema_path: String::new(),
        message: "the text is no JSON of the right form".to_owned(),
        keyword: String::new(),
    };
    Issues { list: vec![issue], omitted: 0 }
}

#[derive(Default)]
struct Tally {
    retro: Retro,
    places: BTreeMap<String, usize>,
}

impl Tally {
    fn take<'a>(&mut self, members: impl Iterator<Item = &'a Member>, issues: impl FnOnce() -> Issues) {
        let mut members = members.peekable();
        if members.peek().is_none() {
            return;
        }
        let first = issues().list.into_iter().next();
        for member in members {
            let count = match (member.valid, &first) {
                (true, None) => &mut self.retro.pass,
                (false, Some(_)) => &mut self.retro.fail,
                (false, None) => &mut self.retro.newly_pass,
                (true, Some(issue)) => {
                    let place = general(&issue.path);
                    if self.places.len() < MAX_PLACES || self.places.contains_key(&place) {
                        *self.places.entry(place).or_default() += 1;
                    }
                    &mut self.retro.now_fail
                }
            };
            *count += 1;
            if member.valid == first.is_some() {
                self.retro.changed.push(Change { id: member.id, fails: first.clone() });
                self.shorten(2 * MAX_CHANGED);
            }
        }
    }

    /// Keeps the newest of those that changed, when there are more than `above`.
    fn shorten(&mut self, above: usize) {
        if self.retro.changed.len() > above {
            self.retro.changed.sort_by_key(|change| std::cmp::Reverse(change.id));
            self.retro.changed.truncate(MAX_CHANGED);
        }
    }

    fn finish(mut self) -> Retro {
        self.shorten(0);
        let mut places: Vec<(String, usize)> = self.places.into_iter().collect();
        places.sort_by(|a, b| b.1.cmp(&a.1).then_with(|| a.0.cmp(&b.0)));
        Retro { places, ..self.retro }
    }
}

/// A pointer with its indexes as `*`: the same place in every element.
fn general(path: &str) -> String {
    let is_index = |token: &str| !token.is_empty() && token.bytes().all(|b| b.is_ascii_digit());
    path.split('/').map(|token| if is_index(token) { "*" } else { token }).collect::<Vec<_>>().join("/")
}

#[cfg(test)]
mod tests;
