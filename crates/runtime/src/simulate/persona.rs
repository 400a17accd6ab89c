//! Personas: the behavior of a simulated user as data.

use super::user_move::UserMove;
use crate::limits::{DEFAULT_TURNS, MAX_TURNS, MAX_WEIGHT, MAX_WEIGHTS};
use fsmsim_adapters::llm::{SeededRng, UserTask, Utterance, chance_of};
use fsmsim_core::machine::Value;
use fsmsim_syntax::diagnostic::{Code, Diagnostic, Diagnostics, Span};
use fsmsim_syntax::document::{Fields, Key, Node, named as named_variants, one_of, text_of};
use fsmsim_syntax::shapes;

/// The behavior of a simulated user: its weighted inputs, its known values and its patience. Names are unresolved;
/// [`CompiledPersona`](super::CompiledPersona) resolves them for a machine.
#[derive(Clone, Debug)]
pub struct Persona {
    pub name: Key,
    /// A description of the persona, for readers.
    pub description: String,
    /// The goal, for a model that plays the persona. Empty if the persona is not meant for a model.
    pub goal: String,
    /// The mood, for a model that plays the persona. Optional.
    pub mood: String,
    /// The possible inputs with their weights.
    pub weights: Vec<Weight>,
    /// The slots whose values the persona knows.
    pub data: Vec<(Key, Value)>,
    /// The probability that the persona provides a known value on request, as a fraction of [`SeededRng::ALWAYS`].
    pub disclosure: u64,
    /// The intent of a turn that provides known values. `None` draws the input from the weights.
    pub answers_with: Option<Key>,
    /// The number of turns after which the persona gives up. `None` means never.
    pub patience: Option<u32>,
    /// The intent of the turn in which the persona gives up and leaves.
    pub gives_up_with: Option<Key>,
    /// The maximum number of turns of a dialogue, from 1.
    pub max_turns: u32,
    /// The persona works with any model: inputs that the model does not accept are skipped, and every slot gets a
    /// value.
    pub is_general: bool,
    /// The persona file has errors, so some inputs may be missing.
    pub is_invalid: bool,
}

/// A weighted input of a persona.
#[derive(Clone, Debug)]
pub struct Weight {
    /// The input.
    pub what: WeightTarget,
    /// The relative frequency.
    pub weight: u32,
    /// The states in which the weight applies. Empty means all states.
    pub states: Vec<Key>,
}

/// The input that a weight applies to.
#[derive(Clone, Debug)]
pub enum WeightTarget {
    Intent(Key),
    /// Any intent of a category, with equal probability.
    Category(Key),
    /// One of these sentences, with equal probability. A phrase of the model must recognize each sentence.
    Say(Vec<Key>),
    /// A complete turn in scenario format.
    Turn(Node),
    /// The inputs of the model that lead in this direction.
    Move(UserMove),
}

impl Persona {
    /// Parses a persona. Skips its invalid parts and reports them. Returns `None`, with findings, if the persona has no
    /// name.
    pub fn read(node: &Node, found: &mut Diagnostics) -> Option<Self> {
        let errors_before = found.error_count();
        let mut fields = Fields::of(node, &shapes::PERSONA_FILE, found)?;
        if fields.node("persona").is_none() {
            fields.missing("persona");
        }
        let name = named(&mut fields, "persona");
        let description = fields.text("description").unwrap_or_default().to_owned();
        let goal = fields.text("goal").unwrap_or_default().to_owned();
        let mood = fields.text("mood").unwrap_or_default().to_owned();
        let weights = fields.list("weights");
        // A model that plays the persona needs no weights.
        let needs_weights = goal.is_empty();
        if needs_weights && weights.is_none() && node.get("weights").is_none_or(Node::is_null) {
            fields.missing("weights");
        }
        let data = fields.map("data");
        let disclosure = fields.node("disclosure");
        let answers_with = named(&mut fields, "answers_with");
        let patience_at = fields.node("patience").map(|node| node.span);
        let patience = fields.count("patience");
        let gives_up_with = named(&mut fields, "gives_up_with");
        let turns_at = fields.node("max_turns").map(|node| node.span);
        let max_turns = fields.count("max_turns").unwrap_or(DEFAULT_TURNS);
        fields.finish();
        if let Some(span) = turns_at.filter(|_| !(1..=MAX_TURNS).contains(&max_turns)) {
            Diagnostic::error(
                Code::BadPersona,
                format!("invalid `max_turns`: {max_turns}"),
            )
            .at(span, "out of range")
            .help(format!("use a number from 1 to {MAX_TURNS}"))
            .add_to(found);
        }
        let disclosure = disclosure
            .and_then(|node| chance_of(node, "disclosure", Code::BadPersona, found))
            .unwrap_or(SeededRng::ALWAYS);
        let weights = read_weights(weights.unwrap_or_default(), node.span, found);
        let mut values = Vec::new();
        for (key, node) in data.into_iter().flat_map(|map| &map.entries) {
            if node.is_null() {
                Diagnostic::error(
                    Code::BadPersona,
                    format!("missing value for `{}`", key.text),
                )
                .at(key.span, "no value")
                .help("add a value, or remove the slot")
                .add_to(found);
            }
            values.push((key.clone(), Value::from(node)));
        }
        // A persona with limited patience needs an intent to give up with.
        let gives_up_with = gives_up_with.or_else(|| {
            patience_at.map(|span| Key {
                text: "rejection".into(),
                span,
            })
        });
        Some(Self {
            name: name?,
            description,
            goal,
            mood,
            weights,
            data: values,
            disclosure,
            answers_with,
            patience,
            gives_up_with,
            max_turns,
            is_general: false,
            is_invalid: !found.no_errors_since(errors_before),
        })
    }
}

