//! The files that are edited, and how the effect of an edit is detected.

use std::path::Path;
use std::sync::LazyLock;

use fsmsim_adapters::llm::MockScript;
use fsmsim_adapters::stores::FixtureBackend;
use fsmsim_core::machine::Profile;
use fsmsim_dialects::dialect::Loader;
use fsmsim_harness::lint::lint;
use fsmsim_runtime::simulate::Persona;
use fsmsim_syntax::diagnostic::{Diagnostics, SourceMap};
use fsmsim_syntax::document::{DEFINITION_LIMIT, read_yaml};
use regex::Regex;

use super::Effect;
use super::digest::digest;
use super::edits::Format;
use crate::support::{Project, Run, text};

/// A file, and how the effect of an edit is detected.
pub(super) struct Subject {
    file: &'static str,
    format: Format,
    text: String,
    project: Project,
    judge: Judge,
}

enum Judge {
    /// The path of the model, its findings and its digest before the edit.
    Model(&'static str, Vec<String>, String),
    /// Commands that use the file, their results before the edit, and the parsed form of the file, if available.
    Commands(Vec<Vec<&'static str>>, Vec<Run>, Option<(Making, String)>),
}

/// Returns the parsed form of a file, without source locations.
type Making = fn(&Path) -> String;

/// Files with the model that each is part of.
const MODELS: [(&str, &str); 30] = [
    ("flows/bant/states.yaml", "flows/bant"),
    ("flows/bant/flow.yaml", "flows/bant"),
    ("flows/spin_selling/states.yaml", "flows/spin_selling"),
    ("flows/spin_selling/flow.yaml", "flows/spin_selling"),
    ("flows/_base/states.yaml", "flows/spin_selling"),
    ("flows/_base/mixins.yaml", "flows/spin_selling"),
    ("flows/_base/priorities.yaml", "flows/spin_selling"),
    ("flows/constants.yaml", "flows/spin_selling"),
    ("flows/accounting.yaml", "flows/accounting.yaml"),
    ("flows/bant_parallel.yaml", "flows/bant_parallel.yaml"),
    ("flows/clinic.yaml", "flows/clinic.yaml"),
    ("flows/it_support.yaml", "flows/it_support.yaml"),
    ("flows/logistics.yaml", "flows/logistics.yaml"),
    ("flows/support.yaml", "flows/support.yaml"),
    ("flows/grant_interview.yaml", "flows/grant_interview.yaml"),
    (
        "flows/handover_interview.yaml",
        "flows/handover_interview.yaml",
    ),
    ("flows/agent_cycle.yaml", "flows/agent_cycle.yaml"),
    (
        "flows/flow_document/qualification.yaml",
        "flows/flow_document/qualification.yaml",
    ),
    (
        "flows/flow_document/rules.yaml",
        "flows/flow_document/rules.yaml",
    ),
    (
        "flows/flow_document/situation.yaml",
        "flows/flow_document/situation.yaml",
    ),
    (
        "flows/profiles/objections.yaml",
        "flows/profiles/objections.yaml",
    ),
    (
        "flows/profiles/conversation_guard.yaml",
        "flows/profiles/conversation_guard.yaml",
    ),
    (
        "flows/profiles/mixin_parameters.yaml",
        "flows/profiles/mixin_parameters.yaml",
    ),
    ("flows/profiles/stages.yaml", "flows/profiles/stages.yaml"),
    ("flows/settings.yaml", "flows/bant"),
    ("states/student/states/assess_stage.md", "states/student"),
    ("states/student/states/dt_consent.md", "states/student"),
    ("states/student/states/dt_load_week.md", "states/student"),
    (
        "states/student/states/weekly_reflection.md",
        "states/student",
    ),
    (
        "states/student/states/weekly_reflection_save.md",
        "states/student",
    ),
];

/// Scenarios, run with `test` and `trace`.
const SCENARIOS: [&str; 12] = [
    "scenarios/bant/qualification.yaml",
    "scenarios/branches/support.yaml",
    "scenarios/clinic/visits.yaml",
    "scenarios/contract/t4.yaml",
    "scenarios/interview/grant.yaml",
    "scenarios/it_support/tickets.yaml",
    "scenarios/logistics/trips.yaml",
    "scenarios/profiles/go_back_count.yaml",
    "scenarios/spin_selling/life_cycle.yaml",
    "scenarios/student/without_data.yaml",
    "scenarios/student/transcript.md",
    "scenarios/cycle/definition_of_done.yaml",
];

/// Other files, with a command that uses each, and its parser.
const OTHERS: [(&str, &str, Making); 7] = [
    ("fsmsim.toml", "lint flows/bant", project_file),
    (
        "fixtures/llm/spin.yaml",
        "test --check scenarios/plain_text/spin_selling.yaml",
        mock,
    ),
    (
        "fixtures/llm/student.yaml",
        "test --check scenarios/student",
        mock,
    ),
    (
        "fixtures/backends/clinic.yaml",
        "test --check scenarios/clinic",
        backend,
    ),
    (
        "fixtures/personas/busy.yaml",
        "simulate flows/spin_selling --persona busy --dialogues 5 --seed 1",
        persona,
    ),
    (
        "fixtures/personas/happy_path.yaml",
        "simulate flows/spin_selling --persona happy_path --dialogues 5 --seed 1",
        persona,
    ),
    (
        "fixtures/personas/grant/vague.yaml",
        "simulate flows/grant_interview.yaml --persona vague --dialogues 2 --seed 1",
        persona,
    ),
];

/// Files that a project can have but that the library does not have.
const WRITTEN: [(&str, &str); 2] = [
    (
        "flows/settings.yaml",
        "feature_flags:\n  circular_flow: true\n  intent_pattern_guard: true\n",
    ),
    (
        "fsmsim.toml",
        "model = \"flows/bant\"\nprofile = \"reference\"\n\n[paths]\nscenarios = \"flows\"\nsnapshots = \"kept\"\ncassettes = \"tapes\"\n\n\
         [snapshot]\nfields = [\"state\", \"phase\", \"action\"]\nascii_names = true\n\n[lint]\nFS0404 = \"deny\"\n\
         extra_keys = [\"owner\"]\n\n[llm]\nseed = 3\n\n[[llm.chain]]\nkind = \"openai\"\nname = \"small\"\nbase_url = \"http://127.0.0.1:9/v1\"\nmodel = \"tiny\"\n",
    ),
];

impl Subject {
    pub(super) fn all() -> Vec<Self> {
        let models = MODELS.iter().map(|(file, model)| {
            let mut project = Project::new().with_flows().with("states");
            let text = text_of(file);
            project = project.file(file, &text);
            let (findings, digest) = made(&project, model);
            Self {
                file,
                format: format_of(file, Format::Yaml),
                text,
                project,
                judge: Judge::Model(model, findings, digest),
            }
        });
        let library = Project::library();
        // A separate project, so that its settings do not affect the others.
        let separate = Project::new().with_flows();
        let commands = |file: &'static str, commands: Vec<Vec<&'static str>>| {
            let project = if file == "fsmsim.toml" {
                separate.clone()
            } else {
                library.clone()
            };
            let text = text_of(file);
            project.write(file, &text);
            let runs = commands
                .iter()
                .map(|command| project.fsmsim(command).run())
                .collect();
            let format = if file.starts_with("scenarios/") {
                Format::Scenarios
            } else {
                Format::Yaml
            };
            let format = format_of(file, format);
            Self {
                file,
                format,
                text,
                project,
                judge: Judge::Commands(commands, runs, None),
            }
        };
        let scenarios = SCENARIOS.iter().map(|file| {
            commands(
                file,
                vec![vec!["test", "--check", *file], vec!["trace", *file]],
            )
        });
        let others = OTHERS.iter().map(|(file, command, make)| {
            let folder = file.rsplit_once('/').map_or(".", |(folder, _)| folder);
            let mut words: Vec<&str> = command.split(' ').collect();
            if words[0] == "simulate" {
                words.extend(["--personas", folder]);
            }
            let mut subject = commands(file, vec![words]);
            if let Judge::Commands(.., made) = &mut subject.judge {
                *made = Some((*make, make(&subject.project.path().join(file))));
            }
            subject
        });
        models.chain(scenarios).chain(others).collect()
    }

    pub(super) fn file(&self) -> &'static str {
        self.file
    }

    pub(super) fn format(&self) -> Format {
        self.format
    }

    pub(super) fn text(&self) -> &str {
        &self.text
    }

    /// Returns the effect of another text of the file.
    pub(super) fn judge(&self, edited: &str) -> Effect {
        self.project.write(self.file, edited);
        let effect = match &self.judge {
            Judge::Model(model, before, digest) => {
                let (findings, now) = made(&self.project, model);
                if findings.iter().any(|finding| !before.contains(finding)) {
                    Effect::Reported
                } else if now == *digest {
                    Effect::Silent
                } else {
                    Effect::Differs
                }
            }
            Judge::Commands(commands, before, made) => {
                let mut effect = Effect::Silent;
                for (command, before) in commands.iter().zip(before) {
                    let now = self.project.fsmsim(command).run();
                    if now.stderr != before.stderr && now.stderr.contains("FS0") {
                        effect = Effect::Reported;
                        break;
                    }
                    if (&now.stdout, now.code) != (&before.stdout, before.code) {
                        effect = Effect::Differs;
                        break;
                    }
                }
                let differs = |(make, before): &(Making, String)| {
                    make(&self.project.path().join(self.file)) != *before
                };
                if effect == Effect::Silent && made.as_ref().is_some_and(differs) {
                    effect = Effect::Differs;
                }
                effect
            }
        };
        self.project.write(self.file, &self.text);
        effect
    }
}

/// The findings of a model and its digest, both without source locations.
fn made(project: &Project, model: &str) -> (Vec<String>, String) {
    let mut found = Diagnostics::default();
    let path = project.path().join(model);
    let machine = Loader::default().load(&path, Profile::default(), None, &mut found);
    let mut findings: Vec<String> = found
        .items()
        .iter()
        .map(|finding| format!("{:?} {}", finding.code, finding.title))
        .collect();
    let Some(machine) = machine else {
        findings.push("the model cannot be loaded".to_owned());
        return (findings, String::new());
    };
    findings.extend(
        lint(&machine, false)
            .iter()
            .map(|finding| format!("{:?} {}", finding.code, finding.title)),
    );
    (findings, digest(&machine))
}

fn text_of(file: &str) -> String {
    let written = WRITTEN.iter().find(|(name, _)| *name == file);
    written.map_or_else(|| text(file), |(_, text)| (*text).to_owned())
}

fn format_of(file: &str, otherwise: Format) -> Format {
    match Path::new(file).extension().and_then(|end| end.to_str()) {
        Some("md") => Format::Markdown,
        Some("toml") => Format::Toml,
        _ => otherwise,
    }
}

fn project_file(path: &Path) -> String {
    let mut found = Diagnostics::default();
    let project = fsmsim_runtime::project::Project::at(
        path.parent().unwrap(),
        &mut SourceMap::default(),
        &mut found,
    );
    without_places(&format!("{project:?}"))
}

fn mock(path: &Path) -> String {
    let mut found = Diagnostics::default();
    let script = MockScript::load(path, &mut SourceMap::default(), &mut found);
    without_places(&format!("{script:?} {}", found.has_errors()))
}

fn backend(path: &Path) -> String {
    let backend =
        FixtureBackend::load(path, &mut SourceMap::default(), &mut Diagnostics::default());
    without_places(&format!("{backend:?}"))
}

fn persona(path: &Path) -> String {
    let mut found = Diagnostics::default();
    let node = read_yaml(
        path,
        DEFINITION_LIMIT,
        &mut SourceMap::default(),
        &mut found,
    );
    without_places(&format!(
        "{:?}",
        node.map(|node| Persona::read(&node, &mut found))
    ))
}

pub(super) fn without_places(text: &str) -> String {
    static PLACES: LazyLock<Regex> = LazyLock::new(|| {
        Regex::new(r#"(?:span|body): (?:Some\()?Span \{[^}]*\}\)?|Span \{[^}]*\}|line: \d+|place: "[^"]*""#).unwrap()
    });
    PLACES.replace_all(text, "").into_owned()
}
