//! Replies: what the assistant says is held against the limits of the base layer (docs/markdown.md).

use smallvec::SmallVec;

use super::InstructionsNotes;
use super::instructions::{Instructions, ReplyLimit};

/// How often each limit was met so far in this visit to the state, in the order of the machine.
pub type LimitCounts = SmallVec<[u32; 2]>;

/// A limit that replies went past.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct LimitViolation {
    /// The limit, by its place among those of the machine.
    limit: usize,
    /// How often it was met in this visit to the state.
    found: u32,
}

/// Counts a reply. A state that was just entered begins at nothing.
pub(super) fn count(
    instructions: &Instructions,
    reply: &str,
    entered: bool,
    met: &mut LimitCounts,
) -> Vec<LimitViolation> {
    if entered {
        met.clear();
    }
    met.resize(instructions.limits.len(), 0);
    let mut limit_violations = Vec::new();
    for (limit, (rule, met)) in instructions.limits.iter().zip(met.iter_mut()).enumerate() {
        let here = u32::try_from(rule.pattern.find_iter(reply).count()).unwrap_or(u32::MAX);
        *met = met.saturating_add(here);
        if *met > rule.most && here > 0 {
            limit_violations.push(LimitViolation { limit, found: *met });
        }
    }
    limit_violations
}

impl Instructions {
    /// The limits that a reply went past, each with how often it was met in this visit to the state.
    pub fn exceeded<'a>(&'a self, notes: &'a InstructionsNotes) -> impl Iterator<Item = (&'a ReplyLimit, u32)> {
        notes.limit_violations.iter().filter_map(|excess| Some((self.limits.get(excess.limit)?, excess.found)))
    }
}
