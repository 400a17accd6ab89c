//! The compiled, immutable definition of a dialogue.

use std::collections::BTreeMap;
use std::path::Path;

use super::phrase::SaidWords;
use super::vocabulary::Vocabulary;
use super::{
    ActionId, Alternative, BranchId, CategoryId, Chain, ChainId, Condition, ConditionId, CounterId,
    Derived, EffectDefinition, EffectId, FlagId, Frames, Id, IdVec, Intent, IntentDescription,
    IntentId, LimitId, MachineProperty, NamedCondition, NamedConditionId, Names, Op, OpKind,
    Origin, OriginId, Outcome, OutcomeId, PhaseId, Phrase, PriorityTable, Rule, RuleId, Schema,
    SchemaId, SlotDeclaration, SlotId, State, StateId, Traits, Value,
};
use fsmsim_syntax::diagnostic::{Place, SourceMap, Span};

/// A compiled dialogue definition. It does not depend on its dialect, except for the header.
///
/// `P` is the type of the engine policies that control the dialogue. The machine does not inspect them.
#[derive(Clone, Debug)]
#[expect(
    clippy::struct_excessive_bools,
    reason = "properties that each turn reads, computed once"
)]
pub struct Machine<P> {
    pub header: MachineHeader,
    /// The names of all IDs.
    pub names: NameTables,
    pub states: IdVec<StateId, State>,
    /// The phases: first the ordered phases, in their order.
    pub phases: IdVec<PhaseId, Phase>,
    /// The number of ordered phases.
    pub ordered_phases: usize,
    pub intents: IdVec<IntentId, Intent>,
    /// The descriptions of the intents, separate from the data that turns read.
    pub(super) descriptions: IdVec<IntentId, IntentDescription>,
    /// The types of slots. Undeclared slots may have no entry.
    pub(super) slots: IdVec<SlotId, SlotDeclaration>,
    /// Whether any slot has a declared type.
    pub has_typed_slots: bool,
    /// The phrases that identify intents, in match order.
    pub phrases: Box<[IntentPhrases]>,
    /// The condition expressions.
    pub conditions: IdVec<ConditionId, Condition>,
    /// The locations of expressions that are written in files.
    pub(super) condition_spans: IdVec<ConditionId, Option<Span>>,
    pub named_conditions: IdVec<NamedConditionId, NamedCondition>,
    /// The lists of alternatives of rules and transitions.
    pub(super) chains: IdVec<ChainId, Chain>,
    /// The alternatives of all chains, one chain after another.
    pub(super) alternatives: Vec<Alternative>,
    /// The written rules.
    pub rules: IdVec<RuleId, Rule>,
    /// The reply to each action: a rule whose operations are alternative messages. The first one that can be filled
    /// in is used.
    pub replies: BTreeMap<ActionId, RuleId>,
    /// The operations of rules, edges and branches; each rule has a contiguous range.
    pub(super) ops: Vec<Op>,
    /// The mixins and parents that rules come from.
    pub origins: IdVec<OriginId, Origin>,
    /// The table that breaks ties between proposals.
    pub priorities: PriorityTable,
    pub frames: Frames,
    /// The JSON Schemas of data that effects send and return.
    pub schemas: IdVec<SchemaId, Schema>,
    /// The counters: those stored in sessions and those computed by policies.
    pub counters: IdVec<CounterId, Counter>,
    /// The kinds of effects.
    pub effects: IdVec<EffectId, EffectDefinition>,
    /// The outcomes of effects.
    pub outcomes: IdVec<OutcomeId, Outcome>,
    /// The data at the start of a dialogue.
    pub initial_data: Box<[(SlotId, Value)]>,
    pub properties: Box<[MachineProperty]>,
    /// Whether the data of a turn is discarded after the turn unless an operation stores it in a frame.
    pub data_passes: bool,
    /// The names that stages of the turn, conditions and signals require.
    pub well_known: WellKnown,
    /// The initial state of a dialogue.
    pub initial: StateId,
    /// Whether conditions or operations read data as it was before the turn.
    pub looks_back: bool,
    /// Whether an operation can need an answer from outside in the middle of a turn.
    pub asks: bool,
    /// Whether the machine sends its own messages.
    pub speaks: bool,
    /// Whether any edge has the mark `Replan`.
    pub replans: bool,
    /// Whether any state is a control node or has a history.
    pub has_nodes: bool,
    /// Whether a transition to an earlier phase goes back.
    pub backs_by_phase: bool,
    /// Whether any state is an aside.
    pub has_asides: bool,
    /// The state to use for an unknown ID.
    pub unknown_state: State,
    /// The intent to use for an unknown ID.
    pub unknown_intent: Intent,
    /// The description to use for an intent that has none.
    pub(super) unknown_description: IntentDescription,
    /// The files that define the machine.
    pub files: SourceMap,
    /// The declaration to use for an undeclared slot.
    pub(super) unknown_slot: SlotDeclaration,
    /// The names that the model declares or uses.
    pub(super) vocabulary: Vocabulary,
    /// A value that other crates compute from the machine.
    pub derived: Derived,
    /// The policies that control the dialogue.
    pub policies: P,
}

