//! Coverage as LCOV: lines, alternatives and conditions as branches, and the parts of conditions as MC/DC.

use std::io::{self, Write};

use super::branches::branches;
use fsmsim_harness::coverage::{CoverageKind, CoverageReport, CoveredLine, LineCoverage};

/// Writes an LCOV tracefile. Unreachable lines are omitted. `shown` converts the paths of the report.
pub fn write_lcov(
    report: &CoverageReport,
    shown: &dyn Fn(&str) -> String,
    out: &mut impl Write,
) -> io::Result<()> {
    for (file, lines) in LineCoverage::of(report).files {
        let lines: Vec<_> = lines
            .iter()
            .filter(|(_, line)| !line.is_unreachable())
            .collect();
        if lines.is_empty() {
            continue;
        }
        // A line break in a file name would start a new record.
        writeln!(out, "TN:\nSF:{}", one_line(&shown(file)))?;
        let mut found = 0;
        let mut hit = 0;
        for (number, line) in &lines {
            for (branch, at) in branches(line).iter().zip(0..) {
                let taken = if line.hits() == 0 {
                    "-".to_owned()
                } else {
                    branch.hits.to_string()
                };
                writeln!(out, "BRDA:{number},{},{at},{taken}", branch.block)?;
                found += 1;
                hit += usize::from(branch.hits > 0);
            }
        }
        writeln!(out, "BRF:{found}\nBRH:{hit}")?;
        let (mut parts, mut covered_parts) = (0, 0);
        for (number, line) in &lines {
            let (found, hit) = write_parts(**number, line, out)?;
            parts += found;
            covered_parts += hit;
        }
        if parts > 0 {
            writeln!(out, "MCF:{parts}\nMCH:{covered_parts}")?;
        }
        for (number, line) in &lines {
            writeln!(out, "DA:{number},{}", line.hits())?;
        }
        let covered = lines.iter().filter(|(_, line)| line.hits() > 0).count();
        writeln!(out, "LF:{}\nLH:{covered}\nend_of_record", lines.len())?;
    }
    Ok(())
}

/// Writes the parts of the conditions on a line, and returns the numbers of counted and of covered records. Readers
/// distinguish groups of a line only by their size, so all parts of a line are one group. The two turns that cover a
/// part have both of its values. `U` marks a part that no dialogue covers.
fn write_parts(
    number: u32,
    line: &CoveredLine<'_>,
    out: &mut impl Write,
) -> io::Result<(usize, usize)> {
    let parts = line.items.iter();
    let parts: Vec<_> = parts
        .filter(|((kind, ..), _)| *kind == CoverageKind::Mcdc)
        .collect();
    let size = parts.len();
    let (mut found, mut hit) = (0, 0);
    for (at, ((_, _, name), count)) in parts.into_iter().enumerate() {
        let is_counted = count.verdict().counts();
        let mark = if is_counted { "" } else { "U" };
        let (hits, name) = (count.hits, one_line(name));
        for sense in ["t", "f"] {
            writeln!(out, "MCDC:{number},{mark}{size},{sense},{hits},{at},{name}")?;
        }
        if is_counted {
            found += 2;
            hit += 2 * usize::from(hits > 0);
        }
    }
    Ok((found, hit))
}

fn one_line(text: &str) -> String {
    text.replace(['\n', '\r'], " ")
}
