//! `fsmsim test`: run scenarios.

use std::io::{self, Write as _};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use clap::Args;

use super::context::{Context, in_ci, profile_of};
use super::exit::Exit;
use super::llm::{RECORD, of_scenarios, tell_usage};
use crate::coverage::{Coverage, CoverageKind, Share};
use crate::diagnostic::{Code, Diagnostic, Diagnostics, Place, SourceMap, nearest};
use crate::project::{ArtifactClaims, ModelCache};
use crate::report::{Console, SnapshotOutcome, TestCounts, write_coverage};
use crate::scenario::{MOST_PLAYS, Runner, ScenarioResult, Selection, run_suite, scenario_files};
use crate::snapshot::{SnapshotName, SnapshotStore};
use crate::trace::RecordField;

/// Arguments of `test`.
#[derive(Debug, Args)]
pub(super) struct TestArgs {
    /// Scenario files and folders; without any, the folder of the project's scenarios
    paths: Vec<PathBuf>,
    /// Take what the scenarios do now as their snapshots
    #[arg(long, conflicts_with = "check")]
    accept: bool,
    /// Write nothing, as where `CI` is set
    #[arg(long)]
    check: bool,
    /// Only scenarios with this text in their title
    #[arg(long, value_name = "TEXT")]
    filter: Vec<String>,
    /// Only scenarios with this tag
    #[arg(long, value_name = "TAG")]
    tag: Vec<String>,
    /// The profile, whatever the scenarios say
    #[arg(long, value_name = "NAME")]
    profile: Option<String>,
    /// The configuration root, instead of the nearest folder with `constants.yaml`
    #[arg(long, value_name = "DIR")]
    config: Option<PathBuf>,
    /// Whom to ask: `mock`, as the scenarios say (the default); or, whatever they say, `live`, the models of the project,
    /// `record`, the same and kept in cassettes, `replay`, the cassettes and nobody else, `bank`, the examples of the
    /// model, or `mock:FILE`
    #[arg(long, value_name = "WHO")]
    llm: Option<String>,
    /// How often to play each scenario that asks somebody; `require: 2 of 3` in it says which share must pass
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=MOST_PLAYS.into()))]
    repeat: Option<u32>,
    /// Count at the end to which states and classes of transitions the scenarios came
    #[arg(long)]
    coverage: bool,
    /// What share has to be covered: `classes=100%`, `states=80%`
    #[arg(long, value_name = "KIND=PERCENT", value_parser = parse_required, requires = "coverage")]
    require: Vec<(CoverageKind, u32)>,
    /// Threads; as many as there are processors, if not said
    #[arg(short, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=256))]
    jobs: Option<u16>,
}

/// Runs the command.
pub(super) fn run(args: &TestArgs, context: &mut Context) -> io::Result<Exit> {
    if args.accept && context.refuses_to_write("snapshots are not accepted", "accept them") {
        return Ok(Exit::Unusable);
    }
    if args.check && args.llm.as_deref() == Some(RECORD) {
        let finding =
            Diagnostic::error(Code::BadArguments, "`--check` writes nothing, and `--llm record` does");
        return Ok(context.fail(finding.help("leave one of the two out")));
    }
    let mut diagnostics = Diagnostics::default();
    let profile = args.profile.as_deref().and_then(|name| profile_of(name, &mut diagnostics));
    let fields = snapshot_fields(context, &mut diagnostics);
    let paths =
        if args.paths.is_empty() { vec![context.project.scenarios.clone()] } else { args.paths.clone() };
    let files = scenario_files(&paths, &mut diagnostics);
    if diagnostics.has_errors() {
        context.report(&diagnostics, &SourceMap::default());
        return Ok(Exit::Unusable);
    }
    let Some(pool) = context.threads(args.jobs) else { return Ok(Exit::Unusable) };
    let project = context.project.clone();
    let mut library = ModelCache::new(args.config.clone());
    let Ok(outside) = of_scenarios(args.llm.as_deref(), &mut library, context) else {
        return Ok(Exit::Unusable);
    };
    let library = Mutex::new(library);
    let asked = outside.clone();
    let runner = Runner {
        project: &project,
        library: &library,
        profile,
        snapshot_fields: fields,
        outside,
        repeat: args.repeat,
    };
    let store = Mutex::new(SnapshotStore::new(project.shelf(&project.snapshots)));
    let wanted = Wanted { filters: &args.filter, tags: &args.tag, accept: args.accept, store: &store };
    let mut sink = Sink {
        console: Console::new(io::BufWriter::new(io::stdout().lock())),
        context,
        library: &library,
        store: &store,
        claims: ArtifactClaims::default(),
        accept: args.accept,
        writes: !args.check && !in_ci(),
        outcome: Ok(()),
        coverage: args.coverage.then(Coverage::default),
    };
    let mut sources = SourceMap::default();
    run_suite(&pool, &runner, &files, &wanted, &mut diagnostics, &mut sources, &mut |sources, result| {
        sink.push(sources, result);
    });
    sink.context.report(&diagnostics, &sources);
    sink.outcome?;
    let coverage = sink.coverage.take();
    let tally = sink.console.finish()?;
    tell_usage(asked.as_ref());
    let covered = coverage.map_or(Ok(true), |coverage| tell_coverage(&coverage, &args.require, context))?;
    Ok(match verdict(&tally, diagnostics.has_errors(), &paths, context) {
        Exit::Ok | Exit::Unavailable if !covered => Exit::Failed,
        exit => exit,
    })
}

