//! What the model is asked: prompt, system prompt and attached files.
//!
//! Text files are inlined, fenced and named; images and PDF documents go along as they are, if the dialect takes them
//! ([`refused`]). Anything else is refused.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::failure::Failure;
use super::input::{MAX_TEXT, Source};
use crate::catalog::Endpoint;
use crate::dialect::{self, Attachment};
use crate::event::ErrorCode;
use crate::transport;

/// All attached images and documents together: what the vendors' inline limits leave after base64.
const MAX_FILES: u64 = 20 * 1024 * 1024;

/// The first bytes of files that are no text, and their media type. (`RIFF` and HEIF are looked into further.)
const KNOWN_BINARY: [(&[u8], &str); 9] = [
    (b"\x89PNG\r\n\x1a\n", "image/png"),
    (b"\xff\xd8\xff", "image/jpeg"),
    (b"GIF87a", "image/gif"),
    (b"GIF89a", "image/gif"),
    (b"BM", "image/bmp"),
    (b"II*\0", "image/tiff"),
    (b"MM\0*", "image/tiff"),
    (b"%PDF-", "application/pdf"),
    (b"PK\x03\x04", "application/zip"),
];

/// What the model is asked.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Prompt {
    /// The prompt, and the text files.
    pub(super) text: String,
    /// Everything else.
    pub(super) attachments: Vec<Attachment>,
}

/// Joins the prompt and its attachments; refuses an empty one.
pub(super) fn build(prompt: String, attachments: &[PathBuf]) -> Result<Prompt, Failure> {
    if prompt.trim().is_empty() && attachments.is_empty() {
        return Err(Failure::config("the prompt is empty").fact("next", "give it after --print or on standard input"));
    }
    let mut all = Prompt { text: prompt, attachments: Vec::new() };
    for path in attachments {
        attach(&mut all, path)?;
        let files: usize = all.attachments.iter().map(|attachment| attachment.bytes.len()).sum();
        for (what, size, most) in [
            ("prompt and text attachments", all.text.len(), MAX_TEXT),
            ("attached images and documents", files, MAX_FILES),
        ] {
            if size as u64 > most {
                let message = format!("{what} are longer than {most} bytes together");
                return Err(Failure::config(message).fact("file", path.display().to_string()));
            }
        }
    }
    Ok(all)
}

/// The first attachment that the endpoint does not take, as a failure. Nothing was sent.
pub(super) fn refused(endpoint: &Endpoint, model: &str, attachments: &[Attachment]) -> Option<Failure> {
    let target = transport::target(endpoint);
    let refusal = |attachment: &Attachment| {
        let why = dialect::accepts_at(endpoint.dialect, &target, attachment).err()?;
        let message = format!("cannot attach {}: {why}", attachment.name);
        let next = format!("attach text, or choose another model than {}/{model}", endpoint.provider);
        Some(Failure::config(message).fact("next", next))
    };
    attachments.iter().find_map(refusal)
}

/// The system prompt of `--system`: a text, or a file after `@`.
pub(super) fn system(argument: &str) -> Result<String, Failure> {
    match argument.strip_prefix('@') {
        None => Ok(argument.to_owned()),
        Some(rest) if rest.starts_with('@') => Ok(rest.to_owned()),
        Some(path) => Source::File(PathBuf::from(path)).text(MAX_TEXT, ErrorCode::Config),
    }
}

fn attach(all: &mut Prompt, path: &Path) -> Result<(), Failure> {
    let bytes = Source::File(path.to_owned()).bytes(MAX_FILES, ErrorCode::Config)?;
    let name = path.file_name().map_or_else(String::new, |name| name.to_string_lossy().into_owned());
    if let Some(media_type) = media_type(&bytes) {
        let media_type = media_type.to_owned();
        all.attachments.push(Attachment { name, media_type, bytes: Arc::from(bytes) });
        return Ok(());
    }
    let content = match String::from_utf8(bytes) {
        Ok(text) if !text.contains('\0') => text,
        _ => {
            let message = format!("cannot attach {}: it is a binary file or not UTF-8 text", path.display());
            return Err(Failure::config(message).fact("next", "attach text files (UTF-8), images or PDF documents"));
        }
    };
    if !all.text.is_empty() {
        all.text.push_str("\n\n");
    }
    all.text.push_str(&dialect::inlined(&name, &content));
    Ok(())
}

