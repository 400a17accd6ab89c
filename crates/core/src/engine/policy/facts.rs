//! The facts about policies that front ends need. They make front ends independent of specific policies.

use std::sync::Arc;

use super::{Guidance, Inquiry};
use crate::engine::{
    DisambiguationRules, Input, Machine, RecordView, Session, Settings, SourceKind,
};
use crate::machine::{
    ConditionId, EffectId, IntentId, OutcomeId, RuleId, SchemaError, SlotId, StateId, Value,
};
use fsmsim_syntax::diagnostic::{Diagnostic, Span};

/// The inputs that a policy adds to those of every machine.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[expect(
    clippy::struct_excessive_bools,
    reason = "a policy can have any combination of them"
)]
pub struct TurnInputs {
    /// A turn can navigate (`goto`, `call`, `consent`), or an assistant navigates in answer to an utterance. Such turns
    /// have no intent.
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
    /// Missing states of a model under construction can become stubs.
    pub stubs: bool,
    /// The intent of utterances that match none of the offered intents.
    pub unclear: Option<IntentId>,
}

impl TurnInputs {
    /// The combined inputs of two policies.
    pub(super) fn or(self, other: Self) -> Self {
        Self {
            navigation: self.navigation || other.navigation,
            outcome: self.outcome || other.outcome,
            words: self.words || other.words,
            classes: self.classes || other.classes,
            frames: self.frames || other.frames,
            is_whole: self.is_whole || other.is_whole,
            tasks: self.tasks || other.tasks,
            stubs: self.stubs || other.stubs,
            unclear: self.unclear.or(other.unclear),
        }
    }
}

/// The facts about a policy that front ends need. The stages of a turn do not call them, so they do not slow down
/// turns. The defaults describe a policy without the fact.
#[expect(unused_variables, reason = "the defaults use no argument")]
pub trait PolicyFacts {
    /// The inputs that the policy adds.
    fn inputs(&self) -> TurnInputs {
        TurnInputs::default()
    }

    /// The transitions that the policy can take from a state, in addition to those of the state.
    fn leads_from(&self, machine: &Machine, id: StateId) -> Vec<PolicyTransition> {
        Vec::new()
    }

    /// The states that the policy can enter from any state.
    fn leads_anywhere(&self, machine: &Machine) -> Vec<StateId> {
        Vec::new()
    }

    /// All values of `contract_class`.
    fn registered_classes(&self) -> Vec<&str> {
        Vec::new()
    }

    /// How the policy moves a dialogue from a state without a transition.
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

    /// The rules for clarifying an interpretation.
    fn disambiguation(&self) -> Option<&DisambiguationRules> {
        None
    }

    /// Whether the policy handles an intent that has no rule.
    fn knows_intent(&self, id: IntentId) -> bool {
        false
    }

    /// Whether the policy treats two intents alike.
    fn is_like(&self, one: IntentId, other: IntentId) -> bool {
        true
    }

    /// The outcomes that the policy handles for an effect that it executes.
    fn outcomes(&self, effect: EffectId) -> Vec<OutcomeId> {
        Vec::new()
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

    /// Names for unnamed conditions of the policy.
    fn condition_names(&self, machine: &Machine) -> Vec<(ConditionId, String)> {
        Vec::new()
    }

    /// The violations of a turn that another system ran. Without `turn`, only the class is checked.
    fn breaches(&self, class: Option<&str>, turn: Option<&ForeignTurn<'_>>) -> Vec<PolicyBreach> {
        Vec::new()
    }

    /// The lines of the policy in a human-readable report of a turn.
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

/// The known parts of a turn that another system ran.
#[derive(Clone, Copy)]
pub struct ForeignTurn<'a> {
    pub machine: &'a Machine,
    /// The settings of the dialogue.
    pub settings: &'a Settings,
    pub before: &'a Session,
    pub after: &'a Session,
    pub input: &'a Input,
    /// The outcome of the back end, if it was called and the trace contains it.
    pub outcome: Option<&'a str>,
    /// The result of the back end, if the trace contains it.
    pub given: Option<&'a Value>,
    /// Whether the input is known.
    pub is_read: bool,
    /// Whether all data is known, not only frames.
    pub tells_data: bool,
    /// The number of the turn in the dialogue, if it is known.
    pub number: Option<u32>,
}

/// A violation of a policy by a turn.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PolicyBreach {
    /// The name of the violated rule in reports.
    pub rule: &'static str,
    /// The location of the rule in the definition.
    pub place: Option<RuleId>,
    /// A description of what the turn did.
    pub found: String,
    /// A description of what is permitted.
    pub declared: String,
}

