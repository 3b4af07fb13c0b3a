//! The beginning of a model file: counts, metadata, and where each tensor lies.

use std::collections::BTreeMap;
use std::io::Read;

use super::error::{GgufError, Place, shown};
use super::foreign;
use super::kind::{self, Kind};

const MAGIC: &[u8; 4] = b"GGUF";
const DEFAULT_ALIGNMENT: u64 = 32;

/// Limits of this reader. The largest vocabulary in use has about 260,000 tokens and 520,000 merges, in 15 MB.
const MAX_HEADER: u64 = 128 << 20;
const MAX_KEYS: u64 = 1 << 16;
const MAX_TENSORS: u64 = 1 << 16;
const MAX_KEY: u64 = 1 << 10;
const MAX_TENSOR_NAME: u64 = 128;
const MAX_TEXT: u64 = 4 << 20;
const MAX_ELEMENTS: u64 = 1 << 21;
const MAX_DEPTH: usize = 4;
const MAX_DIMENSIONS: u32 = 4;
const MAX_ALIGNMENT: u64 = 1 << 20;

/// The least that an entry takes: a key of one byte with a value of one, a tensor of one letter and no dimension.
const MIN_KEY_BYTES: u64 = 8 + 1 + 4 + 1;
const MIN_TENSOR_BYTES: u64 = 8 + 1 + 4 + 4 + 8;

#[derive(Debug)]
pub(super) struct Header {
    pub(super) metadata: BTreeMap<String, Value>,
    pub(super) tensors: BTreeMap<String, Entry>,
}

/// A metadata value, as far as anything reads it.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Value {
    Text(String),
    Int(i128),
    Float(f64),
    Flag(bool),
    Texts(Vec<String>),
    Ints(Vec<i64>),
    /// Arrays of fractions and arrays of arrays: checked, not kept.
    Skipped,
}

/// Where a tensor lies: everything is checked, the file has these bytes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Entry {
    pub(super) shape: Vec<usize>,
    pub(super) kind: Kind,
    pub(super) values: usize,
    /// The first byte in the file.
    pub(super) start: u64,
    pub(super) bytes: u64,
}

/// A tensor as it is declared: offsets still count from the beginning of the weights.
struct Declared {
    name: String,
    place: Place,
    entry: Entry,
}

/// The types of values by their number in the file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Type {
    Unsigned(usize),
    Signed(usize),
    F32,
    F64,
    Flag,
    Text,
    Array,
}

impl Type {
    const fn by_number(number: u32) -> Option<Self> {
        Some(match number {
            0 => Self::Unsigned(1),
            1 => Self::Signed(1),
            2 => Self::Unsigned(2),
            3 => Self::Signed(2),
            4 => Self::Unsigned(4),
            5 => Self::Signed(4),
            6 => Self::F32,
            7 => Self::Flag,
            8 => Self::Text,
            9 => Self::Array,
            10 => Self::Unsigned(8),
            11 => Self::Signed(8),
            12 => Self::F64,
            _ => return None,
        })
    }

    /// The least that a value takes in the file.
    const fn least_bytes(self) -> u64 {
        match self {
            Self::Unsigned(width) | Self::Signed(width) => width as u64,
            Self::Flag => 1,
            Self::F32 => 4,
            Self::F64 | Self::Text => 8,
            Self::Array => 12,
        }
    }
}

/// Reads the header of a file of `size` bytes.
pub(super) fn read(reader: impl Read, size: u64) -> Result<Header, GgufError> {
    let mut source = Source { reader, at: 0, size, part: String::from("the file's head") };
    source.signature()?;
    let tensor_count = source.count("the number of tensors", MAX_TENSORS)?;
    let key_count = source.count("the number of metadata entries", MAX_KEYS)?;
    source.expect(
        key_count.saturating_mul(MIN_KEY_BYTES).saturating_add(tensor_count.saturating_mul(MIN_TENSOR_BYTES)),
    )?;

    let mut metadata = BTreeMap::new();
    for index in 0..key_count {
        source.part = format!("the key of metadata entry {index}");
        let place = source.place();
        let key = source.text(MAX_KEY)?;
        source.part = format!("the metadata key `{}`", shown(&key));
        let value = source.value(&key)?;
        if metadata.insert(key, value).is_some() {
            return Err(GgufError::Damaged { fault: format!("{} is there twice", source.part), place });
        }
    }
    split(&metadata)?;
    let alignment = alignment(&metadata, &source)?;

    let mut declared = Vec::new();
    for index in 0..tensor_count {
        declared.push(source.tensor(index, alignment)?);
    }
    let start = source.at.next_multiple_of(alignment);
    Ok(Header { metadata, tensors: located(declared, start, size)? })
}

