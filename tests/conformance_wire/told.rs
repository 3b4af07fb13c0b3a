//! A decoded response, put together.

use formwork::capability::Dialect;
use formwork::dialect::{self, Frame};
use formwork::event::{CallFailure, RawEvent, Terminal, Usage};
use formwork::transport::sse::Framer;

#[derive(Debug, Clone, PartialEq, Default)]
pub(crate) struct Told {
    pub(crate) text: String,
    pub(crate) thinking: String,
    /// Id, name, argument text.
    pub(crate) calls: Vec<(String, String, String)>,
    pub(crate) usage: Usage,
    pub(crate) ending: Option<Terminal>,
}

impl Told {
    pub(crate) fn of(events: Vec<RawEvent>) -> Self {
        let mut told = Self::default();
        for event in events {
            assert_eq!(told.ending, None, "something follows the terminal: {event:?}");
            match event {
                RawEvent::Text { delta } => told.text.push_str(&delta),
                RawEvent::Thinking { delta } => told.thinking.push_str(&delta),
                RawEvent::ToolStart { slot, id, name } => {
                    assert_eq!(slot as usize, told.calls.len(), "slots are given out in order");
                    told.calls.push((id, name, String::new()));
                }
                RawEvent::ToolArgs { slot, delta } => told.calls[slot as usize].2.push_str(&delta),
                RawEvent::Usage { usage } => told.usage = usage,
                RawEvent::Terminal { terminal } => told.ending = Some(terminal),
                RawEvent::Restart => told.text.clear(),
                RawEvent::Refusal { .. } | RawEvent::Model { .. } | RawEvent::Keep { .. } => {}
            }
        }
        told
    }

    pub(crate) fn failure(&self) -> &CallFailure {
        match &self.ending {
            Some(Terminal::Error { failure }) => failure,
            other => panic!("no error: {other:?}"),
        }
    }
}

fn cut(reads: &[&[u8]]) -> Vec<Frame> {
    let (mut framer, mut out) = (Framer::default(), Vec::new());
    for read in reads {
        framer.push(read, &mut out).unwrap();
    }
    framer.finish(&mut |frame| out.push(frame.clone()));
    out
}

/// Frames as they were cut.
pub(crate) fn told(dialect: Dialect, frames: &[Frame]) -> Told {
    let (mut decoder, mut out) = (dialect::decoder(dialect), Vec::new());
    for frame in frames {
        decoder.frame(frame, &mut out);
    }
    decoder.finish(&mut out);
    Told::of(out)
}

pub(crate) fn decode_reads(dialect: Dialect, reads: &[&[u8]]) -> Told {
    told(dialect, &cut(reads))
}

/// Payloads without event names.
pub(crate) fn decode(dialect: Dialect, payloads: &[String]) -> Told {
    let frames: Vec<Frame> = payloads.iter().map(|data| Frame { event: None, data: data.clone() }).collect();
    told(dialect, &frames)
}

/// What was told when the decoder said that nothing more can come; `None` when it wants more.
pub(crate) fn until_done(dialect: Dialect, reads: &[&[u8]]) -> Option<Told> {
    let (mut decoder, mut out) = (dialect::decoder(dialect), Vec::new());
    for frame in &cut(reads) {
        decoder.frame(frame, &mut out);
    }
    decoder.is_done().then(|| Told::of(out))
}
