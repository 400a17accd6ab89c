//! Asks the user about each result to review, cause by cause.

use std::io::{self, Write};
use std::path::PathBuf;
use std::process::Command;

use console::{Key, Term};

use fsmsim_harness::review::ReviewDecision;
use fsmsim_reports::harness::{DecidedResults, ReviewRun};
use fsmsim_reports::report::{ReportedCause, write_cause, write_conversation, write_review_entry};
use fsmsim_runtime::project::Project;
use fsmsim_syntax::diagnostic::plural;
use fsmsim_syntax::terminal::{Escaping, Joined, StdoutWriter, printable, stream};

const KEYS: &str = "a accept, r reject, s skip, A R S the rest of this cause; d conversation, v difference, o open; ? help, q quit";
const HELP: &str = include_str!("review_keys.txt");

/// Asks about each result to review.
pub(super) struct ReviewPrompt<'r> {
    run: &'r mut ReviewRun,
    project: &'r Project,
    terminal: Term,
    out: StdoutWriter,
}

/// The next step after a key.
enum NextStep {
    /// The same result.
    Stay,
    Next,
    NextCause,
    /// The end of the review.
    Leave,
}

impl<'r> ReviewPrompt<'r> {
    pub(super) fn new(run: &'r mut ReviewRun, project: &'r Project) -> Self {
        Self {
            run,
            project,
            terminal: Term::stdout(),
            out: stream(Escaping::of_text()),
        }
    }

