//! A finding with separate fields for its code, location, title and help.

use std::io;
use std::path::Path;

use super::code::Code;
use super::span::{FileId, Span};
use super::suggest::{nearest, similar, suggestion};

/// The severity of a finding.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, strum::IntoStaticStr)]
#[strum(serialize_all = "snake_case")]
pub enum Severity {
    /// Information; the input is correct.
    Note,
    /// The input is usable but contains a likely mistake.
    Warning,
    /// The input is invalid.
    Error,
}

/// A labeled span of a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Label {
    pub span: Span,
    /// The text next to the underline, which can be empty.
    pub text: String,
}

/// A finding about the input. [`render`](super::render) formats it for the terminal.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Diagnostic {
    pub code: Code,
    pub severity: Severity,
    /// The error or problem in one line.
    pub title: String,
    /// The location of the finding, followed by locations that explain it.
    pub labels: Vec<Label>,
    /// The path of the file, if the finding has no span.
    pub path: Option<String>,
    pub notes: Vec<String>,
    /// The suggested fix.
    pub help: Option<String>,
    /// The likely intended text at the location of the finding.
    pub replacement: Option<String>,
}

impl Diagnostic {
    /// An error about a file that cannot be written.
    pub fn unwritten(path: &Path, error: &io::Error) -> Self {
        let path = path.display().to_string();
        Self::error(Code::CannotWrite, format!("cannot write `{path}`: {error}"))
            .about(path)
            .help("check the path and the permissions of the directory")
    }

    pub fn error(code: Code, title: impl Into<String>) -> Self {
        Self {
            code,
            severity: Severity::Error,
            title: title.into(),
            labels: Vec::new(),
            path: None,
            notes: Vec::new(),
            help: None,
            replacement: None,
        }
    }

    /// An error about the arguments of a command or a call.
    pub fn bad_arguments(title: impl Into<String>) -> Self {
        Self::error(Code::BadArguments, title)
    }

    /// An error about an argument with an undefined name of this kind.
    pub fn unknown_argument(kind: &str, name: &str) -> Self {
        Self::unknown(Code::UnknownArgument, kind, name)
    }

    /// An error about an undefined name of this kind.
    pub fn unknown(code: Code, kind: &str, name: &str) -> Self {
        Self::error(code, format!("unknown {kind} `{name}`"))
    }

    /// An error about the use of an undefined name of this kind.
    pub fn undefined(code: Code, kind: &str, name: &str, span: Span) -> Self {
        Self::unknown(code, kind, name).at(span, "not defined")
    }

    /// An error about a word of this kind that is not one of the `known` words.
    pub fn not_among<'k>(
        code: Code,
        kind: &str,
        name: &str,
        span: Span,
        known: impl IntoIterator<Item = &'k str>,
    ) -> Self {
        Self::unknown(code, kind, name)
            .at(span, format!("unknown {kind}"))
            .offer(name, &format!("use one of these {kind}s"), known)
    }

    pub fn warning(code: Code, title: impl Into<String>) -> Self {
        Self {
            severity: Severity::Warning,
            ..Self::error(code, title)
        }
    }

    /// A note: information that is not about a mistake.
    pub fn remark(code: Code, title: impl Into<String>) -> Self {
        Self {
            severity: Severity::Note,
            ..Self::error(code, title)
        }
    }

    /// An error if `strict` is set, otherwise a warning.
    pub fn error_if(strict: bool, code: Code, title: impl Into<String>) -> Self {
        if strict {
            Self::error(code, title)
        } else {
            Self::warning(code, title)
        }
    }

    /// Adds a label. The first one is the location of the finding.
    pub fn at(mut self, span: Span, text: impl Into<String>) -> Self {
        self.labels.push(Label {
            span,
            text: text.into(),
        });
        self
    }

    /// Adds a label with the same text at each location.
    pub fn at_each(self, spans: impl IntoIterator<Item = Span>, text: &str) -> Self {
        spans
            .into_iter()
            .fold(self, |finding, span| finding.at(span, text))
    }

    /// Sets the file or directory of a finding without a span.
    pub fn about(mut self, path: impl Into<String>) -> Self {
        self.path = Some(path.into());
        self
    }

    /// Adds a note that explains the finding.
    pub fn note(mut self, note: impl Into<String>) -> Self {
        self.notes.push(note.into());
        self
    }

    /// Sets the suggested fix.
    pub fn help(mut self, help: impl Into<String>) -> Self {
        self.help = Some(help.into());
        self
    }

    /// Suggests the `near` name if there is one, otherwise sets the help to `otherwise`. A title ``unknown KIND `x` ``
    /// determines the kind of the name.
    pub fn suggest(self, near: Option<&str>, otherwise: impl Into<String>) -> Self {
        let Some(name) = near else {
            return self.help(otherwise);
        };
        let unknown = self.title.split('`').nth(1).unwrap_or_default();
        let kind = self.title.strip_prefix("unknown ");
        let kind = kind.and_then(|kind| kind.split_once(" `"));
        let help = suggestion(unknown, kind.map_or("name", |(kind, _)| kind), name);
        self.help(help).replacement(name)
    }

    /// Suggests the `near` name of this kind.
    pub fn suggest_kind(self, kind: &str, near: &str) -> Self {
        self.help(similar(kind, near)).replacement(near)
    }

    /// Sets the likely intended text, so that an editor can offer it as a quick fix.
    pub fn replacement(mut self, name: &str) -> Self {
        self.replacement = Some(name.to_owned());
        self
    }

    /// Suggests the `known` name that is most similar to `name`, otherwise sets the help to `otherwise`.
    pub fn near<'k>(
        self,
        name: &str,
        known: impl IntoIterator<Item = &'k str>,
        otherwise: impl Into<String>,
    ) -> Self {
        self.suggest(nearest(name, known), otherwise)
    }

    /// Suggests the `known` name that is most similar to `name`, otherwise lists all known names after `what`.
    pub fn offer<'k>(
        self,
        name: &str,
        what: &str,
        known: impl IntoIterator<Item = &'k str>,
    ) -> Self {
        let known: Vec<&str> = known.into_iter().collect();
        self.near(
            name,
            known.iter().copied(),
            format!("{what}: {}", known.join(", ")),
        )
    }

    /// Whether both findings have the same code, title and location.
    pub fn is_same(&self, other: &Self) -> bool {
        let place = |finding: &Self| finding.labels.first().map(|label| label.span);
        self.code == other.code
            && self.title == other.title
            && place(self) == place(other)
            && self.path == other.path
    }

    /// The sort key: file, then offset. Findings without a location come last.
    pub fn order(&self) -> (bool, Option<(FileId, u32)>) {
        let place = self
            .labels
            .first()
            .map(|label| (label.span.file, label.span.start));
        (place.is_none(), place)
    }

    /// Returns the finding as an error.
    pub fn fail<T>(self) -> Result<T, Box<Self>> {
        Err(Box::new(self))
    }
}
