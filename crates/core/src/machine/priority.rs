//! The priority table: breaks ties between proposals of the same level (docs/src/explanation/sales-policy.md).

use rustc_hash::FxHashMap;
use strum::{EnumString, IntoStaticStr};

use super::{ActionId, FlagId, Id, IdVec, IntentId, NamedConditionId, PriorityId};
use fsmsim_syntax::diagnostic::Span;

/// The level of a proposal, from the strongest to the weakest.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, IntoStaticStr)]
#[strum(serialize_all = "snake_case")]
pub enum Level {
    /// Ends or hands over the dialogue.
    Critical,
    /// Must be answered now.
    High,
    /// The normal flow.
    Normal,
    /// Applies only if there is no other proposal.
    Low,
}

impl Level {
    /// The name in traces.
    pub fn name(self) -> &'static str {
        self.into()
    }
}

/// The rank of a proposal that no entry matches.
pub const UNRANKED: i64 = 10_000;

/// The class of a proposal. Together with the intent, it almost always determines which entries match.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum ProposalClass {
    /// An action from a rule of the state.
    RuleAction,
    /// Any other action.
    OtherAction,
    /// The state's transition for the intent.
    IntentTransition,
    /// The transition for complete data.
    DataComplete,
    /// The transition if no other applies.
    AnyTransition,
    /// Any other transition.
    OtherTransition,
}

impl ProposalClass {
    /// All classes.
    pub const ALL: [Self; 6] = [
        Self::RuleAction,
        Self::OtherAction,
        Self::IntentTransition,
        Self::DataComplete,
        Self::AnyTransition,
        Self::OtherTransition,
    ];

    fn is_action(self) -> bool {
        matches!(self, Self::RuleAction | Self::OtherAction)
    }
}

/// A table entry as written in the file.
#[derive(Clone, Debug, Default)]
pub struct PriorityEntry {
    pub rank: i64,
    /// Applies only if this flag is on.
    pub flag: Option<FlagId>,
    /// Applies only to these intents.
    pub intents: Option<Box<[IntentId]>>,
    /// Applies only to the intents of this category, listed here.
    pub category: Option<Box<[IntentId]>>,
    /// Applies only to the transition with this trigger.
    pub trigger: Option<Trigger>,
    /// Applies only while this condition holds; `Some(None)` is an unknown condition, which never holds.
    pub condition: Option<Option<NamedConditionId>>,
    /// Applies to the transitions of the intent while the condition does not hold.
    pub else_transitions: bool,
    /// Applies only if this handler accepts the turn.
    pub handler: Option<Handler>,
    /// Applies only to this action.
    pub action: Option<ActionId>,
    /// `source: rules`: applies only to actions from a rule of the state; any other source matches nothing.
    pub source: Option<PrioritySource>,
    /// Applies only to actions.
    pub use_resolver: bool,
    /// Applies only to transitions.
    pub use_transitions: bool,
    /// The action for a question that no rule answers.
    pub default_action: Option<ActionId>,
    /// The location of the definition.
    pub span: Option<Span>,
}

/// `trigger:` of an entry.
#[derive(Clone, Copy, Debug, PartialEq, Eq, EnumString)]
#[strum(serialize_all = "snake_case")]
pub enum Trigger {
    /// `data_complete`.
    DataComplete,
    /// `any`.
    Any,
    /// Anything else; matches nothing.
    Unknown,
}

/// `handler:` of an entry.
#[derive(Clone, Copy, Debug, PartialEq, Eq, EnumString)]
pub enum Handler {
    /// `phase_progress_handler`: the intent is a progress intent of the flow.
    #[strum(serialize = "phase_progress_handler")]
    PhaseProgress,
    /// `circular_flow_handler`: the intent is a go-back intent.
    #[strum(serialize = "circular_flow_handler")]
    CircularFlow,
    /// Like `CircularFlow`, but the only transition that matches is that of the go-back intent.
    #[strum(disabled)]
    StepBack,
    /// Anything else; matches nothing.
    Unknown,
}

/// `source:` of an entry.
#[derive(Clone, Copy, Debug, PartialEq, Eq, EnumString)]
#[strum(serialize_all = "snake_case")]
pub enum PrioritySource {
    /// `rules`.
    Rules,
    /// Anything else; matches nothing.
    Unknown,
}

/// The traits of an intent that determine its rows in the table.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct IntentTraits {
    /// Whether the intent is a progress intent of the flow.
    pub progress: bool,
    /// Whether the intent is a go-back intent.
    pub go_back: bool,
}

/// An entry that can match in a row. The turn tests the condition of the entry.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct PriorityCandidate {
    pub entry: PriorityId,
    /// Whether the entry matches if its condition holds, or if it has no condition.
    pub if_true: bool,
    /// Whether the entry matches if its condition does not hold.
    pub if_false: bool,
}

/// The table, with the candidate entries precomputed for each intent and proposal class.
#[derive(Clone, Debug, Default)]
pub struct PriorityTable {
    /// The entries in the order of the file.
    pub entries: IdVec<PriorityId, PriorityEntry>,
    /// The names of the entries.
    pub names: Vec<Box<str>>,
    rows: Vec<Box<[PriorityCandidate]>>,
    /// The row of each class, for each intent.
    index: IdVec<IntentId, [u32; 6]>,
    unknown: [u32; 6],
}

