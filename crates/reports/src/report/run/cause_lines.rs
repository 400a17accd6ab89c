//! The causes of failures as text.

use std::io::{self, Write};

use colored::Colorize;

use super::super::difference::write_edited_lines;
use super::super::more::write_more;
use super::reported_cause::ReportedCause;
use crate::limits::{MAX_ADDRESSES, MAX_CHANGES};
use fsmsim_syntax::diagnostic::plural;
use fsmsim_syntax::terminal::printable;

/// Writes a cause: its number, the number of scenarios or snapshots (`noun`), and its location.
pub fn write_cause(
    cause: &ReportedCause,
    number: usize,
    noun: &str,
    out: &mut dyn Write,
) -> io::Result<()> {
    let count = plural(cause.scenarios.len(), noun);
    writeln!(
        out,
        "{number}. {count}  {}  {}",
        printable(&cause.title).bold(),
        cause.id.dimmed()
    )?;
    if let Some(decided) = cause.decided() {
        writeln!(out, "   {}", printable(&decided))?;
    }
    write_edited_lines(&cause.edit, out)?;
    let others: Vec<&String> = cause
        .changes
        .iter()
        .filter(|change| **change != cause.title)
        .collect();
    for change in others.iter().take(MAX_CHANGES) {
        writeln!(out, "   {}", printable(change))?;
    }
    write_more(others.len(), MAX_CHANGES, "   ", out)?;
    for other in &cause.more_causes {
        writeln!(
            out,
            "   some of them also have another cause: {}",
            printable(other)
        )?;
    }
    Ok(())
}

/// Writes the IDs of the other scenarios.
pub fn write_addresses<'i>(
    word: &str,
    ids: impl ExactSizeIterator<Item = &'i String>,
    tells_all: bool,
    out: &mut dyn Write,
) -> io::Result<()> {
    let count = ids.len();
    let shown = if tells_all { count } else { MAX_ADDRESSES };
    for id in ids.take(shown) {
        writeln!(out, "  {word}{}", printable(id))?;
    }
    write_more(count, shown, "  ", out)
}
