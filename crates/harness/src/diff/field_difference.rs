//! The fields in which two turns differ.

use std::borrow::Cow;
use std::collections::BTreeSet;

use serde::Serialize;
use serde_json::{Map, Value};

use super::difference_kind::DifferenceKind;
use super::sides::Sides;
use fsmsim_core::trace::{Step, TurnReport};

/// A field in which two turns differ.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct FieldDifference {
    /// The name. For a map, it is followed by the key: `data.company_size`.
    pub field: String,
    pub kind: DifferenceKind,
    /// The value in the first trace; `null` if absent.
    pub a: Value,
    /// The value in the second trace; `null` if absent.
    pub b: Value,
}

impl FieldDifference {
    /// Both values as readable text; `None` for `null`.
    pub fn texts(&self) -> Sides<Option<String>> {
        Sides {
            a: &self.a,
            b: &self.b,
        }
        .map(|value| match value {
            Value::Null => None,
            Value::String(text) => Some(text.clone()),
            value => Some(value.to_string()),
        })
    }
}

/// The fields in which two turns differ, the most important first. Ignores the number of a turn in its trace and the
/// locations of rules, because any line added elsewhere changes them.
pub(super) fn differences(a: &TurnReport, b: &TurnReport) -> Vec<FieldDifference> {
    let mut list = DifferenceList::default();
    macro_rules! compare {
        ($($how:ident $kind:ident $name:literal $($field:ident).+;)*) => {
            $(list.$how(DifferenceKind::$kind, $name, &a.$($field).+, &b.$($field).+);)*
        };
    }
    compare! {
        step State "state" state;
        json State "path" path;
        json State "branches" branches;
        json State "return_state" return_state;
        json State "final" is_final;
        step Phase "phase" phase;
        json Class "class" class;
        json Class "contract_class" contract_class;
    }
    // Differences in the fields of frames are more specific than differences in the carryover.
    list.frames(a.frames.as_ref(), b.frames.as_ref());
    compare! {
        map Carryover "carryover" carryover;
        json Action "action" action;
        json Action "replies" replies;
        json Effect "effects" effects;
        map Data "data" data;
    }
    list.points(a.points.as_ref(), b.points.as_ref());
    compare! {
        json Data "missing" missing;
        json Data "optional_data" optional_data;
        json Data "goal" goal;
        map Data "counters" counters;
        json Data "go_back_history" go_back_history;
    }
    if uncounted(a) != uncounted(b) {
        compare! { json Data "turn_number" turn_number; }
    }
    compare! {
        json Data "answers" answers;
        json Data "violations" violations;
        json Data "events" events;
        json Reason "why" why;
        json Reason "by.action" by.action;
        json Reason "by.transition" by.transition;
        json Reason "merge" merge;
    }
    list.proposals(&placeless(&a.rejected), &placeless(&b.rejected));
    compare! { map Input "input" input; }
    list.found
}

/// The number of turns in the trace that the dialogue does not count. An inserted turn shifts both numbers by one.
fn uncounted(turn: &TurnReport) -> Option<i64> {
    turn.turn_number
        .map(|number| i64::from(turn.turn) - i64::from(number))
}

/// Proposals without the locations of their rules.
fn placeless(proposals: &[Value]) -> Cow<'_, [Value]> {
    if proposals
        .iter()
        .all(|proposal| proposal.get("rule").is_none_or(Value::is_null))
    {
        return Cow::Borrowed(proposals);
    }
    let without = |proposal: &Value| {
        let mut proposal = proposal.clone();
        if let Some(rule) = proposal.get_mut("rule") {
            *rule = Value::Null;
        }
        proposal
    };
    Cow::Owned(proposals.iter().map(without).collect())
}

fn point_id(point: &Value) -> Option<&str> {
    point.get("id").and_then(Value::as_str)
}

#[derive(Default)]
struct DifferenceList {
    found: Vec<FieldDifference>,
}

impl DifferenceList {
    fn json<T: PartialEq + Serialize + ?Sized>(
        &mut self,
        kind: DifferenceKind,
        field: &str,
        a: &T,
        b: &T,
    ) {
        if a != b {
            self.push(kind, field.to_owned(), a, b);
        }
    }

