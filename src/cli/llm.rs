//! `--llm`: whom a run asks.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::context::{Context, may_write, tell_lines};
use super::exit::Stop;
use super::trust::consent;
use fsmsim_adapters::llm::{
    AnswererConfig, AnswererSettings, AnswererSpec, Budget, Cassette, PromptTemplates, Redactions,
    SimulationTape, TapeUse,
};
use fsmsim_core::engine::Machine;
use fsmsim_harness::eval::Evaluation;
use fsmsim_reports::report::{completed_lines, failure_lines, usage_lines};
use fsmsim_runtime::project::ModelCache;
use fsmsim_syntax::diagnostic::{Diagnostic, Diagnostics, SourceMap};

/// The word for asking and recording.
pub(super) const RECORD: &str = "record";
/// The word for asking whom the project names.
const LIVE: &str = "live";
/// The word for asking cassettes, and recording what they lack.
const RECORD_MISSING: &str = "record-missing";
/// The word for asking nobody but cassettes.
const REPLAY: &str = "replay";
/// The dialogue of a REPL, as its cassette names it.
pub(super) const DIALOGUE: &str = "repl";

/// Whether a run with this word writes cassettes.
pub(super) fn records(who: &str) -> bool {
    [RECORD, RECORD_MISSING].contains(&who.split_once(':').map_or(who, |(word, _)| word))
}

/// Whom scenarios ask: as they say themselves (nothing, or `mock`), or all of them whom `--llm` names.
pub(super) fn of_scenarios(
    who: Option<&str>,
    models: &mut ModelCache,
    context: &mut Context,
) -> Result<Option<AnswererConfig>, Stop> {
    let help = "write `--llm mock`, `live`, `record`, `record-missing`, `replay`, `bank`, `link:NAME` or `mock:FILE`";
    match who {
        None | Some("mock") => Ok(None),
        Some(RECORD) => recording(&budget_of(context), models, context).map(Some),
        Some(RECORD_MISSING) => recording_missing(&budget_of(context), models, context).map(Some),
        Some(REPLAY) => replaying(context).map(Some),
        Some(who) => answerers(who, help, models, context).map(Some),
    }
}

/// Who judges what scenarios say: whom `--judge` names, else the judge of the project where `--llm` goes live. Nobody, where
/// that is left to each scenario: a cassette that is replayed, a mock.
pub(super) fn judge_of_scenarios(
    who: Option<&str>,
    (llm, answerers): (Option<&str>, Option<&AnswererConfig>),
    models: &mut ModelCache,
    context: &mut Context,
) -> Result<Option<AnswererConfig>, Stop> {
    // What a run may spend is one for all who are asked.
    let budget = || answerers.and_then(AnswererConfig::budget);
    let refuse = |title: &str, help: &str| Err(Diagnostic::bad_arguments(title).help(help).into());
    let goes_live = |llm: &str| {
        records(llm)
            || llm
                .split(',')
                .any(|who| who == LIVE || who.starts_with("link:"))
    };
    match who {
        None if llm.is_some_and(goes_live) && context.project.chain.judge.is_some() => {
            project_judge(&AnswererConfig::new, budget(), models, context).map(Some)
        }
        None => Ok(None),
        Some(REPLAY) if llm.is_some_and(records) => refuse(
            "what is recorded anew cannot be replayed",
            "write `--llm record` alone, or `--judge live`",
        ),
        Some(RECORD) if llm == Some(REPLAY) => refuse(
            "what is replayed cannot be recorded",
            "write `--judge record-missing`, or `--judge live`",
        ),
        Some(REPLAY) => Ok(Some(replaying(context)?)),
        // The cassette of the judge alone would take the place of one that holds both.
        Some(word @ (RECORD | RECORD_MISSING)) if llm.is_some_and(goes_live) => {
            let help = format!("write `--llm {word}`, which keeps both");
            refuse(
                "what models answer and what is judged is on one cassette",
                &help,
            )
        }
        Some(word @ (RECORD | RECORD_MISSING)) => {
            may_write("cassettes are not recorded", "record them")?;
            let record = if word == RECORD {
                AnswererConfig::recording
            } else {
                AnswererConfig::recording_missing
            };
            let redactions = redactions(context)?;
            project_judge(
                &|judge| record(judge, redactions.clone()),
                budget(),
                models,
                context,
            )
            .map(Some)
        }
        Some(LIVE) => project_judge(&AnswererConfig::new, budget(), models, context).map(Some),
        Some(who) => match who.strip_prefix("mock:").filter(|file| !file.is_empty()) {
            Some(file) => {
                let mock = mock(Path::new(file), models, context).ok_or(Stop::Told)?;
                Ok(Some(AnswererConfig::new(vec![mock])))
            }
            None => refuse(
                "`--judge` names nobody who could judge",
                "write `--judge live`, `record`, `record-missing`, `replay` or `mock:FILE`",
            ),
        },
    }
}

