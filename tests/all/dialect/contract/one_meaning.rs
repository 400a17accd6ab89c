//! Running a contract and verifying its trace report the same violations, for any contract and any dialogue.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use fsmsim_core::engine::{Input, Machine, ScriptedTurn, Session, Symbol, TurnData};
use fsmsim_core::machine::{NeedKey, NeedKind, Profile, Value};
use fsmsim_core::trace::{HeaderLine, JsonLine};
use fsmsim_dialects::dialect::Loader;
use fsmsim_harness::verify::import::ObservedReader;
use fsmsim_harness::verify::{Finding, Reachability, verify_replay, verify_structure};
use fsmsim_runtime::runtime::{DialogueRunner, DialogueSetup};
use fsmsim_syntax::diagnostic::{Diagnostics, SourceMap};
use proptest::prelude::*;
use serde_json::{Value as Json, json};

use crate::support::{Project, cases};

/// Types of a field.
const KINDS: [&str; 5] = ["text", "number", "list", "reference", "one of some"];
const PARTS: [&str; 4] = ["root", "object", "meta", "none"];
const DEPTHS: [&str; 5] = ["full", "root_only", "object_only", "meta_only", "none"];
const ANSWERS: [&str; 3] = ["plain", "careful", "sorry"];
const STATUSES: [&str; 4] = ["rows", "some", "error", "down"];
const MODES: [&str; 3] = ["talk", "data", "end"];
/// Numbers of frames, fields per frame, intents and names of turn data.
const FRAMES: usize = 4;
const FIELDS: usize = 3;
const INTENTS: usize = 4;
const SAID: usize = 3;

/// A field of a frame, by numbers.
type Field = (usize, usize);

/// A value that is put into a field: the field, the kind of value, the field it refers to, and whether it depends on
/// turn data.
type Put = (Field, usize, Field, bool);

#[derive(Clone, Debug)]
struct ClassDraft {
    intents: BTreeSet<usize>,
    requires: Option<(Field, bool)>,
    entry: Option<(Field, usize)>,
    carryover: Result<usize, BTreeSet<usize>>,
    sets: Vec<Put>,
    appends: Vec<Put>,
    clears: BTreeSet<usize>,
    forbids: BTreeSet<usize>,
    preserves: Vec<(Field, Option<usize>)>,
    executes: Option<Field>,
    answers: BTreeSet<usize>,
    mode: Option<usize>,
    properties: Vec<(bool, usize, Field, Field)>,
}

#[derive(Clone, Debug)]
struct OutcomeDraft {
    answer: Option<usize>,
    becomes: Option<usize>,
    mode: Option<usize>,
    sets: Vec<Put>,
    appends: Vec<Put>,
}

#[derive(Clone, Debug)]
struct ContractDraft {
    frames: Vec<(usize, Vec<usize>)>,
    classes: Vec<ClassDraft>,
    outcomes: Vec<Option<OutcomeDraft>>,
    eligibility: bool,
    answer: bool,
}

/// A turn: its intent, its data, the outcome of the backend, and whether its intent is given by a phrase.
type TurnDraft = (usize, Vec<(usize, usize)>, usize, bool);

fn field() -> impl Strategy<Value = Field> {
    (0..FRAMES, 0..FIELDS)
}

fn put() -> impl Strategy<Value = Put> {
    (field(), 0..12_usize, field(), prop::bool::weighted(0.15))
}

fn some(max: usize, of: usize) -> impl Strategy<Value = BTreeSet<usize>> {
    prop::collection::btree_set(0..of, 0..=max)
}

