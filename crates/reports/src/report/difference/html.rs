//! A comparison as an HTML page without scripts and external resources, for light and dark mode.

use std::io::{self, Write};

use minijinja::{Value, context};

use super::super::template::rendered;
use super::{DifferenceReport, words};
use fsmsim_core::trace::TITLES;
use fsmsim_harness::diff::{Cause, DiffSide, Difference, DifferenceCategory};
use fsmsim_syntax::diagnostic::plural;

pub(super) fn write(report: &DifferenceReport, out: &mut dyn Write) -> io::Result<()> {
    let comparison = &report.comparison;
    let content = context! {
        title => format!("{} → {}", report.a, report.b),
        summary => words::summary(report),
        causes => comparison.causes.iter().map(cause).collect::<Value>(),
        about => words::about_causes(report),
        differences => comparison.differences.iter().map(difference).collect::<Value>(),
        titles => TITLES,
    };
    out.write_all(rendered(include_str!("page.html"), content)?.as_bytes())
}

fn cause(cause: &Cause) -> Value {
    context! {
        title => words::title(cause),
        count => plural(cause.dialogues.len(), "dialogue"),
        lines => [words::facts(cause), words::examples(cause)].concat(),
    }
}

fn difference(difference: &Difference) -> Value {
    let dialogue = &difference.dialogue;
    let DifferenceCategory::Differs(divergence) = &difference.category else {
        let category = words::category(&difference.category).to_lowercase();
        return context! { dialogue, category };
    };
    let rows = divergence.rows.iter().map(|row| {
        let (class, mark) = match row.side {
            None => ("", ""),
            Some(DiffSide::A) => ("a", "−"),
            Some(DiffSide::B) => ("b", "+"),
        };
        context! { class, mark, cells => &row.cells }
    });
    context! {
        dialogue,
        cause => difference.cause.map(|cause| cause + 1),
        more_causes => difference.more_causes.iter().map(|cause| cause + 1).collect::<Value>(),
        divergence => words::divergence(divergence),
        others => words::others(divergence),
        reconvergence => words::reconvergence(divergence),
        rows => rows.collect::<Value>(),
    }
}
