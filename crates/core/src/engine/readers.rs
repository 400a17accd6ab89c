//! Collects which parts of a session the readers of a machine read.

use std::collections::BTreeSet;

use super::{Cap, Machine, Reads, Settings, SignalMode, SlotReads, StateGraph};
use crate::machine::{
    CategoryId, Comparison, Condition, ConditionId, ControlNode, CounterId, IntentId,
    MachineProperty, OpKind, Outcome, OutcomeId, Payload, PropertyKind, RuleId, Signal, SlotId,
    Speech, State, StateId, Subject, Target, Test, ValueSource,
};

/// Collects what the readers of a machine read.
pub(crate) struct Readers<'m> {
    pub machine: &'m Machine,
    pub settings: &'m Settings,
    pub reads: Reads,
    seen: BTreeSet<ConditionId>,
    rules: BTreeSet<RuleId>,
    /// The slots whose values are copied, with the targets, and whether the value is added to a list.
    copies: BTreeSet<(SlotId, SlotId, bool)>,
    /// The slots that take the number of the turn.
    numbered: BTreeSet<SlotId>,
    /// Whether a reader reads the text of replies.
    hears: bool,
    /// The slots in payloads of effects, with the names of their fields.
    sent: BTreeSet<(Box<str>, SlotId)>,
    /// The tests of fields of payloads.
    pub payload_tests: Vec<(Box<[Box<str>]>, Test)>,
}

impl Machine {
    /// The parts of a session that turns read, and the properties that `observes` accepts by index.
    pub fn reads(&self, settings: &Settings, observes: impl Fn(usize) -> bool) -> Reads {
        let mut readers = Readers::of(self, settings);
        readers.everywhere();
        for (number, property) in self.properties.iter().enumerate() {
            if observes(number) {
                readers.property(property);
            }
        }
        for (id, _) in self.declared_states() {
            readers.state(id);
            readers.entered(id);
        }
        readers.reads.actions = !self.replies.is_empty();
        for rule in self.replies.values() {
            readers.rule(*rule);
        }
        readers.finish()
    }

    /// The parts that a turn in one state reads.
    pub fn reads_in(&self, settings: &Settings, graph: &StateGraph, state: StateId) -> Reads {
        let mut readers = Readers::of(self, settings);
        readers.everywhere();
        self.properties
            .iter()
            .for_each(|property| readers.property(property));
        readers.state(state);
        let mut open = graph.next(state).to_vec();
        open.extend(self.policies.lead_anywhere(self));
        let mut seen = BTreeSet::new();
        while let Some(next) = open.pop() {
            if seen.insert(next) {
                readers.entered(next);
                if self.state(next).node.is_some() {
                    open.extend(graph.next(next));
                }
            }
        }
        readers.replies_in(state);
        let copied: Vec<SlotId> = readers.copies.iter().map(|(from, ..)| *from).collect();
        for slot in copied {
            readers.reads.slots.entry(slot).or_default();
        }
        readers.finish()
    }

    /// The parts of a session that one property reads.
    pub fn reads_of(&self, settings: &Settings, property: &MachineProperty) -> Reads {
        let mut readers = Readers::of(self, settings);
        readers.property(property);
        readers.finish()
    }
}

impl<'m> Readers<'m> {
    /// Whether a condition is read for the first time.
    pub(crate) fn enter(&mut self, id: ConditionId) -> bool {
        self.seen.insert(id)
    }

    fn of(machine: &'m Machine, settings: &'m Settings) -> Self {
        Self {
            machine,
            settings,
            reads: Reads::default(),
            seen: BTreeSet::new(),
            rules: BTreeSet::new(),
            copies: BTreeSet::new(),
            numbered: BTreeSet::new(),
            hears: false,
            sent: BTreeSet::new(),
            payload_tests: Vec::new(),
        }
    }

    /// The readers of every turn: skip conditions, priorities, properties and policies.
    fn everywhere(&mut self) {
        let machine = self.machine;
        if self.settings.switches.skip_conditions {
            self.reads.returns |= machine.phases.iter().any(|phase| !phase.skip.is_empty());
            for condition in machine.phases.iter().flat_map(|phase| &phase.skip) {
                self.condition(*condition);
            }
        }
        for condition in machine
            .priorities
            .entries
            .iter()
            .filter_map(|entry| entry.condition?)
        {
            self.condition(machine.named_conditions[condition].condition);
        }
        // With three asides, a dialogue can go in circles until the maximum number of asides is open.
        let mut asides = machine
            .states
            .pairs()
            .filter(|(id, state)| state.aside == Some(*id));
        self.reads.returns |=
            asides.nth(2).is_some() || machine.states.iter().any(State::is_resume);
        machine.policies.reads(self);
    }

