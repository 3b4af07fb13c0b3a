//! `formwork model …`: the models that run inside the program, and the file of `--model-path`.

#[cfg(feature = "local")]
mod bar;
#[cfg(not(feature = "local"))]
mod missing;
#[cfg(feature = "local")]
mod store;

#[cfg(not(feature = "local"))]
pub(super) use self::missing::{file, run};
#[cfg(feature = "local")]
pub(super) use self::store::{file, run};