/// A model in several files says so in every part.
fn split(metadata: &BTreeMap<String, Value>) -> Result<(), GgufError> {
    match metadata.get("split.count") {
        Some(Value::Int(parts)) if *parts > 1 => {
            Err(GgufError::Split { parts: u64::try_from(*parts).unwrap_or(u64::MAX) })
        }
        _ => Ok(()),
    }
}

fn alignment<R: Read>(metadata: &BTreeMap<String, Value>, source: &Source<R>) -> Result<u64, GgufError> {
    let Some(value) = metadata.get("general.alignment") else { return Ok(DEFAULT_ALIGNMENT) };
    let number = if let Value::Int(number) = value { u64::try_from(*number).ok() } else { None };
    number.filter(|number| number.is_power_of_two() && *number <= MAX_ALIGNMENT).ok_or_else(|| GgufError::Damaged {
        place: Place { part: "the metadata key `general.alignment`".into(), at: source.at },
        fault: format!("the alignment has to be a power of two up to {MAX_ALIGNMENT}"),
    })
}

/// Puts the tensors into the file: inside of it, none on another.
fn located(mut declared: Vec<Declared>, start: u64, size: u64) -> Result<BTreeMap<String, Entry>, GgufError> {
    let mut last: Option<&Declared> = None;
    declared.sort_by_key(|tensor| (tensor.entry.start, tensor.entry.bytes));
    let mut missing = None;
    for tensor in &declared {
        if let Some(before) = last.filter(|before| before.entry.start + before.entry.bytes > tensor.entry.start) {
            let fault = format!("its weights lie on those of `{}`", shown(&before.name));
            return Err(GgufError::Damaged { place: tensor.place.clone(), fault });
        }
        let end = start.saturating_add(tensor.entry.start).saturating_add(tensor.entry.bytes);
        if end > size {
            missing = Some((tensor, end - size));
        }
        last = Some(tensor);
    }
    if let Some((tensor, missing)) = missing {
        let place = Place { part: format!("the weights of {}", tensor.place.part), at: start + tensor.entry.start };
        return Err(GgufError::Cut { place, missing });
    }
    let mut tensors = BTreeMap::new();
    for Declared { name, place, mut entry } in declared {
        entry.start += start;
        if tensors.insert(name, entry).is_some() {
            return Err(GgufError::Damaged { place, fault: "a tensor of this name is there twice".into() });
        }
    }
    Ok(tensors)
}

/// The file as far as it was read, and what is being read.
struct Source<R> {
    reader: R,
    at: u64,
    size: u64,
    part: String,
}

impl<R: Read> Source<R> {
    fn place(&self) -> Place {
        Place { part: self.part.clone(), at: self.at }
    }

    fn damaged(&self, fault: impl Into<String>) -> GgufError {
        GgufError::Damaged { place: self.place(), fault: fault.into() }
    }

    /// So many bytes have to follow.
    fn expect(&self, bytes: u64) -> Result<(), GgufError> {
        let left = self.size.saturating_sub(self.at);
        if bytes > left {
            return Err(GgufError::Cut { place: self.place(), missing: bytes - left });
        }
        let end = self.at + bytes;
        if end > MAX_HEADER {
            let what = "the length of the header";
            return Err(GgufError::Limit { place: self.place(), what, found: end, limit: MAX_HEADER });
        }
        Ok(())
    }

    fn fill(&mut self, buffer: &mut [u8]) -> Result<(), GgufError> {
        self.expect(buffer.len() as u64)?;
        self.reader.read_exact(buffer)?;
        self.at += buffer.len() as u64;
        Ok(())
    }

