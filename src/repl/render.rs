//! A turn as a few aligned lines.

use std::fmt::Write;

use colored::{ColoredString, Colorize};
use console::Term;

use super::policies;
use fsmsim_core::engine::{
    Class, Consent, Effect, OpenQuestion, RecordView, Status, Symbol, Verdict,
};
use fsmsim_core::machine::{SlotId, Value};
use fsmsim_harness::interactive::{RecordDifference, TurnWhy, WhySentence};
use fsmsim_syntax::terminal::{Joined, printable};

/// Describes an effect: its name, data and outcome.
fn effect_in_words(effect: &Effect, line: &RecordView<'_>) -> String {
    let machine = line.machine;
    let name = machine.names.effects.name(effect.kind);
    let about = match (
        &effect.payload,
        effect.schema.map(|schema| &machine.schemas[schema].name),
    ) {
        (Value::List(keys), _) => keys.iter().filter_map(Value::as_text).joined(", "),
        (_, Some(schema)) if **schema != *name => schema.to_string(),
        (payload, _) => payload.to_string(),
    };
    let what = format!("{name} {}", printable(&about));
    match &effect.verdict {
        Verdict::Allowed(outcome) => format!("{what}: {}", printable(outcome)),
        Verdict::Broken { outcome, why } => {
            format!(
                "{what}: {}",
                format!("{}, {}", printable(outcome), printable(why)).red()
            )
        }
        Verdict::Denied(why) => format!("{what}: {}", format!("denied, {}", printable(why)).red()),
    }
}

/// The width of the labels.
const LABEL: usize = 11;

/// The label of a reply.
const SAYS: &str = "says";

fn row_of(label: &str, value: &str) -> String {
    let first = format!("  {}", format!("{label:LABEL$}").dimmed());
    wrapped(value, &first, &" ".repeat(LABEL + 2))
}

/// A text as lines that fit into the terminal, broken at spaces. Without a terminal it is one line.
pub(super) fn wrapped(text: &str, first: &str, others: &str) -> String {
    let width = Term::stdout()
        .size_checked()
        .map_or(usize::MAX, |(_, columns)| usize::from(columns));
    wrapped_at(width, text, first, others)
}

fn wrapped_at(width: usize, text: &str, first: &str, others: &str) -> String {
    let options = textwrap::Options::new(width)
        .initial_indent(first)
        .subsequent_indent(others)
        .break_words(false);
    textwrap::fill(text, options).trim_end().to_owned() + "\n"
}

/// A remark, as dimmed lines.
pub(super) fn note(text: &str) -> String {
    wrapped(&printable(text), "  ", "    ").dimmed().to_string()
}

/// The last reply, as a line.
pub(super) fn said(text: &str) -> String {
    row_of(SAYS, &printable(text))
}

/// The explanation of a turn, its rejected proposals and violations, as lines.
pub(super) fn why(known: &TurnWhy) -> String {
    let sentence = known.sentence.brief();
    if sentence.is_empty() {
        return sentence;
    }
    let mut text = wrapped(&printable(&sentence), "  ", "  ");
    for origin in known.sentence.origins() {
        let _ = writeln!(text, "    {}", printable(&origin).dimmed());
    }
    for lost in &known.lost {
        text.push_str(&note(lost));
    }
    for fault in &known.faults {
        let _ = writeln!(text, "  {}", fault.red());
    }
    text
}

/// Differing fields as lines: `-` the old value, `+` the new value.
pub(super) fn changes(fields: &[RecordDifference]) -> String {
    let mut text = String::new();
    for RecordDifference { field, was, is } in fields {
        let _ = writeln!(
            text,
            "{}",
            format!("      - {field}: {}", printable(was)).red()
        );
        let _ = writeln!(
            text,
            "{}",
            format!("      + {field}: {}", printable(is)).green()
        );
    }
    text
}

