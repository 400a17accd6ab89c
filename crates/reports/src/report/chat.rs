//! A dialogue as a chat without explanations, as text and in the format of chat datasets.

use std::io::{self, Write};

use serde::Serialize;

use fsmsim_core::engine::{Machine, RecordView, Settings};
use fsmsim_core::machine::{List, Value};
use fsmsim_core::trace::{ObservedRecord, RecordField, RecordedFields, TurnReport};
use fsmsim_syntax::terminal::{Joined, printable};

/// The messages of a dialogue.
#[derive(Debug, Default)]
pub(super) struct Chat {
    messages: Vec<ChatMessage>,
    /// The turn of each message.
    turns: Vec<u32>,
    /// The last state, and whether it is final.
    state: String,
    is_final: bool,
}

#[derive(Debug, Serialize)]
struct ChatMessage {
    role: &'static str,
    content: String,
    /// How the message was recognized, for text output.
    #[serde(skip)]
    recognized: Option<String>,
}

/// A line of a chat dataset. The order of the keys is fixed.
#[derive(Serialize)]
struct ChatLine<'c> {
    messages: &'c [ChatMessage],
    turns: &'c [u32],
    dialogue: &'c str,
    #[serde(skip_serializing_if = "Option::is_none")]
    machine: Option<ChatMachine<'c>>,
    state: &'c str,
    r#final: bool,
}

/// The model of the dialogue.
#[derive(Serialize)]
struct ChatMachine<'c> {
    name: &'c str,
    dialect: &'c str,
    source: &'c str,
    profile: &'c str,
}

/// The roles, each with its label for text output.
const USER: (&str, &str) = ("user", "User");
const ASSISTANT: (&str, &str) = ("assistant", "Assistant");

impl Chat {
    /// Adds the messages of a turn: one of the user, one of the assistant. A turn without an utterance shows its intent
    /// in square brackets; an event has no message of the user.
    pub(super) fn push(&mut self, line: &RecordView<'_>) {
        let say = line.scripted.input.say.as_deref();
        let replies: Vec<_> = line.replies().collect();
        let user = self.messages.len();
        self.turn(
            Some(line.machine),
            line.record.turn,
            say,
            line.intent(),
            &replies,
        );
        if let Some(said) = self.messages.get_mut(user).filter(|_| say.is_some()) {
            said.recognized = line.interpretation();
        }
        if let Some(outcome) = &line.record.outcome {
            line.states(outcome).to.clone_into(&mut self.state);
            self.is_final = outcome.is_final;
        }
    }

    /// Adds the messages of a turn of an external system, if its record contains them.
    pub(super) fn push_observed(&mut self, record: &ObservedRecord, machine: &Machine) {
        let input = record.get(RecordField::Input);
        let say = input
            .and_then(|input| input.get("say"))
            .and_then(Value::as_text);
        let replies: Vec<_> = record
            .get(RecordField::Replies)
            .and_then(Value::list)
            .into_iter()
            .flat_map(List::iter)
            .filter_map(Value::as_text)
            .collect();
        self.turn(Some(machine), record.turn(), say, record.intent(), &replies);
        record
            .text(RecordField::State)
            .unwrap_or_default()
            .clone_into(&mut self.state);
        self.is_final = record.get(RecordField::Final) == Some(&Value::Bool(true));
    }

    /// Adds the messages of a recorded turn.
    pub(super) fn push_report(&mut self, turn: &TurnReport) {
        let replies: Vec<&str> = turn.replies.iter().map(String::as_str).collect();
        self.turn(
            None,
            turn.turn,
            turn.given("say"),
            turn.given("intent"),
            &replies,
        );
        turn.state().clone_into(&mut self.state);
        self.is_final = turn.is_final == Some(true);
    }

