//! Checks that the digital twin is accessed only with consent, and only for data that a state declares
//! (docs/src/explanation/effects-and-consent.md).

use super::{CheckContext, Finding};
use crate::verify::import::BorrowedJson;
use fsmsim_core::trace::RecordField;

pub(super) fn check(context: &CheckContext<'_>, breaches: &mut Vec<Finding>) {
    let effects = context.now.field(RecordField::Effects).into_iter();
    for effect in effects
        .flat_map(BorrowedJson::items)
        .filter(|effect| effect.at("verdict").text() == Some("allowed"))
    {
        let kind = effect.at("effect").text();
        let state = effect.at("state").text().unwrap_or_default();
        let agreed = match (kind, context.shadow.consent) {
            (Some("read"), Some(consent)) => consent.read == Some(true),
            (Some("write"), Some(consent)) => consent.write == Some(true),
            _ => true,
        };
        let kind = kind.unwrap_or_default();
        let id = context.machine().state_id(state);
        if !agreed {
            let found = format!("{kind} for `{state}` was allowed");
            let declared = format!("the user did not consent to {kind} access");
            breaches.push(context.breach("effect_without_consent", id, found, declared));
        }
        undeclared(context, effect, kind, state, breaches);
    }
}

/// Reports reads of keys, and writes of schemas, that the state does not declare.
fn undeclared(
    context: &CheckContext<'_>,
    effect: &BorrowedJson<'_>,
    kind: &str,
    state: &str,
    breaches: &mut Vec<Finding>,
) {
    let machine = context.machine();
    let id = machine.state_id(state);
    let guide = id.and_then(|id| machine.guide(id));
    let keys = effect
        .at("keys")
        .items()
        .iter()
        .filter_map(BorrowedJson::text);
    let undeclared_names: Vec<&str> = match kind {
        "read" => keys
            .filter(|key| {
                let slot = machine.names.slots.id(key);
                !slot.is_some_and(|slot| guide.is_some_and(|guide| guide.reads.contains(&slot)))
            })
            .collect(),
        "write" => {
            let declared = guide
                .and_then(|guide| guide.writes)
                .map(|schema| &*machine.schemas[schema].name);
            effect
                .at("schema")
                .text()
                .into_iter()
                .filter(|schema| Some(*schema) != declared)
                .collect()
        }
        _ => return,
    };
    if !undeclared_names.is_empty() {
        let found = format!(
            "{kind} of `{}` for `{state}`",
            undeclared_names.join("`, `")
        );
        let declared = "the state does not declare it".to_owned();
        breaches.push(context.breach("undeclared_effect", id, found, declared));
    }
}
