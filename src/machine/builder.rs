//! Builds a machine: the only place that mints ids.

use indexmap::IndexMap;
use rustc_hash::FxBuildHasher;

use super::contract::Contract;
use super::guard::{Condition, NamedCondition};
use super::guide::Instructions;
use super::id::{
    ActionId, BranchId, CategoryId, ChainId, ConditionId, FlagId, IdVec, IntentId, NamedConditionId,
    OriginId, PhaseId, PriorityId, RuleId, SlotId, StateId,
};
use super::intent::{Intent, Roles};
use super::interest;
use super::machine::{Machine, MachineHeader, NameTables, Phase};
use super::meaning::IntentDescription;
use super::priority::{IntentTraits, PriorityEntry, PriorityTable};
use super::profile::Variant;
use super::rule::{Chain, Clause, Origin, Rule};
use super::settings::{GuardLimits, Limits, Personas, Settings, SignalMode};
use super::source::{SourceKind, SourceMask};
use super::state::State;
use super::vocabulary::{Actions, Vocabulary};
use crate::diagnostic::{SourceMap, Span};

/// A machine in the making. Names are minted on first use, so the order of the definition is the order of the ids.
#[derive(Default)]
pub struct MachineBuilder {
    /// The names so far.
    pub names: NameTables,
    /// The states so far; each minted name has an entry.
    pub states: IdVec<StateId, State>,
    /// The phases so far.
    pub phases: IdVec<PhaseId, Phase>,
    /// How many phases have an order.
    pub ordered_phases: usize,
    /// The intents so far.
    pub intents: IdVec<IntentId, Intent>,
    /// What intents mean; those of which nobody says it may have no entry.
    pub meanings: IdVec<IntentId, IntentDescription>,
    /// The names that sources need.
    pub vocabulary: Vocabulary,
    /// What guides an assistant that moves by its own word, in every state.
    pub instructions: Option<Instructions>,
    /// What may be carried over from turn to turn.
    pub contract: Option<Contract>,
    guards: IdVec<ConditionId, Condition>,
    conditions: IdVec<NamedConditionId, Option<NamedCondition>>,
    chains: IdVec<ChainId, Chain>,
    clauses: Vec<Clause>,
    rules: IdVec<RuleId, Rule>,
    origins: IndexMap<Origin, OriginId, FxBuildHasher>,
    priorities: IdVec<PriorityId, PriorityEntry>,
    priority_names: Vec<Box<str>>,
}

impl MachineBuilder {
    /// The id of a state; a new name is a state that is not defined yet.
    pub fn state(&mut self, name: &str) -> StateId {
        let id = self.names.states.mint(name);
        self.states.grow(id);
        id
    }

    /// The id of a phase.
    pub fn phase(&mut self, name: &str) -> PhaseId {
        let id = self.names.phases.mint(name);
        self.phases.grow(id);
        id
    }

    /// The id of an intent.
    pub fn intent(&mut self, name: &str) -> IntentId {
        let id = self.names.intents.mint(name);
        self.intents.grow(id);
        id
    }

    /// The id of a category.
    pub fn category(&mut self, name: &str) -> CategoryId {
        self.names.categories.mint(name)
    }

    /// The id of a slot.
    pub fn slot(&mut self, name: &str) -> SlotId {
        self.names.slots.mint(name)
    }

    /// The id of an action.
    pub fn action(&mut self, name: &str) -> ActionId {
        self.names.actions.mint(name)
    }

    /// The id of a branch.
    pub fn branch(&mut self, name: &str) -> BranchId {
        self.names.branches.mint(name)
    }

    /// The alternatives of a chain.
    #[must_use]
    pub fn clauses(&self, chain: ChainId) -> &[Clause] {
        let chain = self.chains[chain];
        self.clauses.get(chain.start as usize..chain.end as usize).unwrap_or_default()
    }

    /// The id of a feature flag.
    pub fn flag(&mut self, name: &str) -> FlagId {
        self.names.flags.mint(name)
    }

    /// The id of a named condition that will be defined by [`define`](Self::define).
    pub fn condition(&mut self, name: &str) -> NamedConditionId {
        let id = self.names.conditions.mint(name);
        self.conditions.grow(id);
        id
    }

    /// Defines a named condition.
    pub fn define(&mut self, id: NamedConditionId, condition: NamedCondition) {
        *self.conditions.grow(id) = Some(condition);
    }

    /// Adds a node of an expression.
    pub fn guard(&mut self, guard: Condition) -> ConditionId {
        self.guards.push(guard)
    }

