//! The results of a simulation: as text, JSON and HTML.

use std::cmp::Reverse;
use std::io::{self, Write};

use indexmap::IndexSet;

use super::grid::Grid;
use super::page::{SimulationExtras, SimulationPage, ending_text, most_frequent};
use super::profile_in_title::profile_in_title;
use super::report_kind::ReportKind;
use super::run::{HeadedReport, ReportHead, SharedResult};
use crate::limits::{MAX_CAUSES_OF_PERSONA, MAX_CAUSES_OF_STATE};
use fsmsim_runtime::simulate::{
    EndCauseCount, EndReason, EndingShare, MisreadIntent, PersonaResult, SimulationResult, share,
};
use fsmsim_syntax::diagnostic::plural;
use fsmsim_syntax::terminal::printable;

/// The title of the table of misread intents.
const MISREAD: &str = "Dialogues spoiled by misread sentences";

/// The report of a simulation.
#[derive(Debug)]
pub struct SimulationReport<'r> {
    pub head: &'r ReportHead,
    pub result: &'r SimulationResult,
    /// The parts of the HTML page that need the model.
    pub extras: Option<&'r SimulationExtras>,
}

impl SharedResult for SimulationResult {
    fn join(&mut self, other: Self) -> Result<(), &'static str> {
        self.add(&other)
    }

    fn finish(&mut self) -> Result<(), &'static str> {
        self.close();
        Ok(())
    }
}

