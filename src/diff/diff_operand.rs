//! What one side of a comparison is: a trace, scenarios, or a model.

use std::io::{BufRead, Read};
use std::path::{Path, PathBuf};

use super::candidate::Candidate;
use super::sides::Sides;
use crate::diagnostic::{Code, Diagnostic, Diagnostics};
use crate::document::{InputStream, unpacked_path, unreadable};
use crate::project::{GitCheckout, ModelName, is_definition, is_surely_definition};
use crate::scenario::{holds_scenarios, scenario_files};

/// What one side of a comparison is.
#[derive(Debug)]
pub enum DiffOperand {
    /// A trace; `-` is standard input, and what comes through a pipe is one.
    Trace(PathBuf),
    /// Scenarios: a file, or a folder with some.
    Scenarios(PathBuf),
    /// A model, perhaps of a revision.
    Model(ModelName, Option<GitCheckout>),
}

/// How a path begins that is meant in a revision.
const GIT: &str = "git:";

impl Sides<DiffOperand> {
    /// Whether both are traces.
    pub fn are_traces(&self) -> bool {
        matches!(self, Sides { a: DiffOperand::Trace(_), b: DiffOperand::Trace(_) })
    }
}

impl DiffOperand {
    /// What two arguments name. A finding where that is nothing that could be compared.
    pub fn pair(texts: Sides<&str>, found: &mut Diagnostics) -> Option<Sides<Self>> {
        if texts.a == "-" && texts.b == "-" {
            let finding = Diagnostic::error(Code::BadArguments, "only one side can be read from standard input");
            found.push(finding.help("name a file for the other side"));
        }
        let operands = texts.map(|text| Self::parse(text, found)).both()?;
        let Sides { a, b } = &operands;
        if matches!(a, Self::Model(..)) != matches!(b, Self::Model(..)) && !found.has_errors() {
            let title = format!("`{}` is {} and `{}` is {}", texts.a, a.kind(), texts.b, b.kind());
            let help = "compare models with models, and traces and scenarios with each other";
            return Diagnostic::error(Code::BadComparison, title).help(help).refuse(found);
        }
        Some(operands)
    }

    /// What an argument names. A finding where that is nothing that could be compared.
    fn parse(text: &str, found: &mut Diagnostics) -> Option<Self> {
        if text == "-" {
            return Some(Self::Trace(PathBuf::from(text)));
        }
        if let Some(revision) = text.strip_prefix(GIT) {
            return Self::revision(text, revision, found);
        }
        let path = Path::new(text);
        let kind = match std::fs::metadata(path) {
            Ok(kind) => kind,
            Err(_) if text.contains('@') => {
                let model = ModelName::parse(text, found)?;
                if let Err(error) = std::fs::metadata(&model.path) {
                    return unreadable(&model.path, &error).refuse(found);
                }
                return Some(Self::Model(model, None));
            }
            Err(error) => return unreadable(path, &error).refuse(found),
        };
        let model = || Self::Model(ModelName { path: path.to_path_buf(), profile: None }, None);
        let scenarios = || Self::Scenarios(path.to_path_buf());
        if kind.is_dir() {
            // A model may keep its scenarios beside its states.
            if is_surely_definition(path) {
                return Some(model());
            }
            let files = scenario_files(&[path.to_path_buf()], found);
            if files.iter().any(|file| holds_scenarios(file)) {
                return Some(scenarios());
            }
            if is_definition(path) {
                return Some(model());
            }
            let title = format!("`{text}` holds neither a model nor scenarios");
            return Diagnostic::error(Code::BadComparison, title)
                .about(text)
                .help("a model has `flow.yaml` or markdown states; scenarios are YAML files with `scenario` and `turns`, or transcripts")
                .refuse(found);
        }
        // What comes through a pipe can be read only once.
        let is_pipe = !kind.is_file();
        let inner = unpacked_path(path);
        let is_called_so = inner.extension().is_some_and(|extension| extension.eq_ignore_ascii_case("jsonl"));
        if is_pipe || is_called_so || begins_like_a_trace(path) {
            return Some(Self::Trace(path.to_path_buf()));
        }
        Some(if holds_scenarios(path) { scenarios() } else { model() })
    }

    /// `git:REVISION:PATH`, perhaps with `@PROFILE`.
    fn revision(text: &str, revision: &str, found: &mut Diagnostics) -> Option<Self> {
        let Some((name, path)) = revision.split_once(':').filter(|(_, path)| !path.is_empty()) else {
            return Diagnostic::error(Code::BadRevision, format!("`{text}` names no revision and path"))
                .about(text)
                .help("write `git:REVISION:PATH`, as in `git:HEAD:flows/spin_selling`")
                .refuse(found);
        };
        let model = ModelName::parse(path, found)?;
        match GitCheckout::take(name, &model.path) {
            Ok(revision) => Some(Self::Model(model, Some(revision))),
            Err(finding) => finding.refuse(found),
        }
    }

    /// The model, as one of two that are compared.
    pub fn candidate(&self) -> Option<Candidate> {
        match self {
            Self::Model(model, checkout) => Some(Candidate::new(model, checkout.as_ref())),
            _ => None,
        }
    }

    /// What it was taken for.
    pub fn kind(&self) -> &'static str {
        match self {
            Self::Trace(_) => "a trace",
            Self::Scenarios(path) if path.is_dir() => "a folder of scenarios",
            Self::Scenarios(_) => "a file of scenarios",
            Self::Model(..) => "a model",
        }
    }
}

/// Whether the first line of a file is the header of a trace, whatever the file is called.
fn begins_like_a_trace(path: &Path) -> bool {
    let Ok((file, _)) = InputStream::open(path) else { return false };
    let mut line = Vec::new();
    let read = file.take(4096).read_until(b'\n', &mut line);
    read.is_ok() && line.starts_with(b"{\"fsmsim_trace\"")
}
