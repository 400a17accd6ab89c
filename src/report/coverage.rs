//! Coverage as text.

use std::io::{self, Write};

use super::grid::Grid;
use crate::coverage::{Coverage, CoverageKind, CoverageRequirement, ModelCoverage, Share};
use crate::diagnostic::escape_control;

/// States that no scenario came to that are named; the rest are counted.
const NAMED: usize = 8;

/// Writes what of the models the scenarios came to, then which shares are smaller than they must be. Whether none is.
///
/// # Errors
/// Those of writing.
pub fn write_coverage(coverage: &Coverage, required: &[CoverageRequirement], out: &mut impl Write) -> io::Result<bool> {
    for (path, model) in coverage.models() {
        writeln!(out, "\ncoverage of {}", escape_control(&path.display().to_string()))?;
        states(model, out)?;
        classes(model, out)?;
    }
    let mut covers = true;
    for (path, model) in coverage.models() {
        for CoverageRequirement { kind, percent } in required {
            let share = model.share(*kind);
            if !share.reaches(*percent) {
                let (path, name, Share { covered, all }) = (path.display(), kind.name(), share);
                let covered_percent = share.percent();
                writeln!(out, "SHORT {path}: {name} {covered} of {all} ({covered_percent}%), {percent}% required")?;
                covers = false;
            }
        }
    }
    Ok(covers)
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
    let mut grid = Grid::new(["class", "what it is", "scenarios", "turns"], 2);
    for counted in model.classes() {
        let names = [counted.class.name.to_string(), counted.class.title.to_string()];
        grid.push(names.into_iter().chain([counted.scenarios, counted.turns].map(|n| n.to_string())).collect());
    }
    grid.write_text(out)
}
