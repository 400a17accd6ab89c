//! Unit vectors recorded from the running system. They are data beside the project: where `FSMSIM_CONFORMANCE` does not
//! name their folder, each test says so and passes over them.

use fsmsim::engine::contact::{self, ContactText};
use serde_json::Value;

use crate::support::recordings;

/// The lines of a file of vectors, or nothing where the folder is absent.
fn vectors(file: &str) -> Option<Vec<Value>> {
    let path = recordings()?.join("flow").join(file);
    let text = std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    Some(text.lines().map(|line| serde_json::from_str(line).unwrap()).collect())
}

/// The prefixes of phone numbers that the running system takes.
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
fn contacts() {
    let Some(vectors) = vectors("_vec_contacts.jsonl") else {
        return;
    };
    let mut wrong = Vec::new();
    for vector in &vectors {
        let Some(text) = vector["value"].as_str() else {
            continue;
        };
        let pair = |value: Option<String>| serde_json::json!([value.is_some(), value]);
        let any = match contact::any(text, &PREFIXES) {
            Some(ContactText::Email(text)) => serde_json::json!([true, "email", text]),
            Some(ContactText::Phone(text)) => serde_json::json!([true, "phone", text]),
            None => serde_json::json!([false, vector["any"][1], null]),
        };
        let got = (pair(contact::email(text)), pair(contact::phone(text, &PREFIXES)), any);
        let expected = (vector["email"].clone(), vector["phone"].clone(), vector["any"].clone());
        if got != expected {
            wrong.push(format!("{text:?}: expected {expected:?}, got {got:?}"));
        }
    }
    assert!(wrong.is_empty(), "{} of {}:\n{}", wrong.len(), vectors.len(), wrong.join("\n"));
}
