//! What sources and conditions see of a turn: an immutable context.

use super::condition_error::ConditionError;
use super::contact;
use crate::engine::Machine;
use crate::engine::io::{Answer, Effect, Input};
use crate::engine::session::{
    ABSENT, Counters, NOTHING_KNOWN, Scope, Session, Settings, Signals, Slots,
};
use crate::engine::turn_watch::{TurnWatch, WatchEvent};
use crate::machine::{
    ActionId, ChainId, Clause, Consequent, Contact, Intent, IntentId, PhaseId, RuleId, SlotId,
    State, StateId, Target, Traits, Value,
};

/// What a turn looks like to those who have something to say about it. The intent is counted and the data is stored.
#[derive(Clone, Copy)]
pub(in crate::engine) struct TurnContext<'a> {
    pub(in crate::engine) machine: &'a Machine,
    pub(in crate::engine) settings: &'a Settings,
    pub(in crate::engine) session: &'a Session,
    /// The data as the turn is going to leave it, as far as that is known.
    pub(in crate::engine) slots: &'a Slots,
    /// The counters, likewise.
    pub(in crate::engine) counters: &'a Counters,
    /// The data before the turn; where the machine plays turns in place, as they are.
    pub(in crate::engine) was: &'a Slots,
    pub(in crate::engine) input: &'a Input,
    pub(in crate::engine) answers: &'a [Answer],
    /// The current intent.
    pub(in crate::engine) intent: IntentId,
    /// The state before the turn.
    pub(in crate::engine) state: StateId,
    /// The signals, where anybody looks at them.
    pub(in crate::engine) signals: Option<&'a Signals<'a>>,
    /// What is known of the turn only while it is played.
    pub(in crate::engine) facts: &'a TurnFacts<'a>,
    /// Who watches what conditions come to.
    pub(in crate::engine) watch: Option<&'a TurnWatch>,
}

/// What is known of a turn only while it is played.
#[derive(Clone, Copy, Debug)]
pub(in crate::engine) struct TurnFacts<'a> {
    /// The class of the turn, once it is known.
    pub(in crate::engine) class: Option<&'a str>,
    /// What the world came to, where the turn is not played here.
    pub(in crate::engine) outcome: Option<&'a str>,
    /// A route was executed.
    pub(in crate::engine) executed: bool,
    /// The state before the turn, where the turn is over.
    pub(in crate::engine) from: Option<StateId>,
    /// What was done to the world so far.
    pub(in crate::engine) effects: &'a [Effect],
    /// What the machine said by itself.
    pub(in crate::engine) replies: &'a [Box<str>],
    /// What an effect is to be done with, while its gates are asked.
    pub(in crate::engine) payload: Option<&'a Value>,
    /// What the world gave, while it is looked what that means.
    pub(in crate::engine) given: Option<&'a Value>,
}

impl TurnFacts<'_> {
    /// Nothing is known yet.
    pub(in crate::engine) const NONE: Self = Self {
        class: None,
        outcome: None,
        executed: false,
        from: None,
        effects: &[],
        replies: &[],
        payload: None,
        given: None,
    };
}

impl<'a> TurnContext<'a> {
    /// A turn of which only this is known: `before` is the session as it was, `session` as it is.
    pub(in crate::engine) fn new(
        machine: &'a Machine,
        settings: &'a Settings,
        before: &'a Session,
        session: &'a Session,
        input: &'a Input,
        intent: IntentId,
    ) -> Self {
        let state = before.position.state;
        let (slots, counters, was) = (&session.slots, &session.counters, &before.slots);
        let (signals, facts, watch) = (None, &TurnFacts::NONE, None);
        Self {
            machine,
            settings,
            session,
            slots,
            counters,
            was,
            input,
            answers: &[],
            intent,
            state,
            signals,
            facts,
            watch,
        }
    }

