//! `fsmsim eval`: evaluates recognition quality.

use std::io::{self, Write};
use std::path::Path;

use super::eval_args::EvalArgs;
use super::eval_readers::EvalReaders;
use super::report_text::ReportText;
use super::session::place_of;
use super::{CommandResult, Context, Exit, Stop, refuse, refuse_report};
use fsmsim_harness::eval::{
    DatasetFile, DatasetSummary, DatasetUtterance, EvalResult, UtteranceFilter, refuse_silent,
};
use fsmsim_reports::report::{EvalReport, ReportHead, ReportTarget, ReportedRun, read_eval_report};
use fsmsim_syntax::diagnostic::{Diagnostics, SourceMap};
use fsmsim_syntax::terminal::print_message;

/// Runs the command.
pub(super) fn run(args: &EvalArgs, context: &mut Context) -> CommandResult {
    let targets = args.output.targets()?;
    let baseline = args
        .baseline
        .as_ref()
        .map(|path| former(path, context))
        .transpose()?;
    let (machine, mut models) = args.options.load(&args.model, context)?;
    refuse_silent(&machine)?;
    let mut sources = SourceMap::default();
    let mut found = Diagnostics::default();
    let dataset = DatasetFile::read(&args.dataset, &machine, &mut sources, &mut found);
    let DatasetFile { utterances } = context.usable(dataset, &found, &sources)?;
    let (utterances, omitted) = wanted(args, utterances)?;
    can_be_required(args, &utterances)?;
    let dataset = DatasetSummary {
        file: place_of(&args.dataset.to_string_lossy(), &context.project),
        hash: sources.fingerprint(),
        utterances: utterances.len() as u64,
        left_out: omitted,
    };
    let model = context.path_from_root(&machine.header.source);
    let profile = machine.shown_profile().map(str::to_owned);
    let mut head = ReportHead::new(ReportedRun::Eval, None);
    head.models
        .insert(model.clone(), machine.files.fingerprint());
    let mut result = EvalResult::new(model, profile, dataset, args.seed);
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
        print_message("stopped early: requirements and the baseline were not checked\n");
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
        // `link` is the former name of `provider`; the error lists the current names.
        Some((kind, _)) => [
            "mock",
            "provider",
            "link",
            "record",
            "record-missing",
            "replay",
        ]
        .contains(&kind),
    }
}

/// The selected utterances, and the number of skipped ones.
fn wanted(
    args: &EvalArgs,
    mut utterances: Vec<DatasetUtterance>,
) -> CommandResult<(Vec<DatasetUtterance>, u64)> {
    let all = utterances.len();
    UtteranceFilter::select(&args.filter, &mut utterances);
    if let Some(size) = args.sample {
        UtteranceFilter::sample(&mut utterances, size as usize, args.seed);
    }
    if utterances.is_empty() {
        return refuse(
            "no utterance matches `--filter`",
            "check the patterns: an utterance must match one pattern for each key",
        );
    }
    let omitted = (all - utterances.len()) as u64;
    Ok((utterances, omitted))
}

/// Reads an earlier report.
fn former(path: &Path, context: &mut Context) -> CommandResult<EvalResult> {
    let writer = "`fsmsim eval --report json=FILE`";
    ReportText::read(path, context)?.parse_as("evaluation report", writer, read_eval_report)
}

/// Rejects an earlier report that is not comparable: a report on another model, or one without common utterances.
fn can_be_compared(
    former: &EvalResult,
    path: &Path,
    result: &EvalResult,
    utterances: &[DatasetUtterance],
) -> CommandResult<()> {
    let path = path.display();
    if former.model != result.model {
        let title = format!(
            "expected a report on the model `{}`, found one on `{}`",
            result.model, former.model
        );
        let help = "use a report on this model, written by `fsmsim eval --report json=FILE`";
        return refuse_report(path, title, help);
    }
    if !former.has_any_of(utterances) {
        let title = format!(
            "the report and `{}` have no labeled utterance in common",
            result.dataset.file
        );
        let help = "write a report on these utterances: `fsmsim eval --report json=FILE`";
        return refuse_report(path, title, help);
    }
    Ok(())
}

/// Rejects requirements whose names no label has.
fn can_be_required(args: &EvalArgs, utterances: &[DatasetUtterance]) -> CommandResult<()> {
    for required in &args.require {
        if let Err(why) = required.check_labels(utterances) {
            return refuse(
                format!("cannot require `{required}`: {why}"),
                "use a name from the labeled examples; `fsmsim eval --help` describes the measures",
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
                let actual = share.map_or("no value".to_owned(), |share| {
                    format!("{:.1} %", share * 100.0)
                });
                print_message(&format!("required {required}, measured {actual}\n"));
                is_failed = true;
            }
            // The labels contain the name, but no recognizer answered.
            Err(_) => print_message(&format!("required {required}: no recognizer answered\n")),
        }
    }
    let tolerance = args.tolerance.map(|points| f64::from(points) / 100.0);
    for (what, fallen) in result
        .baseline
        .iter()
        .flat_map(|compared| compared.falls(tolerance))
    {
        let was = fallen.first * 100.0;
        let is = fallen.second * 100.0;
        print_message(&format!(
            "{what} fell from {was:.1} % in the baseline to {is:.1} %\n"
        ));
        is_failed = true;
    }
    if let Some(compared) = result
        .baseline
        .as_ref()
        .filter(|compared| compared.left_out > 0)
    {
        let omitted = compared.left_out;
        let compared = compared.utterances;
        print_message(&format!(
            "{compared} compared with the baseline, {omitted} skipped: missing on one side, or labeled differently\n"
        ));
    }
    is_failed
}
