//! An interactive dialogue and its history.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::sync::Arc;

use super::interactive_error::InteractiveError;
use super::line::{InputLine, read_line};
use super::loaded::DialogueLoader;
use super::turn_why::TurnWhy;
use super::watched_files::WatchedModel;
use fsmsim_adapters::llm::{Answerer, DefaultRecognizer, NoAnswerer, Speaker};
use fsmsim_adapters::stores::{Audit, Memory, SessionId, Twin, TypedLine};
use fsmsim_core::engine::{Machine, Operation, RecordView, ScriptedTurn};
use fsmsim_core::machine::Value;
use fsmsim_core::trace::{EndLine, HeaderLine, JsonLine};
use fsmsim_runtime::runtime::{
    AuditedJournal, DialogueRunner, DialogueSetup, Journal, ResumedDialogue, TreeRoot, TurnTree,
    remembers,
};
use fsmsim_syntax::diagnostic::{Checked, Diagnostics};

/// An interactive dialogue.
pub struct InteractiveDialogue {
    pub(super) runner: DialogueRunner,
    /// The start of the dialogue, as it was written.
    start: Value,
    /// The last turn, as it was given.
    pub(super) last: ScriptedTurn,
    /// The first line of the dialogue's trace.
    header: String,
    /// The turns on all branches.
    pub(super) tree: TurnTree,
    /// The manual changes since the last turn, each with its line.
    pub(super) by_hand: Vec<(Operation, String)>,
    /// The explanations of turns, by the number of the moment.
    pub(super) whys: BTreeMap<u32, TurnWhy>,
    /// The path of the model, as scenarios write it.
    model: String,
    /// The `start` text of the dialogue, as it was given.
    pub(super) started: String,
    /// The files of the model.
    pub(super) watched: WatchedModel,
    /// The lines typed since the program started.
    typed: Vec<String>,
    /// The latest session ID that the providers of effects received. Each branch gets a new one.
    pub(super) latest: SessionId,
    /// The recognizer for free text.
    pub(super) reader: ChosenRecognizer,
    /// Undeclared transitions are allowed, regardless of `start`.
    permissive: bool,
    /// The dialogue specified its own store when it started.
    names_twin: bool,
    /// The store of the user's data for dialogues that do not specify one.
    twin: Option<Box<dyn Twin>>,
    /// The persistent memory that all dialogues share, with the name of the first dialogue in it. `None` if each
    /// dialogue has its own memory.
    memory: Option<(Box<dyn Memory>, SessionId)>,
    /// The journal of the dialogue.
    pub(super) journal: Box<dyn Journal>,
    /// The name of the saved session. `None` if the dialogue is not saved.
    session_name: Option<Box<str>>,
    /// The line of an interrupted turn, which must run first.
    pub(super) interrupted: Option<String>,
    /// The number of upcoming lines that were already saved when they were typed.
    already_noted: usize,
    /// The last message of the assistant in a resumed dialogue. It shows the user which question is open.
    open_question: Option<Box<str>>,
    /// The loader for other dialogues.
    pub(super) loader: Option<DialogueLoader>,
}

/// The recognizer for free text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ChosenRecognizer {
    None,
    /// The examples of the model, because no provider is configured.
    Examples,
    /// A configured provider.
    Provider,
}

/// The name of the dialogue in its trace.
const DIALOGUE: &str = "repl";
/// The event that starts a dialogue in which the machine speaks first.
const OPENING: &str = "open";
/// The commands whose changes become part of the next turn.
pub(super) const MANUAL_COMMANDS: [&str; 2] = ["goto", "set"];

impl InteractiveDialogue {
    /// Creates a dialogue on a machine. `start` is written like `start` in a scenario. With `permissive`, undeclared
    /// transitions are allowed, regardless of `start`.
    ///
    /// # Errors
    /// Returns the findings about `start` as text.
    pub fn new(machine: &Arc<Machine>, start: &str, permissive: bool) -> Result<Self, String> {
        let setup = set_up(machine, start, permissive)?;
        let id = SessionId::random();
        let mut interactive = Self {
            names_twin: setup.twin.is_some(),
            start: setup.start.clone(),
            runner: setup.runner(machine).by_examples().known_as(id.clone()),
            last: ScriptedTurn::default(),
            header: String::new(),
            tree: TurnTree::begin(TreeRoot::default()),
            by_hand: Vec::new(),
            started: start.to_owned(),
            watched: WatchedModel::default(),
            typed: Vec::new(),
            whys: BTreeMap::new(),
            model: String::new(),
            latest: id,
            reader: ChosenRecognizer::Examples,
            permissive,
            twin: None,
            memory: None,
            journal: Box::new(()),
            session_name: None,
            interrupted: None,
            already_noted: 0,
            open_question: None,
            loader: None,
        };
        interactive.begin_tree();
        Ok(interactive)
    }

