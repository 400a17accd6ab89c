//! `fsmsim eval`: evaluates recognition quality.

use std::io::{self, Write};
use std::path::Path;

use super::eval_args::EvalArgs;
use super::eval_readers::EvalReaders;
use super::report_text::ReportText;
use super::session::place_of;
use super::{CommandResult, Context, Exit, Stop, refuse, refuse_file};
use fsmsim_harness::eval::{
    EvalResult, LabelledFile, LabelledSummary, LabelledUtterance, UtteranceFilter, refuse_silent,
};
use fsmsim_reports::report::{EvalReport, ReportHead, ReportTarget, ReportedRun, read_eval_report};
use fsmsim_syntax::diagnostic::{Diagnostics, SourceMap};
use fsmsim_syntax::terminal::tell;

/// Runs the command.
pub(super) fn run(args: &EvalArgs, context: &mut Context) -> CommandResult {
    let targets = ReportTarget::with_format(&args.report, args.format.report())?;
    let baseline = args.baseline.as_ref();
    let baseline = baseline.map(|path| former(path, context)).transpose()?;
    let (machine, mut models) = args.options.load(&args.model, context)?;
    refuse_silent(&machine)?;
    let (mut sources, mut found) = (SourceMap::default(), Diagnostics::default());
    let labelled = LabelledFile::read(&args.labelled, &machine, &mut sources, &mut found);
    let LabelledFile { utterances } = context.usable(labelled, &found, &sources)?;
    let (utterances, omitted) = wanted(args, utterances)?;
    can_be_required(args, &utterances)?;
    let labelled = LabelledSummary {
        file: place_of(&args.labelled.to_string_lossy(), &context.project),
        hash: sources.fingerprint(),
        utterances: utterances.len() as u64,
        left_out: omitted,
    };
    let model = context.path_from_root(&machine.header.source);
    let profile = machine.settings().profile.name().to_owned();
    let mut head = ReportHead::new(ReportedRun::Eval, None);
    head.models
        .insert(model.clone(), machine.files.fingerprint());
    let mut result = EvalResult::new(model, profile, labelled, args.seed);
    if let (Some(baseline), Some(path)) = (&baseline, &args.baseline) {
        can_be_compared(baseline, path, &result, &utterances)?;
    }
    let mut readers = EvalReaders {
        args,
        machine: &machine,
        utterances: &utterances,
        models: &mut models,
    };
    match args.against.as_deref() {
        None => readers.read(&[&args.llm], &mut result, context)?,
        // Any other value is a file name: if the file is missing, the error is about a file.
        Some(against) if Path::new(against).is_file() || !is_reader(against) => {
            let other = former(Path::new(against), context)?;
            can_be_compared(&other, Path::new(against), &result, &utterances)?;
            readers.read(&[&args.llm], &mut result, context)?;
            result.compare_to(&other);
        }
        Some(against) => {
            readers.read(&[&args.llm, against], &mut result, context)?;
            result.compare();
        }
    }
    if let Some(baseline) = &baseline {
        result.hold_against(baseline);
    }
    let report = EvalReport {
        head: &head,
        result: &result,
    };
    ReportTarget::write_all::<Stop>(&targets, |kind, out| report.write(kind, out))?;
    io::stdout().flush()?;
    if result.stopped {
        tell("stopped before all were read: nothing is held against requirements or a baseline\n");
        return Ok(Exit::Unavailable);
    }
    let is_failed = report_failures(args, &result);
    Ok(Exit::of([
        (Exit::Failed, is_failed),
        (Exit::Unavailable, result.has_unanswered()),
    ]))
}

/// Whether a word has the form of a recognizer name.
fn is_reader(who: &str) -> bool {
    match who.split_once(':') {
        None => !who.contains(['/', '\\', '.']),
        Some((kind, _)) => ["mock", "link", "record", "record-missing", "replay"].contains(&kind),
    }
}

