//! Conflicts recorded from the bot of the profile `reference`, decided again. They are data beside the project: where
//! `FSMSIM_CONFORMANCE` does not name their folder, the test says so and passes over them.
//!
//! The ranks are given there, so what is tested is the decision alone.

#![cfg(test)]

use serde_json::{Value, json};

use super::PolicyList;
use super::blackboard::{Blackboard, Proposal, Proposed, Reason};
use super::condition::TurnContext;
use super::decision::Merge;
use super::io::Input;
use super::policy::assemble;
use super::resolve::{decide, rejected, resolve, winners};
use super::session::{Session, Settings};
use crate::engine::Machine;
use crate::machine::{
    ActionId, Id, IntentId, Level, MachineBuilder, MachineHeader, Origin, Profile, SourceMask,
    StateId, Target, UNRANKED,
};
use fsmsim_syntax::diagnostic::{SourceMap, Span};
use fsmsim_syntax::terminal::Joined;

/// A machine with the states of the vectors; `s3` is only a name. `cur` has the transition for any input.
fn machine(any: Option<&str>) -> Machine {
    let mut files = SourceMap::default();
    let span = Span::start_of(files.add("vector", ""));
    let mut builder = MachineBuilder::default();
    builder.well_known.continue_goal = builder.action("continue_current_goal");
    for action in ["a1", "a2", "a3"] {
        builder.action(action);
    }
    for name in ["cur", "s1", "s2", "fb"] {
        let state = builder.state(name);
        builder.states[state].declared = true;
    }
    builder.state("s3");
    let initial = builder.state("cur");
    if let Some(name) = any {
        let origin = builder.origin(Origin::default());
        let (to, rule) = (builder.state(name), builder.rule(span, origin));
        builder.states[initial].any = Target::State(to, rule);
    }
    let settings = Settings::new(Profile::Reference.into(), SourceMask::ALL);
    assemble(
        builder,
        MachineHeader::default(),
        settings,
        initial,
        files,
        PolicyList::default(),
    )
}

/// The proposals of a vector: what, which, level, rank, source, reason, and whether there is room for a move beside it.
fn board(vector: &Value, machine: &Machine) -> Blackboard {
    let mut board = Blackboard::default();
    for (number, given) in vector["proposals"].as_array().unwrap().iter().enumerate() {
        let name = given[1].as_str().unwrap();
        // Reasons are told apart by the number of the proposal.
        let intent = IntentId::from_index(number);
        let (proposed, reason) = if given[0] == "A" {
            let action: ActionId = machine.names.actions.id(name).unwrap();
            (Proposed::Action(action), Reason::Rule(intent))
        } else {
            let state: StateId = machine.names.states.id(name).unwrap();
            (Proposed::Move(state), Reason::IntentTransition(intent))
        };
        let levels = [Level::Critical, Level::High, Level::Normal, Level::Low];
        let named = |level: &Level| {
            given[2]
                .as_str()
                .unwrap()
                .eq_ignore_ascii_case(level.name())
        };
        assert_eq!(
            (&given[4], &given[5]),
            (&json!(format!("S{number}")), &json!(format!("r{number}")))
        );
        board.add(Proposal {
            proposed,
            level: levels.into_iter().find(named).unwrap(),
            rank: given[3].as_i64().unwrap_or(UNRANKED),
            combinable: given[6].as_bool().unwrap(),
            by: None,
            reason,
            rule: None,
            mark: None,
        });
    }
    board
}

/// The decision in the words of the recording.
fn decided(turn: &TurnContext<'_>, board: &Blackboard) -> Value {
    let names = &turn.machine.names;
    let (action, to) = winners(board, false);
    let decision = decide(turn, board, action, to);
    let reasons: Vec<String> = decision
        .reasons()
        .map(|reason| match reason {
            Reason::Rule(number) | Reason::IntentTransition(number) => {
                format!("r{}", number.index())
            }
            Reason::FallbackAny => "fallback_any_transition".to_owned(),
            other => format!("{other:?}"),
        })
        .collect();
    let rejected: Vec<String> = rejected(board, &decision, false)
        .iter()
        .map(|number| format!("S{number}"))
        .collect();
    json!({
        "action": names.actions.name(decision.action),
        "next_state": names.states.name(decision.to),
        "reason_codes": reasons,
        "merge": decision.merge.name(),
        "fallback_applied": decision.notes.contains(&Reason::FallbackAny),
        "rejected": rejected,
    })
}

/// Whether the bot refuses a proposal as an error. (It also warns of a blocking action of the level `low`,
/// with which nothing happens.)
fn has_error(vector: &Value) -> bool {
    vector["validation"]
        .as_array()
        .unwrap()
        .iter()
        .any(|finding| finding[2] == "error")
}

#[test]
fn recorded_conflicts_are_decided_in_the_same_way() {
    let Some(folder) = std::env::var_os("FSMSIM_CONFORMANCE") else {
        eprintln!("skipped: FSMSIM_CONFORMANCE does not name the folder of recordings");
        return;
    };
    let path = std::path::PathBuf::from(folder).join("flow/_vec_conflict.jsonl");
    let text = std::fs::read_to_string(path).unwrap();
    let (mut compared, mut wrong) = (0, Vec::new());
    for line in text.lines() {
        let vector: Value = serde_json::from_str(line).unwrap();
        let machine = machine(vector["fallback"].as_str());
        let session = Session::new(&machine);
        let input = Input::default();
        let intent = IntentId::from_index(0);
        let turn = TurnContext::new(
            &machine,
            machine.settings(),
            &session,
            &session,
            &input,
            intent,
        );
        let mut board = board(&vector, &machine);
        let got = decided(&turn, &board);
        let differs = |(key, value): (&String, &Value)| vector[key] != *value;
        if got.as_object().unwrap().iter().any(differs) {
            wrong.push(format!("{vector}: got {got}"));
        }
        // The recorded decisions are those of the resolver alone, where a turn is given up before for an error.
        let whole = resolve(&turn, &mut board, true);
        if (whole.merge == Merge::Failed) != has_error(&vector) {
            wrong.push(format!(
                "{vector}: the whole turn is {}",
                whole.merge.name()
            ));
        }
        compared += 1;
    }
    let shown = wrong.iter().take(5).cloned().joined("\n");
    assert!(
        wrong.is_empty(),
        "{} of {compared} differ, among them\n{shown}",
        wrong.len()
    );
    assert_eq!(compared, 1000);
}
