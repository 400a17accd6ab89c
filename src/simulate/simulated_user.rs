//! A simulated user: draws what it says next from where the dialogue is.

use super::compiled_persona::CompiledPersona;
use crate::engine::{ScriptedTurn, Session, Symbol, TurnData};
use crate::llm::SeededRng;
use crate::machine::{IntentId, SlotId, Value};

/// A user who speaks by a repertoire and by chance. One value plays dialogue after dialogue.
#[derive(Debug)]
pub struct SimulatedUser<'r> {
    repertoire: &'r CompiledPersona,
    chance: SeededRng,
    /// What was said so far, in turns.
    said: u32,
    /// It said that it gives up, and will say nothing more.
    left: bool,
    /// The turn, used again from turn to turn.
    turn: ScriptedTurn,
    /// The memory of the turn's data while there is none.
    spare: Vec<(Symbol<SlotId>, Value)>,
}

impl<'r> SimulatedUser<'r> {
    /// A user whose first dialogue goes by `chance`.
    #[must_use]
    pub fn new(repertoire: &'r CompiledPersona, chance: SeededRng) -> Self {
        Self { repertoire, chance, said: 0, left: false, turn: ScriptedTurn::default(), spare: Vec::new() }
    }

    /// Begins another dialogue, which goes by `chance`.
    pub fn begin(&mut self, chance: SeededRng) {
        self.chance = chance;
        self.said = 0;
        self.left = false;
    }

    /// Whether it gave up and left.
    #[must_use]
    pub fn has_left(&self) -> bool {
        self.left
    }

    /// What it says next; nothing where it has left, or has nothing to say.
    ///
    /// What it draws, in this order: for each slot that the state wants and that is not there, whether it tells it; then,
    /// unless it answers with a fixed intent, a weight, and an intent of it.
    pub fn next(&mut self, session: &Session) -> Option<&ScriptedTurn> {
        if self.left {
            return None;
        }
        let mut data = match std::mem::take(&mut self.turn.input.data) {
            TurnData::Given(data) => data,
            _ => std::mem::take(&mut self.spare),
        };
        data.clear();
        let intent = self.choose(session, &mut data);
        if data.is_empty() {
            self.spare = data;
        } else {
            self.turn.input.data = TurnData::Given(data);
        }
        let intent = intent?;
        self.left = Some(intent) == self.repertoire.gives_up_with;
        self.said += 1;
        self.turn.input.intent = Some(Symbol::Known(intent));
        Some(&self.turn)
    }

    fn choose(&mut self, session: &Session, data: &mut Vec<(Symbol<SlotId>, Value)>) -> Option<IntentId> {
        let repertoire = self.repertoire;
        if repertoire.patience.is_some_and(|patience| self.said >= patience) {
            return repertoire.gives_up_with;
        }
        let state = session.position.state;
        for (slot, value) in repertoire.known(state) {
            if session.slots.get(*slot).is_null() && self.chance.happens(repertoire.talkative) {
                data.push((Symbol::Known(*slot), value.clone()));
            }
        }
        repertoire
            .answers_with
            .filter(|_| !data.is_empty())
            .or_else(|| repertoire.draw(state, &mut self.chance))
    }
}
