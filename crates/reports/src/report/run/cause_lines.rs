//! What scenarios are put down to, as text for people.

use std::io::{self, Write};

use colored::Colorize;

use super::super::more::write_more;
use super::reported_cause::ReportedCause;
use crate::limits::{MAX_ADDRESSES, MAX_CHANGES};
use fsmsim_syntax::diagnostic::plural;
use fsmsim_syntax::terminal::printable;

/// Writes what a cause is: its number, how much of what (`noun`) is put down to it, and where it is written.
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
    for line in &cause.edit {
        let line = printable(line);
        writeln!(
            out,
            "   {}",
            if line.starts_with('-') {
                line.red()
            } else {
                line.green()
            }
        )?;
    }
    let others: Vec<&String> = cause
        .changes
        .iter()
        .filter(|change| **change != cause.title)
        .collect();
    for change in others.iter().take(MAX_CHANGES) {
        writeln!(out, "   {}", printable(change))?;
    }
    write_more(others.len(), MAX_CHANGES, "   ", out)?;
    for other in &cause.besides {
        writeln!(
            out,
            "   some are touched by another cause, too: {}",
            printable(other)
        )?;
    }
    Ok(())
}

/// Writes the addresses of scenarios besides the one that is shown.
pub fn write_addresses<'i>(
    word: &str,
    ids: impl ExactSizeIterator<Item = &'i String>,
    tells_all: bool,
    out: &mut dyn Write,
) -> io::Result<()> {
    let count = ids.len();
    let told = if tells_all { count } else { MAX_ADDRESSES };
    for id in ids.take(told) {
        writeln!(out, "  {word}{}", printable(id))?;
    }
    write_more(count, told, "  ", out)
}
