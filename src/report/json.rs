//! The report as JSON: everything, exact numbers, and every character that could mislead a reader as an escape.

use std::fmt::Write as _;

use super::Report;
use crate::text::safe;

pub(super) fn render(report: &Report) -> String {
    // Plain data with text keys is always written.
    let text = serde_json::to_string_pretty(report).unwrap_or_default();
    let mut out = String::with_capacity(text.len() + 1);
    for c in text.chars() {
        // Outside of texts all is ASCII, so what is escaped stands inside one. White space is the layout's own.
        let mut letter = [0; 4];
        if c.is_ascii() && c != '\u{7f}' || safe(c.encode_utf8(&mut letter)).as_ref() == &*c.encode_utf8(&mut [0; 4]) {
            out.push(c);
        } else {
            for unit in c.encode_utf16(&mut [0; 2]) {
                let _ = write!(out, "\\u{unit:04x}");
            }
        }
    }
    out.push('\n');
    out
}
