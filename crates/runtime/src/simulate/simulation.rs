//! Simulation: many dialogues of a model with a random user.

use std::convert::Infallible;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use rayon::prelude::*;

use super::compiled_persona::CompiledPersona;
use super::end_cause::{EndCause, EndReason, Ending};
use super::model_user::ModelUser;
use super::persona::Persona;
use super::simulated_user::{SimulatedUser, is_offered};
use super::summary::Summary;
use super::user::{Meaning, User, UserTurn};
use crate::limits::MAX_REPORTED_DIALOGUES;
use crate::runtime::{DialogueRunner, DialogueSetup};
use fsmsim_adapters::llm::AnswererConfig;
use fsmsim_core::engine::{Machine, ScriptedTurn, Session, Symbol, TurnRecord};
use fsmsim_core::machine::{IdVec, IntentId, PhaseId, SlotId, StateId, Value};
use fsmsim_core::trace::RecordField;
use fsmsim_syntax::diagnostic::{Code, Diagnostic, Diagnostics};
use fsmsim_syntax::threads::{Next, Shard, Threads};

/// The number of dialogues that a thread runs in one batch.
const BATCH: u64 = 1_000;

/// A simulation of many dialogues.
#[derive(Clone, Debug)]
pub struct Simulation {
    pub machine: Arc<Machine>,
    /// The seed of all random numbers.
    pub seed: u64,
    /// The number of dialogues per persona.
    pub dialogues: u64,
    /// The start of each dialogue in the format of a scenario's `start`. Empty for the start of the model.
    pub start: String,
    /// The shard of dialogues to run, selected by their numbers. `None` runs all.
    pub shard: Option<Shard>,
    /// Random users only speak, and the examples of the model recognize them. Otherwise, turns contain intents.
    pub recognizes: bool,
}

impl Simulation {
    /// Runs the dialogues of a random user on the threads of `pool`. The counts depend only on the model, the seed and
    /// the persona, not on the threads.
    pub fn run(&self, persona: &CompiledPersona, pool: &rayon::ThreadPool) -> Summary {
        self.run_until(&AtomicBool::new(false), persona, pool)
    }

    /// Like [`Self::run`], but stops when `stopped` is set. The counts are then incomplete and useless.
    pub fn run_until(
        &self,
        stopped: &AtomicBool,
        persona: &CompiledPersona,
        pool: &rayon::ThreadPool,
    ) -> Summary {
        let nothing = || Summary::new(&self.machine, persona.max_turns);
        let worker = |is_heard: bool| {
            let user = SimulatedUser::new(persona, self.seed, is_heard);
            Worker::new(self, persona.max_turns, user)
        };
        pool.install(|| {
            (0..self.dialogues.div_ceil(BATCH))
                .into_par_iter()
                .filter(|_| !stopped.load(Ordering::Relaxed))
                .map(|number| {
                    let mut heard = worker(self.recognizes);
                    let mut intended = None;
                    let numbers = number * BATCH..((number + 1) * BATCH).min(self.dialogues);
                    for number in numbers
                        .filter(|number| self.shard.is_none_or(|shard| shard.has_number(*number)))
                    {
                        let end = heard.play(number);
                        if !heard.misread.is_empty() {
                            let intended = intended.get_or_insert_with(|| worker(false));
                            let wanted = intended.play(number);
                            let is_spoiled = wanted.how == Ending::Finished
                                && (end.how, end.state) != (wanted.how, wanted.state);
                            let misread = &heard.misread;
                            heard.summary.misread(number + 1, misread, is_spoiled);
                        }
                    }
                    heard.summary
                })
                .reduce(nothing, |one, other| one.plus(&other))
        })
    }

    /// Runs dialogues in which the providers in `answerers` play the user and recognize the user's utterances. Starts
    /// and counts the dialogues in order. Reports findings about providers only for the first few dialogues.
    pub fn run_with_model(
        &self,
        persona: &Persona,
        answerers: &AnswererConfig,
        threads: &Threads,
        found: &mut Diagnostics,
    ) -> Summary {
        let mut numbers = (0..self.dialogues)
            .filter(|number| self.shard.is_none_or(|shard| shard.has_number(*number)));
        let nothing = || Summary::new(&self.machine, persona.max_turns);
        let mut summary = nothing();
        let mut reported = 0;
        let mut unreported = 0_u64;
        let Ok(()) = threads.in_order(
            || numbers.next().map_or(Next::End, Next::Item),
            |number| {
                let user = ModelUser::new(persona, answerers, self.seed);
                let mut worker = Worker::new(self, persona.max_turns, user);
                worker.play(number);
                (worker.summary, worker.found)
            },
            |(one, about): (Summary, Diagnostics)| -> Result<(), Infallible> {
                summary = std::mem::replace(&mut summary, nothing()).plus(&one);
                if !about.is_empty() && reported >= MAX_REPORTED_DIALOGUES && !about.has_errors() {
                    unreported += 1;
                } else if !about.is_empty() {
                    reported += 1;
                    found.extend(about);
                }
                Ok(())
            },
        );
        if unreported > 0 {
            let what = if unreported == 1 {
                "dialogue"
            } else {
                "dialogues"
            };
            let name = &persona.name.text;
            let title =
                format!("{unreported} more {what} of `{name}` stopped for a similar reason");
            found.push(
                Diagnostic::warning(Code::NotRecorded, title)
                    .note("only the first ones are reported in full"),
            );
        }
        summary
    }