/// The selected utterances, and the number of the others.
fn wanted(
    args: &EvalArgs,
    mut utterances: Vec<LabelledUtterance>,
) -> CommandResult<(Vec<LabelledUtterance>, u64)> {
    let all = utterances.len();
    UtteranceFilter::select(&args.filter, &mut utterances);
    if let Some(size) = args.sample {
        UtteranceFilter::sample(&mut utterances, size as usize, args.seed);
    }
    if utterances.is_empty() {
        return refuse(
            "no utterance is left by `--filter`",
            "several patterns of one key are any of them, of several keys all of them",
        );
    }
    let omitted = (all - utterances.len()) as u64;
    Ok((utterances, omitted))
}

/// Reads an earlier report.
fn former(path: &Path, context: &mut Context) -> CommandResult<EvalResult> {
    let wrote = "`fsmsim eval --report json=FILE` wrote";
    ReportText::read(path, context)?.parse_as("an evaluation", wrote, read_eval_report)
}

/// Rejects an earlier report that is not comparable: one of another model, or without common utterances.
fn can_be_compared(
    former: &EvalResult,
    path: &Path,
    result: &EvalResult,
    utterances: &[LabelledUtterance],
) -> CommandResult<()> {
    let path = path.display();
    if former.model != result.model {
        let title = format!(
            "the report is of the model `{}`, not of `{}`",
            former.model, result.model
        );
        let help = "name a report of this model: what `fsmsim eval --report json=FILE` wrote";
        return refuse_file(path, title, help);
    }
    if !former.has_any_of(utterances) {
        let title = format!(
            "the report has none of the utterances of `{}`, with the same labels",
            result.labelled.file
        );
        let help = "write the report anew, of these utterances: `fsmsim eval --report json=FILE`";
        return refuse_file(path, title, help);
    }
    Ok(())
}

/// Rejects requirements with names that no label has.
fn can_be_required(args: &EvalArgs, utterances: &[LabelledUtterance]) -> CommandResult<()> {
    for required in &args.require {
        if let Err(why) = required.check_labels(utterances) {
            return refuse(
                format!("`{required}` cannot be required: {why}"),
                "`--require` is told what there is to measure by `fsmsim eval --help`",
            );
        }
    }
    Ok(())
}

/// Reports unmet requirements and regressions. Returns whether there are any.
fn report_failures(args: &EvalArgs, result: &EvalResult) -> bool {
    let mut is_failed = false;
    let measures = result.readers.first().map(|reader| &reader.measures);
    for required in &args.require {
        let Some(checked) = measures.map(|measures| required.check(measures, &result.utterances))
        else {
            continue;
        };
        match checked {
            Ok((_, true)) => {}
            Ok((share, false)) => {
                let is = share.map_or(
                    "nothing was read by which it could be told".to_owned(),
                    |share| format!("it is {:.1} %", share * 100.0),
                );
                tell(&format!("required {required}: {is}\n"));
                is_failed = true;
            }
            // The labels contain the name, but no recognizer answered.
            Err(_) => tell(&format!("required {required}: nobody answered there\n")),
        }
    }
    let tolerance = args.tolerance.map(|points| f64::from(points) / 100.0);
    for (what, fallen) in result
        .baseline
        .iter()
        .flat_map(|compared| compared.falls(tolerance))
    {
        let (was, is) = (fallen.first * 100.0, fallen.second * 100.0);
        tell(&format!(
            "{what} has fallen from {was:.1} % to {is:.1} %, against the baseline\n"
        ));
        is_failed = true;
    }
    if let Some(compared) = result
        .baseline
        .as_ref()
        .filter(|compared| compared.left_out > 0)
    {
        let (omitted, compared) = (compared.left_out, compared.utterances);
        tell(&format!(
            "{omitted} left out, {compared} held against the baseline: not in both, or labelled otherwise\n"
        ));
    }
    is_failed
}
