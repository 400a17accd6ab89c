//! Builds a machine: the only code that creates IDs.

use std::collections::BTreeMap;

use indexmap::IndexMap;
use rustc_hash::FxBuildHasher;

use super::priority::IntentTraits;
use super::vocabulary::Vocabulary;
use super::{
    ActionId, Alternative, BranchId, CategoryId, Chain, ChainId, Condition, ConditionId,
    ControlNode, Counter, CounterId, Derived, EVENT_CATEGORY, EVENTS, EdgeMark, EffectDefinition,
    EffectId, FlagId, Frames, IdVec, Intent, IntentDescription, IntentId, IntentPhrases, LimitId,
    Machine, MachineHeader, MachineProperty, NameTables, NamedCondition, NamedConditionId, Op,
    OpKind, Origin, OriginId, Outcome, OutcomeId, Phase, PhaseId, PriorityEntry, PriorityId,
    PriorityTable, RESUME, Rule, RuleId, Schema, SchemaId, SlotDeclaration, SlotId, State, StateId,
    Traits, Value, WellKnown,
};
use crate::limits::MAX_REGION_DEPTH;
use fsmsim_syntax::diagnostic::{SourceMap, Span};

/// A machine under construction. IDs are created on first use of a name, so they follow the order of the definition.
#[derive(Default)]
pub struct MachineBuilder {
    /// The names so far.
    pub names: NameTables,
    /// The states so far; each ID has an entry.
    pub states: IdVec<StateId, State>,
    /// The phases so far.
    pub phases: IdVec<PhaseId, Phase>,
    /// The number of ordered phases.
    pub ordered_phases: usize,
    /// The intents so far.
    pub intents: IdVec<IntentId, Intent>,
    /// The descriptions of intents; intents without a description may have no entry.
    pub descriptions: IdVec<IntentId, IntentDescription>,
    /// The declarations of slots; undeclared slots may have no entry.
    pub slots: IdVec<SlotId, SlotDeclaration>,
    /// The phrases that identify intents.
    pub phrases: Box<[IntentPhrases]>,
    pub frames: Frames,
    /// The JSON Schemas of data that effects send and return.
    pub schemas: IdVec<SchemaId, Schema>,
    /// The counters so far; each ID has an entry.
    pub counters: IdVec<CounterId, Counter>,
    /// The kinds of effects so far.
    pub effects: IdVec<EffectId, EffectDefinition>,
    /// The outcomes of effects so far.
    pub outcomes: IdVec<OutcomeId, Outcome>,
    /// The replies to actions.
    pub replies: BTreeMap<ActionId, RuleId>,
    /// The declared slots, each with its initial value.
    pub initial_data: Vec<(SlotId, Value)>,
    pub properties: Vec<MachineProperty>,
    /// Whether the data of a turn is discarded after the turn.
    pub data_passes: bool,
    /// The names that stages of the turn, conditions and signals require.
    pub well_known: WellKnown,
    /// Whether a transition to an earlier phase goes back.
    pub backs_by_phase: bool,
    /// Whether the profile changes the behavior of the model.
    pub has_profiles: bool,
    conditions: IdVec<ConditionId, Condition>,
    condition_spans: IdVec<ConditionId, Option<Span>>,
    named_conditions: IdVec<NamedConditionId, Option<NamedCondition>>,
    chains: IdVec<ChainId, Chain>,
    alternatives: Vec<Alternative>,
    rules: IdVec<RuleId, Rule>,
    ops: Vec<Op>,
    origins: IndexMap<Origin, OriginId, FxBuildHasher>,
    priorities: IdVec<PriorityId, PriorityEntry>,
    priority_names: Vec<Box<str>>,
}

impl MachineBuilder {
    /// The ID of a state; a new name creates an undefined state.
    pub fn state(&mut self, name: &str) -> StateId {
        let id = self.names.states.mint(name);
        self.states.grow(id);
        id
    }

    pub fn phase(&mut self, name: &str) -> PhaseId {
        let id = self.names.phases.mint(name);
        self.phases.grow(id);
        id
    }

    pub fn intent(&mut self, name: &str) -> IntentId {
        let id = self.names.intents.mint(name);
        self.intents.grow(id);
        id
    }

    pub fn category(&mut self, name: &str) -> CategoryId {
        self.names.categories.mint(name)
    }

    pub fn slot(&mut self, name: &str) -> SlotId {
        self.names.slots.mint(name)
    }

    pub fn action(&mut self, name: &str) -> ActionId {
        self.names.actions.mint(name)
    }

    pub fn branch(&mut self, name: &str) -> BranchId {
        self.names.branches.mint(name)
    }

    /// The alternatives of a chain.
    pub fn alternatives(&self, chain: ChainId) -> &[Alternative] {
        let chain = self.chains[chain];
        self.alternatives
            .get(chain.start as usize..chain.end as usize)
            .unwrap_or_default()
    }

