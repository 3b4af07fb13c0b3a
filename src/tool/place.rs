//! Where the tools may look: below one folder, links resolved, nothing hidden.

use std::path::{Component, Path, PathBuf};

/// One answer for what is not there and what may not be seen: a model learns nothing of the rest of the disk.
const NOWHERE: &str = "there is no such file or folder below the working folder (hidden ones are not shown)";

/// A folder, resolved once.
#[derive(Debug, Clone)]
pub(super) struct Place {
    root: PathBuf,
}

impl Place {
    pub(super) fn at(folder: &Path) -> std::io::Result<Self> {
        Ok(Self { root: fs_err::canonicalize(folder)? })
    }

    /// The real path of what the model named.
    ///
    /// # Errors
    /// When it is not there, lies outside after every link is followed, or is hidden.
    pub(super) fn find(&self, named: &str) -> Result<PathBuf, String> {
        let real = fs_err::canonicalize(self.root.join(named)).map_err(|_| NOWHERE)?;
        let below = real.strip_prefix(&self.root).map_err(|_| NOWHERE)?;
        if below.components().any(is_hidden) {
            return Err(NOWHERE.to_owned());
        }
        Ok(real)
    }

    /// As the model would name it.
    pub(super) fn name(&self, real: &Path) -> String {
        let below = real.strip_prefix(&self.root).unwrap_or(real);
        below.to_string_lossy().replace(std::path::MAIN_SEPARATOR, "/")
    }
}

fn is_hidden(component: Component<'_>) -> bool {
    component.as_os_str().to_string_lossy().starts_with('.')
}

/// Is an entry of a folder hidden?
pub(super) fn hidden(name: &str) -> bool {
    name.starts_with('.')
}
