//! Turns of a real flow: dialogues that touch every intent, every third turn with data.

use std::hint::black_box;

use fsmsim_core::engine::{
    Input, Machine, RecordView, Scratch, ScriptedTurn, Session, SignalMode, Symbol, TurnData,
    TurnRecord, advance,
};
use fsmsim_core::machine::{Float, Value};
use fsmsim_core::trace::JsonLine;

/// Number of turns per dialogue.
const TURNS: usize = 20;

/// Whether the turns are recorded and written.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Recording {
    Off,
    /// Recorded and not written.
    Kept,
    Lines,
}

/// A flow and the turns to play on it.
pub(crate) struct FlowTurns {
    machine: Machine,
    turns: Vec<ScriptedTurn>,
}

impl FlowTurns {
    /// Draws 500 dialogues.
    pub(crate) fn new(machine: Machine) -> Self {
        let known: Vec<&str> = machine.names.intents.iter().collect();
        let mut seed = 12_345u32;
        let mut draw = |below: usize| {
            seed = seed.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            (seed >> 8) as usize % below
        };
        let slot = Symbol::of("company_size", &machine.names.slots);
        let mut turn = || {
            let data = if draw(3) == 0 {
                TurnData::Given(vec![(slot.clone(), Value::Int(50))])
            } else {
                TurnData::Absent
            };
            let input = Input {
                intent: Some(Symbol::of(known[draw(known.len())], &machine.names.intents)),
                say: Some("расскажите подробнее про интеграции с кассами".into()),
                confidence: Some(Float::new(0.5)),
                data,
                ..Input::default()
            };
            ScriptedTurn {
                input,
                ..ScriptedTurn::default()
            }
        };
        let turns = (0..500 * TURNS).map(|_| turn()).collect();
        Self { machine, turns }
    }

    /// Plays `count` turns, in dialogues of twenty.
    pub(crate) fn play(&self, signals: SignalMode, recording: Recording, count: usize) {
        let mut settings = self.machine.settings().clone();
        settings.signals = signals;
        let mut session = Session::new(&self.machine);
        let mut scratch = Scratch::default();
        let mut record = TurnRecord::default();
        let mut line = JsonLine::default();
        for (number, scripted) in self.turns.iter().cycle().take(count).enumerate() {
            if number % TURNS == 0 {
                session.reset(&self.machine);
                record = TurnRecord::default();
            }
            if recording == Recording::Off {
                advance(
                    &self.machine,
                    &settings,
                    &mut session,
                    &scripted.input,
                    &[],
                    &mut scratch,
                    &mut (),
                );
                continue;
            }
            advance(
                &self.machine,
                &settings,
                &mut session,
                &scripted.input,
                &[],
                &mut scratch,
                &mut record,
            );
            if recording == Recording::Kept {
                continue;
            }
            line.clear();
            let view = RecordView {
                machine: &self.machine,
                settings: &settings,
                session: &session,
                scripted,
                record: &record,
                watch: None,
            };
            view.write(&mut line);
        }
        black_box((session.position.state, line.as_bytes().len()));
    }
}
