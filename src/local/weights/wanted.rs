//! What a person asks for: a name of the list, or a file on the hub.

use super::known::{DEMO, Known, Source, known};
use super::part::Expected;
use super::pull::{Checked, Request};
use super::{ENDING, WeightsError, bare};

/// A request that was understood.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Wanted {
    pub(super) name: String,
    pub(super) known: Option<&'static Known>,
    /// Repository, revision and file of what is not in the list.
    hub: Option<[String; 3]>,
    pub(super) sha256: Option<String>,
}

impl Wanted {
    /// Understands what a person asks for.
    ///
    /// # Errors
    /// [`WeightsError::NotAName`], [`WeightsError::NotAHash`].
    pub(super) fn new(request: &Request) -> Result<Self, WeightsError> {
        let text = request.what.as_deref().unwrap_or(DEMO).trim();
        let sha256 = request.sha256.as_deref().map(|hash| hash.trim().to_ascii_lowercase());
        if sha256.as_deref().is_some_and(|hash| hash.len() != 64 || !hash.bytes().all(|b| b.is_ascii_hexdigit())) {
            return Err(WeightsError::NotAHash);
        }
        if let Some(known) = known(bare(text)) {
            return Ok(Self { name: known.name.to_owned(), known: Some(known), hub: None, sha256 });
        }
        let refuse = || WeightsError::NotAName(text.to_owned());
        let plain = |part: &&str| {
            let letters = part.bytes().all(|b| b.is_ascii_alphanumeric() || matches!(b, b'.' | b'_' | b'-'));
            !part.is_empty() && letters && !part.starts_with('.')
        };
        let parts: Vec<&str> = text.split('/').collect();
        let [owner, repository, .., file] = parts.as_slice() else { return Err(refuse()) };
        let (stem, ending) = file.rsplit_once('.').ok_or_else(refuse)?;
        if !ending.eq_ignore_ascii_case(ENDING) || stem.is_empty() || !parts.iter().all(plain) {
            return Err(refuse());
        }
        let path = parts.get(2..).unwrap_or_default().join("/");
        let hub = Some([format!("{owner}/{repository}"), "main".to_owned(), path]);
        Ok(Self { name: stem.to_owned(), known: None, hub, sha256 })
    }

    /// What the file must be, and who says so.
    pub(super) fn expected(&self, announced: Option<String>) -> Result<(Expected, Checked), WeightsError> {
        let bytes = self.known.map(|known| known.bytes);
        let pinned = self.known.map(|known| known.sha256.to_owned());
        if let (Some(expected), Some(found)) = (&self.sha256, &pinned)
            && expected != found
        {
            let (expected, found) = (expected.clone(), found.clone());
            return Err(WeightsError::WrongHash { name: self.name.clone(), expected, found });
        }
        let (sha256, checked) = match (self.sha256.clone(), pinned, announced) {
            (Some(hash), _, _) => (Some(hash), Checked::Given),
            (None, Some(hash), _) => (Some(hash), Checked::Pinned),
            (None, None, Some(hash)) => (Some(hash), Checked::Announced),
            (None, None, None) => (None, Checked::Unchecked),
        };
        Ok((Expected { bytes, sha256 }, checked))
    }

    /// The places to ask, in order.
    pub(super) fn places(&self) -> Vec<Place> {
        let listed = self.known.iter().flat_map(|known| known.sources).map(Place::from);
        let own = self.hub.iter().map(|[repository, revision, file]| hub_file(repository, revision, file));
        listed.chain(own).collect()
    }
}

/// A place to ask.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Place {
    Wheel { package: &'static str, version: &'static str },
    Hub { repository: String, revision: String, file: String },
}

impl From<&Source> for Place {
    fn from(source: &Source) -> Self {
        match *source {
            Source::Wheel { package, version } => Self::Wheel { package, version },
            Source::Hub { repository, revision, file } => hub_file(repository, revision, file),
        }
    }
}

fn hub_file(repository: &str, revision: &str, file: &str) -> Place {
    Place::Hub { repository: repository.to_owned(), revision: revision.to_owned(), file: file.to_owned() }
}

impl Place {
    /// As it is told and remembered.
    pub(super) fn origin(&self) -> String {
        match self {
            Self::Wheel { package, version } => format!("wheel {package} {version}"),
            Self::Hub { repository, revision, file } => {
                let revision: String = revision.chars().take(12).collect();
                format!("hub {repository}@{revision}/{file}")
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn wanted(what: &str) -> Result<Wanted, WeightsError> {
        Wanted::new(&Request { what: Some(what.to_owned()), sha256: None })
    }

    #[test]
    fn names_of_the_list_and_files_of_the_hub() {
        assert_eq!(Wanted::new(&Request::default()).unwrap().name, DEMO);
        for (what, name) in [
            (DEMO, DEMO),
            ("local/SmolLM2-135M-Instruct", DEMO),
            (" smollm2-135m-instruct.gguf ", DEMO),
            ("o-1/r.x/Some.Model-Q4_K_M.gguf", "Some.Model-Q4_K_M"),
            ("o/r/deep/er/m.GGUF", "m"),
        ] {
            assert_eq!(wanted(what).unwrap().name, name, "{what}");
        }
        let Place::Hub { repository, revision, file } = wanted("o/r/deep/m.gguf").unwrap().places().remove(0) else {
            panic!("no hub file");
        };
        assert_eq!((repository.as_str(), revision.as_str(), file.as_str()), ("o/r", "main", "deep/m.gguf"));
    }

    #[test]
    fn what_is_no_name_is_refused() {
        for what in [
            "",
            "x",
            "o/r",
            "o/m.gguf",
            "o/r/m.bin",
            "o/r/.gguf",
            "../../m.gguf",
            "o/../m.gguf",
            "o/r/../m.gguf",
            "o//m.gguf",
            "/o/r/m.gguf",
            "o/r/m.gguf?x",
            "o/r/m%2f.gguf",
            "o/r/é.gguf",
            "o/r/m .gguf",
            r"o\r\m.gguf",
            "https://h/o/r/m.gguf",
        ] {
            assert!(matches!(wanted(what), Err(WeightsError::NotAName(_))), "{what}");
        }
    }

    #[test]
    fn a_hash_is_64_digits_and_that_of_the_list_holds() {
        let with = |hash: &str| Wanted::new(&Request { what: None, sha256: Some(hash.to_owned()) });
        for bad in ["", "abc", &"g".repeat(64), &"a".repeat(65)] {
            assert!(matches!(with(bad), Err(WeightsError::NotAHash)), "{bad}");
        }
        assert!(matches!(with(&"A".repeat(64)).unwrap().expected(None), Err(WeightsError::WrongHash { .. })));
        let pinned = known(DEMO).unwrap().sha256;
        let (expected, checked) = with(pinned).unwrap().expected(None).unwrap();
        assert_eq!((expected.sha256.as_deref(), checked), (Some(pinned), Checked::Given));
    }

    #[test]
    fn the_best_word_on_a_hash_counts() {
        let announced = Some("b".repeat(64));
        let demo = Wanted::new(&Request::default()).unwrap();
        assert_eq!(demo.expected(announced.clone()).unwrap().1, Checked::Pinned);
        let other = wanted("o/r/m.gguf").unwrap();
        assert_eq!(other.expected(announced).unwrap().1, Checked::Announced);
        assert_eq!(other.expected(None).unwrap().1, Checked::Unchecked);
    }
}
