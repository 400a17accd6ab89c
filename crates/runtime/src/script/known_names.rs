//! The names that a scenario may use: those of its models, and those that it calls foreign.

use std::cell::OnceCell;
use std::collections::BTreeSet;

use fsmsim_core::engine::{Class, Machine, Reason};
use fsmsim_syntax::diagnostic::{Code, Diagnostic, Diagnostics, Span, nearest};
use fsmsim_syntax::document::Node;

/// The key of `start` for names that no model has.
pub const FOREIGN: &str = "foreign";

/// What a name is the name of.
#[derive(Clone, Copy, Debug, PartialEq, Eq, strum::IntoStaticStr)]
#[strum(serialize_all = "snake_case")]
pub enum NameKind {
    /// An intent.
    Intent,
    /// A piece of data.
    Slot,
    /// A state.
    State,
    /// A phase.
    Phase,
    /// An action.
    Action,
    /// A structural class of turns.
    Class,
    /// A class of the registry of a contract.
    #[strum(serialize = "class")]
    ContractClass,
    /// A counter.
    Counter,
    /// A reason.
    Reason,
    /// An effect.
    Effect,
    /// A branch.
    Branch,
}

/// The names that a scenario may use.
#[derive(Debug)]
pub struct KnownNames<'m> {
    machine: &'m Machine,
    /// The machine beside it, of whose names it may use any, too.
    beside: Option<&'m Machine>,
    foreign: Vec<&'m str>,
    reasons: OnceCell<BTreeSet<String>>,
}

impl NameKind {
    /// What it is, as the model has none of it.
    fn noun(self) -> &'static str {
        self.into()
    }

    /// The names of a machine; reasons are kept elsewhere.
    fn names(self, machine: &Machine) -> Vec<&str> {
        let names = &machine.names;
        match self {
            Self::Intent => names.intents.iter().collect(),
            // What is written in a set of states goes by the name of its schema.
            Self::Slot => names
                .slots
                .iter()
                .chain(machine.schemas.iter().map(|schema| &*schema.name))
                .collect(),
            Self::State => names.states.iter().collect(),
            Self::Phase => names.phases.iter().collect(),
            Self::Action => names.actions.iter().collect(),
            Self::Counter => names.counters.iter().collect(),
            Self::Effect => names.effects.iter().collect(),
            Self::Branch => names.branches.iter().collect(),
            Self::Class => Class::ALL.iter().map(|class| class.name()).collect(),
            Self::ContractClass => machine.policies.registered_classes(),
            Self::Reason => Vec::new(),
        }
    }

    /// Whether a machine has the name.
    fn is_of(self, machine: &Machine, name: &str) -> bool {
        let names = &machine.names;
        match self {
            Self::Intent => names.intents.id(name).is_some(),
            Self::State => names.states.id(name).is_some(),
            Self::Phase => names.phases.id(name).is_some(),
            Self::Action => names.actions.id(name).is_some(),
            Self::Slot if names.slots.id(name).is_some() => true,
            kind => kind.names(machine).contains(&name),
        }
    }
}

impl<'m> KnownNames<'m> {
    /// The names of a machine, and those that `start` of a dialogue calls foreign.
    pub fn new(machine: &'m Machine, start: Option<&'m Node>) -> Self {
        let foreign = start
            .and_then(|start| start.get(FOREIGN))
            .map(Node::items)
            .unwrap_or_default();
        let foreign = foreign.iter().filter_map(Node::text).collect();
        Self {
            machine,
            beside: None,
            foreign,
            reasons: OnceCell::new(),
        }
    }

    /// The same with the names of another machine, where there is one.
    #[must_use]
    pub fn beside(mut self, beside: Option<&'m Machine>) -> Self {
        self.beside = beside;
        self
    }

    /// Whether the scenario calls a name foreign.
    pub fn is_foreign(&self, name: &str) -> bool {
        self.foreign.contains(&name)
    }

    /// Tells a name that no machine has and the scenario does not call foreign.
    pub fn check(&self, kind: NameKind, name: &str, span: Span, found: &mut Diagnostics) {
        if self.is_foreign(name) || self.is_known(kind, name) {
            return;
        }
        let reasons = if kind == NameKind::Reason {
            Some(self.reasons())
        } else {
            None
        };
        let known = self
            .names(kind)
            .chain(reasons.into_iter().flatten().map(String::as_str));
        let known: Vec<&str> = known.collect();
        let title = format!("the model has no {} `{name}`", kind.noun());
        let finding = Diagnostic::error(Code::UnknownName, title).at(span, "not known");
        let finding = match (kind, nearest(name, known.iter().copied())) {
            // Every machine has the same.
            (NameKind::Class, None) => {
                finding.help(format!("classes: {}", kind.names(self.machine).join(", ")))
            }
            (_, near) => {
                let meant = format!("`start: {{{FOREIGN}: [{name}]}}`");
                finding.suggest(
                    near,
                    format!("a name that the model lacks on purpose stands under {meant}"),
                )
            }
        };
        finding.add_to(found);
    }

    /// Tells a name that is nearly one of the machine, where it stands in another file than the scenario, which may be made for
    /// several machines.
    pub fn check_near(&self, kind: NameKind, name: &str, place: &str, found: &mut Diagnostics) {
        if self.is_foreign(name) || self.is_known(kind, name) {
            return;
        }
        if let Some(near) = nearest(name, self.names(kind)) {
            Diagnostic::error(
                Code::UnknownName,
                format!("the model has no {} `{name}`", kind.noun()),
            )
            .about(place)
            .suggest(Some(near), "")
            .add_to(found);
        }
    }

    /// Checks a text, where it is one.
    pub fn check_node(&self, kind: NameKind, node: &Node, found: &mut Diagnostics) {
        if let Some(name) = node.text() {
            self.check(kind, name, node.span, found);
        }
    }

    /// Checks the keys of a map of data.
    pub fn check_keys(&self, kind: NameKind, node: &Node, found: &mut Diagnostics) {
        for (key, _) in node.entries() {
            self.check(kind, &key.text, key.span, found);
        }
    }

    /// Checks the keys of what an event brings. It may bring more than a machine asks about, but nothing that is nearly a name
    /// of the machine.
    pub fn check_event(&self, data: &Node, found: &mut Diagnostics) {
        for (key, _) in data.entries() {
            if nearest(&key.text, self.names(NameKind::Slot)).is_some() {
                self.check(NameKind::Slot, &key.text, key.span, found);
            }
        }
    }

    fn machines(&self) -> impl Iterator<Item = &'m Machine> {
        [Some(self.machine), self.beside].into_iter().flatten()
    }

    /// The names of a kind; reasons are kept elsewhere.
    fn names(&self, kind: NameKind) -> impl Iterator<Item = &'m str> {
        self.machines().flat_map(move |machine| kind.names(machine))
    }

    fn is_known(&self, kind: NameKind, name: &str) -> bool {
        if kind == NameKind::Reason {
            return self.reasons().contains(name)
                || Reason::FREE.iter().any(|free| name.starts_with(free));
        }
        self.machines().any(|machine| kind.is_of(machine, name))
    }

    fn reasons(&self) -> &BTreeSet<String> {
        self.reasons
            .get_or_init(|| self.machines().flat_map(Reason::codes).collect())
    }
}
