//! The screen as a function of the state. Draws, decides nothing; sees no channel, no handle, no clock.

mod attempts;
mod board;
mod candidate;
mod chrome;
mod editor;
mod popup;
mod progress;
mod prompt;
mod raw;
mod result;
mod schema;
mod timeline;
mod tour;
mod turns;
mod welcome;
mod which;

use ratatui::Frame;
use ratatui::buffer::{Buffer, CellWidth};
use ratatui::layout::Rect;
use ratatui::style::Style;
use ratatui::text::{Line, Span};
use ratatui::widgets::{Block, BorderType, Widget};

use super::layout::{self, Areas};
use super::state::popup::Popup;
use super::state::result::Shown;
use super::state::run::{Fate, Run};
use super::state::{Glance, Region, State};
use super::theme::{Role, Theme};
use super::words;
use crate::text;

/// The smallest screen that shows more than a notice.
pub const SMALLEST: (u16, u16) = (40, 10);

/// Fits what depends on the size of the screen: row tables, heights, the schema's window. Cheap when nothing changed.
pub fn prepare(state: &mut State, size: (u16, u16)) {
    state.sizes.screen = size;
    let areas = layout::areas(state);
    state.sizes.regions = Region::ALL.map(|region| areas.of(region));
    state.sizes.tabs = tabs(state, &areas);
    if let Some(area) = areas.of(Region::Candidate) {
        let inner = inner(area);
        let head = candidate::head(state, inner.height);
        state.sizes.candidate = usize::from(inner.height.saturating_sub(head));
        if let Some(attempt) = state.run.as_mut().and_then(Run::shown_mut) {
            attempt.rows.fit(inner.width);
        }
    }
    if let Some(area) = areas.of(Region::Result) {
        fit_result(state, inner(area));
    }
    if let Some(area) = areas.of(Region::Schema) {
        schema::fit(state, inner(area));
    }
    let page = popup::page_area(Rect::new(0, 0, size.0, size.1));
    state.sizes.page = usize::from(page.height.saturating_sub(2));
    state.sizes.page_width = page.width.saturating_sub(4);
    match state.popups.last_mut() {
        Some(Popup::Page(top)) => top.fit(state.sizes.page_width),
        Some(Popup::Ask(ask)) => ask.page.fit(state.sizes.page_width),
        Some(Popup::List(_) | Popup::Line(_) | Popup::Board(_) | Popup::Raw(_) | Popup::Turns(_)) | None => {}
    }
}

fn fit_result(state: &mut State, inner: Rect) {
    state.sizes.result = usize::from(inner.height);
    let height = state.sizes.result;
    let result = &mut state.result;
    match &mut result.shown {
        Shown::Value(built) if result.raw => built.canonical.fit(inner.width),
        Shown::Value(built) => result.tree.show(&built.tree, height),
        Shown::Text(rows) => rows.fit(inner.width),
        Shown::Nothing | Shown::Building => {}
    }
}

/// Draws one frame. Call [`prepare`] with the same size before.
pub fn draw(frame: &mut Frame<'_>, state: &State) {
    let area = frame.area();
    let theme = &state.theme;
    frame.buffer_mut().set_style(area, theme.style(Role::Text));
    if area.width < SMALLEST.0 || area.height < SMALLEST.1 {
        chrome::too_small(frame.buffer_mut(), area, theme);
        return;
    }
    let areas = layout::areas(state);
    let mut caret = None;
    chrome::header(frame.buffer_mut(), areas.header, state);
    for region in Region::ALL {
        if let Some(area) = areas.of(region) {
            let here = region_view(frame.buffer_mut(), area, state, &areas, region);
            caret = caret.or(here.filter(|_| state.focus == region));
        }
    }
    if let Some(area) = areas.welcome {
        welcome::draw(frame.buffer_mut(), area, state);
    }
    if let Some((area, tour)) = areas.tour.zip(state.tour.as_ref()) {
        tour::draw(frame.buffer_mut(), area, state, tour);
    }
    chrome::status(frame.buffer_mut(), areas.status, state);
    chrome::hints(frame.buffer_mut(), areas.hints, state);
    if state.glance == Some(Glance::Keys) {
        which::draw(frame.buffer_mut(), areas.hints, state);
    }
    if state.popups.is_empty() && state.prompt.completing() && state.focus == Region::Prompt {
        prompt::completions(frame.buffer_mut(), &areas, state);
    }
    if let Some(caret) = caret.filter(|_| state.popups.is_empty() && state.focus == Region::Schema) {
        schema::completions(frame.buffer_mut(), state, caret);
    }
    if !state.popups.is_empty() {
        caret = None;
    }
    // One popup at a time: of those below only the one that a line speaks about stays in sight, quietly.
    if let Some((top, below)) = state.popups.split_last() {
        if let Some(under) = below.last().filter(|_| matches!(top, Popup::Line(_))) {
            popup::draw_below(frame.buffer_mut(), area, state, under);
        }
        caret = popup::draw(frame.buffer_mut(), area, state, top);
    }
    if let Some((x, y)) = caret {
        frame.set_cursor_position((x.min(area.right().saturating_sub(1)), y.min(area.bottom().saturating_sub(1))));
    }
}

