//! Scenarios that would run, as text.

use std::io::{self, Write};

use fsmsim_harness::selection::ListedScenario;
use fsmsim_syntax::terminal::printable;

/// Writes the addresses, one a line: what `fsmsim test` takes.
pub fn write_listed(listed: &[ListedScenario], out: &mut impl Write) -> io::Result<()> {
    for scenario in listed {
        writeln!(out, "{}", printable(&scenario.id))?;
    }
    Ok(())
}
