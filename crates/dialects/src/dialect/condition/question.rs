//! Compiles the questions in conditions: maps with a subject and a test.

use rustc_hash::FxHashMap;
use strum::VariantArray;

use super::declared::{effect_named, field_named, keys, numbered, slot_named};
use fsmsim_core::machine::{
    Bound, CategoryId, Condition, Counted, CounterId, EVENT_CATEGORY, Float, FrameId, Id, LimitId,
    MachineBuilder, Moment, SlotId, StateId, Subject, Test, Value, Words,
};
use fsmsim_syntax::diagnostic::{Code, Diagnostic, Diagnostics, nearest_or};
use fsmsim_syntax::document::{Atom, Content, Map, Node, integer_of, named, no_such_key, one_of};
use fsmsim_syntax::shapes::{self, Shape};
use fsmsim_syntax::terminal::Joined;

/// Whether a key is the subject of a question, rather than a test or a detail of another subject.
fn is_subject(key: &str) -> bool {
    let is_key = |shape: &Shape| shape.key(key).is_some();
    is_key(&shapes::QUESTION) && !is_key(&shapes::TESTS) && !["field", "active"].contains(&key)
}

/// The help for an invalid question.
const EXPLAIN: &str = "see `fsmsim explain FS0118`";

/// Counters that records contain but conditions cannot test.
const UNASKED_COUNTERS: [&str; 2] = ["objections_in_row", "objections_total"];

/// The keys of tests. `ignore_case` is not a test: it changes how strings are compared.
fn tests() -> impl Iterator<Item = &'static str> {
    shapes::TESTS
        .key_names()
        .filter(|key| *key != "ignore_case")
}

/// Compiles a question. Returns `None`, with a finding, if it is invalid.
pub(super) fn compile(
    node: &Node,
    thresholds: &FxHashMap<&str, i64>,
    builder: &mut MachineBuilder,
    found: &mut Diagnostics,
) -> Option<Condition> {
    Question {
        node,
        thresholds,
        builder,
        found,
    }
    .compile()
}

struct Question<'q> {
    node: &'q Node,
    thresholds: &'q FxHashMap<&'q str, i64>,
    builder: &'q mut MachineBuilder,
    found: &'q mut Diagnostics,
}

