//! Checks the replies of the assistant against the limits of the base layer (docs/src/explanation/state-sets.md).

use smallvec::SmallVec;

use crate::engine::Instructions;
use crate::engine::policy::ReplyFault;
use crate::machine::StateId;

/// The number of occurrences for each limit in this visit to the state, in the order of the machine. Empty before the
/// first reply, because the minimums of a visit without known replies cannot be checked.
pub type LimitCounts = SmallVec<[u32; 2]>;

/// A limit that the replies during a visit to a state violate.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BrokenLimit {
    /// The index of the limit.
    place: usize,
    /// The number of occurrences in the visit.
    pub found: u32,
    /// Whether there were too few occurrences, which is known when the state is left; otherwise there were too many.
    pub too_few: bool,
}

impl Instructions {
    /// Counts the occurrences in the replies of a turn and returns the violated limits. Entering a state resets the
    /// counts; leaving one checks the minimums.
    pub(super) fn count(
        &self,
        replies: &[&str],
        (from, to): (StateId, StateId),
        met: &mut LimitCounts,
    ) -> Vec<BrokenLimit> {
        let mut broken = Vec::new();
        if from != to {
            let too_few =
                self.limits
                    .iter()
                    .zip(met.iter())
                    .enumerate()
                    .filter(|(_, (limit, met))| {
                        limit.is_for(from) && limit.min.is_some_and(|min| **met < min)
                    });
            broken.extend(too_few.map(|(place, (_, found))| BrokenLimit {
                place,
                found: *found,
                too_few: true,
            }));
            met.clear();
        }
        if replies.iter().any(|reply| !reply.trim().is_empty()) {
            met.resize(self.limits.len(), 0);
        }
        let here = self
            .limits
            .iter()
            .zip(met.iter_mut())
            .enumerate()
            .filter(|(_, (limit, _))| limit.is_for(to));
        for (place, (limit, met)) in here {
            let more: usize = replies
                .iter()
                .map(|reply| limit.pattern.find_iter(reply).count())
                .sum();
            let more = u32::try_from(more).unwrap_or(u32::MAX);
            *met = met.saturating_add(more);
            if more > 0 && limit.max.is_some_and(|max| *met > max) {
                broken.push(BrokenLimit {
                    place,
                    found: *met,
                    too_few: false,
                });
            }
        }
        broken
    }

    /// A violated limit with its name and bound.
    pub(super) fn fault(&self, broken: &BrokenLimit) -> Option<ReplyFault<'_>> {
        let limit = self.limits.get(broken.place)?;
        let bound = if broken.too_few { limit.min } else { limit.max };
        Some(ReplyFault {
            limit: &limit.name,
            found: broken.found,
            too_few: broken.too_few,
            bound: bound.unwrap_or(0),
        })
    }
}
