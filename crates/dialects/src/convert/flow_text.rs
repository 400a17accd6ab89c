//! Writes a flow as readable YAML.

use std::fmt::Write;

use super::flow_plan::{FlowPlan, StatePlan, StateShape, TransitionPlan};
use super::statechart::GuardTerm;
use fsmsim_syntax::terminal::Joined;

/// The first lines of a flow that was imported from `origin`.
pub(super) fn head(name: &str, origin: &str, initial: &str) -> String {
    // Below a configuration root, a flow without this key has the sales policy.
    format!(
        "# Imported from {}.\n\nflow:\n  name: {}\n  policy: plain\n  entry_points: {{default: {}}}\n",
        one_line(origin),
        scalar(name),
        scalar(initial)
    )
}

/// Writes a flow that was imported from `origin`.
pub(super) fn write(plan: &FlowPlan, origin: &str) -> String {
    let mut out = head(&plan.name, origin, &plan.initial);
    if !plan.events.is_empty() {
        let _ = writeln!(out, "\nevents: {}", list(&plan.events));
    }
    if !plan.slots.is_empty() {
        out.push_str("\nslots:\n");
        for (slot, value) in &plan.slots {
            let _ = writeln!(out, "  {}: {{initial: {value}}}", scalar(slot));
        }
    }
    if !plan.conditions.is_empty() {
        out.push_str(
            "\n# Define these conditions; until then, each is true if its slot is true.\nconditions:\n",
        );
        for (condition, slot) in &plan.conditions {
            let _ = writeln!(out, "  {}: {{slot: {}}}", scalar(condition), scalar(slot));
        }
    }
    out.push_str("\nstates:\n");
    for (name, state) in &plan.states {
        write_state(&mut out, name, state);
    }
    if !plan.meanings.is_empty() {
        out.push_str("\nintents:\n");
        for (intent, meaning) in &plan.meanings {
            let _ = writeln!(
                out,
                "  {}: {{description: {}}}",
                scalar(intent),
                scalar(meaning)
            );
        }
    }
    out
}

fn write_state(out: &mut String, name: &str, state: &StatePlan) {
    let begin = out.len();
    let _ = writeln!(out, "  {}:", scalar(name));
    let filled = out.len();
    if let Some(goal) = &state.goal {
        let _ = writeln!(out, "    goal: {}", scalar(goal));
    }
    match &state.shape {
        StateShape::Place => {}
        StateShape::Choice(ways) => {
            out.push_str("    type: choice\n");
            if ways.len() > 1 {
                out.push_str("    choices:\n");
            }
            for TransitionPlan { when, then } in ways {
                let then = scalar(then);
                let _ = if when.is_empty() {
                    writeln!(out, "    default: {then}")
                } else {
                    let when = guard(when);
                    writeln!(out, "      - {{condition: {when}, next: {then}}}")
                };
            }
        }
        StateShape::Parallel { regions, join_at } => {
            out.push_str("    type: parallel\n    regions:\n");
            for region in regions {
                let name = scalar(&region.name);
                let initial = scalar(&region.initial);
                let _ = writeln!(
                    out,
                    "      {name}: {{initial: {initial}, handles: {}}}",
                    list(&region.handles)
                );
            }
            let _ = writeln!(out, "    join_at: {}", scalar(join_at));
        }
    }
    if let Some(history) = state.history {
        let _ = writeln!(out, "    history: {}", <&str>::from(history));
    }
    if let Some(region) = &state.region {
        let _ = writeln!(out, "    region: {}", scalar(region));
    }
    if state.is_final {
        out.push_str("    is_final: true\n");
    }
    if !state.moves.is_empty() {
        out.push_str("    transitions:\n");
    }
    for (intent, ways) in &state.moves {
        match ways.as_slice() {
            [TransitionPlan { when, then }] if when.is_empty() => {
                let _ = writeln!(out, "      {}: {}", scalar(intent), scalar(then));
            }
            ways => {
                let _ = writeln!(out, "      {}:", scalar(intent));
                for TransitionPlan { when, then } in ways {
                    let _ = if when.is_empty() {
                        writeln!(out, "        - {}", scalar(then))
                    } else {
                        writeln!(
                            out,
                            "        - {{when: {}, then: {}}}",
                            guard(when),
                            scalar(then)
                        )
                    };
                }
            }
        }
    }
    if out.len() == filled {
        out.truncate(begin);
        let _ = writeln!(out, "  {}: {{}}", scalar(name));
    }
}

/// Writes a conjunction of guards as a condition.
fn guard(terms: &[GuardTerm]) -> String {
    let term = |term: &GuardTerm| {
        let name = scalar(&term.name);
        if term.holds {
            name
        } else {
            format!("{{not: {name}}}")
        }
    };
    match terms {
        [one] => term(one),
        all => format!("{{and: [{}]}}", all.iter().map(term).joined(", ")),
    }
}

/// Writes names as a YAML list.
pub(super) fn list<'i>(items: impl IntoIterator<Item = &'i String>) -> String {
    let items = items.into_iter().map(|item| scalar(item));
    format!("[{}]", items.joined(", "))
}

/// Writes a string as a YAML scalar: plain if possible, otherwise in quotes.
pub(super) fn scalar(text: &str) -> String {
    let first = text
        .chars()
        .next()
        .is_some_and(|c| c.is_alphabetic() || c == '_');
    let plain = first
        && !text.ends_with(' ')
        && text
            .chars()
            .all(|c| c.is_alphanumeric() || matches!(c, '_' | '-' | '.' | ' ' | '/'))
        && !WORDS.contains(&&*text.to_ascii_lowercase());
    if plain {
        text.to_owned()
    } else {
        serde_json::Value::from(one_line(text)).to_string()
    }
}

/// Words that YAML 1.1 or 1.2 readers interpret as values.
const WORDS: [&str; 9] = ["null", "true", "false", "yes", "no", "on", "off", "y", "n"];

/// Replaces line breaks and invisible characters by spaces.
pub(super) fn one_line(text: &str) -> String {
    let is_bad =
        |c: &char| c.is_control() || matches!(c, '\u{2028}' | '\u{2029}' | '\u{feff}'..='\u{ffff}');
    text.chars()
        .map(|c| if is_bad(&c) { ' ' } else { c })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::scalar;

    #[test]
    fn a_string_is_quoted_if_yaml_could_misread_it() {
        for plain in ["door open", "user.login", "да", "_x", "a-b"] {
            assert_eq!(scalar(plain), plain);
        }
        for quoted in [
            "", "no", "On", "12", "a: b", "a #b", "{a}", "a, b", "* x", "a ", "- a", "it's",
        ] {
            assert_eq!(scalar(quoted), format!("\"{quoted}\""));
        }
    }
}
