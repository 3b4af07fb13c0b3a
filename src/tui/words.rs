//! Codes as words, and small numbers as people read them. Pure.

use super::state::run::Fate;
use crate::feed::raw::Kind;
use crate::issue::Issue;
use crate::json::Hint;
use crate::text;

pub use crate::text::{bytes, length};

/// `line 3, column 7 (trailing_comma)`.
#[must_use]
pub fn slip(position: crate::json::Position, hint: Option<Hint>) -> String {
    let hint = hint.map_or(String::new(), |h| format!(" ({})", h.code()));
    format!("no JSON at line {}, column {}{hint}", position.line, position.column)
}

/// Milliseconds as `0.4 s`, `12 s`, `3:05`.
#[must_use]
pub fn span(ms: u64) -> String {
    match ms {
        0..10_000 => format!("{}.{} s", ms / 1_000, ms % 1_000 / 100),
        10_000..60_000 => format!("{} s", ms / 1_000),
        _ => format!("{}:{:02}", ms / 60_000, ms / 1_000 % 60),
    }
}

/// US dollars as `$1.20`, `$0.0123`, `<$0.0001`.
#[must_use]
pub fn dollars(amount: f64) -> String {
    match amount {
        a if a >= 1.0 => format!("${a:.2}"),
        a if a >= 0.000_1 || a == 0.0 => format!("${a:.4}"),
        _ => "<$0.0001".to_owned(),
    }
}

/// Seconds as `just now`, `4 minutes ago`, `3 days ago`.
#[must_use]
pub fn ago(seconds: u64) -> String {
    let of = |n: u64, unit: &str| format!("{} ago", count(usize::try_from(n).unwrap_or(usize::MAX), unit));
    match seconds {
        0..60 => "just now".to_owned(),
        60..3_600 => of(seconds / 60, "minute"),
        3_600..86_400 => of(seconds / 3_600, "hour"),
        _ => of(seconds / 86_400, "day"),
    }
}

/// A value in a sentence: its beginning.
#[must_use]
pub fn short(text: &str) -> String {
    text::truncate(&text::safe(text), 40).into_owned()
}

/// `1 issue`, `2 issues`.
#[must_use]
pub fn count(n: usize, word: &str) -> String {
    if n == 1 { format!("1 {word}") } else { format!("{n} {word}s") }
}

/// Breaks words into lines of at most `width` cells.
#[must_use]
pub fn wrap(text: &str, width: usize) -> Vec<String> {
    let mut lines = vec![String::new()];
    for word in text.split_whitespace() {
        let used = lines.last().map_or(0, |l| text::width(l));
        let needed = text::width(word);
        if used > 0 && used + 1 + needed > width {
            lines.push(String::new());
        }
        for cluster in text::graphemes(word) {
            let full = lines.last().is_some_and(|l| text::width(l) + text::cluster_width(cluster) > width.max(1));
            if full && lines.last().is_some_and(|l| !l.is_empty()) {
                lines.push(String::new());
            }
            let Some(line) = lines.last_mut() else { continue };
            if !line.is_empty() && word.starts_with(cluster) && std::ptr::eq(word.as_ptr(), cluster.as_ptr()) {
                line.push(' ');
            }
            line.push_str(cluster);
        }
    }
    lines
}

/// Breaks every line of a page at spaces, what follows indented two cells deeper; a line that fits stays as it is.
#[must_use]
pub fn wrap_page(text: &str, width: usize) -> String {
    let line = |line: &str| {
        if text::width(line) <= width || width < 16 {
            return line.to_owned();
        }
        let lead = (line.chars().take_while(|c| *c == ' ').count()).min(width / 2);
        let (first, rest) = (" ".repeat(lead), " ".repeat(lead + 2));
        let rows = wrap(line, width - lead - 2);
        rows.iter()
            .enumerate()
            .map(|(i, r)| format!("{}{r}", if i == 0 { &first } else { &rest }))
            .collect::<Vec<_>>()
            .join("\n")
    };
    text.split('\n').map(line).collect::<Vec<_>>().join("\n")
}

/// An issue's message without the `(keyword)` at its end, for places that name the keyword beside it.
#[must_use]
pub fn without_keyword(issue: &Issue) -> &str {
    let bare = issue.message.strip_suffix(')').and_then(|m| m.strip_suffix(issue.keyword.as_str()));
    bare.and_then(|m| m.strip_suffix(" (")).unwrap_or(&issue.message)
}

