//! A persona prepared for one machine: names resolved, weights accumulated per state.

use std::collections::BTreeSet;
use std::sync::Arc;

use super::persona::{Persona, Weight, WeightTarget};
use super::phrase_samples::phrase_samples;
use super::sample_values::{SampleValues, speaks_russian};
use super::spoken_intents::SpokenIntents;
use super::user_move::{MoveInputs, UserMove};
use crate::script::{ParsedTurn, TurnOptions, said_trigger};
use fsmsim_adapters::llm::SeededRng;
use fsmsim_core::engine::{Machine, ScriptedTurn};
use fsmsim_core::machine::{
    ChainTable, ControlNode, Id, IdVec, IntentId, Names, SlotId, StateId, Value, is_russian,
};
use fsmsim_syntax::diagnostic::{Code, Diagnostic, Diagnostics};
use fsmsim_syntax::document::Key;

/// A persona prepared for one machine.
#[derive(Clone, Debug)]
pub struct CompiledPersona {
    pub(super) name: Box<str>,
    /// The sentences that the user says for intents.
    pub(super) spoken: Arc<SpokenIntents>,
    /// The inputs of each weight.
    groups: Vec<Group>,
    states: IdVec<StateId, StateLines>,
    /// The inputs in a state that is not in the machine.
    elsewhere: StateLines,
    /// The probability that the persona provides a known value, as a fraction of [`SeededRng::ALWAYS`].
    pub(super) disclosure: u64,
    /// The intent of a turn that provides known values, in every state.
    answers_with: Option<IntentId>,
    /// The number of turns after which the persona gives up.
    pub(super) patience: Option<u32>,
    pub(super) gives_up_with: Option<IntentId>,
    /// The maximum number of turns of a dialogue.
    pub(super) max_turns: u32,
}

/// The inputs of a weight.
#[derive(Clone, Debug)]
enum Group {
    Intents(Vec<IntentId>),
    Sentences(Vec<Box<str>>),
    Turns(Vec<ScriptedTurn>),
}

impl Group {
    fn is_left_out(&self) -> bool {
        match self {
            Self::Intents(intents) => intents.is_empty(),
            Self::Sentences(sentences) => sentences.is_empty(),
            Self::Turns(turns) => turns.is_empty(),
        }
    }
}

