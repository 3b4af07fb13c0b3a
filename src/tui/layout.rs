//! Where the regions lie: side by side from 100 columns, stacked below, one at a time below 60. Pure.
//!
//! A border between two panes can be moved: [`moved`] says what share that gives them, [`toward`] which border makes a
//! pane larger.

use ratatui::layout::Rect;

use super::state::habits::{Border, Habits};
use super::state::timeline;
use super::state::{Region, State};
use crate::text;

/// How the screen is divided.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Shape {
    SideBySide,
    Stacked,
    Single,
}

/// Columns from which the regions lie side by side.
const WIDE: u16 = 100;
/// Columns below which one region has the screen.
const NARROW: u16 = 60;
/// Rows below which a stack shows nothing well.
const LOW: u16 = 20;
/// Rows from which all three readers have a place of their own.
const TALL: u16 = 40;
/// Rows from which the attempts have a place beside the reader.
const MIDDLE: u16 = 24;

/// No pane is made narrower or lower than this.
const NARROWEST: u16 = 30;
const LOWEST: u16 = 4;

const READERS: &[Region] = &[Region::Candidate, Region::Result, Region::Attempts];
const TWO: &[Region] = &[Region::Candidate, Region::Result];

/// The places of one frame.
#[derive(Debug, Clone, Copy)]
pub struct Areas {
    pub shape: Shape,
    pub header: Rect,
    pub status: Rect,
    pub hints: Rect,
    pub welcome: Option<Rect>,
    /// The step of the tour.
    pub tour: Option<Rect>,
    regions: [Option<Rect>; 5],
    /// Regions that share one place: their titles are tabs.
    pub group: &'static [Region],
}

impl Areas {
    /// Where a region lies; `None` while another has its place.
    #[must_use]
    pub fn of(&self, region: Region) -> Option<Rect> {
        self.regions[index(region)]
    }

    fn set(&mut self, region: Region, area: Rect) {
        self.regions[index(region)] = Some(area).filter(|a| a.width > 2 && a.height > 2);
    }
}

fn index(region: Region) -> usize {
    match region {
        Region::Schema => 0,
        Region::Prompt => 1,
        Region::Candidate => 2,
        Region::Result => 3,
        Region::Attempts => 4,
    }
}

/// What lies between the first line and the last two, less the rows of the tour.
fn body(state: &State) -> Rect {
    let (width, height) = state.sizes.screen;
    let body = Rect::new(0, 1.min(height), width, height.saturating_sub(3));
    let Some(tour) = &state.tour else { return body };
    let rows = u16::try_from(tour.rows(state, state.sizes.screen).len()).unwrap_or(0) + 1;
    Rect { height: body.height - rows.min(body.height / 2), ..body }
}

/// Divides the screen.
#[must_use]
pub fn areas(state: &State) -> Areas {
    let (width, height) = state.sizes.screen;
    let shape = match (width, height) {
        _ if state.zoom => Shape::Single,
        (..NARROW, _) | (_, ..LOW) => Shape::Single,
        (NARROW..WIDE, _) => Shape::Stacked,
        (WIDE.., _) => Shape::SideBySide,
    };
    let bar = |y: u16| Rect::new(0, y.min(height), width, u16::from(y < height));
    let mut areas = Areas {
        shape,
        header: bar(0),
        status: bar(height.saturating_sub(2)),
        hints: bar(height.saturating_sub(1)),
        welcome: None,
        tour: None,
        regions: [None; 5],
        group: &[],
    };
    let body = body(state);
    let below = height.saturating_sub(2).saturating_sub(body.bottom());
    areas.tour = Some(Rect { y: body.bottom(), height: below, ..body }).filter(|area| area.height > 0);
    match shape {
        Shape::SideBySide => side_by_side(&mut areas, state, body),
        Shape::Stacked => stacked(&mut areas, state, body),
        Shape::Single => single(&mut areas, state, body),
    }
    areas
}

fn side_by_side(areas: &mut Areas, state: &State, body: Rect) {
    let usual = (body.width * 9 / 20).clamp(46, 96);
    let left = share(state.habits.left, body.width, usual, (NARROWEST, body.width.saturating_sub(NARROWEST)));
    let usual = prompt_height(state, left, body.height / 3);
    let prompt = share(state.habits.prompt, body.height, usual, (LOWEST, body.height.saturating_sub(LOWEST)));
    let (l, r) = (Rect { width: left, ..body }, Rect { x: left, width: body.width - left, ..body });
    areas.set(Region::Schema, Rect { height: l.height - prompt, ..l });
    areas.set(Region::Prompt, Rect { y: l.bottom() - prompt, height: prompt, ..l });
    if welcomes(state) {
        areas.welcome = Some(r);
        return;
    }
    readers(areas, state, r);
}

