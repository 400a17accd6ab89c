//! A dialogue that a person plays, and what was played so far.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::line::{InputLine, read_line};
use super::loaded::DialogueLoader;
use super::rehearsal_error::RehearsalError;
use super::turn_why::TurnWhy;
use super::watched_files::WatchedModel;
use fsmsim_adapters::llm::{Answerer, Nobody, Speaker};
use fsmsim_adapters::world::{Audit, Memory, SessionId, Twin, TypedLine};
use fsmsim_core::engine::{Machine, Operation, RecordView, ScriptedTurn};
use fsmsim_core::machine::Value;
use fsmsim_core::trace::{EndLine, HeaderLine, JsonLine};
use fsmsim_runtime::runtime::{
    AuditedJournal, DialogueRunner, DialogueSetup, Journal, ResumedDialogue, TreeRoot, TurnTree,
    remembers,
};
use fsmsim_syntax::diagnostic::{Checked, Diagnostics};

/// A dialogue that a person plays.
pub struct Rehearsal {
    pub(super) runner: DialogueRunner,
    /// How the dialogue started, as written.
    start: Value,
    /// The last turn, as it was given.
    pub(super) last: ScriptedTurn,
    /// The first line of its trace.
    header: String,
    /// Its turns, with every way that was left.
    pub(super) tree: TurnTree,
    /// What was changed by hand since the last turn, with the lines that did it.
    pub(super) by_hand: Vec<(Operation, String)>,
    /// Why turns went as they did, by the numbers of their moments.
    pub(super) whys: BTreeMap<u32, TurnWhy>,
    /// Where the model lies, as scenarios name it.
    model: String,
    /// What `start` was when the dialogue began, as it was given.
    pub(super) started: String,
    /// The files of the model.
    pub(super) watched: WatchedModel,
    /// The lines that were typed since the program began.
    typed: Vec<String>,
    /// By what the dialogue was known last to those who perform its effects: each way that it goes is another one.
    pub(super) latest: SessionId,
    /// Somebody reads plain text.
    pub(super) asks: bool,
    /// Moves that no state declares are taken, whatever `start` says.
    permissive: bool,
    /// The dialogue named a store of its own when it began.
    names_twin: bool,
    /// The store of the user's data for dialogues that name none.
    twin: Option<Box<dyn Twin>>,
    /// What remembers for its dialogues, and how the first of them is called there; nothing where each has a memory of its own.
    memory: Option<(Box<dyn Memory>, SessionId)>,
    /// Where the dialogue is kept.
    pub(super) journal: Box<dyn Journal>,
    /// The line of a turn that was interrupted, which is to be played again first.
    pub(super) interrupted: Option<String>,
    /// So many of the lines that come next were noted when they were typed.
    already_noted: usize,
    /// What the agent said last in a dialogue that goes on: whoever goes on with it must know what is asked.
    open_question: Option<Box<str>>,
    /// What loads dialogues.
    pub(super) loader: Option<DialogueLoader>,
}

/// What the dialogue is called in its trace.
const DIALOGUE: &str = "repl";
/// The event by which a machine that speaks first begins.
const OPENING: &str = "open";
/// The commands that are a part of the turn that comes next.
pub(super) const BY_HAND: [&str; 2] = ["go", "set"];

impl Rehearsal {
    /// A dialogue over this machine; `start` is what a scenario has under `start`. Where it is `permissive`, moves are taken
    /// that no state declares, whatever `start` says.
    ///
    /// # Errors
    /// The findings about `start` as text.
    pub fn new(machine: &Arc<Machine>, start: &str, permissive: bool) -> Result<Self, String> {
        let setup = set_up(machine, start, permissive)?;
        let id = SessionId::random();
        let mut rehearsal = Self {
            names_twin: setup.twin.is_some(),
            start: setup.start.clone(),
            runner: setup.runner(machine).known_as(id.clone()),
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
            asks: false,
            permissive,
            twin: None,
            memory: None,
            journal: Box::new(()),
            interrupted: None,
            already_noted: 0,
            open_question: None,
            loader: None,
        };
        rehearsal.begin_tree();
        Ok(rehearsal)
    }

