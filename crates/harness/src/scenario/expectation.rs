//! Expectations for a turn.

use super::expectation_failure::FieldMismatch;
use super::expected_names;
use super::matcher::{Matcher, MatcherMode, OPERATORS, is_operation};
use super::replies::{ReplyExpectation, Rubric, TurnReplies};
use fsmsim_core::engine::Machine;
use fsmsim_core::machine::Value;
use fsmsim_core::trace::{RecordField, RecordedFields};
use fsmsim_runtime::script::KnownNames;
use fsmsim_syntax::diagnostic::{Code, Diagnostic, Diagnostics, Span};
use fsmsim_syntax::document::{Key, Node, unknown_key};
use fsmsim_syntax::terminal::Joined;

/// The expected values of some fields of a record.
#[derive(Clone, Debug, Default)]
pub struct Expectation {
    /// The expected fields. Replies come last.
    fields: Vec<ExpectedField>,
    /// Whether a part is invalid, so that any other field might be expected.
    is_broken: bool,
}

#[derive(Clone, Debug)]
struct ExpectedField {
    field: RecordField,
    value: ExpectedValue,
    span: Span,
    /// Compares only the value to which a field changed, not the previous one.
    only_to: bool,
}

#[derive(Clone, Debug)]
enum ExpectedValue {
    Matches(Matcher),
    /// Rules for the replies, instead of an exact list.
    Replies(ReplyExpectation),
}

/// The key that does not allow a judge: `never` is checked without one.
pub(super) const NO_JUDGE: &str = "`never`";

impl Expectation {
    /// Reads the map under `expect` or `end`, except for invalid parts, which are reported. Names are checked only if a
    /// machine is given.
    pub fn read(
        node: &Node,
        what: &'static str,
        machine: Option<&Machine>,
        names: Option<&KnownNames<'_>>,
        found: &mut Diagnostics,
    ) -> Self {
        let Some(map) = node.map() else {
            Diagnostic::error(
                Code::BadExpectation,
                format!("expected a map of fields for {what}, found {}", node.kind()),
            )
            .at(node.span, "not a map")
            .help("write `expect: {state: NAME}`")
            .add_to(found);
            return Self {
                fields: Vec::new(),
                is_broken: true,
            };
        };
        if map.entries.is_empty() {
            Diagnostic::error(
                Code::BadExpectation,
                format!("{what} contains no expectation"),
            )
            .at(node.span, "empty")
            .help("write for example `{state: NAME}`, or remove the key")
            .add_to(found);
        }
        let mut fields = Vec::with_capacity(map.entries.len());
        let mut replies = None;
        for (key, value) in &map.entries {
            if &*key.text == "reply" {
                Diagnostic::error(
                    Code::BadExpectation,
                    format!("unknown key `reply` in {what}"),
                )
                .at(key.span, "unknown key")
                .help("write `replies: [TEXT]`, or `replies: []` for no reply")
                .add_to(found);
                continue;
            }
            let Some(field) = expected_field(key, what, found) else {
                continue;
            };
            // A list means exactly this list of messages.
            if field == RecordField::Replies && value.list().is_none() && !value.is_null() {
                let read = ReplyExpectation::read(value, what != NO_JUDGE, found);
                replies = read.map(|read| ExpectedField {
                    field,
                    value: ExpectedValue::Replies(read),
                    span: value.span,
                    only_to: false,
                });
                continue;
            }
            let changes = matches!(field, RecordField::State | RecordField::Phase);
            let is_change = value
                .map()
                .is_some_and(|map| map.keys().all(|key| matches!(key, "from" | "to")));
            if changes
                && !is_change
                && let Some(map) = value.map().filter(|map| !is_operation(map))
            {
                let is_unknown =
                    |key: &&str| !["from", "to"].contains(key) && !OPERATORS.contains(key);
                let first = map
                    .keys()
                    .next()
                    .filter(|_| !map.keys().any(|key| is_unknown(&key)));
                for name in map.keys().filter(is_unknown).chain(first) {
                    Diagnostic::error(
                        Code::BadExpectation,
                        format!("unknown key `{name}` in `{}`", field.name()),
                    )
                    .at(value.span, "unknown key")
                    .near(
                        name,
                        ["from", "to"].into_iter().chain(OPERATORS),
                        "write a name, or `{from: …, to: …}`",
                    )
                    .add_to(found);
                }
                let ends = ["from", "to"].into_iter().filter_map(|key| map.get(key));
                if let Some(names) = names {
                    ends.for_each(|end| expected_names::check(field, end, names, found));
                }
                continue;
            }
            if let Some(machine) = machine.filter(|_| field == RecordField::Frames) {
                check_frames(value, machine, found);
            }
            if let Some(names) = names {
                expected_names::check(field, value, names, found);
            }
            if let Some(matcher) = Matcher::read(value, MatcherMode::of(field), found) {
                fields.push(ExpectedField {
                    field,
                    value: ExpectedValue::Matches(matcher),
                    span: value.span,
                    only_to: changes && !is_change,
                });
            }
        }
        fields.extend(replies);
        let is_broken = fields.len() < map.entries.len();
        Self { fields, is_broken }
    }

    /// The rubrics that a judge evaluates.
    pub(super) fn rubrics(&self) -> &[Rubric] {
        match self.fields.last().map(|expected| &expected.value) {
            Some(ExpectedValue::Replies(replies)) => &replies.rubrics,
            _ => &[],
        }
    }

    pub fn is_empty(&self) -> bool {
        self.fields.is_empty() && !self.is_broken
    }