fn region_view(buf: &mut Buffer, area: Rect, state: &State, areas: &Areas, region: Region) -> Option<(u16, u16)> {
    match region {
        Region::Schema => schema::draw(buf, area, state, areas),
        Region::Prompt => Some(prompt::draw(buf, area, state, areas)),
        Region::Candidate => {
            candidate::draw(buf, area, state, areas);
            None
        }
        Region::Result => {
            result::draw(buf, area, state, areas);
            None
        }
        Region::Attempts => {
            attempts::draw(buf, area, state, areas);
            None
        }
    }
}

/// What lies inside a pane's border.
fn inner(area: Rect) -> Rect {
    Rect {
        x: area.x.saturating_add(1),
        y: area.y.saturating_add(1),
        width: area.width.saturating_sub(2),
        height: area.height.saturating_sub(2),
    }
}

/// A pane's border with its titles: the regions that share this place left; right the longest of the given facts that
/// has room.
fn pane(buf: &mut Buffer, area: Rect, state: &State, areas: &Areas, region: Region, right: Vec<Line<'_>>) -> Rect {
    let theme = &state.theme;
    let focused = state.focus == region && state.popups.is_empty();
    let border = if focused { Role::BorderFocus } else { Role::Border };
    let titles = titles(state, areas, region, usize::from(area.width.saturating_sub(2)));
    let room = usize::from(area.width).saturating_sub(titles.width() + 3);
    let mut block = Block::bordered()
        .border_type(BorderType::Plain)
        .border_set(theme.glyphs().border)
        .border_style(theme.style(border))
        .title_top(folded(theme, titles));
    if let Some(facts) = right.into_iter().find(|facts| facts.width() <= room) {
        block = block.title_top(folded(theme, facts).right_aligned());
    }
    block.render(area, buf);
    inner(area)
}

/// ` Schema ` or, where several share a place, ` Candidate │ Result │ Attempts ` with the one on top marked. Where not
/// all names have room, the others are their beginnings, then their numbers alone.
fn titles<'a>(state: &State, areas: &Areas, region: Region, room: usize) -> Line<'a> {
    let group: &[Region] = if areas.group.contains(&region) { areas.group } else { std::slice::from_ref(&region) };
    let forms = [usize::MAX, 4, 0].map(|letters| titles_with(state, group, region, letters));
    let fits = forms.iter().position(|line| line.width() <= room).unwrap_or(forms.len() - 1);
    forms.into_iter().nth(fits).unwrap_or_default()
}

/// Where the tabs of the regions that share a place lie, in the order of [`Region::ALL`].
fn tabs(state: &State, areas: &Areas) -> [Option<Rect>; 5] {
    let mut found = Vec::new();
    let shown = areas.group.iter().find_map(|region| Some((*region, areas.of(*region)?)));
    if let Some((top, area)) = shown {
        let line = titles(state, areas, top, usize::from(area.width.saturating_sub(2)));
        let mut x = area.x + 1;
        for (tab, region) in line.spans.split(|span| span.content == TAB_GAP).zip(areas.group) {
            let width = u16::try_from(tab.iter().map(Span::width).sum::<usize>()).unwrap_or(u16::MAX);
            found.push((*region, Rect::new(x, area.y, width, 1).intersection(area)));
            x = x.saturating_add(width + TAB_GAP_WIDTH);
        }
    }
    Region::ALL.map(|region| found.iter().find(|(tab, _)| *tab == region).map(|(_, cells)| *cells))
}

