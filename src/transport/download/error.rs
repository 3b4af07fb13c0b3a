//! Why a download failed: hosts are named, addresses and tokens never.

use std::io;

use crate::event::ErrorCode;

/// Why there is no file.
#[derive(Debug, thiserror::Error)]
pub enum DownloadError {
    #[error("no HTTP client can be built on this system")]
    NoClient,
    #[error("{host} has no such file, or the repository does not exist (status {status})")]
    NotFound { host: String, status: u16 },
    #[error("{host} wants a token for this file, or it does not exist (status {status})")]
    Unauthorized { host: String, status: u16 },
    #[error("{host} does not give this file to you (status {status})")]
    Forbidden { host: String, status: u16 },
    #[error("{host} refused the download (status {status})")]
    Status { host: String, status: u16 },
    #[error("{host} sent a web page instead of the file")]
    WebPage { host: String },
    #[error("{host} sent another kind of file")]
    Foreign { host: String },
    #[error("{host} compressed the file, which was not asked for")]
    Compressed { host: String },
    #[error("{host} sends {served} bytes of a file that is said to have {announced}")]
    Size { host: String, served: u64, announced: u64 },
    #[error("{host} sent the wrong part of the file")]
    Range { host: String },
    #[error("the file has changed at {host}")]
    Changed { host: String },
    #[error("the file is larger than the limit of {limit} bytes")]
    TooLarge { limit: u64 },
    #[error("{host} redirects in circles")]
    Loop { host: String },
    #[error("{host} redirects to an address that is not followed")]
    BadRedirect { host: String },
    #[error("{host} sent nothing for {seconds} s")]
    Silent { host: String, seconds: u64 },
    #[error("{host}: {why} (after {at} bytes)")]
    Lost { host: String, why: String, at: u64 },
    #[error("{host} ended the file after {got} of {total} bytes")]
    Truncated { host: String, got: u64, total: u64 },
    #[error("the file cannot be written: {0}")]
    Disk(io::Error),
    #[error("cancelled")]
    Cancelled,
}

impl DownloadError {
    /// What to do next.
    #[must_use]
    pub fn next(&self) -> &'static str {
        match self {
            Self::NotFound { .. } => "check OWNER/REPO/FILE.gguf on the hub's page of the model",
            Self::Unauthorized { .. } => "check the name; if the model is private or gated, set HF_TOKEN to your token",
            Self::Forbidden { .. } => "accept the licence on the model's page, then set HF_TOKEN to your token",
            Self::WebPage { .. } | Self::Foreign { .. } => {
                "check HF_ENDPOINT, the name, and whether a proxy wants a login"
            }
            Self::Silent { .. } | Self::Lost { .. } | Self::Truncated { .. } | Self::Status { .. } => {
                "try again: what has come is kept"
            }
            Self::Changed { .. } | Self::Range { .. } => "try again: it begins anew",
            Self::Compressed { .. } | Self::Size { .. } | Self::Loop { .. } | Self::BadRedirect { .. } => {
                "check HF_ENDPOINT: what is there does not serve files as the hub does"
            }
            Self::TooLarge { .. } => "choose a smaller quantisation",
            Self::Disk(_) => "make room, or name another folder with --data-dir",
            Self::NoClient => "check the system's certificates",
            Self::Cancelled => "formwork model pull goes on where this one ended",
        }
    }

    /// The public class; `None` for the machine's own disk.
    #[must_use]
    pub fn code(&self) -> Option<ErrorCode> {
        Some(match self {
            Self::Unauthorized { .. } | Self::Forbidden { .. } => ErrorCode::Auth,
            Self::NotFound { .. }
            | Self::Status { .. }
            | Self::WebPage { .. }
            | Self::Foreign { .. }
            | Self::Compressed { .. }
            | Self::Size { .. }
            | Self::Range { .. }
            | Self::Changed { .. }
            | Self::TooLarge { .. }
            | Self::Loop { .. }
            | Self::BadRedirect { .. } => ErrorCode::Provider,
            Self::Silent { .. } | Self::Lost { .. } | Self::Truncated { .. } | Self::NoClient => ErrorCode::Transport,
            Self::Cancelled => ErrorCode::Cancelled,
            Self::Disk(_) => return None,
        })
    }

    /// Did the way break, not the file? Then what has come is good.
    #[must_use]
    pub fn keeps_the_part(&self) -> bool {
        match self {
            Self::Silent { .. }
            | Self::Lost { .. }
            | Self::Truncated { .. }
            | Self::Status { .. }
            | Self::Unauthorized { .. }
            | Self::Forbidden { .. }
            | Self::NoClient
            | Self::Cancelled => true,
            Self::NotFound { .. }
            | Self::WebPage { .. }
            | Self::Foreign { .. }
            | Self::Compressed { .. }
            | Self::Size { .. }
            | Self::Range { .. }
            | Self::Changed { .. }
            | Self::TooLarge { .. }
            | Self::Loop { .. }
            | Self::BadRedirect { .. }
            | Self::Disk(_) => false,
        }
    }
}