fn readers(areas: &mut Areas, state: &State, area: Rect) {
    if area.height >= TALL {
        let usual = attempts_height(state, area.height / 3);
        let attempts = share(state.habits.attempts, area.height, usual, (LOWEST, area.height - 2 * LOWEST));
        let both = area.height - attempts;
        let candidate = share(state.habits.candidate, both, both / 2, (LOWEST, both - LOWEST));
        areas.set(Region::Candidate, Rect { height: candidate, ..area });
        let result = Rect { y: area.y + candidate, height: area.height - attempts - candidate, ..area };
        areas.set(Region::Result, result);
        areas.set(Region::Attempts, Rect { y: area.bottom() - attempts, height: attempts, ..area });
        return;
    }
    if area.height >= MIDDLE {
        let usual = attempts_height(state, area.height * 2 / 5);
        let attempts = share(state.habits.attempts, area.height, usual, (LOWEST, area.height - LOWEST));
        areas.group = TWO;
        let top = if state.reader == Region::Result { Region::Result } else { Region::Candidate };
        areas.set(top, Rect { height: area.height - attempts, ..area });
        areas.set(Region::Attempts, Rect { y: area.bottom() - attempts, height: attempts, ..area });
        return;
    }
    areas.group = READERS;
    areas.set(state.reader, area);
}

fn stacked(areas: &mut Areas, state: &State, body: Rect) {
    let usual = prompt_height(state, body.width, body.height / 4);
    let prompt = share(state.habits.prompt, body.height, usual, (LOWEST, body.height - 2 * LOWEST));
    let rest = body.height - prompt;
    let usual = if state.focus == Region::Schema { rest * 3 / 5 } else { rest * 2 / 5 };
    let schema = share(state.habits.schema, rest, usual, (LOWEST, rest - LOWEST));
    areas.set(Region::Schema, Rect { height: schema, ..body });
    areas.set(Region::Prompt, Rect { y: body.y + schema, height: prompt, ..body });
    let reader = Rect { y: body.y + schema + prompt, height: rest - schema, ..body };
    if welcomes(state) {
        areas.welcome = Some(reader);
        return;
    }
    areas.group = READERS;
    areas.set(state.reader, reader);
}

fn single(areas: &mut Areas, state: &State, body: Rect) {
    areas.group = &Region::ALL;
    let low_welcome = welcomes(state) && state.focus == Region::Prompt && !state.zoom;
    if low_welcome {
        let prompt = prompt_height(state, body.width, 5).min(body.height);
        areas.set(Region::Prompt, Rect { y: body.bottom() - prompt, height: prompt, ..body });
        areas.welcome = Some(Rect { height: body.height - prompt, ..body });
        return;
    }
    areas.set(state.focus, body);
}

/// So many cells of `whole`; `usual` where nobody chose.
fn share(chosen: Option<u16>, whole: u16, usual: u16, (least, most): (u16, u16)) -> u16 {
    let Some(thousandths) = chosen else { return usual };
    let cells = (u32::from(whole) * u32::from(thousandths) + 500) / 1_000;
    u16::try_from(cells).unwrap_or(u16::MAX).clamp(least, most.max(least))
}

/// Which way a pane is made larger.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Axis {
    Width,
    Height,
}

/// The cells of the borders that are on the screen: where one can be seized.
fn borders(state: &State) -> Vec<(Border, Rect)> {
    let areas = areas(state);
    let top = |region: Region| areas.of(region).map(|a| Rect { height: 1, ..a });
    let reader = READERS.iter().copied().find_map(top);
    let found = match areas.shape {
        Shape::Single => [None; 4],
        Shape::Stacked => {
            [top(Region::Prompt).map(|a| (Border::Prompt, a)), reader.map(|a| (Border::Reader, a)), None, None]
        }
        Shape::SideBySide => {
            let column = areas.of(Region::Schema).zip(areas.of(Region::Prompt)).map(|(schema, prompt)| Rect {
                x: schema.right().saturating_sub(1),
                y: schema.y,
                width: 2,
                height: schema.height + prompt.height,
            });
            let both = areas.of(Region::Candidate).is_some();
            [
                column.map(|a| (Border::Column, a)),
                top(Region::Prompt).map(|a| (Border::Prompt, a)),
                top(Region::Result).filter(|_| both).map(|a| (Border::Result, a)),
                // As a tab the attempts lie below nothing.
                top(Region::Attempts).filter(|_| areas.group != READERS).map(|a| (Border::Attempts, a)),
            ]
        }
    };
    found.into_iter().flatten().collect()
}

