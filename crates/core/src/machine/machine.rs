//! The compiled, immutable definition of a dialogue.

use std::collections::BTreeMap;
use std::path::Path;

use regex::{Captures, Regex};

use super::{
    ActionId, BranchId, CategoryId, Chain, ChainId, Clause, Condition, ConditionId, CounterId,
    EffectDefinition, EffectId, FlagId, Frames, Id, IdVec, Intent, IntentDescription, IntentId,
    LimitId, MachineProperty, NamedCondition, NamedConditionId, Names, Op, OpKind, Origin,
    OriginId, Outcome, OutcomeId, PhaseId, PriorityTable, Rule, RuleId, Schema, SchemaId,
    SlotDeclaration, SlotId, State, StateId, Traits, Value,
};
use fsmsim_syntax::diagnostic::{Place, SourceMap, Span};

/// A dialogue definition, compiled. Nothing in it tells which dialect it came from except its header.
///
/// `P` is what leads dialogues by it: the policies of the engine, of which the machine itself knows nothing.
#[derive(Clone, Debug)]
#[expect(
    clippy::struct_excessive_bools,
    reason = "what a turn must look at, worked out once"
)]
pub struct Machine<P> {
    /// What the machine is called and where it comes from.
    pub header: MachineHeader,
    /// The names behind all ids.
    pub names: NameTables,
    pub states: IdVec<StateId, State>,
    /// The phases: those with an order first, in their order.
    pub phases: IdVec<PhaseId, Phase>,
    /// How many phases have an order.
    pub ordered_phases: usize,
    pub intents: IdVec<IntentId, Intent>,
    /// What intents mean, apart from what turns need of them.
    pub(super) descriptions: IdVec<IntentId, IntentDescription>,
    /// What slots may hold; those of which nobody says it may have no entry.
    pub(super) slots: IdVec<SlotId, SlotDeclaration>,
    /// Whether something is said of what some slot may hold.
    pub has_typed_slots: bool,
    /// The phrases that say what is meant, in the order in which they are tried.
    pub phrases: Box<[PhraseReading]>,
    /// The expressions of conditions.
    pub conditions: IdVec<ConditionId, Condition>,
    /// Where the expressions are written, as far as they are.
    pub(super) condition_spans: IdVec<ConditionId, Option<Span>>,
    pub named_conditions: IdVec<NamedConditionId, NamedCondition>,
    /// The lists of alternatives of rules and transitions.
    pub(super) chains: IdVec<ChainId, Chain>,
    /// The alternatives, list after list.
    pub(super) clauses: Vec<Clause>,
    /// The written rules.
    pub rules: IdVec<RuleId, Rule>,
    /// What is said where an action is taken: the rule that has it, as operations of which the first that can be said is.
    pub replies: BTreeMap<ActionId, RuleId>,
    /// What is done where rules, edges and ways are taken, each stretch of one rule.
    pub(super) ops: Vec<Op>,
    /// How rules came to their states.
    pub origins: IdVec<OriginId, Origin>,
    /// What breaks ties.
    pub priorities: PriorityTable,
    pub frames: Frames,
    /// The JSON Schemas of what is written.
    pub schemas: IdVec<SchemaId, Schema>,
    /// The counters: those that sessions keep, and those that policies work out.
    pub counters: IdVec<CounterId, Counter>,
    /// The kinds of effects.
    pub effects: IdVec<EffectId, EffectDefinition>,
    /// What outcomes of effects mean.
    pub outcomes: IdVec<OutcomeId, Outcome>,
    /// What is known when a dialogue begins.
    pub initial_data: Box<[(SlotId, Value)]>,
    /// What holds after every turn.
    pub properties: Box<[MachineProperty]>,
    /// What a turn brings is gone with it, unless something puts it into a frame.
    pub data_passes: bool,
    /// The names that verbs, conditions and signals need.
    pub well_known: WellKnown,
    /// Where a dialogue starts.
    pub initial: StateId,
    /// Whether conditions or operations look at data as it was before the turn.
    pub looks_back: bool,
    /// Whether an operation may need something from outside, half-way through a turn.
    pub asks: bool,
    /// Whether the machine says something by itself, somewhere.
    pub speaks: bool,
    /// Whether some edge plans anew what was done.
    pub replans: bool,
    /// Whether some state is more than a place, or remembers what was inside it.
    pub has_nodes: bool,
    /// What a state is that the machine lacks.
    pub unknown_state: State,
    /// What an intent is that the machine lacks.
    pub unknown_intent: Intent,
    /// What an intent means of which nobody says it.
    pub(super) unknown_description: IntentDescription,
    /// The files it was read from.
    pub files: SourceMap,
    /// What a slot may hold of which nobody says it.
    pub(super) unknown_slot: SlotDeclaration,
    /// What leads dialogues by it.
    pub policies: P,
}

