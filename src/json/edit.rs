//! Edits of a document in place: what an edit does not touch keeps its layout, its comments and its order.
//!
//! Reads JSON, and JSON with comments and trailing commas. Judges nothing: an edited schema is checked like any other.

use jsonc_parser::ParseOptions;
use jsonc_parser::cst::{CstArray, CstInputValue, CstNode, CstObject, CstRootNode};

use super::comments::blank;
use super::pointer::{below, index, tokens};
use super::{Map, ParseLimits, Value, parse};

/// One edit. Pointers are those of the document as the edits before it left it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Edit {
    /// Puts a value at a pointer, in place of what stands there. A member that is new comes last ([`Edit::Insert`] says
    /// where); an array's next index, or `-`, appends.
    Set { pointer: String, value: Value },
    /// Adds a member at a place among its siblings, from 0; what is beyond the end comes last.
    Insert { pointer: String, at: usize, value: Value },
    /// Takes a member or an item out.
    Remove { pointer: String },
    /// Gives a member another name; its place stays.
    Rename { pointer: String, to: String },
}

/// Why a document stays as it is.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum EditError {
    #[error("the document cannot be read: mend it first")]
    Unreadable,
    #[error("there is nothing at {0:?} to edit")]
    NoPlace(String),
    #[error("{0:?} has a member of that name already")]
    Taken(String),
    /// The edited text would not read as what was wanted, and its comments stand in the way of writing it anew.
    #[error("this text cannot be edited in place without losing something: edit it by hand")]
    Unsure,
}

/// Applies edits one after the other; all of them or none. The edited text was read again: it holds the value the edits
/// lead to. Should the two ever part, JSON without comments is laid out anew, and a text with comments is refused.
///
/// # Errors
/// Which edit has no place, that the text is no document, or that it cannot be edited in place.
pub fn apply(text: &str, edits: &[Edit]) -> Result<String, EditError> {
    let root = CstRootNode::parse(text, &options()).map_err(|_| EditError::Unreadable)?;
    let (mut value, kind) = read(text).ok_or(EditError::Unreadable)?;
    for edit in edits {
        one(&root, edit).ok_or_else(|| EditError::NoPlace(edit.pointer().to_owned()))??;
    }
    for edit in edits {
        in_value(&mut value, edit).ok_or_else(|| EditError::NoPlace(edit.pointer().to_owned()))?;
    }
    settled(root.to_string(), &value, kind)
}

/// The edited text, if it holds the value.
fn settled(edited: String, value: &Value, kind: Kind) -> Result<String, EditError> {
    match (read(&edited), kind) {
        (Some((read, _)), _) if read == *value => Ok(edited),
        (_, Kind::Strict) => Ok(super::pretty(value)),
        (_, Kind::Commented) => Err(EditError::Unsure),
    }
}

/// What a text is.
#[derive(Clone, Copy)]
enum Kind {
    Strict,
    /// With comments or trailing commas, which no value holds.
    Commented,
}

fn read(text: &str) -> Option<(Value, Kind)> {
    let limits = ParseLimits::default();
    if let Ok(value) = parse(text, limits) {
        return Some((value, Kind::Strict));
    }
    let blanked = blank(text).ok()?;
    parse(&blanked, limits).ok().map(|value| (value, Kind::Commented))
}

/// The edits that lead from one value to another, in the order of the old document. Each stands for itself: none needs
/// another, and no two speak about the same place.
#[must_use]
pub fn between(old: &Value, new: &Value) -> Vec<Edit> {
    let mut edits = Vec::new();
    let mut left = vec![(String::new(), old, new)];
    while let Some((pointer, old, new)) = left.pop() {
        match (old, new) {
            (Value::Object(old), Value::Object(new)) => members(&pointer, old, new, &mut edits, &mut left),
            (Value::Array(old), Value::Array(new)) if old.len() == new.len() => {
                let items = old.iter().zip(new).enumerate().rev();
                left.extend(items.map(|(i, (old, new))| (below(&pointer, &i.to_string()), old, new)));
            }
            (old, new) if old == new => {}
            (_, new) => edits.push(Edit::Set { pointer, value: new.clone() }),
        }
    }
    edits
}