/// The record of a turn as lines.
pub(super) fn record(line: &RecordView<'_>) -> String {
    let Some(outcome) = &line.record.outcome else {
        return String::new();
    };
    let from = line.state(outcome.state.from);
    let to = line.state(outcome.state.to);
    let mut text = String::new();
    let mut row = |label: &str, value: String| text.push_str(&row_of(label, &value));
    if let Some(reading) = line.interpretation() {
        row("recognized", format!("as {}", printable(&reading)));
    }
    for (by, why) in line.record.answers.iter().flat_map(|answer| &answer.failed) {
        row(
            "no answer",
            format!("{}: {}", printable(by), printable(why))
                .red()
                .to_string(),
        );
    }
    let state = if from == to {
        to.bold().to_string()
    } else {
        format!("{from} → {}", to.bold())
    };
    let phase = line
        .phase(outcome.phase.to)
        .map_or(String::new(), |phase| format!("   phase {}", phase.cyan()));
    let over = if outcome.is_final {
        "   the dialogue has ended".green().to_string()
    } else {
        String::new()
    };
    row(
        "state",
        format!("{state}{phase}   {}{over}", class(outcome.class)),
    );
    row(
        "action",
        line.session
            .action_name(outcome.action, line.machine)
            .yellow()
            .to_string(),
    );
    for (label, text) in policies::rows(line) {
        row(label, text);
    }
    if let Some(asked) = &line.session.clarification.asked {
        row("asks", options(asked));
    }
    for reply in line.replies() {
        row(SAYS, printable(reply));
    }
    for effect in &line.record.effects {
        row("effect", effect_in_words(effect, line));
    }
    let policies = line.machine.policies.facts();
    for fault in policies.flat_map(|policy| policy.reply_faults(line)) {
        let (label, place, bound) = if fault.too_few {
            ("too little", "the previous state", "at least")
        } else {
            ("too much", "this state", "at most")
        };
        let name = printable(fault.limit);
        let found = fault.found;
        let most = fault.bound;
        let text = format!("{name}: {found} in {place}, {bound} {most}");
        row(label, text.red().to_string());
    }
    let consent = consent(line.scripted.input.consent);
    if !consent.is_empty() {
        row("consent", consent);
    }
    let data = data(line);
    if !data.is_empty() {
        row("data", data);
    }
    if !line.record.missing.is_empty() {
        let missing = line
            .record
            .missing
            .iter()
            .map(|slot| line.machine.names.slots.name(*slot));
        row("missing", missing.joined(", "));
    }
    if let Some(state) = outcome.return_state {
        row("return to", line.state(state).to_owned());
    }
    if !line.record.path.is_empty() {
        let path = line.record.path.iter().map(|state| line.state(*state));
        row("path", path.joined(" → "));
    }
    let branches = branches(line);
    if !branches.is_empty() {
        row("branches", branches);
    }
    for (source, error) in &line.record.errors {
        row(
            "error",
            format!("{}: {error}", source.name()).red().to_string(),
        );
    }
    let why = WhySentence::of(line);
    row("why", printable(&why.brief()));
    for origin in why.origins() {
        row("", printable(&origin).dimmed().to_string());
    }
    text
}

/// The consent decision of a turn; empty without a decision.
fn consent(consent: Consent) -> String {
    [("read", consent.read), ("write", consent.write)]
        .into_iter()
        .filter_map(|(what, allowed)| {
            let word = if allowed? { "yes" } else { "no" };
            Some(format!("{what} {word}"))
        })
        .joined(", ")
}

/// The options of a clarification question.
fn options(asked: &OpenQuestion) -> String {
    let words = asked.options.iter().map(|option| {
        let label = option.get("label").or_else(|| option.get("intent"));
        printable(&label.unwrap_or(option).plain())
    });
    words.joined(" / ")
}

fn class(class: Class) -> ColoredString {
    let name = class.name();
    match class {
        Class::Finish
        | Class::Advance
        | Class::Enter
        | Class::Resume
        | Class::Skip
        | Class::Fork
        | Class::Join
        | Class::Choice => name.green(),
        Class::Degrade | Class::Blocked => name.red(),
        Class::Back | Class::Replan | Class::Digress | Class::Restart => name.magenta(),
        Class::Hold | Class::Move => name.normal(),
    }
}

/// The parallel branches, each with its state.
fn branches(line: &RecordView<'_>) -> String {
    let branches = &line.session.branches;
    let words = branches.branches.iter().enumerate().map(|(at, branch)| {
        let place = branch
            .state
            .map_or(branch.status.name(), |state| line.state(state));
        let name = line.branch(branch.id);
        match branch.status {
            Status::Active if branches.current == Some(at) => {
                format!("{name}: {place}").bold().to_string()
            }
            Status::Active | Status::Waiting => format!("{name}: {place}"),
            Status::Completed | Status::Skipped => format!("{name}: {}", branch.status.name())
                .dimmed()
                .to_string(),
        }
    });
    words.joined("   ")
}

/// The changes of the collected data by the turn.
fn data(line: &RecordView<'_>) -> String {
    let carryover = &line.record.carryover;
    let value = |name: &Symbol<SlotId>| {
        let value = line.session.slots.by_name(name);
        let unknown = if name.known().is_none() {
            " (unknown slot)"
        } else {
            ""
        };
        let name = printable(line.slot(name));
        let value = printable(&value.plain());
        format!("{name}={value}{unknown}")
    };
    // Fields of frames have separate rows.
    let of_frame = |slot| line.machine.frames.field(slot).is_some();
    let is_data = |name: &&Symbol<SlotId>| name.known().is_none_or(|slot| !of_frame(slot));
    let added = carryover
        .added
        .iter()
        .filter(is_data)
        .map(|name| policies::added(&value(name)));
    let changed = carryover
        .changed
        .iter()
        .filter(is_data)
        .map(|name| policies::changed(&value(name)));
    let dropped = carryover
        .dropped
        .iter()
        .filter(is_data)
        .map(|name| policies::dropped(&printable(line.slot(name))));
    added.chain(changed).chain(dropped).joined("  ")
}
