//! Where the regions lie: side by side from 100 columns, stacked below, one at a time below 60. Pure.

use ratatui::layout::Rect;

use super::super::state::run::Run;
use super::super::state::{Region, State};
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
        regions: [None; 5],
        group: &[],
    };
    let body = Rect::new(0, 1.min(height), width, height.saturating_sub(3));
    match shape {
        Shape::SideBySide => side_by_side(&mut areas, state, body),
        Shape::Stacked => stacked(&mut areas, state, body),
        Shape::Single => single(&mut areas, state, body),
    }
    areas
}

fn side_by_side(areas: &mut Areas, state: &State, body: Rect) {
    let left = (body.width * 9 / 20).clamp(46, 96);
    let prompt = prompt_height(state, left, body.height / 3);
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
        let attempts = attempts_height(state, area.height / 3);
        let candidate = (area.height - attempts) / 2;
        areas.set(Region::Candidate, Rect { height: candidate, ..area });
        let result = Rect { y: area.y + candidate, height: area.height - attempts - candidate, ..area };
        areas.set(Region::Result, result);
        areas.set(Region::Attempts, Rect { y: area.bottom() - attempts, height: attempts, ..area });
        return;
    }
    if area.height >= MIDDLE {
        let attempts = attempts_height(state, area.height * 2 / 5);
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
    let prompt = prompt_height(state, body.width, body.height / 4);
    let rest = body.height - prompt;
    let schema = if state.focus == Region::Schema { rest * 3 / 5 } else { rest * 2 / 5 };
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
    let attempts = state.run.as_ref().map_or(0, |r: &Run| r.attempts.len());
    u16::try_from(attempts + 8).unwrap_or(u16::MAX).clamp(8, most.max(8))
}