fn members<'v>(
    pointer: &str,
    old: &'v Map<String, Value>,
    new: &'v Map<String, Value>,
    edits: &mut Vec<Edit>,
    left: &mut Vec<(String, &'v Value, &'v Value)>,
) {
    let gone = old.keys().filter(|key| !new.contains_key(*key));
    edits.extend(gone.map(|key| Edit::Remove { pointer: below(pointer, key) }));
    let added = new.iter().filter(|(key, _)| !old.contains_key(*key));
    edits.extend(added.map(|(key, value)| Edit::Set { pointer: below(pointer, key), value: value.clone() }));
    let both = old.iter().rev().filter_map(|(key, old)| Some((below(pointer, key), old, new.get(key)?)));
    left.extend(both.filter(|(_, old, new)| old != new));
}

impl Edit {
    /// Where it works.
    #[must_use]
    pub fn pointer(&self) -> &str {
        match self {
            Self::Set { pointer, .. }
            | Self::Insert { pointer, .. }
            | Self::Remove { pointer }
            | Self::Rename { pointer, .. } => pointer,
        }
    }

    /// The value as the edit leaves it; `None` when the edit has no place.
    #[must_use]
    pub fn of_value(&self, value: &Value) -> Option<Value> {
        let mut value = value.clone();
        in_value(&mut value, self)?;
        Some(value)
    }

    /// The same edit in a document that holds what it edits at `prefix`.
    #[must_use]
    pub fn below(self, prefix: &str) -> Self {
        let at = |pointer: String| format!("{prefix}{pointer}");
        match self {
            Self::Set { pointer, value } => Self::Set { pointer: at(pointer), value },
            Self::Insert { pointer, at: place, value } => Self::Insert { pointer: at(pointer), at: place, value },
            Self::Remove { pointer } => Self::Remove { pointer: at(pointer) },
            Self::Rename { pointer, to } => Self::Rename { pointer: at(pointer), to },
        }
    }
}

fn options() -> ParseOptions {
    ParseOptions {
        allow_comments: true,
        allow_trailing_commas: true,
        allow_loose_object_property_names: false,
        allow_missing_commas: false,
        allow_single_quoted_strings: false,
        allow_hexadecimal_numbers: false,
        allow_unary_plus_numbers: false,
        allow_bare_decimal_point_numbers: false,
        allow_non_finite_numbers: false,
        allow_extended_string_escapes: false,
    }
}

/// The pointer of the parent and the last token.
fn split(pointer: &str) -> Option<(&str, String)> {
    let (parent, _) = pointer.rsplit_once('/')?;
    Some((parent, tokens(pointer)?.pop()?.into_owned()))
}

fn node(root: &CstRootNode, pointer: &str) -> Option<CstNode> {
    tokens(pointer)?.iter().try_fold(root.value()?, |at, token| match (at.as_object(), at.as_array()) {
        (Some(object), _) => object.get(token)?.value(),
        (None, Some(array)) => array.elements().into_iter().nth(index(token)?),
        (None, None) => None,
    })
}

/// `None`: the edit has no place.
fn one(root: &CstRootNode, edit: &Edit) -> Option<Result<(), EditError>> {
    if let Edit::Set { pointer, value } = edit
        && pointer.is_empty()
    {
        root.value()?;
        root.set_value(input(value));
        return Some(Ok(()));
    }
    let (parent, token) = split(edit.pointer())?;
    let parent = node(root, parent)?;
    match (parent.as_object(), parent.as_array()) {
        (Some(object), _) => in_object(&object, &token, edit),
        (None, Some(array)) => in_array(&array, &token, edit).map(Ok),
        (None, None) => None,
    }
}

fn in_object(object: &CstObject, name: &str, edit: &Edit) -> Option<Result<(), EditError>> {
    match edit {
        Edit::Set { value, .. } => match object.get(name) {
            Some(member) => member.set_value(input(value)),
            None => drop(object.append(name, input(value))),
        },
        Edit::Insert { at, value, .. } => {
            if object.get(name).is_some() {
                return Some(Err(EditError::Taken(name.to_owned())));
            }
            object.insert((*at).min(object.properties().len()), name, input(value));
        }
        Edit::Remove { .. } => object.get(name)?.remove(),
        Edit::Rename { to, .. } => {
            let member = object.get(name)?;
            if to != name && object.get(to).is_some() {
                return Some(Err(EditError::Taken(to.clone())));
            }
            member.name()?.as_string_lit()?.set_raw_value(super::canonical(&Value::String(to.clone())));
        }
    }
    Some(Ok(()))
}