/// The identity of a machine: its name, dialect and source.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct MachineHeader {
    pub name: String,
    /// The dialect of the definition.
    pub dialect: &'static str,
    /// The path that the machine was loaded from, as given.
    pub source: String,
    /// The version that the definition declares.
    pub version: String,
    /// The purpose of the machine.
    pub description: String,
}

/// The names of all IDs.
#[derive(Clone, Debug, Default)]
pub struct NameTables {
    /// States, and undefined names that transitions target.
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
    /// The state that the phase is mapped to.
    pub state: Option<StateId>,
    /// The conditions under which the phase can be skipped.
    pub skip: Box<[ConditionId]>,
}

impl<P> Machine<P> {
    /// The state with this ID, or the empty state if the machine does not have it.
    #[inline]
    pub fn state(&self, id: StateId) -> &State {
        self.states.lookup(id).unwrap_or(&self.unknown_state)
    }

    /// The intent with this ID, or the empty intent if the machine does not have it.
    #[inline]
    pub fn intent(&self, id: IntentId) -> &Intent {
        self.intents.lookup(id).unwrap_or(&self.unknown_intent)
    }

    /// Whether an intent is an event and not a user intent.
    pub fn is_event(&self, id: IntentId) -> bool {
        self.intent(id).has(Traits::EVENT)
    }

    /// Whether the state has a transition for the event. Such an event is handled even in a final state.
    pub fn reopens(&self, state: StateId, intent: IntentId) -> bool {
        self.is_event(intent) && self.state(state).transitions.get(intent).is_some()
    }

    /// Whether the intent is an internal name of the machine, such as a trigger. It is neither a user intent nor an
    /// event.
    pub fn is_internal(&self, id: IntentId) -> bool {
        self.intent(id)
            .traits
            .intersects(Traits::TRIGGER_NAME | Traits::INTERNAL | Traits::FALLBACK)
    }

    /// The description of an intent.
    pub fn description(&self, id: IntentId) -> &IntentDescription {
        self.descriptions
            .lookup(id)
            .unwrap_or(&self.unknown_description)
    }

    /// The type and the description of a slot.
    #[inline]
    pub fn slot(&self, id: SlotId) -> &SlotDeclaration {
        self.slots.lookup(id).unwrap_or(&self.unknown_slot)
    }

    /// Whether the intent is a user intent: neither an event nor internal.
    pub fn is_meant_by_people(&self, id: IntentId) -> bool {
        !self.is_internal(id) && !self.is_event(id)
    }

    /// The first matching phrase of each intent, in match order: first the phrases that match as written, then those
    /// that match other forms of their words.
    pub fn phrases_in<'m>(&'m self, say: &'m str) -> impl Iterator<Item = FoundPhrase<'m>> {
        let as_written = self
            .phrases
            .iter()
            .filter_map(move |phrases| phrases.found(|phrase| phrase.groups_in(say)));
        let by_stems = std::iter::once(say)
            .filter(move |_| !self.phrases.is_empty())
            .map(SaidWords::with_stems)
            .flat_map(move |said| {
                self.phrases.iter().filter_map(move |phrases| {
                    phrases.found(|phrase| phrase.groups_by_stems(&said))
                })
            });
        as_written.chain(by_stems)
    }

    /// Whether a phrase matches the utterance, or a fallback intent exists.
    pub fn knows_phrase(&self, say: &str) -> bool {
        self.phrases.iter().any(|intent| intent.fallback) || self.phrases_in(say).next().is_some()
    }

    /// The alternatives of a chain.
    #[inline]
    pub fn alternatives(&self, chain: ChainId) -> &[Alternative] {
        let chain = self.chains[chain];
        self.alternatives
            .get(chain.start as usize..chain.end as usize)
            .unwrap_or_default()
    }

    /// The name of the condition that guards a rule's alternative, if the condition has a name.
    pub fn condition_of(&self, rule: RuleId) -> Option<&str> {
        let alternative = self
            .alternatives
            .iter()
            .find(|alternative| alternative.rule == rule)?;
        match self.conditions[alternative.when?] {
            Condition::Named(named) => Some(self.names.conditions.name(named)),
            _ => None,
        }
    }

