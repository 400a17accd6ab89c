//! How an utterance is to be read.

use std::fmt::Write;

use super::prompt_parts::{PromptParts, listed, told};
use super::quoted::{RULE, lines, quoted, quoted_value};
use crate::llm::offer::Offer;
use crate::llm::reading_task::{Certainty, NEAREST_AT_MOST, ReadingTask};
use crate::llm::slot_offer::SlotOffer;
use fsmsim_core::engine::TONES;

/// Examples of an intent that are shown at most.
const EXAMPLES: usize = 3;

pub(super) fn parts(reading: &ReadingTask<'_>) -> PromptParts {
    let mut changing = String::new();
    told(&mut changing, "State", reading.state);
    told(&mut changing, "Goal of the state", reading.goal);
    told(
        &mut changing,
        "Intents that the state answers (others may be meant all the same)",
        &reading.here.join(", "),
    );
    let wanted = reading
        .wanted
        .iter()
        .filter(|name| reading.slots.iter().any(|slot| slot.name == **name));
    let wanted: Vec<&str> = wanted.copied().collect();
    told(
        &mut changing,
        "Slots that the state still asks for",
        &wanted.join(", "),
    );
    let known = reading
        .known
        .iter()
        .map(|(name, value)| format!("{name}: {}", quoted_value(value)));
    listed(&mut changing, "Known so far", known);
    let mut said = String::new();
    if !reading.history.is_empty() {
        let _ = write!(
            said,
            "The last lines of the dialogue:\n{}",
            lines(reading.history)
        );
    }
    let _ = write!(said, "The user says: {}", quoted(reading.utterance));
    PromptParts {
        fixed: fixed(reading),
        changing,
        said,
    }
}

/// What is the same for all turns of a model.
fn fixed(reading: &ReadingTask<'_>) -> String {
    let ReadingTask {
        about,
        intents,
        slots,
        unclear,
        certainty,
        ..
    } = reading;
    let mut text = String::from(
        "You read what a user says in a dialogue, so that a program can decide how it goes on. You answer nobody and decide \
         nothing: you only tell what was meant. Answer only with a JSON object:\n\
         {\"intent\": NAME, \"confidence\": NUMBER FROM 0 TO 1, \"alternatives\": [{\"intent\": NAME, \"confidence\": NUMBER}], \
         \"also\": [NAME], \"data\": {SLOT: VALUE}, \"tone\": WORD, \"frustration\": NUMBER FROM 0 TO 10}\n",
    );
    told(&mut text, "The dialogue", about);
    text.push_str(
        "\n# Intents\n`intent` is one of these names, spelled as here, and never another one.\n",
    );
    let (described, plain): (Vec<&Offer<'_>>, Vec<&Offer<'_>>) = intents
        .iter()
        .partition(|offer| !offer.description.is_empty() || !offer.examples.is_empty());
    for offer in described {
        let _ = writeln!(text, "- {}", of_intent(offer));
    }
    let plain: Vec<&str> = plain.iter().map(|offer| offer.intent).collect();
    if !plain.is_empty() {
        let _ = writeln!(
            text,
            "- and these, which mean what their names say: {}",
            plain.join(", ")
        );
    }
    text.push_str("\n# Slots\n");
    if slots.is_empty() {
        text.push_str("This dialogue collects no data: leave `data` empty.\n");
    } else {
        text.push_str("`data` holds what the user says now, under these names and no others.\n");
        for slot in slots {
            let _ = writeln!(text, "- {}", of_slot(slot));
        }
    }
    text.push_str("\n# Rules\n");
    text.push_str(
        "- Read the utterance in view of the state and of the line before it: \"yes\" or \"50\" answers what was asked last. \
         Slips of the pen and of speech make no difference. Any language may be spoken; names stay as they are here.\n\
         - Two things at once: what carries the dialogue on is `intent` (a question, a request or an answer before a greeting \
         or thanks), the others stand in `also`.\n",
    );
    match unclear {
        Some(unclear) => {
            let _ = writeln!(
                text,
                "- If no intent fits, or it cannot be told what is meant, `intent` is `{unclear}`. Do not force one that is only near."
            );
        }
        None => {
            let _ = writeln!(
                text,
                "- If no intent fits, take the nearest one with a confidence of {NEAREST_AT_MOST} at most."
            );
        }
    }
    text.push_str(
        "- Negation: what is denied is not meant. \"I do not ask about the price\" asks for no price, and \"we are not 50\" \
         brings no 50. Of \"not 50 but 60\" only 60 is said.\n\
         - `data` holds only what this utterance says. Leave out what it does not say: no guesses, nothing that was known \
         before, no empty values. If the user corrects a value, give the new one.\n\
         - Values: numbers as digits without units and spaces (\"fifty people\": 50, \"полторы тысячи\": 1500); dates as \
         2026-01-31 and times as 09:30, where they are certain; where values are listed, the one that is meant, spelled as \
         listed; other texts short, in the user's own words and language.\n",
    );
    text.push_str(&of_confidence(*certainty));
    let _ = writeln!(text, "- `tone` is one of {}.", TONES.join(", "));
    text.push_str(
        "- `frustration`: 0 is calm, 3 a little impatient, 5 plainly annoyed, 8 angry, 10 insulting or about to leave. A short \
         answer, or a refusal in friendly words, is no frustration.\n",
    );
    let _ = write!(text, "- {RULE}");
    text
}

