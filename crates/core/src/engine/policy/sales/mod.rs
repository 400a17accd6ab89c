//! The sales policy: the sources that react to questions about the price, objections, go-backs, stalls and similar
//! events, with their configuration and memory.

mod config;
mod lint;
mod memory;
mod reason;
mod settings;
mod sources;

use super::confidence::{assess_confidence, keep_question};
use super::{
    BeginTurn, Hooks, PolicyHooks, PolicyLead, PolicyTransition, TurnInputs, reads_go_backs,
};
use crate::engine::{
    Answer, Blackboard, Cap, Change, Clarification, CommitTurn, DisambiguationRules, Input,
    Machine, Need, PolicyFacts, Readers, ReadingDecision, Reads, RecordPart, RecordView,
    SavedNames, Session, Settings, Sink, SourceError, SourceKind, Tracker, TurnContext,
    first_answer, pairs,
};
use crate::machine::{
    CounterId, EdgeMark, Intent, IntentId, NeedKind, SourceMask, State, StateId, Target, Traits,
    Value,
};
pub use config::{
    Actions, Categories, Flags, Pattern, Roles, SalesConfig, SalesIntent, Thresholds,
    WellKnownSlots, WellKnownStates,
};
use fsmsim_syntax::diagnostic::Diagnostic;
pub use memory::{GuardMemory, SalesMemory, SalesNotes};
use memory::{PendingGoBack, SavedSales};
pub use reason::{Escalation, GuardTier, SalesReason};
pub use settings::{GuardLimits, PersonaLimits, Personas, SalesSettings};
use sources::SalesTurn;

impl PolicyFacts for SalesConfig {
    fn inputs(&self) -> TurnInputs {
        TurnInputs {
            unclear: self.unclear,
            stubs: true,
            ..TurnInputs::default()
        }
    }

    /// The stall guard forces a transition if turns in a state are limited.
    fn leads_from(&self, machine: &Machine, id: StateId) -> Vec<PolicyTransition> {
        let State {
            max_turns: turns,
            fallback,
            ..
        } = machine.state(id);
        let by_default = *turns > 0 && !matches!(fallback, Target::State(..));
        let stalled = self.states.stall_default.filter(|_| by_default);
        let way = |target| PolicyTransition {
            target,
            called: format!("after {turns} turns").into(),
            rule: None,
        };
        stalled.map(way).into_iter().collect()
    }

    fn leads_anywhere(&self, machine: &Machine) -> Vec<StateId> {
        let entry = self
            .states
            .entry
            .filter(|_| !machine.settings().switches.objection_return);
        [self.states.soft_close, self.states.escalation, entry]
            .into_iter()
            .flatten()
            .collect()
    }

    fn lead(&self, machine: &Machine, settings: &Settings, id: StateId) -> PolicyLead {
        let source = SourceKind::AutonomousDecision;
        PolicyLead {
            completes: settings.policies.sales.guard.is_some(),
            decides: Some(source).filter(|source| machine.state(id).source_filter.has(*source)),
            interrupts: self.states.handle_objection,
            ..PolicyLead::default()
        }
    }

    fn disambiguation(&self) -> Option<&DisambiguationRules> {
        Some(&self.disambiguation)
    }

    fn knows_intent(&self, id: IntentId) -> bool {
        !self.intent(id).roles.is_empty()
    }

    fn is_like(&self, one: IntentId, other: IntentId) -> bool {
        let has = |pattern: &Pattern, intent| pattern.intents.contains(&intent);
        self.intent(one) == self.intent(other)
            && self
                .patterns
                .iter()
                .all(|pattern| has(pattern, one) == has(pattern, other))
    }

    fn lint(&self, machine: &Machine, _: bool, found: &mut Vec<Diagnostic>) {
        lint::unused_data(self, machine, found);
        lint::objection_state(self, machine, found);
    }
}