    fn property(&mut self, property: &MachineProperty) {
        self.condition(property.condition);
        if let PropertyKind::LeadsTo { after, .. } = property.kind {
            self.condition(after);
        }
    }

    /// The readers of a turn in a state.
    fn state(&mut self, id: StateId) {
        let state = self.machine.state(id);
        for slot in &state.required {
            self.filled(*slot);
        }
        if let Some(slot) = state.final_if {
            self.slot(slot, Subject::Slot(slot), &Test::Truthy);
        }
        let chains = state.rules.iter().chain(state.transitions.iter());
        for (_, chain) in chains {
            self.chain(chain);
        }
        for target in state.targets() {
            match target {
                Target::None => {}
                Target::State(_, rule) => self.rule(rule),
                Target::Chain(chain) => self.chain(chain),
            }
        }
        for transition in self.machine.policies.lead_from(self.machine, id) {
            transition.rule.into_iter().for_each(|rule| self.rule(rule));
        }
    }

    /// The replies of a turn in a state: those of the actions that its rules name, or that no rule names.
    fn replies_in(&mut self, id: StateId) {
        let machine = self.machine;
        let named = |state: &State| {
            let chains = state.rules.iter();
            let ways = chains.flat_map(|(_, chain)| machine.alternatives(chain));
            ways.filter_map(|way| way.then.action())
                .collect::<BTreeSet<_>>()
        };
        let own = named(machine.state(id));
        let all: BTreeSet<_> = machine.states.iter().flat_map(named).collect();
        for (action, rule) in &machine.replies {
            if own.contains(action) || !all.contains(action) {
                self.rule(*rule);
            }
        }
    }

    /// The readers in a turn that enters a state.
    fn entered(&mut self, id: StateId) {
        let state = self.machine.state(id);
        if let Some(slot) = state.final_if {
            self.slot(slot, Subject::Slot(slot), &Test::Truthy);
        }
        state.entry.into_iter().for_each(|rule| self.rule(rule));
        match state.node.as_deref() {
            Some(ControlNode::Choice { ways, .. }) => {
                for way in ways {
                    self.condition(way.when);
                    self.rule(way.rule);
                }
            }
            Some(ControlNode::Fork(fork)) => {
                let plans = fork.branches.iter().filter_map(|plan| plan.when);
                plans
                    .chain(fork.exit_when)
                    .for_each(|when| self.condition(when));
                self.join();
            }
            Some(ControlNode::Join(_) | ControlNode::BranchEnd | ControlNode::Resume) | None => {}
        }
    }

    /// A join stores the data of a branch only in slots without a value.
    fn join(&mut self) {
        for slot in self.machine.names.slots.ids() {
            let is_read = self.reads.slots.contains_key(&slot);
            if is_read {
                self.slot(slot, Subject::Slot(slot), &Test::Known(true));
            }
        }
    }

    fn chain(&mut self, chain: crate::machine::ChainId) {
        for alternative in self.machine.alternatives(chain) {
            alternative
                .when
                .into_iter()
                .for_each(|when| self.condition(when));
            self.rule(alternative.rule);
        }
    }

