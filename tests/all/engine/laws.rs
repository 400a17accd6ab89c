//! Laws that hold for every dialogue, for any input.

use std::path::PathBuf;
use std::sync::{Arc, LazyLock};

use fsmsim_core::engine::{
    Input, Machine, Operation, SavedSession, ScriptedTurn, Session, Settings, Symbol, TurnData,
    TurnStep, turn,
};
use fsmsim_core::machine::{Float, Names, Profile, SlotKind, Value};
use fsmsim_core::trace::{HeaderLine, JsonLine, RecordField};
use fsmsim_dialects::dialect::Loader;
use fsmsim_harness::verify::import::ObservedReader;
use fsmsim_harness::verify::{Reachability, verify_replay, verify_structure};
use fsmsim_runtime::runtime::{DialogueRunner, DialogueSetup};
use fsmsim_syntax::diagnostic::{Diagnostics, SourceMap};
use fsmsim_syntax::document::parse_yaml;
use proptest::prelude::*;
use proptest::sample::Index;

use crate::support::{Project, cases, home};

/// The bundled flows, and those next to the recordings if they exist.
static MACHINES: LazyLock<Vec<Arc<Machine>>> = LazyLock::new(|| {
    let mut roots = vec![home("flows")];
    if let Some(folder) = std::env::var_os("FSMSIM_CONFORMANCE") {
        roots.push(PathBuf::from(folder).join("../reference/yaml_config/flows"));
    }
    let mut loader = Loader::default();
    let mut machines = Vec::new();
    for root in roots {
        let mut flows: Vec<PathBuf> = std::fs::read_dir(&root)
            .unwrap()
            .map(|entry| entry.unwrap().path())
            .collect();
        flows.sort();
        let is_flow = |path: &&PathBuf| path.join("flow.yaml").is_file() || path.is_file();
        for path in flows.iter().filter(is_flow) {
            for profile in Profile::ALL {
                let mut found = Diagnostics::default();
                // A recorded flow might be invalid under the strict profile.
                let machine = loader.load(path, profile, None, &mut found).map(Arc::new);
                // Contracts have separate laws.
                machines.extend(machine.filter(|machine| machine.header.dialect == "flow"));
            }
        }
    }
    assert!(machines.len() >= 4);
    machines
});

/// A turn before its names are resolved: each name is a random number.
#[derive(Clone, Debug)]
struct Draft {
    intent: Index,
    /// Whether the intent is unknown to the machine.
    unknown: bool,
    also: Vec<Index>,
    data: Vec<(Index, Value)>,
    frustration: Option<i64>,
    confidence: Option<f64>,
    say: Option<String>,
    before: Vec<(u8, Index, Index)>,
}

fn value() -> impl Strategy<Value = Value> {
    prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::Bool),
        (-3i64..100).prop_map(Value::Int),
        Just(Value::Float(Float::new(2.5))),
        Just(Value::text("")),
        Just(Value::text("+79001234567")),
        Just(Value::List([Value::Int(1)].into())),
    ]
}

fn draft() -> impl Strategy<Value = Draft> {
    (
        any::<Index>(),
        prop::bool::weighted(0.05),
        prop::collection::vec(any::<Index>(), 0..2),
        prop::collection::vec((any::<Index>(), value()), 0..3),
        prop::option::of(0i64..11),
        prop::option::of(0.0f64..1.0),
        prop::option::of("[а-яa-z ?]{0,40}"),
        prop::collection::vec((0u8..6, any::<Index>(), any::<Index>()), 0..2),
    )
        .prop_map(
            |(intent, unknown, also, data, frustration, confidence, say, before)| Draft {
                intent,
                unknown,
                also,
                data,
                frustration,
                confidence,
                say,
                before,
            },
        )
}

fn pick<I: fsmsim_core::machine::Id>(index: Index, names: &Names<I>) -> Symbol<I> {
    Symbol::of(names.iter().nth(index.index(names.len())).unwrap(), names)
}

