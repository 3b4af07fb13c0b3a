//! The parts of a function's file: the settings between two lines `+++`, then the prompt, or sections under the headings
//! `# System`, `# Prompt` and `# Schema`. A line of a prompt that only looks like such a heading has a `\` before it.

use std::path::Path;

use super::{Fault, Template};
use crate::json::{self, Position};

/// The line around the settings.
pub(super) const FENCE: &str = "+++";
/// The headings.
pub(super) const SYSTEM: &str = "# System";
pub(super) const PROMPT: &str = "# Prompt";
pub(super) const SCHEMA: &str = "# Schema";

/// A piece of the text, by bytes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Piece {
    pub(super) text: String,
    /// Where it begins in the file.
    pub(super) offset: usize,
}

/// The parts, as they stand.
#[derive(Debug)]
pub(super) struct Parts {
    pub(super) front: Piece,
    pub(super) system: Option<Template>,
    pub(super) prompt: Template,
    /// What stands in the fence below `# Schema`, and the word after the fence.
    pub(super) schema: Option<(Piece, String)>,
    /// Where the heading `# Schema` stands.
    pub(super) schema_at: Option<Position>,
}

/// A line with its place, without its end.
#[derive(Clone, Copy)]
struct Line<'t> {
    text: &'t str,
    start: usize,
    /// Where the next one begins.
    next: usize,
}

fn lines(text: &str, from: usize) -> impl Iterator<Item = Line<'_>> {
    let mut at = from;
    std::iter::from_fn(move || {
        let rest = text.get(at..).filter(|rest| !rest.is_empty())?;
        let length = rest.find('\n').map_or(rest.len(), |end| end + 1);
        let line = rest.get(..length)?;
        let start = at;
        at += length;
        Some(Line { text: line.trim_end_matches(['\n', '\r']), start, next: at })
    })
}

/// Cuts the text into its parts.
pub(super) fn split(file: &Path, text: &str) -> Result<Parts, Fault> {
    let (front, body) = front(file, text)?;
    let mut heads: Vec<(&'static str, Line<'_>)> = Vec::new();
    // Only the schema's block hides headings: its comments are none.
    let mut fenced: Option<&str> = None;
    for line in lines(text, body) {
        if let Some(open) = fenced {
            if closes(line.text, open) {
                fenced = None;
            }
            continue;
        }
        let marks = fence(line.text);
        if !marks.is_empty() && heads.last().is_some_and(|(head, _)| *head == SCHEMA) {
            fenced = Some(marks);
            continue;
        }
        let Some(head) = [SYSTEM, PROMPT, SCHEMA].into_iter().find(|head| line.text.trim_end() == *head) else {
            continue;
        };
        if heads.iter().any(|(other, _)| *other == head) {
            let fault = Fault::new(file, Some(json::position(text, line.start)), format!("`{head}` stands twice"));
            return Err(fault.advised(format!("join the two; a line of the prompt is written as `\\{head}`")));
        }
        heads.push((head, line));
    }
    let Some((_, first)) = heads.first() else {
        let prompt = template(text, body, text.len());
        return Ok(Parts { front, system: None, prompt, schema: None, schema_at: None });
    };
    if let Some(stray) =
        lines(text, body).take_while(|line| line.start < first.start).find(|l| !l.text.trim().is_empty())
    {
        let fault = Fault::new(file, Some(json::position(text, stray.start)), "this text stands in no section");
        return Err(fault.advised(format!("put it below `{PROMPT}`")));
    }
    let part = |wanted: &str| {
        let index = heads.iter().position(|(head, _)| *head == wanted)?;
        let (_, line) = heads.get(index)?;
        let end = heads.get(index + 1).map_or(text.len(), |(_, next)| next.start);
        Some((*line, end))
    };
    let Some((line, end)) = part(PROMPT) else {
        let fault = Fault::new(file, Some(json::position(text, first.start)), format!("there is no `{PROMPT}`"));
        return Err(fault.advised(format!("write the prompt below a line `{PROMPT}`")));
    };
    let prompt = template(text, line.next, end);
    let system = part(SYSTEM).map(|(line, end)| template(text, line.next, end));
    let schema_at = part(SCHEMA).map(|(line, _)| json::position(text, line.start));
    let schema = part(SCHEMA).map(|(line, end)| block(file, text, line, end)).transpose()?;
    Ok(Parts { front, system, prompt, schema, schema_at })
}

