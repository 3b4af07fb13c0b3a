//! The loops that take the time: dot products with the vector units the processor has, chosen at run time.
//!
//! Safe code only. Numbers may differ in the last bits from one kind of processor to another.

use pulp::{Arch, Simd, WithSimd};

/// The loops for this processor.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Kernel {
    arch: Arch,
}

impl Kernel {
    /// Sum of the products; the longer slice's rest does not count.
    pub(super) fn dot(self, a: &[f32], b: &[f32]) -> f32 {
        self.arch.dispatch(Dot { a, b })
    }

    /// `out[i]` = `rows[i]` · `x`, rows lying one behind the other.
    pub(super) fn dots(self, rows: &[f32], x: &[f32], out: &mut [f32]) {
        self.arch.dispatch(Dots { rows, x, out });
    }

    /// Adds `factor` times `x` to `sum`.
    pub(super) fn add_scaled(self, sum: &mut [f32], factor: f32, x: &[f32]) {
        self.arch.dispatch(|| {
            for (sum, x) in sum.iter_mut().zip(x) {
                *sum += factor * x;
            }
        });
    }
}

struct Dot<'a> {
    a: &'a [f32],
    b: &'a [f32],
}

impl WithSimd for Dot<'_> {
    type Output = f32;

    #[inline(always)]
    #[allow(clippy::inline_always, reason = "it must be compiled for the processor that was found")]
    fn with_simd<S: Simd>(self, simd: S) -> f32 {
        dot(simd, self.a, self.b)
    }
}

struct Dots<'a> {
    rows: &'a [f32],
    x: &'a [f32],
    out: &'a mut [f32],
}

impl WithSimd for Dots<'_> {
    type Output = ();

    #[inline(always)]
    #[allow(clippy::inline_always, reason = "it must be compiled for the processor that was found")]
    fn with_simd<S: Simd>(self, simd: S) {
        for (row, out) in self.rows.chunks_exact(self.x.len().max(1)).zip(self.out) {
            *out = dot(simd, row, self.x);
        }
    }
}

/// Four sums at once hide the time one addition takes.
#[inline(always)]
#[allow(clippy::inline_always, reason = "it must be compiled for the processor that was found")]
fn dot<S: Simd>(simd: S, a: &[f32], b: &[f32]) -> f32 {
    let length = a.len().min(b.len());
    let (a, b) = (a.get(..length).unwrap_or_default(), b.get(..length).unwrap_or_default());
    let (a, a_rest) = S::as_simd_f32s(a);
    let (b, b_rest) = S::as_simd_f32s(b);
    let zero = simd.splat_f32s(0.0);
    let (mut s0, mut s1, mut s2, mut s3) = (zero, zero, zero, zero);
    let (a4, a1) = pulp::as_arrays::<4, _>(a);
    let (b4, b1) = pulp::as_arrays::<4, _>(b);
    for ([a0, a1, a2, a3], [b0, b1, b2, b3]) in a4.iter().zip(b4) {
        s0 = simd.mul_add_e_f32s(*a0, *b0, s0);
        s1 = simd.mul_add_e_f32s(*a1, *b1, s1);
        s2 = simd.mul_add_e_f32s(*a2, *b2, s2);
        s3 = simd.mul_add_e_f32s(*a3, *b3, s3);
    }
    for (a, b) in a1.iter().zip(b1) {
        s0 = simd.mul_add_e_f32s(*a, *b, s0);
    }
    let sum = simd.add_f32s(simd.add_f32s(s0, s1), simd.add_f32s(s2, s3));
    let rest: f32 = a_rest.iter().zip(b_rest).map(|(a, b)| a * b).sum();
    simd.reduce_sum_f32s(sum) + rest
}
