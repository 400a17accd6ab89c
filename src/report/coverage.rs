//! Coverage as text.

use std::io::{self, Write};
use std::path::Path;

use super::grid::Grid;
use crate::coverage::{Coverage, CoverageKind, ModelCoverage, Shortfall};
use crate::diagnostic::escape_control;

/// States that no scenario came to that are named; the rest are counted.
const NAMED: usize = 8;

/// Writes what of the models the scenarios came to.
///
/// # Errors
/// Those of writing.
pub fn write_coverage(coverage: &Coverage, out: &mut impl Write) -> io::Result<()> {
    for (path, model) in coverage.models() {
        writeln!(out, "\ncoverage of {}", escape_control(&path.display().to_string()))?;
        states(model, out)?;
        classes(model, out)?;
    }
    Ok(())
}

/// Writes which shares of a model are smaller than they must be.
///
/// # Errors
/// Those of writing.
pub fn write_shortfalls(path: &Path, shortfalls: &[Shortfall], out: &mut impl Write) -> io::Result<()> {
    for Shortfall { required, share } in shortfalls {
        writeln!(
            out,
            "SHORT {}: {} {} of {} ({}%), {}% required",
            path.display(),
            required.kind.name(),
            share.covered,
            share.all,
            share.percent(),
            required.percent
        )?;
    }
    Ok(())
}

fn states(model: &ModelCoverage, out: &mut impl Write) -> io::Result<()> {
    let share = model.share(CoverageKind::States);
    write!(out, "  states  {} of {}", share.covered, share.all)?;
    let unseen: Vec<&str> = model.unseen_states().collect();
    if let Some(named) = unseen.get(..unseen.len().min(NAMED)).filter(|named| !named.is_empty()) {
        write!(out, "; not {}", escape_control(&named.join(", ")))?;
        if unseen.len() > NAMED {
            write!(out, " and {} more", unseen.len() - NAMED)?;
        }
    }
    writeln!(out)
}

fn classes(model: &ModelCoverage, out: &mut impl Write) -> io::Result<()> {
    let share = model.share(CoverageKind::Classes);
    if share.all == 0 {
        return Ok(());
    }
    writeln!(out, "  classes {} of {}", share.covered, share.all)?;
    let titles = ["class", "what it is", "scenarios", "turns"].map(str::to_owned);
    let mut grid = Grid::new(titles.into(), 2);
    for counted in model.classes() {
        let names = [counted.class.name.to_string(), counted.class.title.to_string()];
        grid.push(names.into_iter().chain([counted.scenarios, counted.turns].map(|n| n.to_string())).collect());
    }
    grid.write_text(out)
}
