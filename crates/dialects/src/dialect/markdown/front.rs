//! Front matter of states, instructions and documents.

use super::draft::{Base, LimitText, StateDraft};
use super::plain::NamedText;
use fsmsim_syntax::diagnostic::{Code, Diagnostic, Diagnostics};
use fsmsim_syntax::document::{DocumentReading, Fields, Node, PatternBudget, ReadingKind, text_of};
use fsmsim_syntax::shapes;

/// The maximum number of ignored keys that a finding lists.
const MAX_KEYS: usize = 12;

/// The front matter of a state.
pub(super) fn of_state(node: &Node, draft: &mut StateDraft, found: &mut Diagnostics) {
    let Some(mut fields) = Fields::of(node, &shapes::STATE_FRONT, found) else {
        return;
    };
    if let Some(name) = named(&mut fields, "state") {
        draft.name = name;
    }
    if let Some(node) = fields.node("reads") {
        let keys = node.items().iter().filter_map(|item| {
            let text = text_of(item, "an item of `reads`", fields.found())?;
            Some(NamedText::new(text, item.span))
        });
        draft.reads = Some(keys.collect());
    }
    draft.writes = named(&mut fields, "writes");
    draft.phase = fields.text("phase").map(Into::into);
    draft.is_final = fields.boolean("final").unwrap_or(false);
    draft.is_aside = fields.boolean("aside").unwrap_or(false);
    fields.finish();
}

/// The front matter of `instructions/system.md`.
pub(super) fn of_system(node: &Node, base: &mut Base, found: &mut Diagnostics) {
    let Some(mut fields) = Fields::of(node, &shapes::SYSTEM_FRONT, found) else {
        return;
    };
    base.initial = named(&mut fields, "initial");
    base.consent = named(&mut fields, "consent");
    base.no_data_state = named(&mut fields, "no_data_state");
    let mut budget = PatternBudget::default();
    for item in fields.list("limits").unwrap_or_default() {
        base.limits.extend(limit(item, &mut budget, fields.found()));
    }
    fields.finish();
}

/// Reports the front matter of other instructions, which has no effect.
pub(super) fn of_other(node: &Node, found: &mut Diagnostics) {
    for (key, _) in node.entries() {
        Diagnostic::error(
            Code::UnknownKey,
            format!("unknown key `{}` in an instruction", key.text),
        )
        .at(key.span, "unknown key")
        .help("move the key to the front matter of `instructions/system.md`")
        .add_to(found);
    }
}

/// The front matter of a document: its initial state and its final states. Other keys are allowed and reported once,
/// except `section`, which is read before the states.
pub(super) fn of_document(
    node: &Node,
    reading: &mut DocumentReading,
    found: &mut Diagnostics,
) -> (Option<NamedText>, Vec<NamedText>) {
    const KNOWN: [&str; 3] = ["initial", "final", "section"];
    let mut others = node
        .entries()
        .iter()
        .filter(|(key, _)| !KNOWN.contains(&&*key.text))
        .map(|(key, _)| key)
        .peekable();
    if let Some(first) = others.peek() {
        let count = node.map().map_or(0, |map| map.entries.len());
        let span = first.span;
        let listed: Vec<String> = others
            .take(MAX_KEYS)
            .map(|key| format!("`{}`", key.text))
            .collect();
        let more = if count > MAX_KEYS + KNOWN.len() {
            ", …"
        } else {
            ""
        };
        let listed = format!("{}{more}", listed.join(", "));
        reading.add(
            ReadingKind::Left,
            format!("the front matter keys {listed}"),
            "not used",
            span,
        );
        Diagnostic::remark(
            Code::NotTaken,
            format!("keys of the front matter are ignored: {listed}"),
        )
        .at(span, "not used")
        .help("use only `initial`, `final` and `section` in the front matter of a document")
        .add_to(found);
    }
    let Some(mut fields) = Fields::open(node, "the front matter", found) else {
        return (None, Vec::new());
    };
    let initial = named(&mut fields, "initial");
    let Some(ends) = fields.node("final") else {
        return (initial, Vec::new());
    };
    let name = |item: &Node| Some(NamedText::new(item.text()?, item.span));
    (initial, ends.items().iter().filter_map(name).collect())
}

fn named(fields: &mut Fields<'_, '_>, key: &'static str) -> Option<NamedText> {
    let span = fields.node(key)?.span;
    Some(NamedText::new(fields.text(key)?.trim(), span))
}

fn limit(node: &Node, budget: &mut PatternBudget, found: &mut Diagnostics) -> Option<LimitText> {
    let mut fields = Fields::of(node, &shapes::REPLY_LIMIT, found)?;
    let name = fields.required_text("name");
    let pattern = fields.required_text("pattern");
    let place = fields.node("pattern").map_or(node.span, |node| node.span);
    let min = fields.count("min");
    let max = fields.count("max");
    let is_bound = fields.node("min").is_some() || fields.node("max").is_some();
    let states = fields.list("states").unwrap_or_default();
    if !is_bound {
        fields.missing("max");
    }
    fields.finish();
    let states = states
        .iter()
        .filter_map(|node| {
            Some(NamedText::new(
                text_of(node, "an item of `states`", found)?.trim(),
                node.span,
            ))
        })
        .collect();
    let pattern = budget.compile(pattern?, true).or_else(|error| {
        let title = format!("invalid regular expression in `pattern`: {error}");
        Diagnostic::error(Code::BadLimit, title)
            .at(place, "invalid")
            .help(
                "write a regular expression for one occurrence, such as `[?]` for a question mark",
            )
            .fail()
    });
    let pattern = found.take(pattern)?;
    if min.zip(max).is_some_and(|(min, max)| min > max) {
        Diagnostic::error(Code::BadLimit, "`min` is greater than `max` in a limit")
            .at(node.span, "never satisfied")
            .help("swap the two numbers")
            .add_to(found);
    }
    (min.is_some() || max.is_some()).then_some(LimitText {
        name: name?.into(),
        pattern,
        min,
        max,
        states,
    })
}
