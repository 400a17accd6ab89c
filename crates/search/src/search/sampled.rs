//! A search that expands only some states, so that it gets deeper than a complete search with the same bound.

use rustc_hash::FxHashMap;

use super::bounds::{Bounds, Watch};
use super::searched_model::SearchedModel;
use super::space::{Pursuit, Space};
use crate::limits::{MAX_SAMPLED, MAX_SAMPLED_DEPTH};
use fsmsim_core::engine::Session;
use fsmsim_core::machine::StateId;
use fsmsim_syntax::threads::Threads;

/// Counts the states that could be expanded. Slots can multiply the states of one turn by thousands, but few values decide
/// how a dialogue goes on.
#[derive(Default)]
struct Sample {
    /// By position, and by the observation of the turn that first reached the state.
    seen: FxHashMap<(StateId, u32), usize>,
    /// By position and depth, so that counters get different values.
    deep: FxHashMap<(StateId, u32), usize>,
}

impl Pursuit for Sample {
    fn enters(
        &mut self,
        searched: &SearchedModel<'_>,
        space: &Space,
        state: u32,
        depth: u32,
    ) -> bool {
        let place = space.places.get(state as usize).copied();
        let place = place.unwrap_or(searched.machine.initial);
        let seen = self
            .seen
            .entry((place, space.reached_by(state)))
            .or_default();
        let deep = self.deep.entry((place, depth)).or_default();
        *seen += 1;
        *deep += 1;
        *seen <= MAX_SAMPLED || *deep <= MAX_SAMPLED && depth <= MAX_SAMPLED_DEPTH
    }

    fn ends(&mut self, _: &Space, _: u32) -> bool {
        false
    }
}

impl Space {
    /// Visits some states from the start of a dialogue, breadth first. Only the first states with the same position and
    /// observation, or with the same position and depth, are expanded.
    pub fn sample(
        searched: &mut SearchedModel<'_>,
        bounds: &Bounds,
        threads: &Threads,
        watch: &mut Watch<'_>,
    ) -> Self {
        let start = Session::new(searched.machine);
        let mut sample = Sample::default();
        Self::search_from(searched, start, Some(&mut sample), bounds, threads, watch)
    }
}
