//! Text from outside, made safe for a terminal, and its width in cells.
