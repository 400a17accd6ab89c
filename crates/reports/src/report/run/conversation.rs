//! A dialogue as two people would read it, from the records of its turns.

use serde_json::Value;

use fsmsim_syntax::terminal::printable;

/// Keys of an input that are told otherwise, or say nothing to people.
const UNTOLD: [&str; 7] = [
    "before", "say", "intent", "reply", "signals", "answer", "answers",
];

/// What was said and where it led, as lines. What does not only show itself is replaced.
pub(super) fn conversation(turns: &[Value]) -> Vec<String> {
    let mut lines = Vec::new();
    for record in turns {
        let text = |key: &str| record.get(key).and_then(Value::as_str);
        let number = record.get("turn").map(Value::to_string).unwrap_or_default();
        let state = |end: &str| {
            record
                .get("state")
                .and_then(|state| state.get(end))
                .and_then(Value::as_str)
        };
        let (from, to) = (state("from").unwrap_or("?"), state("to").unwrap_or("?"));
        let way = if from == to {
            to.to_owned()
        } else {
            format!("{from} -> {to}")
        };
        let rest = [text("action"), text("class")].into_iter().flatten();
        let rest = rest.flat_map(|part| [", ", part]).collect::<String>();
        lines.push(printable(&format!("turn {number}: {way}{rest}")));
        lines.extend(
            record
                .get("input")
                .and_then(input)
                .map(|input| printable(&format!("  user: {input}"))),
        );
        let replies = record
            .get("replies")
            .and_then(Value::as_array)
            .into_iter()
            .flatten();
        lines.extend(
            replies
                .filter_map(Value::as_str)
                .map(|reply| printable(&format!("  agent: {reply}"))),
        );
    }
    lines
}

/// What came in, in a line; nothing where nothing is told of it.
fn input(input: &Value) -> Option<String> {
    let text = |key: &str| input.get(key).and_then(Value::as_str);
    let said = text("say").map(str::to_owned);
    let intent = text("intent").map(|intent| format!("[{intent}]"));
    let rest = input
        .as_object()?
        .iter()
        .filter(|(key, _)| !UNTOLD.contains(&key.as_str()));
    let rest = rest.map(|(key, value)| match value {
        Value::Bool(true) => format!("[{key}]"),
        Value::String(text) => format!("{key}={text}"),
        value => format!("{key}={value}"),
    });
    let parts: Vec<String> = said.into_iter().chain(intent).chain(rest).collect();
    (!parts.is_empty()).then(|| parts.join(" "))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_dialogue_is_told_turn_by_turn() {
        let turns = [
            json!({"turn": 1, "input": {"open": true}, "state": {"from": "a", "to": "b"}, "replies": ["Да?\nНу"]}),
            json!({
                "turn": 2,
                "input": {"say": "x", "intent": "go", "data": {"n": 1}, "signals": {"s": 1}},
                "state": {"from": "b", "to": "b"},
                "action": "wait",
                "class": "hold",
            }),
            json!("no record"),
        ];
        let told = [
            "turn 1: a -> b",
            "  user: [open]",
            "  agent: Да? Ну",
            "turn 2: b, wait, hold",
            "  user: x [go] data={\"n\":1}",
            "turn : ?",
        ];
        assert_eq!(conversation(&turns), told);
    }
}
