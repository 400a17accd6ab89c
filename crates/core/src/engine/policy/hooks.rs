//! The hooks of a policy in a turn, in the order of the stages.

use std::borrow::Cow;

use bitflags::bitflags;

use super::PolicyObservations;
use crate::engine::{
    Answer, Blackboard, Cap, Clarification, CommitTurn, Decision, Input, Machine, Need, Readers,
    ReadingDecision, Reads, ReasonKind, ReasonNames, RecordPart, RecordView, SavedNames, Session,
    Settings, Sink, Slots, SourceError, SourceKind, Tracker, TurnContext, TurnRecord,
};
use crate::machine::{CounterId, Intent, IntentId, SourceMask, State, StateId, Value};

bitflags! {
    /// Hooks of a turn that are skipped if no policy of the machine has them.
    #[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
    pub(crate) struct Hooks: u8 {
        /// Recognizes inputs, or decides whether an answer of a recognizer is accepted.
        const READ = 1;
        /// Needs an answer before the turn starts.
        const ASK = 1 << 1;
        /// Reads the input before it is counted.
        const BEGIN = 1 << 2;
        /// Reads the data after the input is stored.
        const STORE = 1 << 3;
        /// Determines the class of the turn.
        const PREPARE = 1 << 4;
        /// Redirects decisions, or computes the carryover. Both can need an answer in the middle of the turn.
        const GATE = 1 << 5;
        /// Updates the memory of the policy after the turn.
        const COMMIT = 1 << 6;
    }
}

/// The result of a policy's recognition.
#[derive(Debug)]
#[expect(
    clippy::large_enum_variant,
    reason = "one value per turn, which stays on the stack"
)]
pub(crate) enum PolicyReading<'i> {
    /// The policy does not recognize the input; other policies can.
    Pass,
    Ready(Cow<'i, Input>),
    /// An answer from outside is needed first.
    Need(Need),
    /// No recognizer classified the input.
    Unread,
}

/// The start of a turn: nothing is counted or stored yet.
pub(crate) struct BeginTurn<'a> {
    pub settings: &'a Settings,
    pub tracker: &'a Tracker,
    pub state: StateId,
    pub intent: IntentId,
    pub input: &'a Input,
}

/// The data of a turn whose input is stored.
pub(crate) struct StoreTurn<'a> {
    pub input: &'a Input,
    pub slots: &'a mut Slots,
    pub tracker: &'a mut Tracker,
}

/// A policy: additions to the states, rules, conditions and slots of the machine. By default, a hook does nothing.
#[expect(unused_variables, reason = "the defaults use no argument")]
pub(crate) trait PolicyHooks {
    /// The key of the policy's memory in a saved session.
    const NAME: &'static str;

    const HOOKS: Hooks;

    /// The settings of the policy for one dialogue.
    type Settings: Clone + std::fmt::Debug + PartialEq + Default;

    /// The memory of the policy for one dialogue.
    type Memory: Clone + std::fmt::Debug + PartialEq + Eq + std::hash::Hash + Default;

    /// The notes of the policy in a turn, for later hooks and for the record.
    type Turn: Clone + std::fmt::Debug + Default;

    /// The default settings of a dialogue.
    fn settings(&self) -> Self::Settings {
        Self::Settings::default()
    }

    /// The enabled sources, without those that the settings of the policy or the flags of the dialogue disable.
    fn restrict_sources(
        &self,
        own: &Self::Settings,
        settings: &Settings,
        sources: SourceMask,
    ) -> SourceMask {
        sources
    }

    /// The sources of the policy that can make a proposal in a state.
    fn filter_by_state(&self, machine: &Machine, id: Option<StateId>, state: &State) -> SourceMask {
        SourceMask::NONE
    }

    /// The sources of the policy that can make a proposal for an intent, and the sources that they replace.
    fn filter_by_intent(
        &self,
        machine: &Machine,
        id: IntentId,
        intent: &Intent,
    ) -> (SourceMask, SourceMask) {
        (SourceMask::NONE, SourceMask::NONE)
    }

