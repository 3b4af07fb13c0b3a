//! Bounded reads of what the command line names: files, pipes and standard input. Every error names its origin.
//!
//! Nothing is fetched and nothing is waited for beyond the bound: an endless device ends in an error.

use std::io::{self, Read};
use std::path::{Path, PathBuf};

use super::failure::Failure;
use crate::event::ErrorCode;

/// Longest schema source: the canonical form may hold 1 MiB, indented text about eight times that.
pub(super) const MAX_SCHEMA: u64 = 8 * 1024 * 1024;
/// Longest prompt, system prompt or attachment.
pub(super) const MAX_TEXT: u64 = 8 * 1024 * 1024;

/// Where an input comes from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Source {
    Stdin,
    File(PathBuf),
}

impl Source {
    /// `-` is standard input.
    pub(super) fn new(path: &Path) -> Self {
        if path == Path::new("-") { Self::Stdin } else { Self::File(path.to_owned()) }
    }

    /// How messages name it.
    pub(super) fn name(&self) -> String {
        match self {
            Self::Stdin => "standard input".to_owned(),
            Self::File(path) => path.display().to_string(),
        }
    }

    /// Reads the first `limit` bytes, and no more.
    pub(super) fn start(&self, limit: u64, code: ErrorCode) -> Result<Vec<u8>, Failure> {
        let mut bytes = Vec::new();
        let read = match self {
            Self::Stdin => io::stdin().lock().take(limit).read_to_end(&mut bytes),
            Self::File(path) => open(path).and_then(|file| file.take(limit).read_to_end(&mut bytes)),
        };
        read.map(|_| bytes).map_err(|error| self.unreadable(&error, code))
    }

    /// Reads at most `limit` bytes; one byte more is an error.
    pub(super) fn bytes(&self, limit: u64, code: ErrorCode) -> Result<Vec<u8>, Failure> {
        let bytes = self.start(limit + 1, code)?;
        if bytes.len() as u64 > limit {
            return Err(Failure::new(code, format!("{} is longer than {limit} bytes", self.name())));
        }
        Ok(bytes)
    }

    /// Reads UTF-8 text.
    pub(super) fn text(&self, limit: u64, code: ErrorCode) -> Result<String, Failure> {
        let bytes = self.bytes(limit, code)?;
        String::from_utf8(bytes).map_err(|error| {
            let valid = error.utf8_error().valid_up_to();
            let before = error.as_bytes().iter().take(valid);
            let line = before.filter(|b| **b == b'\n').count() + 1;
            Failure::new(code, format!("{} is not UTF-8 text", self.name()))
                .fact("at", format!("byte {valid}, line {line}"))
                .fact("next", "save the file as UTF-8")
        })
    }

    fn unreadable(&self, error: &io::Error, code: ErrorCode) -> Failure {
        let why = match error.kind() {
            io::ErrorKind::NotFound => "there is no such file".to_owned(),
            io::ErrorKind::IsADirectory => "it is a folder".to_owned(),
            _ => error.to_string(),
        };
        let failure = Failure::new(code, format!("cannot read {}: {why}", self.name()));
        match error.kind() {
            io::ErrorKind::NotFound => {
                failure.fact("next", "give the path of a file that is there, or - for standard input")
            }
            io::ErrorKind::IsADirectory => failure.fact("next", "give a file in it"),
            io::ErrorKind::PermissionDenied => failure.fact("next", "make it readable for this user"),
            _ => failure,
        }
    }
}

/// A plain file opens; a folder is refused here because reading one fails differently on each platform.
fn open(path: &Path) -> io::Result<std::fs::File> {
    let file = std::fs::File::open(path)?;
    if file.metadata()?.is_dir() {
        return Err(io::ErrorKind::IsADirectory.into());
    }
    Ok(file)
}

/// Runs a blocking read on a thread of its own, so that a signal can end the program while it waits.
pub(super) async fn off_loop<T: Send + 'static>(
    read: impl FnOnce() -> Result<T, Failure> + Send + 'static,
) -> Result<T, Failure> {
    let (sender, receiver) = tokio::sync::oneshot::channel();
    std::thread::spawn(move || sender.send(read()));
    receiver.await.unwrap_or_else(|_| Err(Failure::config("an input could not be read")))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(bytes: &[u8], limit: u64) -> Result<String, Failure> {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("in.json");
        fs_err::write(&path, bytes).unwrap();
        Source::new(&path).text(limit, ErrorCode::InvalidSchema)
    }

    #[test]
    fn the_limit_itself_passes_and_one_more_does_not() {
        assert_eq!(read(b"abcd", 4).unwrap(), "abcd");
        assert!(read(b"abcde", 4).unwrap_err().message.contains("longer than 4 bytes"));
    }

    #[test]
    fn bytes_that_are_no_text_are_placed() {
        let failure = read(b"{\n\"caf\xe9\"}", 99).unwrap_err();
        assert!(failure.message.ends_with("in.json is not UTF-8 text"));
        assert_eq!(failure.facts.first().unwrap().1, "byte 6, line 2");
    }

    #[test]
    fn a_missing_file_and_a_folder_are_named() {
        let dir = tempfile::tempdir().unwrap();
        let folder = Source::new(dir.path()).bytes(9, ErrorCode::Config).unwrap_err();
        assert!(folder.message.contains("it is a folder"), "{}", folder.message);
        let missing = Source::new(&dir.path().join("no.json")).bytes(9, ErrorCode::Config).unwrap_err();
        assert!(missing.message.contains("no.json"), "{}", missing.message);
    }

    #[test]
    fn a_dash_is_standard_input() {
        assert_eq!(Source::new(Path::new("-")), Source::Stdin);
        assert_eq!(Source::new(Path::new("./-")), Source::File(PathBuf::from("./-")));
    }

    #[cfg(unix)]
    #[test]
    fn an_endless_device_ends_in_an_error() {
        let failure = Source::new(Path::new("/dev/zero")).bytes(1 << 16, ErrorCode::Config).unwrap_err();
        assert!(failure.message.contains("longer than"), "{}", failure.message);
    }
}
