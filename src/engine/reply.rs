//! Replies: what the assistant says is held against the limits of the base layer (000, section 3).

use smallvec::SmallVec;

use crate::machine::Guidance;

/// How often each limit was met so far in this visit to the state, in the order of the machine.
pub type Met = SmallVec<[u32; 2]>;

/// A limit that replies went past.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Excess {
    /// The limit, by its place among those of the machine.
    pub limit: usize,
    /// How often it was met in this visit to the state.
    pub found: u32,
}

/// Counts a reply. A state that was just entered begins at nothing.
pub(super) fn count(guidance: &Guidance, reply: &str, entered: bool, met: &mut Met) -> Vec<Excess> {
    if entered {
        met.clear();
    }
    met.resize(guidance.limits.len(), 0);
    let mut excesses = Vec::new();
    for (limit, (rule, met)) in guidance.limits.iter().zip(met.iter_mut()).enumerate() {
        let here = u32::try_from(rule.pattern.find_iter(reply).count()).unwrap_or(u32::MAX);
        *met = met.saturating_add(here);
        if *met > rule.most && here > 0 {
            excesses.push(Excess { limit, found: *met });
        }
    }
    excesses
}