impl PolicyHooks for SalesConfig {
    const NAME: &'static str = "sales";
    const HOOKS: Hooks = Hooks::ASK.union(Hooks::BEGIN).union(Hooks::COMMIT);
    type Settings = SalesSettings;
    type Memory = SalesMemory;
    type Turn = SalesNotes;

    fn settings(&self) -> SalesSettings {
        self.settings.clone()
    }

    fn restrict_sources(
        &self,
        own: &SalesSettings,
        settings: &Settings,
        sources: SourceMask,
    ) -> SourceMask {
        let sources = self
            .source_flags
            .iter()
            .filter(|(_, flag)| !settings.flag(*flag))
            .fold(sources, |sources, (kind, _)| sources.with(*kind, false));
        if own.guard.is_none() {
            sources.with(SourceKind::ConversationGuard, false)
        } else {
            sources
        }
    }

    fn filter_by_state(&self, machine: &Machine, id: Option<StateId>, state: &State) -> SourceMask {
        let autonomous = self.autonomous_flow
            && id.is_some_and(|id| {
                machine
                    .names
                    .states
                    .name(id)
                    .starts_with(&*self.autonomous_prefix)
            });
        let anywhere = [
            SourceKind::ConversationGuard,
            SourceKind::Disambiguation,
            SourceKind::PriceQuestion,
            SourceKind::FactQuestion,
            SourceKind::IntentPatternGuard,
            SourceKind::ObjectionGuard,
            SourceKind::Escalation,
        ];
        anywhere
            .into_iter()
            .fold(SourceMask::NONE, |mask, kind| mask.with(kind, true))
            .with(
                SourceKind::GoBackGuard,
                state.go_back.is_some() || state.allowed_go_back.is_some(),
            )
            .with(
                SourceKind::ObjectionReturn,
                id.is_some() && id == self.states.handle_objection,
            )
            .with(SourceKind::AutonomousDecision, autonomous)
            .with(SourceKind::PhaseExhausted, state.max_turns > 0)
            .with(SourceKind::StallGuard, state.max_turns > 0)
    }

    fn filter_by_intent(
        &self,
        machine: &Machine,
        id: IntentId,
        intent: &Intent,
    ) -> (SourceMask, SourceMask) {
        let roles = self.intent(id).roles;
        let objects = intent.has(Traits::OBJECTION);
        let limits_go_backs =
            machine.settings().switches.objection_limits && intent.has(Traits::GO_BACK);
        let escalates = Roles::ESCALATION | Roles::SENSITIVE | Roles::FRUSTRATION;
        let filter = SourceMask::NONE
            .with(SourceKind::GoBackGuard, intent.has(Traits::GO_BACK))
            .with(SourceKind::ConversationGuard, true)
            .with(SourceKind::Disambiguation, roles.contains(Roles::AMBIGUOUS))
            .with(SourceKind::PriceQuestion, roles.contains(Roles::PRICE))
            .with(SourceKind::FactQuestion, roles.contains(Roles::FACT))
            .with(
                SourceKind::IntentPatternGuard,
                roles.contains(Roles::PATTERN),
            )
            .with(SourceKind::ObjectionGuard, objects || limits_go_backs)
            .with(
                SourceKind::ObjectionReturn,
                objects || roles.contains(Roles::RETURN_TRIGGER),
            )
            .with(SourceKind::AutonomousDecision, true)
            .with(SourceKind::PhaseExhausted, true)
            .with(SourceKind::StallGuard, true)
            .with(SourceKind::Escalation, roles.intersects(escalates));
        // The price-question source replaces the rule of the state, and evaluates this rule itself.
        let replaced =
            SourceMask::NONE.with(SourceKind::IntentProcessor, roles.contains(Roles::PRICE));
        (filter, replaced)
    }

    fn assess(
        &self,
        machine: &Machine,
        settings: &Settings,
        clarification: &Clarification,
        reading: &Value,
        input: &mut Input,
    ) -> Option<ReadingDecision> {
        let rules = (&self.disambiguation, self.unclear);
        assess_confidence(rules, machine, settings, clarification, reading, input)
    }

