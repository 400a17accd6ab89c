//! A scenario as written.

use std::borrow::Cow;
use std::path::{Path, PathBuf};

use fsmsim_adapters::subject::SUBJECT;
use fsmsim_core::engine::Machine;
use fsmsim_core::machine::{EVENTS, Profile, Value};
use fsmsim_runtime::runtime::PERMISSIVE;
use fsmsim_runtime::script::{KnownNames, TurnOptions, check_turn_keys, read_profile};
use fsmsim_syntax::diagnostic::{Code, Diagnostic, Diagnostics, Span};
use fsmsim_syntax::document::{Content, Fields, Node, wrong_type};
use fsmsim_syntax::shapes;
use fsmsim_syntax::threads::Mutex;

use super::cases::ScenarioCase;
use super::expectation::Expectation;
use super::invariant_expectations::{ALWAYS, InvariantExpectations, NEVER};
use super::known_failure::{EXPECTED_FAILURE, FailureReason, read_reason};
use super::long_turns::LongTurns;
use super::pass_threshold::PassThreshold;
use super::scenario_address::{case_title, scenario_address};
use super::scenario_document::ScenarioDocument;
use super::scenario_turns::{ScenarioTurn, ScenarioTurns, read_expectations};
use super::source::{is_of_something_else, is_unread_turn};
use super::transcript::is_markdown;
use super::unreadable_parts::{UnreadableParts, misspells_setting};
use crate::scenario::shared::TURNS;

/// A scenario as written. Its turns are read once the machine is known.
#[derive(Debug)]
pub struct ScenarioText<'n> {
    pub title: &'n str,
    pub file: &'n Path,
    /// The case, if the scenario has cases.
    pub case: Option<&'n ScenarioCase>,
    /// The location of the title.
    pub span: Span,
    /// The model, as written.
    pub model: Option<&'n str>,
    /// The location of the model name.
    pub model_span: Span,
    /// The profile that the scenario requests.
    pub profile: Option<Profile>,
    pub tags: Vec<&'n str>,
    /// The source of signals.
    pub signals: Option<&'n Node>,
    pub start: Option<&'n Node>,
    /// The mock that recognizes the utterances.
    pub llm: Option<&'n Node>,
    /// The external dialogue system to run instead of the model.
    pub subject: Option<&'n Node>,
    /// How many trials must pass.
    pub require: Option<PassThreshold>,
    /// Why the scenario is expected to fail.
    pub known_failure: Option<FailureReason>,
    /// Why the scenario is skipped.
    pub skip: Option<&'n str>,
    /// The metadata for other tools.
    pub meta: Option<&'n Node>,
    /// Whether the scenario was recorded, so that it may contain any name.
    pub is_recorded: bool,
    pub(super) unreadable: UnreadableParts,
    pub(super) turns: &'n [Node],
    /// For each turn, the locations of the `use` keys by which it is included.
    pub(super) used_at: &'n [Vec<Span>],
    /// The turns, if there are too many to keep in memory.
    pub(super) long: Option<&'n LongTurns<'n>>,
    pub(super) always: Option<&'n Node>,
    pub(super) never: Option<&'n Node>,
    pub(super) end: Option<&'n Node>,
    /// The files that were read for this scenario alone, except those of its model. Each is added where it is read.
    inputs: Mutex<Vec<PathBuf>>,
}

impl<'n> ScenarioText<'n> {
    /// Reads a document. Returns `None`, with findings, if it is not a valid scenario.
    pub fn read(document: &'n ScenarioDocument<'n>, found: &mut Diagnostics) -> Option<Self> {
        let errors = found.error_count();
        let scenario = Self::parse(document, found);
        scenario.filter(|_| found.no_errors_since(errors))
    }

