//! Simulation: many dialogues of a model with a user who speaks by chance.

use std::sync::Arc;

use rayon::prelude::*;

use super::compiled_persona::CompiledPersona;
use super::model_user::ModelUser;
use super::persona::Persona;
use super::simulated_user::SimulatedUser;
use super::summary::{Ending, Summary};
use super::user::{User, UserTurn};
use crate::engine::{Machine, Session};
use crate::llm::AnswererConfig;
use crate::machine::{IdVec, PhaseId, StateId, Value};
use crate::runtime::{DialogueRunner, DialogueSetup};
use crate::threads::Shard;
use crate::trace::RecordField;

/// Dialogues that one thread plays in one go.
const BATCH: u64 = 1_000;

/// Many dialogues of a model.
#[derive(Clone, Debug)]
pub struct Simulation {
    /// The model.
    pub machine: Arc<Machine>,
    /// What all chance comes from.
    pub seed: u64,
    /// How many dialogues each user has.
    pub dialogues: u64,
    /// How each begins, as under `start` of a scenario; nothing where it begins as the model says.
    pub start: String,
    /// Which share of them is played, by their numbers; nothing for all.
    pub shard: Option<Shard>,
}

impl Simulation {
    /// Plays the dialogues of a user who speaks by chance, on the threads of `pool`. The counts depend on the model, the
    /// seed and the persona alone, and not on the threads.
    pub fn run(&self, persona: &CompiledPersona, pool: &rayon::ThreadPool) -> Summary {
        self.play(BATCH, persona.max_turns, pool, || SimulatedUser::new(persona, self.seed))
    }

    /// Plays the dialogues of a user who is played by `answerers`, who also read what the user says.
    pub fn run_with_model(&self, persona: &Persona, answerers: &AnswererConfig, pool: &rayon::ThreadPool) -> Summary {
        self.play(1, persona.max_turns, pool, || ModelUser::new(persona, answerers, self.seed))
    }

    fn play<U: User>(
        &self,
        batch: u64,
        max_turns: u32,
        pool: &rayon::ThreadPool,
        user: impl Fn() -> U + Sync,
    ) -> Summary {
        let nothing = || Summary::new(&self.machine, max_turns);
        pool.install(|| {
            (0..self.dialogues.div_ceil(batch))
                .into_par_iter()
                .map(|number| {
                    let mut worker = Worker::new(self, max_turns, user());
                    let numbers = number * batch..((number + 1) * batch).min(self.dialogues);
                    for number in numbers.filter(|number| self.shard.is_none_or(|shard| shard.has_number(*number))) {
                        worker.play(number);
                    }
                    worker.summary
                })
                .reduce(nothing, |one, other| one.plus(&other))
        })
    }
}

/// One thread's part: plays dialogue after dialogue in the same memory.
struct Worker<U> {
    max_turns: u32,
    runner: DialogueRunner,
    /// With what each dialogue begins, where that is not as the model says.
    start: Option<Session>,
    user: U,
    /// Turns of the dialogue that ended in each state.
    visits: IdVec<StateId, u32>,
    /// Turns have classes, by a contract.
    has_classes: bool,
    /// The phases in which the dialogue was.
    phases: IdVec<PhaseId, bool>,
    summary: Summary,
}

impl<U: User> Worker<U> {
    fn new(simulation: &Simulation, max_turns: u32, user: U) -> Self {
        let machine = &simulation.machine;
        let setup = Some(&simulation.start).filter(|start| !start.is_empty());
        let setup = setup.and_then(|start| DialogueSetup::parse(machine, start).ok());
        let start = setup.as_ref().map(|setup| setup.session.clone());
        let plain = || DialogueRunner::new(machine, machine.settings().clone(), Session::new(machine));
        Self {
            max_turns,
            runner: setup.map_or_else(plain, |setup| setup.runner(machine)),
            start,
            user,
            visits: IdVec::filled(machine.states.len(), 0),
            has_classes: machine.contract().is_some_and(|contract| !contract.classes.is_empty()),
            phases: IdVec::filled(machine.phases.len(), false),
            summary: Summary::new(machine, max_turns),
        }
    }

    /// Plays the dialogue of this number and counts it.
    fn play(&mut self, number: u64) {
        match &self.start {
            None => self.runner.rewind(),
            Some(start) => self.runner.restart(start.clone()),
        }
        self.user.begin(number, &mut self.runner);
        self.visits.fill(0);
        self.phases.fill(false);
        self.note_phase();
        let (how, turns) = self.turns();
        let session = self.runner.session();
        self.summary.ended(how, session.position.state, turns);
        self.summary.counted(&session.counters);
        for (phase, covered) in self.phases.pairs() {
            if *covered {
                self.summary.covered(phase);
            }
        }
    }

    /// Plays turns until the dialogue ends: how it ended, and after how many.
    fn turns(&mut self) -> (Ending, u32) {
        let mut has_left = false;
        let mut in_a_row = (self.runner.session().position.state, 0_u32);
        for turn in 0..=self.max_turns {
            if self.runner.session().is_final(self.runner.machine()) {
                return (Ending::Finished, turn);
            }
            let state = self.runner.session().position.state;
            if turn > 0 {
                in_a_row = if in_a_row.0 == state { (state, in_a_row.1 + 1) } else { (state, 1) };
                if self.visits_too_often(state, in_a_row.1) {
                    return (Ending::Looped, turn);
                }
            }
            if has_left {
                return (Ending::Left, turn);
            }
            if turn == self.max_turns {
                break;
            }
            match self.user.next(&mut self.runner) {
                UserTurn::Turn { scripted, is_last } => {
                    has_left = is_last;
                    if U::READS_RECORDS || self.has_classes {
                        let view = self.runner.play(scripted).view;
                        if self.has_classes
                            && let Value::Text(class) = RecordField::ContractClass.value(&view)
                        {
                            self.summary.classified(&class);
                        }
                    } else {
                        self.runner.play_unrecorded(scripted);
                    }
                }
                UserTurn::Left => return (Ending::Left, turn),
                UserTurn::Unanswered => return (Ending::Unanswered, turn),
            }
            if self.runner.unread().is_some() {
                return (Ending::Unanswered, turn);
            }
            self.note_phase();
        }
        (Ending::Endless, self.max_turns)
    }

    /// Counts a turn that ended in `state`, the last of `in_a_row`: whether that is more than the state allows.
    fn visits_too_often(&mut self, state: StateId, in_a_row: u32) -> bool {
        let Some(visits) = self.visits.lookup_mut(state) else { return false };
        *visits += 1;
        let limits = self.runner.machine().state(state);
        let beyond = |count: u32, limit: u32| limit > 0 && count > limit;
        beyond(*visits, limits.simulation_visits) || beyond(in_a_row, limits.simulation_consecutive)
    }

    fn note_phase(&mut self) {
        if let Some(phase) = self.runner.session().position.phase
            && let Some(covered) = self.phases.lookup_mut(phase)
        {
            *covered = true;
        }
    }
}