    /// The operations of a rule.
    pub(crate) fn rule(&mut self, rule: RuleId) {
        if !self.rules.insert(rule) {
            return;
        }
        for op in self.machine.ops(rule) {
            op.when.into_iter().for_each(|when| self.condition(when));
            match &op.kind {
                OpKind::Set(slot, source) => self.source(source, Some((*slot, false))),
                OpKind::Append(slot, source) => self.source(source, Some((*slot, true))),
                OpKind::Clear(_) => {}
                OpKind::Count(counter, by) => {
                    let declared = self.machine.counters.lookup(*counter);
                    let limit = declared.and_then(|counter| counter.limit);
                    let limit = limit.map_or(Cap::Unread, |(limit, _)| {
                        Cap::At(self.settings.limit(limit).saturating_add(1))
                    });
                    // A counter that decreases has no largest value from which on all values are equal.
                    self.counter(*counter, if *by < 0 { Cap::Exact } else { limit });
                }
                OpKind::Recount(counter, _) => self.counter(*counter, Cap::Unread),
                OpKind::Say(speech) => self.speech(speech),
                OpKind::Effect(used) => {
                    let definition = &self.machine.effects[used.effect];
                    let is_checked = definition.schema.is_some();
                    match &used.payload {
                        Payload::Values(values) => {
                            for (name, source) in values {
                                self.payload(name, source, is_checked);
                            }
                        }
                        Payload::Known(schema) => {
                            let name = self.machine.schemas[*schema].name.clone();
                            self.loosen(format!("the payload `{name}` depends on all data"));
                        }
                        Payload::Names(_) => {}
                    }
                    definition
                        .gates
                        .iter()
                        .for_each(|gate| self.condition(gate.holds));
                    let outcomes = used.outcomes.iter().chain(&definition.outcomes);
                    outcomes.for_each(|outcome| self.outcome(*outcome));
                }
            }
        }
    }

    pub(crate) fn outcome(&mut self, id: OutcomeId) {
        let Outcome { when, rule, .. } = &self.machine.outcomes[id];
        if let Some(when) = when {
            self.condition(*when);
        }
        self.rule(*rule);
    }

    /// A value that a slot takes.
    fn source(&mut self, source: &ValueSource, target: Option<(SlotId, bool)>) {
        let Some((to, appends)) = target else { return };
        let from = match source {
            ValueSource::Slot(from) | ValueSource::Was(from) | ValueSource::Attempted(from) => {
                *from
            }
            ValueSource::Among(said, list) => {
                self.exact(*list, "is a list whose items are compared");
                *said
            }
            ValueSource::Said(said) => *said,
            ValueSource::Turn => {
                self.numbered.insert(to);
                return;
            }
            ValueSource::Outcome(_) | ValueSource::Answer(..) => {
                self.reads.returned.insert(to);
                return;
            }
            ValueSource::Constant(_) | ValueSource::Reading => to,
        };
        if from != to || appends {
            self.copies.insert((from, to, appends));
        }
        if matches!(source, ValueSource::Said(_) | ValueSource::Among(..)) {
            self.reads.said.entry(from).or_default();
        }
    }

    /// A value that an effect sends in a field of its payload.
    fn payload(&mut self, name: &str, source: &ValueSource, is_checked: bool) {
        if let ValueSource::Slot(slot) | ValueSource::Was(slot) | ValueSource::Attempted(slot) =
            source
        {
            if is_checked {
                self.exact(*slot, "is in the payload of an effect");
            } else {
                self.sent.insert((name.into(), *slot));
            }
        } else if let ValueSource::Said(slot) = source {
            self.reads.said.entry(*slot).or_default();
        }
    }

    /// The slots of a message.
    fn speech(&mut self, speech: &Speech) {
        match speech {
            Speech::Filled { text, .. } => text.slots().for_each(|slot| self.filled(slot)),
            Speech::Text(_) | Speech::Known { .. } | Speech::Phrase { .. } => {}
        }
    }

    pub(crate) fn loosen(&mut self, reason: impl Into<Box<str>>) {
        self.reads.loose.insert(reason.into());
    }

    /// A reader that can distinguish any two values of a slot.
    pub(crate) fn exact(&mut self, slot: SlotId, why: &str) {
        self.reads.slots.entry(slot).or_default().exact = true;
        let name = self.machine.names.slots.name(slot);
        self.loosen(format!("the slot `{name}` {why}"));
    }

    /// Whether a value counts as filled.
    pub(crate) fn filled(&mut self, slot: SlotId) {
        self.slot(slot, Subject::Slot(slot), &Test::Filled(true));
        if !self.settings.switches.completeness {
            self.slot(slot, Subject::Slot(slot), &Test::Truthy);
        }
    }

    /// A test of a slot, of one of its fields or of its length.
    pub(crate) fn slot(&mut self, slot: SlotId, subject: Subject, test: &Test) {
        let others: Vec<SlotId> = Self::other_slots(test);
        let is_relative = !others.is_empty() || self.moves(test);
        let is_loose = matches!(subject, Subject::Field(..)) || is_relative;
        for other in others {
            self.exact(other, "is compared with another value");
        }
        if is_loose {
            self.exact(slot, "is compared with another value");
        }
        if !is_relative {
            self.leaf(slot, Condition::Test(subject, test.clone()));
        }
    }

