//! Weights from their place in the file to plain numbers, a chunk at a time.

use std::borrow::Cow;
use std::io::{Read, Seek, SeekFrom};

use candle_core::Device;
use candle_core::quantized::{GgmlDType, QStorage, QTensor};

use super::error::{GgufError, shown};
use super::header::Entry;
use super::kind::Decoder;

/// Values decoded at once; a multiple of every block. Small, so that the peak is the finished tensor.
const CHUNK: usize = 1 << 16;

/// Blocks are read in place by the decoder, which wants them aligned; no block wants more than this.
const ALIGNMENT: usize = 16;

/// All values of one tensor, each put through `convert`.
pub(super) fn read<T>(
    mut file: impl Read + Seek,
    name: &str,
    entry: &Entry,
    convert: fn(f32) -> T,
) -> Result<Vec<T>, GgufError> {
    let mut values = Vec::new();
    // the entry was checked: the file had that many values when it was opened
    values
        .try_reserve_exact(entry.values)
        .map_err(|_| GgufError::Memory { name: shown(name), values: entry.values })?;
    file.seek(SeekFrom::Start(entry.start))?;
    let kind = entry.kind;
    let mut raw = vec![0; CHUNK / kind.values * kind.bytes + ALIGNMENT];
    let skip = raw.as_ptr().align_offset(ALIGNMENT).min(ALIGNMENT);
    while values.len() < entry.values {
        let count = (entry.values - values.len()).min(CHUNK);
        let bytes = count / kind.values * kind.bytes;
        let chunk = raw.get_mut(skip..skip + bytes).unwrap_or_default();
        file.read_exact(chunk)?;
        decode(kind.decoder, chunk, count, |value| values.push(convert(value)))
            .map_err(|error| GgufError::decode(name, &error))?;
    }
    Ok(values)
}

fn decode(decoder: Decoder, bytes: &[u8], count: usize, mut push: impl FnMut(f32)) -> candle_core::Result<()> {
    match decoder {
        Decoder::F32 => bytes.as_chunks().0.iter().for_each(|value| push(f32::from_le_bytes(*value))),
        Decoder::F16 => bytes.as_chunks().0.iter().for_each(|value| push(half::f16::from_le_bytes(*value).to_f32())),
        Decoder::BF16 => bytes.as_chunks().0.iter().for_each(|value| push(half::bf16::from_le_bytes(*value).to_f32())),
        #[allow(clippy::cast_possible_truncation, reason = "the engine counts in single precision")]
        Decoder::F64 => bytes.as_chunks().0.iter().for_each(|value| push(f64::from_le_bytes(*value) as f32)),
        Decoder::Blocks(dtype) => blocks(dtype, bytes, count)?.into_iter().for_each(push),
    }
    Ok(())
}

fn blocks(dtype: GgmlDType, bytes: &[u8], count: usize) -> candle_core::Result<Vec<f32>> {
    let storage = QStorage::from_data(Cow::Borrowed(bytes), &Device::Cpu, dtype)?;
    QTensor::new(storage, count)?.dequantize(&Device::Cpu)?.to_vec1()
}