    /// The same with somebody who reads plain text.
    pub fn asking(mut self, answerer: Box<dyn Answerer>) -> Self {
        self.runner.ask_from_now(answerer);
        self.asks = true;
        self.begin_tree();
        self
    }

    /// Asks somebody else who reads plain text from now on, or nobody.
    pub fn ask_from_now(&mut self, answerer: Option<Box<dyn Answerer>>) {
        self.asks = answerer.is_some();
        self.runner
            .ask_from_now(answerer.unwrap_or_else(|| Box::new(Nobody)));
    }

    /// The same with a store of the user's data, for each dialogue that names none.
    pub fn keeping(mut self, twin: Box<dyn Twin>) -> Self {
        self.runner = self.runner.keeping(twin.fork());
        self.twin = Some(twin);
        self.begin_tree();
        self
    }

    /// The same with a memory that lasts, in which this dialogue has a name. One that goes on is known there already.
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

    /// The same with an audit. What it lacks of a dialogue that goes on, it takes now.
    pub fn audited(mut self, audit: Box<dyn Audit>) -> Checked<Self> {
        let journal = std::mem::replace(&mut self.journal, Box::new(()));
        let records = self.tree.records_to(self.tree.at());
        self.journal = Box::new(AuditedJournal::over(journal, audit, &self.runner, records)?);
        Ok(self)
    }

    /// The same kept in a journal.
    pub fn kept_in(mut self, journal: Box<dyn Journal>) -> Self {
        self.journal = journal;
        self
    }

