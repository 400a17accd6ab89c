//! The locations of fields in an external trace, as defined in the file for `--map`.

use std::collections::BTreeSet;

use serde::de::{DeserializeSeed, IgnoredAny};

use super::borrowed_json::BorrowedJson;
use super::carried_fields::CarriedFields;
use super::dialogue::ObservedTurn;
use super::event_fold::EventFold;
use super::field_mapping::{FieldMapping, MappedShape};
use super::find_first::find_first;
use super::order_key::order_key;
use super::path::Path;
use super::preset::trace_map_preset;
use super::projection::Projection;
use super::skips::Skips;
use super::trace_part::TracePart;
use fsmsim_core::trace::{RecordField, read_json};
use fsmsim_syntax::diagnostic::{Code, Diagnostic, Diagnostics, SourceMap};
use fsmsim_syntax::document::{
    DEFINITION_LIMIT, Fields, Key, Location, Node, no_such_key, parse_yaml, read_file,
};
use fsmsim_syntax::shapes::{self, Shape};

/// Keys under `start` that traces do not contain.
const NOT_IN_START: [&str; 2] = ["backend", "foreign"];
/// Keys of a turn that are not part of the input in a trace.
const NOT_IN_INPUT: [&str; 1] = ["outcome"];

/// The locations of fields in a trace. The keys are those of this program's trace format.
#[derive(Debug)]
pub struct TraceMap {
    /// The dialogue name in a line.
    dialogue: FieldMapping,
    /// The keys of the dialogue name, if its location has only keys.
    name_steps: Option<Vec<Box<str>>>,
    /// The path of the turn list in a line; `None` if each line is a turn.
    turns: Option<Path>,
    /// The rules for combining events into turns; `None` if the trace contains turns.
    pub(super) events: Option<EventFold>,
    /// A value that is `true` in the last line of a dialogue, if each line is a turn or an event.
    end: Option<FieldMapping>,
    /// The parts of a line that `dialogue`, `end` and `order` need.
    line_projection: Projection,
    /// The time or number by which the turns or events of a dialogue are sorted.
    pub(super) order: Option<FieldMapping>,
    /// The ID of a turn or event, of which duplicates are removed.
    id: Option<FieldMapping>,
    /// The turns that are ignored.
    pub(super) skip: Skips,
    /// Counts of lost parts, and values that a complete turn has.
    lost: Vec<FieldMapping>,
    requires: Vec<FieldMapping>,
    /// The mappings for profile, signals and start.
    head: [Option<FieldMapping>; 3],
    turn: TurnMap,
    /// The parts of a line that are needed.
    pub(super) projection: Projection,
}

/// The locations of a turn's fields.
#[derive(Debug, Default)]
struct TurnMap {
    input: Option<FieldMapping>,
    answers: Option<FieldMapping>,
    fields: Vec<(RecordField, FieldMapping)>,
}

impl TraceMap {
    /// Loads a map file, or a map of this program with this name. Returns `None`, with findings, if it is invalid.
    pub fn load(
        path: &std::path::Path,
        sources: &mut SourceMap,
        found: &mut Diagnostics,
    ) -> Option<Self> {
        let name = path.to_str().filter(|_| !path.exists()).unwrap_or_default();
        let file = match trace_map_preset(name) {
            Ok(text) => sources.add(format!("map:{name}"), text),
            Err(finding) if !name.is_empty() && !name.contains(['.', '/', '\\']) => {
                return finding.refuse(found);
            }
            Err(_) => read_file(path, DEFINITION_LIMIT, sources, found)?,
        };
        let node =
            parse_yaml(file, &sources.text(file), 0, found).filter(|_| !found.has_errors())?;
        Self::read(&node, found)
    }

