//! `--llm`: whom a run asks.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::trust::consent;
use super::{CommandResult, Context, Stop, may_write, refuse, tell_lines};
use fsmsim_adapters::llm::{
    AnswererConfig, AnswererSettings, AnswererSpec, Budget, Cassette, PromptTemplates, Redactions,
    SimulationTape, TapeUse,
};
use fsmsim_core::engine::Machine;
use fsmsim_reports::report::{completed_lines, failure_lines, usage_lines};
use fsmsim_runtime::project::ModelCache;
use fsmsim_syntax::diagnostic::Diagnostic;

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

/// What a word does with cassettes, if anything.
fn tape_use(word: &str) -> Option<TapeUse> {
    match word {
        RECORD => Some(TapeUse::Record),
        RECORD_MISSING => Some(TapeUse::RecordMissing),
        REPLAY => Some(TapeUse::Replay),
        _ => None,
    }
}

/// What `WORD:FILE` does with the cassette of a dialogue, and the cassette; nothing where it names none.
fn named_cassette(who: &str) -> Option<(TapeUse, &Path)> {
    let (word, file) = who.split_once(':').filter(|(_, file)| !file.is_empty())?;
    Some((tape_use(word)?, Path::new(file)))
}

/// Whether a run with this word writes cassettes.
pub(super) fn records(who: &str) -> bool {
    let word = who.split_once(':').map_or(who, |(word, _)| word);
    [RECORD, RECORD_MISSING].contains(&word)
}

/// Finds whom a run asks.
pub(super) struct AnswererFinder<'f> {
    models: &'f mut ModelCache,
    context: &'f mut Context,
    /// What the run may spend, which is one for all who are asked.
    budget: Arc<Budget>,
}

impl<'f> AnswererFinder<'f> {
    /// Nobody is found yet.
    pub(super) fn new(models: &'f mut ModelCache, context: &'f mut Context) -> Self {
        let budget = Arc::new(context.project.chain.budget());
        Self {
            models,
            context,
            budget,
        }
    }

    /// Whom scenarios ask: as they say themselves (nothing, or `mock`), or all of them whom `--llm` names.
    pub(super) fn of_scenarios(
        &mut self,
        who: Option<&str>,
    ) -> CommandResult<Option<AnswererConfig>> {
        let help = "write `--llm mock`, `live`, `record`, `record-missing`, `replay`, `bank`, `link:NAME` or `mock:FILE`";
        let Some(who) = who.filter(|who| *who != "mock") else {
            return Ok(None);
        };
        let config = match tape_use(who) {
            Some(purpose) => self.on_cassettes(purpose),
            None => self.listed(who, help),
        };
        config.map(Some)
    }

    /// Who judges what scenarios say: whom `--judge` names, else the judge of the project where `--llm` goes live. Nobody, where
    /// that is left to each scenario: a cassette that is replayed, a mock.
    pub(super) fn judge_of_scenarios(
        &mut self,
        who: Option<&str>,
        llm: Option<&str>,
    ) -> CommandResult<Option<AnswererConfig>> {
        let is_link = |who: &str| who == LIVE || who.starts_with("link:");
        let goes_live = llm.is_some_and(|llm| records(llm) || llm.split(',').any(is_link));
        let judge = match who {
            None if goes_live && self.context.project.chain.judge.is_some() => {
                self.project_judge(AnswererConfig::new)
            }
            None => return Ok(None),
            Some(REPLAY) if llm.is_some_and(records) => refuse(
                "what is recorded anew cannot be replayed",
                "write `--llm record` alone, or `--judge live`",
            ),
            Some(RECORD) if llm == Some(REPLAY) => refuse(
                "what is replayed cannot be recorded",
                "write `--judge record-missing`, or `--judge live`",
            ),
            Some(REPLAY) => self.on_cassettes(TapeUse::Replay),
            // The cassette of the judge alone would take the place of one that holds both.
            Some(word @ (RECORD | RECORD_MISSING)) if goes_live => refuse(
                "what models answer and what is judged is on one cassette",
                format!("write `--llm {word}`, which keeps both"),
            ),
            Some(word @ (RECORD | RECORD_MISSING)) => {
                may_record()?;
                let record = recording(word == RECORD);
                let redactions = self.redactions()?;
                self.project_judge(|judge| record(judge, redactions))
            }
            Some(LIVE) => self.project_judge(AnswererConfig::new),
            Some(who) => match who.strip_prefix("mock:").filter(|file| !file.is_empty()) {
                Some(file) => Ok(AnswererConfig::new(vec![self.mock(Path::new(file))?])),
                None => refuse(
                    "`--judge` names nobody who could judge",
                    "write `--judge live`, `record`, `record-missing`, `replay` or `mock:FILE`",
                ),
            },
        };
        judge.map(Some)
    }

