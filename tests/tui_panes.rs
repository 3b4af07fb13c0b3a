//! Sizes of panes, jumping, the keys of a place, help for a word, what was used last.
#![allow(clippy::unwrap_used, reason = "helpers of tests stop at the first surprise, like tests")]

#[path = "support/screen.rs"]
mod screen;

use formwork::command::Id;
use formwork::tui::state::Region;
use formwork::tui::update::{Msg, Pointer};
use screen::Screen;

const SCHEMA: &str = r#"{"type": "object", "properties": {"a": {"type": "integer"}}, "required": ["a"]}"#;

/// After a run, so that every part is there.
async fn ran(width: u16, height: u16, dir: &tempfile::TempDir) -> Screen {
    fs_err::write(dir.path().join("a.json"), SCHEMA).unwrap();
    let mut s = Screen::new(width, height, dir.path());
    s.settle().await;
    s.steps(&["type:/schema load a.json", "enter"]).await;
    s.steps(&["type:go", "enter"]).await;
    s.settle().await;
    s
}

fn area(s: &Screen, region: Region) -> ratatui::layout::Rect {
    let at = Region::ALL.iter().position(|r| *r == region).unwrap();
    s.app.state.sizes.regions[at].unwrap()
}

#[tokio::test(start_paused = true)]
async fn the_focused_part_grows_and_shrinks_and_the_sizes_are_kept() {
    let dir = tempfile::tempdir().unwrap();
    let mut s = ran(200, 50, &dir).await;
    let before = area(&s, Region::Schema);
    s.steps(&["alt-1", "alt-=", "alt-="]).await;
    assert_eq!(area(&s, Region::Schema).width, before.width + 8);
    s.steps(&["alt-4", "alt-="]).await;
    assert_eq!(area(&s, Region::Schema).width, before.width + 4, "what the readers gain the schema gives");
    s.steps(&["alt-2", "alt-+", "alt-+"]).await;
    for region in [Region::Schema, Region::Prompt, Region::Candidate, Region::Result, Region::Attempts] {
        s.app.state.focus = region;
        let height = area(&s, region).height;
        s.steps(&["alt-+"]).await;
        assert_eq!(area(&s, region).height, height + 2, "{region:?}");
        s.steps(&["alt-_"]).await;
        assert_eq!(area(&s, region).height, height, "{region:?}");
    }
    let width = area(&s, Region::Schema).width;
    s.settle().await;
    drop(s);
    let mut again = ran(200, 50, &dir).await;
    assert_eq!(area(&again, Region::Schema).width, width, "remembered");
    again.steps(&["alt-2", "type:/layout usual", "enter"]).await;
    assert_eq!(area(&again, Region::Schema).width, before.width);
}

#[tokio::test(start_paused = true)]
async fn no_size_and_no_number_of_steps_loses_a_part() {
    let dir = tempfile::tempdir().unwrap();
    for (width, height) in [(200, 50), (120, 30), (100, 20), (80, 24), (60, 20), (40, 10), (400, 100)] {
        let mut s = ran(width, height, &dir).await;
        for region in Region::ALL {
            for key in ["alt-=", "alt--", "alt-+", "alt-_"] {
                s.app.state.focus = region;
                for _ in 0..25 {
                    s.steps(&[key]).await;
                }
                for area in s.app.state.sizes.regions.into_iter().flatten() {
                    assert!(area.width >= 30 && area.height >= 4, "{width}x{height} {region:?} {key}: {area:?}");
                    assert!(area.right() <= width && area.bottom() <= height - 2, "{width}x{height} {region:?} {key}");
                }
            }
        }
    }
}

