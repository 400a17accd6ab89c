//! The verdict about a dialogue of a recorded trace, as a JSON line.

use std::collections::BTreeMap;

use serde::Serialize;

use fsmsim_core::machine::Profile;
use fsmsim_harness::verify::{DialogueVerdict, Finding};

/// The verdict about a dialogue, as a JSON line. It does not depend on earlier dialogues of the file, so that all
/// shards together produce the same lines as the complete file.
#[derive(Clone, Debug, Serialize)]
pub struct VerdictLine<'d> {
    dialogue: &'d str,
    /// The name of the trace, if there are several.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub file: Option<&'d str>,
    /// The profile of the verification.
    profile: Option<&'static str>,
    /// `conforms`, `violates`, `known` or `invalid`.
    verdict: &'static str,
    /// The number of turns.
    turns: Option<usize>,
    /// The number of turns in which each field has a wrong type, so that it was not checked.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    not_checked: BTreeMap<&'static str, u64>,
    findings: Vec<VerdictFinding>,
    /// The number of known findings, which are not listed.
    #[serde(skip_serializing_if = "is_zero")]
    known: u64,
}

#[expect(
    clippy::trivially_copy_pass_by_ref,
    reason = "serde passes a reference"
)]
fn is_zero(number: &u64) -> bool {
    *number == 0
}

/// A finding about a turn.
#[derive(Clone, Debug, Serialize)]
struct VerdictFinding {
    turn: Option<u32>,
    #[serde(flatten)]
    finding: Finding,
}

impl<'d> VerdictLine<'d> {
    /// The line for the dialogue with this name; without a verdict it is invalid.
    pub fn of(
        dialogue: &'d str,
        profile: Option<Profile>,
        verdict: Option<DialogueVerdict>,
    ) -> Self {
        let turns = verdict.as_ref().map(|verdict| verdict.turns);
        let word = match &verdict {
            None => "invalid",
            Some(verdict) if verdict.findings.is_empty() && verdict.known > 0 => "known",
            Some(verdict) if verdict.findings.is_empty() => "conforms",
            Some(_) => "violates",
        };
        let DialogueVerdict {
            findings,
            not_checked,
            known,
            ..
        } = verdict.unwrap_or_default();
        let findings = findings.into_iter().map(|finding| VerdictFinding {
            turn: finding.at.as_ref().map(|at| at.turn),
            finding,
        });
        Self {
            dialogue,
            file: None,
            profile: profile.map(Profile::name),
            verdict: word,
            turns,
            not_checked,
            findings: findings.collect(),
            known,
        }
    }
}
