//! Maps part of an external line to a field of the trace format. The mapping is a path, a path with conversions, or a
//! map of mappings.

use std::borrow::Cow;

use indexmap::IndexMap;

use super::borrowed_json::BorrowedJson;
use super::path::Path;
use super::projection::Projection;
use fsmsim_core::machine::Value;
use fsmsim_syntax::diagnostic::{Code, Diagnostic, Diagnostics, Span};
use fsmsim_syntax::document::{Fields, Node};

/// The mapping of a field.
#[derive(Debug)]
pub(super) enum FieldMapping {
    /// The value at a path.
    FieldPlace(Box<FieldPlace>),
    /// A map of fields. Missing fields are omitted.
    Group(Vec<(Box<str>, FieldMapping)>),
}

/// A path with conversions of its value.
#[derive(Debug)]
pub(super) struct FieldPlace {
    path: Path,
    /// The text to remove from the start of strings, of strings in lists, and of keys. `suffix` is removed from the
    /// end.
    prefix: Box<str>,
    suffix: Box<str>,
    /// The path to select in each value of a map, or in each item of a list.
    pick: Option<Path>,
    /// If set, a list is converted to a map. This is the path of the key in each item.
    by: Option<Path>,
    /// Whether the previous value is carried forward if a turn does not record a new one.
    stays: bool,
    /// Replacements for strings, numbers and booleans.
    values: Vec<(Box<str>, Value)>,
}

impl FieldMapping {
    /// Parses a mapping: a path, a map with `path`, or a map of mappings.
    pub(super) fn read(node: &Node, found: &mut Diagnostics) -> Option<Self> {
        let Some(map) = node.map() else {
            let path = Path::read(node, found)?;
            return Some(Self::FieldPlace(Box::new(FieldPlace::plain(path))));
        };
        if map.get("path").is_some() {
            return FieldPlace::read(node, found).map(|place| Self::FieldPlace(Box::new(place)));
        }
        let pieces = map.entries.iter();
        let pieces =
            pieces.filter_map(|(key, node)| Some((key.text.clone(), Self::read(node, found)?)));
        Some(Self::Group(pieces.collect()))
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
            Self::FieldPlace(place) => projection.add(&place.path.steps, Projection::Whole),
            Self::Group(pieces) => pieces
                .iter()
                .for_each(|(_, mapping)| mapping.project(projection)),
        }
    }

    /// Whether values are carried forward if a turn does not record new ones.
    pub(super) fn stays(&self) -> bool {
        matches!(self, Self::FieldPlace(place) if place.stays)
    }

    /// Reports `stays` where it has no effect.
    pub(super) fn refuse_stays(&self, span: Span, found: &mut Diagnostics) {
        match self {
            Self::FieldPlace(_) if self.stays() => found.push(
                Diagnostic::error(
                    Code::BadTraceMap,
                    "cannot use `stays` for a part of a turn field",
                )
                .at(span, "not allowed here")
                .help(
                    "move `stays` to a field of `turn`, for example `data: {path: P, stays: true}`",
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
                    .pick
                    .iter()
                    .chain(&place.by)
                    .for_each(|path| path.check(last, found));
            }
            Self::Group(pieces) => pieces
                .iter()
                .for_each(|(_, mapping)| mapping.check(last, found)),
        }
    }
}

impl FieldPlace {
    fn plain(path: Path) -> Self {
        Self {
            path,
            prefix: Box::default(),
            suffix: Box::default(),
            pick: None,
            by: None,
            stays: false,
            values: Vec::new(),
        }
    }

    fn read(node: &Node, found: &mut Diagnostics) -> Option<Self> {
        let mut fields = Fields::open(node, "a location in a trace", found)?;
        let path = fields.node("path");
        let pick = fields.node("pick");
        let by = fields.node("by");
        let stays = fields.boolean("stays").unwrap_or(false);
        let values = fields.map("values");
        let prefix = fields.text("prefix");
        let suffix = fields.text("suffix");
        if path.is_none() {
            fields.missing("path");
        }
        fields.finish();
        let path = Path::read(path?, found)?;
        let mut inner = |node: Option<&Node>| match node {
            Some(node) => Path::read(node, found).map(Some),
            None => Some(None),
        };
        let pick = inner(pick)?;
        let by = inner(by)?;
        let values = values.into_iter().flat_map(|map| &map.entries);
        Some(Self {
            path,
            prefix: prefix.unwrap_or_default().into(),
            suffix: suffix.unwrap_or_default().into(),
            pick,
            by,
            stays,
            values: values
                .map(|(key, node)| (key.text.clone(), Value::from(node)))
                .collect(),
        })
    }

    fn make<'a>(&self, from: &BorrowedJson<'a>, line: usize) -> Option<BorrowedJson<'a>> {
        let made = self.path.find(from, line)?;
        let picked = |item: &BorrowedJson<'a>| match &self.pick {
            Some(pick) => pick.find(item, line).cloned(),
            None => Some(item.clone()),
        };
        let made = match (&self.pick, made) {
            (_, BorrowedJson::List(items)) if let Some(by) = &self.by => {
                let pair = |item| Some((by.find(item, line)?.text()?.to_owned(), picked(item)?));
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
            (Some(pick), BorrowedJson::Map(pairs)) => {
                let picked = pairs.iter().filter_map(|(key, value)| {
                    Some((key.clone(), pick.find(value, line)?.clone()))
                });
                BorrowedJson::Map(picked.collect())
            }
            (Some(_), BorrowedJson::List(items)) => {
                BorrowedJson::List(items.iter().filter_map(picked).collect())
            }
            (_, made) => made.clone(),
        };
        let made = if self.prefix.is_empty() && self.suffix.is_empty() {
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
        let cut = text.strip_prefix(&*self.prefix).unwrap_or(&text);
        let cut = cut.strip_suffix(&*self.suffix).unwrap_or(cut);
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