/// The next input of the user.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Drawn<'p> {
    /// An intent.
    Intent(IntentId),
    /// A sentence that a phrase of the model recognizes.
    Sentence(&'p str),
    /// A complete turn.
    Turn(&'p ScriptedTurn),
}

/// The inputs in one state.
#[derive(Clone, Debug, Default)]
struct StateLines {
    /// The input groups, each with the total weight up to and including the group.
    steps: Vec<(u32, usize)>,
    /// The requested slots whose values the persona knows, in the order in which the state lists them.
    known: Vec<(SlotId, Value)>,
    /// The intent that provides known values, if the persona names none.
    informing: Option<IntentId>,
}

impl CompiledPersona {
    /// Resolves the names of a persona. All personas share the sentences of the machine. Returns `None`, with findings, if
    /// the machine lacks a name, or if the persona has no input for a state.
    pub fn new(
        persona: &Persona,
        machine: &Machine,
        spoken: &Arc<SpokenIntents>,
        found: &mut Diagnostics,
    ) -> Option<Self> {
        let errors_before = found.error_count();
        let mut groups: Vec<Group> = persona
            .weights
            .iter()
            .map(|weight| group(weight, persona, machine, found))
            .collect();
        let places: Vec<Vec<StateId>> = persona
            .weights
            .iter()
            .map(|weight| states(weight, machine, found))
            .collect();
        let intent = |name: &Option<Key>, found: &mut Diagnostics| {
            let known = name.as_ref().filter(|name| {
                !persona.is_general || machine.names.intents.id(&name.text).is_some()
            });
            known.and_then(|name| look_up_intent(name, machine, found))
        };
        let answers_with = intent(&persona.answers_with, found);
        let gives_up_with = intent(&persona.gives_up_with, found);
        for (name, _) in &persona.data {
            look_up(name, "slot", &machine.names.slots, found);
        }
        let samples = SampleValues::of(machine, persona.is_general);
        // If the machine recognizes phrases, every input is a sentence.
        let sentences = if persona.is_general {
            phrase_samples(machine)
        } else {
            Vec::new()
        };
        let phrases = Some(groups.len()).filter(|_| !sentences.is_empty());
        groups.extend(phrases.map(|_| Group::Sentences(sentences)));
        let mut lines = |state: Option<StateId>| {
            let mut lines = StateLines::default();
            let mut sum: u32 = 0;
            for (number, (weight, places)) in persona.weights.iter().zip(&places).enumerate() {
                let holds =
                    weight.states.is_empty() || state.is_some_and(|state| places.contains(&state));
                let Some(number) = Some(number).filter(|_| holds && weight.weight > 0) else {
                    continue;
                };
                let place = match &weight.what {
                    WeightTarget::Move(_) if phrases.is_some() => phrases,
                    WeightTarget::Move(direction) => {
                        state.and_then(|state| move_group(*direction, machine, state, &mut groups))
                    }
                    _ => Some(number).filter(|number| {
                        groups
                            .get(*number)
                            .is_some_and(|group| !group.is_left_out())
                    }),
                };
                if let Some(place) = place {
                    sum = sum.saturating_add(weight.weight);
                    lines.steps.push((sum, place));
                }
            }
            if let Some(state) = state.filter(|_| persona.is_general && lines.steps.is_empty()) {
                // Fall back to any input.
                let place = move_group(UserMove::Any, machine, state, &mut groups);
                lines.steps.extend(place.map(|place| (1, place)));
            }
            lines
        };
        let tables = machine
            .states
            .iter()
            .flat_map(|state| [&state.transitions, &state.rules]);
        let handled = tables.flat_map(ChainTable::iter).map(|(intent, _)| intent);
        let handled: BTreeSet<IntentId> = handled.collect();
        let mut by_state = IdVec::default();
        let mut silent = None;
        for (id, state) in machine.states.pairs() {
            let mut here = lines(Some(id));
            // A choice node or a target such as `resume` needs no input, because no dialogue stays there.
            let is_choice = matches!(state.node.as_deref(), Some(ControlNode::Choice { .. }));
            let stays = !is_choice && !state.is_target_only();
            if here.steps.is_empty() && state.declared && !state.is_final && stays {
                silent = silent.or(Some(id));
            }
            let wanted = state.required.iter().chain(state.optional.iter());
            let value = |slot| known(persona, slot, machine).or_else(|| samples.get(slot, machine));
            here.known = wanted
                .filter_map(|slot| Some((*slot, value(*slot)?)))
                .collect();
            if persona.is_general && phrases.is_none() && !state.required.is_empty() {
                // It only provides data if the state does not handle it, best if no state does.
                let intents = machine.known_intents().iter().copied();
                let tables = [&state.transitions, &state.rules];
                let others =
                    intents.filter(|id| tables.iter().all(|table| table.get(*id).is_none()));
                here.informing = others.min_by_key(|id| handled.contains(id));
            }
            by_state.push(here);
        }
        let elsewhere = lines(None);
        let is_complete = found.no_errors_since(errors_before) && !persona.is_invalid;
        if let Some(state) = silent.filter(|_| is_complete && !persona.is_general) {
            Diagnostic::error(
                Code::BadPersona,
                format!(
                    "the persona `{}` has no input for the state `{}`",
                    persona.name.text,
                    machine.names.states.name(state)
                ),
            )
            .at(persona.name.span, "persona")
            .help("add a weight above 0 without `in`")
            .add_to(found);
        }
        found.no_errors_since(errors_before).then(|| Self {
            name: persona.name.text.clone(),
            spoken: Arc::clone(spoken),
            groups,
            states: by_state,
            elsewhere,
            disclosure: persona.disclosure,
            answers_with,
            patience: persona.patience,
            gives_up_with,
            max_turns: persona.max_turns,
        })
    }

    /// The requested slots whose values the persona knows.
    #[inline]
    pub(super) fn known(&self, state: StateId) -> &[(SlotId, Value)] {
        &self.lines(state).known
    }

    /// The intent of a turn that provides known values in a state.
    pub(super) fn answers_with(&self, state: StateId) -> Option<IntentId> {
        self.answers_with.or(self.lines(state).informing)
    }

    /// Draws the input in a state. Returns `None` if the state has no inputs.
    #[inline]
    pub(super) fn draw(&self, state: StateId, rng: &mut SeededRng) -> Option<Drawn<'_>> {
        let steps = &self.lines(state).steps;
        let drawn = rng.below(steps.last()?.0);
        let (_, number) = steps.get(steps.partition_point(|(sum, _)| *sum <= drawn))?;
        let mut at = |count: usize| rng.below(u32::try_from(count).unwrap_or(u32::MAX)) as usize;
        match self.groups.get(*number)? {
            Group::Intents(group) => group.get(at(group.len())).copied().map(Drawn::Intent),
            Group::Sentences(group) => group.get(at(group.len())).map(|say| Drawn::Sentence(say)),
            Group::Turns(group) => group.get(at(group.len())).map(Drawn::Turn),
        }
    }

    #[inline]
    fn lines(&self, state: StateId) -> &StateLines {
        self.states.lookup(state).unwrap_or(&self.elsewhere)
    }
}

fn known(persona: &Persona, slot: SlotId, machine: &Machine) -> Option<Value> {
    let name = machine.names.slots.name(slot);
    persona
        .data
        .iter()
        .find(|(known, _)| &*known.text == name)
        .map(|(_, value)| value.clone())
}

