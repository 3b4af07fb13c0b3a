//! What the model is asked: prompt, system prompt and attached files, as text.
//!
//! Attached files are inlined, fenced and named. Anything that is no text is refused: no dialect takes it yet.

use std::fmt::Write;
use std::path::{Path, PathBuf};

use super::failure::Failure;
use super::input::{MAX_TEXT, Source};
use crate::event::ErrorCode;

/// First bytes of files that people attach and that are no text, with their name.
const KNOWN_BINARY: [(&[u8], &str); 8] = [
    (b"\x89PNG\r\n\x1a\n", "a PNG image"),
    (b"\xff\xd8\xff", "a JPEG image"),
    (b"GIF8", "a GIF image"),
    (b"RIFF", "a RIFF file (WebP, WAV)"),
    (b"BM", "a BMP image"),
    (b"II*\0", "a TIFF image"),
    (b"MM\0*", "a TIFF image"),
    (b"%PDF-", "a PDF document"),
];

/// Joins the prompt and its attachments; refuses an empty one.
pub(super) fn build(prompt: String, attachments: &[PathBuf]) -> Result<String, Failure> {
    if prompt.trim().is_empty() && attachments.is_empty() {
        return Err(Failure::config("the prompt is empty").fact("next", "give it after --print or on standard input"));
    }
    let mut text = prompt;
    for path in attachments {
        attach(&mut text, path)?;
        if text.len() as u64 > MAX_TEXT {
            let message = format!("prompt and attachments are longer than {MAX_TEXT} bytes together");
            return Err(Failure::config(message).fact("file", path.display().to_string()));
        }
    }
    Ok(text)
}

/// The system prompt of `--system`: a text, or a file after `@`.
pub(super) fn system(argument: &str) -> Result<String, Failure> {
    match argument.strip_prefix('@') {
        None => Ok(argument.to_owned()),
        Some(rest) if rest.starts_with('@') => Ok(rest.to_owned()),
        Some(path) => Source::File(PathBuf::from(path)).text(MAX_TEXT, ErrorCode::Config),
    }
}

fn attach(text: &mut String, path: &Path) -> Result<(), Failure> {
    let bytes = Source::File(path.to_owned()).bytes(MAX_TEXT, ErrorCode::Config)?;
    let content = readable(path, bytes)?;
    let content = content.strip_prefix('\u{feff}').unwrap_or(&content);
    let fence = fence(content);
    if !text.is_empty() {
        text.push_str("\n\n");
    }
    let name = path.file_name().map_or_else(String::new, |name| name.to_string_lossy().replace(['\n', '\r', '`'], " "));
    let _ = writeln!(text, "File {name:?}:\n{fence}");
    text.push_str(content);
    if !content.ends_with('\n') {
        text.push('\n');
    }
    text.push_str(&fence);
    Ok(())
}

fn readable(path: &Path, bytes: Vec<u8>) -> Result<String, Failure> {
    let refuse = |what: &str| {
        let message = format!("cannot attach {}: it is {what}; this dialect does not take them yet", path.display());
        Failure::config(message).fact("next", "attach text files (UTF-8)")
    };
    if let Some((_, what)) = KNOWN_BINARY.iter().find(|(magic, _)| bytes.starts_with(magic) && is_binary(&bytes, magic))
    {
        return Err(refuse(what));
    }
    match String::from_utf8(bytes) {
        Ok(text) if !text.contains('\0') => Ok(text),
        _ => Err(refuse("a binary file or not UTF-8 text")),
    }
}

/// A short printable mark such as `BM` or `RIFF` begins texts too: those count only with a zero byte near it.
fn is_binary(bytes: &[u8], magic: &[u8]) -> bool {
    magic.len() > 4 || !magic.is_ascii() || bytes.iter().take(512).any(|byte| *byte == 0)
}

/// A fence that no run of back-ticks in the text can close.
fn fence(content: &str) -> String {
    let mut longest = 0;
    let mut run = 0;
    for byte in content.bytes() {
        run = if byte == b'`' { run + 1 } else { 0 };
        longest = longest.max(run);
    }
    "`".repeat((longest + 1).max(3))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn file(name: &str, bytes: &[u8]) -> (tempfile::TempDir, PathBuf) {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join(name);
        fs_err::write(&path, bytes).unwrap();
        (dir, path)
    }

    #[test]
    fn an_attachment_is_fenced_and_named() {
        let (_dir, path) = file("notes.md", b"a ``` b");
        let text = build("look".to_owned(), &[path]).unwrap();
        assert_eq!(text, "look\n\nFile \"notes.md\":\n````\na ``` b\n````");
    }

    #[test]
    fn what_is_no_text_is_refused_by_kind() {
        let table: [(&[u8], &str); 5] = [
            (b"%PDF-1.7\n", "a PDF document"),
            (b"\x89PNG\r\n\x1a\n\0", "a PNG image"),
            (b"\xff\xd8\xff\xe0", "a JPEG image"),
            (b"BM\0\0\0\0", "a BMP image"),
            (b"ELF\0", "a binary file"),
        ];
        for (bytes, what) in table {
            let (_dir, path) = file("x.bin", bytes);
            let failure = build("q".to_owned(), &[path]).unwrap_err();
            assert!(failure.message.contains(what), "{}", failure.message);
            assert!(failure.message.contains("this dialect does not take them yet"));
        }
        let (_dir, path) = file("x.txt", b"BMW and RIFFs");
        build("q".to_owned(), &[path]).unwrap();
    }

    #[test]
    fn an_empty_prompt_is_refused_unless_a_file_speaks() {
        assert!(build(" \n".to_owned(), &[]).is_err());
        let (_dir, path) = file("a.txt", b"text\n");
        assert_eq!(build(String::new(), &[path]).unwrap(), "File \"a.txt\":\n```\ntext\n```");
    }

    #[test]
    fn the_system_prompt_comes_from_text_or_file() {
        let (_dir, path) = file("sys.txt", b"be short");
        assert_eq!(system(&format!("@{}", path.display())).unwrap(), "be short");
        assert_eq!(system("@@home").unwrap(), "@home");
        assert_eq!(system("plain").unwrap(), "plain");
        assert!(system("@no/such/file").is_err());
    }
}
