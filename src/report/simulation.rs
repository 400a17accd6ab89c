//! The results of a simulation: a table, JSON, a page of HTML.

use std::io::{self, Write};

use serde::Serialize;

use super::grid::{Grid, escaped};
use super::report_target::ReportKind;
use crate::machine::{Id, Machine, PhaseId};
use crate::simulate::{Ending, Summary};

/// What a simulation came to, by names and ready to be written.
#[derive(Debug, Serialize)]
pub struct SimulationReport {
    /// The name of the model.
    model: String,
    /// Its path.
    source: String,
    profile: &'static str,
    seed: u64,
    /// Dialogues of each persona.
    dialogues: u64,
    personas: Vec<PersonaResult>,
}

/// The dialogues of one persona.
#[derive(Debug, Serialize)]
struct PersonaResult {
    persona: String,
    description: String,
    /// Dialogues that came to their end, by final state.
    finished: Vec<EndingShare>,
    /// Dialogues that the user left, by the state.
    left: Vec<EndingShare>,
    /// Dialogues that went round in a state.
    looped: Vec<EndingShare>,
    /// Dialogues that did not end, by the state in which they were given up.
    endless: Vec<EndingShare>,
    /// Dialogues in which a model was asked and nobody answered.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    unanswered: Vec<EndingShare>,
    turns: TurnCounts,
    /// The phases of the model in their order, with the dialogues that were in them.
    phases: Vec<EndingShare>,
    /// The mean share of the ordered phases that a dialogue was in; nothing where there are none.
    phase_coverage: Option<f64>,
}

/// Dialogues of one kind.
#[derive(Debug, Serialize)]
struct EndingShare {
    name: String,
    dialogues: u64,
    /// From 0 to 1, to four places.
    share: f64,
}

#[derive(Debug, Serialize)]
struct TurnCounts {
    total: u64,
    mean: f64,
    p90: u32,
}

impl SimulationReport {
    /// A report without results yet: `dialogues` of each persona under `seed`.
    #[must_use]
    pub fn new(machine: &Machine, seed: u64, dialogues: u64) -> Self {
        Self {
            model: machine.header.name.clone(),
            source: machine.header.source.clone(),
            profile: machine.settings.profile.name(),
            seed,
            dialogues,
            personas: Vec::new(),
        }
    }

    /// Adds the dialogues of a persona, played with `machine`.
    pub fn push(&mut self, name: &str, description: &str, summary: &Summary, machine: &Machine) {
        let all = summary.dialogues();
        let part = |name: &str, dialogues: u64| EndingShare {
            name: name.to_owned(),
            dialogues,
            share: share(dialogues, all),
        };
        let ends = |how: Ending| -> Vec<EndingShare> {
            summary.ends(how).map(|(state, count)| part(machine.names.states.name(state), count)).collect()
        };
        let ordered = machine.ordered_phases;
        let inside: u64 =
            summary.phases().filter(|(phase, _)| phase.index() < ordered).map(|(_, count)| count).sum();
        self.personas.push(PersonaResult {
            persona: name.to_owned(),
            description: description.to_owned(),
            finished: ends(Ending::Finished),
            left: ends(Ending::Left),
            looped: ends(Ending::Looped),
            endless: ends(Ending::Endless),
            unanswered: ends(Ending::Unanswered),
            turns: TurnCounts {
                total: summary.turns(),
                mean: quotient(summary.turns(), all),
                p90: summary.percentile(90),
            },
            phases: summary
                .phases()
                .filter(|(phase, _)| phase.index() < ordered || some_state_is_in(*phase, machine))
                .map(|(phase, count)| part(machine.names.phases.name(phase), count))
                .collect(),
            phase_coverage: (ordered > 0).then(|| share(inside, all * ordered as u64)),
        });
    }

    /// Writes the report as this kind.
    ///
    /// # Errors
    /// Those of writing.
    pub fn write(&self, kind: ReportKind, out: &mut dyn Write) -> io::Result<()> {
        match kind {
            ReportKind::Text => self.write_table(out),
            ReportKind::Json => {
                serde_json::to_writer_pretty(&mut *out, self)?;
                writeln!(out)
            }
            ReportKind::Html => self.write_html(out),
        }
    }

    /// The table for people.
    fn write_table(&self, mut out: &mut dyn Write) -> io::Result<()> {
        writeln!(out, "{}", crate::diagnostic::escape_control(&self.title()))?;
        for (number, (title, grid)) in self.grids().iter().enumerate() {
            if number > 0 {
                writeln!(out, "\n{title}")?;
            }
            grid.write_text(&mut out)?;
        }
        Ok(())
    }