fn class() -> impl Strategy<Value = ClassDraft> {
    let entry = (
        prop::collection::btree_set(0..INTENTS, 1..3),
        prop::option::weighted(0.3, (field(), any::<bool>())),
        prop::option::weighted(0.2, (field(), 0..4_usize)),
        prop_oneof![4 => (0..DEPTHS.len()).prop_map(Ok), 1 => some(3, FRAMES).prop_map(Err)],
    );
    let does = (
        prop::collection::vec(put(), 0..5),
        prop::collection::vec(put(), 0..2),
        some(2, FRAMES),
        some(2, FRAMES),
        prop::collection::vec((field(), prop::option::of(0..SAID)), 0..3),
    );
    let ends = (
        prop::option::of(field()),
        prop::collection::btree_set(0..ANSWERS.len(), 1..3),
        prop::option::of(0..MODES.len()),
        prop::collection::vec((any::<bool>(), 0..9_usize, field(), field()), 0..3),
    );
    (entry, does, ends).prop_map(|(entry, does, ends)| ClassDraft {
        intents: entry.0,
        requires: entry.1,
        entry: entry.2,
        carryover: entry.3,
        sets: does.0,
        appends: does.1,
        clears: does.2,
        forbids: does.3,
        preserves: does.4,
        executes: ends.0,
        answers: ends.1,
        mode: ends.2,
        properties: ends.3,
    })
}

fn outcome() -> impl Strategy<Value = OutcomeDraft> {
    let answer = prop::option::of(0..ANSWERS.len());
    let becomes = prop::option::weighted(0.3, 0..4_usize);
    let puts = |max| prop::collection::vec(put(), 0..max);
    (
        answer,
        becomes,
        prop::option::weighted(0.2, 0..MODES.len()),
        puts(4),
        puts(2),
    )
        .prop_map(|(answer, becomes, mode, sets, appends)| OutcomeDraft {
            answer,
            becomes,
            mode,
            sets,
            appends,
        })
}

fn contract() -> impl Strategy<Value = ContractDraft> {
    let frames = prop::collection::vec(
        (
            0..PARTS.len(),
            prop::collection::vec(0..KINDS.len(), FIELDS),
        ),
        FRAMES,
    );
    let outcomes = prop::collection::vec(prop::option::weighted(0.8, outcome()), STATUSES.len());
    (
        frames,
        prop::collection::vec(class(), 1..5),
        outcomes,
        any::<bool>(),
        any::<bool>(),
    )
        .prop_map(
            |(frames, classes, outcomes, eligibility, answer)| ContractDraft {
                frames,
                classes,
                outcomes,
                eligibility,
                answer,
            },
        )
}

fn dialogue() -> impl Strategy<Value = Vec<TurnDraft>> {
    let turn_data = prop::collection::vec((0..SAID, 0..6_usize), 0..3);
    prop::collection::vec(
        (
            0..=INTENTS,
            turn_data,
            0..7_usize,
            prop::bool::weighted(0.1),
        ),
        1..12,
    )
}

fn name((frame, field): Field) -> String {
    format!("f{frame}.x{field}")
}

