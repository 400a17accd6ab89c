//! Holds a recorded dialogue against the constraints of a model, without playing it.

use super::check_context::{CheckContext, RuleBreach};
use super::finding::Finding;
use super::reachability::Reachability;
use super::rules::RULES;
use super::shadow_session::ShadowSession;
use crate::engine::Settings;
use crate::verify::import::{BorrowedJson, ObservedDialogue};

/// All findings about a dialogue. `settings` are those with which it started.
pub fn verify_structure(
    reachability: &Reachability,
    settings: &Settings,
    dialogue: &ObservedDialogue<'_>,
) -> Vec<Finding> {
    let machine = reachability.machine();
    let start = dialogue.start.as_ref().unwrap_or(&BorrowedJson::Null);
    let mut shadow = ShadowSession::new(machine, start);
    let mut findings = Vec::new();
    let mut breaches: Vec<RuleBreach> = Vec::new();
    for turn in &dialogue.turns {
        shadow.begin(turn, machine, settings);
        let from = turn.from().or(shadow.state);
        let context = CheckContext { reachability, settings, shadow: &shadow, now: turn, from, to: turn.to() };
        for rule in RULES {
            rule(&context, &mut breaches);
        }
        findings.extend(breaches.drain(..).map(|breach| Finding {
            dialogue: dialogue.name.to_owned(),
            turn: turn.number,
            line: turn.line,
            rule: breach.rule,
            field: None,
            found: breach.found,
            declared: breach.declared,
            place: breach.place,
            also: Vec::new(),
            not_compared: 0,
        }));
        shadow.end(turn, machine);
    }
    findings
}