    fn push<T: Serialize + ?Sized>(&mut self, kind: DifferenceKind, field: String, a: &T, b: &T) {
        let [a, b] = [a, b].map(|value| serde_json::to_value(value).unwrap_or_default());
        self.found.push(FieldDifference { field, kind, a, b });
    }

    /// The target comes before the origin, because the origin follows from earlier turns.
    fn step(&mut self, kind: DifferenceKind, field: &str, a: &Step, b: &Step) {
        self.json(kind, field, &a.to, &b.to);
        if a.from != b.from {
            self.push(kind, format!("{field}.from"), &a.from, &b.from);
        }
    }

    /// Compares lists of proposals: the proposals that only one side has, or all proposals if only their order differs.
    fn proposals(&mut self, a: &[Value], b: &[Value]) {
        let own = |of: &[Value], other: &[Value]| -> Vec<Value> {
            of.iter()
                .filter(|proposal| !other.contains(proposal))
                .cloned()
                .collect()
        };
        match (own(a, b), own(b, a)) {
            (a_only, b_only) if a_only.is_empty() && b_only.is_empty() => {
                self.json(DifferenceKind::Reason, "rejected", a, b);
            }
            (a_only, b_only) => self.json(DifferenceKind::Reason, "rejected", &a_only, &b_only),
        }
    }

    /// Compares frames field by field. A missing frame has no fields.
    fn frames(&mut self, a: Option<&Value>, b: Option<&Value>) {
        let maps = [a, b].map(|frames| frames.and_then(Value::as_object));
        let [Some(a_frames), Some(b_frames)] = maps else {
            return self.json(DifferenceKind::Carryover, "frames", &a, &b);
        };
        let field = |frames: &Map<String, Value>, frame: &str, field: &str| -> Value {
            frames
                .get(frame)
                .and_then(|frame| frame.get(field))
                .cloned()
                .unwrap_or_default()
        };
        for frame in a_frames
            .keys()
            .chain(b_frames.keys())
            .collect::<BTreeSet<_>>()
        {
            let both = [a_frames, b_frames].map(|frames| frames.get(frame));
            if both.into_iter().flatten().any(|known| !known.is_object()) {
                // The value is not a frame, but an external system may write it in this form.
                self.json(
                    DifferenceKind::Carryover,
                    &format!("frames.{frame}"),
                    &a_frames.get(frame),
                    &b_frames.get(frame),
                );
                continue;
            }
            let both = both.map(|known| known.and_then(Value::as_object));
            for name in both
                .into_iter()
                .flatten()
                .flat_map(Map::keys)
                .collect::<BTreeSet<_>>()
            {
                let a = field(a_frames, frame, name);
                let b = field(b_frames, frame, name);
                let path = format!("frames.{frame}.{name}");
                self.json(DifferenceKind::Carryover, &path, &a, &b);
            }
        }
    }

    /// Compares points one by one. A key that a point does not have is `null`.
    fn points(&mut self, a: Option<&Value>, b: Option<&Value>) {
        let lists = [a, b].map(|points| points.and_then(Value::as_array));
        let [Some(a_points), Some(b_points)] = lists else {
            return self.json(DifferenceKind::Data, "points", &a, &b);
        };
        let nothing = Map::new();
        let of = |points: &[Value], name: &str| {
            let known = points.iter().find(|point| point_id(point) == Some(name));
            known.and_then(Value::as_object).unwrap_or(&nothing).clone()
        };
        let mut seen = BTreeSet::new();
        let names = a_points
            .iter()
            .chain(b_points)
            .filter_map(point_id)
            .filter(|name| seen.insert(*name));
        for name in names.collect::<Vec<_>>() {
            let a = of(a_points, name);
            let b = of(b_points, name);
            self.map(DifferenceKind::Data, &format!("points.{name}"), &a, &b);
        }
    }

    fn map(
        &mut self,
        kind: DifferenceKind,
        field: &str,
        a: &Map<String, Value>,
        b: &Map<String, Value>,
    ) {
        if a == b {
            return;
        }
        let of = |map: &Map<String, Value>, key: &str| map.get(key).cloned().unwrap_or_default();
        let keys: BTreeSet<&String> = a.keys().chain(b.keys()).collect();
        for key in keys.into_iter().filter(|key| a.get(*key) != b.get(*key)) {
            self.push(kind, format!("{field}.{key}"), &of(a, key), &of(b, key));
        }
    }
}