impl Draft {
    fn turn(&self, machine: &Machine) -> ScriptedTurn {
        let names = &machine.names;
        let unknown = || Symbol::Unknown("nobody_knows_it".into());
        let pick_intent = |index| match pick(index, &names.intents) {
            // Only a model with several profiles accepts triggers as intents.
            Symbol::Known(id) if machine.is_trigger(id) && !machine.has_profiles() => unknown(),
            intent => intent,
        };
        let intent = if self.unknown {
            unknown()
        } else {
            pick_intent(self.intent)
        };
        let data: Vec<_> = self
            .data
            .iter()
            .map(|(slot, value)| (pick(*slot, &names.slots), value.clone()))
            .collect();
        ScriptedTurn {
            before: self
                .before
                .iter()
                .map(|draft| operation(*draft, machine))
                .collect(),
            input: Input {
                intent: Some(intent),
                also: self.also.iter().map(|index| pick_intent(*index)).collect(),
                data: if data.is_empty() {
                    TurnData::Absent
                } else {
                    TurnData::Given(data)
                },
                frustration: self.frustration,
                confidence: self.confidence.map(Float::new),
                say: self.say.as_deref().map(Into::into),
                ..Input::default()
            },
            answer: None,
            answers: Vec::new(),
        }
    }
}

fn operation((kind, one, other): (u8, Index, Index), machine: &Machine) -> Operation {
    let names = &machine.names;
    match kind {
        0 => Operation::Snapshot,
        1 => Operation::Reset,
        2 => Operation::SetState(Symbol::Known(declared(one, machine))),
        3 => Operation::SyncPhase,
        4 => Operation::SetData(vec![(pick(one, &names.slots), Value::Int(1))]),
        _ => Operation::TransitionTo {
            state: Symbol::Known(declared(one, machine)),
            action: Some(pick(other, &names.actions)),
            phase: None,
            source: Some("law".into()),
            validate: true,
        },
    }
}

fn declared(index: Index, machine: &Machine) -> fsmsim_core::machine::StateId {
    let states: Vec<_> = machine.declared_states().map(|(id, _)| id).collect();
    states[index.index(states.len())]
}

fn dialogue() -> impl Strategy<Value = (Index, Vec<Draft>)> {
    (any::<Index>(), prop::collection::vec(draft(), 1..25))
}

/// The lines of a dialogue's trace.
fn trace(machine: &Arc<Machine>, settings: &Settings, turns: &[ScriptedTurn]) -> Vec<String> {
    let mut runner = DialogueRunner::new(machine, settings.clone(), Session::new(machine));
    let lines = turns.iter().map(|scripted| {
        runner.play(scripted);
        let mut json = JsonLine::default();
        runner.view(scripted).write(&mut json);
        json.into_string()
    });
    lines.collect()
}

