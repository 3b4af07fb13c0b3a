//! One shot in front of a person: what stands on the terminal at the end.

use std::io::Read;
use std::num::NonZero;

use portable_pty::{CommandBuilder, PtySize, native_pty_system};

use crate::PAIR;
use crate::place::Place;

fn cells(count: u16) -> NonZero<u16> {
    NonZero::new(count).unwrap()
}

/// Runs in a terminal; gives everything that was written, and the rows that are left.
fn shown(place: &Place, args: &[&str]) -> (String, Vec<String>) {
    let mut command = CommandBuilder::new(env!("CARGO_BIN_EXE_formwork"));
    command.env_clear();
    command.args(args);
    place.write("config.toml", "");
    command.env("HOME", place.path(""));
    command.env("FORMWORK_CONFIG", place.path("config.toml"));
    command.env("FORMWORK_DATA_DIR", place.path("data"));
    command.cwd(place.path(""));
    let pair = native_pty_system().openpty(PtySize { rows: 24, cols: 80, pixel_width: 0, pixel_height: 0 }).unwrap();
    let mut child = pair.slave.spawn_command(command).unwrap();
    drop(pair.slave);
    let mut raw = Vec::new();
    // Some systems end the stream of a closed terminal with an error.
    let _ = pair.master.try_clone_reader().unwrap().read_to_end(&mut raw);
    child.wait().unwrap();
    let mut screen = vt100::Parser::new(cells(24), cells(80), 0);
    screen.process(&raw);
    let rows = screen.screen().rows(0, 80).filter(|row| !row.is_empty()).collect();
    (String::from_utf8(raw).unwrap(), rows)
}

#[test]
fn the_moving_line_leaves_nothing_on_the_screen() {
    let place = Place::new();
    place.write("pair.json", PAIR);
    let (raw, rows) = shown(&place, &["-p", "x", "-m", "sim/sample", "--json-schema", "pair.json"]);
    assert!(raw.contains("attempt 1"), "it moved: {raw:?}");
    assert!(
        matches!(rows.as_slice(), [note, value]
        if note == "note: simulated by sim/sample" && value.starts_with('{') && value.ends_with('}')),
        "{rows:?}"
    );
    let (_, rows) = shown(&place, &["-p", "x", "-m", "sim/sample"]);
    assert!(rows.iter().all(|row| !row.contains("attempt")), "{rows:?}");
    let (_, rows) = shown(&place, &["-p", "x", "-m", "sim/refusal", "--events"]);
    assert!(rows.iter().all(|row| !row.contains("attempt 1 ·")), "{rows:?}");
}