    fn ask(
        &self,
        machine: &Machine,
        settings: &Settings,
        session: &Session,
        answers: &[Answer],
        state: StateId,
    ) -> Option<Need> {
        let decides = settings.sources.has(SourceKind::AutonomousDecision)
            && machine
                .state(state)
                .source_filter
                .has(SourceKind::AutonomousDecision)
            && !(settings.switches.final_state && session.would_be_final(state, machine));
        (decides && first_answer(answers, NeedKind::Decide).is_none())
            .then_some(Need::Decide { state })
    }

    #[inline]
    fn begin(
        &self,
        own: &SalesSettings,
        memory: &mut SalesMemory,
        notes: &mut SalesNotes,
        turn: &BeginTurn<'_>,
        machine: &Machine,
    ) -> bool {
        let category = self.categories.objection;
        let in_row = turn.tracker.category_streak(category);
        let in_all = turn.tracker.category_total(category);
        notes.objections_before = (in_row, in_all);
        let switches = &turn.settings.switches;
        if let Some(limits) = &own.guard {
            // The profile `reference` treats silence as an empty message.
            let silence = (!switches.conversation_guard).then_some("");
            memory
                .guard
                .observe(turn.state, turn.input.say.as_deref().or(silence), limits);
        }
        // The profile `reference` stops counting objections at the limits of the machine.
        let most = machine.settings();
        switches.objection_limits
            || !machine.intent(turn.intent).has(Traits::OBJECTION)
            || (i64::from(in_row) < most.limit(self.limits.consecutive_objections)
                && i64::from(in_all) < most.limit(self.limits.total_objections))
    }

    #[inline]
    fn triggered_by_signals(&self, turn: &TurnContext<'_>) -> SourceMask {
        let asked = turn.signals.is_some_and(|signals| {
            !signals.secondary.is_empty() || signals.repeated_question.is_some()
        });
        let unclear = self
            .unclear
            .map_or(0, |intent| turn.session.tracker.total(intent));
        let lost = i64::from(unclear) >= self.thresholds.unclear_considered;
        SourceMask::NONE
            .with(SourceKind::PriceQuestion, asked)
            .with(SourceKind::FactQuestion, asked)
            .with(SourceKind::Escalation, lost)
    }

    #[inline]
    fn contribute(
        &self,
        kind: SourceKind,
        (settings, memory): (&SalesSettings, &SalesMemory),
        notes: &mut SalesNotes,
        turn: &TurnContext<'_>,
        board: &mut Blackboard,
    ) -> Result<(), SourceError> {
        let objections_before = notes.objections_before;
        let sales = SalesTurn {
            turn,
            config: self,
            settings,
            memory,
            objections_before,
        };
        sources::contribute(kind, &sales, notes, board)
    }

    #[inline]
    fn commit(
        &self,
        own: &SalesSettings,
        memory: &mut SalesMemory,
        notes: &mut SalesNotes,
        turn: &mut CommitTurn<'_>,
    ) {
        let decision = turn.decision;
        let changed = decision.to != turn.from;
        if !decision.failed {
            if changed && let Some(pending) = notes.go_back {
                self.count_go_back(memory, pending, turn);
            }
            self.settle_objection(turn);
            keep_question(turn, self.actions.ask_clarification);
        }
        if own.guard.is_some() {
            let brought = turn
                .input
                .data
                .values()
                .iter()
                .any(|(_, value)| !value.is_null());
            if brought || changed {
                memory.guard.progress();
            }
        }
    }

    fn describe(
        &self,
        part: RecordPart,
        _: &SalesNotes,
        line: &RecordView<'_>,
        out: &mut impl Sink,
    ) -> bool {
        let is_known = part == RecordPart::GoBacks;
        if is_known {
            for step in &line.session.policies.sales.go_backs {
                out.item().object(|out| {
                    pairs!(
                        out,
                        from = text(line.state(step.from)),
                        to = text(line.state(step.to)),
                    );
                });
            }
        }
        is_known
    }

