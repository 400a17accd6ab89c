//! Maps part of an external line to a field of the trace format. The mapping is a path, a path with conversions, or a
//! map of mappings.

use std::borrow::Cow;

use indexmap::IndexMap;

use super::borrowed_json::BorrowedJson;
use super::path::Path;
use super::projection::Projection;
use fsmsim_core::machine::Value;
use fsmsim_syntax::diagnostic::{Code, Diagnostic, Diagnostics, Span};
use fsmsim_syntax::document::{Fields, Location, Node};
use fsmsim_syntax::shapes;

/// The mapping of a field.
#[derive(Debug)]
pub(super) enum FieldMapping {
    /// The value at a path.
    FieldPlace(Box<FieldPlace>),
    /// A map of fields. Missing fields are omitted.
    Group(Vec<(Box<str>, FieldMapping)>),
}

/// A location with conversions of its value.
#[derive(Debug)]
pub(super) struct FieldPlace {
    path: Path,
    /// The text to remove from the start of strings, of strings in lists, and of keys.
    remove_prefix: Box<str>,
    /// The text to remove from the end.
    remove_suffix: Box<str>,
    /// The location to select in each value of a map, or in each item of a list.
    value: Option<Path>,
    /// If set, a list is converted to a map. This is the location of the key in each item.
    key: Option<Path>,
    /// Whether the previous value is carried forward if a turn does not record a new one.
    carry_forward: bool,
    /// Replacements for strings, numbers and booleans.
    values: Vec<(Box<str>, Value)>,
    /// The mapping of a missing value.
    or: Option<FieldMapping>,
    /// The value if all locations are missing.
    default: Option<Value>,
    shape: MappedShape,
}

/// The values that a field can have.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum MappedShape {
    /// One value: a filter selects the first match.
    Any,
    /// One name: of several, the last one counts.
    Name,
    /// A list: a filter selects all matches.
    List,
}

impl FieldMapping {
    /// Parses a mapping: a location, a map with `path`, or a map of mappings.
    pub(super) fn read(node: &Node, shape: MappedShape, found: &mut Diagnostics) -> Option<Self> {
        let place = match node.map() {
            None => FieldPlace::plain(Path::read(node, found)?, shape),
            Some(map) if map.get("path").is_some() => FieldPlace::read(node, shape, found)?,
            Some(map) => {
                let pieces = map.entries.iter();
                let pieces = pieces.filter_map(|(key, node)| {
                    Some((key.text.clone(), Self::read(node, shape, found)?))
                });
                return Some(Self::Group(pieces.collect()));
            }
        };
        Some(Self::FieldPlace(Box::new(place)))
    }

