//! The answers of a search about all dialogues of one model: as text, as JSON, and as findings and test cases.

use std::io::{self, Write};
use std::path::PathBuf;
use std::sync::Arc;

use fsmsim_core::engine::Machine;
use fsmsim_core::machine::MachineProperty;
use fsmsim_core::trace::turn_line;
use fsmsim_harness::scenario::ScenarioVerdict;
use fsmsim_search::search::{
    Exploration, SearchBound, SearchFinding, SearchQuestion, SearchVerdict, StatePart, WitnessStep,
};
use fsmsim_syntax::diagnostic::{Place, plural};
use fsmsim_syntax::terminal::Joined;
use serde_json::{Value as Json, json};

use crate::limits::{MAX_SHOWN_PARTS, MAX_WITNESS_TURNS, MIN_EXPLAINED_STATES};
use crate::report::run::{ReportedFinding, ReportedPlace, ReportedScenario};

/// The version of the format. It increases when the meaning of a field changes.
const VERSION: u32 = 1;

/// The report about all dialogues of a model.
#[derive(Debug)]
pub struct ExplorationReport {
    /// The model as the user named it.
    pub model: String,
    pub path: PathBuf,
    pub machine: Arc<Machine>,
    pub result: Exploration,
}

impl ExplorationReport {
    /// Writes the answers as text: first the problems with their dialogues, then what was proved.
    pub fn write_text(&self, out: &mut dyn Write) -> io::Result<()> {
        writeln!(out, "{}: {}", self.model, self.extent())?;
        let is_shown = |finding: &&SearchFinding| {
            finding.verdict == SearchVerdict::Found && finding.accepted.is_none()
        };
        let findings = &self.result.findings;
        for finding in findings.iter().filter(is_shown) {
            writeln!(out, "{}", self.titled(finding))?;
            for line in self.witness_lines(finding) {
                writeln!(out, "  {line}")?;
            }
        }
        for finding in findings.iter().filter(|finding| !is_shown(finding)) {
            writeln!(out, "{}", Self::line(finding))?;
        }
        let sizes = self.result.sizes.iter().take(MAX_SHOWN_PARTS);
        let sizes = sizes
            .map(|part| format!("{} ({})", part.name, part.values))
            .joined(", ");
        if !sizes.is_empty() {
            writeln!(out, "parts with several values: {sizes}")?;
        }
        let advice = self.size_lines();
        if !advice.is_empty() {
            writeln!(out, "size of the search:")?;
        }
        for line in advice {
            writeln!(out, "  {line}")?;
        }
        for reason in &self.result.loose {
            writeln!(out, "not every value is tried: {reason}")?;
        }
        Ok(())
    }

    /// The extent of the search.
    pub(super) fn extent(&self) -> String {
        let Exploration {
            states,
            transitions,
            depth,
            bound,
            ..
        } = &self.result;
        let extent = match bound {
            None => "complete".to_owned(),
            Some(SearchBound::Canceled) => "canceled".to_owned(),
            Some(bound) => format!("stopped by the bound `{}`", bound.name()),
        };
        format!(
            "{}, {}, {}, {extent}",
            plural(*states, "state"),
            counted(*transitions, "transition"),
            plural(*depth, "turn"),
        )
    }

    /// The memory, and the parts that multiply the states with the edit that would shrink them. Empty if the search is
    /// complete and small.
    pub(super) fn size_lines(&self) -> Vec<String> {
        let result = &self.result;
        if result.bound.is_none() && result.states < MIN_EXPLAINED_STATES {
            return Vec::new();
        }
        let mut parts: Vec<&StatePart> = result
            .sizes
            .iter()
            .filter(|part| part.kind != "states" && part.factor > 1.0)
            .collect();
        parts.sort_by(|one, other| other.factor.total_cmp(&one.factor));
        let lines = parts.into_iter().take(MAX_SHOWN_PARTS).map(|part| {
            let StatePart { name, factor, .. } = part;
            let values = plural(part.values, "value");
            let advice = advice(part.kind);
            format!(
                "{name}: {values}, multiplies the states by {factor:.1}; to shrink it, {advice}"
            )
        });
        let memory = format!("memory: {} MiB", result.memory.div_ceil(1 << 20));
        std::iter::once(memory).chain(lines).collect()
    }