    /// Runs one dialogue of a random user, by its number from 1. The result is the same as in the complete simulation.
    pub fn dialogue(&self, persona: &CompiledPersona, number: u64) -> SimulatedDialogue {
        self.play_one(
            persona.max_turns,
            SimulatedUser::new(persona, self.seed, self.recognizes),
            number,
        )
    }

    /// Runs one dialogue in which the providers in `answerers` play the user. Returns it with their answers.
    pub fn dialogue_with_model(
        &self,
        persona: &Persona,
        answerers: &AnswererConfig,
        number: u64,
    ) -> SimulatedDialogue {
        self.play_one(
            persona.max_turns,
            ModelUser::new(persona, answerers, self.seed),
            number,
        )
    }

    fn play_one<U: User>(&self, max_turns: u32, user: U, number: u64) -> SimulatedDialogue {
        let mut worker = Worker::new(self, max_turns, user);
        worker.kept = Some(Vec::new());
        worker.play(number.saturating_sub(1));
        let cause = worker.summary.causes().next().map(|(cause, _)| cause);
        SimulatedDialogue {
            turns: worker.kept.unwrap_or_default(),
            cause,
            found: worker.found,
        }
    }
}

/// One dialogue of a simulated user.
#[derive(Clone, Debug)]
pub struct SimulatedDialogue {
    /// The turns, including the answers of models.
    pub turns: Vec<ScriptedTurn>,
    /// The kind and reason of the end.
    pub cause: Option<EndCause>,
    /// Findings about the providers.
    pub found: Diagnostics,
}

/// The worker of one thread: runs dialogues one after another and reuses its memory.
struct Worker<U> {
    max_turns: u32,
    runner: DialogueRunner,
    /// The session with which each dialogue starts, if `start` is set.
    start: Option<Session>,
    user: U,
    /// The number of turns that ended in each state.
    visits: IdVec<StateId, u32>,
    /// Whether a contract classifies the turns.
    has_classes: bool,
    /// Whether the dialogue has reached each phase.
    phases: IdVec<PhaseId, bool>,
    last_phase: Option<PhaseId>,
    /// The last intent.
    intent: Option<IntentId>,
    /// The turns of the dialogue, if requested.
    kept: Option<Vec<ScriptedTurn>>,
    /// The sentences of the dialogue that were misread, as intended and as recognized.
    misread: Vec<(IntentId, Option<IntentId>)>,
    summary: Summary,
    /// Findings about the providers.
    found: Diagnostics,
}

impl<U: User> Worker<U> {
    fn new(simulation: &Simulation, max_turns: u32, user: U) -> Self {
        let machine = &simulation.machine;
        let setup = Some(&simulation.start)
            .filter(|start| !start.is_empty())
            .and_then(|start| DialogueSetup::parse(machine, start).ok());
        let start = setup.as_ref().map(|setup| setup.session.clone());
        let plain =
            || DialogueRunner::new(machine, machine.settings().clone(), Session::new(machine));
        Self {
            max_turns,
            runner: setup.map_or_else(plain, |setup| setup.runner(machine)),
            start,
            user,
            visits: IdVec::filled(machine.states.len(), 0),
            has_classes: machine.policies.inputs().classes,
            phases: IdVec::filled(machine.phases.len(), false),
            last_phase: None,
            intent: None,
            kept: None,
            misread: Vec::new(),
            summary: Summary::new(machine, max_turns),
            found: Diagnostics::default(),
        }
    }

    /// Runs and counts the dialogue with this number. Returns the cause of its end.
    fn play(&mut self, number: u64) -> EndCause {
        match &self.start {
            None => self.runner.rewind(),
            Some(start) => self.runner.restart(start.clone()),
        }
        self.user.begin(number, &mut self.runner);
        self.visits.fill(0);
        self.phases.fill(false);
        self.last_phase = None;
        self.intent = None;
        self.misread.clear();
        self.note_phase();
        let (how, reason, turns) = self.turns();
        self.found.extend(self.user.end(&mut self.runner));
        let session = self.runner.session();
        let state = session.position.state;
        let action = session.position.action;
        let cause = EndCause {
            how,
            state,
            reason,
            intent: self.intent,
            action,
        };
        self.summary
            .ended(number + 1, cause, turns, self.last_phase);
        self.summary.counted(&session.counters);
        for (phase, covered) in self.phases.pairs() {
            if *covered {
                self.summary.covered(phase);
            }
        }
        cause
    }

