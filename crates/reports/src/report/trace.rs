//! Writes traces during a run: JSON Lines, or a table.

use std::borrow::{Borrow, Cow};
use std::io::{self, Write};

use super::chat::Chat;
use super::profile_in_title::profile_in_title;
use fsmsim_adapters::stores::{Audit, VolatileAudit};
use fsmsim_adapters::subject::SubjectSpec;
use fsmsim_core::engine::{Machine, ScriptedTurn, Settings};
use fsmsim_core::machine::Value;
use fsmsim_core::trace::{EndLine, HeaderLine, JsonLine, TraceTable, TurnReport};
use fsmsim_harness::scenario::{PreparedScenario, SubjectRun, UnreadTurn};
use fsmsim_runtime::runtime::{DialogueRunner, audited_turn, remembers};
use fsmsim_syntax::diagnostic::{Code, Diagnostic, Diagnostics};
use fsmsim_syntax::terminal::printable;

/// Events of a dialogue that its records do not contain.
#[derive(Clone, Copy, Debug, Default)]
pub struct TracedOutcome {
    /// Whether a recognizer was called.
    pub asked: bool,
    /// Whether an utterance was not recognized.
    pub unread: bool,
}

/// The format of a trace.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TraceForm {
    /// JSON Lines: a header per dialogue, then one line per turn, then an end line.
    Lines,
    /// One JSON object per dialogue, which contains the lines.
    Dialogues,
    /// A human-readable table.
    Table,
    /// One JSON object per dialogue, in the format of chat datasets.
    Chats,
    /// A human-readable transcript.
    Transcript,
    /// A table in CSV with a row per turn.
    Csv,
}

impl TraceForm {
    /// Whether the format is human-readable, so that an empty line separates dialogues.
    fn is_text(self) -> bool {
        matches!(self, Self::Table | Self::Transcript)
    }
}

/// Writes dialogues during a run.
pub struct TraceWriter<W: Write> {
    out: W,
    form: TraceForm,
    /// The buffer of the current line.
    line: JsonLine,
    /// The number of dialogues.
    written: usize,
    /// Whether the titles of a table in CSV were written.
    has_titles: bool,
}

impl<W: Write> TraceWriter<W> {
    pub fn new(out: W, form: TraceForm) -> Self {
        Self {
            out,
            form,
            line: JsonLine::default(),
            written: 0,
            has_titles: false,
        }
    }

    /// Whether no dialogue was written.
    pub fn is_empty(&self) -> bool {
        self.written == 0
    }

    /// Runs a dialogue with this name and writes it.
    ///
    /// # Errors
    /// Returns an error if writing fails; then no further turn runs.
    pub fn play(
        &mut self,
        dialogue: &str,
        start: &Value,
        runner: &mut DialogueRunner,
        turns: impl Iterator<Item: Borrow<ScriptedTurn>>,
    ) -> io::Result<TracedOutcome> {
        let mut outcome = TracedOutcome::default();
        let mut table = TraceTable::default();
        let mut chat = Chat::default();
        let session = runner.id().text().into_owned();
        let is_lines = matches!(self.form, TraceForm::Lines | TraceForm::Dialogues);
        if is_lines {
            let machine = runner.machine();
            let settings = runner.settings();
            self.write_header(dialogue, machine, settings, start)?;
        }
        let mut written = 0;
        let mut audit = remembers(runner.machine()).then(VolatileAudit::default);
        for scripted in turns {
            let played = runner.play(scripted.borrow());
            outcome.asked |= played.asked;
            outcome.unread |= played.unread.is_some();
            match self.form {
                TraceForm::Csv => {
                    self.line.clear();
                    played.view.write(&mut self.line);
                    self.csv_line(dialogue)?;
                }
                TraceForm::Table => table.push(&played.view),
                TraceForm::Chats | TraceForm::Transcript => chat.push(&played.view),
                TraceForm::Lines | TraceForm::Dialogues => {
                    let machine = played.view.machine;
                    let number = played.view.record.turn;
                    self.write_line(TracePiece::Turn(written), |line| played.view.write(line))?;
                    written += 1;
                    if let Some(audit) = &mut audit {
                        // An audit in memory never fails.
                        let _ = audit.append(&audited_turn(
                            machine,
                            &session,
                            number,
                            std::str::from_utf8(self.line.as_bytes()).unwrap_or_default(),
                        ));
                    }
                }
            }
        }
        if is_lines {
            let head = audit.and_then(|mut audit| audit.head().ok());
            self.write_end(dialogue, written, head.as_ref().map(|head| &*head.hash))?;
        } else {
            let (machine, settings) = (runner.machine(), runner.settings());
            let profile = profile_in_title(machine.shown_profile(), ", ", "");
            let title = format!("{} ({}{profile})", printable(dialogue), machine.header.name);
            self.write_shown(dialogue, &title, (&table, &chat), Some((machine, settings)))?;
        }
        Ok(outcome)
    }

