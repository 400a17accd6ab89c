//! What the server says of itself, on standard error.

use std::io::Write;

use crate::diagnostic::escape_control;

/// Says one line. Names and texts in it may come from anybody, so that nothing in it reaches the terminal as a control
/// sequence.
pub(super) fn log(line: &str) {
    // Where standard error is closed there is nobody to tell.
    let _ = writeln!(std::io::stderr(), "{}", escape_control(line));
}