/// Reads `KIND=PERCENT`.
fn parse_required(text: &str) -> Result<(CoverageKind, u32), String> {
    let (name, percent) = text.split_once('=').ok_or("write KIND=PERCENT, such as classes=100%")?;
    let names = || CoverageKind::ALL.iter().map(|(_, name)| *name);
    let kind = CoverageKind::ALL.iter().find(|(_, known)| *known == name).map(|(kind, _)| *kind);
    let kind = kind.ok_or_else(|| {
        let near = nearest(name, names()).map(|near| format!("; did you mean {near}?"));
        near.map_or_else(
            || format!("`{name}` is not counted; {} are", names().collect::<Vec<_>>().join(" and ")),
            |near| format!("`{name}` is not counted{near}"),
        )
    })?;
    let percent =
        percent.strip_suffix('%').unwrap_or(percent).parse::<u32>().ok().filter(|percent| *percent <= 100);
    Ok((kind, percent.ok_or("the share is a whole number of percent, from 0 to 100")?))
}

/// Tells what the scenarios came to, and the classes that have no scenario. Whether that is what is required.
fn tell_coverage(
    coverage: &Coverage,
    required: &[(CoverageKind, u32)],
    context: &mut Context,
) -> io::Result<bool> {
    let mut out = io::stdout().lock();
    write_coverage(coverage, &mut out)?;
    let mut enough = true;
    for (path, model) in coverage.models() {
        let machine = model.machine();
        let mut diagnostics = Diagnostics::default();
        for (id, scenarios, _) in model.classes() {
            let class = machine.contract.as_deref().and_then(|contract| contract.classes.lookup(id));
            if let Some(class) = class.filter(|_| scenarios == 0) {
                let span = machine.rules[class.rule].span;
                diagnostics.push(
                    Diagnostic::warning(Code::NoFamily, format!("no scenario has a turn of the class `{}`", class.name))
                        .at(span, "not covered")
                        .help("write scenarios for it: one where all is well, one at the boundary, one that is forbidden"),
                );
            }
        }
        context.report(&diagnostics, &machine.files);
        for (kind, percent) in required {
            let share = model.share(*kind);
            if !share.reaches(*percent) {
                let name =
                    CoverageKind::ALL.iter().find(|(known, _)| known == kind).map_or("", |(_, name)| name);
                let path = path.display();
                let Share { covered, all } = share;
                writeln!(
                    out,
                    "SHORT {path}: {name} {covered} of {all} ({}%), {percent}% required",
                    share.percent()
                )?;
                enough = false;
            }
        }
    }
    Ok(enough)
}

fn verdict(tally: &TestCounts, troubled: bool, paths: &[PathBuf], context: &mut Context) -> Exit {
    if troubled || tally.unusable > 0 {
        return Exit::Unusable;
    }
    if tally.passed + tally.failed + tally.unavailable == 0 {
        let shown: Vec<String> = paths.iter().map(|path| path.display().to_string()).collect();
        let finding = Diagnostic::error(Code::NoScenario, "no scenario was found").about(shown.join(", "));
        return context
            .fail(finding.help("a run that tests nothing is not a pass: check the paths and the filters"));
    }
    match (tally.failed, tally.unavailable) {
        (0, 0) => Exit::Ok,
        (0, _) => Exit::Unavailable,
        _ => Exit::Failed,
    }
}

/// The fields of snapshots that the project chooses.
fn snapshot_fields(context: &Context, diagnostics: &mut Diagnostics) -> Option<Vec<RecordField>> {
    let names = context.project.snapshot_fields.as_ref()?;
    let mut fields = Vec::new();
    for name in names {
        match RecordField::from_name(name) {
            Some(field) => fields.push(field),
            None => {
                let known: Vec<&str> = RecordField::of_outcome().map(RecordField::name).collect();
                diagnostics.push(
                    Diagnostic::error(
                        Code::BadProject,
                        format!("`snapshot.fields` names `{name}`, which is no field"),
                    )
                    .about(context.project.root.join("fsmsim.toml").display().to_string())
                    .suggest(nearest(name, known.iter().copied()), format!("fields: {}", known.join(", "))),
                );
            }
        }
    }
    Some(fields)
}

/// Which scenarios are wanted.
struct Wanted<'a> {
    filters: &'a [String],
    tags: &'a [String],
    accept: bool,
    store: &'a Mutex<SnapshotStore>,
}

impl Selection for Wanted<'_> {
    fn wants(&self, title: &str, tags: &[&str]) -> bool {
        let named =
            self.filters.is_empty() || self.filters.iter().any(|filter| title.contains(filter.as_str()));
        let tagged = self.tags.is_empty() || self.tags.iter().any(|tag| tags.contains(&tag.as_str()));
        named && tagged
    }

    fn wants_snapshot(&self, path: &Path, title: &str, expects: bool) -> bool {
        if self.accept || !expects {
            return true;
        }
        let mut store = self.store.lock().unwrap_or_else(PoisonError::into_inner);
        let name = store.name(path, title);
        store.exists(&name)
    }
}

