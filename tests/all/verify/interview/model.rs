//! The documented model of a set of points: questions in the order of priority, after their dependencies.

use std::fmt::Write as _;

use serde_json::{Value, json};

/// A point that is never completed, so points that depend on it are never asked.
pub(super) const NOBODY_KNOWS: &str = "nobody_knows";

pub(super) fn model(name: &str, points: &[Value]) -> String {
    let possible = possible(points);
    let mut text = format!(
        "kind: interview\ninterview: {{name: {name}}}\nlanguage: ru\nlimits: {{questions: 30, follow_ups: 5}}\nthreshold: 0.7\npoints:\n"
    );
    for point in points {
        let others: Vec<&str> = texts(&point["depends_on"])
            .into_iter()
            .map(|other| {
                if possible.contains(&id(point)) || possible.contains(&other) {
                    other
                } else {
                    NOBODY_KNOWS
                }
            })
            .collect();
        let (id, name, priority) = (id(point), json!(point["name"]), &point["priority"]);
        writeln!(
            text,
            "  {id}: {{name: {name}, priority: P{priority}, depends_on: {}}}",
            json!(others)
        )
        .unwrap();
    }
    if needs_one_more(points) {
        writeln!(
            text,
            "  {NOBODY_KNOWS}: {{name: What nobody knows, priority: P3}}"
        )
        .unwrap();
    }
    text
}

/// Whether the set is empty or has points that can never be asked. The model then has one more point, which is skipped.
pub(super) fn needs_one_more(points: &[Value]) -> bool {
    possible(points).len() < points.len() || points.is_empty()
}

/// The points that can be asked: all their dependencies can be asked.
fn possible(points: &[Value]) -> Vec<&str> {
    let mut possible: Vec<&str> = Vec::new();
    loop {
        let is_next = |point: &&Value| {
            !possible.contains(&id(point))
                && texts(&point["depends_on"])
                    .iter()
                    .all(|other| possible.contains(other))
        };
        match points.iter().find(is_next) {
            Some(next) => possible.push(id(next)),
            None => return possible,
        }
    }
}

pub(super) fn id(point: &Value) -> &str {
    point["id"].as_str().unwrap()
}

fn texts(list: &Value) -> Vec<&str> {
    list.as_array()
        .unwrap()
        .iter()
        .map(|text| text.as_str().unwrap())
        .collect()
}
