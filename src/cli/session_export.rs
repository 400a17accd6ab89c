//! Exports a session: as a trace, a scenario, the completed questionnaire of an interview, the state of a task, or a
//! saved session.

use std::path::Path;

use super::output::{TextOrJson, print, write_file};
use super::session_commands::take;
use super::session_replay::changed_model;
use super::sessions_args::{ExportKind, ExportedSession};
use super::{CommandResult, Context, Exit, Stop, refuse};
use fsmsim_core::engine::SavedSession;
use fsmsim_core::engine::policy::inquiry::Questionnaire;
use fsmsim_core::machine::{SchemaError, Value};
use fsmsim_harness::scenario::scenario_yaml;
use fsmsim_reports::report::{questionnaire_json, write_questionnaire};
use fsmsim_runtime::project::ModelCache;
use fsmsim_runtime::runtime::{DialogueSetup, SessionJournal, SessionView};
use fsmsim_syntax::diagnostic::{Code, Diagnostic};
use fsmsim_syntax::terminal::{Escaping, print_message, printable};

/// The help text if a session cannot be exported in the requested format.
const OTHER_KINDS: &str = "use `--as trace` or `--as scenario`";

/// A file to write.
struct ExportedFile {
    text: String,
    /// The file name, if the target is a folder.
    name: String,
    escaping: Escaping,
}

/// Exports a session.
pub(super) fn export(args: &ExportedSession, context: &mut Context) -> CommandResult {
    if args.format == TextOrJson::Json && args.kind != ExportKind::Questionnaire {
        return refuse(
            "`--format` is only for `--as questionnaire`",
            "omit `--format`",
        );
    }
    let (mut store, stored) = take(&args.name, &context.project)?;
    let view = SessionView::read(&mut store, stored)?;
    let lay = context.project.root.join(&view.stored.model);
    let lay = lay.display().to_string();
    let model = args.model.as_ref().unwrap_or(&lay);
    let mut models =
        ModelCache::new(&context.project, args.config.clone()).with_stubs(view.stored.permissive);
    let machine = context.load(model, Some(&view.stored.profile), &mut models);
    if machine.is_err() && args.model.is_none() {
        print_message("note: if the model was moved, use `--model MODEL`\n");
    }
    let machine = machine?;
    if let Some(finding) = changed_model(
        &view,
        &machine,
        "the export contains the dialogue as it was recorded",
    ) {
        context.report_one(finding);
    }
    let name = view.name.clone();
    if view.interrupted.is_some() {
        print_message(&format!(
            "note: the interrupted turn of `{name}` is not exported\n"
        ));
    }
    let trace = || view.trace(&machine).map_err(Stop::rendered);
    let file = match args.kind {
        ExportKind::Trace => ExportedFile {
            text: trace()?,
            name: format!("{name}.jsonl"),
            escaping: Escaping::Json,
        },
        ExportKind::Scenario => {
            let trace = trace()?;
            let place = args.model.as_ref().unwrap_or(&view.stored.model);
            ExportedFile {
                text: context.read(|sources, found| {
                    scenario_yaml(&trace, place, &machine, sources, found)
                })?,
                name: format!("{name}.yaml"),
                escaping: Escaping::Json,
            }
        }
        ExportKind::Questionnaire => {
            let (_, left) = SessionJournal::resume(store, view.stored, &machine)?;
            let Some(questionnaire) = Questionnaire::of(&machine, &left.session, &name) else {
                let title = format!(
                    "cannot export a questionnaire: the session `{name}` is not an interview"
                );
                return refuse(title, OTHER_KINDS);
            };
            questionnaire_file(&questionnaire, args.format)?
        }
        ExportKind::AgentState => {
            let (_, left) = SessionJournal::resume(store, view.stored, &machine)?;
            let mut policies = machine.policies.facts();
            let state = policies.find_map(|policy| policy.hand_over(&machine, &left.session));
            agent_state_file(state, &name)?
        }
        ExportKind::Session => {
            // The start of a session can change the limits of the model.
            let setup = DialogueSetup::parse(&machine, &view.stored.start);
            let settings = setup
                .as_ref()
                .map_or(machine.settings(), |setup| &setup.settings);
            let (_, left) = SessionJournal::resume(store, view.stored, &machine)?;
            let saved = SavedSession::of(&left.session, &machine, settings);
            json_file(&serde_json::to_value(saved).unwrap_or_default(), &name)
        }
    };
    deliver(&file, args.to.as_deref())
}

fn questionnaire_file(
    questionnaire: &Questionnaire,
    format: TextOrJson,
) -> CommandResult<ExportedFile> {
    let (text, extension) = match format {
        TextOrJson::Json => (format!("{:#}\n", questionnaire_json(questionnaire)), "json"),
        TextOrJson::Text => {
            let mut text = Vec::new();
            write_questionnaire(questionnaire, &mut text)?;
            (String::from_utf8_lossy(&text).into_owned(), "txt")
        }
    };
    // The time in the ID comes from a turn, so it can contain any character.
    let safe = |c: char| {
        if c.is_alphanumeric() || ['-', '_', '.'].contains(&c) {
            c
        } else {
            '_'
        }
    };
    let name: String = questionnaire.id.chars().map(safe).collect();
    Ok(ExportedFile {
        text,
        name: format!("{name}.{extension}"),
        escaping: format.escaping(),
    })
}

/// The state of a task, validated against its schema.
fn agent_state_file(
    state: Option<Result<Value, SchemaError>>,
    name: &str,
) -> CommandResult<ExportedFile> {
    let Some(state) = state else {
        let title = format!("cannot export a task: the session `{name}` is not an agent cycle");
        return refuse(title, OTHER_KINDS);
    };
    let state = state.map_err(|SchemaError { place, message }| {
        let finding = Diagnostic::error(
            Code::BrokenState,
            format!("the task state of `{name}` violates its schema: {message}"),
        )
        .help("compare the state with `fsmsim schema agent-state`");
        if place.is_empty() {
            finding
        } else {
            finding.note(format!("at {place}"))
        }
    })?;
    let state = serde_json::to_value(&state).unwrap_or_default();
    Ok(json_file(&state, name))
}

fn json_file(value: &serde_json::Value, name: &str) -> ExportedFile {
    ExportedFile {
        text: format!("{value:#}\n"),
        name: format!("{name}.json"),
        escaping: Escaping::Json,
    }
}

/// Writes to standard output, to a file, or to a file in a folder.
fn deliver(file: &ExportedFile, to: Option<&Path>) -> CommandResult {
    let Some(to) = to else {
        return print(file.escaping, &file.text);
    };
    let path = if to.is_dir() {
        to.join(&file.name)
    } else {
        to.to_path_buf()
    };
    write_file(&path, &file.text)?;
    let shown = printable(&path.display().to_string());
    print_message(&format!("note: wrote `{shown}`\n"));
    Ok(Exit::Ok)
}
