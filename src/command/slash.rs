//! `/schema load x` → the same table row a key leads to.

use super::{Id, command, nearest, table};

/// Why a line is no slash command.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum SlashError {
    #[error("{word} is no command{}", next(word, *meant))]
    Unknown { word: String, meant: Option<&'static str> },
    #[error("{form} takes nothing after it")]
    NoArgument { form: &'static str },
}

/// All slash forms with their rows, in table order.
pub fn forms() -> impl Iterator<Item = (&'static str, Id)> {
    table().iter().filter(|c| !c.slash.is_empty()).map(|c| (c.slash, c.id))
}

/// Reads a line that begins with `/`: the command and the rest of the line, trimmed. The longest form wins; white space
/// between its words may be any.
///
/// # Errors
/// [`SlashError`] with the nearest form.
pub fn parse(line: &str) -> Result<(Id, String), SlashError> {
    let found = forms().filter_map(|(form, id)| strip(line, form).map(|rest| (form, id, rest)));
    let Some((form, id, rest)) = found.max_by_key(|(form, ..)| form.len()) else {
        return Err(unknown(line));
    };
    if !rest.is_empty() && command(id).args == super::Args::None {
        return Err(SlashError::NoArgument { form });
    }
    Ok((id, rest.to_owned()))
}

/// The rest of the line after the words of `form`, if it begins with them.
fn strip<'a>(line: &'a str, form: &str) -> Option<&'a str> {
    let mut rest = line.trim();
    for word in form.split(' ') {
        let (head, tail) = rest.split_once(char::is_whitespace).unwrap_or((rest, ""));
        if head != word {
            return None;
        }
        rest = tail.trim_start();
    }
    Some(rest)
}

/// What to do about it.
fn next(word: &str, meant: Option<&str>) -> String {
    if let Some(meant) = meant {
        return format!(": did you mean {meant}?");
    }
    let head = word.split(' ').next().unwrap_or_default();
    let some = forms().any(|(form, _)| form.split_once(' ').is_some_and(|(first, _)| first == head));
    let begin = if some { head } else { "/" };
    format!("; next: type {begin} and look at what is offered")
}

fn unknown(line: &str) -> SlashError {
    let mut words = line.split_whitespace();
    let one = words.next().unwrap_or("/");
    let two = words.next().map(|w| format!("{one} {w}"));
    let meant = two.as_deref().and_then(|t| nearest(t, forms().map(|(f, _)| f)));
    let meant = meant.or_else(|| nearest(one, forms().map(|(f, _)| f)));
    // Of a group of commands the second word is the slip.
    let group = forms().any(|(form, _)| form.split_once(' ').is_some_and(|(first, _)| first == one));
    let word = two.filter(|_| group).unwrap_or_else(|| one.to_owned());
    SlashError::Unknown { word: word.chars().take(40).collect(), meant }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_form_parses_to_its_row() {
        for (form, id) in forms() {
            assert_eq!(parse(form), Ok((id, String::new())));
            let row = command(id);
            if row.args != super::super::Args::None {
                assert_eq!(parse(&format!("{form}  a b ")), Ok((id, "a b".to_owned())));
            }
        }
    }

    #[test]
    fn slips_name_the_nearest() {
        assert_eq!(
            parse("/schema laod x").unwrap_err().to_string(),
            "/schema laod is no command: did you mean /schema load?"
        );
        assert_eq!(
            parse("/schema frobnicate now").unwrap_err().to_string(),
            "/schema frobnicate is no command; next: type /schema and look at what is offered"
        );
        assert_eq!(
            parse("/frobnicate now").unwrap_err().to_string(),
            "/frobnicate is no command; next: type / and look at what is offered"
        );
        assert_eq!(parse("/modle").unwrap_err().to_string(), "/modle is no command: did you mean /model?");
        assert_eq!(parse("/quit now").unwrap_err().to_string(), "/quit takes nothing after it");
        assert!(parse("/").is_err());
        assert!(parse("/runner").is_err());
    }
}
