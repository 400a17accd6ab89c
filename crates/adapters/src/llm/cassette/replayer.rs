//! Replays a cassette only.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::cassette::Cassette;
use super::interaction::hash_of;
use super::nearest::SimilarEntry;
use super::redactions::Redactions;
use crate::llm::answer_failure::FailureKind;
use crate::llm::answerer::{Answerer, AnswererReply, Attempt, Request};
use fsmsim_syntax::diagnostic::{Code, Diagnostic, Diagnostics};

/// Replays a cassette. A request that was not recorded has no answer, and no other provider is called: a replay fails
/// closed.
///
/// The cassette is loaded with the first request, so a dialogue without requests needs no cassette. Equal requests in a
/// turn use their recordings in order, each recording once.
pub struct Replayer {
    dialogue: String,
    path: PathBuf,
    /// The command that records the dialogue again.
    again: String,
    redactions: Arc<Redactions>,
    state: ReplayState,
    /// The note for a dialogue without recordings.
    elsewhere: Option<String>,
    found: Diagnostics,
}

/// The state of a replay.
enum ReplayState {
    /// No request was made yet.
    Unread,
    /// The cassette, and for each interaction whether it was used.
    Loaded(Cassette, Vec<bool>),
    /// The cassette is missing or invalid, for this reason.
    Missing(String),
}

impl Replayer {
    /// Creates a replayer for the dialogue with this name and the cassette at `path`. The command `again` records it.
    pub fn new(dialogue: &str, path: &Path, again: &str, redactions: Arc<Redactions>) -> Self {
        Self {
            dialogue: dialogue.to_owned(),
            path: path.to_path_buf(),
            again: again.to_owned(),
            redactions,
            state: ReplayState::Unread,
            elsewhere: None,
            found: Diagnostics::default(),
        }
    }

    /// Replays a dialogue of a simulation from these recordings. `dialogues` is the number of recorded dialogues of its
    /// persona.
    pub(super) fn holding(mut self, cassette: Cassette, dialogues: usize, persona: &str) -> Self {
        if cassette.interactions.is_empty() {
            self.elsewhere = Some(match dialogues {
                0 => format!("no dialogue of `{persona}` was recorded"),
                1 => format!("one other dialogue of `{persona}` was recorded"),
                _ => {
                    format!("{dialogues} other dialogues of `{persona}` were recorded")
                }
            });
        }
        let used = vec![false; cassette.interactions.len()];
        self.state = ReplayState::Loaded(cassette, used);
        self
    }

    fn load(&mut self) -> ReplayState {
        let shown = self.path.display().to_string();
        // Reading reports a path that cannot be accessed.
        if matches!(self.path.try_exists(), Ok(false)) {
            let finding = Diagnostic::warning(
                Code::NotRecorded,
                format!("cannot find the cassette of `{}`", self.dialogue),
            )
            .about(shown.clone());
            self.found
                .push(finding.help(format!("record a cassette: {}", self.again)));
            return ReplayState::Missing(format!("cannot find the cassette `{shown}`"));
        }
        match Cassette::read(&self.path, &self.dialogue, &mut self.found) {
            Some(cassette) => {
                let used = vec![false; cassette.interactions.len()];
                ReplayState::Loaded(cassette, used)
            }
            None => ReplayState::Missing(format!("cannot load the cassette `{shown}`")),
        }
    }

    /// The recorded outcome of a request.
    fn find(
        &mut self,
        request: &Request<'_>,
        failed: &mut Vec<Attempt>,
    ) -> Result<Option<AnswererReply>, String> {
        if matches!(self.state, ReplayState::Unread) {
            self.state = self.load();
        }
        let (cassette, used) = match &mut self.state {
            ReplayState::Loaded(cassette, used) => (cassette, used),
            ReplayState::Missing(why) => return Err(why.clone()),
            ReplayState::Unread => return Err(FailureKind::NotRecorded.sentence().to_owned()),
        };
        let turn = request.turn;
        let need = request.task.kind();
        let asked = self
            .redactions
            .request(&request.task)
            .map_err(|failure| failure.sentence())?;
        let hash = hash_of(&asked);
        let interactions = &cassette.interactions;
        let next = interactions
            .iter()
            .zip(used.iter_mut())
            .find(|(interaction, used)| !**used && interaction.is_for(turn, need, &hash));
        if let Some((interaction, used)) = next {
            *used = true;
            return Ok(interaction.outcome(failed));
        }
        let why = format!(
            "the cassette has no recording of `{}` in turn {turn}",
            need.name()
        );
        let miss = SimilarEntry {
            turn,
            need,
            asked: &asked,
        };
        let finding =
            Diagnostic::warning(Code::NotRecorded, format!("{why} of `{}`", self.dialogue))
                .about(self.path.display().to_string());
        let finding = match &self.elsewhere {
            Some(elsewhere) => finding.note(elsewhere.clone()),
            None => miss.explain(interactions, finding),
        };
        self.found
            .push(finding.help(format!("record the missing requests: {}", self.again)));
        Err(why)
    }
}

impl Answerer for Replayer {
    fn answer(
        &mut self,
        request: &Request<'_>,
        failed: &mut Vec<Attempt>,
    ) -> Option<AnswererReply> {
        self.find(request, failed).unwrap_or_else(|reason| {
            failed.push(Attempt::new("cassette", FailureKind::NotRecorded, reason));
            None
        })
    }

    fn finish(&mut self, found: &mut Diagnostics) {
        found.extend(std::mem::take(&mut self.found));
    }
}
