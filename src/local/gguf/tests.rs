//! Files by hand: what is read, what is refused and with which words, and damage of every kind.

use candle_core::quantized::{GgmlDType, QTensor};

use super::build::{Build, open};
use super::*;

fn refused(file: &Build) -> String {
    file.open().expect_err("it was opened").to_string()
}

/// One of everything.
fn small() -> Build {
    Build::default()
        .text("general.architecture", "llama")
        .uint("llama.block_count", 2)
        .raw(b"a.f32", 6, &1.5_f32.to_le_bytes())
        .raw(b"a.f64", 12, &0.1_f64.to_le_bytes())
        .raw(b"a.i8", 1, &[0xff])
        .raw(b"a.u64", 10, &u64::MAX.to_le_bytes())
        .raw(b"a.flag", 7, &[1])
        .texts("a.texts", &["x", "", "é"])
        .ints("a.ints", &[1, -2])
        .raw(
            b"a.nested",
            9,
            &[&9_u32.to_le_bytes()[..], &1_u64.to_le_bytes(), &0_u32.to_le_bytes(), &2_u64.to_le_bytes(), &[7, 8]]
                .concat(),
        )
        .tensor("one", &[2, 3], 0, &[1_f32, 2., 3., 4., 5., 6.].map(f32::to_le_bytes).concat())
        .tensor("half", &[4], 1, &[0x00, 0x3c, 0x00, 0x40, 0x00, 0xc0, 0x00, 0x00])
        .tensor("brain", &[2], 30, &[0x80, 0x3f, 0x00, 0xc0])
}

#[test]
fn metadata_of_every_type_is_read() {
    let gguf = small().open().unwrap();
    assert_eq!(gguf.text("general.architecture"), Some("llama"));
    assert_eq!(
        (gguf.uint("llama.block_count"), gguf.uint("a.u64"), gguf.uint("a.i8")),
        (Some(2), Some(u64::MAX), None)
    );
    assert_eq!((gguf.float("a.f32"), gguf.float("a.f64"), gguf.float("a.i8")), (Some(1.5), Some(0.1), Some(-1.0)));
    assert_eq!((gguf.flag("a.flag"), gguf.flag("a.f32")), (Some(true), None));
    assert_eq!(gguf.texts("a.texts").unwrap(), ["x", "", "é"]);
    assert_eq!(gguf.ints("a.ints"), Some(&[1, -2][..]));
    assert!(gguf.has("a.nested") && !gguf.has("b") && gguf.texts("a.nested").is_none());
}

#[test]
fn tensors_come_in_the_engines_order_and_type() {
    let gguf = small().open().unwrap();
    assert_eq!(gguf.tensor_names().collect::<Vec<_>>(), ["brain", "half", "one"]);
    assert_eq!(gguf.shape("one"), Some(&[3, 2][..]));
    let one = gguf.tensor("one", DType::F32).unwrap();
    assert_eq!(one.to_vec2::<f32>().unwrap(), [[1., 2.], [3., 4.], [5., 6.]]);
    let half = gguf.tensor("half", DType::F32).unwrap().to_vec1::<f32>().unwrap();
    assert_eq!(half, [1., 2., -2., 0.]);
    let brain = gguf.tensor("brain", DType::F16).unwrap().to_vec1::<half::f16>().unwrap();
    assert_eq!(brain.map_to_f32(), [1., -2.]);
    assert!(gguf.tensor("none", DType::F32).unwrap_err().to_string().contains("no tensor `none`"));
    assert!(gguf.tensor("one", DType::U8).unwrap_err().to_string().contains("U8"));
}

trait ToF32 {
    fn map_to_f32(&self) -> Vec<f32>;
}

impl ToF32 for Vec<half::f16> {
    fn map_to_f32(&self) -> Vec<f32> {
        self.iter().map(|value| value.to_f32()).collect()
    }
}