/// Between two tabs.
const TAB_GAP: &str = " │ ";
const TAB_GAP_WIDTH: u16 = 3;

fn titles_with<'a>(state: &State, group: &[Region], region: Region, letters: usize) -> Line<'a> {
    let theme = &state.theme;
    let mut spans = vec![Span::raw(" ")];
    for (i, one) in group.iter().enumerate() {
        if i > 0 {
            spans.push(Span::styled(TAB_GAP, theme.style(Role::Border)));
        }
        let number = Region::ALL.iter().position(|r| r == one).unwrap_or(0) + 1;
        let on = *one == region;
        let (role, letters) = if on { (Role::Title, usize::MAX) } else { (Role::Muted, letters) };
        let mark = if on && state.focus == region { theme.glyphs().selected } else { "" };
        let gap = if mark.is_empty() { "" } else { " " };
        let name = text::truncate(one.title(), letters);
        let name = if letters == 0 { String::new() } else { name.into_owned() };
        let space = if name.is_empty() { "" } else { " " };
        spans.push(Span::styled(format!("{mark}{gap}"), theme.style(Role::Accent)));
        if state.glance == Some(Glance::Letters) {
            spans.push(Span::styled(one.letter().to_string(), theme.style(Role::Badge)));
            spans.push(Span::raw(space));
        } else {
            spans.push(Span::styled(format!("{number}{space}"), theme.style(Role::Muted)));
        }
        spans.push(Span::styled(name, theme.style(role)));
    }
    spans.push(Span::raw(" "));
    Line::from(spans)
}

/// Writes one line of spans; one that has no room ends in an ellipsis, so that nobody takes it for whole.
fn put(theme: &Theme, buf: &mut Buffer, x: u16, y: u16, width: u16, line: &Line<'_>) {
    let width = width.min(buf.area.right().saturating_sub(x));
    if width == 0 || !buf.area.contains((x, y).into()) {
        return;
    }
    let ascii = theme.glyphs().is_ascii().then(|| folded(theme, line.clone()));
    let line = ascii.as_ref().unwrap_or(line);
    buf.set_line(x, y, line, width);
    if line.width() > usize::from(width) {
        let last = x + width - 1;
        // The ellipsis must not stand on half a wide character.
        if let Some(before) = buf.cell_mut((last.saturating_sub(1), y)).filter(|c| width > 1 && c.cell_width() > 1) {
            before.set_symbol(" ");
        }
        if let Some(cell) = buf.cell_mut((last, y)) {
            cell.set_symbol(theme.glyphs().ellipsis);
        }
    }
}

/// The program's own signs in a line as the glyph set has them.
fn folded<'a>(theme: &Theme, line: Line<'a>) -> Line<'a> {
    if !theme.glyphs().is_ascii() {
        return line;
    }
    let spans = line.spans.iter().map(|s| Span::styled(theme.glyphs().fold(&s.content), s.style)).collect();
    Line { spans, ..line }
}

/// A span of text from outside, made safe.
fn outside<'a>(text: &str, role: Role, theme: &Theme) -> Span<'a> {
    Span::styled(text::safe(text).into_owned(), theme.style(role))
}

