//! What a policy may do in a turn: its hooks, in the order of the verbs.

use std::borrow::Cow;

use bitflags::bitflags;

use super::deciding_texts::{DecidedTurn, DecidingTexts};
use super::foreign_turn::{ForeignTurn, PolicyBreach};
use super::guidance::Guidance;
use super::inquiry::Inquiry;
use super::policy_item::{ItemMark, PolicyItem};
use super::policy_lead::PolicyLead;
use super::policy_way::PolicyWay;
use super::source_kind::SourceKind;
use super::turn_row::{OfferedClass, TurnRow};
use super::worker::Worker;
use crate::engine::Machine;
use crate::engine::blackboard::{Blackboard, SourceError};
use crate::engine::commit::CommitTurn;
use crate::engine::condition::TurnContext;
use crate::engine::decision::Decision;
use crate::engine::io::{Answer, DisambiguationRules, Input, Need, ReadingDecision};
use crate::engine::record_view::RecordView;
use crate::engine::session::{Clarification, SavedNames, Session, Settings, Slots, Tracker};
use crate::engine::sink::Sink;
use crate::machine::{
    ConditionId, CounterId, Id, Intent, IntentId, NeedKind, SchemaError, SourceMask, State,
    StateId, Value,
};
use fsmsim_syntax::diagnostic::Diagnostic;

bitflags! {
    /// Hooks of a turn that are not run where no policy of the machine has them.
    #[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
    pub(in crate::engine) struct Hooks: u8 {
        /// Reads inputs, or says how far a reading is to be trusted.
        const READ = 1;
        /// Asks something before the turn begins.
        const ASK = 1 << 1;
        /// Looks at what comes in before it is counted.
        const BEGIN = 1 << 2;
        /// Looks at the data once what came in is stored.
        const STORE = 1 << 3;
        /// Says what the turn is taken as.
        const PREPARE = 1 << 4;
        /// Lets effects pass, or works out what the turn leaves behind: may need something in mid-turn.
        const GATE = 1 << 5;
        /// Keeps something of the turn.
        const COMMIT = 1 << 6;
    }
}

/// What a policy makes of an input.
#[derive(Debug)]
#[expect(
    clippy::large_enum_variant,
    reason = "one value a turn, which stays on the stack"
)]
pub(in crate::engine) enum PolicyReading<'i> {
    /// It is for others to read.
    Pass,
    /// It is read.
    Ready(Cow<'i, Input>),
    /// Somebody outside has to say something first.
    Need(Need),
    /// Nobody could read it.
    Unread,
}

/// What a turn may have, beside what every machine takes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
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

/// A part of a record in which policies write.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RecordPart {
    /// Pairs of what was carried over, behind the lists of data.
    Carryover,
    /// The frames, all of them; null where no policy writes them.
    Frames,
    /// What is to be found out, and how far that is; null where no policy writes it.
    Points,
    /// Items of what was done and is not allowed.
    Faults,
    /// Items of the events, before those of choices, forks and joins.
    EventsBefore,
    /// Items of the events, behind those of choices, forks and joins.
    EventsAfter,
}

/// A turn that begins: nothing is counted or stored yet.
pub(in crate::engine) struct BeginTurn<'a> {
    pub(in crate::engine) settings: &'a Settings,
    pub(in crate::engine) tracker: &'a Tracker,
    pub(in crate::engine) state: StateId,
    pub(in crate::engine) intent: IntentId,
    pub(in crate::engine) input: &'a Input,
}

/// The data of a turn that has begun: what came in is stored.
pub(in crate::engine) struct StoreTurn<'a> {
    pub(in crate::engine) input: &'a Input,
    pub(in crate::engine) slots: &'a mut Slots,
}