    fn write_header(
        &mut self,
        dialogue: &str,
        machine: &Machine,
        settings: &Settings,
        start: &Value,
    ) -> io::Result<()> {
        let header = HeaderLine {
            dialogue,
            machine,
            settings,
            start,
        };
        self.write_line(TracePiece::Header, |line| header.write(line))
    }

    /// Ends a dialogue that was written line by line.
    fn write_end(&mut self, dialogue: &str, turns: u32, audit: Option<&str>) -> io::Result<()> {
        let end = EndLine {
            dialogue,
            turns,
            audit,
        };
        self.written += 1;
        self.write_line(TracePiece::End(turns), |line| end.write(line))
    }

    /// Writes a complete dialogue as a table or a chat.
    fn write_shown(
        &mut self,
        dialogue: &str,
        title: &str,
        (table, chat): (&TraceTable, &Chat),
        run_by: Option<(&Machine, &Settings)>,
    ) -> io::Result<()> {
        if self.written > 0 && self.form.is_text() {
            writeln!(self.out)?;
        }
        self.written += 1;
        match self.form {
            TraceForm::Table => write!(self.out, "{title}\n{}", table.render()),
            TraceForm::Transcript => chat.write_text(title, &mut self.out),
            TraceForm::Csv => Ok(()),
            _ => chat.write_line(dialogue, run_by, &mut self.out),
        }
    }

    /// Runs a scenario without checking its expectations, and writes it.
    pub fn scenario(
        &mut self,
        prepared: &PreparedScenario<'_>,
        found: &mut Diagnostics,
    ) -> io::Result<TracedOutcome> {
        if let Some(subject) = &prepared.subject {
            return self.subject(prepared, subject, found);
        }
        let mut runner = prepared.runner();
        let turns = prepared.turns().map(|turn| match turn {
            Cow::Borrowed(turn) => Cow::Borrowed(&turn.scripted),
            Cow::Owned(turn) => Cow::Owned(turn.scripted),
        });
        let outcome = self.play(&prepared.title, &prepared.setup.start, &mut runner, turns)?;
        runner.into_answerer().finish(found);
        Ok(outcome)
    }

    /// Runs a scenario on an external system, and writes the observed turns.
    fn subject(
        &mut self,
        prepared: &PreparedScenario<'_>,
        subject: &SubjectSpec,
        found: &mut Diagnostics,
    ) -> io::Result<TracedOutcome> {
        let run = SubjectRun::of(prepared, subject, &mut || true, &mut |_| ());
        let dialogue = &*prepared.title;
        let (machine, settings, start) = (
            &prepared.machine,
            &prepared.setup.settings,
            &prepared.setup.start,
        );
        let title = format!(
            "{} (system under test, checked against {}{})",
            printable(dialogue),
            machine.header.name,
            profile_in_title(machine.shown_profile(), ", ", "")
        );
        if matches!(self.form, TraceForm::Lines | TraceForm::Dialogues) {
            self.write_header(dialogue, machine, settings, start)?;
            let mut turns = 0;
            for record in &run.shown {
                self.write_line(TracePiece::Turn(turns), |line| record.write(line))?;
                turns += 1;
            }
            self.write_end(dialogue, turns, None)?;
        } else {
            let mut table = TraceTable::default();
            let mut chat = Chat::default();
            for record in &run.shown {
                if self.form == TraceForm::Csv {
                    self.line.clear();
                    record.write(&mut self.line);
                    self.csv_line(dialogue)?;
                }
                table.push_observed(record);
                chat.push_observed(record, machine);
            }
            self.write_shown(dialogue, &title, (&table, &chat), Some((machine, settings)))?;
        }
        if let Some(fault) = run.fault {
            found.push(fault);
        }
        if let Some(UnreadTurn { turn, reason, .. }) = &run.unanswered {
            let title = format!(
                "no answer from the system under test in turn {turn} of `{dialogue}`: {reason}"
            );
            Diagnostic::warning(Code::SubjectUnavailable, printable(&title))
                .help("check the output of the system; see `fsmsim explain FS0252`")
                .add_to(found);
        }
        Ok(TracedOutcome {
            asked: false,
            unread: run.unanswered.is_some(),
        })
    }

