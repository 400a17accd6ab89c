//! Renamed states.

use std::collections::BTreeSet;

use serde_json::Value;

use super::sides::{DiffSide, Sides};
use fsmsim_core::engine::Machine;
use fsmsim_core::trace::TurnReport;
use fsmsim_syntax::diagnostic::{Code, Diagnostic, Diagnostics};
use fsmsim_syntax::document::{Content, Node};

/// The prefix of a transition's default action.
const ARRIVAL: &str = "transition_to_";
/// The keys of a scenario turn whose values contain state names.
const TURN: [&str; 5] = ["goto", "before", "call", "answer", "answers"];

/// States that have a different name on the second side: `--rename OLD=NEW`.
#[derive(Clone, Debug, Default)]
pub struct StateRenames {
    pairs: Vec<Sides<String>>,
}

impl StateRenames {
    /// Parses `OLD=NEW` arguments. Returns `None`, with findings, if one is invalid.
    pub fn read(texts: &[String], found: &mut Diagnostics) -> Option<Self> {
        let mut renames = Self::default();
        for text in texts {
            let pair = text.split_once('=').map(|(old, new)| Sides {
                a: old.trim().to_owned(),
                b: new.trim().to_owned(),
            });
            let Some(pair) = pair.filter(|pair| !pair.a.is_empty() && !pair.b.is_empty()) else {
                return Diagnostic::bad_arguments(format!("expected OLD=NEW for `--rename`, found `{text}`"))
                    .help("write `--rename OLD=NEW`: OLD is the name on the first side, NEW on the second")
                    .refuse(found);
            };
            if let Some(same) = renames
                .pairs
                .iter()
                .find(|known| known.a == pair.a || known.b == pair.b)
            {
                let name = if same.a == pair.a { &same.a } else { &same.b };
                return Diagnostic::bad_arguments(format!(
                    "the state `{name}` is in several `--rename` options"
                ))
                .help("remove one of the `--rename` options")
                .refuse(found);
            }
            renames.pairs.push(pair);
        }
        Some(renames)
    }

    pub fn is_empty(&self) -> bool {
        self.pairs.is_empty()
    }

    /// The renamed states, each with its names on both sides.
    pub fn pairs(&self) -> Vec<(String, String)> {
        let pairs = self.pairs.iter();
        pairs.map(|pair| (pair.a.clone(), pair.b.clone())).collect()
    }

    /// The names of the states of a machine.
    pub(super) fn known(machine: &Machine) -> BTreeSet<String> {
        machine.declared_names().map(str::to_owned).collect()
    }

    /// Reports renamed states that a model does not have.
    pub fn check_models(&self, machines: Sides<&Machine>, found: &mut Diagnostics) {
        self.check(&machines.map(Self::known), found);
    }

    /// Reports renamed states that do not exist on their side. `known` contains the states of each side.
    pub(super) fn check(&self, known: &Sides<BTreeSet<String>>, found: &mut Diagnostics) {
        for pair in &self.pairs {
            for (side, name, ordinal) in [
                (DiffSide::A, &pair.a, "first"),
                (DiffSide::B, &pair.b, "second"),
            ] {
                let known = known.of(side);
                if !known.contains(name) {
                    Diagnostic::error(
                        Code::UnknownArgument,
                        format!(
                            "unknown state `{name}` on the {ordinal} side of `--rename {}={}`",
                            pair.a, pair.b
                        ),
                    )
                    .near(
                        name,
                        known.iter().map(String::as_str),
                        "use the name of a state on that side",
                    )
                    .add_to(found);
                }
            }
            let Sides { a: old, b: new } = pair;
            if known.a.contains(new) && self.new_name(new).is_none() {
                let title = format!(
                    "`--rename {old}={new}` merges `{old}` with the state `{new}` of the first side"
                );
                Diagnostic::error(Code::UnknownArgument, title)
                    .help(
                        "use a name that only the second side has, or also rename the other state",
                    )
                    .add_to(found);
            }
        }
    }

