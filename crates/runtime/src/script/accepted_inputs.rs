//! The inputs that a machine accepts in a turn.

use fsmsim_adapters::llm::{DefaultRecognizer, IntentOption};
use fsmsim_core::engine::Machine;
use fsmsim_syntax::diagnostic::{Code, Diagnostic};

/// The inputs that a machine accepts in a turn.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct AcceptedInputs {
    /// Whether the machine accepts moves of an assistant. Otherwise it accepts intents.
    pub moves: bool,
    /// Whether the machine accepts free text, because it recognizes phrases or because free text drives its dialogues.
    pub phrases: bool,
}

/// The inputs of a turn that decide whether it can run.
#[derive(Clone, Copy, Debug)]
pub(super) struct GivenInputs {
    /// The key that contains the intent.
    pub intent: Option<&'static str>,
    /// The key that contains the move.
    pub lead: Option<&'static str>,
    /// An event that the machine does not know.
    pub other: Option<&'static str>,
    /// The turn contains the reply of the assistant.
    pub replies: bool,
    /// The turn contains an utterance of the user.
    pub says: bool,
    /// The utterance will be recognized.
    pub is_read: bool,
}

impl AcceptedInputs {
    pub fn of(machine: &Machine) -> Self {
        let inputs = machine.policies.inputs();
        Self {
            moves: inputs.navigation,
            phrases: !machine.phrases.is_empty() || inputs.words,
        }
    }

    /// The finding for a turn with an unaccepted input, or without any input that advances the dialogue.
    pub(super) fn refusal(self, given: &GivenInputs, machine: &Machine) -> Option<Diagnostic> {
        let GivenInputs {
            intent,
            lead,
            other,
            replies,
            says,
            is_read,
        } = *given;
        let unaccepted = if self.moves { other.or(intent) } else { lead };
        if let Some(key) = unaccepted {
            return Some(self.wrong_input(key));
        }
        if let Some(key) = other {
            let help = format!("add a rule or a transition for `{key}` to a state");
            return Some(Diagnostic::unknown(Code::WrongInput, "event", key).help(help));
        }
        let has_input = if self.moves {
            lead.is_some() || replies
        } else {
            intent.is_some()
        };
        (!has_input && !is_read).then(|| self.no_input(says, machine))
    }

    fn wrong_input(self, key: &str) -> Diagnostic {
        let (title, help) = if self.moves {
            (
                format!("cannot use `{key}` with a state set"),
                "write `goto: STATE`, or configure an LLM provider for `say`",
            )
        } else {
            (
                format!("cannot use `{key}` with a flow"),
                "write `intent: NAME`",
            )
        };
        Diagnostic::error(Code::WrongInput, title).help(help)
    }

    fn no_input(self, says: bool, machine: &Machine) -> Diagnostic {
        if let Some(lines) = missing_examples(machine).filter(|_| says) {
            let title =
                "missing `intent` in the turn, and the model has no examples to recognize `say`";
            return Diagnostic::error(Code::NoInput, title).help(format!(
                "add `intent: NAME`, or add examples to the model:\n{lines}"
            ));
        }
        let (title, help) = match (self.moves, says) {
            (_, false) => (
                "the turn has no input",
                if self.moves {
                    "add `goto: STATE` or `say: TEXT`"
                } else {
                    "add `intent: NAME`"
                },
            ),
            (true, true) => (
                "missing `goto` in the turn, and no LLM provider is configured for `say`",
                "add `goto: STATE`, or `reply: TEXT` to stay in the state",
            ),
            (false, true) => (
                "missing `intent` in the turn, and no recognizer is configured for `say`",
                "add `intent: NAME`, or configure a recognizer",
            ),
        };
        Diagnostic::error(Code::NoInput, title).help(help)
    }
}

/// The two lines of YAML that a model lacks for recognizing text. `None` if it has examples, or no intents of users.
pub fn missing_examples(machine: &Machine) -> Option<String> {
    if DefaultRecognizer::can_learn(machine) {
        return None;
    }
    let intents: Vec<&str> = IntentOption::all(machine)
        .iter()
        .map(|offer| offer.intent)
        .collect();
    let mut handled = machine.state(machine.initial).transitions.iter();
    let here = handled.find_map(|(id, _)| {
        Some(machine.names.intents.name(id)).filter(|name| intents.contains(name))
    });
    let name = here.or_else(|| intents.first().copied())?;
    let examples = "[\"what a user says\", \"another way to say it\"]";
    Some(format!("intents:\n  {name}: {{examples: {examples}}}"))
}
