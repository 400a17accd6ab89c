//! The state of a REPL: a dialogue with typed lines as input and text as output.

use std::sync::Arc;

use super::render;
use fsmsim_core::engine::{Machine, ScriptedTurn};
use fsmsim_core::machine::Profile;
use fsmsim_harness::interactive::{
    InputLine, InteractiveDialogue, InteractiveError, LoadedDialogue,
};
use fsmsim_runtime::runtime::{DialogueRunner, MAIN_BRANCH};
use fsmsim_runtime::script::AcceptedInputs;
use fsmsim_syntax::diagnostic::{Checked, Diagnostic, Diagnostics};
use fsmsim_syntax::terminal::printable;

/// A dialogue that the user runs line by line.
pub struct Repl {
    pub(super) interactive: InteractiveDialogue,
    /// The turns that run before the first typed line.
    first: Option<LoadedDialogue>,
    /// The error that ended saving the dialogue.
    failure: Option<Box<Diagnostic>>,
}

/// The reply to a line.
#[derive(Debug, PartialEq, Eq)]
pub enum ReplReply {
    Show(String),
    /// One or more turns ran.
    Played {
        /// Text to show before the turn.
        notes: String,
        /// The turn as text.
        shown: String,
        /// Text to show after the turn.
        after: String,
        /// The records as JSON Lines.
        records: String,
    },
    /// The line is invalid, for this reason.
    Refuse(String),
    Quit,
}

impl Repl {
    /// A REPL for a dialogue.
    pub fn over(interactive: InteractiveDialogue) -> Self {
        Self {
            interactive,
            first: None,
            failure: None,
        }
    }

    /// A REPL for a new dialogue on this machine; `start` has the syntax of `start` in a scenario. If it is
    /// `permissive`, undeclared transitions are accepted, regardless of `start`.
    ///
    /// # Errors
    /// Returns the findings about `start` as text.
    pub fn new(machine: &Arc<Machine>, start: &str, permissive: bool) -> Result<Self, String> {
        InteractiveDialogue::new(machine, start, permissive).map(Self::over)
    }

    /// Runs this dialogue before the first typed line. Both dialogues must have the same start.
    pub fn beginning_with(mut self, loaded: LoadedDialogue) -> Self {
        self.first = Some(loaded);
        self
    }

    pub fn dialogue(&self) -> &DialogueRunner {
        self.interactive.dialogue()
    }

    /// The dialogue with its branches.
    pub fn interactive(&self) -> &InteractiveDialogue {
        &self.interactive
    }

    /// Ends the dialogue. Adds the findings of its storage and its recognizer.
    pub fn finish(self, found: &mut Diagnostics) {
        if let Some(failure) = self.failure {
            found.push(*failure);
        }
        self.interactive.finish(found);
    }

    /// Processes a line.
    pub fn take(&mut self, line: &str) -> ReplReply {
        if let Err(why) = self.interactive.note_line(line) {
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
            Err(InteractiveError::Refused(reason)) if news.is_empty() => ReplReply::Refuse(reason),
            Err(InteractiveError::Refused(reason)) => {
                ReplReply::Show(news + &render::note(&reason))
            }
            Err(InteractiveError::Lost(why)) => self.fail(why),
        }
    }

    fn take_now(&mut self, line: &str) -> Result<ReplReply, InteractiveError> {
        match self.interactive.read(line)? {
            InputLine::Empty => Ok(ReplReply::Show(String::new())),
            InputLine::Turn(turn) if self.interactive.is_reopened_by(&turn) => Ok(ReplReply::Show(
                render::note("the dialogue is already open: `/ open` has no effect"),
            )),
            InputLine::Turn(turn) => Ok(self.play(line, *turn)?),
            InputLine::Command(name, rest) => self.command(&name, &rest, line),
        }
    }

    /// Runs the turn of a line.
    pub(super) fn play(&mut self, line: &str, turn: ScriptedTurn) -> Checked<ReplReply> {
        let played = self.interactive.play(line, turn)?;
        let notes = played.former.map_or(String::new(), |former| {
            render::note(&format!(
                "the undone turns are saved as the branch `{former}`"
            ))
        });
        let shown = self.interactive.last_turn();
        let outcome = shown.as_ref().and_then(|view| view.record.outcome.as_ref());
        let ended = outcome.is_some_and(|outcome| outcome.is_final);
        let after = if ended {
            render::note(
                "`:undo` undoes the last turn, `:reset` starts again, `:save FILE` saves the dialogue as a scenario",
            )
        } else if self.dialogue().unread().is_some() {
            let name = if AcceptedInputs::of(self.dialogue().machine()).moves {
                "state"
            } else {
                "intent"
            };
            render::note(&format!(
                "`:undo` undoes the turn, `text / {name}` names the {name}"
            ))
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

    /// The output before the first line: the turns of a loaded dialogue, or the last reply of a resumed one.
    pub(super) fn first_words(&mut self) -> ReplReply {
        if let Some(loaded) = self.first.take() {
            return self
                .play_loaded(loaded)
                .unwrap_or_else(|why| self.fail(why));
        }
        ReplReply::Show(
            self.interactive
                .take_open_question()
                .map(|reply| render::said(&reply))
                .unwrap_or_default(),
        )
    }

    /// The line that runs before the first typed one.
    pub(super) fn first_line(&mut self) -> Option<String> {
        self.interactive.first_line()
    }

    /// The format of a line, as a hint for new users.
    pub fn line_format(&self) -> &'static str {
        let accepted = AcceptedInputs::of(self.dialogue().machine());
        let takes_text = accepted.phrases || self.interactive.recognizes();
        match (accepted.moves, takes_text) {
            (true, true) => "a message, `text / state`",
            (true, false) => "`text / state`",
            (false, true) => "a message, `text / intent`",
            (false, false) => "`text / intent`",
        }
    }

    /// The prompt: the state, the branch unless it is the main one, and the profile if the model has several and it is
    /// not the default.
    pub fn prompt(&self) -> String {
        let mut prompt = printable(self.state());
        let branch = self.interactive.tree().branch();
        let profile = self.dialogue().machine().shown_profile();
        if branch != MAIN_BRANCH {
            prompt = format!("{prompt} ({})", printable(branch));
        }
        if let Some(profile) = profile.filter(|name| *name != Profile::default().name()) {
            prompt = format!("{prompt} [{profile}]");
        }
        prompt + " > "
    }

    /// The current state.
    pub fn state(&self) -> &str {
        self.interactive.state()
    }

    /// Ends the dialogue after a storage error: an unsaved turn is not shown, and the dialogue can be resumed from its
    /// last saved turn.
    fn fail(&mut self, why: Box<Diagnostic>) -> ReplReply {
        self.failure = Some(why);
        ReplReply::Quit
    }

    /// Starts again as another session, with the opening if there is one.
    pub(super) fn reset(&mut self, start: &str) -> Result<ReplReply, InteractiveError> {
        self.interactive.begin_again(start)?;
        Ok(self
            .first_line()
            .map_or_else(|| ReplReply::Show(String::new()), |line| self.take(&line)))
    }
}
