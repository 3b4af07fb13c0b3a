//! The raw events: where one stands, the events around it, the bytes of its read, the buffer so far.

use std::fmt::Write;

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::text::{Line, Span};

use super::super::rows::{Gutter, Mark, Rows, Syntax};
use super::super::scroll::Scroll;
use super::super::state::State;
use super::super::state::raw::{RawLog, RawView, Seen};
use super::super::theme::Role;
use super::super::words;
use super::popup::{frame, page_area};
use super::{empty, outside, put};
use crate::machine::Stand;
use crate::text;

/// From this width on the events stand beside bytes and buffer.
const BESIDE: u16 = 90;
/// Bytes of a read, and of a buffer, that are looked at in one frame.
const LOOK: usize = 8 * 1024;
/// Bytes of an event's text in its row.
const IN_ROW: usize = 400;

/// Draws the events; gives their area.
pub(super) fn draw(buf: &mut Buffer, screen: Rect, state: &State, view: &RawView) -> Rect {
    let area = page_area(screen);
    let empty_log = RawLog::default();
    let log = state.run.as_ref().map_or(&empty_log, |run| &run.raw);
    let at = view.place(log);
    let title = if view.follow && state.running() { "Raw events (following)" } else { "Raw events" };
    let inside = frame(buf, area, state, title, &note(log));
    let inside = Rect { x: inside.x + 1, width: inside.width.saturating_sub(2), ..inside };
    let Some(seen) = log.event(at) else {
        let line = Line::styled("no event has come yet", state.theme.style(Role::Muted));
        empty(&state.theme, buf, inside, &[line]);
        return area;
    };
    let mut body = inside;
    let head = facts(log, at, &seen);
    for line in words::wrap(&head, usize::from(inside.width)).iter().take(2) {
        put(&state.theme, buf, body.x, body.y, body.width, &Line::styled(line.as_str(), state.theme.style(Role::Text)));
        body = below(body, 1);
    }
    scrubber(buf, Rect { height: 1, ..body }, state, log, at);
    body = below(body, 1);
    if let Some(told) = &view.told {
        for line in words::wrap(&text::safe(told), usize::from(body.width)).iter().take(2) {
            put(&state.theme, buf, body.x, body.y, body.width, &Line::from(outside(line, Role::Warning, &state.theme)));
            body = below(body, 1);
        }
    }
    let (list, bytes, buffer) = parts(body, seen.bytes.is_empty());
    events(buf, list, state, log, at);
    read(buf, bytes, state, view, &seen);
    so_far(buf, buffer, state, view, (log, at, &seen));
    area
}

fn below(area: Rect, rows: u16) -> Rect {
    let rows = rows.min(area.height);
    Rect { y: area.y + rows, height: area.height - rows, ..area }
}

/// What was not kept; else the keys are told by the footer's table.
fn note(log: &RawLog) -> String {
    log.cut.map_or_else(
        || words::length(log.size()) + " kept",
        |cut| {
            let lost = usize::try_from(cut.bytes).unwrap_or(usize::MAX);
            format!("{} kept; {} more reads ({}) were not", words::length(log.size()), cut.reads, words::length(lost))
        },
    )
}

/// `event 3 of 40 · read 1 of 9 · attempt 1, call 1 · +0.2 s · run: the candidate is open`.
fn facts(log: &RawLog, at: usize, seen: &Seen<'_>) -> String {
    format!(
        "event {} of {} · read {} of {} · attempt {}, call {} · +{} · {}",
        at + 1,
        log.len(),
        seen.read + 1,
        log.reads(),
        seen.attempt,
        seen.call + 1,
        words::span(seen.at_ms),
        stand(seen.stand),
    )
}

/// Where the run stands, in words.
fn stand(stand: Stand) -> &'static str {
    match stand {
        Stand::Idle => "not begun",
        Stand::Calling => "calling, nothing open",
        Stand::Text => "calling, text open",
        Stand::Thinking => "calling, thinking open",
        Stand::Candidate => "calling, submission open",
        Stand::Judging => "judging",
        Stand::Tools => "running tools",
        Stand::Waiting => "waiting to call again",
        Stand::Over => "over",
    }
}

/// A bar of all events with the place of this one.
fn scrubber(buf: &mut Buffer, area: Rect, state: &State, log: &RawLog, at: usize) {
    let width = usize::from(area.width);
    if width == 0 {
        return;
    }
    let glyphs = state.theme.glyphs();
    let cell = (at * width / log.len().max(1)).min(width - 1);
    let line = Line::from(vec![
        Span::styled(glyphs.bar.repeat(cell), state.theme.style(Role::Info)),
        Span::styled(glyphs.selected, state.theme.style(Role::Accent)),
        Span::styled(glyphs.bar_rest.repeat(width - cell - 1), state.theme.style(Role::Muted)),
    ]);
    put(&state.theme, buf, area.x, area.y, area.width, &line);
}

