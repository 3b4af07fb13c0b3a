//! Progress bars: for downloads, for probes, and for a local model that loads or reads its prompt.

use ratatui::text::{Line, Span};

use super::super::state::State;
use super::super::state::probe::Probing;
use super::super::state::pull::Pull;
use super::super::theme::{Role, Theme};
use super::spinner;
use crate::command::Id;
use crate::event::{Phase, Progress};

/// Cells of a bar beside text.
const CELLS: u64 = 24;

/// A bar of `cells`, filled by thousandths. Told apart by shape, not by colour alone.
pub(super) fn bar<'a>(theme: &Theme, thousandths: u64, cells: u64) -> [Span<'a>; 2] {
    let full = thousandths.min(1000) * cells / 1000;
    let repeat = |glyph: &str, n: u64| glyph.repeat(usize::try_from(n).unwrap_or(0));
    let glyphs = theme.glyphs();
    [
        Span::styled(repeat(glyphs.bar, full), theme.style(Role::Accent)),
        Span::styled(repeat(glyphs.bar_rest, cells - full), theme.style(Role::Muted)),
    ]
}

/// The download under way, as the status line shows it.
pub(super) fn pull<'a>(state: &State, pull: &Pull, width: u16) -> Line<'a> {
    let theme = &state.theme;
    let muted = |text: String| Span::styled(text, theme.style(Role::Muted));
    let mut spans = vec![
        Span::styled(format!(" {} ", spinner(state)), theme.style(Role::Info)),
        super::outside(&format!("pulling {}  ", pull.name), Role::Text, theme),
    ];
    if pull.cancelled {
        spans.push(muted("stopping".to_owned()));
        return Line::from(spans);
    }
    let figures = pull.figures(state.now);
    let stop = format!("   {} stops", state.keymap.shown(Id::RunCancel));
    if let Some(share) = pull.share() {
        let percent = format!(" {:>3} %  ", share / 10);
        let used = Line::from(spans.clone()).width() + percent.len() + crate::text::width(&figures) + stop.len();
        // The bar goes first where there is no room; the figures say the same.
        if used + usize::try_from(CELLS).unwrap_or(0) <= usize::from(width) {
            spans.extend(bar(theme, share, CELLS));
        }
        spans.push(Span::styled(percent, theme.style(Role::Text)));
    }
    spans.push(muted(figures));
    spans.push(Span::styled(stop, theme.style(Role::KeyHint)));
    Line::from(spans)
}

/// The probe under way, as the status line shows it.
pub(super) fn probe<'a>(state: &State, probing: &Probing, width: u16) -> Line<'a> {
    let theme = &state.theme;
    let muted = |text: String| Span::styled(text, theme.style(Role::Muted));
    let mut spans = vec![
        Span::styled(format!(" {} ", spinner(state)), theme.style(Role::Info)),
        super::outside(&format!("probing {}  ", probing.name), Role::Text, theme),
    ];
    if probing.cancelled {
        spans.push(muted("stopping".to_owned()));
        return Line::from(spans);
    }
    let stop = format!("   {} stops", state.keymap.shown(Id::RunCancel));
    let head = Line::from(spans.clone()).width() + stop.len();
    let [long, short, shortest] = probing.figures(state.now);
    let fits = |figures: &String| head + crate::text::width(figures) <= usize::from(width);
    let figures = [long, short].into_iter().find(fits).unwrap_or(shortest);
    let used = head + crate::text::width(&figures) + 2;
    if used + usize::try_from(CELLS).unwrap_or(0) <= usize::from(width) {
        spans.extend(bar(theme, probing.share(), CELLS));
        spans.push(Span::raw("  "));
    }
    spans.push(muted(figures));
    spans.push(Span::styled(stop, theme.style(Role::KeyHint)));
    Line::from(spans)
}

/// What the built-in model does before its first token: `reading the prompt ━━━─── 96 of 240 tokens`.
pub(super) fn preparing<'a>(state: &State, progress: Progress, width: u16) -> Line<'a> {
    let theme = &state.theme;
    let (words, unit) = match progress.phase {
        Phase::Loading => ("loading the model", "tensors"),
        Phase::Prefill => ("reading the prompt", "tokens"),
    };
    let head = format!("{} {words} ", spinner(state));
    let figures = format!(" {} of {} {unit}", progress.done, progress.total);
    let mut spans = vec![Span::styled(head, theme.style(Role::Muted))];
    let share = progress.done.saturating_mul(1000).checked_div(progress.total).unwrap_or(0);
    let used = Line::from(spans.clone()).width() + figures.len();
    if used + usize::try_from(CELLS).unwrap_or(0) <= usize::from(width) {
        spans.extend(bar(theme, share, CELLS));
    }
    spans.push(Span::styled(figures, theme.style(Role::Muted)));
    Line::from(spans)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tui::theme::Theme;

    #[test]
    fn a_bar_has_its_width_whatever_the_share() {
        let theme = Theme::mono();
        for (share, full) in [(0, 0), (499, 11), (500, 12), (1000, 24), (5000, 24)] {
            let [done, rest] = bar(&theme, share, 24);
            assert_eq!((done.width(), done.width() + rest.width()), (full, 24), "{share}");
        }
    }
}