proptest! {
    #![proptest_config(cases(500))]

    #[test]
    fn turn_is_a_pure_function((machine, drafts) in dialogue()) {
        let machine = machine.get(&MACHINES);
        let settings = machine.settings();
        let mut runner = DialogueRunner::new(machine, settings.clone(), Session::new(machine));
        for scripted in drafts.iter().map(|draft| draft.turn(machine)) {
            let bare = ScriptedTurn { before: Vec::new(), ..scripted.clone() };
            for operation in &scripted.before {
                let mut session = runner.session().clone();
                session.operate(operation, machine, settings);
                runner.restart(session);
            }
            let before = runner.session().clone();
            let once = turn(machine, settings, &before, &scripted.input, &[]);
            let twice = turn(machine, settings, &before, &scripted.input, &[]);
            prop_assert_eq!(&before, runner.session());
            runner.play(&bare);
            match (once, twice) {
                (TurnStep::Done(mut once), TurnStep::Done(mut twice)) => {
                    // A reused record continues to count turns.
                    once.1.turn = runner.record().turn;
                    twice.1.turn = once.1.turn;
                    prop_assert_eq!(&once.0, &twice.0);
                    prop_assert_eq!(&once.0, runner.session());
                    prop_assert_eq!(format!("{:?}", once.1), format!("{:?}", twice.1));
                    prop_assert_eq!(format!("{:?}", once.1), format!("{:?}", runner.record()));
                }
                steps => prop_assert!(false, "unexpected need: {:?}", steps),
            }
        }
    }

    #[test]
    fn restarted_dialogue_equals_a_new_one((machine, drafts) in dialogue()) {
        let machine = machine.get(&MACHINES);
        let mut runner = DialogueRunner::new(machine, machine.settings().clone(), Session::new(machine));
        for draft in &drafts {
            runner.play(&draft.turn(machine));
        }
        runner.rewind();
        prop_assert_eq!(runner.session(), &Session::new(machine));
    }

    #[test]
    fn traces_are_deterministic((machine, drafts) in dialogue()) {
        let machine = machine.get(&MACHINES);
        let turns: Vec<_> = drafts.iter().map(|draft| draft.turn(machine)).collect();
        let one = trace(machine, machine.settings(), &turns);
        prop_assert_eq!(&one, &trace(machine, machine.settings(), &turns));
        for line in &one {
            prop_assert!(serde_json::from_str::<serde_json::Value>(line).is_ok(), "{}", line);
        }
    }

    #[test]
    fn state_and_phase_always_agree((machine, drafts) in dialogue()) {
        let machine = machine.get(&MACHINES);
        let settings = machine.settings();
        if !settings.switches.atomic_position {
            return Ok(());
        }
        let agrees = |session: &Session| {
            session.position.phase == machine.state(session.position.state).phase
        };
        let mut session = Session::new(machine);
        prop_assert!(agrees(&session));
        for scripted in drafts.iter().map(|draft| draft.turn(machine)) {
            for operation in &scripted.before {
                session.operate(operation, machine, settings);
                prop_assert!(agrees(&session), "{:?}", operation);
            }
            let TurnStep::Done(done) = turn(machine, settings, &session, &scripted.input, &[]) else {
                return Err(TestCaseError::fail("unexpected need"));
            };
            let (next, record) = *done;
            prop_assert!(agrees(&next), "{:?}", scripted);
            let outcome = record.outcome.unwrap();
            prop_assert_eq!(outcome.state.to, next.position.state);
            if !session.branches.is_open() {
                prop_assert_eq!(outcome.state.from, session.position.state);
            }
            prop_assert_eq!(next.position.action, Some(outcome.action), "{:?}", record);
            session = next;
        }
    }

    #[test]
    fn refused_transition_changes_nothing((machine, drafts) in dialogue(), phase in any::<Index>()) {
        let machine = machine.get(&MACHINES);
        let turns: Vec<_> = drafts.iter().map(|draft| draft.turn(machine)).collect();
        let mut runner = DialogueRunner::new(machine, machine.settings().clone(), Session::new(machine));
        for scripted in &turns {
            runner.play(scripted);
        }
        let mut session = runner.session().clone();
        let phase = (!machine.names.phases.is_empty()).then(|| pick(phase, &machine.names.phases));
        let refused = Operation::TransitionTo {
            state: Symbol::Unknown("nowhere".into()),
            action: Some(Symbol::Unknown("never".into())),
            phase,
            source: None,
            validate: true,
        };
        prop_assert!(!session.operate(&refused, machine, machine.settings()));
        prop_assert_eq!(&session, runner.session());
    }

    #[test]
    fn session_restored_before_each_turn_continues_unchanged((machine, drafts) in dialogue()) {
        let machine = machine.get(&MACHINES);
        let settings = machine.settings();
        let mut scripts: Vec<_> = drafts.iter().map(|draft| draft.turn(machine)).collect();
        for turn in &mut scripts {
            turn.before.retain(|operation| *operation != Operation::Snapshot);
        }
        if !settings.switches.snapshot {
            // The recordings define the data that the recorded system loses.
            return Ok(());
        }
        let expected = trace(machine, settings, &scripts);
        let mut session = Session::new(machine);
        for (number, scripted) in scripts.iter().enumerate() {
            // A new runner for each turn has only the saved data.
            let text = SavedSession::of(&session, machine, settings).to_text();
            let saved = SavedSession::from_text(&text).unwrap();
            prop_assert_eq!(&saved, &SavedSession::of(&session, machine, settings));
            let mut runner = DialogueRunner::new(machine, settings.clone(), saved.restore(machine).unwrap());
            runner.play(scripted);
            let mut json = JsonLine::default();
            runner.view(scripted).write(&mut json);
            let line = json.into_string().replacen("{\"turn\":1,", &format!("{{\"turn\":{},", number + 1), 1);
            prop_assert_eq!(&line, &expected[number]);
            session = runner.session().clone();
        }
    }

    #[test]
    fn line_contains_the_values_of_all_fields((machine, drafts) in dialogue()) {
        let machine = machine.get(&MACHINES);
        let mut runner = DialogueRunner::new(machine, machine.settings().clone(), Session::new(machine));
        for scripted in drafts.iter().map(|draft| draft.turn(machine)) {
            let view = runner.play(&scripted).view;
            let mut json = JsonLine::default();
            view.write(&mut json);
            let fields = Value::map(RecordField::ALL.iter().map(|field| (field.name(), field.value(&view))));
            prop_assert_eq!(json.into_string(), serde_json::to_string(&fields).unwrap());
        }
    }

    #[test]
    fn limits_are_never_exceeded((machine, drafts) in dialogue()) {
        let machine = machine.get(&MACHINES);
        let settings = machine.settings();
        let Some(sales) = machine.sales() else { return Ok(()) };
        let max = settings.limit(sales.limits.go_backs);
        let mut runner = DialogueRunner::new(machine, settings.clone(), Session::new(machine));
        for draft in &drafts {
            let mut scripted = draft.turn(machine);
            scripted.before.clear();
            runner.play(&scripted);
            let counter = |id| machine.counter(runner.session(), settings, id);
            let used = counter(sales.counters.go_backs);
            prop_assert!(used <= max);
            prop_assert_eq!(counter(sales.counters.go_backs_left), max - used);
        }
    }

    #[test]
    fn traces_of_a_model_conform_to_it((machine, drafts) in dialogue()) {
        let machine = machine.get(&MACHINES);
        let settings = machine.settings();
        let turns: Vec<_> = drafts.iter().map(|draft| draft.turn(machine)).collect();
        let mut header = JsonLine::default();
        HeaderLine { dialogue: "d", machine, settings, start: &Value::Null }.write(&mut header);
        let text = [vec![header.into_string()], trace(machine, settings, &turns)].concat().join("\n");
        let (mut found, mut sources) = (Diagnostics::default(), SourceMap::default());
        let mut reader = ObservedReader::new(text.as_bytes(), "t", None);
        let lines = reader.read(&mut found, &mut sources).unwrap();
        let dialogue = lines.open(None, "t", &mut found, &mut sources).unwrap();
        let findings = verify_structure(&Reachability::of(Arc::clone(machine)), settings, &dialogue).findings;
        prop_assert!(findings.is_empty(), "{:#?}\n{}", findings, text);
        let setup = DialogueSetup {
            settings: settings.clone(),
            session: Session::new(machine),
            twin: None,
            backend: None,
            start: Value::Null,
        };
        let again = verify_replay(machine, setup, &dialogue, &mut found, &mut |_| panic!("{text}"));
        prop_assert!(again.as_ref().is_ok_and(|verdict| verdict.findings.is_empty()), "{:#?}\n{}", again, text);
    }

    #[test]
    fn any_text_parses_or_reports_an_error(text in "[\\PC\n\t]{0,200}") {
        read(&text);
    }

    #[test]
    fn yaml_like_text_parses_or_reports_an_error(text in "([a-c&*!|>%@`'\"#\\[\\]{},?:\\- \n]|<<: |\\? |: |- |--- |\\.\\.\\.){0,80}") {
        read(&text);
    }

    #[test]
    fn parser_agrees_with_serde_yaml(value in document()) {
        for text in [serde_yaml::to_string(&value).unwrap(), value.to_string()] {
            let mut found = Diagnostics::default();
            let mut sources = SourceMap::default();
            let file = sources.add("d", text.as_str());
            let node = parse_yaml(file, &text, 0, &mut found).unwrap();
            prop_assert!(!found.has_errors(), "{}", text);
            let ours = serde_json::to_value(Value::from(&node)).unwrap();
            prop_assert_eq!(&ours, &value, "{}", text);
        }
    }
}

