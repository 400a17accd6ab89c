//! A dialogue of a recorded trace, ours or another system's, as far as it can be held against a model.

use std::path::PathBuf;

use super::borrowed_json::BorrowedJson;
use fsmsim_core::engine::Machine;
use fsmsim_core::machine::EVENTS;
use fsmsim_core::trace::RecordField;
use fsmsim_runtime::runtime::DialogueSetup;
use fsmsim_syntax::diagnostic::{Checked, Diagnostics, Span};

/// A dialogue as a trace shows it.
#[derive(Clone, Debug)]
pub struct ObservedDialogue<'a> {
    pub name: &'a str,
    /// The line where it begins, from 1.
    pub line: usize,
    /// The profile that it names.
    pub profile: Option<BorrowedJson<'a>>,
    /// Where its signals come from.
    pub signals: Option<BorrowedJson<'a>>,
    /// How it starts, as a turns file has it.
    pub start: Option<BorrowedJson<'a>>,
    pub turns: Vec<ObservedTurn<'a>>,
}

impl ObservedDialogue<'_> {
    /// The settings and the session with which the dialogue starts. `path` resolves the paths that its signals name.
    pub fn setup(
        &self,
        machine: &Machine,
        span: Span,
        path: &dyn Fn(&str) -> Checked<PathBuf>,
        found: &mut Diagnostics,
    ) -> Option<DialogueSetup> {
        let [signals, start] =
            [&self.signals, &self.start].map(|json| json.as_ref().map(|json| json.to_node(span)));
        let signals = signals.filter(|signals| !signals.is_null());
        DialogueSetup::read(machine, None, signals.as_ref(), start.as_ref(), path, found)
    }
}

/// A turn as a trace shows it. What the trace does not tell is not there; what it tells to be nothing is null.
#[derive(Clone, Debug)]
pub struct ObservedTurn<'a> {
    /// Its line in the file, from 1.
    pub line: usize,
    /// Its number in the dialogue, from 1.
    pub number: u32,
    /// Before it stand lines that could not be read: turns may be missing, of this dialogue or of another.
    pub after_gap: bool,
    /// What went in, as a turns file has it: a map.
    pub input: BorrowedJson<'a>,
    /// What was answered from outside, as our own traces have it.
    pub answers: BorrowedJson<'a>,
    /// Of data it tells some pieces, and of the others nothing.
    pub tells_some_data: bool,
    /// The fields of the record that the trace has.
    fields: Vec<(RecordField, BorrowedJson<'a>)>,
}

impl<'a> ObservedTurn<'a> {
    /// A turn of which nothing is known yet.
    pub fn new(line: usize, number: u32) -> Self {
        let (input, answers) = (BorrowedJson::Null, BorrowedJson::Null);
        Self {
            line,
            number,
            after_gap: false,
            input,
            answers,
            tells_some_data: false,
            fields: Vec::new(),
        }
    }

    /// A turn of our own trace.
    pub fn of_ours(tree: BorrowedJson<'a>, line: usize) -> Result<Self, String> {
        Self::numbered(tree, line)?.checked()
    }

    /// A turn that a subject played, as our own trace has it. Where it led may not be told; and how a subject says it is its
    /// own affair: what it said is not there.
    pub fn of_subject(tree: BorrowedJson<'a>, line: usize) -> Option<Self> {
        let mut turn = Self::numbered(tree, line).ok()?;
        turn.fields.retain(|(field, value)| match field {
            RecordField::State => value.at("to").text().is_some(),
            field => *field != RecordField::Replies,
        });
        turn.input.is_map().then_some(turn)
    }

    /// A turn of our own trace that has a number.
    fn numbered(tree: BorrowedJson<'a>, line: usize) -> Result<Self, String> {
        let BorrowedJson::Map(pairs) = tree else {
            return Err(format!("a turn is a map, and this is {}", tree.kind()));
        };
        let mut turn = Self::new(line, 0);
        turn.input = BorrowedJson::Map(Vec::new());
        for (key, value) in pairs {
            match (&*key, RecordField::from_name(&key)) {
                (_, Some(RecordField::Turn)) => {
                    let number = value
                        .integer()
                        .and_then(|number| u32::try_from(number).ok());
                    turn.number = number.unwrap_or_default();
                }
                (_, Some(field)) => turn.set(field, value),
                ("input", None) if !value.is_null() => turn.input = value,
                ("answers", None) => turn.answers = value,
                _ => {}
            }
        }
        if turn.number == 0 {
            return Err("it needs `turn`, a number from 1".to_owned());
        }
        Ok(turn)
    }

    /// Sets a field. A state or phase that is one name is the one after the turn, one text is all that was said.
    pub(super) fn set(&mut self, field: RecordField, value: BorrowedJson<'a>) {
        let value = match (field, value) {
            (RecordField::State | RecordField::Phase, value) if !value.is_map() => {
                BorrowedJson::Map(vec![("to".into(), value)])
            }
            (RecordField::Replies, BorrowedJson::Null) => BorrowedJson::List(Vec::new()),
            (RecordField::Replies, value @ BorrowedJson::Text(_)) => {
                BorrowedJson::List(vec![value])
            }
            (_, value) => value,
        };
        self.fields.push((field, value));
    }

    /// The turn, if it says where it led and what it says has the types that everything else relies on.
    pub(super) fn checked(self) -> Result<Self, String> {
        let state = self
            .field(RecordField::State)
            .map_or(&BorrowedJson::Null, |state| state.at("to"));
        if state.text().is_none() {
            return Err(format!(
                "the turn does not say in which state it ended: there is {}",
                state.kind()
            ));
        }
        if !self.input.is_map() {
            return Err(format!(
                "the input of a turn is a map, and this is {}",
                self.input.kind()
            ));
        }
        Ok(self)
    }

    /// A field of the record, where the trace has it.
    pub fn field(&self, field: RecordField) -> Option<&BorrowedJson<'a>> {
        self.fields
            .iter()
            .find(|(known, _)| *known == field)
            .map(|(_, value)| value)
    }

    /// What was meant, or happened, as the turn says itself.
    pub fn meant(&self) -> Option<&str> {
        let input = &self.input;
        let happened = || EVENTS.into_iter().find(|key| input.get(key).is_some());
        input
            .at("intent")
            .text()
            .or_else(|| input.at("event").text())
            .or_else(happened)
    }

    /// A field of the record, where the trace has it and it is a map.
    pub fn map(&self, field: RecordField) -> Option<&BorrowedJson<'a>> {
        self.field(field).filter(|value| value.is_map())
    }

    /// Whether the dialogue is over, where the trace says it.
    pub fn is_final(&self) -> Option<bool> {
        self.field(RecordField::Final)?.boolean()
    }

    /// How many turns are counted, where the trace says it.
    pub fn turn_number(&self) -> Option<i64> {
        self.field(RecordField::TurnNumber)?.integer()
    }

    /// All fields of the record that the trace has.
    pub fn fields(&self) -> &[(RecordField, BorrowedJson<'a>)] {
        &self.fields
    }

    /// A side of a field with two: `from` or `to`.
    pub fn side(&self, field: RecordField, side: &str) -> Option<&BorrowedJson<'a>> {
        self.field(field)?.get(side)
    }

    /// The state after the turn.
    pub fn to(&self) -> &str {
        self.side(RecordField::State, "to")
            .and_then(BorrowedJson::text)
            .unwrap_or_default()
    }

    /// The state before the turn, where the trace says it.
    pub fn from(&self) -> Option<&str> {
        self.side(RecordField::State, "from")?.text()
    }
}
