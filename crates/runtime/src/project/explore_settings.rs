//! The options of explorations in `fsmsim.toml`: `[explore]`.

use std::ops::Range;
use std::path::{Path, PathBuf};

use serde::Deserialize;
use toml::Spanned;

use fsmsim_syntax::diagnostic::{Checked, Code, Diagnostic};

/// The options of `fsmsim explore` that a project sets.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct ExploreSettings {
    /// The findings that do not fail an exploration.
    pub accept: Vec<AcceptedFinding>,
}

/// A finding of `fsmsim explore` that the project accepts.
#[derive(Clone, Debug, Deserialize)]
#[serde(from = "RawFinding")]
pub struct AcceptedFinding {
    /// The name of the question.
    pub question: String,
    /// The subject; `None` for all findings of the question.
    pub subject: Option<String>,
    pub model: PathBuf,
    pub reason: String,
    /// The location in the project file, as `FILE:LINE`.
    pub place: String,
    finding_span: Range<usize>,
    model_span: Range<usize>,
    reason_span: Range<usize>,
}

/// An entry of `accept`.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct RawFinding {
    /// `QUESTION` or `QUESTION: SUBJECT`.
    finding: Spanned<String>,
    model: Spanned<PathBuf>,
    reason: Spanned<String>,
}

impl From<RawFinding> for AcceptedFinding {
    fn from(raw: RawFinding) -> Self {
        let (question, subject) = match raw.finding.get_ref().split_once(':') {
            Some((question, subject)) => (question, Some(subject.trim().to_owned())),
            None => (raw.finding.get_ref().as_str(), None),
        };
        Self {
            question: question.trim().to_owned(),
            subject,
            place: String::new(),
            finding_span: raw.finding.span(),
            model_span: raw.model.span(),
            model: raw.model.into_inner(),
            reason_span: raw.reason.span(),
            reason: raw.reason.into_inner(),
        }
    }
}

impl ExploreSettings {
    /// Resolves the models with `inside`, and the locations with `place`. Adds an error and its location for each model
    /// outside the project, and for each entry without a reason.
    pub(super) fn resolve(
        &mut self,
        inside: &dyn Fn(&Path) -> Checked<PathBuf>,
        place: &dyn Fn(Range<usize>) -> String,
        faults: &mut Vec<(Range<usize>, Diagnostic)>,
    ) {
        for accepted in &mut self.accept {
            accepted.place = place(accepted.finding_span.clone());
            match inside(&accepted.model) {
                Ok(model) => accepted.model = model,
                Err(fault) => faults.push((accepted.model_span.clone(), *fault)),
            }
            if accepted.reason.trim().is_empty() {
                let title = "missing reason of an accepted finding";
                let fault = Diagnostic::error(Code::BadProject, title)
                    .help("write why the finding is accepted, for example `reason = \"the call center ends the call\"`");
                faults.push((accepted.reason_span.clone(), fault));
            }
        }
    }
}

impl AcceptedFinding {
    /// The finding as written: the question, and the subject.
    pub fn name(&self) -> String {
        match &self.subject {
            Some(subject) => format!("{}: {subject}", self.question),
            None => self.question.clone(),
        }
    }

    /// Whether the entry is about the answer to this question about this subject.
    pub fn is_about(&self, question: &str, subject: &str) -> bool {
        self.question == question && self.subject.as_deref().is_none_or(|own| own == subject)
    }
}
