//! A line of input → messages: a slash command, a command's name, an answer to what was asked, or a prompt.

use std::fmt::Write as _;
use std::io::{self, Write};

use super::Silent;
use super::tell::Teller;
use crate::command::{Args, Command, Id, SlashError, by_name, command, nearest, parse_slash, table};
use crate::tui::app::App;
use crate::tui::palette::rank;
use crate::tui::state::State;
use crate::tui::state::editor::Editor;
use crate::tui::state::popup::Popup;
use crate::tui::update::Msg;
use crate::tui::words;

/// Said first.
pub(super) fn greeting(state: &State) -> String {
    format!("formwork, line mode. {} answers. Type a prompt, or a command: /help lists them.", state.models.name)
}

/// Takes a line.
pub(super) fn line<W: Write>(app: &mut App<Silent>, teller: &mut Teller<W>, text: &str) -> io::Result<()> {
    // What was said before is no answer to this line.
    app.state.notice = None;
    teller.tell(&mut app.state)?;
    let told = teller.told();
    let line = text.trim();
    let what = if let Some(rest) = line.strip_prefix('/') {
        match parsed(line, rest) {
            Ok((id, argument)) => {
                give(app, teller, id, &argument)?;
                command(id).title
            }
            Err(why) => return teller.line(&why),
        }
    } else if !app.state.popups.is_empty() {
        answer(app, line);
        "taken"
    } else if line.is_empty() {
        return Ok(());
    } else if line.bytes().all(|b| b.is_ascii_digit()) {
        // An answer that came too late must not cost a call.
        return teller.line(&format!("nothing is listed that {line} could choose; a prompt is more than a number"));
    } else {
        // As it was typed: spaces at its ends may be meant.
        app.state.prompt.set(text);
        app.apply(Msg::Command(Id::RunStart, String::new()));
        "sent"
    };
    teller.tell(&mut app.state)?;
    // Whoever cannot see that something happened is told that it did.
    if app.idle() && teller.told() == told && app.state.quit.is_none() {
        teller.line(&format!("done: {}", what.to_lowercase()))?;
    }
    Ok(())
}

/// Cancelling and quitting wait for nothing. True when the line was one of them.
pub(super) fn at_once(app: &mut App<Silent>, line: &str) -> bool {
    let line = line.trim();
    let id = line.strip_prefix('/').and_then(|rest| parsed(line, rest).ok()).map(|(id, _)| id);
    let wanted = id.filter(|id| matches!(id, Id::RunCancel | Id::Quit | Id::Interrupt) && !app.idle());
    match wanted {
        Some(Id::Quit) => app.apply(Msg::Command(Id::Quit, String::new())),
        Some(_) => app.apply(Msg::Command(Id::Interrupt, String::new())),
        None => return false,
    }
    true
}

/// The slash form, else the name of a command, as `/run.cancel`.
fn parsed(line: &str, rest: &str) -> Result<(Id, String), String> {
    let (name, argument) = rest.split_once(char::is_whitespace).unwrap_or((rest, ""));
    if let Some(row) = by_name(name) {
        return Ok((row.id, argument.trim().to_owned()));
    }
    parse_slash(line).map_err(|error| match error {
        SlashError::Unknown { word, meant: None } => {
            let near = nearest(name, table().iter().map(|c| c.name));
            let next = near.map_or_else(|| "; /help lists them".to_owned(), |near| format!(": did you mean /{near}?"));
            format!("{word} is no command{next}")
        }
        other => other.to_string(),
    })
}

