//! Weights and their products: one input meets the packed rows as they are, many inputs meet them unpacked, block by
//! block while they are in the cache.

use candle_core::{DType, Device, Tensor};
use rayon::prelude::*;

use super::packed::Packed;
use super::{Gguf, ModelError};

/// Gives `rows` numbers for `columns` numbers.
pub(super) struct Matrix {
    packed: Packed,
}

/// From this many inputs on unpacking pays.
const MANY: usize = 6;
/// Numbers unpacked at a time: what the second-level cache holds beside the inputs.
const BLOCK: usize = 64 * 1024;

impl Matrix {
    /// Reads a tensor whose shape was checked.
    pub(super) fn load(gguf: &Gguf, name: &str) -> Result<Self, ModelError> {
        let tensor = gguf.tensor(name, DType::F32)?;
        let (rows, columns) = tensor.dims2()?;
        let mut packed = Packed::new(columns, rows);
        let step = (BLOCK / columns.max(1)).max(1);
        for first in (0..rows).step_by(step) {
            let part = tensor.narrow(0, first, step.min(rows - first))?.flatten_all()?.to_vec1::<f32>()?;
            if part.iter().any(|weight| !weight.is_finite()) {
                return Err(ModelError::NotFinite { tensor: name.to_owned() });
            }
            packed.extend(&part);
        }
        Ok(Self { packed })
    }

    pub(super) fn rows(&self) -> usize {
        self.packed.rows()
    }

    /// Appends one row.
    pub(super) fn row(&self, index: usize, out: &mut Vec<f32>) {
        self.packed.unpack(index, 1, out);
    }

    /// The products of single rows with `x`.
    pub(super) fn picked(&self, x: &[f32], rows: impl Iterator<Item = usize>, mut take: impl FnMut(usize, f32)) {
        let x = self.packed.padded(x);
        let mut one = [0.0];
        for row in rows.filter(|row| *row < self.rows()) {
            self.packed.dots(row, &x, &mut one);
            let [product] = one;
            take(row, product);
        }
    }

    /// `inputs` rows of `columns` numbers become `inputs` rows of `rows` numbers.
    pub(super) fn times(&self, x: &[f32]) -> Result<Vec<f32>, ModelError> {
        let (columns, rows) = (self.packed.columns().max(1), self.rows().max(1));
        let inputs = x.len() / columns;
        let mut out = vec![0.0; inputs * rows];
        if inputs >= MANY {
            self.product(x, inputs, &mut out)?;
        } else {
            for (x, out) in x.chunks_exact(columns).zip(out.chunks_exact_mut(rows)) {
                self.vector(&self.packed.padded(x), out);
            }
        }
        Ok(out)
    }

    fn vector(&self, x: &[f32], out: &mut [f32]) {
        let threads = rayon::current_num_threads();
        if threads == 1 || out.len() * x.len() < BLOCK {
            return self.packed.dots(0, x, out);
        }
        let part = out.len().div_ceil(threads * 2);
        out.par_chunks_mut(part).enumerate().for_each(|(index, out)| self.packed.dots(index * part, x, out));
    }

    fn product(&self, x: &[f32], inputs: usize, out: &mut [f32]) -> Result<(), ModelError> {
        let (columns, rows) = (self.packed.columns(), self.rows());
        let x = Tensor::from_slice(x, (inputs, columns), &Device::Cpu)?;
        let block = (BLOCK / columns.max(1)).max(1);
        let starts: Vec<usize> = (0..rows).step_by(block).collect();
        let part = |first: &usize| {
            let count = block.min(rows - first);
            let mut wide = Vec::with_capacity(count * columns);
            self.packed.unpack(*first, count, &mut wide);
            let wide = Tensor::from_vec(wide, (count, columns), &Device::Cpu)?;
            x.matmul(&wide.t()?)?.flatten_all()?.to_vec1::<f32>()
        };
        let parts: Vec<_> = if rayon::current_num_threads() == 1 {
            starts.iter().map(part).collect::<Result<_, _>>()?
        } else {
            starts.par_iter().map(part).collect::<Result<_, _>>()?
        };
        for (first, part) in starts.into_iter().zip(parts) {
            let count = block.min(rows - first);
            for (out, part) in out.chunks_exact_mut(rows).zip(part.chunks_exact(count)) {
                if let Some(place) = out.get_mut(first..first + count) {
                    place.copy_from_slice(part);
                }
            }
        }
        Ok(())
    }
}
