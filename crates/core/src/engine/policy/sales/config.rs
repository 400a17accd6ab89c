//! The configuration of the sales sources.

use bitflags::bitflags;

use super::PersonaLimits;
use crate::engine::policy::GO_BACKS;
use crate::engine::{DisambiguationRules, SalesSettings, SourceKind};
use crate::machine::{
    ActionId, CategoryId, CounterId, FlagId, IdVec, IntentId, LimitId, MachineBuilder, SlotId,
    StateId,
};

/// The configuration of the sales sources. If the machine lacks a name, the features that depend on it do nothing.
#[derive(Clone, Debug, Default)]
pub struct SalesConfig {
    /// The data of intents that sources use; intents without such data may have no entry.
    pub intents: IdVec<IntentId, SalesIntent>,
    /// The counted categories.
    pub categories: Categories,
    /// The actions that sources propose.
    pub actions: Actions,
    /// The states that sources use.
    pub states: WellKnownStates,
    /// The slots that sources read or write.
    pub slots: WellKnownSlots,
    /// The flags that change decisions.
    pub flags: Flags,
    /// The thresholds of sources.
    pub thresholds: Thresholds,
    /// The rules for accepting answers of a recognizer.
    pub disambiguation: DisambiguationRules,
    /// The watched patterns of intents.
    pub patterns: Vec<Pattern>,
    /// The intent for utterances that were not understood.
    pub unclear: Option<IntentId>,
    /// Whether a model can decide in this flow.
    pub autonomous_flow: bool,
    /// The name prefix of the states in which a model decides.
    pub autonomous_prefix: Box<str>,
    /// States that a model can select although the flow does not define them.
    pub autonomous_targets: Vec<StateId>,
    /// The flags that sources require.
    pub source_flags: Vec<(SourceKind, FlagId)>,
    /// The limits that sources use.
    pub limits: SalesLimits,
    /// The counters of the policy.
    pub counters: SalesCounters,
    /// The default settings of a dialogue.
    pub settings: SalesSettings,
}

/// The data of an intent that sources use.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct SalesIntent {
    /// The roles of the intent.
    pub roles: Roles,
    /// The answer to this price question if no rule answers it.
    pub price_action: Option<ActionId>,
    /// The answer to this question about facts if no rule answers it.
    pub fact_action: Option<ActionId>,
}

/// The limits of a dialogue that sources use.
#[derive(Clone, Copy, Debug, Default)]
pub struct SalesLimits {
    /// The maximum number of consecutive objections.
    pub consecutive_objections: LimitId,
    /// The maximum total number of objections.
    pub total_objections: LimitId,
    /// The maximum number of go-backs.
    pub go_backs: LimitId,
}

/// The counters of a sales dialogue.
#[derive(Clone, Copy, Debug, Default)]
pub struct SalesCounters {
    /// The number of completed go-backs.
    pub go_backs: CounterId,
    /// The number of remaining go-backs.
    pub go_backs_left: CounterId,
    pub objections_in_row: CounterId,
    /// The total number of objections.
    pub objections_total: CounterId,
}

impl SalesConfig {
    /// Creates a configuration with limits and counters only.
    pub fn new(builder: &mut MachineBuilder) -> Self {
        Self {
            limits: SalesLimits {
                consecutive_objections: builder.limit("max_consecutive_objections"),
                total_objections: builder.limit("max_total_objections"),
                go_backs: builder.limit(GO_BACKS),
            },
            counters: SalesCounters {
                go_backs: builder.counter("go_backs"),
                go_backs_left: builder.counter("go_backs_left"),
                objections_in_row: builder.counter("objections_in_row"),
                objections_total: builder.counter("objections_total"),
            },
            ..Self::default()
        }
    }

    /// The data of an intent that sources use.
    pub fn intent(&self, id: IntentId) -> SalesIntent {
        self.intents.lookup(id).copied().unwrap_or_default()
    }

    /// Adds a role to an intent.
    pub fn give_role(&mut self, id: IntentId, role: Roles) {
        self.intents.grow(id).roles.insert(role);
    }
}

/// The counted categories.
#[derive(Clone, Copy, Debug, Default)]
pub struct Categories {
    pub objection: Option<CategoryId>,
    /// Questions about the price.
    pub price: Option<CategoryId>,
    /// Signs of frustration.
    pub frustration: Option<CategoryId>,
}