    /// The mapped value; `None` if the line does not contain it.
    pub(super) fn make<'a>(
        &self,
        from: &BorrowedJson<'a>,
        line: usize,
    ) -> Option<BorrowedJson<'a>> {
        match self {
            Self::FieldPlace(place) => place.make(from, line),
            Self::Group(pieces) => {
                let made: Vec<_> = pieces
                    .iter()
                    .filter_map(|(key, mapping)| {
                        Some((Cow::Owned(key.to_string()), mapping.make(from, line)?))
                    })
                    .collect();
                (!made.is_empty()).then_some(BorrowedJson::Map(made))
            }
        }
    }

    /// Adds the mapping's paths to a projection.
    pub(super) fn project(&self, projection: &mut Projection) {
        match self {
            Self::FieldPlace(place) => {
                projection.add(&place.path.location, Projection::Whole);
                if let Some(or) = &place.or {
                    or.project(projection);
                }
            }
            Self::Group(pieces) => pieces
                .iter()
                .for_each(|(_, mapping)| mapping.project(projection)),
        }
    }

    /// Whether values are carried forward if a turn does not record new ones.
    pub(super) fn stays(&self) -> bool {
        matches!(self, Self::FieldPlace(place) if place.carry_forward)
    }

    /// Whether the value may be missing in all lines.
    pub(super) fn is_optional(&self) -> bool {
        match self {
            Self::FieldPlace(place) => match (&place.or, &place.default) {
                (_, Some(_)) => false,
                (Some(or), None) => or.is_optional(),
                (None, None) => place.path.location.is_optional,
            },
            Self::Group(pieces) => pieces
                .iter()
                .any(|(key, mapping)| &**key == "to" && mapping.is_optional()),
        }
    }

    /// The location, if the mapping is one without filters and conversions.
    pub(super) fn plain(&self) -> Option<&Location> {
        match self {
            Self::FieldPlace(place) if place.is_plain() => Some(&place.path.location),
            _ => None,
        }
    }

    /// The location as written, for messages.
    pub(super) fn text(&self) -> &str {
        match self {
            Self::FieldPlace(place) => place.path.text(),
            Self::Group(pieces) => pieces.first().map_or("", |(key, _)| key),
        }
    }

    /// Reports `carry_forward` where it has no effect.
    pub(super) fn refuse_stays(&self, span: Span, found: &mut Diagnostics) {
        match self {
            Self::FieldPlace(_) if self.stays() => found.push(
                Diagnostic::error(
                    Code::BadTraceMap,
                    "cannot use `carry_forward` for a part of a turn field",
                )
                .at(span, "not allowed here")
                .help(
                    "move `carry_forward` to a field of `turn`, for example `data: {path: P, carry_forward: true}`",
                ),
            ),
            Self::FieldPlace(_) => {}
            Self::Group(pieces) => pieces
                .iter()
                .for_each(|(_, mapping)| mapping.refuse_stays(span, found)),
        }
    }

    /// The keys of a group.
    pub(super) fn keys(&self) -> &[(Box<str>, FieldMapping)] {
        match self {
            Self::FieldPlace(_) => &[],
            Self::Group(pieces) => pieces,
        }
    }

    /// Reports paths that were in no line up to this one.
    pub(super) fn check(&self, last: usize, found: &mut Diagnostics) {
        match self {
            Self::FieldPlace(place) => {
                place.path.check(last, found);
                place
                    .value
                    .iter()
                    .chain(&place.key)
                    .for_each(|path| path.check(last, found));
                if let Some(or) = &place.or {
                    or.check(last, found);
                }
            }
            Self::Group(pieces) => pieces
                .iter()
                .for_each(|(_, mapping)| mapping.check(last, found)),
        }
    }
}

impl FieldPlace {
    fn plain(path: Path, shape: MappedShape) -> Self {
        Self {
            path: path.shaped(shape == MappedShape::List),
            remove_prefix: Box::default(),
            remove_suffix: Box::default(),
            value: None,
            key: None,
            carry_forward: false,
            values: Vec::new(),
            or: None,
            default: None,
            shape,
        }
    }

    /// Whether the value at the location is mapped without changes.
    fn is_plain(&self) -> bool {
        let cuts = !(self.remove_prefix.is_empty() && self.remove_suffix.is_empty());
        let converts = self.key.is_some() || self.value.is_some() || !self.values.is_empty();
        let is_only = self.or.is_none() && self.default.is_none();
        self.path.location.is_plain() && !cuts && !converts && is_only
    }

    fn read(node: &Node, shape: MappedShape, found: &mut Diagnostics) -> Option<Self> {
        let mut fields = Fields::of(node, &shapes::TRACE_PLACE, found)?;
        let path = fields.required("path");
        let value = fields.node("value");
        let key = fields.node("key");
        let carry_forward = fields.boolean("carry_forward").unwrap_or(false);
        let values = fields.map("values");
        let remove_prefix = fields.text("remove_prefix");
        let remove_suffix = fields.text("remove_suffix");
        let or = fields.node("or");
        let default = fields.node("default");
        fields.finish();
        let path = Path::read(path?, found)?;
        let mut inner = |node: Option<&Node>| match node {
            Some(node) => Path::read(node, found).map(Some),
            None => Some(None),
        };
        let value = inner(value)?;
        let key = inner(key)?;
        let or = match or {
            Some(node) => Some(FieldMapping::read(node, shape, found)?),
            None => None,
        };
        let values = values.into_iter().flat_map(|map| &map.entries);
        let has_more = or.is_some() || default.is_some();
        let path = if has_more { path.made_optional() } else { path };
        Some(Self {
            remove_prefix: remove_prefix.unwrap_or_default().into(),
            remove_suffix: remove_suffix.unwrap_or_default().into(),
            value,
            key,
            carry_forward,
            values: values
                .map(|(key, node)| (key.text.clone(), Value::from(node)))
                .collect(),
            or,
            default: default.map(Value::from),
            ..Self::plain(path, shape)
        })
    }

