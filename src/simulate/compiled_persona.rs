//! What a persona may say to one machine: its names looked up, its weights summed for each state.

use super::persona::{Persona, Weight, WeightTarget};
use crate::diagnostic::{Code, Diagnostic, Diagnostics, nearest};
use crate::document::Key;
use crate::engine::Machine;
use crate::llm::SeededRng;
use crate::machine::{ControlNode, Id, IdVec, IntentId, Names, SlotId, StateId, Value};

/// What a persona may say to one machine.
#[derive(Clone, Debug)]
pub struct CompiledPersona {
    /// Its name.
    pub(super) name: Box<str>,
    /// What each weight is about.
    groups: Vec<Group>,
    states: IdVec<StateId, StateLines>,
    /// What is said in a state that the machine lacks.
    elsewhere: StateLines,
    /// How likely something known is told, of [`SeededRng::ALWAYS`].
    pub(super) talkative: u64,
    /// The intent with which something known is told.
    pub(super) answers_with: Option<IntentId>,
    /// Turns after which the persona gives up.
    pub(super) patience: Option<u32>,
    /// The intent with which it gives up.
    pub(super) gives_up_with: Option<IntentId>,
    /// Turns after which a dialogue counts as never ending.
    pub(super) max_turns: u32,
}

/// What a weight is about.
#[derive(Clone, Debug)]
enum Group {
    Intents(Vec<IntentId>),
    Sentences(Vec<Box<str>>),
}

/// What is said next.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Drawn<'p> {
    /// This is meant.
    Intent(IntentId),
    /// This is said, and a phrase of the model reads it.
    Sentence(&'p str),
}

/// What is said in one state.
#[derive(Clone, Debug, Default)]
struct StateLines {
    /// Groups of intents, each with the sum of the weights up to it.
    steps: Vec<(u32, usize)>,
    /// What the state wants and the persona knows, in the order of the state.
    known: Vec<(SlotId, Value)>,
}

impl CompiledPersona {
    /// Looks the names of a persona up. `None`, with findings, where the machine lacks one, or where the persona would
    /// fall silent in some state.
    pub fn new(persona: &Persona, machine: &Machine, found: &mut Diagnostics) -> Option<Self> {
        let errors_before = found.error_count();
        let groups: Vec<Group> = persona.weights.iter().map(|weight| group(&weight.what, machine, found)).collect();
        let places: Vec<Vec<StateId>> = persona.weights.iter().map(|weight| states(weight, machine, found)).collect();
        let intent = |name: &Option<Key>, found: &mut Diagnostics| {
            name.as_ref().and_then(|name| look_up(name, "intent", &machine.names.intents, found))
        };
        let answers_with = intent(&persona.answers_with, found);
        let gives_up_with = intent(&persona.gives_up_with, found);
        for (name, _) in &persona.data {
            look_up(name, "slot", &machine.names.slots, found);
        }
        let lines = |state: Option<StateId>| {
            let mut lines = StateLines::default();
            let mut sum: u32 = 0;
            for (number, (weight, places)) in persona.weights.iter().zip(&places).enumerate() {
                let holds = weight.states.is_empty() || state.is_some_and(|state| places.contains(&state));
                if holds && weight.weight > 0 {
                    sum = sum.saturating_add(weight.weight);
                    lines.steps.push((sum, number));
                }
            }
            lines
        };
        let mut by_state = IdVec::default();
        let mut silent = None;
        for (id, state) in machine.states.pairs() {
            let mut here = lines(Some(id));
            // Nothing is said where no dialogue stays.
            let stays = !matches!(state.node.as_deref(), Some(ControlNode::Choice { .. }));
            if here.steps.is_empty() && state.declared && !state.is_final && stays {
                silent = silent.or(Some(id));
            }
            let wanted = state.required.iter().chain(state.optional.iter());
            here.known = wanted.filter_map(|slot| Some((*slot, known(persona, *slot, machine)?))).collect();
            by_state.push(here);
        }
        if let Some(state) = silent.filter(|_| found.error_count() == errors_before) {
            let what = format!("`{}` has nothing to say in `{}`", persona.name.text, machine.names.states.name(state));
            Diagnostic::error(Code::BadPersona, what)
                .at(persona.name.span, "this persona")
                .help("add a weight above 0 without `in`")
                .add_to(found);
        }
        (found.error_count() == errors_before).then(|| Self {
            name: persona.name.text.clone(),
            groups,
            states: by_state,
            elsewhere: lines(None),
            talkative: persona.talkative,
            answers_with,
            patience: persona.patience,
            gives_up_with,
            max_turns: persona.max_turns,
        })
    }

