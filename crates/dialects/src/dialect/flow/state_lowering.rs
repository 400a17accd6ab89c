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
    pub name: &'a str,
    pub span: Span,
    pub resolved: Rc<Resolved<'a>>,
    pub parameters: Parameters<'a>,
}

/// The context for lowering states.
#[expect(
    clippy::struct_excessive_bools,
    reason = "each is a separate property of the flow"
)]
pub(super) struct StateLowering<'a, 'b> {
    /// The current state.
    pub draft: &'b FlowDraft<'a>,
    pub builder: &'b mut MachineBuilder,
    pub conditions: &'b mut Conditions<'a>,
    pub issues: &'b mut Issues<'a>,
    pub found: &'b mut Diagnostics,
    pub switches: Switches,
    /// Whether the flow has the sales policy.
    pub is_sales: bool,
    /// Whether unknown targets become stubs.
    pub with_stubs: bool,
    /// Whether an unknown target is an error, depending on the profile and the layout of the flow.
    pub targets_must_exist: bool,
    /// Whether the flow has states that start branches. Only then can a target end a branch.
    pub has_forks: bool,
    /// The default number of turns in a state after which options are offered.
    pub phase_exhaust: i64,
    /// The states that are control nodes.
    pub sites: Vec<NodeSite<'a>>,
    pub compiled: FxHashMap<Box<str>, ConditionId>,
    pub origins: FxHashMap<(&'a str, Option<&'a str>), OriginId>,
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
    pub state: StateId,
    pub name: &'a str,
    pub span: Span,
    /// The branches that the node starts or waits for.
    pub branches: Vec<(BranchId, Span)>,
}

impl NodeSite<'_> {
    /// The location of a branch name.
    pub(super) fn span_of(&self, branch: BranchId) -> Span {
        self.branches
            .iter()
            .find(|(id, _)| *id == branch)
            .map_or(self.span, |(_, span)| *span)
    }
}