/// The actions that sources propose.
#[derive(Clone, Copy, Debug, Default)]
pub struct Actions {
    /// Go back.
    pub go_back: ActionId,
    /// Refuse to go back.
    pub go_back_refused: ActionId,
    /// Ask for clarification.
    pub ask_clarification: ActionId,
    pub answer_price: ActionId,
    pub answer_facts: ActionId,
    /// End a series of objections.
    pub objection_limit: ActionId,
    /// The reply of a model.
    pub autonomous: ActionId,
    pub offer_options: ActionId,
    /// Suggest leaving the state.
    pub stall_nudge: ActionId,
    /// Force the dialogue to leave the state.
    pub stall_eject: ActionId,
    /// Hand over to a human.
    pub escalate: ActionId,
    /// The guard rephrases.
    pub guard_rephrase: ActionId,
    /// The guard offers options.
    pub guard_options: ActionId,
    /// The guard skips the phase.
    pub guard_skip: ActionId,
    /// The guard ends the dialogue.
    pub guard_close: ActionId,
}

/// The states that sources use.
#[derive(Clone, Copy, Debug, Default)]
pub struct WellKnownStates {
    /// The state that handles objections.
    pub handle_objection: Option<StateId>,
    /// The state for a soft end of a dialogue; set even if the flow does not define it.
    pub soft_close: Option<StateId>,
    /// The default target of the stall guard; set even if the flow does not define it.
    pub stall_default: Option<StateId>,
    /// The entry state of the flow.
    pub entry: Option<StateId>,
    /// The target of an escalation.
    pub escalation: Option<StateId>,
    /// The closing state of the price pattern.
    pub closing: Option<StateId>,
}

/// The slots that sources read or write.
#[derive(Clone, Copy, Debug, Default)]
pub struct WellKnownSlots {
    /// The persona of the user.
    pub persona: Option<SlotId>,
    /// Whether the objection limit ended the dialogue.
    pub objection_limit_final: Option<SlotId>,
    pub company_size: Option<SlotId>,
}

/// The flags that change decisions.
#[derive(Clone, Copy, Debug, Default)]
pub struct Flags {
    /// Going back is enabled.
    pub circular_flow: Option<FlagId>,
    /// The stall guard also proposes an action.
    pub stall_dual: Option<FlagId>,
}

/// The thresholds of sources.
#[derive(Clone, Copy, Debug, Default)]
pub struct Thresholds {
    /// The number of consecutive objections at which a state without a phase returns to the entry state.
    pub loop_escape: i64,
    /// The number of consecutive objections at which the dialogue returns to the phase immediately.
    pub phase_escape: i64,
    /// The number of signs of frustration that causes an escalation.
    pub frustration_escalates: i64,
    /// The number of misunderstandings that causes an escalation.
    pub unclear_escalates: i64,
    /// The number of misunderstandings at which an escalation is considered.
    pub unclear_considered: i64,
    /// The company size at which special requests are escalated.
    pub large_company: i64,
    /// The minimum number of turns before a soft stall.
    pub soft_stall: i64,
    /// The default number of turns in a state after which options are offered.
    pub phase_exhaust: i64,
}

/// A watched pattern of intents.
#[derive(Clone, Debug)]
pub struct Pattern {
    pub name: Box<str>,
    pub intents: Vec<IntentId>,
    /// The category with the same name.
    pub category: Option<CategoryId>,
    pub personas: Vec<(Box<str>, PersonaLimits)>,
    /// The action in the closing state.
    pub close_action: ActionId,
    /// The action in other states.
    pub default_action: ActionId,
}

bitflags! {
    /// The roles of an intent for the sources. The configuration assigns them.
    #[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
    pub struct Roles: u16 {
        /// Is a question of any category.
        const ANY_QUESTION = 1 << 0;
        /// Asks for the price.
        const PRICE = 1 << 1;
        /// Asks for facts.
        const FACT = 1 << 2;
        /// Ends the handling of an objection.
        const RETURN_TRIGGER = 1 << 3;
        /// Asks for a human.
        const ESCALATION = 1 << 4;
        /// Touches a sensitive topic.
        const SENSITIVE = 1 << 5;
        /// Shows frustration.
        const FRUSTRATION = 1 << 6;
        /// Is escalated for large customers.
        const HIGH_VALUE = 1 << 7;
        /// Requires a clarification.
        const AMBIGUOUS = 1 << 8;
        /// Is watched by an intent pattern.
        const PATTERN = 1 << 9;
    }
}
