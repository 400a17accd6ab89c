//! Coverage as Cobertura XML, by its document type `coverage-04.dtd`: a package for each folder, a class for each file.

use std::collections::BTreeMap;
use std::io::{self, Write};

use super::branches::{LineBranch, branches};
use crate::report::grid::escaped;
use fsmsim_harness::coverage::{CoverageReport, CoveredLine, LineCoverage};

type Numbered<'l, 'r> = (u32, &'l CoveredLine<'r>, Vec<LineBranch>);

/// How many there are, and how many of them were covered.
#[derive(Clone, Copy, Default)]
struct Counts {
    lines: (usize, usize),
    branches: (usize, usize),
}

impl Counts {
    fn of(lines: &[Numbered<'_, '_>]) -> Self {
        let covered = lines.iter().filter(|(_, line, _)| line.hits() > 0).count();
        let all = || lines.iter().flat_map(|(_, _, branches)| branches);
        let taken = all().filter(|branch| branch.hits > 0).count();
        Self {
            lines: (covered, lines.len()),
            branches: (taken, all().count()),
        }
    }

    fn add(&mut self, other: Self) {
        for (sum, more) in [
            (&mut self.lines, other.lines),
            (&mut self.branches, other.branches),
        ] {
            *sum = (sum.0 + more.0, sum.1 + more.1);
        }
    }

    /// The attributes of whatever has these.
    fn rates(self) -> String {
        format!(
            "line-rate=\"{}\" branch-rate=\"{}\"",
            rate(self.lines),
            rate(self.branches)
        )
    }
}

/// A share from 0 to 1.
fn rate((covered, all): (usize, usize)) -> String {
    #[expect(clippy::cast_precision_loss, reason = "counts are small numbers")]
    let rate = if all == 0 {
        1.0
    } else {
        covered as f64 / all as f64
    };
    format!("{rate:.4}")
}

/// Writes Cobertura XML. Lines to which no dialogue can come are left out. There is no time in it: reports of the same
/// scenarios are the same.
pub fn write_cobertura(report: &CoverageReport, out: &mut impl Write) -> io::Result<()> {
    let coverage = LineCoverage::of(report);
    let mut packages: BTreeMap<&str, BTreeMap<&str, Vec<Numbered<'_, '_>>>> = BTreeMap::new();
    for (file, lines) in &coverage.files {
        let can = lines.iter().filter(|(_, line)| !line.is_unreachable());
        let lines: Vec<Numbered<'_, '_>> = can
            .map(|(number, line)| (*number, line, branches(line)))
            .collect();
        if !lines.is_empty() {
            let folder = file.rsplit_once('/').map_or(".", |(folder, _)| folder);
            packages.entry(folder).or_default().insert(file, lines);
        }
    }
    let mut all = Counts::default();
    packages
        .values()
        .flat_map(BTreeMap::values)
        .for_each(|lines| all.add(Counts::of(lines)));
    let ((covered, lines), (taken, branches)) = (all.lines, all.branches);
    writeln!(
        out,
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n\
         <!DOCTYPE coverage SYSTEM \"http://cobertura.sourceforge.net/xml/coverage-04.dtd\">\n\
         <coverage {} lines-covered=\"{covered}\" lines-valid=\"{lines}\" branches-covered=\"{taken}\" \
         branches-valid=\"{branches}\" complexity=\"0\" version=\"{}\" timestamp=\"0\">\n\
         <sources><source>.</source></sources>\n<packages>",
        all.rates(),
        env!("CARGO_PKG_VERSION"),
    )?;
    for (folder, files) in &packages {
        let mut inside = Counts::default();
        for lines in files.values() {
            inside.add(Counts::of(lines));
        }
        let (name, rates) = (escaped(folder), inside.rates());
        writeln!(
            out,
            "<package name=\"{name}\" {rates} complexity=\"0\">\n<classes>"
        )?;
        for (file, lines) in files {
            let (path, rates) = (escaped(file), Counts::of(lines).rates());
            writeln!(
                out,
                "<class name=\"{path}\" filename=\"{path}\" {rates} complexity=\"0\">"
            )?;
            writeln!(out, "<methods/>\n<lines>")?;
            lines.iter().try_for_each(|line| write_line(line, out))?;
            writeln!(out, "</lines>\n</class>")?;
        }
        writeln!(out, "</classes>\n</package>")?;
    }
    writeln!(out, "</packages>\n</coverage>")
}

fn write_line((number, line, branches): &Numbered<'_, '_>, out: &mut impl Write) -> io::Result<()> {
    let hits = line.hits();
    if branches.is_empty() {
        return writeln!(
            out,
            "<line number=\"{number}\" hits=\"{hits}\" branch=\"false\"/>"
        );
    }
    let share = |branches: &[&LineBranch]| {
        let taken = branches.iter().filter(|branch| branch.hits > 0).count();
        (
            taken,
            branches.len(),
            (taken * 100).checked_div(branches.len()).unwrap_or(100),
        )
    };
    let (taken, all, percent) = share(&branches.iter().collect::<Vec<_>>());
    writeln!(
        out,
        "<line number=\"{number}\" hits=\"{hits}\" branch=\"true\" condition-coverage=\"{percent}% ({taken}/{all})\">\n<conditions>"
    )?;
    let blocks = branches
        .iter()
        .map(|branch| branch.block)
        .max()
        .unwrap_or(0);
    for block in 0..=blocks {
        let inside: Vec<&LineBranch> = branches
            .iter()
            .filter(|branch| branch.block == block)
            .collect();
        let (.., percent) = share(&inside);
        writeln!(
            out,
            "<condition number=\"{block}\" type=\"jump\" coverage=\"{percent}%\"/>"
        )?;
    }
    writeln!(out, "</conditions>\n</line>")
}
