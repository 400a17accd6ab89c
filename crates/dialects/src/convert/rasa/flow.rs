//! Writes the flow of a Rasa project.

use std::collections::BTreeSet;
use std::fmt::Write;

use super::domain::RasaDomain;
use super::states::{StoryMoves, StoryState, StoryStates};
use super::story::{end_of, joined};
use crate::convert::flow_text::{head, list, one_line, scalar};
use crate::convert::omission::Omissions;
use fsmsim_syntax::document::is_of_placeholder;
use fsmsim_syntax::terminal::Joined;

/// The flow, and the names that its scenarios can use.
pub(super) struct RasaFlow<'p> {
    domain: &'p RasaDomain,
    states: &'p StoryStates,
    pub text: String,
    pub intents: BTreeSet<String>,
    pub actions: BTreeSet<String>,
    /// The events that end forms.
    pub ends: BTreeSet<String>,
}

impl<'p> RasaFlow<'p> {
    /// Writes the flow with this name.
    pub(super) fn write(
        states: &'p StoryStates,
        domain: &'p RasaDomain,
        (name, origin): (&str, &str),
        left: &mut Omissions,
    ) -> Self {
        let forms: Vec<&String> = states.shared.keys().flatten().collect();
        let ends: BTreeSet<String> = forms.iter().map(|form| end_of(form)).collect();
        let own = states.states.iter().map(|state| &state.moves);
        let triggers = own.chain(states.shared.values()).flat_map(StoryMoves::keys);
        let intents = triggers.chain(domain.intents.keys());
        let intents = intents.filter(|name| !ends.contains(*name));
        let mut flow = Self {
            domain,
            states,
            text: head(name, origin, "start"),
            intents: intents.cloned().collect(),
            actions: BTreeSet::new(),
            ends,
        };
        if !flow.ends.is_empty() {
            let _ = writeln!(flow.text, "\nevents: {}", list(&flow.ends));
        }
        flow.slots();
        flow.mixins();
        flow.text.push_str("\nstates:\n");
        for state in &states.states {
            flow.state(state);
        }
        let entered = states.states.iter().map(|state| state.did.as_slice());
        let asked = forms.into_iter().map(std::slice::from_ref);
        let actions: Vec<&[String]> = entered.chain(asked).collect();
        flow.replies(&actions, left);
        flow.examples();
        flow
    }

    fn slots(&mut self) {
        let slots = self.domain.slots.iter().map(|(name, initial)| {
            let initial = initial.as_ref().map(|value| format!("initial: {value}"));
            let options = format!("{{{}}}", initial.unwrap_or_default());
            (name, vec![options])
        });
        section(&mut self.text, "\nslots:\n  ", slots);
    }

    /// Writes the transitions that all states without a form share, and those that all states of a form share.
    fn mixins(&mut self) {
        self.text.push_str("\nmixins:\n");
        for (form, moves) in &self.states.shared {
            let _ = writeln!(self.text, "  {}:", scalar(&mixin(form.as_ref())));
            // After any other message, a form asks again.
            let mut asks = Vec::new();
            if let Some(form) = form {
                let others = self.intents.iter().filter(|it| !moves.contains_key(*it));
                asks.extend(others.map(|it| (it.as_str(), vec![scalar(form)])));
            }
            if asks.is_empty() && moves.is_empty() {
                self.text.push_str("    rules: {}\n");
            }
            section(&mut self.text, "    rules:\n      ", asks);
            self.moves(form.as_ref(), moves);
        }
    }

    fn state(&mut self, state: &StoryState) {
        let mixin = scalar(&mixin(state.form.as_ref()));
        let name = scalar(&state.name);
        let _ = writeln!(self.text, "  {name}:\n    mixins: [{mixin}]");
        if let Some(slots) = self.required(state.form.as_ref()) {
            let _ = writeln!(self.text, "    required_data: {}", list(slots));
        }
        if !state.did.is_empty() {
            let action = scalar(&joined(&state.did));
            let _ = writeln!(self.text, "    on_enter: {{action: {action}}}");
            // A transition from a state to itself does not enter it, so its action needs a rule.
            let shared = self.states.shared.get(&state.form);
            let shared = shared.into_iter().flatten();
            let shared = shared.filter(|(trigger, _)| !state.moves.contains_key(*trigger));
            let mut rules = Vec::new();
            for (trigger, moves) in state.moves.iter().chain(shared) {
                let again = moves.iter();
                let again = again.filter(|(_, to)| self.states.name(*to) == state.name);
                let again: Vec<String> =
                    again.map(|(when, _)| alternative(when, &action)).collect();
                rules.extend(Some((trigger.as_str(), again)).filter(|(_, it)| !it.is_empty()));
            }
            section(&mut self.text, "    rules:\n      ", rules);
        }
        self.moves(state.form.as_ref(), &state.moves);
    }

