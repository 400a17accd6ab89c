//! A dialogue of a recorded trace, ours or another system's, as far as it can be held against a model.

use super::json::Json;
use crate::trace::Field;

/// A dialogue as a trace shows it.
#[derive(Clone, Debug)]
pub struct ObservedDialogue<'a> {
    /// Its name.
    pub name: &'a str,
    /// The line where it begins, from 1.
    pub line: usize,
    /// The profile that it names.
    pub profile: Option<Json<'a>>,
    /// Where its signals come from.
    pub signals: Option<Json<'a>>,
    /// How it starts, as a turns file has it.
    pub start: Option<Json<'a>>,
    /// The turns.
    pub turns: Vec<ObservedTurn<'a>>,
}

/// A turn as a trace shows it. What the trace does not tell is not there; what it tells to be nothing is null.
#[derive(Clone, Debug)]
pub struct ObservedTurn<'a> {
    /// Its line in the file, from 1.
    pub line: usize,
    /// Its number in the dialogue, from 1.
    pub number: u32,
    /// What went in, as a turns file has it: a map.
    pub input: Json<'a>,
    /// What was answered from outside, as our own traces have it.
    pub answers: Json<'a>,
    /// The fields of the record that the trace has.
    fields: Vec<(Field, Json<'a>)>,
}

impl<'a> ObservedTurn<'a> {
    pub(super) fn new(line: usize, number: u32) -> Self {
        Self { line, number, input: Json::Null, answers: Json::Null, fields: Vec::new() }
    }

    /// Sets a field. A state or phase that is one name is the one after the turn.
    pub(super) fn set(&mut self, field: Field, value: Json<'a>) {
        let led = matches!(field, Field::State | Field::Phase) && value.pairs().is_none();
        let value = if led { Json::Map(vec![("to".into(), value)]) } else { value };
        self.fields.push((field, value));
    }

    /// The turn, if it says where it led and what it says has the types that everything else relies on.
    pub(super) fn checked(self) -> Result<Self, String> {
        let state = self.field(Field::State).map_or(&Json::Null, |state| state.at("to"));
        if state.text().is_none() {
            return Err(format!("the turn does not say in which state it ended: there is {}", state.kind()));
        }
        if self.input.pairs().is_none() {
            return Err(format!("the input of a turn is a map, and this is {}", self.input.kind()));
        }
        Ok(self)
    }

    /// A field of the record, where the trace has it.
    #[must_use]
    pub fn field(&self, field: Field) -> Option<&Json<'a>> {
        self.fields.iter().find(|(known, _)| *known == field).map(|(_, value)| value)
    }

    /// All fields of the record that the trace has.
    #[must_use]
    pub fn fields(&self) -> &[(Field, Json<'a>)] {
        &self.fields
    }

    /// A side of a field with two: `from` or `to`.
    #[must_use]
    pub fn side(&self, field: Field, side: &str) -> Option<&Json<'a>> {
        self.field(field)?.get(side)
    }

    /// The state after the turn.
    #[must_use]
    pub fn to(&self) -> &str {
        self.side(Field::State, "to").and_then(Json::text).unwrap_or_default()
    }

    /// The state before the turn, where the trace says it.
    #[must_use]
    pub fn from(&self) -> Option<&str> {
        self.side(Field::State, "from")?.text()
    }
}
