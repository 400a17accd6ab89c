//! Maps an answer of a system under test to a turn.

use std::collections::BTreeMap;

use serde_json::Value as Json;

use super::answer_field::{AnswerField, AnswerShape, ReplyScope};
use super::answer_path::AnswerPath;
use super::subject_answer::SubjectAnswer;
use fsmsim_core::machine::Value;
use fsmsim_core::trace::RecordField;
use fsmsim_syntax::diagnostic::{Code, Diagnostic, Diagnostics, Span};
use fsmsim_syntax::document::{Content, Fields, Node, entries_of, named, one_of, text_of, word_of};
use fsmsim_syntax::shapes;

/// Maps an answer to a turn: the locations of its parts, and translations of their values.
#[derive(Clone, Debug, Default)]
pub struct AnswerMap {
    parts: Vec<MappedPart>,
}

/// A mapped part of an answer.
#[derive(Clone, Debug)]
pub(super) struct MappedPart {
    field: AnswerField,
    place: MappedPlace,
    /// Values of the system, each with the corresponding value of the model and its location.
    values: BTreeMap<String, (Value, Span)>,
    /// Which replies count, if the part contains the replies.
    pub scope: Option<ReplyScope>,
    pub span: Span,
}

/// The location of a part.
#[derive(Clone, Debug)]
enum MappedPlace {
    /// A single path.
    At(AnswerPath),
    Slots(Vec<(Box<str>, Span, AnswerPath)>),
}

impl AnswerMap {
    /// Parses `map`. Returns `None`, with findings, if it is empty or invalid.
    pub(super) fn read(node: &Node, found: &mut Diagnostics) -> Option<Self> {
        let errors = found.error_count();
        let mut map = Self::default();
        for (key, value) in entries_of(node, "`map`", found) {
            match one_of(&key.text, key.span, &named::<AnswerField>()) {
                Ok(field) => map.parts.extend(MappedPart::read(field, value, found)),
                Err(finding) => found.push(*finding),
            }
        }
        if map.parts.is_empty() && found.no_errors_since(errors) {
            Diagnostic::error(Code::BadSubject, "`map` is empty")
                .at(node.span, "empty")
                .help("add the path of the reply: `map: {replies: PATH}`")
                .add_to(found);
        }
        found.no_errors_since(errors).then_some(map)
    }

    /// Whether the answer contains a record field, or the recognized intent.
    pub fn contains(&self, field: RecordField) -> bool {
        let is_it = |part: &MappedPart| match part.field {
            AnswerField::Intent => field == RecordField::Intent,
            other => other.record_field() == Some(field),
        };
        self.parts.iter().any(is_it)
    }

    /// Whether every answer must contain the state after the turn: `map` has a path for it that is not optional.
    pub fn always_contains_state(&self) -> bool {
        let state = self
            .parts
            .iter()
            .find(|part| part.field == AnswerField::State);
        state
            .is_some_and(|part| matches!(&part.place, MappedPlace::At(path) if !path.is_optional()))
    }

    /// The parts that an answer contains.
    pub fn fields(&self) -> impl Iterator<Item = AnswerField> {
        self.parts.iter().map(|part| part.field)
    }

    /// The translated values of a part, each with its location.
    pub fn names(&self, field: AnswerField) -> impl Iterator<Item = (&str, Span)> {
        self.parts
            .iter()
            .filter(move |part| part.field == field)
            .flat_map(|part| part.values.values())
            .filter_map(|(value, span)| Some((value.as_text()?, *span)))
    }

    /// The part that contains the replies.
    pub(super) fn replies(&self) -> Option<&MappedPart> {
        let is_it = |part: &&MappedPart| part.field == AnswerField::Replies;
        self.parts.iter().find(is_it)
    }

    /// The slots with separate paths, each with its location.
    pub fn slots(&self) -> impl Iterator<Item = (&str, Span)> {
        self.parts
            .iter()
            .filter(|part| part.field == AnswerField::Data)
            .flat_map(|part| match &part.place {
                MappedPlace::Slots(slots) => slots.as_slice(),
                MappedPlace::At(_) => &[],
            })
            .map(|(slot, span, _)| (&**slot, *span))
    }

    /// Extracts the mapped parts of an answer, and the session ID if it contains one.
    pub fn apply(&self, answer: &Json) -> Result<(SubjectAnswer, Option<String>), String> {
        let mut mapped = SubjectAnswer::default();
        let mut session = None;
        for part in &self.parts {
            let Some(value) = part.find(answer)? else {
                continue;
            };
            match part.field {
                AnswerField::Session => session = text(&value),
                AnswerField::Intent => mapped.intent = text(&value),
                field => {
                    mapped.tells_some_data |= matches!(part.place, MappedPlace::Slots(_));
                    mapped.fields.extend(
                        field
                            .record_field()
                            .map(|field| (field, Value::from(value))),
                    );
                }
            }
        }
        Ok((mapped, session))
    }
}

