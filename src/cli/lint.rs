//! `fsmsim lint`: what is wrong with models, and what is probably not meant.

use std::io::Write;
use std::path::{Path, PathBuf};

use clap::Args;

use super::context::Context;
use super::exit::{Exit, Stop};
use crate::diagnostic::{Code, Diagnostic, Diagnostics};
use crate::lint::Linter;
use crate::project::ModelCache;
use crate::report::{lint_summary, write_findings, write_reading};
use crate::terminal::{Escaping, results, tell};

/// Arguments of `lint`.
#[derive(Debug, Args)]
pub(super) struct LintArgs {
    /// The models: folders with `flow.yaml` or with markdown states, or files; `PATH@PROFILE` fixes the profile
    #[arg(required = true, value_name = "MODEL")]
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
    /// The profile
    #[arg(long, value_name = "NAME")]
    profile: Option<String>,
    /// The configuration root, instead of the nearest folder with `constants.yaml`
    #[arg(long, value_name = "DIR")]
    config: Option<PathBuf>,
    /// How findings are told: as text on standard error, or each as a line of JSON on standard output
    #[arg(long, value_enum, default_value_t = LintFormat::Text)]
    format: LintFormat,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
enum LintFormat {
    Text,
    Json,
}

/// Runs the command.
pub(super) fn run(args: &LintArgs, context: &mut Context) -> Result<Exit, Stop> {
    let profile = context.profile(args.profile.as_deref())?;
    let project = context.project.clone();
    let models = ModelCache::new(&context.project, args.config.clone()).with_stubs(args.permissive);
    let mut linter = Linter::new(&project, models, profile, args.permissive);
    let mut out = results(match args.format {
        LintFormat::Text => Escaping::of_text(),
        LintFormat::Json => Escaping::Json,
    });
    for name in &args.models {
        let Some(findings) = linter.look_at(name) else { continue };
        let sources = linter.models().sources();
        match args.format {
            LintFormat::Json => write_findings(name, &findings, sources, &mut out)?,
            LintFormat::Text => {
                let mut shown = Diagnostics::default();
                for finding in findings {
                    shown.push(finding);
                }
                context.report(&shown, sources);
            }
        }
        if args.explain_reading {
            explain(name, &mut linter, args.format, context, &mut out)?;
        }
    }
    let report = linter.report();
    match args.format {
        LintFormat::Json => {
            out.flush()?;
            tell(&format!("{}\n", lint_summary(&report)));
        }
        LintFormat::Text => writeln!(out, "{}", lint_summary(&report))?,
    }
    out.flush()?;
    Ok(Exit::of([
        (Exit::Unusable, report.is_unreadable),
        (Exit::Failed, report.errors > 0 || args.deny_warnings && report.warnings > 0),
    ]))
}

/// Shows what is taken out of a document. As a table for people only: findings for machines stay what they are.
fn explain(
    name: &str,
    linter: &mut Linter<'_>,
    format: LintFormat,
    context: &mut Context,
    out: &mut impl Write,
) -> Result<(), Stop> {
    if format == LintFormat::Json {
        let finding = Diagnostic::error(Code::BadArguments, "`--explain-reading` is for people");
        return Err(finding.help("leave out `--format json`").into());
    }
    match linter.explain(name) {
        Some(reading) => write_reading(name, &reading, linter.models().sources(), out)?,
        // Findings have told already of a document that says no transitions.
        None if Path::new(name).is_dir() => context.report_one(
            Diagnostic::remark(Code::NotTaken, "only the reading of a document is explained")
                .about(name)
                .help("name a markdown document that tells transitions"),
        ),
        None => {}
    }
    Ok(())
}
