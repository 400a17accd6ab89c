//! Records what somebody is asked and what comes of it.

use std::collections::BTreeSet;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use super::cassette::{LIMIT, header_of};
use super::interaction::Interaction;
use super::redactions::Redactions;
use crate::diagnostic::{Code, Diagnostic, Diagnostics};
use crate::files::HeldFile;
use crate::llm::answerer::{Answerer, AnswererReply, Attempt, Request};
use crate::llm::answerer_config::DialogueKey;
use crate::llm::prompt::{Prompt, PromptTemplates};

/// The cassettes that dialogues of a run are recorded to.
///
/// Two dialogues with one cassette are a mistake that is told elsewhere, in the order of the dialogues; until then the
/// second one leaves the file of the first alone.
#[derive(Clone, Debug, Default)]
pub struct PathClaims(Arc<Mutex<BTreeSet<PathBuf>>>);

impl PathClaims {
    /// Whether nobody claimed this file before.
    fn claim(&self, path: &Path) -> bool {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).insert(path.to_path_buf())
    }
}

/// Asks somebody else and records it: to `NAME.jsonl.new` as it goes, which becomes the cassette when the dialogue is over.
/// A run that is broken off, or in which nobody answered, leaves the old cassette as it was; a dialogue in which nobody
/// was asked leaves no file.
pub struct Recorder {
    inner: Box<dyn Answerer>,
    dialogue: String,
    path: PathBuf,
    redactions: Arc<Redactions>,
    /// What a project says in place of the built-in words.
    prompts: PromptTemplates,
    claims: PathClaims,
    state: RecordingState,
    /// Something was asked to which nobody had an answer.
    gap: bool,
}

/// What is being written.
enum RecordingState {
    /// Nothing was asked yet.
    NotStarted,
    /// The file in the making, and its length.
    Open(HeldFile, u64),
    /// The file belongs to another dialogue.
    Foreign,
    /// Writing failed.
    Failed(io::Error),
}

impl Recorder {
    /// A recorder of the dialogue with this name to the cassette at `path`.
    pub fn new(
        inner: Box<dyn Answerer>,
        dialogue: &str,
        path: &Path,
        redactions: Arc<Redactions>,
        claims: PathClaims,
    ) -> Self {
        let (dialogue, path) = (dialogue.to_owned(), path.to_path_buf());
        let (prompts, state) = (PromptTemplates::default(), RecordingState::NotStarted);
        Self { inner, dialogue, path, redactions, prompts, claims, state, gap: false }
    }

    /// The same, with what a project says in place of the built-in words.
    #[must_use]
    pub fn asking_by(self, prompts: PromptTemplates) -> Self {
        Self { prompts, ..self }
    }

    /// The file in the making.
    fn unfinished(&self) -> PathBuf {
        let name = self.path.file_name().unwrap_or_default().to_string_lossy();
        self.path.with_file_name(format!("{name}.new"))
    }

    fn begin(&self) -> RecordingState {
        if !self.claims.claim(&self.path) {
            return RecordingState::Foreign;
        }
        match HeldFile::begin(&self.unfinished()) {
            Ok(Some(file)) => write_line(file, 0, &header_of(&self.dialogue)),
            Ok(None) => RecordingState::Failed(io::Error::other("another run is recording it")),
            Err(error) => RecordingState::Failed(error),
        }
    }

    /// The finding about an old cassette that stays, since the new one has a gap.
    fn kept(&self) -> Diagnostic {
        let (old, new) = (self.path.display().to_string(), self.unfinished().display().to_string());
        let title = format!("nobody answered, so the cassette `{old}` stays as it was");
        Diagnostic::warning(Code::CassetteKept, title)
            .about(old)
            .help(format!("what was recorded stands in `{new}`; record again, or rename it"))
    }

    fn keep(&mut self, interaction: &Interaction) {
        let state = match std::mem::replace(&mut self.state, RecordingState::NotStarted) {
            RecordingState::NotStarted => self.begin(),
            state => state,
        };
        self.state = match state {
            RecordingState::Open(file, length) => match line_of(interaction) {
                Ok(line) => write_line(file, length, &line),
                Err(error) => give_up(file, error),
            },
            state => state,
        };
    }

    fn close(&mut self, found: &mut Diagnostics) -> io::Result<()> {
        match std::mem::replace(&mut self.state, RecordingState::NotStarted) {
            RecordingState::NotStarted | RecordingState::Foreign => Ok(()),
            RecordingState::Open(file, _) => {
                if self.gap && self.path.exists() {
                    found.push(self.kept());
                    return Ok(());
                }
                file.finish(&self.path)
            }
            RecordingState::Failed(error) => Err(error),
        }
    }
}

/// The line of an interaction. What cannot be read back would only be missed when it is needed.
fn line_of(interaction: &Interaction) -> io::Result<String> {
    let line = interaction.line();
    match Interaction::read(&line) {
        Ok(read) if read == *interaction => Ok(line),
        Ok(_) => Err(io::Error::other("an answer is not the same when it is read again")),
        Err((reason, _)) => Err(io::Error::other(reason)),
    }
}

/// Writes a line, at once, so that a run that is broken off shows how far it came.
fn write_line(mut file: HeldFile, length: u64, line: &str) -> RecordingState {
    let line = format!("{line}\n");
    let length = length + line.len() as u64;
    if length > LIMIT {
        let limit = LIMIT >> 20;
        return give_up(file, io::Error::other(format!("it would have more than {limit} MiB")));
    }
    match file.append(&line) {
        Ok(()) => RecordingState::Open(file, length),
        Err(error) => give_up(file, error),
    }
}

/// What was written is of no use to anybody.
fn give_up(file: HeldFile, error: io::Error) -> RecordingState {
    file.discard();
    RecordingState::Failed(error)
}

impl Answerer for Recorder {
    fn answer(&mut self, request: &Request<'_>, failed: &mut Vec<Attempt>) -> Option<AnswererReply> {
        let before = failed.len();
        let reply = self.inner.answer(request, failed);
        let prompt = self.redactions.mask(Prompt::with(&request.task, &self.prompts));
        let attempts = failed.get(before..).unwrap_or_default();
        self.gap |= reply.is_none();
        self.keep(&Interaction::new(request, prompt, attempts, reply.as_ref()));
        reply
    }

    fn rewind(&mut self, key: &DialogueKey<'_>) {
        self.inner.rewind(key);
    }

    fn finish(&mut self, found: &mut Diagnostics) {
        self.inner.finish(found);
        if let Err(error) = self.close(found) {
            let path = self.path.display().to_string();
            let title = format!("the cassette `{path}` cannot be written: {error}");
            let help = "check the rights of the folder; the old cassette, if there is one, is as it was";
            found.push(Diagnostic::error(Code::CannotWrite, title).about(path).help(help));
        }
    }
}
