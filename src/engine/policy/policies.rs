//! The policies of one machine.

use serde_json::{Map, Value as Json};
use smallvec::SmallVec;

use super::{
    BeginTurn, Hooks, Policy, PolicyHooks, PolicyMemory, PolicyNotes, PolicyReading, PolicySettings, RecordPart,
    SourceKind, StoreTurn, TurnInputs, own,
};
use crate::engine::Machine;
use crate::engine::blackboard::{Blackboard, SourceError};
use crate::engine::commit::CommitTurn;
use crate::engine::condition::TurnContext;
use crate::engine::decision::Decision;
use crate::engine::io::{Answer, Input, Need, ReadingDecision};
use crate::engine::record::TurnRecord;
use crate::engine::record_view::RecordView;
use crate::engine::session::{Clarification, SavedNames, Session, Settings};
use crate::engine::sink::Sink;
use crate::machine::{CounterId, SourceMask, StateId, Value};

/// The memories of the policies of a session, in the order of its machine's list.
pub type PolicyMemories = SmallVec<[PolicyMemory; 1]>;
/// What the policies of a machine note in a turn, in the order of its list.
pub type AllNotes = SmallVec<[PolicyNotes; 1]>;

/// The policies of one machine, in the order in which their hooks run, and the settings of a dialogue that changes nothing.
#[derive(Clone, Debug)]
pub struct Policies {
    list: Box<[Policy]>,
    /// The hooks that some policy has.
    hooks: Hooks,
    pub(super) settings: Settings,
}

impl Policies {
    /// These policies, with the settings that a definition gives.
    pub(super) fn new(list: Vec<Policy>, mut settings: Settings) -> Self {
        settings.policies = list.iter().map(Policy::settings).collect();
        let hooks = list.iter().fold(Hooks::empty(), |hooks, policy| hooks | policy.hooks());
        Self { list: list.into(), hooks, settings }
    }

    pub(super) fn list(&self) -> &[Policy] {
        &self.list
    }

    /// Whether some policy may need something in mid-turn.
    pub(in crate::engine) fn ask_in_mid_turn(&self) -> bool {
        self.hooks.contains(Hooks::GATE)
    }

    /// The memories of a session that has not begun.
    pub(in crate::engine) fn memories(&self) -> PolicyMemories {
        self.list.iter().map(Policy::memory).collect()
    }

    /// Notes for a turn in which nothing was noted yet.
    #[inline]
    pub(in crate::engine) fn begin_notes(&self, notes: &mut AllNotes) {
        if notes.len() == self.list.len() {
            // The list of the last turn is used again, which costs less than to make it anew.
            notes.iter_mut().zip(&self.list).for_each(|(notes, policy)| *notes = policy.notes());
        } else {
            *notes = self.list.iter().map(Policy::notes).collect();
        }
    }

    /// What a turn may have.
    pub fn inputs(&self) -> TurnInputs {
        let all = self.list.iter().map(|policy| own!(policy: Policy => policy.inputs(), else TurnInputs::default()));
        all.fold(TurnInputs::default(), |one, other| TurnInputs {
            navigation: one.navigation || other.navigation,
            outcome: one.outcome || other.outcome,
        })
    }

    /// The states to which policies may lead a dialogue from a state, whatever its own rules say.
    pub fn lead_from(&self, machine: &Machine, id: StateId) -> Vec<StateId> {
        let leads = |policy: &Policy| own!(policy: Policy => policy.leads_from(machine, id), else Vec::new());
        self.list.iter().flat_map(leads).collect()
    }

    /// The states to which policies may lead a dialogue from anywhere.
    pub fn lead_anywhere(&self, machine: &Machine) -> Vec<StateId> {
        let leads = |policy: &Policy| own!(policy: Policy => policy.leads_anywhere(machine), else Vec::new());
        self.list.iter().flat_map(leads).collect()
    }

    /// Of the sources that are switched on, those that run.
    pub(in crate::engine) fn restrict_sources(&self, settings: &Settings) -> SourceMask {
        self.list.iter().zip(&settings.policies).fold(settings.enabled, |sources, (policy, own)| {
            own!(policy: Policy, own: PolicySettings => policy.restrict_sources(own, settings, sources), else sources)
        })
    }

