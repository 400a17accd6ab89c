//! Coverage as text.

use std::collections::BTreeMap;
use std::io::{self, Write};
use std::path::PathBuf;

use super::grid::Grid;
use crate::coverage::{CoverageKind, CoverageRequirement, ModelCoverage, Share};
use crate::terminal::printable;

/// States that no scenario came to that are named; the rest are counted.
const NAMED: usize = 8;

/// Writes what of the models, by path, the scenarios came to, then which shares are smaller than they must be. Tells
/// whether none is.
///
/// # Errors
/// Those of writing.
pub fn write_coverage(
    coverage: &BTreeMap<PathBuf, ModelCoverage>,
    required: &[CoverageRequirement],
    out: &mut impl Write,
) -> io::Result<bool> {
    for (path, model) in coverage {
        writeln!(out, "\ncoverage of {}", printable(&path.display().to_string()))?;
        states(model, out)?;
        classes(model, out)?;
    }
    let mut covers = true;
    for (path, model) in coverage {
        for CoverageRequirement { kind, percent } in required {
            let share = model.share(*kind);
            if !share.reaches(*percent) {
                let (path, name, reached) = (path.display(), kind.name(), share.percent());
                let Share { covered, all } = share;
                writeln!(out, "SHORT {path}: {name} {covered} of {all} ({reached}%), {percent}% required")?;
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
        write!(out, "; not {}", printable(&named.join(", ")))?;
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
