//! How well is read, for people.

use std::io::{self, Write};

use super::words::{apart, between, of, or_dash, per_cent, threshold, usage, verdict};
use crate::report::grid::Grid;
use crate::report::plural::{plural, shortened};
use fsmsim_harness::eval::{
    Calibration, EvalResult, PairedComparison, ReaderResult, ReadingMeasures, SlotScores,
    ThresholdAdvice, ThresholdOutcome, UtteranceReading,
};
use fsmsim_syntax::terminal::{Joined, printable};

/// Pairs that were confused are told so many, and so many utterances of each.
const CONFUSED: (usize, usize) = (15, 3);
/// Utterances that only one reads are told so many.
const ONLY: usize = 10;
/// Characters of an utterance that are shown.
const SHOWN: usize = 70;

/// Writes what an evaluation came to.
pub(super) fn write(result: &EvalResult, mut out: &mut dyn Write) -> io::Result<()> {
    let EvalResult {
        model,
        profile,
        labelled,
        ..
    } = result;
    let utterances = plural(result.utterances.len(), "utterance");
    let left_out = if labelled.left_out == 0 {
        String::new()
    } else {
        format!(" ({} left out)", labelled.left_out)
    };
    writeln!(
        out,
        "{}",
        printable(&format!(
            "{model} (profile {profile}), {utterances} of {}{left_out}",
            labelled.file
        ))
    )?;
    if result.stopped {
        writeln!(
            out,
            "stopped: {} of {} were read",
            result.utterances.len(),
            labelled.utterances
        )?;
    }
    for (number, reader) in result.readers.iter().enumerate() {
        write_reader(result, number, reader, &mut out)?;
    }
    for (title, compared) in [
        ("Side by side", &result.comparison),
        ("Against the baseline", &result.baseline),
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
    writeln!(out, "\nRead by {}", printable(&reader.reader))?;
    summary(measures).write_text(out)?;
    for used in &reader.usage {
        writeln!(out, "{}", printable(&usage(used)))?;
    }
    section("Intents", &intents(measures), out)?;
    write_confused(result, number, measures, out)?;
    if let Some(slots) = &measures.slots {
        section("Slots", &slots_of(slots), out)?;
    }
    section("Groups", &groups(measures), out)?;
    if let Some(calibration) = &measures.calibration {
        section(
            &format!("Calibration: ECE {:.3}", calibration.ece),
            &bins(calibration),
            out,
        )?;
    }
    if let Some(advice) = &measures.thresholds {
        write_advice(advice, out)?;
    }
    Ok(())
}

/// A table with its title, where it has rows.
fn section(title: &str, grid: &Grid, out: &mut impl Write) -> io::Result<()> {
    if grid.is_empty() {
        return Ok(());
    }
    writeln!(out, "\n{title}")?;
    grid.write_text(out)
}

fn summary(measures: &ReadingMeasures) -> Grid {
    let mut grid = Grid::new(["measure", "value", "95 %", "utterances"], 1);
    let mut row = |name: &str, value: String, interval: String, count: String| {
        grid.push(vec![name.to_owned(), value, interval, count]);
    };
    let accuracy = &measures.accuracy;
    row(
        "accuracy",
        per_cent(accuracy.share),
        between(accuracy.low, accuracy.high),
        of(accuracy),
    );
    let interval = &measures.macro_f1_interval;
    row(
        "macro F1",
        per_cent(measures.macro_f1),
        between(interval.low, interval.high),
        String::new(),
    );
    row(
        "weighted F1",
        per_cent(measures.weighted_f1),
        String::new(),
        String::new(),
    );
    row(
        "read at all",
        per_cent(measures.read.share),
        String::new(),
        of(&measures.read),
    );
    for (by, count) in measures
        .read_by
        .iter()
        .filter(|_| measures.read_by.len() > 1)
    {
        row(
            &format!("  by {by}"),
            String::new(),
            String::new(),
            count.to_string(),
        );
    }
    if measures.unanswered > 0 {
        row(
            "nobody answered",
            String::new(),
            String::new(),
            measures.unanswered.to_string(),
        );
    }
    if let Some(slots) = &measures.slots {
        row(
            "slots",
            per_cent(slots.right.share),
            between(slots.right.low, slots.right.high),
            of(&slots.right),
        );
        row(
            "slots exact",
            per_cent(slots.exact.share),
            between(slots.exact.low, slots.exact.high),
            of(&slots.exact),
        );
    }
    if let Some(also) = &measures.also {
        row(
            "meant besides",
            String::new(),
            String::new(),
            format!("{} of {}", also.found, also.labelled),
        );
    }
    if let Some(calibration) = &measures.calibration {
        row(
            "ECE",
            format!("{:.3}", calibration.ece),
            String::new(),
            String::new(),
        );
    }
    if let Some(latency) = &measures.latency {
        let times = format!("{} / {} / {}", latency.p50, latency.p90, latency.p99);
        row(
            "ms p50 / p90 / p99",
            times,
            String::new(),
            latency.utterances.to_string(),
        );
    }
    grid
}

fn intents(measures: &ReadingMeasures) -> Grid {
    let mut grid = Grid::new(
        [
            "intent",
            "labelled",
            "read",
            "right",
            "precision",
            "recall",
            "F1",
        ],
        1,
    );
    for score in &measures.intents {
        let counts = [score.labelled, score.read, score.right].map(|count| count.to_string());
        let shares = [
            or_dash(score.precision),
            or_dash(score.recall),
            per_cent(score.f1),
        ];
        grid.push(
            [score.intent.clone()]
                .into_iter()
                .chain(counts)
                .chain(shares)
                .collect(),
        );
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
    writeln!(out, "\nTaken for something else")?;
    let (pairs, examples) = CONFUSED;
    for pair in measures.confused.iter().take(pairs) {
        writeln!(
            out,
            "{} as {}: {}",
            printable(&pair.intent),
            printable(&pair.read_as),
            pair.count
        )?;
        for key in pair.utterances.iter().take(examples) {
            if let Some(utterance) = result.utterance(key) {
                let reading = utterance.readings.get(number);
                let confidence = reading.and_then(|reading| reading.confidence);
                let confidence = confidence
                    .map(|share| format!(", {share:.2}"))
                    .unwrap_or_default();
                let say = printable(&shortened(&utterance.say, SHOWN));
                writeln!(out, "  {say}  ({}{confidence})", printable(&utterance.at))?;
            }
        }
        if pair.utterances.len() > examples {
            writeln!(out, "  and {} more", pair.utterances.len() - examples)?;
        }
    }
    let rest = measures.confused.len().saturating_sub(pairs);
    if rest > 0 {
        writeln!(
            out,
            "and {} more; `--report json=FILE` and `html=FILE` have all",
            plural(rest, "pair")
        )?;
    }
    Ok(())
}

fn slots_of(slots: &SlotScores) -> Grid {
    let mut grid = Grid::new(
        [
            "slot", "labelled", "right", "partial", "wrong", "missing", "invented",
        ],
        1,
    );
    for slot in &slots.slots {
        let counts = [
            slot.labelled,
            slot.right,
            slot.partial,
            slot.wrong,
            slot.missing,
            slot.invented,
        ];
        grid.push(
            [slot.slot.clone()]
                .into_iter()
                .chain(counts.map(|count| count.to_string()))
                .collect(),
        );
    }
    grid
}

fn groups(measures: &ReadingMeasures) -> Grid {
    let mut grid = Grid::new(["by", "which", "accuracy", "95 %", "utterances"], 2);
    for group in &measures.groups {
        let found = &group.accuracy;
        let interval = between(found.low, found.high);
        grid.push(vec![
            group.by.clone(),
            group.name.clone(),
            per_cent(found.share),
            interval,
            of(found),
        ]);
    }
    grid
}

fn bins(calibration: &Calibration) -> Grid {
    let mut grid = Grid::new(["confidence", "mean", "right", "utterances"], 1);
    for bin in &calibration.bins {
        let span = format!("{:.1} to {:.1}", bin.from, bin.to);
        grid.push(vec![
            span,
            format!("{:.2}", bin.confidence),
            per_cent(bin.accuracy.share),
            of(&bin.accuracy),
        ]);
    }
    grid
}

fn write_advice(advice: &ThresholdAdvice, out: &mut impl Write) -> io::Result<()> {
    let readings = plural(advice.readings, "reading");
    let most = per_cent(advice.most_wrong);
    writeln!(
        out,
        "\nThresholds: what becomes of {readings}, and what keeps the error of what is carried out below {most}"
    )?;
    let titles = [
        "",
        "high",
        "medium",
        "min",
        "gap",
        "carried out",
        "wrong",
        "asked about",
        "rightly",
        "not understood",
    ];
    let mut grid = Grid::new(titles, 1);
    let mut row = |name: &str, found: &ThresholdOutcome| {
        let limits = [
            found.high_confidence,
            found.medium_confidence,
            found.min_confidence,
            found.gap_threshold,
        ];
        let wrong = format!("{} ({})", found.wrong.part, per_cent(found.wrong.share));
        let counts = [found.executed.to_string(), wrong];
        let asked = [found.asked(), found.offered, found.fallback].map(|count| count.to_string());
        let limits = limits.map(threshold);
        grid.push(
            [name.to_owned()]
                .into_iter()
                .chain(limits)
                .chain(counts)
                .chain(asked)
                .collect(),
        );
    };
    row("as they are", &advice.present);
    if let Some(advised) = &advice.advised {
        row("implied", advised);
    }
    grid.write_text(out)?;
    match &advice.advised {
        Some(advised) => writeln!(
            out,
            "they are chosen by these utterances: of others, up to {} of what is carried out may be wrong",
            per_cent(advised.wrong.high)
        ),
        None => writeln!(out, "no thresholds keep the error below {most}"),
    }
}

fn write_comparison(
    title: &str,
    result: &EvalResult,
    compared: &PairedComparison,
    out: &mut impl Write,
) -> io::Result<()> {
    let (first, second) = (printable(&compared.first), printable(&compared.second));
    writeln!(
        out,
        "\n{title}: {first}, then {second}, {}",
        plural(compared.utterances, "utterance")
    )?;
    if compared.left_out > 0 {
        writeln!(
            out,
            "{} left out: not in both, or labelled otherwise",
            compared.left_out
        )?;
    }
    writeln!(out, "accuracy {}", apart(&compared.accuracy))?;
    writeln!(out, "macro F1 {}", apart(&compared.macro_f1))?;
    writeln!(
        out,
        "both {}, neither {}, {}",
        compared.both,
        compared.neither,
        verdict(compared)
    )?;
    let sides = [
        (&first, &compared.only_first),
        (&second, &compared.only_second),
    ];
    for (name, keys) in sides.into_iter().filter(|(_, keys)| !keys.is_empty()) {
        writeln!(out, "only {name} reads {}:", keys.len())?;
        for key in keys.iter().take(ONLY) {
            let Some(utterance) = result.utterance(key) else {
                continue;
            };
            let labels = utterance.readings.iter().map(UtteranceReading::label);
            let labels = labels
                .filter(|label| *label != utterance.intent)
                .joined(", ");
            let other = if labels.is_empty() {
                String::new()
            } else {
                format!(", not {labels}")
            };
            let say = printable(&shortened(&utterance.say, SHOWN));
            writeln!(
                out,
                "  {say}  ({}{})",
                printable(&utterance.intent),
                printable(&other)
            )?;
        }
        if keys.len() > ONLY {
            writeln!(out, "  and {} more", keys.len() - ONLY)?;
        }
    }
    Ok(())
}
