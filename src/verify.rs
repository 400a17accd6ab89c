use std::fmt;
use std::sync::Arc;

use fsmsim_harness::verify::import::ObservedReader;
use fsmsim_harness::verify::{Finding, Reachability, verify_structure};
use fsmsim_syntax::diagnostic::{self, SourceMap, Span};

use crate::{Diagnostics, Model};

/// The result of checking a trace against a model.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Verification {
    dialogues: usize,
    turns: usize,
    violations: Vec<Violation>,
}

/// A turn that violates the model.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Violation {
    /// The dialogue, and the number of the turn in it, from 1.
    pub turn: Option<(String, u32)>,
    /// The rule that is violated, for example `transition`.
    pub rule: &'static str,
    /// The value in the trace.
    pub found: String,
    /// The value that the model permits.
    pub expected: String,
    /// The location in the model: `FILE:LINE`.
    pub location: Option<String>,
}

impl Verification {
    /// Whether no turn violates the model.
    pub fn conforms(&self) -> bool {
        self.violations.is_empty()
    }

    /// The number of dialogues that were checked.
    pub fn dialogues(&self) -> usize {
        self.dialogues
    }

    /// The number of turns that were checked.
    pub fn turns(&self) -> usize {
        self.turns
    }

    /// The violations, in the order of the trace.
    pub fn violations(&self) -> &[Violation] {
        &self.violations
    }
}

impl fmt::Display for Violation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some((dialogue, turn)) = &self.turn {
            write!(f, "{dialogue}, turn {turn}: ")?;
        }
        write!(f, "{}: {}; {}", self.rule, self.found, self.expected)?;
        match &self.location {
            Some(location) => write!(f, " ({location})"),
            None => Ok(()),
        }
    }
}

impl From<Finding> for Violation {
    fn from(finding: Finding) -> Self {
        Self {
            turn: finding.at.map(|at| (at.dialogue, at.turn)),
            rule: finding.rule,
            found: finding.found,
            expected: finding.declared,
            location: finding.place,
        }
    }
}

/// Checks that a model permits each turn of a recorded trace (JSON Lines, as
/// [`Dialogue::trace`](crate::Dialogue::trace) and `fsmsim trace` write it).
///
/// # Errors
/// Returns the findings about a trace that cannot be read or has no turns.
pub fn verify(model: &Model, trace: &str) -> Result<Verification, Diagnostics> {
    let reachable = Reachability::of(Arc::clone(&model.machine));
    let mut sources = SourceMap::default();
    let mut found = diagnostic::Diagnostics::default();
    let mut reader = ObservedReader::new(trace.as_bytes(), "trace", None);
    let mut verification = Verification::default();
    while let Some(text) = reader.read(&mut found, &mut sources) {
        let Some(dialogue) = text.open(None, "trace", &mut found, &mut sources) else {
            continue;
        };
        let line = text.line(dialogue.line);
        let file = sources.add_piece("trace", line, dialogue.line);
        let span = Span::new(file, 0, line.len());
        let path = |path: &str| Ok(path.into());
        if let Some(setup) = dialogue.setup(&model.machine, span, &path, &mut found) {
            let verdict = verify_structure(&reachable, &setup.settings, &dialogue);
            verification.dialogues += 1;
            verification.turns += verdict.turns;
            let violations = verdict.findings.into_iter().map(Violation::from);
            verification.violations.extend(violations);
        }
    }
    if verification.turns == 0 && !found.has_errors() {
        let code = diagnostic::Code::EmptyTrace;
        diagnostic::Diagnostic::error(code, "the trace has no turns").add_to(&mut found);
    }
    if found.has_errors() {
        return Err(Diagnostics::new(&found, &sources));
    }
    Ok(verification)
}
