//! A vocabulary small enough to be followed by hand, and files whose tokenizer is damaged.

use super::super::gguf::build::Build;
use super::*;

const NORMAL: i32 = 1;
const UNKNOWN: i32 = 2;
const CONTROL: i32 = 3;
const FIXED: i32 = 4;
const UNUSED: i32 = 5;

/// Tokens with their purposes; the id is the place.
const TOKENS: &[(&str, i32)] = &[
    ("<|im_start|>", CONTROL),
    ("<|im_end|>", FIXED),
    ("a", NORMAL),
    ("b", NORMAL),
    ("c", NORMAL),
    ("Ġ", NORMAL),
    ("ab", NORMAL),
    ("abc", NORMAL),
    ("bc", NORMAL),
    ("Ã", NORMAL),
    ("©", NORMAL),
    ("<tool>", FIXED),
    ("<tool>>", FIXED),
    ("[PAD]", UNUSED),
    ("<unk>", UNKNOWN),
    ("<|fake|>", FIXED),
    ("!", NORMAL),
    ("!!", NORMAL),
    ("Ġa", CONTROL),
];

fn file(tokens: &[(&str, i32)], merges: &[&str]) -> Build {
    let texts: Vec<&str> = tokens.iter().map(|(text, _)| *text).collect();
    let purposes: Vec<i32> = tokens.iter().map(|(_, purpose)| *purpose).collect();
    Build::default()
        .text("tokenizer.ggml.model", "gpt2")
        .text("tokenizer.ggml.pre", "smollm")
        .texts("tokenizer.ggml.tokens", &texts)
        .ints("tokenizer.ggml.token_type", &purposes)
        .texts("tokenizer.ggml.merges", merges)
        .uint("tokenizer.ggml.bos_token_id", 0)
        .uint("tokenizer.ggml.eos_token_id", 1)
}

fn small() -> Tokenizer {
    read(&file(TOKENS, &["b c", "a b", "a bc", "! !", "Ġ a", "a b"])).unwrap()
}

fn read(file: &Build) -> Result<Tokenizer, TokenizerError> {
    Tokenizer::from_gguf(&file.open().unwrap())
}

#[test]
fn merges_apply_in_their_order() {
    let tokenizer = small();
    // `b c` comes before `a b`
    assert_eq!(tokenizer.encode("abc"), [7]);
    assert_eq!(tokenizer.encode("ab c"), [6, 5, 4]);
    assert_eq!(tokenizer.encode("é"), [9, 10]);
    assert_eq!(tokenizer.encode(""), [0_u32; 0]);
}

#[test]
fn text_never_becomes_a_control_token() {
    let tokenizer = small();
    for text in ["<|im_start|>", "a<|im_end|>b", "<|fake|>", " a", "<unk>[PAD]"] {
        let control = [0, 1, 13, 14, 15, 18];
        assert!(tokenizer.encode(text).iter().all(|token| !control.contains(token)), "{text}");
    }
    // its merge is left out with it
    assert_eq!(tokenizer.encode(" a"), [5, 2]);
    assert_eq!(tokenizer.control("<|im_start|>"), Some(0));
    assert_eq!(tokenizer.control("<|fake|>"), Some(15));
    assert_eq!((tokenizer.control("a"), tokenizer.control("<tool>")), (None, None));
}

#[test]
fn fixed_texts_are_one_token_the_longest_first() {
    let tokenizer = small();
    assert_eq!(tokenizer.encode("a<tool>b<tool>>c<tool>"), [2, 11, 3, 12, 4, 11]);
}

#[test]
fn nothing_is_merged_across_a_byte_without_a_token() {
    assert_eq!(small().encode("!!"), [17]);
    assert_eq!(small().encode("!\u{4}!"), [16, 16]);
}

#[test]
fn bytes_are_those_of_text_only() {
    let tokenizer = small();
    assert_eq!((tokenizer.bytes(7), tokenizer.bytes(9), tokenizer.bytes(5)), (&b"abc"[..], &[0xc3][..], &b" "[..]));
    assert_eq!(tokenizer.bytes(11), b"<tool>");
    for silent in [0, 1, 13, 14, 15, 18, 19, u32::MAX] {
        assert_eq!(tokenizer.bytes(silent), b"", "{silent}");
    }
    assert_eq!((tokenizer.len(), tokenizer.stops(), tokenizer.bos()), (TOKENS.len(), &[1][..], None));
}

#[test]
fn a_prompt_begins_with_what_the_file_or_the_kind_wants() {
    let flagged = file(TOKENS, &[]).raw(b"tokenizer.ggml.add_bos_token", 7, &[1]);
    assert_eq!(read(&flagged).unwrap().bos(), Some(0));
}

#[test]
fn what_is_not_supported_is_named() {
    let kind = |kind: &str, style: &str| {
        let file = Build::default().text("tokenizer.ggml.model", kind).text("tokenizer.ggml.pre", style);
        read(&file).unwrap_err().to_string()
    };
    assert!(kind("llama", "default").contains("`llama` (SentencePiece)"));
    assert!(kind("bert", "x").contains("WordPiece"));
    let style = kind("gpt2", "gpt-4o");
    assert!(style.contains("`gpt-4o`") && style.contains("smollm") && style.contains("qwen2"), "{style}");
    assert!(!kind("\x1b[31m", "x").contains('\x1b'));
    assert!(read(&Build::default()).unwrap_err().to_string().contains("`tokenizer.ggml.model`"));
}

#[test]
fn damaged_vocabularies_are_refused() {
    let cases = [
        (file(&[], &[]), "no tokens"),
        (file(&[("a", 9)], &[]), "the purpose 9"),
        (file(&vec![("a", FIXED); 5_000], &[]), "5000 tokens are user-defined"),
        (file(&[("a", NORMAL)], &["a"]), "merge 0 does not name two tokens"),
        (file(&[("a", NORMAL)], &["a "]), "merge 0 does not name two tokens"),
        (file(&[("a", NORMAL)], &[" a"]), "merge 0 does not name two tokens"),
        (file(&[("a", NORMAL)], &["a z"]), "needs the token `z`"),
        // longer than every token: the builder of the crate would go past its buffer
        (file(&[("a", NORMAL)], &["a a"]), "needs the token `aa`"),
    ];
    for (file, expected) in cases {
        let message = read(&file).unwrap_err().to_string();
        assert!(message.contains(expected), "expected {expected:?}, found {message:?}");
    }
    let purposes = Build::default()
        .text("tokenizer.ggml.model", "gpt2")
        .text("tokenizer.ggml.pre", "qwen2")
        .texts("tokenizer.ggml.tokens", &["a", "b"])
        .ints("tokenizer.ggml.token_type", &[1])
        .texts::<&str>("tokenizer.ggml.merges", &[]);
    assert!(read(&purposes).unwrap_err().to_string().contains("2 tokens have 1 purposes"));
}

/// Time grows with the text, not with its square, also where it is one word.
#[test]
fn a_long_word_is_merged_whole() {
    let text = "abc".repeat(200_000);
    assert_eq!(small().encode(&text).len(), 200_000);
}
