//! The keys that constants and settings may have. What no source of a dialogue reads, but the bot that the documents describe
//! does, is known too.

use fsmsim_syntax::diagnostic::{Code, Diagnostic, Diagnostics, nearest};
use fsmsim_syntax::document::{Key, Map, Node, boolean_of, unknown_key, wrong_type};

/// The keys that a map may have.
enum Keys {
    /// Any: they are names that the file gives, or belong to somebody else.
    Free,
    /// Any, each with a map of these.
    Each(&'static Keys),
    /// These.
    Of(&'static [(&'static str, Keys)]),
    /// These, and lists under names that the file gives.
    OrLists(&'static [(&'static str, Keys)]),
}

use Keys::{Each, Free, Of, OrLists};

const GUARD: Keys = Of(&[
    ("max_turns", Free),
    ("max_phase_attempts", Free),
    ("max_same_state", Free),
    ("max_same_message", Free),
    ("timeout_seconds", Free),
    ("progress_check_interval", Free),
    ("min_unique_states_for_progress", Free),
    ("high_frustration_threshold", Free),
    ("profiles", Free),
]);

const PATTERN: Keys = Of(&[
    ("intents", Free),
    ("persona_limits", Free),
    ("close_action", Free),
    ("default_action", Free),
]);

const INTENTS: Keys = OrLists(&[
    ("go_back", Free),
    ("categories", Free),
    ("composed_categories", Free),
    ("meanings", Free),
    (
        "intent_pattern_guard",
        Of(&[("enabled", Free), ("patterns", Each(&PATTERN))]),
    ),
    ("intent_action_overrides", Free),
]);

const CONSTANTS: &[(&str, Keys)] = &[
    (
        "limits",
        Of(&[
            ("max_consecutive_objections", Free),
            ("max_total_objections", Free),
            ("max_gobacks", Free),
            ("phase_origin_objection_escape", Free),
        ]),
    ),
    (
        "persona_limits",
        Each(&Of(&[("consecutive", Free), ("total", Free)])),
    ),
    ("feature_flags", Free),
    ("intents", INTENTS),
    (
        "frustration",
        Of(&[
            ("thresholds", Free),
            ("max_level", Free),
            ("weights", Free),
            ("decay", Free),
            ("apology", Free),
            ("intensity", Free),
        ]),
    ),
    (
        "disambiguation",
        Of(&[
            (
                "thresholds",
                Of(&[
                    ("high_confidence", Free),
                    ("medium_confidence", Free),
                    ("low_confidence", Free),
                    ("min_confidence", Free),
                ]),
            ),
            ("gap_threshold", Free),
            (
                "options",
                Of(&[("max_options", Free), ("min_option_confidence", Free)]),
            ),
            ("excluded_intents", Free),
            ("compound_bypass_intents", Free),
            ("cooldown_turns", Free),
            ("question", Free),
        ]),
    ),
    ("guard_defaults", GUARD),
    ("guard", GUARD),
    ("sources", Each(&Of(&[("enabled", Free)]))),
    ("source_flags", Free),
    (
        "roles",
        Of(&[
            ("ambiguous", Free),
            ("unclear", Free),
            ("urgent_move", Free),
            ("high_value", Free),
        ]),
    ),
    (
        "role_categories",
        Of(&[
            ("objection", Free),
            ("positive", Free),
            ("question", Free),
            ("all_questions", Free),
            ("price", Free),
            ("return_triggers", Free),
            ("escalation", Free),
            ("sensitive", Free),
            ("frustration", Free),
        ]),
    ),
    (
        "actions",
        Of(&[
            ("continue_goal", Free),
            ("finished", Free),
            ("go_back", Free),
            ("go_back_refused", Free),
            ("ask_clarification", Free),
            ("answer_price", Free),
            ("answer_facts", Free),
            ("objection_limit", Free),
            ("autonomous", Free),
            ("offer_options", Free),
            ("stall_nudge", Free),
            ("stall_eject", Free),
            ("escalate", Free),
            ("guard_rephrase", Free),
            ("guard_options", Free),
            ("guard_skip", Free),
            ("guard_close", Free),
        ]),
    ),
    ("blocking_actions", Free),
    (
        "states",
        Of(&[
            ("greeting", Free),
            ("handle_objection", Free),
            ("soft_close", Free),
            ("stall_default", Free),
            ("closing", Free),
            ("escalation", Free),
        ]),
    ),
    (
        "autonomous",
        Of(&[("flow", Free), ("prefix", Free), ("targets", Free)]),
    ),
    ("price_question_source", Of(&[("actions", Free)])),
    (
        "fact_question_source",
        Of(&[
            ("enabled", Free),
            ("fact_intents", Free),
            ("default_actions", Free),
            ("fallback_action", Free),
        ]),
    ),
    (
        "thresholds",
        Of(&[
            ("objections_escape_loop", Free),
            ("objections_return_to_phase", Free),
            ("frustration_escalates", Free),
            ("unclear_considered", Free),
            ("unclear_escalates", Free),
            ("large_company", Free),
            ("soft_stall", Free),
            ("phase_exhaust_threshold", Free),
        ]),
    ),
    (
        "window",
        Of(&[
            ("setback", Free),
            ("sideways", Free),
            ("stuck", Free),
            ("neutral", Free),
            ("meaningful_data", Free),
        ]),
    ),
    (
        "policy",
        Of(&[
            ("repeatable_intent_groups", Free),
            ("overlay_allowed_states", Free),
            ("protected_states", Free),
            ("aggressive_actions", Free),
            ("repair_actions", Free),
            ("repair_protected_actions", Free),
            ("pricing_correct_actions", Free),
            ("objection_actions", Free),
        ]),
    ),
    (
        "spin",
        Of(&[
            ("states", Free),
            ("progress_intents", Free),
            ("phases", Free),
            ("phase_classification", Free),
            ("short_answer_classification", Free),
        ]),
    ),
    (
        "context",
        Of(&[("state_order", Free), ("phase_order", Free)]),
    ),
    ("circular_flow", Of(&[("allowed_gobacks", Free)])),
    (
        "greeting_state_safety",
        Of(&[("enabled", Free), ("redirect_to", Free)]),
    ),
    ("intent_taxonomy", Free),
    ("phone_prefixes", Free),
    ("default_priorities", Free),
];

