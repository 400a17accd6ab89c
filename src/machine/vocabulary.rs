//! The names that sources need, as the configuration gives them.

use super::disambiguation::Disambiguation;
use super::id::{ActionId, CategoryId, FlagId, IntentId, SlotId, StateId};
use super::settings::PersonaLimits;
use super::source::SourceKind;

/// The names that sources need. A name that the machine lacks is nothing, and what depends on it never happens.
#[derive(Clone, Debug, Default)]
pub struct Vocabulary {
    /// The categories that are counted.
    pub categories: Categories,
    /// The actions that sources propose.
    pub actions: Actions,
    /// The states that sources know.
    pub places: WellKnownStates,
    /// The states in which dialogues may be begun, as the definition says.
    pub entry_points: Vec<StateId>,
    /// The slots that sources read or write.
    pub slots: WellKnownSlots,
    /// The flags that switch sources.
    pub flags: Flags,
    /// The thresholds of sources.
    pub thresholds: Thresholds,
    /// How readings from outside are taken.
    pub disambiguation: Disambiguation,
    /// The patterns of intents that are watched.
    pub patterns: Vec<Pattern>,
    /// The intent that counts misunderstandings.
    pub unclear: Option<IntentId>,
    /// Actions that end the turn when a rule gives them.
    pub blocking_actions: Vec<ActionId>,
    /// The name of the flow in which a model decides.
    pub autonomous_flow: bool,
    /// States of which a model may decide, by prefix.
    pub autonomous_prefix: Box<str>,
    /// States that a model may name although the flow lacks them.
    pub autonomous_targets: Vec<StateId>,
    /// The flags without which a source does not run.
    pub source_flags: Vec<(SourceKind, FlagId)>,
    /// The prefixes of phone numbers, as ranges with both ends included.
    pub phone_prefixes: Vec<(u16, u16)>,
    /// The slots that count as data that matters.
    pub meaningful: Vec<SlotId>,
}

/// The categories that are counted.
#[derive(Clone, Copy, Debug, Default)]
pub struct Categories {
    /// Objections.
    pub objection: Option<CategoryId>,
    /// Questions about the price.
    pub price: Option<CategoryId>,
    /// Signs of frustration.
    pub frustration: Option<CategoryId>,
}

/// The actions that sources propose.
#[derive(Clone, Copy, Debug)]
pub struct Actions {
    /// Nothing else to do.
    pub continue_goal: ActionId,
    /// A branch is done and the others are not; only where a flow has branches.
    pub join_waiting: Option<ActionId>,
    /// In a final state.
    pub finished: ActionId,
    /// A step back is taken.
    pub go_back: ActionId,
    /// A step back is refused.
    pub go_back_refused: ActionId,
    /// Ask which reading is meant.
    pub ask_clarification: ActionId,
    /// Answer the price.
    pub answer_price: ActionId,
    /// Answer with facts.
    pub answer_facts: ActionId,
    /// End a series of objections.
    pub objection_limit: ActionId,
    /// A model's own words.
    pub autonomous: ActionId,
    /// Offer options.
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
    /// The state after the phases.
    pub post_phases: Option<StateId>,
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
    /// What branches brought that came together; only where a flow has branches.
    pub branch_results: Option<SlotId>,
    /// The size of the company.
    pub company_size: Option<SlotId>,
    /// A contact of any kind, then an email, a phone, and a contact as one text.
    pub contact: [Option<SlotId>; 4],
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
    /// The name.
    pub name: Box<str>,
    /// The intents.
    pub intents: Vec<IntentId>,
    /// The category of the same name.
    pub category: Option<CategoryId>,
    /// The limits by persona.
    pub personas: Vec<(Box<str>, PersonaLimits)>,
    /// The action in the closing state.
    pub close_action: ActionId,
    /// The action elsewhere.
    pub default_action: ActionId,
}

impl Default for Actions {
    fn default() -> Self {
        use super::id::Id;
        let none = ActionId::from_index(0);
        Self {
            continue_goal: none,
            join_waiting: None,
            finished: none,
            go_back: none,
            go_back_refused: none,
            ask_clarification: none,
            answer_price: none,
            answer_facts: none,
            objection_limit: none,
            autonomous: none,
            offer_options: none,
            stall_nudge: none,
            stall_eject: none,
            escalate: none,
            guard_rephrase: none,
            guard_options: none,
            guard_skip: none,
            guard_close: none,
        }
    }
}