impl MappedPart {
    fn read(field: AnswerField, node: &Node, found: &mut Diagnostics) -> Option<Self> {
        let mut values = BTreeMap::new();
        let shape = field.shape();
        let is_list = matches!(shape, AnswerShape::Texts | AnswerShape::List);
        let mut scope = None;
        let place = match &node.content {
            Content::Map(_) if shape == AnswerShape::Map && node.get("path").is_none() => {
                let slots = entries_of(node, "a part of `map`", found)
                    .iter()
                    .filter_map(|(slot, node)| {
                        Some((
                            slot.text.clone(),
                            slot.span,
                            AnswerPath::read(node, false, found)?,
                        ))
                    });
                MappedPlace::Slots(slots.collect())
            }
            Content::Map(_) => {
                let (keys, has_scope) = match field {
                    AnswerField::Replies => (&shapes::REPLIES_PLACE, true),
                    _ => (&shapes::ANSWER_PLACE, false),
                };
                let mut fields = Fields::of(node, keys, found)?;
                let path = fields.required("path");
                let table = fields.entries("values");
                let since = has_scope.then(|| fields.node("since")).flatten();
                fields.finish();
                scope = since.and_then(|node| word_of(node, "since", found));
                for (key, ours) in table {
                    let read = match shape {
                        AnswerShape::Name if ours.is_null() => Some(Value::Null),
                        AnswerShape::Name | AnswerShape::Texts => {
                            text_of(ours, "a value", found).map(Value::text)
                        }
                        _ => Some(Value::from(ours)),
                    };
                    values.extend(read.map(|value| (key.text.to_string(), (value, ours.span))));
                }
                MappedPlace::At(AnswerPath::read(path?, is_list, found)?)
            }
            _ => MappedPlace::At(AnswerPath::read(node, is_list, found)?),
        };
        Some(Self {
            field,
            place,
            values,
            scope,
            span: node.span,
        })
    }

    /// The path, unless there is one for each slot.
    pub(super) fn path(&self) -> Option<&AnswerPath> {
        match &self.place {
            MappedPlace::At(path) => Some(path),
            MappedPlace::Slots(_) => None,
        }
    }

    /// The translated value of the part in the answer.
    fn find(&self, answer: &Json) -> Result<Option<Json>, String> {
        let value = match &self.place {
            MappedPlace::At(path) => path.find(answer)?,
            MappedPlace::Slots(slots) => {
                let mut mapped = serde_json::Map::new();
                for (slot, _, path) in slots {
                    mapped.extend(path.find(answer)?.map(|value| (slot.to_string(), value)));
                }
                Some(Json::Object(mapped))
            }
        };
        value
            .map(|value| self.shaped(self.renamed(value)))
            .transpose()
    }

    fn renamed(&self, value: Json) -> Json {
        let their_value = match &value {
            Json::String(text) => self.values.get(text),
            Json::Bool(_) | Json::Number(_) | Json::Null => self.values.get(&value.to_string()),
            Json::Array(_) | Json::Object(_) => None,
        };
        their_value.map_or(value, |(ours, _)| {
            serde_json::to_value(ours).unwrap_or_default()
        })
    }

    /// Checks and normalizes the type of the value.
    fn shaped(&self, value: Json) -> Result<Json, String> {
        let shape = self.field.shape();
        match (shape, value) {
            (AnswerShape::Name, value @ (Json::String(_) | Json::Null))
            | (AnswerShape::Flag, value @ Json::Bool(_))
            | (AnswerShape::Map, value @ Json::Object(_))
            | (AnswerShape::List, value @ Json::Array(_)) => Ok(value),
            // IDs are often numbers.
            (AnswerShape::Name, value @ (Json::Number(_) | Json::Bool(_))) => {
                Ok(Json::String(value.to_string()))
            }
            (AnswerShape::Texts, Json::Null) => Ok(Json::Array(Vec::new())),
            (AnswerShape::Texts, value @ Json::String(_)) => Ok(Json::Array(vec![value])),
            (AnswerShape::Texts, Json::Array(items))
                if items.iter().all(|item| item.is_string() || item.is_null()) =>
            {
                Ok(Json::Array(
                    items.into_iter().filter(|item| !item.is_null()).collect(),
                ))
            }
            (_, value) => {
                let kind = match value {
                    Json::Null => "null",
                    Json::Bool(_) => "a boolean",
                    Json::Number(_) => "a number",
                    Json::String(_) => "a string",
                    Json::Array(_) => "a list",
                    Json::Object(_) => "a map",
                };
                Err(format!(
                    "expected {} for `{}` in the answer, found {kind}",
                    shape.name(),
                    self.field.name()
                ))
            }
        }
    }
}

fn text(value: &Json) -> Option<String> {
    value.as_str().map(str::to_owned)
}
