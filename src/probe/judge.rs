//! From an answer to a verdict. Pure: the same answer gives the same verdict. Evidence is made of fixed words.

use super::ask::Answer;
use super::questions::{LIST, PINNED, REPORT, WORD};
use crate::capability::verdict::Verdict;
use crate::event::Terminal;
use crate::json::{ParseLimits, Value, parse};

/// An answer to a small question is small.
const LIMITS: ParseLimits = ParseLimits { max_bytes: 256 * 1024, max_depth: 64 };

/// How an answer is judged.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Judge {
    /// Did it come piece by piece?
    Streamed,
    /// Text that must be the pinned object.
    Pinned,
    /// Text that must be an object with a list that is not empty.
    List,
    /// A call of the tool with the pinned object.
    Tool,
}

/// The verdict, and what it rests on.
pub(super) fn answer(answer: &Answer, judge: Judge) -> (Verdict, String) {
    let said = |verdict, words: &str| (verdict, words.to_owned());
    if judge == Judge::Streamed {
        return match (answer.streamed, answer.text.is_empty()) {
            (true, false) => said(Verdict::Enforced, "the answer came as a stream"),
            (true, true) => said(Verdict::Unreachable, "the stream brought no text"),
            (false, _) => said(Verdict::Ignored, "the answer came in one piece"),
        };
    }
    // A cut or refused answer proves nothing, whatever it looks like.
    match &answer.terminal {
        Terminal::Stop | Terminal::ToolUse => {}
        Terminal::Length => return said(Verdict::Unreachable, "the answer was cut at the limit of tokens"),
        Terminal::Refusal | Terminal::ContentFilter => {
            return said(Verdict::Unreachable, "the model refused or a filter stopped it");
        }
        Terminal::Paused
        | Terminal::ContextOverflow
        | Terminal::Error { .. }
        | Terminal::Missing
        | Terminal::Unknown { .. } => return said(Verdict::Unreachable, "the answer has no proper end"),
    }
    match judge {
        Judge::Tool => match answer.calls.iter().find(|(name, _)| name == REPORT) {
            Some((_, arguments)) => document(arguments, &pinned),
            None => said(Verdict::Ignored, "text instead of a call of the tool"),
        },
        // The tool beside the schema was taken, which says nothing of the schema.
        Judge::Pinned if !answer.calls.is_empty() => {
            said(Verdict::Unreachable, "the model called the tool instead of answering")
        }
        Judge::Pinned => document(&answer.text, &pinned),
        Judge::List | Judge::Streamed => document(&answer.text, &list),
    }
}

/// `None` = another shape; else whether the values are those demanded.
type Shape = dyn Fn(&Value) -> Option<bool>;

fn document(text: &str, shape: &Shape) -> (Verdict, String) {
    let value = match parse(text, LIMITS) {
        Ok(value) => value,
        Err(error) => return (Verdict::Ignored, format!("the answer is no JSON ({})", error.hint.code())),
    };
    let (verdict, words) = match shape(&value) {
        Some(true) => (Verdict::Enforced, "what only the schema demands came back"),
        Some(false) => (Verdict::ShapeOnly, "the schema's shape with a value it does not allow"),
        None => (Verdict::JsonOnly, "JSON of another shape"),
    };
    (verdict, words.to_owned())
}

fn pinned(value: &Value) -> Option<bool> {
    only(value, WORD)?.as_str().map(|word| word == PINNED)
}

fn list(value: &Value) -> Option<bool> {
    let items = only(value, LIST)?.as_array()?;
    items.iter().all(Value::is_string).then_some(!items.is_empty())
}

/// The value of the only property.
fn only<'a>(value: &'a Value, name: &str) -> Option<&'a Value> {
    let object = value.as_object().filter(|object| object.len() == 1)?;
    object.get(name)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(text: &str) -> Answer {
        Answer { text: text.to_owned(), calls: Vec::new(), streamed: true, terminal: Terminal::Stop }
    }

    fn call(arguments: &str) -> Answer {
        let calls = vec![(REPORT.to_owned(), arguments.to_owned())];
        Answer { text: String::new(), calls, streamed: true, terminal: Terminal::ToolUse }
    }

    #[test]
    fn answers_and_their_verdicts() {
        use Judge::{List, Pinned, Tool};
        use Verdict::{Enforced, Ignored, JsonOnly, ShapeOnly, Unreachable};
        let pinned = format!("{{\"word\":\"{PINNED}\"}}");
        let fenced = format!("```json\n{pinned}\n```");
        for (given, judge, want) in [
            (text(&pinned), Pinned, Enforced),
            (text(&format!(" {pinned}\n")), Pinned, Enforced),
            (text("{\"word\":\"blue\"}"), Pinned, ShapeOnly),
            (text("{\"word\":7}"), Pinned, JsonOnly),
            (text("{\"colour\":\"blue\"}"), Pinned, JsonOnly),
            (text(&pinned.replace('}', ",\"x\":1}")), Pinned, JsonOnly),
            (text("\"blue\""), Pinned, JsonOnly),
            (text("Blue"), Pinned, Ignored),
            (text(""), Pinned, Ignored),
            (text(&fenced), Pinned, Ignored),
            (text(&format!("{pinned} {pinned}")), Pinned, Ignored),
            (text("{\"months\":[\"none\"]}"), List, Enforced),
            (text("{\"months\":[]}"), List, ShapeOnly),
            (text("{\"months\":[1]}"), List, JsonOnly),
            (text("[]"), List, JsonOnly),
            (call(&pinned), Tool, Enforced),
            (call("{\"word\":\"blue\"}"), Tool, ShapeOnly),
            (call("{}"), Tool, JsonOnly),
            (call("{\"word\":"), Tool, Ignored),
            (text(&pinned), Tool, Ignored),
            (call(&pinned), Pinned, Unreachable),
        ] {
            assert_eq!(answer(&given, judge).0, want, "{given:?} {judge:?}");
        }
    }

    #[test]
    fn a_cut_answer_proves_nothing() {
        let pinned = format!("{{\"word\":\"{PINNED}\"}}");
        for terminal in [
            Terminal::Length,
            Terminal::Refusal,
            Terminal::ContentFilter,
            Terminal::Paused,
            Terminal::Missing,
            Terminal::Unknown { word: "x".to_owned() },
        ] {
            let given = Answer { terminal, ..text(&pinned) };
            assert_eq!(answer(&given, Judge::Pinned).0, Verdict::Unreachable, "{given:?}");
        }
    }

    #[test]
    fn streaming_is_seen_from_the_way_the_answer_came() {
        let whole = Answer { streamed: false, ..text("A door opens.") };
        assert_eq!(answer(&whole, Judge::Streamed).0, Verdict::Ignored);
        assert_eq!(answer(&text("A door opens."), Judge::Streamed).0, Verdict::Enforced);
        assert_eq!(answer(&text(""), Judge::Streamed).0, Verdict::Unreachable);
    }
}
