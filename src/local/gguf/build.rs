//! Small model files made by hand, for tests: whatever is put in is written, right or wrong.

use std::io::Write as _;

/// A file in the making.
#[derive(Default)]
pub(crate) struct Build {
    keys: Vec<u8>,
    key_count: u64,
    tensors: Vec<u8>,
    tensor_count: u64,
    weights: Vec<u8>,
}

fn text(out: &mut Vec<u8>, text: &[u8]) {
    out.extend((text.len() as u64).to_le_bytes());
    out.extend(text);
}

impl Build {
    /// A metadata entry as it stands in the file after its key: the type's number, then the value.
    pub(crate) fn raw(mut self, key: &[u8], kind: u32, value: &[u8]) -> Self {
        text(&mut self.keys, key);
        self.keys.extend(kind.to_le_bytes());
        self.keys.extend(value);
        self.key_count += 1;
        self
    }

    pub(crate) fn text(self, key: &str, value: &str) -> Self {
        let mut bytes = Vec::new();
        text(&mut bytes, value.as_bytes());
        self.raw(key.as_bytes(), 8, &bytes)
    }

    pub(crate) fn uint(self, key: &str, value: u32) -> Self {
        self.raw(key.as_bytes(), 4, &value.to_le_bytes())
    }

    pub(crate) fn texts<T: AsRef<str>>(self, key: &str, values: &[T]) -> Self {
        let mut bytes = 8_u32.to_le_bytes().to_vec();
        bytes.extend((values.len() as u64).to_le_bytes());
        for value in values {
            text(&mut bytes, value.as_ref().as_bytes());
        }
        self.raw(key.as_bytes(), 9, &bytes)
    }

    pub(crate) fn ints(self, key: &str, values: &[i32]) -> Self {
        let mut bytes = 5_u32.to_le_bytes().to_vec();
        bytes.extend((values.len() as u64).to_le_bytes());
        bytes.extend(values.iter().flat_map(|value| value.to_le_bytes()));
        self.raw(key.as_bytes(), 9, &bytes)
    }

    /// A tensor: dimensions in the file's order, the type's number, the offset.
    pub(crate) fn declare(mut self, name: &str, lengths: &[u64], kind: u32, offset: u64) -> Self {
        text(&mut self.tensors, name.as_bytes());
        self.tensors.extend(u32::try_from(lengths.len()).unwrap().to_le_bytes());
        self.tensors.extend(lengths.iter().flat_map(|length| length.to_le_bytes()));
        self.tensors.extend(kind.to_le_bytes());
        self.tensors.extend(offset.to_le_bytes());
        self.tensor_count += 1;
        self
    }

    /// A tensor with its weights, where they belong.
    pub(crate) fn tensor(mut self, name: &str, lengths: &[u64], kind: u32, weights: &[u8]) -> Self {
        self.weights.resize(self.weights.len().next_multiple_of(32), 0);
        let offset = self.weights.len() as u64;
        self.weights.extend(weights);
        self.declare(name, lengths, kind, offset)
    }

    pub(crate) fn bytes(&self) -> Vec<u8> {
        let mut out = b"GGUF\x03\0\0\0".to_vec();
        out.extend(self.tensor_count.to_le_bytes());
        out.extend(self.key_count.to_le_bytes());
        out.extend(&self.keys);
        out.extend(&self.tensors);
        out.resize(out.len().next_multiple_of(32), 0);
        out.extend(&self.weights);
        out
    }

    pub(crate) fn open(&self) -> Result<super::Gguf, super::GgufError> {
        open(&self.bytes())
    }
}

/// Opens bytes as a file.
pub(crate) fn open(bytes: &[u8]) -> Result<super::Gguf, super::GgufError> {
    let mut file = tempfile::NamedTempFile::new().unwrap();
    file.write_all(bytes).unwrap();
    super::Gguf::open(file.path())
}