/// The judge of the project, and what is done with what it says.
fn project_judge(
    config: &dyn Fn(Vec<AnswererSpec>) -> AnswererConfig,
    budget: Option<Arc<Budget>>,
    models: &mut ModelCache,
    context: &mut Context,
) -> Result<AnswererConfig, Stop> {
    let Some(judge) = context.project.chain.judge.clone() else {
        let help = "add `[llm.judge]` to `fsmsim.toml`; see docs/models.md";
        return Err(Diagnostic::bad_arguments("the project names no judge")
            .help(help)
            .into());
    };
    if matches!(judge, AnswererSettings::Live(_)) {
        consent(context)?;
    }
    let budget = budget.unwrap_or_else(|| Arc::new(context.project.chain.budget()));
    let judge = answerer_of(&judge, &budget, models, context).ok_or(Stop::Told)?;
    Ok(config(vec![judge]).asking_by(prompts(context)?))
}

/// Whom a person who plays by hand asks, and the cassette of that.
pub(super) fn of_repl(
    who: &str,
    models: &mut ModelCache,
    context: &mut Context,
) -> Result<(AnswererConfig, Option<PathBuf>), Stop> {
    of_dialogue((who, DIALOGUE), &budget_of(context), models, context)
}

/// Who reads what is measured, within what all readers may spend together, and the cassette of that.
pub(super) fn of_eval(
    who: &str,
    budget: &Arc<Budget>,
    models: &mut ModelCache,
    context: &mut Context,
) -> Result<(AnswererConfig, Option<PathBuf>), Stop> {
    of_dialogue((who, Evaluation::DIALOGUE), budget, models, context)
}

/// Whom a dialogue asks that its cassette knows by this name.
fn of_dialogue(
    (who, dialogue): (&str, &str),
    budget: &Arc<Budget>,
    models: &mut ModelCache,
    context: &mut Context,
) -> Result<(AnswererConfig, Option<PathBuf>), Stop> {
    let help = "write `--llm bank`, `mock:FILE`, `live`, `link:NAME`, `record:FILE`, `record-missing:FILE` or `replay:FILE`";
    match who.split_once(':') {
        Some((RECORD, file)) if !file.is_empty() => {
            Cassette::check_place(Path::new(file))?;
            Ok((recording(budget, models, context)?, Some(file.into())))
        }
        Some((RECORD_MISSING, file)) if !file.is_empty() => Ok((
            recording_missing(budget, models, context)?,
            Some(file.into()),
        )),
        Some((REPLAY, file)) if !file.is_empty() => {
            // A person should not have to type a line to see that the file cannot be used.
            let mut found = Diagnostics::default();
            let cassette = Cassette::read(Path::new(file), dialogue, &mut found);
            context.usable(cassette, &found, &SourceMap::default())?;
            Ok((replaying(context)?, Some(file.into())))
        }
        _ => Ok((
            answerers_within((who, help), budget, models, context)?,
            None,
        )),
    }
}