    /// Parses a map. Returns `None`, with findings, if it is invalid.
    pub fn read(node: &Node, found: &mut Diagnostics) -> Option<Self> {
        let errors = found.error_count();
        let mut fields = Fields::of(node, &shapes::TRACE_MAP_FILE, found)?;
        let dialogue = fields.node("dialogue");
        let turns = fields.node("turns");
        let events = fields.node("events");
        let end = fields.node("end");
        let order = fields.node("order");
        let id = fields.node("id");
        let skip = fields.entries("skip");
        let lost = fields.node("lost");
        let requires = fields.node("requires");
        let profile = fields.node("profile");
        let signals = fields.node("signals");
        let start = fields.node("start");
        let turn = fields.node("turn");
        if dialogue.is_none() {
            fields.missing("dialogue");
        }
        if turn.is_none() {
            fields.missing("turn");
        }
        fields.finish();
        let any = MappedShape::Any;
        let dialogue = dialogue.and_then(|node| FieldMapping::read(node, any, found));
        let both = turns.zip(events).map(|(_, events)| {
            (
                "events",
                events,
                "remove `turns` or `events`: a map can have only one of them",
            )
        });
        let turns = turns.and_then(|node| Path::read(node, found));
        let events = events.and_then(|node| EventFold::read(node, found));
        let is_list =
            turns.is_some() || events.as_ref().is_some_and(|events| events.path.is_some());
        let unused = end.filter(|_| is_list).map(|end| {
            (
                "end",
                end,
                "remove `end`: a dialogue on one line ends with the line",
            )
        });
        for (key, node, help) in both.into_iter().chain(unused) {
            Diagnostic::error(Code::BadTraceMap, format!("cannot use `{key}` in this map"))
                .at(node.span, "not allowed here")
                .help(help)
                .add_to(found);
        }
        let mut mapping = |node: Option<&Node>| {
            let mapping = FieldMapping::read(node?, any, found)?;
            mapping.refuse_stays(node?.span, found);
            Some(mapping)
        };
        let head = [mapping(profile), mapping(signals), mapping(start)];
        let [end, order, id] = [mapping(end), mapping(order), mapping(id)];
        let mut mappings = |node: Option<&Node>| -> Vec<FieldMapping> {
            let node = node.filter(|node| !node.is_null());
            let nodes = node.map_or(&[][..], Node::items).iter();
            nodes.filter_map(|node| mapping(Some(node))).collect()
        };
        let [lost, requires] = [mappings(lost), mappings(requires)];
        let skip = Skips::read(skip, "`skip`", found);
        let known = known_keys(&shapes::START, &NOT_IN_START);
        only(start, head[2].as_ref(), "`start`", &known, found);
        let turn = turn
            .map(|node| TurnMap::read(node, found))
            .unwrap_or_default();
        let dialogue = dialogue?;
        let mut line_projection = Projection::new();
        for mapping in end.iter().chain(&order).chain([&dialogue]) {
            mapping.project(&mut line_projection);
        }
        let steps = dialogue.plain().map(Location::plain_steps);
        let mut map = Self {
            name_steps: steps.map(|steps| steps.map(Into::into).collect()),
            dialogue,
            turns,
            events,
            end,
            line_projection,
            order,
            id,
            skip,
            lost,
            requires,
            head,
            turn,
            projection: Projection::Whole,
        };
        map.projection = map.projected();
        found.no_errors_since(errors).then_some(map)
    }

    /// The path of the turn or event list, if each line is a complete dialogue.
    pub(super) fn list(&self) -> Option<&Path> {
        self.turns
            .as_ref()
            .or_else(|| self.events.as_ref()?.path.as_ref())
    }

    /// Whether turns are combined from events.
    pub(in crate::verify) fn has_events(&self) -> bool {
        self.events.is_some()
    }

    /// Whether the map locates the order of turns.
    pub fn has_order(&self) -> bool {
        self.order.is_some()
    }

    /// Whether each line is a complete dialogue.
    pub fn is_of_dialogues(&self) -> bool {
        self.list().is_some()
    }

