//! The built-in rules of cycles. Uppercase words are placeholders for names and lists of a specific cycle.

use std::collections::BTreeMap;

use strum::VariantArray;

use super::capability::{Capability, Risk};
use super::cycle_file::CycleFile;
use super::node_draft::{CyclePhase, MemoryKind, NodeDraft};
use super::sensor::SensorCategory;
use fsmsim_syntax::diagnostic::{Diagnostics, SourceMap};
use fsmsim_syntax::document::{Node, parse_yaml};
use fsmsim_syntax::terminal::Joined;

const RULES: &str = include_str!("rules.yaml");
const EDGES: &str = include_str!("edges.yaml");

/// Conditions that are always true and always false.
const ALWAYS: &str = "{turn: {at_least: 0}}";
const NEVER: &str = "{turn: {less_than: 0}}";

/// A name that never occurs. It replaces an empty list, which conditions do not allow.
const NO_NAME: &str = "-";

/// Fills in the built-in rules for a cycle.
pub(super) fn rules(
    file: &CycleFile<'_>,
    sources: &mut SourceMap,
    found: &mut Diagnostics,
) -> Option<Node> {
    let names = |suits: &dyn Fn(&Capability<'_>) -> bool| {
        list(
            file.capabilities
                .iter()
                .filter(|capability| suits(capability))
                .map(|capability| capability.name),
        )
    };
    let verdicts = &file.verdicts;
    let mut words = shared_words(file);
    words.extend([
        ("LIMIT_REPLANS", file.limits.replans.to_string()),
        (
            "OVER_BUDGET",
            if_limited(file.limits.turns, |turns| {
                format!("{{turn: {{more_than: {turns}}}}}")
            }),
        ),
        ("HANGS", if_limited(file.limits.idle, hangs)),
        (
            "SENSORS",
            list(file.sensors.iter().map(|sensor| sensor.name)),
        ),
        ("OF_ITS_SENSOR", matches_its_sensor(file)),
        ("CAPABILITIES", names(&|_| true)),
        (
            "CAPABILITIES_ENABLED",
            names(&|capability| capability.enabled),
        ),
        (
            "CAPABILITIES_OF_LOW_RISK",
            names(&|capability| capability.risk != Risk::High),
        ),
        (
            "CAPABILITIES_THAT_TEST",
            names(&|capability| capability.tests),
        ),
        (
            "CAPABILITIES_WITH_EFFECTS",
            names(&|capability| !capability.effects.is_empty()),
        ),
        (
            "CAPABILITIES_WITH_ROLLBACK",
            names(&|capability| capability.rollback),
        ),
        ("HAS_INPUTS", has_inputs(file)),
        ("AS_DECLARED", as_declared(file)),
        ("SAYS_APPROVED", list(verdicts.approved.iter().copied())),
        ("SAYS_REPLAN", list(verdicts.replan.iter().copied())),
        ("SAYS_FAILED", list(verdicts.failed.iter().copied())),
    ]);
    parse("the rules of cycles", RULES, &words, sources, found)
}

