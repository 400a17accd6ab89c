//! Failures that are known: what a turn, or a whole scenario, is expected to fall short of, and why that stays so.

use super::expectation::{Expectation, expected_field};
use super::expectation_failure::{ExpectationFailure, FieldMismatch};
use super::standing_expectations::StandingExpectations;
use fsmsim_core::trace::RecordField;
use fsmsim_syntax::diagnostic::{Code, Diagnostic, Diagnostics, Place, Span};
use fsmsim_syntax::document::{Content, Node, wrong_type};

/// The key under which failures are known, of a turn and of a scenario.
pub(super) const EXPECTED_FAILURE: &str = "expected_failure";

/// Why something is expected to fail.
#[derive(Clone, Debug)]
pub struct FailureReason {
    pub(super) text: Box<str>,
    /// Where it is written.
    pub(super) span: Span,
}

/// What a turn is expected to fall short of.
#[derive(Clone, Debug, Default)]
pub struct KnownFailures {
    /// Whatever it is, at least one thing.
    whole: Option<FailureReason>,
    /// These fields, each.
    fields: Vec<(RecordField, FailureReason)>,
}

/// Something that was not as expected, and is known.
#[derive(Debug)]
pub struct KnownFailure {
    /// What was not as expected.
    pub failure: ExpectationFailure,
    /// Why that is known.
    pub reason: Box<str>,
}

/// Something that should have failed and is as expected.
#[derive(Debug)]
pub struct StaleReason {
    /// The number of the turn; nothing for the whole scenario.
    pub turn: Option<u32>,
    /// The field, where one is named.
    pub field: Option<&'static str>,
    /// Where the reason is written.
    pub place: Place,
    /// Why it should have failed.
    pub reason: Box<str>,
}

impl FailureReason {
    /// Reads a reason: a text that is not empty.
    pub(super) fn read(node: &Node, found: &mut Diagnostics) -> Option<Self> {
        match node.text().map(str::trim) {
            Some("") => {
                Diagnostic::error(Code::BadExpectation, "an expected failure needs a reason")
                    .at(node.span, "the reason is empty")
                    .help("say what is known, for whoever finds it later")
                    .refuse(found)
            }
            Some(text) => Some(Self {
                text: text.into(),
                span: node.span,
            }),
            None => {
                wrong_type(node, "the reason of an expected failure is a text", found);
                None
            }
        }
    }
}

impl KnownFailures {
    /// Reads `REASON`, or `{FIELD: REASON}` for single fields of what the turn expects.
    pub(super) fn read(
        node: &Node,
        expectation: &Expectation,
        standing: &StandingExpectations,
        found: &mut Diagnostics,
    ) -> Option<Self> {
        let Content::Map(map) = &node.content else {
            if expectation.is_empty() && standing.is_empty() {
                return nothing_expected(
                    node.span,
                    "the turn expects nothing, so nothing of it can fail",
                    found,
                );
            }
            return Some(Self {
                whole: Some(FailureReason::read(node, found)?),
                fields: Vec::new(),
            });
        };
        if map.entries.is_empty() {
            return nothing_expected(
                node.span,
                "no field is named that is expected to fail",
                found,
            );
        }
        let mut known = Self::default();
        for (key, value) in &map.entries {
            let Some(field) = expected_field(key, "`expected_failure`", found) else {
                continue;
            };
            // Faults are looked at in every turn.
            if !expectation.names(field) && !standing.names(field) && field != RecordField::Faults {
                let title = format!(
                    "the turn does not expect anything of `{}`, so it cannot fail",
                    field.name()
                );
                nothing_expected::<()>(key.span, &title, found);
                continue;
            }
            known
                .fields
                .extend(FailureReason::read(value, found).map(|reason| (field, reason)));
        }
        Some(known)
    }

    /// Why a field is expected to fail, where it is.
    pub(super) fn reason_of(&self, field: RecordField) -> Option<&FailureReason> {
        let named = self.fields.iter().find(|(known, _)| *known == field);
        named.map(|(_, reason)| reason).or(self.whole.as_ref())
    }

    /// The reasons that no mismatch has, with the field where one is named.
    pub(super) fn stale<'k>(
        &'k self,
        mismatches: &'k [FieldMismatch],
    ) -> impl Iterator<Item = (Option<RecordField>, &'k FailureReason)> {
        let named = |field| self.fields.iter().any(|(known, _)| *known == field);
        let rest = move || mismatches.iter().any(|mismatch| !named(mismatch.field));
        let whole = self
            .whole
            .iter()
            .filter(move |_| !rest())
            .map(|reason| (None, reason));
        let holds = |field| !mismatches.iter().any(|mismatch| mismatch.field == field);
        let fields = self.fields.iter().filter(move |(field, _)| holds(*field));
        whole.chain(fields.map(|(field, reason)| (Some(*field), reason)))
    }
}

/// Where nothing is expected, nothing can fall short.
fn nothing_expected<T>(span: Span, title: &str, found: &mut Diagnostics) -> Option<T> {
    Diagnostic::error(Code::BadExpectation, title)
        .at(span, "fails never")
        .help("expect under `expect` what should be; `expected_failure: {FIELD: REASON}` names a field of it")
        .refuse(found)
}