    pub fn flag(&mut self, name: &str) -> FlagId {
        self.names.flags.mint(name)
    }

    pub fn counter(&mut self, name: &str) -> CounterId {
        let id = self.names.counters.mint(name);
        self.counters.grow(id);
        id
    }

    /// The ID of a kind of effect.
    pub fn effect(&mut self, name: &str) -> EffectId {
        let id = self.names.effects.mint(name);
        self.effects.grow(id);
        id
    }

    pub fn limit(&mut self, name: &str) -> LimitId {
        self.names.limits.mint(name)
    }

    /// The ID of a named condition; [`define`](Self::define) must define it later.
    pub fn named_condition(&mut self, name: &str) -> NamedConditionId {
        let id = self.names.conditions.mint(name);
        self.named_conditions.grow(id);
        id
    }

    /// Defines a named condition.
    pub fn define(&mut self, id: NamedConditionId, condition: NamedCondition) {
        *self.named_conditions.grow(id) = Some(condition);
    }

    /// Adds an expression node.
    pub fn condition(&mut self, condition: Condition) -> ConditionId {
        self.conditions.push(condition)
    }

    /// Adds an expression node with its location, so that coverage can record whether it was evaluated.
    pub fn written_condition(&mut self, condition: Condition, span: Span) -> ConditionId {
        let id = self.conditions.push(condition);
        *self.condition_spans.grow(id) = Some(span);
        id
    }

    /// An expression node; for a named condition, the node that defines it.
    pub fn condition_node(&self, id: ConditionId) -> Option<&Condition> {
        match self.conditions.lookup(id)? {
            Condition::Named(named) => self
                .conditions
                .lookup(self.named_conditions.lookup(*named)?.as_ref()?.condition),
            condition => Some(condition),
        }
    }

    /// The location of a rule.
    pub fn rule_span(&self, rule: RuleId) -> Span {
        self.rules[rule].span
    }

    /// The mixin and the parent that a rule comes from.
    pub fn rule_origin(&self, rule: RuleId) -> OriginId {
        self.rules[rule].origin
    }

    /// All operations so far.
    pub fn all_ops(&self) -> &[Op] {
        &self.ops
    }

    /// The operations of a rule, an edge or a branch.
    pub fn ops(&self, rule: RuleId) -> &[Op] {
        let (start, end) = self.rules[rule].ops;
        self.ops
            .get(start as usize..end as usize)
            .unwrap_or_default()
    }

    /// Adds a written rule.
    pub fn rule(&mut self, span: Span, origin: OriginId) -> RuleId {
        self.rules.push(Rule {
            span,
            line: 0,
            origin,
            mark: None,
            ops: (0, 0),
        })
    }

    /// Sets the mark of an edge. It determines the class of a turn that takes the edge.
    pub fn mark(&mut self, rule: RuleId, mark: EdgeMark) {
        self.rules[rule].mark = Some(mark);
    }

    /// Sets the operations of a rule, an edge or a branch.
    pub fn give_ops(&mut self, rule: RuleId, ops: Vec<Op>) {
        let at = |ops: &Vec<Op>| u32::try_from(ops.len()).unwrap_or(u32::MAX);
        let start = at(&self.ops);
        self.ops.extend(ops);
        self.rules[rule].ops = (start, at(&self.ops));
    }

    /// The ID of a rule origin.
    pub fn origin(&mut self, origin: Origin) -> OriginId {
        use super::id::Id;
        let next = OriginId::from_index(self.origins.len());
        *self.origins.entry(origin).or_insert(next)
    }

    /// Adds a list of alternatives.
    pub fn chain(&mut self, alternatives: &[Alternative]) -> ChainId {
        let at =
            |alternatives: &Vec<Alternative>| u32::try_from(alternatives.len()).unwrap_or(u32::MAX);
        let start = at(&self.alternatives);
        self.alternatives.extend_from_slice(alternatives);
        let end = at(&self.alternatives);
        self.chains.push(Chain { start, end })
    }

    /// Adds an entry of the priority table.
    pub fn priority(&mut self, name: &str, entry: PriorityEntry) -> PriorityId {
        self.priority_names.push(name.into());
        self.priorities.push(entry)
    }

    /// The entries of the priority table so far.
    pub fn priorities(&self) -> impl Iterator<Item = &PriorityEntry> {
        self.priorities.iter()
    }

    /// Adds a trait to an intent.
    pub fn give_trait(&mut self, intent: &str, traits: Traits) {
        let id = self.intent(intent);
        self.intents[id].traits.insert(traits);
    }

