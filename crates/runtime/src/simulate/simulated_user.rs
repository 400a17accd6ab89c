//! A simulated user that draws its inputs at random, depending on the current state.

use super::compiled_persona::{CompiledPersona, Drawn};
use super::end_cause::EndReason;
use super::user::{User, UserTurn};
use crate::runtime::DialogueRunner;
use fsmsim_adapters::llm::{DefaultRecognizer, SeededRng};
use fsmsim_core::engine::{Machine, ScriptedTurn, Session, Symbol, TurnData};
use fsmsim_core::machine::{IntentId, SlotId, Value};

/// A user that draws its inputs at random, as its persona specifies.
#[derive(Debug)]
pub(super) struct SimulatedUser<'p> {
    persona: &'p CompiledPersona,
    seed: u64,
    /// The examples of the model recognize the sentences of the user. Otherwise, turns contain intents.
    is_heard: bool,
    rng: SeededRng,
    /// A separate stream for sentences, so that they do not change which intents are drawn.
    voice: SeededRng,
    /// The intent of the last sentence, if it had to be recognized.
    meant: Option<IntentId>,
    /// The number of turns so far.
    turns: u32,
    /// The current turn, reused to avoid allocations.
    turn: ScriptedTurn,
    /// A drawn turn that contains more than an intent.
    drawn: ScriptedTurn,
    /// The buffer for the data of a turn, kept here while the turn has no data.
    spare: Vec<(Symbol<SlotId>, Value)>,
}

impl<'p> SimulatedUser<'p> {
    /// A user whose dialogues depend on `seed` and on the recognition only.
    pub(super) fn new(persona: &'p CompiledPersona, seed: u64, is_heard: bool) -> Self {
        let rng = SeededRng::of(seed, &persona.name, 0);
        Self {
            persona,
            seed,
            is_heard,
            voice: rng.clone(),
            rng,
            meant: None,
            turns: 0,
            turn: ScriptedTurn::default(),
            drawn: ScriptedTurn::default(),
            spare: Vec::new(),
        }
    }

    /// Chooses the next input and fills `data`, or returns the reason why the user leaves.
    ///
    /// The order of random draws:
    /// 1. for each empty slot that the state requests, whether to provide its value;
    /// 2. unless the persona answers with a fixed intent, a weight and one of its inputs.
    fn choose(
        &mut self,
        session: &Session,
        data: &mut Vec<(Symbol<SlotId>, Value)>,
    ) -> Result<Drawn<'p>, EndReason> {
        let persona = self.persona;
        if self.has_no_patience() {
            return persona
                .gives_up_with
                .map(Drawn::Intent)
                .ok_or(EndReason::Patience);
        }
        let state = session.position.state;
        for (slot, value) in persona.known(state) {
            if session.slots.get(*slot).is_null() && self.rng.happens(persona.disclosure) {
                data.push((Symbol::Known(*slot), value.clone()));
            }
        }
        let answer = persona.answers_with(state).filter(|_| !data.is_empty());
        answer
            .map(Drawn::Intent)
            .or_else(|| persona.draw(state, &mut self.rng))
            .ok_or(EndReason::Silent)
    }

    fn has_no_patience(&self) -> bool {
        self.persona
            .patience
            .is_some_and(|patience| self.turns >= patience)
    }
}

impl User for SimulatedUser<'_> {
    const READS_RECORDS: bool = false;

    fn begin(&mut self, number: u64, runner: &mut DialogueRunner) {
        let name = &self.persona.name;
        self.rng = SeededRng::of(self.seed, name, number);
        self.voice = SeededRng::of(!self.seed, name, number);
        self.turns = 0;
        self.meant = None;
        if self.is_heard {
            runner.ask_from_now(Box::new(DefaultRecognizer));
        }
    }

    fn next(&mut self, runner: &mut DialogueRunner) -> UserTurn<'_> {
        let meant = self.meant.take();
        if let Some(intent) = meant.filter(|it| is_offered(*it, runner.session(), runner.machine()))
        {
            // The user answers a clarification question.
            self.turns += 1;
            self.turn.input.intent = Some(Symbol::Known(intent));
            self.turn.input.say = None;
            if !self.spare.is_empty() {
                self.turn.input.data = TurnData::Given(std::mem::take(&mut self.spare));
            }
            return UserTurn::Turn {
                scripted: &self.turn,
                leaves: None,
                meant: None,
            };
        }
        let mut data = match std::mem::take(&mut self.turn.input.data) {
            TurnData::Given(data) => data,
            _ => std::mem::take(&mut self.spare),
        };
        data.clear();
        let drawn = self.choose(runner.session(), &mut data);
        if data.is_empty() {
            self.spare = data;
        } else {
            self.turn.input.data = TurnData::Given(data);
        }
        let drawn = match drawn {
            Ok(drawn) => drawn,
            Err(reason) => return UserTurn::Abandoned(reason),
        };
        let reason = if self.has_no_patience() {
            EndReason::Patience
        } else {
            EndReason::GaveUp
        };
        self.turns += 1;
        (self.turn.input.intent, self.turn.input.say) = match drawn {
            Drawn::Intent(intent) => {
                let values = self.turn.input.data.values();
                let say = self.persona.spoken.draw(intent, values, &mut self.voice);
                self.meant = (self.is_heard && say.is_some()).then_some(intent);
                (Some(Symbol::Known(intent)), say)
            }
            Drawn::Sentence(say) => (None, Some(say.into())),
            Drawn::Turn(turn) => {
                self.drawn.clone_from(turn);
                if turn.input.data.values().is_empty() {
                    self.drawn.input.data.clone_from(&self.turn.input.data);
                }
                return UserTurn::Turn {
                    scripted: &self.drawn,
                    leaves: None,
                    meant: None,
                };
            }
        };
        if self.meant.is_some() {
            // The recognizer must find the intent and the values in the sentence.
            self.turn.input.intent = None;
            if let TurnData::Given(data) = std::mem::take(&mut self.turn.input.data) {
                self.spare = data;
            }
        }
        let values = &*self.spare;
        let gives_up = self.persona.gives_up_with.map(Drawn::Intent);
        UserTurn::Turn {
            scripted: &self.turn,
            leaves: (Some(drawn) == gives_up).then_some(reason),
            meant: self.meant.map(|intent| (intent, values)),
        }
    }
}

/// Whether a clarification question offers an intent.
pub(super) fn is_offered(intent: IntentId, session: &Session, machine: &Machine) -> bool {
    let name = machine.names.intents.name(intent);
    let asked = session.clarification.asked.iter();
    let mut options = asked.flat_map(|asked| &*asked.options);
    options.any(|option| option.get("intent").and_then(Value::as_text) == Some(name))
}