    /// Sets the recognizer for free text.
    pub fn asking(mut self, answerer: Box<dyn Answerer>) -> Self {
        self.ask_from_now(Some(answerer));
        self.begin_tree();
        self
    }

    /// Replaces or removes the recognizer for free text.
    pub fn ask_from_now(&mut self, answerer: Option<Box<dyn Answerer>>) {
        self.reader = if answerer.is_some() {
            ChosenRecognizer::Provider
        } else {
            ChosenRecognizer::None
        };
        self.runner
            .ask_from_now(answerer.unwrap_or_else(|| Box::new(NoAnswerer)));
    }

    /// Recognizes free text by the examples of the model.
    pub fn use_examples(&mut self) {
        self.reader = ChosenRecognizer::Examples;
        self.runner.ask_from_now(Box::new(DefaultRecognizer));
    }

    /// Sets the store of the user's data for dialogues that do not specify one.
    pub fn keeping(mut self, twin: Box<dyn Twin>) -> Self {
        self.runner = self.runner.keeping(twin.fork());
        self.twin = Some(twin);
        self.begin_tree();
        self
    }

    /// Sets a persistent memory and the name of this dialogue in it. A resumed dialogue (`goes_on`) already has an
    /// entry there.
    pub fn remembering(
        mut self,
        mut memory: Box<dyn Memory>,
        name: &SessionId,
        goes_on: bool,
    ) -> Checked<Self> {
        self.runner = self.runner.remembering(memory.fork());
        if !goes_on {
            self.runner = self.runner.known_as(memory.begin(name)?);
        }
        self.memory = Some((memory, name.clone()));
        self.begin_tree();
        Ok(self)
    }

    /// Adds an audit. If the dialogue was resumed, adds the records that the audit lacks.
    pub fn audited(mut self, audit: Box<dyn Audit>) -> Checked<Self> {
        let journal = std::mem::replace(&mut self.journal, Box::new(()));
        let records = self.tree.records_to(self.tree.at());
        self.journal = Box::new(AuditedJournal::over(journal, audit, &self.runner, records)?);
        Ok(self)
    }

    /// Sets the journal and the name of the session in it.
    pub fn kept_in(mut self, journal: Box<dyn Journal>, session_name: &str) -> Self {
        self.journal = journal;
        self.session_name = Some(session_name.into());
        self
    }

    /// Resumes a saved dialogue, using the providers of this one.
    pub fn resume(mut self, left: ResumedDialogue) -> Result<Self, String> {
        self.runner.go_on(&left);
        let state = self.runner.session().position.state;
        if let Some(line) = &left.interrupted
            && let Some(line) = line.lines().last()
        {
            match read_line(line, self.runner.machine(), state, self.recognizes())? {
                InputLine::Turn(_) => {}
                InputLine::Command(name, _) if MANUAL_COMMANDS.contains(&&*name) => {}
                _ => return Err(format!("expected a turn, found `{line}`")),
            }
        }
        self.latest = left.id.clone();
        self.tree = left.tree;
        let mut said = left
            .history
            .into_iter()
            .rev()
            .filter(|said| said.by == Speaker::Assistant);
        // An interrupted turn is run again and repeats its messages.
        let is_open =
            left.interrupted.is_none() && !self.runner.session().is_final(self.runner.machine());
        self.open_question = said.next().filter(|_| is_open).map(|said| said.text);
        self.already_noted = left
            .interrupted
            .iter()
            .flat_map(|lines| lines.lines())
            .count();
        self.interrupted = left.interrupted;
        Ok(self)
    }

    pub fn dialogue(&self) -> &DialogueRunner {
        &self.runner
    }