    /// A node of an expression; of a named condition, the node behind the name.
    #[must_use]
    pub fn condition_node(&self, id: ConditionId) -> Option<&Condition> {
        match self.guards.lookup(id)? {
            Condition::Named(condition) => {
                self.guards.lookup(self.conditions.lookup(*condition)?.as_ref()?.guard)
            }
            guard => Some(guard),
        }
    }

    /// Where a rule is written.
    #[must_use]
    pub fn rule_span(&self, rule: RuleId) -> Span {
        self.rules[rule].span
    }

    /// Adds a written rule.
    pub fn rule(&mut self, span: Span, origin: OriginId) -> RuleId {
        self.rules.push(Rule { span, line: 0, origin })
    }

    /// The id of a way in which rules come to states.
    pub fn origin(&mut self, origin: Origin) -> OriginId {
        use super::id::Id;
        let next = OriginId::from_index(self.origins.len());
        *self.origins.entry(origin).or_insert(next)
    }

    /// Adds a list of alternatives.
    pub fn chain(&mut self, clauses: &[Clause]) -> ChainId {
        let at = |clauses: &Vec<Clause>| u32::try_from(clauses.len()).unwrap_or(u32::MAX);
        let start = at(&self.clauses);
        self.clauses.extend_from_slice(clauses);
        let end = at(&self.clauses);
        self.chains.push(Chain { start, end })
    }

    /// Adds an entry of the priority table.
    pub fn priority(&mut self, name: &str, entry: PriorityEntry) -> PriorityId {
        self.priority_names.push(name.into());
        self.priorities.push(entry)
    }

    /// The settings of a machine in which only one source decides: whoever plays the assistant, or the class of the turn.
    #[must_use]
    pub fn settings(&mut self, variant: Variant, decides: SourceKind) -> Settings {
        let continue_goal = self.action("continue_current_goal");
        let finished = self.action("final");
        self.vocabulary.actions = Actions { continue_goal, finished, ..Actions::default() };
        let mut settings = Settings {
            profile: variant.profile,
            switches: variant.switches(),
            flags: IdVec::default(),
            tenant_off: IdVec::default(),
            limits: Limits { consecutive_objections: 0, total_objections: 0, go_backs: 0 },
            enabled: SourceMask::NONE.with(decides, true),
            sources: SourceMask::NONE,
            personas: Personas::default(),
            guard: None,
            guard_default: GuardLimits::default(),
            signals: SignalMode::default(),
            permissive: false,
            model: false,
        };
        settings.refresh(&self.vocabulary);
        settings
    }

    /// Gives an intent a role.
    pub fn give_role(&mut self, intent: &str, role: Roles) {
        let id = self.intent(intent);
        self.intents[id].roles.add(role);
    }

    /// The finished machine.
    #[must_use]
    pub fn finish(
        mut self,
        header: MachineHeader,
        settings: Settings,
        initial: StateId,
        files: SourceMap,
    ) -> Machine {
        let traits = self.intents.iter().fold(IdVec::default(), |mut traits, intent| {
            traits.push(IntentTraits {
                progress: intent.roles.has(Roles::PROGRESS),
                go_back: intent.roles.has(Roles::GO_BACK),
            });
            traits
        });
        // A condition that was named but never defined cannot hold; findings were made where it was named.
        let mut conditions = IdVec::default();
        for condition in &self.conditions {
            let condition = condition.clone().unwrap_or_else(|| NamedCondition {
                guard: self.guards.push(Condition::Broken("the condition is not defined".into())),
                description: Box::default(),
                span: None,
            });
            conditions.push(condition);
        }
        for id in self.rules.ids() {
            let span = self.rules[id].span;
            let line = files.file(span.file).map_or(0, |file| file.line_of(span.start).0);
            self.rules[id].line = u32::try_from(line).unwrap_or(u32::MAX);
        }
        let mut origins = IdVec::default();
        for origin in self.origins.into_keys() {
            origins.push(origin);
        }
        let has_nodes = self.states.iter().any(|state| state.node.is_some() || state.history.is_some());
        let mut machine = Machine {
            header,
            names: self.names,
            states: self.states,
            phases: self.phases,
            ordered_phases: self.ordered_phases,
            intents: self.intents,
            meanings: self.meanings,
            guards: self.guards,
            conditions,
            chains: self.chains,
            clauses: self.clauses,
            rules: self.rules,
            origins,
            priorities: PriorityTable::new(self.priorities, self.priority_names, &traits),
            vocabulary: self.vocabulary,
            instructions: self.instructions.map(Box::new),
            contract: self.contract.map(Box::new),
            settings,
            initial,
            has_nodes,
            unknown_state: State::default(),
            unknown_intent: Intent::default(),
            unknown_meaning: IntentDescription::default(),
            files,
        };
        interest::prepare(&mut machine);
        machine
    }
}
