//! `read_file` and `list_dir`.

use std::fmt::Write as _;
use std::io::Read as _;
use std::path::Path;

use super::MAX_RESULT;
use super::place::{Place, hidden};
use crate::text::safe;

/// A file larger than this is refused: what comes of it would not fit into any context.
pub(super) const MAX_FILE: u64 = 8 * 1024 * 1024;
/// Room for the note below a part.
const NOTE: usize = 128;
/// Entries of a folder that are looked at, and those that are listed.
const MAX_SEEN: usize = 50_000;
const MAX_LISTED: usize = 1_000;

/// A part of a file, from a line on.
pub(super) fn file(place: &Place, named: &str, first_line: usize) -> Result<String, String> {
    let real = place.find(named)?;
    let text = text_of(&real)?;
    part(&text, first_line.max(1))
}

/// The text of a file.
///
/// # Errors
/// When it is no plain file, too large, or not UTF-8 text.
pub(super) fn text_of(real: &Path) -> Result<String, String> {
    let unread = |error: std::io::Error| format!("the file cannot be read: {}", error.kind());
    // Before it is opened: opening a pipe would wait for its writer.
    let about = fs_err::metadata(real).map_err(unread)?;
    if !about.is_file() {
        return Err("this is no file: list_dir shows a folder".to_owned());
    }
    let too_large = |bytes: u64| format!("the file has {bytes} bytes, more than {MAX_FILE}: it is not read");
    if about.len() > MAX_FILE {
        return Err(too_large(about.len()));
    }
    let mut bytes = Vec::new();
    let file = fs_err::File::open(real).map_err(unread)?;
    file.take(MAX_FILE + 1).read_to_end(&mut bytes).map_err(unread)?;
    if bytes.len() as u64 > MAX_FILE {
        return Err(too_large(bytes.len() as u64));
    }
    let size = bytes.len();
    let binary = || format!("the file is binary ({size} bytes)");
    if bytes.contains(&0) {
        return Err(binary());
    }
    String::from_utf8(bytes).map_err(|_| binary())
}

/// Whole lines from `first` on, as many as a result holds; one that is longer alone is cut.
fn part(text: &str, first: usize) -> Result<String, String> {
    let room = MAX_RESULT - NOTE;
    let lines = text.split_inclusive('\n').count();
    if first > 1 && first > lines {
        return Err(format!("the file has {lines} lines"));
    }
    let (mut out, mut last) = (String::new(), first - 1);
    for line in text.split_inclusive('\n').skip(first - 1) {
        if out.len() + line.len() > room {
            break;
        }
        out.push_str(line);
        last += 1;
    }
    if last < first && last < lines {
        let line = text.split_inclusive('\n').nth(first - 1).unwrap_or_default();
        let (shown, rest) = line.split_at(line.floor_char_boundary(room));
        return Ok(format!("{shown}\n[line {first} of {lines} is cut: {} more bytes]", rest.len()));
    }
    if last < lines {
        let _ = write!(out, "[cut after line {last} of {lines}: first_line {} goes on]", last + 1);
    }
    Ok(out)
}

/// The entries of a folder, by name.
pub(super) fn folder(place: &Place, named: &str) -> Result<String, String> {
    let real = place.find(named)?;
    let unread = |error: std::io::Error| format!("the folder cannot be read: {}", error.kind());
    if !fs_err::metadata(&real).map_err(unread)?.is_dir() {
        return Err("this is no folder: read_file shows a file".to_owned());
    }
    let (mut rows, mut more) = (Vec::new(), false);
    for (seen, entry) in fs_err::read_dir(&real).map_err(unread)?.enumerate() {
        if seen == MAX_SEEN {
            more = true;
            break;
        }
        let Ok(entry) = entry else { continue };
        let name = entry.file_name().to_string_lossy().into_owned();
        if hidden(&name) {
            continue;
        }
        // Not followed: a link is told as one.
        let kind = match entry.metadata() {
            Ok(about) if about.is_dir() => "/".to_owned(),
            Ok(about) if about.is_file() => format!("  {} bytes", about.len()),
            Ok(about) if about.is_symlink() => "  link".to_owned(),
            Ok(_) | Err(_) => "  no plain file".to_owned(),
        };
        rows.push(format!("{}{kind}\n", safe(&name)));
    }
    rows.sort_unstable();
    let left_out = rows.len().saturating_sub(MAX_LISTED);
    rows.truncate(MAX_LISTED);
    let mut out = rows.concat();
    match (left_out, more) {
        (0, false) if out.is_empty() => out.push_str("[the folder is empty]"),
        (0, false) => {}
        (_, true) => out.push_str("[cut: the folder holds more than is looked at]"),
        (_, false) => {
            let _ = write!(out, "[cut: {left_out} more entries]");
        }
    }
    Ok(out)
}