/// Those whom a list with commas names: `mock:FILE`, `live`, the chain of the project, `link:NAME`, one of it, and `bank`, the examples of the
/// model; they are asked one after the other.
pub(super) fn answerers(
    who: &str,
    help: &str,
    models: &mut ModelCache,
    context: &mut Context,
) -> Result<AnswererConfig, Stop> {
    answerers_within((who, help), &budget_of(context), models, context)
}

/// What a run may spend, which is one for all who are asked.
pub(super) fn budget_of(context: &Context) -> Arc<Budget> {
    Arc::new(context.project.chain.budget())
}

/// The same as `answerers`, which may spend this.
fn answerers_within(
    (who, help): (&str, &str),
    budget: &Arc<Budget>,
    models: &mut ModelCache,
    context: &mut Context,
) -> Result<AnswererConfig, Stop> {
    let mut answerers = Vec::new();
    for who in who.split(',') {
        if let Some(path) = who.strip_prefix("mock:") {
            answerers.push(mock(Path::new(path), models, context).ok_or(Stop::Told)?);
        } else if who == LIVE {
            answerers.extend(chain(budget, models, context)?);
        } else if let Some(name) = who.strip_prefix("link:") {
            answerers.push(link(name, budget, context)?);
        } else if who == "bank" {
            answerers.push(AnswererSpec::ExampleClassifier);
        } else {
            let title = "`--llm` names nobody who could be asked";
            return Err(Diagnostic::bad_arguments(title).help(help).into());
        }
    }
    Ok(AnswererConfig::new(answerers).asking_by(prompts(context)?))
}

/// The chain of the project, recorded.
fn recording(
    budget: &Arc<Budget>,
    models: &mut ModelCache,
    context: &mut Context,
) -> Result<AnswererConfig, Stop> {
    may_write("cassettes are not recorded", "record them")?;
    let redactions = redactions(context)?;
    Ok(
        AnswererConfig::recording(chain(budget, models, context)?, redactions)
            .asking_by(prompts(context)?),
    )
}

/// Cassettes, and the chain of the project for what they lack. Whether something is lacking is only known once it is asked for,
/// so consent is needed before.
fn recording_missing(
    budget: &Arc<Budget>,
    models: &mut ModelCache,
    context: &mut Context,
) -> Result<AnswererConfig, Stop> {
    may_write("cassettes are not recorded", "record them")?;
    let redactions = redactions(context)?;
    Ok(
        AnswererConfig::recording_missing(chain(budget, models, context)?, redactions)
            .asking_by(prompts(context)?),
    )
}

/// Whom the users of a simulation ask, who are played by models; its dialogues may be on a cassette. The second is what reports
/// say of it: a replay says the same as what was recorded.
pub(super) fn of_simulation(
    who: &str,
    model: &Machine,
    command: &dyn Fn(&str) -> String,
    models: &mut ModelCache,
    context: &mut Context,
) -> Result<(AnswererConfig, String), Stop> {
    let help = "write `--llm mock:FILE`, `bank`, `live`, `link:NAME`, `record:FILE`, `record-missing:FILE` or `replay:FILE`";
    let Some((word, file)) = who.split_once(':').filter(|(_, file)| !file.is_empty()) else {
        return Ok((answerers(who, help, models, context)?, who.to_owned()));
    };
    let purpose = match word {
        RECORD => TapeUse::Record,
        RECORD_MISSING => TapeUse::RecordMissing,
        REPLAY => TapeUse::Replay,
        _ => return Ok((answerers(who, help, models, context)?, who.to_owned())),
    };
    let asked = if purpose == TapeUse::Replay {
        Vec::new()
    } else {
        may_write("cassettes are not recorded", "record them")?;
        chain(&budget_of(context), models, context)?
    };
    let command = command(&format!("{RECORD_MISSING}:{file}"));
    let (redactions, name) = (redactions(context)?, &model.header.name);
    let mut found = Diagnostics::default();
    let tape = SimulationTape::open(
        purpose,
        Path::new(file),
        name,
        command,
        redactions,
        &mut found,
    );
    let tape = context.usable(tape, &found, &SourceMap::default())?;
    Ok((
        AnswererConfig::on_tape(asked, tape).asking_by(prompts(context)?),
        "live".to_owned(),
    ))
}

