//! A small change of a model, and the operators that make such changes.

use std::ops::Range;
use std::path::PathBuf;

use strum::{EnumMessage, IntoStaticStr, VariantArray};

use crate::coverage::CoverageKind;

/// One edit of a model.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Mutant {
    pub operator: MutationOperator,
    /// The kind of counted items that the edit changes.
    pub kind: CoverageKind,
    /// The file, as the model was loaded from it.
    pub path: PathBuf,
    /// The bytes of the file to replace.
    pub span: Range<usize>,
    pub replacement: String,
}

/// A kind of edit. The reference contains the descriptions.
#[derive(
    Clone,
    Copy,
    Debug,
    PartialEq,
    Eq,
    PartialOrd,
    Ord,
    Hash,
    EnumMessage,
    IntoStaticStr,
    VariantArray,
)]
#[strum(serialize_all = "snake_case")]
pub enum MutationOperator {
    /// Makes a state final.
    AddFinal,
    /// Replaces an action with the next action of the model.
    ChangeAction,
    /// Removes or swaps modes in `answers`.
    ChangeAnswer,
    /// Replaces `carryover` with the next of `full`, `root_only`, `object_only`, `meta_only`, `none`, or `carried`
    /// with the next of `root`, `object`, `meta`, `none`.
    ChangeCarryover,
    /// Adds 1 to an amount in `counts`.
    ChangeCount,
    /// Swaps `shallow` and `deep`.
    ChangeHistory,
    /// Replaces `all_complete`, `any_complete` or `majority` with the next one.
    ChangeJoin,
    /// Adds 1 to a limit, or 0.1 to a threshold.
    ChangeLimit,
    /// Swaps `detour` and `degrade`.
    ChangeMark,
    /// Replaces the phase of a state with the next phase of the model.
    ChangePhase,
    /// Replaces `P0` with `P1` and so on, and `P3` with `P0`.
    ChangePriority,
    /// Replaces the value of `is` (numbers: adds 1), or a compared state with the next state.
    ChangeValue,
    /// Removes an alternative or a branch of a choice.
    DropAlternative,
    /// Removes `aside`.
    DropAside,
    /// Removes a branch of a fork, or a region.
    DropBranch,
    /// Removes a frame from `carryover`.
    DropCarryover,
    /// Removes an intent from a category.
    DropCategoryIntent,
    /// Removes a class.
    DropClass,
    /// Removes an intent from a class.
    DropClassIntent,
    /// Removes an item from `clears`.
    DropClear,
    /// Removes a condition, for example under `when` or `unless`.
    DropCondition,
    /// Removes an entry from `counts`.
    DropCount,
    /// Removes a criterion of a point, or a part of it.
    DropCriterion,
    /// Removes an item from `depends_on`.
    DropDependency,
    /// Removes `next`, `digress`, `hold`, `becomes`, `mode` or `max_turns_fallback`.
    DropDestination,
    /// Removes the use of an effect.
    DropEffect,
    /// Removes `on_enter`, `on_join` or `action`.
    DropEntryAction,
    /// Removes an item from `except`.
    DropEverywhereExcept,
    /// Removes an example.
    DropExample,
    /// Removes an item from `forbids`.
    DropForbids,
    /// Removes a gate.
    DropGate,
    /// Removes an item from `handles`.
    DropHandledIntent,
    /// Removes `history`.
    DropHistory,
    /// Removes the initial value of a slot or counter.
    DropInitial,
    /// Removes `exit_when`, or an item from `join_condition` or `expects_branches`.
    DropJoin,
    /// Removes a limit.
    DropLimit,
    /// Removes a message, a text, or a word for a verdict.
    DropMessage,
    /// Removes an item from `mixins` or `includes`.
    DropMixin,
    /// Removes an item from `reads` of a cycle node.
    DropNodeRead,
    /// Removes an item from `writes` of a cycle node.
    DropNodeWrite,
    /// Removes an item from `optional_data`.
    DropOptionalSlot,
    /// Removes an outcome.
    DropOutcome,
    /// Removes a part from `and` or `or`.
    DropPart,
    /// Removes an entry from `with`.
    DropPayload,
    /// Removes a phrase from `say`, or a language.
    DropPhrase,
    /// Removes the name of a group `(?P<slot>…)`.
    DropPhraseSlot,
    /// Removes an item from `preserves`.
    DropPreserves,
    /// Removes an entry from a priority table.
    DropPriority,
    /// Removes an entry from `must` or `must_not`.
    DropPromise,
    /// Removes a question.
    DropQuestion,
    /// Removes the reply to an action.
    DropReply,
    /// Removes a required slot of a state.
    DropRequiredSlot,
    /// Replaces `requires` with `nothing`.
    DropRequires,
    /// Removes an entry from `rules`.
    DropRule,
    /// Removes an entry from `sets`, `appends`, `set_flags` or `writes`.
    DropSet,
    /// Removes `type`, `format`, `at_least` or `at_most` of a slot.
    DropSlotType,
    /// Removes an allowed value of a slot.
    DropSlotValue,
    /// Removes a transition.
    DropTransition,
    /// Removes one of several compared values.
    DropValue,
    /// Swaps `at_least` and `more_than`, or `at_most` and `less_than`.
    FlipComparison,
    /// Negates a condition.
    NegateCondition,
    /// Negates a part of a condition.
    NegatePart,
    /// Replaces a target state with the next state of the model.
    RedirectTransition,
    /// Swaps `and` and `or`.
    ReplaceAndOr,
    /// Adds or subtracts 1 in a bound.
    ShiftBound,
    /// Swaps two adjacent alternatives or branches.
    SwapAlternatives,
    /// Swaps two adjacent phases.
    SwapPhases,
    /// Swaps the `priority` of two adjacent entries.
    SwapPriorities,
    /// Toggles `is_final` and `final`.
    ToggleFinal,
    /// Toggles other settings, such as feature flags.
    ToggleFlag,
    /// Toggles `known`, `filled` and `active`.
    ToggleTest,
}

impl Mutant {
    /// The text of the file with the edit; `None` if the file does not contain the span.
    pub fn applied(&self, text: &str) -> Option<String> {
        let (before, after) = (text.get(..self.span.start)?, text.get(self.span.end..)?);
        Some([before, &self.replacement, after].concat())
    }
}

impl MutationOperator {
    /// The name in reports.
    pub fn name(self) -> &'static str {
        self.into()
    }

    /// The description of the edit, without a period.
    pub fn about(self) -> &'static str {
        self.get_documentation()
            .unwrap_or_default()
            .trim_end_matches(['.', ' ', '\n'])
    }
}
