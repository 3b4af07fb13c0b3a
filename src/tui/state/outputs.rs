//! Files a person may write over unasked: those this session wrote, and those whose name was given twice.

use std::path::{Path, PathBuf};

/// Names that are remembered.
const MOST: usize = 64;

/// What to do with a file that is there already.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Over {
    /// It stays, and the name has to be given once more.
    Ask,
    Replace,
}

/// See the module.
#[derive(Debug, Clone, Default)]
pub struct Outputs(Vec<PathBuf>);

impl Outputs {
    #[must_use]
    pub fn over(&self, path: &Path) -> Over {
        if self.0.iter().any(|known| known == path) { Over::Replace } else { Over::Ask }
    }

    /// From now on the file is replaced unasked.
    pub fn allow(&mut self, path: PathBuf) {
        self.0.retain(|known| *known != path);
        self.0.push(path);
        let surplus = self.0.len().saturating_sub(MOST);
        self.0.drain(..surplus);
    }
}
