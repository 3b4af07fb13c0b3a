//! Lists of names that are asked often: short ones are searched, long ones are hashed.

use std::collections::HashSet;

/// Up to here a search is quicker than a table.
const SHORT: usize = 16;

/// Some names.
pub(crate) struct Names<'a> {
    list: Vec<&'a str>,
    /// All of them, when they are many; else nothing.
    table: HashSet<&'a str>,
}

impl<'a> Names<'a> {
    pub(crate) fn new(list: Vec<&'a str>) -> Self {
        let table = if list.len() > SHORT { list.iter().copied().collect() } else { HashSet::new() };
        Self { list, table }
    }

    pub(crate) fn has(&self, name: &str) -> bool {
        if self.table.is_empty() { self.list.contains(&name) } else { self.table.contains(name) }
    }

    pub(crate) fn iter(&self) -> std::slice::Iter<'_, &'a str> {
        self.list.iter()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn short_and_long_lists_answer_alike() {
        for count in [0, 1, SHORT, SHORT + 1, 100] {
            let all: Vec<String> = (0..count).map(|n| format!("n{n}")).collect();
            let names = Names::new(all.iter().map(String::as_str).collect());
            assert!(all.iter().all(|name| names.has(name)) && !names.has("n") && names.iter().count() == count);
        }
    }
}
