//! The terminal program.

pub mod cells;
pub mod clipboard;
pub mod frame;
pub mod highlight;
pub mod rows;
pub mod scroll;
pub mod terminal;
pub mod theme;
pub mod tree;
