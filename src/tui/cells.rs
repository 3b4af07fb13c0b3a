//! Text from outside as screen cells: what a piece of text shows as, and how wide.
//!
//! The last gate before the buffer: no control, bidi or invisible character passes, each is shown as a visible escape.
//! Measures with ratatui's own width, so that what is laid out is what is drawn.
