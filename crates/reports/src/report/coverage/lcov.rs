//! Coverage as LCOV: lines, and alternatives and conditions as branches.

use std::io::{self, Write};

use super::branches::branches;
use fsmsim_harness::coverage::{CoverageReport, LineCoverage};

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
        writeln!(out, "TN:\nSF:{}", shown(file).replace(['\n', '\r'], " "))?;
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
        for (number, line) in &lines {
            writeln!(out, "DA:{number},{}", line.hits())?;
        }
        let covered = lines.iter().filter(|(_, line)| line.hits() > 0).count();
        writeln!(out, "LF:{}\nLH:{covered}\nend_of_record", lines.len())?;
    }
    Ok(())
}