/// What a machine is called and where it comes from.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct MachineHeader {
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
    pub phases: Names<PhaseId>,
    pub intents: Names<IntentId>,
    /// Categories of intents.
    pub categories: Names<CategoryId>,
    pub slots: Names<SlotId>,
    pub actions: Names<ActionId>,
    pub branches: Names<BranchId>,
    /// Feature flags.
    pub flags: Names<FlagId>,
    pub conditions: Names<NamedConditionId>,
    /// Counters of a session.
    pub counters: Names<CounterId>,
    /// Limits of a dialogue.
    pub limits: Names<LimitId>,
    /// Kinds of effects.
    pub effects: Names<EffectId>,
}

#[derive(Clone, Debug, Default)]
pub struct Phase {
    /// The state it is mapped to.
    pub state: Option<StateId>,
    /// The conditions under which it may be skipped.
    pub skip: Box<[ConditionId]>,
}

impl<P> Machine<P> {
    /// The state of this id, or the empty state where the machine lacks it.
    #[inline]
    pub fn state(&self, id: StateId) -> &State {
        self.states.lookup(id).unwrap_or(&self.unknown_state)
    }

    /// The intent of this id, or the empty intent where the machine lacks it.
    #[inline]
    pub fn intent(&self, id: IntentId) -> &Intent {
        self.intents.lookup(id).unwrap_or(&self.unknown_intent)
    }

    /// Whether an intent is no word of the user's but something that happens.
    pub fn is_event(&self, id: IntentId) -> bool {
        self.intent(id).has(Traits::EVENT)
    }

    /// Whether something happens of which a state says where it leads: that may be even where the dialogue is over.
    pub fn reopens(&self, state: StateId, intent: IntentId) -> bool {
        self.is_event(intent) && self.state(state).transitions.get(intent).is_some()
    }

    /// Whether the intent is a word of the machine's own, such as the name of a trigger: nobody says it, and nothing is called so
    /// that happens.
    pub fn is_internal(&self, id: IntentId) -> bool {
        self.intent(id)
            .traits
            .intersects(Traits::TRIGGER_NAME | Traits::INTERNAL)
    }

    /// What an intent means, in words.
    pub fn description(&self, id: IntentId) -> &IntentDescription {
        self.descriptions
            .lookup(id)
            .unwrap_or(&self.unknown_description)
    }

    /// What a slot may hold, and what it is for.
    #[inline]
    pub fn slot(&self, id: SlotId) -> &SlotDeclaration {
        self.slots.lookup(id).unwrap_or(&self.unknown_slot)
    }

    /// Whether somebody can mean the intent: it is neither an event nor a word of the machine's own.
    pub fn is_meant_by_people(&self, id: IntentId) -> bool {
        !self.is_internal(id) && !self.is_event(id)
    }

    /// The phrases that are found in what was said: of each reading the first, in the order of the readings.
    pub fn phrases_in<'m, 's>(&'m self, say: &'s str) -> impl Iterator<Item = FoundPhrase<'m, 's>> {
        self.phrases.iter().filter_map(move |reading| {
            reading.patterns.iter().find_map(|pattern| {
                let groups = pattern.captures(say)?;
                Some(FoundPhrase {
                    intent: reading.intent,
                    when: reading.when,
                    pattern,
                    groups,
                })
            })
        })
    }

    /// Whether some phrase is found in what was said, or something is meant where none is.
    pub fn knows_phrase(&self, say: &str) -> bool {
        self.phrases.iter().any(|reading| reading.otherwise)
            || self.phrases_in(say).next().is_some()
    }