/// A policy: what a way of leading a dialogue adds to the machine's own states, rules, conditions and slots. What a policy
/// leaves out it does not do.
#[expect(
    unused_variables,
    reason = "a hook that a policy leaves out looks at nothing"
)]
pub(in crate::engine) trait PolicyHooks {
    /// The key of its memory in a saved session.
    const NAME: &'static str;
    /// The hooks that it has.
    const HOOKS: Hooks;
    /// What one dialogue may change about it.
    type Settings: Clone + std::fmt::Debug + PartialEq + Default;
    /// What it remembers of a dialogue.
    type Memory: Clone + std::fmt::Debug + PartialEq + Eq + std::hash::Hash + Default;
    /// What it notes in a turn, for its later hooks and for the record.
    type Turn: Clone + std::fmt::Debug + Default;

    /// The settings of a dialogue that changes nothing.
    fn settings(&self) -> Self::Settings {
        Self::Settings::default()
    }

    /// What a turn may have.
    fn inputs(&self) -> TurnInputs {
        TurnInputs::default()
    }

    /// Of the sources that are switched on, those that its settings and the flags of the dialogue let run.
    fn restrict_sources(
        &self,
        own: &Self::Settings,
        settings: &Settings,
        sources: SourceMask,
    ) -> SourceMask {
        sources
    }

    /// Its sources that may have something to say in a state.
    fn filter_by_state(&self, machine: &Machine, id: Option<StateId>, state: &State) -> SourceMask {
        SourceMask::NONE
    }

    /// Its sources that may have something to say about an intent, and the sources that they stand in for.
    fn filter_by_intent(
        &self,
        machine: &Machine,
        id: IntentId,
        intent: &Intent,
    ) -> (SourceMask, SourceMask) {
        (SourceMask::NONE, SourceMask::NONE)
    }

    /// The states to which it may lead a dialogue from a state.
    fn leads_from(&self, machine: &Machine, id: StateId) -> Vec<PolicyWay> {
        Vec::new()
    }

    /// The states to which it may lead a dialogue from anywhere.
    fn leads_anywhere(&self, machine: &Machine) -> Vec<StateId> {
        Vec::new()
    }

    /// The states to which it leads a dialogue by force, without a way.
    fn forces(&self) -> Vec<StateId> {
        Vec::new()
    }

    /// How else it leads a dialogue from a state.
    fn lead(&self, own: &Self::Settings, machine: &Machine, id: StateId) -> PolicyLead {
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
    fn worker(&self, id: StateId) -> Option<Worker<'_>> {
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

    /// What it may need in a state, or in any: first what is needed where something is said.
    fn needs(&self, id: Option<StateId>) -> &'static [NeedKind] {
        &[]
    }

    /// Finds what is probably not meant. With `permissive`, undeclared moves are fine.
    fn lint(&self, machine: &Machine, permissive: bool, found: &mut Vec<Diagnostic>) {}

    /// What of it turns can cover.
    fn coverage_items(&self, machine: &Machine) -> Vec<PolicyItem> {
        Vec::new()
    }

    /// Tells what of it a turn covered.
    fn covered(
        &self,
        notes: &Self::Turn,
        line: &RecordView<'_>,
        covered: &mut impl FnMut(ItemMark),
    ) {
    }

    /// How its conditions are called that have no name.
    fn condition_names(&self, machine: &Machine) -> Vec<(ConditionId, String)> {
        Vec::new()
    }

    /// What of its text decided a turn.
    fn deciding_texts(&self, machine: &Machine, turn: &DecidedTurn<'_>) -> Option<DecidingTexts> {
        None
    }

    /// What a turn of a class did against it that somebody else played; of the class alone, where no more is known.
    fn breaches(
        &self,
        machine: &Machine,
        class: Option<&str>,
        turn: Option<&ForeignTurn<'_>>,
    ) -> Vec<PolicyBreach> {
        Vec::new()
    }

