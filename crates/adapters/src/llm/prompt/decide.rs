//! How an autonomous state is to go on.

use std::fmt::Write;

use super::prompt_parts::{PromptParts, listed, told};
use super::quoted::{RULE, lines, quoted, quoted_value};
use crate::llm::task::DecisionTarget;
use crate::llm::utterance::Utterance;
use fsmsim_core::machine::Value;

const RULES: &str = "# Rules
- Each state has a goal. Stay (`should_transition` false, `next_state` null) as long as the goal of the present state is not \
reached and the user goes along with it.
- Go on (`should_transition` true) where the goal is reached, or where the user plainly wants what is the goal of another state. \
`next_state` is then the state whose goal comes next, spelled as above, and not the present one.
- Where you are not sure, stay. A question of the user alone is no reason to go.
- `reasoning` says in one short sentence what in the dialogue decided it.";

pub(super) fn parts(
    (state, goal): (&str, &str),
    utterance: &str,
    targets: &[DecisionTarget<'_>],
    known: &[(&str, Value)],
    history: &[Utterance],
) -> PromptParts {
    let mut fixed = String::from(
        "You decide whether a dialogue stays in its state or goes on to another one. You answer nobody. Answer only with a JSON \
         object:\n{\"should_transition\": BOOLEAN, \"next_state\": NAME OR null, \"reasoning\": TEXT}\n\n# States\n",
    );
    for DecisionTarget { state, goal } in targets {
        let _ = writeln!(
            fixed,
            "- {state}{}{goal}",
            if goal.is_empty() { "" } else { ": " }
        );
    }
    let _ = write!(fixed, "\n{RULES}\n- {RULE}");
    let mut changing = format!("State: {state}\n");
    told(&mut changing, "Goal of the state", goal);
    listed(
        &mut changing,
        "Known so far",
        known
            .iter()
            .map(|(name, value)| format!("{name}: {}", quoted_value(value))),
    );
    let mut said = String::new();
    if !history.is_empty() {
        let _ = write!(said, "The last lines of the dialogue:\n{}", lines(history));
    }
    let _ = write!(said, "The user says: {}", quoted(utterance));
    PromptParts {
        fixed,
        changing,
        said,
    }
}
