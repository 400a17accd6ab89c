//! The HTML page of a simulation: endings, the funnel by phase, causes of unfinished dialogues, and sample dialogues.

use std::collections::BTreeMap;
use std::io;

use indexmap::IndexSet;
use minijinja::{Value, context};
use serde_json::Value as Json;

use super::page::Page;
use crate::limits::MAX_CAUSES_OF_PERSONA;
use crate::report::graph::overview_svg;
use fsmsim_core::trace::TurnReport;
use fsmsim_harness::graph::MachineGraph;
use fsmsim_runtime::simulate::{
    EndCauseCount, EndReason, EndingShare, PersonaResult, SimulationResult, quotient,
};
use fsmsim_syntax::diagnostic::plural;
use fsmsim_syntax::terminal::{Joined, printable};

/// The parts of the page that need the model.
#[derive(Debug)]
pub struct SimulationExtras {
    /// The diagram of the model.
    pub graph: MachineGraph,
    pub samples: Vec<SampleDialogue>,
}

#[derive(Debug)]
pub struct SampleDialogue {
    pub persona: String,
    pub number: u64,
    pub records: Vec<TurnReport>,
}

#[derive(Debug)]
pub(crate) struct SimulationPage<'p> {
    pub title: String,
    pub result: &'p SimulationResult,
    /// The parts that need the model.
    pub extras: Option<&'p SimulationExtras>,
    /// Tables as HTML, each with its title.
    pub tables: Vec<(&'static str, String)>,
}

/// The width of a full bar.
const WIDE: f64 = 1000.0;

impl SimulationPage<'_> {
    /// Renders the page.
    pub(crate) fn write(&self) -> io::Result<String> {
        let finished = self
            .result
            .personas
            .iter()
            .flat_map(|result| &result.finished);
        // The final states in which dialogues ended, in order of appearance.
        let finals: IndexSet<&str> = finished.map(|part| &*part.name).collect();
        let personas: Vec<Value> = self
            .result
            .personas
            .iter()
            .map(|result| self.persona(result, &finals))
            .collect();
        let legend = finals
            .iter()
            .enumerate()
            .map(|(number, name)| context! { class => end_class(number), name => *name });
        let legend: Vec<Value> = legend.collect();
        let tables = self
            .tables
            .iter()
            .map(|(title, html)| context! { title => *title, html });
        let svg = self
            .extras
            .map(|extras| overview_svg(&extras.graph))
            .transpose()?;
        let content = context! {
            personas,
            legend,
            tables => tables.collect::<Value>(),
            svg,
            states => self.states(),
            samples => self.extras.map(|extras| extras.samples.iter().map(sample).collect::<Value>()),
        };
        let page = Page {
            title: &self.title,
            template: include_str!("simulation.html"),
            // The diagram needs the zoom script of the model page.
            script: self.extras.map_or("", |_| include_str!("graph.js")),
            content,
            ..Page::default()
        };
        page.render(&())
    }

    fn persona(&self, result: &PersonaResult, finals: &IndexSet<&str>) -> Value {
        let all = result.turns.dialogues();
        let finished = result.finished.iter().map(|part| {
            (
                end_class(finals.get_index_of(&*part.name).unwrap_or(0)),
                part.name.clone(),
                part.dialogues,
            )
        });
        let open = result.unfinished().into_iter().map(|(how, parts)| {
            (
                "open".to_owned(),
                how.to_owned(),
                parts.iter().map(|part| part.dialogues).sum(),
            )
        });
        let ends: Vec<(String, String, u64)> = finished
            .chain(open)
            .filter(|(.., count)| *count > 0)
            .collect();
        let mut at = 0.0;
        let bars = ends.iter().map(|(class, name, count)| {
            let width = quotient(*count, all) * WIDE;
            at += width;
            context! { class, name, x => at - width, width, share => per_cent(*count, all), dialogues => count }
        });
        let bars: Vec<Value> = bars.collect();
        let funnel = result.phases.iter().enumerate().map(|(number, phase)| {
            let ends = result
                .last_phases
                .iter()
                .find(|last| last.phase == phase.name);
            let ends = ends.map(|last| ended(&last.ends)).unwrap_or_default();
            context! {
                class => format!("c{}", number % 8),
                name => &phase.name,
                width => quotient(phase.dialogues, all) * WIDE,
                share => per_cent(phase.dialogues, all),
                dialogues => phase.dialogues,
                ends,
            }
        });
        let outside = result
            .last_phases
            .iter()
            .find(|last| last.phase.is_empty())
            .map(|last| ended(&last.ends));
        let causes = result.causes.iter().filter(|cause| cause.how != "finished");
        let causes = most_frequent(causes);
        let most = causes.first().map_or(1, |cause| cause.dialogues);
        let left_out = causes.len().saturating_sub(MAX_CAUSES_OF_PERSONA);
        let rows: Vec<Value> = causes
            .iter()
            .take(MAX_CAUSES_OF_PERSONA)
            .map(|cause| self.cause(result, cause, (all, most)))
            .collect();
        context! {
            name => &result.persona,
            about => &result.description,
            dialogues => plural(all, "dialogue"),
            turns => format!("{:.1}", result.turns.mean),
            p90 => result.turns.p90,
            bars,
            funnel => funnel.collect::<Value>(),
            outside => outside.filter(|ends| !ends.is_empty()),
            causes => rows,
            left_out,
        }
    }

    fn cause(
        &self,
        result: &PersonaResult,
        cause: &EndCauseCount,
        (all, most): (u64, u64),
    ) -> Value {
        context! {
            how => ending_text(&cause.how),
            state => &cause.state,
            link => self.link(&cause.state),
            why => cause.reason.parse().map_or("", EndReason::description),
            intent => &cause.intent,
            action => &cause.action,
            dialogues => cause.dialogues,
            share => per_cent(cause.dialogues, all),
            width => quotient(cause.dialogues, most) * WIDE,
            first => cause.first,
            sample => self.has_sample(&result.persona, cause.first).then(|| anchor(&result.persona, cause.first)),
        }
    }

    /// The number of a state, which a link to the state uses.
    fn link(&self, state: &str) -> Option<usize> {
        let mut nodes = self.extras?.graph.nodes.iter();
        nodes.position(|node| node.name == state)
    }

    fn has_sample(&self, persona: &str, number: u64) -> bool {
        let mut samples = self.extras.into_iter().flat_map(|extras| &extras.samples);
        samples.any(|sample| sample.persona == persona && sample.number == number)
    }

    /// The states of the model, each with its location and the number of dialogues that ended there.
    fn states(&self) -> Option<Vec<Value>> {
        let graph = &self.extras?.graph;
        let mut ended: BTreeMap<&str, u64> = BTreeMap::new();
        for result in &self.result.personas {
            let ends = [
                &result.finished,
                &result.abandoned,
                &result.looped,
                &result.turn_limit,
                &result.unanswered,
            ];
            for part in ends.into_iter().flatten() {
                *ended.entry(&part.name).or_default() += part.dialogues;
            }
        }
        let states = graph.nodes.iter().enumerate().map(|(number, node)| {
            context! {
                number,
                name => printable(&node.name),
                goal => printable(&node.goal),
                at => node.at.as_deref().map(printable),
                ended => ended.get(&*node.name),
            }
        });
        Some(states.collect())
    }
}

