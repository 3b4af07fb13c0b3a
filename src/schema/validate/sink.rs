//! The bounded, ordered list of issues while a value is judged: the 20 first in order, the others counted.

use crate::issue::{Issue, Issues, MAX_ISSUES, MAX_MESSAGE};
use crate::json::push_token;

/// One step into the instance.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Token<'a> {
    Index(usize),
    Key(&'a str),
}

/// The RFC 6901 pointer of a path.
pub(super) fn pointer(path: &[Token<'_>]) -> String {
    let mut out = String::new();
    for token in path {
        match token {
            Token::Index(at) => push_token(&mut out, &at.to_string()),
            Token::Key(key) => push_token(&mut out, key),
        }
    }
    out
}

struct Row<'a> {
    path: Vec<Token<'a>>,
    schema_path: String,
    message: String,
    keyword: &'static str,
}

/// See the module.
#[derive(Default)]
pub(super) struct Sink<'a> {
    rows: Vec<Row<'a>>,
    total: usize,
}

impl<'a> Sink<'a> {
    /// Counts an issue at `path`; false when it would not be kept anyway, so its message need not be made.
    pub(super) fn takes(&mut self, path: &[Token<'a>]) -> bool {
        self.total += 1;
        self.rows.len() < MAX_ISSUES || self.rows.last().is_none_or(|last| path <= last.path.as_slice())
    }

    /// Puts an issue in its place; the last one falls out when there are too many.
    pub(super) fn put(&mut self, path: &[Token<'a>], schema_path: String, keyword: &'static str, message: String) {
        let message = crate::issue::bounded(message, MAX_MESSAGE);
        let row = Row { path: path.to_vec(), schema_path, message, keyword };
        let own = (&row.path, &row.schema_path, &row.message);
        let at = self.rows.partition_point(|r| (&r.path, &r.schema_path, &r.message) <= own);
        if at < MAX_ISSUES {
            self.rows.insert(at, row);
            self.rows.truncate(MAX_ISSUES);
        }
    }

    pub(super) fn finish(self) -> Issues {
        let omitted = self.total - self.rows.len();
        let list = self.rows.into_iter().map(|row| Issue {
            code: "schema_violation",
            path: pointer(&row.path),
            schema_path: row.schema_path,
            message: row.message,
            keyword: row.keyword.to_owned(),
        });
        Issues { list: list.collect(), omitted }
    }
}
