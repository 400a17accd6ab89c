//! The `save_scenario` tool: saves a dialogue as a scenario.

use std::path::Path;

use rmcp::model::JsonObject;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::mcp::author::author_answer::{Answered, AuthorAnswer};
use crate::mcp::author::tool_executor::AuthorCall;
use fsmsim_harness::interactive::SavedFormat;
use fsmsim_harness::scenario::{ScenarioVerdict, scenario_address};
use fsmsim_reports::harness::{SavedScenario, ScenarioPath};
use fsmsim_reports::report::{ReportedFailure, ReportedFinding};
use fsmsim_syntax::diagnostic::{Code, Diagnostic};

/// Saves the dialogue of a session as a scenario that expects the result of each turn, and runs the scenario. A
/// read-only server returns the scenario text instead, so that you can write the file.
#[derive(Debug, Deserialize, JsonSchema)]
pub(super) struct SaveScenarioCall {
    /// ID of the dialogue (`session` of a `play` result).
    session: String,
    /// Title of the scenario, in a few words.
    title: String,
    /// Path of the file, relative to the scenario directory: NAME.yaml, DIR/NAME.yaml, or NAME.md for a transcript.
    file: String,
    /// Overwrite an existing file.
    #[serde(default)]
    replace: bool,
}

#[derive(Default, Serialize, JsonSchema)]
pub(super) struct SaveScenarioAnswer {
    written: bool,
    file: String,
    address: String,
    text: String,
    verdict: Option<String>,
    reason: Option<String>,
    #[schemars(with = "Vec<JsonObject>")]
    failures: Vec<ReportedFailure>,
    #[schemars(with = "Vec<JsonObject>")]
    findings: Vec<ReportedFinding>,
}

/// The hint if the scenario is too long for the text of the result.
const WHOLE: &str = "`structuredContent.text` contains the complete scenario";

/// Saves a dialogue as a scenario.
pub(super) fn save_scenario(call: &SaveScenarioCall, to: &AuthorCall) -> Answered {
    let desk = &to.desk;
    let fenced = to.desk.project_now()?;
    let project = &fenced.project;
    let title = SavedScenario::title(&call.title)?;
    // The scenario folder can be part of the path, because all other paths start at the project folder.
    let folder = fenced.named(&project.scenarios);
    let file = call
        .file
        .strip_prefix(&folder)
        .and_then(|inner| inner.strip_prefix('/'))
        .unwrap_or(&call.file);
    let place = if call.replace {
        ScenarioPath::replacing(file, project)
    } else {
        ScenarioPath::new(file, project)
    };
    let place = place.map_err(with_remedy)?;
    let session = desk.sessions.find(&call.session)?;
    let mut session = session.lock();
    let notes = session.look_at_files()?;
    let format = SavedFormat::of(Path::new(file)).unwrap_or(SavedFormat::Yaml);
    let text = session.interactive.to_scenario(title, format)?;
    let prefix = notes.iter().fold(String::new(), |prefix, note| {
        prefix + "note: " + note + "\n"
    });
    let file = fenced.named(&place.path);
    if !desk.service.writes {
        let address = scenario_address(&file, title, None);
        let message = format!(
            "{prefix}Nothing was written: the server is read-only (start it with `--write` to save scenarios). Write this to {file}:\n\n{text}"
        );
        let parts = SaveScenarioAnswer {
            file,
            address,
            text,
            ..SaveScenarioAnswer::default()
        };
        return Ok(AuthorAnswer {
            whole: WHOLE,
            ..AuthorAnswer::new(message, &parts)
        });
    }
    let saved = SavedScenario::write(&text, title, &place, project, fenced.config.clone())
        .map_err(with_remedy)?;
    let is_well = matches!(saved.verdict, ScenarioVerdict::Passed);
    let word = serde_json::to_value(saved.verdict).unwrap_or_default();
    let verdict = word.as_str().unwrap_or("invalid").to_owned();
    let why = if saved.messages.is_empty() {
        String::new()
    } else {
        format!("\n{}\n", saved.messages)
    };
    let message = format!(
        "{prefix}written: {}\n{verdict}: {}\n{why}\n{text}",
        saved.file, saved.address
    );
    let parts = SaveScenarioAnswer {
        written: true,
        file: saved.file,
        address: saved.address,
        text,
        verdict: Some(verdict),
        reason: saved.reason,
        failures: saved.failures,
        findings: saved.findings,
    };
    Ok(AuthorAnswer {
        is_short: !is_well,
        whole: WHOLE,
        ..AuthorAnswer::new(message, &parts)
    })
}

/// If the file already exists, adds this tool's options as help.
fn with_remedy(finding: Box<Diagnostic>) -> Box<Diagnostic> {
    let is_taken = finding.code == Code::CannotWrite && finding.title.ends_with("already exists");
    if is_taken {
        Box::new(finding.help("use another file name, or set `replace` to true"))
    } else {
        finding
    }
}
