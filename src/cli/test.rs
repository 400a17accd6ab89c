//! `fsmsim test`: runs scenarios; with `--watch` again after each edit.

use std::path::Path;
use std::time::Instant;

use super::test_args::TestArgs;
use super::test_run::run_scenarios;
use super::used_files::UsedFiles;
use super::{CommandResult, Context, Exit, Stop};
use fsmsim_harness::scenario::Runner;
use fsmsim_harness::suite::ExpectationUpdates;
use fsmsim_reports::harness::FileWatch;
use fsmsim_syntax::diagnostic::{Code, Diagnostic, Diagnostics, plural};
use fsmsim_syntax::files::real_path;
use fsmsim_syntax::terminal::{print_message, printable};
use fsmsim_syntax::threads::Mutex;

/// Runs the command.
pub(super) fn run(args: &TestArgs, context: &mut Context) -> CommandResult {
    let args = &args.configured(&context.project)?;
    args.check()?;
    if args.watch {
        watch(args, context)
    } else if args.update_expectations {
        update_expectations(args, context)
    } else {
        run_scenarios(args, context, &|_| true, None)
    }
}

/// Runs the scenarios, replaces failed expectations, and runs the scenarios again.
fn update_expectations(args: &TestArgs, context: &mut Context) -> CommandResult {
    let mut updates = ExpectationUpdates::default();
    run_scenarios(args, context, &|_| true, Some(&mut updates))?;
    let project = context.project.clone();
    let models = Mutex::new(args.options.models(&project));
    let runner = Runner {
        profile: args.options.profile(&mut Diagnostics::default()),
        ..Runner::new(&project, &models)
    };
    updates.plan(runner, &args.jobs.threads()?);
    let written = updates.write(None);
    for (path, count) in &written {
        let count = plural(*count, "expectation");
        let path = printable(&shown(path));
        print_message(&format!("updated {count} in {path}\n"));
    }
    for line in updates.refusals() {
        print_message(&format!("{}\n", printable(&line)));
    }
    // Without a change, the second run shows the results that the first one did not print.
    context.restart();
    run_scenarios(args, context, &|_| true, None)
}

/// Runs the scenarios, and runs them again whenever one of their files is saved, until the user stops the command.
fn watch(args: &TestArgs, context: &mut Context) -> CommandResult {
    let broken = |error: std::io::Error| {
        Stop::from(
            Diagnostic::error(Code::CannotWatch, format!("cannot watch files: {error}"))
                .help("run without `--watch`"),
        )
    };
    let mut watcher = FileWatch::begin().map_err(broken)?;
    let mut used = UsedFiles::default();
    run_scenarios(args, context, &|_| true, Some(&mut used))?;
    loop {
        let named = args
            .selection
            .paths(context)
            .into_iter()
            .filter(|path| path.is_dir())
            .map(|path| real_path(&path));
        let wanted = named
            .map(|path| (path, true))
            .chain(used.folders().into_iter().map(|path| (path, false)));
        for (folder, with_all_below) in wanted {
            watcher.watch(&folder, with_all_below).map_err(broken)?;
        }
        print_message(&format!(
            "watching {} directories; press Ctrl-C to stop\n",
            watcher.folders.len()
        ));
        watcher.files = used.all();
        let Some(saved) = watcher.next() else {
            return Ok(Exit::Ok);
        };
        let changed = saved.files;
        let begun = Instant::now();
        context.restart();
        let touched = used.touched_by(&changed);
        let is_touched = |file: &Path| {
            touched
                .as_ref()
                .is_none_or(|touched| touched.contains(&real_path(file)))
        };
        let shown: Vec<String> = changed.iter().map(|path| printable(&shown(path))).collect();
        print_message(&format!("\n{} saved\n", shown.join(", ")));
        match run_scenarios(args, context, &is_touched, Some(&mut used)) {
            Ok(_) | Err(Stop::Told) => {}
            Err(Stop::Finding(finding)) => context.report_one(*finding),
            Err(error) => return Err(error),
        }
        print_message(&format!("in {:.3} s\n", begun.elapsed().as_secs_f64()));
    }
}

/// A path for users: relative to the working directory if it is inside.
fn shown(path: &Path) -> String {
    let here = std::env::current_dir()
        .and_then(|here| here.canonicalize())
        .unwrap_or_default();
    path.strip_prefix(here)
        .unwrap_or(path)
        .display()
        .to_string()
}