    /// A condition on a slot alone.
    pub(crate) fn leaf(&mut self, slot: SlotId, leaf: Condition) {
        let tests = &mut self.reads.slots.entry(slot).or_default().tests;
        if !tests.contains(&leaf) {
            tests.push(leaf);
        }
    }

    /// The slots that a test compares with.
    fn other_slots(test: &Test) -> Vec<SlotId> {
        use crate::machine::Bound::{Slot, Was};
        let bounds = match test {
            Test::SameAs(slot) | Test::Within(slot) | Test::Later(_, slot, _) => {
                return vec![*slot];
            }
            Test::Compare(_, bound) => vec![*bound],
            Test::Between(low, high) => vec![*low, *high],
            _ => Vec::new(),
        };
        let slots = bounds.into_iter().filter_map(|bound| match bound {
            Slot(slot) | Was(slot) => Some(slot),
            _ => None,
        });
        slots.collect()
    }

    /// Whether a test compares with a number that changes: a counter, or a threshold of the state.
    fn moves(&mut self, test: &Test) -> bool {
        use crate::machine::Bound::{Counter, ExhaustThreshold};
        let bounds = match test {
            Test::Compare(_, bound) => vec![*bound],
            Test::Between(low, high) => vec![*low, *high],
            _ => Vec::new(),
        };
        bounds.into_iter().fold(false, |moves, bound| match bound {
            Counter(counter) => {
                self.counter(counter, Cap::Exact);
                true
            }
            ExhaustThreshold => true,
            _ => moves,
        })
    }

    /// The cap of a count that is tested.
    pub(crate) fn cap(&mut self, test: &Test) -> Cap {
        use crate::machine::Bound;
        for other in Self::other_slots(test) {
            self.exact(other, "is compared with another value");
        }
        self.moves(test);
        let settings = self.settings;
        let machine = self.machine;
        #[expect(clippy::cast_possible_truncation, reason = "bounds are small numbers")]
        // With `reaches`, all numbers from the bound on are equal; otherwise all numbers above the bound are.
        let bound = |bound: &Bound, reaches: bool| match bound {
            Bound::Number(number) if reaches => Cap::At(number.get().ceil() as i64),
            Bound::Number(number) => Cap::At(number.get().floor() as i64 + 1),
            Bound::Limit(limit, plus) => {
                Cap::At(settings.limit(*limit) + i64::from(*plus) + i64::from(!reaches))
            }
            Bound::ExhaustThreshold => {
                let most = machine.states.iter().map(|state| state.exhaust_threshold);
                Cap::At(most.max().unwrap_or(0) + i64::from(!reaches))
            }
            Bound::Slot(_) | Bound::Was(_) | Bound::Counter(_) => Cap::Exact,
        };
        #[expect(clippy::cast_possible_truncation, reason = "values are small numbers")]
        match test {
            Test::Truthy => Cap::At(1),
            Test::Is(values) => {
                let numbers = values.iter().filter_map(crate::machine::Value::as_number);
                let caps = numbers.map(|number| Cap::At(number.floor() as i64 + 1));
                caps.max().unwrap_or_default()
            }
            Test::Compare(comparison, value) => {
                let reaches = matches!(comparison, Comparison::AtLeast | Comparison::LessThan);
                bound(value, reaches)
            }
            Test::Between(low, high) => bound(low, true).max(bound(high, false)),
            Test::SameAs(_) | Test::Within(_) | Test::Later(..) => Cap::Exact,
            _ => Cap::Unread,
        }
    }

    /// A counter, whether the session stores it or a policy computes it.
    pub(crate) fn counter(&mut self, counter: CounterId, cap: Cap) {
        if cap.is_read() && !self.machine.policies.reads_counter(counter, cap, self) {
            self.reads.counters.entry(counter).or_default().widen(cap);
        }
    }

    pub(crate) fn category_streak(&mut self, category: Option<CategoryId>, most: i64) {
        let Some(category) = category else { return };
        self.reads
            .category_streaks
            .entry(category)
            .or_default()
            .widen(Cap::At(most));
    }

    pub(crate) fn category_total(&mut self, category: Option<CategoryId>, most: i64) {
        let Some(category) = category else { return };
        self.reads
            .category_totals
            .entry(category)
            .or_default()
            .widen(Cap::At(most));
    }

