//! The state of a REPL: the dialogue, and what was played so far.

use std::sync::Arc;

use super::commands::Next;
use super::line::{ReplLine, read_line};
use super::render;
use crate::diagnostic::Diagnostics;
use crate::engine::{ScriptedTurn, Session, TurnRecord};
use crate::llm::Answerer;
use crate::machine::{Machine, Settings, Value};
use crate::runtime::{DialogueRunner, DialogueSetup, Environment, set_up};
use crate::trace::{HeaderLine, JsonLine, RecordView};
use crate::world::Twin;

/// A dialogue that a person plays line by line.
pub struct Repl {
    pub(super) machine: Arc<Machine>,
    pub(super) settings: Settings,
    pub(super) session: Session,
    /// How the dialogue started, as written.
    start: Value,
    /// The last turn, as it was given.
    pub(super) last: ScriptedTurn,
    pub(super) record: TurnRecord,
    /// The dialogue so far as JSON lines.
    pub(super) trace: String,
    /// Who is around the dialogue.
    company: Environment,
    /// Somebody reads plain text.
    asks: bool,
    /// Moves that no state declares are taken, whatever `start` says.
    permissive: bool,
    /// The dialogue named a store of its own when it began.
    names_twin: bool,
    /// The store of the user's data for dialogues that name none.
    twin: Option<Box<dyn Twin>>,
}

/// What a line came to.
#[derive(Debug, PartialEq, Eq)]
pub enum ReplReply {
    /// Text to show.
    Show(String),
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
    pub fn new(machine: Arc<Machine>, start: &str, permissive: bool) -> Result<Self, String> {
        let opening = begin(&machine, start, permissive)?;
        let names_twin = opening.twin.is_some();
        let company = opening.company();
        let DialogueSetup { settings, session, start, .. } = opening;
        let mut repl = Self {
            machine,
            settings,
            session,
            start,
            last: ScriptedTurn::default(),
            record: TurnRecord::default(),
            trace: String::new(),
            company,
            asks: false,
            permissive,
            names_twin,
            twin: None,
        };
        repl.write_header();
        Ok(repl)
    }

    /// The same with somebody who reads plain text.
    #[must_use]
    pub fn asking(mut self, answerer: Box<dyn Answerer>) -> Self {
        self.company.answerer = answerer;
        self.asks = true;
        self
    }

    /// The same with a store of the user's data, for each dialogue that names none.
    #[must_use]
    pub fn keeping(mut self, twin: Box<dyn Twin>) -> Self {
        self.company.twin = twin.fork();
        self.twin = Some(twin);
        self
    }

    /// Whether the dialogue began with a store that it named itself.
    #[must_use]
    pub fn names_twin(&self) -> bool {
        self.names_twin
    }

    /// The end: what whoever was asked has to say about it, and keeps of it.
    pub fn finish(&mut self, found: &mut Diagnostics) {
        self.company.answerer.finish(found);
    }

    /// Takes a line.
    pub fn take(&mut self, line: &str) -> ReplReply {
        match read_line(line, &self.machine, self.asks) {
            Err(reason) => ReplReply::Refuse(reason),
            Ok(ReplLine::Empty) => ReplReply::Show(String::new()),
            Ok(ReplLine::Turn(turn)) => ReplReply::Show(self.play(*turn)),
            Ok(ReplLine::ReplCommand(name, rest)) => match self.command(&name, &rest) {
                Err(reason) => ReplReply::Refuse(reason),
                Ok(Next::Show(text)) => ReplReply::Show(text),
                Ok(Next::Quit) => ReplReply::Quit,
            },
        }
    }

    /// What stands before a line: the state and the profile.
    #[must_use]
    pub fn prompt(&self) -> String {
        let state = self.session.state_name(self.session.position.state, &self.machine);
        format!("{state} [{}] > ", self.settings.profile.name())
    }

    fn play(&mut self, turn: ScriptedTurn) -> String {
        let machine = Arc::clone(&self.machine);
        let company = std::mem::take(&mut self.company);
        let mut player =
            DialogueRunner::new(&machine, self.settings.clone(), self.session.clone()).with(company);
        player.play_watched(&turn, &mut self.record);
        self.session = player.session().clone();
        self.company = player.into_company();
        self.last = turn;
        let Some(line) = self.last_line() else {
            return String::new();
        };
        let text = render::record(&line);
        let mut json = JsonLine::default();
        line.write(&mut json);
        self.trace.push_str(&json.into_string());
        self.trace.push('\n');
        text
    }

    /// The last turn with everything that is known of it.
    pub(super) fn last_line(&self) -> Option<RecordView<'_>> {
        self.record.outcome.as_ref()?;
        Some(RecordView {
            machine: &self.machine,
            session: &self.session,
            scripted: &self.last,
            record: &self.record,
        })
    }

    /// Begins again.
    ///
    /// # Errors
    /// The findings about `start` as text; the dialogue goes on then.
    pub(super) fn reset(&mut self, start: &str) -> Result<String, String> {
        let begun = begin(&self.machine, start, self.permissive);
        let opening = begun
            .map_err(|findings| format!("the dialogue goes on, since it cannot start so:\n{findings}"))?;
        let mut company = opening.company();
        if let Some(twin) = self.twin.as_ref().filter(|_| opening.twin.is_none()) {
            company.twin = twin.fork();
        }
        self.company = Environment { answerer: std::mem::take(&mut self.company).answerer, ..company };
        self.settings = opening.settings;
        self.session = opening.session;
        self.start = opening.start;
        self.last = ScriptedTurn::default();
        self.record = TurnRecord::default();
        self.write_header();
        Ok(String::new())
    }

    fn write_header(&mut self) {
        let mut json = JsonLine::default();
        let header = HeaderLine {
            dialogue: "repl",
            machine: &self.machine,
            settings: &self.settings,
            start: &self.start,
        };
        header.write(&mut json);
        self.trace = json.into_string();
        self.trace.push('\n');
    }
}

fn begin(machine: &Machine, start: &str, permissive: bool) -> Result<DialogueSetup, String> {
    let mut opening = set_up(machine, start)?;
    if permissive {
        opening.permit();
    }
    Ok(opening)
}
