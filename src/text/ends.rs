//! How a file writes its text: what ends its lines, and whether a byte order mark leads. Texts are worked on with `\n`
//! and without the mark; what is written gets both back as the file had them.
//!
//! Where the ends are mixed, those of most lines count. Repairs no encoding.

/// What leads some files of Windows programs.
pub const MARK: char = '\u{FEFF}';

/// What ends a line.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum End {
    #[default]
    Lf,
    CrLf,
    /// Of programs older than most readers.
    Cr,
}

/// Does a byte order mark lead the file?
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Lead {
    #[default]
    Plain,
    Mark,
}

/// Do all lines end alike?
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Mixture {
    #[default]
    Alike,
    Mixed,
}

/// How a file writes its text.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Ends {
    pub end: End,
    pub lead: Lead,
    pub mixture: Mixture,
}

impl End {
    /// The characters themselves.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Lf => "\n",
            Self::CrLf => "\r\n",
            Self::Cr => "\r",
        }
    }

    /// As a sentence says it.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Lf => "LF",
            Self::CrLf => "CRLF",
            Self::Cr => "CR",
        }
    }
}

impl Ends {
    /// How this text is written. Of two ends that are as frequent the plainer counts; a text of one line has LF.
    #[must_use]
    pub fn of(text: &str) -> Self {
        let lead = if text.starts_with(MARK) { Lead::Mark } else { Lead::Plain };
        let (mut lf, mut crlf, mut cr) = (0_usize, 0_usize, 0_usize);
        let mut bytes = text.bytes().peekable();
        while let Some(byte) = bytes.next() {
            match byte {
                b'\n' => lf += 1,
                b'\r' if bytes.next_if_eq(&b'\n').is_some() => crlf += 1,
                b'\r' => cr += 1,
                _ => {}
            }
        }
        let end = if lf >= crlf && lf >= cr {
            End::Lf
        } else if crlf >= cr {
            End::CrLf
        } else {
            End::Cr
        };
        let kinds = [lf, crlf, cr].into_iter().filter(|n| *n > 0).count();
        let mixture = if kinds > 1 { Mixture::Mixed } else { Mixture::Alike };
        Self { end, lead, mixture }
    }

    /// A text with `\n` as such a file writes it.
    #[must_use]
    pub fn write(self, text: &str) -> String {
        let body = match self.end {
            End::Lf => text.to_owned(),
            End::CrLf | End::Cr => text.replace('\n', self.end.as_str()),
        };
        match self.lead {
            Lead::Plain => body,
            Lead::Mark => format!("{MARK}{body}"),
        }
    }
}

/// The text without its mark, every line ended by `\n`.
#[must_use]
pub fn plain(text: &str) -> String {
    unix_lines(text.strip_prefix(MARK).unwrap_or(text))
}

/// Every line ended by `\n`.
#[must_use]
pub fn unix_lines(text: &str) -> String {
    if text.contains('\r') { text.replace("\r\n", "\n").replace('\r', "\n") } else { text.to_owned() }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn most_lines_decide_and_a_mixture_is_known() {
        use {End::*, Lead::*, Mixture::*};
        for (text, end, lead, mixture) in [
            ("", Lf, Plain, Alike),
            ("{}", Lf, Plain, Alike),
            ("a\nb\n", Lf, Plain, Alike),
            ("a\r\nb\r\n", CrLf, Plain, Alike),
            ("a\rb", Cr, Plain, Alike),
            ("\u{feff}a\r\n", CrLf, Mark, Alike),
            ("\u{feff}", Lf, Mark, Alike),
            ("a\r\nb\r\nc\n", CrLf, Plain, Mixed),
            ("a\r\nb\nc", Lf, Plain, Mixed),
            ("a\r\r\n", CrLf, Plain, Mixed),
        ] {
            assert_eq!(Ends::of(text), Ends { end, lead, mixture }, "{text:?}");
        }
    }

    proptest! {
        #[test]
        fn what_was_written_alike_is_written_so_again(text in "\u{feff}?[a\r\n語]{0,12}") {
            let ends = Ends::of(&text);
            let again = ends.write(&plain(&text));
            prop_assert_eq!(plain(&again), plain(&text));
            if ends.mixture == Mixture::Alike {
                prop_assert_eq!(again, text);
            } else {
                prop_assert_eq!(Ends::of(&again), Ends { mixture: Mixture::Alike, ..ends });
            }
        }
    }
}
