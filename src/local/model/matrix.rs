//! Weights in half precision: half the memory to read for each token, widened block by block while they are hot.
//!
//! Measured with SmolLM2-135M on one thread: candle's own product takes 21 tokens/s decoding from f32 and 20 from f16.

use candle_core::{DType, Device, Tensor};
use half::f16;
use half::slice::HalfFloatSliceExt as _;
use rayon::prelude::*;

use super::kernel::Kernel;
use super::{ModelError, Gguf};

/// Rows by columns, row by row: gives `rows` numbers for `columns` numbers.
pub(super) struct Matrix {
    rows: usize,
    columns: usize,
    data: Vec<f16>,
}

/// From this many inputs on the product is a real matrix product.
const MANY: usize = 6;
/// Numbers widened at a time: what the second-level cache holds beside the inputs.
const BLOCK: usize = 64 * 1024;
/// The same for a single input: what the first-level cache holds.
const SMALL_BLOCK: usize = 4 * 1024;

impl Matrix {
    /// Reads a tensor whose shape was checked.
    pub(super) fn load(gguf: &Gguf, name: &str) -> Result<Self, ModelError> {
        let tensor = gguf.tensor(name, DType::F16)?;
        let (rows, columns) = tensor.dims2()?;
        let data = tensor.flatten_all()?.to_vec1::<f16>()?;
        if data.iter().any(|weight| !weight.is_finite()) {
            return Err(ModelError::NotFinite { tensor: name.to_owned() });
        }
        Ok(Self { rows, columns, data })
    }

    pub(super) const fn rows(&self) -> usize {
        self.rows
    }

    /// One row, widened.
    pub(super) fn row(&self, index: usize, out: &mut Vec<f32>) {
        let start = index.saturating_mul(self.columns);
        let row = self.data.get(start..start.saturating_add(self.columns)).unwrap_or_default();
        out.resize(row.len(), 0.0);
        row.convert_to_f32_slice(out);
    }

    /// `inputs` rows of `columns` numbers become `inputs` rows of `rows` numbers.
    pub(super) fn times(&self, kernel: Kernel, x: &[f32]) -> Result<Vec<f32>, ModelError> {
        let inputs = x.len() / self.columns.max(1);
        let mut out = vec![0.0; inputs * self.rows];
        if inputs >= MANY {
            self.product(x, inputs, &mut out)?;
        } else {
            for (x, out) in x.chunks_exact(self.columns.max(1)).zip(out.chunks_exact_mut(self.rows.max(1))) {
                self.vector(kernel, x, out);
            }
        }
        Ok(out)
    }

    fn vector(&self, kernel: Kernel, x: &[f32], out: &mut [f32]) {
        let block = (SMALL_BLOCK / self.columns.max(1)).max(1);
        let work = |scratch: &mut Vec<f32>, (out, weights): (&mut [f32], &[f16])| {
            scratch.resize(weights.len(), 0.0);
            weights.convert_to_f32_slice(scratch);
            kernel.dots(scratch, x, out);
        };
        if rayon::current_num_threads() > 1 && self.data.len() > BLOCK {
            let part = self.rows.div_ceil(rayon::current_num_threads() * 2).max(block);
            let parts = out.par_chunks_mut(part).zip(self.data.par_chunks(part * self.columns));
            parts.for_each(|(out, weights)| {
                let mut scratch = Vec::new();
                out.chunks_mut(block).zip(weights.chunks(block * self.columns)).for_each(|it| work(&mut scratch, it));
            });
        } else {
            let mut scratch = Vec::new();
            out.chunks_mut(block).zip(self.data.chunks(block * self.columns)).for_each(|it| work(&mut scratch, it));
        }
    }

    fn product(&self, x: &[f32], inputs: usize, out: &mut [f32]) -> Result<(), ModelError> {
        let x = Tensor::from_slice(x, (inputs, self.columns), &Device::Cpu)?;
        let block = (BLOCK / self.columns.max(1)).max(1);
        for (index, weights) in self.data.chunks(block * self.columns).enumerate() {
            let mut wide = vec![0.0; weights.len()];
            weights.convert_to_f32_slice(&mut wide);
            let rows = weights.len() / self.columns.max(1);
            let wide = Tensor::from_vec(wide, (rows, self.columns), &Device::Cpu)?;
            let part = x.matmul(&wide.t()?)?.flatten_all()?.to_vec1::<f32>()?;
            for (out, part) in out.chunks_exact_mut(self.rows.max(1)).zip(part.chunks_exact(rows.max(1))) {
                let place = out.get_mut(index * block..).and_then(|rest| rest.get_mut(..rows));
                if let Some(place) = place {
                    place.copy_from_slice(part);
                }
            }
        }
        Ok(())
    }
}
