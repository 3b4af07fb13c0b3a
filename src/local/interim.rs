//! Stands in for the reader of GGUF files until that is merged.

use std::path::Path;

use candle_core::quantized::gguf_file;

#[derive(Debug, thiserror::Error)]
pub enum GgufError {
    #[error("{0}")]
    Candle(#[from] candle_core::Error),
    #[error("{0}")]
    Io(#[from] std::io::Error),
}

pub struct Gguf {
    content: gguf_file::Content,
    file: std::sync::Mutex<std::fs::File>,
    shapes: std::collections::HashMap<String, Vec<usize>>,
}

impl Gguf {
    pub fn open(path: &Path) -> Result<Self, GgufError> {
        let mut file = std::fs::File::open(path)?;
        let content = gguf_file::Content::read(&mut file)?;
        let shapes = content.tensor_infos.iter().map(|(k, v)| (k.clone(), v.shape.dims().to_vec())).collect();
        Ok(Self { content, file: std::sync::Mutex::new(file), shapes })
    }
    pub fn text(&self, key: &str) -> Option<&str> {
        self.content.metadata.get(key)?.to_string().ok().map(String::as_str)
    }
    pub fn uint(&self, key: &str) -> Option<u64> {
        self.content.metadata.get(key)?.to_u64().ok()
    }
    pub fn float(&self, key: &str) -> Option<f64> {
        self.content.metadata.get(key)?.to_f32().ok().map(f64::from)
    }
    pub fn tensor_names(&self) -> impl Iterator<Item = &str> {
        self.shapes.keys().map(String::as_str)
    }
    pub fn shape(&self, name: &str) -> Option<&[usize]> {
        self.shapes.get(name).map(Vec::as_slice)
    }
    pub fn tensor(&self, name: &str, dtype: candle_core::DType) -> Result<candle_core::Tensor, GgufError> {
        let mut file = self.file.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        let cpu = candle_core::Device::Cpu;
        Ok(self.content.tensor(&mut *file, name, &cpu)?.dequantize(&cpu)?.to_dtype(dtype)?)
    }
}
