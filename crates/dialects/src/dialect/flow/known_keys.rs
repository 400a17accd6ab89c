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
    /// These, each with anything.
    Only(&'static [&'static str]),
    /// These.
    Of(&'static [(&'static str, Keys)]),
    /// These, and lists under names that the file gives.
    OrLists(&'static [(&'static str, Keys)]),
}

use Keys::{Each, Free, Of, Only, OrLists};

const GUARD: Keys = Only(&[
    "max_turns",
    "max_phase_attempts",
    "max_same_state",
    "max_same_message",
    "timeout_seconds",
    "progress_check_interval",
    "min_unique_states_for_progress",
    "high_frustration_threshold",
    "profiles",
]);

const PATTERN: Keys = Only(&[
    "intents",
    "persona_limits",
    "close_action",
    "default_action",
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
        Only(&[
            "max_consecutive_objections",
            "max_total_objections",
            "max_gobacks",
            "phase_origin_objection_escape",
        ]),
    ),
    ("persona_limits", Each(&Only(&["consecutive", "total"]))),
    ("feature_flags", Free),
    ("intents", INTENTS),
    (
        "frustration",
        Only(&[
            "thresholds",
            "max_level",
            "weights",
            "decay",
            "apology",
            "intensity",
        ]),
    ),
    (
        "disambiguation",
        Of(&[
            (
                "thresholds",
                Only(&[
                    "high_confidence",
                    "medium_confidence",
                    "low_confidence",
                    "min_confidence",
                ]),
            ),
            ("gap_threshold", Free),
            ("options", Only(&["max_options", "min_option_confidence"])),
            ("excluded_intents", Free),
            ("compound_bypass_intents", Free),
            ("cooldown_turns", Free),
            ("question", Free),
        ]),
    ),
    ("guard_defaults", GUARD),
    ("guard", GUARD),
    ("sources", Each(&Only(&["enabled"]))),
    ("source_flags", Free),
    (
        "roles",
        Only(&["ambiguous", "unclear", "urgent_move", "high_value"]),
    ),
    (
        "role_categories",
        Only(&[
            "objection",
            "positive",
            "question",
            "all_questions",
            "price",
            "return_triggers",
            "escalation",
            "sensitive",
            "frustration",
        ]),
    ),
    (
        "actions",
        Only(&[
            "continue_goal",
            "finished",
            "go_back",
            "go_back_refused",
            "ask_clarification",
            "answer_price",
            "answer_facts",
            "objection_limit",
            "autonomous",
            "offer_options",
            "stall_nudge",
            "stall_eject",
            "escalate",
            "guard_rephrase",
            "guard_options",
            "guard_skip",
            "guard_close",
        ]),
    ),
    ("blocking_actions", Free),
    (
        "states",
        Only(&[
            "greeting",
            "handle_objection",
            "soft_close",
            "stall_default",
            "closing",
            "escalation",
        ]),
    ),
    ("autonomous", Only(&["flow", "prefix", "targets"])),
    ("price_question_source", Only(&["actions"])),
    (
        "fact_question_source",
        Only(&[
            "enabled",
            "fact_intents",
            "default_actions",
            "fallback_action",
        ]),
    ),
    (
        "thresholds",
        Only(&[
            "objections_escape_loop",
            "objections_return_to_phase",
            "frustration_escalates",
            "unclear_considered",
            "unclear_escalates",
            "large_company",
            "soft_stall",
            "phase_exhaust_threshold",
        ]),
    ),
    (
        "window",
        Only(&["setback", "sideways", "stuck", "neutral", "meaningful_data"]),
    ),
    (
        "policy",
        Only(&[
            "repeatable_intent_groups",
            "overlay_allowed_states",
            "protected_states",
            "aggressive_actions",
            "repair_actions",
            "repair_protected_actions",
            "pricing_correct_actions",
            "objection_actions",
        ]),
    ),
    (
        "spin",
        Only(&[
            "states",
            "progress_intents",
            "phases",
            "phase_classification",
            "short_answer_classification",
        ]),
    ),
    ("context", Only(&["state_order", "phase_order"])),
    ("circular_flow", Only(&["allowed_gobacks"])),
    ("greeting_state_safety", Only(&["enabled", "redirect_to"])),
    ("intent_taxonomy", Free),
    ("phone_prefixes", Free),
    ("default_priorities", Free),
];

const SETTINGS: &[(&str, Keys)] = &[("feature_flags", Free), ("flow", Only(&["active"]))];

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
        Only(known) => return only(map, what, known, found),
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