    /// The required slots of a form, if there are any.
    fn required(&self, form: Option<&String>) -> Option<&'p Vec<String>> {
        let slots = self.domain.forms.get(form?)?;
        Some(slots).filter(|slots| !slots.is_empty())
    }

    fn moves(&mut self, form: Option<&String>, moves: &StoryMoves) {
        let end = form.filter(|_| self.required(form).is_some());
        let end = end.map(|form| end_of(form));
        let mut transitions = Vec::new();
        for (trigger, moves) in moves {
            let targets = moves.iter();
            let targets = targets.map(|(when, to)| (when, scalar(self.states.name(*to))));
            let targets: Vec<String> = targets.map(|(when, to)| alternative(when, &to)).collect();
            if end.as_ref() == Some(trigger) {
                transitions.push(("data_complete", targets.clone()));
            }
            transitions.push((trigger.as_str(), targets));
        }
        section(&mut self.text, "    transitions:\n      ", transitions);
    }

    /// Writes the replies to the actions of the flow.
    fn replies(&mut self, all: &[&[String]], left: &mut Omissions) {
        let mut used: BTreeSet<&str> = BTreeSet::new();
        let mut replies = Vec::new();
        for actions in all {
            used.extend(actions.iter().map(String::as_str));
            let texts = reply(actions, self.domain);
            let action = joined(actions);
            if self.actions.insert(action.clone()) && !texts.is_empty() {
                replies.push((action, texts));
            }
        }
        section(&mut self.text, "\nreplies:\n  ", replies);
        for (response, (_, span)) in &self.domain.responses {
            if !used.contains(response.as_str()) && !response.starts_with("utter_ask_") {
                left.count("response that no story or rule uses", *span, response);
            }
        }
    }

    /// Writes the intents with their examples.
    fn examples(&mut self) {
        self.text.push_str("\nintents:\n");
        for intent in &self.intents {
            let examples = self.domain.intents.get(intent);
            let examples = examples.into_iter().flatten();
            let examples = examples.map(|text| format!("\n      - {}", scalar(text)));
            let examples = examples.joined("");
            let name = scalar(intent);
            let _ = match examples.as_str() {
                "" => writeln!(self.text, "  {name}: {{}}"),
                some => writeln!(self.text, "  {name}:\n    examples:{some}"),
            };
        }
    }
}

/// Writes a heading, and keys with their alternatives. The heading ends with the indentation of the keys.
fn section<K: AsRef<str>>(
    out: &mut String,
    heading: &str,
    entries: impl IntoIterator<Item = (K, Vec<String>)>,
) {
    let mut before = heading;
    let indent = heading.lines().last().unwrap_or_default();
    for (key, items) in entries {
        let key = scalar(key.as_ref());
        let _ = match items.as_slice() {
            [only] => writeln!(out, "{before}{key}: {only}"),
            all => {
                let all = all.iter().map(|item| format!("\n{indent}  - {item}"));
                writeln!(out, "{before}{key}:{}", all.joined(""))
            }
        };
        before = indent;
    }
}

/// The name of the shared transitions of the states of a form, or of all other states.
fn mixin(form: Option<&String>) -> String {
    form.map_or("anywhere".to_owned(), |form| format!("during_{form}"))
}

/// An alternative of a rule or transition.
fn alternative(when: &[String], then: &str) -> String {
    match when {
        [] => then.to_owned(),
        [only] => format!("{{when: {only}, then: {then}}}"),
        all => format!("{{when: {{and: [{}]}}, then: {then}}}", all.join(", ")),
    }
}

/// The texts of a reply to these actions, as YAML. A form at the end asks for the first missing slot.
fn reply(actions: &[String], domain: &RasaDomain) -> Vec<String> {
    let response = |name: &String| {
        let (text, _) = domain.responses.get(name)?;
        Some(text.as_str()).filter(|text| !text.is_empty())
    };
    let said: Vec<&str> = actions.iter().filter_map(response).collect();
    let mut texts = Vec::new();
    if let Some(form) = actions.last() {
        for slot in domain.forms.get(form).into_iter().flatten() {
            let names = [
                format!("utter_ask_{form}_{slot}"),
                format!("utter_ask_{slot}"),
            ];
            if let Some(question) = names.iter().find_map(response) {
                let text = said.iter().copied().chain([question]).joined("\n");
                let text = quoted(&text, domain);
                let slot = scalar(slot);
                texts.push(format!(
                    "{{text: {text}, when: {{slot: {slot}, known: false}}}}"
                ));
            }
        }
    }
    if !said.is_empty() {
        texts.push(quoted(&said.join("\n"), domain));
    }
    texts
}

/// The text in quotation marks, with `{{slot}}` for `{slot}`.
fn quoted(text: &str, domain: &RasaDomain) -> String {
    let mut text = text.to_owned();
    while text.contains("{{") {
        text = text.replace("{{", "{");
    }
    for slot in domain.slots.keys() {
        if slot.chars().all(is_of_placeholder) {
            text = text.replace(&format!("{{{slot}}}"), &format!("{{{{{slot}}}}}"));
        }
    }
    let lines = text.lines().map(one_line).joined("\n");
    serde_json::Value::from(lines).to_string()
}
