//! The start of a flow in parallel regions.
//!
//! The initial state of a flow is a place, so a flow cannot start in the regions. A place before them handles the first
//! intent: it leads to a copy of the parallel state in which the region of the intent has already handled it.

use indexmap::IndexMap;

use super::flow_plan::{FlowPlan, StatePlan, StateShape, TransitionPlan};
use super::names::GivenNames;
use crate::limits::MAX_REGION_INTENTS;

/// The transitions of the place before the state `first`. Adds the copies of a parallel state to the flow.
pub(super) fn first_moves(
    plan: &mut FlowPlan,
    first: &str,
    given: &mut GivenNames,
) -> IndexMap<String, Vec<TransitionPlan>> {
    let mut moves = IndexMap::new();
    let mut copies = Vec::new();
    let shape = plan.states.get(first).map(|state| &state.shape);
    if let Some(StateShape::Parallel { regions, join_at }) = shape {
        for (number, region) in regions.iter().enumerate() {
            let place = plan.states.get(&region.initial);
            let place = place.filter(|_| region.handles.len() <= MAX_REGION_INTENTS);
            for (intent, ways) in place.into_iter().flat_map(|place| &place.moves) {
                if intent == "any" || moves.contains_key(intent) {
                    continue;
                }
                let mut ways = ways.clone();
                for way in &mut ways {
                    if !plan
                        .states
                        .get(&way.then)
                        .is_some_and(|state| state.is_final)
                    {
                        let copy = given.give(&format!("{first}_{intent}"));
                        let mut regions = regions.clone();
                        if let Some(region) = regions.get_mut(number) {
                            region.initial = std::mem::replace(&mut way.then, copy.clone());
                        }
                        let join_at = join_at.clone();
                        copies.push((copy, StateShape::Parallel { regions, join_at }));
                    }
                }
                if ways.iter().all(|way| !way.when.is_empty()) {
                    ways.push(TransitionPlan::to(first));
                }
                moves.insert(intent.clone(), ways);
            }
        }
    }
    for (name, shape) in copies {
        let state = StatePlan {
            shape,
            ..StatePlan::default()
        };
        plan.states.insert(name, state);
    }
    moves.insert("any".to_owned(), vec![TransitionPlan::to(first)]);
    moves
}