/// Each block type decodes to what the engine itself makes of the same blocks, over more than one chunk.
#[test]
fn quantised_weights_are_decoded_as_the_engine_does() {
    let count = 3 * (1 << 16) / 2;
    let values: Vec<f32> = (0..=u16::MAX).cycle().take(count).map(|n| (f32::from(n) * 0.37).sin()).collect();
    let source = Tensor::from_vec(values, (count / 256, 256), &Device::Cpu).unwrap();
    let kinds = [
        (2, GgmlDType::Q4_0),
        (3, GgmlDType::Q4_1),
        (6, GgmlDType::Q5_0),
        (7, GgmlDType::Q5_1),
        (8, GgmlDType::Q8_0),
        (10, GgmlDType::Q2K),
        (11, GgmlDType::Q3K),
        (12, GgmlDType::Q4K),
        (13, GgmlDType::Q5K),
        (14, GgmlDType::Q6K),
        (15, GgmlDType::Q8K),
    ];
    for (number, dtype) in kinds {
        let packed = QTensor::quantize(&source, dtype).unwrap();
        let file = Build::default().tensor("w", &[256, count as u64 / 256], number, &packed.data().unwrap());
        let found = file.open().unwrap().tensor("w", DType::F32).unwrap();
        let expected = packed.dequantize(&Device::Cpu).unwrap();
        assert_eq!(found.to_vec2::<f32>().unwrap(), expected.to_vec2::<f32>().unwrap(), "{dtype:?}");
    }
}

#[test]
fn foreign_files_are_named() {
    let safetensors = [&30_u64.to_le_bytes()[..], b"{\"__metadata__\":{}}            "].concat();
    let cases: &[(&[u8], &str)] = &[
        (b"", "is empty"),
        (b"PK\x03\x04....", "zip"),
        (&safetensors, "safetensors"),
        (b"version https://git-lfs", "Git LFS pointer"),
        (b"\n<!DOCTYPE html><html>", "HTML page"),
        (b"<?xml version='1.0'?><Error/>", "XML"),
        (b"{\"error\":\"not found\"}", "JSON"),
        (b"Entry not found", "is a text"),
        (b"tjgg\x03\0\0\0", "before GGUF"),
        (b"\x08\x07\x12\x07pytorch", "ONNX"),
        (b"\x80\x02}q\0", "pickle"),
        (b"\x1f\x8b\x08", "gzip"),
        (&[0; 64], "zeros"),
        (b"\xff\xfe\xfd\x01\x02", "does not begin with the letters GGUF"),
        (b"GGU", "is a text"),
    ];
    for (bytes, expected) in cases {
        let message = open(bytes).unwrap_err().to_string();
        assert!(message.starts_with("this is no GGUF") && message.contains(expected), "{bytes:?}: {message}");
    }
    let folder = Gguf::open(&std::env::temp_dir()).unwrap_err();
    assert!(matches!(folder, GgufError::NoFile { .. }), "{folder}");
    assert!(matches!(Gguf::open(Path::new("no/such/file")), Err(GgufError::Io(_))));
}

#[test]
fn other_versions_are_refused() {
    let mut bytes = small().bytes();
    bytes[4..8].copy_from_slice(&1_u32.to_le_bytes());
    assert!(open(&bytes).unwrap_err().to_string().contains("version 1 "));
    bytes[4..8].copy_from_slice(&3_u32.to_be_bytes());
    assert!(matches!(open(&bytes), Err(GgufError::BigEndian)));
    bytes[4..8].copy_from_slice(&2_u32.to_le_bytes());
    assert!(open(&bytes).is_ok());
}