    /// Whether a line is the last line of its dialogue.
    pub(in crate::verify) fn is_end(&self, text: &str, line: usize) -> bool {
        let Some(end) = &self.end else { return false };
        self.line_tree(text).is_some_and(|tree| {
            end.make(&tree, line)
                .is_some_and(|end| end.boolean() == Some(true))
        })
    }

    /// The parts of a line that `dialogue`, `end` and `order` need.
    fn line_tree<'t>(&self, text: &'t str) -> Option<BorrowedJson<'t>> {
        let mut reader = serde_json::Deserializer::from_str(text);
        (&self.line_projection).deserialize(&mut reader).ok()
    }

    /// The name of the dialogue to which a line belongs; `None` if the line can be ignored without a name. Returns the
    /// reason and the position in the line if the name is missing.
    pub(in crate::verify) fn dialogue_in(
        &self,
        text: &str,
        line: usize,
    ) -> Result<Option<String>, (String, usize)> {
        let is_optional = self.dialogue.is_optional();
        let unnamed = || (is_optional && self.is_of_dialogues()).then(|| format!("line {line}"));
        if let Some(name) = self.name_in(text, line).or_else(unnamed) {
            return Ok(Some(name));
        }
        read_json::<IgnoredAny>(text)?;
        if is_optional {
            return Ok(None);
        }
        let location = self.dialogue.text();
        Err((format!("missing `{location}`, the name of the dialogue"), 0))
    }

    fn name_in(&self, text: &str, line: usize) -> Option<String> {
        if let Some(steps) = &self.name_steps {
            return find_first(text, steps);
        }
        match self.dialogue.make(&self.line_tree(text)?, line)? {
            BorrowedJson::Text(name) => Some(name.into_owned()),
            BorrowedJson::Int(number) => Some(number.to_string()),
            _ => None,
        }
    }

    /// Whether the turns or events of a dialogue are collected and sorted before they are checked.
    pub fn sorts(&self) -> bool {
        self.order.is_some() || self.id.is_some()
    }

    /// The time or number of a turn or event, in nanoseconds or billionths.
    pub(super) fn order_of(&self, part: &TracePart<'_>) -> Option<i128> {
        order_key(&self.order.as_ref()?.make(&part.value, part.line)?)
    }

    /// The order of a line among the lines of its dialogue: an integer as written, or a time in nanoseconds.
    pub(in crate::verify) fn order_in(&self, text: &str) -> Option<i128> {
        let order = self.order.as_ref()?.make(&self.line_tree(text)?, 0)?;
        match &order {
            BorrowedJson::Int(number) => Some(i128::from(*number)),
            BorrowedJson::Text(text) => text.parse().ok().or_else(|| order_key(&order)),
            _ => order_key(&order),
        }
    }

    /// Removes turns or events with the ID of an earlier one.
    pub(super) fn remove_duplicates(&self, parts: &mut Vec<TracePart<'_>>) {
        let Some(id) = &self.id else { return };
        let mut seen = BTreeSet::new();
        parts.retain(|part| {
            let id = id.make(&part.value, part.line).filter(|id| !id.is_null());
            id.is_none_or(|id| seen.insert(id.to_string()))
        });
    }

    /// Whether a turn is complete: no part of it was lost.
    fn is_complete(&self, turn: &BorrowedJson<'_>, line: usize) -> bool {
        let value = |mapping: &FieldMapping| mapping.make(turn, line);
        let is_lost = |value: BorrowedJson<'_>| {
            use BorrowedJson::{Bool, Int, Null};
            !matches!(value, Null | Bool(false) | Int(0))
        };
        let is_there = |mapping| value(mapping).is_some_and(|value| !value.is_null());
        self.requires.iter().all(is_there) && !self.lost.iter().filter_map(value).any(is_lost)
    }

    /// The name of the parts of a dialogue, for messages.
    pub(super) fn part_name(&self) -> &'static str {
        if self.events.is_some() {
            "event"
        } else {
            "turn"
        }
    }

    /// The parts of a line that are needed.
    fn projected(&self) -> Projection {
        let of = |mappings: &mut dyn Iterator<Item = &FieldMapping>| {
            let mut projection = Projection::new();
            mappings.for_each(|mapping| mapping.project(&mut projection));
            projection
        };
        let mut head = self.head.iter().flatten();
        let events = self.events.as_ref().map(|events| &events.path);
        match (events, &self.turns) {
            // Which parts of an event are needed is known only after reading its kind.
            (Some(None), _) => Projection::Whole,
            (Some(Some(path)), _) => {
                let mut projection = of(&mut head);
                projection.add(&path.location, Projection::Whole);
                projection
            }
            (None, None) => self.with_rules(of(&mut self.turn.mappings().chain(head))),
            (None, Some(path)) => {
                let turn = self.with_rules(of(&mut self.turn.mappings()));
                let mut projection = of(&mut head);
                projection.add(&path.location, Projection::Each(Box::new(turn)));
                projection
            }
        }
    }

    /// Adds the parts of a turn that order, ID and completeness need.
    fn with_rules(&self, mut projection: Projection) -> Projection {
        let mappings = self.order.iter().chain(&self.id);
        for mapping in mappings.chain(&self.lost).chain(&self.requires) {
            mapping.project(&mut projection);
        }
        for path in self.skip.paths() {
            projection.add(&path.location, Projection::Whole);
        }
        projection
    }

    /// The profile, signals and start in a line.
    pub(super) fn head<'a>(
        &self,
        tree: &BorrowedJson<'a>,
        line: usize,
    ) -> [Option<BorrowedJson<'a>>; 3] {
        self.head
            .each_ref()
            .map(|mapping| mapping.as_ref()?.make(tree, line))
    }

    /// The turn in a part of a line; `None` if its content was lost.
    pub(super) fn observe<'a>(
        &self,
        turn: &BorrowedJson<'a>,
        line: usize,
        number: u32,
        staying: &mut CarriedFields<'a>,
    ) -> Result<Option<ObservedTurn<'a>>, String> {
        if !self.is_complete(turn, line) {
            return Ok(None);
        }
        let make = |mapping: &Option<FieldMapping>| {
            mapping
                .as_ref()
                .and_then(|mapping| mapping.make(turn, line))
        };
        let mut observed = ObservedTurn::new(line, number);
        observed.input = make(&self.turn.input).unwrap_or(BorrowedJson::Map(Vec::new()));
        observed.answers = make(&self.turn.answers).unwrap_or_default();
        observed.tells_some_data = self.turn.picks_data();
        for (field, mapping) in &self.turn.fields {
            let recorded = mapping.make(turn, line);
            let recorded = if mapping.stays() {
                staying.after(*field, recorded)?
            } else {
                recorded
            };
            if let Some(value) = recorded {
                observed.set(*field, value);
            }
        }
        let state = observed.field(RecordField::State);
        let has_state = state.is_some_and(|state| !state.at("to").is_null());
        if !has_state && self.turn.is_state_optional() {
            return Ok(None);
        }
        observed.checked().map(Some)
    }

    /// Records the values that fields have before the first turn, if they are carried forward.
    pub(super) fn observe_before<'a>(
        &self,
        before: &BorrowedJson<'a>,
        line: usize,
        staying: &mut CarriedFields<'a>,
    ) -> Result<(), String> {
        for (field, mapping) in self
            .turn
            .fields
            .iter()
            .filter(|(_, mapping)| mapping.stays())
        {
            staying.after(*field, mapping.make(before, line))?;
        }
        Ok(())
    }

    /// Reports paths that were in no line of the trace up to this one.
    pub fn check(&self, last: usize, found: &mut Diagnostics) {
        self.head
            .iter()
            .chain([&self.end, &self.order, &self.id])
            .flatten()
            .chain([&self.dialogue])
            .chain(self.turn.mappings())
            .for_each(|mapping| mapping.check(last, found));
        if let Some(events) = &self.events {
            events.check(last, found);
        }
    }
}

