//! Every branch behaves in the same way: each state of the student assistant that needs user data, with each consent
//! and each store.

use std::collections::VecDeque;
use std::sync::{Arc, LazyLock};

use fsmsim_adapters::stores::MemoryTwin;
use fsmsim_core::engine::policy::Guide;
use fsmsim_core::engine::{
    Class, Consent, Input, Machine, ScriptedTurn, Session, Symbol, TurnData,
};
use fsmsim_core::machine::{Profile, StateId};
use fsmsim_core::trace::RecordField;
use fsmsim_dialects::dialect::Loader;
use fsmsim_runtime::runtime::{DialogueRunner, DialogueSetup};
use fsmsim_syntax::diagnostic::Diagnostics;
use serde_json::{Value, json};

/// The bundled assistant.
static STUDENT: LazyLock<Arc<Machine>> = LazyLock::new(|| {
    let mut found = Diagnostics::default();
    Arc::new(
        Loader::default()
            .load(
                "states/student".as_ref(),
                Profile::Documented,
                None,
                &mut found,
            )
            .unwrap(),
    )
});

/// Stores with different content, and the outcome of reading a state's data from each.
fn stores(keys: &[&str]) -> Vec<(&'static str, &'static str, MemoryTwin)> {
    let folder = tempfile::tempdir().unwrap();
    let store = |content: Value| {
        let path = folder.path().join("twin.json");
        std::fs::write(&path, content.to_string()).unwrap();
        MemoryTwin::load(&path).unwrap()
    };
    let object = |keys: &[&str]| -> Value {
        keys.iter()
            .map(|key| ((*key).to_owned(), json!([*key])))
            .collect::<serde_json::Map<_, _>>()
            .into()
    };
    let mut stores = vec![
        ("done", "", store(object(keys))),
        ("absent", "data_missing", store(object(&["other"]))),
        ("invalid", "data_invalid", store(json!(keys))),
        ("down", "store_down", MemoryTwin::down()),
    ];
    if keys.len() > 1 {
        stores.push(("partial", "data_missing", store(object(&keys[1..]))));
    }
    stores
}

/// A value that matches a schema of the assistant.
fn fitting(schema: &str) -> Value {
    match schema {
        "assessment" => json!({"stage": "практикующий", "signs": ["занимается"]}),
        "weekly_plan" => json!({
            "focus": "раздел",
            "steps": [{"day": "пн", "what": "глава"}, {"day": "чт", "what": "заметка"}],
            "today": "открыть главу",
        }),
        "weekly_reflection" => json!({"conclusion": "отдыхать"}),
        other => panic!("add a matching value for `{other}`"),
    }
}

/// The payloads of a state that writes, and whether each matches the schema. Other states have no payload.
fn payloads(guide: &Guide) -> Vec<(bool, TurnData)> {
    let Some(name) = guide.writes.map(|schema| &*STUDENT.schemas[schema].name) else {
        return vec![(true, TurnData::Absent)];
    };
    let under = |value: Value| {
        TurnData::Given(vec![(Symbol::of(name, &STUDENT.names.slots), value.into())])
    };
    let unfit = under(json!({"nobody": "knows it"}));
    vec![
        (true, under(fitting(name))),
        (false, unfit),
        (false, TurnData::Absent),
    ]
}

/// Runs a turn with this navigation.
fn turn(runner: &mut DialogueRunner, goto: Option<StateId>, consent: Consent, data: TurnData) {
    let input = Input {
        goto: goto.map(Symbol::Known),
        consent,
        data,
        reply: Some("".into()),
        ..Input::default()
    };
    runner.play(&ScriptedTurn {
        input,
        ..ScriptedTurn::default()
    });
}

/// Moves the dialogue to a declared state, if necessary through the states for consent and for dialogues without data.
/// `word` answers the request for consent.
fn lead(runner: &mut DialogueRunner, target: StateId, word: Consent) {
    let instructions = STUDENT.policies.guidance().unwrap();
    let at = |runner: &DialogueRunner| runner.session().position.state;
    turn(runner, Some(target), Consent::default(), TurnData::Absent);
    if at(runner) != target && Some(at(runner)) == instructions.consent {
        assert_eq!(runner.session().return_state(), Some(target));
        turn(runner, None, word, TurnData::Absent);
    }
    if at(runner) != target {
        assert_eq!(
            (Some(at(runner)), runner.session().return_state()),
            (instructions.no_data_state, Some(target))
        );
        turn(runner, Some(target), Consent::default(), TurnData::Absent);
    }
    assert_eq!(
        (at(runner), runner.session().return_state()),
        (target, None),
        "{:?}",
        runner.record().outcome
    );
}