/// Fills in the edges and the entry operations of a node, or of another state of the cycle.
pub(super) fn edges(
    file: &CycleFile<'_>,
    (state, node): (&str, Option<&NodeDraft<'_>>),
    sources: &mut SourceMap,
    found: &mut Diagnostics,
) -> Option<Node> {
    let writes = |kind: MemoryKind| {
        let does = node.is_some_and(|node| node.writes.contains(&kind));
        if does { ALWAYS } else { NEVER }.to_owned()
    };
    let kinds = node.map_or_else(|| list([]), |node| list(node.reads.iter().map(Into::into)));
    let mut words = shared_words(file);
    words.extend([
        ("NODE", text(state)),
        ("ROLE", text(node.map_or(state, |node| node.role))),
        ("WRITES_EPISODIC", writes(MemoryKind::Episodic)),
        ("WRITES_SEMANTIC", writes(MemoryKind::Semantic)),
        ("WRITES_PROCEDURAL", writes(MemoryKind::Procedural)),
        ("KINDS", kinds),
    ]);
    parse(
        &format!("the edges of `{state}`"),
        EDGES,
        &words,
        sources,
        found,
    )
}

/// A condition that is always true. It replaces a disabled gate.
pub(super) fn always(sources: &mut SourceMap) -> Option<Node> {
    parse_yaml(
        sources.add_invented("a disabled gate", ALWAYS),
        ALWAYS,
        0,
        &mut Diagnostics::default(),
    )
}

fn shared_words(file: &CycleFile<'_>) -> BTreeMap<&'static str, String> {
    let keys = [
        "NODE_ANALYZE",
        "NODE_PLAN",
        "NODE_EXECUTE",
        "NODE_VALIDATE",
        "NODE_COMMIT",
    ];
    let id = |phase: CyclePhase| {
        file.node(phase)
            .map_or_else(|| text(NO_NAME), |node| text(node.id))
    };
    keys.into_iter()
        .zip(CyclePhase::ALL)
        .map(|(key, phase)| (key, id(*phase)))
        .collect()
}

/// Creates the condition for a limit. Without a limit, the condition is always false.
fn if_limited(limit: Option<u32>, condition: impl Fn(u32) -> String) -> String {
    limit.map_or_else(|| NEVER.to_owned(), condition)
}

/// Tests whether there was no progress for more than `idle` seconds.
fn hangs(idle: u32) -> String {
    format!("{{said: now, later_than: {{was: progressed_at, by: {idle}}}}}")
}

/// Tests whether an observation has the category of its sensor.
fn matches_its_sensor(file: &CycleFile<'_>) -> String {
    let of = |category: &SensorCategory| {
        let sensors = file
            .sensors
            .iter()
            .filter(|sensor| sensor.category == *category)
            .map(|sensor| sensor.name);
        let category = <&str>::from(*category);
        format!(
            "{{and: [{{payload: category, is: {category}}}, {{payload: source, in: {}}}]}}",
            list(sensors)
        )
    };
    format!(
        "{{or: [{}]}}",
        SensorCategory::VARIANTS.iter().map(of).joined(", ")
    )
}

/// Tests whether the action has every input that its capability declares.
fn has_inputs(file: &CycleFile<'_>) -> String {
    let of = |capability: &Capability<'_>| {
        let there = capability.inputs.iter().map(|input| {
            format!(
                "{{payload: {}, known: true}}",
                text(&format!("inputs.{input}"))
            )
        });
        let other = format!(
            "{{not: {{payload: capability, is: {}}}}}",
            text(capability.name)
        );
        format!("{{or: [{other}, {}]}}", all(&there.collect::<Vec<_>>()))
    };
    let needy = file
        .capabilities
        .iter()
        .filter(|capability| !capability.inputs.is_empty());
    all(&needy.map(of).collect::<Vec<_>>())
}

/// Tests whether the capability declares the measured effect. An action without a measured effect also passes.
fn as_declared(file: &CycleFile<'_>) -> String {
    let of = |capability: &Capability<'_>| {
        let other = format!(
            "{{not: {{said: action.capability, is: {}}}}}",
            text(capability.name)
        );
        let declared = format!(
            "{{returned: measurable_effect, in: {}}}",
            list(capability.effects.iter().copied())
        );
        let none = "{not: {returned: measurable_effect, filled: true}}";
        format!("{{or: [{other}, {declared}, {none}]}}")
    };
    all(&file.capabilities.iter().map(of).collect::<Vec<_>>())
}

fn all(parts: &[String]) -> String {
    match parts {
        [] => ALWAYS.to_owned(),
        [part] => part.clone(),
        parts => format!("{{and: [{}]}}", parts.join(", ")),
    }
}

/// Writes strings as a YAML list.
fn list<'t>(texts: impl IntoIterator<Item = &'t str>) -> String {
    let texts: Vec<String> = texts.into_iter().map(text).collect();
    if texts.is_empty() {
        format!("[{}]", text(NO_NAME))
    } else {
        format!("[{}]", texts.join(", "))
    }
}

/// Writes a string as a YAML scalar. JSON strings are valid YAML.
fn text(text: &str) -> String {
    serde_json::Value::from(text).to_string()
}

/// Replaces the uppercase words of a template and parses the result.
fn parse(
    name: &str,
    template: &str,
    words: &BTreeMap<&'static str, String>,
    sources: &mut SourceMap,
    found: &mut Diagnostics,
) -> Option<Node> {
    let is_part = |c: char| c.is_ascii_uppercase() || c == '_';
    let mut filled = String::with_capacity(template.len() * 2);
    let mut rest = template;
    while let Some(at) = rest.find(is_part) {
        let (before, word) = rest.split_at(at);
        let end = word.find(|c| !is_part(c)).unwrap_or(word.len());
        let (word, after) = word.split_at(end);
        filled.push_str(before);
        filled.push_str(words.get(word).map_or(word, String::as_str));
        rest = after;
    }
    filled.push_str(rest);
    parse_yaml(
        sources.add_invented(name, filled.as_str()),
        &filled,
        0,
        found,
    )
}
