//! Properties: what holds after every turn of a machine (docs/operations.md, "Properties").

use super::condition::{Scope, TurnContext};

/// The numbers of the properties that do not hold after a turn. `turn` is over: it shows what it has left. A condition that
/// has no value does not hold.
pub(super) fn broken(turn: &TurnContext<'_>) -> impl Iterator<Item = usize> {
    let holds = |condition| turn.evaluate(condition, Scope::All).unwrap_or(false);
    let properties = turn.machine.properties.iter().enumerate();
    properties.filter(move |(_, property)| holds(property.condition) != property.always).map(|(number, _)| number)
}
