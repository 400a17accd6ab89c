//! Reads labeled utterances one by one and checks them against the model.

use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;

use xxhash_rust::xxh3::Xxh3;

use super::labelled_utterance::{LabelledUtterance, NONE};
use crate::limits::MAX_UTTERANCE;
use fsmsim_adapters::llm::{Speaker, Utterance};
use fsmsim_core::engine::{Machine, Session, Settings};
use fsmsim_core::machine::Value;
use fsmsim_runtime::runtime::DialogueSetup;
use fsmsim_runtime::script::{KnownNames, read_values};
use fsmsim_syntax::diagnostic::{Code, Diagnostic, Diagnostics, SourceMap, Span};
use fsmsim_syntax::document::{Fields, Map, Node, text_of, wrong_type};
use fsmsim_syntax::shapes;

/// Reads labeled utterances of a model.
pub(super) struct LabelledReader<'m, 's> {
    machine: &'m Machine,
    sources: &'s SourceMap,
    intents: Vec<&'m str>,
    /// The dialogues by state, without known data.
    settings: BTreeMap<String, Arc<(Settings, Session)>>,
    /// The location and label of each key.
    keys: HashMap<String, (Span, String)>,
    ids: HashMap<String, Span>,
    /// The number of utterances with the same text and context.
    contexts: HashMap<String, u32>,
}

impl<'m, 's> LabelledReader<'m, 's> {
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

    /// Reads an utterance. Returns `None`, with findings, if it is invalid.
    pub(super) fn utterance(
        &mut self,
        node: &Node,
        found: &mut Diagnostics,
    ) -> Option<LabelledUtterance> {
        let errors = found.error_count();
        let mut fields = Fields::of(node, &shapes::LABELLED_UTTERANCE, found)?;
        let say = fields.required("say");
        let intent = fields.required("intent");
        let state = fields.node("state");
        let (id, lang) = (fields.node("id"), fields.text("lang"));
        let (also, data, known) = (
            fields.node("also"),
            fields.node("data"),
            fields.node("known"),
        );
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
        let state = state.and_then(Node::text);
        let state = state
            .unwrap_or_else(|| self.machine.names.states.name(self.machine.initial))
            .to_owned();
        let (say, intent, setting) = (say?, intent?, setting?);
        let context = (known.is_some() || !history.is_empty()).then(|| context_of(known, &history));
        let key = self.key(id, &state, &say, &intent, (node.span, context), found);
        let place = self.sources.place(node.span);
        found.no_errors_since(errors).then(|| LabelledUtterance {
            key,
            at: format!("{}:{}", place.path, place.line),
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
            "nothing is said here".to_owned()
        } else if text.chars().count() > MAX_UTTERANCE {
            format!("more than {MAX_UTTERANCE} characters are said at once")
        } else {
            return Some(text.to_owned());
        };
        let finding = Diagnostic::error(Code::BadLabelled, wrong).at(node.span, "not usable");
        finding
            .help("write what a user says, word for word")
            .refuse(found)
    }

    /// Secondary intents: a list of intents, or one intent.
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

    /// The name of an intent, or `none`.
    fn intent(&self, node: &Node, may_be_none: bool, found: &mut Diagnostics) -> Option<String> {
        let name = text_of(node, "intent", found)?;
        if self.intents.contains(&name) || (may_be_none && name == NONE) {
            return Some(name.to_owned());
        }
        let is_event = self.machine.names.intents.id(name).is_some();
        let title = if is_event {
            format!("`{name}` is an event: nobody says it")
        } else {
            format!("the model has no intent `{name}`")
        };
        let help = format!(
            "name an intent of the model, or `{NONE}` where it means nothing that the model knows"
        );
        let finding = Diagnostic::error(Code::UnknownName, title).at(node.span, "not known");
        finding
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
                Diagnostic::error(
                    Code::UnknownName,
                    format!("the model has no slot `{}`", key.text),
                )
                .at(key.span, "not known")
                .near(&key.text, names.iter(), "name a slot of the model")
                .add_to(found);
            }
        }
    }

    /// The dialogue in a state with known data.
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

    /// The key of the utterance. Adds findings if another utterance has the same key.
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
            Diagnostic::error(
                Code::BadLabelled,
                format!("two utterances have the id `{id}`"),
            )
            .at(span, "the second one")
            .at(first, "the first one")
            .help("give each its own, or none")
            .add_to(found);
        }
        // The known data and the history may change the intent of the same words.
        if context.is_none() {
            match self.keys.get(&said) {
                Some((first, label)) if label != intent => {
                    let title = format!("the same words are labelled `{label}` and `{intent}`");
                    Diagnostic::error(Code::BadLabelled, title)
                        .at(span, "here again")
                        .at(*first, "here first")
                        .help("decide on one label; or say with `state`, `known` or `history` what tells them apart")
                        .add_to(found);
                }
                Some((first, _)) if id.is_none() => {
                    Diagnostic::error(
                        Code::BadLabelled,
                        "the same is said twice in the same state",
                    )
                    .at(span, "here again")
                    .at(*first, "here first")
                    .help("take one out; or give this one an `id`, where it is to count twice")
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

/// A hash of the known data and the history. It does not depend on the position in the file.
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
        // Hash the lengths too, so that neighboring parts cannot run together.
        for part in [name, text] {
            hash.update(&(part.len() as u64).to_le_bytes());
            hash.update(part.as_bytes());
        }
    }
    format!("{:08x}", hash.digest() >> 32)
}

/// A line of the history.
fn line(node: &Node, found: &mut Diagnostics) -> Option<Utterance> {
    let mut fields = Fields::of(node, &shapes::LABELLED_LINE, found)?;
    let (user, assistant) = (fields.text("user"), fields.text("assistant"));
    fields.finish();
    let (by, text) = match (user, assistant) {
        (Some(text), None) => (Speaker::User, text.into()),
        (None, Some(text)) => (Speaker::Assistant, text.into()),
        _ => {
            return Diagnostic::error(Code::BadLabelled, "a line of `history` is of one speaker")
                .at(node.span, "not understood")
                .help("write `{user: TEXT}` or `{assistant: TEXT}`")
                .refuse(found);
        }
    };
    Some(Utterance { by, text })
}
