//! `fsmsim explore`: the questions that are asked of every model.

use serde_json::Value;

use crate::support::Project;

/// A user who says the name or starts again stays in `form`. Only words that are not understood leave it.
const FORM: &str = "\
flow: {name: form, policy: plain, entry_points: {default: hall}}
intents:
  start: {description: Start}
  leave: {description: Leave}
states:
  hall: {transitions: {start: form, leave: over}}
  form: {required_data: [name], transitions: {start: form, unclear: help}}
  help: {transitions: {start: form, leave: over}}
  over: {is_final: true}
slots: {name: {type: text}}
";

/// The gate of `save_note` does not apply to `store_note`.
const NOTES: &str = "\
flow: {name: notes, policy: plain, entry_points: {default: hall}}
intents:
  save: {description: Save, examples: [save it]}
  store: {description: Store, examples: [store it]}
  leave: {description: Leave, examples: [bye]}
conditions:
  is_short: {expression: {payload: note, is: short}}
effects:
  save_note:
    does: write
    gates: [{when: is_short, or: too_long, says: the note is too long}]
    outcomes: {too_long: {hold: true}}
  store_note: {does: write}
slots: {note: {values: [short, long]}}
states:
  hall:
    transitions:
      save: {then: hall, sets: {note: {said: note}}, effects: [{effect: save_note, with: {note: {slot: note}}}]}
      store: {then: hall, effects: [{effect: store_note, with: {note: {slot: note}}}]}
      leave: over
  over: {is_final: true}
";