    /// The answer in one line.
    pub(super) fn line(finding: &SearchFinding) -> String {
        let SearchFinding {
            question,
            subject,
            verdict,
            visited,
            ..
        } = finding;
        let visited = visited.map_or(String::new(), |(states, transitions)| {
            let transitions = counted(transitions, "transition");
            format!(" ({}, {transitions})", plural(states, "state"))
        });
        let is_about_model = subject.is_empty() || *question == SearchQuestion::Property;
        match verdict {
            SearchVerdict::Proved => format!("proved: {}{visited}", question.absence(subject)),
            SearchVerdict::Found => {
                let found = match (&finding.accepted, finding.is_required) {
                    (Some(reason), _) => format!("accepted ({reason})"),
                    (None, false) => "found, not required".to_owned(),
                    (None, true) => "found".to_owned(),
                };
                format!("{found}: {}{visited}", question.problem(subject))
            }
            SearchVerdict::WithinBound(bound) if is_about_model => format!(
                "not found within the bound `{}`: {}{visited}",
                bound.name(),
                question.absence(subject)
            ),
            SearchVerdict::WithinBound(bound) => {
                format!(
                    "open within the bound `{}`: {}",
                    bound.name(),
                    question.problem(subject)
                )
            }
            SearchVerdict::WithinValues(_) if is_about_model => {
                format!(
                    "not found with the tried values: {}{visited}",
                    question.absence(subject)
                )
            }
            SearchVerdict::WithinValues(_) => {
                format!("open with the tried values: {}", question.problem(subject))
            }
        }
    }

    /// The answer in one line, with its location.
    pub(super) fn titled(&self, finding: &SearchFinding) -> String {
        let place = self.place(finding);
        let place = place.map_or(String::new(), |place| format!(" ({place})"));
        format!("{}{place}", Self::line(finding))
    }

    /// The location of the subject: a rule or a state, otherwise the state of the last turn of the dialogue.
    fn place(&self, finding: &SearchFinding) -> Option<Place> {
        let machine = &self.machine;
        if finding.subject.is_empty() {
            return None;
        }
        let is_subject = |property: &&MachineProperty| {
            finding.question == SearchQuestion::Property && *property.name == *finding.subject
        };
        let property = machine.properties.iter().find(is_subject);
        if let Some(rule) = finding.rule.or(property.map(|property| property.rule)) {
            return Some(machine.place_of(rule));
        }
        let first = finding.subject.split(", ").next().unwrap_or_default();
        let mut states = machine.declared_states();
        let named = states.find(|(id, _)| machine.names.states.name(*id) == first);
        let last = || {
            let steps = &finding.witness.as_ref()?.steps;
            let before = steps.len().checked_sub(2).and_then(|at| steps.get(at));
            Some(before.map_or(machine.initial, |step| step.to))
        };
        let state = named.map(|(id, _)| id).or_else(last)?;
        let span = machine.state(state).span?;
        Some(machine.files.place(span))
    }

    /// The dialogue that shows a problem, one line for each turn.
    pub(super) fn witness_lines(&self, finding: &SearchFinding) -> Vec<String> {
        let mut lines = Vec::new();
        let steps = finding.witness.iter().flat_map(|witness| &witness.steps);
        for (number, step) in steps.clone().enumerate().take(MAX_WITNESS_TURNS) {
            if finding.repeats == Some(number) {
                lines.push("    these turns repeat for ever:".to_owned());
            }
            lines.push(format!("{:>3} {}", number + 1, self.step_text(step)));
        }
        let more = steps.count().saturating_sub(MAX_WITNESS_TURNS);
        if more > 0 {
            lines.push(format!("    and {}", plural(more, "more turn")));
        }
        if !finding.is_played {
            let fault = "    error of fsmsim: the engine does not play this dialogue";
            lines.push(fault.to_owned());
        }
        lines
    }

    /// A problem or an open question as a finding of a report; `None` for other answers.
    pub(super) fn finding(
        &self,
        finding: &SearchFinding,
        from_root: &dyn Fn(&str) -> String,
    ) -> Option<ReportedFinding> {
        let severity = match verdict_of(finding) {
            ScenarioVerdict::Passed => return None,
            ScenarioVerdict::Failed => "error",
            ScenarioVerdict::Inconclusive => "warning",
            _ => "note",
        };
        let model = || ReportedPlace::from(self.file(from_root));
        let at = self.place(finding).map_or_else(model, |place| {
            let file = from_root(&place.path);
            ReportedPlace::of(&place, file)
        });
        Some(ReportedFinding {
            at: Some(at),
            code: finding.question.name().to_owned(),
            severity: severity.to_owned(),
            title: match severity {
                "error" => finding.question.problem(&finding.subject),
                _ => Self::line(finding),
            },
            notes: self.witness_lines(finding),
            help: None,
        })
    }

