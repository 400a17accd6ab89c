//! The class of the turn: it leads to its mode, and acts as it says (docs/contracts.md, "Classes").

use crate::engine::board::Blackboard;
use crate::engine::reason::Reason;
use crate::engine::view::TurnContext;
use crate::machine::{Level, SourceKind};

/// Proposes what the class says that was chosen.
pub(super) fn contribute(view: &TurnContext<'_>, board: &mut Blackboard) {
    let by = SourceKind::ContractClass;
    let Some(contract) = view.machine.contract.as_deref() else { return };
    let Some(id) = view.facts.and_then(|facts| facts.class) else { return };
    let Some(class) = contract.classes.lookup(id) else { return };
    let reason = Reason::ContractClass(id);
    // The action of a class goes with its mode; alone it is proposed where there is none.
    match (class.mode, class.action) {
        (Some(mode), _) => board.go(by, mode, Level::Normal, reason).rule = Some(class.rule),
        (None, Some(action)) => board.act(by, action, Level::Normal, reason).rule = Some(class.rule),
        (None, None) => {}
    }
}
