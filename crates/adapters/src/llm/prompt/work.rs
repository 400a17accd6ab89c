//! How a node of a cycle is to do its work.

use std::fmt::Write;

use super::prompt_parts::{PromptParts, listed, told};
use super::quoted::{RULE, quoted};

/// The key under which something is asked to be done.
const ACTION: &str = "action";

const RULES: &str = "You are one of a team that works on a task step by step; each step is done by the one whose part it is, and \
checked before it counts. Do the present step and no other one. Answer only with a JSON object:
{\"output\": {KEY: VALUE}}

# Rules
- `output` has only the keys that the step may bring. Leave a key out where there is nothing to say; never bring another one.
- Go by what is known. What you do not know you say is missing; you invent no results, measurements or approvals.
- Be brief: values are texts, numbers, lists or maps that the next step can use as they are.";

pub(super) fn parts(
    (state, role, goal): (&str, &str, &str),
    known: &[(&str, String)],
    brings: &[&str],
    capabilities: &[Box<str>],
) -> PromptParts {
    let mut fixed = RULES.to_owned();
    if !capabilities.is_empty() {
        let _ = write!(
            fixed,
            "\n- `{ACTION}`, where a step may bring it, asks for something to be done: {{\"capability\": NAME, \"inputs\": \
             {{NAME: VALUE}}}}. Capabilities: {}. Nothing else can be done.",
            capabilities.join(", ")
        );
    }
    let _ = write!(fixed, "\n- {RULE}");
    let mut changing = String::new();
    told(&mut changing, "Your part", role);
    told(&mut changing, "Step", state);
    told(&mut changing, "What is to be done", goal);
    told(&mut changing, "Keys that it may bring", &brings.join(", "));
    if known.is_empty() {
        changing.push_str("Nothing is known yet.\n");
    }
    listed(
        &mut changing,
        "What is known",
        known
            .iter()
            .map(|(name, value)| format!("{name}: {}", quoted(value))),
    );
    PromptParts {
        fixed,
        changing,
        said: String::new(),
    }
}
