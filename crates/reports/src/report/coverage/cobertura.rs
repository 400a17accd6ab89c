//! Coverage as Cobertura XML, by its document type `coverage-04.dtd`: a package for each folder, a class for each file.

use std::collections::BTreeMap;
use std::io::{self, Write};

use minijinja::{Value, context};

use super::branches::{LineBranch, branches};
use crate::report::template::rendered;
use fsmsim_harness::coverage::{CoverageReport, CoveredLine, LineCoverage, Share};

/// How many there are, and how many of them were covered.
#[derive(Clone, Copy, Default)]
struct Counts {
    lines: Share,
    branches: Share,
}

impl Counts {
    fn add(&mut self, other: Self) {
        for (sum, more) in [
            (&mut self.lines, other.lines),
            (&mut self.branches, other.branches),
        ] {
            sum.covered += more.covered;
            sum.all += more.all;
        }
    }

    /// Counts a line, which is shown like this.
    fn line(&mut self, number: u32, line: &CoveredLine<'_>) -> Value {
        self.lines.count(line.hits() > 0);
        let (mut whole, mut blocks) = (Share::default(), Vec::new());
        for LineBranch { block, hits } in branches(line) {
            whole.count(hits > 0);
            // Blocks are numbered in the order in which they come.
            if block == blocks.len() {
                blocks.push(Share::default());
            }
            if let Some(inside) = blocks.get_mut(block) {
                inside.count(hits > 0);
            }
        }
        self.branches.covered += whole.covered;
        self.branches.all += whole.all;
        context! {
            number,
            hits => line.hits(),
            percent => whole.percent(),
            covered => whole.covered,
            all => whole.all,
            conditions => blocks.into_iter().map(Share::percent).collect::<Vec<_>>(),
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
fn rate(Share { covered, all }: Share) -> String {
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
    let mut whole = Counts::default();
    let mut packages: BTreeMap<&str, (Counts, Vec<Value>)> = BTreeMap::new();
    for (path, lines) in LineCoverage::of(report).files {
        let mut counts = Counts::default();
        let lines: Vec<Value> = lines
            .iter()
            .filter(|(_, line)| !line.is_unreachable())
            .map(|(number, line)| counts.line(*number, line))
            .collect();
        if lines.is_empty() {
            continue;
        }
        let folder = path.rsplit_once('/').map_or(".", |(folder, _)| folder);
        let (inside, classes) = packages.entry(folder).or_default();
        inside.add(counts);
        whole.add(counts);
        classes.push(context! { path, rates => counts.rates(), lines });
    }
    let packages = packages.into_iter().map(|(name, (counts, classes))| {
        context! { name, rates => counts.rates(), classes }
    });
    let content = context! {
        rates => whole.rates(),
        lines => [whole.lines.covered, whole.lines.all],
        branches => [whole.branches.covered, whole.branches.all],
        version => env!("CARGO_PKG_VERSION"),
        packages => packages.collect::<Vec<_>>(),
    };
    out.write_all(rendered(include_str!("cobertura.xml"), content)?.as_bytes())
}
