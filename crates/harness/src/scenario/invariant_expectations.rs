//! Expectations for every turn of a scenario.

use super::expectation::{Expectation, NO_JUDGE};
use super::expectation_failure::FieldMismatch;
use super::matcher::Mismatch;
use super::replies::Rubric;
use fsmsim_core::engine::Machine;
use fsmsim_core::trace::{RecordField, RecordedFields};
use fsmsim_runtime::script::KnownNames;
use fsmsim_syntax::diagnostic::{Code, Diagnostic, Diagnostics, Span};
use fsmsim_syntax::document::Node;

/// The key of expectations that every turn must meet.
pub(super) const ALWAYS: &str = "always";
/// The key of expectations that no turn may meet.
pub(super) const NEVER: &str = "never";

/// Expectations for every turn of a scenario.
#[derive(Clone, Debug, Default)]
pub struct InvariantExpectations {
    always: Vec<Expectation>,
    never: Vec<(Expectation, Span)>,
}

impl InvariantExpectations {
    /// Reads both lists. Instead of a list, each can be a single map.
    pub(super) fn read(
        always: Option<&Node>,
        never: Option<&Node>,
        machine: Option<&Machine>,
        names: Option<&KnownNames<'_>>,
        found: &mut Diagnostics,
    ) -> Self {
        let mut read = |node: Option<&Node>, what: &'static str| -> Vec<(Expectation, Span)> {
            let Some(node) = node else { return Vec::new() };
            let entries = node.items();
            if entries.is_empty() {
                Diagnostic::error(
                    Code::BadExpectation,
                    format!("`{what}` contains no expectation"),
                )
                .at(node.span, "empty")
                .help(format!(
                    "write a list of expectations: `{what}: [{{state: NAME}}]`"
                ))
                .add_to(found);
            }
            let quoted = if what == ALWAYS { "`always`" } else { NO_JUDGE };
            let entries = entries.iter().map(|entry| {
                (
                    Expectation::read(entry, quoted, machine, names, found),
                    entry.span,
                )
            });
            entries.collect()
        };
        let always = read(always, ALWAYS)
            .into_iter()
            .map(|(expectation, _)| expectation)
            .collect();
        Self {
            always,
            never: read(never, NEVER),
        }
    }

    pub(super) fn is_empty(&self) -> bool {
        self.always.is_empty() && self.never.is_empty()
    }

    pub(super) fn all(&self) -> impl Iterator<Item = &Expectation> {
        self.always
            .iter()
            .chain(self.never.iter().map(|(expectation, _)| expectation))
    }

    /// Whether a value of this field is expected.
    pub(super) fn names(&self, field: RecordField) -> bool {
        self.all().any(|expectation| expectation.names(field))
    }

    /// Whether `always` expects a value of this field.
    pub(super) fn always_names(&self, field: RecordField) -> bool {
        self.always
            .iter()
            .any(|expectation| expectation.names(field))
    }

    /// The rubrics for a judge, each with its key.
    pub(super) fn rubrics(&self) -> impl Iterator<Item = (&Rubric, Option<&'static str>)> {
        self.always
            .iter()
            .flat_map(Expectation::rubrics)
            .map(|rubric| (rubric, Some(ALWAYS)))
    }

    /// Adds the expectations that a turn violates.
    pub(super) fn check(&self, line: &impl RecordedFields, mismatches: &mut Vec<FieldMismatch>) {
        for expectation in &self.always {
            let begin = mismatches.len();
            expectation.check(line, mismatches);
            mismatches
                .iter_mut()
                .skip(begin)
                .for_each(|mismatch| mismatch.standing = Some(ALWAYS));
        }
        for (expectation, span) in self
            .never
            .iter()
            .filter(|(expectation, _)| expectation.holds(line))
        {
            let Some(field) = expectation.fields().next() else {
                continue;
            };
            let mismatch = Mismatch::new(
                NEVER,
                format!("not {expectation}"),
                expectation.actual(line),
            );
            mismatches.push(FieldMismatch {
                standing: Some(NEVER),
                ..FieldMismatch::plain(*span, field, mismatch)
            });
        }
    }
}
