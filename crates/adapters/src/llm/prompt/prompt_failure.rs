//! A template of a project that came to nothing.

use minijinja::{Error, ErrorKind};

use crate::llm::kind::TaskKind;
use fsmsim_syntax::diagnostic::{Code, Diagnostic};

/// A template, of a project or built in, that could not be filled in at its turn. The model is not asked in other words instead.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PromptFailure {
    /// What was to be asked for.
    pub(super) kind: TaskKind,
    /// The file and the line.
    pub(super) place: String,
    /// Why, in a sentence.
    pub(super) why: String,
}

impl PromptFailure {
    /// What happened, in a sentence with its place.
    pub fn sentence(&self) -> String {
        format!(
            "the prompt for `{}` cannot be filled in at {}: {}",
            self.kind.name(),
            self.place,
            self.why
        )
    }

    /// The finding about it.
    pub fn finding(&self) -> Diagnostic {
        let title = format!(
            "the prompt for `{}` cannot be filled in: {}",
            self.kind.name(),
            self.why
        );
        let help = "what it names may be empty here: ask for it first, as in `{% if asked %}{{ asked.name }}{% endif %}`";
        Diagnostic::error(Code::BadPrompt, title)
            .about(&*self.place)
            .help(help)
    }
}

/// Why a template came to nothing, in a sentence.
pub(super) fn reason(error: &Error) -> String {
    match error.kind() {
        ErrorKind::OutOfFuel => "it goes on for too long, or says too much".to_owned(),
        ErrorKind::UndefinedError => match error.detail() {
            Some(detail) => detail.to_owned(),
            None => "there is no such field".to_owned(),
        },
        kind => error
            .detail()
            .map_or_else(|| kind.to_string(), str::to_owned),
    }
}