/// Events, bytes, buffer: side by side, or one above the other; where there is no room the bytes go first. Without a
/// wire they take a line.
fn parts(body: Rect, wireless: bool) -> (Rect, Rect, Rect) {
    let share = |height: u16| if wireless { height.min(2) } else { height * 2 / 5 };
    if body.width >= BESIDE {
        let left = Rect { width: body.width * 2 / 5, ..body };
        let right = Rect { x: left.right() + 1, width: body.width - left.width - 1, ..body };
        let bytes = Rect { height: share(right.height), ..right };
        return (left, bytes, below(right, bytes.height));
    }
    let list = Rect { height: (body.height / 3).max(body.height.min(3)), ..body };
    let rest = below(body, list.height);
    let bytes = Rect { height: if rest.height < 8 { 0 } else { share(rest.height) }, ..rest };
    (list, bytes, below(rest, bytes.height))
}

fn events(buf: &mut Buffer, area: Rect, state: &State, log: &RawLog, at: usize) {
    let theme = &state.theme;
    let room = usize::from(area.height);
    let top = at.saturating_sub(room / 2).min(log.len().saturating_sub(room));
    for (y, index) in (area.y..area.bottom()).zip(top..log.len()) {
        let Some(seen) = log.event(index) else { break };
        let on = index == at;
        let opens = index == 0 || log.event(index - 1).is_some_and(|before| before.read != seen.read);
        let read = if opens { format!("r{:<5}", seen.read + 1) } else { " ".repeat(6) };
        let end = seen.text.floor_char_boundary(IN_ROW);
        let said = text::safe(seen.text.get(..end).unwrap_or_default()).into_owned();
        let line = Line::from(vec![
            Span::styled(if on { theme.glyphs().selected } else { " " }, theme.style(Role::Accent)),
            Span::styled(format!(" {read} "), theme.style(Role::Gutter)),
            Span::styled(format!("{:<9} ", words::event_kind(seen.kind)), theme.style(Role::Info)),
            Span::styled(said, theme.style(Role::Text)),
        ]);
        put(theme, buf, area.x, y, area.width, &line);
        if on {
            buf.set_style(Rect { y, height: 1, ..area }, theme.style(Role::Selection));
        }
    }
}

/// A line that names what stands below it; gives the rest.
fn titled(buf: &mut Buffer, area: Rect, state: &State, title: &str) -> Rect {
    if area.height == 0 {
        return area;
    }
    let dash = state.theme.glyphs().border.horizontal_top;
    let rest = usize::from(area.width).saturating_sub(text::width(title) + 4);
    let line = format!("{dash}{dash} {title} {}", dash.repeat(rest));
    put(&state.theme, buf, area.x, area.y, area.width, &Line::styled(line, state.theme.style(Role::Muted)));
    below(area, 1)
}

fn read(buf: &mut Buffer, area: Rect, state: &State, view: &RawView, seen: &Seen<'_>) {
    let title = format!("read {}: {}", seen.read + 1, words::length(seen.bytes.len()));
    let area = titled(buf, area, state, &title);
    let look = seen.bytes.get(..seen.bytes.len().min(LOOK)).unwrap_or_default();
    let said = match (look.is_empty(), view.hex) {
        (true, _) => "no bytes: nothing came over a wire".to_owned(),
        (false, true) => hex(look, area.width),
        (false, false) => String::from_utf8_lossy(look).into_owned(),
    };
    show(buf, area, state, &said, Syntax::Plain, (Scroll::at_start(), None));
}

/// `0000  64 61 74 61  data`, as many bytes a row as have room, a multiple of four.
fn hex(bytes: &[u8], width: u16) -> String {
    let row = ((usize::from(width).saturating_sub(8)) / 4 / 4 * 4).clamp(4, 32);
    let mut out = String::new();
    for (at, part) in bytes.chunks(row).enumerate() {
        let numbers = part.iter().fold(String::new(), |mut numbers, byte| {
            let _ = write!(numbers, "{byte:02x} ");
            numbers
        });
        let letters = part.iter().map(|b| if (0x20..0x7F).contains(b) { char::from(*b) } else { '.' });
        let _ = writeln!(out, "{:04x}  {numbers:<wide$} {}", at * row, letters.collect::<String>(), wide = row * 3);
    }
    out
}

fn so_far(buf: &mut Buffer, area: Rect, state: &State, view: &RawView, (log, at, seen): (&RawLog, usize, &Seen<'_>)) {
    let area = titled(buf, area, state, &format!("buffer so far: {}", words::length(seen.buffer)));
    let tail = log.tail(at, LOOK);
    let shift = seen.buffer.saturating_sub(tail.len());
    let mark = view.marked.and_then(|byte| byte.checked_sub(shift)).filter(|byte| *byte < tail.len());
    let mark = mark.map(|byte| Mark { range: byte..byte + 1, role: Role::MarkError });
    show(buf, area, state, &tail, Syntax::Json, (Scroll::default(), mark));
}

fn show(
    buf: &mut Buffer,
    area: Rect,
    state: &State,
    said: &str,
    syntax: Syntax,
    (scroll, mark): (Scroll, Option<Mark>),
) {
    if area.is_empty() {
        return;
    }
    let mut rows = Rows::of(said, syntax, Gutter::None);
    rows.set_marks(mark.into_iter().collect());
    rows.fit(area.width);
    rows.render(area, buf, &scroll, &state.theme);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_are_told_as_numbers_and_letters() {
        assert_eq!(hex(b"data: \xff\x1b", 40), "0000  64 61 74 61 3a 20 ff 1b  data: ..\n");
        assert!(hex(&[0; 100], 10).lines().all(|line| line.len() < 30));
    }
}
