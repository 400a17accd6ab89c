//! `fsmsim explore A B`: compares two models in every dialogue.

use std::path::Path;
use std::time::Instant;

use super::explore_args::ExploreArgs;
use super::lint::model_names;
use super::search_watch::watched;
use super::{CommandResult, Context, Exit, refuse};
use fsmsim_harness::diff::{Candidate, DiffOperand, Sides, StateRenames};
use fsmsim_reports::report::{EquivalenceReport, ReportKind, ReportTarget};
use fsmsim_search::search::{Equivalence, SearchVerdict, compare};
use fsmsim_syntax::diagnostic::{Diagnostics, SourceMap};

/// The models that the command compares: two arguments that each name one model.
pub(super) fn pair<'a>(
    args: &'a ExploreArgs,
    context: &mut Context,
) -> CommandResult<Option<Sides<&'a str>>> {
    let is_pair = match &*args.models {
        [a, b] if args.changed.is_none() => is_model(a, context)? && is_model(b, context)?,
        _ => false,
    };
    match &*args.models {
        [a, b] if is_pair => Ok(Some(Sides { a: &**a, b: &**b })),
        _ if args.rename.is_empty() => Ok(None),
        _ => refuse(
            "cannot use `--rename` without two models",
            "name two models to compare",
        ),
    }
}

/// Whether an argument names one model. A directory can stand for all models below it.
fn is_model(name: &str, context: &mut Context) -> CommandResult<bool> {
    if name.starts_with("git:") {
        return Ok(true);
    }
    let models = model_names(&[name.to_owned()], context)?;
    Ok(matches!(&*models, [only] if Path::new(only) == Path::new(name)))
}

/// Compares the models.
pub(super) fn run(args: &ExploreArgs, names: Sides<&str>, context: &mut Context) -> CommandResult {
    for (option, is_given) in [
        ("--property", !args.property.is_empty()),
        ("--require", !args.require.is_empty()),
        ("--save", args.save.is_some()),
        ("--deny-warnings", args.deny_warnings),
    ] {
        if is_given {
            let title = format!("cannot use `{option}` with two models");
            return refuse(title, format!("omit `{option}`"));
        }
    }
    let targets = ReportTarget::with_format(&args.report, args.format.report())?;
    let is_written = |kind| matches!(kind, ReportKind::Text | ReportKind::Json);
    if let Some(other) = targets.iter().find(|target| !is_written(target.kind)) {
        let title = format!(
            "cannot write the report `{}` about two models",
            other.kind.name()
        );
        return refuse(title, "use `json`");
    }
    let mut found = Diagnostics::default();
    let profile = args.options.profile(&mut found);
    let renames = StateRenames::read(&args.rename, &mut found).unwrap_or_default();
    let mut sources = SourceMap::default();
    let operands = DiffOperand::pair(names, &mut sources, &mut found);
    let operands = context.usable(operands, &found, &sources)?;
    let Some(candidates) = operands.as_ref().map(DiffOperand::candidate).both() else {
        let title = format!("expected two models, found {}", operands.a.kind());
        return refuse(title, "use `fsmsim diff` for traces and scenarios");
    };
    let threads = args.jobs.threads()?;
    let began = Instant::now();
    let mut models = args.options.models(&context.project);
    let mut load = |candidate: &Candidate| {
        context.rename(&candidate.names);
        let profile = profile.or(candidate.profile).or(context.project.profile);
        context.load_model(&candidate.path, profile.unwrap_or_default(), &mut models)
    };
    let (a, b) = (load(&candidates.a), load(&candidates.b));
    let machines = Sides { a: a?, b: b? };
    let mut found = Diagnostics::default();
    renames.check_models(machines.as_ref().map(|machine| &**machine), &mut found);
    context.no_errors(&found)?;
    let result = watched(args.time, began, |watch| {
        let machines = [&*machines.a, &*machines.b];
        compare(machines, &renames.pairs(), &args.bounds(), &threads, watch)
    });
    let report = EquivalenceReport {
        result: &result,
        a: names.a,
        b: names.b,
    };
    ReportTarget::write_all(&targets, |kind, out| match kind {
        ReportKind::Json => writeln!(out, "{}", report.json()),
        _ => report.write_text(out),
    })
    .map(|()| exit_of(&result))
}

/// A difference fails; a bound leaves the result open.
fn exit_of(result: &Equivalence) -> Exit {
    Exit::of([
        (Exit::Failed, differs(result)),
        (Exit::Unavailable, is_open(result)),
    ])
}

pub(super) fn differs(result: &Equivalence) -> bool {
    result.verdict == SearchVerdict::Found
}

pub(super) fn is_open(result: &Equivalence) -> bool {
    matches!(result.verdict, SearchVerdict::WithinBound(_))
}