    /// Runs turns until the dialogue ends. Returns the kind and reason of the end, and the number of turns.
    fn turns(&mut self) -> (Ending, EndReason, u32) {
        let mut left = None;
        let mut in_a_row = (self.runner.session().position.state, 0_u32);
        for turn in 0..=self.max_turns {
            if self.runner.session().is_final(self.runner.machine()) {
                return (Ending::Finished, EndReason::Final, turn);
            }
            let state = self.runner.session().position.state;
            if turn > 0 {
                in_a_row = if in_a_row.0 == state {
                    (state, in_a_row.1 + 1)
                } else {
                    (state, 1)
                };
                if let Some(reason) = self.visits_too_often(state, in_a_row.1) {
                    return (Ending::Looped, reason, turn);
                }
            }
            if let Some(reason) = left {
                return (Ending::Abandoned, reason, turn);
            }
            if turn == self.max_turns {
                break;
            }
            match self.user.next(&mut self.runner) {
                UserTurn::Turn {
                    scripted,
                    leaves,
                    meant,
                } => {
                    left = leaves;
                    let intent = meant.map(|(intent, _)| intent);
                    self.intent = intent.or_else(|| scripted.input.known_intent());
                    let is_read = U::READS_RECORDS || meant.is_some();
                    if is_read || self.has_classes || self.kept.is_some() {
                        let view = self.runner.play(scripted).view;
                        if self.has_classes
                            && let Value::Text(class) = RecordField::ContractClass.value(&view)
                        {
                            self.summary.classified(&class);
                        }
                        let is_lost = meant.is_some() && self.runner.unread().is_some();
                        if let Some(kept) = self.kept.as_mut().filter(|_| !is_lost) {
                            kept.push(answered(scripted, self.runner.record()));
                        }
                        if let Some(meant) = meant {
                            self.misread.extend(misread(meant, &self.runner));
                            if is_lost {
                                // The dialogue is unchanged, and the user speaks again.
                                continue;
                            }
                        }
                    } else {
                        self.runner.play_unrecorded(scripted);
                    }
                }
                UserTurn::Abandoned(reason) => return (Ending::Abandoned, reason, turn),
                UserTurn::Unanswered => return (Ending::Unanswered, EndReason::Unanswered, turn),
            }
            if self.runner.unread().is_some() {
                return (Ending::Unanswered, EndReason::Unanswered, turn);
            }
            self.summary
                .passed(state, self.runner.session().position.state, 1);
            self.note_phase();
        }
        (Ending::TurnLimit, EndReason::MaxTurns, self.max_turns)
    }

    /// Counts a visit to `state`. `in_a_row` is the number of consecutive visits, including this one. Returns a reason
    /// if the visits exceed a limit of the state.
    fn visits_too_often(&mut self, state: StateId, in_a_row: u32) -> Option<EndReason> {
        let visits = self.visits.lookup_mut(state)?;
        *visits += 1;
        let limits = self.runner.machine().state(state);
        let beyond = |count: u32, limit: u32| limit > 0 && count > limit;
        if beyond(*visits, limits.simulation_visits) {
            return Some(EndReason::Visits);
        }
        beyond(in_a_row, limits.simulation_consecutive).then_some(EndReason::InARow)
    }

    fn note_phase(&mut self) {
        if let Some(phase) = self.runner.session().position.phase
            && let Some(covered) = self.phases.lookup_mut(phase)
        {
            *covered = true;
            self.last_phase = Some(phase);
        }
    }
}

/// The intended and the recognized intent of a sentence, if the last turn missed its intent or one of its values. A
/// clarification question that offers the intent has not missed it.
fn misread(
    (intent, values): Meaning<'_>,
    runner: &DialogueRunner,
) -> Option<(IntentId, Option<IntentId>)> {
    let (session, machine) = (runner.session(), runner.machine());
    if runner.unread().is_some() {
        return Some((intent, None));
    }
    let read = runner.record().intent;
    if read != Some(intent) {
        return (!is_offered(intent, session, machine)).then_some((intent, read));
    }
    let is_lost = |(name, _): &(Symbol<SlotId>, Value)| session.slots.by_name(name).is_null();
    (!machine.data_passes && values.iter().any(is_lost)).then_some((intent, read))
}

/// Adds the answers of models to the turn, so that a replay calls no provider.
fn answered(scripted: &ScriptedTurn, record: &TurnRecord) -> ScriptedTurn {
    let answers = record
        .answers
        .iter()
        .filter(|answer| answer.by.is_some())
        .map(|answer| (answer.key, answer.value.clone()));
    ScriptedTurn {
        answers: scripted.answers.iter().cloned().chain(answers).collect(),
        ..scripted.clone()
    }
}
