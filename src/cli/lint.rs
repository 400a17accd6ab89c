//! `fsmsim lint`: what is wrong with models, and what is probably not meant.

use std::collections::BTreeSet;
use std::io::{self, Write};
use std::path::PathBuf;

use clap::Args;

use super::context::{Context, profile_of};
use super::exit::Exit;
use crate::diagnostic::{Diagnostic, Diagnostics, Severity, SourceMap};
use crate::lint::lint;
use crate::machine::Profile;
use crate::project::{ModelCache, ModelName};
use crate::report::{LintReport, write_findings};

/// Arguments of `lint`.
#[derive(Debug, Args)]
pub(super) struct LintArgs {
    /// The models: folders with `flow.yaml` or with markdown states, or files; `PATH@PROFILE` fixes the profile
    #[arg(required = true, value_name = "MODEL")]
    models: Vec<String>,
    /// Say nothing of moves that no state declares, since they would be taken
    #[arg(long)]
    permissive: bool,
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

/// What was found about one model.
#[derive(Default)]
struct Linted {
    findings: Vec<Diagnostic>,
    /// Findings beyond those that loading keeps.
    dropped: usize,
    /// Something could not be read at all.
    unreadable: bool,
}

/// Runs the command.
pub(super) fn run(args: &LintArgs, context: &mut Context) -> io::Result<Exit> {
    let mut diagnostics = Diagnostics::default();
    let profile = args.profile.as_deref().and_then(|name| profile_of(name, &mut diagnostics));
    if diagnostics.has_errors() {
        context.report(&diagnostics, &SourceMap::default());
        return Ok(Exit::Unusable);
    }
    let mut library = ModelCache::new(args.config.clone());
    let mut report = LintReport::default();
    let mut out = io::BufWriter::new(io::stdout().lock());
    let mut seen = BTreeSet::new();
    let mut unreadable = false;
    for name in &args.models {
        let Some(linted) = look_at(name, profile, args.permissive, &mut seen, &mut library, context) else {
            continue;
        };
        unreadable |= linted.unreadable;
        let fresh = report.push(linted.findings, linted.dropped, library.sources());
        match args.format {
            LintFormat::Json => write_findings(name, &fresh, library.sources(), &mut out)?,
            LintFormat::Text => {
                let mut shown = Diagnostics::default();
                for finding in fresh {
                    shown.push(finding);
                }
                context.report(&shown, library.sources());
            }
        }
    }
    match args.format {
        LintFormat::Json => {
            out.flush()?;
            eprintln!("{}", report.closing());
        }
        LintFormat::Text => writeln!(out, "{}", report.closing())?,
    }
    out.flush()?;
    Ok(if unreadable {
        Exit::Unusable
    } else if report.has_errors() || args.deny_warnings && report.has_warnings() {
        Exit::Failed
    } else {
        Exit::Ok
    })
}

/// All findings about a model, as the project wants them told. `None` where it was looked at already.
fn look_at(
    name: &str,
    profile: Option<Profile>,
    permissive: bool,
    seen: &mut BTreeSet<(PathBuf, Profile)>,
    library: &mut ModelCache,
    context: &Context,
) -> Option<Linted> {
    let mut diagnostics = Diagnostics::default();
    let Some(model) = ModelName::parse(name, &mut diagnostics) else {
        return Some(Linted { findings: diagnostics.items().to_vec(), unreadable: true, dropped: 0 });
    };
    let profile = profile.or(model.profile).or(context.project.profile).unwrap_or_default();
    if !seen.insert((model.path.clone(), profile)) {
        return None;
    }
    let machine = library.load(&model.path, profile);
    let mut linted = Linted::default();
    let mut all: Vec<Diagnostic> = Vec::new();
    if let Some(loaded) = library.findings(&model.path, profile) {
        all.extend_from_slice(loaded.items());
        linted.dropped = loaded.dropped();
    }
    let fails = |finding: &Diagnostic| finding.severity == Severity::Error && finding.code.is_unreadable();
    linted.unreadable = all.iter().any(fails);
    all.extend(machine.iter().flat_map(|machine| lint(machine, permissive)));
    linted.findings = all.into_iter().filter_map(|finding| context.project.lint.apply(finding)).collect();
    Some(linted)
}
