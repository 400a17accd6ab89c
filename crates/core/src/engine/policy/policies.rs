//! The policies of one machine.

use serde_json::{Map, Value as Json};

use super::{
    BeginTurn, Guidance, Hooks, Inquiry, Point, PolicyHooks, PolicyItem, PolicyLead,
    PolicyObservations, PolicyReading, PolicyTransition, StateWorker, StoreTurn, TurnInputs,
};
use crate::engine::{
    Answer, Blackboard, Cap, Clarification, CommitTurn, Decision, DisambiguationRules, Input,
    Machine, Need, PolicyFacts, PolicyList, PolicyMemories, PolicyNotes, PolicySettings, Readers,
    ReadingDecision, Reads, RecordPart, RecordView, SavedNames, Session, Settings, Sink,
    SourceError, SourceKind, TurnContext, TurnRecord, each,
};
use crate::machine::{CounterId, SourceMask, StateId, Value};

/// The policies of one machine, in the order of their hooks, and the default settings of a dialogue.
#[derive(Clone, Debug)]
pub struct Policies {
    list: PolicyList,
    /// The hooks that at least one policy has.
    hooks: Hooks,
    pub(super) settings: Settings,
}

fn name_of<P: PolicyHooks>(_: &P) -> &'static str {
    P::NAME
}

fn hooks_of<P: PolicyHooks>(_: &P) -> Hooks {
    P::HOOKS
}

#[inline]
fn reset<T: Default>(notes: &mut T) {
    *notes = T::default();
}

impl Policies {
    /// Creates the policies, with the settings of a definition.
    pub(super) fn new(list: PolicyList, mut settings: Settings) -> Self {
        let mut hooks = Hooks::empty();
        each!(policy in list, own in PolicySettings = &mut settings.policies => {
            *own = policy.settings();
            hooks |= hooks_of(policy);
        });
        Self {
            list,
            hooks,
            settings,
        }
    }

    pub(crate) fn list(&self) -> &PolicyList {
        &self.list
    }

    /// Whether a policy can need an answer in the middle of the turn.
    pub(crate) fn ask_in_mid_turn(&self) -> bool {
        self.hooks.contains(Hooks::GATE)
    }

    /// Clears the notes of the previous turn.
    #[inline]
    pub(crate) fn begin_notes(&self, notes: &mut PolicyNotes) {
        each!(_policy in self.list, notes in PolicyNotes = &mut *notes => reset(notes));
    }

    /// The policies as facts for front ends.
    pub fn facts(&self) -> impl Iterator<Item = &dyn PolicyFacts> {
        self.list.facts()
    }

    /// The inputs that any of the policies adds.
    pub fn inputs(&self) -> TurnInputs {
        self.facts()
            .map(PolicyFacts::inputs)
            .fold(TurnInputs::default(), TurnInputs::or)
    }

    /// The transitions that policies can take from a state, in addition to those of the state.
    pub fn lead_from(&self, machine: &Machine, id: StateId) -> Vec<PolicyTransition> {
        self.facts()
            .flat_map(|policy| policy.leads_from(machine, id))
            .collect()
    }

    /// The states that policies can enter from any state.
    pub fn lead_anywhere(&self, machine: &Machine) -> Vec<StateId> {
        self.facts()
            .flat_map(|policy| policy.leads_anywhere(machine))
            .collect()
    }

    /// How policies move a dialogue from a state without a transition.
    pub fn lead(&self, machine: &Machine, settings: &Settings, id: StateId) -> PolicyLead {
        self.facts()
            .map(|policy| policy.lead(machine, settings, id))
            .fold(PolicyLead::default(), PolicyLead::or)
    }

    /// The instructions for an assistant.
    pub fn guidance(&self) -> Option<&Guidance> {
        self.facts().find_map(PolicyFacts::guidance)
    }

    /// The points of an interview, with their settings.
    pub fn inquiry(&self) -> Option<&Inquiry> {
        self.facts().find_map(PolicyFacts::inquiry)
    }

    /// The points of an interview; empty for other machines.
    pub fn points(&self) -> &[Point] {
        self.inquiry().map_or(&[], |inquiry| &inquiry.points)
    }

    /// The rules for clarifying an interpretation.
    pub fn disambiguation(&self) -> Option<&DisambiguationRules> {
        self.facts().find_map(PolicyFacts::disambiguation)
    }

    pub fn worker(&self, id: StateId) -> Option<&StateWorker> {
        self.facts().find_map(|policy| policy.worker(id))
    }

    /// The coverage items of all policies.
    pub fn coverage_items(&self, machine: &Machine) -> impl Iterator<Item = PolicyItem> {
        self.facts()
            .flat_map(|policy| policy.coverage_items(machine))
    }

    /// The enabled sources that run.
    pub(crate) fn restrict_sources(&self, settings: &Settings) -> SourceMask {
        let mut sources = settings.enabled;
        each!(policy in self.list, own in PolicySettings = &settings.policies
            => sources = policy.restrict_sources(own, settings, sources));
        sources
    }