proptest! {
    #![proptest_config(cases(400))]

    #[test]
    fn damaged_flow_loads_or_reports_an_error(
        file in any::<Index>(),
        at in any::<Index>(),
        cut in 0usize..12,
        put in "([a-z]{1,6}|[ \\-:{}\\[\\],&*|>'\"\n#]|\\{\\{[a-z]{1,3}\\}\\}){0,4}",
    ) {
        let project = Project::new().with_flows();
        let files = project.files();
        let path = &files[file.index(files.len())];
        let text = project.read(path);
        let bounds: Vec<usize> = text.char_indices().map(|(at, _)| at).collect();
        let from = bounds[at.index(bounds.len())];
        let to = text[from..].char_indices().nth(cut).map_or(text.len(), |(more, _)| from + more);
        project.write(path, format!("{}{put}{}", &text[..from], &text[to..]));
        let mut loader = Loader::default();
        for flow in ["flows/bant", "flows/spin_selling", "flows/bant_parallel.yaml", "flows/support.yaml"] {
            for profile in Profile::ALL {
                let mut found = Diagnostics::default();
                let machine = loader.load(&project.path().join(flow), profile, None, &mut found);
                prop_assert_eq!(machine.is_none(), found.has_errors());
                prop_assert_eq!(found.is_empty(), fsmsim_syntax::diagnostic::render(&found, &loader.sources, false).is_empty());
                if let Some(machine) = machine {
                    run_each_intent(&Arc::new(machine));
                }
            }
        }
    }
}

