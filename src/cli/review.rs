//! `fsmsim review`: decides pending snapshots and failed expectations, grouped by cause.

use std::io::{IsTerminal, Write};
use std::path::PathBuf;

use clap::Args;

use super::command_line::CommandLine;
use super::help;
use super::jobs_args::JobsArgs;
use super::model_args::ModelArgs;
use super::output::TextOrJson;
use super::review_prompt::ReviewPrompt;
use super::{CommandResult, Context, Exit, Stop, in_ci, may_write, refuse};
use fsmsim_harness::review::ReviewDecision;
use fsmsim_reports::harness::{ReviewRequest, ReviewRun};
use fsmsim_reports::report::{ReportedCause, ReviewReport};
use fsmsim_syntax::diagnostic::{Diagnostic, Diagnostics, SourceMap, plural};
use fsmsim_syntax::terminal::{Joined, printable, results};

/// The ID for all causes.
const ALL: &str = "all";

/// Arguments of `review`.
#[derive(Debug, Args)]
pub(super) struct ReviewArgs {
    /// Files, directories, or scenarios as `FILE::TITLE` [default: the scenarios of the project]
    pub paths: Vec<PathBuf>,
    #[arg(long, value_name = "REV", help = help::SINCE)]
    pub since: Option<String>,
    /// Accept the snapshots and replace the failed expectations of this cause, or of `all` causes; repeatable
    #[arg(long, value_name = "ID")]
    accept: Vec<String>,
    /// Reject the snapshots of this cause, or of `all` causes; repeatable
    #[arg(long, value_name = "ID")]
    reject: Vec<String>,
    #[command(flatten)]
    pub options: ModelArgs,
    /// Output format
    #[arg(long, value_enum, default_value_t)]
    format: TextOrJson,
    #[command(flatten)]
    pub jobs: JobsArgs,
}

impl ReviewArgs {
    /// The arguments that a follow-up command needs to run the same scenarios.
    fn again(&self) -> String {
        let line = CommandLine::default().option("since", self.since.as_ref());
        self.options.on(line).text()
    }

    fn decides(&self) -> bool {
        !self.accept.is_empty() || !self.reject.is_empty()
    }

    /// Rejects contradictory decisions, and all decisions in continuous integration.
    fn check(&self) -> CommandResult<()> {
        if !self.decides() {
            return Ok(());
        }
        may_write("accept or reject", "snapshots")?;
        let both = self.accept.iter().find(|id| self.reject.contains(id));
        let all = !self.accept.is_empty() && !self.reject.is_empty();
        let clash = both.cloned().or_else(|| {
            let names_all = |ids: &[String]| ids.iter().any(|id| id == ALL);
            (all && (names_all(&self.accept) || names_all(&self.reject))).then(|| ALL.to_owned())
        });
        match clash {
            Some(id) => {
                let title = format!("`{id}` is both accepted and rejected");
                refuse(title, "name each cause once")
            }
            None => Ok(()),
        }
    }
}

/// Runs the command.
pub(super) fn run(args: &ReviewArgs, context: &mut Context) -> CommandResult {
    args.check()?;
    let mut run = play(args, context)?;
    let folder = context.project.prefix();
    let is_text = args.format == TextOrJson::Text;
    let mut out = results(args.format.escaping());
    let is_interactive = is_text && !args.decides() && !in_ci() && !run.causes.is_empty();
    if args.decides() {
        let lines = decide(args, &mut run, &folder)?;
        if is_text {
            lines.iter().try_for_each(|line| writeln!(out, "{line}"))?;
        }
    }
    let again = args.again();
    let paths = CommandLine::default().paths(&args.paths).text();
    if is_interactive && std::io::stdin().is_terminal() && std::io::stdout().is_terminal() {
        drop(out);
        ReviewPrompt::new(&mut run, &context.project).ask()?;
    } else {
        let may_decide = !in_ci();
        let report = ReviewReport {
            list: &run.list,
            causes: &run.causes,
            updates: &run.updates,
            noun: run.noun(),
            again: &again,
            paths: &paths,
            may_decide,
            folder: &folder,
        };
        if !is_text {
            writeln!(out, "{:#}", report.to_json())?;
        } else if args.decides() && run.list.is_empty() {
            report.refusals(&mut out)?;
        } else {
            report.write(&mut out)?;
        }
        out.flush()?;
    }
    Ok(Exit::of([
        (Exit::Unusable, run.is_invalid),
        (Exit::Failed, !run.list.is_empty()),
    ]))
}

/// Runs the scenarios to review.
fn play(args: &ReviewArgs, context: &mut Context) -> CommandResult<ReviewRun> {
    let mut found = Diagnostics::default();
    let profile = args.options.profile(&mut found);
    let project = context.project.clone();
    let since = args.since.as_deref().or(project.test.since.as_deref());
    let wanted = ReviewRequest {
        paths: args.paths.clone(),
        profile,
        config: args.options.config.clone(),
        since,
        with_expectations: true,
    };
    let threads = args.jobs.threads()?;
    let mut report = |found: &Diagnostics, sources: &SourceMap| context.report(found, sources);
    ReviewRun::of(&wanted, &project, found, &threads, &mut report)?.ok_or(Stop::Told)
}

/// Decides the named causes, all of which must exist. Returns one line per cause.
fn decide(args: &ReviewArgs, run: &mut ReviewRun, folder: &str) -> CommandResult<Vec<String>> {
    let causes = run.decidable_causes();
    let wanted = |ids: &[String]| -> CommandResult<Vec<ReportedCause>> {
        if ids.iter().any(|id| id == ALL) {
            return Ok(causes.clone());
        }
        let find = |id: &String| {
            let cause = causes.iter().find(|cause| cause.id == *id);
            cause.cloned().ok_or_else(|| unknown(id, &causes).into())
        };
        ids.iter().map(find).collect()
    };
    let decisions = [
        (ReviewDecision::Accept, wanted(&args.accept)?),
        (ReviewDecision::Reject, wanted(&args.reject)?),
    ];
    let mut lines = Vec::new();
    let [(_, accepted), _] = &decisions;
    run.will_accept(accepted);
    for (decision, causes) in decisions {
        for cause in causes {
            let decided = run.decide_cause(decision, &cause);
            if let Some(finding) = decided.failed {
                return Err(finding.into());
            }
            let title = cause.below(folder).title;
            if let Some(done) = decided.done {
                let word = decision.word();
                lines.push(format!("{word} {done}: {}", printable(&title)));
            }
            if decided.kept > 0 {
                let kept = plural(decided.kept, run.noun());
                let others = decided.kept_by.iter().joined(", ");
                lines.push(format!(
                    "kept {kept}: {}; also accept {others}",
                    printable(&title)
                ));
            }
        }
    }
    Ok(lines)
}

/// The error for an unknown cause.
fn unknown(id: &str, causes: &[ReportedCause]) -> Diagnostic {
    let finding = Diagnostic::unknown_argument("cause", id);
    if causes.is_empty() {
        return finding.help("run `fsmsim test` first: no snapshot is pending");
    }
    finding.offer(id, "causes", causes.iter().map(|cause| cause.id.as_str()))
}
