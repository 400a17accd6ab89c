//! The turn as sources and conditions see it: an immutable context.

use strum::Display;

use super::contact;
use crate::engine::session::{ABSENT, NOTHING_KNOWN};
use crate::engine::{
    Answer, Counters, Effect, Input, Machine, Scope, Session, Settings, Signals, Slots, TurnWatch,
    WatchEvent,
};
use crate::machine::{
    ActionId, Alternative, ChainId, Contact, Intent, IntentId, PhaseId, RuleId, SlotId, State,
    StateId, Target, Traits, Value,
};

/// The turn as sources, policies and conditions see it. The intent is already counted and the data is stored.
#[derive(Clone, Copy)]
pub(crate) struct TurnContext<'a> {
    pub machine: &'a Machine,
    pub settings: &'a Settings,
    pub session: &'a Session,
    /// The data after the turn, as known so far.
    pub slots: &'a Slots,
    /// The counters after the turn, as known so far.
    pub counters: &'a Counters,
    /// The data before the turn; if the machine runs turns in place, the same as `slots`.
    pub was: &'a Slots,
    pub input: &'a Input,
    pub answers: &'a [Answer],
    /// The current intent.
    pub intent: IntentId,
    /// The state before the turn.
    pub state: StateId,
    /// The signals, if anything reads them.
    pub signals: Option<&'a Signals<'a>>,
    /// Facts that exist only during the turn.
    pub facts: &'a TurnFacts<'a>,
    /// The recorder of condition values.
    pub watch: Option<&'a TurnWatch>,
}

/// Facts that exist only during a turn.
#[derive(Clone, Copy, Debug)]
pub(crate) struct TurnFacts<'a> {
    /// The class of the turn, if already known.
    pub class: Option<&'a str>,
    /// The outcome of effects, if an external system ran the turn.
    pub outcome: Option<&'a str>,
    /// Whether a route was executed.
    pub executed: bool,
    /// The state before the turn, if the turn has ended.
    pub from: Option<StateId>,
    /// The effects of the turn so far.
    pub effects: &'a [Effect],
    /// The messages of the machine.
    pub replies: &'a [Box<str>],
    /// The payload of an effect while its gates are evaluated.
    pub payload: Option<&'a Value>,
    /// The data returned by an effect while its outcome is determined.
    pub given: Option<&'a Value>,
}

impl TurnFacts<'_> {
    /// No facts yet.
    pub(crate) const NONE: Self = Self {
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
    /// Creates the context of a turn: `before` is the session before the turn, `session` the current one.
    pub(crate) fn new(
        machine: &'a Machine,
        settings: &'a Settings,
        before: &'a Session,
        session: &'a Session,
        input: &'a Input,
        intent: IntentId,
    ) -> Self {
        let state = before.position.state;
        let slots = &session.slots;
        let counters = &session.counters;
        let was = &before.slots;
        let signals = None;
        let facts = &TurnFacts::NONE;
        let watch = None;
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
    pub(crate) fn here(&self) -> &'a State {
        self.machine.state(self.state)
    }

    /// The current intent.
    #[inline]
    pub(crate) fn current_intent(&self) -> &'a Intent {
        self.machine.intent(self.intent)
    }

    /// Whether the current intent has these traits.
    #[inline]
    pub(crate) fn does(&self, traits: Traits) -> bool {
        self.current_intent().has(traits)
    }

    /// The phase that conditions see.
    pub(crate) fn seen_phase(&self) -> Option<PhaseId> {
        self.here().seen_phase
    }

    /// The signals that a source with this scope passes to conditions.
    pub(crate) fn signals_in(&self, scope: Scope) -> Signals<'a> {
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

    /// Whether a slot counts as missing.
    pub(crate) fn is_missing(&self, slot: SlotId) -> bool {
        is_missing(self.slots.get(slot), self.settings)
    }

    /// Whether the collected data contains a usable contact. One usable value is enough.
    pub(crate) fn has_contact(&self, kind: Contact) -> bool {
        let prefixes = &self.machine.well_known.phone_prefixes;
        let [info, email, phone, contact] = self
            .machine
            .well_known
            .contact
            .map(|slot| slot.map_or(&Value::Null, |slot| self.slots.get(slot)));
        let is_email = |value: &Value| value.as_text().and_then(contact::email).is_some();
        let is_phone = |value: &Value| {
            let text = value.as_text();
            text.is_some_and(|text| contact::phone(text, prefixes).is_some())
        };
        let is_any = |value: &Value| {
            let text = value.as_text();
            text.is_some_and(|text| contact::any(text, prefixes).is_some())
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
            // Text that contains more than an address or a number does not count.
            Contact::Email => is_email(email) || is_email(info) || is_email(field("email")),
            Contact::Phone => is_phone(phone) || is_phone(info) || is_phone(field("phone")),
        }
    }

    /// The first alternative of a chain that applies. With `lenient`, a condition without a value counts as false.
    pub(crate) fn first(
        &self,
        chain: ChainId,
        scope: Scope,
        lenient: bool,
    ) -> Result<Option<&'a Alternative>, ConditionError> {
        for alternative in self.machine.alternatives(chain) {
            let Some(condition) = alternative.when else {
                return Ok(Some(alternative));
            };
            let applies = match self.evaluate(condition, scope) {
                Ok(value) => value,
                Err(_) if lenient => false,
                Err(fault) => return Err(fault),
            };
            if let Some(watch) = self.watch {
                watch.note(WatchEvent::When(alternative.rule, applies));
            }
            if applies {
                return Ok(Some(alternative));
            }
        }
        Ok(None)
    }

    /// The action of the state's rule for an intent, if there is one.
    pub(crate) fn rule_action(&self, intent: IntentId, scope: Scope) -> Option<(ActionId, RuleId)> {
        let chain = self.here().rules.get(intent)?;
        let alternative = self.first(chain, scope, true).ok()??;
        Some((alternative.then.action()?, alternative.rule))
    }

    /// The state that a target currently resolves to.
    pub(crate) fn resolve_target(&self, target: Target) -> Option<(StateId, RuleId)> {
        match target {
            Target::None => None,
            Target::State(state, rule) => Some((state, rule)),
            Target::Chain(chain) => self.chosen_state(chain),
        }
    }

    /// The target state of the first alternative that applies.
    pub(crate) fn chosen_state(&self, chain: ChainId) -> Option<(StateId, RuleId)> {
        let alternative = self.first(chain, Scope::Most, true).ok()??;
        Some((alternative.then.state()?, alternative.rule))
    }

    /// The state if it can be proposed: it must be defined, except in the profile `reference`.
    pub(crate) fn proposable(&self, state: Option<StateId>) -> Option<StateId> {
        state
            .filter(|state| !self.settings.switches.strict_load || self.machine.is_declared(*state))
    }
}

/// Whether a value counts as missing: empty, or (in the profile `reference`) also false or 0.
pub fn is_missing(value: &Value, settings: &Settings) -> bool {
    if settings.switches.completeness {
        !value.filled()
    } else {
        !value.truthy()
    }
}

/// The reason why a condition has no value.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Display)]
pub enum ConditionError {
    /// The condition is invalid.
    #[strum(to_string = "the condition cannot be evaluated")]
    Broken,
    /// A value has a type that the test does not support.
    #[strum(to_string = "a value has a type that the condition cannot use")]
    WrongType,
}
