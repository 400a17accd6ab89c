//! Turns as JSON objects, in the same form as in a turns file.

use fsmsim_core::engine::{Machine, ScriptedTurn};
use fsmsim_runtime::script::{ParsedTurn, TurnOptions};
use fsmsim_syntax::diagnostic::{Diagnostic, Diagnostics, Severity, SourceMap};
use fsmsim_syntax::document::parse_json_or;

/// Parses a JSON object as a turn. It may use names that the model does not define.
pub fn turn_of(text: &str, machine: &Machine) -> Result<ScriptedTurn, String> {
    let mut sources = SourceMap::default();
    let mut found = Diagnostics::default();
    let file = sources.add("turn", text);
    let options = TurnOptions {
        may_be_unread: true,
        ..TurnOptions::default()
    };
    let node = parse_json_or(
        file,
        text,
        0,
        "write one turn per line as a JSON object",
        &mut found,
    );
    let parsed = node
        .as_ref()
        .and_then(|node| ParsedTurn::read(node, machine, options, &mut found));
    parsed.map(|parsed| parsed.scripted).ok_or_else(|| {
        let first = found
            .items()
            .iter()
            .find(|finding| finding.severity == Severity::Error);
        first.map_or_else(
            || "expected a turn as a JSON object".to_owned(),
            in_a_sentence,
        )
    })
}

fn in_a_sentence(finding: &Diagnostic) -> String {
    finding.help.as_ref().map_or_else(
        || finding.title.clone(),
        |help| format!("{}: {help}", finding.title),
    )
}
