//! Recognition quality as text.

use std::io::{self, Write};

use super::words::{
    apart, between, closest, of, or_dash, other_labels, per_cent, slot_counts, threshold,
    thresholds, usage, verdict,
};
use crate::limits::{
    MAX_CONFUSED_PAIRS, MAX_CONFUSED_UTTERANCES, MAX_TEXT_UTTERANCES, MAX_UTTERANCE_LENGTH,
};
use crate::report::grid::Grid;
use crate::report::more::write_more;
use crate::report::profile_in_title::profile_in_title;
use fsmsim_harness::eval::{
    Calibration, EvalResult, NoneAdvice, NoneOutcome, PairedComparison, ReaderResult,
    ReadingMeasures, SlotScores, ThresholdAdvice, ThresholdOutcome,
};
use fsmsim_harness::statistics::Proportion;
use fsmsim_syntax::diagnostic::plural;
use fsmsim_syntax::terminal::printable;
use fsmsim_syntax::terminal::shortened;

/// Writes the result of an evaluation.
pub(super) fn write(result: &EvalResult, mut out: &mut dyn Write) -> io::Result<()> {
    let EvalResult {
        model,
        profile,
        dataset,
        ..
    } = result;
    let utterances = plural(result.utterances.len(), "utterance");
    let left_out = match dataset.left_out {
        0 => String::new(),
        count => format!(" ({count} omitted)"),
    };
    let file = &dataset.file;
    let profile = profile_in_title(profile.as_deref(), " (", ")");
    let title = format!("{model}{profile}, {utterances} of {file}{left_out}");
    writeln!(out, "{}", printable(&title))?;
    if result.stopped {
        writeln!(
            out,
            "stopped: {} of {} utterances classified",
            result.utterances.len(),
            dataset.utterances
        )?;
    }
    for (number, reader) in result.readers.iter().enumerate() {
        write_reader(result, number, reader, &mut out)?;
    }
    for (title, compared) in [
        ("Comparison", &result.comparison),
        ("Comparison with the baseline", &result.baseline),
    ] {
        if let Some(compared) = compared {
            write_comparison(title, result, compared, &mut out)?;
        }
    }
    Ok(())
}

fn write_reader(
    result: &EvalResult,
    number: usize,
    reader: &ReaderResult,
    out: &mut impl Write,
) -> io::Result<()> {
    let measures = &reader.measures;
    writeln!(out, "\nRecognizer: {}", printable(&reader.reader))?;
    summary(measures).write_text(out)?;
    for used in &reader.usage {
        writeln!(out, "{}", printable(&usage(used)))?;
    }
    intents(measures).write_section("Intents", out)?;
    write_confused(result, number, measures, out)?;
    if let Some(slots) = &measures.slots {
        slots_of(slots).write_section("Slots", out)?;
    }
    groups(measures).write_section("Groups", out)?;
    if let Some(calibration) = &measures.calibration {
        let title = format!("Calibration: ECE {:.3}", calibration.ece);
        bins(calibration).write_section(&title, out)?;
    }
    if let Some(advice) = &measures.thresholds {
        write_advice(advice, out)?;
    }
    if let Some(advice) = &measures.none_below {
        write_none_advice(advice, out)?;
    }
    Ok(())
}

