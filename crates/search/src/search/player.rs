//! Plays all turns of a state.

use std::collections::BTreeMap;

use super::answers::answers;
use super::inputs::TriedInput;
use super::sight::{Effort, Sight};
use crate::limits::MAX_NEEDS;
use fsmsim_core::engine::{
    Answer, Machine, Scratch, Session, Settings, TurnRecord, TurnWatch, advance,
};
use fsmsim_core::machine::{SlotId, Value};

/// Plays turns of the real engine, and reuses memory from turn to turn.
pub(crate) struct Player<'m> {
    machine: &'m Machine,
    settings: &'m Settings,
    scratch: Scratch,
    record: TurnRecord,
    session: Session,
    /// Whether actions are observed, and which properties are not evaluated.
    sees: (bool, &'m [bool]),
}

impl<'m> Player<'m> {
    pub(crate) fn new(
        machine: &'m Machine,
        settings: &'m Settings,
        sees: (bool, &'m [bool]),
    ) -> Self {
        let mut scratch = Scratch::default();
        if machine.has_nodes || machine.asks {
            scratch.start_watching();
        }
        Self {
            machine,
            settings,
            scratch,
            record: TurnRecord::default(),
            session: Session::new(machine),
            sees,
        }
    }

    /// Plays an input with every combination of answers. A turn runs again from the start with each further answer, so
    /// this is a depth-first walk over lists of answers.
    pub(crate) fn play(
        &mut self,
        from: &Session,
        input: &TriedInput,
        values: &BTreeMap<SlotId, Vec<Value>>,
        mut each: impl FnMut(&mut Session, Sight, Vec<Answer>),
    ) {
        let (machine, sees) = (self.machine, self.sees);
        let effort = Effort::of(machine, self.settings, from, &input.turn.input);
        self.each_record(from, input, values, |session, record, watch, given| {
            let mut sight = Sight::of(record, watch, machine, sees);
            sight.effort = effort;
            each(session, sight, given);
        });
    }

    /// Also records the values of conditions.
    pub(crate) fn watching(mut self) -> Self {
        self.scratch.start_watching();
        self
    }

    /// Plays an input with every combination of answers, and shows each record. Returns whether no turn was cut.
    pub(crate) fn each_record(
        &mut self,
        from: &Session,
        input: &TriedInput,
        values: &BTreeMap<SlotId, Vec<Value>>,
        mut each: impl FnMut(&mut Session, &TurnRecord, Option<&TurnWatch>, Vec<Answer>),
    ) -> bool {
        let mut is_whole = true;
        let mut open: Vec<Vec<Answer>> = vec![Vec::new()];
        while let Some(given) = open.pop() {
            self.session.copy_from(from);
            let need = advance(
                self.machine,
                self.settings,
                &mut self.session,
                &input.turn.input,
                &given,
                &mut self.scratch,
                &mut self.record,
            );
            match need {
                None => each(&mut self.session, &self.record, self.scratch.watch(), given),
                Some(need) if given.len() < MAX_NEEDS => {
                    let key = need.key();
                    for value in answers(&need, self.machine, values).into_iter().rev() {
                        let mut more = given.clone();
                        more.push(Answer::given(key, value));
                        open.push(more);
                    }
                }
                Some(_) => is_whole = false,
            }
        }
        is_whole
    }
}
