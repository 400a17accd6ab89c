//! Coverage as an HTML page: the files with their coverage, and their colored source text. The page has no scripts and
//! no external resources.

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

/// Writes a page with the source files that have coverage items. `sources` contains their texts by path.
pub fn write_coverage_html(
    report: &CoverageReport,
    sources: &BTreeMap<String, Arc<str>>,
    out: &mut impl Write,
) -> io::Result<()> {
    let coverage = LineCoverage::of(report);
    let files = coverage.files.iter().map(|(path, lines)| {
        // The numbers of covered and of reachable lines.
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
            None => lines
                .iter()
                .map(|(number, line)| row(*number, "", Some(line)))
                .collect(),
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
        files => files.collect::<Value>(),
    };
    out.write_all(rendered(include_str!("page.html"), content)?.as_bytes())
}

/// One line of a source file.
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
    let lines = tooltip(line);
    // Line breaks are the only markup in a tooltip.
    let tooltip = lines.iter().map(|line| escaped(line)).joined("&#10;");
    context! { number, text, class, hits, tooltip }
}

/// The tooltip of a line: each item with its number of turns and its transitions.
fn tooltip(line: &CoveredLine<'_>) -> Vec<String> {
    let mut lines = Vec::new();
    for ((kind, _, name), count) in &line.items {
        let result = match count.verdict() {
            CoverageVerdict::Covered => plural(count.hits, "turn"),
            CoverageVerdict::Missed => "not covered".to_owned(),
            CoverageVerdict::Unknown => "not covered; reachability unknown".to_owned(),
            CoverageVerdict::Unreachable(why) => format!("unreachable: {why}"),
            CoverageVerdict::Unattainable(states) => {
                format!("unattainable: {}", super::text::proof_of(states))
            }
        };
        lines.push(format!("{} {name}: {result}", kind.singular()));
        lines.extend(
            count
                .via
                .iter()
                .map(|(way, turns)| format!("    {turns} × {way}")),
        );
    }
    let more = lines.len().saturating_sub(MAX_HOVER_LINES);
    lines.truncate(MAX_HOVER_LINES);
    lines.extend((more > 0).then(|| format!("and {more} more")));
    lines
}
