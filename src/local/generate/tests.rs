#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "a test stops at the first surprise")]

use super::*;

const STOP: u32 = 256;
const QUOTE_BRACE: u32 = 257;

/// A token a byte, one that ends an answer, and one of two bytes.
struct Bytes;

impl Words for Bytes {
    fn bytes(&self, token: u32) -> &[u8] {
        static ALL: std::sync::LazyLock<Vec<u8>> = std::sync::LazyLock::new(|| (0..=255).collect());
        match token {
            QUOTE_BRACE => b"\"}",
            token => ALL.get(token as usize..=token as usize).unwrap_or_default(),
        }
    }

    fn size(&self) -> usize {
        258
    }

    fn stops(&self) -> &[u32] {
        &[STOP]
    }
}

/// Wants the same tokens over and over, whatever it was told.
struct Parrot {
    wants: Vec<u32>,
    asked: usize,
    fed: Vec<u32>,
    feeds: Vec<usize>,
    logits: Vec<f32>,
}

impl Parrot {
    fn new(wants: &[u8]) -> Self {
        Self::of(wants.iter().map(|byte| u32::from(*byte)).collect())
    }

    fn of(wants: Vec<u32>) -> Self {
        Self { wants, asked: 0, fed: Vec::new(), feeds: Vec::new(), logits: Vec::new() }
    }
}

impl Network for Parrot {
    fn context(&self) -> usize {
        1_000
    }

    fn truncate(&mut self, length: usize) {
        self.fed.truncate(length);
    }

    fn feed(&mut self, tokens: &[u32]) -> Result<(), ModelError> {
        self.feeds.push(tokens.len());
        self.fed.extend_from_slice(tokens);
        Ok(())
    }

    fn logits(&mut self, _only: Option<&TokenSet>) -> Result<&[f32], ModelError> {
        self.logits = vec![0.0; 258];
        self.logits[self.wants[self.asked % self.wants.len()] as usize] = 1.0;
        self.asked += 1;
        Ok(&self.logits)
    }
}

/// Holds to `{"a":"…"}`, its text of printable letters.
struct Member {
    said: Vec<u8>,
}

const HEAD: &[u8] = b"{\"a\":\"";

impl Member {
    fn boxed() -> Box<dyn Constraint> {
        Box::new(Self { said: Vec::new() })
    }

    fn in_text(&self) -> bool {
        self.said.len() >= HEAD.len() && !self.said[HEAD.len()..].contains(&b'"')
    }
}

impl Constraint for Member {
    fn allowed(&mut self, out: &mut TokenSet) -> Result<(), ConstraintError> {
        *out = TokenSet::new(258);
        if self.in_text() {
            (32..127).for_each(|byte| out.insert(byte));
            out.insert(QUOTE_BRACE);
        } else {
            out.insert(u32::from(b'}'));
        }
        Ok(())
    }

    fn forced(&mut self) -> Vec<u32> {
        HEAD.get(self.said.len()..).unwrap_or_default().iter().map(|byte| u32::from(*byte)).collect()
    }

    fn take(&mut self, token: u32) -> Result<(), ConstraintError> {
        self.said.extend_from_slice(Bytes.bytes(token));
        Ok(())
    }

    fn may_stop(&mut self) -> bool {
        self.is_complete()
    }

    fn is_complete(&mut self) -> bool {
        self.said.len() > HEAD.len() && self.said.ends_with(b"}") && !self.in_text()
    }
}

fn answered(
    network: Parrot,
    constraint: Option<Box<dyn Constraint>>,
    budget: usize,
) -> (String, Outcome, Conversation<Parrot>) {
    let mut conversation = Conversation::new(network);
    conversation.prefill(&[1, 2, 3], &mut |_, _| ControlFlow::Continue(())).unwrap();
    let mut text = String::new();
    let mut say = |more: String| {
        text.push_str(&more);
        ControlFlow::Continue(())
    };
    let outcome = conversation.answer(&Bytes, &Kinds::new(&Bytes), constraint, budget, &mut say).unwrap();
    (text, outcome, conversation)
}

#[test]
fn what_must_come_is_fed_in_one_piece_and_not_asked_for() {
    let (text, outcome, conversation) = answered(Parrot::new(b"hi\""), Some(Member::boxed()), 100);
    assert_eq!(text, "{\"a\":\"hi\"}");
    assert_eq!(outcome, Outcome { end: End::Complete, tokens: 10 });
    assert_eq!(conversation.network.asked, 3, "one question a letter: the brace could only follow");
    assert_eq!(conversation.network.feeds, [3, HEAD.len(), 1, 1]);
}

#[test]
fn the_model_cannot_stop_where_the_form_does_not_let_it() {
    let (text, outcome, _) =
        answered(Parrot::of(vec![STOP, u32::from(b'x'), u32::from(b'"')]), Some(Member::boxed()), 100);
    assert_eq!(outcome.end, End::Complete);
    assert!(text.ends_with("\"}"), "{text}");
}

#[test]
fn a_text_without_end_is_closed_before_the_budget_is_spent() {
    let alphabet: Vec<u8> = (b'a'..=b'z').chain(b'A'..=b'Z').chain(b'0'..=b'9').collect();
    let (text, outcome, _) = answered(Parrot::new(&alphabet), Some(Member::boxed()), 50);
    assert_eq!(outcome.end, End::Complete);
    assert!(text.ends_with("\"}") && (30..=32).contains(&text.len()), "{text}");
}

