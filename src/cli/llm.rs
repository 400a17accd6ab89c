//! `--llm`: the recognizers of a run.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::trust::consent;
use super::{CommandResult, Context, Stop, may_write, print_lines, refuse, refuse_as};
use fsmsim_adapters::llm::{
    AnswererConfig, AnswererSettings, AnswererSpec, Budget, Cassette, PromptTemplates, Redactions,
    SimulationCassette, TapeUse,
};
use fsmsim_core::engine::Machine;
use fsmsim_reports::report::{completed_lines, failure_lines, usage_lines};
use fsmsim_runtime::project::ModelCache;
use fsmsim_syntax::diagnostic::{Code, Diagnostic};

/// The value that calls the providers and records all answers.
pub(super) const RECORD: &str = "record";
/// The value that selects the provider chain of the project.
const LIVE: &str = "live";
/// The value that replays cassettes and records missing answers.
const RECORD_MISSING: &str = "record-missing";
/// The value that only replays cassettes.
const REPLAY: &str = "replay";
/// The dialogue name of the REPL in a cassette.
pub(super) const DIALOGUE: &str = "repl";

/// How a value uses cassettes, if at all.
fn tape_use(word: &str) -> Option<TapeUse> {
    match word {
        RECORD => Some(TapeUse::Record),
        RECORD_MISSING => Some(TapeUse::RecordMissing),
        REPLAY => Some(TapeUse::Replay),
        _ => None,
    }
}

/// How `WORD:FILE` uses the cassette, and its path; `None` for other values.
fn named_cassette(who: &str) -> Option<(TapeUse, &Path)> {
    let (word, file) = who.split_once(':').filter(|(_, file)| !file.is_empty())?;
    Some((tape_use(word)?, Path::new(file)))
}

/// Whether a run with this value writes cassettes.
pub(super) fn records(who: &str) -> bool {
    let word = who.split_once(':').map_or(who, |(word, _)| word);
    [RECORD, RECORD_MISSING].contains(&word)
}

/// Creates the recognizers of a run.
pub(super) struct AnswererFinder<'f> {
    models: &'f mut ModelCache,
    context: &'f mut Context,
    /// The budget that all recognizers of the run share.
    budget: Arc<Budget>,
}

impl<'f> AnswererFinder<'f> {
    pub(super) fn new(models: &'f mut ModelCache, context: &'f mut Context) -> Self {
        let budget = Arc::new(context.project.chain.budget());
        Self {
            models,
            context,
            budget,
        }
    }

    /// The recognizers of scenarios. `None` if each scenario selects its own: without a value, or with `mock`.
    pub(super) fn of_scenarios(
        &mut self,
        who: Option<&str>,
    ) -> CommandResult<Option<AnswererConfig>> {
        let help = "use `--llm mock`, `record`, `record-missing` or `replay`, or a list of `live`, `examples`, `provider:NAME` and `mock:FILE`";
        let Some(who) = who.filter(|who| *who != "mock") else {
            return Ok(None);
        };
        let config = match tape_use(who) {
            Some(purpose) => self.on_cassettes(purpose),
            None => self.listed(who, help),
        };
        config.map(Some)
    }

    /// The judge of scenarios: the judge from `--judge`, otherwise the judge of the project if `--llm` uses live LLMs.
    /// `None` if each scenario selects its own judge: a cassette or a mock.
    pub(super) fn judge_of_scenarios(
        &mut self,
        who: Option<&str>,
        llm: Option<&str>,
    ) -> CommandResult<Option<AnswererConfig>> {
        let is_live = |who: &str| who == LIVE || who.starts_with("provider:");
        let goes_live = llm.is_some_and(|llm| records(llm) || llm.split(',').any(is_live));
        let judge = match who {
            None if goes_live && self.context.project.chain.judge.is_some() => {
                self.project_judge(AnswererConfig::new)
            }
            None => return Ok(None),
            Some(REPLAY) if llm.is_some_and(records) => refuse(
                "cannot use `--judge replay` with an `--llm` that records",
                "use `--llm record` alone, or `--judge live`",
            ),
            Some(RECORD) if llm == Some(REPLAY) => refuse(
                "cannot use `--judge record` with `--llm replay`",
                "use `--judge record-missing` or `--judge live`",
            ),
            Some(REPLAY) => self.on_cassettes(TapeUse::Replay),
            // A cassette with only the judge's answers would overwrite the cassette with all answers.
            Some(word @ (RECORD | RECORD_MISSING)) if goes_live => refuse(
                "cannot record the judge alone: one cassette contains all answers",
                format!("use `--llm {word}`, which records both"),
            ),
            Some(word @ (RECORD | RECORD_MISSING)) => {
                may_record()?;
                let record = recording(word == RECORD);
                let redactions = self.redactions()?;
                self.project_judge(|judge| record(judge, redactions))
            }
            Some(LIVE) => self.project_judge(AnswererConfig::new),
            Some(who) => match who.strip_prefix("mock:").filter(|file| !file.is_empty()) {
                Some(file) => Ok(AnswererConfig::new(vec![self.mock(Path::new(file), None)?])),
                None => Err(Diagnostic::unknown_argument("judge", who)
                    .help("use `--judge live`, `record`, `record-missing`, `replay` or `mock:FILE`")
                    .into()),
            },
        };
        judge.map(Some)
    }

