//! What the generations of models take: by the vendor's pages and the SDKs of 2026-11-30 (PROVIDERS §5).

/// How an effort is told.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Thinking {
    /// No switch.
    None,
    /// `thinkingBudget` in tokens: smallest and largest.
    Budget(u64, u64),
    /// `thinkingLevel`; the smallest level it knows.
    Level(&'static str),
}

/// What a request to a model may hold.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Traits {
    pub(super) thinking: Thinking,
    /// `systemInstruction`; otherwise the text leads the first turn.
    pub(super) system: bool,
    /// Tool mode VALIDATED: arguments are held to their schema.
    pub(super) validated: bool,
}

/// The traits of a model, by its name: `gemini-2.5-flash`, `models/gemini-3-pro-preview`, `gemma-3-27b-it`. A name without
/// a generation (`gemini-flash-latest`) stands for the newest one.
pub(super) fn traits(model: &str) -> Traits {
    let name = model.rsplit('/').next().unwrap_or(model);
    if name.starts_with("gemma") {
        return Traits { thinking: Thinking::None, system: false, validated: false };
    }
    let thinking = match generation(name) {
        Some((0..=1, _) | (2, 0..=4)) => Thinking::None,
        Some((2, _)) if name.contains("pro") => Thinking::Budget(128, 32_768),
        Some((2, _)) if name.contains("lite") => Thinking::Budget(512, 24_576),
        Some((2, _)) => Thinking::Budget(0, 24_576),
        Some((3, _)) => Thinking::Level("MINIMAL"),
        Some((4.., _)) | None => Thinking::Level("LOW"),
    };
    Traits { thinking, system: true, validated: thinking != Thinking::None }
}

/// `gemini-2.5-…` → (2, 5).
fn generation(name: &str) -> Option<(u32, u32)> {
    let rest = name.strip_prefix("gemini-")?;
    let number = rest.split('-').next()?;
    let (major, minor) = number.split_once('.').unwrap_or((number, "0"));
    Some((major.parse().ok()?, minor.parse().ok()?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn generations() {
        for (model, thinking) in [
            ("gemini-1.5-flash", Thinking::None),
            ("gemini-2.0-flash", Thinking::None),
            ("gemini-2.5-flash", Thinking::Budget(0, 24_576)),
            ("gemini-2.5-flash-lite-preview", Thinking::Budget(512, 24_576)),
            ("models/gemini-2.5-pro", Thinking::Budget(128, 32_768)),
            ("gemini-3-pro-preview", Thinking::Level("MINIMAL")),
            ("gemini-3.1-flash", Thinking::Level("MINIMAL")),
            ("gemini-4-pro", Thinking::Level("LOW")),
            ("gemini-flash-latest", Thinking::Level("LOW")),
            ("gemma-3-27b-it", Thinking::None),
        ] {
            assert_eq!(traits(model).thinking, thinking, "{model}");
        }
        assert!(!traits("gemma-3-27b-it").system && traits("gemini-1.5-flash").system);
        assert!(!traits("gemini-2.0-flash").validated && traits("gemini-2.5-pro").validated);
    }
}
