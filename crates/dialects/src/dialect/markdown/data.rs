//! User data that states of a state set read and write: effects with consent gates, and their outcomes
//! (docs/src/explanation/effects-and-consent.md).

use std::sync::Arc;

use fsmsim_core::engine::policy::{Guidance, Guide};
use fsmsim_core::machine::{
    Condition, ConditionId, ConsentKind, EffectDefinition, EffectId, EffectKind, EffectUse, Gate,
    MachineBuilder, NextState, Op, OpKind, Outcome, OutcomeId, OutcomeMark, Payload, RuleId,
    SlotId, StateId, Subject, Test, ValueSource,
};

/// The effects of a state set.
pub(super) struct DataEffects {
    read: EffectId,
    write: EffectId,
}

/// The reason for continuing without data: the code in the record, and a description.
type Reason = (&'static str, &'static str);

const REFUSED: Reason = (
    "consent_refused",
    "the user refused consent to use the data",
);
const MISSING: Reason = ("data_missing", "data that the state reads is missing");
const DOWN: Reason = (
    "store_down",
    "no data store (`twin`) is set, or it does not respond",
);

impl DataEffects {
    /// Declares the effects with gates that require consent.
    pub(super) fn declare(builder: &mut MachineBuilder) -> Self {
        let mut declare = |name: &str, kind: EffectKind, consent: ConsentKind| {
            let gates = [
                (Test::Known(true), "not_asked", "consent was not asked for"),
                (Test::Truthy, "refused", "consent was refused"),
            ];
            let gates = gates
                .into_iter()
                .map(|(test, outcome, words)| Gate {
                    holds: builder.condition(Condition::Test(Subject::Consent(consent), test)),
                    outcome: outcome.into(),
                    words: words.into(),
                })
                .collect();
            let id = builder.effect(name);
            builder.effects[id] = EffectDefinition {
                kind,
                gates,
                ..EffectDefinition::default()
            };
            id
        };
        let read = declare("read", EffectKind::Read, ConsentKind::Read);
        let write = declare("write", EffectKind::Write, ConsentKind::Write);
        Self { read, write }
    }

    /// Adds the effects of entering a state.
    pub(super) fn enter(
        &self,
        state: StateId,
        guide: &Guide,
        guidance: &Guidance,
        rule: RuleId,
        builder: &mut MachineBuilder,
    ) {
        let mut entry = Entry {
            state,
            guide,
            guidance,
            rule,
            builder,
        };
        // In the state for dialogues without data, the user has already answered questions instead.
        let when = guidance
            .no_data_state
            .map(|without| entry.not_from(without));
        let mut ops = Vec::new();
        let mut does = |effect, payload, outcomes: Vec<OutcomeId>| {
            let used = EffectUse {
                effect,
                payload,
                outcomes: outcomes.into(),
                always: false,
            };
            ops.push(Op {
                kind: OpKind::Effect(Arc::new(used)),
                when,
                rule,
            });
        };
        if !guide.reads.is_empty() {
            does(self.read, Payload::Names(guide.reads.clone()), entry.read());
        }
        if let Some(schema) = guide.writes {
            does(self.write, Payload::Known(schema), entry.written());
        }
        if !ops.is_empty() {
            builder.give_ops(rule, ops);
            builder.states[state].entry = Some(rule);
        }
    }
}

/// The context for entering a state.
struct Entry<'e> {
    state: StateId,
    guide: &'e Guide,
    guidance: &'e Guidance,
    /// The rule whose location is the name of the state.
    rule: RuleId,
    builder: &'e mut MachineBuilder,
}

