//! Usable email addresses and phone numbers.

use fsmsim_core::engine::contact::{self, ContactText};
use fsmsim_core::engine::{ConditionExplainer, Input, Session, Symbol};
use fsmsim_core::machine::Profile;
use fsmsim_dialects::dialect::Loader;
use serde_json::json;

use super::{config, load, report, value, vectors};

/// The prefixes of phone numbers that the running system accepts.
const PREFIXES: [(u16, u16); 13] = [
    (900, 999),
    (700, 709),
    (747, 747),
    (771, 771),
    (775, 778),
    (495, 495),
    (499, 499),
    (812, 812),
    (343, 343),
    (383, 383),
    (861, 861),
    (727, 727),
    (717, 717),
];

#[test]
fn contacts_match_recorded_values() {
    let Some(vectors) = vectors("_vec_contacts.jsonl") else {
        return;
    };
    let (mut compared, mut wrong) = (0, Vec::new());
    for vector in &vectors {
        let Some(text) = vector["value"].as_str() else {
            continue;
        };
        compared += 1;
        let pair = |value: Option<String>| json!([value.is_some(), value]);
        let any = match contact::any(text, &PREFIXES) {
            Some(ContactText::Email(text)) => json!([true, "email", text]),
            Some(ContactText::Phone(text)) => json!([true, "phone", text]),
            None => json!([false, vector["any"][1], null]),
        };
        let got = (
            pair(contact::email(text)),
            pair(contact::phone(text, &PREFIXES)),
            any,
        );
        let expected = (
            vector["email"].clone(),
            vector["phone"].clone(),
            vector["any"].clone(),
        );
        if got != expected {
            wrong.push(format!("{text:?}: expected {expected:?}, got {got:?}"));
        }
    }
    report("contacts", compared, &wrong);
}

/// Searches the collected data for a usable contact. The recorded source and notation of the contact are ignored,
/// because the engine does not store them.
#[test]
fn collected_contacts_match_recorded_values() {
    let (Some(vectors), Some(config)) = (vectors("_vec_contacts.jsonl"), config()) else {
        return;
    };
    let flow = config.join("flows/spin_selling");
    let machine = load(
        &mut Loader::default(),
        &flow,
        Profile::Reference,
        Some(&config),
    )
    .unwrap();
    let condition = machine
        .names
        .conditions
        .id("has_validated_contact")
        .unwrap();
    let (mut compared, mut wrong) = (0, Vec::new());
    for vector in &vectors {
        let Some(data) = vector["collected_data"].as_object() else {
            continue;
        };
        compared += 1;
        let mut session = Session::new(&machine);
        for (name, data) in data {
            session
                .slots
                .set_name(&Symbol::of(name, &machine.names.slots), value(data));
        }
        let input = Input::default();
        let got = ConditionExplainer::new(&machine, machine.settings(), &session, &input)
            .value(condition);
        if json!(got.ok()) != vector["valid"] {
            wrong.push(format!("{vector}: got {got:?}"));
        }
    }
    report("collected contacts", compared, &wrong);
}
