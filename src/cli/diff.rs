//! `fsmsim diff`: what differs between two traces, or between two models over the same scenarios.

use std::io::{self, Write};
use std::path::PathBuf;
use std::sync::{Mutex, PoisonError};

use clap::{Args, ValueEnum};

use super::context::{Context, profile_of};
use super::exit::Exit;
use crate::diagnostic::{Code, Diagnostic, Diagnostics, SourceMap};
use crate::diff::{DialogueDiff, DialogueStream, DiffOperand, DifferenceKind, ModelDiff, NamedFiles, Sides};
use crate::project::ModelCache;
use crate::report::DifferenceReport;
use crate::scenario::Runner;

/// Arguments of `diff`.
#[derive(Debug, Args)]
pub(super) struct DiffArgs {
    /// A trace (`.jsonl`, `-` is standard input), scenarios (a file or folder), or a model: `PATH`, `PATH@PROFILE`,
    /// `git:REVISION:PATH[@PROFILE]`
    a: String,
    /// The same, to compare with
    b: String,
    /// Scenarios over which two models are compared: those that name one of them; without any, those of the project
    #[arg(long, value_name = "PATH", num_args = 1..)]
    scenarios: Vec<PathBuf>,
    /// How to print
    #[arg(long, value_enum, default_value_t = DiffFormat::Text)]
    format: DiffFormat,
    /// Turns that are shown before and behind the first difference of a dialogue
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u16).range(..=1000))]
    context: u16,
    /// Only differences of these kinds: turns, state, phase, class, carryover, action, effect, data, reason, input
    #[arg(long, value_name = "KIND,…", value_delimiter = ',')]
    only: Vec<String>,
    /// The profile, whatever the models and scenarios say
    #[arg(long, value_name = "NAME")]
    profile: Option<String>,
    /// The configuration root, instead of the nearest folder with `constants.yaml`
    #[arg(long, value_name = "DIR")]
    config: Option<PathBuf>,
}

/// How to print a comparison.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum DiffFormat {
    /// For people
    Text,
    /// One JSON object
    Json,
    /// A page of HTML that needs nothing else
    Html,
}

/// Runs the command.
pub(super) fn run(args: &DiffArgs, context: &mut Context) -> io::Result<Exit> {
    let mut diagnostics = Diagnostics::default();
    let profile = args.profile.as_deref().and_then(|name| profile_of(name, &mut diagnostics));
    let only = kinds(&args.only, &mut diagnostics);
    if args.a == "-" && args.b == "-" {
        let finding = Diagnostic::error(Code::BadArguments, "only one side can be read from standard input");
        diagnostics.push(finding.help("name a file for the other side"));
    }
    let operands = Sides { a: &args.a, b: &args.b }.map(|text| DiffOperand::parse(text, &mut diagnostics));
    context.report(&diagnostics, &SourceMap::default());
    let (Some(operands), false) = (operands.both(), diagnostics.has_errors()) else {
        return Ok(Exit::Unusable);
    };
    if let Some(finding) = misfit(args, &operands) {
        return Ok(context.fail(finding));
    }
    let project = context.project.clone();
    let models = Mutex::new(ModelCache::new(args.config.clone()));
    let runner = Runner { project: &project, models: &models, profile, answerers: None };
    let (mut diagnostics, mut sources) = (Diagnostics::default(), SourceMap::default());
    let (only, turns) = (&*only, args.context.into());
    let outcome = if let Some(candidates) = operands.as_ref().map(DiffOperand::candidate).both() {
        context.rename(&candidates.a.names);
        context.rename(&candidates.b.names);
        let given = &args.scenarios;
        let paths = if given.is_empty() { vec![project.scenarios.clone()] } else { given.clone() };
        let diff = ModelDiff { runner: &runner, candidates, only, context: turns };
        Some(diff.run(&paths, &mut diagnostics, &mut sources))
    } else {
        let streams = operands.map(|operand| DialogueStream::open(&operand, &runner, &mut diagnostics));
        let diff = streams.both().map(|streams| DialogueDiff { streams, only, context: turns });
        diff.map(|diff| diff.run(&mut diagnostics, &mut sources))
    };
    let (named, unread) = outcome.as_ref().map_or((&[][..], false), |outcome| (&outcome.named, outcome.unread));
    let cache = models.lock().unwrap_or_else(PoisonError::into_inner);
    for NamedFiles { models, mocks } in named {
        context.report_loaded(&cache, models, mocks);
    }
    context.report(&diagnostics, &sources);
    let Some(comparison) = outcome.and_then(|outcome| outcome.comparison) else { return Ok(Exit::Unusable) };
    let exit = Exit::of([
        (Exit::Unusable, diagnostics.has_errors() || comparison.counts.unplayable > 0),
        (Exit::Failed, !comparison.is_same()),
        (Exit::Unavailable, unread),
    ]);
    let report = DifferenceReport { a: args.a.clone(), b: args.b.clone(), comparison };
    let mut out = io::BufWriter::new(io::stdout().lock());
    match args.format {
        DiffFormat::Text => report.write_text(&mut out)?,
        DiffFormat::Json => report.write_json(&mut out)?,
        DiffFormat::Html => report.write_html(&mut out)?,
    }
    out.flush()?;
    Ok(exit)
}

/// What keeps two things from being compared, or an option from being of use.
fn misfit(args: &DiffArgs, operands: &Sides<DiffOperand>) -> Option<Diagnostic> {
    let Sides { a, b } = operands;
    let is_model = operands.as_ref().map(|operand| matches!(operand, DiffOperand::Model(..)));
    if is_model.a != is_model.b {
        let title = format!("`{}` is {} and `{}` is {}", args.a, a.kind(), args.b, b.kind());
        let help = "compare models with models, and traces and scenarios with each other";
        return Some(Diagnostic::error(Code::BadComparison, title).help(help));
    }
    let only_traces = matches!((a, b), (DiffOperand::Trace(_), DiffOperand::Trace(_)));
    let useless = [
        ("--scenarios", !is_model.a && !args.scenarios.is_empty()),
        ("--profile", only_traces && args.profile.is_some()),
        ("--config", only_traces && args.config.is_some()),
    ];
    let (option, _) = useless.into_iter().find(|(_, is_useless)| *is_useless)?;
    let title = format!("`{option}` is for models, and these are {} and {}", a.kind(), b.kind());
    Some(Diagnostic::error(Code::BadArguments, title).help("leave it out"))
}

/// The kinds of these names.
fn kinds(names: &[String], diagnostics: &mut Diagnostics) -> Vec<DifferenceKind> {
    let mut kinds = Vec::new();
    for name in names {
        match name.parse() {
            Ok(kind) => kinds.push(kind),
            Err(_) => {
                let title = format!("`--only` names `{name}`, which is no kind of difference");
                let known = DifferenceKind::ALL.iter().map(|kind| kind.name());
                let finding = Diagnostic::error(Code::BadArguments, title);
                diagnostics.push(finding.offer(name, "kinds", known));
            }
        }
    }
    kinds
}