    /// The name of the saved session, otherwise the ID of the dialogue.
    pub fn session_name(&self) -> Cow<'_, str> {
        match &self.session_name {
            Some(name) => Cow::Borrowed(&**name),
            None => self.runner.id().text(),
        }
    }

    /// Whether the dialogue specified its own store when it started.
    pub fn names_twin(&self) -> bool {
        self.names_twin
    }

    /// Ends the dialogue. Adds the final findings of the answerer, which then saves its state.
    pub fn finish(self, found: &mut Diagnostics) {
        self.runner.into_answerer().finish(found);
    }

    /// Saves a typed line. Lines that are automatically run again were saved before.
    pub fn note_line(&mut self, line: &str) -> Checked {
        let typed = line.trim();
        if self.already_noted > 0 {
            self.already_noted -= 1;
        } else if !typed.is_empty() {
            self.journal.note_line(typed)?;
            self.typed.push(typed.to_owned());
        }
        Ok(())
    }

    /// Parses a line in the current state.
    pub fn read(&self, line: &str) -> Result<InputLine, String> {
        read_line(
            line,
            self.runner.machine(),
            self.runner.session().position.state,
            self.recognizes(),
        )
    }

    /// The last message of the assistant in a resumed dialogue. It is returned only once.
    pub fn take_open_question(&mut self) -> Option<Box<str>> {
        self.open_question.take()
    }

    /// The line to run before the first input. It is the interrupted turn (returned only once), or else the opening.
    /// There is an opening if no turn was run yet and the initial state handles it.
    pub fn first_line(&mut self) -> Option<String> {
        self.interrupted
            .take()
            .or_else(|| self.opens().then(|| format!("/ {OPENING}")))
    }

    /// Whether the machine must speak first.
    pub fn opens(&self) -> bool {
        let machine = self.runner.machine();
        let state = self.runner.session().position.state;
        let knows = |opening| {
            machine
                .state(state)
                .transitions
                .iter()
                .any(|(intent, _)| intent == opening)
        };
        self.tree.records_to(self.tree.at()).next().is_none()
            && state == machine.initial
            && machine.names.intents.id(OPENING).is_some_and(knows)
    }

    /// Whether a turn would open the dialogue again right after its opening, which can be automatic.
    pub fn is_reopened_by(&self, turn: &ScriptedTurn) -> bool {
        let machine = self.runner.machine();
        let state = self.runner.session().position.state;
        let reopens = turn.input.known_intent().is_some_and(|intent| {
            machine.names.intents.id(OPENING) == Some(intent) && !machine.reopens(state, intent)
        });
        reopens && self.tree.records_to(self.tree.at()).count() == 1
    }

    /// The turns on all branches.
    pub fn tree(&self) -> &TurnTree {
        &self.tree
    }

    /// The lines that made manual changes since the last turn.
    pub fn changed_manually(&self) -> impl Iterator<Item = &str> {
        self.by_hand.iter().map(|(_, line)| &**line)
    }

    /// Whether a recognizer for free text is configured.
    pub fn asks(&self) -> bool {
        self.reader == ChosenRecognizer::Provider
    }

    /// Whether free text is recognized, by a configured recognizer or by the examples of the model.
    pub fn recognizes(&self) -> bool {
        match self.reader {
            ChosenRecognizer::None => false,
            ChosenRecognizer::Examples => DefaultRecognizer::can_learn(self.runner.machine()),
            ChosenRecognizer::Provider => true,
        }
    }

    /// The start of the dialogue, as it was given.
    pub fn started(&self) -> &str {
        &self.started
    }

    /// Whether the machine remembers earlier tasks.
    pub fn remembers(&self) -> bool {
        self.memory.is_some() || remembers(self.runner.machine())
    }

    /// Whether a store of the user's data is set.
    pub(super) fn has_twin(&self) -> bool {
        self.twin.is_some()
    }

    /// Whether data that the dialogue writes persists after the dialogue ends.
    pub fn persists_data(&self) -> bool {
        self.twin
            .as_ref()
            .is_some_and(|twin| twin.memory().is_null())
    }

    /// The current state.
    pub fn state(&self) -> &str {
        let session = self.runner.session();
        session.state_name(session.position.state, self.runner.machine())
    }

    /// The last typed lines. If lines are saved, those of all sessions in the project; otherwise those typed since the
    /// program started.
    pub fn lines(&mut self, most: u32) -> Checked<Vec<TypedLine>> {
        let kept = self.journal.lines(most)?;
        Ok(kept.unwrap_or_else(|| {
            let skipped = self
                .typed
                .len()
                .saturating_sub(usize::try_from(most).unwrap_or(usize::MAX));
            self.typed
                .iter()
                .skip(skipped)
                .map(|line| TypedLine {
                    session: String::new(),
                    line: line.clone(),
                })
                .collect()
        }))
    }

    /// Creates a dialogue with this start and the current store. Also returns the start as it was written.
    fn new_runner(
        &self,
        machine: &Arc<Machine>,
        start: &str,
    ) -> Result<(DialogueRunner, Value), String> {
        let setup = set_up(machine, start, self.permissive)?;
        let twin = self.twin.as_ref().filter(|_| setup.twin.is_none());
        let written = setup.start.clone();
        let mut runner = setup.runner(machine);
        if let Some(twin) = twin {
            runner = runner.keeping(twin.fork());
        }
        Ok((runner, written))
    }

    /// Creates a dialogue at the same start on another machine, with the same answerer.
    pub(super) fn beginning_on(
        &mut self,
        machine: &Arc<Machine>,
    ) -> Result<DialogueRunner, String> {
        let (mut runner, _) = self.new_runner(machine, &self.started)?;
        let root = self.tree.root();
        if root.turns > 0 {
            runner.go_to(&root.checkpoint, root.turns, root.said.clone())?;
        }
        // The effects of this continuation must not have the same session ID as those of the previous one.
        self.latest = self.latest.next();
        runner.be_known_as(self.latest.clone());
        runner.ask_from_now(self.runner.replace_answerer(Box::new(NoAnswerer)));
        Ok(runner)
    }

    /// Continues with another runner.
    pub(super) fn take_over(&mut self, runner: DialogueRunner) {
        self.runner = runner;
        self.last = ScriptedTurn::default();
        self.by_hand.clear();
    }

    /// Returns to the start. Returns the name of the branch that preserves the previous continuation.
    pub(super) fn start_over(&mut self) -> Option<String> {
        self.tree.move_to(0);
        self.tree.keep_former()
    }

    /// The dialogue so far as a complete trace.
    pub fn trace(&self) -> String {
        let mut text = self.header.clone();
        for record in self.tree.records_to(self.tree.at()) {
            text.push_str(record);
            text.push('\n');
        }
        text + &self.end_line()
    }

    /// The first line of the trace.
    pub fn header_line(&self) -> &str {
        &self.header
    }

    /// The last line of the trace so far.
    pub fn end_line(&self) -> String {
        let mut end = JsonLine::default();
        let turns = (0..)
            .zip(self.tree.records_to(self.tree.at()))
            .map(|(before, _)| before + 1)
            .last()
            .unwrap_or(0);
        EndLine {
            dialogue: DIALOGUE,
            turns,
            audit: None,
        }
        .write(&mut end);
        end.into_string() + "\n"
    }

    /// The explanation of the turn at a moment, if it is known.
    pub fn why_at(&self, number: u32) -> Option<&TurnWhy> {
        self.whys.get(&number)
    }

    /// Sets the path of the model, as scenarios write it.
    pub fn of_model(mut self, model: &str) -> Self {
        model.clone_into(&mut self.model);
        self
    }

    /// The path of the model, as scenarios write it.
    pub fn model(&self) -> &str {
        &self.model
    }

    /// The last turn with all details; `None` before the first turn.
    pub fn last_turn(&self) -> Option<RecordView<'_>> {
        Some(self.runner.view(&self.last)).filter(|view| view.record.outcome.is_some())
    }

    /// Starts the dialogue again in a new session.
    ///
    /// # Errors
    /// Returns the findings about `start` as text. The current dialogue continues then.
    pub fn begin_again(&mut self, start: &str) -> Result<(), InteractiveError> {
        let created = self.new_runner(self.runner.machine(), start);
        let (runner, written) = created.map_err(|findings| {
            format!("cannot start again, so the dialogue continues:\n{findings}")
        })?;
        let mut runner = runner.known_as(SessionId::random());
        if let Some((memory, name)) = &mut self.memory {
            runner = runner
                .known_as(memory.begin(name)?)
                .remembering(memory.fork());
        }
        self.journal.begin_again(&runner, start)?;
        let before = std::mem::replace(&mut self.runner, runner);
        self.runner.ask_from_now(before.into_answerer());
        start.clone_into(&mut self.started);
        self.start = written;
        self.last = ScriptedTurn::default();
        self.by_hand.clear();
        self.latest = self.runner.id().clone();
        self.begin_tree();
        Ok(())
    }

    /// Resets the tree of turns.
    fn begin_tree(&mut self) {
        let mut json = JsonLine::default();
        HeaderLine {
            dialogue: DIALOGUE,
            machine: self.runner.machine(),
            settings: self.runner.settings(),
            start: &self.start,
        }
        .write(&mut json);
        self.header = json.into_string() + "\n";
        self.whys.clear();
        self.tree = TurnTree::begin(TreeRoot {
            checkpoint: self.runner.checkpoint(),
            ..TreeRoot::default()
        });
    }
}

fn set_up(machine: &Machine, start: &str, permissive: bool) -> Result<DialogueSetup, String> {
    let mut setup = DialogueSetup::parse(machine, start)?;
    if permissive {
        setup.permit();
    }
    Ok(setup)
}