    /// Asks until all results are decided or skipped, or the user quits.
    pub(super) fn ask(mut self) -> io::Result<()> {
        let causes = self.run.decidable_causes();
        let folder = self.project.prefix();
        'causes: for (number, cause) in causes.iter().enumerate() {
            if number > 0 {
                writeln!(self.out)?;
            }
            write_cause(
                &cause.below(&folder),
                number + 1,
                self.run.noun(),
                &mut self.out,
            )?;
            for (at, id) in cause.scenarios.iter().enumerate() {
                // A result with several causes can be decided with another one.
                if self.run.list.entry(id).is_none() {
                    continue;
                }
                writeln!(
                    self.out,
                    "\n  {} of {}  {}",
                    at + 1,
                    cause.scenarios.len(),
                    printable(&format!("{folder}{id}"))
                )?;
                self.show(id, false)?;
                loop {
                    match self.step(cause, at)? {
                        NextStep::Stay => {}
                        NextStep::Next => break,
                        NextStep::NextCause => continue 'causes,
                        NextStep::Leave => return self.leave(),
                    }
                }
            }
        }
        self.leave()
    }

    /// Prints the number of undecided results.
    fn leave(mut self) -> io::Result<()> {
        match self.run.list.entries.len() {
            0 => writeln!(self.out, "no snapshot is pending")?,
            left => {
                let left = plural(left, self.run.noun());
                writeln!(self.out, "{left} still pending")?;
            }
        }
        self.out.flush()
    }

    /// Asks about a result, and executes the command.
    fn step(&mut self, cause: &ReportedCause, at: usize) -> io::Result<NextStep> {
        write!(self.out, "{KEYS} > ")?;
        self.out.flush()?;
        let key = match self.terminal.read_key_raw() {
            Ok(key) => key,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => Key::CtrlC,
            Err(error) if error.kind() == io::ErrorKind::UnexpectedEof => Key::CtrlC,
            Err(error) => return Err(error),
        };
        if let Key::Char(character) = key {
            write!(self.out, "{}", printable(&character.to_string()).trim())?;
        }
        writeln!(self.out)?;
        let rest = cause.scenarios.get(at..).unwrap_or_default();
        let this = rest.get(..1).unwrap_or_default();
        let id = this.first().map(String::as_str).unwrap_or_default();
        let rest_of_cause = || ReportedCause {
            scenarios: rest.to_vec(),
            ..cause.clone()
        };
        match key {
            Key::Char('a') => self.decide(ReviewDecision::Accept, this),
            Key::Char('r') => self.decide(ReviewDecision::Reject, this),
            Key::Char('A') => self.decide_rest(ReviewDecision::Accept, &rest_of_cause()),
            Key::Char('R') => self.decide_rest(ReviewDecision::Reject, &rest_of_cause()),
            Key::Char('s') => Ok(NextStep::Next),
            Key::Char('S') => Ok(NextStep::NextCause),
            Key::Char('d') => self.show(id, true).map(|()| NextStep::Stay),
            Key::Char('v') => self.show(id, false).map(|()| NextStep::Stay),
            Key::Char('o') => self.open(cause, id),
            Key::Char('q' | '\u{3}' | '\u{4}') | Key::CtrlC | Key::Escape => Ok(NextStep::Leave),
            _ => {
                self.out.write_all(HELP.as_bytes())?;
                Ok(NextStep::Stay)
            }
        }
    }

    /// Decides one result.
    fn decide(&mut self, decision: ReviewDecision, ids: &[String]) -> io::Result<NextStep> {
        let decided = self.run.decide(decision, ids);
        self.report(decision, &decided)?;
        Ok(NextStep::Next)
    }

    /// Decides the other results of a cause.
    fn decide_rest(
        &mut self,
        decision: ReviewDecision,
        rest: &ReportedCause,
    ) -> io::Result<NextStep> {
        let decided = self.run.decide_cause(decision, rest);
        self.report(decision, &decided)?;
        Ok(NextStep::NextCause)
    }

    fn report(&mut self, decision: ReviewDecision, decided: &DecidedResults) -> io::Result<()> {
        let word = decision.word();
        if decided.kept > 0 {
            let kept = plural(decided.kept, self.run.noun());
            let others = decided.kept_by.iter().joined(", ");
            writeln!(self.out, "  kept {kept}: also accept {others}")?;
        }
        match (&decided.done, &decided.failed) {
            (_, Some(finding)) => writeln!(self.out, "  {}", printable(&finding.title)),
            (Some(done), None) => writeln!(self.out, "  {word} {done}"),
            (None, None) if decided.kept > 0 => Ok(()),
            (None, None) => writeln!(self.out, "  nothing is {word}: see `fsmsim test`"),
        }
    }

    /// Shows the difference, or the conversation.
    fn show(&mut self, id: &str, is_full: bool) -> io::Result<()> {
        match self.run.list.entry(id) {
            Some(entry) if is_full => write_conversation(entry, &mut self.out),
            Some(entry) => {
                let folder = self.project.prefix();
                write_review_entry(entry, &self.run.updates, &folder, &mut self.out)
            }
            None => Ok(()),
        }
    }

    /// Opens the location of a cause, otherwise the scenario.
    fn open(&mut self, cause: &ReportedCause, id: &str) -> io::Result<NextStep> {
        let of_cause = cause
            .at
            .as_ref()
            .map(|at| (self.project.root.join(&at.file), at.line.unwrap_or(1)));
        let of_scenario = self
            .run
            .list
            .entry(id)
            .map(|entry| &entry.place)
            .map(|(path, line)| (PathBuf::from(path), *line));
        let Some((path, line)) = of_cause.or(of_scenario) else {
            return Ok(NextStep::Stay);
        };
        let editor = ["VISUAL", "EDITOR"]
            .iter()
            .find_map(|name| std::env::var(name).ok());
        let mut words = editor.as_deref().unwrap_or_default().split_whitespace();
        let Some(program) = words.next() else {
            writeln!(
                self.out,
                "  {}:{line}; set $VISUAL or $EDITOR to open it",
                printable(&path.display().to_string())
            )?;
            return Ok(NextStep::Stay);
        };
        let before = std::fs::read(&path).ok();
        self.out.flush()?;
        let opened = Command::new(program)
            .args(words)
            .arg(format!("+{line}"))
            .arg(&path)
            .status();
        if let Err(error) = opened {
            writeln!(self.out, "  cannot start `{}`: {error}", printable(program))?;
        }
        if std::fs::read(&path).ok() == before {
            return Ok(NextStep::Stay);
        }
        writeln!(
            self.out,
            "  the file has changed: run `fsmsim test`, then `fsmsim review` again"
        )?;
        Ok(NextStep::Leave)
    }
}
