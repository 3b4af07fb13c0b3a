//! What can be wrong with a model file, in words that say where and what to do.

use std::fmt;
use std::path::PathBuf;

use candle_core::DType;

use super::kind;

/// A place in the file: the part that was being read, and the byte it begins at.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Place {
    pub part: String,
    pub at: u64,
}

/// A model file cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum GgufError {
    /// The message names the path.
    #[error(transparent)]
    Io(#[from] std::io::Error),
    #[error("{} is no regular file: give the path of a .gguf file", shown(&.path.to_string_lossy()))]
    NoFile { path: PathBuf },
    #[error("this is no GGUF model file: it {begins}")]
    Foreign { begins: &'static str },
    #[error("GGUF version {found} is not supported; convert the model again to version 3 (2 is read too)")]
    Version { found: u32 },
    #[error("this GGUF file is big-endian; only little-endian files are read: get or convert the model as such")]
    BigEndian,
    #[error(
        "this file is one part of a model in {parts} files, which is not supported: merge them into one file first"
    )]
    Split { parts: u64 },
    /// `missing` is exact where the weights are cut off, a lower bound in the header.
    #[error("the model file is cut off in {place}: {missing} bytes or more are missing; download it again")]
    Cut { place: Place, missing: u64 },
    #[error("the model file is refused at {place}: {what} is {found}, the limit is {limit}")]
    Limit { place: Place, what: &'static str, found: u64, limit: u64 },
    #[error("the model file is damaged at {place}: {fault}; download or convert it again")]
    Damaged { place: Place, fault: String },
    #[error("the tensor `{name}` is of the type {kind}, which is not supported; supported are {}", kind::supported())]
    TensorType { name: String, kind: String },
    #[error("the model file holds no tensor `{name}`")]
    NoTensor { name: String },
    #[error("weights cannot be read as {dtype:?}, only as F32, F16 or BF16")]
    Target { dtype: DType },
    #[error("the tensor `{name}` cannot be decoded: {reason}")]
    Decode { name: String, reason: String },
    #[error(
        "there is no memory for the tensor `{name}` of {values} values; close other programs or take a smaller model"
    )]
    Memory { name: String, values: usize },
}

impl GgufError {
    pub(super) fn decode(name: &str, error: &candle_core::Error) -> Self {
        Self::Decode { name: shown(name), reason: error.to_string() }
    }
}

impl fmt::Display for Place {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "{} (byte {})", self.part, self.at)
    }
}

/// A name out of the file as a message may show it: nothing that drives a terminal, not endless.
pub(super) fn shown(name: &str) -> String {
    let safe = crate::text::safe(name);
    crate::text::truncate(&safe, 80).into_owned()
}