/// The settings and where what follows them begins.
fn front(file: &Path, text: &str) -> Result<(Piece, usize), Fault> {
    let mut all = lines(text, 0);
    match all.next() {
        Some(first) if first.text.trim_end() == FENCE => {
            let Some(end) = all.find(|line| line.text.trim_end() == FENCE) else {
                let fault = Fault::new(file, Some(json::position(text, 0)), "the settings have no end");
                return Err(fault.advised(format!("close them with a line {FENCE}")));
            };
            let piece = text.get(first.next..end.start).unwrap_or_default().to_owned();
            Ok((Piece { text: piece, offset: first.next }, end.next))
        }
        Some(first) if first.text.trim_end() == "---" => {
            let fault = Fault::new(file, Some(json::position(text, 0)), "the settings are TOML");
            Err(fault.advised(format!("put them between two lines {FENCE}")))
        }
        _ => {
            let fault =
                Fault::new(file, Some(json::position(text, 0)), format!("the file does not begin with {FENCE}"));
            Err(fault.advised(format!("begin with the settings: a line {FENCE}, TOML, a line {FENCE}")))
        }
    }
}

/// The marks that open or close a code block, if the line does.
fn fence(line: &str) -> &str {
    let line = line.trim_start_matches(' ');
    let marks = |mark: char| line.len() - line.trim_start_matches(mark).len();
    let most = marks('`').max(marks('~'));
    if most >= 3 { line.get(..most).unwrap_or_default() } else { "" }
}

/// Does the line close a block that these marks opened?
fn closes(line: &str, open: &str) -> bool {
    let own = fence(line);
    own.len() >= open.len() && own.starts_with(open) && line.trim() == own
}

/// A template without the empty lines around it and without the `\` before what looks like a heading.
fn template(text: &str, from: usize, to: usize) -> Template {
    let piece = text.get(from..to).unwrap_or_default();
    let lead: usize = piece.split_inclusive('\n').take_while(|line| line.trim().is_empty()).map(str::len).sum();
    let body = piece.get(lead..).unwrap_or_default().trim_end();
    let start = json::position(text, from + lead);
    let plain = |line: &str| match line.strip_prefix('\\') {
        Some(rest) if is_head(rest.trim_start_matches('\\')) => rest.to_owned(),
        _ => line.to_owned(),
    };
    let body: Vec<String> = body.split('\n').map(|line| plain(line.strip_suffix('\r').unwrap_or(line))).collect();
    Template { text: body.join("\n"), start }
}

/// Is the line a heading of this format?
pub(super) fn is_head(line: &str) -> bool {
    [SYSTEM, PROMPT, SCHEMA].contains(&line.trim_end())
}

/// The one code block of a section.
fn block(file: &Path, text: &str, head: Line<'_>, end: usize) -> Result<(Piece, String), Fault> {
    let inside = lines(text, head.next).take_while(|line| line.start < end);
    let mut filled = inside.filter(|line| !line.text.trim().is_empty());
    let wanted = |line: Line<'_>| {
        let fault = Fault::new(file, Some(json::position(text, line.start)), "the schema must stand in a code block");
        fault.advised("write it between ```json and ```")
    };
    let Some(open) = filled.next() else { return Err(wanted(head)) };
    let marks = fence(open.text);
    if marks.is_empty() {
        return Err(wanted(open));
    }
    let word = open.text.trim().trim_start_matches(['`', '~']).trim().to_owned();
    let Some(close) = lines(text, open.next).take_while(|line| line.start < end).find(|line| closes(line.text, marks))
    else {
        let fault = Fault::new(file, Some(json::position(text, open.start)), "the code block has no end");
        return Err(fault.advised(format!("close it with a line {marks}")));
    };
    let mut after = lines(text, close.next).take_while(|line| line.start < end);
    if let Some(more) = after.find(|line| !line.text.trim().is_empty()) {
        let fault = Fault::new(file, Some(json::position(text, more.start)), "nothing may follow the schema here");
        return Err(fault.advised(format!("only the code block stands below `{SCHEMA}`")));
    }
    let piece = text.get(open.next..close.start).unwrap_or_default().to_owned();
    Ok((Piece { text: piece, offset: open.next }, word))
}
