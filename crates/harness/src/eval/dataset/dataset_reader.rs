//! Reads labeled utterances one by one and checks them against the model.

use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;

use xxhash_rust::xxh3::Xxh3;

use super::dataset_utterance::{DatasetUtterance, NONE};
use crate::limits::MAX_UTTERANCE;
use fsmsim_adapters::llm::{Speaker, Utterance};
use fsmsim_core::engine::{Machine, Session, Settings};
use fsmsim_core::machine::Value;
use fsmsim_runtime::runtime::DialogueSetup;
use fsmsim_runtime::script::{KnownNames, read_values};
use fsmsim_syntax::diagnostic::{Code, Diagnostic, Diagnostics, SourceMap, Span};
use fsmsim_syntax::document::{Fields, Map, Node, text_of, wrong_type};
use fsmsim_syntax::shapes;

/// Reads labeled utterances for a model.
pub(super) struct DatasetReader<'m, 's> {
    machine: &'m Machine,
    sources: &'s SourceMap,
    intents: Vec<&'m str>,
    /// The start of a dialogue in each state, without known data.
    settings: BTreeMap<String, Arc<(Settings, Session)>>,
    /// The location and the label of the first utterance with each key.
    keys: HashMap<String, (Span, String)>,
    ids: HashMap<String, Span>,
    /// The number of utterances with the same text and context.
    contexts: HashMap<String, u32>,
}

impl<'m, 's> DatasetReader<'m, 's> {
    pub(super) fn new(machine: &'m Machine, sources: &'s SourceMap) -> Self {
        let names = &machine.names.intents;
        let is_said = |name: &&str| names.id(name).is_none_or(|id| !machine.is_event(id));
        Self {
            machine,
            sources,
            intents: names.iter().filter(is_said).collect(),
            settings: BTreeMap::new(),
            keys: HashMap::new(),
            ids: HashMap::new(),
            contexts: HashMap::new(),
        }
    }

    /// Reads an utterance. Returns `None`, with findings, if the utterance is invalid.
    pub(super) fn utterance(
        &mut self,
        node: &Node,
        found: &mut Diagnostics,
    ) -> Option<DatasetUtterance> {
        let errors = found.error_count();
        let mut fields = Fields::of(node, &shapes::DATASET_UTTERANCE, found)?;
        let say = fields.required("say");
        let intent = fields.required("intent");
        let state = fields.node("state");
        let id = fields.node("id");
        let lang = fields.text("lang");
        let also = fields.node("also");
        let data = fields.node("data");
        let known = fields.node("known");
        let tags = fields.texts("tags");
        let history = fields.list("history").unwrap_or_default();
        fields.finish();
        let say = say.and_then(|node| Self::say(node, found));
        let intent = intent.and_then(|node| self.intent(node, true, found));
        let also = also.map(|node| self.also(node, found));
        if let Some(known) = known.filter(|known| known.map().is_none()) {
            wrong_type(known, "`known` is a map", found);
            return None;
        }
        let data = data.map(|node| self.data(node, found));
        let setting = self.setting(state, known, node.span, found);
        let history: Vec<Utterance> = history
            .iter()
            .filter_map(|node| line(node, found))
            .collect();
        let id = id.and_then(|node| Some((text_of(node, "id", found)?, node.span)));
        let state = state
            .and_then(Node::text)
            .unwrap_or_else(|| self.machine.names.states.name(self.machine.initial))
            .to_owned();
        let say = say?;
        let intent = intent?;
        let setting = setting?;
        let context = (known.is_some() || !history.is_empty()).then(|| context_of(known, &history));
        let key = self.key(id, &state, &say, &intent, (node.span, context), found);
        let at = self.sources.place(node.span).line_place();
        found.no_errors_since(errors).then(|| DatasetUtterance {
            key,
            at,
            say: say.into(),
            intent,
            also,
            data,
            lang: lang.map(str::to_owned),
            tags: tags.into_iter().map(str::to_owned).collect(),
            history,
            state,
            setting,
        })
    }

    fn say(node: &Node, found: &mut Diagnostics) -> Option<String> {
        let text = text_of(node, "say", found)?;
        let wrong = if text.trim().is_empty() {
            "`say` is empty".to_owned()
        } else if text.chars().count() > MAX_UTTERANCE {
            format!("`say` is too long: limit {MAX_UTTERANCE} characters")
        } else {
            return Some(text.to_owned());
        };
        Diagnostic::error(Code::BadDataset, wrong)
            .at(node.span, "invalid utterance")
            .help("write the exact words of a user")
            .refuse(found)
    }

    /// Secondary intents, written as a list or as one intent.
    fn also(&self, node: &Node, found: &mut Diagnostics) -> Vec<String> {
        if node.map().is_some() {
            wrong_type(node, "`also` is a list", found);
            return Vec::new();
        }
        node.items()
            .iter()
            .filter_map(|item| self.intent(item, false, found))
            .collect()
    }

    /// The name of an intent, or [`NONE`] if allowed.
    fn intent(&self, node: &Node, may_be_none: bool, found: &mut Diagnostics) -> Option<String> {
        let name = text_of(node, "intent", found)?;
        if self.intents.contains(&name) || (may_be_none && name == NONE) {
            return Some(name.to_owned());
        }
        let is_event = self.machine.names.intents.id(name).is_some();
        let title = if is_event {
            format!("`{name}` is an event, not a user intent")
        } else {
            format!("unknown intent `{name}`")
        };
        let help =
            format!("use an intent of the model, or `{NONE}` if no intent of the model matches");
        Diagnostic::error(Code::UnknownName, title)
            .at(node.span, "not a user intent")
            .near(name, self.intents.iter().copied(), help)
            .refuse(found)
    }

