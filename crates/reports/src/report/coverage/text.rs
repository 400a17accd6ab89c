//! Coverage as text.

use std::collections::BTreeMap;
use std::io::{self, Write};

use strum::VariantArray;

use crate::limits::{MAX_ITEMS_OF_LINE, MAX_MISSED_LINES};
use crate::report::grid::Grid;
use crate::report::more::write_more;
use fsmsim_harness::coverage::{
    CoverageDifference, CoverageKind, CoverageProof, CoverageReport, CoverageRequirement,
    CoverageVerdict, ItemKey, ModelReport, Share,
};
use fsmsim_syntax::diagnostic::plural;
use fsmsim_syntax::terminal::{Joined, printable};

/// The length of a full bar in characters.
const BAR: usize = 10;

/// Writes the coverage of each model.
pub fn write_coverage(report: &CoverageReport, out: &mut impl Write) -> io::Result<()> {
    for (path, model) in &report.models {
        writeln!(out, "\ncoverage of {}", printable(path))?;
        shares(model, out)?;
        classes(model, out)?;
        write_open(model, out)?;
    }
    Ok(())
}

/// Writes the items that are not covered, and those that cannot be covered, with the proof.
pub(in crate::report) fn write_open(model: &ModelReport, out: &mut impl Write) -> io::Result<()> {
    missed(model, out)?;
    unreachable(model, out)?;
    unattainable(model, out)
}

/// Writes the requirements that are not met. Returns whether all are met.
pub fn write_unmet(
    report: &CoverageReport,
    required: &[CoverageRequirement],
    out: &mut impl Write,
) -> io::Result<bool> {
    let mut covers = true;
    for (path, model) in &report.models {
        for CoverageRequirement { kind, percent, .. } in
            required.iter().filter(|required| required.is_about(path))
        {
            let share = model.share(*kind);
            if !share.reaches(*percent) {
                let path = printable(path);
                let name = kind.name();
                let reached = share.percent();
                let Share { covered, all } = share;
                writeln!(
                    out,
                    "TOO LOW {path}: {name} {covered} of {all} ({reached}%), {percent}% required"
                )?;
                covers = false;
            }
        }
    }
    Ok(covers)
}

/// Writes the coverage of each kind.
fn shares(model: &ModelReport, out: &mut impl Write) -> io::Result<()> {
    let mut grid = Grid::new(["", "", "covered", "of", "%", "unreachable"], 2);
    for kind in CoverageKind::VARIANTS {
        let share = model.share(*kind);
        let unreachable_items = model
            .of(*kind)
            .filter(|(_, count)| !count.verdict().counts())
            .count();
        if share.all == 0 && unreachable_items == 0 {
            continue;
        }
        let numbers = [share.covered, share.all, share.percent()].map(|number| number.to_string());
        let unreachable_items = if unreachable_items == 0 {
            String::new()
        } else {
            unreachable_items.to_string()
        };
        let row = [kind.name().to_owned(), bar(share)]
            .into_iter()
            .chain(numbers)
            .chain([unreachable_items]);
        grid.push(row.collect());
    }
    if grid.is_empty() {
        writeln!(out, "no items to cover")
    } else {
        grid.write_text(out)
    }
}

/// A proportion as a bar. The bar is full only if all items are covered, and empty only if none is.
fn bar(share: Share) -> String {
    let Share { covered, all } = share;
    let exact = (covered * BAR).checked_div(all).unwrap_or(BAR);
    let filled = if covered > 0 { exact.max(1) } else { exact };
    "█".repeat(filled) + &"░".repeat(BAR - filled)
}

/// Writes the scenarios and turns of each class.
fn classes(model: &ModelReport, out: &mut impl Write) -> io::Result<()> {
    let mut grid = Grid::new(["class", "scenarios", "turns"], 1);
    for (key, count) in model.of(CoverageKind::Classes) {
        grid.push(vec![
            key.name.clone(),
            count.scenarios.to_string(),
            count.hits.to_string(),
        ]);
    }
    if grid.is_empty() {
        Ok(())
    } else {
        grid.write_text(out)
    }
}

/// Writes the items that are not covered, by file and line.
fn missed(model: &ModelReport, out: &mut impl Write) -> io::Result<()> {
    by_line(model, "not covered", out, |verdict| match verdict {
        CoverageVerdict::Missed => Some(""),
        CoverageVerdict::Unknown => Some(" (reachability unknown)"),
        CoverageVerdict::Covered
        | CoverageVerdict::Unreachable(_)
        | CoverageVerdict::Unattainable(_) => None,
    })
}