/// Centres muted lines in an empty pane; long ones wrap.
fn empty(theme: &Theme, buf: &mut Buffer, area: Rect, lines: &[Line<'_>]) {
    let room = usize::from(area.width.saturating_sub(2)).max(1);
    let lines: Vec<Line<'_>> = lines.iter().flat_map(|line| hang(line, 0, room)).collect();
    let height = u16::try_from(lines.len()).unwrap_or(u16::MAX).min(area.height);
    let top = area.y + (area.height - height) / 3;
    for (i, line) in lines.iter().take(usize::from(height)).enumerate() {
        let y = top + u16::try_from(i).unwrap_or(0);
        let width = u16::try_from(line.width()).unwrap_or(u16::MAX).min(area.width);
        put(theme, buf, area.x + (area.width - width) / 2, y, width, line);
    }
}

/// Breaks a styled line at spaces into rows of at most `width` cells, all but the first indented.
fn hang<'a>(line: &Line<'a>, indent: usize, width: usize) -> Vec<Line<'a>> {
    if line.width() <= width {
        return vec![line.clone()];
    }
    let cells: Vec<(&str, Style)> =
        line.spans.iter().flat_map(|s| text::graphemes(&s.content).map(move |c| (c, s.style))).collect();
    let mut rows: Vec<Line<'a>> = Vec::new();
    let mut rest = cells.as_slice();
    while !rest.is_empty() {
        let indent = if rows.is_empty() { 0 } else { indent.min(width.saturating_sub(1)) };
        let (row, after) = rest.split_at(row_end(rest, width.saturating_sub(indent)));
        let mut spans = vec![Span::raw(" ".repeat(indent))];
        spans.extend(row.chunk_by(|a, b| a.1 == b.1).map(|run| {
            let style = run.first().map_or_else(Style::new, |c| c.1);
            Span::styled(run.iter().map(|c| c.0).collect::<String>(), style)
        }));
        rows.push(Line::from(spans));
        rest = after.iter().position(|c| c.0 != " ").and_then(|at| after.get(at..)).unwrap_or_default();
    }
    rows
}

/// How many clusters fit in `room` cells, broken at the last space if there is one; at least one.
fn row_end(cells: &[(&str, Style)], room: usize) -> usize {
    let mut used = 0;
    let fit = cells.iter().take_while(|c| {
        used += text::cluster_width(c.0);
        used <= room
    });
    let fit = fit.count();
    let space = |at: usize| cells.get(at).is_some_and(|c| c.0 == " ");
    let cut = if fit == cells.len() || space(fit) { fit } else { (1..fit).rfind(|at| space(*at)).unwrap_or(fit) };
    cut.max(1)
}

/// Sign, word and role of a fate: never colour alone.
fn fate_sign(fate: Fate, theme: &Theme) -> (&'static str, String, Role) {
    let glyphs = theme.glyphs();
    let words = words::fate(fate);
    match fate {
        Fate::Streaming | Fate::Judging => (glyphs.pending, words, Role::Info),
        Fate::Accepted | Fate::Text => (glyphs.success, words, Role::Success),
        Fate::Rejected(_) => (glyphs.error, words, Role::Error),
        Fate::Failed(_) => (glyphs.warning, words, Role::Warning),
    }
}

/// The spinner's sign at this time; one that stands where nothing may turn.
fn spinner(state: &State) -> &'static str {
    if state.still {
        return state.theme.glyphs().pending;
    }
    let frames = state.theme.glyphs().spinner;
    let step = usize::try_from(state.now / super::state::SPIN).unwrap_or(0);
    frames.get(step % frames.len().max(1)).copied().unwrap_or("*")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn styled_lines_hang_under_their_beginning() {
        let bold = Style::new().bold();
        let line = Line::from(vec![Span::raw("1  Take a "), Span::styled("schema", bold), Span::raw(" file")]);
        let rows = |width| hang(&line, 3, width).iter().map(ToString::to_string).collect::<Vec<_>>();
        assert_eq!(rows(30), ["1  Take a schema file"]);
        assert_eq!(rows(16), ["1  Take a schema", "   file"]);
        assert_eq!(rows(12), ["1  Take a", "   schema", "   file"]);
        assert_eq!(hang(&Line::raw("汉字汉字"), 2, 5).len(), 3);
        assert!(hang(&line, 3, 1).iter().all(|row| row.width() <= 1));
        assert!(hang(&line, 3, 12)[1].spans.iter().any(|s| s.style == bold && s.content == "schema"));
    }

    #[test]
    fn what_has_no_room_ends_in_an_ellipsis_never_on_half_a_character() {
        let theme = Theme::mono();
        for (text, width, want) in [("abcdef", 4, "abc…"), ("abcd", 4, "abcd"), ("汉字汉", 4, "汉…"), ("ab", 1, "…")]
        {
            let mut buf = Buffer::empty(Rect::new(0, 0, 4, 1));
            put(&theme, &mut buf, 0, 0, width, &Line::raw(text));
            let shown: String = buf.content.iter().map(ratatui::buffer::Cell::symbol).collect();
            assert_eq!(shown.replace(' ', ""), want, "{text}");
        }
    }
}