    /// Reads an input: the first policy that takes it does.
    #[inline]
    pub(in crate::engine) fn read<'i>(
        &self,
        machine: &Machine,
        state: StateId,
        input: &'i Input,
        answers: &[Answer],
    ) -> PolicyReading<'i> {
        if !self.hooks.contains(Hooks::READ) {
            return PolicyReading::Pass;
        }
        for policy in &self.list {
            match own!(policy: Policy => policy.read(machine, state, input, answers), else PolicyReading::Pass) {
                PolicyReading::Pass => {}
                reading => return reading,
            }
        }
        PolicyReading::Pass
    }

    /// Takes a reading from outside that says how certain it is.
    pub(in crate::engine) fn assess(
        &self,
        machine: &Machine,
        settings: &Settings,
        clarification: &Clarification,
        reading: &Value,
        input: &mut Input,
    ) -> Option<ReadingDecision> {
        self.list.iter().find_map(
            |policy| own!(policy: Policy => policy.assess(machine, settings, clarification, reading, input), else None),
        )
    }

    /// What is needed before the turn can begin.
    #[inline]
    pub(in crate::engine) fn ask(
        &self,
        machine: &Machine,
        settings: &Settings,
        session: &Session,
        answers: &[Answer],
        state: StateId,
    ) -> Option<Need> {
        if !self.hooks.contains(Hooks::ASK) {
            return None;
        }
        self.list.iter().find_map(
            |policy| own!(policy: Policy => policy.ask(machine, settings, session, answers, state), else None),
        )
    }

    /// Looks at what comes in. Whether the intent is counted.
    #[inline]
    pub(in crate::engine) fn begin(
        &self,
        memories: &mut [PolicyMemory],
        notes: &mut [PolicyNotes],
        turn: &BeginTurn<'_>,
        machine: &Machine,
    ) -> bool {
        if !self.hooks.contains(Hooks::BEGIN) {
            return true;
        }
        let own = self.list.iter().zip(&turn.settings.policies).zip(memories).zip(notes);
        own.fold(true, |counts, (((policy, own), memory), notes)| {
            own!(
                policy: Policy, own: PolicySettings, memory: PolicyMemory, notes: PolicyNotes
                    => policy.begin(own, memory, notes, turn, machine), else true
            ) && counts
        })
    }

    /// Looks at the data once what came in is stored.
    #[inline]
    pub(in crate::engine) fn store(
        &self,
        memories: &mut [PolicyMemory],
        notes: &mut [PolicyNotes],
        turn: &mut StoreTurn<'_>,
        machine: &Machine,
    ) {
        if self.hooks.contains(Hooks::STORE) {
            for ((policy, memory), notes) in self.list.iter().zip(memories).zip(notes) {
                own!(
                    policy: Policy, memory: PolicyMemory, notes: PolicyNotes
                        => policy.store(memory, notes, turn, machine), else ()
                );
            }
        }
    }

    /// What the turn is taken as.
    #[inline]
    pub(in crate::engine) fn prepare<'a>(
        &'a self,
        notes: &mut [PolicyNotes],
        turn: &TurnContext<'a>,
    ) -> Option<&'a str> {
        if !self.hooks.contains(Hooks::PREPARE) {
            return None;
        }
        self.list.iter().zip(notes).fold(None, |class, (policy, notes)| {
            class.or(own!(policy: Policy, notes: PolicyNotes => policy.prepare(notes, turn), else None))
        })
    }

    /// The sources that this turn's circumstances rouse.
    #[inline]
    pub(in crate::engine) fn triggered_by_signals(&self, turn: &TurnContext<'_>) -> SourceMask {
        self.list.iter().fold(SourceMask::NONE, |mask, policy| {
            mask.or(own!(policy: Policy => policy.triggered_by_signals(turn), else SourceMask::NONE))
        })
    }

    /// Lets a source contribute: the policy whose it is does.
    #[inline]
    pub(in crate::engine) fn contribute(
        &self,
        kind: SourceKind,
        notes: &mut [PolicyNotes],
        turn: &TurnContext<'_>,
        board: &mut Blackboard,
    ) -> Result<(), SourceError> {
        let own = turn.settings.policies.iter().zip(&turn.session.policies);
        for ((policy, (own, memory)), notes) in self.list.iter().zip(own).zip(notes) {
            own!(
                policy: Policy, own: PolicySettings, memory: PolicyMemory, notes: PolicyNotes
                    => policy.contribute(kind, (own, memory), notes, turn, board), else Ok(())
            )?;
        }
        Ok(())
    }

    /// Lets a decision pass the gates.
    pub(in crate::engine) fn gate(
        &self,
        turn: &TurnContext<'_>,
        board: &mut Blackboard,
        decision: &mut Decision,
    ) -> Option<Need> {
        let policies = self.list.iter().zip(&turn.session.policies);
        policies.into_iter().find_map(|(policy, memory)| {
            own!(policy: Policy, memory: PolicyMemory => policy.gate(memory, turn, board, decision), else None)
        })
    }

    /// Works out what the turn leaves behind.
    pub(in crate::engine) fn apply(
        &self,
        notes: &mut [PolicyNotes],
        turn: &TurnContext<'_>,
        decision: &mut Decision,
    ) -> Option<Need> {
        let policies = self.list.iter().zip(notes);
        policies.into_iter().find_map(|(policy, notes)| {
            own!(policy: Policy, notes: PolicyNotes => policy.apply(notes, turn, decision), else None)
        })
    }

    /// Keeps what is to be kept of a turn.
    #[inline]
    pub(in crate::engine) fn commit(
        &self,
        memories: &mut [PolicyMemory],
        notes: &mut [PolicyNotes],
        turn: &mut CommitTurn<'_>,
    ) {
        if self.hooks.contains(Hooks::COMMIT) {
            let own = self.list.iter().zip(&turn.settings.policies).zip(memories).zip(notes);
            for (((policy, own), memory), notes) in own {
                own!(
                    policy: Policy, own: PolicySettings, memory: PolicyMemory, notes: PolicyNotes
                        => policy.commit(own, memory, notes, turn), else ()
                );
            }
        }
    }

    /// A turn that nobody could read.
    pub(in crate::engine) fn unread(&self, notes: &mut [PolicyNotes]) {
        for (policy, notes) in self.list.iter().zip(notes) {
            own!(policy: Policy, notes: PolicyNotes => policy.unread(notes), else ());
        }
    }

    /// The class of a turn by the registry of a policy.
    pub(in crate::engine) fn registered_class<'a>(&'a self, record: &'a TurnRecord) -> Option<&'a str> {
        self.list.iter().zip(&record.policies).find_map(
            |(policy, notes)| own!(policy: Policy, notes: PolicyNotes => policy.registered_class(notes), else None),
        )
    }

    /// Writes what the policies have to say in a part of the record. Whether any of them has such a part.
    pub(in crate::engine) fn describe(&self, part: RecordPart, line: &RecordView<'_>, out: &mut impl Sink) -> bool {
        self.list.iter().zip(&line.record.policies).fold(false, |has, (policy, notes)| {
            own!(policy: Policy, notes: PolicyNotes => policy.describe(part, notes, line, out), else false) || has
        })
    }

    /// The value of a counter; 0 where no policy counts it.
    pub fn counter(&self, session: &Session, settings: &Settings, id: CounterId) -> i64 {
        let value = |(policy, memory): (&Policy, &PolicyMemory)| {
            own!(
                policy: Policy, memory: PolicyMemory
                    => policy.counter(memory, settings, &session.tracker, id), else None
            )
        };
        self.list.iter().zip(&session.policies).find_map(value).unwrap_or(0)
    }

    /// The memories of a session as they are saved, by the names of the policies.
    pub(in crate::engine) fn save(&self, session: &Session, names: &SavedNames<'_>) -> Map<String, Json> {
        let all = self.list.iter().zip(&session.policies);
        all.filter_map(|(policy, memory)| {
            let saved = own!(policy: Policy, memory: PolicyMemory => policy.save(memory, names), else None);
            Some((policy.name().to_owned(), saved?))
        })
        .collect()
    }

    /// Puts saved memories back into a session. `beside` is a key of the saved session itself that belongs to the policy
    /// that knows it.
    pub(in crate::engine) fn restore(
        &self,
        saved: &Map<String, Json>,
        beside: (&str, &Json),
        session: &mut Session,
        machine: &Machine,
    ) -> Result<(), serde_json::Error> {
        for (at, policy) in self.list.iter().enumerate() {
            let mut own = saved.get(policy.name()).and_then(Json::as_object).cloned().unwrap_or_default();
            if !beside.1.is_null() {
                own.insert(beside.0.to_owned(), beside.1.clone());
            }
            let memory = policy.restore(Json::Object(own), session, machine)?;
            if let Some(place) = session.policies.get_mut(at) {
                *place = memory;
            }
        }
        Ok(())
    }

    /// The settings of a dialogue that changes nothing.
    pub(in crate::engine) fn settings(&self) -> &Settings {
        &self.settings
    }
}