/// The outcome `error` copies a field of the frame that `SORRY` forbids.
const CHAIRS: &str = "\
kind: contract
contract: {name: shop, version: \"1\"}
modes: {talk: {}, over: {final: true}}
initial: talk
frames:
  item: {carried: object, fields: {ref: text}}
  gate: {fields: {route: [search]}}
intents: {pick: {}, look: {}, leave: {}}
classes:
  PICK:
    {title: Picks, owner: item, intent: pick, requires: nothing, carryover: full, forbids: [], sets: {item.ref: chair}, answers: meta, mode: talk}
  LOOK:
    {title: Looks, owner: gate, intent: look, requires: {frame: item, active: true}, carryover: full, forbids: [], sets: {gate.route: search}, executes: gate.route, answers: confirmed, mode: talk}
  SORRY:
    {title: Apologizes, owner: gate, when: {outcome: error}, requires: nothing, carryover: full, forbids: [item], sets: {}, answers: unsupported, mode: talk}
  LEAVE:
    {title: Leaves, owner: gate, intent: leave, requires: nothing, carryover: full, forbids: [], sets: {}, answers: meta, mode: over}
outcomes:
  rows: {answer: confirmed}
  error: {answer: unsupported, becomes: SORRY, sets: {item.ref: {attempted: item.ref}}}
";

/// `PICK` and `AGAIN` match the same turn if an item is known.
const TWICE: &str = "\
kind: contract
contract: {name: shop, version: \"1\"}
modes: {talk: {}, over: {final: true}}
initial: talk
frames:
  item: {fields: {ref: [chair]}}
intents: {pick: {}, again: {}, leave: {}}
classes:
  PICK:
    {title: Picks, owner: item, intent: pick, requires: nothing, carryover: full, forbids: [], sets: {item.ref: chair}, answers: meta, mode: talk}
  AGAIN:
    {title: Picks again, owner: item, intent: [pick, again], requires: {frame: item.ref, filled: true}, carryover: full, forbids: [], sets: {item.ref: chair}, answers: meta, mode: talk}
  LEAVE:
    {title: Leaves, owner: item, intent: leave, requires: nothing, carryover: full, forbids: [], sets: {}, answers: meta, mode: over}
outcomes: {}
";

/// The interview ends after one question. It asks about the hotel only after two other points.
const TRIP: &str = "\
kind: interview
interview: {name: trip, description: Finds out what a traveller wants}
limits: {questions: 1, follow_ups: 1}
points:
  where: {name: the place, about: Where, priority: P0, questions: [Where?], criteria: {min_length: 4}}
  when: {name: the dates, about: When, priority: P0, questions: [When?], criteria: {min_length: 4}}
  hotel: {name: the hotel, priority: P2, questions: [Which hotel?]}
";

/// The verdict about a subject, and the number of turns of the dialogue that shows it.
fn answer(model: &str, more: &[&str], question: &str, subject: &str) -> (String, Option<usize>) {
    let project = Project::new().file("model.yaml", model);
    let run = project
        .fsmsim(["explore", "model.yaml", "--format", "json"])
        .args(more)
        .run();
    let report: Value = serde_json::from_str(&run.stdout).unwrap();
    let answers = report["answers"].as_array().unwrap();
    let is_wanted =
        |answer: &&Value| answer["question"] == question && answer["subject"] == subject;
    let answer = answers.iter().find(is_wanted);
    let answer = answer.unwrap_or_else(|| panic!("{question} {subject}: {}", run.stdout));
    assert_eq!(answer["played"], true, "{answer}");
    let turns = answer["witness"].as_array().map(Vec::len);
    (answer["verdict"].as_str().unwrap().to_owned(), turns)
}

#[test]
fn question_that_no_answer_of_the_user_ends_is_endless() {
    let found = answer(FORM, &[], "endless_question", "form");
    assert_eq!(found, ("found".into(), Some(2)));
    let right = FORM.replace("start: form, unclear", "data_complete: over, unclear");
    let found = answer(&right, &[], "endless_question", "");
    assert_eq!(found, ("proved".into(), None));
}

#[test]
fn effect_without_the_gates_of_another_effect_bypasses_them() {
    let found = answer(NOTES, &[], "bypassed_gate", "store_note");
    assert_eq!(found, ("found".into(), Some(1)));
    let right = NOTES.replace(
        "{effect: store_note, with: {note:",
        "{effect: store_note, with: {time:",
    );
    let found = answer(&right, &[], "bypassed_gate", "");
    assert_eq!(found, ("proved".into(), None));
}

#[test]
fn frame_that_survives_a_class_that_forbids_it_is_found() {
    let found = answer(CHAIRS, &[], "contract_violation", "illegal_carryover");
    assert_eq!(found, ("found".into(), Some(2)));
    let right = CHAIRS.replace(", sets: {item.ref: {attempted: item.ref}}}", "}");
    let (verdict, _) = answer(&right, &[], "contract_violation", "");
    assert_ne!(verdict, "found");
}

#[test]
fn turn_that_two_classes_match_is_contradictory() {
    let found = answer(TWICE, &[], "contradictory_rules", "PICK, AGAIN");
    assert_eq!(found, ("found".into(), Some(2)));
    let right = TWICE.replace("intent: [pick, again]", "intent: again");
    let found = answer(&right, &[], "contradictory_rules", "");
    assert_eq!(found, ("proved".into(), None));
}

#[test]
fn point_that_the_limit_of_questions_excludes_is_never_asked() {
    let project = Project::new().file("model.yaml", TRIP);
    let run = project
        .fsmsim(["explore", "model.yaml", "--depth", "4"])
        .run();
    let line = "open with the tried values: no dialogue asks about the point `hotel`";
    assert!(run.stdout.contains(line), "{}", run.stdout);
    let right = TRIP.replace("questions: 1,", "questions: 10,");
    let (verdict, _) = answer(&right, &["--depth", "4"], "unasked_point", "");
    assert_eq!(verdict, "proved");
}

#[test]
fn depth_bound_is_not_reached_if_all_dialogues_have_ended() {
    let right = FORM.replace("start: form, unclear", "data_complete: over, unclear");
    let complete = right.replace("unclear: help", "leave: over");
    let (verdict, _) = answer(&complete, &["--depth", "2"], "unreachable_final_state", "");
    assert_eq!(verdict, "proved");
    let (verdict, _) = answer(&complete, &["--depth", "2"], "trap", "");
    assert_eq!(verdict, "proved");
    let (verdict, _) = answer(&complete, &["--depth", "1"], "trap", "");
    assert_eq!(verdict, "not_found");
}

/// No input leaves the hut, and no dialogue reaches the end.
const HUT: &str = "\
flow: {name: hut, policy: plain, entry_points: {default: hall}}
intents:
  go: {description: Go}
  leave: {description: Leave}
states:
  hall: {transitions: {go: hut, leave: over}}
  hut: {goal: stay}
  over: {is_final: true}
  end: {is_final: true}
";

#[test]
fn dead_end_refutes_that_the_dialogue_can_always_end() {
    let project = Project::new().file("hut.yaml", HUT);
    let explore = |rest: &[&str]| {
        let arguments = [&["explore", "hut.yaml"], rest].concat();
        project.fsmsim(arguments).run()
    };
    let run = explore(&[]);
    for absent in ["the dialogue can always end", "every state is reachable"] {
        assert!(!run.stdout.contains(absent), "{run}");
    }
    for name in ["always-a-way-out", "every-state-reachable"] {
        assert_eq!(explore(&["--require", name]).code, 1, "{name}");
    }
    let unrelated = "every-transition-reachable";
    assert_eq!(explore(&["--require", unrelated]).code, 0, "{unrelated}");
}
