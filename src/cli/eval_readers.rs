//! The recognizers of `fsmsim eval`.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, OnceLock};

use super::command_line::CommandLine;
use super::eval_args::EvalArgs;
use super::llm::{AnswererFinder, print_usage, records};
use super::progress_line::ProgressLine;
use super::{CommandResult, Context};
use fsmsim_adapters::llm::{AnswererConfig, CassettePath};
use fsmsim_core::engine::Machine;
use fsmsim_harness::eval::{
    AskedReader, DatasetUtterance, EvalResult, Evaluation, LinkUsage, UtteranceReader,
};
use fsmsim_runtime::project::ModelCache;
use fsmsim_syntax::diagnostic::{Diagnostic, Diagnostics};
use fsmsim_syntax::files::real_path;
use fsmsim_syntax::terminal::print_message;

/// Runs the requested recognizers one after the other.
pub(super) struct EvalReaders<'e> {
    pub args: &'e EvalArgs,
    pub machine: &'e Arc<Machine>,
    pub utterances: &'e [DatasetUtterance],
    pub models: &'e mut ModelCache,
}

impl EvalReaders<'_> {
    /// Runs each recognizer on all utterances. All recognizers are checked before the first one runs.
    pub(super) fn read(
        &mut self,
        who: &[&str],
        result: &mut EvalResult,
        context: &mut Context,
    ) -> CommandResult<()> {
        let mut selected: Vec<(&str, AnswererConfig, Option<PathBuf>)> = Vec::new();
        // All recognizers share one budget.
        let mut finder = AnswererFinder::new(self.models, context);
        for who in who {
            let (answerers, cassette) = finder.of_dialogue(who, Evaluation::DIALOGUE)?;
            selected.push((who, answerers, cassette));
        }
        one_cassette_each(&selected)?;
        for (who, answerers, cassette) in &selected {
            let threads = self.args.jobs.threads_for(Some(answerers))?;
            let cassette = cassette.as_ref().map(|path| CassettePath {
                path: path.clone(),
                command: self.again(path),
            });
            let reader = AskedReader {
                answerers,
                cassette,
                seed: self.args.seed,
            };
            let evaluation = Evaluation {
                reader: UtteranceReader {
                    machine: self.machine,
                    ignores_phrases: self.args.ignore_phrases,
                },
                utterances: self.utterances,
                stopped: stop_flag(),
            };
            let progress = ProgressLine::over(self.utterances.len(), "utterances");
            let mut found = Diagnostics::default();
            let read = evaluation.read(&reader, &threads, &mut || progress.advance(), &mut found);
            progress.finish();
            context.no_errors(&found)?;
            print_usage(Some(answerers));
            let usage = answerers.usage();
            let used = usage.iter().filter(|(_, used)| used.calls > 0);
            let used =
                used.map(|(link, used)| LinkUsage::of(link, used, answerers.price(link).as_ref()));
            let max_incorrect = f64::from(self.args.max_error) / 100.0;
            result.push(
                (who, used.collect()),
                self.utterances,
                read,
                (self.machine, max_incorrect),
            );
        }
        Ok(())
    }

    /// The command that records the missing answers in a cassette.
    fn again(&self, cassette: &Path) -> String {
        let words = [&*self.args.model, &*self.args.dataset.to_string_lossy()];
        let recorded = format!("record-missing:{}", cassette.display());
        CommandLine::new("eval", &words)
            .option("llm", Some(recorded))
            .text()
    }
}

/// Rejects a cassette that one recognizer records and another one uses: their results would not be independent.
fn one_cassette_each(selected: &[(&str, AnswererConfig, Option<PathBuf>)]) -> CommandResult<()> {
    let mut known = BTreeSet::new();
    let mut cassettes = selected
        .iter()
        .filter_map(|(_, _, cassette)| cassette.as_ref());
    let twice = cassettes.find(|cassette| !known.insert(real_path(cassette)));
    let Some(cassette) = twice.filter(|_| selected.iter().any(|(who, _, _)| records(who))) else {
        return Ok(());
    };
    Err(
        Diagnostic::bad_arguments("cannot record the answers of two recognizers in one cassette")
            .about(cassette.display().to_string())
            .help("use another file for `--against`, or record first and replay later")
            .into(),
    )
}

/// A flag that Ctrl-C sets. The first Ctrl-C lets running requests finish and reports the results so far; the second
/// one ends the program.
fn stop_flag() -> &'static AtomicBool {
    static STOPPED: AtomicBool = AtomicBool::new(false);
    static WATCHED: OnceLock<()> = OnceLock::new();
    WATCHED.get_or_init(|| {
        // If no handler can be set, Ctrl-C ends the program immediately.
        let _ = ctrlc::set_handler(|| {
            if STOPPED.swap(true, Ordering::Relaxed) {
                std::process::exit(130);
            }
            print_message("stopping after the running requests; press Ctrl-C again to quit now\n");
        });
    });
    &STOPPED
}