    fn make<'a>(&self, from: &BorrowedJson<'a>, line: usize) -> Option<BorrowedJson<'a>> {
        if self.or.is_none() && self.default.is_none() {
            return self.value(from, line);
        }
        // A value that is recorded as empty is missing as well.
        let value = self.value(from, line).filter(|value| !value.is_null());
        let value = value.or_else(|| self.or.as_ref()?.make(from, line));
        value.or_else(|| self.default.as_ref().map(BorrowedJson::from))
    }

    /// The converted value at the location.
    fn value<'a>(&self, from: &BorrowedJson<'a>, line: usize) -> Option<BorrowedJson<'a>> {
        let made = self.path.find(from, line)?;
        let picked = |item: &BorrowedJson<'a>| match &self.value {
            Some(value) => Some(value.find(item, line)?.into_owned()),
            None => Some(item.clone()),
        };
        let made = match (&self.value, made.as_ref()) {
            (_, BorrowedJson::List(items)) if let Some(key) = &self.key => {
                let pair = |item| Some((key.find(item, line)?.text()?.to_owned(), picked(item)?));
                // If a key is duplicated, the last one counts.
                let pairs: IndexMap<String, BorrowedJson<'a>> =
                    items.iter().filter_map(pair).collect();
                BorrowedJson::Map(
                    pairs
                        .into_iter()
                        .map(|(key, value)| (Cow::Owned(key), value))
                        .collect(),
                )
            }
            (Some(_), BorrowedJson::Map(pairs)) => {
                let pairs = pairs.iter();
                let picked = pairs.filter_map(|(key, value)| Some((key.clone(), picked(value)?)));
                BorrowedJson::Map(picked.collect())
            }
            (Some(_), BorrowedJson::List(items)) => {
                BorrowedJson::List(items.iter().filter_map(picked).collect())
            }
            // Of several values in a turn, the last one is the result.
            (_, BorrowedJson::List(items)) if self.shape == MappedShape::Name => {
                items.last()?.clone()
            }
            (_, BorrowedJson::List(items)) if self.shape == MappedShape::List => {
                // A message without a text calls a tool.
                let is_filled =
                    |item: &&BorrowedJson<'a>| !item.is_null() && item.text() != Some("");
                BorrowedJson::List(items.iter().filter(is_filled).cloned().collect())
            }
            _ => made.into_owned(),
        };
        let made = if self.remove_prefix.is_empty() && self.remove_suffix.is_empty() {
            made
        } else {
            self.cut_all(made)
        };
        if self.values.is_empty() {
            Some(made)
        } else {
            Some(self.translate(made))
        }
    }

    fn cut_all<'a>(&self, value: BorrowedJson<'a>) -> BorrowedJson<'a> {
        match value {
            BorrowedJson::Text(text) => BorrowedJson::Text(self.cut(text)),
            BorrowedJson::List(items) => {
                BorrowedJson::List(items.into_iter().map(|item| self.cut_all(item)).collect())
            }
            BorrowedJson::Map(pairs) => BorrowedJson::Map(
                pairs
                    .into_iter()
                    .map(|(key, value)| (self.cut(key), value))
                    .collect(),
            ),
            other => other,
        }
    }

    fn cut<'a>(&self, text: Cow<'a, str>) -> Cow<'a, str> {
        let cut = text.strip_prefix(&*self.remove_prefix).unwrap_or(&text);
        let cut = cut.strip_suffix(&*self.remove_suffix).unwrap_or(cut);
        if cut.len() == text.len() {
            text
        } else {
            Cow::Owned(cut.to_owned())
        }
    }

    /// Replaces a value according to the table. Values that the table does not contain are unchanged. In a list, each
    /// item is replaced.
    fn translate<'a>(&self, value: BorrowedJson<'a>) -> BorrowedJson<'a> {
        let written = match &value {
            BorrowedJson::Text(text) => text.clone(),
            BorrowedJson::List(_) => {
                let BorrowedJson::List(items) = value else {
                    return value;
                };
                return BorrowedJson::List(
                    items.into_iter().map(|item| self.translate(item)).collect(),
                );
            }
            BorrowedJson::Map(_) => return value,
            scalar => Cow::Owned(scalar.to_string()),
        };
        let replacement = self.values.iter().find(|(theirs, _)| **theirs == *written);
        replacement.map_or(value, |(_, replacement)| BorrowedJson::from(replacement))
    }
}