    /// What the state wants and the persona knows.
    #[inline]
    pub(super) fn known(&self, state: StateId) -> &[(SlotId, Value)] {
        &self.lines(state).known
    }

    /// Draws what is said in a state; nothing where there is nothing to say.
    #[inline]
    pub(super) fn draw(&self, state: StateId, rng: &mut SeededRng) -> Option<Drawn<'_>> {
        let steps = &self.lines(state).steps;
        let drawn = rng.below(steps.last()?.0);
        let (_, number) = steps.get(steps.partition_point(|(sum, _)| *sum <= drawn))?;
        let mut at = |count: usize| rng.below(u32::try_from(count).unwrap_or(u32::MAX)) as usize;
        match self.groups.get(*number)? {
            Group::Intents(group) => group.get(at(group.len())).copied().map(Drawn::Intent),
            Group::Sentences(group) => group.get(at(group.len())).map(|say| Drawn::Sentence(say)),
        }
    }

    #[inline]
    fn lines(&self, state: StateId) -> &StateLines {
        self.states.lookup(state).unwrap_or(&self.elsewhere)
    }
}

fn known(persona: &Persona, slot: SlotId, machine: &Machine) -> Option<Value> {
    let name = machine.names.slots.name(slot);
    persona.data.iter().find(|(known, _)| &*known.text == name).map(|(_, value)| value.clone())
}

/// What a weight is about.
fn group(what: &WeightTarget, machine: &Machine, found: &mut Diagnostics) -> Group {
    let intents = match what {
        WeightTarget::Say(sentences) => {
            // Whoever leads by words takes whatever is said.
            let takes_words = machine.policies.inputs().words;
            let is_understood = |text: &str| takes_words || machine.knows_phrase(text);
            for sentence in sentences.iter().filter(|sentence| !is_understood(&sentence.text)) {
                Diagnostic::error(Code::BadPersona, "no phrase of the model reads this")
                    .at(sentence.span, "nobody would understand it")
                    .help("say it as a phrase of the model does, or weigh the `intent`")
                    .add_to(found);
            }
            return Group::Sentences(sentences.iter().map(|sentence| sentence.text.clone()).collect());
        }
        WeightTarget::Intent(name) => look_up(name, "intent", &machine.names.intents, found).into_iter().collect(),
        WeightTarget::Category(name) => {
            let Some(category) = look_up(name, "category of intents", &machine.names.categories, found) else {
                return Group::Intents(Vec::new());
            };
            let inside = machine.intents.pairs().filter(|(_, intent)| intent.in_category(category));
            let inside: Vec<IntentId> = inside.map(|(id, _)| id).collect();
            if inside.is_empty() {
                let what = format!("the category `{}` has no intents", name.text);
                Diagnostic::error(Code::BadPersona, what)
                    .at(name.span, "nothing to say")
                    .help("take the weight out, or give the category intents in the constants")
                    .add_to(found);
            }
            inside
        }
    };
    Group::Intents(intents)
}

/// The states to which a weight is bound.
fn states(weight: &Weight, machine: &Machine, found: &mut Diagnostics) -> Vec<StateId> {
    let known = || machine.declared_states().map(|(id, _)| machine.names.states.name(id));
    let id = |name: &Key| machine.state_id(&name.text).or_else(|| unknown(name, "state", known()).refuse(found));
    weight.states.iter().filter_map(id).collect()
}

fn look_up<I: Id>(name: &Key, what: &str, names: &Names<I>, found: &mut Diagnostics) -> Option<I> {
    names.id(&name.text).or_else(|| unknown(name, what, names.iter()).refuse(found))
}

fn unknown<'m>(name: &Key, what: &str, known: impl Iterator<Item = &'m str>) -> Diagnostic {
    Diagnostic::error(Code::BadPersona, format!("the model has no {what} `{}`", name.text))
        .at(name.span, "not known")
        .suggest(nearest(&name.text, known), "name one of the model, or take it out of the persona")
}
