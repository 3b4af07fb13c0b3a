//! Which `format` all texts at a place fit, by the validator's own checks.

/// The formats that are looked for, the most telling first. Not `hostname`, `regex` and the like: nearly every word fits.
const FORMATS: [&str; 9] = ["date-time", "date", "time", "duration", "uuid", "ipv4", "ipv6", "email", "uri"];

/// A check for each of [`FORMATS`], made once.
pub(super) struct Formats {
    checks: Vec<Option<jsonschema::Validator>>,
}

impl std::fmt::Debug for Formats {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Formats").finish_non_exhaustive()
    }
}

impl Formats {
    pub(super) fn new() -> Self {
        let check = |name: &&str| {
            let schema = serde_json::json!({ "format": name });
            let options = jsonschema::options().with_draft(jsonschema::Draft::Draft202012);
            options.should_validate_formats(true).build(&schema).ok()
        };
        Self { checks: FORMATS.iter().map(check).collect() }
    }

    /// The formats out of a set that a text fits too; bit `n` is the `n`th of the list.
    pub(super) fn kept(&self, set: u16, text: &str) -> u16 {
        // A long text is prose; the checks are linear, but not cheap.
        if set == 0 || text.len() > 2_048 {
            return 0;
        }
        let mut kept = 0;
        for (bit, (name, check)) in FORMATS.iter().zip(&self.checks).enumerate() {
            let asked = set & (1 << bit) != 0 && telling(name, text);
            if asked && check.as_ref().is_some_and(|check| check.is_valid(&serde_json::Value::from(text))) {
                kept |= 1 << bit;
            }
        }
        kept
    }

    /// The first format of a set.
    pub(super) fn first(&self, set: u16) -> Option<&'static str> {
        FORMATS.iter().enumerate().take(self.checks.len()).find(|(bit, _)| set & (1 << bit) != 0).map(|(_, name)| *name)
    }
}

/// Does the text look like the format to a person? `note:today` is a URI, and nobody means it as one.
fn telling(format: &str, text: &str) -> bool {
    format != "uri" || text.contains("://")
}
