//! The state of a REPL: the dialogue, and what was played so far.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::line::{ReplLine, read_line};
use super::loaded::{DialogueLoader, LoadedDialogue};
use super::reload::WatchedModel;
use super::render;
use crate::diagnostic::{Diagnostic, Diagnostics};
use crate::engine::{Machine, Operation, RecordView, ScriptedTurn};
use crate::llm::{Answerer, Nobody, Speaker};
use crate::machine::Value;
use crate::runtime::{
    AuditedJournal, DialogueRunner, DialogueSetup, Journal, ResumedDialogue, TreeRoot, TurnTree, remembers,
};
use crate::terminal::printable;
use crate::trace::{EndLine, HeaderLine, JsonLine};
use crate::world::{Audit, Memory, SessionId, Twin, TypedLine};

/// A dialogue that a person plays line by line.
pub struct Repl {
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
    pub(super) whys: BTreeMap<u32, String>,
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
    /// What is played before anything is typed.
    pub(super) first: Option<LoadedDialogue>,
    /// Why the dialogue cannot be kept any more.
    failure: Option<Box<Diagnostic>>,
}

/// What the dialogue is called in its trace.
const DIALOGUE: &str = "repl";
/// The event by which a machine that speaks first begins.
const OPENING: &str = "open";
/// The commands that are a part of the turn that comes next.
const BY_HAND: [&str; 2] = ["go", "set"];

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
    /// A dialogue over this machine; `start` is what a scenario has under `start`. Where it is `permissive`, moves are taken
    /// that no state declares, whatever `start` says.
    ///
    /// # Errors
    /// The findings about `start` as text.
    pub fn new(machine: &Arc<Machine>, start: &str, permissive: bool) -> Result<Self, String> {
        let setup = set_up(machine, start, permissive)?;
        let id = SessionId::random();
        let mut repl = Self {
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
            first: None,
            failure: None,
        };
        repl.begin_tree();
        Ok(repl)
    }

    /// The same with somebody who reads plain text.
    pub fn asking(mut self, answerer: Box<dyn Answerer>) -> Self {
        self.runner.ask_from_now(answerer);
        self.asks = true;
        self.begin_tree();
        self
    }

    /// The same with a store of the user's data, for each dialogue that names none.
    pub fn keeping(mut self, twin: Box<dyn Twin>) -> Self {
        self.runner = self.runner.keeping(twin.fork());
        self.twin = Some(twin);
        self.begin_tree();
        self
    }

    /// The same with a memory that lasts, in which this dialogue has a name. One that goes on is known there already.
    ///
    /// # Errors
    /// The finding about a memory that does not answer.
    pub fn remembering(
        mut self,
        mut memory: Box<dyn Memory>,
        name: &SessionId,
        goes_on: bool,
    ) -> Result<Self, Box<Diagnostic>> {
        self.runner = self.runner.remembering(memory.fork());
        if !goes_on {
            self.runner = self.runner.known_as(memory.begin(name)?);
        }
        self.memory = Some((memory, name.clone()));
        self.begin_tree();
        Ok(self)
    }

    /// The same with an audit. What it lacks of a dialogue that goes on, it takes now.
    ///
    /// # Errors
    /// The finding about an audit that cannot be written.
    pub fn audited(mut self, audit: Box<dyn Audit>) -> Result<Self, Box<Diagnostic>> {
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
    ///
    /// # Errors
    /// Why the turn that was interrupted cannot be played again, in a sentence.
    pub fn resume(mut self, left: ResumedDialogue) -> Result<Self, String> {
        self.runner.go_on(&left);
        let state = self.runner.session().position.state;
        if let Some(line) = &left.interrupted
            && let Some(line) = line.lines().last()
        {
            match read_line(line, self.runner.machine(), state, self.asks)? {
                ReplLine::Turn(_) => {}
                ReplLine::Command(name, _) if BY_HAND.contains(&&*name) => {}
                _ => return Err(format!("`{line}` is no turn")),
            }
        }
        self.latest = left.id.clone();
        self.tree = left.tree;
        let mut said = left.history.into_iter().rev().filter(|said| said.by == Speaker::Assistant);
        // A turn that is played again says all that it has to say.
        let is_open = left.interrupted.is_none() && !self.runner.session().is_final(self.runner.machine());
        self.open_question = said.next().filter(|_| is_open).map(|said| said.text);
        self.already_noted = left.interrupted.iter().flat_map(|lines| lines.lines()).count();
        self.interrupted = left.interrupted;
        Ok(self)
    }

    /// The dialogue.
    pub fn dialogue(&self) -> &DialogueRunner {
        &self.runner
    }

    /// Whether the dialogue began with a store that it named itself.
    pub fn names_twin(&self) -> bool {
        self.names_twin
    }

    /// The end: why it could not go on, and what whoever was asked has to say about it, and keeps of it.
    pub fn finish(self, found: &mut Diagnostics) {
        if let Some(failure) = self.failure {
            found.push(*failure);
        }
        self.runner.into_answerer().finish(found);
    }

    /// Takes a line.
    pub fn take(&mut self, line: &str) -> ReplReply {
        let typed = line.trim();
        if self.already_noted > 0 {
            self.already_noted -= 1;
        } else if !typed.is_empty() {
            if let Err(why) = self.journal.note_line(typed) {
                return self.fail(why);
            }
            self.typed.push(typed.to_owned());
        }
        let news = match self.reload_if_edited() {
            Ok(news) => news,
            Err(end) => return end,
        };
        match self.take_now(line) {
            ReplReply::Show(text) => ReplReply::Show(news + &text),
            ReplReply::Played { notes, shown, after, records } => {
                ReplReply::Played { notes: news + &notes, shown, after, records }
            }
            ReplReply::Refuse(reason) if !news.is_empty() => ReplReply::Show(news + &render::note(&reason)),
            other => other,
        }
    }

    pub(super) fn take_now(&mut self, line: &str) -> ReplReply {
        let state = self.runner.session().position.state;
        match read_line(line, self.runner.machine(), state, self.asks) {
            Err(reason) => ReplReply::Refuse(reason),
            Ok(ReplLine::Empty) => ReplReply::Show(String::new()),
            Ok(ReplLine::Turn(turn)) => self.play(line, *turn).unwrap_or_else(|why| self.fail(why)),
            Ok(ReplLine::Command(name, rest)) => self.command(&name, &rest, line).unwrap_or_else(ReplReply::Refuse),
        }
    }

    /// What comes before the first line: the turns of a dialogue that was loaded; what the agent said last, where one goes on.
    pub(super) fn first_words(&mut self) -> ReplReply {
        if let Some(loaded) = self.first.take() {
            return self.play_loaded(loaded);
        }
        ReplReply::Show(self.open_question.take().map(|said| render::said(&said)).unwrap_or_default())
    }

    /// The line that comes before those of the person: the turn that was interrupted; or the opening, where nothing was
    /// played yet and the initial state knows what to do with it.
    pub(super) fn first_line(&mut self) -> Option<String> {
        self.interrupted.take().or_else(|| self.opens().then(|| format!("/ {OPENING}")))
    }

    /// Whether it is for the machine to speak first.
    fn opens(&self) -> bool {
        let (machine, state) = (self.runner.machine(), self.runner.session().position.state);
        let knows = |opening| machine.state(state).transitions.iter().any(|(intent, _)| intent == opening);
        self.first.is_none()
            && self.tree.records_to(self.tree.at()).next().is_none()
            && state == machine.initial
            && machine.names.intents.id(OPENING).is_some_and(knows)
    }

    /// Whether the machine remembers from task to task.
    pub(super) fn remembers(&self) -> bool {
        self.memory.is_some() || remembers(self.runner.machine())
    }

    /// Whether what the dialogue writes outlasts it.
    pub(super) fn keeps_for_good(&self) -> bool {
        self.twin.as_ref().is_some_and(|twin| twin.memory().is_null())
    }

    /// What stands before a line: the state and the profile.
    pub fn prompt(&self) -> String {
        format!("{} [{}] > ", printable(self.state()), self.runner.settings().profile.name())
    }

    /// The state in which the dialogue is.
    pub fn state(&self) -> &str {
        let session = self.runner.session();
        session.state_name(session.position.state, self.runner.machine())
    }

    /// The last lines that were typed: in all sessions of the project, where they are kept; else since the program began.
    ///
    /// # Errors
    /// The finding about a journal that cannot be read.
    pub(super) fn lines(&mut self, most: u32) -> Result<Vec<TypedLine>, Box<Diagnostic>> {
        let kept = self.journal.lines(most)?;
        Ok(kept.unwrap_or_else(|| {
            let skipped = self.typed.len().saturating_sub(usize::try_from(most).unwrap_or(usize::MAX));
            let typed = self.typed.iter().skip(skipped);
            typed.map(|line| TypedLine { session: String::new(), line: line.clone() }).collect()
        }))
    }

    /// The dialogue as it begins on another machine, with whom this one asks.
    ///
    /// # Errors
    /// Why it cannot begin there, as text.
    pub(super) fn beginning_on(&mut self, machine: &Arc<Machine>) -> Result<DialogueRunner, String> {
        let setup = set_up(machine, &self.started, self.permissive)?;
        let twin = self.twin.as_ref().filter(|_| setup.twin.is_none());
        let mut runner = setup.runner(machine);
        if let Some(twin) = twin {
            runner = runner.keeping(twin.fork());
        }
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
        self.whys.clear();
    }

    /// Goes back to the beginning to play all anew: the name of the branch on which the former way is kept.
    pub(super) fn begin_anew(&mut self) -> Option<String> {
        self.tree.move_to(0);
        self.tree.keep_former()
    }

    /// Keeps that the dialogue is elsewhere in the tree of its turns.
    ///
    /// # Errors
    /// The finding about a journal that cannot be written.
    pub(super) fn keep_place(&mut self, begun: &[String]) -> Result<(), Box<Diagnostic>> {
        self.journal.travel(&self.runner, &self.tree, &begun.join("\n"))
    }

    /// What is not kept is not shown either: the dialogue ends here, and goes on where it was kept last.
    pub(super) fn fail(&mut self, why: Box<Diagnostic>) -> ReplReply {
        self.failure = Some(why);
        ReplReply::Quit
    }

    /// The dialogue so far as a trace, which is whole as far as it goes.
    pub(super) fn trace(&self) -> String {
        let mut text = self.header.clone();
        for record in self.tree.records_to(self.tree.at()) {
            text.push_str(record);
            text.push('\n');
        }
        text + &self.end_line()
    }

    /// The first line of the trace of the dialogue.
    pub(super) fn header_line(&self) -> &str {
        &self.header
    }

    /// The last line of the trace of the dialogue, as far as it goes.
    pub(super) fn end_line(&self) -> String {
        let mut end = JsonLine::default();
        let turns = (0..).zip(self.tree.records_to(self.tree.at())).map(|(before, _)| before + 1).last().unwrap_or(0);
        EndLine { dialogue: DIALOGUE, turns, audit: None }.write(&mut end);
        end.into_string() + "\n"
    }

    /// Why the turn went as it did that led to where the dialogue is; nothing where that is not known.
    pub(super) fn why_here(&self) -> Option<&str> {
        self.whys.get(&self.tree.at()).map(String::as_str)
    }

    /// The same where the model lies at this place, as scenarios name it.
    pub fn of_model(mut self, model: &str) -> Self {
        model.clone_into(&mut self.model);
        self
    }

    /// Where the model lies, as scenarios name it.
    pub(super) fn model(&self) -> &str {
        &self.model
    }

    /// The last turn with everything that is known of it; nothing before the first.
    pub(super) fn last_turn(&self) -> Option<RecordView<'_>> {
        Some(self.runner.view(&self.last)).filter(|view| view.record.outcome.is_some())
    }

    /// Begins again, as another session, with the opening where there is one.
    ///
    /// # Errors
    /// The findings about `start` as text; the dialogue goes on then.
    pub(super) fn reset(&mut self, start: &str) -> Result<ReplReply, String> {
        if let Err(end) = self.begin_again(start)? {
            return Ok(end);
        }
        Ok(self.first_line().map_or_else(|| ReplReply::Show(String::new()), |line| self.take(&line)))
    }

    /// Begins again, as another session: where that cannot be kept, the end.
    ///
    /// # Errors
    /// The findings about `start` as text; the dialogue goes on then.
    pub(super) fn begin_again(&mut self, start: &str) -> Result<Result<(), ReplReply>, String> {
        let machine = self.runner.machine();
        let setup = set_up(machine, start, self.permissive)
            .map_err(|findings| format!("the dialogue goes on, since it cannot start so:\n{findings}"))?;
        let twin = self.twin.as_ref().filter(|_| setup.twin.is_none());
        let written = setup.start.clone();
        let mut runner = setup.runner(machine).known_as(SessionId::random());
        if let Some(twin) = twin {
            runner = runner.keeping(twin.fork());
        }
        if let Some((memory, name)) = &mut self.memory {
            let id = match memory.begin(name) {
                Ok(id) => id,
                Err(why) => return Ok(Err(self.fail(why))),
            };
            runner = runner.known_as(id).remembering(memory.fork());
        }
        if let Err(why) = self.journal.begin_again(&runner, start) {
            return Ok(Err(self.fail(why)));
        }
        let before = std::mem::replace(&mut self.runner, runner);
        self.runner.ask_from_now(before.into_answerer());
        start.clone_into(&mut self.started);
        self.start = written;
        self.last = ScriptedTurn::default();
        self.by_hand.clear();
        self.latest = self.runner.id().clone();
        self.begin_tree();
        Ok(Ok(()))
    }

    /// No turn was played yet.
    fn begin_tree(&mut self) {
        let mut json = JsonLine::default();
        let (machine, settings) = (self.runner.machine(), self.runner.settings());
        HeaderLine { dialogue: DIALOGUE, machine, settings, start: &self.start }.write(&mut json);
        self.header = json.into_string() + "\n";
        self.whys.clear();
        self.tree = TurnTree::begin(TreeRoot { checkpoint: self.runner.checkpoint(), ..TreeRoot::default() });
    }
}

fn set_up(machine: &Machine, start: &str, permissive: bool) -> Result<DialogueSetup, String> {
    let mut setup = DialogueSetup::parse(machine, start)?;
    if permissive {
        setup.permit();
    }
    Ok(setup)
}
