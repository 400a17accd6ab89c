//! A comparison as text.

use std::io::{self, Write};

use colored::Colorize;

use super::{DifferenceReport, words};
use fsmsim_core::trace::{TITLES, aligned, shorten};
use fsmsim_harness::diff::{DiffSide, Difference, DifferenceCategory, Divergence};
use fsmsim_syntax::diagnostic::plural;
use fsmsim_syntax::terminal::printable;

/// Writes the summary, the causes, and every dialogue that differs.
pub(super) fn write(report: &DifferenceReport, out: &mut dyn Write) -> io::Result<()> {
    writeln!(out, "{} -> {}", printable(&report.a), printable(&report.b))?;
    for line in words::summary(report) {
        writeln!(out, "{line}")?;
    }
    for (number, cause) in report.comparison.causes.iter().enumerate() {
        let count = plural(cause.dialogues.len(), "dialogue");
        writeln!(
            out,
            "\n{}. {count}  {}",
            number + 1,
            printable(&words::title(cause)).bold()
        )?;
        for line in words::facts(cause).iter().chain(&words::examples(cause)) {
            writeln!(out, "   {}", printable(line))?;
        }
    }
    let about = words::about_causes(report);
    if !about.is_empty() {
        writeln!(out)?;
    }
    for line in about {
        writeln!(out, "{}", printable(&line))?;
    }
    for difference in &report.comparison.differences {
        write_difference(difference, out)?;
    }
    Ok(())
}

fn write_difference(difference: &Difference, out: &mut dyn Write) -> io::Result<()> {
    let category = words::category(&difference.category).yellow().bold();
    writeln!(
        out,
        "\n{category} {}",
        printable(&difference.dialogue).bold()
    )?;
    let DifferenceCategory::Differs(divergence) = &difference.category else {
        return Ok(());
    };
    let cause = words::causes(difference)
        .map(|causes| format!(" ({causes})"))
        .unwrap_or_default();
    writeln!(
        out,
        "  {}{cause}",
        printable(&words::divergence(divergence))
    )?;
    if let Some(others) = words::others(divergence) {
        writeln!(out, "  {}", printable(&others))?;
    }
    writeln!(out, "  {}", words::reconvergence(divergence))?;
    write_rows(divergence, out)
}

/// Writes the turns around a difference. Marks turns that only one side has.
fn write_rows(divergence: &Divergence, out: &mut dyn Write) -> io::Result<()> {
    let titles = [""]
        .into_iter()
        .chain(TITLES)
        .map(str::to_owned)
        .collect::<Vec<_>>();
    let shown = divergence.rows.iter().map(|row| {
        let mark = match row.side {
            None => "",
            Some(DiffSide::A) => "-",
            Some(DiffSide::B) => "+",
        };
        let [inner @ .., why] = row.cells.each_ref().map(|cell| printable(cell));
        let inner = inner.iter().map(|cell| shorten(cell));
        [mark.to_owned()]
            .into_iter()
            .chain(inner)
            .chain([why])
            .collect()
    });
    let rows: Vec<Vec<String>> = [titles].into_iter().chain(shown).collect();
    let sides = [None]
        .into_iter()
        .chain(divergence.rows.iter().map(|row| row.side));
    for (line, side) in aligned(&rows, TITLES.len() + 1).lines().zip(sides) {
        let line = match side {
            None => line.normal(),
            Some(DiffSide::A) => line.red(),
            Some(DiffSide::B) => line.green(),
        };
        writeln!(out, "  {line}")?;
    }
    Ok(())
}
