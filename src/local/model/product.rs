//! The product of two matrices whose rows lie the same way: every row of the one with every row of the other.
//!
//! Candle's own asks the system for the number of processors before each product, which takes longer than a small
//! product itself.

use pulp::{Arch, Simd, WithSimd};

/// `out[j * rows + i]` = row `i` of `a` · row `j` of `b`; rows have `length` numbers, a multiple of 16, and `a` has
/// `rows` of them.
pub(super) fn product(arch: Arch, a: &[f32], b: &[f32], length: usize, out: &mut [f32]) {
    arch.dispatch(Product { a, b, length: length.max(1), out });
}

/// Rows of `a` at a time; with two rows of `b` their sums fill half the vector registers.
const TALL: usize = 4;

struct Product<'a> {
    a: &'a [f32],
    b: &'a [f32],
    length: usize,
    out: &'a mut [f32],
}

impl WithSimd for Product<'_> {
    type Output = ();

    #[inline(always)]
    #[allow(clippy::inline_always, reason = "it must be compiled for the processor that was found")]
    fn with_simd<S: Simd>(self, simd: S) {
        let Self { a, b, length, out } = self;
        let rows = a.len() / length;
        for (high, a) in a.chunks(TALL * length).enumerate() {
            let above = high * TALL;
            for (b, out) in b.chunks(2 * length).zip(out.chunks_mut((2 * rows).max(1))) {
                let (out0, out1) = out.split_at_mut(rows.min(out.len()));
                let (b0, b1) = b.split_at(length.min(b.len()));
                let sums = if a.len() == TALL * length && b1.len() == length {
                    tile(simd, a, b0, b1, length)
                } else {
                    rest(simd, a, b0, b1, length)
                };
                for (out, sums) in [out0, out1].into_iter().zip(sums) {
                    for (out, sum) in out.iter_mut().skip(above).zip(sums) {
                        *out = sum;
                    }
                }
            }
        }
    }
}

/// Four rows with two.
#[inline(always)]
#[allow(clippy::inline_always, reason = "it must be compiled for the processor that was found")]
fn tile<S: Simd>(simd: S, a: &[f32], b0: &[f32], b1: &[f32], length: usize) -> [[f32; TALL]; 2] {
    let (a01, a23) = a.split_at(2 * length);
    let ((a0, a1), (a2, a3)) = (a01.split_at(length), a23.split_at(length));
    let ((a0, _), (a1, _), (a2, _), (a3, _)) =
        (S::as_simd_f32s(a0), S::as_simd_f32s(a1), S::as_simd_f32s(a2), S::as_simd_f32s(a3));
    let ((b0, _), (b1, _)) = (S::as_simd_f32s(b0), S::as_simd_f32s(b1));
    let zero = simd.splat_f32s(0.0);
    let (mut s00, mut s10, mut s20, mut s30) = (zero, zero, zero, zero);
    let (mut s01, mut s11, mut s21, mut s31) = (zero, zero, zero, zero);
    for (((((a0, a1), a2), a3), b0), b1) in a0.iter().zip(a1).zip(a2).zip(a3).zip(b0).zip(b1) {
        s00 = simd.mul_add_e_f32s(*a0, *b0, s00);
        s01 = simd.mul_add_e_f32s(*a0, *b1, s01);
        s10 = simd.mul_add_e_f32s(*a1, *b0, s10);
        s11 = simd.mul_add_e_f32s(*a1, *b1, s11);
        s20 = simd.mul_add_e_f32s(*a2, *b0, s20);
        s21 = simd.mul_add_e_f32s(*a2, *b1, s21);
        s30 = simd.mul_add_e_f32s(*a3, *b0, s30);
        s31 = simd.mul_add_e_f32s(*a3, *b1, s31);
    }
    let sum = |vector| simd.reduce_sum_f32s(vector);
    [[sum(s00), sum(s10), sum(s20), sum(s30)], [sum(s01), sum(s11), sum(s21), sum(s31)]]
}

/// What is left at the edges.
#[inline(always)]
#[allow(clippy::inline_always, reason = "it must be compiled for the processor that was found")]
fn rest<S: Simd>(simd: S, a: &[f32], b0: &[f32], b1: &[f32], length: usize) -> [[f32; TALL]; 2] {
    let mut sums = [[0.0; TALL]; 2];
    for (sums, b) in sums.iter_mut().zip([b0, b1]) {
        for (sum, a) in sums.iter_mut().zip(a.chunks_exact(length)) {
            let mut total = simd.splat_f32s(0.0);
            for (a, b) in S::as_simd_f32s(a).0.iter().zip(S::as_simd_f32s(b).0) {
                total = simd.mul_add_e_f32s(*a, *b, total);
            }
            *sum = simd.reduce_sum_f32s(total);
        }
    }
    sums
}
