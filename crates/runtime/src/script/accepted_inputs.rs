//! What the turns of a machine may bring.

use fsmsim_core::engine::Machine;
use fsmsim_syntax::diagnostic::{Code, Diagnostic};

/// What the turns of a machine may bring.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct AcceptedInputs {
    /// Moves of whoever leads the dialogue; otherwise intents.
    pub moves: bool,
    /// Plain text, since the machine itself knows phrases, or events of its moves.
    pub phrases: bool,
}

/// What a turn brings, as far as it decides whether it can be played.
#[derive(Clone, Copy, Debug)]
pub(super) struct GivenInputs {
    /// The key of its intent.
    pub(super) intent: Option<&'static str>,
    /// The key by which it leads.
    pub(super) lead: Option<&'static str>,
    /// An event that the machine does not know.
    pub(super) other: Option<&'static str>,
    /// It says what the assistant says.
    pub(super) replies: bool,
    /// It says what the user says.
    pub(super) says: bool,
    /// What the user says will be read.
    pub(super) is_read: bool,
}

impl AcceptedInputs {
    /// What the turns of this machine may bring.
    pub fn of(machine: &Machine) -> Self {
        let inputs = machine.policies.inputs();
        Self {
            moves: inputs.navigation,
            phrases: !machine.phrases.is_empty() || inputs.words,
        }
    }

    /// The finding about a turn that brings what the machine does not take, or nothing by which it goes on.
    pub(super) fn refusal(self, given: &GivenInputs) -> Option<Diagnostic> {
        let GivenInputs {
            intent,
            lead,
            other,
            replies,
            says,
            is_read,
        } = *given;
        let strange = if self.moves { other.or(intent) } else { lead };
        if let Some(key) = strange {
            return Some(self.wrong_input(key));
        }
        if let Some(key) = other {
            let help = format!("write a rule or a transition for `{key}` in a state");
            return Some(
                Diagnostic::error(
                    Code::WrongInput,
                    format!("the model knows no event `{key}`"),
                )
                .help(help),
            );
        }
        let goes_on = if self.moves {
            lead.is_some() || replies
        } else {
            intent.is_some()
        };
        (!goes_on && !is_read).then(|| self.no_input(says))
    }

    /// The finding about an input that the machine does not take.
    fn wrong_input(self, key: &str) -> Diagnostic {
        let (title, help) = if self.moves {
            (
                format!("an assistant with instructions does not take `{key}`"),
                "such a dialogue is led: write `goto: STATE`, or let somebody answer what is said",
            )
        } else {
            (
                format!("a flow does not take `{key}`"),
                "flows are driven by intents; write `intent: NAME`",
            )
        };
        Diagnostic::error(Code::WrongInput, title).help(help)
    }

    /// The finding about a turn that leads nowhere, or means nothing.
    fn no_input(self, says: bool) -> Diagnostic {
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
                "the turn says what is said, but not where the dialogue goes",
                "add `goto: STATE`, or `reply: TEXT` to stay: no model is set up that could answer",
            ),
            (false, true) => (
                "the turn says what is said, but not what is meant",
                "add `intent: NAME`: no model is set up that could read the utterance",
            ),
        };
        Diagnostic::error(Code::NoInput, title).help(help)
    }
}
