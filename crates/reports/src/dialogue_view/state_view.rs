//! The current state of a dialogue and the possible inputs.

use std::fmt;

use serde::Serialize;

use super::slot_view::{OTHER, REQUIRED, SlotView};
use fsmsim_core::machine::Value;
use fsmsim_harness::interactive::InteractiveDialogue;
use fsmsim_runtime::script::AcceptedInputs;

/// The current state of a dialogue and the possible inputs.
#[derive(Debug, Serialize)]
pub struct StateView<'r> {
    state: &'r str,
    phase: Option<&'r str>,
    #[serde(rename = "final")]
    is_final: bool,
    goal: Option<&'r str>,
    /// The states to which the dialogue returns from asides, innermost first.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    returns_to: Vec<&'r str>,
    /// The location of the state, as `FILE:LINE`.
    at: Option<String>,
    accepts: AcceptedView<'r>,
    /// The intents that the state handles.
    intents: Vec<&'r str>,
    /// All other intents, if requested.
    #[serde(skip_serializing_if = "Option::is_none")]
    others: Option<Vec<&'r str>>,
    /// The intent of a turn that only provides data.
    #[serde(skip_serializing_if = "Option::is_none")]
    informing: Option<&'static str>,
    /// Whether the machine speaks first.
    opening: bool,
    moves: Vec<MoveView<'r>>,
    slots: Vec<SlotView<'r>>,
    /// The instructions for an LLM in this state.
    instruction: Option<String>,
    question: Option<QuestionView>,
    /// The number of turns, if requested.
    #[serde(skip_serializing_if = "Option::is_none")]
    turns: Option<u32>,
}

/// The kinds of input that a turn accepts.
#[derive(Debug, Serialize)]
#[expect(
    clippy::struct_excessive_bools,
    reason = "each is a separate kind of input"
)]
struct AcceptedView<'r> {
    intents: bool,
    moves: bool,
    /// Free text without a recognizer.
    text: bool,
    events: Vec<&'r str>,
    /// A decision of the user about access to data.
    consent: bool,
    /// Whether the state asks for that decision.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    consent_now: bool,
}

/// A transition that a state declares.
#[derive(Debug, Serialize)]
struct MoveView<'r> {
    target: &'r str,
    condition: &'r str,
}

/// A clarification question.
#[derive(Debug, Serialize)]
struct QuestionView {
    options: Vec<OptionView>,
}

/// An interpretation that the question offers.
#[derive(Debug, Serialize)]
struct OptionView {
    label: String,
    intent: Option<String>,
}

impl<'r> StateView<'r> {
    /// The view of the current state.
    pub fn of(interactive: &'r InteractiveDialogue) -> Self {
        let dialogue = interactive.dialogue();
        let machine = &**dialogue.machine();
        let session = dialogue.session();
        let id = session.position.state;
        let state = machine.state(id);
        let inputs = AcceptedInputs::of(machine);
        let is_event = |name: &&str| {
            machine
                .names
                .intents
                .id(name)
                .is_some_and(|id| machine.is_event(id))
        };
        let here: Vec<&str> = interactive.intents_here();
        let others = interactive
            .other_intents()
            .into_iter()
            .filter(|name| !is_event(name));
        let events = machine.names.intents.iter().filter(is_event).collect();
        let moves = machine.moves(id).iter().map(|declared| MoveView {
            target: machine.names.states.name(declared.target),
            condition: &declared.condition,
        });
        let asked = session.clarification.asked.as_ref();
        Self {
            state: interactive.state(),
            phase: session
                .position
                .phase
                .map(|phase| session.phase_name(phase, machine)),
            is_final: session.is_final(machine),
            goal: state.goal.as_deref(),
            returns_to: session.return_names(machine),
            at: state.span.map(|span| {
                let place = machine.files.place(span);
                format!("{}:{}", place.path, place.line)
            }),
            accepts: AcceptedView {
                intents: !inputs.moves && !machine.known_intents().is_empty(),
                moves: inputs.moves,
                text: inputs.phrases,
                events,
                consent: machine.policies.guidance().is_some(),
                consent_now: (machine.policies.guidance())
                    .is_some_and(|guidance| guidance.consent == Some(id)),
            },
            intents: here.into_iter().filter(|name| !is_event(name)).collect(),
            others: Some(others.collect()),
            informing: interactive.informing_intent(),
            moves: moves.collect(),
            slots: SlotView::all(machine, dialogue.settings(), session),
            instruction: session.instruction(machine),
            question: asked.map(|asked| QuestionView {
                options: asked.options.iter().map(OptionView::of).collect(),
            }),
            opening: interactive.opens(),
            turns: None,
        }
    }

    /// The view without optional parts, with at most `most` slots and intents, and with the number of turns.
    pub fn in_brief(mut self, most: usize, turns: u32) -> Self {
        self.others = None;
        self.informing = None;
        self.slots.retain(|slot| slot.need != OTHER || slot.filled);
        self.slots.truncate(most);
        self.intents.truncate(most);
        self.turns = Some(turns);
        self
    }
}

/// The current state, the missing slots, and the possible inputs.
impl fmt::Display for StateView<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let phase = self.phase.map(|phase| format!(", phase {phase}"));
        let place = format!("{}{}", self.state, phase.unwrap_or_default());
        if self.is_final {
            return write!(f, "The dialogue has ended in {place}.");
        }
        write!(f, "Current state: {place}.")?;
        if let Some(state) = self.returns_to.first() {
            write!(f, " Returns to: {state}.")?;
        }
        let missing = self.slots.iter();
        let missing = missing.filter(|slot| slot.need == REQUIRED && !slot.filled);
        for (label, names) in [
            ("Missing", missing.map(|slot| slot.name).collect()),
            ("Intents", self.intents.clone()),
            (
                "Next states",
                self.moves.iter().map(|way| way.target).collect::<Vec<_>>(),
            ),
        ] {
            if !names.is_empty() {
                write!(f, " {label}: {}.", names.join(", "))?;
            }
        }
        Ok(())
    }
}

impl OptionView {
    fn of(option: &Value) -> Self {
        let text = |key: &str| option.get(key).map(Value::plain);
        let intent = text("intent");
        let label = text("label").or_else(|| intent.clone());
        Self {
            label: label.unwrap_or_else(|| option.to_string()),
            intent,
        }
    }
}
