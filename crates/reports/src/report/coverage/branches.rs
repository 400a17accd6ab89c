//! The branches of a line: alternatives, conditions and gates.

use fsmsim_harness::coverage::{CoverageKind, CoveredLine};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct LineBranch {
    /// The number of the decision that the branch belongs to.
    pub block: usize,
    /// The number of turns that took the branch.
    pub hits: u64,
}

/// The reachable branches of a line: each alternative, each outcome of a condition, each gate. Empty if a line has only
/// one.
pub(super) fn branches(line: &CoveredLine<'_>) -> Vec<LineBranch> {
    let mut found = Vec::new();
    let mut blocks: Vec<(CoverageKind, u32, &str)> = Vec::new();
    for ((kind, column, name), count) in &line.items {
        let is_branch = matches!(
            kind,
            CoverageKind::Alternatives | CoverageKind::Conditions | CoverageKind::Gates
        );
        if !is_branch || !count.verdict().counts() {
            continue;
        }
        // Examples: `name=true` and `name=false`, `effect[1] passes` and `effect[1] stops`, `intent[1]` and
        // `intent[2]`.
        let stem = match kind {
            CoverageKind::Conditions => name.rsplit_once('=').map_or(*name, |(stem, _)| stem),
            CoverageKind::Gates => name.rsplit_once(' ').map_or(*name, |(stem, _)| stem),
            _ => name.rsplit_once('[').map_or(*name, |(stem, _)| stem),
        };
        let block = (*kind, *column, stem);
        let number = blocks
            .iter()
            .position(|known| *known == block)
            .unwrap_or_else(|| {
                blocks.push(block);
                blocks.len() - 1
            });
        found.push(LineBranch {
            block: number,
            hits: count.hits,
        });
    }
    if found.len() > 1 { found } else { Vec::new() }
}
