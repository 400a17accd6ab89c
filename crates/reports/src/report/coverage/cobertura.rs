//! Coverage as Cobertura XML (document type `coverage-04.dtd`): a package per folder, a class per file.

use std::collections::BTreeMap;
use std::io::{self, Write};

use minijinja::{Value, context};

use super::branches::{LineBranch, branches};
use crate::report::template::rendered;
use fsmsim_harness::coverage::{CoverageReport, CoveredLine, LineCoverage, Share};

/// The numbers of covered items and of all items.
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

    /// Counts a line, and returns its template values.
    fn line(&mut self, number: u32, line: &CoveredLine<'_>) -> Value {
        self.lines.count(line.hits() > 0);
        let mut total = Share::default();
        let mut blocks = Vec::new();
        for LineBranch { block, hits } in branches(line) {
            total.count(hits > 0);
            // Blocks are numbered in order of appearance.
            if block == blocks.len() {
                blocks.push(Share::default());
            }
            if let Some(inside) = blocks.get_mut(block) {
                inside.count(hits > 0);
            }
        }
        self.branches.covered += total.covered;
        self.branches.all += total.all;
        context! {
            number,
            hits => line.hits(),
            percent => total.percent(),
            covered => total.covered,
            all => total.all,
            conditions => blocks.into_iter().map(Share::percent).collect::<Vec<_>>(),
        }
    }

    /// The attributes with the coverage rates.
    fn rates(self) -> String {
        format!(
            "line-rate=\"{}\" branch-rate=\"{}\"",
            rate(self.lines),
            rate(self.branches)
        )
    }
}

/// A proportion from 0 to 1.
fn rate(Share { covered, all }: Share) -> String {
    #[expect(clippy::cast_precision_loss, reason = "counts are small numbers")]
    let rate = if all == 0 {
        1.0
    } else {
        covered as f64 / all as f64
    };
    format!("{rate:.4}")
}

/// Writes Cobertura XML. Unreachable lines are omitted. There is no timestamp, so that equal results produce equal
/// reports. `shown` converts the paths of the report.
pub fn write_cobertura(
    report: &CoverageReport,
    shown: &dyn Fn(&str) -> String,
    out: &mut impl Write,
) -> io::Result<()> {
    let mut total = Counts::default();
    let mut packages: BTreeMap<String, (Counts, Vec<Value>)> = BTreeMap::new();
    for (path, lines) in LineCoverage::of(report).files {
        let path = shown(path);
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
        let (inside, classes) = packages.entry(folder.to_owned()).or_default();
        inside.add(counts);
        total.add(counts);
        classes.push(context! { path, rates => counts.rates(), lines });
    }
    let packages = packages.into_iter().map(|(name, (counts, classes))| {
        context! { name, rates => counts.rates(), classes }
    });
    let content = context! {
        rates => total.rates(),
        lines => [total.lines.covered, total.lines.all],
        branches => [total.branches.covered, total.branches.all],
        version => env!("CARGO_PKG_VERSION"),
        packages => packages.collect::<Value>(),
    };
    out.write_all(rendered(include_str!("cobertura.xml"), content)?.as_bytes())
}