    fn array<const N: usize>(&mut self) -> Result<[u8; N], GgufError> {
        let mut bytes = [0; N];
        self.fill(&mut bytes)?;
        Ok(bytes)
    }

    fn u32(&mut self) -> Result<u32, GgufError> {
        Ok(u32::from_le_bytes(self.array()?))
    }

    fn u64(&mut self) -> Result<u64, GgufError> {
        Ok(u64::from_le_bytes(self.array()?))
    }

    /// A declared number: within its limit.
    fn count(&mut self, what: &'static str, limit: u64) -> Result<u64, GgufError> {
        let place = self.place();
        let found = self.u64()?;
        if found > limit {
            return Err(GgufError::Limit { place, what, found, limit });
        }
        Ok(found)
    }

    fn signature(&mut self) -> Result<(), GgufError> {
        let mut head = Vec::new();
        (&mut self.reader).take(MAGIC.len() as u64).read_to_end(&mut head)?;
        if head != MAGIC {
            (&mut self.reader).take(foreign::LOOKED_AT as u64).read_to_end(&mut head)?;
            return Err(GgufError::Foreign { begins: foreign::begins(&head) });
        }
        self.at = MAGIC.len() as u64;
        match self.u32()? {
            2 | 3 => Ok(()),
            swapped if matches!(swapped.swap_bytes(), 1..=3) => Err(GgufError::BigEndian),
            found => Err(GgufError::Version { found }),
        }
    }

    fn bytes(&mut self, limit: u64) -> Result<Vec<u8>, GgufError> {
        let length = self.count("the length of a text", limit)?;
        self.expect(length)?;
        let mut bytes = vec![0; usize::try_from(length).unwrap_or(usize::MAX)];
        self.fill(&mut bytes)?;
        Ok(bytes)
    }

    fn text(&mut self, limit: u64) -> Result<String, GgufError> {
        let place = self.place();
        let bytes = self.bytes(limit)?;
        String::from_utf8(bytes).map_err(|_| GgufError::Damaged { place, fault: "the text is not UTF-8".into() })
    }

    fn value_type(&mut self) -> Result<Type, GgufError> {
        let place = self.place();
        let number = self.u32()?;
        Type::by_number(number)
            .ok_or_else(|| GgufError::Damaged { place, fault: format!("there is no value type number {number}") })
    }

    fn value(&mut self, key: &str) -> Result<Value, GgufError> {
        Ok(match self.value_type()? {
            Type::Unsigned(width) => Value::Int(i128::from(self.unsigned(width)?)),
            Type::Signed(width) => Value::Int(i128::from(self.signed(width)?)),
            Type::F32 => Value::Float(f64::from(f32::from_le_bytes(self.array()?))),
            Type::F64 => Value::Float(f64::from_le_bytes(self.array()?)),
            Type::Flag => Value::Flag(self.flag()?),
            // names and descriptions for people are seen in other encodings; nothing depends on them
            Type::Text if key.starts_with("general.") && key != "general.architecture" => {
                Value::Text(String::from_utf8_lossy(&self.bytes(MAX_TEXT)?).into_owned())
            }
            Type::Text => Value::Text(self.text(MAX_TEXT)?),
            Type::Array => self.list(0)?,
        })
    }

    fn unsigned(&mut self, width: usize) -> Result<u64, GgufError> {
        let mut bytes = [0; 8];
        self.fill(bytes.get_mut(..width).unwrap_or_default())?;
        Ok(u64::from_le_bytes(bytes))
    }

    fn signed(&mut self, width: usize) -> Result<i64, GgufError> {
        let unused = 64 - 8 * width;
        // the sign bit goes to the top and comes back down with its copies
        Ok((self.unsigned(width)? << unused).cast_signed() >> unused)
    }

    fn flag(&mut self) -> Result<bool, GgufError> {
        let place = self.place();
        match self.array::<1>()? {
            [0] => Ok(false),
            [1] => Ok(true),
            [other] => Err(GgufError::Damaged { place, fault: format!("a truth value is {other}, neither 0 nor 1") }),
        }
    }

