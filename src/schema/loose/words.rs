//! What names and descriptions promise: dates, addresses, amounts, counts, one of a few words.

/// Characters of a value that are shown.
const MAX_SHOWN: usize = 48;

/// A text, cut.
pub(super) fn cut(text: &str) -> String {
    if text.chars().count() <= MAX_SHOWN {
        return text.to_owned();
    }
    text.chars().take(MAX_SHOWN - 1).chain(['…']).collect()
}

/// A format a name promises.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Promise {
    pub(super) format: &'static str,
    /// What a text of the format looks like, where formats are not asserted.
    pub(super) pattern: &'static str,
    /// What is no such text.
    pub(super) wrong: &'static str,
}

const DATE: Promise = Promise { format: "date", pattern: r"^\d{4}-\d{2}-\d{2}$", wrong: "next Tuesday" };
const MOMENT: Promise =
    Promise { format: "date-time", pattern: r"^\d{4}-\d{2}-\d{2}[Tt ]\d{2}:\d{2}", wrong: "next Tuesday" };
const EMAIL: Promise = Promise { format: "email", pattern: r"^[^@\s]+@[^@\s]+$", wrong: "nobody" };
const URI: Promise = Promise { format: "uri", pattern: r"^[A-Za-z][A-Za-z0-9+.-]*:", wrong: "somewhere" };
const UUID: Promise = Promise {
    format: "uuid",
    pattern: r"^[0-9a-fA-F]{8}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{12}$",
    wrong: "the third one",
};

/// The words of a name: `invoiceDate`, `invoice_date` and `invoice-date` alike.
fn parts(name: &str) -> Vec<String> {
    let (mut words, mut word, mut lower) = (Vec::new(), String::new(), false);
    for letter in name.chars() {
        let cuts = !letter.is_alphanumeric() || lower && letter.is_uppercase();
        if cuts && !word.is_empty() {
            words.push(std::mem::take(&mut word));
        }
        if letter.is_alphanumeric() {
            word.extend(letter.to_lowercase());
        }
        lower = letter.is_lowercase();
    }
    if !word.is_empty() {
        words.push(word);
    }
    words
}

/// The formats a field of this name may mean.
pub(super) fn promised(name: &str) -> &'static [Promise] {
    let parts = parts(name);
    match parts.last().map(String::as_str) {
        Some("date" | "birthday" | "dob" | "day" | "due") => &[DATE, MOMENT],
        Some("at" | "timestamp" | "datetime" | "time") => &[MOMENT],
        Some("email" | "mail") => &[EMAIL],
        Some("url" | "uri" | "link" | "website" | "homepage" | "href") => &[URI],
        Some("uuid" | "guid" | "id") => &[UUID],
        _ => &[],
    }
}

/// What a number of this name is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Measure {
    /// Things that are counted: whole, not negative.
    Count,
    /// An amount: not negative.
    Amount,
    /// May well be negative.
    Signed,
    Unknown,
}

/// What a number of this name is.
pub(super) fn measure(name: &str) -> Measure {
    const COUNTS: [&str; 11] =
        ["count", "quantity", "qty", "age", "pages", "year", "number", "rank", "seats", "stock", "rating"];
    const AMOUNTS: [&str; 19] = [
        "price",
        "total",
        "amount",
        "cost",
        "fee",
        "sum",
        "subtotal",
        "tax",
        "weight",
        "height",
        "width",
        "length",
        "duration",
        "distance",
        "salary",
        "size",
        "score",
        "confidence",
        "percentage",
    ];
    const SIGNED: [&str; 12] =
        ["temperature", "latitude", "longitude", "lat", "lon", "lng", "offset", "delta", "change", "balance", "x", "y"];
    let parts = parts(name);
    let has = |list: &[&str]| parts.iter().any(|part| list.contains(&part.as_str()));
    if has(&SIGNED) {
        Measure::Signed
    } else if has(&COUNTS) {
        Measure::Count
    } else if has(&AMOUNTS) {
        Measure::Amount
    } else {
        Measure::Unknown
    }
}

/// The words a description lists in quotes, when there are at least two.
pub(super) fn listed(description: &str) -> Vec<String> {
    const LONGEST: usize = 40;
    const MOST: usize = 40;
    for quote in ['"', '\'', '`'] {
        let inside = description.split(quote).skip(1).step_by(2);
        let closed = description.matches(quote).count() / 2;
        let mut words: Vec<String> = Vec::new();
        for word in inside.take(closed) {
            let plain = !word.is_empty() && word.chars().count() <= LONGEST && word.trim() == word;
            if plain && !words.iter().any(|there| there == word) {
                words.push(word.to_owned());
            }
        }
        if (2..=MOST).contains(&words.len()) {
            return words;
        }
    }
    Vec::new()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_taken_apart() {
        for (name, words) in [
            ("invoiceDate", vec!["invoice", "date"]),
            ("due_date", vec!["due", "date"]),
            ("URL", vec!["url"]),
            ("created-at", vec!["created", "at"]),
            ("", vec![]),
        ] {
            assert_eq!(parts(name), words, "{name}");
        }
        assert_eq!(measure("unit_price"), Measure::Amount);
        assert_eq!(measure("temperatureDelta"), Measure::Signed);
        assert_eq!(measure("itemCount"), Measure::Count);
        assert_eq!(promised("created_at").first().map(|p| p.format), Some("date-time"));
        assert_eq!(promised("name"), &[]);
    }

    #[test]
    fn quoted_words_of_a_description() {
        assert_eq!(listed(r#"one of "low", "high" or "none""#), ["low", "high", "none"]);
        assert_eq!(listed("either 'a' or 'b'"), ["a", "b"]);
        assert_eq!(listed("the user's name"), Vec::<String>::new());
        assert_eq!(listed(r#"only "one" word"#), Vec::<String>::new());
    }
}
