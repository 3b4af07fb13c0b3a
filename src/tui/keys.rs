//! Terminal events → the program's own words. Releases are dropped here; a paste is one event.

use crossterm::event::{Event, KeyCode, KeyEvent, KeyEventKind, KeyModifiers, MouseButton, MouseEvent, MouseEventKind};

use super::state::Watched;
use super::update::{Msg, Pointer};
use crate::command::{Chord, Key};

/// What a terminal event means; `None` for what nobody wants (releases).
#[must_use]
pub fn message(event: &Event) -> Option<Msg> {
    match event {
        Event::Key(key) if key.kind != KeyEventKind::Release => chord(*key).map(Msg::Key),
        Event::Paste(text) => Some(Msg::Paste(text.clone())),
        Event::Resize(width, height) => Some(Msg::Resize(*width, *height)),
        Event::Mouse(mouse) => pointer(*mouse).map(Msg::Mouse),
        Event::FocusGained => Some(Msg::Watched(Watched::Yes)),
        Event::FocusLost => Some(Msg::Watched(Watched::No)),
        Event::Key(_) => None,
    }
}

/// The left button and the wheel; moves without a button are nobody's.
fn pointer(event: MouseEvent) -> Option<Pointer> {
    let (x, y) = (event.column, event.row);
    match event.kind {
        MouseEventKind::Down(MouseButton::Left) => Some(Pointer::Press(x, y)),
        MouseEventKind::Drag(MouseButton::Left) => Some(Pointer::Drag(x, y)),
        MouseEventKind::Up(MouseButton::Left) => Some(Pointer::Release),
        MouseEventKind::ScrollUp => Some(Pointer::WheelUp(x, y)),
        MouseEventKind::ScrollDown => Some(Pointer::WheelDown(x, y)),
        _ => None,
    }
}

/// A terminal's key as a chord.
#[must_use]
pub fn chord(event: KeyEvent) -> Option<Chord> {
    let key = match event.code {
        KeyCode::Char(c) => Key::Char(c),
        KeyCode::Enter => Key::Enter,
        KeyCode::Esc => Key::Esc,
        KeyCode::Tab => Key::Tab,
        KeyCode::BackTab => return Some(Chord::new(false, false, true, Key::Tab)),
        KeyCode::Backspace => Key::Backspace,
        KeyCode::Delete => Key::Delete,
        KeyCode::Insert => Key::Insert,
        KeyCode::Up => Key::Up,
        KeyCode::Down => Key::Down,
        KeyCode::Left => Key::Left,
        KeyCode::Right => Key::Right,
        KeyCode::Home => Key::Home,
        KeyCode::End => Key::End,
        KeyCode::PageUp => Key::PageUp,
        KeyCode::PageDown => Key::PageDown,
        KeyCode::F(n) => Key::F(n),
        _ => return None,
    };
    let has = |m| event.modifiers.contains(m);
    Some(Chord::new(has(KeyModifiers::CONTROL), has(KeyModifiers::ALT), has(KeyModifiers::SHIFT), key))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn press(code: KeyCode, modifiers: KeyModifiers) -> Option<String> {
        chord(KeyEvent::new(code, modifiers)).map(|c| c.to_string())
    }

    #[test]
    fn keys_of_any_terminal_become_chords() {
        let none = KeyModifiers::NONE;
        assert_eq!(press(KeyCode::Char('r'), KeyModifiers::CONTROL).as_deref(), Some("Ctrl-R"));
        assert_eq!(press(KeyCode::BackTab, KeyModifiers::SHIFT).as_deref(), Some("Shift-Tab"));
        assert_eq!(press(KeyCode::Tab, KeyModifiers::SHIFT).as_deref(), Some("Shift-Tab"));
        assert_eq!(press(KeyCode::Char('N'), KeyModifiers::SHIFT).as_deref(), Some("N"));
        assert_eq!(press(KeyCode::Char('ä'), none).as_deref(), Some("ä"));
        assert_eq!(press(KeyCode::CapsLock, none), None);
    }

    #[test]
    fn releases_are_dropped() {
        let release = KeyEvent { kind: KeyEventKind::Release, ..KeyEvent::new(KeyCode::Enter, KeyModifiers::NONE) };
        assert!(message(&Event::Key(release)).is_none());
    }
}
