//! Files of the terminal program: bounded reads, whole-file writes, the search for schemas.

use std::io::Read;
use std::path::{Path, PathBuf};

use super::super::effect::{Entry, OnDisk, Reply};
use super::super::state::habits::Habits;
use super::super::state::outputs::Over;
use crate::files::{private_folder, replace};
use crate::schema::source::ENDINGS;
use crate::text::ends::plain;

/// Eight times what a schema may weigh: enough for comments on how it is laid out, no room for a mistake.
const MAX_SCHEMA: u64 = 8 * 1024 * 1024;
/// Files the finder offers.
const MAX_FOUND: usize = 2_000;
/// Entries the finder looks at; a home folder has more than anybody wants to wait for.
const MAX_SEEN: usize = 50_000;
/// Folders the finder goes down.
const MAX_DEPTH: usize = 8;
/// Folders that hold no schema of the user's.
const SKIPPED: &[&str] = &["node_modules", "target", "__pycache__", "venv"];
const RECENT: &str = "recent-schemas.txt";
const HABITS: &str = "habits.toml";

/// A path as typed: `~/` is the home folder, relative ones start at the working folder.
pub(super) fn full(folder: &Path, path: &Path) -> PathBuf {
    if let Ok(rest) = path.strip_prefix("~")
        && let Some(dirs) = directories::BaseDirs::new()
    {
        return dirs.home_dir().join(rest);
    }
    folder.join(path)
}

/// Reads a schema file.
pub(super) fn read(folder: &Path, path: PathBuf) -> Reply {
    let text = read_text(&full(folder, &path)).map_err(|why| format!("{}: {why}", path.display()));
    Reply::SchemaRead { path, text }
}

/// The text of a file that is no schema: an answer.
pub(super) fn text(folder: &Path, path: &Path) -> Result<String, String> {
    read_text(&full(folder, path))
}

fn read_text(path: &Path) -> Result<String, String> {
    read_text_up_to(path, MAX_SCHEMA)
}

/// Reads a text of at most `most` bytes.
pub(super) fn read_text_up_to(path: &Path, most: u64) -> Result<String, String> {
    let plain =
        |e: std::io::Error| e.get_ref().and_then(|e| e.source()).map_or_else(|| e.to_string(), ToString::to_string);
    let file = fs_err::File::open(path).map_err(|error| match error.kind() {
        std::io::ErrorKind::NotFound => "there is no such file".to_owned(),
        _ => plain(error),
    })?;
    if file.metadata().is_ok_and(|m| m.is_dir()) {
        return Err("is a folder".to_owned());
    }
    let mut bytes = Vec::new();
    file.take(most + 1).read_to_end(&mut bytes).map_err(plain)?;
    if bytes.len() as u64 > most {
        return Err(format!("is larger than {} MiB", most >> 20));
    }
    String::from_utf8(bytes).map_err(|e| format!("is no UTF-8 text (byte {})", e.utf8_error().valid_up_to()))
}

/// What a schema's file holds now. What stands in its place and is no file is not opened: a pipe would never answer.
pub(super) fn on_disk(folder: &Path, path: &Path) -> OnDisk {
    let path = full(folder, path);
    match fs_err::metadata(&path) {
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => OnDisk::Gone,
        Ok(found) if !found.is_file() => OnDisk::Unread("is no file any more".to_owned()),
        Ok(_) => read_text(&path).map_or_else(OnDisk::Unread, OnDisk::Text),
        Err(error) => OnDisk::Unread(error.kind().to_string()),
    }
}

/// Does a file hold something else than a text, whatever ends its lines? One that cannot be read does not: writing will say why.
pub(super) fn differs(folder: &Path, path: &Path, text: &str) -> bool {
    read_text(&full(folder, path)).is_ok_and(|now| plain(&now) != text)
}

/// Writes a whole file: beside it first, then in its place, so that a crash leaves the old one. A new file is as
/// readable as any other of the user's.
pub(super) fn write(folder: &Path, path: &Path, text: &str) -> Result<(), String> {
    let target = full(folder, path);
    let target = fs_err::canonicalize(&target).unwrap_or(target);
    write_to(&target, text).map_err(|e| format!("{}: {}", path.display(), e.kind()))
}

/// Writes what a person wants to keep, unless something is there that was not to be replaced.
pub(super) fn export(folder: &Path, path: PathBuf, over: Over, text: &str, sample: Option<u64>) -> Reply {
    if over == Over::Ask && is_there(folder, &path) {
        return Reply::FileThere(path);
    }
    let error = write(folder, &path, text).err();
    Reply::FileWritten { path, bytes: text.len(), sample, error }
}

/// Writes a function, and makes the folder it lies in.
pub(super) fn save_function(folder: &Path, path: PathBuf, over: Over, text: &str, call: String) -> Reply {
    if over == Over::Ask && is_there(folder, &path) {
        return Reply::FileThere(path);
    }
    let made = full(folder, &path).parent().map_or(Ok(()), fs_err::create_dir_all);
    let made = made.map_err(|error| format!("{}: {}", path.display(), error.kind()));
    let error = made.and_then(|()| write(folder, &path, text)).err();
    Reply::FunctionSaved { path, call, error }
}

