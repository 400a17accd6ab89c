//! One side of a comparison: a trace, scenarios or a model.

use std::io::{BufRead, Read};
use std::path::{Path, PathBuf};

use super::candidate::Candidate;
use super::scenario_set::ScenarioSet;
use super::sides::Sides;
use crate::scenario::{holds_scenarios, scenario_files};
use fsmsim_runtime::project::{
    GitCheckout, GitPath, ModelName, is_definition, is_surely_definition, model_file,
};
use fsmsim_syntax::diagnostic::{Code, Diagnostic, Diagnostics, SourceMap};
use fsmsim_syntax::document::{InputStream, unpacked_path, unreadable};

/// One side of a comparison.
#[derive(Debug)]
pub enum DiffOperand {
    /// A trace, optionally from a Git revision. `-` is standard input, and a pipe is always a trace.
    Trace(PathBuf, Option<GitCheckout>),
    /// Scenarios: a file, a folder or a project.
    Scenarios(Box<ScenarioSet>),
    /// A model, optionally from a Git revision.
    Model(ModelName, Option<GitCheckout>),
}

enum PathKind {
    Trace,
    Scenarios,
    Project,
    Model,
    Nothing,
}

/// The prefix of a path in a Git revision.
const GIT: &str = "git:";

impl Sides<DiffOperand> {
    /// Whether both operands are traces.
    pub fn are_traces(&self) -> bool {
        matches!(
            self,
            Sides {
                a: DiffOperand::Trace(..),
                b: DiffOperand::Trace(..)
            }
        )
    }
}

impl DiffOperand {
    /// Parses two arguments. Adds a finding if one of them cannot be compared. A revision without a path means the
    /// other argument's path in that revision.
    pub fn pair(
        texts: Sides<&str>,
        sources: &mut SourceMap,
        found: &mut Diagnostics,
    ) -> Option<Sides<Self>> {
        if texts.a == "-" && texts.b == "-" {
            Diagnostic::bad_arguments("cannot read both sides from standard input")
                .help("use a file for one of the sides")
                .add_to(found);
        }
        let full = |text: &str, other: &str| match text.strip_prefix(GIT) {
            Some(revision) if !revision.contains(':') && !revision.is_empty() => {
                let path = match other.strip_prefix(GIT) {
                    Some(other) => other.split_once(':').map_or(".", |(_, path)| path),
                    None => other,
                };
                format!("{text}:{path}")
            }
            _ => text.to_owned(),
        };
        let names = Sides {
            a: full(texts.a, texts.b),
            b: full(texts.b, texts.a),
        };
        let operands = names
            .map(|text| Self::parse(&text, sources, found))
            .both()?;
        let Sides { a, b } = &operands;
        if matches!(a, Self::Model(..)) != matches!(b, Self::Model(..)) && !found.has_errors() {
            return Diagnostic::error(
                Code::BadComparison,
                format!(
                    "cannot compare `{}` ({}) with `{}` ({})",
                    texts.a,
                    a.kind(),
                    texts.b,
                    b.kind()
                ),
            )
            .help("compare two models, or compare traces and scenarios with each other")
            .refuse(found);
        }
        Some(operands)
    }

    /// Parses an argument. Adds a finding if it cannot be compared.
    fn parse(text: &str, sources: &mut SourceMap, found: &mut Diagnostics) -> Option<Self> {
        if text == "-" {
            return Some(Self::Trace(PathBuf::from(text), None));
        }
        if let Some(revision) = text.strip_prefix(GIT) {
            return Self::revision(text, revision, sources, found);
        }
        let path = Path::new(text);
        if let Err(error) = std::fs::metadata(model_file(path)) {
            if !text.contains('@') {
                return unreadable(path, &error).refuse(found);
            }
            let model = ModelName::parse(text, found)?;
            if let Err(error) = std::fs::metadata(&model.path) {
                return unreadable(&model.path, &error).refuse(found);
            }
            return Some(Self::Model(model, None));
        }
        match PathKind::of(path, found) {
            PathKind::Trace => Some(Self::Trace(path.to_path_buf(), None)),
            PathKind::Scenarios => Some(Self::Scenarios(Box::new(ScenarioSet::under(
                path, sources, found,
            )))),
            PathKind::Project => Some(Self::Scenarios(Box::new(ScenarioSet::from_project(
                path, sources, found,
            )))),
            PathKind::Model => Some(Self::Model(ModelName::parse(text, found)?, None)),
            PathKind::Nothing => {
                Diagnostic::error(Code::BadComparison, format!("cannot find a model or scenarios in `{text}`"))
                    .about(text)
                    .help("use a model (`flow.yaml` or Markdown states) or scenarios (YAML files with `scenario` and `turns`, or transcripts)")
                    .refuse(found)
            }
        }
    }