/// An intent: its name, what it means, how people say it, and what it is not.
fn of_intent(offer: &Offer<'_>) -> String {
    let mut text = offer.intent.to_owned();
    told_of(&mut text, ": ", offer.description);
    let examples: Vec<String> = offer
        .examples
        .iter()
        .take(EXAMPLES)
        .map(|example| quoted(example))
        .collect();
    if !examples.is_empty() {
        let _ = write!(
            text,
            "{} {}",
            if offer.description.is_empty() {
                ":"
            } else {
                ", as in"
            },
            examples.join(", ")
        );
    }
    for (other, difference) in offer.confused_with {
        let _ = write!(text, "; not to be confused with {other}");
        told_of(&mut text, ": ", difference);
    }
    text
}

fn told_of(text: &mut String, before: &str, what: &str) {
    if !what.is_empty() {
        text.push_str(before);
        text.push_str(what);
    }
}

/// A slot: its name, what it may hold, and what it is for.
pub(super) fn of_slot(slot: &SlotOffer<'_>) -> String {
    let mut text = slot.name.to_owned();
    let mut holds: Vec<String> = Vec::new();
    if slot.declared.is_typed() {
        holds.push(slot.declared.in_words());
    } else if slot.is_number {
        holds.push("a number".to_owned());
    }
    if !slot.hints.is_empty() {
        let hints: Vec<String> = slot.hints.iter().map(quoted_value).collect();
        holds.push(format!("such as {}", hints.join(", ")));
    }
    if !holds.is_empty() {
        let _ = write!(text, " ({})", holds.join(", "));
    }
    told_of(&mut text, ": ", &slot.declared.description);
    text
}

/// What a confidence means, with what becomes of it.
fn of_confidence(certainty: Option<Certainty>) -> String {
    let mut text = String::from(
        "- `confidence` is how likely it is that `intent` is what the user means: 0.95 where the words say so plainly, 0.8 \
         where the dialogue around them makes it clear, 0.5 where another intent is as likely, less where you guess. ",
    );
    if let Some(Certainty {
        carried_out,
        understood,
        gap,
    }) = certainty
    {
        let _ = write!(
            text,
            "From {carried_out} on, and {gap} ahead of the next one, it is carried out; below, the user is asked what was \
             meant; below {understood} nothing counts as understood. A wrong reading that is carried out does more harm than a \
             question. "
        );
    }
    text.push_str(
        "`alternatives` are at most three other names that may be meant in its place, each with its own confidence, the \
         likeliest first; an empty list where nothing else may be meant.\n",
    );
    text
}
