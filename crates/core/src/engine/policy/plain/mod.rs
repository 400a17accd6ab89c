//! The plain policy: clarification, and the number of times that a dialogue goes back. Everything else that a plain flow
//! does is in its states.

use serde::{Deserialize, Serialize};

use super::confidence::{ask_back, assess_confidence, keep_question};
use super::hooks::NoReason;
use super::{Hooks, PolicyHooks, TurnInputs, reads_go_backs};
use crate::engine::{
    Blackboard, Cap, Clarification, CommitTurn, DisambiguationRules, Input, Machine, PolicyFacts,
    Readers, ReadingDecision, Reads, Reason, SavedNames, Session, Settings, SourceError,
    SourceKind, Tracker, TurnContext,
};
use crate::machine::{
    ActionId, CounterId, Intent, IntentId, Level, LimitId, SourceMask, State, StateId, Value,
};

/// The reasons of plain flows are those of every machine.
pub type PlainReason = NoReason<'p'>;

/// The configuration of a plain flow.
#[derive(Clone, Debug, Default)]
pub struct PlainConfig {
    /// The rules for accepting answers of a recognizer.
    pub disambiguation: DisambiguationRules,
    /// The trigger of utterances that were not recognized.
    pub unclear: IntentId,
    /// Whether the flow uses the trigger.
    pub uses_unclear: bool,
    /// The action that asks for clarification.
    pub ask_clarification: ActionId,
    /// The action that refuses to go back.
    pub go_back_refused: ActionId,
    /// The maximum number of go-backs, if the flow has one.
    pub limit: Option<LimitId>,
    /// The counter of go-backs.
    pub go_backs: CounterId,
    /// The counter of remaining go-backs.
    pub go_backs_left: CounterId,
}

/// The memory of a plain flow.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(default)]
pub struct PlainMemory {
    /// The number of go-backs.
    go_backs: u32,
}

impl PolicyFacts for PlainConfig {
    fn inputs(&self) -> TurnInputs {
        TurnInputs {
            unclear: self.uses_unclear.then_some(self.unclear),
            stubs: true,
            ..TurnInputs::default()
        }
    }

    fn disambiguation(&self) -> Option<&DisambiguationRules> {
        Some(&self.disambiguation)
    }

    fn knows_intent(&self, id: IntentId) -> bool {
        id == self.unclear || Some(id) == self.disambiguation.ambiguous
    }
}

impl PolicyHooks for PlainConfig {
    const NAME: &'static str = "plain";
    const HOOKS: Hooks = Hooks::COMMIT;
    type Settings = ();
    type Memory = PlainMemory;
    type Turn = ();

    fn filter_by_state(&self, _: &Machine, _: Option<StateId>, state: &State) -> SourceMask {
        let is_guarded = self.limit.is_some() && !state.transitions.is_empty();
        SourceMask::NONE
            .with(SourceKind::Disambiguation, true)
            .with(SourceKind::GoBackGuard, is_guarded)
    }

    fn filter_by_intent(&self, _: &Machine, id: IntentId, _: &Intent) -> (SourceMask, SourceMask) {
        let is_ambiguous = self.disambiguation.ambiguous == Some(id);
        let filter = SourceMask::NONE
            .with(SourceKind::Disambiguation, is_ambiguous)
            .with(SourceKind::GoBackGuard, true);
        (filter, SourceMask::NONE)
    }

    fn assess(
        &self,
        machine: &Machine,
        settings: &Settings,
        clarification: &Clarification,
        reading: &Value,
        input: &mut Input,
    ) -> Option<ReadingDecision> {
        let rules = (&self.disambiguation, Some(self.unclear));
        assess_confidence(rules, machine, settings, clarification, reading, input)
    }

    fn contribute(
        &self,
        kind: SourceKind,
        ((), memory): (&(), &PlainMemory),
        (): &mut (),
        turn: &TurnContext<'_>,
        board: &mut Blackboard,
    ) -> Result<(), SourceError> {
        match kind {
            SourceKind::Disambiguation => {
                ask_back(turn, self.ask_clarification, Reason::Ambiguous, board);
            }
            SourceKind::GoBackGuard => self.limit_go_backs(memory, turn, board),
            _ => {}
        }
        Ok(())
    }

    #[inline]
    fn commit(&self, (): &(), memory: &mut PlainMemory, (): &mut (), turn: &mut CommitTurn<'_>) {
        let decision = turn.decision;
        if decision.failed {
            return;
        }
        if turn.machine.goes_back(turn.from, decision.to) {
            memory.go_backs = memory.go_backs.saturating_add(1);
        }
        keep_question(turn, self.ask_clarification);
    }

    fn counter(
        &self,
        memory: &PlainMemory,
        settings: &Settings,
        _: &Tracker,
        id: CounterId,
    ) -> Option<i64> {
        let taken = i64::from(memory.go_backs);
        match id {
            id if id == self.go_backs => Some(taken),
            id if id == self.go_backs_left => {
                let limit = self.limit.map_or(0, |limit| settings.limit(limit));
                Some(limit.saturating_sub(taken).max(0))
            }
            _ => None,
        }
    }

    fn reads(&self, (): &(), readers: &mut Readers<'_>) {
        let is_limited = readers.settings.sources.has(SourceKind::GoBackGuard);
        if let Some(limit) = self.limit.filter(|_| is_limited) {
            let most = readers.settings.limit(limit);
            readers.reads.go_backs.widen(Cap::At(most));
        }
    }

    fn reads_counter(&self, id: CounterId, cap: Cap, readers: &mut Readers<'_>) -> bool {
        let limit = self.limit.map_or(0, |limit| readers.settings.limit(limit));
        reads_go_backs(
            [self.go_backs, self.go_backs_left],
            id,
            (cap, limit),
            readers,
        )
    }

    fn reduce(&self, memory: &mut PlainMemory, reads: &Reads, _: &Settings) {
        memory.go_backs = reads.go_backs.of_count(memory.go_backs);
    }

    fn save(&self, memory: &PlainMemory, _: &SavedNames<'_>) -> Option<serde_json::Value> {
        (memory.go_backs > 0).then(|| serde_json::to_value(memory).unwrap_or_default())
    }

    fn restore(
        &self,
        saved: serde_json::Value,
        _: &mut Session,
        _: &Machine,
    ) -> Result<PlainMemory, serde_json::Error> {
        serde_json::from_value(saved)
    }
}

impl PlainConfig {
    /// Refuses a transition to an earlier phase if the limit is reached.
    fn limit_go_backs(&self, memory: &PlainMemory, turn: &TurnContext<'_>, board: &mut Blackboard) {
        let limit = self.limit.map(|limit| turn.settings.limit(limit));
        if limit.is_none_or(|limit| i64::from(memory.go_backs) < limit) {
            return;
        }
        // The source of the transition records the values of its conditions.
        let unwatched = TurnContext {
            watch: None,
            ..*turn
        };
        let chain = turn.here().transitions.get(turn.intent);
        let way = chain.and_then(|chain| unwatched.chosen_state(chain));
        if way.is_some_and(|(to, _)| turn.machine.goes_back(turn.state, to)) {
            let why = Reason::TooManyGoBacks;
            board.block(
                SourceKind::GoBackGuard,
                self.go_back_refused,
                Level::High,
                why,
            );
        }
    }
}
