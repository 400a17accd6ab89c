//! A turn, as the inspector shows it.

use std::collections::BTreeSet;

use serde::Serialize;
use serde_json::Value as Json;

use super::condition_view::{ConditionView, WantedConditions, conditions_at};
use crate::report::SourceExcerpt;
use fsmsim_harness::rehearsal::{Rehearsal, TurnWhy};
use fsmsim_syntax::diagnostic::SourceMap;

/// A turn, with all that is known of it.
#[derive(Debug, Serialize)]
pub struct TurnView {
    number: u32,
    /// Why it went as it did, in a sentence; empty where that is not known.
    why: String,
    /// Proposals that lost, each in a sentence.
    lost: Vec<String>,
    /// Sources that contributed nothing, since something was wrong.
    faults: Vec<String>,
    rules: Vec<RuleView>,
    rejected: Vec<RejectedView>,
    data: Vec<DataView>,
    counters: Vec<CounterView>,
    conditions: Vec<ConditionView>,
    record: Json,
}

/// A rule that decided.
#[derive(Debug, Serialize)]
struct RuleView {
    what: &'static str,
    value: String,
    by: Option<&'static str>,
    at: Option<String>,
    mixin: Option<String>,
    excerpt: Option<SourceExcerpt>,
}

/// A proposal that lost.
#[derive(Debug, Serialize)]
struct RejectedView {
    kind: Json,
    value: Json,
    by: Json,
    why: Json,
    at: Json,
    /// In a sentence; nothing where that is not known.
    told: Option<String>,
}

/// A slot before and after the turn.
#[derive(Debug, Serialize)]
struct DataView {
    slot: String,
    before: Json,
    after: Json,
    how: &'static str,
}

/// A counter before and after the turn.
#[derive(Debug, Serialize)]
struct CounterView {
    name: String,
    before: Json,
    after: Json,
}

impl TurnView {
    /// The turn of a moment.
    ///
    /// # Errors
    /// That there is none, in a sentence.
    pub fn of(rehearsal: &Rehearsal, number: u32) -> Result<Self, String> {
        let moment = rehearsal
            .tree()
            .moment(number)
            .ok_or_else(|| format!("there is no moment {number}"))?;
        let record: Json = serde_json::from_str(&moment.record).unwrap_or_default();
        let before = rehearsal.tree().moment(moment.before);
        let before: Json = before
            .and_then(|before| serde_json::from_str(&before.record).ok())
            .unwrap_or_default();
        let why = rehearsal.why_at(number).cloned().unwrap_or_default();
        let files = &rehearsal.dialogue().machine().files;
        Ok(Self {
            number,
            rules: rules(&why, files),
            rejected: rejected(&record, &why),
            data: data(&before, &record),
            counters: counters(&before, &record),
            conditions: conditions(rehearsal, number, moment.before)?,
            why: why.sentence,
            lost: why.lost,
            faults: why.faults,
            record,
        })
    }
}

fn rules(why: &TurnWhy, files: &SourceMap) -> Vec<RuleView> {
    let rule = why.rules.iter().map(|rule| RuleView {
        what: rule.what,
        value: rule.value.clone(),
        by: rule.by,
        excerpt: rule.at.as_deref().and_then(|at| excerpt_at(at, files)),
        at: rule.at.clone(),
        mixin: rule.mixin.clone(),
    });
    rule.collect()
}

/// The lines around `FILE:LINE`, in a file of these.
pub fn excerpt_at(at: &str, files: &SourceMap) -> Option<SourceExcerpt> {
    let (file, line) = at.rsplit_once(':')?;
    let line = line.parse().ok().filter(|line| *line > 0)?;
    Some(SourceExcerpt::of(files.named(file)?, line))
}

fn rejected(record: &Json, why: &TurnWhy) -> Vec<RejectedView> {
    let rejected = record
        .get("rejected")
        .and_then(Json::as_array)
        .into_iter()
        .flatten();
    let rejected = rejected.enumerate().map(|(number, proposal)| {
        let field = |key: &str| proposal.get(key).cloned().unwrap_or_default();
        RejectedView {
            kind: field("kind"),
            value: field("value"),
            by: field("by"),
            why: field("why"),
            at: field("rule"),
            told: why.lost.get(number).cloned(),
        }
    });
    rejected.collect()
}

fn data(before: &Json, after: &Json) -> Vec<DataView> {
    let of =
        |record: &Json, slot: &str| record.get("data").and_then(|data| data.get(slot)).cloned();
    let names = [before, after]
        .into_iter()
        .filter_map(|record| record.get("data")?.as_object());
    let names: BTreeSet<&String> = names.flat_map(|data| data.keys()).collect();
    let rows = names.into_iter().map(|slot| {
        let (before, after) = (of(before, slot), of(after, slot));
        let how = match (&before, &after) {
            (None, _) => "added",
            (_, None) => "dropped",
            (before, after) if before == after => "kept",
            _ => "changed",
        };
        DataView {
            slot: slot.clone(),
            how,
            before: before.unwrap_or_default(),
            after: after.unwrap_or_default(),
        }
    });
    rows.collect()
}

fn counters(before: &Json, after: &Json) -> Vec<CounterView> {
    let counters = after
        .get("counters")
        .and_then(Json::as_object)
        .into_iter()
        .flatten();
    let was = |name: &str| {
        before
            .get("counters")
            .and_then(|counters| counters.get(name))
            .cloned()
    };
    counters
        .map(|(name, value)| CounterView {
            name: name.clone(),
            before: was(name).unwrap_or_default(),
            after: value.clone(),
        })
        .collect()
}

/// The conditions that the state asked in which the turn began, as they are behind the turn.
fn conditions(
    rehearsal: &Rehearsal,
    number: u32,
    before: u32,
) -> Result<Vec<ConditionView>, String> {
    // A turn of a former model may not be one of this model.
    let Ok(turn) = rehearsal.turn_at(number) else {
        return Ok(Vec::new());
    };
    let dialogue = rehearsal.dialogue();
    let (session, from) = (rehearsal.session_at(number)?, rehearsal.session_at(before)?);
    let said = turn
        .input
        .intent
        .as_ref()
        .and_then(fsmsim_core::engine::Symbol::known);
    let wanted = WantedConditions::Of(from.position.state, said);
    Ok(conditions_at(
        dialogue.machine(),
        dialogue.settings(),
        &session,
        &turn,
        wanted,
    ))
}
