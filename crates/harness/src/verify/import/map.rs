//! The locations of fields in an external trace, as defined in the file for `--map`.

use serde::de::DeserializeSeed;

use super::borrowed_json::BorrowedJson;
use super::dialogue::ObservedTurn;
use super::event_fold::EventFold;
use super::field_mapping::FieldMapping;
use super::path::Path;
use super::projection::Projection;
use super::staying_fields::StayingFields;
use fsmsim_core::trace::RecordField;
use fsmsim_syntax::diagnostic::{Code, Diagnostic, Diagnostics, SourceMap};
use fsmsim_syntax::document::{
    DEFINITION_LIMIT, Fields, Key, Node, no_such_key, parse_yaml, read_file,
};
use fsmsim_syntax::shapes::{self, Shape};

/// Keys under `start` that traces do not contain.
const NOT_IN_START: [&str; 2] = ["backend", "foreign"];
/// Keys of a turn that are not part of the input in a trace.
const NOT_IN_INPUT: [&str; 1] = ["outcome"];

/// The locations of fields in a trace. The keys are those of this program's trace format.
#[derive(Debug)]
pub struct TraceMap {
    /// The path of the dialogue name in a line.
    pub(super) dialogue: Path,
    /// The path of the turn list in a line; `None` if each line is a turn.
    turns: Option<Path>,
    /// The rules for combining events into turns; `None` if the trace contains turns.
    pub(super) events: Option<EventFold>,
    /// A value that is `true` in the last line of a dialogue, if each line is a turn or an event.
    end: Option<FieldMapping>,
    /// The parts of a line that `end` needs.
    end_projection: Projection,
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
    /// Loads a map file. Returns `None`, with findings, if it is invalid.
    pub fn load(
        path: &std::path::Path,
        sources: &mut SourceMap,
        found: &mut Diagnostics,
    ) -> Option<Self> {
        let file = read_file(path, DEFINITION_LIMIT, sources, found)?;
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
        let dialogue = dialogue.and_then(|node| Path::read(node, found));
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
            let mapping = FieldMapping::read(node?, found)?;
            mapping.refuse_stays(node?.span, found);
            Some(mapping)
        };
        let head = [mapping(profile), mapping(signals), mapping(start)];
        let end = mapping(end);
        let known = known_keys(&shapes::START, &NOT_IN_START);
        only(start, head[2].as_ref(), "`start`", &known, found);
        let turn = turn
            .map(|node| TurnMap::read(node, found))
            .unwrap_or_default();
        let dialogue = dialogue?;
        let mut end_projection = Projection::new();
        if let Some(end) = &end {
            end.project(&mut end_projection);
        }
        let mut map = Self {
            dialogue,
            turns,
            events,
            end,
            end_projection,
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

    /// Whether each line is a complete dialogue.
    pub fn is_of_dialogues(&self) -> bool {
        self.list().is_some()
    }

    /// Whether a line is the last line of its dialogue.
    pub(super) fn is_end(&self, text: &str, line: usize) -> bool {
        let Some(end) = &self.end else { return false };
        let tree =
            (&self.end_projection).deserialize(&mut serde_json::Deserializer::from_str(text));
        tree.is_ok_and(|tree| {
            end.make(&tree, line)
                .is_some_and(|end| end.boolean() == Some(true))
        })
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
                projection.add(&path.steps, Projection::Whole);
                projection
            }
            (None, None) => of(&mut self.turn.mappings().chain(head)),
            (None, Some(path)) => {
                let turn = of(&mut self.turn.mappings());
                let mut projection = of(&mut head);
                projection.add(&path.steps, Projection::Each(Box::new(turn)));
                projection
            }
        }
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

    pub(super) fn observe<'a>(
        &self,
        turn: &BorrowedJson<'a>,
        line: usize,
        number: u32,
        staying: &mut StayingFields<'a>,
    ) -> Result<ObservedTurn<'a>, String> {
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
        observed.checked()
    }

    /// Records the values that fields have before the first turn, if they are carried forward.
    pub(super) fn observe_before<'a>(
        &self,
        before: &BorrowedJson<'a>,
        line: usize,
        staying: &mut StayingFields<'a>,
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
            .chain([&self.end])
            .flatten()
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
                ("input" | "answers", _) | (_, Some(_)) => FieldMapping::read(node, found),
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