impl ContractDraft {
    fn kind(&self, (frame, field): Field) -> &'static str {
        KINDS[self.frames[frame].1[field]]
    }

    /// A constant of the field's type.
    fn constant(&self, field: Field, which: usize) -> Json {
        match self.kind(field) {
            "number" => json!(which % 3),
            "list" => json!(["a", which % 2]),
            "one of some" => json!(["red", "green"][which % 2]),
            _ => json!(["a", "b"][which % 2]),
        }
    }

    fn value(&self, (field, which, other, only): &Put, in_outcome: bool) -> Json {
        let said = format!("k{}", other.1);
        let value = match which {
            0 => self.constant(*field, other.0),
            1 => json!({"said": said}),
            2 => json!({"was": name(*other)}),
            3 => json!({"slot": name(*other)}),
            4 => json!({"outcome": said}),
            5 if self.kind(*field) == "list" => json!({"append": said}),
            6 if in_outcome => json!({"attempted": name(*other)}),
            7 => json!({"said": said, "or": name(*other)}),
            8 => json!({"among": said, "of": name(*other)}),
            9 => json!("$reading"),
            10 if self.kind(*field) == "number" => json!("$turn"),
            11 => {
                json!({"first": [{"value": {"said": said}, "when": filled(other, "was")}, self.constant(*field, 1)]})
            }
            _ => Json::Null,
        };
        if *only && *which != 11 {
            json!({"value": value, "when": {"said": said, "filled": true}})
        } else {
            value
        }
    }

    fn sets(&self, puts: &[Put], in_outcome: bool) -> Json {
        let sets: BTreeMap<String, Json> = puts
            .iter()
            .map(|put| (name(put.0), self.value(put, in_outcome)))
            .collect();
        json!(sets)
    }

    /// Only lists can be appended to.
    fn appends(&self, puts: &[Put], in_outcome: bool) -> Json {
        let lists = puts
            .iter()
            .filter(|put| self.kind(put.0) == "list" && ![5, 6, 8, 11].contains(&put.1) && !put.3);
        let appends: BTreeMap<String, Json> = lists
            .map(|put| {
                let value = if put.1 == 0 {
                    json!("a")
                } else {
                    self.value(put, in_outcome)
                };
                (
                    name(put.0),
                    if value.is_null() { json!("b") } else { value },
                )
            })
            .collect();
        json!(appends)
    }

    fn property(&self, which: usize, one: Field, other: Field) -> Json {
        match which {
            0 => filled(&one, "frame"),
            1 => json!({"frame": name(one), "same_as": name(other)}),
            2 => json!({"frame": format!("f{}", one.0), "active": true}),
            3 => json!({"executed": true}),
            4 => json!({"state": MODES[one.0 % MODES.len()]}),
            5 => json!({"outcome": STATUSES[one.0 % STATUSES.len()]}),
            6 => json!({"from": MODES[one.0 % MODES.len()]}),
            7 if self.classes.iter().any(|class| class.executes.is_some()) => {
                json!({"effect": "execute", "is": STATUSES[one.0 % STATUSES.len()]})
            }
            _ => json!({"said": format!("k{}", one.1), "same_as": name(other)}),
        }
    }

    fn class(&self, draft: &ClassDraft, produced: &BTreeSet<Field>) -> Json {
        let parts = |frame: usize| PARTS[self.frames[frame].0];
        let carries = |frame: usize| match &draft.carryover {
            _ if parts(frame) == "none" => true,
            Ok(depth) => {
                DEPTHS[*depth] == "full"
                    || DEPTHS[*depth]
                        .strip_suffix("_only")
                        .is_some_and(|part| part == parts(frame))
            }
            Err(frames) => frames.contains(&frame),
        };
        let sets = |field: &Field| {
            draft
                .sets
                .iter()
                .chain(&draft.appends)
                .any(|put| put.0 == *field)
        };
        let preserves = draft.preserves.iter().filter(|(field, unless)| {
            carries(field.0)
                && !draft.forbids.contains(&field.0)
                && (unless.is_some() || !sets(field))
        });
        let preserves = preserves.map(|(field, unless)| match unless {
            Some(unless) => json!({"field": name(*field), "unless": format!("k{unless}")}),
            None => json!(name(*field)),
        });
        let frames = |of: &BTreeSet<usize>| {
            of.iter()
                .map(|frame| format!("f{frame}"))
                .collect::<Vec<_>>()
        };
        let requires = draft.requires.filter(|(field, _)| produced.contains(field));
        let (mut must, mut must_not) = (serde_json::Map::new(), serde_json::Map::new());
        for (number, (holds, which, one, other)) in draft.properties.iter().enumerate() {
            let of = if *holds { &mut must } else { &mut must_not };
            of.insert(format!("p{number}"), self.property(*which, *one, *other));
        }
        let mut class = json!({
            "owner": "f0",
            "intent": draft.intents.iter().map(|intent| format!("r{intent}")).collect::<Vec<_>>(),
            "requires": requires.map_or(json!("nothing"), |(field, whole)| {
                if whole { json!({"frame": format!("f{}", field.0), "active": true}) } else { filled(&field, "frame") }
            }),
            "carryover": match &draft.carryover { Ok(depth) => json!(DEPTHS[*depth]), Err(of) => json!(frames(of)) },
            "sets": self.sets(&draft.sets, false),
            "appends": self.appends(&draft.appends, false),
            "clears": frames(&draft.clears),
            "forbids": frames(&draft.forbids),
            "preserves": preserves.collect::<Vec<_>>(),
            "answers": draft.answers.iter().map(|answer| ANSWERS[*answer]).collect::<Vec<_>>(),
            "must": must,
            "must_not": must_not,
        });
        if let Some((field, which)) = draft.entry {
            class["when"] = match which {
                0 => json!({"not": filled(&field, "frame")}),
                1 => json!({"said": format!("k{}", field.1), "filled": true}),
                2 => filled(&field, "was"),
                _ => json!({"state": MODES[field.0 % MODES.len()]}),
            };
        }
        if let Some(field) = draft.executes {
            class["executes"] = json!(name(field));
        }
        if let Some(mode) = draft.mode {
            class["mode"] = json!(MODES[mode]);
        }
        class
    }

    fn outcome(&self, draft: &OutcomeDraft) -> Json {
        let mut outcome = json!({"sets": self.sets(&draft.sets, true), "appends": self.appends(&draft.appends, true)});
        if let Some(answer) = draft.answer {
            outcome["answer"] = json!(ANSWERS[answer]);
        }
        if let Some(class) = draft.becomes.filter(|class| *class < self.classes.len()) {
            outcome["becomes"] = json!(format!("C{class}"));
        }
        if let Some(mode) = draft.mode {
            outcome["mode"] = json!(MODES[mode]);
        }
        outcome
    }

    /// The contract as the text of a file.
    fn text(&self) -> String {
        let frame = |(part, kinds): &(usize, Vec<usize>)| {
            let field = |kind: &usize| {
                if KINDS[*kind] == "one of some" {
                    json!(["red", "green"])
                } else {
                    json!(KINDS[*kind])
                }
            };
            let fields = kinds
                .iter()
                .enumerate()
                .map(|(number, kind)| (format!("x{number}"), field(kind)));
            json!({"carried": PARTS[*part], "fields": fields.collect::<serde_json::Map<_, _>>()})
        };
        let mut frames: serde_json::Map<_, _> = self
            .frames
            .iter()
            .enumerate()
            .map(|(number, draft)| (format!("f{number}"), frame(draft)))
            .collect();
        frames.insert(
            "g".to_owned(),
            json!({"fields": {"depth": DEPTHS, "answer": ANSWERS}}),
        );
        let puts = self.classes.iter().map(|class| &class.sets);
        let puts = puts
            .chain(self.outcomes.iter().flatten().map(|outcome| &outcome.sets))
            .flatten();
        let produced: BTreeSet<Field> = puts.map(|put| put.0).collect();
        let mut classes = serde_json::Map::new();
        for (number, class) in self.classes.iter().enumerate() {
            classes.insert(format!("C{number}"), self.class(class, &produced));
        }
        let mut outcomes = serde_json::Map::new();
        for (number, (status, draft)) in STATUSES.iter().zip(&self.outcomes).enumerate() {
            if let Some(draft) = draft {
                let mut outcome = self.outcome(draft);
                if self.eligibility {
                    // Each outcome sets the depth that the coverage gate allows.
                    outcome["sets"]["g.depth"] =
                        json!(DEPTHS[(number * 2 + draft.sets.len()) % DEPTHS.len()]);
                }
                outcomes.insert((*status).to_owned(), outcome);
            }
        }
        let intents: serde_json::Map<_, _> = (0..INTENTS)
            .map(|number| {
                (
                    format!("r{number}"),
                    json!({"say": format!("say {number}( (?P<k0>one|two))?")}),
                )
            })
            .collect();
        let mut contract = json!({
            "kind": "contract", "modes": MODES, "frames": frames, "intents": intents, "classes": classes, "outcomes": outcomes,
        });
        if self.eligibility {
            contract["eligibility"] = json!("g.depth");
        }
        if self.answer {
            contract["answer"] = json!("g.answer");
        }
        serde_json::to_string_pretty(&contract).unwrap()
    }
}

