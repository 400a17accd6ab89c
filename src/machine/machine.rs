//! The compiled, immutable definition of a dialogue.

use super::contract::Contract;
use super::guard::{Condition, NamedCondition};
use super::guide::{Instructions, ReplyLimit};
use super::id::{
    ActionId, BranchId, CategoryId, ChainId, ConditionId, FlagId, Id, IdVec, IntentId, NamedConditionId,
    OriginId, PhaseId, RuleId, SlotId, StateId,
};
use super::intent::Intent;
use super::meaning::IntentDescription;
use super::names::Names;
use super::priority::PriorityTable;
use super::rule::{Chain, Clause, Origin, Rule};
use super::schema::Schema;
use super::settings::Settings;
use super::state::State;
use super::vocabulary::Vocabulary;
use crate::diagnostic::{Place, SourceMap};

/// A dialogue definition, compiled. Nothing in it tells which dialect it came from except its header.
#[derive(Clone, Debug)]
pub struct Machine {
    /// What the machine is called and where it comes from.
    pub header: MachineHeader,
    /// The names behind all ids.
    pub names: NameTables,
    /// The states.
    pub states: IdVec<StateId, State>,
    /// The phases: those with an order first, in their order.
    pub phases: IdVec<PhaseId, Phase>,
    /// How many phases have an order.
    pub ordered_phases: usize,
    /// The intents.
    pub intents: IdVec<IntentId, Intent>,
    /// What intents mean, apart from what turns need of them.
    pub(super) meanings: IdVec<IntentId, IntentDescription>,
    /// The expressions of conditions.
    pub guards: IdVec<ConditionId, Condition>,
    /// The named conditions.
    pub conditions: IdVec<NamedConditionId, NamedCondition>,
    /// The lists of alternatives of rules and transitions.
    pub(super) chains: IdVec<ChainId, Chain>,
    /// The alternatives, list after list.
    pub(super) clauses: Vec<Clause>,
    /// The written rules.
    pub rules: IdVec<RuleId, Rule>,
    /// How rules came to their states.
    pub origins: IdVec<OriginId, Origin>,
    /// What breaks ties.
    pub priorities: PriorityTable,
    /// The names that sources need.
    pub vocabulary: Vocabulary,
    /// The settings of a dialogue that changes nothing.
    pub settings: Settings,
    /// What guides an assistant that moves by its own word, in every state.
    pub instructions: Option<Box<Instructions>>,
    /// What may be carried over from turn to turn, where the machine says so.
    pub contract: Option<Box<Contract>>,
    /// Where a dialogue starts.
    pub initial: StateId,
    /// Whether some state is more than a place, or remembers what was inside it.
    pub has_nodes: bool,
    /// What a state is that the machine lacks.
    pub unknown_state: State,
    /// What an intent is that the machine lacks.
    pub unknown_intent: Intent,
    /// What an intent means of which nobody says it.
    pub(super) unknown_meaning: IntentDescription,
    /// The files it was read from.
    pub files: SourceMap,
}

/// What a machine is called and where it comes from.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct MachineHeader {
    /// The name.
    pub name: String,
    /// The dialect it is written in.
    pub dialect: &'static str,
    /// The path it was loaded from, as given.
    pub source: String,
    /// The version that the definition gives itself.
    pub version: String,
    /// What it is for.
    pub description: String,
}

/// The names behind all ids.
#[derive(Clone, Debug, Default)]
pub struct NameTables {
    /// States, and names that transitions wrongly lead to.
    pub states: Names<StateId>,
    /// Phases.
    pub phases: Names<PhaseId>,
    /// Intents.
    pub intents: Names<IntentId>,
    /// Categories of intents.
    pub categories: Names<CategoryId>,
    /// Slots.
    pub slots: Names<SlotId>,
    /// Actions.
    pub actions: Names<ActionId>,
    /// Branches.
    pub branches: Names<BranchId>,
    /// Feature flags.
    pub flags: Names<FlagId>,
    /// Named conditions.
    pub conditions: Names<NamedConditionId>,
}

/// A phase.
#[derive(Clone, Debug, Default)]
pub struct Phase {
    /// The state it is mapped to.
    pub state: Option<StateId>,
    /// The conditions under which it may be skipped.
    pub skip: Box<[ConditionId]>,
}

impl Machine {
    /// A limit of replies, by its place.
    #[must_use]
    pub fn reply_limit(&self, limit: usize) -> Option<&ReplyLimit> {
        self.instructions.as_deref()?.limits.get(limit)
    }

    /// A schema of what is written to the twin, by its place.
    #[must_use]
    pub fn schema(&self, schema: usize) -> Option<&Schema> {
        self.instructions.as_deref()?.schemas.get(schema)
    }

    /// The name of a schema of what is written to the twin, by its place.
    #[must_use]
    pub fn schema_name(&self, schema: usize) -> &str {
        self.schema(schema).map_or("", |schema| &schema.name)
    }

    /// The state of this id, or the empty state where the machine lacks it.
    #[inline]
    #[must_use]
    pub fn state(&self, id: StateId) -> &State {
        self.states.lookup(id).unwrap_or(&self.unknown_state)
    }

    /// The intent of this id, or the empty intent where the machine lacks it.
    #[inline]
    #[must_use]
    pub fn intent(&self, id: IntentId) -> &Intent {
        self.intents.lookup(id).unwrap_or(&self.unknown_intent)
    }

    /// What an intent means, in words.
    #[must_use]
    pub fn meaning(&self, id: IntentId) -> &IntentDescription {
        self.meanings.lookup(id).unwrap_or(&self.unknown_meaning)
    }

    /// The alternatives of a chain.
    #[inline]
    #[must_use]
    pub fn clauses(&self, chain: ChainId) -> &[Clause] {
        let chain = self.chains[chain];
        self.clauses.get(chain.start as usize..chain.end as usize).unwrap_or_default()
    }

    /// Whether the machine defines the state.
    #[inline]
    #[must_use]
    pub fn is_declared(&self, id: StateId) -> bool {
        self.state(id).declared
    }

    /// The defined states.
    pub fn declared_states(&self) -> impl Iterator<Item = (StateId, &State)> {
        self.states.pairs().filter(|(_, state)| state.declared)
    }

    /// The id of a defined state.
    #[must_use]
    pub fn state_id(&self, name: &str) -> Option<StateId> {
        self.names.states.id(name).filter(|id| self.is_declared(*id))
    }

    /// The place of a phase in the order, where it has one.
    #[must_use]
    pub fn phase_position(&self, phase: PhaseId) -> Option<usize> {
        Some(phase.index()).filter(|index| *index < self.ordered_phases)
    }

    /// The place of a state in the order of phases: of its phase, or one past the last for the state after them.
    #[must_use]
    pub fn position(&self, state: StateId) -> Option<usize> {
        match self.state(state).phase {
            Some(phase) => self.phase_position(phase),
            None => (self.ordered_phases > 0 && self.vocabulary.places.post_phases == Some(state))
                .then_some(self.ordered_phases),
        }
    }

    /// Where a rule was written.
    #[must_use]
    pub fn place_of(&self, rule: RuleId) -> Place {
        self.files.place(self.rules[rule].span)
    }

    /// How a rule came to its state.
    #[must_use]
    pub fn origin_of(&self, rule: RuleId) -> &Origin {
        &self.origins[self.rules[rule].origin]
    }
}
