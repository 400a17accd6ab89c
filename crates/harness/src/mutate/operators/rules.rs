//! The operators that change keys: each with its edit, and the keys of the formats that it changes.

use super::node_types::NodeTypes;
use crate::coverage::CoverageKind::{
    self, Alternatives, Carryover, Classes, Conditions, Gates, Intents, Lines, Mcdc, Phases,
    Points, Rules, Slots, States, Transitions,
};
use crate::mutate::mutant::MutationOperator as M;
use KeyEdit::{
    Add, Drop, Groups, Items, Nested, Next, Parts, Rename, Set, Swap, SwapKey, Toggle, Value,
};

/// An operator for the values of keys.
pub(super) struct OperatorRule {
    pub operator: M,
    pub kind: CoverageKind,
    pub edit: KeyEdit,
    /// Separated by spaces: `SHAPE.KEY`, `SHAPE.*`, `KEY` in any shape, or `:SHAPE` for lists of items with this shape.
    places: &'static str,
}

/// An edit of a key and its value.
#[derive(Clone, Copy)]
pub(super) enum KeyEdit {
    /// Removes the key.
    Drop,
    /// Removes each item or entry. Removes the key of any other value.
    Parts,
    /// Removes each item of a list with at least two items.
    Items,
    /// Removes each item of each list in a map.
    Nested,
    /// Replaces `true` by `false` and vice versa, also in the entries of a map.
    Toggle,
    /// Adds each of these numbers, also to the items or entries of the value.
    Add(&'static [i64]),
    /// Replaces a word by the next one.
    Next(&'static [&'static str]),
    /// Replaces the key by the second name.
    Rename(&'static [(&'static str, &'static str)]),
    /// Replaces the value by this text.
    Set(&'static str),
    /// Exchanges each two adjacent items.
    Swap,
    /// Exchanges the values of this key in each two adjacent items.
    SwapKey(&'static str),
    /// Replaces the value of a comparison.
    Value,
    /// Replaces the named groups of regular expressions by groups without a name.
    Groups,
}

const fn rule(
    operator: M,
    kind: CoverageKind,
    edit: KeyEdit,
    places: &'static str,
) -> OperatorRule {
    OperatorRule {
        operator,
        kind,
        edit,
        places,
    }
}

impl OperatorRule {
    /// Whether the operator changes a key of a shape. The shape is empty if it does not declare the key.
    pub(super) fn applies(&self, shape: &str, key: &str, inside: &NodeTypes) -> bool {
        self.places.split(' ').any(|place| {
            if let Some(item) = place.strip_prefix(':') {
                return inside.has_map(item);
            }
            let (of, name) = place.split_once('.').unwrap_or((shape, place));
            !shape.is_empty() && of == shape && (name == key || name == "*")
        })
    }
}

const DEPTHS: &[&str] = &["full", "root_only", "object_only", "meta_only", "none"];
const PARTS: &[&str] = &["root", "object", "meta", "none"];
const COMPARISONS: &str =
    "question.at_least question.at_most question.more_than question.less_than";
const FLIPPED: &[(&str, &str)] = &[
    ("at_least", "more_than"),
    ("at_most", "less_than"),
    ("more_than", "at_least"),
    ("less_than", "at_most"),
];

/// The operators, in the order in which each key is changed.
pub(super) const RULES: &[OperatorRule] = &[
    rule(
        M::ToggleFinal,
        States,
        Toggle,
        "flow_state.is_final mode_with_phase.final state_front.final",
    ),
    rule(M::DropAside, States, Drop, "aside"),
    rule(M::DropNodeWrite, States, Parts, "cycle_node.writes"),
    rule(M::DropNodeRead, States, Parts, "cycle_node.reads"),
    rule(M::DropTransition, Transitions, Parts, "transitions"),
    rule(M::DropEverywhereExcept, Transitions, Parts, "except"),
    rule(
        M::DropDestination,
        Transitions,
        Drop,
        "effect_outcome.next effect_outcome.digress effect_outcome.hold outcome.becomes \
         outcome.mode class.mode flow_state.max_turns_fallback",
    ),
    rule(
        M::DropBranch,
        Transitions,
        Parts,
        "flow_state.branches flow_state.regions",
    ),
    rule(M::DropHandledIntent, Transitions, Parts, "handles"),
    rule(
        M::DropJoin,
        Transitions,
        Parts,
        "expects_branches join_condition.* exit_when",
    ),
    rule(
        M::ChangeJoin,
        Transitions,
        Next(&["all_complete", "any_complete", "majority"]),
        "join_condition",
    ),
    rule(M::DropHistory, Transitions, Drop, "flow_state.history"),
    rule(
        M::ChangeHistory,
        Transitions,
        Next(&["shallow", "deep"]),
        "flow_state.history",
    ),
    rule(
        M::ChangeMark,
        Transitions,
        Next(&["detour", "degrade"]),
        "mark",
    ),
    rule(M::DropRule, Rules, Parts, "rules"),
    rule(
        M::DropEntryAction,
        Rules,
        Drop,
        "flow_state.on_enter on_enter.action on_join class.action",
    ),
    rule(
        M::DropMixin,
        Rules,
        Parts,
        "flow_state.mixins mixin.includes",
    ),
    rule(
        M::DropPriority,
        Rules,
        Parts,
        ":priority_entry :priority_override",
    ),
    rule(
        M::SwapPriorities,
        Rules,
        SwapKey("priority"),
        ":priority_entry :priority_override",
    ),
    rule(
        M::DropAlternative,
        Alternatives,
        Items,
        ":alternative choices",
    ),
    rule(
        M::SwapAlternatives,
        Alternatives,
        Swap,
        ":alternative choices",
    ),
    rule(
        M::DropCondition,
        Conditions,
        Drop,
        "when condition feature_flag else preserved_field.unless",
    ),
    rule(
        M::DropCondition,
        Conditions,
        Parts,
        "skip_conditions priority_entry.intents",
    ),
    rule(M::ShiftBound, Conditions, Add(&[1, -1]), COMPARISONS),
    rule(
        M::ShiftBound,
        Conditions,
        Add(&[1, -1]),
        "question.between bound_of.plus later.by property.within",
    ),
    rule(M::FlipComparison, Conditions, Rename(FLIPPED), COMPARISONS),
    rule(
        M::ChangeValue,
        Conditions,
        Value,
        "question.is tests.is question.turn",
    ),
    rule(
        M::DropValue,
        Conditions,
        Items,
        "in contains starts_with question.intent question.category question.state question.from \
         question.phase",
    ),
    rule(
        M::ToggleTest,
        Conditions,
        Toggle,
        "known filled question.active",
    ),
    rule(
        M::ReplaceAndOr,
        Mcdc,
        Rename(&[("and", "or"), ("or", "and")]),
        "all_of.and any_of.or",
    ),
    rule(
        M::ChangeLimit,
        Conditions,
        Add(&[1]),
        "counter.limit constant_limits.* persona_limit.* constant_guard.* constant_thresholds.* \
         constant_frustration.* constant_disambiguation.* confidence_thresholds.* option_limits.* \
         interview_limits.* interview_file.threshold task_limits.* reply_limit.* \
         max_turns_in_state phase_exhaust_threshold join_condition.*",
    ),
    rule(
        M::DropLimit,
        Conditions,
        Parts,
        "counter.limit interview_limits.* task_limits.* max_turns_in_state \
         phase_exhaust_threshold system_front.limits reply_limit.states",
    ),
    rule(M::DropGate, Gates, Parts, "effect_kind.gates"),
    rule(M::DropEffect, Gates, Parts, ":effect_call"),
    rule(M::DropOutcome, Gates, Parts, "outcomes gate_with_words.or"),
    rule(M::DropPayload, Gates, Parts, "effect_call.with"),
    rule(
        M::ToggleFlag,
        Conditions,
        Toggle,
        "feature_flags sources enabled cycle_file.gates rollback_supported capability.tests \
         validating bypass_disambiguation fallback effect_call.always use_transitions \
         use_resolver",
    ),
    rule(
        M::ChangePriority,
        Points,
        Next(&["P0", "P1", "P2", "P3"]),
        "point.priority",
    ),
    rule(M::DropDependency, Points, Parts, "point.depends_on"),
    rule(M::DropCriterion, Points, Parts, "point.criteria"),
    rule(
        M::DropCriterion,
        Points,
        Items,
        "keywords any_keyword point_criteria.fields",
    ),
    rule(
        M::ChangeLimit,
        Points,
        Add(&[1]),
        "point_criteria.min_length",
    ),
    rule(M::DropQuestion, Points, Parts, "point.questions"),
    rule(
        M::DropRequiredSlot,
        Slots,
        Parts,
        "required_data state_front.reads",
    ),
    rule(M::DropOptionalSlot, Slots, Parts, "optional_data"),
    rule(M::DropInitial, Slots, Drop, "slot.initial counter.initial"),
    rule(
        M::DropSlotType,
        Slots,
        Drop,
        "slot.type slot.format slot.at_least slot.at_most",
    ),
    rule(M::DropSlotValue, Slots, Items, "slot.values"),
    rule(
        M::DropSet,
        Slots,
        Parts,
        "sets appends set_flags state_front.writes",
    ),
    rule(M::DropClear, Slots, Parts, "clears"),
    rule(M::DropCount, Slots, Parts, "counts"),
    rule(
        M::ChangeCount,
        Slots,
        Add(&[1]),
        "counts count_by.by count_by.to",
    ),
    rule(M::DropClass, Classes, Parts, "classes"),
    rule(M::DropClassIntent, Classes, Items, "class.intent"),
    rule(M::DropRequires, Classes, Set("nothing"), "class.requires"),
    rule(M::DropForbids, Classes, Parts, "class.forbids"),
    rule(M::ChangeAnswer, Classes, Swap, "class.answers"),
    rule(M::ChangeAnswer, Classes, Items, "class.answers"),
    rule(
        M::DropPromise,
        Conditions,
        Parts,
        "class.must class.must_not",
    ),
    rule(M::DropCarryover, Carryover, Parts, "class.carryover"),
    rule(
        M::ChangeCarryover,
        Carryover,
        Next(DEPTHS),
        "class.carryover",
    ),
    rule(M::ChangeCarryover, Carryover, Next(PARTS), "frame.carried"),
    rule(M::DropPreserves, Carryover, Parts, "class.preserves"),
    rule(M::DropExample, Intents, Parts, "examples"),
    rule(M::DropPhrase, Intents, Parts, "say"),
    rule(M::DropPhrase, Intents, Nested, "say"),
    rule(M::DropPhraseSlot, Intents, Groups, "say"),
    rule(
        M::DropCategoryIntent,
        Intents,
        Parts,
        "direct_intents composed_parts.includes",
    ),
    rule(
        M::DropCategoryIntent,
        Intents,
        Nested,
        "constant_intents.categories",
    ),
    rule(M::DropMessage, Lines, Parts, "says"),
    rule(M::DropReply, Lines, Parts, "replies"),
    rule(M::DropMessage, Lines, Items, "interview_texts.* verdicts.*"),
    rule(M::SwapPhases, Phases, Swap, "phases.order"),
];