fn filled(field: &Field, when: &str) -> Json {
    json!({when: name(*field), "filled": true})
}

fn turn(
    number: usize,
    (reading, turn_data, status, by_phrase): &TurnDraft,
    machine: &Machine,
) -> ScriptedTurn {
    let values = [
        Value::text("a"),
        Value::text("red"),
        Value::Int(1),
        Value::List(["a", "b"].into_iter().map(Value::text).collect()),
        Value::Null,
        Value::text("b"),
    ];
    let data = turn_data.iter().map(|(name, value)| {
        (
            Symbol::of(&format!("k{name}"), &machine.names.slots),
            values[*value].clone(),
        )
    });
    let data: BTreeMap<_, _> = data
        .map(|(name, value)| (name.text(&machine.names.slots).to_owned(), (name, value)))
        .collect();
    let data: Vec<_> = data.into_values().collect();
    let data = if data.is_empty() {
        TurnData::Absent
    } else {
        TurnData::Given(data)
    };
    let input = if *by_phrase {
        Input {
            say: Some(format!("Say {reading} one").into()),
            data,
            ..Input::default()
        }
    } else {
        Input {
            intent: Some(Symbol::of(&format!("r{reading}"), &machine.names.intents)),
            data,
            ..Input::default()
        }
    };
    let rows = |status: &str| {
        Value::map([
            ("status", Value::text(status)),
            ("k0", Value::text(&format!("given-{number}"))),
            ("k1", Value::text("green")),
        ])
    };
    let answer = match status {
        0..4 => Some(rows(STATUSES[*status])),
        4 => Some(rows("strange")),
        5 => Some(Value::text("rows")),
        _ => None,
    };
    let execute = machine.names.effects.id("execute");
    let answers = execute
        .map(|effect| (NeedKey::first(NeedKind::Effect(effect)), answer))
        .into_iter()
        .collect();
    ScriptedTurn {
        before: Vec::new(),
        input,
        answer: None,
        answers,
    }
}

