//! Holds a recorded dialogue against the constraints of a model, without playing it.

use super::check_context::CheckContext;
use super::finding::Finding;
use super::known_frames::KnownFrames;
use super::reachability::Reachability;
use super::rules::RULES;
use super::shadow_session::ShadowSession;
use crate::engine::Settings;
use crate::trace::RecordField;
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
    for turn in &dialogue.turns {
        shadow.begin(turn, machine, settings);
        let from = turn.from().or(shadow.state);
        let (name, to) = (dialogue.name, turn.to());
        let told = turn.map(RecordField::Frames);
        let frames = told.and_then(|told| KnownFrames::after(told, shadow.frames.as_ref()));
        let (shown, frames_after) = (&shadow, frames.as_ref());
        let context = CheckContext {
            dialogue: name,
            reachability,
            settings,
            shadow: shown,
            now: turn,
            frames: frames_after,
            from,
            to,
        };
        for rule in RULES {
            rule(&context, &mut findings);
        }
        shadow.end(turn, frames, machine);
    }
    findings
}