    /// Reads an input.
    fn read<'i>(
        &self,
        machine: &Machine,
        state: StateId,
        input: &'i Input,
        answers: &[Answer],
    ) -> PolicyReading<'i> {
        PolicyReading::Pass
    }

    /// Whether a reading of what was said leads anywhere, so that no other one is tried.
    fn accepts(
        &self,
        machine: &Machine,
        settings: &Settings,
        session: &Session,
        input: &Input,
    ) -> bool {
        true
    }

    /// Takes a reading from outside that is already in the input, where it says how certain it is: it may become another
    /// input.
    fn assess(
        &self,
        machine: &Machine,
        settings: &Settings,
        clarification: &Clarification,
        reading: &Value,
        input: &mut Input,
    ) -> Option<ReadingDecision> {
        None
    }

    /// What is needed before the turn can begin in a state.
    fn ask(
        &self,
        machine: &Machine,
        settings: &Settings,
        session: &Session,
        answers: &[Answer],
        state: StateId,
    ) -> Option<Need> {
        None
    }

    /// Looks at what comes in. Whether the intent is counted.
    fn begin(
        &self,
        own: &Self::Settings,
        memory: &mut Self::Memory,
        notes: &mut Self::Turn,
        turn: &BeginTurn<'_>,
        machine: &Machine,
    ) -> bool {
        true
    }

    /// Looks at the data.
    fn store(
        &self,
        memory: &mut Self::Memory,
        notes: &mut Self::Turn,
        turn: &mut StoreTurn<'_>,
        machine: &Machine,
    ) {
    }

    /// What the turn is taken as: the name of its class.
    fn prepare(&self, notes: &mut Self::Turn, turn: &TurnContext<'_>) -> Option<&str> {
        None
    }

    /// The sources that this turn's circumstances rouse, whatever the intent.
    fn triggered_by_signals(&self, turn: &TurnContext<'_>) -> SourceMask {
        SourceMask::NONE
    }

    /// Lets one of its sources contribute.
    fn contribute(
        &self,
        kind: SourceKind,
        own: (&Self::Settings, &Self::Memory),
        notes: &mut Self::Turn,
        turn: &TurnContext<'_>,
        board: &mut Blackboard,
    ) -> Result<(), SourceError> {
        Ok(())
    }

    /// Lets a decision pass, or leads it elsewhere.
    fn gate(&self, turn: &TurnContext<'_>, decision: &mut Decision) {}

    /// Works out what the turn leaves behind. A need, where somebody must be asked for it.
    fn apply(
        &self,
        notes: &mut Self::Turn,
        turn: &TurnContext<'_>,
        decision: &mut Decision,
    ) -> Option<Need> {
        None
    }

    /// Keeps what is to be kept of a turn, also of one that was given up.
    fn commit(
        &self,
        own: &Self::Settings,
        memory: &mut Self::Memory,
        notes: &mut Self::Turn,
        turn: &mut CommitTurn<'_>,
    ) {
    }

    /// A turn that nobody could read.
    fn unread(&self, notes: &mut Self::Turn) {}

    /// The class of the turn, where it has a registry of them.
    fn registered_class<'a>(&'a self, notes: &'a Self::Turn) -> Option<&'a str> {
        None
    }

    /// All that may stand as the class of a turn by its registry.
    fn registered_classes(&self) -> Vec<&str> {
        Vec::new()
    }

    /// Writes what it has to say in a part of the record. Whether it has such a part, even if this turn leaves it empty.
    fn describe(
        &self,
        part: RecordPart,
        notes: &Self::Turn,
        line: &RecordView<'_>,
        out: &mut impl Sink,
    ) -> bool {
        false
    }

    /// What it says of a turn to people.
    fn rows(&self, notes: &Self::Turn, line: &RecordView<'_>) -> Vec<TurnRow> {
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

    /// The value of one of its counters.
    fn counter(
        &self,
        memory: &Self::Memory,
        settings: &Settings,
        tracker: &Tracker,
        id: CounterId,
    ) -> Option<i64> {
        None
    }

    /// The memory as it is saved; nothing where it remembers nothing.
    fn save(&self, memory: &Self::Memory, names: &SavedNames<'_>) -> Option<serde_json::Value> {
        None
    }

    /// The memory again.
    ///
    /// # Errors
    /// What is not understood of it.
    fn restore(
        &self,
        saved: serde_json::Value,
        session: &mut Session,
        machine: &Machine,
    ) -> Result<Self::Memory, serde_json::Error> {
        Ok(Self::Memory::default())
    }
}

/// An intent that no machine has.
pub(in crate::engine) fn no_intent() -> IntentId {
    IntentId::from_index(usize::MAX)
}
