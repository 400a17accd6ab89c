//! One finding: code, place, title and remedy as separate fields.

use std::io;
use std::path::Path;

use super::code::Code;
use super::span::{FileId, Span};
use super::suggest::nearest;

/// How bad a finding is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, strum::IntoStaticStr)]
#[strum(serialize_all = "snake_case")]
pub enum Severity {
    /// Nothing is wrong; somebody may want to know.
    Note,
    /// The input can be used, but is probably not what was meant.
    Warning,
    /// The input cannot be used.
    Error,
}

/// A piece of a file with a remark.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Label {
    /// What is underlined.
    pub span: Span,
    /// The remark beside the underline; may be empty.
    pub text: String,
}

/// A finding about the input. Rendered once per medium by [`render`](super::render).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Diagnostic {
    /// Stable code.
    pub code: Code,
    /// How bad it is.
    pub severity: Severity,
    /// What is wrong, one line.
    pub title: String,
    /// The place of the finding, then places that explain it.
    pub labels: Vec<Label>,
    /// The path the finding is about when there is no text to point at.
    pub path: Option<String>,
    /// Facts that explain the finding.
    pub notes: Vec<String>,
    /// What to do.
    pub help: Option<String>,
    /// What was probably meant in the place of the finding.
    pub replacement: Option<String>,
}

impl Diagnostic {
    /// The finding about a file that cannot be written.
    pub fn unwritten(path: &Path, error: &io::Error) -> Self {
        let path = path.display().to_string();
        let finding = Self::error(
            Code::CannotWrite,
            format!("`{path}` cannot be written: {error}"),
        );
        finding
            .about(path)
            .help("check the path and the rights of the folder")
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

    /// An error about what a command line or a call says.
    pub fn bad_arguments(title: impl Into<String>) -> Self {
        Self::error(Code::BadArguments, title)
    }

    pub fn warning(code: Code, title: impl Into<String>) -> Self {
        Self {
            severity: Severity::Warning,
            ..Self::error(code, title)
        }
    }

    /// A note of this code: nothing is wrong.
    pub fn remark(code: Code, title: impl Into<String>) -> Self {
        Self {
            severity: Severity::Note,
            ..Self::error(code, title)
        }
    }

    /// An error where things are taken strictly, else a warning.
    pub fn error_if(strict: bool, code: Code, title: impl Into<String>) -> Self {
        if strict {
            Self::error(code, title)
        } else {
            Self::warning(code, title)
        }
    }

    /// Adds a place; the first one added is the place of the finding.
    pub fn at(mut self, span: Span, text: impl Into<String>) -> Self {
        self.labels.push(Label {
            span,
            text: text.into(),
        });
        self
    }

    /// Names the file or folder the finding is about.
    pub fn about(mut self, path: impl Into<String>) -> Self {
        self.path = Some(path.into());
        self
    }

    /// Adds a fact.
    pub fn note(mut self, note: impl Into<String>) -> Self {
        self.notes.push(note.into());
        self
    }

    /// Sets the remedy.
    pub fn help(mut self, help: impl Into<String>) -> Self {
        self.help = Some(help.into());
        self
    }

    /// Sets the remedy to "did you mean" where a near name was found, else to `otherwise`.
    pub fn suggest(self, near: Option<&str>, otherwise: impl Into<String>) -> Self {
        match near {
            Some(name) => self
                .help(format!("did you mean `{name}`?"))
                .replacement(name),
            None => self.help(otherwise),
        }
    }

    /// Says what was probably meant in the place of the finding, so that an editor may put it there.
    pub fn replacement(mut self, name: &str) -> Self {
        self.replacement = Some(name.to_owned());
        self
    }

    /// Sets the remedy for a `name` that is none of the `known` ones: the nearest of them, else `otherwise`.
    pub fn near<'k>(
        self,
        name: &str,
        known: impl IntoIterator<Item = &'k str>,
        otherwise: impl Into<String>,
    ) -> Self {
        self.suggest(nearest(name, known), otherwise)
    }

    /// Sets the remedy for a `name` that is none of the `known` ones: the nearest of them, else all behind `what`.
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

    /// Whether both say the same of the same place.
    pub fn is_same(&self, other: &Self) -> bool {
        let place = |finding: &Self| finding.labels.first().map(|label| label.span);
        self.code == other.code
            && self.title == other.title
            && place(self) == place(other)
            && self.path == other.path
    }

    /// What orders findings: the file, the place in it; those without a place come last.
    pub fn order(&self) -> (bool, Option<(FileId, u32)>) {
        let place = self
            .labels
            .first()
            .map(|label| (label.span.file, label.span.start));
        (place.is_none(), place)
    }

    /// The finding in the place of what it is about.
    pub fn fail<T>(self) -> Result<T, Box<Self>> {
        Err(Box::new(self))
    }
}