/// The proof that an item is unattainable.
pub(super) fn proof_of(states: usize) -> String {
    let states = plural(states, "state");
    format!("proved: no dialogue reaches it, {states} searched")
}

/// Writes the items that no dialogue reaches, or why none is proved to be such an item.
fn unattainable(model: &ModelReport, out: &mut impl Write) -> io::Result<()> {
    let reason = match &model.proof {
        None => return Ok(()),
        Some(CoverageProof::Open(reason)) => reason.clone(),
        Some(CoverageProof::Complete(states)) => {
            let is_meant =
                |verdict: CoverageVerdict<'_>| matches!(verdict, CoverageVerdict::Unattainable(_));
            if model.items.values().any(|count| is_meant(count.verdict())) {
                by_line(model, "unattainable", out, |verdict| {
                    is_meant(verdict).then_some("")
                })?;
                return writeln!(out, "{}; not counted", proof_of(*states));
            }
            format!("{} searched", plural(states, "state"))
        }
    };
    writeln!(
        out,
        "no item is proved unattainable: {}",
        printable(&reason)
    )
}

/// Writes the items whose verdict has a mark, by file and line.
fn by_line(
    model: &ModelReport,
    title: &str,
    out: &mut impl Write,
    mark: impl Fn(CoverageVerdict<'_>) -> Option<&'static str>,
) -> io::Result<()> {
    let mut lines: BTreeMap<(&str, u32), Vec<String>> = BTreeMap::new();
    for (key, count) in &model.items {
        let Some(mark) = mark(count.verdict()) else {
            continue;
        };
        lines
            .entry((&key.file, key.line))
            .or_default()
            .push(format!("{}{mark}", named(key)));
    }
    let mut file = None;
    for ((path, line), items) in lines.iter().take(MAX_MISSED_LINES) {
        if file.replace(path) != Some(path) {
            let path = if path.is_empty() { "no file" } else { path };
            writeln!(out, "{title} in {}", printable(path))?;
        }
        let shown = items.iter().take(MAX_ITEMS_OF_LINE).joined(", ");
        let more = items.len().saturating_sub(MAX_ITEMS_OF_LINE);
        let more = if more == 0 {
            String::new()
        } else {
            format!(" and {more} more")
        };
        writeln!(out, "{line:>6}  {}{more}", printable(&shown))?;
    }
    let more = lines.len().saturating_sub(MAX_MISSED_LINES);
    if more > 0 {
        let more = plural(more, "more line");
        writeln!(
            out,
            "and {more}; `--report coverage=FILE` shows all of them"
        )?;
    }
    Ok(())
}

/// An item with its kind.
fn named(key: &ItemKey) -> String {
    format!("{} {}", key.kind.singular(), key.name)
}

/// Writes why items are unreachable, with the number of items for each reason.
fn unreachable(model: &ModelReport, out: &mut impl Write) -> io::Result<()> {
    let mut reasons: BTreeMap<&str, usize> = BTreeMap::new();
    for count in model.items.values() {
        if let CoverageVerdict::Unreachable(why) = count.verdict() {
            *reasons.entry(why).or_default() += 1;
        }
    }
    if !reasons.is_empty() {
        writeln!(out, "unreachable, not counted")?;
    }
    for (why, items) in reasons {
        writeln!(out, "{items:>6}  {}", printable(why))?;
    }
    Ok(())
}

/// Writes the difference from an earlier report.
pub fn write_coverage_difference(
    difference: &CoverageDifference<'_>,
    against: &str,
    out: &mut impl Write,
) -> io::Result<()> {
    writeln!(out, "\ncompared with {}", printable(against))?;
    if difference.is_empty() {
        return writeln!(out, "no differences");
    }
    let parts = [
        ("newly covered", &difference.gained),
        ("no longer covered", &difference.lost),
        ("new and not covered", &difference.added),
    ];
    for (title, items) in parts {
        if items.is_empty() {
            continue;
        }
        writeln!(out, "{title}: {}", items.len())?;
        for (_, key) in items.iter().take(MAX_MISSED_LINES) {
            let file = if key.file.is_empty() {
                "no file".to_owned()
            } else {
                format!("{}:{}", key.file, key.line)
            };
            writeln!(out, "  {}  {}", printable(&file), printable(&named(key)))?;
        }
        write_more(items.len(), MAX_MISSED_LINES, "  ", out)?;
    }
    Ok(())
}