impl PriorityTable {
    /// Builds the table. `traits` contains the traits of each intent of the machine.
    pub fn new(
        entries: IdVec<PriorityId, PriorityEntry>,
        names: Vec<Box<str>>,
        traits: &IdVec<IntentId, IntentTraits>,
    ) -> Self {
        let mut order: Vec<PriorityId> = entries.ids().collect();
        order.sort_by_key(|id| entries[*id].rank);
        let mut table = Self {
            entries,
            names,
            ..Self::default()
        };
        // A row depends only on the traits of the intent and on the lists that contain it. Many intents share rows.
        let mut listed: IdVec<IntentId, Vec<PriorityId>> = IdVec::filled(traits.len(), Vec::new());
        for (id, entry) in table.entries.pairs() {
            for intent in entry
                .intents
                .iter()
                .chain(&entry.category)
                .flat_map(|list| list.iter())
            {
                if let Some(entries) = listed.lookup_mut(*intent) {
                    entries.push(id);
                }
            }
        }
        let mut rows = FxHashMap::default();
        let mut known = FxHashMap::default();
        for (intent, traits) in traits.pairs() {
            let row_key = (std::mem::take(&mut listed[intent]), *traits);
            let row = *rows
                .entry(row_key)
                .or_insert_with(|| table.row(Some(intent), *traits, &order, &mut known));
            table.index.push(row);
        }
        table.unknown = table.row(None, IntentTraits::default(), &order, &mut known);
        table
    }

    /// The candidate entries, in ascending order of rank.
    pub fn candidates(&self, intent: IntentId, class: ProposalClass) -> &[PriorityCandidate] {
        let rows = self.index.lookup(intent).unwrap_or(&self.unknown);
        rows.get(class as usize)
            .and_then(|row| self.rows.get(*row as usize))
            .map_or(&[], |row| row)
    }

    /// The first entry with a default action whose category contains the intent, and that action.
    pub fn default_answer(&self, intent: IntentId) -> Option<(PriorityId, ActionId)> {
        self.entries.pairs().find_map(|(id, entry)| {
            let action = entry.default_action?;
            entry
                .category
                .as_ref()?
                .contains(&intent)
                .then_some((id, action))
        })
    }

    /// The name of an entry.
    pub fn name(&self, id: PriorityId) -> &str {
        self.names.get(id.index()).map_or("", |name| name)
    }

    fn row(
        &mut self,
        intent: Option<IntentId>,
        traits: IntentTraits,
        order: &[PriorityId],
        known: &mut FxHashMap<Vec<PriorityCandidate>, u32>,
    ) -> [u32; 6] {
        ProposalClass::ALL.map(|class| {
            let candidates: Vec<PriorityCandidate> = order
                .iter()
                .filter_map(|id| self.entries[*id].candidate(*id, intent, traits, class))
                .collect();
            *known.entry(candidates).or_insert_with_key(|candidates| {
                self.rows.push(candidates.clone().into());
                u32::try_from(self.rows.len() - 1).unwrap_or(u32::MAX)
            })
        })
    }
}

impl PriorityEntry {
    /// Whether and when this entry matches a proposal of `class` in a turn with `intent`.
    fn candidate(
        &self,
        entry: PriorityId,
        intent: Option<IntentId>,
        traits: IntentTraits,
        class: ProposalClass,
    ) -> Option<PriorityCandidate> {
        let among = |list: &Option<Box<[IntentId]>>| match (list, intent) {
            (None, _) => true,
            (Some(list), Some(intent)) => list.contains(&intent),
            (Some(_), None) => false,
        };
        let triggered = match self.trigger {
            None => true,
            Some(Trigger::DataComplete) => class == ProposalClass::DataComplete,
            Some(Trigger::Any) => class == ProposalClass::AnyTransition,
            Some(Trigger::Unknown) => false,
        };
        if !among(&self.intents) || !among(&self.category) || !triggered {
            return None;
        }
        let if_true = self.matches_class(traits, class);
        let if_false = self.condition.is_some()
            && self.else_transitions
            && class == ProposalClass::IntentTransition;
        (if_true || if_false).then_some(PriorityCandidate {
            entry,
            if_true,
            if_false,
        })
    }

    /// Whether the entry matches if its condition holds; the action itself is compared during the turn.
    fn matches_class(&self, traits: IntentTraits, class: ProposalClass) -> bool {
        let handled = match self.handler {
            None => true,
            Some(Handler::PhaseProgress) => traits.progress,
            Some(Handler::CircularFlow) => traits.go_back,
            Some(Handler::StepBack) => {
                traits.go_back && (class.is_action() || class == ProposalClass::IntentTransition)
            }
            Some(Handler::Unknown) => false,
        };
        let sourced = match self.source {
            None => true,
            Some(PrioritySource::Rules) => class == ProposalClass::RuleAction,
            Some(PrioritySource::Unknown) => false,
        };
        let narrowed = self.intents.is_some() || self.category.is_some() || self.trigger.is_some();
        let moved = !self.use_transitions
            || (!class.is_action() && (narrowed || class == ProposalClass::IntentTransition));
        handled
            && sourced
            && moved
            && (self.action.is_none() || class.is_action())
            && (!self.use_resolver || class.is_action())
    }
}