    /// The alternatives of a chain.
    #[inline]
    pub fn clauses(&self, chain: ChainId) -> &[Clause] {
        let chain = self.chains[chain];
        self.clauses
            .get(chain.start as usize..chain.end as usize)
            .unwrap_or_default()
    }

    /// The name of the condition of an alternative, if the condition has a name.
    pub fn condition_of(&self, rule: RuleId) -> Option<&str> {
        let alternative = self.clauses.iter().find(|clause| clause.rule == rule)?;
        match self.conditions[alternative.when?] {
            Condition::Named(named) => Some(self.names.conditions.name(named)),
            _ => None,
        }
    }

    /// The states that the alternatives of a rule lead to.
    pub fn chain_states(&self, chain: ChainId) -> impl Iterator<Item = StateId> {
        self.clauses(chain)
            .iter()
            .filter_map(|clause| clause.then.state())
    }

    /// What is done where a rule, an edge or a way is taken.
    #[inline]
    pub fn ops(&self, rule: RuleId) -> &[Op] {
        let rule = &self.rules[rule];
        self.ops
            .get(rule.ops.0 as usize..rule.ops.1 as usize)
            .unwrap_or_default()
    }

    /// Whether anything is done anywhere.
    #[inline]
    pub fn has_ops(&self) -> bool {
        !self.ops.is_empty()
    }

    /// Everything that may be done anywhere.
    pub fn all_ops(&self) -> &[Op] {
        &self.ops
    }

    /// Where outcomes of the effects may lead that a rule has.
    pub fn effects_lead(&self, rule: RuleId) -> impl Iterator<Item = StateId> {
        let uses = self.ops(rule).iter().filter_map(|op| match &op.kind {
            OpKind::Effect(used) => Some(used),
            _ => None,
        });
        let outcomes = uses.flat_map(|used| {
            used.outcomes
                .iter()
                .chain(&self.effects[used.effect].outcomes)
        });
        outcomes.filter_map(|outcome| self.outcomes[*outcome].leads.state())
    }

    /// Whether something may be done to a slot, somewhere.
    pub fn operates_on(&self, slot: SlotId) -> bool {
        self.ops.iter().any(|op| op.slot() == Some(slot))
    }

    /// Whether the machine defines the state.
    #[inline]
    pub fn is_declared(&self, id: StateId) -> bool {
        self.state(id).declared
    }

    /// Whether something is written in the files that the machine is named by, and not in what several machines share.
    pub fn is_own(&self, span: Span) -> bool {
        Path::new(self.files.path(span.file)).starts_with(&self.header.source)
    }

    /// The defined states.
    pub fn declared_states(&self) -> impl Iterator<Item = (StateId, &State)> {
        self.states.pairs().filter(|(_, state)| state.declared)
    }

    /// The names of the defined states.
    pub fn declared_names(&self) -> impl Iterator<Item = &str> {
        self.declared_states()
            .map(|(id, _)| self.names.states.name(id))
    }

    /// The id of a defined state.
    pub fn state_id(&self, name: &str) -> Option<StateId> {
        self.names
            .states
            .id(name)
            .filter(|id| self.is_declared(*id))
    }

    /// The place of a phase in the order, where it has one.
    pub fn phase_position(&self, phase: PhaseId) -> Option<usize> {
        Some(phase.index()).filter(|index| *index < self.ordered_phases)
    }

    /// The place of a state in the order of phases: of its phase, or one past the last for the state after them.
    pub fn position(&self, state: StateId) -> Option<usize> {
        match self.state(state).phase {
            Some(phase) => self.phase_position(phase),
            None => (self.ordered_phases > 0 && self.well_known.post_phases == Some(state))
                .then_some(self.ordered_phases),
        }
    }

    /// Where a rule was written.
    pub fn place_of(&self, rule: RuleId) -> Place {
        self.files.place(self.rules[rule].span)
    }

    /// How a rule came to its state.
    pub fn origin_of(&self, rule: RuleId) -> &Origin {
        &self.origins[self.rules[rule].origin]
    }
}

/// A counter of a dialogue that a definition declares; what policies count is not declared.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counter {
    /// Whether the session keeps it; otherwise a policy works it out.
    pub is_declared: bool,
    /// Where it begins.
    pub initial: i64,
    /// The limit past which it is not counted, and its value where a dialogue does not change it.
    pub limit: Option<(LimitId, i64)>,
}