    /// Reads a document, even if parts of it are invalid. Returns `None`, with findings, if it is not a scenario.
    pub(super) fn parse(
        document: &'n ScenarioDocument<'n>,
        found: &mut Diagnostics,
    ) -> Option<Self> {
        let ScenarioDocument {
            node,
            turns: long,
            is_recorded,
            unreadable,
            case,
            used_at,
            path,
            ..
        } = document;
        if is_of_something_else(node) {
            return Diagnostic::error(
                Code::MissingKey,
                "missing `scenario` and `turns` in the document",
            )
            .at(node.span, "start of the document")
            .help("store scenarios in a separate directory, and select that directory")
            .refuse(found);
        }
        let mut fields = Fields::of(node, &shapes::SCENARIO_FILE, found)?;
        let title_node = fields.node("scenario");
        let title = fields.required_text("scenario");
        fields.text("description");
        let model_node = fields.node("model");
        let model = fields.text("model");
        let profile_node = fields.node("profile");
        let tags = fields.texts("tags");
        let signals = fields.node("signals");
        let start = fields.node("start");
        let llm = fields.node("llm");
        let subject = fields.node(SUBJECT);
        let require = fields.node("require");
        let known_failure = fields.node(EXPECTED_FAILURE);
        let skip = fields.node("skip");
        let meta = fields.node("meta");
        let always = fields.node(ALWAYS);
        let never = fields.node(NEVER);
        let turns = fields.list(TURNS);
        if node.get(TURNS).is_none_or(Node::is_null) && !unreadable.turns {
            fields.missing(TURNS);
        }
        let end = fields.node("end");
        fields.finish();
        if let Some(meta) = meta.filter(|meta| meta.map().is_none()) {
            wrong_type(meta, "`meta` is a map", found);
        }
        if let Some([]) = turns.filter(|_| !unreadable.turns) {
            Diagnostic::error(Code::MissingKey, "the scenario has no turns")
                .at(node.get(TURNS).map_or(node.span, |node| node.span), "empty")
                .help("add a turn: `- intent: NAME`")
                .add_to(found);
        }
        let profile = profile_node.and_then(|node| read_profile(node, found));
        let require = require.and_then(|node| PassThreshold::read(node, found));
        let known_failure = known_failure.and_then(|node| FailureReason::read(node, found));
        let skip = skip.and_then(|node| read_reason(node, "skip", found));
        let title = title.map(str::trim);
        if title == Some("") {
            Diagnostic::error(Code::MissingKey, "the scenario has no title")
                .at(node.span, "empty title")
                .add_to(found);
        }
        let mut unreadable = *unreadable;
        unreadable.settings |= model_node.is_some() && model.is_none()
            || profile_node.is_some() && profile.is_none()
            || node
                .map()
                .is_some_and(|map| misspells_setting(map, &shapes::SCENARIO_FILE));
        Some(Self {
            title: title.unwrap_or_default(),
            file: path,
            case: case.as_deref(),
            span: title_node.map_or(node.span, |node| node.span),
            model,
            model_span: model_node.map_or(node.span, |node| node.span),
            profile,
            tags,
            signals,
            start,
            llm,
            subject,
            require,
            known_failure,
            skip,
            meta,
            is_recorded: *is_recorded,
            unreadable,
            turns: turns.unwrap_or_default(),
            used_at,
            long: long.as_ref(),
            always,
            never,
            end,
            inputs: Mutex::default(),
        })
    }

    /// Records that the scenario reads this file.
    pub(super) fn reads(&self, file: PathBuf) {
        let mut inputs = self.inputs.lock();
        if !inputs.contains(&file) {
            inputs.push(file);
        }
    }

    /// The files that were read for this scenario alone so far, except those of its model.
    pub(crate) fn inputs(&self) -> Vec<PathBuf> {
        self.inputs.lock().clone()
    }

    /// Whether the scenario can call a provider: it names a mock or a subject, or a turn has an utterance but no
    /// intent.
    pub fn may_ask(&self) -> bool {
        self.llm.is_some() || self.subject.is_some() || self.turns.iter().any(is_unread_turn)
    }

    /// Whether any turn can have an utterance.
    pub(super) fn may_say(&self) -> bool {
        let mut turns = self.turns.iter();
        self.long.is_some() || turns.any(|turn| turn.get("say").is_some())
    }

    /// The title, with the case. It is unique in the file.
    pub fn name(&self) -> String {
        case_title(self.title, self.case.map(|case| &*case.name))
    }

    /// The ID, if the file has this name.
    pub fn address(&self, file: &str) -> String {
        scenario_address(file, self.title, self.case.map(|case| &*case.name))
    }

    /// Metadata for other tools; null by default.
    pub fn meta(&self) -> Value {
        self.meta.map(Value::from).unwrap_or_default()
    }