#[test]
fn every_fault_has_its_words() {
    let one = [0; 4];
    let cases = [
        (Build::default().uint("a", 1).uint("a", 2), "`a` is there twice"),
        (Build::default().raw(b"\xff", 4, &one), "not UTF-8"),
        (Build::default().raw(b"a", 8, &[1, 0, 0, 0, 0, 0, 0, 0, 0xff]), "the metadata key `a` (byte"),
        (Build::default().raw(b"a", 13, &one), "value type number 13"),
        (Build::default().raw(b"a", 7, &[2]), "neither 0 nor 1"),
        (Build::default().raw(b"a", 8, &u64::MAX.to_le_bytes()), "the limit is"),
        (Build::default().raw(b"a", 8, &1_000_000_u64.to_le_bytes()), "bytes or more are missing"),
        (Build::default().raw(b"a", 9, &[&5_u32.to_le_bytes()[..], &u64::MAX.to_le_bytes()].concat()), "the limit is"),
        (Build::default().raw(b"a", 9, &[&5_u32.to_le_bytes()[..], &2_000_000_u64.to_le_bytes()].concat()), "missing"),
        (
            Build::default().raw(b"a", 9, &[&10_u32.to_le_bytes()[..], &1_u64.to_le_bytes(), &[0xff; 8]].concat()),
            "2^63",
        ),
        (Build::default().raw(b"a", 9, &nested(9)), "nested more than"),
        (Build::default().uint("general.alignment", 0), "power of two"),
        (Build::default().uint("general.alignment", 48), "power of two"),
        (Build::default().uint("general.alignment", 1 << 30), "power of two"),
        (Build::default().text("general.alignment", "x"), "power of two"),
        (Build::default().uint("split.count", 3), "in 3 files"),
        (Build::default().declare("t", &[], 0, 0), "0 dimensions"),
        (Build::default().declare("t", &[1, 1, 1, 1, 1], 0, 0), "5 dimensions"),
        (Build::default().declare("t", &[0], 0, 0), "is 0"),
        (Build::default().declare("t", &[1 << 40, 1 << 40], 0, 0), "more than any file"),
        (Build::default().declare("t", &[u64::MAX], 0, 0), "more than any file"),
        (Build::default().declare("t", &[33], 2, 0), "no multiple of 32"),
        (Build::default().declare("t", &[256], 20, 0), "IQ4_NL"),
        (Build::default().declare("t", &[256], 77, 0), "number 77"),
        (Build::default().declare("t", &[1], 0, 7), "no multiple of the alignment"),
        (Build::default().declare("t", &[1], 0, u64::MAX - 31), "larger than any file"),
        (Build::default().declare(&"t".repeat(200), &[1], 0, 0), "the limit is 128"),
        (Build::default().declare("t", &[1000], 0, 0), "4000 bytes or more are missing"),
        (Build::default().tensor("t", &[1], 0, &one).declare("t", &[1], 0, 32), "missing"),
        (Build::default().tensor("t", &[1], 0, &one).tensor("t", &[1], 0, &one), "is there twice"),
        (Build::default().tensor("t", &[16], 0, &[0; 64]).declare("u", &[1], 0, 32), "lie on those of `t`"),
    ];
    for (file, expected) in cases {
        let message = refused(&file);
        assert!(message.contains(expected), "expected {expected:?}, found {message:?}");
    }
}

fn nested(depth: usize) -> Vec<u8> {
    let level = [&9_u32.to_le_bytes()[..], &1_u64.to_le_bytes()].concat();
    [level.repeat(depth), 0_u32.to_le_bytes().to_vec(), 0_u64.to_le_bytes().to_vec()].concat()
}

#[test]
fn names_out_of_a_file_do_not_drive_a_terminal() {
    let message = refused(&Build::default().raw(b"\x1b[31m", 13, &[]));
    assert!(!message.contains('\x1b'), "{message:?}");
}

#[test]
fn a_file_cut_anywhere_says_that_bytes_are_missing() {
    let bytes = small().bytes();
    for length in 4..bytes.len() {
        match open(&bytes[..length]) {
            Err(GgufError::Cut { missing, place }) => {
                assert!(missing >= 1 && missing <= (bytes.len() - length) as u64 && !place.part.is_empty(), "{length}");
            }
            other => panic!("{length}: {other:?}"),
        }
    }
}

/// Bytes flipped by a fixed sequence: every outcome is a file that can be read, or an error with words.
#[test]
fn damaged_files_never_panic() {
    let bytes = small().bytes();
    let mut state = 0x9e37_79b9_7f4a_7c15_u64;
    let mut next = |below: usize| {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 33) as usize % below
    };
    let mut opened = 0;
    for _ in 0..4_000 {
        let mut damaged = bytes.clone();
        for _ in 0..=next(3) {
            let place = next(damaged.len());
            damaged[place] = [0, 1, 0x7f, 0x80, 0xff, 0x20][next(6)];
        }
        match header::read(damaged.as_slice(), damaged.len() as u64) {
            Ok(header) => {
                opened += 1;
                for (name, entry) in &header.tensors {
                    let read = weights::read(std::io::Cursor::new(&damaged), name, entry, |value| value);
                    assert_eq!(read.map(|values| values.len()).ok(), Some(entry.values));
                    assert!(entry.values <= damaged.len());
                }
            }
            Err(error) => assert!(error.to_string().len() > 10),
        }
    }
    assert!((100..3_900).contains(&opened), "{opened}");
}
