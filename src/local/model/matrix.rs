//! Weights and their products: one input meets the packed rows as they are, many inputs meet them unpacked, block by
//! block while they are in the cache.

use candle_core::DType;
use rayon::prelude::*;

use super::packed::Packed;
use super::{Gguf, ModelError};

/// Gives `rows` numbers for `columns` numbers.
pub(super) struct Matrix {
    packed: Packed,
}

/// From this many inputs on unpacking pays.
const MANY: usize = 6;
/// Numbers unpacked at a time: what the first-level cache holds.
const HOT: usize = 6 * 1024;
/// Fewer products than this are not worth a second thread, and weights are read in parts of this many.
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
        self.packed.unpack(index, out);
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
    pub(super) fn times(&self, x: &[f32]) -> Vec<f32> {
        let (columns, rows) = (self.packed.columns().max(1), self.rows().max(1));
        let inputs = x.len() / columns;
        let mut out = vec![0.0; inputs * rows];
        if inputs >= MANY {
            self.product(x, &mut out);
        } else {
            for (x, out) in x.chunks_exact(columns).zip(out.chunks_exact_mut(rows)) {
                self.vector(&self.packed.padded(x), out);
            }
        }
        out
    }

    fn vector(&self, x: &[f32], out: &mut [f32]) {
        let threads = rayon::current_num_threads();
        if threads == 1 || out.len() * x.len() < BLOCK {
            return self.packed.dots(0, x, out);
        }
        let part = out.len().div_ceil(threads * 2);
        out.par_chunks_mut(part).enumerate().for_each(|(index, out)| self.packed.dots(index * part, x, out));
    }

    fn product(&self, x: &[f32], out: &mut [f32]) {
        let (columns, rows) = (self.packed.columns().max(1), self.rows().max(1));
        let x = self.packed.padded_rows(x);
        let block = (HOT / columns).clamp(4, 64);
        let starts: Vec<usize> = (0..rows).step_by(block).collect();
        let part = |first: &usize| self.packed.products(*first, block, &x);
        let parts: Vec<Vec<f32>> = if rayon::current_num_threads() == 1 {
            starts.iter().map(part).collect()
        } else {
            starts.par_iter().map(part).collect()
        };
        for (first, part) in starts.into_iter().zip(parts) {
            let count = block.min(rows - first);
            for (out, part) in out.chunks_exact_mut(rows).zip(part.chunks_exact(count)) {
                if let Some(place) = out.get_mut(first..first + count) {
                    place.copy_from_slice(part);
                }
            }
        }
    }
}