    /// The new name, on the second side, of a state of the first side; `None` if the state was not renamed.
    pub(super) fn new_name(&self, name: &str) -> Option<&str> {
        self.pairs
            .iter()
            .find(|pair| pair.a == name)
            .map(|pair| &*pair.b)
    }

    /// Whether a state on this side is renamed.
    pub(super) fn names(&self, side: DiffSide, name: &str) -> bool {
        self.pairs.iter().any(|pair| pair.of(side) == name)
    }

    /// Replaces the state names of the first side in these turns.
    pub(super) fn rename(&self, turns: &mut [TurnReport]) {
        if self.is_empty() {
            return;
        }
        for turn in turns {
            let names = [
                &mut turn.state.from,
                &mut turn.state.to,
                &mut turn.return_state,
                &mut turn.action,
            ];
            names
                .into_iter()
                .flatten()
                .chain(&mut turn.why)
                .for_each(|name| self.rename_text(name));
            let lists = [
                &mut turn.path,
                &mut turn.branches,
                &mut turn.events,
                &mut turn.rejected,
            ];
            lists
                .into_iter()
                .flatten()
                .for_each(|value| self.rename_value(value));
            let effects = turn
                .effects
                .iter_mut()
                .filter_map(|effect| effect.get_mut("state"));
            let inputs = turn
                .input
                .iter_mut()
                .filter(|(key, _)| TURN.contains(&key.as_str()));
            effects
                .chain(inputs.map(|(_, value)| value))
                .for_each(|value| self.rename_value(value));
        }
    }

    fn rename_text(&self, text: &mut String) {
        let (prefix, name) = match text.strip_prefix(ARRIVAL) {
            Some(name) => (ARRIVAL, name),
            None => ("", text.as_str()),
        };
        if let Some(new) = self.new_name(name) {
            *text = [prefix, new].concat();
        }
    }

    fn rename_value(&self, value: &mut Value) {
        match value {
            Value::String(text) => self.rename_text(text),
            Value::Array(items) => items.iter_mut().for_each(|item| self.rename_value(item)),
            Value::Object(pairs) => pairs
                .values_mut()
                .for_each(|value| self.rename_value(value)),
            _ => {}
        }
    }

    /// The scenario with the state names of this side in place of the other side's names. `None` if it contains no
    /// renamed state.
    pub(super) fn translated(
        &self,
        scenario: &Node,
        side: DiffSide,
        machine: &Machine,
    ) -> Option<Node> {
        let name = |text: &str| {
            let pair = self
                .pairs
                .iter()
                .find(|pair| pair.of(side.other()) == text && machine.state_id(text).is_none())?;
            Some(&**pair.of(side))
        };
        let mut scenario = scenario.clone();
        let mut is_other = false;
        let Content::Map(map) = &mut scenario.content else {
            return None;
        };
        for (key, node) in &mut map.entries {
            match (&*key.text, &mut node.content) {
                ("start", Content::Map(start)) => {
                    let state = start
                        .entries
                        .iter_mut()
                        .filter(|(key, _)| &*key.text == "state");
                    state.for_each(|(_, node)| is_other |= replace(node, &name));
                }
                ("turns", Content::List(turns)) => {
                    for turn in turns {
                        let Content::Map(turn) = &mut turn.content else {
                            continue;
                        };
                        let naming = turn
                            .entries
                            .iter_mut()
                            .filter(|(key, _)| TURN.contains(&&*key.text));
                        naming.for_each(|(_, node)| is_other |= replace(node, &name));
                    }
                }
                _ => {}
            }
        }
        is_other.then_some(scenario)
    }
}

/// Replaces names in a tree. Returns whether the tree contained any.
fn replace<'n>(node: &mut Node, name: &dyn Fn(&str) -> Option<&'n str>) -> bool {
    match &mut node.content {
        Content::Scalar(scalar) => name(&scalar.text).is_some_and(|new| {
            scalar.text = new.into();
            true
        }),
        Content::List(items) => items
            .iter_mut()
            .fold(false, |is_other, item| replace(item, name) | is_other),
        Content::Map(map) => map
            .entries
            .iter_mut()
            .fold(false, |is_other, (_, item)| replace(item, name) | is_other),
    }
}