/// The violations in a record: the kind and the subject of each.
fn violations(record: &Json) -> BTreeSet<(String, String)> {
    let about = |fault: &Json| {
        ["field", "property", "outcome"]
            .into_iter()
            .find_map(|key| fault[key].as_str().map(str::to_owned))
    };
    let violations = record["violations"].as_array().unwrap().iter();
    violations
        .map(|fault| {
            (
                fault["fault"].as_str().unwrap().to_owned(),
                about(fault).unwrap_or_default(),
            )
        })
        .collect()
}

/// The violations of a turn that `verify` found, in the same form.
fn found(findings: &[Finding], turn: u32) -> BTreeSet<(String, String)> {
    let here = findings
        .iter()
        .filter(|finding| finding.at.as_ref().is_some_and(|at| at.turn == turn));
    here.map(|finding| {
        let about = finding
            .found
            .split('`')
            .nth(1)
            .unwrap_or_default()
            .to_owned();
        match (finding.rule, &*about) {
            ("forbidden_class", "unclassified") => ("unclassified".to_owned(), String::new()),
            (rule, _) => (rule.to_owned(), about),
        }
    })
    .collect()
}

#[test]
fn run_and_verify_report_the_same_violations() {
    let contract = "kind: contract
modes: [chat]
frames: {shelf: {fields: {topic: text, size: number, list: reference}}}
intents: {find: {say: find (?P<topic>.+)}}
classes:
  FIND:
    owner: shelf
    intent: find
    requires: nothing
    carryover: full
    forbids: []
    sets: {shelf.topic: {said: topic}, shelf.size: {value: {said: size}, when: {said: size, filled: true}}}
    executes: shelf.topic
    answers: plain
    must_not: {fail: {effect: execute, is: torn}}
outcomes:
  rows: {answer: plain, sets: {shelf.list: {outcome: list}}}
  error: {answer: sorry}
";
    let turns = [
        r#"{"say": "find dragons", "outcome": {"status": "rows", "list": "l-1"}}"#,
        r#"{"say": "find dragons", "data": {"size": "big"}, "outcome": "rows"}"#,
        r#"{"say": "find dragons", "outcome": "torn"}"#,
    ];
    let project = Project::new().file("c.yaml", contract).file(
        "turns.jsonl",
        format!("{{\"id\": \"d\", \"turns\": [{}]}}", turns.join(", ")),
    );
    let trace = project
        .fsmsim(["trace", "c.yaml", "--turns", "turns.jsonl"])
        .succeeds("");
    let records: Vec<Json> = trace
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    let violations: Vec<String> = records
        .iter()
        .filter(|line| line["turn"].is_u64())
        .map(|line| line["violations"].to_string())
        .collect();
    project.write("trace.jsonl", &trace);
    let verified = project
        .fsmsim(["verify", "trace.jsonl", "--model", "c.yaml"])
        .shown();
    insta::assert_snapshot!(format!("{}\n{verified}", violations.join("\n")));
    project
        .fsmsim([
            "verify",
            "trace.jsonl",
            "--model",
            "c.yaml",
            "--mode",
            "replay",
        ])
        .succeeds("");
}

