//! A scenario as it is written.

use crate::diagnostic::{Code, Diagnostic, Diagnostics, Span};
use crate::document::{Fields, Node};
use crate::engine::Machine;
use crate::machine::Profile;
use crate::runtime::PERMISSIVE;
use crate::script::{KnownNames, ParsedTurn, TurnOptions, read_profile};

use super::expectation::Expectation;
use super::pass_threshold::PassThreshold;

/// A scenario as it is written; its turns are read when the machine is known.
#[derive(Debug)]
pub struct ScenarioText<'n> {
    /// The title.
    pub title: &'n str,
    /// Where the title stands.
    pub span: Span,
    /// The model, as written.
    pub model: Option<&'n str>,
    /// Where the model is named.
    pub model_span: Span,
    /// The profile it asks for.
    pub profile: Option<Profile>,
    /// The tags.
    pub tags: Vec<&'n str>,
    /// Where its signals come from.
    pub signals: Option<&'n Node>,
    /// How it starts.
    pub start: Option<&'n Node>,
    /// The mock that reads what was said.
    pub llm: Option<&'n Node>,
    /// How many plays must pass.
    pub require: Option<PassThreshold>,
    turns: &'n [Node],
    end: Option<&'n Node>,
}

/// The turns of a scenario, with what is expected of each and of the end.
#[derive(Debug)]
pub struct ScenarioTurns<'n> {
    /// The turns.
    pub turns: Vec<(ParsedTurn<'n>, Expectation)>,
    /// What is expected after the last one.
    pub end: Expectation,
}

impl<'n> ScenarioText<'n> {
    /// Reads a document. `None`, with findings, where it is no usable scenario.
    pub fn read(node: &'n Node, found: &mut Diagnostics) -> Option<Self> {
        let errors = found.error_count();
        if let Some(map) = node.map()
            && map.get("scenario").is_none()
            && map.get("turns").is_none()
        {
            return Diagnostic::error(Code::MissingKey, "this is no scenario: it has neither `scenario` nor `turns`")
                .at(node.span, "the document begins here")
                .help("keep scenarios in a folder of their own, and name that")
                .refuse(found);
        }
        let mut fields = Fields::open(node, "a scenario", found)?;
        let title_node = fields.node("scenario");
        let title = fields.required_text("scenario");
        fields.text("description");
        let model_node = fields.node("model");
        let model = fields.text("model");
        let profile = fields.node("profile");
        let tags = fields.texts("tags");
        let signals = fields.node("signals");
        let start = fields.node("start");
        let llm = fields.node("llm");
        let require = fields.node("require");
        let turns = fields.list("turns");
        if node.get("turns").is_none_or(Node::is_null) {
            fields.missing("turns");
        }
        let end = fields.node("end");
        fields.finish();
        if let Some([]) = turns {
            Diagnostic::error(Code::MissingKey, "a scenario without turns tests nothing")
                .at(node.get("turns").map_or(node.span, |node| node.span), "empty")
                .help("add a turn: `- intent: NAME`")
                .add_to(found);
        }
        let profile = profile.and_then(|node| read_profile(node, found));
        let require = require.and_then(|node| PassThreshold::read(node, found));
        let title = title.map(str::trim);
        if title == Some("") {
            Diagnostic::error(Code::MissingKey, "a scenario needs a title")
                .at(node.span, "the title is empty")
                .add_to(found);
        }
        if found.error_count() > errors {
            return None;
        }
        Some(Self {
            title: title?,
            span: title_node?.span,
            model,
            model_span: model_node.map_or(node.span, |node| node.span),
            profile,
            tags,
            signals,
            start,
            llm,
            require,
            turns: turns?,
            end,
        })
    }

    /// Whether its model may be under construction: moves that no state declares are taken, and states that are missing play
    /// as stubs. What else its start says is read when the machine is known.
    pub fn is_permissive(&self) -> bool {
        self.start.and_then(|start| start.get(PERMISSIVE)?.boolean()).unwrap_or(false)
    }

    /// Reads the turns; they may be `unread` where somebody is asked. `None`, with findings, where some cannot be played.
    pub fn turns(
        &self,
        machine: &Machine,
        names: Option<&KnownNames<'_>>,
        unread: bool,
        found: &mut Diagnostics,
    ) -> Option<ScenarioTurns<'n>> {
        let errors = found.error_count();
        let rules = TurnOptions { may_expect: true, may_be_unread: unread, names };
        let mut turns = Vec::with_capacity(self.turns.len());
        for node in self.turns {
            let Some(turn) = ParsedTurn::read(node, machine, rules, found) else {
                continue;
            };
            let expectation = turn
                .expect
                .and_then(|node| Expectation::read(node, "`expect`", machine, names, found))
                .unwrap_or_default();
            turns.push((turn, expectation));
        }
        let end = self.end.and_then(|node| Expectation::read(node, "`end`", machine, names, found)).unwrap_or_default();
        (found.error_count() == errors).then_some(ScenarioTurns { turns, end })
    }
}

impl ScenarioTurns<'_> {
    /// Whether anything is expected anywhere.
    pub fn expects_something(&self) -> bool {
        !self.end.is_empty() || self.turns.iter().any(|(_, expectation)| !expectation.is_empty())
    }
}
