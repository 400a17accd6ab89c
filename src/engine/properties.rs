//! Properties: what holds after every turn of a machine (docs/operations.md, "Properties").

use super::Machine;
use super::condition::{Scope, TurnContext, TurnFacts};
use super::io::Input;
use super::policy::no_intent;
use super::session::{Session, Settings, Symbol};
use crate::machine::{Bound, Condition, ConditionId, MachineProperty, Subject, Test};

/// The numbers of the properties that do not hold after a turn. `turn` is over: it shows what it has left. A condition that
/// has no value does not hold.
pub(super) fn broken(turn: &TurnContext<'_>) -> impl Iterator<Item = usize> {
    let holds = |condition| turn.evaluate(condition, Scope::All).unwrap_or(false);
    let properties = turn.machine.properties.iter().enumerate();
    properties.filter(move |(_, property)| holds(property.condition) != property.always).map(|(number, _)| number)
}

/// The properties that do not hold after a turn that somebody else played, of which only the data, the state and the input
/// are known. Those that ask for more are not judged.
pub fn broken_properties<'m>(
    machine: &'m Machine,
    settings: &Settings,
    before: &Session,
    after: &Session,
    input: &Input,
) -> Vec<&'m MachineProperty> {
    let intent = input.intent.as_ref().and_then(Symbol::known).unwrap_or_else(no_intent);
    let facts = TurnFacts { from: Some(before.position.state), ..TurnFacts::NONE };
    let turn = TurnContext::outside(machine, settings, before, after, input, intent);
    let turn = TurnContext { state: after.position.state, facts: &facts, ..turn };
    let known = |property: &&MachineProperty| is_known(machine, property.condition, input.intent.is_some());
    let broken = broken(&turn).filter_map(|number| machine.properties.get(number));
    broken.filter(known).collect()
}

/// Whether a condition asks only for what is known of a turn that somebody else played.
fn is_known(machine: &Machine, condition: ConditionId, intent: bool) -> bool {
    let all = |parts: &[ConditionId]| parts.iter().all(|part| is_known(machine, *part, intent));
    let bound = |bound: &Bound| matches!(bound, Bound::Number(_) | Bound::Limit(..) | Bound::Slot(_) | Bound::Was(_));
    match &machine.conditions[condition] {
        Condition::And(parts) | Condition::Or(parts) => all(parts),
        Condition::Not(part) => all(&[*part]),
        Condition::Named(named) => all(&[machine.named_conditions[*named].condition]),
        Condition::States(_) | Condition::From(_) | Condition::Flag(_) | Condition::Active(..) => true,
        Condition::Category(_) | Condition::Intents(_) => intent,
        Condition::Test(subject, test) => {
            let subject = match subject {
                Subject::Slot(_)
                | Subject::Field(..)
                | Subject::Was(_)
                | Subject::Said(_)
                | Subject::Length(_)
                | Subject::State => true,
                Subject::Intent => intent,
                _ => false,
            };
            let test = match test {
                Test::Compare(_, with) => bound(with),
                Test::Between(low, high) => bound(low) && bound(high),
                _ => true,
            };
            subject && test
        }
        Condition::Contact(_) | Condition::Final | Condition::Executed | Condition::Broken(_) => false,
    }
}
