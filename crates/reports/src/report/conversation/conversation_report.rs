//! A dialogue as a conversation with an explanation of each turn.

use serde_json::Value as Json;

use crate::report::chat::plain;
use crate::report::profile_in_title::profile_in_title;
use fsmsim_adapters::llm::Speaker;
use fsmsim_adapters::stores::TurnNode;
use fsmsim_core::machine::{EVENTS, Profile};
use fsmsim_core::trace::TurnReport;
use fsmsim_harness::interactive::{InteractiveDialogue, TurnWhy};
use fsmsim_runtime::runtime::MAIN_BRANCH;
use fsmsim_syntax::diagnostic::plural;
use fsmsim_syntax::terminal::{Joined, acts_on_text, printable};

/// A dialogue as a conversation with an explanation of each turn, as an HTML page or Markdown. The output is
/// deterministic.
#[derive(Debug)]
pub struct ConversationReport {
    pub(super) title: String,
    /// The length and the current state of the dialogue, in one sentence each.
    pub(super) about: String,
    pub(super) turns: Vec<ConversationTurn>,
}

/// A turn of the report. Its texts contain no control sequences for terminals or text direction.
#[derive(Debug)]
pub(super) struct ConversationTurn {
    pub number: u32,
    /// The utterance of the user; empty if the turn has none.
    pub said: String,
    /// The intent and the data, in input syntax.
    pub meant: String,
    /// How the utterance was recognized; empty without a recognizer.
    pub recognized: String,
    /// The event, such as `open`; empty for a turn of the user.
    pub event: String,
    /// The states before and after.
    pub way: String,
    /// The structural class, then the class from the model's registry.
    pub classes: Vec<String>,
    pub action: String,
    pub replies: Vec<String>,
    /// An explanation in one sentence; empty if unknown.
    pub why: String,
    /// The deciding rules with their locations, then rejected proposals and violations.
    pub origins: Vec<String>,
}

impl ConversationReport {
    /// The dialogue up to the current turn of its branch.
    ///
    /// # Errors
    /// Returns an error if the dialogue has no turn.
    pub fn of(interactive: &InteractiveDialogue) -> Result<Self, String> {
        let tree = interactive.tree();
        let records = tree.root().records.iter().zip(1..);
        // For turns of an earlier process, only the records are known.
        let before = records.map(|(record, number)| {
            let report = TurnReport::read(record).unwrap_or_default();
            ConversationTurn::of(number, &report, None)
        });
        let mut turns: Vec<ConversationTurn> = before.collect();
        for number in tree.path_to(tree.at()) {
            if let Some(moment) = tree.moment(number) {
                let report = moment.report().unwrap_or_default();
                let why = interactive.why_at(number);
                let turn = ConversationTurn::of(tree.turns_at(number), &report, why);
                turns.push(turn.with_utterances(moment));
            }
        }
        if turns.is_empty() {
            return Err("cannot export the dialogue: it has no turns yet".to_owned());
        }
        let dialogue = interactive.dialogue();
        let machine = dialogue.machine();
        let profile = machine
            .shown_profile()
            .filter(|name| *name != Profile::default().name());
        let branch = Some(tree.branch()).filter(|branch| *branch != MAIN_BRANCH);
        let branch = branch.map(|branch| format!(" on the branch {branch}"));
        let end = if dialogue.session().is_final(machine) {
            "ends"
        } else {
            "is"
        };
        let about = format!(
            "{}{}{}. The dialogue {end} in {}.",
            plural(turns.len(), "turn"),
            branch.unwrap_or_default(),
            profile_in_title(profile, ", ", ""),
            interactive.state(),
        );
        Ok(Self {
            title: printable(&clean(&machine.header.name)),
            about: clean(&about),
            turns,
        })
    }
}

impl ConversationTurn {
    fn of(number: u32, report: &TurnReport, why: Option<&TurnWhy>) -> Self {
        let registered = report.contract_class.as_ref().and_then(Json::as_str);
        let classes = [report.class.as_deref(), registered].into_iter().flatten();
        let way = report.state.to.is_some().then(|| report.way(" → "));
        let (why, origins) = why.map_or_else(Default::default, |why| {
            let origins = why.sentence.origins();
            (
                why.sentence.brief(),
                [&origins, &why.lost, &why.faults]
                    .map(Vec::as_slice)
                    .concat(),
            )
        });
        let cleaned = |texts: &[String]| texts.iter().map(|text| clean(text)).collect();
        Self {
            number,
            said: clean(report.given("say").unwrap_or_default()),
            meant: clean(&typed_input(report)),
            recognized: clean(&report.interpretation().unwrap_or_default()),
            event: clean(&event(report)),
            way: clean(&way.unwrap_or_default()),
            classes: classes.map(clean).collect(),
            action: clean(report.action.as_deref().unwrap_or_default()),
            replies: cleaned(&report.replies),
            why: clean(&why),
            origins: cleaned(&origins),
        }
    }

    /// Adds the utterances of the dialogue, which not every record contains.
    fn with_utterances(mut self, moment: &TurnNode) -> Self {
        let by = |speaker| {
            let said = moment.said.iter().filter(move |said| said.by == speaker);
            said.map(|said| clean(&said.text))
        };
        let user = by(Speaker::User).joined("\n");
        if !user.is_empty() {
            self.said = user;
        } else if moment.record.is_empty() {
            self.said = clean(&moment.line);
        }
        self.replies = by(Speaker::Assistant).collect();
        self
    }
}

/// The event with its data.
fn event(report: &TurnReport) -> String {
    let named = report.given("event").map(str::to_owned);
    let happened = || {
        let (key, value) = EVENTS
            .into_iter()
            .find_map(|key| Some((key, report.input.get(key)?)))?;
        Some(pairs(key, value).iter().joined(" "))
    };
    named.or_else(happened).unwrap_or_default()
}

/// The intent and the data of a turn in input syntax: `/intent slot=value`.
fn typed_input(report: &TurnReport) -> String {
    let input = report
        .recorded_input()
        .filter(|(key, _)| *key != "event" && !EVENTS.contains(key));
    let parts = input.flat_map(|(key, value)| match (key, value) {
        ("intent", intent) => vec![format!("/{}", text(intent))],
        ("data", Json::Object(_)) => pairs("", value),
        _ => pairs(key, value),
    });
    parts.joined(" ")
}

/// A value with its name, or a map as pairs.
fn pairs(name: &str, value: &Json) -> Vec<String> {
    let pair = |(key, value): (&String, &Json)| format!("{key}={}", text(value));
    let name = Some(name.to_owned()).filter(|name| !name.is_empty());
    match value {
        Json::Object(map) => name.into_iter().chain(map.iter().map(pair)).collect(),
        Json::Bool(true) => name.into_iter().collect(),
        value => vec![format!("{}={}", name.unwrap_or_default(), text(value))],
    }
}

/// A value in input syntax: in quotes if it has spaces.
fn text(value: &Json) -> String {
    let plain = value
        .as_str()
        .filter(|text| !text.contains(char::is_whitespace));
    plain.map_or_else(|| value.to_string(), str::to_owned)
}

/// Removes terminal sequences, and replaces characters that change the text direction.
fn clean(text: &str) -> String {
    let acts = |character: char| acts_on_text(character) && !['\n', '\t'].contains(&character);
    plain(text).replace(acts, "\u{fffd}")
}