#[tokio::test(start_paused = true)]
async fn a_border_follows_the_mouse_and_a_tab_takes_a_click() {
    let dir = tempfile::tempdir().unwrap();
    let mut s = ran(120, 30, &dir).await;
    let edge = area(&s, Region::Schema).right() - 1;
    s.app.apply(Msg::Mouse(Pointer::Press(edge, 5)));
    s.app.apply(Msg::Mouse(Pointer::Drag(70, 5)));
    s.app.apply(Msg::Mouse(Pointer::Release));
    s.steps(&["alt-3"]).await;
    assert_eq!(area(&s, Region::Schema).right(), 70);
    s.app.apply(Msg::Mouse(Pointer::Drag(40, 5)));
    s.settle().await;
    assert_eq!(area(&s, Region::Schema).right(), 70, "nothing is held any more");
    let top = area(&s, Region::Candidate);
    let row: String = s.text().lines().nth(usize::from(top.y)).unwrap().to_owned();
    let column = row.chars().position(|c| c == 'R').unwrap();
    s.app.apply(Msg::Mouse(Pointer::Press(u16::try_from(column).unwrap(), top.y)));
    assert_eq!(s.app.state.focus, Region::Result);
}

#[tokio::test(start_paused = true)]
async fn a_letter_jumps_to_a_part_and_nothing_is_typed() {
    let dir = tempfile::tempdir().unwrap();
    let mut s = ran(120, 30, &dir).await;
    for (letter, region) in [
        ("s", Region::Schema),
        ("c", Region::Candidate),
        ("r", Region::Result),
        ("a", Region::Attempts),
        ("p", Region::Prompt),
    ] {
        s.steps(&["alt-'"]).await;
        s.has("s schema · p prompt");
        s.steps(&[letter]).await;
        assert_eq!(s.app.state.focus, region);
    }
    // However narrow: what is said is whole.
    for (width, said) in
        [(60, "s schema  p prompt  c candidate  r result  a attempts"), (40, "a letter goes to its part")]
    {
        s.resize(width, 20);
        s.steps(&["alt-'"]).await;
        s.has(said);
        s.steps(&["esc"]).await;
    }
    s.resize(120, 30);
    s.steps(&["alt-'", "z", "x"]).await;
    assert_eq!(s.app.state.prompt.text(), "x", "a letter of no part only leaves");
    // What else the user does, or what opens, leaves too: the next letter is a letter.
    s.steps(&["alt-'"]).await;
    s.app.apply(Msg::Paste("y".to_owned()));
    s.steps(&["s", "alt-'"]).await;
    s.command(Id::Palette, "");
    s.steps(&["s", "esc"]).await;
    assert_eq!((s.app.state.focus, s.app.state.prompt.text()), (Region::Prompt, "xys".to_owned()));
}

#[tokio::test(start_paused = true)]
async fn the_keys_of_a_place_are_shown_and_the_next_key_works() {
    let dir = tempfile::tempdir().unwrap();
    let mut s = ran(120, 30, &dir).await;
    s.steps(&["alt-4", "alt-?"]).await;
    s.has("Keys: Result");
    s.has("Search the result");
    s.has("formwork · ");
    s.lacks("Page down");
    s.steps(&["r"]).await;
    assert!(s.app.state.result.raw && s.app.state.glance.is_none());
    s.steps(&["alt-?", "esc"]).await;
    s.lacks("Keys: Result");
}

#[tokio::test(start_paused = true)]
async fn help_knows_keywords_commands_and_settings() {
    let dir = tempfile::tempdir().unwrap();
    let mut s = ran(120, 40, &dir).await;
    for (word, found) in [
        ("minItems", "smallest number of items"),
        ("zoom", "Gives the whole screen"),
        ("timeout", "deadline of a whole run"),
        ("ctrl-r", "Sends the prompt"),
    ] {
        s.steps(&["alt-2", &format!("type:/help {word}"), "enter"]).await;
        s.has(found);
        s.steps(&["esc"]).await;
    }
    s.steps(&["alt-2", "type:/help minItmes", "enter"]).await;
    s.has("did you mean minItems?");
}

#[tokio::test(start_paused = true)]
async fn the_palette_shows_what_was_used_last_first() {
    let dir = tempfile::tempdir().unwrap();
    let mut s = ran(120, 40, &dir).await;
    s.steps(&["ctrl-p", "type:zoom", "enter", "ctrl-p"]).await;
    let screen = s.text();
    let row = |word: &str| screen.lines().position(|l| l.contains(word));
    assert!(row("Zoom") < row("Sends the prompt"), "{screen}");
}
