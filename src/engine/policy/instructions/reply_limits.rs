//! Replies: what the assistant says is held against the limits of the base layer (docs/markdown.md).

use smallvec::SmallVec;

use super::InstructionsNotes;
use super::instructions::{Instructions, ReplyLimit};

/// How often each limit was met so far in this visit to the state, in the order of the machine.
pub type LimitCounts = SmallVec<[u32; 2]>;

impl Instructions {
    /// Counts the replies of a turn: the limits that they went past, by their places, each with how often it was met so far. A state that
    /// was just entered begins at nothing.
    pub(super) fn count(&self, replies: &[&str], entered: bool, met: &mut LimitCounts) -> Vec<(usize, u32)> {
        if entered {
            met.clear();
        }
        met.resize(self.limits.len(), 0);
        let mut exceeded = Vec::new();
        for (place, (limit, met)) in self.limits.iter().zip(met.iter_mut()).enumerate() {
            let here: usize = replies.iter().map(|reply| limit.pattern.find_iter(reply).count()).sum();
            let here = u32::try_from(here).unwrap_or(u32::MAX);
            *met = met.saturating_add(here);
            if *met > limit.most && here > 0 {
                exceeded.push((place, *met));
            }
        }
        exceeded
    }

    /// The limits that a reply went past, each with how often it was met in this visit to the state.
    pub fn exceeded<'a>(&'a self, notes: &'a InstructionsNotes) -> impl Iterator<Item = (&'a ReplyLimit, u32)> {
        notes.exceeded.iter().filter_map(|(place, found)| Some((self.limits.get(*place)?, *found)))
    }
}
