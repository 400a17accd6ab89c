//! Choosing: the first class whose entry condition and required prior state hold.

use super::carry::withdraw;
use super::facts::Facts;
use crate::engine::input::Input;
use crate::engine::name::Symbol;
use crate::engine::session::Session;
use crate::engine::signals::Scope;
use crate::engine::view::TurnContext;
use crate::machine::{ClassId, Id, IntentId, Machine, Settings};

/// The class of a turn, and those that might have been.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Choice {
    /// The class; nothing where no class takes the turn.
    pub class: Option<ClassId>,
    /// Classes declared later that take it too.
    pub also: Vec<ClassId>,
    /// Classes that would enter, but lack the prior state that they require.
    pub refused: Vec<ClassId>,
}

/// Chooses the class of a turn; nothing for a machine without classes.
pub(in crate::engine) fn choose(view: &TurnContext<'_>) -> Option<Choice> {
    let contract = view.machine.contract.as_deref().filter(|contract| !contract.classes.is_empty())?;
    let mut choice = Choice::default();
    for (id, class) in contract.classes.pairs() {
        let reads = class.readings.is_empty() || class.readings.contains(&view.intent);
        // A condition that has no value does not hold.
        let holds = |guard: Option<crate::machine::ConditionId>| {
            guard.is_none_or(|guard| view.evaluate(guard, Scope::All).unwrap_or(false))
        };
        if !reads || !holds(class.entry) {
            continue;
        }
        if !holds(class.requires) {
            choice.refused.push(id);
        } else if choice.class.is_none() {
            choice.class = Some(id);
        } else {
            choice.also.push(id);
        }
    }
    Some(choice)
}

impl Choice {
    /// The name of a class.
    #[must_use]
    pub fn name(machine: &Machine, class: ClassId) -> &str {
        let contract = machine.contract.as_deref();
        contract.and_then(|contract| contract.classes.lookup(class)).map_or("", |class| &class.name)
    }
}

/// The classes of a turn by its contract, without playing it: with this input, in a session that is as it is when the turn
/// begins. Nothing for a machine without classes.
#[must_use]
pub fn classes_of(
    machine: &Machine,
    settings: &Settings,
    session: &Session,
    input: &Input,
) -> Option<Choice> {
    let contract = machine.contract.as_deref()?;
    let intent = match &input.intent {
        Some(Symbol::Known(intent)) => *intent,
        _ => IntentId::from_index(usize::MAX),
    };
    let mut carried = session.clone();
    withdraw(contract, &mut carried.slots);
    choose(&TurnContext {
        machine,
        settings,
        session: &carried,
        input,
        answer: None,
        intent,
        state: session.position.state,
        signals: None,
        objections_before: (0, 0),
        facts: Some(Facts { before: &session.slots, outcome: None, executed: false, class: None }),
    })
}