    fn counter(
        &self,
        memory: &SalesMemory,
        settings: &Settings,
        tracker: &Tracker,
        id: CounterId,
    ) -> Option<i64> {
        let counters = &self.counters;
        let objection = self.categories.objection;
        match id {
            id if id == counters.go_backs => Some(memory.go_backs_taken()),
            id if id == counters.go_backs_left => {
                Some(memory.go_backs_left(settings.limit(self.limits.go_backs)))
            }
            id if id == counters.objections_in_row => {
                Some(i64::from(tracker.category_streak(objection)))
            }
            id if id == counters.objections_total => {
                Some(i64::from(tracker.category_total(objection)))
            }
            _ => None,
        }
    }

    fn reads(&self, own: &SalesSettings, readers: &mut Readers<'_>) {
        sources::reads(self, own, readers);
    }

    fn reads_counter(&self, id: CounterId, cap: Cap, readers: &mut Readers<'_>) -> bool {
        let counters = &self.counters;
        let objection = self.categories.objection;
        let most = match cap {
            Cap::At(most) => most,
            _ => i64::from(u32::MAX),
        };
        match id {
            id if id == counters.objections_in_row => readers.category_streak(objection, most),
            id if id == counters.objections_total => readers.category_total(objection, most),
            id => {
                let limit = readers.settings.limit(self.limits.go_backs);
                let own = [counters.go_backs, counters.go_backs_left];
                return reads_go_backs(own, id, (cap, limit), readers);
            }
        }
        true
    }

    fn reduce(&self, memory: &mut SalesMemory, reads: &Reads, settings: &Settings) {
        let is_on = settings.sources.has(SourceKind::ConversationGuard);
        let guard = settings.policies.sales.guard.as_ref();
        memory.reduce(reads, guard.filter(|_| is_on));
    }

    fn save(&self, memory: &SalesMemory, names: &SavedNames<'_>) -> Option<serde_json::Value> {
        let most = names.settings.limit(self.limits.go_backs);
        serde_json::to_value(SavedSales::of(memory, most, names)).ok()
    }

    fn restore(
        &self,
        saved: serde_json::Value,
        session: &mut Session,
        machine: &Machine,
    ) -> Result<SalesMemory, serde_json::Error> {
        let saved: SavedSales = serde_json::from_value(saved)?;
        saved.restore(session, machine)
    }
}

impl SalesConfig {
    /// Counts a completed go-back. The profile `reference` counts it only at its target, and if its own action won.
    fn count_go_back(
        &self,
        memory: &mut SalesMemory,
        pending: PendingGoBack,
        turn: &CommitTurn<'_>,
    ) {
        let decision = turn.decision;
        let by = decision.by_action.and_then(|won| won.by);
        let won = by == Some(SourceKind::GoBackGuard) && decision.action == self.actions.go_back;
        let counts = if turn.settings.switches.go_back_count {
            decision.mark == Some(EdgeMark::Back)
        } else {
            won && pending.to == Some(decision.to)
        };
        if counts {
            memory.go_backs.push(Change {
                from: turn.from,
                to: decision.to,
            });
        }
    }

    /// A positive intent after an objection settles it, so the dialogue no longer returns. Other asides have no
    /// objection to settle. A transition out of the handling state is followed like that of any aside.
    fn settle_objection(&self, turn: &mut CommitTurn<'_>) {
        if turn.returns.top().is_none() {
            return;
        }
        let decision = turn.decision;
        let from = turn.machine.state(turn.from);
        let handles = self.states.handle_objection == Some(turn.from);
        let switched = decision
            .traversal
            .as_ref()
            .is_some_and(|traversal| traversal.switched);
        let streak = turn.tracker.category_streak(self.categories.objection);
        let is_settled = turn.machine.intent(turn.intent).has(Traits::POSITIVE) && streak == 0;
        let is_elsewhere = from.aside.is_some() && !handles;
        let leaves = handles && decision.to != turn.from;
        if is_settled && !switched && !is_elsewhere && !leaves {
            turn.returns.pop();
        }
    }
}
