//! A comparison as text.

use std::io::{self, Write};

use colored::Colorize;

use super::{DifferenceReport, words};
use crate::limits::MAX_VALUE_LENGTH;
use fsmsim_core::trace::{TITLES, aligned, shorten};
use fsmsim_harness::diff::{DiffSide, Difference, DifferenceCategory, Excerpt, ExcerptRow};
use fsmsim_syntax::diagnostic::plural;
use fsmsim_syntax::terminal::{printable, shortened};

/// Writes the summary, the causes, and every dialogue that differs.
pub(super) fn write(report: &DifferenceReport, out: &mut dyn Write) -> io::Result<()> {
    writeln!(out, "{} -> {}", printable(&report.a), printable(&report.b))?;
    for line in words::summary(report) {
        writeln!(out, "{line}")?;
    }
    if let Some(proof) = report.proof() {
        proof.write_dialogue(out)?;
    }
    for (number, cause) in report.comparison.causes.iter().enumerate() {
        let count = plural(cause.dialogues.len(), "dialogue");
        writeln!(
            out,
            "\n{}. {count}  {}",
            number + 1,
            printable(&words::title(cause)).bold()
        )?;
        write_edited_lines(&words::edited_lines(cause.key.edits()), out)?;
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
        write_difference(difference, report.context, out)?;
    }
    Ok(())
}

/// Writes the edited lines of a cause.
pub(crate) fn write_edited_lines(lines: &[String], out: &mut dyn Write) -> io::Result<()> {
    for line in lines {
        let line = printable(line);
        let line = if line.starts_with('-') {
            line.red()
        } else {
            line.green()
        };
        writeln!(out, "   {line}")?;
    }
    Ok(())
}

fn write_difference(
    difference: &Difference,
    context: usize,
    out: &mut dyn Write,
) -> io::Result<()> {
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
    let Excerpt {
        rows,
        earlier,
        later,
    } = divergence.excerpt(context);
    write_omitted(earlier, "earlier turn", out)?;
    write_rows(&rows, out)?;
    write_omitted(later, "later turn", out)
}

fn write_omitted(count: usize, what: &str, out: &mut dyn Write) -> io::Result<()> {
    if count == 0 {
        return Ok(());
    }
    writeln!(out, "  {} omitted", plural(count, what))
}

/// Writes the turns around a difference. Marks turns that only one side has, and names the field that differs if the
/// cells are equal.
fn write_rows(rows: &[ExcerptRow], out: &mut dyn Write) -> io::Result<()> {
    let has_fields = rows.iter().any(|row| row.field.is_some());
    let titles = [""]
        .into_iter()
        .chain(TITLES)
        .chain(has_fields.then_some("difference"))
        .map(str::to_owned)
        .collect::<Vec<_>>();
    let shown = rows.iter().map(|row| {
        let mark = match row.side {
            None => "",
            Some(DiffSide::A) => "-",
            Some(DiffSide::B) => "+",
        };
        let [inner @ .., why] = row.cells.each_ref().map(|cell| printable(cell));
        let inner = inner.iter().map(|cell| shorten(cell));
        let field = row.field.iter();
        let field = field.map(|field| shortened(&printable(field), MAX_VALUE_LENGTH));
        [mark.to_owned()]
            .into_iter()
            .chain(inner)
            .chain([why])
            .chain(field)
            .collect()
    });
    let table: Vec<Vec<String>> = [titles].into_iter().chain(shown).collect();
    let sides = [None].into_iter().chain(rows.iter().map(|row| row.side));
    for (line, side) in aligned(&table, TITLES.len() + 2).lines().zip(sides) {
        let line = match side {
            None => line.normal(),
            Some(DiffSide::A) => line.red(),
            Some(DiffSide::B) => line.green(),
        };
        writeln!(out, "  {line}")?;
    }
    Ok(())
}
