//! How an answer is to be judged.

use std::fmt::Write;

use super::prompt_parts::{PromptParts, listed};
use super::quoted::{RULE, lines, quoted};
use crate::llm::task::Goal;
use crate::llm::utterance::{Utterance, before};

pub(super) fn parts(
    point: Option<Goal<'_>>,
    sums_up: bool,
    (points, enough): (&[Goal<'_>], f64),
    utterance: &str,
    history: &[Utterance],
) -> PromptParts {
    let mut changing = String::new();
    match point {
        Some(point) => {
            let _ = writeln!(changing, "Asked was: {}: {} — {}", point.id, point.name, point.about);
            listed(&mut changing, "An answer may go into", point.hints.iter().map(ToString::to_string));
        }
        None if sums_up => changing.push_str(
            "All that is known was summed up, and the user was asked whether it is right. `approved` is true where the user \
             agrees with all of it; where the user corrects or adds something it is false, and `for` names the points with what \
             is right instead.\n",
        ),
        None => changing.push_str("Nothing was asked yet: the user speaks first.\n"),
    }
    let earlier = before(history, utterance);
    let mut said = String::new();
    if !earlier.is_empty() {
        let _ = write!(said, "The dialogue so far:\n{}", lines(earlier));
    }
    let _ = write!(said, "The answer: {}", quoted(utterance));
    PromptParts {
        fixed: fixed(points, enough),
        changing,
        said,
    }
}

/// What is the same for all answers of an interview.
fn fixed(points: &[Goal<'_>], enough: f64) -> String {
    let mut text = String::from(
        "You judge the answers of an interview: how much of what was to be found out an answer tells. You ask nothing and answer \
         nobody. Answer only with a JSON object:\n\
         {\"completeness\": NUMBER FROM 0 TO 1, \"missing\": [TEXT], \"for\": [{\"point\": NAME, \"completeness\": NUMBER, \
         \"text\": TEXT}], \"approved\": BOOLEAN OR null}\n\n# Points\n",
    );
    for point in points {
        let _ = writeln!(text, "- {}: {} — {}", point.id, point.name, point.about);
    }
    let _ = write!(
        text,
        "\n# Rules\n\
         - `completeness` tells how much of the point that was asked about is known by this answer together with what was said \
         about it before. 0: nothing, a refusal, \"I do not know\", or something else altogether. 0.3: the subject is touched, \
         and nothing can be made of it. 0.5: about half of it. {enough}: enough to work with; from here on it is not asked again. \
         1: all of it, with figures, names and dates where the point is about such. Length does not count, and neither does \
         confidence in tone. Where nothing was asked, it is 0.\n\
         - `missing` names what is still to be told, as short phrases in the language of the dialogue, the most important first; \
         only what the point asks for. It is empty where the point is complete.\n\
         - `for` lists the other points of which the answer tells something, spelled as above, with `completeness` by the same \
         scale and in `text` the very words of the answer that tell it. Do not add the point that was asked about, and none of \
         which nothing is said.\n\
         - `approved` is null, unless a summary was to be confirmed.\n\
         - Judge what is said and not whether you like it; invent nothing.\n\
         - {RULE}"
    );
    text
}