    /// The judge of the project, wrapped by a function.
    fn project_judge(
        &mut self,
        config: impl FnOnce(Vec<AnswererSpec>) -> AnswererConfig,
    ) -> CommandResult<AnswererConfig> {
        let Some(judge) = self.context.project.chain.judge.clone() else {
            let help = "add `[llm.judge]` to `fsmsim.toml`; see docs/src/how-to/configure-llm-providers.md";
            return refuse_as(Code::MissingSetup, "no judge is configured", help);
        };
        if matches!(judge, AnswererSettings::Live(_)) {
            consent(self.context)?;
        }
        let judge = self.answerer_of(&judge)?;
        Ok(config(vec![judge]).asking_by(prompts(self.context)?))
    }

    /// The recognizers and the cassette of a dialogue, which the cassette stores under the name `dialogue`.
    pub(super) fn of_dialogue(
        &mut self,
        who: &str,
        dialogue: &str,
    ) -> CommandResult<(AnswererConfig, Option<PathBuf>)> {
        let help = "use `--llm examples`, `mock:FILE`, `live`, `provider:NAME`, `record:FILE`, `record-missing:FILE` or `replay:FILE`";
        let Some((purpose, file)) = named_cassette(who) else {
            return Ok((self.listed(who, help)?, None));
        };
        match purpose {
            TapeUse::Record => Cassette::check_place(file)?,
            TapeUse::RecordMissing => {}
            // An invalid file is reported before the user types a line.
            TapeUse::Replay => {
                self.context
                    .read(|_, found| Cassette::read(file, dialogue, found))?;
            }
        }
        Ok((self.on_cassettes(purpose)?, Some(file.into())))
    }

    /// The recognizers in a comma-separated list: `mock:FILE`, `live` (the provider chain of the project),
    /// `provider:NAME` (one provider of the chain), and `examples` (the example classifier). They are called in order.
    /// Several mocks have the names with which they are listed.
    pub(super) fn listed(&mut self, who: &str, help: &str) -> CommandResult<AnswererConfig> {
        let mut answerers = Vec::new();
        let has_mocks = who.matches("mock:").count() > 1;
        for who in who.split(',') {
            if let Some(path) = who.strip_prefix("mock:") {
                answerers.push(self.mock(Path::new(path), has_mocks.then_some(who))?);
            } else if who == LIVE {
                answerers.extend(self.chain()?);
            } else if let Some(name) = who.strip_prefix("provider:") {
                answerers.push(self.provider(name)?);
            } else if who == "examples" {
                answerers.push(AnswererSpec::ExampleClassifier);
            } else {
                return Err(Diagnostic::unknown_argument("provider", who)
                    .help(help)
                    .into());
            }
        }
        Ok(AnswererConfig::new(answerers).asking_by(prompts(self.context)?))
    }

    /// The provider chain of the project with recording, or only cassettes. Consent is required in advance, because the
    /// program learns during the run which answers are missing.
    fn on_cassettes(&mut self, purpose: TapeUse) -> CommandResult<AnswererConfig> {
        if purpose == TapeUse::Replay {
            return Ok(AnswererConfig::replaying(self.redactions()?));
        }
        may_record()?;
        let redactions = self.redactions()?;
        let config = recording(purpose == TapeUse::Record)(self.chain()?, redactions);
        Ok(config.asking_by(prompts(self.context)?))
    }

    /// The recognizers for simulated users played by LLMs, optionally with a cassette. The second value is the name for
    /// reports: a replay has the same name as the recorded run.
    pub(super) fn of_simulation(
        &mut self,
        who: &str,
        model: &Machine,
        command: impl FnOnce(&str) -> String,
    ) -> CommandResult<(AnswererConfig, String)> {
        let help = "use `--llm mock:FILE`, `live`, `provider:NAME`, `record:FILE`, `record-missing:FILE` or `replay:FILE`";
        let plays = |config: AnswererConfig| -> CommandResult<AnswererConfig> {
            if config.plays_users() {
                return Ok(config);
            }
            refuse(
                format!("cannot simulate users with `{who}`: no provider can play a user"),
                "use a live model or a mock with `need: play_user`; `--recognize` recognizes simulated users by the examples",
            )
        };
        let Some((purpose, file)) = named_cassette(who) else {
            return Ok((plays(self.listed(who, help)?)?, who.to_owned()));
        };
        let asked = if purpose == TapeUse::Replay {
            Vec::new()
        } else {
            may_record()?;
            self.chain()?
        };
        plays(AnswererConfig::new(asked.clone()))?;
        let command = command(&format!("{RECORD_MISSING}:{}", file.display()));
        let redactions = self.redactions()?;
        let name = &model.header.name;
        let tape = self.context.read(|_, found| {
            SimulationCassette::open(purpose, file, name, command, redactions, found)
        })?;
        let config = AnswererConfig::on_tape(asked, tape).asking_by(prompts(self.context)?);
        Ok((config, LIVE.to_owned()))
    }