fn give<W: Write>(app: &mut App<Silent>, teller: &mut Teller<W>, id: Id, argument: &str) -> io::Result<()> {
    let row = command(id);
    if matches!(id, Id::Help | Id::ReaderHelp) && argument.is_empty() {
        return teller.lines(&help());
    }
    if let Some(instead) = screen_only(row) {
        return teller.line(&format!("{} needs the screen: {instead}", row.title));
    }
    let contexts = app.state.contexts();
    let of_popup = !app.state.popups.is_empty() && row.contexts.iter().any(|c| contexts.contains(c) && *c != ALWAYS);
    if of_popup {
        // Its argument says which row is meant.
        if let Ok(number) = argument.parse::<usize>() {
            select(&mut app.state, number);
        }
        app.apply(Msg::Command(id, String::new()));
        return Ok(());
    }
    close(app);
    app.apply(Msg::Command(id, argument.to_owned()));
    Ok(())
}

const ALWAYS: crate::command::Context = crate::command::Context::Always;

/// Leaves everything that was asked.
fn close(app: &mut App<Silent>) {
    while !app.state.popups.is_empty() {
        app.apply(Msg::Command(Id::PopupClose, String::new()));
    }
}

/// A line for what was asked last; an empty one leaves it.
fn answer(app: &mut App<Silent>, line: &str) {
    if line.is_empty() {
        app.apply(Msg::Command(Id::PopupClose, String::new()));
        return app.state.say(crate::tui::state::Tone::Info, "left");
    }
    let number = line.parse::<usize>().ok().filter(|n| select(&mut app.state, *n));
    let id = match app.state.popups.last_mut() {
        Some(Popup::List(_)) if number.is_some() => Id::ListAccept,
        Some(Popup::List(list)) => {
            list.query = Editor::new(line);
            rank(list);
            if !list.matches.is_empty() {
                return;
            }
            // Where any text is allowed, it is taken.
            Id::ListAccept
        }
        Some(Popup::Line(asked)) => {
            asked.editor = Editor::new(line);
            asked.offered = false;
            Id::LineAccept
        }
        Some(Popup::Ask(_)) => match line.to_lowercase().as_str() {
            "y" | "yes" => Id::AskYes,
            "n" | "no" => Id::AskNo,
            _ => return app.state.say(crate::tui::state::Tone::Warn, "answer yes or no"),
        },
        Some(Popup::Board(_)) if number.is_some() => Id::BoardOpen,
        Some(Popup::Turns(_)) if number.is_some() => Id::TurnShow,
        Some(Popup::Board(_) | Popup::Turns(_) | Popup::Page(_) | Popup::Raw(_)) | None => {
            return app.state.say(crate::tui::state::Tone::Warn, "answer with a number of the list");
        }
    };
    app.apply(Msg::Command(id, String::new()));
}

/// Selects a row of the topmost list by its number, counted from 1. True when there is such a row.
fn select(state: &mut State, number: usize) -> bool {
    let Some(at) = number.checked_sub(1) else { return false };
    let turn = state.turns.places().get(at).and_then(|place| state.turns.list.get(place.at)).map(|t| t.record.id);
    let providers = state.schema.board().map_or(0, |board| board.rows.len());
    match state.popups.last_mut() {
        Some(Popup::List(list)) if at < list.matches.len() => list.selected = at,
        Some(Popup::Board(view)) if at < providers => view.selected = at,
        Some(Popup::Turns(view)) => match turn {
            Some(id) => view.selected = id,
            None => return false,
        },
        Some(Popup::List(_) | Popup::Board(_) | Popup::Line(_) | Popup::Page(_) | Popup::Ask(_) | Popup::Raw(_))
        | None => return false,
    }
    true
}