/// Nobody but cassettes.
fn replaying(context: &mut Context) -> Result<AnswererConfig, Stop> {
    Ok(AnswererConfig::replaying(redactions(context)?))
}

/// What cassettes keep of requests, in the words of the project.
fn redactions(context: &mut Context) -> Result<Redactions, Stop> {
    let prompts = prompts(context)?;
    Ok(context.project.chain.redactions.clone().asking_by(prompts))
}

/// What the project says in place of the built-in words.
pub(super) fn prompts(context: &mut Context) -> Result<PromptTemplates, Stop> {
    let (mut sources, mut found) = (SourceMap::default(), Diagnostics::default());
    let prompts = PromptTemplates::load(&context.project.chain.prompts, &mut sources, &mut found);
    context.usable(prompts, &found, &sources)
}

/// A mock, by its file.
pub(super) fn mock(
    path: &Path,
    models: &mut ModelCache,
    context: &mut Context,
) -> Option<AnswererSpec> {
    let script = models.mock(path);
    context.report_mock(models, path);
    script.map(AnswererSpec::Mock)
}

/// The finding about a project that names nobody to ask.
pub(super) fn no_chain() -> Diagnostic {
    let help = "add `[[llm.chain]]` to `fsmsim.toml`; see docs/models.md";
    Diagnostic::bad_arguments("the project names no live model").help(help)
}

/// The chain of the project, which may spend this. All that is wrong with it is told, not only the first of it.
fn chain(
    budget: &Arc<Budget>,
    models: &mut ModelCache,
    context: &mut Context,
) -> Result<Vec<AnswererSpec>, Stop> {
    let chain = context.project.chain.clone();
    if chain.answerers.is_empty() {
        return Err(no_chain().into());
    }
    consent(context)?;
    let answerers = chain
        .answerers
        .iter()
        .map(|answerer| answerer_of(answerer, budget, models, context));
    let answerers: Vec<Option<AnswererSpec>> = answerers.collect();
    answerers
        .into_iter()
        .collect::<Option<_>>()
        .ok_or(Stop::Told)
}

/// One of those whom the project names.
fn answerer_of(
    answerer: &AnswererSettings,
    budget: &Arc<Budget>,
    models: &mut ModelCache,
    context: &mut Context,
) -> Option<AnswererSpec> {
    match answerer {
        AnswererSettings::Mock(path) => mock(path, models, context),
        AnswererSettings::Live(provider) => {
            let seed = context.project.chain.seed;
            AnswererSpec::live(provider, seed, budget)
                .map_err(|finding| context.report_one(*finding))
                .ok()
        }
        AnswererSettings::ExampleClassifier => Some(AnswererSpec::ExampleClassifier),
    }
}

/// One link of the chain of the project, by its name.
fn link(name: &str, budget: &Arc<Budget>, context: &mut Context) -> Result<AnswererSpec, Stop> {
    let chain = context.project.chain.clone();
    let found = chain.answerers.iter().find_map(|answerer| match answerer {
        AnswererSettings::Live(provider) if provider.name == name => Some(provider),
        _ => None,
    });
    let Some(provider) = found else {
        let known = chain
            .answerers
            .iter()
            .filter_map(|answerer| match answerer {
                AnswererSettings::Live(provider) => Some(&*provider.name),
                _ => None,
            });
        let finding = Diagnostic::bad_arguments(format!("the project has no live model `{name}`"));
        return Err(finding
            .near(name, known, "name one of `[[llm.chain]]` in `fsmsim.toml`")
            .into());
    };
    consent(context)?;
    Ok(AnswererSpec::live(provider, chain.seed, budget)?)
}

/// Tells on standard error what a run used of live models, and how they failed.
pub(super) fn tell_usage(config: Option<&AnswererConfig>) {
    let Some(config) = config else { return };
    tell_lines(&completed_lines(&config.completed()));
    tell_lines(&usage_lines(&config.usage(), |link| config.price(link)));
    tell_lines(&failure_lines(&config.failures()));
}