    fn list(&mut self, depth: usize) -> Result<Value, GgufError> {
        if depth >= MAX_DEPTH {
            return Err(self.damaged(format!("arrays are nested more than {MAX_DEPTH} deep")));
        }
        let kind = self.value_type()?;
        let count = self.count("the number of elements", MAX_ELEMENTS)?;
        self.expect(count * kind.least_bytes())?;
        match kind {
            Type::Unsigned(width) => {
                let numbers = (0..count).map(|_| self.unsigned(width)).collect::<Result<Vec<_>, _>>()?;
                let signed = numbers.into_iter().map(i64::try_from).collect::<Result<_, _>>();
                signed.map(Value::Ints).map_err(|_| self.damaged("an integer in the array is larger than 2^63"))
            }
            Type::Signed(width) => Ok(Value::Ints((0..count).map(|_| self.signed(width)).collect::<Result<_, _>>()?)),
            Type::Flag => Ok(Value::Ints((0..count).map(|_| self.flag().map(i64::from)).collect::<Result<_, _>>()?)),
            Type::Text => Ok(Value::Texts((0..count).map(|_| self.text(MAX_TEXT)).collect::<Result<_, _>>()?)),
            Type::F32 | Type::F64 => {
                (0..count).try_for_each(|_| self.fill(&mut [0; 8][..usize::from(kind == Type::F64) * 4 + 4]))?;
                Ok(Value::Skipped)
            }
            Type::Array => {
                (0..count).try_for_each(|_| self.list(depth + 1).map(drop))?;
                Ok(Value::Skipped)
            }
        }
    }

    fn tensor(&mut self, index: u64, alignment: u64) -> Result<Declared, GgufError> {
        self.part = format!("the name of tensor {index}");
        let place = self.place();
        let name = self.text(MAX_TENSOR_NAME)?;
        self.part = format!("the tensor `{}`", shown(&name));
        let dimensions = self.u32()?;
        if dimensions == 0 || dimensions > MAX_DIMENSIONS {
            return Err(self.damaged(format!("it has {dimensions} dimensions; 1 to {MAX_DIMENSIONS} are possible")));
        }
        let lengths = (0..dimensions).map(|_| self.u64()).collect::<Result<Vec<_>, _>>()?;
        let kind = kind::by_number(self.u32()?).map_err(|kind| GgufError::TensorType { name: shown(&name), kind })?;
        let (values, bytes) = self.extent(&lengths, kind)?;
        let offset = self.u64()?;
        if !offset.is_multiple_of(alignment) {
            return Err(self.damaged(format!("its offset {offset} is no multiple of the alignment {alignment}")));
        }
        if offset.checked_add(bytes).is_none_or(|end| end > u64::MAX / 2) {
            return Err(self.damaged(format!("its offset {offset} is larger than any file")));
        }
        let shape = lengths.iter().rev().filter_map(|length| usize::try_from(*length).ok()).collect();
        let place = Place { part: self.part.clone(), ..place };
        Ok(Declared { name, place, entry: Entry { shape, kind, values, start: offset, bytes } })
    }

    /// How many values the dimensions make, in how many bytes.
    fn extent(&self, lengths: &[u64], kind: Kind) -> Result<(usize, u64), GgufError> {
        if let Some(row) = lengths.first().filter(|row| !row.is_multiple_of(kind.values as u64)) {
            let (name, block) = (kind.name, kind.values);
            return Err(self.damaged(format!("a row of {row} values is no multiple of {block}, the block of {name}")));
        }
        let values = lengths.iter().try_fold(1u64, |product, length| product.checked_mul(*length));
        let bytes = values.and_then(|values| (values / kind.values as u64).checked_mul(kind.bytes as u64));
        let counted = values.and_then(|values| usize::try_from(values).ok()).zip(bytes);
        match counted {
            Some((0, _)) => Err(self.damaged("one of its dimensions is 0")),
            Some(extent) => Ok(extent),
            None => Err(self.damaged("its dimensions multiply to more than any file holds")),
        }
    }
}
