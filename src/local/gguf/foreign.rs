//! What a file is that is no GGUF: the formats that people take for one, by how they begin.

/// So many bytes of the beginning are looked at.
pub(super) const LOOKED_AT: usize = 512;

/// How the file begins, as the end of the sentence "this is no GGUF model file: it …".
pub(super) fn begins(head: &[u8]) -> &'static str {
    const SIGNATURES: &[(&[u8], &str)] = &[
        (b"PK", "begins like a zip archive (a PyTorch checkpoint, or a wheel to be unpacked)"),
        (b"lmgg", "begins like a GGML file, the format before GGUF: convert the model again"),
        (b"fmgg", "begins like a GGML file, the format before GGUF: convert the model again"),
        (b"tjgg", "begins like a GGML file, the format before GGUF: convert the model again"),
        (b"algg", "begins like a GGML adapter (LoRA), which is no model"),
        (b"version https://git-lfs", "is a Git LFS pointer: the weights themselves were not fetched (git lfs pull)"),
        (b"\x89HDF", "begins like HDF5 (a Keras model)"),
        (b"\x1f\x8b", "begins like a gzip archive: unpack it first"),
        (b"\x28\xb5\x2f\xfd", "begins like a Zstandard archive: unpack it first"),
        (b"\xfd7zXZ", "begins like an xz archive: unpack it first"),
        (b"BZh", "begins like a bzip2 archive: unpack it first"),
        (b"7z\xbc\xaf\x27\x1c", "begins like a 7z archive: unpack it first"),
    ];
    if head.is_empty() {
        return "is empty: download it again";
    }
    if let Some((_, what)) = SIGNATURES.iter().find(|(signature, _)| head.starts_with(signature)) {
        return what;
    }
    if is_safetensors(head) {
        return "begins like safetensors: convert the model to GGUF";
    }
    if head.iter().all(|byte| *byte == 0) {
        return "begins with zeros: the download was not finished";
    }
    if head.get(4..8) == Some(b"TFL3") {
        return "begins like a TensorFlow Lite model";
    }
    // a protobuf whose first field is the small number of the format's version, then the producer's name
    if matches!(head, [0x08, 1..=0x20, 0x12 | 0x1a | 0x22 | 0x3a, ..]) {
        return "begins like ONNX";
    }
    if matches!(head, [0x80, 2..=5, ..]) {
        return "begins like a Python pickle (an old PyTorch checkpoint)";
    }
    text(head)
}

/// The length of a JSON header in eight bytes, then the header.
fn is_safetensors(head: &[u8]) -> bool {
    head.split_first_chunk::<8>()
        .is_some_and(|(length, rest)| u64::from_le_bytes(*length) < 1 << 30 && rest.starts_with(b"{\""))
}

fn text(head: &[u8]) -> &'static str {
    let start: Vec<u8> = head.trim_ascii_start().iter().take(16).map(u8::to_ascii_lowercase).collect();
    if start.starts_with(b"<!doctype html") || start.starts_with(b"<html") {
        return "is an HTML page: the download gave a web page in its place (sign-in, or a wrong address)";
    }
    if start.starts_with(b"<?xml") {
        return "is an XML text: the download gave an error message in its place";
    }
    if start.starts_with(b"{") || start.starts_with(b"[") {
        return "is a JSON text";
    }
    if std::str::from_utf8(head)
        .is_ok_and(|text| !text.contains(|letter: char| letter.is_control() && !letter.is_whitespace()))
    {
        return "is a text";
    }
    "does not begin with the letters GGUF"
}