    /// A page of HTML that needs nothing else.
    fn write_html(&self, mut out: &mut dyn Write) -> io::Result<()> {
        let title = escaped(&self.title());
        writeln!(
            out,
            "<!DOCTYPE html>\n<html lang=\"en\">\n<meta charset=\"utf-8\">\n<title>{title}</title>"
        )?;
        writeln!(out, "<style>{STYLE}</style>\n<h1>{title}</h1>")?;
        for (title, grid) in self.grids() {
            writeln!(out, "<h2>{}</h2>", escaped(title))?;
            grid.write_html(&mut out)?;
        }
        writeln!(out, "<h2>The personas</h2>\n<dl>")?;
        for result in &self.personas {
            writeln!(out, "<dt>{}</dt><dd>{}</dd>", escaped(&result.persona), escaped(&result.description))?;
        }
        writeln!(out, "</dl>\n</html>")
    }

    fn title(&self) -> String {
        let Self { model, profile, seed, dialogues, .. } = self;
        let noun = if *dialogues == 1 { "dialogue" } else { "dialogues" };
        format!("{model} (profile {profile}), seed {seed}, {dialogues} {noun} a persona")
    }

    /// The tables with their titles.
    fn grids(&self) -> Vec<(&'static str, Grid)> {
        let mut grids = vec![("How dialogues end", self.endings())];
        let phases = self.phases();
        grids.extend(phases.map(|grid| ("Dialogues that were in a phase", grid)));
        let places = self.places();
        if !places.is_empty() {
            grids.push(("Where dialogues end without an end", places));
        }
        grids
    }

    /// Whether in some dialogue a model was asked and nobody answered.
    #[must_use]
    pub fn has_unanswered(&self) -> bool {
        self.personas.iter().any(|result| !result.unanswered.is_empty())
    }

    fn endings(&self) -> Grid {
        let mut finals: Vec<&str> = Vec::new();
        for part in self.personas.iter().flat_map(|result| &result.finished) {
            if !finals.contains(&&*part.name) {
                finals.push(&part.name);
            }
        }
        let titles = ["persona"].into_iter().chain(finals.iter().copied());
        let unanswered = self.has_unanswered();
        let titles = titles.chain(["left", "loop", "never ends"]);
        let titles = titles.chain(unanswered.then_some("unanswered")).chain(["turns", "p90", "phases"]);
        let mut grid = Grid::new(titles.map(str::to_owned).collect(), 1);
        for result in &self.personas {
            let mut row = vec![result.persona.clone()];
            row.extend(finals.iter().map(|name| of(&result.finished, name)));
            let sum = |parts: &[EndingShare]| parts.iter().map(|part| part.dialogues).sum::<u64>();
            let unanswered = unanswered.then_some(&result.unanswered);
            for parts in [&result.left, &result.looped, &result.endless].into_iter().chain(unanswered) {
                row.push(per_cent(share(sum(parts), self.dialogues)));
            }
            row.push(format!("{:.1}", result.turns.mean));
            row.push(result.turns.p90.to_string());
            row.push(result.phase_coverage.map_or("-".to_owned(), per_cent));
            grid.push(row);
        }
        grid
    }

    fn phases(&self) -> Option<Grid> {
        let phases = &self.personas.first()?.phases;
        if phases.is_empty() {
            return None;
        }
        let titles = ["persona"].into_iter().chain(phases.iter().map(|part| &*part.name));
        let mut grid = Grid::new(titles.map(str::to_owned).collect(), 1);
        for result in &self.personas {
            let shares = result.phases.iter().map(|part| per_cent(part.share));
            grid.push(std::iter::once(result.persona.clone()).chain(shares).collect());
        }
        Some(grid)
    }

    fn places(&self) -> Grid {
        let titles = ["persona", "how", "state", "dialogues", "share"];
        let mut grid = Grid::new(titles.map(str::to_owned).to_vec(), 3);
        for result in &self.personas {
            for (how, parts) in [
                ("left", &result.left),
                ("loop", &result.looped),
                ("never ends", &result.endless),
                ("unanswered", &result.unanswered),
            ] {
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
}

const STYLE: &str = "body{font-family:sans-serif;margin:2em;color:#222}h1{font-size:1.3em}h2{font-size:1.1em}\
table{border-collapse:collapse}th,td{padding:.25em .7em;border-bottom:1px solid #ddd;text-align:left}\
.n{text-align:right;font-variant-numeric:tabular-nums}dt{font-weight:bold}";

/// Whether a phase is one of the model: constants may name phases of other models.
fn some_state_is_in(phase: PhaseId, machine: &Machine) -> bool {
    machine.declared_states().any(|(_, state)| state.phase == Some(phase))
}

/// The share of the part of this name.
fn of(parts: &[EndingShare], name: &str) -> String {
    per_cent(parts.iter().find(|part| part.name == name).map_or(0.0, |part| part.share))
}

fn per_cent(share: f64) -> String {
    format!("{:.1}%", share * 100.0)
}

/// A share of the whole to four places; 0 where there is no whole.
fn share(part: u64, whole: u64) -> f64 {
    (quotient(part, whole) * 10_000.0).round() / 10_000.0
}

#[expect(clippy::cast_precision_loss, reason = "counts of dialogues are small")]
fn quotient(part: u64, whole: u64) -> f64 {
    if whole == 0 { 0.0 } else { part as f64 / whole as f64 }
}
