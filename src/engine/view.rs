//! What sources and conditions see of a turn: an immutable view.

use super::contact;
use super::contract::Facts;
use super::input::Input;
use super::need::Answer;
use super::session::Session;
use super::signals::{ABSENT, NOTHING_KNOWN, Scope, Signals};
use crate::machine::{
    ActionId, ChainId, Clause, Consequent, Contact, Intent, IntentId, Machine, PhaseId, Roles, RuleId,
    Settings, SlotId, State, StateId, Target, Value,
};

/// What a turn looks like to those who have something to say about it. The intent is counted and the data is stored.
pub(super) struct TurnContext<'a> {
    pub(super) machine: &'a Machine,
    pub(super) settings: &'a Settings,
    pub(super) session: &'a Session,
    pub(super) input: &'a Input,
    pub(super) answer: Option<&'a Answer>,
    /// The current intent.
    pub(super) intent: IntentId,
    /// The state before the turn.
    pub(super) state: StateId,
    /// The signals, where anybody looks at them.
    pub(super) signals: Option<&'a Signals<'a>>,
    /// Objections in a row and in all before the current intent was counted.
    pub(super) objections_before: (u32, u32),
    /// What a contract may ask besides; nothing for machines without one.
    pub(super) facts: Option<Facts<'a>>,
}

/// Why a condition has no value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ConditionError {
    /// It cannot be evaluated at all.
    Broken,
    /// A value has a type that the question cannot be asked of.
    WrongType,
}

impl std::fmt::Display for ConditionError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Self::Broken => "the condition cannot be evaluated",
            Self::WrongType => "a value has a type that the condition cannot use",
        })
    }
}

impl<'a> TurnContext<'a> {
    /// The current state.
    #[inline]
    pub(super) fn here(&self) -> &'a State {
        self.machine.state(self.state)
    }

    /// The current intent's properties.
    #[inline]
    pub(super) fn meaning(&self) -> &'a Intent {
        self.machine.intent(self.intent)
    }

    /// Whether the current intent plays a role.
    #[inline]
    pub(super) fn is(&self, role: Roles) -> bool {
        self.meaning().roles.has(role)
    }

    /// The phase that conditions see.
    pub(super) fn seen_phase(&self) -> Option<PhaseId> {
        self.here().seen_phase
    }

    /// The signals as a source with this scope passes them on.
    pub(super) fn signals_in(&self, scope: Scope) -> Signals<'a> {
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
    pub(super) fn is_missing(&self, slot: SlotId) -> bool {
        is_missing(self.session.slots.get(slot), self.settings)
    }

    /// Whether the collected data hold a usable contact. The first usable one of its sources counts.
    pub(super) fn has_contact(&self, kind: Contact) -> bool {
        let prefixes = &self.machine.vocabulary.phone_prefixes;
        let [info, email, phone, contact] = self
            .machine
            .vocabulary
            .slots
            .contact
            .map(|slot| slot.map_or(&Value::Null, |slot| self.session.slots.get(slot)));
        let is_email = |value: &Value| value.as_text().is_some_and(|text| contact::email(text).is_some());
        let is_phone =
            |value: &Value| value.as_text().is_some_and(|text| contact::phone(text, prefixes).is_some());
        let is_any =
            |value: &Value| value.as_text().is_some_and(|text| contact::any(text, prefixes).is_some());
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
                        Some(text) => !text.contains('@') && contact::phone(text, prefixes).is_some(),
                        None => is_phone(field("phone")),
                    }
            }
        }
    }

    /// The first alternative of a chain that applies. With `lenient`, a condition without a value counts as false.
    pub(super) fn first(
        &self,
        chain: ChainId,
        scope: Scope,
        lenient: bool,
    ) -> Result<Option<&'a Clause>, ConditionError> {
        for clause in self.machine.clauses(chain) {
            let applies = match clause.when {
                None => true,
                Some(guard) => match self.evaluate(guard, scope) {
                    Ok(value) => value,
                    Err(_) if lenient => false,
                    Err(fault) => return Err(fault),
                },
            };
            if applies {
                return Ok(Some(clause));
            }
        }
        Ok(None)
    }

    /// The action of the state's rule for an intent, where it gives one.
    pub(super) fn rule_action(&self, intent: IntentId, scope: Scope) -> Option<(ActionId, RuleId)> {
        let chain = self.here().rules.get(intent)?;
        match self.first(chain, scope, true) {
            Ok(Some(Clause { then: Consequent::Action(action), rule, .. })) => Some((*action, *rule)),
            _ => None,
        }
    }

    /// The state that a target leads to now.
    pub(super) fn resolve_target(&self, target: Target) -> Option<(StateId, RuleId)> {
        match target {
            Target::None => None,
            Target::State(state, rule) => Some((state, rule)),
            Target::Chain(chain) => match self.first(chain, Scope::Most, true) {
                Ok(Some(Clause { then: Consequent::State(state), rule, .. })) => Some((*state, *rule)),
                _ => None,
            },
        }
    }

    /// A state that may be proposed: one that is defined, or, under the profile `reference`, any.
    pub(super) fn proposable(&self, state: Option<StateId>) -> Option<StateId> {
        state.filter(|state| !self.settings.switches.strict_load || self.machine.is_declared(*state))
    }
}

/// Whether a value counts as missing: empty, or (under the profile `reference`) false or 0 too.
#[must_use]
pub fn is_missing(value: &Value, settings: &Settings) -> bool {
    if settings.switches.completeness { !value.filled() } else { !value.truthy() }
}