impl SimulationReport<'_> {
    /// Writes the report in this format.
    pub fn write(&self, kind: ReportKind, out: &mut dyn Write) -> io::Result<()> {
        match kind {
            ReportKind::Text => self.write_table(out),
            ReportKind::Json => HeadedReport {
                head: self.head,
                result: self.result,
            }
            .write(out),
            ReportKind::Html => self.write_html(out),
            _ => Ok(()),
        }
    }

    fn write_table(&self, mut out: &mut dyn Write) -> io::Result<()> {
        writeln!(out, "{}", printable(&self.title()))?;
        self.endings().write_text(&mut out)?;
        let phases = self.phases().map(|grid| ("Dialogues by phase", grid));
        let others = [
            ("Mean counters at the end", self.counters()),
            ("Turns by class", self.classes()),
            ("Last states of unfinished dialogues", self.places()),
            (
                "Reasons and last turns of unfinished dialogues",
                self.causes(),
            ),
            (MISREAD, self.misread()),
        ];
        for (title, grid) in phases.into_iter().chain(others) {
            grid.write_section(title, &mut out)?;
        }
        Ok(())
    }

    /// Writes a self-contained HTML page.
    fn write_html(&self, out: &mut dyn Write) -> io::Result<()> {
        let tables = [
            ("Turns by class", self.classes()),
            ("Mean counters at the end", self.counters()),
            (MISREAD, self.misread()),
        ];
        let tables = tables.iter();
        let page = SimulationPage {
            title: self.title(),
            result: self.result,
            extras: self.extras,
            tables: tables
                .filter_map(|(title, grid)| Some((*title, grid.html()?)))
                .collect(),
        };
        out.write_all(page.write()?.as_bytes())
    }

    fn title(&self) -> String {
        let SimulationResult {
            model,
            profile,
            seed,
            dialogues,
            ..
        } = self.result;
        let dialogues = plural(dialogues, "dialogue");
        let profile = profile_in_title(profile.as_deref(), " (", ")");
        let title = format!("{model}{profile}, seed {seed}, {dialogues} per persona");
        self.head
            .shards
            .iter()
            .fold(title, |title, shard| format!("{title}, shard {shard}"))
    }

    fn endings(&self) -> Grid {
        let finished = self
            .result
            .personas
            .iter()
            .flat_map(|result| &result.finished);
        let finals: IndexSet<&str> = finished.map(|part| &*part.name).collect();
        let titles = ["persona"].into_iter().chain(finals.iter().copied());
        let unanswered = self.result.has_unanswered();
        let titles = titles
            .chain(["abandoned", "looped", "turn limit"])
            .chain(unanswered.then_some("unanswered"))
            .chain(self.result.recognized.then_some("spoiled"))
            .chain(["turns", "p90", "phases"]);
        let mut grid = Grid::new(titles, 1);
        for result in &self.result.personas {
            let mut row = vec![result.persona.clone()];
            row.extend(finals.iter().map(|name| of(&result.finished, name)));
            let sum = |parts: &[EndingShare]| parts.iter().map(|part| part.dialogues).sum::<u64>();
            let unanswered = unanswered.then_some(&result.unanswered);
            for parts in [&result.abandoned, &result.looped, &result.turn_limit]
                .into_iter()
                .chain(unanswered)
            {
                row.push(per_cent(share(sum(parts), result.turns.dialogues())));
            }
            if self.result.recognized {
                let spoiled = result.misread.iter().map(|one| one.dialogues).sum();
                row.push(per_cent(share(spoiled, result.turns.dialogues())));
            }
            row.push(format!("{:.1}", result.turns.mean));
            row.push(result.turns.p90.to_string());
            row.push(result.phase_coverage.map_or("-".to_owned(), per_cent));
            grid.push(row);
        }
        grid
    }

    fn phases(&self) -> Option<Grid> {
        let phases = &self.result.personas.first()?.phases;
        if phases.is_empty() {
            return None;
        }
        let titles = ["persona"]
            .into_iter()
            .chain(phases.iter().map(|part| &*part.name));
        let mut grid = Grid::new(titles, 1);
        for result in &self.result.personas {
            let shares = result.phases.iter().map(|part| per_cent(part.share));
            grid.push_named(&result.persona, shares);
        }
        Some(grid)
    }

    fn counters(&self) -> Grid {
        let counters = self.result.personas.first().map(|result| &result.counters);
        let names = counters.into_iter().flatten().map(|counter| &*counter.name);
        let mut grid = Grid::new(["persona"].into_iter().chain(names), 1);
        for result in self
            .result
            .personas
            .iter()
            .filter(|result| !result.counters.is_empty())
        {
            let means = result
                .counters
                .iter()
                .map(|counter| format!("{:.1}", counter.mean));
            grid.push_named(&result.persona, means);
        }
        grid
    }

    fn classes(&self) -> Grid {
        let mut grid = Grid::new(["persona", "class", "turns", "share"], 2);
        for result in &self.result.personas {
            for class in &result.classes {
                grid.push(vec![
                    result.persona.clone(),
                    class.name.clone(),
                    class.turns.to_string(),
                    per_cent(class.share),
                ]);
            }
        }
        grid
    }

    /// The misread intents of each persona: those that spoiled most dialogues.
    fn misread(&self) -> Grid {
        let titles = [
            "persona",
            "intent",
            "read as",
            "turns",
            "spoiled dialogues",
            "share",
            "example",
        ];
        let mut grid = Grid::new(titles, 3);
        for result in &self.result.personas {
            let mut worst: Vec<&MisreadIntent> = result.misread.iter().collect();
            worst.sort_by_key(|one| Reverse((one.dialogues, one.turns)));
            for one in worst.into_iter().take(MAX_CAUSES_OF_PERSONA) {
                let read: &str = match &one.predicted {
                    None => "-",
                    Some(read) if *read == one.intent => "values missing",
                    Some(read) => read,
                };
                let example = one.first.map(|first| format!("{}:{first}", result.persona));
                grid.push(vec![
                    result.persona.clone(),
                    one.intent.clone(),
                    read.to_owned(),
                    one.turns.to_string(),
                    one.dialogues.to_string(),
                    per_cent(share(one.dialogues, result.turns.dialogues())),
                    example.unwrap_or_else(|| "-".to_owned()),
                ]);
            }
        }
        grid
    }

    fn places(&self) -> Grid {
        let mut grid = Grid::new(["persona", "outcome", "state", "dialogues", "share"], 3);
        for result in &self.result.personas {
            for (how, parts) in result.unfinished() {
                for part in parts {
                    grid.push(vec![
                        result.persona.clone(),
                        how.to_owned(),
                        part.name.clone(),
                        part.dialogues.to_string(),
                        per_cent(part.share),
                    ]);
                }
            }
        }
        grid
    }
    /// The causes of unfinished dialogues by state: the most frequent ones of each state.
    fn causes(&self) -> Grid {
        let titles = [
            "persona",
            "outcome",
            "state",
            "reason",
            "last intent",
            "last action",
            "dialogues",
            "share",
            "example",
        ];
        let mut grid = Grid::new(titles, 6);
        for result in &self.result.personas {
            let all = result.turns.dialogues();
            for ((how, state), causes) in causes_by_state(result) {
                for cause in causes.into_iter().take(MAX_CAUSES_OF_STATE) {
                    let name =
                        |name: &Option<String>| name.clone().unwrap_or_else(|| "-".to_owned());
                    grid.push(vec![
                        result.persona.clone(),
                        how.to_owned(),
                        state.to_owned(),
                        reason(&cause.reason).to_owned(),
                        name(&cause.intent),
                        name(&cause.action),
                        cause.dialogues.to_string(),
                        per_cent(share(cause.dialogues, all)),
                        format!("{}:{}", result.persona, cause.first),
                    ]);
                }
            }
        }
        grid
    }
}

/// The causes of unfinished dialogues by state, the most frequent first.
fn causes_by_state(result: &PersonaResult) -> Vec<((&str, &str), Vec<&EndCauseCount>)> {
    let mut all = Vec::new();
    for (key, parts) in [
        ("abandoned", &result.abandoned),
        ("looped", &result.looped),
        ("turn_limit", &result.turn_limit),
        ("unanswered", &result.unanswered),
    ] {
        for part in parts {
            let here = result
                .causes
                .iter()
                .filter(|cause| cause.how == key && cause.state == part.name);
            all.push(((ending_text(key), &*part.name), most_frequent(here)));
        }
    }
    all
}

/// The text for a reason. An unknown reason is unchanged.
fn reason(name: &str) -> &str {
    let words: Option<&'static str> = name.parse::<EndReason>().ok().map(EndReason::description);
    words.unwrap_or(name)
}

/// The share of the ending or phase with this name.
fn of(parts: &[EndingShare], name: &str) -> String {
    per_cent(
        parts
            .iter()
            .find(|part| part.name == name)
            .map_or(0.0, |part| part.share),
    )
}

fn per_cent(share: f64) -> String {
    format!("{:.1}%", share * 100.0)
}
