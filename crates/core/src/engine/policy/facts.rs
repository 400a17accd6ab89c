//! What front ends ask of a policy, whichever it is.

use super::deciding_texts::DecidingTexts;
use super::foreign_turn::{ForeignTurn, PolicyBreach};
use super::guidance::Guidance;
use super::inquiry::Inquiry;
use super::policy_item::{ItemMark, PolicyItem};
use super::policy_lead::PolicyLead;
use super::policy_way::PolicyWay;
use super::state_worker::StateWorker;
use super::turn_row::{OfferedClass, ReplyFault, TurnRow};
use crate::engine::Machine;
use crate::engine::io::DisambiguationRules;
use crate::engine::record_view::RecordView;
use crate::engine::session::{Session, Settings};
use crate::machine::{ConditionId, IntentId, SchemaError, SlotId, StateId, Value};
use fsmsim_syntax::diagnostic::Diagnostic;

/// What a turn may have, beside what every machine takes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[expect(
    clippy::struct_excessive_bools,
    reason = "each policy may have any of them"
)]
pub struct TurnInputs {
    /// The turn leads the dialogue itself (`goto`, `call`, `consent`), or somebody does who answers what is said; it
    /// names no intent.
    pub navigation: bool,
    /// A turn may say what a backend came to.
    pub outcome: bool,
    /// The policy itself reads some of what is said.
    pub words: bool,
    /// Turns have classes of a registry.
    pub classes: bool,
    /// Frames are filled from whatever data a turn brings.
    pub frames: bool,
    /// What the policy does not take does nothing: states need not lead anywhere.
    pub is_whole: bool,
    /// Turns are the work of somebody outside on a task.
    pub tasks: bool,
    /// What is meant where nothing that is offered fits.
    pub unclear: Option<IntentId>,
}

impl TurnInputs {
    /// What the turns of two policies may have.
    pub(super) fn or(self, other: Self) -> Self {
        Self {
            navigation: self.navigation || other.navigation,
            outcome: self.outcome || other.outcome,
            words: self.words || other.words,
            classes: self.classes || other.classes,
            frames: self.frames || other.frames,
            is_whole: self.is_whole || other.is_whole,
            tasks: self.tasks || other.tasks,
            unclear: self.unclear.or(other.unclear),
        }
    }
}

/// What front ends ask of a policy. No turn asks, so it costs a turn nothing. What a policy leaves out it does not have.
#[expect(
    unused_variables,
    reason = "a policy that leaves something out looks at nothing"
)]
pub trait PolicyFacts {
    /// What a turn may have, and what else is peculiar to its dialogues.
    fn inputs(&self) -> TurnInputs {
        TurnInputs::default()
    }

    /// The states to which it may lead a dialogue from a state.
    fn leads_from(&self, machine: &Machine, id: StateId) -> Vec<PolicyWay> {
        Vec::new()
    }

    /// The states to which it may lead a dialogue from anywhere.
    fn leads_anywhere(&self, machine: &Machine) -> Vec<StateId> {
        Vec::new()
    }

    /// All that may stand as the class of a turn by its registry.
    fn registered_classes(&self) -> Vec<&str> {
        Vec::new()
    }

    /// How else it leads a dialogue from a state.
    fn lead(&self, machine: &Machine, settings: &Settings, id: StateId) -> PolicyLead {
        PolicyLead::default()
    }

    /// What guides an assistant.
    fn guidance(&self) -> Option<&Guidance> {
        None
    }

    /// What is to be found out.
    fn inquiry(&self) -> Option<&Inquiry> {
        None
    }

    /// Who works in a state.
    fn worker(&self, id: StateId) -> Option<&StateWorker> {
        None
    }

    /// Whether a verdict may rest on the success of a capability.
    fn is_test(&self, capability: &str) -> bool {
        false
    }

    /// When readings are asked about.
    fn disambiguation(&self) -> Option<&DisambiguationRules> {
        None
    }

    /// Whether it does something with an intent by itself.
    fn knows_intent(&self, id: IntentId) -> bool {
        false
    }

    /// Finds what is probably not meant. With `permissive`, undeclared moves are fine.
    fn lint(&self, machine: &Machine, permissive: bool, found: &mut Vec<Diagnostic>) {}

    /// What of it turns can cover.
    fn coverage_items(&self, machine: &Machine) -> Vec<PolicyItem> {
        Vec::new()
    }

    /// What of it a turn covered.
    fn covered(&self, line: &RecordView<'_>) -> Vec<ItemMark> {
        Vec::new()
    }

    /// How its conditions are called that have no name.
    fn condition_names(&self, machine: &Machine) -> Vec<(ConditionId, String)> {
        Vec::new()
    }

    /// What of its text decided a turn of a class: one in which the backend came to something, and that differs from another
    /// one in some data.
    fn deciding_texts(
        &self,
        machine: &Machine,
        class: &str,
        outcome: Option<&str>,
        slot: Option<SlotId>,
    ) -> Option<DecidingTexts> {
        None
    }

    /// What a turn of a class did against it that somebody else played; of the class alone, where no more is known.
    fn breaches(&self, class: Option<&str>, turn: Option<&ForeignTurn<'_>>) -> Vec<PolicyBreach> {
        Vec::new()
    }

    /// What it says of a turn to people.
    fn rows(&self, line: &RecordView<'_>) -> Vec<TurnRow> {
        Vec::new()
    }

    /// The limits that the replies of a turn do not keep to.
    fn reply_faults(&self, line: &RecordView<'_>) -> Vec<ReplyFault<'_>> {
        Vec::new()
    }

    /// The classes that may take the next turn.
    fn offered_classes<'m>(
        &'m self,
        machine: &'m Machine,
        settings: &Settings,
        session: &Session,
    ) -> Vec<OfferedClass<'m>> {
        Vec::new()
    }

    /// The state of a task as it is handed on, or why it breaks its schema.
    fn hand_over(
        &self,
        machine: &Machine,
        session: &Session,
    ) -> Option<Result<Value, SchemaError>> {
        None
    }
}
