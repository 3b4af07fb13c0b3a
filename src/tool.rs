//! The tools that come with the program: they read files below one folder, and nothing else.
//!
//! They write nothing, start nothing, follow no link out of the folder, and show nothing whose name begins with a dot:
//! that is where keys lie. Which of them a model may call, the user alone says ([`Toolbox`]); a model cannot widen it.

mod place;
mod read;
mod search;

use std::path::Path;

use serde::Deserialize;
use serde::de::DeserializeOwned;
use tokio_util::sync::CancellationToken;

use self::place::Place;
use crate::dialect::{ToolCall, ToolSpec};
use crate::json::{ParseLimits, Value, parse};

/// A result is cut at this many bytes (ENGINE §7).
pub const MAX_RESULT: usize = 256 * 1024;
/// Arguments longer than this are no path and no text that anybody searches for.
const ARGUMENTS: ParseLimits = ParseLimits { max_bytes: 64 * 1024, max_depth: 8 };

/// A built-in tool.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Tool {
    ReadFile,
    ListDir,
    SearchText,
}

impl Tool {
    pub const ALL: [Self; 3] = [Self::ReadFile, Self::ListDir, Self::SearchText];

    /// The name that the model and the user call it by.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::ReadFile => "read_file",
            Self::ListDir => "list_dir",
            Self::SearchText => "search_text",
        }
    }

    /// The tool of a name.
    #[must_use]
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|tool| tool.name() == name)
    }

    fn about(self) -> &'static str {
        match self {
            Self::ReadFile => "Reads a text file below the working folder. A long one comes in parts.",
            Self::ListDir => "Lists a folder below the working folder: names, kinds and sizes.",
            Self::SearchText => {
                "Finds the lines that hold a text, letter for letter, in the text files below a folder of the working folder."
            }
        }
    }

    fn parameters(self) -> &'static str {
        match self {
            Self::ReadFile => {
                r#"{"type":"object","properties":{"path":{"type":"string","description":"Relative to the working folder."},"first_line":{"type":"integer","description":"The line to begin with; 1 when left out."}},"required":["path"],"additionalProperties":false}"#
            }
            Self::ListDir => {
                r#"{"type":"object","properties":{"path":{"type":"string","description":"Relative to the working folder; a dot is the folder itself."}},"required":["path"],"additionalProperties":false}"#
            }
            Self::SearchText => {
                r#"{"type":"object","properties":{"text":{"type":"string","description":"What to find; no pattern."},"path":{"type":"string","description":"Folder or file, relative to the working folder; all of it when left out."}},"required":["text"],"additionalProperties":false}"#
            }
        }
    }

    /// As the model is told of it. Not strict: arguments are checked here, and strict tools would forbid several calls
    /// at once.
    #[must_use]
    pub fn spec(self) -> ToolSpec {
        ToolSpec {
            name: self.name().to_owned(),
            description: self.about().to_owned(),
            parameters: parse(self.parameters(), ParseLimits::default()).unwrap_or(Value::Null),
            strict: false,
        }
    }
}

/// The folder and the tools a run's model may use. Empty unless a surface was told otherwise by its user.
#[derive(Debug, Clone, Default)]
pub struct Toolbox {
    place: Option<Place>,
    allowed: Vec<Tool>,
}

impl Toolbox {
    /// These tools, below this folder.
    ///
    /// # Errors
    /// When the folder cannot be resolved.
    pub fn below(folder: &Path, allowed: Vec<Tool>) -> std::io::Result<Self> {
        Ok(Self { place: Some(Place::at(folder)?), allowed })
    }

    /// What is offered to the model.
    #[must_use]
    pub fn specs(&self) -> Vec<ToolSpec> {
        Tool::ALL.into_iter().filter(|tool| self.allowed.contains(tool)).map(Tool::spec).collect()
    }

    /// Executes a call. Waits for the disk: call it off the loop. `Err` is the text of a failed tool. Ends early, with
    /// what it has, once `stop` is cancelled.
    ///
    /// # Errors
    /// When the tool is not allowed, its arguments are not as described, or the file system says no.
    pub fn run(&self, call: &ToolCall, stop: &CancellationToken) -> Result<String, String> {
        let tool = Tool::named(&call.name).ok_or("there is no such tool")?;
        let place = self.place.as_ref().filter(|_| self.allowed.contains(&tool));
        let place = place.ok_or("the user does not allow this tool")?;
        match tool {
            Tool::ReadFile => {
                let arguments: ReadFile = arguments(&call.arguments)?;
                read::file(place, &arguments.path, arguments.first_line.unwrap_or(1))
            }
            Tool::ListDir => read::folder(place, &arguments::<ListDir>(&call.arguments)?.path),
            Tool::SearchText => {
                let arguments: SearchText = arguments(&call.arguments)?;
                search::text(place, &arguments.text, arguments.path.as_deref().unwrap_or("."), stop)
            }
        }
    }
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct ReadFile {
    path: String,
    first_line: Option<usize>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct ListDir {
    path: String,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct SearchText {
    text: String,
    path: Option<String>,
}

fn arguments<T: DeserializeOwned>(text: &str) -> Result<T, String> {
    let value = parse(text, ARGUMENTS).map_err(|error| format!("the arguments are no JSON: {error}"))?;
    T::deserialize(value).map_err(|_| "the arguments are not as the tool describes them".to_owned())
}

/// A result within [`MAX_RESULT`], told when cut.
#[must_use]
pub fn bounded(mut text: String) -> String {
    const NOTE: usize = 64;
    if text.len() <= MAX_RESULT {
        return text;
    }
    let whole = text.len();
    text.truncate(text.floor_char_boundary(MAX_RESULT - NOTE));
    let cut = whole - text.len();
    text.extend(["\n[cut: ", &cut.to_string(), " more bytes]"]);
    text
}
