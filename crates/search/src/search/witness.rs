//! A dialogue that shows a finding.

use fsmsim_core::engine::{
    Answer, Machine, Scratch, ScriptedTurn, Session, Settings, TurnRecord, advance,
};
use fsmsim_core::machine::{ActionId, StateId};

/// A turn of a witness, with its result.
#[derive(Clone, Debug)]
pub struct WitnessStep {
    pub turn: ScriptedTurn,
    /// The state after the turn.
    pub to: StateId,
    /// The action, if actions are observed.
    pub action: Option<ActionId>,
}

/// A dialogue that shows a finding, from its first turn.
#[derive(Clone, Debug, Default)]
pub struct Witness {
    pub steps: Vec<WitnessStep>,
}

impl Witness {
    /// Plays the dialogue with the engine, from the start. Returns the record of its last turn, or the number of the
    /// first turn that has another result.
    pub fn replay(&self, machine: &Machine, settings: &Settings) -> Result<TurnRecord, usize> {
        let mut session = Session::new(machine);
        let mut scratch = Scratch::default();
        let mut record = TurnRecord::default();
        for (number, step) in self.steps.iter().enumerate() {
            let answers: Vec<Answer> = step
                .turn
                .answers
                .iter()
                .map(|(key, value)| Answer::given(*key, value.clone()))
                .collect();
            let input = &step.turn.input;
            let need = advance(
                machine,
                settings,
                &mut session,
                input,
                &answers,
                &mut scratch,
                &mut record,
            );
            let action = record.outcome.as_ref().map(|outcome| outcome.action);
            let is_same = session.position.state == step.to
                && (step.action.is_none() || action == step.action);
            if need.is_some() || !is_same {
                return Err(number);
            }
        }
        Ok(record)
    }
}