    fn data(&self, node: &Node, found: &mut Diagnostics) -> Vec<(String, Value)> {
        self.check_slots(node, found);
        let names = KnownNames::new(self.machine, None);
        let values = read_values(node, self.machine, Some(&names), found);
        values
            .into_iter()
            .map(|(name, value)| (name.text(&self.machine.names.slots).to_owned(), value))
            .collect()
    }

    fn check_slots(&self, node: &Node, found: &mut Diagnostics) {
        let names = &self.machine.names.slots;
        for (key, _) in node.entries() {
            if names.id(&key.text).is_none() {
                Diagnostic::error(Code::UnknownName, format!("unknown slot `{}`", key.text))
                    .at(key.span, "unknown slot")
                    .near(&key.text, names.iter(), "use a slot of the model")
                    .add_to(found);
            }
        }
    }

    /// The start of a dialogue in a state, with known data.
    fn setting(
        &mut self,
        state: Option<&Node>,
        known: Option<&Node>,
        span: Span,
        found: &mut Diagnostics,
    ) -> Option<Arc<(Settings, Session)>> {
        let name = state.and_then(Node::text).unwrap_or_default().to_owned();
        if let Some(setting) = self.settings.get(&name).filter(|_| known.is_none()) {
            return Some(Arc::clone(setting));
        }
        if let Some(known) = known {
            self.check_slots(known, found);
        }
        let mut start = Map::default();
        start.put("state", state.cloned());
        start.put("data", known.cloned());
        let nowhere = |path: &str| Ok(path.into());
        let setup = DialogueSetup::read(
            self.machine,
            None,
            None,
            Some(&start.at(span)),
            &nowhere,
            found,
        )?;
        let setting = Arc::new((setup.settings, setup.session));
        if known.is_none() {
            self.settings.insert(name, Arc::clone(&setting));
        }
        Some(setting)
    }

    /// The key of the utterance. Adds findings if another utterance has the same ID, or the same text without any
    /// context.
    fn key(
        &mut self,
        id: Option<(&str, Span)>,
        state: &str,
        say: &str,
        intent: &str,
        (span, context): (Span, Option<String>),
        found: &mut Diagnostics,
    ) -> String {
        let said = format!("{state}: {say}");
        if let Some((id, span)) = id
            && let Some(first) = self.ids.insert(id.to_owned(), span)
        {
            Diagnostic::error(Code::BadDataset, format!("duplicate utterance ID `{id}`"))
                .at(span, "second use")
                .at(first, "first use")
                .help("give each utterance a unique `id`, or omit it")
                .add_to(found);
        }
        // Known data or history may change the intent of the same words.
        if context.is_none() {
            match self.keys.get(&said) {
                Some((first, label)) if label != intent => {
                    let title =
                        format!("conflicting labels for one utterance: `{label}` and `{intent}`");
                    Diagnostic::error(Code::BadDataset, title)
                        .at(span, "second label")
                        .at(*first, "first label")
                        .help("use one label, or add `state`, `known` or `history` to distinguish the utterances")
                        .add_to(found);
                }
                Some((first, _)) if id.is_none() => {
                    Diagnostic::error(Code::BadDataset, "duplicate utterance in one state")
                        .at(span, "second use")
                        .at(*first, "first use")
                        .help("remove one, or add an `id` to count both")
                        .add_to(found);
                }
                Some(_) => {}
                None => {
                    self.keys.insert(said.clone(), (span, intent.to_owned()));
                }
            }
        }
        match (id, context) {
            (Some((id, _)), _) => id.to_owned(),
            (None, None) => said,
            (None, Some(context)) => {
                let key = format!("{said} (#{context})");
                let count = self.contexts.entry(key.clone()).or_default();
                *count += 1;
                if *count == 1 {
                    key
                } else {
                    format!("{key} {count}")
                }
            }
        }
    }
}

/// A hash of the known data and the history. It is independent of the position in the file.
fn context_of(known: Option<&Node>, history: &[Utterance]) -> String {
    let mut hash = Xxh3::new();
    let mut known: Vec<(&str, String)> = known
        .into_iter()
        .flat_map(Node::entries)
        .map(|(key, value)| (&*key.text, Value::from(value).to_string()))
        .collect();
    known.sort_unstable();
    let lines = history.iter().map(|line| match line.by {
        Speaker::User => ("user", &*line.text),
        Speaker::Assistant => ("assistant", &*line.text),
    });
    for (name, text) in known
        .iter()
        .map(|(name, text)| (*name, &**text))
        .chain([("", "")])
        .chain(lines)
    {
        // Hash the lengths too, so that different splits of the same text have different hashes.
        for part in [name, text] {
            hash.update(&(part.len() as u64).to_le_bytes());
            hash.update(part.as_bytes());
        }
    }
    format!("{:08x}", hash.digest() >> 32)
}

/// Reads a line of the history.
fn line(node: &Node, found: &mut Diagnostics) -> Option<Utterance> {
    let mut fields = Fields::of(node, &shapes::DATASET_LINE, found)?;
    let user = fields.text("user");
    let assistant = fields.text("assistant");
    fields.finish();
    let (by, text) = match (user, assistant) {
        (Some(text), None) => (Speaker::User, text.into()),
        (None, Some(text)) => (Speaker::Assistant, text.into()),
        _ => {
            return Diagnostic::error(
                Code::BadDataset,
                "expected one speaker per line of `history`",
            )
            .at(node.span, "invalid line")
            .help("write `{user: TEXT}` or `{assistant: TEXT}`")
            .refuse(found);
        }
    };
    Some(Utterance { by, text })
}