    /// Goes on with a dialogue that was left, with those who are around this one.
    pub fn resume(mut self, left: ResumedDialogue) -> Result<Self, String> {
        self.runner.go_on(&left);
        let state = self.runner.session().position.state;
        if let Some(line) = &left.interrupted
            && let Some(line) = line.lines().last()
        {
            match read_line(line, self.runner.machine(), state, self.asks)? {
                InputLine::Turn(_) => {}
                InputLine::Command(name, _) if BY_HAND.contains(&&*name) => {}
                _ => return Err(format!("`{line}` is no turn")),
            }
        }
        self.latest = left.id.clone();
        self.tree = left.tree;
        let mut said = left
            .history
            .into_iter()
            .rev()
            .filter(|said| said.by == Speaker::Assistant);
        // A turn that is played again says all that it has to say.
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

    /// Whether the dialogue began with a store that it named itself.
    pub fn names_twin(&self) -> bool {
        self.names_twin
    }

    /// The end: what whoever was asked has to say about it, and keeps of it.
    pub fn finish(self, found: &mut Diagnostics) {
        self.runner.into_answerer().finish(found);
    }

    /// Notes a line as it was typed. Those that come again by themselves were noted when they were typed.
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

    /// What a line means where the dialogue is.
    pub fn read(&self, line: &str) -> Result<InputLine, String> {
        read_line(
            line,
            self.runner.machine(),
            self.runner.session().position.state,
            self.asks,
        )
    }

    /// What the agent said last, where the dialogue goes on; told once.
    pub fn take_open_question(&mut self) -> Option<Box<str>> {
        self.open_question.take()
    }

    /// The line that comes before those of the person: the turn that was interrupted; or the opening, where nothing was
    /// played yet and the initial state knows what to do with it. Told once.
    pub fn first_line(&mut self) -> Option<String> {
        self.interrupted
            .take()
            .or_else(|| self.opens().then(|| format!("/ {OPENING}")))
    }

    /// Whether it is for the machine to speak first.
    pub fn opens(&self) -> bool {
        let (machine, state) = (self.runner.machine(), self.runner.session().position.state);
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

    /// The turns that were played, with every way that was left.
    pub fn tree(&self) -> &TurnTree {
        &self.tree
    }

    /// The lines that changed the dialogue by hand since the last turn.
    pub fn changed_by_hand(&self) -> impl Iterator<Item = &str> {
        self.by_hand.iter().map(|(_, line)| &**line)
    }

    /// Somebody reads plain text.
    pub fn asks(&self) -> bool {
        self.asks
    }

    /// How the dialogue began, as it was given.
    pub fn started(&self) -> &str {
        &self.started
    }

    /// The last turn as it was given.
    pub fn last_given(&self) -> &ScriptedTurn {
        &self.last
    }

    /// Whether the machine remembers from task to task.
    pub fn remembers(&self) -> bool {
        self.memory.is_some() || remembers(self.runner.machine())
    }

    /// Whether what the dialogue writes outlasts it.
    pub fn keeps_for_good(&self) -> bool {
        self.twin
            .as_ref()
            .is_some_and(|twin| twin.memory().is_null())
    }

    /// The state in which the dialogue is.
    pub fn state(&self) -> &str {
        let session = self.runner.session();
        session.state_name(session.position.state, self.runner.machine())
    }

    /// The last lines that were typed: in all sessions of the project, where they are kept; else since the program began.
    pub fn lines(&mut self, most: u32) -> Checked<Vec<TypedLine>> {
        let kept = self.journal.lines(most)?;
        Ok(kept.unwrap_or_else(|| {
            let skipped = self
                .typed
                .len()
                .saturating_sub(usize::try_from(most).unwrap_or(usize::MAX));
            let typed = self.typed.iter().skip(skipped);
            typed
                .map(|line| TypedLine {
                    session: String::new(),
                    line: line.clone(),
                })
                .collect()
        }))
    }

    /// A dialogue that starts so, with the store that this one has, and its start as it is written.
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

    /// The dialogue as it begins on another machine, with whom this one asks.
    pub(super) fn beginning_on(
        &mut self,
        machine: &Arc<Machine>,
    ) -> Result<DialogueRunner, String> {
        let (mut runner, _) = self.new_runner(machine, &self.started)?;
        let root = self.tree.root();
        if root.turns > 0 {
            runner.go_to(&root.checkpoint, root.turns, root.said.clone())?;
        }
        // What is done on this way is not what was done on the other.
        self.latest = self.latest.next();
        runner.be_known_as(self.latest.clone());
        runner.ask_from_now(self.runner.replace_answerer(Box::new(Nobody)));
        Ok(runner)
    }

    /// Goes on with another runner.
    pub(super) fn take_over(&mut self, runner: DialogueRunner) {
        self.runner = runner;
        self.last = ScriptedTurn::default();
        self.by_hand.clear();
    }

    /// Goes back to the beginning to play all anew: the name of the branch on which the former way is kept.
    pub(super) fn begin_anew(&mut self) -> Option<String> {
        self.tree.move_to(0);
        self.tree.keep_former()
    }

    /// The dialogue so far as a trace, which is whole as far as it goes.
    pub fn trace(&self) -> String {
        let mut text = self.header.clone();
        for record in self.tree.records_to(self.tree.at()) {
            text.push_str(record);
            text.push('\n');
        }
        text + &self.end_line()
    }

    /// The first line of the trace of the dialogue.
    pub fn header_line(&self) -> &str {
        &self.header
    }

    /// The last line of the trace of the dialogue, as far as it goes.
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

    /// Why the turn of a moment went as it did; nothing where that is not known.
    pub fn why_at(&self, number: u32) -> Option<&TurnWhy> {
        self.whys.get(&number)
    }

    /// The same where the model lies at this place, as scenarios name it.
    pub fn of_model(mut self, model: &str) -> Self {
        model.clone_into(&mut self.model);
        self
    }

    /// Where the model lies, as scenarios name it.
    pub fn model(&self) -> &str {
        &self.model
    }

    /// The last turn with everything that is known of it; nothing before the first.
    pub fn last_turn(&self) -> Option<RecordView<'_>> {
        Some(self.runner.view(&self.last)).filter(|view| view.record.outcome.is_some())
    }

    /// Begins again, as another session.
    ///
    /// # Errors
    /// The findings about `start` as text; the dialogue goes on then.
    pub fn begin_again(&mut self, start: &str) -> Result<(), RehearsalError> {
        let begun = self.new_runner(self.runner.machine(), start);
        let (runner, written) = begun.map_err(|findings| {
            format!("the dialogue goes on, since it cannot start so:\n{findings}")
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

    /// No turn was played yet.
    fn begin_tree(&mut self) {
        let mut json = JsonLine::default();
        let (machine, settings) = (self.runner.machine(), self.runner.settings());
        HeaderLine {
            dialogue: DIALOGUE,
            machine,
            settings,
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