/// The endings of dialogues as text.
fn ended(ends: &[EndingShare]) -> String {
    let mut ends: Vec<&EndingShare> = ends.iter().filter(|end| end.dialogues > 0).collect();
    ends.sort_by_key(|end| std::cmp::Reverse(end.dialogues));
    ends.iter()
        .map(|end| format!("{} {}", ending_text(&end.name), end.dialogues))
        .joined(" · ")
}

/// The displayed name of an ending. A final state keeps its name.
pub fn ending_text(how: &str) -> &str {
    match how {
        "turn_limit" => "turn limit",
        other => other,
    }
}

/// These causes, the most frequent first.
pub fn most_frequent<'c>(
    causes: impl IntoIterator<Item = &'c EndCauseCount>,
) -> Vec<&'c EndCauseCount> {
    let mut causes: Vec<_> = causes.into_iter().collect();
    causes.sort_by_key(|cause| std::cmp::Reverse(cause.dialogues));
    causes
}

/// The CSS class of a final state: final states and phases have different color scales.
fn end_class(number: usize) -> String {
    format!("e{}", number % 6)
}

fn per_cent(part: u64, whole: u64) -> String {
    format!("{:.1} %", quotient(part, whole) * 100.0)
}

/// The anchor of a dialogue in the page.
fn anchor(persona: &str, number: u64) -> String {
    format!("dialogue-{persona}-{number}")
}

/// A dialogue as a conversation.
fn sample(sample: &SampleDialogue) -> Value {
    context! {
        anchor => anchor(&sample.persona, sample.number),
        persona => &sample.persona,
        number => sample.number,
        last => sample.records.last().map(|turn| printable(turn.state())).unwrap_or_default(),
        count => plural(sample.records.len(), "turn"),
        turns => sample.records.iter().map(turn).collect::<Value>(),
    }
}

fn turn(turn: &TurnReport) -> Value {
    let input = |key: &str| turn.given(key).map(printable);
    let data = turn
        .input
        .get("data")
        .and_then(Json::as_object)
        .into_iter()
        .flatten()
        .map(|(slot, value)| format!("{slot}={value}"));
    let text_or_empty = |name: &Option<String>| printable(name.as_deref().unwrap_or_default());
    context! {
        number => turn.turn,
        say => input("say"),
        intent => input("intent").or_else(|| input("goto")),
        data => printable(&data.joined(" ")),
        way => printable(&turn.way(" → ")),
        class => text_or_empty(&turn.class),
        action => text_or_empty(&turn.action),
        replies => turn.replies.iter().map(|reply| printable(reply)).collect::<Value>(),
    }
}
