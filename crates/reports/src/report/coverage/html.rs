//! Coverage as a page: the files with their shares, and each with its text, coloured by what scenarios came to. No scripts,
//! nothing from elsewhere.

use std::collections::BTreeMap;
use std::io::{self, Write};
use std::sync::Arc;

use crate::report::grid::escaped;
use fsmsim_harness::coverage::{
    CoverageReport, CoverageVerdict, CoveredLine, LineCoverage, LineTint, Share,
};

const STYLE: &str = include_str!("page.css");
/// Ways and items of a line that its hover tells; the rest are counted.
const TOLD: usize = 12;

/// Writes a page of the sources in which something stands that is counted; `sources` has their texts by path.
pub fn write_coverage_html(
    report: &CoverageReport,
    sources: &BTreeMap<String, Arc<str>>,
    out: &mut impl Write,
) -> io::Result<()> {
    let coverage = LineCoverage::of(report);
    writeln!(
        out,
        "<!DOCTYPE html>\n<html lang=\"en\">\n<meta charset=\"utf-8\">\n\
         <meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'\">\n\
         <meta name=\"viewport\" content=\"width=device-width\">\n<title>Coverage</title>\n<style>{STYLE}</style>\n\
         <main>\n<h1>Coverage</h1>\n\
         <p class=\"legend\"><b class=\"full\">all of the line</b> <b class=\"part\">part of it</b> \
         <b class=\"none\">nothing</b> <b class=\"never\">cannot be reached</b></p>\n<table class=\"files\">"
    )?;
    for (number, (file, lines)) in coverage.files.iter().enumerate() {
        let Share { covered, all } = share(lines);
        let percent = Share { covered, all }.percent();
        writeln!(
            out,
            "<tr><td><a href=\"#f{number}\">{}</a><td><meter min=\"0\" max=\"100\" value=\"{percent}\" title=\"{percent}%\">{percent}%</meter>\
             <td class=\"n\">{percent}%<td class=\"n\">{covered} of {all} lines",
            escaped(file)
        )?;
    }
    writeln!(out, "</table>")?;
    for (number, (file, lines)) in coverage.files.iter().enumerate() {
        let open = if coverage.files.len() == 1 {
            " open"
        } else {
            ""
        };
        let percent = share(lines).percent();
        writeln!(
            out,
            "<details id=\"f{number}\"{open}><summary>{} <span>{percent}%</span></summary>\n<div class=\"source\"><table>",
            escaped(file)
        )?;
        match sources.get(*file) {
            Some(text) => source(text, number, lines, out)?,
            None => {
                for (at, line) in lines {
                    row(*at, number, "", Some(line), out)?;
                }
            }
        }
        writeln!(out, "</table></div></details>")?;
    }
    writeln!(out, "</main>")
}

/// The lines that a dialogue can come to, and those that one came to.
fn share(lines: &BTreeMap<u32, CoveredLine<'_>>) -> Share {
    let mut share = Share::default();
    lines
        .values()
        .filter(|line| !line.is_unreachable())
        .for_each(|line| share.count(line.hits() > 0));
    share
}

fn source(
    text: &str,
    file: usize,
    lines: &BTreeMap<u32, CoveredLine<'_>>,
    out: &mut impl Write,
) -> io::Result<()> {
    for (line, number) in text.lines().zip(1..) {
        row(number, file, line, lines.get(&number), out)?;
    }
    Ok(())
}

/// One line of a source.
fn row(
    number: u32,
    file: usize,
    text: &str,
    line: Option<&CoveredLine<'_>>,
    out: &mut impl Write,
) -> io::Result<()> {
    let text = escaped(text);
    let Some(line) = line else {
        return writeln!(
            out,
            "<tr id=\"f{file}-{number}\"><td>{number}<td><td>{text}"
        );
    };
    let class = match line.tint() {
        LineTint::Full => "full",
        LineTint::Part => "part",
        LineTint::None => "none",
        LineTint::Unreachable => "never",
    };
    let hits = match line.tint() {
        LineTint::Unreachable => "–".to_owned(),
        _ => line.hits().to_string(),
    };
    let told = escaped(&told(line).join("\u{a0}· ")).replace("\u{a0}· ", "&#10;");
    writeln!(
        out,
        "<tr id=\"f{file}-{number}\" class=\"{class}\" title=\"{told}\"><td>{number}<td>{hits}<td>{text}"
    )
}

/// What is told of a line: each item, how often turns came to it, and on which ways.
fn told(line: &CoveredLine<'_>) -> Vec<String> {
    let mut told = Vec::new();
    for ((kind, _, name), count) in &line.items {
        let said = match count.verdict() {
            CoverageVerdict::Covered if count.hits == 1 => "1 turn".to_owned(),
            CoverageVerdict::Covered => format!("{} turns", count.hits),
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
    let more = told.len().saturating_sub(TOLD);
    told.truncate(TOLD);
    told.extend((more > 0).then(|| format!("and {more} more")));
    told
}
