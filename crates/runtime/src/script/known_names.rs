//! The names that a scenario may use: names in its models, and names that it declares as foreign.

use std::cell::{OnceCell, RefCell};
use std::collections::BTreeSet;

use fsmsim_core::engine::{Class, Machine, Reason};
use fsmsim_syntax::diagnostic::{Code, Diagnostic, Diagnostics, Span, nearest};
use fsmsim_syntax::document::Node;
use fsmsim_syntax::shapes::NamedKind;

/// The key of `start` for names that no model defines.
pub const FOREIGN: &str = "foreign";

/// The names that a scenario may use.
#[derive(Debug)]
pub struct KnownNames<'m> {
    machine: &'m Machine,
    /// A second machine whose names are valid too.
    other: Option<&'m Machine>,
    foreign: Vec<&'m str>,
    reasons: OnceCell<BTreeSet<String>>,
    /// The unknown names so far.
    reported: RefCell<BTreeSet<String>>,
}

/// The names of one kind that a machine defines. Reasons are stored separately.
fn names_of(machine: &Machine, kind: NamedKind) -> Vec<&str> {
    let names = &machine.names;
    match kind {
        NamedKind::Intent => names
            .intents
            .ids()
            .filter(|id| !machine.is_trigger(*id))
            .map(|id| names.intents.name(id))
            .collect(),
        // In a state set, data is addressed by the name of its schema.
        NamedKind::Slot => names
            .slots
            .iter()
            .chain(machine.schemas.iter().map(|schema| &*schema.name))
            .collect(),
        NamedKind::State => names.states.iter().collect(),
        NamedKind::Phase => names.phases.iter().collect(),
        NamedKind::Action => names.actions.iter().collect(),
        NamedKind::Counter => names.counters.iter().collect(),
        NamedKind::Effect => names.effects.iter().collect(),
        NamedKind::Branch => names.branches.iter().collect(),
        NamedKind::TurnClass => Class::ALL.iter().map(|class| class.name()).collect(),
        NamedKind::Class => machine.policies.registered_classes(),
        _ => Vec::new(),
    }
}

fn is_of(machine: &Machine, kind: NamedKind, name: &str) -> bool {
    let names = &machine.names;
    match kind {
        NamedKind::Intent => names.intents.id(name).is_some(),
        NamedKind::State => names.states.id(name).is_some(),
        NamedKind::Phase => names.phases.id(name).is_some(),
        NamedKind::Action => names.actions.id(name).is_some(),
        NamedKind::Slot if names.slots.id(name).is_some() => true,
        kind => names_of(machine, kind).contains(&name),
    }
}

impl<'m> KnownNames<'m> {
    /// The names of a machine, and the names that the `start` of a dialogue declares as foreign.
    pub fn new(machine: &'m Machine, start: Option<&'m Node>) -> Self {
        let foreign = start
            .and_then(|start| start.get(FOREIGN))
            .map(Node::items)
            .unwrap_or_default()
            .iter()
            .filter_map(Node::text)
            .collect();
        Self {
            machine,
            other: None,
            foreign,
            reasons: OnceCell::new(),
            reported: RefCell::default(),
        }
    }

    /// Also accepts the names that the project declares as foreign.
    #[must_use]
    pub fn or_foreign(mut self, names: &'m [String]) -> Self {
        self.foreign.extend(names.iter().map(String::as_str));
        self
    }

    /// Also accepts the names of a second machine, if one is given.
    #[must_use]
    pub fn or_of(mut self, other: Option<&'m Machine>) -> Self {
        self.other = other;
        self
    }

    /// Whether the scenario or the project declares a name as foreign.
    pub fn is_foreign(&self, name: &str) -> bool {
        self.foreign.contains(&name)
    }

    /// Reports a name that no machine defines and that the scenario does not declare as foreign. A name is reported
    /// only once, even if many turns use it.
    pub fn check(&self, kind: NamedKind, name: &str, span: Span, found: &mut Diagnostics) {
        if self.is_foreign(name)
            || self.is_known(kind, name)
            || !self.reported.borrow_mut().insert(name.to_owned())
        {
            return;
        }
        let reasons = if kind == NamedKind::Reason {
            Some(self.reasons())
        } else {
            None
        };
        let known: Vec<&str> = self
            .names(kind)
            .chain(reasons.into_iter().flatten().map(String::as_str))
            .collect();
        let finding =
            Diagnostic::unknown(Code::UnknownName, kind.noun(), name).at(span, "not in the model");
        let finding = match (kind, nearest(name, known.iter().copied())) {
            // The classes are the same in every machine.
            (NamedKind::TurnClass, None) => finding.help(format!(
                "use one of these classes: {}",
                names_of(self.machine, kind).join(", ")
            )),
            (_, near) => {
                let meant = format!("`start: {{{FOREIGN}: [{name}]}}`");
                finding.suggest(
                    near,
                    format!(
                        "correct the name, or declare that the model does not have it: {meant}"
                    ),
                )
            }
        };
        finding.add_to(found);
    }

    /// Reports an unknown name only if it is similar to a name of the machine. For files that several machines may
    /// share.
    pub fn check_near(&self, kind: NamedKind, name: &str, place: &str, found: &mut Diagnostics) {
        if self.is_foreign(name) || self.is_known(kind, name) {
            return;
        }
        if let Some(near) = nearest(name, self.names(kind)) {
            Diagnostic::unknown(Code::UnknownName, kind.noun(), name)
                .about(place)
                .suggest(Some(near), "")
                .add_to(found);
        }
    }

    /// Checks a node that contains a string. Ignores other nodes.
    pub fn check_node(&self, kind: NamedKind, node: &Node, found: &mut Diagnostics) {
        if let Some(name) = node.text() {
            self.check(kind, name, node.span, found);
        }
    }

    /// Checks the keys of a data map.
    pub fn check_keys(&self, kind: NamedKind, node: &Node, found: &mut Diagnostics) {
        for (key, _) in node.entries() {
            self.check(kind, &key.text, key.span, found);
        }
    }

    /// Checks the keys of an event payload. Extra keys are valid unless they are similar to a name of the machine.
    pub fn check_event(&self, data: &Node, found: &mut Diagnostics) {
        for (key, _) in data.entries() {
            if nearest(&key.text, self.names(NamedKind::Slot)).is_some() {
                self.check(NamedKind::Slot, &key.text, key.span, found);
            }
        }
    }

    fn machines(&self) -> impl Iterator<Item = &'m Machine> {
        [Some(self.machine), self.other].into_iter().flatten()
    }

    /// The names of one kind. Reasons are stored separately.
    fn names(&self, kind: NamedKind) -> impl Iterator<Item = &'m str> {
        self.machines()
            .flat_map(move |machine| names_of(machine, kind))
    }

    fn is_known(&self, kind: NamedKind, name: &str) -> bool {
        if kind == NamedKind::Reason {
            return self.reasons().contains(name)
                || Reason::FREE.iter().any(|free| name.starts_with(free));
        }
        self.machines().any(|machine| is_of(machine, kind, name))
    }

    fn reasons(&self) -> &BTreeSet<String> {
        self.reasons
            .get_or_init(|| self.machines().flat_map(Reason::codes).collect())
    }
}
