//! The state of a REPL: the dialogue, as lines that are typed and text that is shown.

use std::sync::Arc;

use super::render;
use fsmsim_core::engine::{Machine, ScriptedTurn};
use fsmsim_core::machine::Profile;
use fsmsim_harness::rehearsal::{InputLine, LoadedDialogue, Rehearsal, RehearsalError};
use fsmsim_runtime::runtime::{DialogueRunner, MAIN_BRANCH};
use fsmsim_runtime::script::AcceptedInputs;
use fsmsim_syntax::diagnostic::{Checked, Diagnostic, Diagnostics};
use fsmsim_syntax::terminal::printable;

/// A dialogue that a person plays line by line.
pub struct Repl {
    pub(super) rehearsal: Rehearsal,
    /// What is played before anything is typed.
    first: Option<LoadedDialogue>,
    /// Why the dialogue cannot be kept any more.
    failure: Option<Box<Diagnostic>>,
}

/// What a line came to.
#[derive(Debug, PartialEq, Eq)]
pub enum ReplReply {
    /// Text to show.
    Show(String),
    /// A turn was played, or several were: what is to be said before it, the turn for people, and the records of the turns as
    /// lines of JSON.
    Played {
        /// What is to be said before it.
        notes: String,
        /// The turn for people.
        shown: String,
        /// What is to be said behind it.
        after: String,
        /// The records as lines of JSON.
        records: String,
    },
    /// The line was not understood: why.
    Refuse(String),
    /// The end.
    Quit,
}

impl Repl {
    /// A REPL over this dialogue.
    pub fn over(rehearsal: Rehearsal) -> Self {
        Self {
            rehearsal,
            first: None,
            failure: None,
        }
    }

    /// A REPL over a dialogue that begins on this machine; `start` is what a scenario has under `start`. Where it is
    /// `permissive`, moves are taken that no state declares, whatever `start` says.
    ///
    /// # Errors
    /// The findings about `start` as text.
    pub fn new(machine: &Arc<Machine>, start: &str, permissive: bool) -> Result<Self, String> {
        Rehearsal::new(machine, start, permissive).map(Self::over)
    }

    /// The same where this dialogue is played before anything is typed. It starts as this one does.
    pub fn beginning_with(mut self, loaded: LoadedDialogue) -> Self {
        self.first = Some(loaded);
        self
    }

    pub fn dialogue(&self) -> &DialogueRunner {
        self.rehearsal.dialogue()
    }

    /// The dialogue with its branches.
    pub fn rehearsal(&self) -> &Rehearsal {
        &self.rehearsal
    }

    /// The end: why it could not go on, and what whoever was asked has to say about it, and keeps of it.
    pub fn finish(self, found: &mut Diagnostics) {
        if let Some(failure) = self.failure {
            found.push(*failure);
        }
        self.rehearsal.finish(found);
    }

    /// Takes a line.
    pub fn take(&mut self, line: &str) -> ReplReply {
        if let Err(why) = self.rehearsal.note_line(line) {
            return self.fail(why);
        }
        let news = match self.reload_if_edited() {
            Ok(news) => news,
            Err(why) => return self.fail(why),
        };
        match self.take_now(line) {
            Ok(mut reply) => {
                if let ReplReply::Show(text) | ReplReply::Played { notes: text, .. } = &mut reply {
                    text.insert_str(0, &news);
                }
                reply
            }
            Err(RehearsalError::Refused(reason)) if news.is_empty() => ReplReply::Refuse(reason),
            Err(RehearsalError::Refused(reason)) => ReplReply::Show(news + &render::note(&reason)),
            Err(RehearsalError::Lost(why)) => self.fail(why),
        }
    }

    fn take_now(&mut self, line: &str) -> Result<ReplReply, RehearsalError> {
        match self.rehearsal.read(line)? {
            InputLine::Empty => Ok(ReplReply::Show(String::new())),
            InputLine::Turn(turn) => Ok(self.play(line, *turn)?),
            InputLine::Command(name, rest) => self.command(&name, &rest, line),
        }
    }

    /// Plays the turn of a line.
    pub(super) fn play(&mut self, line: &str, turn: ScriptedTurn) -> Checked<ReplReply> {
        let played = self.rehearsal.play(line, turn)?;
        let notes = played.former.map_or(String::new(), |former| {
            render::note(&format!("what came next is kept as the branch `{former}`"))
        });
        let shown = self.rehearsal.last_turn();
        let outcome = shown.as_ref().and_then(|view| view.record.outcome.as_ref());
        let ended = outcome.is_some_and(|outcome| outcome.is_final);
        let after = if ended {
            render::note(
                "`:undo` goes back a turn, `:reset` starts again, `:save FILE` saves the dialogue as a scenario",
            )
        } else {
            String::new()
        };
        Ok(ReplReply::Played {
            notes,
            shown: shown.map_or(String::new(), |view| render::record(&view)),
            after,
            records: played.record + "\n",
        })
    }

    /// What comes before the first line: the turns of a dialogue that was loaded; what the agent said last, where one goes on.
    pub(super) fn first_words(&mut self) -> ReplReply {
        if let Some(loaded) = self.first.take() {
            return self
                .play_loaded(loaded)
                .unwrap_or_else(|why| self.fail(why));
        }
        ReplReply::Show(
            self.rehearsal
                .take_open_question()
                .map(|said| render::said(&said))
                .unwrap_or_default(),
        )
    }

    /// The line that comes before those of the person.
    pub(super) fn first_line(&mut self) -> Option<String> {
        self.rehearsal.first_line()
    }

    /// The format of a line, for a person who has not typed one yet.
    pub fn line_format(&self) -> &'static str {
        let accepted = AcceptedInputs::of(self.dialogue().machine());
        match (accepted.moves, accepted.phrases) {
            (true, _) => "`text / state`",
            (false, true) => "what the user says, `text / intent`",
            (false, false) => "`text / intent`",
        }
    }

    /// The text before a line: the state, the branch unless it is the first one, and the profile unless it is the default.
    pub fn prompt(&self) -> String {
        let mut prompt = printable(self.state());
        let (branch, profile) = (
            self.rehearsal.tree().branch(),
            self.dialogue().settings().profile,
        );
        if branch != MAIN_BRANCH {
            prompt = format!("{prompt} ({})", printable(branch));
        }
        if profile != Profile::default() {
            prompt = format!("{prompt} [{}]", profile.name());
        }
        prompt + " > "
    }

    /// The state in which the dialogue is.
    pub fn state(&self) -> &str {
        self.rehearsal.state()
    }

    /// What is not kept is not shown either: the dialogue ends here, and goes on where it was kept last.
    fn fail(&mut self, why: Box<Diagnostic>) -> ReplReply {
        self.failure = Some(why);
        ReplReply::Quit
    }

    /// Begins again, as another session, with the opening where there is one.
    pub(super) fn reset(&mut self, start: &str) -> Result<ReplReply, RehearsalError> {
        self.rehearsal.begin_again(start)?;
        Ok(self
            .first_line()
            .map_or_else(|| ReplReply::Show(String::new()), |line| self.take(&line)))
    }
}
