//! Converts a recorded dialogue into our trace format. Question texts, saved data and assessments were not recorded, so the
//! trace omits them.

use std::collections::BTreeMap;

use serde_json::{Map, Value, json};

use super::model::{NOBODY_KNOWS, id, needs_one_more};
use super::recording::{Recording, Step};

/// The state of the conversion after each step of the recording.
struct Conversion<'r> {
    points: &'r [Value],
    /// The stored answer of each point.
    texts: BTreeMap<&'r str, &'r str>,
    /// The number of questions for each point.
    asked: BTreeMap<&'r str, u32>,
    /// The last recorded data of all points.
    known: &'r Value,
    /// The current state.
    state: String,
}

/// The trace of a recorded dialogue.
pub(super) fn trace(recording: &Recording, points: &[Value]) -> String {
    let name = recording.name();
    let head = json!({
        "fsmsim_trace": 3, "dialogue": name, "session": name, "signals": "derived", "seed": 0,
        "machine": {"name": recording.set(), "dialect": "interview", "profile": "documented"},
        "start": start(recording, points),
    });
    let mut conversion = Conversion {
        points,
        texts: BTreeMap::new(),
        asked: BTreeMap::new(),
        known: &Value::Null,
        state: "start".to_owned(),
    };
    let steps = recording.steps();
    let turns: Vec<String> = (1..)
        .zip(&steps)
        .map(|(number, step)| format!("{}\n", conversion.turn(number, step)))
        .collect();
    format!(
        "{head}\n{}{}\n",
        turns.concat(),
        json!({"end": name, "turns": turns.len()})
    )
}

/// The start of the dialogue: its limit of follow-ups, and the points that were filled in advance.
fn start(recording: &Recording, points: &[Value]) -> Value {
    let config = &recording.dialogue["config"];
    let mut data = Map::new();
    for filled in config["prefill"].as_array().unwrap() {
        let id = filled[0].as_str().unwrap();
        data.insert(format!("{id}.state"), json!("completed"));
        data.insert(format!("{id}.confidence"), filled[1].clone());
    }
    if needs_one_more(points) {
        data.insert(format!("{NOBODY_KNOWS}.state"), json!("skipped"));
    }
    json!({"limits": {"follow_ups": config["max_follow_ups"]}, "data": data})
}

impl<'r> Conversion<'r> {
    /// A turn: the answer to the last question, and the next question or the end.
    fn turn(&mut self, number: usize, step: &Step<'r>) -> Value {
        for decision in step.decisions {
            self.absorb(decision);
        }
        let (first, last) = (step.first(), step.last());
        let from = std::mem::replace(
            &mut self.state,
            if step.ends {
                "done".to_owned()
            } else {
                state(last)
            },
        );
        if !step.ends {
            *self.asked.entry(last["rp"].as_str().unwrap()).or_default() += 1;
        }
        let points = self.points(last);
        let turn = json!({
            "turn": number,
            "input": input(number, first),
            "state": {"from": from, "to": self.state},
            "phase": {"from": phase(&first["pre"]["phase"]), "to": phase(&last["phase"])},
            "path": if self.state.ends_with("__again") { json!([]) } else { json!(["agenda"]) },
            "data": {"finished_by": step.finished_by()},
            "final": step.ends,
            "counters": self.counters(last),
            "answers": if number == 1 { json!([]) } else { json!([{"need": "assess", "answer": null}]) },
            "points": points,
        });
        self.known = &last["rps"];
        self.store_external_answer(last);
        turn
    }

    /// Stores the input of a decision as the answer of its current point.
    fn absorb(&mut self, decision: &'r Value) {
        if decision["processed"] == true {
            let current = decision["pre"]["current_rp"].as_str().unwrap();
            self.texts
                .insert(current, decision["last_answer"].as_str().unwrap());
        }
    }

    /// Stores the answer to a question that another component asked. The recorded system stores such an answer immediately.
    fn store_external_answer(&mut self, decision: &'r Value) {
        if let Some(answer) = decision["answer"]
            .as_str()
            .filter(|_| is_asked_by_others(decision))
        {
            self.texts.insert(decision["rp"].as_str().unwrap(), answer);
        }
    }

    fn counters(&self, last: &Value) -> Value {
        let mut counters = Map::new();
        counters.insert(
            "questions".to_owned(),
            last["post"]["questions_asked"].clone(),
        );
        counters.insert(
            "follow_ups".to_owned(),
            last["post"]["follow_ups_asked"].clone(),
        );
        for point in self.points {
            counters.insert(
                format!("asked_{}", id(point)),
                json!(self.asked.get(id(point)).unwrap_or(&0)),
            );
        }
        Value::Object(counters)
    }

    /// The points at the time of the question. For a question of another component, the recording already contains the answer.
    fn points(&self, last: &Value) -> Value {
        let mut points: Vec<Value> = Vec::new();
        for point in self.points {
            let id = id(point);
            let early = is_asked_by_others(last) && last["rp"] == id;
            let recorded = if early {
                &self.known[id]
            } else {
                &last["rps"][id]
            };
            let text = self.texts.get(id);
            let length = text.map(|text| text.chars().count() as u64);
            assert_eq!(recorded["len"].as_u64(), length, "{} {id}", last["id"]);
            points.push(json!({
                "id": id,
                "state": recorded["state"].as_str().unwrap_or("not_started"),
                "confidence": if recorded["confidence"].is_null() { json!(0) } else { recorded["confidence"].clone() },
                "answers": text.into_iter().collect::<Vec<_>>(),
            }));
        }
        if needs_one_more(self.points) {
            points.push(
                json!({"id": NOBODY_KNOWS, "state": "skipped", "confidence": 0, "answers": []}),
            );
        }
        Value::Array(points)
    }
}

/// The input of a turn: the opening, an answer, or a timeout.
fn input(number: usize, first: &Value) -> Value {
    match first["last_answer"].as_str() {
        _ if number == 1 => json!({"open": true}),
        Some(answer) => json!({"intent": "answer", "say": answer}),
        None => json!({"timeout": true}),
    }
}

/// The state of a question: the point, or its follow-up state.
fn state(decision: &Value) -> String {
    let point = decision["rp"].as_str().unwrap();
    let is_follow_up =
        ["deep_dive", "loop_back"].contains(&decision["transition"].as_str().unwrap());
    let is_point = !point.starts_with("rp_fallback_");
    if is_follow_up && is_point {
        format!("{point}__again")
    } else {
        point.to_owned()
    }
}

fn is_asked_by_others(decision: &Value) -> bool {
    decision["question"] == "hardcoded:not_sent"
}

fn phase(recorded: &Value) -> String {
    recorded.as_str().unwrap().to_uppercase()
}
