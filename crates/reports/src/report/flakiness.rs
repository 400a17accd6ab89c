//! Scenarios with varying results: as text, JSON and HTML.

use std::io::{self, Write};

use minijinja::{Value, context};

use super::grid::Grid;
use super::page::Page;
use super::report_kind::ReportKind;
use crate::limits::{MAX_ANSWER_LENGTH, MAX_ANSWERS, MAX_FLAKY_SCENARIOS, MAX_QUESTIONS};
use fsmsim_harness::flakiness::{
    FlakinessResult, FlakyPart, FlakyQuestion, FlakyScenario, ShareInterval,
};
use fsmsim_syntax::diagnostic::plural;
use fsmsim_syntax::terminal::{Joined, printable, shortened};

/// The version of the format. It increases when the meaning of a field changes.
const VERSION: u32 = 2;
/// The report about varying results.
#[derive(Debug)]
pub struct FlakinessReport<'r> {
    pub result: &'r FlakinessResult,
}

/// The report as one JSON object.
#[derive(serde::Serialize)]
struct FlakinessObject<'r> {
    fsmsim_flakiness: u32,
    #[serde(flatten)]
    result: &'r FlakinessResult,
}

impl FlakinessReport<'_> {
    /// Writes the report in this format.
    pub fn write(&self, kind: ReportKind, out: &mut dyn Write) -> io::Result<()> {
        match kind {
            ReportKind::Json => {
                let object = FlakinessObject {
                    fsmsim_flakiness: VERSION,
                    result: self.result,
                };
                serde_json::to_writer_pretty(&mut *out, &object)?;
                writeln!(out)
            }
            ReportKind::Html => {
                let page = Page {
                    title: &self.title(),
                    template: include_str!("page/flakiness.html"),
                    content: self.content(),
                    ..Page::default()
                };
                out.write_all(page.render(&())?.as_bytes())
            }
            _ => self.write_text(out),
        }
    }

    /// The result in one sentence.
    fn title(&self) -> String {
        let result = self.result;
        let all = plural(result.scenarios.len(), "scenario");
        let runs = plural(result.runs, "run");
        match result.differing().len() {
            0 => format!("{all} with the same results in {runs}"),
            differing => format!("{differing} of {all} with varying results in {runs}"),
        }
    }

    fn write_text(&self, mut out: &mut dyn Write) -> io::Result<()> {
        writeln!(out, "{}", self.title())?;
        let differing = self.result.differing();
        for scenario in &differing {
            writeln!(out)?;
            write_scenario(scenario, usize::MAX, out)?;
        }
        for (title, parts) in [
            ("state", &self.result.states),
            ("intent", &self.result.intents),
        ] {
            let grid = grid_of(title, parts);
            if !grid.is_empty() {
                writeln!(out)?;
                grid.write_text(&mut out)?;
            }
        }
        Ok(())
    }

    /// Writes the scenarios with varying results below a run. Writes nothing if all results agree.
    pub fn write_below_run(&self, out: &mut dyn Write) -> io::Result<()> {
        let differing = self.result.differing();
        if differing.is_empty() {
            return Ok(());
        }
        let all = plural(self.result.scenarios.len(), "scenario");
        writeln!(out, "\n{} of {all} with varying results", differing.len())?;
        for scenario in differing.iter().take(MAX_FLAKY_SCENARIOS) {
            write_scenario(scenario, MAX_QUESTIONS, out)?;
        }
        match differing.len().saturating_sub(MAX_FLAKY_SCENARIOS) {
            0 => Ok(()),
            more => writeln!(
                out,
                "  and {more} more; to list all, use `--report json=FILE` and `fsmsim flaky FILE`"
            ),
        }
    }

    /// The template values of the page.
    fn content(&self) -> Value {
        let scenarios = self.result.differing().into_iter().map(|scenario| {
            let questions = scenario.questions.iter().map(|question| {
                let answers = question.answers.iter().map(|answer| {
                    context! { text => &answer.answer, trials => answer.trials, width => width(answer.trials, question) }
                });
                context! {
                    turn => question.turn,
                    state => &question.state,
                    need => &question.need,
                    entropy => format!("{:.2}", question.entropy),
                    answers => answers.collect::<Value>(),
                    to => to(question),
                    failed => question.failed,
                }
            });
            context! {
                id => &scenario.id,
                passing => passing(scenario),
                share => scenario.passing.share * 1000.0,
                low => scenario.passing.low * 1000.0,
                high => scenario.passing.high * 1000.0,
                questions => questions.collect::<Value>(),
            }
        });
        context! {
            scenarios => scenarios.collect::<Value>(),
            states => grid_of("state", &self.result.states).html(),
            intents => grid_of("intent", &self.result.intents).html(),
        }
    }
}