impl Persona {
    /// The prompt data for a model that plays the persona.
    pub fn task<'p>(&'p self, history: &'p [Utterance]) -> UserTask<'p> {
        let knows = self
            .data
            .iter()
            .map(|(name, value)| (&*name.text, value))
            .collect();
        UserTask {
            persona: &self.description,
            goal: &self.goal,
            mood: &self.mood,
            knows,
            history,
        }
    }
}

/// A name with its location.
fn named(fields: &mut Fields<'_, '_>, key: &'static str) -> Option<Key> {
    let span = fields.node(key)?.span;
    Some(Key {
        text: fields.text(key)?.into(),
        span,
    })
}

fn read_weights(items: &[Node], whole: Span, found: &mut Diagnostics) -> Vec<Weight> {
    if items.len() > MAX_WEIGHTS {
        Diagnostic::error(
            Code::BadPersona,
            format!("too many weights: {}, limit {MAX_WEIGHTS}", items.len()),
        )
        .at(whole, "persona")
        .help("use categories instead of intents")
        .add_to(found);
        return Vec::new();
    }
    items
        .iter()
        .filter_map(|item| read_weight(item, found))
        .collect()
}

fn read_weight(node: &Node, found: &mut Diagnostics) -> Option<Weight> {
    let mut fields = Fields::of(node, &shapes::WEIGHT, found)?;
    let intent = named(&mut fields, "intent");
    let category = named(&mut fields, "category");
    let weight_at = fields.node("weight").map(|node| node.span);
    if weight_at.is_none() {
        fields.missing("weight");
    }
    let weight = fields.count("weight");
    let [states, say, turn] = fields.nodes(["in", "say", "turn"]);
    let move_at = fields.node("move").map(|node| node.span);
    let direction = fields.text("move").zip(move_at);
    fields.finish();
    let mut texts = |node: Option<&Node>, key: &str| -> Vec<Key> {
        let items = node.map(Node::items).unwrap_or_default().iter();
        let key = |item: &Node| {
            Some(Key {
                text: text_of(item, key, found)?.into(),
                span: item.span,
            })
        };
        items.filter_map(key).collect()
    };
    let states = texts(states, "an item of `in`");
    let say = say.map(|node| texts(Some(node), "an item of `say`"));
    let direction = direction.map(|(name, span)| {
        let known = one_of(name, span, &named_variants::<UserMove>());
        found.take(known).unwrap_or(UserMove::Any)
    });
    let what = match (intent, category, say, turn, direction) {
        (Some(intent), None, None, None, None) => WeightTarget::Intent(intent),
        (None, Some(category), None, None, None) => WeightTarget::Category(category),
        (None, None, Some(say), None, None) if !say.is_empty() => WeightTarget::Say(say),
        (None, None, None, Some(turn), None) => WeightTarget::Turn(turn.clone()),
        (None, None, None, None, Some(direction)) => WeightTarget::Move(direction),
        _ => {
            return Diagnostic::error(
                Code::BadPersona,
                "expected one of `intent`, `category`, `move`, `say` or `turn` in a weight",
            )
            .at(node.span, "weight")
            .help("use exactly one of these keys in each weight")
            .refuse(found);
        }
    };
    let weight = weight.unwrap_or(0);
    if let Some(span) = weight_at.filter(|_| weight > MAX_WEIGHT) {
        Diagnostic::error(
            Code::BadPersona,
            format!("the weight is too large: {weight}, limit {MAX_WEIGHT}"),
        )
        .at(span, "too large")
        .help(format!("use a number from 0 to {MAX_WEIGHT}"))
        .add_to(found);
    }
    Some(Weight {
        what,
        weight,
        states,
    })
}