const SETTINGS: &[(&str, Keys)] = &[("feature_flags", Free), ("flow", Of(&[("active", Free)]))];

/// Checks the keys of `constants.yaml`. Its sections may be somebody else's, unless they are nearly ours.
pub(super) fn check_constants(node: &Node, found: &mut Diagnostics) {
    check_file(node, "`constants.yaml`", CONSTANTS, found);
}

/// Checks the keys of `settings.yaml`, as those of the constants.
pub(super) fn check_settings(node: &Node, found: &mut Diagnostics) {
    check_file(node, "`settings.yaml`", SETTINGS, found);
}

/// Checks feature flags. They may be somebody else's, unless they are nearly ours.
pub(super) fn check_flags(flags: &Node, built_in: Option<&Map>, found: &mut Diagnostics) {
    if flags.map().is_none() && !flags.is_null() {
        wrong_type(
            flags,
            "`feature_flags` is a map of names with `true` or `false`",
            found,
        );
    }
    let ours = || {
        built_in
            .into_iter()
            .flat_map(|map| &map.entries)
            .map(|(key, _)| &*key.text)
    };
    for (key, value) in flags.entries() {
        if ours().any(|name| name == &*key.text) {
            boolean_of(value, &key.text, found);
        } else if let Some(near) = nearest(&key.text, ours()) {
            strange(key, "`feature_flags`", near, found);
        }
    }
}

/// Checks the keys of the constants that a flow has of its own.
pub(super) fn check_own_constants(node: &Node, found: &mut Diagnostics) {
    check(node, "`constants`", &Of(CONSTANTS), found);
}

/// Checks that a map has only these keys.
pub(super) fn only(map: &Map, what: &str, known: &[&str], found: &mut Diagnostics) {
    for (key, _) in map
        .entries
        .iter()
        .filter(|(key, _)| !known.contains(&&*key.text))
    {
        unknown_key(key, what, known, found);
    }
}

fn check_file(
    node: &Node,
    file: &str,
    sections: &'static [(&'static str, Keys)],
    found: &mut Diagnostics,
) {
    for (key, value) in node.entries() {
        match sections.iter().find(|(name, _)| *name == &*key.text) {
            Some((name, keys)) => check(value, &format!("`{name}`"), keys, found),
            None => match nearest(&key.text, sections.iter().map(|(name, _)| *name)) {
                Some(near) => strange(key, file, near, found),
                None => found.note_key(&key.text, key.span),
            },
        }
    }
}

/// Tells a key that is nearly a known one.
pub(super) fn strange(key: &Key, what: &str, near: &str, found: &mut Diagnostics) {
    let finding = || {
        Diagnostic::error(
            Code::UnknownKey,
            format!("{what} has no key `{}`", key.text),
        )
        .at(key.span, "not known here")
        .suggest(Some(near), "")
    };
    found.push_key(&key.text, key.span, finding);
}

fn check(node: &Node, what: &str, keys: &Keys, found: &mut Diagnostics) {
    let Some(map) = node.map() else { return };
    let (known, may_list) = match keys {
        Free => return,
        Each(keys) => {
            for (key, value) in &map.entries {
                check(value, &format!("`{}`", key.text), keys, found);
            }
            return;
        }
        Of(known) => (known, false),
        OrLists(known) => (known, true),
    };
    let names = || known.iter().map(|(name, _)| *name);
    for (key, value) in &map.entries {
        if let Some((name, keys)) = known.iter().find(|(name, _)| *name == &*key.text) {
            check(value, &format!("`{name}`"), keys, found);
            continue;
        }
        if may_list && value.list().is_some() && nearest(&key.text, names()).is_none() {
            continue;
        }
        unknown_key(key, what, &names().collect::<Vec<_>>(), found);
    }
}
