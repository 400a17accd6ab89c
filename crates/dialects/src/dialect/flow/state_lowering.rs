//! The context for lowering a state.

use std::rc::Rc;

use rustc_hash::FxHashMap;

use super::inherit::Resolved;
use super::issues::Issues;
use super::placeholder::Parameters;
use crate::dialect::condition::Conditions;
use fsmsim_core::machine::{BranchId, ConditionId, MachineBuilder, OriginId, StateId, Switches};
use fsmsim_syntax::diagnostic::{Diagnostic, Diagnostics, Span};

/// A state to lower.
pub(super) struct FlowDraft<'a> {
    pub(super) name: &'a str,
    pub(super) span: Span,
    pub(super) resolved: Rc<Resolved<'a>>,
    pub(super) parameters: Parameters<'a>,
}

/// The context for lowering states.
pub(super) struct StateLowering<'a, 'b> {
    /// The current state.
    pub(super) draft: &'b FlowDraft<'a>,
    pub(super) builder: &'b mut MachineBuilder,
    pub(super) conditions: &'b mut Conditions<'a>,
    pub(super) issues: &'b mut Issues<'a>,
    pub(super) found: &'b mut Diagnostics,
    pub(super) switches: Switches,
    /// Whether an unknown target is an error, depending on the profile and the layout of the flow.
    pub(super) targets_must_exist: bool,
    /// Whether the flow has states that start branches. If so, targets can end a branch.
    pub(super) has_forks: bool,
    /// The default number of turns in a state after which options are offered.
    pub(super) phase_exhaust: i64,
    /// The states that are control nodes.
    pub(super) sites: Vec<NodeSite<'a>>,
    pub(super) compiled: FxHashMap<Box<str>, ConditionId>,
    pub(super) origins: FxHashMap<(&'a str, Option<&'a str>), OriginId>,
}

impl StateLowering<'_, '_> {
    /// Adds a finding about the current state.
    pub(super) fn issue(&mut self, finding: Diagnostic) {
        self.issues.add(finding, self.draft.name);
    }
}

/// The targets that end a branch.
pub(super) const BRANCH_ENDS: [&str; 2] = ["_branch_complete", "_complete"];

/// The source locations of a control node, for findings about the graph.
pub(super) struct NodeSite<'a> {
    pub(super) state: StateId,
    pub(super) name: &'a str,
    pub(super) span: Span,
    /// The branches that it starts or expects.
    pub(super) branches: Vec<(BranchId, Span)>,
}

impl NodeSite<'_> {
    /// The location of the name of a branch.
    pub(super) fn span_of(&self, branch: BranchId) -> Span {
        let mut branches = self.branches.iter();
        let named = branches.find(|(id, _)| *id == branch);
        named.map_or(self.span, |(_, span)| *span)
    }
}
