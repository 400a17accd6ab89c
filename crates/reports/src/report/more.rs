//! The number of items that are not shown.

use std::io::{self, Write};

/// Writes how many of `count` items are not shown; nothing if all are shown.
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
