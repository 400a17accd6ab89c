//! `fsmsim lint`: checks models for errors and likely mistakes.

use std::collections::BTreeMap;
use std::io::Write;
use std::path::Path;

use clap::Args;

use super::model_args::ModelArgs;
use super::output::{TextOrJsonl, escaping};
use super::{CommandResult, Context, Exit, Stop, refuse};
use fsmsim_harness::lint::Linter;
use fsmsim_reports::report::{
    ReportKind, ReportTarget, ReportedFinding, ReportedRun, RunPage, RunReport, RunWriter,
    lint_summary, write_findings, write_reading,
};
use fsmsim_runtime::project::{ModelName, models_below, project_models};
use fsmsim_syntax::diagnostic::{Code, Diagnostic, Diagnostics, SourceMap};
use fsmsim_syntax::terminal::{results, tell};

/// Arguments of `lint`.
#[derive(Debug, Args)]
pub(super) struct LintArgs {
    /// The models: folders with `flow.yaml` or with markdown states, or files; of a folder that is no model, all models below
    /// it. `PATH@PROFILE` fixes the profile. Default: the models of the project
    #[arg(value_name = "MODEL")]
    models: Vec<String>,
    /// Say nothing of moves that no state declares, since they would be taken; missing states are warnings, since they would
    /// play as stubs
    #[arg(long)]
    permissive: bool,
    /// Show besides what is taken out of a markdown document, from which line, and what is not
    #[arg(long)]
    explain_reading: bool,
    /// Take warnings as a failure too
    #[arg(long)]
    deny_warnings: bool,
    #[command(flatten)]
    options: ModelArgs,
    /// How findings are told: as text on standard error, or each as a line of JSON on standard output
    #[arg(long, value_enum, default_value_t)]
    format: TextOrJsonl,
    /// Write a report, `json` or `sarif`: to a file beside the text, or in place of it
    #[arg(long, value_name = "KIND[=FILE]", value_parser = |text: &str| ReportTarget::parse(text, &KINDS))]
    report: Vec<ReportTarget>,
}

/// The report kinds of a lint.
const KINDS: [ReportKind; 2] = [ReportKind::Json, ReportKind::Sarif];

impl LintArgs {
    /// Rejects options that would mix two outputs on standard output.
    fn check(&self) -> CommandResult<()> {
        ReportTarget::with_format(&self.report, None)?;
        let (is_json, shows_text) = (
            self.format == TextOrJsonl::Jsonl,
            ReportTarget::shows_text(&self.report),
        );
        let (title, help) = if is_json && !shows_text {
            (
                "findings cannot be told twice on standard output",
                "give the report a file: `--report sarif=FILE`",
            )
        } else if self.explain_reading && is_json {
            (
                "`--explain-reading` is for people",
                "leave out `--format jsonl`",
            )
        } else if self.explain_reading && !shows_text {
            (
                "`--explain-reading` is for people",
                "give the report a file: `--report sarif=FILE`",
            )
        } else {
            return Ok(());
        };
        refuse(title, help)
    }
}

/// Runs the command.
pub(super) fn run(args: &LintArgs, context: &mut Context) -> CommandResult {
    args.check()?;
    let profile = context.profile(args.options.profile.as_deref())?;
    let project = context.project.clone();
    let layout = project.artifacts_in(&project.snapshots);
    let from_root = |path: &str| layout.from_root(Path::new(path));
    let shows_text = ReportTarget::shows_text(&args.report);
    let mut full_report = RunReport::new(ReportedRun::Lint, None);
    let models = args
        .options
        .models(&context.project)
        .with_stubs(args.permissive);
    let mut linter = Linter::new(&project, models, profile, args.permissive);
    let mut out = results(escaping(args.format == TextOrJsonl::Text));
    for name in &names(&args.models, context)? {
        let Some(findings) = linter.look_at(name) else {
            continue;
        };
        let sources = linter.models.sources();
        full_report.findings.extend(
            findings
                .iter()
                .map(|finding| ReportedFinding::of(finding, sources, &from_root)),
        );
        match args.format {
            TextOrJsonl::Text if !shows_text => {}
            TextOrJsonl::Jsonl => write_findings(name, &findings, sources, &mut out)?,
            TextOrJsonl::Text => {
                let mut shown = Diagnostics::default();
                for finding in findings {
                    shown.push(finding);
                }
                context.report(&shown, sources);
            }
        }
        if args.explain_reading {
            explain(name, &mut linter, context, &mut out)?;
        }
    }
    let report = linter.report;
    match args.format {
        TextOrJsonl::Text if shows_text => writeln!(out, "{}", lint_summary(&report))?,
        _ => tell(&format!("{}\n", lint_summary(&report))),
    }
    out.flush()?;
    drop(out);
    full_report.head.models = linter
        .fingerprints()
        .into_iter()
        .map(|(path, hash)| (layout.from_root(&path), hash))
        .collect();
    full_report.finish();
    let sources = BTreeMap::new();
    let writer = RunWriter {
        report: &full_report,
        sources: &sources,
        page: &RunPage::default(),
    };
    let write = |kind, out: &mut dyn Write| {
        if kind == ReportKind::Text {
            Ok(())
        } else {
            writer.write(kind, out)
        }
    };
    ReportTarget::write_all::<Stop>(&args.report, write)?;
    Ok(Exit::of([
        (Exit::Unusable, report.is_unreadable),
        (
            Exit::Failed,
            report.errors > 0 || args.deny_warnings && report.warnings > 0,
        ),
    ]))
}

/// The models to check: a folder that is not a model stands for all models below it.
fn names(models: &[String], context: &mut Context) -> CommandResult<Vec<String>> {
    let mut names = Vec::new();
    let mut found = Diagnostics::default();
    if models.is_empty() {
        let known = project_models(&context.project, &mut found);
        names.extend(known.iter().map(|path| path.display().to_string()));
        if names.is_empty() {
            return refuse(
                "this project has no model",
                "create one with `fsmsim init .`, or name a model",
            );
        }
    }
    for name in models {
        let model = ModelName::parse(name, &mut Diagnostics::default());
        let below = model
            .iter()
            .flat_map(|model| models_below(&model.path, &mut found))
            .map(|path| path.display().to_string());
        let suffix = model
            .as_ref()
            .and_then(|model| model.profile)
            .map(|profile| format!("@{}", profile.name()));
        let suffix = suffix.unwrap_or_default();
        let before = names.len();
        names.extend(below.map(|path| format!("{path}{suffix}")));
        // A name without any model is kept, so that the linter reports it.
        if names.len() == before {
            names.push(name.clone());
        }
    }
    context.usable(Some(names), &found, &SourceMap::default())
}

/// Prints the elements that were read from a document, as a table.
fn explain(
    name: &str,
    linter: &mut Linter<'_>,
    context: &mut Context,
    out: &mut impl Write,
) -> CommandResult<()> {
    match linter.explain(name) {
        Some(reading) => write_reading(name, &reading, linter.models.sources(), out)?,
        // For a document without transitions there are already findings.
        None if Path::new(name).is_dir() => context.report_one(
            Diagnostic::remark(
                Code::NotTaken,
                "only the reading of a document is explained",
            )
            .about(name)
            .help("name a markdown document that tells transitions"),
        ),
        None => {}
    }
    Ok(())
}