fn summary(measures: &ReadingMeasures) -> Grid {
    let mut grid = Grid::new(["measure", "value", "95% interval", "utterances"], 1);
    let none = String::new;
    let share = |found: &Proportion| {
        let interval = between(found.low, found.high);
        [per_cent(found.share), interval, of(found)]
    };
    grid.push_named("accuracy", share(&measures.accuracy));
    let interval = &measures.macro_f1_interval;
    let interval = between(interval.low, interval.high);
    grid.push_named("macro F1", [per_cent(measures.macro_f1), interval, none()]);
    let weighted = per_cent(measures.weighted_f1);
    grid.push_named("weighted F1", [weighted, none(), none()]);
    let predicted = &measures.predicted;
    let cells = [per_cent(predicted.share), none(), of(predicted)];
    grid.push_named("predicted", cells);
    if measures.predicted_by.len() > 1 {
        for (by, count) in &measures.predicted_by {
            let name = format!("  by {by}");
            grid.push_named(&name, [none(), none(), count.to_string()]);
        }
    }
    if measures.unanswered > 0 {
        let count = measures.unanswered.to_string();
        grid.push_named("no answer", [none(), none(), count]);
    }
    if let Some(slots) = &measures.slots {
        grid.push_named("slots", share(&slots.correct));
        grid.push_named("slots exact", share(&slots.exact));
    }
    if let Some(also) = &measures.also {
        let found = format!("{} of {}", also.found, also.support);
        grid.push_named("secondary intents", [none(), none(), found]);
    }
    if let Some(calibration) = &measures.calibration {
        let ece = format!("{:.3}", calibration.ece);
        grid.push_named("ECE", [ece, none(), none()]);
    }
    if let Some(latency) = &measures.latency {
        let times = format!("{} / {} / {}", latency.p50, latency.p90, latency.p99);
        let cells = [times, none(), latency.utterances.to_string()];
        grid.push_named("latency p50 / p90 / p99, ms", cells);
    }
    grid
}

fn intents(measures: &ReadingMeasures) -> Grid {
    let mut grid = Grid::new(
        [
            "intent",
            "support",
            "predicted",
            "correct",
            "precision",
            "recall",
            "F1",
        ],
        1,
    );
    for score in &measures.intents {
        let counts = [score.support, score.predicted, score.correct].map(|count| count.to_string());
        let shares = [
            or_dash(score.precision),
            or_dash(score.recall),
            per_cent(score.f1),
        ];
        grid.push_named(&score.intent, counts.into_iter().chain(shares));
    }
    grid
}

fn write_confused(
    result: &EvalResult,
    number: usize,
    measures: &ReadingMeasures,
    out: &mut impl Write,
) -> io::Result<()> {
    if measures.confused.is_empty() {
        return Ok(());
    }
    writeln!(out, "\nConfusions")?;
    for pair in measures.confused.iter().take(MAX_CONFUSED_PAIRS) {
        writeln!(
            out,
            "{} as {}: {}",
            printable(&pair.intent),
            printable(&pair.predicted),
            pair.count
        )?;
        for key in pair.utterances.iter().take(MAX_CONFUSED_UTTERANCES) {
            if let Some(utterance) = result.utterance(key) {
                let reading = utterance.readings.get(number);
                let confidence = reading
                    .and_then(|reading| reading.confidence)
                    .map(|share| format!(", {share:.2}"))
                    .unwrap_or_default();
                let closest = reading.and_then(closest).map(|text| format!(", {text}"));
                let closest = closest.unwrap_or_default();
                let say = printable(&shortened(&utterance.say, MAX_UTTERANCE_LENGTH));
                let at = printable(&utterance.at);
                writeln!(out, "  {say}  ({at}{confidence}{closest})")?;
            }
        }
        let count = pair.utterances.len();
        write_more(count, MAX_CONFUSED_UTTERANCES, "  ", out)?;
    }
    let rest = measures.confused.len().saturating_sub(MAX_CONFUSED_PAIRS);
    if rest > 0 {
        writeln!(
            out,
            "and {}; `--report json=FILE` and `html=FILE` list all",
            plural(rest, "more pair")
        )?;
    }
    Ok(())
}

fn slots_of(slots: &SlotScores) -> Grid {
    let mut grid = Grid::new(
        [
            "slot",
            "support",
            "correct",
            "partial",
            "incorrect",
            "missing",
            "spurious",
        ],
        1,
    );
    for slot in &slots.slots {
        grid.push_named(&slot.slot, slot_counts(slot).map(|count| count.to_string()));
    }
    grid
}

fn groups(measures: &ReadingMeasures) -> Grid {
    let mut grid = Grid::new(["by", "group", "accuracy", "95% interval", "utterances"], 2);
    for group in &measures.groups {
        let found = &group.accuracy;
        grid.push(vec![
            group.by.clone(),
            group.name.clone(),
            per_cent(found.share),
            between(found.low, found.high),
            of(found),
        ]);
    }
    grid
}

