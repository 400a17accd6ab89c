//! The constraints of a model that a recorded turn is held against, each by itself. A rule judges only what the trace tells.

mod class;
mod consent;
mod continuity;
mod contract;
mod counters;
mod data;
mod finality;
mod order;
mod phase;
pub(super) mod property;
mod state;
mod told;
mod transition;

use super::check_context::CheckContext;
use super::finding::Finding;

/// A rule: looks at a turn, and tells what breaks it.
pub(super) type RuleCheck = fn(&CheckContext<'_>, &mut Vec<Finding>);

/// All rules, in the order in which their findings are told. A machine that declares more has rules of its own here.
pub(super) const RULES: [RuleCheck; 11] = [
    order::check,
    state::check,
    continuity::check,
    transition::check,
    finality::check,
    phase::check,
    class::check,
    data::check,
    counters::check,
    consent::check,
    contract::check,
];