fn in_array(array: &CstArray, token: &str, edit: &Edit) -> Option<()> {
    let elements = array.elements();
    let at = if token == "-" { elements.len() } else { index(token)? };
    match edit {
        Edit::Set { value, .. } if at == elements.len() => drop(array.append(input(value))),
        Edit::Set { value, .. } => replace(elements.into_iter().nth(at)?, input(value)),
        Edit::Insert { value, .. } if at <= elements.len() => drop(array.insert(at, input(value))),
        Edit::Remove { .. } => elements.into_iter().nth(at)?.remove(),
        Edit::Insert { .. } | Edit::Rename { .. } => return None,
    }
    Some(())
}

fn replace(node: CstNode, value: CstInputValue) {
    use jsonc_parser::cst::{CstContainerNode as Inner, CstLeafNode as Leaf};
    match node {
        CstNode::Container(Inner::Object(object)) => drop(object.replace_with(value)),
        CstNode::Container(Inner::Array(array)) => drop(array.replace_with(value)),
        CstNode::Leaf(Leaf::BooleanLit(literal)) => drop(literal.replace_with(value)),
        CstNode::Leaf(Leaf::NullKeyword(literal)) => drop(literal.replace_with(value)),
        CstNode::Leaf(Leaf::NumberLit(literal)) => drop(literal.replace_with(value)),
        CstNode::Leaf(Leaf::StringLit(literal)) => drop(literal.replace_with(value)),
        CstNode::Leaf(Leaf::WordLit(literal)) => drop(literal.replace_with(value)),
        // None of these is an element.
        CstNode::Container(Inner::Root(_) | Inner::ObjectProp(_))
        | CstNode::Leaf(Leaf::Token(_) | Leaf::Whitespace(_) | Leaf::Newline(_) | Leaf::Comment(_)) => {}
    }
}

/// A value as the library wants it. Values come from documents within the limits of depth.
fn input(value: &Value) -> CstInputValue {
    match value {
        Value::Null => CstInputValue::Null,
        Value::Bool(value) => CstInputValue::Bool(*value),
        Value::Number(number) => CstInputValue::Number(number.as_str().to_owned()),
        Value::String(text) => CstInputValue::String(text.clone()),
        Value::Array(items) => CstInputValue::Array(items.iter().map(input).collect()),
        Value::Object(members) => {
            CstInputValue::Object(members.iter().map(|(key, value)| (key.clone(), input(value))).collect())
        }
    }
}

/// The same edit on a value.
fn in_value(root: &mut Value, edit: &Edit) -> Option<()> {
    if let Edit::Set { pointer, value } = edit
        && pointer.is_empty()
    {
        *root = value.clone();
        return Some(());
    }
    let (parent, token) = split(edit.pointer())?;
    let parent = tokens(parent)?.iter().try_fold(root, |at, token| match at {
        Value::Object(members) => members.get_mut(token.as_ref()),
        Value::Array(items) => items.get_mut(index(token)?),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => None,
    })?;
    match parent {
        Value::Object(members) => member_of(members, token, edit),
        Value::Array(items) => item_of(items, &token, edit),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => None,
    }
}

fn member_of(members: &mut Map<String, Value>, name: String, edit: &Edit) -> Option<()> {
    match edit {
        Edit::Set { value, .. } => drop(members.insert(name, value.clone())),
        Edit::Insert { at, value, .. } => drop(members.shift_insert((*at).min(members.len()), name, value.clone())),
        Edit::Remove { .. } => drop(members.shift_remove(&name)?),
        Edit::Rename { to, .. } => {
            let at = members.keys().position(|key| *key == name)?;
            let value = members.shift_remove(&name)?;
            members.shift_insert(at, to.clone(), value);
        }
    }
    Some(())
}

fn item_of(items: &mut Vec<Value>, token: &str, edit: &Edit) -> Option<()> {
    let at = if token == "-" { items.len() } else { index(token)? };
    match edit {
        Edit::Set { value, .. } if at == items.len() => items.push(value.clone()),
        Edit::Set { value, .. } => value.clone_into(items.get_mut(at)?),
        Edit::Insert { value, .. } if at <= items.len() => items.insert(at, value.clone()),
        Edit::Remove { .. } if at < items.len() => drop(items.remove(at)),
        Edit::Insert { .. } | Edit::Remove { .. } | Edit::Rename { .. } => return None,
    }
    Some(())
}

#[cfg(test)]
mod tests;