/// Adds a separate group with the inputs in a state that lead in this direction. Returns `None` if no input does.
fn move_group(
    direction: UserMove,
    machine: &Machine,
    state: StateId,
    groups: &mut Vec<Group>,
) -> Option<usize> {
    let group = match direction.inputs(machine, state) {
        MoveInputs::Intents(intents) => Group::Intents(intents),
        MoveInputs::Turns(turns) => Group::Turns(turns),
    };
    if group.is_left_out() {
        return None;
    }
    groups.push(group);
    Some(groups.len() - 1)
}

/// The inputs of a weight. Empty for a move, because its inputs depend on the state.
fn group(weight: &Weight, persona: &Persona, machine: &Machine, found: &mut Diagnostics) -> Group {
    if persona.is_general {
        return general_group(&weight.what, machine);
    }
    let intents = match &weight.what {
        WeightTarget::Move(_) => Vec::new(),
        WeightTarget::Say(sentences) => {
            // If free text drives the dialogue, the machine accepts any sentence.
            let takes_words = machine.policies.inputs().words;
            let is_recognized = |text: &str| takes_words || machine.knows_phrase(text);
            for sentence in sentences
                .iter()
                .filter(|sentence| !is_recognized(&sentence.text))
            {
                Diagnostic::error(
                    Code::BadPersona,
                    "no phrase of the model matches the sentence",
                )
                .at(sentence.span, "not recognized")
                .help("use a sentence that a phrase matches, or replace `say` with `intent`")
                .add_to(found);
            }
            return Group::Sentences(
                sentences
                    .iter()
                    .map(|sentence| sentence.text.clone())
                    .collect(),
            );
        }
        WeightTarget::Turn(node) => {
            let parsed = ParsedTurn::read(node, machine, TurnOptions::default(), found);
            return Group::Turns(parsed.map(|parsed| parsed.scripted).into_iter().collect());
        }
        WeightTarget::Intent(name) => look_up_intent(name, machine, found).into_iter().collect(),
        WeightTarget::Category(name) => {
            let Some(category) = look_up(
                name,
                "category of intents",
                &machine.names.categories,
                found,
            ) else {
                return Group::Intents(Vec::new());
            };
            let inside: Vec<IntentId> = machine
                .intents
                .pairs()
                .filter(|(_, intent)| intent.in_category(category))
                .map(|(id, _)| id)
                .collect();
            if inside.is_empty() {
                Diagnostic::error(
                    Code::BadPersona,
                    format!("the category `{}` has no intents", name.text),
                )
                .at(name.span, "empty category")
                .help("remove the weight, or add intents to the category in the constants")
                .add_to(found);
            }
            inside
        }
    };
    Group::Intents(intents)
}

/// The inputs of a built-in persona's weight that this model accepts. Sentences are used only if free text drives the
/// dialogue, and only in the language of the model.
fn general_group(what: &WeightTarget, machine: &Machine) -> Group {
    match what {
        WeightTarget::Turn(node) => {
            let parsed = ParsedTurn::read(
                node,
                machine,
                TurnOptions::default(),
                &mut Diagnostics::default(),
            );
            Group::Turns(parsed.map(|parsed| parsed.scripted).into_iter().collect())
        }
        WeightTarget::Say(sentences) if machine.policies.inputs().words => {
            let russian = speaks_russian(machine);
            let own = sentences
                .iter()
                .filter(|sentence| is_russian(&sentence.text) == russian);
            Group::Sentences(own.map(|sentence| sentence.text.clone()).collect())
        }
        _ => Group::Intents(Vec::new()),
    }
}

/// The states in which a weight applies.
fn states(weight: &Weight, machine: &Machine, found: &mut Diagnostics) -> Vec<StateId> {
    let known = || machine.declared_names();
    let id = |name: &Key| {
        machine
            .state_id(&name.text)
            .or_else(|| unknown(name, "state", known()).refuse(found))
    };
    weight.states.iter().filter_map(id).collect()
}

/// The intent with a name. A user cannot say a trigger.
fn look_up_intent(name: &Key, machine: &Machine, found: &mut Diagnostics) -> Option<IntentId> {
    if let Some(finding) = said_trigger(machine, &name.text) {
        return finding.at(name.span, "not an intent").refuse(found);
    }
    look_up(name, "intent", &machine.names.intents, found)
}

fn look_up<I: Id>(name: &Key, what: &str, names: &Names<I>, found: &mut Diagnostics) -> Option<I> {
    names
        .id(&name.text)
        .or_else(|| unknown(name, what, names.iter()).refuse(found))
}

fn unknown<'m>(name: &Key, what: &str, known: impl Iterator<Item = &'m str>) -> Diagnostic {
    Diagnostic::unknown(Code::BadPersona, what, &name.text)
        .at(name.span, "not in the model")
        .near(
            &name.text,
            known,
            "use a name from the model, or remove this name from the persona",
        )
}