    fn turn(
        &mut self,
        machine: Option<&Machine>,
        turn: u32,
        say: Option<&str>,
        intent: Option<&str>,
        replies: &[&str],
    ) {
        let is_event = |name: &&str| {
            machine.is_some_and(|machine| {
                let intent = machine.names.intents.id(name);
                intent.is_some_and(|id| machine.is_event(id))
            })
        };
        match (say, intent.filter(|name| !is_event(name))) {
            (Some(text), _) => self.message(USER.0, text, turn),
            (None, Some(name)) => self.message(USER.0, &format!("[{name}]"), turn),
            (None, None) => {}
        }
        if !replies.is_empty() {
            self.message(ASSISTANT.0, &replies.join("\n"), turn);
        }
    }

    fn message(&mut self, role: &'static str, text: &str, turn: u32) {
        self.messages.push(ChatMessage {
            role,
            content: plain(text),
            recognized: None,
        });
        self.turns.push(turn);
    }

    /// Writes the chat as a line of a dataset.
    pub(super) fn write_line(
        &self,
        dialogue: &str,
        run_by: Option<(&Machine, &Settings)>,
        out: &mut impl Write,
    ) -> io::Result<()> {
        let line = ChatLine {
            messages: &self.messages,
            turns: &self.turns,
            dialogue,
            machine: run_by.map(|(machine, settings)| ChatMachine {
                name: &machine.header.name,
                dialect: machine.header.dialect,
                source: &machine.header.source,
                profile: settings.profile.name(),
            }),
            state: &self.state,
            r#final: self.is_final,
        };
        serde_json::to_writer(&mut *out, &line)?;
        writeln!(out)
    }

    /// Writes the chat as Markdown.
    pub(super) fn write_text(&self, title: &str, out: &mut impl Write) -> io::Result<()> {
        writeln!(out, "# {title}")?;
        for message in &self.messages {
            let ChatMessage { role, content, .. } = message;
            let who = [USER, ASSISTANT]
                .into_iter()
                .find(|(name, _)| name == role)
                .map_or(*role, |(_, who)| who);
            // Continuation lines are indented, so that none of them looks like another speaker.
            let content = content.lines().joined("\n  ");
            writeln!(out, "\n**{who}:** {content}")?;
            if let Some(reading) = &message.recognized {
                // A comment ends at the first `-->`.
                let reading = printable(reading).replace("-->", "--");
                writeln!(out, "<!-- recognized as {reading} -->")?;
            }
        }
        Ok(())
    }
}

/// Removes escape sequences and other control characters, except line breaks and tabs.
pub(super) fn plain(text: &str) -> String {
    let mut plain = String::with_capacity(text.len());
    let mut characters = text.chars().peekable();
    while let Some(character) = characters.next() {
        match character {
            '\u{1b}' if characters.next_if_eq(&'[').is_some() => {
                // Parameters, up to the final byte of the sequence.
                let _ = characters.by_ref().find(|c| ('@'..='~').contains(c));
            }
            '\u{1b}' if characters.next_if_eq(&']').is_some() => {
                let _ = characters
                    .by_ref()
                    .find(|c| matches!(c, '\u{7}' | '\u{1b}'));
                let _ = characters.next_if_eq(&'\\');
            }
            '\n' | '\t' => plain.push(character),
            character if character.is_control() => {}
            character => plain.push(character),
        }
    }
    plain
}

#[cfg(test)]
mod tests {
    use super::plain;

    #[test]
    fn only_control_sequences_are_removed() {
        let cases = [
            ("Сколько?\nВот\tстолько", "Сколько?\nВот\tстолько"),
            ("\u{1b}[31;1mred\u{1b}[0m", "red"),
            ("a\u{1b}]0;title\u{7}b\u{1b}]8;;x\u{1b}\\c", "abc"),
            ("bell\u{7}\r\n\u{0}end\u{9b}", "bell\nend"),
            ("unfinished \u{1b}[12", "unfinished "),
            ("👩‍💻 [ok]", "👩‍💻 [ok]"),
        ];
        for (text, shown) in cases {
            assert_eq!(plain(text), shown);
        }
    }
}
