//! Checks a recorded dialogue against the rules of a model without replaying it.

use std::collections::BTreeMap;

use super::check_context::CheckContext;
use super::dialogue_verdict::DialogueVerdict;
use super::finding::Finding;
use super::known_frames::KnownFrames;
use super::property_watch::PropertyWatch;
use super::reachability::Reachability;
use super::rules::{RULES, property};
use super::shadow_session::ShadowSession;
use crate::verify::import::{BorrowedJson, ObservedDialogue, ObservedTurn};
use fsmsim_core::engine::{Machine, Settings};
use fsmsim_core::trace::RecordField;

/// The verdict on a dialogue. `settings` contains the settings at the start of the dialogue.
pub fn verify_structure(
    reachability: &Reachability,
    settings: &Settings,
    dialogue: &ObservedDialogue<'_>,
) -> DialogueVerdict {
    let machine = &reachability.machine;
    let start = dialogue.start.as_ref().unwrap_or(&BorrowedJson::Null);
    let mut shadow = ShadowSession::new(machine, start);
    let mut watch = PropertyWatch::new(machine, dialogue.name);
    let mut findings = Vec::new();
    let mut not_checked = BTreeMap::new();
    for turn in &dialogue.turns {
        let state = (&mut shadow, &mut watch);
        check_turn(
            reachability,
            settings,
            dialogue.name,
            turn,
            state,
            &mut findings,
        );
        for field in turn.mistyped() {
            *not_checked.entry(field.name()).or_default() += 1;
        }
    }
    watch.end(is_over(machine, dialogue), &mut findings);
    DialogueVerdict {
        not_checked,
        ..watch.verdict(dialogue.turns.len(), findings)
    }
}

/// Checks a turn, and updates what is known about the session and the properties.
pub(super) fn check_turn<'t>(
    reachability: &'t Reachability,
    settings: &'t Settings,
    dialogue: &'t str,
    turn: &'t ObservedTurn<'t>,
    (shadow, watch): (&mut ShadowSession<'t>, &mut PropertyWatch<'_>),
    findings: &mut Vec<Finding>,
) {
    let machine = &*reachability.machine;
    if turn.after_gap || turn.number != shadow.turns + 1 {
        shadow.forget();
    }
    shadow.begin(turn, machine, settings);
    let frames = match turn.map(RecordField::Frames) {
        Some(recorded) => KnownFrames::after(recorded, shadow.frames.as_ref()),
        None => turn
            .field(RecordField::Points)
            .and_then(|listed| KnownFrames::listed(listed, machine)),
    };
    let context = CheckContext {
        dialogue,
        reachability,
        settings,
        shadow,
        now: turn,
        frames: frames.as_ref(),
        from: turn.from().or(shadow.state),
        to: turn.to(),
    };
    for rule in RULES {
        rule(&context, findings);
    }
    watch.look(turn.number, turn.line, property::sights(&context), findings);
    shadow.end(turn, frames, machine);
}

/// Whether a dialogue has ended after its last turn, as recorded, or else according to the state in the model.
fn is_over(machine: &Machine, dialogue: &ObservedDialogue<'_>) -> bool {
    dialogue.turns.last().is_some_and(|turn| {
        turn.is_final().unwrap_or_else(|| {
            machine
                .state_id(turn.to())
                .is_some_and(|state| machine.state(state).is_final)
        })
    })
}
