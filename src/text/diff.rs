//! A unified diff of two texts, for people. Bounded: past its time it tells the difference in larger pieces.

use std::time::Duration;

use similar::TextDiff;

/// Longer, and the diff is told in larger pieces than the smallest.
const PATIENCE: Duration = Duration::from_secs(1);

/// Three lines of context, each side named in the header; empty when the texts are the same.
#[must_use]
pub fn unified(before: &str, after: &str, names: (&str, &str)) -> String {
    if before == after {
        return String::new();
    }
    let diff = TextDiff::configure().timeout(PATIENCE).diff_lines(before, after);
    diff.unified_diff().context_radius(3).header(names.0, names.1).to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_changed_stands_between_what_did_not() {
        let told = unified("a\nb\nc\n", "a\nB\nc\n", ("old", "new"));
        assert_eq!(told, "--- old\n+++ new\n@@ -1,3 +1,3 @@\n a\n-b\n+B\n c\n");
        assert_eq!(unified("a", "a", ("old", "new")), "");
    }
}
