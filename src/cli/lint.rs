//! `fsmsim lint`: checks models for errors and likely mistakes.

use std::collections::BTreeMap;
use std::io::Write;
use std::path::{Path, PathBuf};

use clap::Args;

use super::help;
use super::model_args::ModelArgs;
use super::output::{TextOrJsonl, escaping, report_help};
use super::{CommandResult, Context, Exit, Stop, refuse, refuse_as};
use fsmsim_harness::lint::{LintReport, Linter};
use fsmsim_reports::report::{
    ReportKind, ReportTarget, ReportedFinding, ReportedRun, RunPage, RunReport, RunWriter,
    lint_summary, write_findings, write_reading,
};
use fsmsim_runtime::project::{ModelName, Project, models_below, project_models};
use fsmsim_syntax::diagnostic::{Code, Diagnostic, Diagnostics, SourceMap};
use fsmsim_syntax::terminal::{print_message, results};

/// Arguments of `lint`.
#[derive(Debug, Args)]
pub(super) struct LintArgs {
    #[arg(value_name = "MODEL", help = format!("{}; other directories stand for all models below them", help::MODEL))]
    models: Vec<String>,
    #[arg(long, help = help::PERMISSIVE)]
    permissive: bool,
    /// Show which line of a Markdown document each extracted element comes from, and what is ignored
    #[arg(long)]
    explain_extraction: bool,
    /// Fail on warnings, too
    #[arg(long)]
    deny_warnings: bool,
    #[command(flatten)]
    options: ModelArgs,
    /// Output format
    #[arg(long, value_enum, default_value_t)]
    format: TextOrJsonl,
    #[arg(long, value_name = "KIND[=FILE]", help = report_help(&KINDS), value_parser = |text: &str| ReportTarget::parse(text, &KINDS))]
    report: Vec<ReportTarget>,
}

/// The report kinds of a lint.
const KINDS: [ReportKind; 3] = [ReportKind::Json, ReportKind::Sarif, ReportKind::Gitlab];

impl LintArgs {
    /// Rejects options that would mix two outputs on standard output.
    fn check(&self) -> CommandResult<()> {
        ReportTarget::with_format(&self.report, None)?;
        let is_json = self.format == TextOrJsonl::Jsonl;
        let shows_text = ReportTarget::shows_text(&self.report);
        let (title, help) = if is_json && !shows_text {
            (
                "cannot write findings and a report to standard output",
                "write the report to a file: `--report sarif=FILE`",
            )
        } else if self.explain_extraction && is_json {
            (
                "cannot use `--explain-extraction` with `--format jsonl`",
                "omit one of the two options",
            )
        } else if self.explain_extraction && !shows_text {
            (
                "cannot use `--explain-extraction` with a report on standard output",
                "write the report to a file: `--report sarif=FILE`",
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
    let own = context.project.clone();
    let layout = own.artifacts_in(&own.snapshots);
    let from_root = |path: &str| layout.from_root(Path::new(path));
    let shows_text = ReportTarget::shows_text(&args.report);
    let mut full_report = RunReport::new(ReportedRun::Lint, None);
    full_report.head.project = own.path_in_repository();
    let names = model_names(&args.models, context)?;
    let groups = by_project(names, own, context)?;
    let mut report = LintReport::default();
    let mut out = results(escaping(args.format == TextOrJsonl::Text));
    for (project, names) in &groups {
        let models = args.options.models(project).with_stubs(args.permissive);
        let mut linter = Linter::new(project, models, profile, args.permissive);
        linter.report = report;
        for name in names {
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
            if args.explain_extraction {
                explain(name, &mut linter, context, &mut out)?;
            }
        }
        report = linter.report;
        let hashes = linter.fingerprints().into_iter();
        let hashes = hashes.map(|(path, hash)| (layout.from_root(&path), hash));
        full_report.head.models.extend(hashes);
    }
    match args.format {
        TextOrJsonl::Text if shows_text => writeln!(out, "{}", lint_summary(&report))?,
        _ => print_message(&format!("{}\n", lint_summary(&report))),
    }
    out.flush()?;
    drop(out);
    full_report.finish();
    let sources = BTreeMap::new();
    let writer = RunWriter {
        report: &full_report,
        sources: &sources,
        page: &RunPage::default(),
        comparison: None,
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

/// The models of a command: a folder that is not a model stands for all models below it.
pub(super) fn model_names(models: &[String], context: &mut Context) -> CommandResult<Vec<String>> {
    let mut names = Vec::new();
    let mut found = Diagnostics::default();
    if models.is_empty() {
        let known = project_models(&context.project, &mut found);
        names.extend(known.iter().map(|path| path.display().to_string()));
        if names.is_empty() {
            return refuse_as(
                Code::MissingSetup,
                "the project has no model",
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
        // A name without any model is kept, so that loading it reports an error.
        if names.len() == before {
            names.push(name.clone());
        }
    }
    context.usable(Some(names), &found, &SourceMap::default())
}

/// The models by project: a model below another `fsmsim.toml` has the settings of that project.
fn by_project(
    names: Vec<String>,
    own: Project,
    context: &mut Context,
) -> CommandResult<Vec<(Project, Vec<String>)>> {
    let mut groups = vec![(own, Vec::new())];
    for name in names {
        let path = PathBuf::from(&name);
        let is_own = |(project, _): &&mut (Project, Vec<String>)| !project.is_foreign(&path);
        if let Some((_, names)) = groups.iter_mut().find(is_own) {
            names.push(name);
        } else {
            let project = context
                .read(|sources, found| Some(Project::find([path.as_path()], sources, found)))?;
            groups.push((project, vec![name]));
        }
    }
    Ok(groups)
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
        // A document without transitions already has findings.
        None if Path::new(name).is_dir() => context.report_one(
            Diagnostic::remark(
                Code::NotTaken,
                "cannot explain the extraction of a directory",
            )
            .about(name)
            .help("use a Markdown document with transitions"),
        ),
        None => {}
    }
    Ok(())
}
