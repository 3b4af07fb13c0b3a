//! `search_text`: lines that hold a text, in every text file below a folder. Follows no link.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use tokio_util::sync::CancellationToken;

use super::place::{Place, hidden};
use super::read::text_of;

/// Lines that are told, and characters of one.
const MAX_LINES: usize = 200;
const MAX_WIDTH: usize = 300;
/// Files and folders that are looked at.
const MAX_SEEN: usize = 20_000;
/// Larger files are data, not text that anybody wrote.
const MAX_BYTES: u64 = 1024 * 1024;

#[derive(Default)]
struct Found {
    out: String,
    lines: usize,
    files: usize,
    skipped: usize,
    seen: usize,
    cut: bool,
}

/// Searches a folder or one file.
pub(super) fn text(place: &Place, wanted: &str, named: &str, stop: &CancellationToken) -> Result<String, String> {
    if wanted.is_empty() || wanted.contains('\n') {
        return Err("the text to find is one line, and not empty".to_owned());
    }
    let mut waiting = vec![place.find(named)?];
    let mut found = Found::default();
    while let Some(path) = waiting.pop() {
        found.seen += 1;
        if found.seen > MAX_SEEN || found.lines >= MAX_LINES || stop.is_cancelled() {
            found.cut = true;
            break;
        }
        let Ok(about) = fs_err::symlink_metadata(&path) else { continue };
        if about.is_dir() {
            waiting.extend(below(&path, MAX_SEEN.saturating_sub(waiting.len())));
        } else if about.is_file() && about.len() <= MAX_BYTES {
            in_file(place, &path, wanted, &mut found);
        } else {
            found.skipped += 1;
        }
    }
    Ok(told(found))
}

/// The entries of a folder, last name first: they are taken from the end.
fn below(folder: &Path, room: usize) -> Vec<PathBuf> {
    let Ok(entries) = fs_err::read_dir(folder) else { return Vec::new() };
    let entries = entries.filter_map(Result::ok).filter(|entry| !hidden(&entry.file_name().to_string_lossy()));
    let mut paths: Vec<PathBuf> = entries.take(room).map(|entry| entry.path()).collect();
    paths.sort_unstable_by(|a, b| b.cmp(a));
    paths
}

fn in_file(place: &Place, path: &Path, wanted: &str, found: &mut Found) {
    let Ok(text) = text_of(path) else {
        found.skipped += 1;
        return;
    };
    found.files += 1;
    let name = place.name(path);
    for (number, line) in text.lines().enumerate().filter(|(_, line)| line.contains(wanted)) {
        if found.lines >= MAX_LINES {
            found.cut = true;
            return;
        }
        found.lines += 1;
        let shown: String = line.chars().take(MAX_WIDTH).collect();
        let more = if shown.len() < line.len() { " […]" } else { "" };
        let _ = writeln!(found.out, "{name}:{}: {shown}{more}", number + 1);
    }
}

fn told(found: Found) -> String {
    let Found { mut out, lines, files, skipped, cut, .. } = found;
    let _ = write!(out, "[{lines} lines in {files} text files");
    if skipped > 0 {
        let _ = write!(out, "; {skipped} binary or large files and links not searched");
    }
    out.push_str(if cut { "; cut: there may be more]" } else { "]" });
    out
}
