//! A recorded dialogue from this program or an external system, in the form in which it is checked against a model.

use std::collections::BTreeMap;
use std::path::PathBuf;

use super::borrowed_json::BorrowedJson;
use fsmsim_core::engine::Machine;
use fsmsim_core::machine::EVENTS;
use fsmsim_core::trace::RecordField;
use fsmsim_runtime::runtime::DialogueSetup;
use fsmsim_syntax::diagnostic::{Checked, Diagnostics, Span};

/// A recorded dialogue.
#[derive(Clone, Debug)]
pub struct ObservedDialogue<'a> {
    pub name: &'a str,
    /// The first line of the dialogue, from 1.
    pub line: usize,
    /// The recorded profile.
    pub profile: Option<BorrowedJson<'a>>,
    /// The source of signals.
    pub signals: Option<BorrowedJson<'a>>,
    /// The start of the dialogue, as in a turns file.
    pub start: Option<BorrowedJson<'a>>,
    pub turns: Vec<ObservedTurn<'a>>,
    /// The number of turns that are not checked, by the name of the reason.
    pub not_checked: BTreeMap<&'static str, u64>,
}

impl<'a> ObservedDialogue<'a> {
    /// A dialogue without turns.
    pub(in crate::verify) fn empty(name: &'a str) -> Self {
        Self {
            name,
            line: 0,
            profile: None,
            signals: None,
            start: None,
            turns: Vec::new(),
            not_checked: BTreeMap::new(),
        }
    }

    /// The settings and the session at the start. `path` resolves the paths under `signals`.
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

/// A recorded turn. Fields that the trace does not contain are missing, and fields that it records as empty are `null`.
#[derive(Clone, Debug, Default)]
pub struct ObservedTurn<'a> {
    /// The line of the turn in the file, from 1.
    pub line: usize,
    /// The number of the turn in the dialogue, from 1.
    pub number: u32,
    /// Whether lines before the turn could not be read. Turns of this or another dialogue might be missing.
    pub after_gap: bool,
    /// The input as in a turns file, which is a map.
    pub input: BorrowedJson<'a>,
    /// The external answers, as in the traces of this program.
    pub answers: BorrowedJson<'a>,
    /// Whether only part of the data is recorded.
    pub tells_some_data: bool,
    /// The recorded fields.
    fields: Vec<(RecordField, BorrowedJson<'a>)>,
}

impl<'a> ObservedTurn<'a> {
    /// A turn without any fields.
    pub fn new(line: usize, number: u32) -> Self {
        Self {
            line,
            number,
            ..Self::default()
        }
    }

    /// Reads a turn from a trace of this program.
    pub fn from_own_trace(tree: BorrowedJson<'a>, line: usize) -> Result<Self, String> {
        Self::numbered(tree, line)?.checked()
    }

    /// Reads a turn of a system under test in the trace format of this program. The target state may be missing.
    /// Replies are removed, because their wording is up to the system.
    pub fn from_subject(tree: BorrowedJson<'a>, line: usize) -> Option<Self> {
        let mut turn = Self::numbered(tree, line).ok()?;
        turn.fields.retain(|(field, value)| match field {
            RecordField::State => value.at("to").text().is_some(),
            field => *field != RecordField::Replies,
        });
        turn.input.is_map().then_some(turn)
    }

    /// Reads a turn, with its number, from a trace of this program.
    fn numbered(tree: BorrowedJson<'a>, line: usize) -> Result<Self, String> {
        let BorrowedJson::Map(pairs) = tree else {
            return Err(format!("expected a map for a turn, found {}", tree.kind()));
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
            return Err("missing `turn`, an integer from 1".to_owned());
        }
        Ok(turn)
    }

    /// Sets a field. For state and phase, a single name is the one after the turn. For replies, a single string is the
    /// only reply.
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

    /// Checks that the target state is recorded and that the types are valid.
    pub(super) fn checked(self) -> Result<Self, String> {
        let state = self
            .field(RecordField::State)
            .map_or(&BorrowedJson::Null, |state| state.at("to"));
        if state.text().is_none() {
            return Err(format!(
                "expected the name of the resulting state in the turn, found {}",
                state.kind()
            ));
        }
        if !self.input.is_map() {
            return Err(format!(
                "expected a map for the input of a turn, found {}",
                self.input.kind()
            ));
        }
        Ok(self)
    }

    /// The value of a field, if it is recorded.
    pub fn field(&self, field: RecordField) -> Option<&BorrowedJson<'a>> {
        self.fields
            .iter()
            .find(|(known, _)| *known == field)
            .map(|(_, value)| value)
    }

    /// The intent or the event, as recorded in the turn.
    pub fn meant(&self) -> Option<&str> {
        let input = &self.input;
        let happened = || EVENTS.into_iter().find(|key| input.get(key).is_some());
        input
            .at("intent")
            .text()
            .or_else(|| input.at("event").text())
            .or_else(happened)
    }

    /// The value of a field, if it is recorded and is a map.
    pub fn map(&self, field: RecordField) -> Option<&BorrowedJson<'a>> {
        self.field(field).filter(|value| value.is_map())
    }

    /// Whether the dialogue has ended, if this is recorded.
    pub fn is_final(&self) -> Option<bool> {
        self.field(RecordField::Final)?.boolean()
    }

    /// The turn counter, if it is recorded.
    pub fn turn_number(&self) -> Option<i64> {
        self.field(RecordField::TurnNumber)?.integer()
    }

    /// All recorded fields.
    pub fn fields(&self) -> &[(RecordField, BorrowedJson<'a>)] {
        &self.fields
    }

    /// The fields whose values have a wrong type, so that no rule can check them.
    pub fn mistyped(&self) -> impl Iterator<Item = RecordField> {
        self.fields
            .iter()
            .filter_map(|(field, value)| (!has_type(*field, value)).then_some(*field))
    }

    /// The value under `from` or `to` of a field that has both.
    pub fn side(&self, field: RecordField, side: &str) -> Option<&BorrowedJson<'a>> {
        self.field(field)?.get(side)
    }

    /// The state after the turn.
    pub fn to(&self) -> &str {
        self.side(RecordField::State, "to")
            .and_then(BorrowedJson::text)
            .unwrap_or_default()
    }

    /// The state before the turn, if it is recorded.
    pub fn from(&self) -> Option<&str> {
        self.side(RecordField::State, "from")?.text()
    }
}

/// Whether the rules can check a value of this field. A name of another type is a violation, so it is checked.
fn has_type(field: RecordField, value: &BorrowedJson<'_>) -> bool {
    let is_text = |item: &BorrowedJson<'_>| item.text().is_some();
    match field {
        _ if value.is_null() => true,
        RecordField::Data | RecordField::Frames | RecordField::Counters => value.is_map(),
        RecordField::Carryover => {
            let mut keys = ["kept", "added", "changed", "dropped"].into_iter();
            value.is_map() && keys.all(|key| has_type(RecordField::Missing, value.at(key)))
        }
        RecordField::Missing => value.list().is_some_and(|items| items.iter().all(is_text)),
        RecordField::Effects | RecordField::Points => {
            let items = value.list();
            items.is_some_and(|items| items.iter().all(BorrowedJson::is_map))
        }
        RecordField::Final => value.boolean().is_some(),
        RecordField::TurnNumber => value.integer().is_some(),
        RecordField::ReturnState => is_text(value),
        _ => true,
    }
}
