//! Where names stand in files: path patterns, each with the kind of the names that stand there.
//!
//! A pattern is a path of keys from the root of a document; lists are passed through. `*` is any key, `**` any number of them,
//! `@` at the end says that the keys there are names; otherwise the values are. `a|b` is one key or the other, and `a?` a key that may
//! be left out.

use super::file_format::FileFormat;
use super::named_kind::NamedKind::{
    self, Action, Category, Class, Condition, Counter, Effect, File, Intent, Mixin, Model,
    Parameter, Phase, Point, Slot, State,
};
use super::named_kind::NamedRole::{self, Defines, Introduces, Uses};

/// A line of a table.
pub(super) type NameRow = (&'static str, NamedKind, NamedRole);

/// A table, and the key below which it holds; nothing where it holds from the root on.
pub(super) type NameRows = (Option<&'static str>, &'static [NameRow]);

/// The tables for files of a format; where two lines fit, the first one counts.
pub(super) fn tables(format: FileFormat) -> &'static [NameRows] {
    match format {
        FileFormat::Flow | FileFormat::States | FileFormat::Mixins | FileFormat::Conditions => &[
            (None, FLOW),
            (Some("constants"), CONSTANTS),
            (None, CONTRACT),
            (None, SHARED),
        ],
        FileFormat::Constants => &[(None, CONSTANTS)],
        FileFormat::Priorities => &[(None, PRIORITIES), (None, SHARED)],
        FileFormat::Contract | FileFormat::SetContract => {
            &[(None, CONTRACT_FILE), (None, CONTRACT), (None, SHARED)]
        }
        FileFormat::Interview => &[(None, INTERVIEW), (None, SHARED)],
        FileFormat::Cycle => &[(None, CYCLE), (None, SHARED)],
        FileFormat::Scenario
        | FileFormat::Transcript
        | FileFormat::Defaults
        | FileFormat::SharedTurns
        | FileFormat::Turns => &[(None, SCENARIO)],
        FileFormat::Persona => &[(None, PERSONA)],
        FileFormat::Mock => &[(None, MOCK)],
        FileFormat::Backend => &[(None, BACKEND)],
        FileFormat::Settings
        | FileFormat::Cases
        | FileFormat::Markdown
        | FileFormat::Config
        | FileFormat::Other => &[],
    }
}

const FLOW: &[NameRow] = &[
    ("states/@", State, Defines),
    ("mixins/@", Mixin, Defines),
    ("conditions/@", Condition, Defines),
    ("states/*/extends", State, Uses),
    ("states/*/mixins", Mixin, Uses),
    ("mixins/*/includes", Mixin, Uses),
    ("states/*/phase", Phase, Introduces),
    ("states/*/spin_phase", Phase, Introduces),
    ("states/*/required_data", Slot, Introduces),
    ("states/*/optional_data", Slot, Introduces),
    ("states|mixins/*/rules/@", Intent, Uses),
    ("states|mixins/*/rules/*", Action, Introduces),
    ("states|mixins/*/rules/*/then", Action, Introduces),
    ("states|mixins/*/transitions/@", Intent, Uses),
    ("states|mixins/*/transitions/*", State, Uses),
    ("states|mixins/*/transitions/*/then", State, Uses),
    ("states|mixins/*/parameters/*", Parameter, Uses),
    ("states/*/max_turns_fallback", State, Uses),
    ("states/*/max_turns_fallback/then", State, Uses),
    ("states/*/on_enter", Action, Introduces),
    ("states/*/on_enter/action", Action, Introduces),
    ("states/*/on_enter/set_flags/@", Slot, Introduces),
    ("states/*/choices/next", State, Uses),
    ("states/*/choices/then", State, Uses),
    ("states/*/choices/condition", Condition, Uses),
    ("states/*/default", State, Uses),
    ("states/*/join_at", State, Uses),
    ("states/*/region", State, Uses),
    ("states/*/branches/start_at", State, Uses),
    ("states/*/branches/condition", Condition, Uses),
    ("states/*/branches/handles", Intent, Uses),
    ("states/*/regions/*/initial", State, Uses),
    ("states/*/regions/*/condition", Condition, Uses),
    ("states/*/regions/*/handles", Intent, Uses),
    ("states/*/on_join/action", Action, Introduces),
    ("states/*/join_condition", Condition, Uses),
    ("states/*/exit_when", Condition, Uses),
    ("flow|meta?/phases/order", Phase, Defines),
    ("flow|meta?/phases/mapping/@", Phase, Introduces),
    ("flow|meta?/phases/mapping/*", State, Uses),
    ("flow|meta?/phases/post_phases_state", State, Uses),
    ("flow|meta?/phases/progress_intents/@", Intent, Uses),
    ("flow|meta?/phases/progress_intents/*", Phase, Uses),
    ("flow|meta?/phases/skip_conditions/@", Phase, Uses),
    ("flow|meta?/phases/skip_conditions/*", Condition, Uses),
    ("flow|meta?/skip_conditions/@", Phase, Uses),
    ("flow|meta?/skip_conditions/*", Condition, Uses),
    ("flow|meta?/entry_points/*", State, Uses),
    ("flow|meta?/variables/*", Parameter, Uses),
    ("defaults/*", Parameter, Uses),
    ("flow|meta?/intents/@", Intent, Defines),
    ("flow|meta?/priorities/intents", Intent, Uses),
    ("flow|meta?/priorities/overrides/intents", Intent, Uses),
    ("flow|meta?/priorities/intent_category", Category, Uses),
    ("flow|meta?/priorities/condition", Condition, Uses),
    ("flow|meta?/priorities/action", Action, Introduces),
];