#[test]
fn a_text_in_circles_is_closed_long_before() {
    let (text, outcome, _) = answered(Parrot::new(b"la "), Some(Member::boxed()), 900);
    assert_eq!(outcome.end, End::Complete);
    assert!(text.len() < 60, "{text}");
}

#[test]
fn a_plain_text_in_circles_leaves_them() {
    let (text, outcome, _) = answered(Parrot::new(b"la "), None, 100);
    assert_eq!(outcome, Outcome { end: End::Length, tokens: 100 });
    let circle = "la ".repeat(20);
    assert!(!text.contains(&circle), "{text}");
}

#[test]
fn a_spent_budget_is_told() {
    let (text, outcome, _) = answered(Parrot::new(b"abc"), None, 5);
    assert_eq!((text.as_str(), outcome), ("abcab", Outcome { end: End::Length, tokens: 5 }));
    let (text, outcome, _) = answered(Parrot::new(b"abc"), Some(Member::boxed()), 3);
    assert_eq!((text.as_str(), outcome.end), ("{\"a", End::Length));
}

#[test]
fn a_letter_is_said_when_it_is_whole() {
    let mut conversation = Conversation::new(Parrot::of(vec![0xe2, 0x82, 0xac, 0xff, 0x41, 0xc3, STOP]));
    conversation.prefill(&[1], &mut |_, _| ControlFlow::Continue(())).unwrap();
    let mut said = Vec::new();
    let mut say = |more: String| {
        said.extend((!more.is_empty()).then_some(more));
        ControlFlow::Continue(())
    };
    conversation.answer(&Bytes, &Kinds::new(&Bytes), None, 100, &mut say).unwrap();
    assert_eq!(said, ["€", "\u{fffd}", "A", "\u{fffd}"]);
}

#[test]
fn what_is_known_of_a_prompt_is_not_fed_again() {
    let mut conversation = Conversation::new(Parrot::of(vec![STOP]));
    let mut go = |_, _| ControlFlow::Continue(());
    let long: Vec<u32> = (0..150).collect();
    assert_eq!(conversation.prefill(&long, &mut go).unwrap(), Some(0));
    assert_eq!(conversation.network.feeds, [64, 64, 22]);
    assert_eq!(conversation.prefill(&long, &mut go).unwrap(), Some(149), "the last one is asked about anew");
    let other = [&long[..100], &[7, 8]].concat();
    assert_eq!(conversation.prefill(&other, &mut go).unwrap(), Some(100));
    assert_eq!(conversation.network.fed, other);
}

#[test]
fn a_prompt_that_does_not_fit_is_refused_before_it_is_fed() {
    let mut conversation = Conversation::new(Parrot::of(vec![STOP]));
    let refused = conversation.prefill(&[0; 1_000], &mut |_, _| ControlFlow::Continue(()));
    assert!(matches!(refused, Err(GenerateError::TooLong { tokens: 1_000, limit: 1_000 })));
    assert!(conversation.network.feeds.is_empty());
}

#[test]
fn a_cancel_is_heard_between_parts_of_the_prompt_and_between_tokens() {
    let mut conversation = Conversation::new(Parrot::new(b"abc"));
    let stop = |done, _| if done >= 64 { ControlFlow::Break(()) } else { ControlFlow::Continue(()) };
    assert_eq!(conversation.prefill(&[0; 200], &mut { stop }).unwrap(), None);
    assert_eq!(conversation.network.feeds, [64]);
    conversation.prefill(&[0; 3], &mut |_, _| ControlFlow::Continue(())).unwrap();
    let mut heard = 0;
    let mut say = |_| {
        heard += 1;
        if heard == 3 { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    };
    let outcome = conversation.answer(&Bytes, &Kinds::new(&Bytes), None, 100, &mut say).unwrap();
    assert_eq!(outcome, Outcome { end: End::Cancelled, tokens: 3 });
}

/// Allows nothing, and is no answer yet.
struct Nothing;

impl Constraint for Nothing {
    fn allowed(&mut self, out: &mut TokenSet) -> Result<(), ConstraintError> {
        *out = TokenSet::new(258);
        Ok(())
    }

    fn forced(&mut self) -> Vec<u32> {
        Vec::new()
    }

    fn take(&mut self, _token: u32) -> Result<(), ConstraintError> {
        Err(ConstraintError::NotAllowed)
    }

    fn may_stop(&mut self) -> bool {
        false
    }

    fn is_complete(&mut self) -> bool {
        false
    }
}

#[test]
fn a_form_that_allows_nothing_ends_in_an_error() {
    let mut conversation = Conversation::new(Parrot::new(b"abc"));
    conversation.prefill(&[1], &mut |_, _| ControlFlow::Continue(())).unwrap();
    let mut say = |_| panic!("nothing may be said");
    let outcome = conversation.answer(&Bytes, &Kinds::new(&Bytes), Some(Box::new(Nothing)), 100, &mut say);
    assert!(matches!(outcome, Err(GenerateError::Constraint(ConstraintError::Stuck))), "{outcome:?}");
}
