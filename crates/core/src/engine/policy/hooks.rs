//! What a policy may do in a turn: its hooks, in the order of the verbs.

use std::borrow::Cow;

use bitflags::bitflags;

use crate::engine::{
    Answer, Blackboard, Clarification, CommitTurn, Decision, Input, Machine, Need, ReadingDecision,
    ReasonKind, ReasonNames, RecordPart, RecordView, SavedNames, Session, Settings, Sink, Slots,
    SourceError, SourceKind, Tracker, TurnContext,
};
use crate::machine::{CounterId, Intent, IntentId, SourceMask, State, StateId, Value};

bitflags! {
    /// Hooks of a turn that are not run where no policy of the machine has them.
    #[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
    pub(crate) struct Hooks: u8 {
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
pub(crate) enum PolicyReading<'i> {
    /// It is for others to read.
    Pass,
    Ready(Cow<'i, Input>),
    /// Somebody outside has to say something first.
    Need(Need),
    /// Nobody could read it.
    Unread,
}

/// A turn that begins: nothing is counted or stored yet.
pub(crate) struct BeginTurn<'a> {
    pub settings: &'a Settings,
    pub tracker: &'a Tracker,
    pub state: StateId,
    pub intent: IntentId,
    pub input: &'a Input,
}

/// The data of a turn that has begun: what came in is stored.
pub(crate) struct StoreTurn<'a> {
    pub input: &'a Input,
    pub slots: &'a mut Slots,
}

/// A policy: what a way of leading a dialogue adds to the machine's own states, rules, conditions and slots. What a policy
/// leaves out it does not do.
#[expect(
    unused_variables,
    reason = "a hook that a policy leaves out looks at nothing"
)]
pub(crate) trait PolicyHooks {
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
    fn restore(
        &self,
        saved: serde_json::Value,
        session: &mut Session,
        machine: &Machine,
    ) -> Result<Self::Memory, serde_json::Error> {
        Ok(Self::Memory::default())
    }
}

/// There is none. The letter tells the policies apart.
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