/// The media type by the first bytes, where it is known and no text.
fn media_type(bytes: &[u8]) -> Option<&'static str> {
    let at = |from: usize, to: usize| bytes.get(from..to).unwrap_or_default();
    match (at(0, 4), at(4, 8), at(8, 12)) {
        (b"RIFF", _, b"WEBP") => return Some("image/webp"),
        (b"RIFF", _, b"WAVE") => return Some("audio/wav"),
        (_, b"ftyp", b"heic" | b"heix") => return Some("image/heic"),
        (_, b"ftyp", b"mif1" | b"msf1") => return Some("image/heif"),
        (_, b"ftyp", b"avif") => return Some("image/avif"),
        _ => {}
    }
    let known = KNOWN_BINARY.iter().find(|(magic, _)| bytes.starts_with(magic) && is_binary(bytes, magic));
    known.map(|(_, media_type)| *media_type)
}

/// A short printable mark such as `BM` begins texts too: it counts only with a zero byte near it.
fn is_binary(bytes: &[u8], magic: &[u8]) -> bool {
    magic.len() > 4 || !magic.is_ascii() || bytes.iter().take(512).any(|byte| *byte == 0)
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

    fn text(prompt: &str, paths: &[PathBuf]) -> String {
        let built = build(prompt.to_owned(), paths).unwrap();
        assert_eq!(built.attachments, []);
        built.text
    }

    #[test]
    fn an_attachment_is_fenced_and_named() {
        let (_dir, path) = file("notes.md", b"a ``` b");
        assert_eq!(text("look", &[path]), "look\n\nFile \"notes.md\":\n````\na ``` b\n````");
    }

    #[test]
    fn what_is_no_text_is_known_by_its_first_bytes() {
        let table: [(&[u8], &str); 9] = [
            (b"%PDF-1.7\n", "application/pdf"),
            (b"\x89PNG\r\n\x1a\n\0", "image/png"),
            (b"\xff\xd8\xff\xe0", "image/jpeg"),
            (b"GIF89a\x01", "image/gif"),
            (b"BM\0\0\0\0", "image/bmp"),
            (b"RIFF\x24\0\0\0WEBPVP8 ", "image/webp"),
            (b"RIFF\x24\0\0\0WAVEfmt ", "audio/wav"),
            (b"\0\0\0\x18ftypheic", "image/heic"),
            (b"PK\x03\x04\x14\0", "application/zip"),
        ];
        for (bytes, media_type) in table {
            let (_dir, path) = file("x.bin", bytes);
            let built = build("q".to_owned(), &[path]).unwrap();
            let [attachment] = &built.attachments[..] else { panic!("{media_type}: {built:?}") };
            assert_eq!((attachment.media_type.as_str(), attachment.name.as_str()), (media_type, "x.bin"));
            assert_eq!((&*attachment.bytes, built.text.as_str()), (bytes, "q"));
        }
        let (_dir, path) = file("x.txt", b"BMW and RIFFs");
        text("q", &[path]);
        let (_dir, path) = file("x.bin", b"ELF\0");
        assert!(build("q".to_owned(), &[path]).unwrap_err().message.contains("a binary file"));
    }

    #[test]
    fn an_endpoint_refuses_what_its_dialect_does_not_take() {
        let config = crate::config::Config::default();
        let catalog = crate::catalog::Catalog::new(&config);
        let attachment = |media_type: &str| Attachment {
            name: "x.bin".to_owned(),
            media_type: media_type.to_owned(),
            bytes: Arc::from(&b"x"[..]),
        };
        for (model, media_type, why) in [
            ("openai/gpt-5-mini", "image/png", None),
            ("openai/gpt-5-mini", "application/pdf", None),
            ("openai/gpt-5-mini", "image/tiff", Some("it is image/tiff; the chat dialect takes image/png")),
            ("openai/gpt-5-mini", "audio/wav", Some("it is audio/wav; the chat dialect takes text, images and PDF")),
            ("deepseek/m", "image/png", Some("deepseek takes no images")),
            ("mistral/m", "application/pdf", Some("it is a PDF document; mistral takes none")),
            ("sim/sample", "image/png", Some("the built-in provider takes no images")),
        ] {
            let (endpoint, id) = catalog.find(model).unwrap();
            let failure = refused(&endpoint, &id, &[attachment(media_type)]);
            assert_eq!(failure.is_some(), why.is_some(), "{model} {media_type}");
            if let (Some(failure), Some(why)) = (failure, why) {
                assert!(failure.message.contains(why), "{}", failure.message);
            }
        }
    }

    #[test]
    fn an_empty_prompt_is_refused_unless_a_file_speaks() {
        assert!(build(" \n".to_owned(), &[]).is_err());
        let (_dir, path) = file("a.txt", b"text\n");
        assert_eq!(text("", &[path]), "File \"a.txt\":\n```\ntext\n```");
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
