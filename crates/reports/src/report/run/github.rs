//! A run as annotations of GitHub workflows: commands in the output of a step.

use std::io::{self, Write};

use super::annotation::Annotation;
use super::run_report::RunReport;
use crate::limits::MAX_ANNOTATIONS;
use fsmsim_syntax::terminal::{Joined, printable};

/// Writes the problems at their lines, causes first, and a notice at each line of a model that decided a failure. The
/// last annotation of a level counts those that the runner would drop.
pub(super) fn write_github(report: &RunReport, out: &mut dyn Write) -> io::Result<()> {
    let problems = Annotation::problems(report);
    let deciding = Annotation::deciding(report, &problems);
    for level in ["error", "warning", "notice"] {
        let all = problems.iter().chain(&deciding);
        let all: Vec<_> = all.filter(|one| one.level == level).collect();
        let shown = if all.len() > MAX_ANNOTATIONS {
            MAX_ANNOTATIONS - 1
        } else {
            all.len()
        };
        for annotation in all.iter().take(shown) {
            write_annotation(report, annotation, out)?;
        }
        let more = all.len() - shown;
        if more > 0 {
            writeln!(
                out,
                "::{level} title=fsmsim::{more} more without an annotation"
            )?;
        }
    }
    Ok(())
}

fn write_annotation(
    report: &RunReport,
    annotation: &Annotation,
    out: &mut dyn Write,
) -> io::Result<()> {
    write!(out, "::{} ", annotation.level)?;
    if let Some(at) = &annotation.at {
        let file = report.head.in_repository(&at.file);
        write!(out, "file={},", property(&file))?;
        for (name, number) in [("line", at.line), ("col", at.column)] {
            if let Some(number) = number {
                write!(out, "{name}={number},")?;
            }
        }
    }
    let title = property(&annotation.title());
    writeln!(out, "title={title}::{}", data(&annotation.message))
}

/// Escapes a message for the runner, so that it cannot contain commands.
fn data(text: &str) -> String {
    text.lines()
        .map(printable)
        .joined("\n")
        .replace('%', "%25")
        .replace('\r', "%0D")
        .replace('\n', "%0A")
}

/// Escapes the value of a property for the runner.
fn property(text: &str) -> String {
    data(&printable(text))
        .replace(':', "%3A")
        .replace(',', "%2C")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn commands_and_properties_in_text_are_escaped() {
        assert_eq!(
            data("50%\n::error::x\r\n::set-env"),
            "50%25%0A::error::x%0A::set-env"
        );
        assert_eq!(
            property("a,line=1::\n::b%0A"),
            "a%2Cline=1%3A%3A %3A%3Ab%250A"
        );
    }
}