    /// The redactions of cassettes, with the prompts of the project.
    fn redactions(&mut self) -> CommandResult<Redactions> {
        let prompts = prompts(self.context)?;
        let redactions = self.context.project.chain.redactions.clone();
        Ok(redactions.asking_by(prompts))
    }

    fn mock(&mut self, path: &Path, name: Option<&str>) -> CommandResult<AnswererSpec> {
        mock(path, name, self.models, self.context).ok_or(Stop::Told)
    }

    /// The provider chain of the project. All errors are reported, not only the first.
    fn chain(&mut self) -> CommandResult<Vec<AnswererSpec>> {
        let chain = self.context.project.chain.clone();
        if chain.answerers.is_empty() {
            return Err(no_chain().into());
        }
        consent(self.context)?;
        let answerers: Vec<_> = chain
            .answerers
            .iter()
            .map(|answerer| self.answerer_of(answerer))
            .collect();
        answerers.into_iter().collect()
    }

    /// One provider of the project; errors are reported.
    fn answerer_of(&mut self, answerer: &AnswererSettings) -> CommandResult<AnswererSpec> {
        match answerer {
            AnswererSettings::Mock(path, name) => self.mock(path, name.as_deref()),
            AnswererSettings::Live(provider) => {
                let seed = self.context.project.chain.seed;
                let live = AnswererSpec::live(provider, seed, &self.budget);
                live.map_err(|finding| {
                    self.context.report_one(*finding);
                    Stop::Told
                })
            }
            AnswererSettings::ExampleClassifier => Ok(AnswererSpec::ExampleClassifier),
        }
    }

    /// A provider of the chain, by name.
    fn provider(&mut self, name: &str) -> CommandResult<AnswererSpec> {
        let chain = self.context.project.chain.clone();
        let live = chain
            .answerers
            .iter()
            .filter_map(|answerer| match answerer {
                AnswererSettings::Live(provider) => Some(provider),
                _ => None,
            });
        let Some(provider) = live.clone().find(|provider| provider.name == name) else {
            let known = live.map(|provider| &*provider.name);
            return Err(Diagnostic::unknown_argument("provider", name)
                .near(
                    name,
                    known,
                    "use a name from `[[llm.chain]]` in `fsmsim.toml`",
                )
                .into());
        };
        consent(self.context)?;
        Ok(AnswererSpec::live(provider, chain.seed, &self.budget)?)
    }
}

/// The function that records all answers, or only the missing ones.
fn recording(records_all: bool) -> fn(Vec<AnswererSpec>, Redactions) -> AnswererConfig {
    if records_all {
        AnswererConfig::recording
    } else {
        AnswererConfig::recording_missing
    }
}

fn may_record() -> CommandResult<()> {
    may_write("record", "cassettes")
}

/// The prompt templates of the project.
pub(super) fn prompts(context: &mut Context) -> CommandResult<PromptTemplates> {
    let prompts = context.project.chain.prompts.clone();
    context.read(|sources, found| PromptTemplates::load(&prompts, sources, found))
}

/// Loads a mock from its file.
pub(super) fn mock(
    path: &Path,
    name: Option<&str>,
    models: &mut ModelCache,
    context: &mut Context,
) -> Option<AnswererSpec> {
    let script = models.mock(path);
    context.report_mock(models, path);
    script.map(|script| AnswererSpec::mock(script, name))
}

/// The finding for a project without a provider chain.
pub(super) fn no_chain() -> Diagnostic {
    Diagnostic::error(Code::MissingSetup, "no LLM provider is configured").help(
        "add `[[llm.chain]]` to `fsmsim.toml`; see docs/src/how-to/configure-llm-providers.md",
    )
}

/// Prints the usage and the failures of live LLMs on standard error.
pub(super) fn print_usage(config: Option<&AnswererConfig>) {
    let Some(config) = config else { return };
    print_lines(&completed_lines(&config.completed()));
    print_lines(&usage_lines(&config.usage(), |link| config.price(link)));
    print_lines(&failure_lines(&config.failures()));
}