/// Asserts that the dialogue can reach every declared target of its state, and from there the initial state by declared
/// moves.
fn assert_continues(setup: &DialogueSetup, session: &Session, word: Consent) {
    let resumed = |session: &Session| {
        DialogueSetup {
            session: session.clone(),
            ..setup.clone()
        }
        .runner(&STUDENT)
    };
    let moves = |state: StateId| {
        STUDENT
            .policies
            .guidance()
            .unwrap()
            .of(state)
            .unwrap()
            .moves
            .iter()
            .map(|declared| declared.target)
    };
    for target in moves(session.position.state) {
        let mut runner = resumed(session);
        lead(&mut runner, target, word);
        // The shortest path to the initial state.
        let mut paths = VecDeque::from([vec![target]]);
        let mut seen = vec![target];
        let path = loop {
            let path = paths.pop_front().expect("no path to the initial state");
            let last = *path.last().unwrap();
            if last == STUDENT.initial {
                break path;
            }
            for next in moves(last).filter(|next| *next != last) {
                if !seen.contains(&next) {
                    seen.push(next);
                    paths.push_back([path.as_slice(), &[next]].concat());
                }
            }
        };
        for next in &path[1..] {
            lead(&mut runner, *next, word);
        }
        assert_eq!(runner.session().position.state, STUDENT.initial);
    }
}

/// The effects of the last turn, and its reasons except those for the move itself.
fn effects_and_reasons(runner: &DialogueRunner) -> (Vec<Value>, String) {
    let scripted = ScriptedTurn::default();
    let line = runner.view(&scripted);
    let value = |field: RecordField| serde_json::to_value(field.value(&line)).unwrap();
    let why: Vec<String> = serde_json::from_value(value(RecordField::Why)).unwrap();
    let why = why
        .into_iter()
        .filter(|why| !["navigated", "consent_settled"].contains(&why.as_str()));
    (
        serde_json::from_value(value(RecordField::Effects)).unwrap(),
        why.collect::<Vec<_>>().join(", "),
    )
}

/// The entries into a state: from every other state that declares it, with each consent, given earlier or on request.
fn entries_into(target: StateId) -> Vec<(StateId, Option<bool>, bool)> {
    let instructions = STUDENT.policies.guidance().unwrap();
    let from = STUDENT.declared_states().filter(|(id, _)| {
        // In the state for dialogues without data, the user has already answered questions instead.
        let aside = instructions.no_data_state == Some(*id);
        *id != target && !aside && instructions.of(*id).unwrap().move_to(target).is_some()
    });
    let words = [
        (Some(true), true),
        (Some(false), false),
        (None, true),
        (None, false),
    ];
    let paths: Vec<_> = from
        .flat_map(|(from, _)| words.map(|(before, asked)| (from, before, asked)))
        .collect();
    assert!(!paths.is_empty());
    paths
}

/// An entry into a state that needs user data, and the available data.
struct Case<'a> {
    target: StateId,
    from: StateId,
    /// The earlier consent, and the answer to a request for consent.
    before: Option<bool>,
    asked: bool,
    keys: &'a [&'a str],
    /// The outcome of reading from the store, and the reason for degradation.
    outcome: &'static str,
    reason: &'static str,
    twin: MemoryTwin,
    /// The payload of a write, and whether it matches its schema.
    payload: TurnData,
    fits: bool,
}