    /// The turns in memory, each with the locations of the `use` keys by which it is included.
    pub(super) fn held(&self) -> impl Iterator<Item = (&'n Node, &'n [Span])> + use<'n> {
        let held = self.long.map_or(self.turns, |long| {
            self.turns.get(..long.held).unwrap_or_default()
        });
        let places = self
            .used_at
            .iter()
            .map(Vec::as_slice)
            .chain(std::iter::repeat(&[][..]));
        held.iter().zip(places)
    }

    /// Whether the model may be incomplete. If so, transitions that no state declares are allowed, and missing states
    /// become stubs. The rest of `start` is read once the machine is known.
    pub fn is_permissive(&self) -> bool {
        self.start
            .and_then(|start| start.get(PERMISSIVE)?.boolean())
            .unwrap_or(false)
    }

    /// Reads the turns. With `unread`, they can omit the intent. Returns `None`, with findings, if any turn is invalid
    /// or missing.
    pub fn turns(
        &self,
        machine: &Machine,
        names: Option<&KnownNames<'_>>,
        unread: bool,
        found: &mut Diagnostics,
    ) -> Option<ScenarioTurns<'n>> {
        let errors = found.error_count();
        let options = TurnOptions {
            may_expect: true,
            may_be_unread: unread,
            names,
        };
        let standing =
            InvariantExpectations::read(self.always, self.never, Some(machine), names, found);
        let read = |node: (&Node, &[Span]), found: &mut Diagnostics| {
            ScenarioTurn::read(node, machine, options, &standing, found)
        };
        let mut turns = ScenarioTurns::new(self.long.cloned(), unread, standing.clone());
        for (node, used_at) in self.held() {
            let turn = self.opening(node, machine);
            if let Some(turn) = turn.and_then(|node| read((&node, used_at), found)) {
                turns.hold(turn);
            }
        }
        for (rest, wrong) in self
            .long
            .into_iter()
            .flat_map(LongTurns::rest_with_findings)
        {
            found.extend(wrong);
            for (node, used_at) in rest {
                // Each of these turns is dropped immediately.
                let patterns = found.patterns;
                turns.count(read((&node, &used_at), found).as_ref());
                found.patterns = patterns;
            }
        }
        let end = self
            .end
            .map(|node| Expectation::read(node, "`end`", Some(machine), names, found));
        let turns = turns.ending(end.unwrap_or_default());
        (found.no_errors_since(errors) && !self.unreadable.turns).then_some(turns)
    }

    /// The turn, with the event `open` if it has only a line of a transcript's agent. Without such an event, the user
    /// begins the dialogue, so the line is not a turn.
    fn opening<'t>(&self, turn: &'t Node, machine: &Machine) -> Option<Cow<'t, Node>> {
        let mut keys = turn.entries().iter().map(|(key, _)| &*key.text);
        let inputs = ["intent", "event", "call", "goto"];
        let is_opening = keys.next() == Some("reply")
            && !keys.any(|key| EVENTS.contains(&key) || inputs.contains(&key))
            && is_markdown(self.file)
            && !machine.policies.inputs().navigation;
        let opens = machine.names.intents.id(OPEN);
        let opens = opens.is_some_and(|id| machine.is_event(id));
        if !is_opening || !opens && turn.entries().len() > 1 {
            return Some(Cow::Borrowed(turn));
        }
        let mut opened = turn.clone();
        if let Content::Map(map) = &mut opened.content {
            map.put("event", Some(Node::quoted(OPEN, turn.span)));
        }
        opens.then_some(Cow::Owned(opened))
    }
}

/// The event with which an agent begins a dialogue.
const OPEN: &str = "open";

impl ScenarioText<'_> {
    /// Reports unknown keys and malformed expectations. Used for scenarios whose names cannot be checked, and for
    /// skipped scenarios that will run again later.
    pub(super) fn check_keys(&self, found: &mut Diagnostics) {
        let standing = InvariantExpectations::read(self.always, self.never, None, None, found);
        self.held()
            .for_each(|(turn, _)| check_turn(turn, &standing, found));
        for (rest, wrong) in self
            .long
            .into_iter()
            .flat_map(LongTurns::rest_with_findings)
        {
            found.extend(wrong);
            for (turn, _) in &rest {
                check_turn(turn, &standing, found);
            }
        }
        if let Some(end) = self.end {
            Expectation::read(end, "`end`", None, None, found);
        }
    }
}

fn check_turn(turn: &Node, standing: &InvariantExpectations, found: &mut Diagnostics) {
    check_turn_keys(turn, found);
    read_expectations(turn, None, None, standing, found);
}