/// What to do instead of a command that moves something on the screen only.
fn screen_only(row: &Command) -> Option<&'static str> {
    use crate::command::Context::{Complete, Raw, Slash};
    if row.contexts.iter().all(|c| matches!(c, Complete | Slash)) {
        return Some("/help lists the commands");
    }
    if row.contexts.iter().all(|c| matches!(c, Raw)) {
        return Some("/events lists the events");
    }
    match row.id {
        Id::FocusNext
        | Id::FocusPrevious
        | Id::FocusSchema
        | Id::FocusPrompt
        | Id::FocusCandidate
        | Id::FocusResult
        | Id::FocusAttempts
        | Id::Jump
        | Id::Zoom
        | Id::Wider
        | Id::Narrower
        | Id::Taller
        | Id::Shorter
        | Id::Layout
        | Id::Which
        | Id::Redraw
        | Id::Suspend
        | Id::Mouse
        | Id::ThemePick
        | Id::Tour
        | Id::TourSkip
        | Id::TourEnd
        | Id::RawToggle
        | Id::ThinkingFold => Some("there are no parts to look at here"),
        Id::Undo
        | Id::Redo
        | Id::Search
        | Id::SearchNext
        | Id::SearchPrevious
        | Id::SearchCase
        | Id::SearchPattern
        | Id::Replace
        | Id::ReplaceAll
        | Id::SelectAll
        | Id::EditCopy
        | Id::Cut
        | Id::Paste
        | Id::Duplicate
        | Id::LineUp
        | Id::LineDown
        | Id::LineDelete
        | Id::Indent
        | Id::Outdent
        | Id::Bracket
        | Id::SchemaFold
        | Id::SchemaUnfold
        | Id::Complete
        | Id::Target
        | Id::Back
        | Id::References => Some("/schema edit opens the schema in your editor"),
        Id::PromptSend | Id::PromptNewline | Id::PromptOlder | Id::PromptNewer | Id::PromptEdit => {
            Some("type the prompt; a line that ends with \\ goes on in the next")
        }
        Id::Up
        | Id::Down
        | Id::PageUp
        | Id::PageDown
        | Id::Top
        | Id::Bottom
        | Id::TreeToggle
        | Id::TreeCollapse
        | Id::TreeExpand
        | Id::TreeExpandAll
        | Id::TreeCollapseAll
        | Id::TreeLevel
        | Id::TreeNextMatch
        | Id::TreePreviousMatch
        | Id::TreeSearch
        | Id::TurnFold
        | Id::TurnFoldAll => Some("everything is told as text here"),
        _ => None,
    }
}

/// The commands of the line mode.
fn help() -> String {
    let mut text = String::from(
        "A line that begins with / is a command; any other line is a prompt and starts a run.\n\
         A line that ends with \\ goes on in the next one.\n\
         What is listed is chosen by its number, or narrowed by words; an empty line leaves it.\n\
         Ctrl-C cancels a run, else it ends the program. The end of the input ends it too.\n\
         Commands without a form below are given by name, as /run.cancel; /help WORD names them.\n\n",
    );
    for row in table().iter().filter(|row| !row.slash.is_empty() && screen_only(row).is_none()) {
        let form =
            if row.args == Args::None { row.slash.to_owned() } else { format!("{} {}", row.slash, row.args.usage()) };
        let _ = writeln!(text, "{form}");
        for line in words::wrap(row.doc, usize::from(super::WIDTH) - 4) {
            let _ = writeln!(text, "    {line}");
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_command_is_found_by_form_and_by_name() {
        let parse = |line: &str| parsed(line, line.trim_start_matches('/'));
        assert_eq!(parse("/schema load a b"), Ok((Id::SchemaLoad, "a b".to_owned())));
        assert_eq!(parse("/run.cancel"), Ok((Id::RunCancel, String::new())));
        assert_eq!(parse("/attempt.diff 2"), Ok((Id::AttemptDiff, "2".to_owned())));
        assert_eq!(parse("/run.cancle"), Err("/run.cancle is no command: did you mean /run.cancel?".to_owned()));
        assert_eq!(parse("/qqqqqq"), Err("/qqqqqq is no command; /help lists them".to_owned()));
    }

    #[test]
    fn what_help_lists_can_be_given() {
        let help = help();
        assert!(help.contains("/schema load PATH") && help.contains("/run\n") && !help.contains("/layout"));
        assert!(help.lines().all(|line| crate::text::width(line) <= 92), "{help}");
    }
}
