//! The HTML page of an evaluation: recognition quality, confusions and calibration.

use std::io;

use minijinja::{Value, context};

use super::words::{
    self, apart, between, closest, of, or_dash, other_labels, per_cent, slot_counts, usage, verdict,
};
use crate::limits::{MAX_DRAWN_INTENTS, MAX_PAGE_UTTERANCES};
use crate::report::page::Page;
use crate::report::profile_in_title::profile_in_title;
use fsmsim_harness::eval::{
    ConfusedPair, EvalResult, GroupScore, NONE, PairedComparison, ReaderResult, ReadingMeasures,
    ThresholdOutcome,
};
use fsmsim_harness::statistics::{Interval, Proportion};
use fsmsim_runtime::simulate::quotient;
use fsmsim_syntax::diagnostic::plural;
use fsmsim_syntax::terminal::printable;

/// The width of a full bar.
const WIDE: f64 = 1000.0;
/// Renders the page.
pub(super) fn write(result: &EvalResult) -> io::Result<String> {
    let EvalResult {
        model,
        profile,
        dataset,
        ..
    } = result;
    let profile = profile_in_title(profile.as_deref(), " (", ")");
    let title = format!("{model}{profile}: recognition quality");
    let readers: Vec<Value> = result
        .readers
        .iter()
        .enumerate()
        .map(|(number, reader)| reader_view(result, number, reader))
        .collect();
    let compared = [
        ("Comparison", &result.comparison),
        ("Comparison with the baseline", &result.baseline),
    ]
    .into_iter()
    .filter_map(|(title, pair)| Some(comparison(result, title, pair.as_ref()?)));
    let content = context! {
        utterances => plural( result.utterances.len(), "utterance"),
        file => printable(&dataset.file),
        left_out => dataset.left_out,
        stopped =>  result.stopped,
        wanted => dataset.utterances,
        readers,
        compared => compared.collect::<Value>(),
    };
    let page = Page {
        title: &title,
        template: include_str!("../page/eval.html"),
        content,
        ..Page::default()
    };
    page.render(&())
}

fn reader_view(result: &EvalResult, number: usize, reader: &ReaderResult) -> Value {
    let measures = &reader.measures;
    let intents = measures.intents.iter().map(|score| {
        context! {
            name => printable(&score.intent),
            support => score.support,
            predicted => score.predicted,
            correct => score.correct,
            precision => or_dash(score.precision),
            recall => or_dash(score.recall),
            f1 => per_cent(score.f1),
            width => score.f1 * WIDE,
        }
    });
    let slots = measures
        .slots
        .iter()
        .flat_map(|slots| &slots.slots)
        .map(|slot| {
            context! {
                name => printable(&slot.slot),
                counts => slot_counts(slot),
            }
        });
    let bins = measures
        .calibration
        .iter()
        .flat_map(|calibration| &calibration.bins)
        .map(|bin| {
            context! {
                span => format!("{:.1} to {:.1}", bin.from, bin.to),
                confidence => format!("{:.2}", bin.confidence),
                share => per_cent(bin.accuracy.share),
                of => of(&bin.accuracy),
                width => bin.accuracy.share * WIDE,
                // Where the bar would end if the confidences were exact.
                mark => (bin.confidence * WIDE).min(WIDE - 4.0),
            }
        });
    context! {
        name => printable(&reader.reader),
        figures => figures(measures),
        usage => reader.usage.iter().map(|used| printable(&usage(used))).collect::<Value>(),
        intents => intents.collect::<Value>(),
        matrix => matrix(measures),
        confused => measures.confused.iter().map(|pair| confused(result, number, pair)).collect::<Value>(),
        once => measures.confused.iter().filter(|pair| pair.count == 1).count(),
        slots => slots.collect::<Value>(),
        groups => measures.groups.iter().map(group).collect::<Value>(),
        ece => measures.calibration.as_ref().map(|calibration| format!("{:.3}", calibration.ece)),
        bins => bins.collect::<Value>(),
        thresholds => thresholds(measures),
    }
}

fn confused(result: &EvalResult, number: usize, pair: &ConfusedPair) -> Value {
    let utterances = pair
        .utterances
        .iter()
        .filter_map(|key| result.utterance(key))
        .map(|utterance| {
            let reading = utterance.readings.get(number);
            context! {
                say => printable(&utterance.say),
                at => printable(&utterance.at),
                state => printable(&utterance.state),
                confidence => reading.and_then(|reading| reading.confidence).map(|share| format!("{share:.2}")),
                closest => reading.and_then(closest),
                disposition => reading.and_then(|reading| reading.disposition.as_deref()).map(printable),
                why => reading.and_then(|reading| reading.failed.last()).map(|failed| printable(&failed.why)),
            }
        });
    context! {
        intent => printable(&pair.intent),
        predicted => printable(&pair.predicted),
        count => pair.count,
        utterances => utterances.collect::<Value>(),
    }
}

