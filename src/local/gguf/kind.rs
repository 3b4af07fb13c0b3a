//! How weights are stored: the number of a type in the file, its blocks, and the decoder for it.
//!
//! Numbers and sizes are those of ggml (`ggml_type` in ggml.h, seen 2026-11). Types that the engine cannot decode are
//! known by name, so that a refusal can say it.

use candle_core::quantized::GgmlDType;

/// A way of storing weights that can be decoded.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Kind {
    pub(super) name: &'static str,
    /// Values in a block.
    pub(super) values: usize,
    /// Bytes of a block.
    pub(super) bytes: usize,
    pub(super) decoder: Decoder,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Decoder {
    F32,
    F16,
    BF16,
    F64,
    Blocks(GgmlDType),
}

const fn plain(name: &'static str, bytes: usize, decoder: Decoder) -> Kind {
    Kind { name, values: 1, bytes, decoder }
}

const fn blocks(name: &'static str, values: usize, bytes: usize, dtype: GgmlDType) -> Kind {
    Kind { name, values, bytes, decoder: Decoder::Blocks(dtype) }
}

const KINDS: &[(u32, Kind)] = &[
    (0, plain("F32", 4, Decoder::F32)),
    (1, plain("F16", 2, Decoder::F16)),
    (2, blocks("Q4_0", 32, 18, GgmlDType::Q4_0)),
    (3, blocks("Q4_1", 32, 20, GgmlDType::Q4_1)),
    (6, blocks("Q5_0", 32, 22, GgmlDType::Q5_0)),
    (7, blocks("Q5_1", 32, 24, GgmlDType::Q5_1)),
    (8, blocks("Q8_0", 32, 34, GgmlDType::Q8_0)),
    (10, blocks("Q2_K", 256, 84, GgmlDType::Q2K)),
    (11, blocks("Q3_K", 256, 110, GgmlDType::Q3K)),
    (12, blocks("Q4_K", 256, 144, GgmlDType::Q4K)),
    (13, blocks("Q5_K", 256, 176, GgmlDType::Q5K)),
    (14, blocks("Q6_K", 256, 210, GgmlDType::Q6K)),
    (15, blocks("Q8_K", 256, 292, GgmlDType::Q8K)),
    (28, plain("F64", 8, Decoder::F64)),
    (30, plain("BF16", 2, Decoder::BF16)),
];

/// Types that ggml knows and the engine does not decode.
const UNSUPPORTED: &[(u32, &str)] = &[
    (9, "Q8_1"),
    (16, "IQ2_XXS"),
    (17, "IQ2_XS"),
    (18, "IQ3_XXS"),
    (19, "IQ1_S"),
    (20, "IQ4_NL"),
    (21, "IQ3_S"),
    (22, "IQ2_S"),
    (23, "IQ4_XS"),
    (24, "I8"),
    (25, "I16"),
    (26, "I32"),
    (27, "I64"),
    (29, "IQ1_M"),
    (34, "TQ1_0"),
    (35, "TQ2_0"),
    (39, "MXFP4"),
];

/// The type with this number in the file; the error is its name, or the number.
pub(super) fn by_number(number: u32) -> Result<Kind, String> {
    if let Some((_, kind)) = KINDS.iter().find(|(known, _)| *known == number) {
        return Ok(*kind);
    }
    let name = UNSUPPORTED.iter().find(|(known, _)| *known == number).map(|(_, name)| (*name).to_owned());
    Err(name.unwrap_or_else(|| format!("number {number}")))
}

/// The names of what can be decoded, for a message.
pub(super) fn supported() -> String {
    KINDS.iter().map(|(_, kind)| kind.name).collect::<Vec<_>>().join(", ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_table_agrees_with_the_decoders() {
        for (_, kind) in KINDS {
            if let Decoder::Blocks(dtype) = kind.decoder {
                assert_eq!((kind.values, kind.bytes), (dtype.block_size(), dtype.type_size()), "{}", kind.name);
            }
        }
    }

    #[test]
    fn a_number_has_one_meaning() {
        let mut numbers: Vec<u32> = KINDS.iter().map(|(n, _)| *n).chain(UNSUPPORTED.iter().map(|(n, _)| *n)).collect();
        let all = numbers.len();
        numbers.sort_unstable();
        numbers.dedup();
        assert_eq!(numbers.len(), all);
        assert_eq!(by_number(20), Err("IQ4_NL".to_owned()));
        assert_eq!(by_number(4096), Err("number 4096".to_owned()));
    }
}