    /// Parses `git:REVISION:PATH`; a model may have the suffix `@PROFILE`.
    fn revision(
        text: &str,
        revision: &str,
        sources: &mut SourceMap,
        found: &mut Diagnostics,
    ) -> Option<Self> {
        let Some((name, path)) = revision
            .split_once(':')
            .filter(|(_, path)| !path.is_empty())
        else {
            return Diagnostic::error(
                Code::BadRevision,
                format!("expected a revision and a path, found `{text}`"),
            )
            .about(text)
            .help("write `git:REVISION:PATH`, for example `git:HEAD:flows/spin_selling`")
            .refuse(found);
        };
        let model = ModelName::parse(path, found)?;
        let inner = found.take(GitPath::find(name, &model.path))?;
        let is_scenarios = |checkout: &GitCheckout, found: &mut Diagnostics| {
            model.profile.is_none()
                && matches!(PathKind::of(&checkout.path, found), PathKind::Scenarios)
        };
        let mut trial = Diagnostics::default();
        let is_project = inner.is_project() && model.profile.is_none();
        let checkout = if is_project {
            None
        } else {
            Some(found.take(inner.take_model())?)
        };
        match checkout {
            Some(checkout)
                if matches!(PathKind::of(&checkout.path, &mut trial), PathKind::Trace) =>
            {
                Some(Self::Trace(checkout.path.clone(), Some(checkout)))
            }
            Some(checkout) if !is_scenarios(&checkout, &mut trial) => {
                Some(Self::Model(model, Some(checkout)))
            }
            _ => {
                // Scenarios may refer to any file in their project.
                let whole = found.take(inner.take_project(false))?;
                Some(Self::Scenarios(Box::new(ScenarioSet::from_revision(
                    whole, is_project, sources, found,
                ))))
            }
        }
    }

    /// The operand's model as a candidate for the comparison.
    pub fn candidate(&self) -> Option<Candidate> {
        match self {
            Self::Model(model, checkout) => Some(Candidate::new(model, checkout.as_ref())),
            _ => None,
        }
    }

    /// The detected kind, for messages.
    pub fn kind(&self) -> &'static str {
        match self {
            Self::Trace(..) => "a trace",
            Self::Scenarios(scenarios) => scenarios.kind(),
            Self::Model(..) => "a model",
        }
    }
}

impl PathKind {
    /// Detects the kind of an existing path.
    fn of(path: &Path, found: &mut Diagnostics) -> Self {
        let path = model_file(path);
        if path.is_dir() {
            let mut has_scenarios = || {
                let files = scenario_files(&[path.to_path_buf()], found);
                files.iter().any(|file| holds_scenarios(file))
            };
            // A model may store its scenarios next to its states.
            return match path {
                path if is_project(path) => Self::Project,
                path if is_surely_definition(path) => Self::Model,
                path if path.join("scenarios").is_dir() && !is_in_project(path) => Self::Project,
                _ if has_scenarios() => Self::Scenarios,
                path if is_definition(path) => Self::Model,
                _ => Self::Nothing,
            };
        }
        // A pipe can be read only once.
        let is_pipe = !path.is_file();
        let inner = unpacked_path(path);
        let has_extension = inner
            .extension()
            .is_some_and(|extension| extension.eq_ignore_ascii_case("jsonl"));
        if is_pipe || has_extension || begins_like_a_trace(path) {
            Self::Trace
        } else if holds_scenarios(path) {
            Self::Scenarios
        } else {
            Self::Model
        }
    }
}

/// Whether a folder is a project, regardless of its other contents.
fn is_project(folder: &Path) -> bool {
    folder.join("fsmsim.toml").is_file()
}

/// Whether a folder is part of a project.
fn is_in_project(folder: &Path) -> bool {
    std::fs::canonicalize(folder).is_ok_and(|folder| folder.ancestors().skip(1).any(is_project))
}

/// Whether the first line of a file is the header of a trace, regardless of the name of the file.
fn begins_like_a_trace(path: &Path) -> bool {
    let Ok((file, _)) = InputStream::open(path) else {
        return false;
    };
    let mut line = Vec::new();
    let read = file.take(4096).read_until(b'\n', &mut line);
    read.is_ok() && line.starts_with(b"{\"fsmsim_trace\"")
}
