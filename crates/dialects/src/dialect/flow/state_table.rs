//! The flat state table and phase table that a configuration root can contain.
//!
//! The engine does not use them, but they are checked (docs/src/explanation/flows.md).

use rustc_hash::FxHashSet;

use fsmsim_syntax::diagnostic::{Code, Diagnostic, Diagnostics};
use fsmsim_syntax::document::{Key, Node, text_of};

/// Checks that the constants and the two tables are consistent.
pub(super) fn check_state_table(
    constants: Option<&Node>,
    table: Option<&Node>,
    phases: Option<&Node>,
    found: &mut Diagnostics,
) {
    check_thresholds(constants, found);
    let Some(states) = table
        .and_then(|table| table.get("states"))
        .and_then(Node::map)
    else {
        return;
    };
    let known: FxHashSet<&str> = states.keys().collect();
    for (_, state) in &states.entries {
        for (_, rule) in state.get("transitions").into_iter().flat_map(Node::entries) {
            check_targets(rule, &known, found);
        }
    }
    let Some(constants) = constants else { return };
    for (_, node) in entries(constants, "spin.states") {
        check_state(node, &known, "`spin.states`", found);
    }
    if let Some(phases) = phases {
        check_phases(phases, &known, found);
    }
    let mut or_phase = known.clone();
    or_phase.extend(entries(constants, "spin.states").filter_map(|(_, node)| node.text()));
    for (_, list) in entries(constants, "lead_scoring.skip_phases") {
        for item in list.list().unwrap_or_default() {
            check_state(item, &or_phase, "`lead_scoring.skip_phases`", found);
        }
    }
    for (key, node) in entries(constants, "circular_flow.allowed_gobacks") {
        if !known.contains(&*key.text) {
            found.push(
                disagree(&key.text, "`circular_flow.allowed_gobacks`", &known)
                    .at(key.span, "not in the state table"),
            );
        }
        check_state(node, &known, "`circular_flow.allowed_gobacks`", found);
    }
}

/// Checks that the frustration thresholds of the guard and of the tone analysis are equal.
fn check_thresholds(constants: Option<&Node>, found: &mut Diagnostics) {
    let at = |path| at(constants?, path);
    let guard = at("guard.high_frustration_threshold");
    let tone = at("frustration.thresholds.high");
    if let (Some(guard), Some(tone)) = (guard, tone)
        && guard.atom() != tone.atom()
    {
        Diagnostic::error(
            Code::ConstantsDisagree,
            "thresholds of high frustration differ",
        )
        .at(guard.span, "`guard.high_frustration_threshold`")
        .at(tone.span, "`frustration.thresholds.high`")
        .help("set both to the same number")
        .add_to(found);
    }
}

/// Checks that each phase in the order has an entry, and that the state table contains the state of the entry.
fn check_phases(phases: &Node, known: &FxHashSet<&str>, found: &mut Diagnostics) {
    let table = phases.get("phases");
    for item in phases
        .get("phase_order")
        .and_then(Node::list)
        .unwrap_or_default()
    {
        let Some(name) = text_of(item, "an item of `phase_order`", found) else {
            continue;
        };
        match table.and_then(|table| table.get(name)) {
            None => {
                Diagnostic::error(
                    Code::ConstantsDisagree,
                    format!("missing phase `{name}` under `phases`"),
                )
                .at(item.span, "only in the order")
                .help("add the entry, or remove the phase from the order")
                .add_to(found);
            }
            Some(phase) => {
                if let Some(state) = phase.get("state").filter(|node| !node.is_null()) {
                    check_state(state, known, "the phase table", found);
                }
            }
        }
    }
}

fn check_targets(rule: &Node, known: &FxHashSet<&str>, found: &mut Diagnostics) {
    let target = |node: &Node, found: &mut Diagnostics| {
        if node.text().is_some_and(|text| !text.contains("{{")) {
            check_state(node, known, "a transition of the state table", found);
        }
    };
    match (rule.list(), rule.map()) {
        (Some(items), _) => items
            .iter()
            .for_each(|item| check_targets(item, known, found)),
        (_, Some(map)) => {
            if let Some(then) = map.get("then") {
                target(then, found);
            }
        }
        _ => target(rule, found),
    }
}

fn check_state(node: &Node, known: &FxHashSet<&str>, what: &str, found: &mut Diagnostics) {
    if let Some(name) = node.text().filter(|name| !known.contains(name)) {
        found.push(disagree(name, what, known).at(node.span, "not in the state table"));
    }
}

fn disagree(name: &str, what: &str, known: &FxHashSet<&str>) -> Diagnostic {
    let mut names: Vec<&str> = known.iter().copied().collect();
    names.sort_unstable();
    Diagnostic::error(
        Code::ConstantsDisagree,
        format!("unknown state `{name}` in {what}"),
    )
    .near(
        name,
        names,
        "add the state to the table, or use another one",
    )
}

/// The value at a dotted path.
fn at<'n>(node: &'n Node, path: &str) -> Option<&'n Node> {
    path.split('.').try_fold(node, |node, key| node.get(key))
}

fn entries<'n>(node: &'n Node, path: &str) -> impl Iterator<Item = &'n (Key, Node)> + use<'n> {
    at(node, path).into_iter().flat_map(Node::entries)
}
