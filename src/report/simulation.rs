//! The results of a simulation: a table, JSON, a page of HTML.

use std::io::{self, Write};

use indexmap::IndexSet;

use super::grid::{Grid, escaped};
use super::report_target::ReportKind;
use super::run::{HeadedReport, ReportHead, SharedResult};
use crate::simulate::{EndingShare, SimulationResult, share};

/// What a simulation came to, ready to be written.
#[derive(Debug)]
pub struct SimulationReport<'r> {
    /// What it is of.
    pub head: &'r ReportHead,
    /// What it came to.
    pub result: &'r SimulationResult,
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
    /// Writes the report as this kind.
    ///
    /// # Errors
    /// Those of writing.
    pub fn write(&self, kind: ReportKind, out: &mut dyn Write) -> io::Result<()> {
        match kind {
            ReportKind::Text => self.write_table(out),
            ReportKind::Json => HeadedReport { head: self.head, result: self.result }.write(out),
            ReportKind::Html => self.write_html(out),
            _ => Ok(()),
        }
    }

    /// The table for people.
    fn write_table(&self, mut out: &mut dyn Write) -> io::Result<()> {
        writeln!(out, "{}", crate::terminal::printable(&self.title()))?;
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
        writeln!(out, "<!DOCTYPE html>\n<html lang=\"en\">\n<meta charset=\"utf-8\">\n<title>{title}</title>")?;
        writeln!(out, "<style>{STYLE}</style>\n<h1>{title}</h1>")?;
        for (title, grid) in self.grids() {
            writeln!(out, "<h2>{}</h2>", escaped(title))?;
            grid.write_html(&mut out)?;
        }
        writeln!(out, "<h2>The personas</h2>\n<dl>")?;
        for result in &self.result.personas {
            writeln!(out, "<dt>{}</dt><dd>{}</dd>", escaped(&result.persona), escaped(&result.description))?;
        }
        writeln!(out, "</dl>\n</html>")
    }

    fn title(&self) -> String {
        let SimulationResult { model, profile, seed, dialogues, .. } = self.result;
        let noun = if *dialogues == 1 { "dialogue" } else { "dialogues" };
        let title = format!("{model} (profile {profile}), seed {seed}, {dialogues} {noun} a persona");
        self.head.shards.iter().fold(title, |title, shard| format!("{title}, shard {shard}"))
    }

    /// The tables with their titles.
    fn grids(&self) -> Vec<(&'static str, Grid)> {
        let mut grids = vec![("How dialogues end", self.endings())];
        let phases = self.phases();
        grids.extend(phases.map(|grid| ("Dialogues that were in a phase", grid)));
        let counters = self.counters();
        if !counters.is_empty() {
            grids.push(("Counters in the end, on the average", counters));
        }
        let classes = self.classes();
        if !classes.is_empty() {
            grids.push(("Turns of each class", classes));
        }
        let places = self.places();
        if !places.is_empty() {
            grids.push(("Where dialogues end without an end", places));
        }
        grids
    }

    fn endings(&self) -> Grid {
        let finished = self.result.personas.iter().flat_map(|result| &result.finished);
        let finals: IndexSet<&str> = finished.map(|part| &*part.name).collect();
        let titles = ["persona"].into_iter().chain(finals.iter().copied());
        let unanswered = self.result.has_unanswered();
        let titles = titles.chain(["left", "loop", "never ends"]);
        let titles = titles.chain(unanswered.then_some("unanswered")).chain(["turns", "p90", "phases"]);
        let mut grid = Grid::new(titles, 1);
        for result in &self.result.personas {
            let mut row = vec![result.persona.clone()];
            row.extend(finals.iter().map(|name| of(&result.finished, name)));
            let sum = |parts: &[EndingShare]| parts.iter().map(|part| part.dialogues).sum::<u64>();
            let unanswered = unanswered.then_some(&result.unanswered);
            for parts in [&result.left, &result.looped, &result.endless].into_iter().chain(unanswered) {
                row.push(per_cent(share(sum(parts), result.turns.dialogues())));
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
        let titles = ["persona"].into_iter().chain(phases.iter().map(|part| &*part.name));
        let mut grid = Grid::new(titles, 1);
        for result in &self.result.personas {
            let shares = result.phases.iter().map(|part| per_cent(part.share));
            grid.push(std::iter::once(result.persona.clone()).chain(shares).collect());
        }
        Some(grid)
    }

    fn counters(&self) -> Grid {
        let counters = self.result.personas.iter().map(|result| &result.counters).next();
        let names = counters.into_iter().flatten().map(|counter| &*counter.name);
        let mut grid = Grid::new(["persona"].into_iter().chain(names), 1);
        for result in self.result.personas.iter().filter(|result| !result.counters.is_empty()) {
            let means = result.counters.iter().map(|counter| format!("{:.1}", counter.mean));
            grid.push(std::iter::once(result.persona.clone()).chain(means).collect());
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

    fn places(&self) -> Grid {
        let mut grid = Grid::new(["persona", "how", "state", "dialogues", "share"], 3);
        for result in &self.result.personas {
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

/// The share of the part of this name.
fn of(parts: &[EndingShare], name: &str) -> String {
    per_cent(parts.iter().find(|part| part.name == name).map_or(0.0, |part| part.share))
}

fn per_cent(share: f64) -> String {
    format!("{:.1}%", share * 100.0)
}
