//! What the sources of a sales dialogue need, as the configuration gives it.

use bitflags::bitflags;

use super::PersonaLimits;
use crate::engine::policy::GO_BACKS;
use crate::engine::{DisambiguationRules, SalesSettings, SourceKind};
use crate::machine::{
    ActionId, CategoryId, CounterId, FlagId, IdVec, IntentId, LimitId, MachineBuilder, SlotId,
    StateId,
};

/// What the sources of a sales dialogue need. A name that the machine lacks is nothing, and what depends on it never
/// happens.
#[derive(Clone, Debug, Default)]
pub struct SalesConfig {
    /// What intents mean to the sources; those of which nothing is known may have no entry.
    pub intents: IdVec<IntentId, SalesIntent>,
    /// The categories that are counted.
    pub categories: Categories,
    /// The actions that sources propose.
    pub actions: Actions,
    /// The states that sources know.
    pub states: WellKnownStates,
    /// The slots that sources read or write.
    pub slots: WellKnownSlots,
    /// The flags that switch sources.
    pub flags: Flags,
    /// The thresholds of sources.
    pub thresholds: Thresholds,
    /// How readings from outside are taken.
    pub disambiguation: DisambiguationRules,
    /// The patterns of intents that are watched.
    pub patterns: Vec<Pattern>,
    /// The intent that counts misunderstandings.
    pub unclear: Option<IntentId>,
    /// Whether this is the flow in which a model decides.
    pub autonomous_flow: bool,
    /// States of which a model may decide, by prefix.
    pub autonomous_prefix: Box<str>,
    /// States that a model may name although the flow lacks them.
    pub autonomous_targets: Vec<StateId>,
    /// The flags without which a source does not run.
    pub source_flags: Vec<(SourceKind, FlagId)>,
    /// The limits that it knows.
    pub limits: SalesLimits,
    /// The counters that it keeps.
    pub counters: SalesCounters,
    /// The settings of a dialogue that changes nothing.
    pub settings: SalesSettings,
}

/// What an intent means to the sources.
#[derive(Clone, Copy, Debug, Default)]
pub struct SalesIntent {
    /// The roles that it plays.
    pub roles: Roles,
    /// The answer to this price question that needs no rule.
    pub price_action: Option<ActionId>,
    /// The answer to this question about facts that needs no rule.
    pub fact_action: Option<ActionId>,
}

/// The limits of a dialogue that sources know, in turns.
#[derive(Clone, Copy, Debug, Default)]
pub struct SalesLimits {
    /// Objections in a row.
    pub consecutive_objections: LimitId,
    /// Objections in all.
    pub total_objections: LimitId,
    /// Steps back.
    pub go_backs: LimitId,
}

/// The counters of a sales dialogue.
#[derive(Clone, Copy, Debug, Default)]
pub struct SalesCounters {
    /// Steps back that were taken.
    pub go_backs: CounterId,
    /// Steps back that are left.
    pub go_backs_left: CounterId,
    pub objections_in_row: CounterId,
    /// Objections in all.
    pub objections_total: CounterId,
}

impl SalesConfig {
    /// A configuration in which nothing is named yet but limits and counters.
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

    /// What an intent means to the sources.
    pub fn intent(&self, id: IntentId) -> SalesIntent {
        self.intents.lookup(id).copied().unwrap_or_default()
    }

    /// Gives an intent a role.
    pub fn give_role(&mut self, id: IntentId, role: Roles) {
        self.intents.grow(id).roles.insert(role);
    }
}

/// The categories that are counted.
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
    /// A step back is taken.
    pub go_back: ActionId,
    /// A step back is refused.
    pub go_back_refused: ActionId,
    /// Ask which reading is meant.
    pub ask_clarification: ActionId,
    pub answer_price: ActionId,
    pub answer_facts: ActionId,
    /// End a series of objections.
    pub objection_limit: ActionId,
    /// A model's own words.
    pub autonomous: ActionId,
    pub offer_options: ActionId,
    /// Push on gently.
    pub stall_nudge: ActionId,
    /// Push on by force.
    pub stall_eject: ActionId,
    /// Hand over to a human.
    pub escalate: ActionId,
    /// The guard asks in other words.
    pub guard_rephrase: ActionId,
    /// The guard offers options.
    pub guard_options: ActionId,
    /// The guard skips the phase.
    pub guard_skip: ActionId,
    /// The guard ends the dialogue.
    pub guard_close: ActionId,
}

/// The states that sources know.
#[derive(Clone, Copy, Debug, Default)]
pub struct WellKnownStates {
    /// Where objections are handled.
    pub handle_objection: Option<StateId>,
    /// Where a dialogue ends softly; named even if the flow lacks it.
    pub soft_close: Option<StateId>,
    /// Where the stall guard pushes to if the state says nothing; named even if the flow lacks it.
    pub stall_default: Option<StateId>,
    /// Where the flow begins in earnest.
    pub entry: Option<StateId>,
    /// Where an escalation leads.
    pub escalation: Option<StateId>,
    /// Where the price pattern closes.
    pub closing: Option<StateId>,
}

/// The slots that sources read or write.
#[derive(Clone, Copy, Debug, Default)]
pub struct WellKnownSlots {
    /// Who is talking.
    pub persona: Option<SlotId>,
    /// The objection limit has ended the dialogue.
    pub objection_limit_final: Option<SlotId>,
    pub company_size: Option<SlotId>,
}

/// The flags that change decisions.
#[derive(Clone, Copy, Debug, Default)]
pub struct Flags {
    /// Going back.
    pub circular_flow: Option<FlagId>,
    /// The stall guard also acts.
    pub stall_dual: Option<FlagId>,
}

/// The thresholds of sources.
#[derive(Clone, Copy, Debug, Default)]
pub struct Thresholds {
    /// Objections in a row after which a return without a phase gives up.
    pub loop_escape: i64,
    /// Objections in a row that return to a phase at once.
    pub phase_escape: i64,
    /// Signs of frustration that escalate.
    pub frustration_escalates: i64,
    /// Misunderstandings in all that escalate.
    pub unclear_escalates: i64,
    /// Misunderstandings in all from which an escalation is considered.
    pub unclear_considered: i64,
    /// The size of a company that escalates.
    pub large_company: i64,
    /// The smallest number of turns before a soft stall.
    pub soft_stall: i64,
    /// Turns in a state after which options are offered, where the state does not say.
    pub phase_exhaust: i64,
}

/// A pattern of intents that is watched.
#[derive(Clone, Debug)]
pub struct Pattern {
    pub name: Box<str>,
    pub intents: Vec<IntentId>,
    /// The category of the same name.
    pub category: Option<CategoryId>,
    pub personas: Vec<(Box<str>, PersonaLimits)>,
    /// The action in the closing state.
    pub close_action: ActionId,
    /// The action elsewhere.
    pub default_action: ActionId,
}

bitflags! {
    /// A set of roles that an intent plays for the sources. What plays which role is configuration.
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
        /// Belongs to a large customer.
        const HIGH_VALUE = 1 << 7;
        /// Needs a question back.
        const AMBIGUOUS = 1 << 8;
        /// Is watched by an intent pattern.
        const PATTERN = 1 << 9;
    }
}