    /// Marks the intents that are events: the events of every machine, and the intents with the event trait.
    fn mark_events(&mut self) {
        for id in EVENTS.iter().filter_map(|name| self.names.intents.id(name)) {
            self.intents[id].traits.insert(Traits::EVENT);
        }
        let Some(category) = self.names.categories.id(EVENT_CATEGORY) else {
            return;
        };
        for intent in self
            .intents
            .entries_mut()
            .filter(|intent| intent.has(Traits::EVENT))
        {
            let mut categories: Vec<CategoryId> = intent
                .categories
                .iter()
                .copied()
                .chain([category])
                .collect();
            categories.sort_unstable();
            categories.dedup();
            intent.categories = categories.into();
        }
    }

    /// The target that leads back from an aside.
    pub fn resume(&mut self) -> StateId {
        let id = self.state(RESUME);
        let state = &mut self.states[id];
        state.declared = true;
        state.node = Some(Box::new(ControlNode::Resume));
        id
    }

    /// Marks the states inside of asides.
    fn mark_asides(&mut self) {
        for id in self.states.ids() {
            let region = |id: &StateId| self.states[*id].region;
            let mut regions = std::iter::successors(Some(id), region).take(MAX_REGION_DEPTH);
            self.states[id].aside = regions.find(|id| self.states[*id].aside == Some(*id));
        }
    }

    /// Finishes the machine, which `policies` control.
    pub fn finish<P>(
        mut self,
        header: MachineHeader,
        initial: StateId,
        files: SourceMap,
        policies: P,
    ) -> Machine<P> {
        self.mark_events();
        self.mark_asides();
        let traits = self
            .intents
            .iter()
            .fold(IdVec::default(), |mut traits, intent| {
                traits.push(IntentTraits {
                    progress: intent.has(Traits::PROGRESS),
                    go_back: intent.has(Traits::GO_BACK),
                });
                traits
            });
        // A condition that was named but never defined cannot hold; the findings were reported where it was named.
        let mut named_conditions = IdVec::default();
        for named in &self.named_conditions {
            let named = named.clone().unwrap_or_else(|| NamedCondition {
                condition: self
                    .conditions
                    .push(Condition::Broken("the condition is not defined".into())),
                description: Box::default(),
                span: None,
            });
            named_conditions.push(named);
        }
        for id in self.rules.ids() {
            let span = self.rules[id].span;
            let line = files
                .file(span.file)
                .map_or(0, |file| file.line_of(span.start).0);
            self.rules[id].line = u32::try_from(line).unwrap_or(u32::MAX);
        }
        let mut origins = IdVec::default();
        for origin in self.origins.into_keys() {
            origins.push(origin);
        }
        let looks_back = !self.ops.iter().all(Op::only_says)
            || !self.properties.is_empty()
            || self.conditions.iter().any(Condition::looks_back);
        let has_typed_slots = self.slots.iter().any(SlotDeclaration::is_typed);
        let asks = self.ops.iter().any(Op::asks);
        let speaks = self.ops.iter().any(|op| matches!(op.kind, OpKind::Say(_)));
        let replans = self
            .rules
            .iter()
            .any(|rule| rule.mark == Some(EdgeMark::Replan));
        let has_nodes = self
            .states
            .iter()
            .any(|state| state.node.is_some() || state.history.is_some());
        let has_asides = self.states.iter().any(|state| state.aside.is_some());
        let internal = self.well_known.branch_results;
        let vocabulary = Vocabulary::new(
            &self.names.slots,
            &self.intents,
            internal,
            self.has_profiles,
        );
        Machine {
            header,
            names: self.names,
            states: self.states,
            phases: self.phases,
            ordered_phases: self.ordered_phases,
            intents: self.intents,
            descriptions: self.descriptions,
            slots: self.slots,
            has_typed_slots,
            phrases: self.phrases,
            conditions: self.conditions,
            condition_spans: self.condition_spans,
            named_conditions,
            chains: self.chains,
            alternatives: self.alternatives,
            rules: self.rules,
            replies: self.replies,
            ops: self.ops,
            origins,
            priorities: PriorityTable::new(self.priorities, self.priority_names, &traits),
            frames: self.frames,
            schemas: self.schemas,
            counters: self.counters,
            effects: self.effects,
            outcomes: self.outcomes,
            initial_data: self
                .initial_data
                .into_iter()
                .filter(|(_, value)| !value.is_null())
                .collect(),
            properties: self.properties.into(),
            data_passes: self.data_passes,
            well_known: self.well_known,
            initial,
            looks_back,
            asks,
            speaks,
            replans,
            has_nodes,
            backs_by_phase: self.backs_by_phase,
            has_asides,
            unknown_state: State::default(),
            unknown_intent: Intent::default(),
            unknown_description: IntentDescription::default(),
            unknown_slot: SlotDeclaration::default(),
            files,
            vocabulary,
            derived: Derived::default(),
            policies,
        }
    }
}
