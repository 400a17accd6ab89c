//! A comparison as a page of HTML: no scripts, nothing from elsewhere, readable in light and dark.

use std::io::{self, Write};

use super::super::plural::plural;
use super::{DifferenceReport, words};
use crate::report::grid::escaped;
use fsmsim_core::trace::TITLES;
use fsmsim_harness::diff::{DiffSide, DifferenceCategory, Divergence};

const STYLE: &str = ":root{color-scheme:light dark;--line:#ddd;--a:#fdecea;--b:#e8f5e9;--dim:#555}\
@media(prefers-color-scheme:dark){:root{--line:#444;--a:#4a1f1c;--b:#1c3a20;--dim:#aaa}}\
body{font-family:sans-serif;margin:2em;line-height:1.4}h1{font-size:1.3em}h2{font-size:1.1em}\
table{border-collapse:collapse;margin:.5em 0}th,td{padding:.25em .7em;border-bottom:1px solid var(--line);text-align:left;vertical-align:top}\
.a{background:var(--a)}.b{background:var(--b)}.dim{color:var(--dim)}summary{font-weight:bold;cursor:pointer}\
details{margin:.7em 0}ul{margin:.2em 0}.scroll{overflow-x:auto}";

/// Writes a comparison.
pub(super) fn write(report: &DifferenceReport, out: &mut dyn Write) -> io::Result<()> {
    let title_of_page = escaped(&format!("{} → {}", report.a, report.b));
    writeln!(
        out,
        "<!DOCTYPE html>\n<html lang=\"en\">\n<meta charset=\"utf-8\">\n\
         <meta name=\"viewport\" content=\"width=device-width\">\n<title>{title_of_page}</title>\n\
         <style>{STYLE}</style>\n<h1>{title_of_page}</h1>"
    )?;
    for line in words::summary(report) {
        writeln!(out, "<p>{}</p>", escaped(&line))?;
    }
    let comparison = &report.comparison;
    if !comparison.causes.is_empty() {
        writeln!(out, "<h2>Causes</h2>\n<ol>")?;
        for (number, cause) in comparison.causes.iter().enumerate() {
            let count = plural(cause.dialogues.len(), "dialogue");
            write!(
                out,
                "<li id=\"cause{}\"><b>{}</b> <span class=\"dim\">{count}</span><ul>",
                number + 1,
                escaped(&words::title(cause))
            )?;
            for line in words::facts(cause).iter().chain(&words::examples(cause)) {
                write!(out, "<li>{}</li>", escaped(line))?;
            }
            writeln!(out, "</ul></li>")?;
        }
        writeln!(out, "</ol>")?;
    }
    for line in words::about_causes(report) {
        writeln!(out, "<p>{}</p>", escaped(&line))?;
    }
    if !comparison.differences.is_empty() {
        writeln!(out, "<h2>Dialogues</h2>")?;
    }
    for difference in &comparison.differences {
        let name = escaped(&difference.dialogue);
        let DifferenceCategory::Differs(divergence) = &difference.category else {
            writeln!(
                out,
                "<p><b>{name}</b> <span class=\"dim\">{}</span></p>",
                words::category(&difference.category).to_lowercase()
            )?;
            continue;
        };
        let cause = difference.cause.map(|cause| cause + 1);
        let cause = cause
            .map(|cause| format!(" <a href=\"#cause{cause}\">cause {cause}</a>"))
            .unwrap_or_default();
        let others = difference.besides.iter().map(|cause| cause + 1);
        let others: Vec<String> = others
            .map(|cause| format!(", <a href=\"#cause{cause}\">{cause}</a>"))
            .collect();
        let others = others.concat();
        writeln!(
            out,
            "<details open><summary>{name}</summary>\n<p>{}{cause}{others}</p>",
            escaped(&words::divergence(divergence))
        )?;
        if let Some(others) = words::others(divergence) {
            writeln!(out, "<p class=\"dim\">{}</p>", escaped(&others))?;
        }
        writeln!(out, "<p>{}</p>", escaped(&words::reconvergence(divergence)))?;
        write_rows(divergence, out)?;
        writeln!(out, "</details>")?;
    }
    writeln!(out, "</html>")
}

fn write_rows(divergence: &Divergence, out: &mut dyn Write) -> io::Result<()> {
    write!(out, "<div class=\"scroll\"><table>\n<tr><th></th>")?;
    for title in TITLES {
        write!(out, "<th>{title}</th>")?;
    }
    writeln!(out, "</tr>")?;
    for row in &divergence.rows {
        let (class, mark) = match row.side {
            None => ("", ""),
            Some(DiffSide::A) => (" class=\"a\"", "−"),
            Some(DiffSide::B) => (" class=\"b\"", "+"),
        };
        write!(out, "<tr{class}><td>{mark}</td>")?;
        for cell in &row.cells {
            write!(out, "<td>{}</td>", escaped(cell))?;
        }
        writeln!(out, "</tr>")?;
    }
    writeln!(out, "</table></div>")
}
