//! What the dialects share about attached files: what kind one is, its base64 form, and its text form.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;

use super::Attachment;

/// What a dialect has to do with a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    /// Goes into the prompt as text, in every dialect.
    Text,
    Image,
    Pdf,
    /// No dialect takes it.
    Other,
}

/// The kind by media type.
pub(super) fn kind(attachment: &Attachment) -> Kind {
    let media = attachment.media_type.as_str();
    match media {
        "application/pdf" => Kind::Pdf,
        "application/json" | "application/xml" | "application/yaml" | "application/toml" => text_or_other(attachment),
        _ if media.starts_with("image/") && media != "image/svg+xml" => Kind::Image,
        _ if media.starts_with("text/") || media == "image/svg+xml" => text_or_other(attachment),
        _ => Kind::Other,
    }
}

fn text_or_other(attachment: &Attachment) -> Kind {
    if std::str::from_utf8(&attachment.bytes).is_ok() { Kind::Text } else { Kind::Other }
}

/// Is it one of these media types, or text? Otherwise what it is, in words that follow "cannot attach NAME: ".
pub(super) fn only(attachment: &Attachment, dialect: &str, images: &[&str], pdf: Pdf) -> Result<(), String> {
    let media = &attachment.media_type;
    match kind(attachment) {
        Kind::Text => Ok(()),
        Kind::Image if images.contains(&media.as_str()) => Ok(()),
        Kind::Image if images.is_empty() => Err(format!("it is {media}; {dialect} takes no images")),
        Kind::Image => Err(format!("it is {media}; {dialect} takes {}", images.join(", "))),
        Kind::Pdf if pdf == Pdf::Taken => Ok(()),
        Kind::Pdf => Err(format!("it is a PDF document; {dialect} takes none")),
        Kind::Other => Err(format!("it is {media}; {dialect} takes text, images and PDF documents at most")),
    }
}

/// Does a dialect take PDF documents?
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Pdf {
    Taken,
    Refused,
}

/// The bytes as base64 with padding.
pub(super) fn base64(attachment: &Attachment) -> String {
    STANDARD.encode(&attachment.bytes)
}

/// `data:MEDIA;base64,…`
pub(super) fn data_url(attachment: &Attachment) -> String {
    format!("data:{};base64,{}", attachment.media_type, base64(attachment))
}

/// A text file as it stands in the prompt: named and fenced. What is no text has none.
pub(super) fn text(attachment: &Attachment) -> Option<String> {
    let content = std::str::from_utf8(&attachment.bytes).ok().filter(|_| kind(attachment) == Kind::Text)?;
    Some(fenced(&attachment.name, content))
}

/// A named, fenced text.
#[must_use]
pub(super) fn fenced(name: &str, content: &str) -> String {
    let content = content.strip_prefix('\u{feff}').unwrap_or(content);
    let fence = fence(content);
    let name = name.replace(['\n', '\r', '`'], " ");
    let end = if content.ends_with('\n') { "" } else { "\n" };
    format!("File {name:?}:\n{fence}\n{content}{end}{fence}")
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