    /// The target states of a chain's alternatives.
    pub fn chain_states(&self, chain: ChainId) -> impl Iterator<Item = StateId> {
        self.alternatives(chain)
            .iter()
            .filter_map(|alternative| alternative.then.state())
    }

    /// The operations of a rule, an edge or a branch.
    #[inline]
    pub fn ops(&self, rule: RuleId) -> &[Op] {
        let rule = &self.rules[rule];
        self.ops
            .get(rule.ops.0 as usize..rule.ops.1 as usize)
            .unwrap_or_default()
    }

    /// Whether the machine has any operations.
    #[inline]
    pub fn has_ops(&self) -> bool {
        !self.ops.is_empty()
    }

    /// All operations of the machine.
    pub fn all_ops(&self) -> &[Op] {
        &self.ops
    }

    /// The target states of the outcomes of a rule's effects.
    pub fn effects_lead(&self, rule: RuleId) -> impl Iterator<Item = StateId> {
        let outcomes = self
            .ops(rule)
            .iter()
            .filter_map(|op| match &op.kind {
                OpKind::Effect(used) => Some(used),
                _ => None,
            })
            .flat_map(|used| {
                used.outcomes
                    .iter()
                    .chain(&self.effects[used.effect].outcomes)
            });
        outcomes.filter_map(|outcome| self.outcomes[*outcome].leads.state())
    }

    /// Whether any operation changes the slot.
    pub fn operates_on(&self, slot: SlotId) -> bool {
        self.ops.iter().any(|op| op.slot() == Some(slot))
    }

    /// Whether the machine defines the state.
    #[inline]
    pub fn is_declared(&self, id: StateId) -> bool {
        self.state(id).declared
    }

    /// Whether the location is in the files of this machine, not in files shared by several machines. The source of a
    /// machine can be a section of a file: `FILE.md#Heading`.
    pub fn is_own(&self, span: Span) -> bool {
        let path = self.files.path(span.file);
        let source = &*self.header.source;
        let section = source.strip_prefix(path);
        Path::new(path).starts_with(source) || section.is_some_and(|rest| rest.starts_with('#'))
    }

    /// The defined states.
    pub fn declared_states(&self) -> impl Iterator<Item = (StateId, &State)> {
        self.states.pairs().filter(|(_, state)| state.declared)
    }

    /// The names of the defined states in which a dialogue can stay.
    pub fn declared_names(&self) -> impl Iterator<Item = &str> {
        self.declared_states()
            .filter(|(_, state)| !state.is_target_only())
            .map(|(id, _)| self.names.states.name(id))
    }

    /// The ID of a defined state.
    pub fn state_id(&self, name: &str) -> Option<StateId> {
        self.names
            .states
            .id(name)
            .filter(|id| self.is_declared(*id))
    }

    /// The position of a phase in the order, if it has one.
    pub fn phase_position(&self, phase: PhaseId) -> Option<usize> {
        Some(phase.index()).filter(|index| *index < self.ordered_phases)
    }

    /// The position of a state in the order of phases. It is the position of its phase; the state after all phases has
    /// the position after the last phase.
    pub fn position(&self, state: StateId) -> Option<usize> {
        match self.state(state).phase {
            Some(phase) => self.phase_position(phase),
            None => (self.ordered_phases > 0 && self.well_known.post_phases == Some(state))
                .then_some(self.ordered_phases),
        }
    }

    /// Whether a transition leads to an earlier phase, if that is what going back means in the machine.
    pub fn goes_back(&self, from: StateId, to: StateId) -> bool {
        let places = (self.position(from), self.position(to));
        self.backs_by_phase && matches!(places, (Some(from), Some(to)) if to < from)
    }

    /// Whether a transition enters an aside from outside of it.
    pub fn digresses(&self, from: StateId, to: StateId) -> bool {
        let aside = self.state(to).aside;
        aside.is_some() && aside != self.state(from).aside
    }

    /// The location of a rule.
    pub fn place_of(&self, rule: RuleId) -> Place {
        self.files.place(self.rules[rule].span)
    }

    /// The mixin and the parent that a rule comes from.
    pub fn origin_of(&self, rule: RuleId) -> &Origin {
        &self.origins[self.rules[rule].origin]
    }
}

/// A counter of a dialogue. Policy counters are not declared.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counter {
    /// Whether the session stores it; otherwise a policy computes it.
    pub is_declared: bool,
    /// The initial value.
    pub initial: i64,
    /// The limit at which counting stops, and its default value.
    pub limit: Option<(LimitId, i64)>,
}

