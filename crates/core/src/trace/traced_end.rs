//! The end of a dialogue in a trace that is read: whether the dialogue is whole.

use serde::Deserialize;

use fsmsim_syntax::diagnostic::{Code, Diagnostic};

/// The last line of a dialogue, as a trace has it. Keys that are not known are passed over.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
pub struct TracedEnd {
    /// The name of the dialogue.
    #[serde(rename = "end")]
    pub dialogue: String,
    /// How many turns it has.
    pub turns: u64,
}

impl TracedEnd {
    /// The finding about a dialogue with so many turns, whose last line says this, or is missing; nothing where the dialogue
    /// is whole.
    pub fn check(end: Option<&Self>, dialogue: &str, turns: usize) -> Option<Diagnostic> {
        let title = match end {
            None => format!("the dialogue `{dialogue}` breaks off: no line says that it is whole"),
            Some(end) if end.dialogue != dialogue => {
                format!(
                    "the dialogue `{dialogue}` breaks off: behind it stands the end of `{}`",
                    end.dialogue
                )
            }
            Some(end) if end.turns != turns as u64 => {
                format!(
                    "the dialogue `{dialogue}` is not whole: its end counts {} turns, and there are {turns}",
                    end.turns
                )
            }
            Some(_) => return None,
        };
        let help = "record the trace again; what is there is used as far as it goes";
        Some(Diagnostic::warning(Code::BrokenOff, title).help(help))
    }
}

/// The finding about a trace of version 1.
pub fn old_trace() -> Diagnostic {
    Diagnostic::warning(
        Code::OldTrace,
        "the trace is of version 1, which cannot say that a dialogue is whole",
    )
    .help("record it again, if you can; it is read as it is")
}
