//! Converts test stories to scenarios for the flow.

use std::collections::BTreeSet;

use super::domain::RasaDomain;
use super::flow::RasaFlow;
use super::story::{Story, joined};
use super::utterance::NamedValues;
use crate::convert::flow_text::{list, scalar};
use crate::convert::names::{GivenNames, word};
use fsmsim_syntax::terminal::Joined;

/// Converts the test stories. `model` is the path of the flow. A scenario expects the actions of its story, and not
/// those of the flow.
pub(super) fn write(
    tests: &[Story],
    domain: &RasaDomain,
    flow: &RasaFlow<'_>,
    model: &str,
) -> Vec<String> {
    let mut titles = GivenNames::default();
    let mut scenarios = Vec::new();
    for story in tests {
        let mut foreign = BTreeSet::new();
        let turns = turns(story, domain, flow, &mut foreign);
        if turns.is_empty() {
            continue;
        }
        // The name of a snapshot has only letters and digits.
        let slug = word(&story.title).to_lowercase();
        let number = titles.give(&slug);
        let number = number.strip_prefix(&slug).unwrap_or_default();
        let title = scalar(&format!("{}{number}", story.title));
        let mut start = Vec::new();
        start.extend(data(&story.slots));
        if !foreign.is_empty() {
            start.push(format!("foreign: {}", list(&foreign)));
        }
        let start = match start.as_slice() {
            [] => String::new(),
            keys => format!("start: {{{}}}\n", keys.join(", ")),
        };
        let model = scalar(model);
        scenarios.push(format!(
            "scenario: {title}\nmodel: {model}\n{start}turns:\n{}",
            turns.concat()
        ));
    }
    scenarios
}

/// The turns of a test story. `foreign` receives the names that the flow does not have.
fn turns(
    story: &Story,
    domain: &RasaDomain,
    flow: &RasaFlow<'_>,
    foreign: &mut BTreeSet<String>,
) -> Vec<String> {
    let mut written = Vec::new();
    let mut given: BTreeSet<String> = story.slots.keys().cloned().collect();
    let mut form = story.start.form.as_ref();
    let mut turns = story.turns.iter().peekable();
    while let Some(turn) = turns.next() {
        let Some((trigger, entities)) = turn.triggers.first() else {
            break;
        };
        let slots = form.and_then(|form| domain.forms.get(form));
        let is_missing = |given: &BTreeSet<String>| {
            let mut slots = slots.into_iter().flatten();
            slots.any(|slot| !given.contains(slot))
        };
        let was_missing = is_missing(&given);
        let mut values = entities.clone();
        values.extend(turn.slots.clone());
        given.extend(values.keys().cloned());
        // The flow leaves a form in the turn that completes its data, so its end is not a turn of its own.
        let is_complete = was_missing && !is_missing(&given) && turn.form.as_ref() == form;
        let end = turns.next_if(|next| is_complete && next.ended.as_ref() == form);
        let last = end.unwrap_or(turn);
        form = last.form.as_ref();
        let say = turn.say.as_ref();
        let mut keys: Vec<String> = Vec::new();
        keys.extend(say.map(|say| format!("say: {}", scalar(say))));
        let is_event = flow.ends.contains(trigger) && turn.ended.is_some();
        let key = if is_event { "event" } else { "intent" };
        keys.push(format!("{key}: {}", scalar(trigger)));
        if !is_event && !flow.intents.contains(trigger) {
            foreign.insert(trigger.clone());
        }
        keys.extend(data(&values));
        let action = joined(&last.actions);
        if !action.is_empty() {
            keys.push(format!("expect: {{action: {}}}", scalar(&action)));
            foreign.extend(Some(action).filter(|action| !flow.actions.contains(action)));
        }
        written.push(format!("  - {{{}}}\n", keys.join(", ")));
    }
    written
}

/// Writes the values that are not null as data.
fn data(values: &NamedValues) -> Option<String> {
    let values = values.iter().filter_map(|(name, value)| {
        let value = value.as_ref()?;
        Some(format!("{}: {value}", scalar(name)))
    });
    let values = Some(values.joined(", ")).filter(|values| !values.is_empty())?;
    Some(format!("data: {{{values}}}"))
}
