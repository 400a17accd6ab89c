//! The facts about a policy that front ends need, independent of which policy it is.

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

/// The inputs that a policy adds to those of every machine.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[expect(
    clippy::struct_excessive_bools,
    reason = "each policy may have any of them"
)]
pub struct TurnInputs {
    /// A turn navigates (`goto`, `call`, `consent`), or an assistant does so in answer to an utterance. It has no intent.
    pub navigation: bool,
    /// A turn can contain the outcome of a back end.
    pub outcome: bool,
    /// The policy recognizes some utterances itself.
    pub words: bool,
    /// Turns have a contract class.
    pub classes: bool,
    /// Any data of a turn can fill frames.
    pub frames: bool,
    /// Inputs that the policy does not accept have no effect, so states need no outgoing transitions.
    pub is_whole: bool,
    /// Turns are the work of an external worker on a task.
    pub tasks: bool,
    /// The intent of utterances that match none of the offered intents.
    pub unclear: Option<IntentId>,
}

impl TurnInputs {
    /// The inputs of two policies together.
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

/// The facts about a policy that front ends need. The stages of a turn call none of them, so they cost a turn nothing. The
/// defaults describe a policy without the fact.
#[expect(unused_variables, reason = "the defaults use no argument")]
pub trait PolicyFacts {
    /// The inputs that it adds.
    fn inputs(&self) -> TurnInputs {
        TurnInputs::default()
    }

    /// The transitions that it can take from a state, in addition to those of the state.
    fn leads_from(&self, machine: &Machine, id: StateId) -> Vec<PolicyWay> {
        Vec::new()
    }

    /// The states that it can enter from any state.
    fn leads_anywhere(&self, machine: &Machine) -> Vec<StateId> {
        Vec::new()
    }

    /// All values of `contract_class`.
    fn registered_classes(&self) -> Vec<&str> {
        Vec::new()
    }

    /// How it moves a dialogue from a state without a transition.
    fn lead(&self, machine: &Machine, settings: &Settings, id: StateId) -> PolicyLead {
        PolicyLead::default()
    }

    /// The instructions for an assistant.
    fn guidance(&self) -> Option<&Guidance> {
        None
    }

    /// The points of an interview.
    fn inquiry(&self) -> Option<&Inquiry> {
        None
    }

    fn worker(&self, id: StateId) -> Option<&StateWorker> {
        None
    }

    /// Whether the success of a capability can justify a verdict.
    fn is_test(&self, capability: &str) -> bool {
        false
    }

    /// When an interpretation needs a clarification.
    fn disambiguation(&self) -> Option<&DisambiguationRules> {
        None
    }

    /// Whether it handles an intent without a rule.
    fn knows_intent(&self, id: IntentId) -> bool {
        false
    }

    /// Adds findings about likely mistakes. With `permissive`, undeclared moves are allowed.
    fn lint(&self, machine: &Machine, permissive: bool, found: &mut Vec<Diagnostic>) {}

    /// The items that turns can cover.
    fn coverage_items(&self, machine: &Machine) -> Vec<PolicyItem> {
        Vec::new()
    }

    /// The items that a turn covered.
    fn covered(&self, line: &RecordView<'_>) -> Vec<ItemMark> {
        Vec::new()
    }

    /// Names for its unnamed conditions.
    fn condition_names(&self, machine: &Machine) -> Vec<(ConditionId, String)> {
        Vec::new()
    }

    /// The parts of its definition that decided a turn of a class, given the outcome of the back end and a slot in which the
    /// turn differs from another turn.
    fn deciding_texts(
        &self,
        machine: &Machine,
        class: &str,
        outcome: Option<&str>,
        slot: Option<SlotId>,
    ) -> Option<DecidingTexts> {
        None
    }

    /// The violations of a turn that another system ran. Without `turn`, only the class is checked.
    fn breaches(&self, class: Option<&str>, turn: Option<&ForeignTurn<'_>>) -> Vec<PolicyBreach> {
        Vec::new()
    }

    /// Its lines in a human-readable report of a turn.
    fn rows(&self, line: &RecordView<'_>) -> Vec<TurnRow> {
        Vec::new()
    }

    /// The limits that the replies of a turn exceed.
    fn reply_faults(&self, line: &RecordView<'_>) -> Vec<ReplyFault<'_>> {
        Vec::new()
    }

    /// The classes that the next turn can have.
    fn offered_classes<'m>(
        &'m self,
        machine: &'m Machine,
        settings: &Settings,
        session: &Session,
    ) -> Vec<OfferedClass<'m>> {
        Vec::new()
    }

    /// The state of a task for the next worker, or the error if it violates its schema.
    fn hand_over(
        &self,
        machine: &Machine,
        session: &Session,
    ) -> Option<Result<Value, SchemaError>> {
        None
    }
}
