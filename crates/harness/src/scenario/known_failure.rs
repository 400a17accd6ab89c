//! Expected failures of turns and scenarios, and the reasons for them.

use super::expectation::{Expectation, expected_field};
use super::expectation_failure::{ExpectationFailure, FieldMismatch};
use super::invariant_expectations::InvariantExpectations;
use fsmsim_core::trace::RecordField;
use fsmsim_syntax::diagnostic::{Code, Diagnostic, Diagnostics, Place, Span};
use fsmsim_syntax::document::{Atom, Content, Node};

/// The key for expected failures of a turn or a scenario.
pub(super) const EXPECTED_FAILURE: &str = "expected_failure";

/// Why a turn or a scenario is expected to fail.
#[derive(Clone, Debug)]
pub struct FailureReason {
    pub(super) text: Box<str>,
    pub(super) span: Span,
}

/// The expected failures of a turn.
#[derive(Clone, Debug, Default)]
pub struct KnownFailures {
    /// Reason to expect that at least one field fails.
    whole: Option<FailureReason>,
    /// Reasons to expect that each of these fields fails.
    fields: Vec<(RecordField, FailureReason)>,
}

/// A failure that was expected, and occurred.
#[derive(Debug)]
pub struct KnownFailure {
    pub failure: ExpectationFailure,
    pub reason: Box<str>,
}

/// An expected failure that did not occur.
#[derive(Debug)]
pub struct UnexpectedPass {
    /// The number of the turn; `None` for the whole scenario.
    pub turn: Option<u32>,
    /// The field, if a specific one was expected to fail.
    pub field: Option<&'static str>,
    /// The location of the reason.
    pub place: Place,
    pub reason: Box<str>,
}

impl FailureReason {
    pub(super) fn read(node: &Node, found: &mut Diagnostics) -> Option<Self> {
        Some(Self {
            text: read_reason(node, EXPECTED_FAILURE, found)?.into(),
            span: node.span,
        })
    }
}

/// Reads the reason under a key. It is a string that is not a boolean in other languages or versions of YAML.
pub(super) fn read_reason<'n>(
    node: &'n Node,
    key: &str,
    found: &mut Diagnostics,
) -> Option<&'n str> {
    let text = node.text().map(str::trim);
    let is_reason = |text: &&str| {
        let switches = ["", "yes", "no", "on", "off"];
        matches!(node.atom(), Some(Atom::Text(_)))
            && !switches.iter().any(|word| text.eq_ignore_ascii_case(word))
    };
    if let Some(reason) = text.filter(is_reason) {
        return Some(reason);
    }
    let actual = text.map_or_else(|| node.kind().to_owned(), |text| format!("`{text}`"));
    Diagnostic::error(
        Code::BadExpectation,
        format!("expected the reason as a string for `{key}`, found {actual}"),
    )
    .at(node.span, "not a reason")
    .help(format!(
        "describe the known problem for later readers, or remove `{key}`"
    ))
    .refuse(found)
}

impl KnownFailures {
    /// Reads `REASON`, or `{FIELD: REASON}` for individual fields that the turn expects.
    pub(super) fn read(
        node: &Node,
        expectation: &Expectation,
        standing: &InvariantExpectations,
        found: &mut Diagnostics,
    ) -> Option<Self> {
        let Content::Map(map) = &node.content else {
            if expectation.is_empty() && standing.is_empty() {
                return nothing_expected(
                    node.span,
                    "the turn has no expectations, so it cannot fail",
                    found,
                );
            }
            return Some(Self {
                whole: Some(FailureReason::read(node, found)?),
                fields: Vec::new(),
            });
        };
        if map.entries.is_empty() {
            return nothing_expected(node.span, "`expected_failure` contains no field", found);
        }
        let mut known = Self::default();
        for (key, value) in &map.entries {
            let Some(field) = expected_field(key, "`expected_failure`", found) else {
                continue;
            };
            // Every turn is checked for violations.
            if !expectation.names(field)
                && !standing.names(field)
                && field != RecordField::Violations
            {
                let title = format!(
                    "the turn has no expectation for `{}`, so it cannot fail",
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

    /// The reason why this field is expected to fail, if any.
    pub(super) fn reason_of(&self, field: RecordField) -> Option<&FailureReason> {
        let named = self.fields.iter().find(|(known, _)| *known == field);
        named.map(|(_, reason)| reason).or(self.whole.as_ref())
    }

    /// The reasons for which no mismatch occurred, each with its field, if it names one.
    pub(super) fn unexpected_passes<'k>(
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

/// Reports a turn that cannot fail because it has no expectations.
fn nothing_expected<T>(span: Span, title: &str, found: &mut Diagnostics) -> Option<T> {
    Diagnostic::error(Code::BadExpectation, title)
        .at(span, "never fails")
        .help("add the correct value under `expect`; `expected_failure: {FIELD: REASON}` refers to a field in it")
        .refuse(found)
}