    pub(super) fn holds(&self, line: &impl RecordedFields) -> bool {
        self.fields.iter().all(|expected| expected.holds(line))
    }

    /// The actual values of the expected fields, as text.
    pub(super) fn actual(&self, line: &impl RecordedFields) -> String {
        let fields = self
            .fields
            .iter()
            .map(|expected| format!("{}: {}", expected.field.name(), expected.value(line)));
        format!("{{{}}}", fields.joined(", "))
    }

    pub(super) fn fields(&self) -> impl Iterator<Item = RecordField> {
        self.fields.iter().map(|expected| expected.field)
    }

    /// The fields whose values are compared, each with the location of its expectation.
    pub(super) fn places(&self) -> impl Iterator<Item = (RecordField, Span)> {
        let compared = self
            .fields
            .iter()
            .filter(|expected| matches!(expected.value, ExpectedValue::Matches(_)));
        compared.map(|expected| (expected.field, expected.span))
    }

    /// Whether a value of this field is expected, or might be because of an invalid part.
    pub fn names(&self, field: RecordField) -> bool {
        self.is_broken || self.fields().any(|expected| expected == field)
    }

    /// Adds the fields that do not match their expectation.
    pub fn check(&self, line: &impl RecordedFields, mismatches: &mut Vec<FieldMismatch>) {
        for expected in &self.fields {
            if expected.holds(line) {
                continue;
            }
            let field = expected.field;
            match &expected.value {
                ExpectedValue::Matches(matcher) => {
                    let actual = expected.value(line);
                    let mut inner = Vec::new();
                    matcher.compare(field.name(), &actual, &mut inner);
                    let here = |mismatch| FieldMismatch {
                        actual: Some(actual.clone()),
                        ..FieldMismatch::plain(expected.span, field, mismatch)
                    };
                    mismatches.extend(inner.into_iter().map(here));
                }
                ExpectedValue::Replies(replies) => {
                    let said = TurnReplies::of(line);
                    // Only a text is the whole expectation. Rules have their own locations.
                    let here = |(span, mismatch)| FieldMismatch {
                        actual: (span == expected.span).then(|| said.whole.clone()),
                        ..FieldMismatch::plain(span, field, mismatch)
                    };
                    mismatches.extend(replies.check(&said).map(here));
                }
            }
        }
    }
}

/// The field with this name, if it can be expected.
pub(super) fn expected_field(
    key: &Key,
    what: &str,
    found: &mut Diagnostics,
) -> Option<RecordField> {
    let field = RecordField::expected_of(&key.text);
    if field.is_none() {
        let names: Vec<&str> = RecordField::expected_names().collect();
        unknown_key(key, what, &names, found);
    }
    field
}

/// Reports frames and fields that the machine does not define. An expectation that they are absent would always be met.
fn check_frames(node: &Node, machine: &Machine, found: &mut Diagnostics) {
    if !machine.policies.inputs().frames {
        return;
    }
    if let Some(operation) = node.map().filter(|map| is_operation(map)) {
        let operands = operation
            .entries
            .iter()
            .flat_map(|(_, operand)| operand.items());
        return operands.for_each(|operand| check_frames(operand, machine, found));
    }
    for (key, fields) in node.entries() {
        let Some(frame) = machine.frames.iter().find(|frame| frame.name == key.text) else {
            let names = machine.frames.iter().map(|frame| &*frame.name);
            Diagnostic::error(Code::UnknownFrame, format!("unknown frame `{}`", key.text))
                .at(key.span, "unknown frame")
                .near(&key.text, names, "use a frame of the contract")
                .add_to(found);
            continue;
        };
        let own = || frame.fields.iter().map(|field| &*field.name);
        for (key, _) in fields
            .map()
            .filter(|map| !is_operation(map))
            .into_iter()
            .flat_map(|map| &map.entries)
        {
            if !own().any(|known| *known == *key.text) {
                Diagnostic::error(
                    Code::UnknownField,
                    format!("unknown field `{}` in the frame `{}`", key.text, frame.name),
                )
                .at(key.span, "unknown field")
                .near(&key.text, own(), "use a field of the frame")
                .add_to(found);
            }
        }
    }
}

impl ExpectedField {
    /// The actual value to compare.
    fn value(&self, line: &impl RecordedFields) -> Value {
        let whole = line.value(self.field);
        match &whole {
            Value::Map(_) if self.only_to => whole.get("to").cloned().unwrap_or_default(),
            _ => whole,
        }
    }

    fn holds(&self, line: &impl RecordedFields) -> bool {
        let matcher = match &self.value {
            ExpectedValue::Matches(matcher) => matcher,
            ExpectedValue::Replies(replies) => return replies.holds(&TurnReplies::of(line)),
        };
        match self.field {
            RecordField::Action | RecordField::Class | RecordField::Merge => {
                matcher.matches_text(line.text(self.field))
            }
            field if self.only_to => matcher.matches_text(line.text(field)),
            field => matcher.matches(&line.value(field)),
        }
    }
}

/// Formats the expectation for failure messages.
impl std::fmt::Display for Expectation {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let fields = self
            .fields
            .iter()
            .map(|expected| format!("{}: {}", expected.field.name(), expected.value));
        write!(f, "{{{}}}", fields.joined(", "))
    }
}

impl std::fmt::Display for ExpectedValue {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Matches(matcher) => matcher.fmt(f),
            Self::Replies(replies) => replies.fmt(f),
        }
    }
}