    /// The judge of the project, and what is done with what it says.
    fn project_judge(
        &mut self,
        config: impl FnOnce(Vec<AnswererSpec>) -> AnswererConfig,
    ) -> CommandResult<AnswererConfig> {
        let Some(judge) = self.context.project.chain.judge.clone() else {
            let help = "add `[llm.judge]` to `fsmsim.toml`; see docs/models.md";
            return refuse("the project names no judge", help);
        };
        if matches!(judge, AnswererSettings::Live(_)) {
            consent(self.context)?;
        }
        let judge = self.answerer_of(&judge)?;
        Ok(config(vec![judge]).asking_by(prompts(self.context)?))
    }

    /// Whom a dialogue asks that its cassette knows by this name, and the cassette of that.
    pub(super) fn of_dialogue(
        &mut self,
        who: &str,
        dialogue: &str,
    ) -> CommandResult<(AnswererConfig, Option<PathBuf>)> {
        let help = "write `--llm bank`, `mock:FILE`, `live`, `link:NAME`, `record:FILE`, `record-missing:FILE` or `replay:FILE`";
        let Some((purpose, file)) = named_cassette(who) else {
            return Ok((self.listed(who, help)?, None));
        };
        match purpose {
            TapeUse::Record => Cassette::check_place(file)?,
            TapeUse::RecordMissing => {}
            // A person should not have to type a line to see that the file cannot be used.
            TapeUse::Replay => {
                self.context
                    .read(|_, found| Cassette::read(file, dialogue, found))?;
            }
        }
        Ok((self.on_cassettes(purpose)?, Some(file.into())))
    }

    /// Those whom a list with commas names: `mock:FILE`, `live`, the chain of the project, `link:NAME`, one of it, and `bank`, the
    /// examples of the model; they are asked one after the other.
    pub(super) fn listed(&mut self, who: &str, help: &str) -> CommandResult<AnswererConfig> {
        let mut answerers = Vec::new();
        for who in who.split(',') {
            if let Some(path) = who.strip_prefix("mock:") {
                answerers.push(self.mock(Path::new(path))?);
            } else if who == LIVE {
                answerers.extend(self.chain()?);
            } else if let Some(name) = who.strip_prefix("link:") {
                answerers.push(self.link(name)?);
            } else if who == "bank" {
                answerers.push(AnswererSpec::ExampleClassifier);
            } else {
                return refuse("`--llm` names nobody who could be asked", help);
            }
        }
        Ok(AnswererConfig::new(answerers).asking_by(prompts(self.context)?))
    }

    /// The chain of the project, recorded; the same for what cassettes lack; or nobody but cassettes. Whether something is lacking
    /// is only known once it is asked for, so consent is needed before.
    fn on_cassettes(&mut self, purpose: TapeUse) -> CommandResult<AnswererConfig> {
        if purpose == TapeUse::Replay {
            return Ok(AnswererConfig::replaying(self.redactions()?));
        }
        may_record()?;
        let redactions = self.redactions()?;
        let config = recording(purpose == TapeUse::Record)(self.chain()?, redactions);
        Ok(config.asking_by(prompts(self.context)?))
    }

