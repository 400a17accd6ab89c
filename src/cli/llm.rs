//! `--llm`: whom a run asks.

use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::context::Context;
use crate::diagnostic::{Code, Diagnostic, Diagnostics, SourceMap};
use crate::llm::{AnswererConfig, AnswererSettings, AnswererSpec, Cassette};
use crate::project::ModelCache;
use crate::report::usage_lines;

/// The word for asking and recording.
pub(super) const RECORD: &str = "record";
/// The word for asking nobody but cassettes.
const REPLAY: &str = "replay";
/// The dialogue of a REPL, as its cassette names it.
pub(super) const DIALOGUE: &str = "repl";

/// Whom scenarios ask: as they say themselves (nothing, or `mock`), or all of them whom `--llm` names.
///
/// # Errors
/// Nothing, once the findings are told.
pub(super) fn of_scenarios(
    who: Option<&str>,
    models: &mut ModelCache,
    context: &mut Context,
) -> Result<Option<AnswererConfig>, ()> {
    let help = "write `--llm mock`, `live`, `record`, `replay`, `bank` or `mock:FILE`";
    match who {
        None | Some("mock") => Ok(None),
        Some(RECORD) => recording(models, context).map(Some),
        Some(REPLAY) => Ok(Some(AnswererConfig::replaying(context.project.chain.redactions.clone()))),
        Some(who) => answerers(who, help, models, context).map(Some),
    }
}

/// Whom a person who plays by hand asks, and the cassette of that.
///
/// # Errors
/// Nothing, once the findings are told.
pub(super) fn of_repl(
    who: Option<&str>,
    models: &mut ModelCache,
    context: &mut Context,
) -> Result<Option<(AnswererConfig, Option<PathBuf>)>, ()> {
    let Some(who) = who else { return Ok(None) };
    let help = "write `--llm mock:FILE`, `bank`, `live`, `record:FILE` or `replay:FILE`";
    let (config, file) = match who.split_once(':') {
        Some((RECORD, file)) if !file.is_empty() => (recording(models, context)?, Some(file)),
        Some((REPLAY, file)) if !file.is_empty() => {
            // A person should not have to type a line to see that the file cannot be used.
            let mut diagnostics = Diagnostics::default();
            let cassette = Cassette::read(Path::new(file), DIALOGUE, &mut diagnostics);
            context.report(&diagnostics, &SourceMap::default());
            cassette.ok_or(())?;
            (AnswererConfig::replaying(context.project.chain.redactions.clone()), Some(file))
        }
        _ => (answerers(who, help, models, context)?, None),
    };
    Ok(Some((config, file.map(PathBuf::from))))
}

/// Who plays simulated users and reads what they say, where somebody does.
///
/// # Errors
/// Nothing, once the findings are told.
pub(super) fn of_users(
    who: Option<&str>,
    models: &mut ModelCache,
    context: &mut Context,
) -> Result<Option<AnswererConfig>, ()> {
    let Some(who) = who else { return Ok(None) };
    answerers(who, "write `--llm mock:FILE`, `--llm live` or `--llm bank`", models, context).map(Some)
}

/// Those whom a list with commas names: `mock:FILE`, `live`, the chain of the project, and `bank`, the examples of the
/// model; they are asked one after the other.
fn answerers(who: &str, help: &str, models: &mut ModelCache, context: &mut Context) -> Result<AnswererConfig, ()> {
    let mut answerers = Vec::new();
    for who in who.split(',') {
        if let Some(path) = who.strip_prefix("mock:") {
            answerers.push(mock(Path::new(path), models, context)?);
        } else if who == "live" {
            answerers.extend(chain(models, context)?);
        } else if who == "bank" {
            answerers.push(AnswererSpec::ExampleClassifier);
        } else {
            let title = "`--llm` names nobody who could be asked";
            context.fail(Diagnostic::error(Code::BadArguments, title).help(help));
            return Err(());
        }
    }
    Ok(AnswererConfig::new(answerers))
}

/// The chain of the project, recorded.
fn recording(models: &mut ModelCache, context: &mut Context) -> Result<AnswererConfig, ()> {
    if context.refuses_to_write("cassettes are not recorded", "record them") {
        return Err(());
    }
    Ok(AnswererConfig::recording(chain(models, context)?, context.project.chain.redactions.clone()))
}

/// A mock, by its file.
fn mock(path: &Path, models: &mut ModelCache, context: &mut Context) -> Result<AnswererSpec, ()> {
    let script = models.mock(path);
    context.report_mock(models, path);
    script.map(AnswererSpec::Mock).ok_or(())
}

/// The chain of the project.
fn chain(models: &mut ModelCache, context: &mut Context) -> Result<Vec<AnswererSpec>, ()> {
    let chain = context.project.chain.clone();
    if chain.answerers.is_empty() {
        let help = "add `[[llm.chain]]` to `fsmsim.toml`; see docs/models.md";
        let finding = Diagnostic::error(Code::BadArguments, "the project names no live model").help(help);
        context.fail(finding);
        return Err(());
    }
    let budget = Arc::new(chain.budget());
    let mut answerers = Vec::new();
    let mut whole = true;
    for answerer in &chain.answerers {
        let answerer = match answerer {
            AnswererSettings::Mock(path) => mock(path, models, context),
            AnswererSettings::Live(provider) => AnswererSpec::live(provider, chain.seed, &budget).map_err(|finding| {
                context.fail(*finding);
            }),
            AnswererSettings::ExampleClassifier => Ok(AnswererSpec::ExampleClassifier),
        };
        // All that is wrong is told, not only the first of it.
        match answerer {
            Ok(answerer) => answerers.push(answerer),
            Err(()) => whole = false,
        }
    }
    if whole { Ok(answerers) } else { Err(()) }
}

/// Tells on standard error what a run used of live models.
pub(super) fn tell_usage(config: Option<&AnswererConfig>) {
    let lines = config.map(|config| usage_lines(&config.usage())).unwrap_or_default();
    // Where standard error is closed there is nobody to tell.
    let _ = std::io::stderr().write_all(lines.as_bytes());
}