fn bins(calibration: &Calibration) -> Grid {
    let mut grid = Grid::new(["confidence", "mean", "accuracy", "utterances"], 1);
    for bin in &calibration.bins {
        grid.push(vec![
            format!("{:.1} to {:.1}", bin.from, bin.to),
            format!("{:.2}", bin.confidence),
            per_cent(bin.accuracy.share),
            of(&bin.accuracy),
        ]);
    }
    grid
}

fn write_advice(advice: &ThresholdAdvice, out: &mut impl Write) -> io::Result<()> {
    let readings = plural(advice.readings, "interpretation");
    let most = per_cent(advice.max_incorrect);
    writeln!(
        out,
        "\nThresholds: outcomes of {readings}, with at most {most} of the accepted interpretations incorrect"
    )?;
    let titles = [
        "",
        "high",
        "medium",
        "min",
        "gap",
        "accepted",
        "incorrect",
        "clarified",
        "correct offered",
        "rejected",
    ];
    let mut grid = Grid::new(titles, 1);
    let mut row = |name: &str, found: &ThresholdOutcome| {
        let incorrect = &found.incorrect;
        let incorrect = format!("{} ({})", incorrect.part, per_cent(incorrect.share));
        let counts = [found.executed.to_string(), incorrect];
        let asked = [found.asked(), found.offered, found.fallback].map(|count| count.to_string());
        let cells = thresholds(found).into_iter().chain(counts).chain(asked);
        grid.push_named(name, cells);
    };
    row("current", &advice.present);
    if let Some(advised) = &advice.advised {
        row("suggested", advised);
    }
    grid.write_text(out)?;
    match &advice.advised {
        Some(advised) => writeln!(
            out,
            "fitted to these utterances: with other utterances, up to {} of the accepted interpretations might be incorrect",
            per_cent(advised.incorrect.high)
        ),
        None => writeln!(out, "no thresholds meet the limit of {most}"),
    }
}

fn write_none_advice(advice: &NoneAdvice, out: &mut impl Write) -> io::Result<()> {
    let compared = plural(advice.utterances, "utterance");
    writeln!(
        out,
        "\nNo intent below a score: correct interpretations of {compared}"
    )?;
    let mut grid = Grid::new(["", "none_below", "correct"], 1);
    let mut row = |name: &str, found: &NoneOutcome| {
        grid.push_named(
            name,
            [threshold(found.none_below), found.correct.to_string()],
        );
    };
    row("current", &advice.present);
    if advice.advised.correct > advice.present.correct {
        row("suggested", &advice.advised);
    }
    grid.write_text(out)
}

fn write_comparison(
    title: &str,
    result: &EvalResult,
    compared: &PairedComparison,
    out: &mut impl Write,
) -> io::Result<()> {
    let first = printable(&compared.first);
    let second = printable(&compared.second);
    writeln!(
        out,
        "\n{title}: {first}, then {second}, {}",
        plural(compared.utterances, "utterance")
    )?;
    if compared.left_out > 0 {
        writeln!(
            out,
            "{} omitted: not in both, or labeled differently",
            compared.left_out
        )?;
    }
    writeln!(out, "accuracy {}", apart(&compared.accuracy))?;
    writeln!(out, "macro F1 {}", apart(&compared.macro_f1))?;
    writeln!(
        out,
        "both correct {}, neither correct {}, {}",
        compared.both,
        compared.neither,
        verdict(compared)
    )?;
    let sides = [
        (&first, &compared.only_first),
        (&second, &compared.only_second),
    ];
    for (name, keys) in sides.into_iter().filter(|(_, keys)| !keys.is_empty()) {
        writeln!(out, "correct only with {name}: {}", keys.len())?;
        for key in keys.iter().take(MAX_TEXT_UTTERANCES) {
            let Some(utterance) = result.utterance(key) else {
                continue;
            };
            let others = other_labels(utterance);
            let other = if others.is_empty() {
                String::new()
            } else {
                format!(", not {}", others.join(", "))
            };
            let say = printable(&shortened(&utterance.say, MAX_UTTERANCE_LENGTH));
            let intent = printable(&utterance.intent);
            writeln!(out, "  {say}  ({intent}{})", printable(&other))?;
        }
        write_more(keys.len(), MAX_TEXT_UTTERANCES, "  ", out)?;
    }
    Ok(())
}