/// The width of the bar of an answer.
fn width(trials: u32, question: &FlakyQuestion) -> f64 {
    let all: u32 = question.answers.iter().map(|answer| answer.trials).sum();
    f64::from(trials) / f64::from(all.max(1)) * 1000.0
}

/// Writes the trials of a scenario, and the questions with varying answers.
fn write_scenario(scenario: &FlakyScenario, most: usize, out: &mut dyn Write) -> io::Result<()> {
    writeln!(out, "  {}  {}", passing(scenario), printable(&scenario.id))?;
    for question in scenario.questions.iter().take(most) {
        let FlakyQuestion {
            turn, state, need, ..
        } = question;
        let answers = question.answers.iter().take(MAX_ANSWERS).map(|answer| {
            let short = printable(&shortened(&answer.answer, MAX_ANSWER_LENGTH));
            format!("{short} {}", answer.trials)
        });
        let answers = answers.joined(", ");
        let more = match question.answers.len().saturating_sub(MAX_ANSWERS) {
            0 => String::new(),
            more => format!(", {more} more"),
        };
        writeln!(
            out,
            "    turn {turn} in {}, {need}: {answers}{more} -> {}",
            printable(state),
            printable(&to(question))
        )?;
    }
    match scenario.questions.len().saturating_sub(most) {
        0 => Ok(()),
        more => writeln!(out, "    and {} more", plural(more, "request")),
    }
}

/// The target states of a turn.
fn to(question: &FlakyQuestion) -> String {
    match &*question.to {
        [one] => one.state.clone(),
        several => several
            .iter()
            .map(|to| format!("{} {}", to.state, to.trials))
            .joined(", "),
    }
}

/// The number of trials that passed.
fn passing(scenario: &FlakyScenario) -> String {
    let FlakyScenario {
        trials,
        passed,
        failed,
        passing,
        ..
    } = scenario;
    let unanswered = trials.saturating_sub(passed + failed);
    let away = match unanswered {
        0 => String::new(),
        _ => format!(", {unanswered} without an answer"),
    };
    format!(
        "{passed} of {trials} trials passed{away} (95% interval: {})",
        between(passing)
    )
}

fn between(share: &ShareInterval) -> String {
    format!("{:.0} to {:.0} %", share.low * 100.0, share.high * 100.0)
}

/// A table of states or intents, sorted by agreement.
fn grid_of(title: &str, parts: &[FlakyPart]) -> Grid {
    let mut grid = Grid::new(
        [
            title,
            "requests",
            "differ",
            "answers",
            "agree",
            "95% interval",
            "bits",
            "failed trials",
        ],
        1,
    );
    let mut parts: Vec<&FlakyPart> = parts.iter().collect();
    parts.sort_by(|one, other| {
        one.agreement
            .share
            .total_cmp(&other.agreement.share)
            .then_with(|| one.name.cmp(&other.name))
    });
    for part in parts {
        grid.push(vec![
            part.name.clone(),
            part.questions.to_string(),
            part.differing.to_string(),
            part.answers.to_string(),
            format!("{:.1}%", part.agreement.share * 100.0),
            between(&part.agreement),
            format!("{:.2}", part.entropy),
            part.failed.to_string(),
        ]);
    }
    grid
}
