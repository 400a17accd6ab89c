//! The names in an expectation: what cannot occur can be neither expected nor ruled out.

use super::matcher::{OPERATORS, is_operation};
use fsmsim_core::engine::policy::contract::Depth;
use fsmsim_core::engine::{Merge, SourceKind, Status};
use fsmsim_core::machine::{EVENTS, NeedKind};
use fsmsim_core::trace::RecordField;
use fsmsim_runtime::script::{KnownNames, NameKind};
use fsmsim_syntax::diagnostic::{Code, Diagnostic, Diagnostics};
use fsmsim_syntax::document::{Map, Node, unknown_key};

/// What stands at a place of a record.
enum Shape {
    /// Names of a kind, alone or in a list.
    Names(NameKind),
    /// Words of a fixed list, alone or in a list.
    Words(Vec<&'static str>),
    /// A map with names of a kind as its keys.
    Keyed(NameKind),
    /// A map with these keys, alone or in a list.
    Map(Vec<(&'static str, Shape)>),
    /// Names of a kind, or a map with these keys.
    Step(NameKind),
    /// Anything.
    Free,
}

use Shape::{Free, Keyed, Names, Step, Words};

/// A map with these keys. What stands under one that says nothing is free.
macro_rules! parts {
    (@) => { Free };
    (@ $shape:expr) => { $shape };
    ($($key:ident $(: $shape:expr)?),* $(,)?) => {
        Shape::Map(vec![$((stringify!($key), parts!(@ $($shape)?))),*])
    };
}

/// Checks the names in what is expected of a field.
pub(super) fn check(
    field: RecordField,
    node: &Node,
    names: &KnownNames<'_>,
    found: &mut Diagnostics,
) {
    Checker {
        field: field.name(),
        names,
        found,
    }
    .check(node, &shape_of(field));
}

fn shape_of(field: RecordField) -> Shape {
    let slots = || Names(NameKind::Slot);
    let source = || Words(SourceKind::names().collect());
    match field {
        RecordField::State => Step(NameKind::State),
        RecordField::Phase => Step(NameKind::Phase),
        RecordField::Path | RecordField::ReturnState => Names(NameKind::State),
        RecordField::Action => Names(NameKind::Action),
        RecordField::Class => Names(NameKind::Class),
        RecordField::ContractClass => Names(NameKind::ContractClass),
        RecordField::Intent => Names(NameKind::Intent),
        RecordField::Read => reading(),
        RecordField::Why => Names(NameKind::Reason),
        RecordField::Missing => slots(),
        RecordField::Data => Keyed(NameKind::Slot),
        RecordField::Counters => Keyed(NameKind::Counter),
        RecordField::Merge => Words(Merge::ALL.iter().map(|merge| merge.name()).collect()),
        RecordField::By => parts!(action: source(), transition: source()),
        RecordField::Rule => parts!(action, transition),
        RecordField::Carryover => {
            parts!(
                kept: slots(), added: slots(), changed: slots(), dropped: slots(),
                depth: Words(Depth::ALL.iter().map(|(_, name)| *name).collect()),
            )
        }
        RecordField::Effects => {
            parts!(
                effect: Names(NameKind::Effect), index, state: Names(NameKind::State), keys,
                schema, payload, verdict: Words(vec!["allowed", "denied"]), outcome, why,
            )
        }
        RecordField::Branches => branch(),
        RecordField::Rejected => {
            parts!(
                kind: Words(vec!["action", "transition"]), value, priority, rank, by: source(),
                why: Names(NameKind::Reason), rule,
            )
        }
        RecordField::Answers => {
            let judged = NeedKind::JUDGEMENTS.into_iter().map(NeedKind::name);
            parts!(
                need: Words(judged.chain([NeedKind::EFFECT]).collect()),
                effect: Names(NameKind::Effect), index, by, answer, failed: parts!(by, why), taken,
                intent: Names(NameKind::Intent), options,
            )
        }
        RecordField::Input => {
            let free = INPUT.into_iter().chain(EVENTS).map(|key| (key, Free));
            let names = [
                ("intent", Names(NameKind::Intent)),
                ("event", Names(NameKind::Intent)),
                ("also", Names(NameKind::Intent)),
                ("goto", Names(NameKind::State)),
                ("data", Keyed(NameKind::Slot)),
            ];
            Shape::Map(free.chain(names).collect())
        }
        RecordField::Events => {
            parts!(
                event, from, to, source, error, nearest, what, outcome, lacks, withdrawn,
                node: Names(NameKind::State), branch: Names(NameKind::Branch),
                phase: Names(NameKind::Phase), action: Names(NameKind::Action),
                component: source(), classes: Names(NameKind::ContractClass),
                taken: Names(NameKind::ContractClass), also: Names(NameKind::ContractClass),
            )
        }
        RecordField::Faults => {
            parts!(
                fault, limit, outcome, property, rule, value, slots, most, least, found,
                counter: Names(NameKind::Counter), effect: Names(NameKind::Effect),
                field: slots(), slot, class: Names(NameKind::ContractClass), answer,
            )
        }
        RecordField::Points => parts!(id, state, confidence, answers, earlier, waits_for),
        _ => Free,
    }
}

/// What somebody read.
fn reading() -> Shape {
    parts!(
        intent: Names(NameKind::Intent), confidence,
        alternatives: parts!(intent: Names(NameKind::Intent), confidence),
        also: Names(NameKind::Intent), data: Keyed(NameKind::Slot), tone, frustration,
    )
}

/// A branch.
fn branch() -> Shape {
    parts!(
        id: Names(NameKind::Branch), fork: Names(NameKind::State), state: Names(NameKind::State),
        status: Words(Status::ALL.iter().map(|status| status.name()).collect()),
    )
}

/// The keys of an input that name nothing of the machine.
const INPUT: [&str; 15] = [
    "before",
    "say",
    "confidence",
    "tone",
    "frustration",
    "signals",
    "options",
    "question",
    "consent",
    "call",
    "reply",
    "at",
    "elapsed_s",
    "answer",
    "answers",
];

struct Checker<'c, 'm, 'd> {
    field: &'static str,
    names: &'c KnownNames<'m>,
    found: &'d mut Diagnostics,
}

impl Checker<'_, '_, '_> {
    fn check(&mut self, node: &Node, shape: &Shape) {
        if matches!(shape, Free) || node.is_null() {
            return;
        }
        if let Some(operation) = node.map().filter(|map| is_operation(map)) {
            for (key, _) in operation
                .entries
                .iter()
                .filter(|(key, _)| OF_NUMBERS.contains(&&*key.text))
            {
                Diagnostic::error(
                    Code::BadExpectation,
                    format!("`{}` is no number, as `{}` wants one", self.field, key.text),
                )
                .at(key.span, "holds never")
                .help("write a name, or several: `{in: [A, B]}`")
                .add_to(self.found);
            }
            for (key, inner) in operation
                .entries
                .iter()
                .filter(|(key, _)| !NAMELESS.contains(&&*key.text))
            {
                let items = if &*key.text == "not" {
                    std::slice::from_ref(inner)
                } else {
                    inner.items()
                };
                for item in items {
                    self.check(item, shape);
                }
            }
            return;
        }
        if let Some(items) = node.list() {
            for item in items {
                self.check(item, shape);
            }
            return;
        }
        match (shape, node.map()) {
            (Names(kind) | Step(kind), None) => self.names.check_node(*kind, node, self.found),
            (Words(words), None) => self.word(node, words),
            (Step(kind), Some(map)) => {
                self.parts(map, &[("from", Names(*kind)), ("to", Names(*kind))])
            }
            (Keyed(kind), Some(_)) => self.names.check_keys(*kind, node, self.found),
            (Shape::Map(parts), Some(map)) => self.parts(map, parts),
            (Names(_) | Words(_), Some(map)) => self.operator(map),
            (Keyed(_) | Shape::Map(_) | Free, _) => {}
        }
    }

    fn parts(&mut self, map: &Map, parts: &[(&'static str, Shape)]) {
        for (key, value) in &map.entries {
            match parts.iter().find(|(name, _)| *name == &*key.text) {
                Some((_, shape)) => self.check(value, shape),
                None => {
                    let known: Vec<&str> = parts.iter().map(|(name, _)| *name).collect();
                    unknown_key(key, &format!("`{}`", self.field), &known, self.found);
                }
            }
        }
    }

    fn word(&mut self, node: &Node, words: &[&'static str]) {
        let Some(name) = node.text().filter(|name| !words.contains(name)) else {
            return;
        };
        Diagnostic::error(
            Code::UnknownName,
            format!("`{}` is never `{name}`", self.field),
        )
        .at(node.span, "not known")
        .offer(name, "one of", words.iter().copied())
        .add_to(self.found);
    }

    /// A map where names stand: its key can only be an operator.
    fn operator(&mut self, map: &Map) {
        for (key, _) in map
            .entries
            .iter()
            .filter(|(key, _)| !OPERATORS.contains(&&*key.text))
        {
            Diagnostic::error(
                Code::BadExpectation,
                format!("`{}` has no part `{}`", self.field, key.text),
            )
            .at(key.span, "not known")
            .near(
                &key.text,
                OPERATORS,
                format!("write a name, or one of `{}`", OPERATORS.join("`, `")),
            )
            .add_to(self.found);
        }
    }
}

/// Operators of numbers.
const OF_NUMBERS: [&str; 3] = ["at_least", "at_most", "between"];
/// Operators under which no names stand.
const NAMELESS: [&str; 4] = ["matches", "at_least", "at_most", "between"];