    /// The current state.
    #[inline]
    pub(in crate::engine) fn here(&self) -> &'a State {
        self.machine.state(self.state)
    }

    /// The current intent's properties.
    #[inline]
    pub(in crate::engine) fn current_intent(&self) -> &'a Intent {
        self.machine.intent(self.intent)
    }

    /// Whether the current intent does this to a dialogue.
    #[inline]
    pub(in crate::engine) fn does(&self, traits: Traits) -> bool {
        self.current_intent().has(traits)
    }

    /// The phase that conditions see.
    pub(in crate::engine) fn seen_phase(&self) -> Option<PhaseId> {
        self.here().seen_phase
    }

    /// The signals as a source with this scope passes them on.
    pub(in crate::engine) fn signals_in(&self, scope: Scope) -> Signals<'a> {
        let Some(signals) = self.signals else {
            return ABSENT;
        };
        let all = signals.clone();
        if self.settings.switches.signals {
            return all;
        }
        let secondary = NOTHING_KNOWN.secondary;
        match scope {
            Scope::All => all,
            Scope::Most => Signals { secondary, ..all },
            Scope::Fact => Signals {
                secondary,
                momentum_direction: ABSENT.momentum_direction,
                confidence_trend: ABSENT.confidence_trend,
                total_objections: ABSENT.total_objections,
                has_breakthrough: ABSENT.has_breakthrough,
                turns_since_breakthrough: ABSENT.turns_since_breakthrough,
                guard_intervention: ABSENT.guard_intervention,
                unclear_count: ABSENT.unclear_count,
                ..all
            },
        }
    }

    /// Whether a slot is there, in the sense of conditions.
    pub(in crate::engine) fn is_missing(&self, slot: SlotId) -> bool {
        is_missing(self.slots.get(slot), self.settings)
    }

    /// Whether the collected data hold a usable contact. The first usable one of its sources counts.
    pub(in crate::engine) fn has_contact(&self, kind: Contact) -> bool {
        let prefixes = &self.machine.well_known.phone_prefixes;
        let [info, email, phone, contact] = self
            .machine
            .well_known
            .contact
            .map(|slot| slot.map_or(&Value::Null, |slot| self.slots.get(slot)));
        let is_email = |value: &Value| {
            value
                .as_text()
                .is_some_and(|text| contact::email(text).is_some())
        };
        let is_phone = |value: &Value| {
            value
                .as_text()
                .is_some_and(|text| contact::phone(text, prefixes).is_some())
        };
        let is_any = |value: &Value| {
            value
                .as_text()
                .is_some_and(|text| contact::any(text, prefixes).is_some())
        };
        let field = |name: &str| info.get(name).unwrap_or(&Value::Null);
        match kind {
            Contact::Any => {
                is_any(info)
                    || is_email(field("email"))
                    || is_phone(field("phone"))
                    || is_email(email)
                    || is_phone(phone)
                    || is_any(contact)
            }
            Contact::Email => {
                is_email(email)
                    || match info.as_text() {
                        Some(text) => text.contains('@') && contact::email(text).is_some(),
                        None => is_email(field("email")),
                    }
            }
            Contact::Phone => {
                is_phone(phone)
                    || match info.as_text() {
                        Some(text) => {
                            !text.contains('@') && contact::phone(text, prefixes).is_some()
                        }
                        None => is_phone(field("phone")),
                    }
            }
        }
    }

    /// The first alternative of a chain that applies. With `lenient`, a condition without a value counts as false.
    pub(in crate::engine) fn first(
        &self,
        chain: ChainId,
        scope: Scope,
        lenient: bool,
    ) -> Result<Option<&'a Clause>, ConditionError> {
        for clause in self.machine.clauses(chain) {
            let Some(condition) = clause.when else {
                return Ok(Some(clause));
            };
            let applies = match self.evaluate(condition, scope) {
                Ok(value) => value,
                Err(_) if lenient => false,
                Err(fault) => return Err(fault),
            };
            if let Some(watch) = self.watch {
                watch.note(WatchEvent::When(clause.rule, applies));
            }
            if applies {
                return Ok(Some(clause));
            }
        }
        Ok(None)
    }

    /// The action of the state's rule for an intent, where it gives one.
    pub(in crate::engine) fn rule_action(
        &self,
        intent: IntentId,
        scope: Scope,
    ) -> Option<(ActionId, RuleId)> {
        let chain = self.here().rules.get(intent)?;
        match self.first(chain, scope, true) {
            Ok(Some(Clause {
                then: Consequent::Action(action),
                rule,
                ..
            })) => Some((*action, *rule)),
            _ => None,
        }
    }

    /// The state that a target leads to now.
    pub(in crate::engine) fn resolve_target(&self, target: Target) -> Option<(StateId, RuleId)> {
        match target {
            Target::None => None,
            Target::State(state, rule) => Some((state, rule)),
            Target::Chain(chain) => match self.first(chain, Scope::Most, true) {
                Ok(Some(Clause {
                    then: Consequent::State(state),
                    rule,
                    ..
                })) => Some((*state, *rule)),
                _ => None,
            },
        }
    }

    /// A state that may be proposed: one that is defined, or, as in the profile `reference`, any.
    pub(in crate::engine) fn proposable(&self, state: Option<StateId>) -> Option<StateId> {
        state
            .filter(|state| !self.settings.switches.strict_load || self.machine.is_declared(*state))
    }
}

/// Whether a value counts as missing: empty, or (under the profile `reference`) false or 0 too.
pub fn is_missing(value: &Value, settings: &Settings) -> bool {
    if settings.switches.completeness {
        !value.filled()
    } else {
        !value.truthy()
    }
}