/// The border at a cell.
#[must_use]
pub fn border_at(state: &State, (x, y): (u16, u16)) -> Option<Border> {
    borders(state).into_iter().find(|(_, cells)| cells.contains((x, y).into())).map(|(border, _)| border)
}

/// Moves a border to a cell of the screen.
pub fn moved(state: &mut State, border: Border, (x, y): (u16, u16)) {
    let areas = areas(state);
    let body = body(state);
    let rows = |region: Region| areas.of(region).map_or(0, |a| a.height);
    let part = |cells: u16, whole: u16| {
        let thousandths = u32::from(cells) * 1_000 / u32::from(whole.max(1));
        Some(u16::try_from(thousandths).unwrap_or(1_000).min(1_000))
    };
    let stacked = areas.shape == Shape::Stacked;
    let habits: &mut Habits = &mut state.habits;
    match border {
        Border::Column => habits.left = part(x, body.width),
        Border::Prompt if stacked => {
            // The reader stays as it is: what the prompt gives, the schema gets.
            let (both, schema) = (rows(Region::Schema) + rows(Region::Prompt), y.saturating_sub(body.y).max(LOWEST));
            let prompt = both.saturating_sub(schema).max(LOWEST);
            habits.prompt = part(prompt, body.height);
            habits.schema = part(both.saturating_sub(prompt), body.height.saturating_sub(prompt));
        }
        Border::Prompt => habits.prompt = part(body.bottom().saturating_sub(y), body.height),
        Border::Reader => {
            let prompt = rows(Region::Prompt);
            habits.prompt = part(prompt, body.height);
            habits.schema = part(y.saturating_sub(body.y + prompt), body.height.saturating_sub(prompt));
        }
        Border::Result => {
            let both = rows(Region::Candidate) + rows(Region::Result);
            habits.candidate = part(y.saturating_sub(body.y), both);
        }
        Border::Attempts => habits.attempts = part(body.bottom().saturating_sub(y), body.height),
    }
}

/// The border to move, and the cell to move it to, so that the focused pane gains `by` steps; `None` where nothing can
/// be moved that way.
#[must_use]
pub fn toward(state: &State, axis: Axis, by: i32) -> Option<(Border, (u16, u16))> {
    let found = borders(state);
    let at = |border: Border| found.iter().find(|(one, _)| *one == border).map(|(_, cells)| (cells.x, cells.y));
    let left = matches!(state.focus, Region::Schema | Region::Prompt);
    let (border, sign) = match (axis, state.focus) {
        (Axis::Width, _) => (Border::Column, if left { 1 } else { -1 }),
        (Axis::Height, Region::Schema) => (Border::Prompt, 1),
        (Axis::Height, Region::Prompt) => (Border::Prompt, -1),
        (Axis::Height, Region::Attempts) if at(Border::Attempts).is_some() => (Border::Attempts, -1),
        (Axis::Height, Region::Result) if at(Border::Result).is_some() => (Border::Result, -1),
        (Axis::Height, Region::Candidate) if at(Border::Result).is_some() => (Border::Result, 1),
        (Axis::Height, _) if at(Border::Attempts).is_some() => (Border::Attempts, 1),
        (Axis::Height, _) => (Border::Reader, -1),
    };
    let (x, y) = at(border)?;
    let step = |from: u16, cells: i32| u16::try_from((i32::from(from) + cells).max(1)).unwrap_or(1);
    Some((
        border,
        match axis {
            // A column's border is seized at its left cell, and counts from the right one.
            Axis::Width => (step(x + 1, sign * by * 4), y),
            Axis::Height => (x, step(y, sign * by * 2)),
        },
    ))
}

/// Nothing was loaded and nothing was run: say what can be done.
#[must_use]
pub fn welcomes(state: &State) -> bool {
    state.run.is_none()
        && state.schema.editor.is_blank()
        && state.schema.path.is_none()
        && !matches!(state.focus, Region::Candidate | Region::Result | Region::Attempts)
}

/// The prompt grows with its text, within its share.
fn prompt_height(state: &State, width: u16, most: u16) -> u16 {
    let columns = usize::from(width.saturating_sub(4)).max(1);
    let rows: usize = state.prompt.editor.lines().iter().map(|l| text::width(l) / columns + 1).sum();
    u16::try_from(rows + 2).unwrap_or(u16::MAX).clamp(4, most.max(4))
}

/// The attempts take what they need, within their share.
fn attempts_height(state: &State, most: u16) -> u16 {
    let rows = state.run.as_ref().map_or(0, timeline::height);
    u16::try_from(rows + 8).unwrap_or(u16::MAX).clamp(8, most.max(8))
}
