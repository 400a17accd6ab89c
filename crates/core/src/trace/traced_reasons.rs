//! The reasons of a traced turn, each with what it is the reason of.

use super::turn_report::TurnReport;

/// The reasons of a traced turn. A trace lists them in this order (docs/traces.md); nobody else needs to know it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TracedReasons<'t> {
    /// Why the action won, where a source proposed it.
    pub action: Option<&'t str>,
    /// Why the transition won, where a source proposed it.
    pub transition: Option<&'t str>,
    /// What else there is to say of the turn.
    pub notes: &'t [String],
}

impl TurnReport {
    /// The reasons, each with what it is the reason of.
    pub fn reasons(&self) -> TracedReasons<'_> {
        let mut rest = self.why.as_slice();
        let mut of = |decider: &Option<String>| {
            let (first, others) = rest.split_first().filter(|_| decider.is_some())?;
            rest = others;
            Some(first.as_str())
        };
        let (action, transition) = (of(&self.by.action), of(&self.by.transition));
        TracedReasons {
            action,
            transition,
            notes: rest,
        }
    }

    /// Whether a note only says of which class the turn is, which decided nothing.
    pub fn names_its_class(&self, note: &str) -> bool {
        let class = self
            .contract_class
            .as_ref()
            .and_then(|class| class.as_str());
        class.is_some() && note.strip_prefix("contract_class_") == class
    }
}
