//! `--llm`: whom a run asks.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::context::{Context, may_write};
use super::exit::Stop;
use super::trust::consent;
use crate::diagnostic::{Code, Diagnostic, Diagnostics, SourceMap};
use crate::llm::{AnswererConfig, AnswererSettings, AnswererSpec, Cassette, PromptTemplates};
use crate::project::ModelCache;
use crate::report::usage_lines;
use crate::terminal::tell;

/// The word for asking and recording.
pub(super) const RECORD: &str = "record";
/// The word for asking nobody but cassettes.
const REPLAY: &str = "replay";
/// The dialogue of a REPL, as its cassette names it.
pub(super) const DIALOGUE: &str = "repl";

/// Whom scenarios ask: as they say themselves (nothing, or `mock`), or all of them whom `--llm` names.
pub(super) fn of_scenarios(
    who: Option<&str>,
    models: &mut ModelCache,
    context: &mut Context,
) -> Result<Option<AnswererConfig>, Stop> {
    let help = "write `--llm mock`, `live`, `record`, `replay`, `bank` or `mock:FILE`";
    match who {
        None | Some("mock") => Ok(None),
        Some(RECORD) => recording(models, context).map(Some),
        Some(REPLAY) => replaying(context).map(Some),
        Some(who) => answerers(who, help, models, context).map(Some),
    }
}

/// Whom a person who plays by hand asks, and the cassette of that.
pub(super) fn of_repl(
    who: &str,
    models: &mut ModelCache,
    context: &mut Context,
) -> Result<(AnswererConfig, Option<PathBuf>), Stop> {
    let help = "write `--llm mock:FILE`, `bank`, `live`, `record:FILE` or `replay:FILE`";
    match who.split_once(':') {
        Some((RECORD, file)) if !file.is_empty() => Ok((recording(models, context)?, Some(file.into()))),
        Some((REPLAY, file)) if !file.is_empty() => {
            // A person should not have to type a line to see that the file cannot be used.
            let mut found = Diagnostics::default();
            let cassette = Cassette::read(Path::new(file), DIALOGUE, &mut found);
            context.usable(cassette, &found, &SourceMap::default())?;
            Ok((replaying(context)?, Some(file.into())))
        }
        _ => Ok((answerers(who, help, models, context)?, None)),
    }
}

/// Those whom a list with commas names: `mock:FILE`, `live`, the chain of the project, and `bank`, the examples of the
/// model; they are asked one after the other.
pub(super) fn answerers(
    who: &str,
    help: &str,
    models: &mut ModelCache,
    context: &mut Context,
) -> Result<AnswererConfig, Stop> {
    let mut answerers = Vec::new();
    for who in who.split(',') {
        if let Some(path) = who.strip_prefix("mock:") {
            answerers.push(mock(Path::new(path), models, context).ok_or(Stop::Told)?);
        } else if who == "live" {
            answerers.extend(chain(models, context)?);
        } else if who == "bank" {
            answerers.push(AnswererSpec::ExampleClassifier);
        } else {
            let title = "`--llm` names nobody who could be asked";
            return Err(Diagnostic::error(Code::BadArguments, title).help(help).into());
        }
    }
    Ok(AnswererConfig::new(answerers).asking_by(prompts(context)?))
}

/// The chain of the project, recorded.
fn recording(models: &mut ModelCache, context: &mut Context) -> Result<AnswererConfig, Stop> {
    may_write("cassettes are not recorded", "record them")?;
    let redactions = context.project.chain.redactions.clone();
    Ok(AnswererConfig::recording(chain(models, context)?, redactions).asking_by(prompts(context)?))
}

/// Nobody but cassettes.
fn replaying(context: &mut Context) -> Result<AnswererConfig, Stop> {
    let config = AnswererConfig::replaying(context.project.chain.redactions.clone());
    Ok(config.asking_by(prompts(context)?))
}

/// What the project says in place of the built-in words.
pub(super) fn prompts(context: &mut Context) -> Result<PromptTemplates, Stop> {
    let (mut sources, mut found) = (SourceMap::default(), Diagnostics::default());
    let prompts = PromptTemplates::load(&context.project.chain.prompts, &mut sources, &mut found);
    context.usable(prompts, &found, &sources)
}

/// A mock, by its file.
fn mock(path: &Path, models: &mut ModelCache, context: &mut Context) -> Option<AnswererSpec> {
    let script = models.mock(path);
    context.report_mock(models, path);
    script.map(AnswererSpec::Mock)
}

/// The chain of the project. All that is wrong with it is told, not only the first of it.
fn chain(models: &mut ModelCache, context: &mut Context) -> Result<Vec<AnswererSpec>, Stop> {
    let chain = context.project.chain.clone();
    if chain.answerers.is_empty() {
        let help = "add `[[llm.chain]]` to `fsmsim.toml`; see docs/models.md";
        return Err(Diagnostic::error(Code::BadArguments, "the project names no live model").help(help).into());
    }
    consent(context)?;
    let budget = Arc::new(chain.budget());
    let answerers = chain.answerers.iter().map(|answerer| match answerer {
        AnswererSettings::Mock(path) => mock(path, models, context),
        AnswererSettings::Live(provider) => {
            AnswererSpec::live(provider, chain.seed, &budget).map_err(|finding| context.report_one(*finding)).ok()
        }
        AnswererSettings::ExampleClassifier => Some(AnswererSpec::ExampleClassifier),
    });
    let answerers: Vec<Option<AnswererSpec>> = answerers.collect();
    answerers.into_iter().collect::<Option<_>>().ok_or(Stop::Told)
}

/// Tells on standard error what a run used of live models.
pub(super) fn tell_usage(config: Option<&AnswererConfig>) {
    let lines = config.map(|config| usage_lines(&config.usage())).unwrap_or_default();
    tell(&lines);
}