/// A part of a policy that turns can cover.
#[derive(Clone, Debug)]
pub struct PolicyItem {
    /// The name of the kind in coverage reports: `classes`, `points`, `intents`.
    pub kind: &'static str,
    /// The name in reports.
    pub name: String,
    /// The location in the definition.
    pub span: Option<Span>,
    /// The event that covers the part.
    pub mark: ItemMark,
}

/// The event with which a turn covers an item.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum ItemMark {
    /// The turn has the intent.
    Intent(IntentId),
    /// The policy reports the item: the name of the policy, the index of the item, and the index of a part of the item.
    Own(&'static str, usize, usize),
}

/// How a policy moves a dialogue from a state, in addition to its transitions ([`super::PolicyTransition`]).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct PolicyLead {
    /// The settings permit transitions to any state, even if no declaration allows them.
    pub anywhere: bool,
    /// The settings can force the transition for complete data.
    pub completes: bool,
    /// The source with which a model selects the next state.
    pub decides: Option<SourceKind>,
    /// The state is an interruption: it leads back to the interrupted state.
    pub aside: bool,
    /// The state that interrupts dialogues and returns.
    pub interrupts: Option<StateId>,
}

impl PolicyLead {
    /// Combines the values of two policies.
    pub(super) fn or(self, other: Self) -> Self {
        Self {
            anywhere: self.anywhere || other.anywhere,
            completes: self.completes || other.completes,
            decides: self.decides.or(other.decides),
            aside: self.aside || other.aside,
            interrupts: self.interrupts.or(other.interrupts),
        }
    }
}

/// A transition of a policy from a state, in addition to the state's rules.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PolicyTransition {
    /// The target state.
    pub target: StateId,
    /// A human-readable name.
    pub called: Box<str>,
    /// The location, if it is written in a file.
    pub rule: Option<RuleId>,
}

/// The worker of a state, and the data that the work needs and returns.
#[derive(Clone, Debug)]
pub struct StateWorker {
    pub state: StateId,
    /// Whether the work is done outside the engine.
    pub is_asked: bool,
    pub role: Box<str>,
    /// The slots that the worker can read.
    pub reads: Box<[SlotId]>,
    /// The outputs by name. A result that is only a string becomes the first output. A name with a dot is a part of
    /// another output.
    pub brings: Box<[(Box<str>, SlotId)]>,
    /// The capabilities that the worker can request.
    pub capabilities: Arc<[Box<str>]>,
}

impl StateWorker {
    /// The names of the outputs, without their parts.
    pub fn outputs(&self) -> impl Iterator<Item = &str> {
        self.brings
            .iter()
            .map(|(name, _)| &**name)
            .filter(|name| !name.contains('.'))
    }
}

/// A line about a turn.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TurnRow {
    /// The heading that the line belongs to.
    pub part: RowPart,
    /// The subject; empty if it continues the previous line.
    pub label: &'static str,
    /// The emphasized name at the start.
    pub name: String,
    /// The text after the name.
    pub text: String,
}

impl TurnRow {
    /// A line without a name.
    pub(super) fn plain(part: RowPart, label: &'static str, text: String) -> Self {
        Self {
            part,
            label,
            name: String::new(),
            text,
        }
    }
}

/// The heading that a line about a turn belongs to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RowPart {
    /// The class of the turn.
    Class,
    /// Violations of the turn.
    Fault,
}

/// A limit that the replies during one visit to a state violate.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ReplyFault<'m> {
    /// The name of the limit.
    pub limit: &'m str,
    /// The number of occurrences.
    pub found: u32,
    /// Whether there were too few occurrences, which is known when the state is left; otherwise there were too many.
    pub too_few: bool,
    /// The limit on the number of occurrences.
    pub bound: u32,
}

/// A class that the next turn can have.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OfferedClass<'m> {
    pub name: &'m str,
    /// A description.
    pub title: &'m str,
    /// The intents that the class matches.
    pub takes: Vec<&'m str>,
    /// Whether the required data is present.
    pub is_ready: bool,
}