    pub(crate) fn intent_total(&mut self, intent: IntentId, most: i64) {
        self.reads
            .intent_totals
            .entry(intent)
            .or_default()
            .widen(Cap::At(most));
    }

    /// A signal; derived signals are read from the recent turns.
    pub(crate) fn signal(&mut self, signal: Signal, cap: Cap) {
        match self.settings.signals {
            SignalMode::None => {}
            SignalMode::Given => {
                self.loosen(format!("the signal `{}` comes from outside", signal.name()));
            }
            SignalMode::Derived => {
                self.reads.signals.entry(signal).or_default().widen(cap);
            }
        }
        if signal == Signal::TotalObjections {
            let objections = self.machine.well_known.objections;
            if let Cap::At(most) = cap {
                self.category_total(objections, most);
            } else {
                self.category_total(objections, i64::from(u32::MAX));
            }
        }
    }

    /// The text of replies. It contains values, so any two values can make a difference.
    pub(crate) fn replies(&mut self) {
        self.hears = true;
    }

    /// Adds what the targets of copied values are tested for.
    fn finish(mut self) -> Reads {
        for (path, test) in std::mem::take(&mut self.payload_tests) {
            for (name, slot) in self.sent.clone() {
                match &*path {
                    [field] if *field == name => self.slot(slot, Subject::Slot(slot), &test),
                    [field, ..] if *field != name => {}
                    _ => self.exact(slot, "is in the payload of an effect"),
                }
            }
        }
        if self.hears {
            let machine = self.machine;
            for op in machine.all_ops() {
                if let OpKind::Say(speech) = &op.kind {
                    match &**speech {
                        Speech::Filled { text, .. } => {
                            text.slots()
                                .for_each(|slot| self.exact(slot, "is in a tested reply"));
                        }
                        Speech::Known { values, .. } => values
                            .iter()
                            .for_each(|(_, slot)| self.exact(*slot, "is in a tested reply")),
                        Speech::Text(_) | Speech::Phrase { .. } => {}
                    }
                }
            }
        }
        loop {
            let mut changed = false;
            for (from, to, appends) in &self.copies {
                let Some(mut tests) = self.reads.slots.get(to).cloned() else {
                    continue;
                };
                if *appends {
                    tests = Self::appended(tests);
                    self.reads.slots.entry(*to).or_default().exact |= tests.exact;
                }
                for test in &mut tests.tests {
                    *test = moved(test, *from);
                }
                changed |= self.reads.slots.entry(*from).or_default().add(&tests);
                if let Some(said) = self.reads.said.get_mut(from) {
                    changed |= said.add(&tests);
                }
            }
            if !changed {
                break;
            }
        }
        for slot in &self.numbered {
            if self.reads.slots.contains_key(slot) {
                self.reads.turn = Cap::Exact;
                let name = self.machine.names.slots.name(*slot);
                let reason = format!("the slot `{name}` takes the number of the turn");
                self.reads.loose.insert(reason.into());
            }
        }
        if self.reads.counters.values().any(|cap| *cap == Cap::Exact) {
            self.reads.loose.insert("a counter can decrease".into());
        }
        self.reads.conditions = self.seen;
        self.reads
    }

    /// The tests of a list, as tests of an item. Only some tests of a list are determined by the tests of its items.
    fn appended(mut tests: SlotReads) -> SlotReads {
        let composes = |test: &Condition| {
            matches!(
                test,
                Condition::Test(
                    Subject::Slot(_),
                    Test::Truthy | Test::Known(_) | Test::Filled(_) | Test::Contains(_)
                )
            )
        };
        if !tests.tests.iter().all(composes) && !tests.exact {
            tests.exact = true;
        }
        tests
    }
}

/// A test of a slot as the same test of another slot.
fn moved(test: &Condition, slot: SlotId) -> Condition {
    match test {
        Condition::Test(subject, test) => {
            let subject = match subject {
                Subject::Field(_, field) => Subject::Field(slot, field.clone()),
                Subject::Length(_) => Subject::Length(slot),
                _ => Subject::Slot(slot),
            };
            Condition::Test(subject, test.clone())
        }
        other => other.clone(),
    }
}

/// A number that is at least this large.
pub(crate) fn at_least(number: i64) -> Test {
    #[expect(clippy::cast_precision_loss, reason = "thresholds are small numbers")]
    let number = crate::machine::Float::new(number as f64);
    Test::Compare(Comparison::AtLeast, crate::machine::Bound::Number(number))
}
