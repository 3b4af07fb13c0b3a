//! Which versions belong together: the same file, the same title, or, where neither says anything, the same shape.
//! Pure.

use super::Version;
use crate::json::Value;
use crate::schema::ResponseFormat;

/// What a schema is known by besides its hash.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Identity {
    /// The file it was run from, links resolved.
    pub source: Option<String>,
    /// The schema's `title`, else the name in its envelope.
    pub title: Option<String>,
    /// Names of its root properties, in order.
    pub shape: Vec<String>,
}

/// Longest title that is kept, and how many names of the shape; more tells nobody apart.
const MAX_TITLE: usize = 200;
const MAX_SHAPE: usize = 64;
/// What an envelope without a name is called.
const UNNAMED: &str = "response";

impl Identity {
    /// Reads it from a schema.
    #[must_use]
    pub fn of(format: &ResponseFormat, source: Option<String>) -> Self {
        let title = format.schema.get("title").and_then(Value::as_str).map(str::trim).filter(|t| !t.is_empty());
        let title = title.or_else(|| Some(format.name.as_str()).filter(|name| *name != UNNAMED));
        let title = title.map(|t| t.chars().filter(|c| !c.is_control()).take(MAX_TITLE).collect());
        let properties = format.schema.get("properties").and_then(Value::as_object);
        let names = properties.into_iter().flat_map(|p| p.keys());
        // A name with a line feed could not be told from two; it tells nothing apart either.
        let names = names.filter(|name| name.len() <= MAX_TITLE && !name.contains(['\n', '\r']));
        let shape = names.take(MAX_SHAPE).cloned().collect();
        Self { source, title, shape }
    }

    /// Is the other one an earlier or later state of the same schema?
    ///
    /// The same file says so, and so does the same title. Where one of the two has no file and the titles do not speak
    /// against it, at least half of the root properties must be the same.
    #[must_use]
    pub fn related(&self, other: &Version) -> bool {
        if self.source.as_ref().is_some_and(|own| other.sources.contains(own)) {
            return true;
        }
        if let (Some(own), Some(theirs)) = (&self.title, &other.title) {
            return own == theirs;
        }
        let both_in_files = self.source.is_some() && !other.sources.is_empty();
        !both_in_files && alike(&self.shape, &other.shape)
    }
}

impl Version {
    /// Is the other one an earlier or later state of the same schema? See [`Identity::related`].
    #[must_use]
    pub fn related(&self, other: &Self) -> bool {
        let identity = |source: Option<&String>| Identity {
            source: source.cloned(),
            title: self.title.clone(),
            shape: self.shape.clone(),
        };
        match self.sources.as_slice() {
            [] => identity(None).related(other),
            sources => sources.iter().any(|source| identity(Some(source)).related(other)),
        }
    }
}

/// Half of all the names are in both; without any names nothing is alike.
fn alike(a: &[String], b: &[String]) -> bool {
    let both = a.iter().filter(|name| b.contains(name)).count();
    let all = a.len() + b.len() - both;
    both > 0 && both * 2 >= all
}

#[cfg(test)]
mod tests {
    use super::*;

    fn identity(source: &str, title: &str, shape: &str) -> Identity {
        let some = |text: &str| Some(text.to_owned()).filter(|t| !t.is_empty());
        Identity {
            source: some(source),
            title: some(title),
            shape: shape.split_whitespace().map(str::to_owned).collect(),
        }
    }

    fn version(source: &str, title: &str, shape: &str) -> Version {
        let Identity { source, title, shape } = identity(source, title, shape);
        Version {
            hash: String::new(),
            name: None,
            title,
            shape,
            sources: source.into_iter().collect(),
            first: 0,
            last: 0,
            runs: 1,
            passes: 0,
        }
    }

    #[test]
    fn what_belongs_together() {
        let table = [
            // the same file, whatever is in it
            (("/a.json", "", "a b"), ("/a.json", "", "x y"), true),
            (("/a.json", "One", "a"), ("/a.json", "Two", "x"), true),
            // another file with another or no title
            (("/a.json", "", "a b"), ("/b.json", "", "a b"), false),
            (("/a.json", "One", "a b"), ("/b.json", "Two", "a b"), false),
            // a title goes with its schema from file to file
            (("/a.json", "One", "a"), ("/b.json", "One", "x"), true),
            (("", "One", "a"), ("", "One", "x"), true),
            (("", "One", "a b"), ("", "Two", "a b"), false),
            // without file: the shape
            (("", "", "a b c"), ("", "", "a b d"), true),
            (("", "", "a b c"), ("", "", "c d e"), false),
            (("", "", ""), ("", "", ""), false),
            (("/a.json", "", "a b"), ("", "", "a b"), true),
            (("", "One", "a b"), ("", "", "a b"), true),
        ];
        for ((s, t, p), (s2, t2, p2), related) in table {
            assert_eq!(identity(s, t, p).related(&version(s2, t2, p2)), related, "{s} {t} {p} / {s2} {t2} {p2}");
            assert_eq!(version(s, t, p).related(&version(s2, t2, p2)), related, "{s} {t} {p} / {s2} {t2} {p2}");
        }
    }
}
