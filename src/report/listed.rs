//! Scenarios that would run, as text.

use std::io::{self, Write};

use crate::selection::ListedScenario;
use crate::terminal::printable;

/// Writes the addresses, one a line: what `fsmsim test` takes.
///
/// # Errors
/// Those of writing.
pub fn write_listed(listed: &[ListedScenario], out: &mut impl Write) -> io::Result<()> {
    for scenario in listed {
        writeln!(out, "{}", printable(&scenario.id))?;
    }
    Ok(())
}