    /// Writes a recorded dialogue as a chat, a transcript or rows.
    pub fn reports(&mut self, dialogue: &str, turns: &[TurnReport]) -> io::Result<()> {
        let mut chat = Chat::default();
        for turn in turns {
            if self.form == TraceForm::Csv {
                self.csv_row(dialogue, turn)?;
            }
            chat.push_report(turn);
        }
        let title = printable(dialogue);
        self.write_shown(dialogue, &title, (&TraceTable::default(), &chat), None)
    }

    /// Writes the turn in the current line as a row.
    fn csv_line(&mut self, dialogue: &str) -> io::Result<()> {
        let line = std::str::from_utf8(self.line.as_bytes()).unwrap_or_default();
        let turn = TurnReport::read(line).unwrap_or_default();
        self.csv_row(dialogue, &turn)
    }

    fn csv_row(&mut self, dialogue: &str, turn: &TurnReport) -> io::Result<()> {
        if !std::mem::replace(&mut self.has_titles, true) {
            let titles =
                "dialogue,turn,say,intent,from,state,phase,action,class,final,replies,data";
            writeln!(self.out, "{titles}")?;
        }
        let text = |text: &Option<String>| text.clone().unwrap_or_default();
        let given = |key: &str| turn.given(key).unwrap_or_default().to_owned();
        let data = serde_json::to_string(&turn.data)?;
        let cells = [
            dialogue.to_owned(),
            turn.turn.to_string(),
            given("say"),
            given("intent"),
            text(&turn.state.from),
            text(&turn.state.to),
            text(&turn.phase.to),
            text(&turn.action),
            text(&turn.class),
            turn.is_final
                .map_or(String::new(), |is_final| is_final.to_string()),
            turn.replies.join("\n"),
            if turn.data.is_empty() {
                String::new()
            } else {
                data
            },
        ];
        let quoted = cells.map(|cell| {
            if cell.contains([',', '"', '\n', '\r']) {
                format!("\"{}\"", cell.replace('"', "\"\""))
            } else {
                cell
            }
        });
        writeln!(self.out, "{}", quoted.join(","))
    }

    /// Appends a dialogue that another writer of the same format has written.
    pub fn append(&mut self, dialogue: &[u8]) -> io::Result<()> {
        if self.form.is_text() && self.written > 0 {
            writeln!(self.out)?;
        }
        self.written += 1;
        let mut rows = dialogue;
        // Each writer starts with the titles of the columns.
        if self.form == TraceForm::Csv && !dialogue.is_empty() {
            let titles = dialogue.iter().position(|byte| *byte == b'\n');
            if std::mem::replace(&mut self.has_titles, true) {
                rows = dialogue
                    .get(titles.map_or(0, |at| at + 1)..)
                    .unwrap_or_default();
            }
        }
        self.out.write_all(rows)
    }

    pub fn flush(&mut self) -> io::Result<()> {
        self.out.flush()
    }

    fn write_line(
        &mut self,
        piece: TracePiece,
        write: impl FnOnce(&mut JsonLine),
    ) -> io::Result<()> {
        self.line.clear();
        write(&mut self.line);
        let (before, after) = match self.form {
            TraceForm::Dialogues => piece.around(),
            _ => ("", "\n"),
        };
        self.out.write_all(before.as_bytes())?;
        self.out.write_all(self.line.as_bytes())?;
        self.out.write_all(after.as_bytes())
    }
}

/// A line of a dialogue.
#[derive(Clone, Copy)]
enum TracePiece {
    Header,
    /// A turn after this number of turns.
    Turn(u32),
    /// The end of the dialogue after this number of turns.
    End(u32),
}

impl TracePiece {
    /// The text before and after the line, if all lines of a dialogue form one object.
    fn around(self) -> (&'static str, &'static str) {
        match self {
            Self::Header => ("{\"header\":", ""),
            Self::Turn(0) => (",\"turns\":[", ""),
            Self::Turn(_) => (",", ""),
            Self::End(0) => (",\"turns\":[],\"end\":", "}\n"),
            Self::End(_) => ("],\"end\":", "}\n"),
        }
    }
}