impl TurnMap {
    fn read(node: &Node, found: &mut Diagnostics) -> Self {
        let mut map = Self::default();
        let Some(turn) = node.map() else {
            fsmsim_syntax::document::wrong_type(node, "`turn` is a map", found);
            return map;
        };
        for (key, node) in &turn.entries {
            let field =
                RecordField::from_name(&key.text).filter(|field| *field != RecordField::Turn);
            let mapping = match (&*key.text, field) {
                ("input" | "answers", _) | (_, Some(_)) => {
                    FieldMapping::read(node, shape_of(field), found)
                }
                _ => {
                    found.push(no_turn_key(key));
                    continue;
                }
            };
            if let Some(mapping) = &mapping
                && (field.is_none() || !mapping.stays())
            {
                mapping.refuse_stays(node.span, found);
            }
            match (field, mapping) {
                (Some(field), Some(mapping)) => map.fields.push((field, mapping)),
                (None, mapping) if &*key.text == "input" => {
                    let known = known_keys(&shapes::TURN, &NOT_IN_INPUT);
                    only(Some(node), mapping.as_ref(), "`input`", &known, found);
                    map.input = mapping;
                }
                (None, mapping) => map.answers = mapping,
                (Some(_), None) => {}
            }
        }
        if turn.get(RecordField::State.name()).is_none() {
            found.push(
                Diagnostic::error(Code::MissingKey, "missing `state` in `turn`")
                    .at(node.span, "no `state`")
                    .help("add `state: PATH`, or `state: {from: PATH, to: PATH}`"),
            );
        }
        map.fields.sort_by_key(|(field, _)| *field);
        map
    }