proptest! {
    #[test]
    fn damaged_session_is_restored_or_rejected(
        (machine, drafts) in dialogue(),
        at in any::<Index>(),
        cut in 0usize..12,
        put in "([a-z]{1,6}|[0-9]{1,11}|[ \\-:{}\\[\\],\"]|null){0,3}",
    ) {
        let machine = machine.get(&MACHINES);
        let turns: Vec<_> = drafts.iter().map(|draft| draft.turn(machine)).collect();
        let mut runner = DialogueRunner::new(machine, machine.settings().clone(), Session::new(machine));
        for scripted in &turns {
            runner.play(scripted);
        }
        let text = SavedSession::of(runner.session(), machine, machine.settings()).to_text();
        let bounds: Vec<usize> = text.char_indices().map(|(at, _)| at).collect();
        let from = bounds[at.index(bounds.len())];
        let to = text[from..].char_indices().nth(cut).map_or(text.len(), |(more, _)| from + more);
        let damaged = format!("{}{put}{}", &text[..from], &text[to..]);
        if let Ok(session) = SavedSession::from_text(&damaged).and_then(|saved| saved.restore(machine)) {
            let mut runner = DialogueRunner::new(machine, machine.settings().clone(), session);
            for scripted in &turns {
                runner.play(scripted);
            }
        }
    }
}

#[test]
fn data_set_between_turns_gets_the_type_of_its_slot() {
    let text = |machine: &&Arc<Machine>| {
        let slot = machine.names.slots.id("current_tools")?;
        (machine.slot(slot).kind == Some(SlotKind::Text)).then_some(slot)
    };
    let machine = MACHINES
        .iter()
        .find(|machine| text(machine).is_some())
        .unwrap();
    let slot = text(&machine).unwrap();
    let set = |value| {
        let mut session = Session::new(machine);
        session.operate(
            &Operation::SetData(vec![(Symbol::Known(slot), value)]),
            machine,
            machine.settings(),
        );
        session.slots.get(slot).clone()
    };
    assert_eq!(set(Value::Int(1)), Value::text("1"));
    // A value that the slot cannot convert is stored unchanged.
    let list = Value::List([Value::Int(1)].into());
    assert_eq!(set(list.clone()), list);
}

/// Runs each intent once, in order.
fn run_each_intent(machine: &Arc<Machine>) {
    let mut runner =
        DialogueRunner::new(machine, machine.settings().clone(), Session::new(machine));
    for name in machine.names.intents.iter() {
        let input = Input {
            intent: Some(Symbol::of(name, &machine.names.intents)),
            ..Input::default()
        };
        runner.play(&ScriptedTurn {
            input,
            ..ScriptedTurn::default()
        });
    }
}

/// Parses a text. A parse that fails has errors, and errors can be rendered.
fn read(text: &str) {
    let mut found = Diagnostics::default();
    let mut sources = SourceMap::default();
    let file = sources.add("any", text);
    let node = parse_yaml(file, text, 0, &mut found);
    assert!(node.is_some() || found.has_errors());
    let rendered = fsmsim_syntax::diagnostic::render(&found, &sources, true);
    assert!(!found.has_errors() || !rendered.is_empty());
}

/// A document of maps, lists and scalars.
fn document() -> impl Strategy<Value = serde_json::Value> {
    let scalar = prop_oneof![
        Just(serde_json::Value::Null),
        any::<bool>().prop_map(Into::into),
        any::<i64>().prop_map(Into::into),
        "[а-яa-z0-9 :#'\"\\-\\[\\]{}&*!|>%@`,?~.\n]{0,20}".prop_map(Into::into),
        prop::sample::select(vec![
            "yes",
            "no",
            "on",
            "null",
            "~",
            "1e3",
            "0x1F",
            "0o7",
            "1_000",
            ".inf",
            "12:30",
            "<<",
            "=",
            "2026-11-22",
            "+1",
            "-"
        ])
        .prop_map(Into::into),
    ];
    scalar.prop_recursive(4, 40, 5, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..5).prop_map(Into::into),
            prop::collection::btree_map("[а-яa-z_ ]{1,6}", inner, 0..5)
                .prop_map(|map| serde_json::Value::Object(map.into_iter().collect())),
        ]
    })
}
