//! The scenarios that a run would select, as text.

use std::io::{self, Write};

use fsmsim_harness::selection::ListedScenario;
use fsmsim_syntax::terminal::printable;

/// Writes the scenario IDs, one per line, in the form that `fsmsim test` accepts.
pub fn write_listed(listed: &[ListedScenario], out: &mut impl Write) -> io::Result<()> {
    for scenario in listed {
        writeln!(out, "{}", printable(&scenario.id))?;
    }
    Ok(())
}