/// The names that the machine's own verbs, conditions and signals need. A name that the machine lacks is nothing, and what
/// depends on it never happens.
#[derive(Clone, Debug, Default)]
pub struct WellKnown {
    /// The action where there is nothing else to do.
    pub continue_goal: ActionId,
    /// The action in a final state.
    pub finished: ActionId,
    /// The action where a branch is done and the others are not; only where there are branches.
    pub join_waiting: Option<ActionId>,
    /// Actions that end the turn when a rule gives them.
    pub blocking_actions: Vec<ActionId>,
    /// The state after the phases.
    pub post_phases: Option<StateId>,
    /// The states in which dialogues may be begun, as the definition says.
    pub entry_points: Vec<StateId>,
    /// What branches brought that came together; only where there are branches.
    pub branch_results: Option<SlotId>,
    /// The first state that is described as more than a place, where the profile takes all of them for places.
    pub idle_node: Option<StateId>,
    /// The category of objections, which signals count.
    pub objections: Option<CategoryId>,
    /// The slots that count as data that matters.
    pub meaningful: Vec<SlotId>,
    /// The slots that may hold a contact of any kind, an email, a phone, and a contact as one text.
    pub contact: [Option<SlotId>; 4],
    /// The prefixes of phone numbers, as ranges with both ends included.
    pub phone_prefixes: Vec<(u16, u16)>,
}

impl<P> Machine<P> {
    /// Where a node of an expression is written; nothing for what is built in, or made of something else that is written.
    pub fn condition_span(&self, id: ConditionId) -> Option<Span> {
        self.condition_spans.lookup(id).copied().flatten()
    }

    /// Whether a node of an expression is written somewhere.
    #[inline]
    pub fn is_written(&self, id: ConditionId) -> bool {
        self.condition_span(id).is_some()
    }

    /// Whether what stands in a list are parts that somebody wrote.
    pub fn is_split(&self, parts: &[ConditionId]) -> bool {
        parts.first().is_some_and(|part| self.is_written(*part))
    }

    /// The parts of a written condition that has several, in the order in which they are written: what stands between `and`,
    /// `or` and `not`. A name is one part. Empty, where it is one question.
    pub fn condition_parts(&self, id: ConditionId) -> Vec<ConditionId> {
        let mut parts = Vec::new();
        self.collect_parts(id, &mut parts);
        if parts.len() > 1 { parts } else { Vec::new() }
    }

    /// How many parts a node has; a single question is one.
    pub fn count_parts(&self, id: ConditionId) -> usize {
        match &self.conditions[id] {
            Condition::And(parts) | Condition::Or(parts) if self.is_split(parts) => {
                parts.iter().map(|part| self.count_parts(*part)).sum()
            }
            Condition::Not(part) if self.is_written(*part) => self.count_parts(*part),
            _ => 1,
        }
    }

    fn collect_parts(&self, id: ConditionId, found: &mut Vec<ConditionId>) {
        match &self.conditions[id] {
            Condition::And(parts) | Condition::Or(parts) if self.is_split(parts) => {
                parts
                    .iter()
                    .for_each(|part| self.collect_parts(*part, found));
            }
            Condition::Not(part) if self.is_written(*part) => self.collect_parts(*part, found),
            _ => found.push(id),
        }
    }
}

/// What is meant, and the phrases that say it.
#[derive(Clone, Debug)]
pub struct PhraseReading {
    /// What is meant.
    pub intent: IntentId,
    /// Where it is declared.
    pub span: Span,
    /// It is only meant where this holds.
    pub when: Option<ConditionId>,
    /// It is what is meant where nobody can read what was said.
    pub otherwise: bool,
    /// The phrases; named groups are data that the phrase brings.
    pub patterns: Box<[Regex]>,
}

/// A phrase that was found in what was said.
#[derive(Debug)]
pub struct FoundPhrase<'m, 's> {
    /// What is meant.
    pub intent: IntentId,
    /// It is only meant where this holds.
    pub when: Option<ConditionId>,
    pub pattern: &'m Regex,
    /// What its groups hold.
    pub groups: Captures<'s>,
}
