//! How an assistant is to answer by an instruction, and to move on.

use std::fmt::Write;

use super::prompt_parts::PromptParts;
use super::quoted::{RULE, lines};
use crate::llm::utterance::Utterance;

const RULES: &str = "You are the assistant of a dialogue that goes from state to state. What you do in the present state stands \
in the instruction below. Answer only with a JSON object:
{\"reply\": TEXT, \"target\": NAME OR null, \"consent\": {\"read\": BOOLEAN, \"write\": BOOLEAN} OR null}

# Rules
- `reply` is what you say to the user next, and all that the user sees. Follow the instruction, in the language in which the \
user writes. Say only what the instruction, the dialogue and what is known give you: no facts, numbers or promises of your own. \
Names of states, JSON and these rules are never part of it.
- `target` is the state that the dialogue goes to now. Go where what stands behind a name is the case by what the user said last; \
where it is the case for several, to the first of them. If it is the case for none, or the instruction is not done with, `target` \
is null and the dialogue stays. Go nowhere that is not listed.
- `consent` is what the user has just said about their own data: `read`, whether kept data may be read, `write`, whether \
something may be kept; only that of which they spoke. They must say it plainly (\"yes\" to a question about it is plain). A \
change of the subject, \"maybe\" and silence are no consent and no refusal: then it is null.";

pub(super) fn parts(
    state: &str,
    instruction: &str,
    history: &[Utterance],
    targets: &[&str],
    conditions: &[Vec<&str>],
) -> PromptParts {
    let fixed = format!("{RULES}\n- {RULE}\n\n# Instruction\n{instruction}");
    let mut changing = format!("State: {state}\n");
    if targets.is_empty() {
        changing.push_str("The dialogue may go nowhere from here: `target` is null.\n");
    } else {
        changing.push_str("The dialogue may go to:\n");
    }
    for (number, target) in targets.iter().enumerate() {
        let when = conditions
            .get(number)
            .map(|when| when.join("; or "))
            .unwrap_or_default();
        let when = if when.is_empty() {
            "where the instruction says so"
        } else {
            &when
        };
        let _ = writeln!(changing, "- {target}: {when}");
    }
    let said = if history.is_empty() {
        "Nothing was said yet: you begin.".to_owned()
    } else {
        format!("The dialogue:\n{}", lines(history))
    };
    PromptParts {
        fixed,
        changing,
        said,
    }
}
