//! What a server says of itself, on standard error.

use crate::terminal::{printable, tell};

/// Says one line. Names and texts in it may come from anybody, so that nothing in it reaches the terminal as a control
/// sequence.
pub fn log(line: &str) {
    tell(&format!("{}\n", printable(line)));
}
