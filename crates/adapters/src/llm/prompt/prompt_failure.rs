//! Failures of prompt templates.

use minijinja::{Error, ErrorKind};

use crate::llm::kind::TaskKind;
use fsmsim_syntax::diagnostic::{Code, Diagnostic};

/// A template, of a project or built in, that failed to render. There is no fallback prompt.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PromptFailure {
    /// The kind of task.
    pub(super) kind: TaskKind,
    /// The file and the line.
    pub(super) place: String,
    /// The reason, as a sentence.
    pub(super) why: String,
}

impl PromptFailure {
    /// A description with the location, as a sentence.
    pub fn sentence(&self) -> String {
        format!(
            "cannot render the prompt for `{}` at {}: {}",
            self.kind.name(),
            self.place,
            self.why
        )
    }

    /// The finding about the failure.
    pub fn finding(&self) -> Diagnostic {
        let title = format!(
            "cannot render the prompt for `{}`: {}",
            self.kind.name(),
            self.why
        );
        Diagnostic::error(Code::BadPrompt, title)
            .about(&*self.place)
            .help("test for empty values first: `{% if asked %}{{ asked.name }}{% endif %}`")
    }
}

/// The reason of a template error, as a sentence.
pub(super) fn reason(error: &Error) -> String {
    match error.kind() {
        ErrorKind::OutOfFuel => "the template runs too long or its output is too large".to_owned(),
        ErrorKind::UndefinedError => match error.detail() {
            Some(detail) => detail.to_owned(),
            None => "unknown field".to_owned(),
        },
        kind => error
            .detail()
            .map_or_else(|| kind.to_string(), str::to_owned),
    }
}
