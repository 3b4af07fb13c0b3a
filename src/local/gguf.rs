//! Model files in the GGUF format, versions 2 and 3, little-endian: the metadata and the tensors.
//!
//! The header is read whole at [`Gguf::open`], the weights one tensor at a time by seeking: nothing is mapped into
//! memory, and the peak is one finished tensor and a chunk of some hundred kilobytes.
//!
//! Every number in the file is untrusted. A count, a length and an offset is checked against what the file has left and
//! against a limit of this reader before anything is allocated or read for it; an error names the part and the byte.
//! What it refuses: files of other formats (by name), version 1, big-endian files, parts of a split model, tensor types
//! that the engine cannot decode, repeated names, weights that overlap or lie outside of the file.

#[cfg(test)]
pub(crate) mod build;
mod error;
mod foreign;
mod header;
mod kind;
#[cfg(test)]
mod tests;
mod weights;

use std::collections::BTreeMap;
use std::io::BufReader;
use std::path::Path;
use std::sync::Mutex;

use candle_core::{DType, Device, Tensor};

pub use error::{GgufError, Place};
use header::{Entry, Header, Value};

/// An open model file: its metadata, and its tensors on demand.
#[derive(Debug)]
pub struct Gguf {
    metadata: BTreeMap<String, Value>,
    tensors: BTreeMap<String, Entry>,
    file: Mutex<fs_err::File>,
}

impl Gguf {
    /// Opens a file and reads its header; no weights yet.
    ///
    /// # Errors
    /// [`GgufError`]: the file cannot be read, is of another format, cut off, damaged, or holds what is not supported.
    pub fn open(path: &Path) -> Result<Self, GgufError> {
        // asked before opening: a named pipe would block there
        if !fs_err::metadata(path)?.is_file() {
            return Err(GgufError::NoFile { path: path.to_owned() });
        }
        let file = fs_err::File::open(path)?;
        let size = file.metadata()?.len();
        let Header { metadata, tensors } = header::read(BufReader::with_capacity(1 << 16, &file), size)?;
        Ok(Self { metadata, tensors, file: Mutex::new(file) })
    }

    /// A metadata text.
    #[must_use]
    pub fn text(&self, key: &str) -> Option<&str> {
        match self.metadata.get(key)? {
            Value::Text(text) => Some(text),
            Value::Int(_) | Value::Float(_) | Value::Flag(_) | Value::Texts(_) | Value::Ints(_) | Value::Skipped => {
                None
            }
        }
    }

    /// A metadata integer that is not negative, whatever its width in the file.
    #[must_use]
    pub fn uint(&self, key: &str) -> Option<u64> {
        match self.metadata.get(key)? {
            Value::Int(number) => u64::try_from(*number).ok(),
            Value::Text(_) | Value::Float(_) | Value::Flag(_) | Value::Texts(_) | Value::Ints(_) | Value::Skipped => {
                None
            }
        }
    }

    /// A metadata number with a fraction; a 32-bit integer is taken as one too.
    #[must_use]
    pub fn float(&self, key: &str) -> Option<f64> {
        match self.metadata.get(key)? {
            Value::Float(number) => Some(*number),
            Value::Int(number) => i32::try_from(*number).ok().map(f64::from),
            Value::Text(_) | Value::Flag(_) | Value::Texts(_) | Value::Ints(_) | Value::Skipped => None,
        }
    }

    /// A metadata truth value.
    #[must_use]
    pub fn flag(&self, key: &str) -> Option<bool> {
        match self.metadata.get(key)? {
            Value::Flag(flag) => Some(*flag),
            Value::Text(_) | Value::Int(_) | Value::Float(_) | Value::Texts(_) | Value::Ints(_) | Value::Skipped => {
                None
            }
        }
    }

    /// A metadata array of texts.
    #[must_use]
    pub fn texts(&self, key: &str) -> Option<&[String]> {
        match self.metadata.get(key)? {
            Value::Texts(texts) => Some(texts),
            Value::Text(_) | Value::Int(_) | Value::Float(_) | Value::Flag(_) | Value::Ints(_) | Value::Skipped => None,
        }
    }

    /// A metadata array of integers, whatever their width in the file.
    #[must_use]
    pub fn ints(&self, key: &str) -> Option<&[i64]> {
        match self.metadata.get(key)? {
            Value::Ints(numbers) => Some(numbers),
            Value::Text(_) | Value::Int(_) | Value::Float(_) | Value::Flag(_) | Value::Texts(_) | Value::Skipped => {
                None
            }
        }
    }

    /// Is there a value under this key, of whatever type?
    #[must_use]
    pub fn has(&self, key: &str) -> bool {
        self.metadata.contains_key(key)
    }

    /// The tensors' names, sorted.
    pub fn tensor_names(&self) -> impl Iterator<Item = &str> {
        self.tensors.keys().map(String::as_str)
    }

    /// A tensor's dimensions in the order of the engine: rows before columns (the file has them reversed).
    #[must_use]
    pub fn shape(&self, name: &str) -> Option<&[usize]> {
        self.tensors.get(name).map(|entry| entry.shape.as_slice())
    }

    /// Reads one tensor, decoded to `dtype` (F32, F16 or BF16), on the CPU.
    ///
    /// # Errors
    /// [`GgufError`]: no such tensor, another `dtype`, the file changed or cannot be read, no memory.
    pub fn tensor(&self, name: &str, dtype: DType) -> Result<Tensor, GgufError> {
        let entry = self.tensors.get(name).ok_or_else(|| GgufError::NoTensor { name: error::shown(name) })?;
        let tensor = match dtype {
            DType::F32 => self.decoded(name, entry, |value| value)?,
            DType::F16 => self.decoded(name, entry, half::f16::from_f32)?,
            DType::BF16 => self.decoded(name, entry, half::bf16::from_f32)?,
            other => return Err(GgufError::Target { dtype: other }),
        };
        Ok(tensor)
    }

    fn decoded<T: candle_core::WithDType>(
        &self,
        name: &str,
        entry: &Entry,
        convert: fn(f32) -> T,
    ) -> Result<Tensor, GgufError> {
        let values = {
            // a panic while the lock was held leaves a position behind at worst, and every read seeks first
            let file = self.file.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
            weights::read(&*file, name, entry, convert)?
        };
        Tensor::from_vec(values, entry.shape.as_slice(), &Device::Cpu).map_err(|error| GgufError::decode(name, &error))
    }
}