/// Where every refusal is listed; the page itself leaves the advice out.
pub const ROUTE_PAGE: &str = "The route page names";

/// Advice of the command line in the words of the screen.
#[must_use]
pub fn on_screen(advice: &str) -> String {
    const SAID: [(&str, &str); 8] = [
        ("Add --project ", "Type /project "),
        ("Use --fallback ", "Type /fallback "),
        ("Run formwork check SCHEMA to see", ROUTE_PAGE),
        ("formwork model pull", "/pull"),
        ("formwork model list", "/pull"),
        ("formwork probe ", "/probe "),
        ("--project ", "/project "),
        ("--fallback ", "/fallback "),
    ];
    SAID.iter().fold(advice.to_owned(), |text, (from, to)| text.replace(from, to))
}

/// What a raw event is, in a word.
#[must_use]
pub fn event_kind(kind: Kind) -> &'static str {
    match kind {
        Kind::Text => "text",
        Kind::Thinking => "thinking",
        Kind::ToolStart => "tool",
        Kind::ToolArgs => "arguments",
        Kind::Refusal => "refusal",
        Kind::Usage => "usage",
        Kind::Model => "model",
        Kind::Keep => "opaque",
        Kind::Restart => "restart",
        Kind::Terminal => "end",
        Kind::Failed => "failed",
    }
}

/// A fate in words.
#[must_use]
pub fn fate(fate: Fate) -> String {
    match fate {
        Fate::Streaming => "streaming".to_owned(),
        Fate::Judging => "judging".to_owned(),
        Fate::Accepted => "accepted".to_owned(),
        Fate::Text => "text".to_owned(),
        Fate::Rejected(code) => format!("rejected: {}", code.code()),
        Fate::Failed(code) => format!("failed: {}", code.code()),
    }
}

/// A fate in the fewest words; its sign says the rest.
#[must_use]
pub fn fate_short(fate: Fate) -> String {
    match fate {
        Fate::Rejected(code) | Fate::Failed(code) => code.code().to_owned(),
        Fate::Streaming | Fate::Judging | Fate::Accepted | Fate::Text => self::fate(fate),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_read_well() {
        let ages = [0, 59, 60, 7_199, 86_399, 86_400].map(ago);
        assert_eq!(ages, ["just now", "just now", "1 minute ago", "1 hour ago", "23 hours ago", "1 day ago"]);
        assert_eq!([span(0), span(940), span(12_345), span(185_000)], ["0.0 s", "0.9 s", "12 s", "3:05"]);
        assert_eq!([bytes(0), bytes(214), bytes(999), bytes(3_200)], ["0 B", "214 B", "999 B", "3.2 kB"]);
        assert_eq!([bytes(98_362_432), bytes(491_400_032), bytes(1_117_320_736)], ["98 MB", "491 MB", "1.1 GB"]);
        assert_eq!([dollars(0.0), dollars(0.012_34), dollars(12.0)], ["$0.0000", "$0.0123", "$12.00"]);
        assert_eq!(dollars(0.000_000_1), "<$0.0001");
        assert_eq!([count(1, "issue"), count(0, "issue")], ["1 issue", "0 issues"]);
    }

    #[test]
    fn pages_wrap_at_spaces_and_hang() {
        assert_eq!(wrap_page("  open the route by hand\n\nok", 16), "  open the\n    route by\n    hand\n\nok");
        assert_eq!(wrap_page("a  b", 16), "a  b");
    }

    #[test]
    fn advice_names_no_flag_of_the_command_line() {
        assert_eq!(on_screen("Use --fallback auto to allow it."), "Type /fallback auto to allow it.");
        assert_eq!(on_screen("Add --project relax (drops 1)."), "Type /project relax (drops 1).");
        assert_eq!(on_screen("formwork model pull smollm2"), "/pull smollm2");
        assert_eq!(on_screen("formwork probe lab/m finds out"), "/probe lab/m finds out");
        let refused = on_screen("Run formwork check SCHEMA to see every place a provider refuses.");
        assert_eq!(refused, "The route page names every place a provider refuses.");
    }

    #[test]
    fn words_wrap_and_long_ones_break() {
        assert_eq!(wrap("ab cd ef", 5), ["ab cd", "ef"]);
        assert_eq!(wrap("abcdefgh ij", 3), ["abc", "def", "gh", "ij"]);
        assert_eq!(wrap("汉字汉字", 4), ["汉字", "汉字"]);
        assert_eq!(wrap("", 4), [""]);
    }
}