    /// Recognizes an input.
    fn read<'i>(
        &self,
        machine: &Machine,
        state: StateId,
        input: &'i Input,
        answers: &[Answer],
    ) -> PolicyReading<'i> {
        PolicyReading::Pass
    }

    /// Whether a recognized input has an effect, so that no other input is tried.
    fn accepts(
        &self,
        machine: &Machine,
        settings: &Settings,
        session: &Session,
        input: &Input,
    ) -> bool {
        true
    }

    /// Decides whether to accept a recognizer's answer that has a confidence. The answer is already in the input, which
    /// the policy can change.
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

    /// The need that must be answered before the turn can start in a state.
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

    /// Reads the input. Returns whether the intent is counted.
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

    /// Reads the data.
    fn store(
        &self,
        memory: &mut Self::Memory,
        notes: &mut Self::Turn,
        turn: &mut StoreTurn<'_>,
        machine: &Machine,
    ) {
    }

    /// The name of the class of the turn.
    fn prepare(&self, notes: &mut Self::Turn, turn: &TurnContext<'_>) -> Option<&str> {
        None
    }

    /// The sources that this turn's signals trigger, regardless of the intent.
    fn triggered_by_signals(&self, turn: &TurnContext<'_>) -> SourceMask {
        SourceMask::NONE
    }

    /// Lets a source of the policy contribute.
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

    /// Compares the line of the agent in a transcript with the decision, and can redirect it.
    fn steer(&self, notes: &mut Self::Turn, turn: &TurnContext<'_>, decision: &mut Decision) {}

    /// Passes a decision or redirects it.
    fn gate(&self, turn: &TurnContext<'_>, decision: &mut Decision) {}

    /// Computes the carryover of the turn. Returns a need if an answer from outside is required.
    fn apply(
        &self,
        notes: &mut Self::Turn,
        turn: &TurnContext<'_>,
        decision: &mut Decision,
    ) -> Option<Need> {
        None
    }

    /// Updates the memory after a turn, including failed turns.
    fn commit(
        &self,
        own: &Self::Settings,
        memory: &mut Self::Memory,
        notes: &mut Self::Turn,
        turn: &mut CommitTurn<'_>,
    ) {
    }

    /// Called for a turn that no recognizer could classify.
    fn unread(&self, notes: &mut Self::Turn) {}

    /// The class of the turn, if the policy has a registry of classes.
    fn registered_class<'a>(&'a self, notes: &'a Self::Turn) -> Option<&'a str> {
        None
    }

    /// Writes the data of the policy for a part of the record. Returns whether the policy has such a part, even if this
    /// turn leaves it empty.
    fn describe(
        &self,
        part: RecordPart,
        notes: &Self::Turn,
        line: &RecordView<'_>,
        out: &mut impl Sink,
    ) -> bool {
        false
    }

    /// The value of a counter that the policy computes.
    fn counter(
        &self,
        memory: &Self::Memory,
        settings: &Settings,
        tracker: &Tracker,
        id: CounterId,
    ) -> Option<i64> {
        None
    }

    /// Reports what the hooks of the policy read.
    fn reads(&self, own: &Self::Settings, readers: &mut Readers<'_>) {}

    /// Reports what a computed counter reads. Returns whether the policy computes the counter.
    fn reads_counter(&self, id: CounterId, cap: Cap, readers: &mut Readers<'_>) -> bool {
        false
    }

    /// Adds what a search observes in a turn.
    fn observe(&self, record: &TurnRecord, machine: &Machine, found: &mut PolicyObservations) {}

    /// Clears what no reader reads.
    fn reduce(&self, memory: &mut Self::Memory, reads: &Reads, settings: &Settings) {}

    /// The saved memory, unless it is empty.
    fn save(&self, memory: &Self::Memory, names: &SavedNames<'_>) -> Option<serde_json::Value> {
        None
    }

    /// Restores the memory.
    fn restore(
        &self,
        saved: serde_json::Value,
        session: &mut Session,
        machine: &Machine,
    ) -> Result<Self::Memory, serde_json::Error> {
        Ok(Self::Memory::default())
    }
}

/// The reason type of a policy without reasons. The parameter makes the types distinct.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum NoReason<const POLICY: char> {}

impl<const POLICY: char> NoReason<POLICY> {
    pub(crate) fn all(_: &Machine) -> Vec<Self> {
        Vec::new()
    }

    pub(crate) fn kind(self) -> ReasonKind {
        match self {}
    }

    pub(crate) fn code(self, _: ReasonNames<'_>) -> (&'static str, &'static str) {
        match self {}
    }

    pub(crate) fn words(self, _: ReasonNames<'_>) -> String {
        match self {}
    }
}