    /// Recognizes an input, with the first policy that can recognize it.
    #[inline]
    pub(crate) fn read<'i>(
        &self,
        machine: &Machine,
        state: StateId,
        input: &'i Input,
        answers: &[Answer],
    ) -> PolicyReading<'i> {
        if self.hooks.contains(Hooks::READ) {
            each!(policy in self.list => match policy.read(machine, state, input, answers) {
                PolicyReading::Pass => {}
                reading => return reading,
            });
        }
        PolicyReading::Pass
    }

    /// Whether a recognized input has an effect.
    pub(crate) fn accept(
        &self,
        machine: &Machine,
        settings: &Settings,
        session: &Session,
        input: &Input,
    ) -> bool {
        each!(policy in self.list => if !policy.accepts(machine, settings, session, input) {
            return false;
        });
        true
    }

    /// Decides whether a recognizer's answer with a confidence is accepted.
    pub(crate) fn assess(
        &self,
        machine: &Machine,
        settings: &Settings,
        clarification: &Clarification,
        reading: &Value,
        input: &mut Input,
    ) -> Option<ReadingDecision> {
        each!(policy in self.list
        => if let Some(disposition) = policy.assess(machine, settings, clarification, reading, input) {
            return Some(disposition);
        });
        None
    }

    /// The need that must be answered before the turn can start.
    #[inline]
    pub(crate) fn ask(
        &self,
        machine: &Machine,
        settings: &Settings,
        session: &Session,
        answers: &[Answer],
        state: StateId,
    ) -> Option<Need> {
        if self.hooks.contains(Hooks::ASK) {
            each!(policy in self.list
            => if let Some(need) = policy.ask(machine, settings, session, answers, state) {
                return Some(need);
            });
        }
        None
    }

    /// Reads the input. Returns whether the intent is counted.
    #[inline]
    pub(crate) fn begin(
        &self,
        memories: &mut PolicyMemories,
        notes: &mut PolicyNotes,
        turn: &BeginTurn<'_>,
        machine: &Machine,
    ) -> bool {
        let mut counts = true;
        if self.hooks.contains(Hooks::BEGIN) {
            each!(
                policy in self.list, own in PolicySettings = &turn.settings.policies,
                memory in PolicyMemories = &mut *memories, notes in PolicyNotes = &mut *notes
                    => counts &= policy.begin(own, memory, notes, turn, machine)
            );
        }
        counts
    }

    /// Reads the data after the input is stored.
    #[inline]
    pub(crate) fn store(
        &self,
        memories: &mut PolicyMemories,
        notes: &mut PolicyNotes,
        turn: &mut StoreTurn<'_>,
        machine: &Machine,
    ) {
        if self.hooks.contains(Hooks::STORE) {
            each!(
                policy in self.list, memory in PolicyMemories = &mut *memories, notes in PolicyNotes = &mut *notes
                    => policy.store(memory, notes, turn, machine)
            );
        }
    }

    /// The class of the turn, from the first policy that provides one.
    #[inline]
    pub(crate) fn prepare(&self, notes: &mut PolicyNotes, turn: &TurnContext<'_>) -> Option<&str> {
        let mut class = None;
        if self.hooks.contains(Hooks::PREPARE) {
            each!(policy in self.list, notes in PolicyNotes = &mut *notes
                => class = class.or(policy.prepare(notes, turn)));
        }
        class
    }

    /// The sources that this turn's signals trigger.
    #[inline]
    pub(crate) fn triggered_by_signals(&self, turn: &TurnContext<'_>) -> SourceMask {
        let mut sources = SourceMask::NONE;
        each!(policy in self.list => sources = sources.or(policy.triggered_by_signals(turn)));
        sources
    }

    /// Lets a source contribute, through the policy that owns it.
    #[inline]
    pub(crate) fn contribute(
        &self,
        kind: SourceKind,
        notes: &mut PolicyNotes,
        turn: &TurnContext<'_>,
        board: &mut Blackboard,
    ) -> Result<(), SourceError> {
        each!(
            policy in self.list, own in PolicySettings = &turn.settings.policies,
            memory in PolicyMemories = &turn.session.policies, notes in PolicyNotes = &mut *notes
                => policy.contribute(kind, (own, memory), notes, turn, board)?
        );
        Ok(())
    }

    /// Compares the line of the agent in a transcript with the decision.
    pub(crate) fn steer(
        &self,
        notes: &mut PolicyNotes,
        turn: &TurnContext<'_>,
        decision: &mut Decision,
    ) {
        each!(policy in self.list, notes in PolicyNotes = &mut *notes
            => policy.steer(notes, turn, decision));
    }

    /// Passes a decision or redirects it.
    pub(crate) fn gate(&self, turn: &TurnContext<'_>, decision: &mut Decision) {
        each!(policy in self.list => policy.gate(turn, decision));
    }

    /// Computes the carryover of the turn.
    pub(crate) fn apply(
        &self,
        notes: &mut PolicyNotes,
        turn: &TurnContext<'_>,
        decision: &mut Decision,
    ) -> Option<Need> {
        each!(policy in self.list, notes in PolicyNotes = &mut *notes
        => if let Some(need) = policy.apply(notes, turn, decision) {
            return Some(need);
        });
        None
    }

    /// Updates the memories after a turn.
    #[inline]
    pub(crate) fn commit(
        &self,
        memories: &mut PolicyMemories,
        notes: &mut PolicyNotes,
        turn: &mut CommitTurn<'_>,
    ) {
        if self.hooks.contains(Hooks::COMMIT) {
            each!(
                policy in self.list, own in PolicySettings = &turn.settings.policies,
                memory in PolicyMemories = &mut *memories, notes in PolicyNotes = &mut *notes
                    => policy.commit(own, memory, notes, turn)
            );
        }
    }

    /// Called for a turn that no recognizer could classify.
    pub(crate) fn unread(&self, notes: &mut PolicyNotes) {
        each!(policy in self.list, notes in PolicyNotes = &mut *notes => policy.unread(notes));
    }

    /// The class of a turn in the registry of a policy.
    pub fn registered_class<'a>(&'a self, record: &'a TurnRecord) -> Option<&'a str> {
        let mut class = None;
        each!(policy in self.list, notes in PolicyNotes = &record.policies
            => class = class.or(policy.registered_class(notes)));
        class
    }

    /// All possible classes of turns in registries.
    pub fn registered_classes(&self) -> Vec<&str> {
        self.facts()
            .flat_map(PolicyFacts::registered_classes)
            .collect()
    }

    /// Writes the data of the policies for a part of the record. Returns whether any of them has the part.
    pub(crate) fn describe(
        &self,
        part: RecordPart,
        line: &RecordView<'_>,
        out: &mut impl Sink,
    ) -> bool {
        let mut has = false;
        each!(policy in self.list, notes in PolicyNotes = &line.record.policies
            => has |= policy.describe(part, notes, line, out));
        has
    }

    /// The value of a counter that a policy computes.
    pub(crate) fn counter(
        &self,
        session: &Session,
        settings: &Settings,
        id: CounterId,
    ) -> Option<i64> {
        let mut count = None;
        each!(policy in self.list, memory in PolicyMemories = &session.policies
            => count = count.or_else(|| policy.counter(memory, settings, &session.tracker, id)));
        count
    }

    /// Reports what the hooks of the policies read.
    pub(crate) fn reads(&self, readers: &mut Readers<'_>) {
        let settings = readers.settings;
        each!(policy in self.list, own in PolicySettings = &settings.policies
            => policy.reads(own, readers));
    }

    /// Reports what a computed counter reads. Returns whether a policy computes the counter.
    pub(crate) fn reads_counter(&self, id: CounterId, cap: Cap, readers: &mut Readers<'_>) -> bool {
        let mut is_computed = false;
        each!(policy in self.list => is_computed |= policy.reads_counter(id, cap, readers));
        is_computed
    }

    /// The observations of all policies in a turn.
    pub fn observe(&self, record: &TurnRecord, machine: &Machine) -> PolicyObservations {
        let mut found = PolicyObservations::default();
        each!(policy in self.list => policy.observe(record, machine, &mut found));
        found
    }

    /// Clears what no reader reads in the memories.
    pub(crate) fn reduce(&self, memories: &mut PolicyMemories, reads: &Reads, settings: &Settings) {
        each!(policy in self.list, memory in PolicyMemories = &mut *memories
            => policy.reduce(memory, reads, settings));
    }

    /// The saved memories of a session, by the names of the policies.
    pub(crate) fn save(&self, session: &Session, names: &SavedNames<'_>) -> Map<String, Json> {
        let mut all = Map::new();
        each!(policy in self.list, memory in PolicyMemories = &session.policies
        => if let Some(saved) = policy.save(memory, names) {
            all.insert(name_of(policy).to_owned(), saved);
        });
        all
    }

    /// Restores saved memories. `bot_memory` is a key of the saved session with its value, for the policy that uses the
    /// key.
    pub(crate) fn restore(
        &self,
        saved: &Map<String, Json>,
        bot_memory: (&str, &Json),
        session: &mut Session,
        machine: &Machine,
    ) -> Result<(), serde_json::Error> {
        let mut memories = PolicyMemories::default();
        each!(policy in self.list, memory in PolicyMemories = &mut memories => {
            let mut own = saved.get(name_of(policy)).and_then(Json::as_object).cloned().unwrap_or_default();
            if !bot_memory.1.is_null() {
                own.insert(bot_memory.0.to_owned(), bot_memory.1.clone());
            }
            *memory = policy.restore(Json::Object(own), session, machine)?;
        });
        session.policies = memories;
        Ok(())
    }

    /// The default settings of a dialogue.
    pub(crate) fn settings(&self) -> &Settings {
        &self.settings
    }
}
