//! The comparison of two models in every dialogue: as text and as JSON.

use std::io::{self, Write};

use fsmsim_search::search::{Equivalence, PairedTurn, SearchVerdict, SeenTurn};
use fsmsim_syntax::diagnostic::plural;
use fsmsim_syntax::terminal::printable;
use serde_json::{Map, Value as Json, json};

use crate::limits::MAX_WITNESS_TURNS;

/// The claim that a search proves.
const CLAIM: &str = "the models have equal turns in every dialogue";

/// The comparison of two models in every dialogue, with their names.
#[derive(Debug)]
pub struct EquivalenceReport<'r> {
    pub result: &'r Equivalence,
    pub a: &'r str,
    pub b: &'r str,
}

impl EquivalenceReport<'_> {
    /// Writes the extent of the search and the answer as text, and the dialogue that differs.
    pub fn write_text(&self, out: &mut dyn Write) -> io::Result<()> {
        writeln!(out, "{} -> {}", printable(self.a), printable(self.b))?;
        writeln!(out, "{}", self.answer())?;
        for reason in &self.result.loose {
            writeln!(out, "not proved: {}", printable(reason))?;
        }
        self.write_dialogue(out)
    }

    /// The answer and the extent of the search in one line.
    pub(super) fn answer(&self) -> String {
        let answer = match &self.result.verdict {
            SearchVerdict::Proved => format!("proved: {CLAIM}"),
            SearchVerdict::Found => "found: a dialogue in which the models differ".to_owned(),
            SearchVerdict::WithinBound(bound) => format!(
                "no difference found within the bound `{}`: {CLAIM}",
                bound.name()
            ),
            SearchVerdict::WithinValues(_) => {
                format!("no difference found with the tried values: {CLAIM}")
            }
        };
        let transitions = usize::try_from(self.result.transitions).unwrap_or(usize::MAX);
        let actions = if self.result.has_actions {
            ""
        } else {
            "; actions without replies are not compared"
        };
        format!(
            "{answer} ({} of states, {}{actions})",
            plural(self.result.states, "pair"),
            plural(transitions, "transition")
        )
    }

    /// Writes the dialogue that differs.
    pub(super) fn write_dialogue(&self, out: &mut dyn Write) -> io::Result<()> {
        let steps = &self.result.steps;
        for (number, step) in steps.iter().enumerate().take(MAX_WITNESS_TURNS) {
            let [line, _] = &step.lines;
            let words = match &*step.words {
                "" => String::new(),
                words => format!(" “{words}”"),
            };
            let [one, other] = &step.seen;
            let to = if one.to == other.to {
                one.to.clone()
            } else {
                format!("{} | {}", one.to, other.to)
            };
            let text = format!("{line}{words} → {to}");
            writeln!(out, "  {:>3} {}", number + 1, printable(&text))?;
        }
        let more = steps.len().saturating_sub(MAX_WITNESS_TURNS);
        if more > 0 {
            writeln!(out, "      and {}", plural(more, "more turn"))?;
        }
        for (part, one, other) in self.differences() {
            let value = |text: String| match &*text {
                "" => "nothing".to_owned(),
                _ => format!("`{text}`"),
            };
            let text = format!("{part}: {} -> {}", value(one), value(other));
            writeln!(out, "      {}", printable(&text))?;
        }
        if !self.result.is_played {
            writeln!(
                out,
                "      error of fsmsim: the engine does not play this dialogue"
            )?;
        }
        Ok(())
    }

    /// The parts of the last turn that differ, with the values of both models.
    fn differences(&self) -> impl Iterator<Item = (&'static str, String, String)> {
        let last = self.result.steps.last();
        let parts = last.map(|step| step.seen.each_ref().map(SeenTurn::parts));
        parts.into_iter().flat_map(|[one, other]| {
            let both = one.into_iter().zip(other);
            both.filter(|(one, other)| one != other)
                .map(|((part, one), (_, other))| (part, one, other))
        })
    }

    /// The comparison as one JSON object.
    pub fn json(&self) -> Json {
        let Equivalence {
            verdict,
            states,
            transitions,
            depth,
            has_actions,
            loose,
            steps,
            is_played,
        } = self.result;
        let (verdict, within) = match verdict {
            SearchVerdict::Proved => ("proved", None),
            SearchVerdict::Found => ("found", None),
            SearchVerdict::WithinBound(bound) => ("not_found", Some(bound.name().to_owned())),
            SearchVerdict::WithinValues(reason) => ("not_found", Some(reason.to_string())),
        };
        let differences = self.differences();
        let differences = differences
            .map(|(part, a, b)| (part.replace(' ', "_"), json!({"a": a, "b": b})))
            .collect::<Map<String, Json>>();
        json!({
            "fsmsim_equivalence": 1,
            "a": self.a,
            "b": self.b,
            "verdict": verdict,
            "within": within,
            "states": states,
            "transitions": transitions,
            "depth": depth,
            "actions": has_actions,
            "not_varied": loose,
            "played": is_played,
            "differences": differences,
            "witness": steps.iter().map(step_json).collect::<Vec<_>>(),
        })
    }
}

fn step_json(step: &PairedTurn) -> Json {
    let side = |line: &String, seen: &SeenTurn| {
        json!({
            "turn": serde_json::from_str::<Json>(line).unwrap_or_default(),
            "to": seen.to,
            "action": seen.action,
            "class": seen.class,
            "effects": seen.effects,
            "replies": seen.replies,
        })
    };
    let ([a, b], [one, other]) = (&step.lines, &step.seen);
    json!({"a": side(a, one), "b": side(b, other)})
}