/// The constants of a root, or those that a flow has of its own.
const CONSTANTS: &[NameRow] = &[
    ("intents/categories/@", Category, Defines),
    ("intents/categories/*", Intent, Introduces),
    ("intents/go_back", Intent, Introduces),
    ("intents/composed_categories/@", Category, Defines),
    ("intents/composed_categories/*/includes", Category, Uses),
    (
        "intents/composed_categories/*/direct_intents",
        Intent,
        Introduces,
    ),
    ("intents/meanings/@", Intent, Defines),
    (
        "intents/intent_pattern_guard/patterns/*/intents",
        Intent,
        Introduces,
    ),
    ("roles/*", Intent, Introduces),
    ("role_categories/*", Category, Uses),
    ("actions/*", Action, Introduces),
    ("states/*", State, Uses),
    ("autonomous/targets", State, Uses),
    ("spin/states/@", Phase, Introduces),
    ("spin/states/*", State, Uses),
    ("spin/progress_intents/@", Intent, Introduces),
    ("spin/progress_intents/*", Phase, Uses),
    ("circular_flow/allowed_gobacks/@", State, Uses),
    ("circular_flow/allowed_gobacks/*", State, Uses),
    ("context/state_order/@", State, Uses),
    ("greeting_state_safety/redirect_to", State, Uses),
    ("window/meaningful_data", Slot, Introduces),
    ("window/*", Intent, Introduces),
    ("fact_question_source/fact_intents", Intent, Introduces),
    ("disambiguation/excluded_intents", Intent, Introduces),
    ("disambiguation/compound_bypass_intents", Intent, Introduces),
    ("policy/repeatable_intent_groups/*", Intent, Introduces),
    ("policy/overlay_allowed_states", State, Uses),
    ("policy/protected_states", State, Uses),
];

const PRIORITIES: &[NameRow] = &[
    ("*/intents", Intent, Introduces),
    ("*/overrides/intents", Intent, Introduces),
    ("*/intent_category", Category, Uses),
    ("*/condition", Condition, Uses),
    ("*/action", Action, Introduces),
    ("*/default_action", Action, Introduces),
];

/// What flows and contracts say of frames, readings and classes.
const CONTRACT: &[NameRow] = &[
    ("readings/@", Intent, Defines),
    ("classes/@", Class, Defines),
    ("classes/*/reads", Intent, Uses),
    ("classes/*/mode", State, Uses),
    ("classes/*/action", Action, Introduces),
    ("classes/*/must/*", Condition, Uses),
    ("classes/*/must_not/*", Condition, Uses),
    ("outcomes/*/becomes", Class, Uses),
    ("outcomes/*/mode", State, Uses),
    ("moves/@", State, Uses),
    ("moves/*/@", State, Uses),
];

const CONTRACT_FILE: &[NameRow] = &[
    ("modes/@", State, Defines),
    ("modes/*/phase", Phase, Introduces),
    ("modes", State, Defines),
    ("initial", State, Uses),
];

const INTERVIEW: &[NameRow] = &[
    ("points/@", Point, Defines),
    ("points/*/depends_on", Point, Uses),
    ("points/*/field", Slot, Introduces),
    ("points/*/criteria/fields", Slot, Introduces),
    ("without", Point, Uses),
    ("extends", File, Uses),
    ("knowledge", File, Uses),
];

const CYCLE: &[NameRow] = &[
    ("nodes/@", State, Defines),
    ("nodes/*/phase", Phase, Introduces),
    ("conditions/@", Condition, Defines),
];