impl Question<'_> {
    fn compile(mut self) -> Option<Condition> {
        let map = self.node.map()?;
        let mut subjects = map.entries.iter().filter(|(key, _)| is_subject(&key.text));
        let Some((subject, value)) = subjects.next() else {
            let known = || shapes::QUESTION.key_names().filter(|key| is_subject(key));
            let title = format!(
                "missing subject in a test; expected one of {}",
                known().joined(", ")
            );
            let explain = || EXPLAIN.to_owned();
            let help = map
                .keys()
                .find(|key| shapes::QUESTION.key(key).is_none())
                .map_or_else(explain, |key| nearest_or(key, known(), explain));
            return Diagnostic::error(Code::BadCondition, title)
                .at(self.node.span, "invalid test")
                .help(help)
                .refuse(self.found);
        };
        if subjects.next().is_some() {
            return self.bad(
                self.node,
                "several subjects in a test; join tests with `and`",
            );
        }
        self.check_keys(map, &subject.text)?;
        let subject = match &*subject.text {
            "category" => return self.category(value),
            "state" if value.map().is_none() => return self.states(value).map(Condition::States),
            "from" => return self.states(value).map(Condition::From),
            "reply" => return self.tested(Subject::Reply, value),
            "state" => return self.tested(Subject::State, value),
            "phase" => return self.tested(Subject::Phase, value),
            "turn" => return self.tested(Subject::Turn, value),
            "outcome" => return self.tested(Subject::Outcome, value),
            "class" => return self.tested(Subject::Class, value),
            "frame" => return self.frame(value, Moment::Now),
            "was" => return self.frame(value, Moment::Before),
            "executed" if value.boolean() == Some(true) => return Some(Condition::Executed),
            "final" if value.boolean() == Some(true) => return Some(Condition::Final),
            name @ ("executed" | "final") => {
                let title = format!("expected `true` for `{name}`; use `not` for the opposite");
                return self.bad(value, &title);
            }
            "intent" if value.map().is_none() => {
                let intents = self
                    .texts(value)?
                    .into_iter()
                    .map(|name| self.builder.intent(name))
                    .collect();
                return Some(Condition::Intents(intents));
            }
            "intent" => return self.tested(Subject::Intent, value),
            "flag" => {
                let name = self.text(value)?;
                let flags = &self.builder.names.flags;
                return flags.id(name).map(Condition::Flag).or_else(|| {
                    Diagnostic::undefined(Code::UnknownFlag, "feature flag", name, value.span)
                        .near(name, flags.iter(), "add it to `feature_flags`")
                        .refuse(self.found)
                });
            }
            "missing" if value.text() == Some("required") => {
                return Some(Condition::Test(Subject::Missing, Test::Truthy));
            }
            "missing" => return self.bad(value, "expected `required` for `missing`"),
            "valid" => return Some(Condition::Contact(self.word(value)?)),
            kind @ ("effect" | "done") => {
                let effect = effect_named(self.text(value)?, value.span, self.builder, self.found)?;
                if kind == "done" {
                    Subject::Done(effect)
                } else {
                    Subject::Effect(effect)
                }
            }
            "payload" => Subject::Payload(self.payload_path(value)?),
            "returned" => Subject::Returned(keys(self.text(value)?)),
            "consent" => Subject::Consent(self.word(value)?),
            "said" => {
                let slot = self.text(value)?;
                Subject::Said(self.builder.slot(slot))
            }
            "slot" => {
                let slot = self.text(value)?;
                let slot = self.builder.slot(slot);
                match self.node.get("field") {
                    Some(field) => Subject::Field(slot, self.text(field)?.into()),
                    None => Subject::Slot(slot),
                }
            }
            "signal" => Subject::Signal(self.word(value)?),
            "counter" => Subject::Counter(self.counter(value)?),
            "length" => Subject::Length(self.slot_named(value)?),
            "streak" => Subject::Streak(self.counted(value)?),
            _ => Subject::Total(self.counted(value)?),
        };
        Some(Condition::Test(subject, self.test(self.node)?))
    }

    /// Reports keys that the question about `subject` does not support.
    fn check_keys(&mut self, map: &Map, subject: &str) -> Option<()> {
        let siblings: &[&str] = match subject {
            "slot" => &["slot", "field", "ignore_case"],
            "signal" => &["signal", "ignore_case"],
            "frame" | "was" => &["frame", "was", "active", "ignore_case"],
            "said" => &["said", "ignore_case"],
            "length" => &["length", "ignore_case"],
            "effect" | "payload" | "returned" | "consent" => {
                &["effect", "payload", "returned", "consent", "ignore_case"]
            }
            "done" => &["done", "is"],
            "streak" | "total" | "counter" => &["streak", "total", "counter"],
            name => &[shapes::QUESTION.key(name)?.name],
        };
        let takes_test = siblings.len() > 1;
        for (key, _) in &map.entries {
            let name = &*key.text;
            if name != subject
                && !siblings.contains(&name)
                && !(takes_test && tests().any(|test| test == name))
            {
                let known: Vec<&str> = siblings
                    .iter()
                    .copied()
                    .chain(tests().filter(|_| takes_test))
                    .collect();
                let what = format!("a test of `{subject}`");
                return no_such_key(key, &what, &known).refuse(self.found);
            }
        }
        Some(())
    }

    /// Compiles a question about a frame (`active`) or about a field of the frame.
    fn frame(&mut self, value: &Node, moment: Moment) -> Option<Condition> {
        let name = self.text(value)?;
        if name.contains('.') {
            let slot = self.field(value)?;
            let subject = match moment {
                Moment::Now => Subject::Slot(slot),
                Moment::Before => Subject::Was(slot),
            };
            return Some(Condition::Test(subject, self.test(self.node)?));
        }
        if let (Moment::Before, Some(slot), None) = (
            moment,
            self.builder.names.slots.id(name),
            self.node.get("active"),
        ) {
            return Some(Condition::Test(Subject::Was(slot), self.test(self.node)?));
        }
        let names = || self.builder.frames.iter().map(|frame| &*frame.name);
        let Some(number) = names().position(|known| known == name) else {
            return Diagnostic::undefined(Code::UnknownFrame, "frame", name, value.span)
                .near(name, names(), "declare it under `frames`")
                .refuse(self.found);
        };
        let active = Condition::Active(FrameId::from_index(number), moment);
        match self.node.get("active").and_then(Node::boolean) {
            Some(true) => Some(active),
            Some(false) => Some(Condition::Not(self.builder.condition(active))),
            None => self.bad(
                value,
                "missing `active: true` or a field in a test of a frame",
            ),
        }
    }

    fn states(&mut self, value: &Node) -> Option<Box<[StateId]>> {
        Some(
            self.texts(value)?
                .into_iter()
                .map(|name| self.builder.state(name))
                .collect(),
        )
    }

    /// The counter with this name, declared by a policy or the definition.
    fn counter(&mut self, node: &Node) -> Option<CounterId> {
        let counters = numbered(self.builder.names.counters.iter());
        let counters: Vec<(CounterId, &str)> = counters
            .filter(|(_, name)| !UNASKED_COUNTERS.contains(name))
            .collect();
        let name = node.text().unwrap_or_default();
        self.found.take(one_of(name, node.span, &counters))
    }

    /// Parses a path into the payload of an effect. The data of an executed route is under `data`; its keys are the
    /// full field names.
    fn payload_path(&mut self, node: &Node) -> Option<Box<[Box<str>]>> {
        let path = self.text(node)?;
        let field = path.strip_prefix("data.").filter(|field| {
            let frame = field.split_once('.').map(|(frame, _)| frame);
            frame.is_some_and(|frame| {
                self.builder
                    .frames
                    .iter()
                    .any(|known| &*known.name == frame)
            })
        });
        let Some(field) = field else {
            return Some(keys(path));
        };
        field_named(field, node.span, self.builder, self.found)?;
        Some(["data".into(), field.into()].into())
    }

    /// The slot with this name: a field of a frame for `frame.field`, otherwise any slot.
    fn slot_named(&mut self, node: &Node) -> Option<SlotId> {
        slot_named(self.text(node)?, node.span, self.builder, self.found)
    }

    /// The slot of the field `frame.field`, or any known slot.
    fn field(&mut self, node: &Node) -> Option<SlotId> {
        let name = self.text(node)?;
        if let Some(slot) = self
            .builder
            .names
            .slots
            .id(name)
            .filter(|_| !name.contains('.'))
        {
            return Some(slot);
        }
        field_named(name, node.span, self.builder, self.found)
    }

    /// The element that a streak or total counts: an intent, `current`, or `{category: name}`.
    fn counted(&mut self, node: &Node) -> Option<Counted> {
        if let Some(category) = node.get("category") {
            return Some(Counted::Category(self.category_id(category).ok()?));
        }
        match self.text(node)? {
            "current" => Some(Counted::Current),
            name => Some(Counted::Intent(self.builder.intent(name))),
        }
    }

    fn category(&mut self, node: &Node) -> Option<Condition> {
        let mut parts = self
            .items(node)?
            .iter()
            .map(|item| Some(Condition::Category(self.category_id(item).ok()?)))
            .collect::<Option<Vec<Condition>>>()?;
        if parts.len() == 1 {
            return parts.pop();
        }
        Some(Condition::Or(
            parts
                .into_iter()
                .map(|part| self.builder.condition(part))
                .collect(),
        ))
    }

    /// The category with this name. Returns `Ok(None)` for an undefined category that built-in conditions refer to, and
    /// `Err` after a finding.
    fn category_id(&mut self, node: &Node) -> Result<Option<CategoryId>, ()> {
        let name = self.text(node).ok_or(())?;
        if name == EVENT_CATEGORY {
            return Ok(Some(self.builder.category(name)));
        }
        let id = self.builder.names.categories.id(name);
        if id.is_none() && !super::BUILT_IN_CATEGORIES.contains(&name) {
            let known = self.builder.names.categories.iter();
            Diagnostic::undefined(Code::UnknownCategory, "category", name, node.span)
                .near(name, known, "add it to `intents.categories` in constants")
                .add_to(self.found);
            return Err(());
        }
        Ok(id)
    }

    /// Compiles a subject whose value is the test: a map of tests, or a value or list to compare with.
    fn tested(&mut self, subject: Subject, node: &Node) -> Option<Condition> {
        let test = match &node.content {
            Content::Map(map) => {
                self.only(map, &shapes::TESTS)?;
                self.test(node)?
            }
            _ => Test::Is(self.values(node)?),
        };
        Some(Condition::Test(subject, test))
    }

    /// Reports the first key of a map that the shape does not declare.
    fn only(&mut self, map: &Map, shape: &Shape) -> Option<()> {
        let mut keys = map.entries.iter().map(|(key, _)| key);
        match keys.find(|key| shape.key(&key.text).is_none()) {
            Some(key) => shape.unknown_key(key).refuse(self.found),
            None => Some(()),
        }
    }

    /// The single test among the keys of `node`. The default test is whether the subject is truthy.
    fn test(&mut self, node: &Node) -> Option<Test> {
        let map = node.map()?;
        let folded = map.get("ignore_case").and_then(Node::boolean) == Some(true);
        let mut tests = map
            .entries
            .iter()
            .filter(|(key, _)| tests().any(|test| *test == *key.text));
        let Some((name, operand)) = tests.next() else {
            return Some(Test::Truthy);
        };
        if tests.next().is_some() {
            return self.bad(node, "several comparisons in a test; join tests with `and`");
        }
        if let Ok(comparison) = name.text.parse() {
            return Some(Test::Compare(comparison, self.bound(operand)?));
        }
        Some(match &*name.text {
            "is" | "in" if folded => Test::IsFolded(self.words(operand, true)?.texts),
            "is" => Test::Is([Value::from(operand)].into()),
            "in" => Test::Is(self.values(operand)?),
            "between" => match operand.list() {
                Some([low, high]) => Test::Between(self.bound(low)?, self.bound(high)?),
                _ => {
                    return self.bad(
                        operand,
                        "expected two numbers for `between`, such as `[1, 3]`",
                    );
                }
            },
            "contains" => Test::Contains(self.words(operand, folded)?),
            "starts_with" => Test::StartsWith(self.words(operand, folded)?),
            "same_as" => Test::SameAs(self.field(operand)?),
            "within" => Test::Within(self.field(operand)?),
            "later_than" => return self.later(operand),
            name => match (name, operand.boolean()) {
                ("known", Some(value)) => Test::Known(value),
                ("filled", Some(value)) => Test::Filled(value),
                ("filled_text", Some(true)) => Test::FilledText,
                _ => return self.bad(operand, &format!("expected `true` or `false` for `{name}`")),
            },
        })
    }

    /// Compiles an operand of a comparison: a number, `{limit: name, plus: n}`, `{threshold: name}`, `{state: name}`, a
    /// slot (`{slot: name}`, `{was: name}`) or a counter (`{counter: name}`).
    fn bound(&mut self, node: &Node) -> Option<Bound> {
        if let Some(value) = node.number().filter(|value| value.is_finite()) {
            return Some(Bound::Number(Float::new(value)));
        }
        if let Some(limit) = node.get("limit") {
            let name = self.text(limit)?;
            let limits: Vec<(LimitId, &str)> = numbered(self.builder.names.limits.iter()).collect();
            let limit = self.found.take(one_of(name, limit.span, &limits))?;
            let plus = match node.get("plus").map(Node::atom) {
                None => 0,
                Some(Some(Atom::Int(plus))) => i32::try_from(plus).unwrap_or(0),
                Some(_) => return self.bad(node, "expected an integer for `plus`"),
            };
            return Some(Bound::Limit(limit, plus));
        }
        if let Some(slot) = node.get("slot") {
            return Some(Bound::Slot(self.slot_named(slot)?));
        }
        if let Some(slot) = node.get("was") {
            return Some(Bound::Was(self.slot_named(slot)?));
        }
        if let Some(counter) = node.get("counter") {
            return Some(Bound::Counter(self.counter(counter)?));
        }
        if let Some(threshold) = node.get("threshold") {
            let name = self.text(threshold)?;
            let Some(value) = self.thresholds.get(name) else {
                return self.bad(threshold, "unknown threshold in `frustration.thresholds`");
            };
            #[expect(clippy::cast_precision_loss, reason = "thresholds are small numbers")]
            return Some(Bound::Number(Float::new(*value as f64)));
        }
        if node.get("state").and_then(Node::text) == Some("phase_exhaust_threshold") {
            return Some(Bound::ExhaustThreshold);
        }
        self.bad(node, "expected a number to compare with, or {slot: NAME}, {was: NAME}, {counter: NAME}, {limit: NAME}, {threshold: NAME}")
    }

    /// Compiles the operand of `later_than`: `{slot: NAME}`, or `{slot: NAME, by: SECONDS}`.
    fn later(&mut self, node: &Node) -> Option<Test> {
        let Some(map) = node.map() else {
            return self.bad(
                node,
                "expected `{slot: NAME, by: SECONDS}` for `later_than`",
            );
        };
        self.only(map, &shapes::LATER)?;
        let by = match node.get("by") {
            None => 0,
            Some(by) => integer_of(by, "by", self.found)?,
        };
        match (node.get("slot"), node.get("was")) {
            (Some(slot), None) => Some(Test::Later(Moment::Now, self.slot_named(slot)?, by)),
            (None, Some(slot)) => Some(Test::Later(Moment::Before, self.slot_named(slot)?, by)),
            _ => self.bad(
                node,
                "expected `{slot: NAME}` or `{was: NAME}` for `later_than`",
            ),
        }
    }

    fn words(&mut self, node: &Node, folded: bool) -> Option<Words> {
        let texts = self
            .texts(node)?
            .into_iter()
            .map(|text| {
                if folded {
                    text.to_lowercase().into()
                } else {
                    text.into()
                }
            })
            .collect();
        Some(Words { texts, folded })
    }

    fn word<T: VariantArray + Copy + Into<&'static str>>(&mut self, node: &Node) -> Option<T> {
        let name = self.text(node)?;
        self.found.take(one_of(name, node.span, &named::<T>()))
    }

    fn text<'n>(&mut self, node: &'n Node) -> Option<&'n str> {
        match node.text() {
            Some(text) => Some(text),
            None => self.bad(node, "expected a name"),
        }
    }

    fn texts<'n>(&mut self, node: &'n Node) -> Option<Vec<&'n str>> {
        self.items(node)?
            .iter()
            .map(|item| self.text(item))
            .collect()
    }

    fn values(&mut self, node: &Node) -> Option<Box<[Value]>> {
        Some(self.items(node)?.iter().map(Value::from).collect())
    }

    /// The items of a list, or the value itself. A test with an empty list never holds.
    fn items<'n>(&mut self, node: &'n Node) -> Option<&'n [Node]> {
        match node.items() {
            [] => self.bad(node, "expected at least one value, found an empty list"),
            items => Some(items),
        }
    }

    fn bad<T>(&mut self, node: &Node, title: &str) -> Option<T> {
        Diagnostic::error(Code::BadCondition, title)
            .at(node.span, "invalid test")
            .help(EXPLAIN)
            .refuse(self.found)
    }
}