impl Case<'_> {
    fn guide(&self) -> &'static Guide {
        STUDENT
            .policies
            .guidance()
            .unwrap()
            .of(self.target)
            .unwrap()
    }

    fn said(&self, word: Option<bool>) -> Consent {
        let none = Consent::default();
        if self.guide().writes.is_some() {
            Consent {
                write: word,
                ..none
            }
        } else {
            Consent { read: word, ..none }
        }
    }

    /// The outcome of the effect and the reason for degradation. They depend only on consent, data and store: one table
    /// for all branches.
    fn expected(&self) -> (&'static str, Value, &'static str) {
        let writes = self.guide().writes.is_some();
        match (self.before.unwrap_or(self.asked), writes, self.fits) {
            (false, _, _) => ("denied", Value::Null, "consent_refused"),
            (true, true, false) => ("denied", Value::Null, "payload_invalid"),
            (true, true, true) if self.outcome == "down" => {
                ("allowed", json!("down"), "store_down")
            }
            (true, true, true) => ("allowed", json!("done"), ""),
            (true, false, _) => ("allowed", json!(self.outcome), self.reason),
        }
    }

    fn check(&self) {
        let instructions = STUDENT.policies.guidance().unwrap();
        let name = |state| STUDENT.names.states.name(state);
        let what = format!(
            "{} from {}: {:?} {} {} {}",
            name(self.target),
            name(self.from),
            self.before,
            self.asked,
            self.outcome,
            self.fits
        );
        let mut session = Session::new(&STUDENT);
        session.move_to(self.from, None, &STUDENT);
        session.policies.instructions.consent = self.said(self.before);
        let twin = Some(self.twin.clone());
        let setup = DialogueSetup {
            settings: STUDENT.settings().clone(),
            session,
            twin,
            backend: None,
            start: fsmsim_core::machine::Value::default(),
        };
        let mut runner = setup.clone().runner(&STUDENT);
        let place = |runner: &DialogueRunner| {
            (
                Some(runner.session().position.state),
                runner.session().return_state(),
            )
        };
        turn(
            &mut runner,
            Some(self.target),
            Consent::default(),
            self.payload.clone(),
        );
        if self.before.is_none() {
            let (effects, why) = effects_and_reasons(&runner);
            assert_eq!(
                (&effects[0]["why"], &*why),
                (&json!("consent was not asked for"), "consent_needed"),
                "{what}"
            );
            assert_eq!(
                place(&runner),
                (instructions.consent, Some(self.target)),
                "{what}"
            );
            turn(
                &mut runner,
                None,
                self.said(Some(self.asked)),
                TurnData::Absent,
            );
        }
        let (verdict, outcome, reason) = self.expected();
        let (effects, why) = effects_and_reasons(&runner);
        let [effect] = effects.as_slice() else {
            panic!("{what}: {effects:?}")
        };
        assert_eq!(
            (&effect["verdict"], &effect["outcome"], &*why),
            (&json!(verdict), &outcome, reason),
            "{what}"
        );
        let class = runner.record().outcome.as_ref().unwrap().class;
        assert_eq!(class == Class::Degrade, !reason.is_empty(), "{what}");
        let stays = reason.is_empty() || self.guide().degradation.is_some();
        let expected = if stays {
            (Some(self.target), None)
        } else {
            (instructions.no_data_state, Some(self.target))
        };
        assert_eq!(place(&runner), expected, "{what}");
        for (key, slot) in self.keys.iter().zip(&self.guide().reads) {
            let found = self.outcome == "done" || self.outcome == "partial" && *key != self.keys[0];
            let there = verdict == "allowed" && found;
            assert_eq!(
                !runner.session().slots.get(*slot).is_null(),
                there,
                "{what}: {key}"
            );
        }
        if !stays {
            lead(&mut runner, self.target, Consent::default());
        }
        for word in [Some(true), Some(false)] {
            assert_continues(
                &setup,
                runner.session(),
                Consent {
                    read: word,
                    write: word,
                },
            );
        }
    }
}

#[test]
fn degradation_is_the_same_in_every_branch() {
    let mut cases = 0;
    for (target, guide) in STUDENT.policies.guidance().unwrap().all() {
        let keys: Vec<&str> = guide
            .reads
            .iter()
            .map(|slot| STUDENT.names.slots.name(*slot))
            .collect();
        assert!(
            keys.is_empty() || guide.writes.is_none(),
            "extend this test to states that read and write"
        );
        if keys.is_empty() && guide.writes.is_none() {
            continue;
        }
        for (from, before, asked) in entries_into(target) {
            for (outcome, reason, twin) in stores(&keys) {
                for (fits, payload) in payloads(guide) {
                    let twin = twin.clone();
                    let keys = &keys;
                    Case {
                        target,
                        from,
                        before,
                        asked,
                        keys,
                        outcome,
                        reason,
                        twin,
                        payload,
                        fits,
                    }
                    .check();
                    cases += 1;
                }
            }
        }
    }
    assert!(cases > 200, "{cases}");
}
