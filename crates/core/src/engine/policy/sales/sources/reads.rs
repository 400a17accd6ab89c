//! The parts of a session that the sources of a sales dialogue read.

use super::super::{Pattern, PersonaLimits, Roles, SalesConfig, SalesSettings};
use crate::engine::{Cap, Readers, SourceKind, at_least};
use crate::machine::{IntentId, LimitId, Signal, Subject, Test, Value};

/// Reports what the running sources read.
pub(in crate::engine::policy::sales) fn reads(
    config: &SalesConfig,
    own: &SalesSettings,
    readers: &mut Readers<'_>,
) {
    let settings = readers.settings;
    let has = |kind| settings.sources.has(kind);
    let limit = |id: LimitId| settings.limit(id);
    let most = readers.machine.settings();
    let objection = config.categories.objection;
    let documented = settings.switches.objection_limits;
    if has(SourceKind::GoBackGuard) {
        readers
            .reads
            .go_backs
            .widen(Cap::At(limit(config.limits.go_backs)));
    }
    let (mut in_row, mut in_all) = (0, 0);
    if has(SourceKind::ObjectionGuard) {
        readers
            .reads
            .written
            .extend(config.slots.objection_limit_final);
        if documented && !own.personas.given {
            in_row = limit(config.limits.consecutive_objections);
            in_all = limit(config.limits.total_objections);
        } else {
            personas(config, &own.personas.table, readers);
            for (_, limits) in &own.personas.table {
                in_row = in_row.max(limits.consecutive);
                in_all = in_all.max(limits.total);
            }
        }
    }
    if !documented {
        in_row = in_row.max(most.limit(config.limits.consecutive_objections));
        in_all = in_all.max(most.limit(config.limits.total_objections));
    }
    if has(SourceKind::ObjectionReturn) {
        let thresholds = &config.thresholds;
        if !settings.switches.objection_return {
            in_row = in_row
                .max(thresholds.phase_escape)
                .max(thresholds.loop_escape);
            in_all = in_all.max(most.limit(config.limits.total_objections));
        }
    }
    let stalls = has(SourceKind::StallGuard) || has(SourceKind::PhaseExhausted);
    let turns = readers
        .machine
        .states
        .iter()
        .map(|state| state.max_turns.max(0))
        .max();
    let turns = turns.filter(|turns| stalls && *turns > 0);
    readers.reads.returns |= has(SourceKind::ObjectionReturn) || turns.is_some();
    // A positive intent after an objection settles it, and clears the return state.
    in_row = in_row.max(i64::from(readers.reads.returns));
    if in_row > 0 {
        readers.category_streak(objection, in_row);
    }
    if in_all > 0 {
        readers.category_total(objection, in_all);
    }
    if has(SourceKind::Escalation) {
        let thresholds = &config.thresholds;
        if let Some(unclear) = config.unclear {
            let most = thresholds
                .unclear_considered
                .max(thresholds.unclear_escalates + 1);
            readers.intent_total(unclear, most);
        }
        let frustrated = thresholds.frustration_escalates;
        readers.category_total(config.categories.frustration, frustrated);
        if let Some(slot) = config.slots.company_size {
            readers.slot(
                slot,
                Subject::Slot(slot),
                &at_least(thresholds.large_company),
            );
        }
    }
    if has(SourceKind::IntentPatternGuard) {
        let decides =
            |pattern: &&Pattern| decides_more(readers, |intent| pattern.intents.contains(intent));
        let patterns: Vec<&Pattern> = config.patterns.iter().filter(decides).collect();
        readers.reads.hides_actions |= patterns.len() < config.patterns.len();
        for pattern in patterns {
            personas(config, &pattern.personas, readers);
            let row = pattern
                .personas
                .iter()
                .map(|(_, limits)| 2 * limits.consecutive)
                .max();
            let all = pattern
                .personas
                .iter()
                .map(|(_, limits)| limits.total)
                .max();
            readers.category_streak(pattern.category, row.unwrap_or(0));
            readers.category_total(pattern.category, all.unwrap_or(0));
            let in_category = |intent: &&IntentId| {
                let intent = readers.machine.intent(**intent);
                pattern
                    .category
                    .is_some_and(|category| intent.in_category(category))
            };
            let uncounted: Vec<IntentId> = pattern
                .intents
                .iter()
                .filter(|intent| !in_category(intent))
                .copied()
                .collect();
            for intent in uncounted {
                readers.reads.runs.extend(&pattern.intents);
                readers.intent_total(intent, all.unwrap_or(0));
            }
        }
    }
    if let Some(limits) = own.guard.filter(|_| has(SourceKind::ConversationGuard)) {
        let high = limits.high_frustration;
        readers.reads.frustration.extend([high - 1, high]);
        let required = readers
            .machine
            .states
            .iter()
            .flat_map(|state| &state.required);
        required.for_each(|slot| readers.slot(*slot, Subject::Slot(*slot), &Test::Known(true)));
    }
    let answers = has(SourceKind::PriceQuestion) || has(SourceKind::FactQuestion);
    let asks = |intent: &IntentId| {
        !settings.switches.repeated_question
            || config.intent(*intent).roles.contains(Roles::ANY_QUESTION)
    };
    let answers_more = answers && decides_more(readers, asks);
    readers.reads.hides_actions |= answers && !answers_more;
    if answers_more {
        readers.signal(Signal::RepeatedQuestion, Cap::Exact);
        let known = readers.machine.known_intents().iter().copied();
        for role in [Roles::PRICE, Roles::FACT] {
            let first = known
                .clone()
                .find(|intent| config.intent(*intent).roles.contains(role));
            readers.reads.also.extend(first);
        }
    }
    if let Some(turns) = turns {
        let most = turns.max(config.thresholds.soft_stall + 1);
        readers.signal(Signal::ConsecutiveSameState, Cap::At(most));
        readers.signal(Signal::IsProgressing, Cap::At(1));
    }
}

/// Whether a source that only proposes an action in turns with these intents decides more than the action: the action
/// has a reply, or it replaces a rule that blocks the transition or has operations.
fn decides_more(readers: &Readers<'_>, asks: impl Fn(&IntentId) -> bool) -> bool {
    let machine = readers.machine;
    let chains = machine.states.iter().flat_map(|state| state.rules.iter());
    let mut rules = chains
        .filter(|(intent, _)| asks(intent))
        .flat_map(|(_, chain)| machine.alternatives(chain));
    let blocking = &machine.well_known.blocking_actions;
    !machine.replies.is_empty()
        || rules.any(|alternative| {
            let blocks = alternative
                .then
                .action()
                .is_some_and(|action| blocking.contains(&action));
            blocks || !machine.ops(alternative.rule).is_empty()
        })
}

/// The slot of the persona, if limits depend on it.
fn personas(config: &SalesConfig, table: &[(Box<str>, PersonaLimits)], readers: &mut Readers<'_>) {
    let Some(slot) = config.slots.persona else {
        return;
    };
    for (name, _) in table {
        readers.slot(
            slot,
            Subject::Slot(slot),
            &Test::Is([Value::text(name)].into()),
        );
    }
}
