//! A persona: how a simulated user speaks, as data.

use super::mood::Mood;
use crate::limits::{DEFAULT_TURNS, MAX_TURNS, MAX_WEIGHT, MAX_WEIGHTS};
use fsmsim_adapters::llm::{SeededRng, UserTask, Utterance, chance_of};
use fsmsim_core::machine::Value;
use fsmsim_syntax::diagnostic::{Code, Diagnostic, Diagnostics, Span};
use fsmsim_syntax::document::{Fields, Key, Node, named as named_variants, one_of, text_of};
use fsmsim_syntax::shapes;

/// How a simulated user speaks: what it says how often, what it knows, and when it has had enough. Names are as written;
/// [`CompiledPersona`](super::CompiledPersona) looks them up in a machine.
#[derive(Clone, Debug)]
pub struct Persona {
    pub name: Key,
    /// What kind of person it is, for people.
    pub description: String,
    /// What it wants, for a model that plays it; empty where no model is meant to.
    pub goal: String,
    /// In which mood it is, for a model that plays it; empty where nobody says.
    pub mood: String,
    /// What it says, and how often.
    pub weights: Vec<Weight>,
    /// The slots that it knows, with their values.
    pub data: Vec<(Key, Value)>,
    /// How likely it tells something it knows where it is wanted, of [`SeededRng::ALWAYS`].
    pub talkative: u64,
    /// The intent with which it tells what it knows; without one, that of the weights.
    pub answers_with: Option<Key>,
    /// Turns after which it gives up; nothing for never.
    pub patience: Option<u32>,
    /// The intent with which it gives up and leaves.
    pub gives_up_with: Option<Key>,
    /// Turns after which a dialogue counts as never ending, from 1.
    pub max_turns: u32,
    /// It is for any model: what a model does not take is left out, and every slot has a value.
    pub is_general: bool,
}

/// Something that a persona says.
#[derive(Clone, Debug)]
pub struct Weight {
    /// What.
    pub what: WeightTarget,
    /// How often, against the other weights.
    pub weight: u32,
    /// The states in which; without any, in all.
    pub states: Vec<Key>,
}

/// What a weight is about.
#[derive(Clone, Debug)]
pub enum WeightTarget {
    Intent(Key),
    /// Any intent of a category, each as often.
    Category(Key),
    /// One of these sentences, each as often, which a phrase of the model reads.
    Say(Vec<Key>),
    /// A whole turn, as in a scenario.
    Turn(Node),
    /// What the model has of this mood.
    Mood(Mood),
}

impl Persona {
    /// Reads a persona. `None`, with findings, where it cannot be used with any machine.
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
        // A model that plays the persona finds its own words.
        let needs_weights = goal.is_empty();
        if needs_weights && weights.is_none() && node.get("weights").is_none_or(Node::is_null) {
            fields.missing("weights");
        }
        let data = fields.map("data");
        let talkative = fields.node("talkative");
        let answers_with = named(&mut fields, "answers_with");
        let patience_at = fields.node("patience").map(|node| node.span);
        let patience = fields.count("patience");
        let gives_up_with = named(&mut fields, "gives_up_with");
        let turns_at = fields.node("max_turns").map(|node| node.span);
        let max_turns = fields.count("max_turns").unwrap_or(DEFAULT_TURNS);
        fields.finish();
        if let Some(span) = turns_at.filter(|_| !(1..=MAX_TURNS).contains(&max_turns)) {
            let finding = Diagnostic::error(
                Code::BadPersona,
                format!("`max_turns` cannot be {max_turns}"),
            );
            found.push(
                finding
                    .at(span, "out of range")
                    .help(format!("give a number from 1 to {MAX_TURNS}")),
            );
        }
        let talkative = talkative.map_or(Some(SeededRng::ALWAYS), |node| {
            chance_of(node, "talkative", Code::BadPersona, found)
        });
        let weights = read_weights(weights.unwrap_or_default(), node.span, found);
        let mut values = Vec::new();
        for (key, node) in data.into_iter().flat_map(|map| &map.entries) {
            if node.is_null() {
                let finding =
                    Diagnostic::error(Code::BadPersona, format!("`{}` has no value", key.text));
                found.push(
                    finding
                        .at(key.span, "not known")
                        .help("give a value, or take the slot out"),
                );
            }
            values.push((key.clone(), Value::from(node)));
        }
        // Whoever runs out of patience has to say so somehow.
        let gives_up_with = gives_up_with.or_else(|| {
            patience_at.map(|span| Key {
                text: "rejection".into(),
                span,
            })
        });
        let persona = Self {
            name: name?,
            description,
            goal,
            mood,
            weights,
            data: values,
            talkative: talkative?,
            answers_with,
            patience,
            gives_up_with,
            max_turns,
            is_general: false,
        };
        found.no_errors_since(errors_before).then_some(persona)
    }
}

impl Persona {
    /// What somebody is told who plays it.
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

/// A name with its place.
fn named(fields: &mut Fields<'_, '_>, key: &'static str) -> Option<Key> {
    let span = fields.node(key)?.span;
    Some(Key {
        text: fields.text(key)?.into(),
        span,
    })
}

fn read_weights(items: &[Node], whole: Span, found: &mut Diagnostics) -> Vec<Weight> {
    if items.len() > MAX_WEIGHTS {
        let finding =
            Diagnostic::error(Code::BadPersona, format!("more than {MAX_WEIGHTS} weights"));
        found.push(
            finding
                .at(whole, "this persona")
                .help("weigh categories instead of intents"),
        );
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
    let (states, say, turn) = (fields.node("in"), fields.node("say"), fields.node("turn"));
    let mood_at = fields.node("mood").map(|node| node.span);
    let mood = fields.text("mood").zip(mood_at);
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
    let (states, say) = (
        texts(states, "in"),
        say.map(|node| texts(Some(node), "say")),
    );
    let mood = match mood
        .map(|(name, span)| one_of(name, span, &named_variants::<Mood>()))
        .transpose()
    {
        Ok(mood) => mood,
        Err(finding) => return finding.refuse(found),
    };
    let what = match (intent, category, say, turn, mood) {
        (Some(intent), None, None, None, None) => WeightTarget::Intent(intent),
        (None, Some(category), None, None, None) => WeightTarget::Category(category),
        (None, None, Some(say), None, None) if !say.is_empty() => WeightTarget::Say(say),
        (None, None, None, Some(turn), None) => WeightTarget::Turn(turn.clone()),
        (None, None, None, None, Some(mood)) => WeightTarget::Mood(mood),
        _ => {
            let title =
                "a weight is about one intent, one category, one mood, what is said, or one turn";
            return Diagnostic::error(Code::BadPersona, title)
                .at(node.span, "this weight")
                .help("write either `intent`, `category`, `mood`, `say` or `turn`")
                .refuse(found);
        }
    };
    let weight = weight?;
    if let Some(span) = weight_at.filter(|_| weight > MAX_WEIGHT) {
        let finding = Diagnostic::error(Code::BadPersona, format!("a weight cannot be {weight}"));
        found.push(
            finding
                .at(span, "too heavy")
                .help(format!("give a number from 0 to {MAX_WEIGHT}")),
        );
    }
    Some(Weight {
        what,
        weight,
        states,
    })
}
