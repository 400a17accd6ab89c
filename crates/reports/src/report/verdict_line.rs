//! What is said of a dialogue of a recorded trace, as a line of JSON.

use serde::Serialize;

use fsmsim_core::machine::Profile;
use fsmsim_harness::verify::{DialogueVerdict, Finding};

/// What is said of a dialogue, as a line of JSON. Nothing in it depends on what stands before the dialogue in its file, so
/// that the lines of the parts of a file are those of the file.
#[derive(Clone, Debug, Serialize)]
pub struct VerdictLine<'d> {
    /// Its name.
    dialogue: &'d str,
    /// The profile in which it was looked at.
    profile: Option<&'static str>,
    /// `keeps`, `breaks` or `unusable`.
    verdict: &'static str,
    /// How many turns it has.
    turns: Option<usize>,
    /// What speaks against it.
    findings: Vec<VerdictFinding>,
}

/// What speaks against a turn.
#[derive(Clone, Debug, Serialize)]
struct VerdictFinding {
    turn: Option<u32>,
    #[serde(flatten)]
    finding: Finding,
}

impl<'d> VerdictLine<'d> {
    /// What is said of the dialogue of this name; nothing where it cannot be used.
    pub fn of(
        dialogue: &'d str,
        profile: Option<Profile>,
        verdict: Option<DialogueVerdict>,
    ) -> Self {
        let turns = verdict.as_ref().map(|verdict| verdict.turns);
        let word = match &verdict {
            None => "unusable",
            Some(verdict) if verdict.findings.is_empty() => "keeps",
            Some(_) => "breaks",
        };
        let findings = verdict.into_iter().flat_map(|verdict| verdict.findings);
        let findings = findings.map(|finding| VerdictFinding {
            turn: finding.at.as_ref().map(|at| at.turn),
            finding,
        });
        Self {
            dialogue,
            profile: profile.map(Profile::name),
            verdict: word,
            turns,
            findings: findings.collect(),
        }
    }
}