proptest! {
    #![proptest_config(cases(400))]

    #[test]
    fn run_and_verify_agree_for_random_contracts((contract, drafts) in (contract(), dialogue())) {
        let text = contract.text();
        let project = Project::new().file("c.yaml", &text);
        let mut diagnostics = Diagnostics::default();
        let machine = Loader::default().load(&project.path().join("c.yaml"), Profile::Documented, None, &mut diagnostics);
        let titles: Vec<_> = diagnostics.items().iter().map(|item| &item.title).collect();
        prop_assert!(machine.is_some(), "{:?}\n{}", titles, text);
        let machine = Arc::new(machine.unwrap());
        let settings = machine.settings();
        let mut lines = JsonLine::default();
        HeaderLine { dialogue: "d", machine: &machine, settings, start: &Value::Null }.write(&mut lines);
        let mut trace = lines.into_string() + "\n";
        let mut runner = DialogueRunner::new(&machine, settings.clone(), Session::new(&machine));
        let mut records = Vec::new();
        for (number, draft) in drafts.iter().enumerate() {
            let mut line = JsonLine::default();
            runner.play(&turn(number, draft, &machine)).view.write(&mut line);
            let line = line.into_string();
            records.push(serde_json::from_str::<Json>(&line).unwrap());
            trace = trace + &line + "\n";
        }
        trace += &format!("{{\"end\":\"d\",\"turns\":{}}}\n", drafts.len());
        let mut sources = SourceMap::default();
        let mut reader = ObservedReader::new(trace.as_bytes(), "t", None);
        let observed = reader.read(&mut diagnostics, &mut sources).unwrap();
        let dialogue = observed.open(None, "t", &mut diagnostics, &mut sources).unwrap();
        let findings = verify_structure(&Reachability::of(Arc::clone(&machine)), settings, &dialogue).findings;
        for (number, record) in (1..).zip(&records) {
            prop_assert_eq!(violations(record), found(&findings, number), "turn {}\n{}\n{}", number, text, trace);
        }
        let setup = DialogueSetup {
            settings: settings.clone(),
            session: Session::new(&machine),
            twin: None,
            backend: None,
            start: Value::Null,
        };
        let again = verify_replay(&machine, setup, &dialogue, &mut diagnostics, &mut |_| panic!("{trace}"));
        prop_assert_eq!(again.unwrap().findings, vec![], "{}\n{}", text, trace);
    }
}
