//! What single models take and refuse: a table, by the vendor's model list and the SDKs of 2026-11-30 (PROVIDERS §4).
//!
//! Where two sources disagree the stricter one counts; a model that is not in the table gets only what every model takes.

/// What a request to a model may hold.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Traits {
    /// `tool_choice` of type `any` or `tool`; 400 where false.
    pub(super) forced_choice: bool,
    /// `output_config.effort`; 400 where false.
    pub(super) effort: bool,
    /// `thinking: {"type": "adaptive"}`.
    pub(super) adaptive: bool,
    /// `max_tokens` when the caller names none. The API demands one; too small a value cuts answers, so it is half of
    /// what the model can give or more, and never above what it can give.
    pub(super) max_tokens: u64,
}

/// Older than 4: neither effort nor thinking that needs no budget.
const THIRD: Traits = Traits { forced_choice: true, effort: false, adaptive: false, max_tokens: 8_192 };
const FOURTH: Traits = Traits { max_tokens: 32_000, ..THIRD };
const FOUR_SIX: Traits = Traits { effort: true, adaptive: true, ..FOURTH };
/// Forced tool choice is answered with 400.
const UNFORCED: Traits = Traits { forced_choice: false, ..FOUR_SIX };
/// A name that is not in the table: a future model, or a copy of the API in front of another one.
const UNKNOWN: Traits = Traits { forced_choice: false, effort: false, adaptive: false, max_tokens: 8_192 };

/// Family, major and minor version (`None` = every minor), traits.
const MODELS: &[(&str, u32, Option<u32>, Traits)] = &[
    ("haiku", 3, Some(0), Traits { max_tokens: 4_096, ..THIRD }),
    ("sonnet", 3, Some(0), Traits { max_tokens: 4_096, ..THIRD }),
    ("opus", 3, Some(0), Traits { max_tokens: 4_096, ..THIRD }),
    ("haiku", 3, None, THIRD),
    ("sonnet", 3, None, THIRD),
    ("opus", 4, Some(0), FOURTH),
    ("opus", 4, Some(1), FOURTH),
    ("sonnet", 4, Some(0), FOURTH),
    ("sonnet", 4, Some(5), FOURTH),
    ("haiku", 4, Some(5), FOURTH),
    // Takes effort, but thinking only with a budget.
    ("opus", 4, Some(5), Traits { effort: true, ..FOURTH }),
    ("opus", 4, None, FOUR_SIX),
    ("sonnet", 4, Some(6), FOUR_SIX),
    ("opus", 5, Some(0), FOUR_SIX),
    ("sonnet", 5, Some(0), FOUR_SIX),
    ("haiku", 5, Some(5), FOUR_SIX),
    ("opus", 5, Some(5), UNFORCED),
    ("sonnet", 5, Some(5), UNFORCED),
    // Fable 5 itself: one source allows it, the other does not.
    ("fable", 5, None, UNFORCED),
    ("mythos", 5, None, UNFORCED),
];

/// The traits of a model, by its name: `claude-opus-5-5`, `claude-sonnet-4-5-20250929`, `claude-3-7-sonnet-latest`.
pub(super) fn traits(model: &str) -> Traits {
    let Some((family, major, minor)) = version(model) else { return UNKNOWN };
    let row = |(name, row_major, row_minor, _): &&(&str, u32, Option<u32>, Traits)| {
        family == *name && major == *row_major && row_minor.is_none_or(|row_minor| row_minor == minor)
    };
    MODELS.iter().find(row).map_or(UNKNOWN, |(_, _, _, traits)| *traits)
}

const FAMILIES: [&str; 5] = ["opus", "sonnet", "haiku", "fable", "mythos"];

/// Family, major, minor. A number of more than two digits is a date.
fn version(model: &str) -> Option<(&'static str, u32, u32)> {
    let (_, name) = model.split_once("claude-")?;
    let mut family = None;
    let mut numbers = Vec::new();
    for word in name.split(['-', '@', ':', '.']) {
        if let Some(known) = FAMILIES.iter().find(|known| **known == word) {
            family = Some(*known);
        } else if word.len() <= 2
            && let Ok(number) = word.parse::<u32>()
        {
            numbers.push(number);
        }
    }
    let mut numbers = numbers.into_iter();
    Some((family?, numbers.next()?, numbers.next().unwrap_or(0)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_have_a_family_and_a_version() {
        for (model, want) in [
            ("claude-opus-5-5", Some(("opus", 5, 5))),
            ("claude-sonnet-5", Some(("sonnet", 5, 0))),
            ("claude-sonnet-4-5-20250929", Some(("sonnet", 4, 5))),
            ("claude-sonnet-4-20250514", Some(("sonnet", 4, 0))),
            ("claude-3-7-sonnet-latest", Some(("sonnet", 3, 7))),
            ("claude-3-haiku-20240307", Some(("haiku", 3, 0))),
            ("us.anthropic.claude-haiku-4-5-20251001-v1:0", Some(("haiku", 4, 5))),
            ("anthropic/claude-opus-4.6", Some(("opus", 4, 6))),
            ("claude-instant", None),
            ("qwen3", None),
            ("", None),
        ] {
            assert_eq!(version(model), want, "{model}");
        }
    }

    /// PROVIDERS §4: the models that answer a forced tool choice with 400, and neighbours that do not.
    #[test]
    fn who_may_be_forced() {
        for (model, forced) in [
            ("claude-opus-5-5", false),
            ("claude-sonnet-5-5", false),
            ("claude-fable-5", false),
            ("claude-fable-5-1", false),
            ("claude-fable-5-2-20261001", false),
            ("claude-mythos-5", false),
            ("claude-mythos-5-1", false),
            ("claude-opus-6", false),
            ("claude-sonnet-5-7", false),
            ("some-model", false),
            ("claude-opus-5", true),
            ("claude-sonnet-5", true),
            ("claude-opus-4-8", true),
            ("claude-haiku-5-5", true),
            ("claude-haiku-4-5", true),
            ("claude-sonnet-4-6", true),
            ("claude-3-5-haiku-latest", true),
        ] {
            assert_eq!(traits(model).forced_choice, forced, "{model}");
        }
    }

    #[test]
    fn who_takes_an_effort() {
        for (model, effort, adaptive) in [
            ("claude-sonnet-4-5", false, false),
            ("claude-haiku-4-5-20251001", false, false),
            ("claude-opus-4-1", false, false),
            ("claude-opus-4-5", true, false),
            ("claude-sonnet-4-6", true, true),
            ("claude-opus-4-7", true, true),
            ("claude-fable-5", true, true),
            ("claude-3-7-sonnet-latest", false, false),
            ("unheard-of", false, false),
        ] {
            let traits = traits(model);
            assert_eq!((traits.effort, traits.adaptive), (effort, adaptive), "{model}");
        }
    }
}