impl Entry<'_> {
    fn not_from(&mut self, state: StateId) -> ConditionId {
        let from = self.builder.condition(Condition::From([state].into()));
        self.builder.condition(Condition::Not(from))
    }

    /// The outcomes of reading the data of the state.
    fn read(&mut self) -> Vec<OutcomeId> {
        let keys = &self.guide.reads;
        let available: Vec<ConditionId> = keys.iter().map(|key| self.is_returned(*key)).collect();
        let sets: Vec<Op> = keys
            .iter()
            .zip(&available)
            .map(|(key, available)| self.store_value(*key, *available))
            .collect();
        let any = self
            .builder
            .condition(Condition::Or(available.as_slice().into()));
        let all = self.builder.condition(Condition::And(available.into()));
        let none = self.builder.condition(Condition::Not(any));
        let done = Outcome {
            when: Some(all),
            ..self.done(MISSING)
        };
        let absent = Outcome {
            when: Some(none),
            ..self.without("ok", "absent", MISSING)
        };
        let partial = self.without("ok", "partial", MISSING);
        for outcome in [&done, &partial] {
            self.builder.give_ops(outcome.rule, sets.clone());
        }
        let invalid = ("data_invalid", "data that the state reads is invalid");
        let invalid = self.without("invalid", "invalid", invalid);
        self.outcomes("reads", vec![done, absent, partial, invalid])
    }

    /// The outcomes of writing the data of the state.
    fn written(&mut self) -> Vec<OutcomeId> {
        let violation = ("payload_invalid", "the data to write violates its schema");
        let violation = self.without("breaks_schema", "breaks_schema", violation);
        let done = self.done(DOWN);
        self.outcomes("saves", vec![done, violation])
    }

    /// Adds the outcomes of gates and of store failures.
    fn outcomes(&mut self, access: &str, mut outcomes: Vec<Outcome>) -> Vec<OutcomeId> {
        outcomes.extend(self.common_outcomes(access));
        outcomes
            .into_iter()
            .map(|outcome| self.builder.outcomes.push(outcome))
            .collect()
    }

    /// The outcomes of the consent gates and of an unavailable store.
    fn common_outcomes(&mut self, access: &str) -> [Outcome; 4] {
        let asks = self
            .guidance
            .consent
            .filter(|consent| *consent != self.state);
        let mut not_asked = self.without("not_asked", "not_asked", REFUSED);
        if let Some(consent) = asks {
            not_asked = Outcome {
                leads: NextState::Digress(consent),
                mark: OutcomeMark::WhyNotResult,
                code: "consent_needed".into(),
                words: format!("the state {access} user data, and consent was not requested yet")
                    .into(),
                ..not_asked
            };
        }
        let refused = self.without("refused", "refused", REFUSED);
        let [down, failed] = ["down", "error"].map(|status| self.without(status, "down", DOWN));
        [not_asked, refused, down, failed]
    }

    /// Continues without data: as the state declares, otherwise in the state for dialogues without data.
    fn without(&mut self, status: &str, name: &str, (code, words): Reason) -> Outcome {
        let leads = self
            .guidance
            .no_data_state
            .filter(|without| *without != self.state)
            .filter(|_| self.guide.degradation.is_none())
            .map_or(NextState::On, NextState::Digress);
        // Each outcome has a separate rule at the location of the state.
        let span = self.builder.rule_span(self.rule);
        let origin = self.builder.rule_origin(self.rule);
        Outcome {
            name: name.into(),
            status: status.into(),
            when: None,
            leads,
            mark: OutcomeMark::Degrade,
            code: code.into(),
            words: words.into(),
            rule: self.builder.rule(span, origin),
        }
    }

    /// The outcome of a successful effect: the dialogue continues normally.
    fn done(&mut self, reason: Reason) -> Outcome {
        Outcome {
            leads: NextState::On,
            mark: OutcomeMark::None,
            ..self.without("ok", "done", reason)
        }
    }

    /// Whether the store returned a value for a key.
    fn is_returned(&mut self, key: SlotId) -> ConditionId {
        let given = Subject::Returned(self.path(key));
        self.builder
            .condition(Condition::Test(given, Test::Known(true)))
    }

    /// Stores the returned value of a key, if there is one.
    fn store_value(&mut self, key: SlotId, available: ConditionId) -> Op {
        let kind = OpKind::Set(key, ValueSource::Outcome(self.path(key)));
        Op {
            kind,
            when: Some(available),
            rule: self.rule,
        }
    }

    fn path(&self, key: SlotId) -> Box<[Box<str>]> {
        ["data", self.builder.names.slots.name(key)]
            .map(Into::into)
            .into()
    }
}