/// The names that the stages of the turn, conditions and signals of the machine require. If the machine lacks a name,
/// the features that depend on it do nothing.
#[derive(Clone, Debug, Default)]
pub struct WellKnown {
    /// The action if no other action is proposed.
    pub continue_goal: ActionId,
    /// The action in a final state.
    pub finished: ActionId,
    /// The action when a branch is done but other branches are not; set only if there are branches.
    pub join_waiting: Option<ActionId>,
    /// Actions that block any transition if a rule proposes them.
    pub blocking_actions: Vec<ActionId>,
    /// The state after the phases.
    pub post_phases: Option<StateId>,
    /// The states in which dialogues can start, according to the definition.
    pub entry_points: Vec<StateId>,
    /// The slot for the results of joined branches; set only if there are branches.
    pub branch_results: Option<SlotId>,
    /// The first control node of the definition, if the profile treats control nodes as plain states.
    pub unused_node: Option<StateId>,
    /// The category of objections; a signal counts its intents.
    pub objections: Option<CategoryId>,
    /// The slots that count as meaningful data.
    pub meaningful: Vec<SlotId>,
    /// The slots for a contact of any kind, an email, a phone, and a contact as one string.
    pub contact: [Option<SlotId>; 4],
    /// The prefixes of phone numbers, as inclusive ranges.
    pub phone_prefixes: Vec<(u16, u16)>,
}

impl<P> Machine<P> {
    /// The user intents that the model declares or uses: neither events nor triggers.
    pub fn known_intents(&self) -> &[IntentId] {
        &self.vocabulary.intents
    }

    /// The slots that the model declares or uses.
    pub fn known_slots(&self) -> &[SlotId] {
        &self.vocabulary.slots
    }

    /// The names of the [`known_slots`](Self::known_slots).
    pub fn known_slot_names(&self) -> impl Iterator<Item = &str> {
        let ids = self.known_slots().iter();
        ids.map(|id| self.names.slots.name(*id))
    }

    /// Whether the profile changes the behavior of the model.
    pub fn has_profiles(&self) -> bool {
        self.vocabulary.has_profiles
    }

    /// Whether the name under `transitions` or `rules` is a trigger, such as `any`. No user can say it.
    pub fn is_trigger(&self, id: IntentId) -> bool {
        self.intent(id)
            .traits
            .intersects(Traits::TRIGGER_NAME | Traits::FALLBACK)
    }

    /// The location of an expression node; `None` if the node is built in or derived.
    pub fn condition_span(&self, id: ConditionId) -> Option<Span> {
        self.condition_spans.lookup(id).copied().flatten()
    }

    /// Whether an expression node has a location in a file.
    #[inline]
    pub fn is_written(&self, id: ConditionId) -> bool {
        self.condition_span(id).is_some()
    }

    /// Whether the parts in a list are written in a file.
    pub fn is_split(&self, parts: &[ConditionId]) -> bool {
        parts.first().is_some_and(|part| self.is_written(*part))
    }

    /// The parts of a written condition, in the order of the file: the operands of `and`, `or` and `not`. A named
    /// condition is one part. Empty if the condition is a single test.
    pub fn condition_parts(&self, id: ConditionId) -> Vec<ConditionId> {
        let mut parts = Vec::new();
        self.collect_parts(id, &mut parts);
        if parts.len() > 1 { parts } else { Vec::new() }
    }

    /// The number of parts in an expression node; a single test is one part.
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

/// An intent, and the phrases that identify it.
#[derive(Clone, Debug)]
pub struct IntentPhrases {
    pub intent: IntentId,
    /// The location of the declaration.
    pub span: Span,
    /// The intent applies only if this condition holds.
    pub when: Option<ConditionId>,
    /// Whether this is the fallback intent for utterances that are not recognized.
    pub fallback: bool,
    /// The phrases as patterns; named groups capture slot values.
    pub patterns: Box<[Phrase]>,
}

/// A phrase that matches the utterance.
#[derive(Debug)]
pub struct FoundPhrase<'m> {
    pub intent: IntentId,
    /// The intent applies only if this condition holds.
    pub when: Option<ConditionId>,
    /// The values that the groups of the phrase captured.
    pub values: Vec<(&'m str, String)>,
}

impl IntentPhrases {
    /// The first phrase for which `groups` has values.
    fn found<'m>(
        &'m self,
        groups: impl Fn(&'m Phrase) -> Option<Vec<(&'m str, String)>>,
    ) -> Option<FoundPhrase<'m>> {
        Some(FoundPhrase {
            intent: self.intent,
            when: self.when,
            values: self.patterns.iter().find_map(groups)?,
        })
    }
}
