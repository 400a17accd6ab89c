//! The same behaviour in every branch: each state of the student assistant that needs data of the user, each word about
//! consent, each store.

use std::collections::VecDeque;
use std::sync::{Arc, LazyLock};

use fsmsim_adapters::world::MemoryTwin;
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

/// The assistant that comes with the project.
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

/// What stands under the keys of a store, and what becomes of reading a state's data from it.
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

/// What fits a schema of the assistant.
fn fitting(schema: &str) -> Value {
    match schema {
        "assessment" => json!({"stage": "практикующий", "signs": ["занимается"]}),
        "weekly_plan" => json!({"focus": "раздел", "steps": [{"day": "пн", "what": "глава"}]}),
        "weekly_reflection" => json!({"conclusion": "отдыхать"}),
        other => panic!("say what fits `{other}`"),
    }
}

/// What the state writes, and whether it fits its schema; nothing where it writes nothing.
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

/// Plays a turn of whoever leads the dialogue.
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

/// Leads the dialogue to a state that is declared, by way of what stands beside it: whoever is asked says this word.
fn lead(runner: &mut DialogueRunner, target: StateId, word: Consent) {
    let instructions = STUDENT.policies.guidance().unwrap();
    let at = |runner: &DialogueRunner| runner.session().position.state;
    turn(runner, Some(target), Consent::default(), TurnData::Absent);
    if at(runner) != target && Some(at(runner)) == instructions.consent {
        assert_eq!(runner.session().return_state, Some(target));
        turn(runner, None, word, TurnData::Absent);
    }
    if at(runner) != target {
        assert_eq!(
            (Some(at(runner)), runner.session().return_state),
            (instructions.without_data, Some(target))
        );
        turn(runner, Some(target), Consent::default(), TurnData::Absent);
    }
    assert_eq!(
        (at(runner), runner.session().return_state),
        (target, None),
        "{:?}",
        runner.record().outcome
    );
}

/// From where it is, the dialogue can go to every target that the state declares, and by declared moves to the beginning.
fn goes_on(setup: &DialogueSetup, session: &Session, word: Consent) {
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
        // The shortest way to the beginning.
        let mut ways = VecDeque::from([vec![target]]);
        let mut seen = vec![target];
        let way = loop {
            let way = ways.pop_front().expect("each state leads to the beginning");
            let last = *way.last().unwrap();
            if last == STUDENT.initial {
                break way;
            }
            for next in moves(last).filter(|next| *next != last) {
                if !seen.contains(&next) {
                    seen.push(next);
                    ways.push_back([way.as_slice(), &[next]].concat());
                }
            }
        };
        for next in &way[1..] {
            lead(&mut runner, *next, word);
        }
        assert_eq!(runner.session().position.state, STUDENT.initial);
    }
}

/// The effects of the last turn, and its reasons but that of the move itself.
fn told(runner: &DialogueRunner) -> (Vec<Value>, String) {
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

/// The ways into a state: from every other one that declares it, with each word about consent, said before or when asked.
fn ways_into(target: StateId) -> Vec<(StateId, Option<bool>, bool)> {
    let instructions = STUDENT.policies.guidance().unwrap();
    let from = STUDENT.declared_states().filter(|(id, _)| {
        // Whoever comes from the state for dialogues without data has answered questions instead.
        let aside = instructions.without_data == Some(*id);
        *id != target && !aside && instructions.of(*id).unwrap().move_to(target).is_some()
    });
    let words = [
        (Some(true), true),
        (Some(false), false),
        (None, true),
        (None, false),
    ];
    let ways: Vec<_> = from
        .flat_map(|(from, _)| words.map(|(before, asked)| (from, before, asked)))
        .collect();
    assert!(!ways.is_empty());
    ways
}

/// One way into a state that needs data of the user, and what is there then.
struct Case<'a> {
    target: StateId,
    from: StateId,
    /// What was agreed to before, and the word where it is asked for.
    before: Option<bool>,
    asked: bool,
    keys: &'a [&'a str],
    /// What comes of reading from the store, and the reason to go on without.
    outcome: &'static str,
    reason: &'static str,
    twin: MemoryTwin,
    /// What the state writes, where it does, and whether it fits its schema.
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

    /// What becomes of the effect, and why the dialogue goes on without. It depends on the word, the data and the store
    /// alone: one table for all branches.
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
                runner.session().return_state,
            )
        };
        turn(
            &mut runner,
            Some(self.target),
            Consent::default(),
            self.payload.clone(),
        );
        if self.before.is_none() {
            let (effects, why) = told(&runner);
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
        let (effects, why) = told(&runner);
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
            (instructions.without_data, Some(self.target))
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
            goes_on(
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
fn whatever_was_agreed_and_is_there_every_branch_behaves_the_same_and_goes_on() {
    let mut cases = 0;
    for (target, guide) in STUDENT.policies.guidance().unwrap().all() {
        let keys: Vec<&str> = guide
            .reads
            .iter()
            .map(|slot| STUDENT.names.slots.name(*slot))
            .collect();
        assert!(
            keys.is_empty() || guide.writes.is_none(),
            "tell here what a state does that reads and writes"
        );
        if keys.is_empty() && guide.writes.is_none() {
            continue;
        }
        for (from, before, asked) in ways_into(target) {
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
