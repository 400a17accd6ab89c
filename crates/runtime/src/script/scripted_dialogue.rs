//! A dialogue of a turns file.

use super::parsed_turn::{ParsedTurn, TurnOptions};
use crate::project::unknown_profile;
use fsmsim_adapters::llm::DefaultRecognizer;
use fsmsim_core::engine::{Machine, ScriptedTurn};
use fsmsim_core::machine::Profile;
use fsmsim_syntax::diagnostic::{Diagnostics, Span};
use fsmsim_syntax::document::{Fields, Node, text_of};
use fsmsim_syntax::shapes;

/// The name of a dialogue and its location.
#[derive(Clone, Debug)]
pub struct DialogueName {
    pub text: Box<str>,
    /// The location of the name.
    pub span: Span,
}

/// A dialogue of a turns file. Its turns are parsed later, when the machine is known.
#[derive(Debug)]
pub struct ScriptedDialogue<'n> {
    /// The name in the trace.
    pub name: DialogueName,
    /// The requested profile.
    pub profile: Option<Profile>,
    /// The node that declares the signal sources.
    pub signals: Option<&'n Node>,
    pub start: Option<&'n Node>,
    pub turns: &'n [Node],
}

impl<'n> ScriptedDialogue<'n> {
    /// Parses a line of a turns file. Returns `None`, with findings, if it is not a dialogue.
    pub fn read(node: &'n Node, found: &mut Diagnostics) -> Option<Self> {
        let errors_before = found.error_count();
        let mut fields = Fields::of(node, &shapes::TURNS_LINE, found)?;
        let id = fields.required("id");
        let name = id.and_then(|id| {
            Some(DialogueName {
                text: text_of(id, "id", fields.found())?.into(),
                span: id.span,
            })
        });
        let [profile, signals, start] = fields.nodes(["profile", "signals", "start"]);
        let turns = fields.list("turns");
        if turns.is_none() && node.get("turns").is_none_or(Node::is_null) {
            fields.missing("turns");
        }
        fields.finish();
        let profile = match profile {
            Some(node) => Some(read_profile(node, found)?),
            None => None,
        };
        let dialogue = Self {
            name: name?,
            profile,
            signals,
            start,
            turns: turns?,
        };
        found.no_errors_since(errors_before).then_some(dialogue)
    }

    /// Parses the turns for a machine. Returns `None`, with findings, if a turn cannot run.
    pub fn turns(&self, machine: &Machine, found: &mut Diagnostics) -> Option<Vec<ScriptedTurn>> {
        let is_unread = |turn: &Node| turn.get("say").is_some() && turn.get("intent").is_none();
        let options = TurnOptions {
            may_be_unread: self.turns.iter().any(is_unread)
                && DefaultRecognizer::can_learn(machine),
            ..TurnOptions::default()
        };
        let mut turns = Vec::with_capacity(self.turns.len());
        for turn in self.turns {
            // Continue after an invalid turn to report the errors of the other turns too.
            let parsed = ParsedTurn::read(turn, machine, options, found);
            turns.extend(parsed.map(|turn| turn.scripted));
        }
        (turns.len() == self.turns.len()).then_some(turns)
    }
}

/// The profile that a node names, or a finding.
pub fn read_profile(node: &Node, found: &mut Diagnostics) -> Option<Profile> {
    let name = text_of(node, "profile", found)?;
    Profile::from_name(name).or_else(|| {
        unknown_profile(name)
            .at(node.span, "unknown profile")
            .refuse(found)
    })
}
