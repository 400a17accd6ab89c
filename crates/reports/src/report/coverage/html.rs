//! Coverage as a page: the files with their shares, and each with its text, coloured by what scenarios came to. No scripts,
//! nothing from elsewhere.

use std::collections::BTreeMap;
use std::io::{self, Write};
use std::sync::Arc;

use minijinja::{Value, context};

use crate::limits::MAX_HOVER_LINES;
use crate::report::grid::escaped;
use crate::report::template::rendered;
use fsmsim_harness::coverage::{
    CoverageReport, CoverageVerdict, CoveredLine, LineCoverage, LineTint, Share,
};
use fsmsim_syntax::diagnostic::plural;
use fsmsim_syntax::terminal::Joined;

/// Writes a page of the sources in which something stands that is counted; `sources` has their texts by path.
pub fn write_coverage_html(
    report: &CoverageReport,
    sources: &BTreeMap<String, Arc<str>>,
    out: &mut impl Write,
) -> io::Result<()> {
    let coverage = LineCoverage::of(report);
    let files = coverage.files.iter().map(|(path, lines)| {
        // The lines that a dialogue can come to, and those that one came to.
        let mut share = Share::default();
        lines
            .values()
            .filter(|line| !line.is_unreachable())
            .for_each(|line| share.count(line.hits() > 0));
        let rows: Vec<Value> = match sources.get(*path) {
            Some(text) => {
                let numbered = text.lines().zip(1..);
                numbered
                    .map(|(text, number)| row(number, text, lines.get(&number)))
                    .collect()
            }
            None => {
                let known = lines.iter();
                known
                    .map(|(number, line)| row(*number, "", Some(line)))
                    .collect()
            }
        };
        context! {
            path => *path,
            percent => share.percent(),
            covered => share.covered,
            all => share.all,
            lines => rows,
        }
    });
    let content = context! {
        style => include_str!("page.css"),
        files => files.collect::<Vec<_>>(),
    };
    out.write_all(rendered(include_str!("page.html"), content)?.as_bytes())
}

/// One line of a source.
fn row(number: u32, text: &str, line: Option<&CoveredLine<'_>>) -> Value {
    let Some(line) = line else {
        return context! { number, text };
    };
    let hits = line.hits().to_string();
    let (class, hits) = match line.tint() {
        LineTint::Full => ("full", hits),
        LineTint::Part => ("part", hits),
        LineTint::None => ("none", hits),
        LineTint::Unreachable => ("never", "–".to_owned()),
    };
    let told = told(line);
    // A line of the hover is a line of its own; nothing else in it is HTML.
    let told = told.iter().map(|line| escaped(line)).joined("&#10;");
    context! { number, text, class, hits, told }
}

/// What is told of a line: each item, how often turns came to it, and on which ways.
fn told(line: &CoveredLine<'_>) -> Vec<String> {
    let mut told = Vec::new();
    for ((kind, _, name), count) in &line.items {
        let said = match count.verdict() {
            CoverageVerdict::Covered => plural(count.hits, "turn"),
            CoverageVerdict::Missed => "not covered".to_owned(),
            CoverageVerdict::Unknown => "not covered; unknown whether it can be reached".to_owned(),
            CoverageVerdict::Unreachable(why) => format!("cannot be reached: {why}"),
        };
        told.push(format!("{} {name}: {said}", kind.singular()));
        told.extend(
            count
                .via
                .iter()
                .map(|(way, turns)| format!("    {turns} × {way}")),
        );
    }
    let more = told.len().saturating_sub(MAX_HOVER_LINES);
    told.truncate(MAX_HOVER_LINES);
    told.extend((more > 0).then(|| format!("and {more} more")));
    told
}