    /// Whom the users of a simulation ask, who are played by models; its dialogues may be on a cassette. The second is what reports
    /// say of it: a replay says the same as what was recorded.
    pub(super) fn of_simulation(
        &mut self,
        who: &str,
        model: &Machine,
        command: impl FnOnce(&str) -> String,
    ) -> CommandResult<(AnswererConfig, String)> {
        let help = "write `--llm mock:FILE`, `bank`, `live`, `link:NAME`, `record:FILE`, `record-missing:FILE` or `replay:FILE`";
        let Some((purpose, file)) = named_cassette(who) else {
            return Ok((self.listed(who, help)?, who.to_owned()));
        };
        let asked = if purpose == TapeUse::Replay {
            Vec::new()
        } else {
            may_record()?;
            self.chain()?
        };
        let command = command(&format!("{RECORD_MISSING}:{}", file.display()));
        let (redactions, name) = (self.redactions()?, &model.header.name);
        let tape = self.context.read(|_, found| {
            SimulationTape::open(purpose, file, name, command, redactions, found)
        })?;
        let config = AnswererConfig::on_tape(asked, tape).asking_by(prompts(self.context)?);
        Ok((config, LIVE.to_owned()))
    }

    /// What cassettes keep of requests, in the words of the project.
    fn redactions(&mut self) -> CommandResult<Redactions> {
        let prompts = prompts(self.context)?;
        let redactions = self.context.project.chain.redactions.clone();
        Ok(redactions.asking_by(prompts))
    }

    fn mock(&mut self, path: &Path) -> CommandResult<AnswererSpec> {
        mock(path, self.models, self.context).ok_or(Stop::Told)
    }

    /// The chain of the project. All that is wrong with it is told, not only the first of it.
    fn chain(&mut self) -> CommandResult<Vec<AnswererSpec>> {
        let chain = self.context.project.chain.clone();
        if chain.answerers.is_empty() {
            return Err(no_chain().into());
        }
        consent(self.context)?;
        let answerers = chain.answerers.iter();
        let answerers: Vec<_> = answerers
            .map(|answerer| self.answerer_of(answerer))
            .collect();
        answerers.into_iter().collect()
    }

    /// One of those whom the project names; what is wrong with it is told.
    fn answerer_of(&mut self, answerer: &AnswererSettings) -> CommandResult<AnswererSpec> {
        match answerer {
            AnswererSettings::Mock(path) => self.mock(path),
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

    /// One link of the chain of the project, by its name.
    fn link(&mut self, name: &str) -> CommandResult<AnswererSpec> {
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
            let title = format!("the project has no live model `{name}`");
            return Err(Diagnostic::bad_arguments(title)
                .near(name, known, "name one of `[[llm.chain]]` in `fsmsim.toml`")
                .into());
        };
        consent(self.context)?;
        Ok(AnswererSpec::live(provider, chain.seed, &self.budget)?)
    }
}

/// What records all answers, or those that cassettes lack.
fn recording(records_all: bool) -> fn(Vec<AnswererSpec>, Redactions) -> AnswererConfig {
    if records_all {
        AnswererConfig::recording
    } else {
        AnswererConfig::recording_missing
    }
}

fn may_record() -> CommandResult<()> {
    may_write("cassettes are not recorded", "record them")
}

/// What the project says in place of the built-in words.
pub(super) fn prompts(context: &mut Context) -> CommandResult<PromptTemplates> {
    let prompts = context.project.chain.prompts.clone();
    context.read(|sources, found| PromptTemplates::load(&prompts, sources, found))
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

/// Tells on standard error what a run used of live models, and how they failed.
pub(super) fn tell_usage(config: Option<&AnswererConfig>) {
    let Some(config) = config else { return };
    tell_lines(&completed_lines(&config.completed()));
    tell_lines(&usage_lines(&config.usage(), |link| config.price(link)));
    tell_lines(&failure_lines(&config.failures()));
}