    /// The answer as a test case.
    pub(super) fn case(
        &self,
        finding: &SearchFinding,
        from_root: &dyn Fn(&str) -> String,
    ) -> ReportedScenario {
        let file = self.file(from_root);
        let question = finding.question.name();
        let title = match &*finding.subject {
            "" => question.to_owned(),
            subject => format!("{question}: {subject}"),
        };
        let place = self.place(finding);
        let line = place.filter(|place| from_root(&place.path) == file);
        let steps = finding.witness.as_ref().map(|witness| witness.steps.len());
        ReportedScenario {
            id: format!("{file}::{title}"),
            file,
            line: line.map_or(1, |place| place.line),
            case: None,
            model: Some(self.model.clone()),
            profile: None,
            tags: Vec::new(),
            verdict: verdict_of(finding),
            reason: Some(Self::line(finding)),
            turns_run: steps.unwrap_or(0),
            failures: Vec::new(),
            turns: None,
            trials: None,
            seconds: None,
            notes: self.witness_lines(finding),
        }
    }

    /// The path of the model, relative to the project.
    pub(super) fn file(&self, from_root: &dyn Fn(&str) -> String) -> String {
        from_root(&self.path.display().to_string())
    }

    /// An example of what the user says in a turn.
    pub(super) fn words(&self, step: &WitnessStep) -> Option<&str> {
        let intent = step.turn.input.known_intent()?;
        let examples = &self.machine.description(intent).examples;
        examples.first().map(|words| &**words)
    }

    /// The input of a turn, with words of an example, and the state after it.
    fn step_text(&self, step: &WitnessStep) -> String {
        let input = turn_line(&step.turn, &self.machine);
        let words = self.words(step);
        let words = words.map_or(String::new(), |words| format!(" “{words}”"));
        format!(
            "{input}{words} → {}",
            self.machine.names.states.name(step.to)
        )
    }

    /// The answers as one JSON object.
    pub fn json(&self) -> Json {
        let result = &self.result;
        let findings = result
            .findings
            .iter()
            .map(|finding| self.finding_json(finding));
        let sizes = result.sizes.iter();
        json!({
            "fsmsim_exploration": VERSION,
            "model": self.model,
            "states": result.states,
            "transitions": result.transitions,
            "depth": result.depth,
            "memory": result.memory,
            "complete": result.bound.is_none(),
            "bound": result.bound.map(SearchBound::name),
            "not_varied": result.loose,
            "parts": sizes
                .map(|part| json!({"part": part.name, "values": part.values, "factor": part.factor}))
                .collect::<Vec<_>>(),
            "answers": findings.collect::<Vec<_>>(),
        })
    }

    fn finding_json(&self, finding: &SearchFinding) -> Json {
        let (verdict, within) = match &finding.verdict {
            SearchVerdict::Proved => ("proved", None),
            SearchVerdict::Found => ("found", None),
            SearchVerdict::WithinBound(bound) => ("not_found", Some(bound.name().to_owned())),
            SearchVerdict::WithinValues(reason) => ("not_found", Some(reason.to_string())),
        };
        let step = |step: &WitnessStep| {
            let line = turn_line(&step.turn, &self.machine);
            json!({
                "turn": serde_json::from_str::<Json>(&line).unwrap_or_default(),
                "to": self.machine.names.states.name(step.to),
                "action": step.action.map(|action| self.machine.names.actions.name(action)),
            })
        };
        let witness = finding.witness.as_ref();
        json!({
            "question": finding.question.name(),
            "subject": finding.subject,
            "verdict": verdict,
            "within": within,
            "accepted": finding.accepted,
            "required": finding.is_required,
            "place": self.place(finding).map(|place| place.to_string()),
            "witness": witness.map(|witness| witness.steps.iter().map(step).collect::<Vec<_>>()),
            "repeats_from": finding.repeats.map(|number| number + 1),
            "played": finding.is_played,
            "states": finding.visited.map(|(states, _)| states),
            "transitions": finding.visited.map(|(_, transitions)| transitions),
        })
    }
}

/// The result of an answer as the verdict of a test.
pub(super) fn verdict_of(finding: &SearchFinding) -> ScenarioVerdict {
    match (&finding.verdict, &finding.accepted) {
        (SearchVerdict::Proved, _) => ScenarioVerdict::Passed,
        (SearchVerdict::Found, Some(_)) => ScenarioVerdict::ExpectedFailure,
        _ if finding.fails() => ScenarioVerdict::Failed,
        _ if finding.is_open() => ScenarioVerdict::Inconclusive,
        _ => ScenarioVerdict::Skipped,
    }
}

/// The edit that shrinks the parts of a kind.
fn advice(kind: &str) -> &'static str {
    match kind {
        "slots" => "test fewer values of the slot",
        "counters" => "test only lower values of the counter",
        "signals" => "test fewer of these signals",
        "counts of intents" => "test lower numbers of turns and intents",
        "return states" => "return from fewer states",
        "branches" => "use shorter parallel branches",
        _ => "set lower limits",
    }
}

fn counted(count: u64, what: &str) -> String {
    plural(usize::try_from(count).unwrap_or(usize::MAX), what)
}
