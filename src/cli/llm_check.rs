//! `fsmsim llm check`: checks the connection to each live provider.

use std::io::Write;

use clap::{Args, Subcommand};

use super::help;
use super::llm::{mock, no_chain, prompts};
use super::output::TextOrJson;
use super::trust::consent;
use super::{CommandResult, Context, Exit};
use fsmsim_adapters::llm::{AnswererSettings, CheckQuestion, LinkCheck};
use fsmsim_reports::report::{link_checks_json, write_link_checks};
use fsmsim_runtime::project::ModelCache;
use fsmsim_syntax::terminal::{Escaping, results};

/// Arguments of `llm`.
#[derive(Debug, Args)]
pub(super) struct LlmArgs {
    #[command(subcommand)]
    verb: LlmVerb,
}

/// The subcommands of `llm`.
#[derive(Debug, Subcommand)]
enum LlmVerb {
    /// Check the connection to each LLM provider
    #[command(after_long_help = const { help::examples("llm_check") })]
    Check {
        /// Output format
        #[arg(long, value_enum, default_value_t)]
        format: TextOrJson,
    },
}

/// Runs the command.
pub(super) fn run(args: &LlmArgs, context: &mut Context) -> CommandResult {
    let LlmVerb::Check { format } = &args.verb;
    let chain = context.project.chain.clone();
    if chain.answerers.is_empty() && chain.judge.is_none() {
        return Err(no_chain().into());
    }
    let prompts = prompts(context)?;
    consent(context)?;
    // An invalid mock cannot answer.
    let mut models = ModelCache::new(&context.project, None);
    let mut is_usable = true;
    for link in chain.answerers.iter().chain(&chain.judge) {
        if let AnswererSettings::Mock(file, _) = link {
            is_usable &= mock(file, None, &mut models, context).is_some();
        }
    }
    // All providers are called in parallel and reported in the order of the file.
    let checks: Vec<_> = std::thread::scope(|scope| {
        let question = |judges| CheckQuestion {
            seed: chain.seed,
            prompts: &prompts,
            judges,
        };
        let links = chain
            .answerers
            .iter()
            .map(|link| (link, question(false)))
            .chain(chain.judge.iter().map(|judge| (judge, question(true))));
        let threads =
            links.map(|(link, question)| scope.spawn(move || LinkCheck::of(link, &question)));
        let threads: Vec<_> = threads.collect();
        threads
            .into_iter()
            .filter_map(|thread| thread.join().ok())
            .collect()
    });
    let mut valid_checks = Vec::new();
    for check in checks {
        match check {
            Ok(check) => valid_checks.push(check),
            Err(finding) => {
                is_usable = false;
                context.report_one(*finding);
            }
        }
    }
    let is_well = valid_checks.iter().all(LinkCheck::is_well);
    let escaping = if *format == TextOrJson::Json {
        Escaping::Json
    } else {
        Escaping::Plain
    };
    let mut out = results(escaping);
    match format {
        TextOrJson::Text => write_link_checks(&valid_checks, &mut out)?,
        TextOrJson::Json => writeln!(out, "{}", link_checks_json(&valid_checks))?,
    }
    out.flush()?;
    Ok(Exit::of([
        (Exit::Unusable, !is_usable),
        (Exit::Unavailable, !is_well),
    ]))
}
