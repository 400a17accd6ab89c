//! The branches of a line: what its alternatives and conditions came to.

use fsmsim_harness::coverage::{CoverageKind, CoverageVerdict, CoveredLine};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct LineBranch {
    /// The block that it is of: what is decided together.
    pub(super) block: usize,
    /// The turns that took it.
    pub(super) hits: u64,
}

/// The branches of a line that a dialogue can take: each alternative, each outcome of each condition, each gate. Where a
/// line has only one, nothing branches there.
pub(super) fn branches(line: &CoveredLine<'_>) -> Vec<LineBranch> {
    let mut found = Vec::new();
    let mut blocks: Vec<(CoverageKind, u32, &str)> = Vec::new();
    for ((kind, column, name), count) in &line.items {
        let is_branch = matches!(
            kind,
            CoverageKind::Clauses | CoverageKind::Conditions | CoverageKind::Gates
        );
        if !is_branch || matches!(count.verdict(), CoverageVerdict::Unreachable(_)) {
            continue;
        }
        // `name=true` and `name=false`, `effect[1] passes` and `effect[1] stops`, `intent[1]` and `intent[2]`.
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
