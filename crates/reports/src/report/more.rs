//! How many there are besides those that are shown.

use std::io::{self, Write};

/// Writes how many of `count` are not among those that are shown, where some are not.
pub(super) fn write_more(
    count: usize,
    shown: usize,
    indent: &str,
    out: &mut dyn Write,
) -> io::Result<()> {
    match count.saturating_sub(shown) {
        0 => Ok(()),
        more => writeln!(out, "{indent}and {more} more"),
    }
}