    /// Whether a turn may lack the state, so that it is not checked.
    fn is_state_optional(&self) -> bool {
        let mut fields = self.fields.iter();
        fields.any(|(field, mapping)| *field == RecordField::State && mapping.is_optional())
    }

    /// Whether the map selects only part of the data, so that nothing is known about the rest.
    fn picks_data(&self) -> bool {
        self.fields
            .iter()
            .any(|(field, mapping)| *field == RecordField::Data && !mapping.keys().is_empty())
    }

    fn mappings(&self) -> impl Iterator<Item = &FieldMapping> {
        [&self.input, &self.answers]
            .into_iter()
            .flatten()
            .chain(self.fields.iter().map(|(_, mapping)| mapping))
    }
}

/// The values that a field can have.
fn shape_of(field: Option<RecordField>) -> MappedShape {
    match field {
        Some(RecordField::State | RecordField::Phase) => MappedShape::Name,
        Some(
            RecordField::Replies
            | RecordField::Missing
            | RecordField::Effects
            | RecordField::Points,
        ) => MappedShape::List,
        _ => MappedShape::Any,
    }
}

fn known_keys(shape: &Shape, without: &[&str]) -> Vec<&'static str> {
    let names = shape.key_names();
    names.filter(|name| !without.contains(name)).collect()
}

/// Reports unknown keys in a group.
fn only(
    node: Option<&Node>,
    mapping: Option<&FieldMapping>,
    what: &str,
    known: &[&str],
    found: &mut Diagnostics,
) {
    let keys = mapping.map(FieldMapping::keys).unwrap_or_default();
    for (name, _) in keys.iter().filter(|(name, _)| !known.contains(&&**name)) {
        let entry = node.and_then(|node| node.map()?.entry(name));
        if let Some((key, _)) = entry {
            found.push(no_such_key(key, what, known));
        }
    }
}

/// The finding about an unknown key in a turn.
fn no_turn_key(key: &Key) -> Diagnostic {
    let known: Vec<&str> = ["input", "answers"]
        .into_iter()
        .chain(RecordField::of_outcome().map(RecordField::name))
        .filter(|name| *name != RecordField::Turn.name())
        .collect();
    no_such_key(key, "a turn of a trace", &known)
}
