//! Usable email addresses and phone numbers.

use fsmsim::engine::contact::{self, ContactText};
use serde_json::json;

use super::{report, vectors};

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
        let got = (pair(contact::email(text)), pair(contact::phone(text, &PREFIXES)), any);
        let expected = (vector["email"].clone(), vector["phone"].clone(), vector["any"].clone());
        if got != expected {
            wrong.push(format!("{text:?}: expected {expected:?}, got {got:?}"));
        }
    }
    report("contacts", compared, &wrong);
}