/// What every definition may say: conditions and operations, wherever they stand.
const SHARED: &[NameRow] = &[
    // Above `intents`, whose sections are none, so that only what is left are intents.
    ("intents/intent_action_overrides/@", Intent, Uses),
    ("intents/@", Intent, Defines),
    ("slots/@", Slot, Defines),
    ("counters/@", Counter, Defines),
    ("effects/@", Effect, Defines),
    ("events", Intent, Defines),
    ("**/when", Condition, Uses),
    ("**/and", Condition, Uses),
    ("**/or", Condition, Uses),
    ("**/not", Condition, Uses),
    ("**/expression", Condition, Uses),
    ("**/slot", Slot, Uses),
    ("**/same_as", Slot, Uses),
    ("**/intent", Intent, Uses),
    ("**/intent/is", Intent, Uses),
    ("**/intent/in", Intent, Uses),
    ("**/category", Category, Uses),
    ("**/streak", Intent, Uses),
    ("**/total", Intent, Uses),
    ("**/state", State, Uses),
    ("**/state/is", State, Uses),
    ("**/state/in", State, Uses),
    ("**/from", State, Uses),
    ("**/phase", Phase, Uses),
    ("**/phase/is", Phase, Uses),
    ("**/phase/in", Phase, Uses),
    ("**/counter", Counter, Uses),
    ("**/counts/@", Counter, Uses),
    ("**/sets/@", Slot, Introduces),
    ("**/appends/@", Slot, Introduces),
    ("**/clears", Slot, Uses),
    ("**/clears/slot", Slot, Uses),
    ("**/effects", Effect, Uses),
    ("**/effects/effect", Effect, Uses),
    ("**/outcomes/*/next", State, Uses),
    ("**/outcomes/*/aside", State, Uses),
    ("conditions/*", Condition, Uses),
    ("properties/*/*", Condition, Uses),
];

const SCENARIO: &[NameRow] = &[
    ("model", Model, Uses),
    ("llm", File, Uses),
    ("cases", File, Uses),
    ("start/twin", File, Uses),
    ("start/backend", File, Uses),
    ("turns/use", File, Uses),
    ("start/state", State, Uses),
    ("start/data/@", Slot, Uses),
    ("turns/intent", Intent, Uses),
    ("turns/also", Intent, Uses),
    ("turns/event", Intent, Uses),
    ("turns/data/@", Slot, Uses),
    ("turns/goto", State, Uses),
    ("turns/before/state", State, Uses),
    ("turns/before/next_state", State, Uses),
    ("turns/before/phase", Phase, Uses),
    ("turns/before/action", Action, Uses),
    ("turns/before/data/@", Slot, Uses),
    ("**/expect|end|always|never/state/**", State, Uses),
    ("**/expect|end|always|never/return_state/**", State, Uses),
    ("**/expect|end|always|never/path/**", State, Uses),
    ("**/expect|end|always|never/phase/**", Phase, Uses),
    ("**/expect|end|always|never/action/**", Action, Uses),
    ("**/expect|end|always|never/contract_class/**", Class, Uses),
    ("**/expect|end|always|never/missing/**", Slot, Uses),
    ("**/expect|end|always|never/carryover/*/**", Slot, Uses),
    ("**/expect|end|always|never/data/@", Slot, Uses),
    ("**/expect|end|always|never/points/@", Point, Uses),
    ("turns/answers/answer/intent", Intent, Uses),
    ("turns/answers/answer/target", State, Uses),
    ("turns/answer/intent", Intent, Uses),
    ("turns/answer/target", State, Uses),
];

const PERSONA: &[NameRow] = &[
    ("weights/intent", Intent, Uses),
    ("weights/category", Category, Uses),
    ("weights/in", State, Uses),
    ("weights/turn/intent", Intent, Uses),
    ("weights/turn/data/@", Slot, Uses),
    ("data/@", Slot, Uses),
    ("answers_with", Intent, Uses),
    ("gives_up_with", Intent, Uses),
];

const MOCK: &[NameRow] = &[
    ("queue|rules/state", State, Uses),
    ("queue|rules/answer/intent", Intent, Uses),
    ("queue|rules/answer/target", State, Uses),
    ("queue|rules/answer/also", Intent, Uses),
    ("queue|rules/answer/data/@", Slot, Uses),
];

const BACKEND: &[NameRow] = &[
    ("answers/effect", Effect, Uses),
    ("answers/when/@", Slot, Uses),
];
