//! Generated scenarios as text.

use std::io::{self, Write};

use strum::VariantArray;

use crate::report::coverage::write_open;
use crate::report::grid::Grid;
use fsmsim_harness::coverage::CoverageKind;
use fsmsim_harness::generate::{Generation, LowerBound};
use fsmsim_syntax::diagnostic::plural;
use fsmsim_syntax::terminal::printable;

/// Writes the coverage before and after the generated scenarios, and what they do not cover.
pub fn write_generation(generation: &Generation, out: &mut impl Write) -> io::Result<()> {
    let Generation {
        model,
        scenarios,
        before,
        after,
        lower_bound,
        unreproduced,
        bound,
    } = generation;
    let count = match scenarios.len() {
        0 => "nothing to generate".to_owned(),
        count => format!("{} generated", plural(count, "scenario")),
    };
    writeln!(out, "{}: {count}", printable(model))?;
    let mut grid = Grid::new(["", "before", "after", "of"], 1);
    let kinds = CoverageKind::VARIANTS.iter();
    for kind in kinds.filter(|kind| **kind != CoverageKind::Lines) {
        let share = after.share(*kind);
        if share.all > 0 {
            let numbers = [before.share(*kind).covered, share.covered, share.all];
            grid.push_named(kind.name(), numbers.map(|number| number.to_string()));
        }
    }
    grid.write_text(out)?;
    if let Some(LowerBound { scenarios, reason }) = lower_bound {
        let least = plural(scenarios, "scenario");
        writeln!(out, "lower bound: {least} ({reason})")?;
    }
    if *unreproduced > 0 {
        let dialogues = plural(unreproduced, "dialogue");
        writeln!(
            out,
            "left out: {dialogues} with another result in a scenario"
        )?;
    }
    let rough = scenarios.iter().filter(|scenario| scenario.is_rough);
    match rough.count() {
        0 => {}
        rough => writeln!(out, "better words needed: {}", plural(rough, "scenario"))?,
    }
    if let Some(bound) = bound {
        writeln!(out, "incomplete: {bound}")?;
    }
    write_open(after, out)
}