/// Would writing to this path replace something?
pub(super) fn is_there(folder: &Path, path: &Path) -> bool {
    fs_err::symlink_metadata(full(folder, path)).is_ok()
}

fn write_to(target: &Path, text: &str) -> std::io::Result<()> {
    if target.exists() { replace(target, text.as_bytes()) } else { fs_err::write(target, text) }
}

/// Schema files below a folder, nearest first; links are not followed.
pub(super) fn find(folder: &Path) -> Reply {
    let mut found = Vec::new();
    let mut seen = 0;
    let mut level = vec![PathBuf::new()];
    for _ in 0..MAX_DEPTH {
        let mut below = Vec::new();
        level.sort();
        for relative in level {
            look_in(folder, &relative, &mut found, &mut below, &mut seen);
        }
        level = below;
    }
    let cut = found.len() >= MAX_FOUND || seen >= MAX_SEEN || !level.is_empty();
    Reply::Files { paths: found, cut }
}

fn look_in(folder: &Path, relative: &Path, found: &mut Vec<PathBuf>, below: &mut Vec<PathBuf>, seen: &mut usize) {
    let mut names: Vec<(String, bool)> = listed(&folder.join(relative));
    names.sort();
    for (name, is_folder) in names {
        *seen += 1;
        if *seen > MAX_SEEN || found.len() >= MAX_FOUND {
            return;
        }
        if name.starts_with('.') || SKIPPED.contains(&name.as_str()) {
            continue;
        }
        if is_folder {
            below.push(relative.join(&name));
        } else if may_hold_a_schema(&name) {
            found.push(relative.join(&name));
        }
    }
}

/// By its ending.
fn may_hold_a_schema(name: &str) -> bool {
    Path::new(name).extension().is_some_and(|end| ENDINGS.iter().any(|known| end.eq_ignore_ascii_case(known)))
}

/// Names in a folder, and whether each is a folder; what cannot be read is left out.
fn listed(folder: &Path) -> Vec<(String, bool)> {
    let Ok(entries) = fs_err::read_dir(folder) else { return Vec::new() };
    let one = |entry: fs_err::DirEntry| {
        let kind = entry.file_type().ok()?;
        entry.file_name().into_string().ok().map(|name| (name, kind.is_dir()))
    };
    entries.filter_map(|e| one(e.ok()?)).collect()
}

/// The entries that can follow a typed path.
pub(super) fn entries(folder: &Path, typed: String) -> Reply {
    let (head, _) = super::super::slash::split_path(&typed);
    let mut entries: Vec<Entry> = listed(&full(folder, Path::new(head)))
        .into_iter()
        .map(|(name, is_folder)| Entry { name, folder: is_folder })
        .collect();
    // Schemas first: they are what is looked for.
    entries.sort_by(|a, b| (a.folder, &a.name).cmp(&(b.folder, &b.name)));
    entries.sort_by_key(|e| !(e.folder || may_hold_a_schema(&e.name)));
    Reply::Entries { typed, entries }
}

/// The user's themes: (name, text).
pub(super) fn themes(folder: &Path) -> Vec<(String, String)> {
    let mut out: Vec<(String, String)> = listed(folder)
        .into_iter()
        .filter_map(|(name, _)| {
            let stem = name.strip_suffix(".toml")?.to_owned();
            fs_err::read_to_string(folder.join(&name)).ok().map(|text| (stem, text))
        })
        .collect();
    out.sort();
    out
}

/// The schema files used before, newest first; those that are gone are left out.
pub(super) fn recent(data_dir: &Path) -> Vec<PathBuf> {
    let text = fs_err::read_to_string(data_dir.join(RECENT)).unwrap_or_default();
    text.lines().filter(|l| !l.is_empty()).map(PathBuf::from).filter(|p| p.is_file()).collect()
}

/// Keeps the recent list; a data folder that cannot be written is no reason to disturb anybody.
pub(super) fn save_recent(data_dir: &Path, paths: &[PathBuf]) {
    let mut lines = paths.iter().filter_map(|p| p.to_str()).collect::<Vec<_>>().join("\n");
    lines.push('\n');
    if private_folder(data_dir).is_ok() {
        let _ = write_to(&data_dir.join(RECENT), &lines);
    }
}

/// The sizes of the panes and the commands used last; a file that cannot be read counts as none.
pub(super) fn habits(data_dir: &Path) -> Habits {
    Habits::read(&fs_err::read_to_string(data_dir.join(HABITS)).unwrap_or_default())
}

/// Keeps them; as with the recent list, a folder that cannot be written disturbs nobody.
pub(super) fn save_habits(data_dir: &Path, habits: &Habits) {
    if private_folder(data_dir).is_ok() {
        let _ = write_to(&data_dir.join(HABITS), &habits.text());
    }
}