/// Where results end up: snapshots are compared, findings told, everything written in order.
struct Sink<'a, W: io::Write> {
    console: Console<W>,
    context: &'a mut Context,
    library: &'a Mutex<ModelCache>,
    store: &'a Mutex<SnapshotStore>,
    claims: ArtifactClaims,
    accept: bool,
    writes: bool,
    outcome: io::Result<()>,
    /// What the scenarios came to, where that is counted.
    coverage: Option<Coverage>,
}

impl<W: io::Write> Sink<'_, W> {
    fn push(&mut self, sources: &SourceMap, mut result: ScenarioResult) {
        if let Some((path, profile)) = &result.model_key {
            let library = self.library.lock().unwrap_or_else(PoisonError::into_inner);
            self.context.tell_of_model(&library, path, *profile);
        }
        if let Some(path) = &result.mock {
            let library = self.library.lock().unwrap_or_else(PoisonError::into_inner);
            self.context.tell_of_mock(&library, path);
        }
        self.count(&result);
        let snapshot = match self.own(&result).and_then(|()| self.snapshot(&mut result)) {
            Ok(snapshot) => snapshot,
            // A scenario whose snapshot cannot be looked at is not a pass.
            Err(finding) => {
                result.found.push(*finding);
                result.played = None;
                result.unavailable = None;
                SnapshotOutcome::None
            }
        };
        self.context.report(&result.found, sources);
        if self.outcome.is_ok() {
            self.outcome = self.console.push(&result, &snapshot);
        }
    }

    /// Counts to what of its model a scenario came.
    fn count(&mut self, result: &ScenarioResult) {
        let Some(coverage) = &mut self.coverage else { return };
        if let (Some((path, profile)), Some(played)) = (&result.model_key, &result.played) {
            let machine = self.library.lock().unwrap_or_else(PoisonError::into_inner).load(path, *profile);
            if let Some(machine) = machine {
                coverage.add(path, &machine, &played.seen);
            }
        }
    }

    /// Gives a scenario its cassette, where it has one and no other scenario took it.
    fn own(&mut self, result: &ScenarioResult) -> Result<(), Box<Diagnostic>> {
        let Some(cassette) = result.cassette.clone() else { return Ok(()) };
        self.claims.take(cassette, "cassette", &result.title, place_of(&result.place))
    }

    /// Compares the snapshot of a result, and writes what is to be written.
    fn snapshot(&mut self, result: &mut ScenarioResult) -> Result<SnapshotOutcome, Box<Diagnostic>> {
        let Some(played) = &mut result.played else {
            return Ok(SnapshotOutcome::None);
        };
        let Some(new) = played.snapshot.take() else {
            return Ok(SnapshotOutcome::None);
        };
        let mut store = self.store.lock().unwrap_or_else(PoisonError::into_inner);
        let name = store.name(Path::new(&result.place.path), &result.title);
        self.claims.take(name.path(), "snapshot", &result.title, place_of(&result.place))?;
        let old = if store.exists(&name) {
            Some(store.read(&name).map_err(|error| Box::new(unreadable_snapshot(&name, &error)))?)
        } else {
            None
        };
        let unwritable = |error: io::Error| Box::new(unwritable_snapshot(&name, &error));
        let (source, title) = (&result.place.path, &result.title);
        if old.as_deref() == Some(&*new) {
            // What was waiting is out of date. Where it cannot be removed, nothing is lost.
            if self.writes {
                let _ = store.settle(&name);
            }
            return Ok(SnapshotOutcome::Same);
        }
        if self.accept && played.failures.is_empty() {
            store.accept(&name, source, title, &new).map_err(unwritable)?;
            return Ok(SnapshotOutcome::Accepted);
        }
        if old.is_none() && played.expects {
            return Ok(SnapshotOutcome::None);
        }
        let mut pending = None;
        if self.writes && !self.accept {
            store.leave_pending(&name, source, title, &new).map_err(unwritable)?;
            pending = Some(name.pending_path().display().to_string());
        }
        Ok(SnapshotOutcome::Differs { old, new, pending })
    }
}

fn place_of(place: &Place) -> String {
    format!("{}:{}", place.path, place.line)
}

fn unreadable_snapshot(name: &SnapshotName, error: &io::Error) -> Diagnostic {
    let path = name.path().display().to_string();
    Diagnostic::error(Code::FileUnreadable, format!("the snapshot `{path}` cannot be read: {error}"))
        .about(path)
        .help("restore it from your version control, or remove it and accept what the scenario does now")
}

fn unwritable_snapshot(name: &SnapshotName, error: &io::Error) -> Diagnostic {
    let path = name.path().display().to_string();
    Diagnostic::error(Code::CannotWrite, format!("the snapshot `{path}` cannot be written: {error}"))
        .about(path)
        .help("check the rights of the folder; nothing was changed, and `--check` runs without writing")
}
