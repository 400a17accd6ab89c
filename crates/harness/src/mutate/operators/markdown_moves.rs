//! Edits of the transitions and states in Markdown.

use std::ops::Range;
use std::path::Path;

use super::mutation_names::next_name;
use super::operator_walk::OperatorWalk;
use crate::coverage::CoverageKind;
use crate::mutate::mutant::MutationOperator;
use fsmsim_core::engine::Machine;

/// A cell without a target state.
const NO_TARGET: &str = "—";

/// Drops and redirects the transitions that are written in a file.
pub(super) fn add_moves(machine: &Machine, path: &Path, walk: &mut OperatorWalk<'_>) {
    let moves = machine
        .declared_states()
        .flat_map(|(state, _)| machine.moves(state));
    let written: Vec<(Range<usize>, &str)> = moves
        .map(|declared| {
            let target = machine.names.states.name(declared.target);
            (machine.rules[declared.rule].span, target)
        })
        .filter(|(span, _)| Path::new(machine.files.path(span.file)) == path)
        .map(|(span, target)| (span.start as usize..span.end as usize, target))
        .collect();
    let source = walk.source;
    let kind = CoverageKind::Transitions;
    for (range, target) in &written {
        let line = source.line_start(range.start)..source.line_end(range.start);
        if range.end > line.end {
            continue;
        }
        // The other transitions of the line stay.
        let is_shared = written
            .iter()
            .any(|(other, _)| other != range && line.contains(&other.start));
        let without = if is_shared {
            (range.clone(), NO_TARGET.to_owned())
        } else {
            source.without_lines(range.start, range.end)
        };
        walk.push(MutationOperator::DropTransition, kind, Some(without));
        let at = source
            .0
            .get(range.clone())
            .and_then(|text| text.find(target));
        let next = next_name(&walk.names.states, target);
        let redirected = at.zip(next).map(|(at, next)| {
            let start = range.start + at;
            (start..start + target.len(), next.to_owned())
        });
        walk.push(MutationOperator::RedirectTransition, kind, redirected);
    }
}

/// Makes the state of a file without front matter final.
pub(super) fn add_final(walk: &mut OperatorWalk<'_>) {
    let front = "---\nfinal: true\n---\n".to_owned();
    walk.push(
        MutationOperator::AddFinal,
        CoverageKind::States,
        Some((0..0, front)),
    );
}