fn comparison(result: &EvalResult, title: &str, pair: &PairedComparison) -> Value {
    let side = |name: &str, class: &str, keys: &[String]| {
        let utterances = keys
            .iter()
            .take(MAX_PAGE_UTTERANCES)
            .filter_map(|key| result.utterance(key))
            .map(|utterance| {
                let others: Vec<String> = other_labels(utterance).into_iter().map(printable).collect();
                context! { say => printable(&utterance.say), intent => printable(&utterance.intent), others }
            });
        let left_out = keys.len().saturating_sub(MAX_PAGE_UTTERANCES);
        context! {
            name => printable(name),
            class,
            count => keys.len(),
            utterances => utterances.collect::<Value>(),
            left_out,
        }
    };
    context! {
        title,
        utterances => plural(pair.utterances, "utterance"),
        left_out => pair.left_out,
        accuracy => apart(&pair.accuracy),
        macro_f1 => apart(&pair.macro_f1),
        both => pair.both,
        neither => pair.neither,
        verdict => printable(&verdict(pair)),
        sides => [
            side(&pair.first, "side-a", &pair.only_first),
            side(&pair.second, "side-b", &pair.only_second),
        ],
    }
}

/// The figures at the top of the page.
fn figures(measures: &ReadingMeasures) -> Vec<Value> {
    let bar = |name: &str, share: f64, detail: String, low: f64, high: f64| {
        let bar =
            context! { width => share * WIDE, low => low * WIDE, reach => (high - low) * WIDE };
        context! { name, value => per_cent(share), detail, bar }
    };
    let number = |name: &str, value: String| context! { name, value };
    let of_share = |name: &str, found: &Proportion| {
        let detail = format!("{}, {}", of(found), between(found.low, found.high));
        bar(name, found.share, detail, found.low, found.high)
    };
    let Interval { low, high } = measures.macro_f1_interval;
    let mut figures = vec![
        of_share("accuracy", &measures.accuracy),
        bar("macro F1", measures.macro_f1, between(low, high), low, high),
        of_share("predicted", &measures.predicted),
    ];
    if let Some(slots) = &measures.slots {
        figures.push(of_share("slots", &slots.correct));
        figures.push(of_share("slots exact", &slots.exact));
    }
    if measures.unanswered > 0 {
        figures.push(number("no answer", measures.unanswered.to_string()));
    }
    if let Some(latency) = &measures.latency {
        let times = format!("{} / {} / {} ms", latency.p50, latency.p90, latency.p99);
        figures.push(number("latency p50 / p90 / p99", times));
    }
    figures
}

/// The confusion matrix; `None` if there are too many intents.
fn matrix(measures: &ReadingMeasures) -> Option<Value> {
    let mut names: Vec<&str> = measures
        .intents
        .iter()
        .map(|score| &*score.intent)
        .collect();
    if measures.confused.iter().any(|pair| pair.predicted == NONE) && !names.contains(&NONE) {
        names.push(NONE);
    }
    if names.len() > MAX_DRAWN_INTENTS || names.len() < 2 {
        return None;
    }
    let counts = measures.confused.iter().map(|pair| pair.count);
    let most = counts.max().unwrap_or(1).max(1);
    let rows = names.iter().map(|expected| {
        let cells = names.iter().map(|predicted| {
            if expected == predicted {
                let correct =
                    measures.intents.iter().find(|score| score.intent == **expected).map_or(0, |score| score.correct);
                return context! { count => correct, class => if correct > 0 { "correct" } else { "" } };
            }
            let pair = measures.confused.iter().find(|pair| pair.intent == **expected && pair.predicted == **predicted);
            let count = pair.map_or(0, |pair| pair.count);
            // Four fixed shades, so that the page needs no inline styles.
            let shade = (count * 4).div_ceil(most).min(4);
            context! { count, class => if count > 0 { format!("incorrect w{shade}") } else { String::new() } }
        });
        context! { name => printable(expected), cells => cells.collect::<Value>() }
    });
    let rows: Vec<Value> = rows.collect();
    Some(context! { names => names.iter().map(|name| printable(name)).collect::<Value>(), rows })
}

fn group(group: &GroupScore) -> Value {
    let found = &group.accuracy;
    context! {
        by => &group.by,
        name => printable(&group.name),
        share => per_cent(found.share),
        of => of(found),
        between => between(found.low, found.high),
        width => found.share * WIDE,
    }
}

/// The outcomes of thresholds.
fn thresholds(measures: &ReadingMeasures) -> Option<Value> {
    let advice = measures.thresholds.as_ref()?;
    let row = |name: &str, found: &ThresholdOutcome| {
        let part = |count: u64| quotient(count, advice.readings) * WIDE;
        let correct = found.executed - found.incorrect.part;
        let mut at = 0.0;
        let parts = [
            ("correct", "correct", correct),
            ("incorrect", "incorrect", found.incorrect.part),
            ("asked", "clarified", found.asked()),
            ("lost", "rejected", found.fallback),
        ]
        .map(|(class, name, count)| {
            let x = at;
            let width = part(count);
            at += width;
            context! { class, name, count, x, width }
        });
        context! {
            name,
            limits => words::thresholds(found),
            parts,
            correct,
            incorrect => found.incorrect.part,
            error => per_cent(found.incorrect.share),
            asked => found.asked(),
            offered => found.offered,
            fallback => found.fallback,
        }
    };
    let advised = advice.advised.as_ref();
    let mut rows = vec![row("current", &advice.present)];
    rows.extend(advised.map(|found| row("suggested", found)));
    Some(context! {
        readings => plural(advice.readings, "interpretation"),
        max_incorrect => per_cent(advice.max_incorrect),
        rows,
        high => advised.map(|found| per_cent(found.incorrect.high)),
    })
}
