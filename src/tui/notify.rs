//! Telling a person who looks elsewhere that a run ended: what is written to the terminal.
//!
//! Off unless `notify` says how. The words are ours alone, so nothing of a model can act; whether the terminal obeys it
//! never says.

use crate::config::{Env, Notify};

/// How to tell, and whether tmux stands between.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Notifier {
    way: Notify,
    between: Between,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Between {
    Nothing,
    Tmux,
}

/// What a person is told.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum News {
    Done,
    Failed,
}

impl News {
    fn words(self) -> &'static str {
        match self {
            Self::Done => "the run is done",
            Self::Failed => "the run failed",
        }
    }
}

impl Notifier {
    #[must_use]
    pub fn new(way: Notify, env: &Env) -> Self {
        let between = if env.get("TMUX").is_some() { Between::Tmux } else { Between::Nothing };
        Self { way, between }
    }

    /// The bytes for the terminal; empty when nobody wants to be told.
    #[must_use]
    pub fn escape(self, news: News) -> String {
        let words = news.words();
        let plain = match self.way {
            Notify::Off => return String::new(),
            // tmux hands a bell on by itself.
            Notify::Bell => return "\u{7}".to_owned(),
            Notify::Osc9 => format!("\u{1b}]9;formwork: {words}\u{7}"),
            Notify::Osc777 => format!("\u{1b}]777;notify;formwork;{words}\u{7}"),
        };
        match self.between {
            Between::Nothing => plain,
            Between::Tmux => through_tmux(&plain),
        }
    }
}

/// An escape wrapped so that tmux passes it on.
#[must_use]
pub fn through_tmux(escape: &str) -> String {
    format!("\u{1b}Ptmux;{}\u{1b}\\", escape.replace('\u{1b}', "\u{1b}\u{1b}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_way_has_its_escape_and_tmux_its_wrapping() {
        let (bare, tmux) = (Env::default(), Env::from_pairs([("TMUX", "/tmp/s"), ("", "")]));
        for (way, env, wanted) in [
            (Notify::Off, &tmux, ""),
            (Notify::Bell, &tmux, "\u{7}"),
            (Notify::Osc9, &bare, "\u{1b}]9;formwork: the run failed\u{7}"),
            (Notify::Osc777, &bare, "\u{1b}]777;notify;formwork;the run failed\u{7}"),
            (Notify::Osc9, &tmux, "\u{1b}Ptmux;\u{1b}\u{1b}]9;formwork: the run failed\u{7}\u{1b}\\"),
        ] {
            assert_eq!(Notifier::new(way, env).escape(News::Failed), wanted);
        }
        assert!(Notifier::new(Notify::Osc9, &bare).escape(News::Done).contains("done"));
    }
}
