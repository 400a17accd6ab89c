//! A textual digest of the behavior of a machine. A name, a condition or an effect is part of it only if something
//! executable refers to it. Unused declarations and descriptions do not change the digest.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::fmt::Debug;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::sync::LazyLock;

use fsmsim_core::engine::Machine;
use fsmsim_core::machine::{
    ActionId, BranchId, CategoryId, ChainId, ChainTable, ConditionId, CounterId, EffectId, FlagId,
    FrameId, Id, IntentId, LimitId, NamedConditionId, OutcomeId, PhaseId, PriorityId, RuleId,
    SchemaId, SlotId, StateId,
};
use regex::{Captures, Regex};

/// A text of everything that the engine executes, without source locations.
pub(super) fn digest(machine: &Machine) -> String {
    Digest {
        machine,
        parts: RefCell::default(),
    }
    .text()
}

struct Digest<'m> {
    machine: &'m Machine,
    /// Descriptions of the ids that have no name.
    parts: RefCell<BTreeMap<(String, usize), String>>,
}

static TEXT: LazyLock<Regex> = LazyLock::new(|| Regex::new(r#""((?:[^"\\]|\\.)*)""#).unwrap());
static ID: LazyLock<Regex> =
    LazyLock::new(|| Regex::new(r"\b([A-Z][A-Za-z]+Id)\((\d+)\)").unwrap());

impl Digest<'_> {
    fn text(&self) -> String {
        let machine = self.machine;
        let mut lines = vec![
            self.describe(&machine.initial),
            self.describe(&(
                machine.ordered_phases,
                machine.data_passes,
                machine.looks_back,
                machine.asks,
            )),
            self.describe(&(machine.speaks, machine.replans, machine.has_nodes)),
            self.describe(&machine.well_known),
            self.describe(&machine.initial_data),
            self.describe(&machine.properties),
            self.describe(&machine.phrases),
            self.describe(&machine.frames),
        ];
        for (id, state) in machine.declared_states() {
            // The tables are written pair by pair and sorted: their own order depends on where a name first appears.
            let mut rest = state.clone();
            (rest.rules, rest.transitions) = (ChainTable::default(), ChainTable::default());
            rest.goal = None;
            let name = machine.names.states.name(id);
            lines.push(format!("state {name}: {}", self.describe(&rest)));
            for (kind, table) in [("rule", &state.rules), ("transition", &state.transitions)] {
                lines.extend(
                    table
                        .iter()
                        .map(|pair| format!("{kind} of {name}: {}", self.describe(&pair))),
                );
            }
        }
        for (id, phase) in machine.phases.pairs() {
            lines.push(format!(
                "phase {}: {}",
                machine.names.phases.name(id),
                self.describe(phase)
            ));
        }
        let empty_intent = self.describe(&machine.unknown_intent);
        for (id, intent) in machine.intents.pairs() {
            let mut intent = intent.clone();
            let mut categories: Vec<_> = intent
                .categories
                .iter()
                .map(|category| self.describe(category))
                .collect();
            categories.sort_unstable();
            intent.categories = Box::default();
            let description = self.describe(&intent);
            if description != empty_intent || !categories.is_empty() {
                lines.push(format!(
                    "intent {}: {categories:?} {description}",
                    machine.names.intents.name(id)
                ));
            }
        }
        for (id, entry) in machine.priorities.entries.pairs() {
            lines.push(format!(
                "priority {}: {}",
                machine.priorities.name(id),
                self.describe(entry)
            ));
        }
        for (id, counter) in machine.counters.pairs() {
            lines.push(format!(
                "counter {}: {}",
                machine.names.counters.name(id),
                self.describe(counter)
            ));
        }
        lines.push(self.in_no_order(&machine.policies));
        lines.sort_unstable();
        lines.join("\n")
    }

    /// Policies store their data in tables by id, and ids are numbered in order of first appearance. So only the multiset
    /// of the parts is compared.
    fn in_no_order(&self, policies: &impl Debug) -> String {
        static NOTHING: LazyLock<Regex> = LazyLock::new(|| {
            Regex::new(
                r"SalesIntent \{ roles: Roles\(0x0\), price_action: None, fact_action: None \}",
            )
            .unwrap()
        });
        let description = self.describe(policies);
        let description = NOTHING.replace_all(&description, "");
        let mut parts: BTreeMap<&str, usize> = BTreeMap::new();
        for part in description
            .split([',', '{', '}', '[', ']', '(', ')'])
            .map(str::trim)
            .filter(|part| !part.is_empty())
        {
            *parts.entry(part).or_default() += 1;
        }
        format!("{parts:?}")
    }

    /// The debug text of a value, with names instead of ids.
    fn describe(&self, thing: &impl Debug) -> String {
        let text = super::subjects::without_places(&format!("{thing:?}"));
        // Text that contains a space is prose.
        let is_prose = |text: &str| text.contains(' ') || text.contains("\\n");
        let text = TEXT.replace_all(&text, |found: &Captures<'_>| {
            if is_prose(&found[1]) { "_" } else { &found[0] }.to_owned()
        });
        ID.replace_all(&text, |found: &Captures<'_>| {
            self.name(&found[1], found[2].parse().unwrap())
        })
        .into_owned()
    }

    fn name(&self, kind: &str, index: usize) -> String {
        let names = &self.machine.names;
        macro_rules! named {
            ($table:ident, $id:ident) => {
                names.$table.name($id::from_index(index)).to_owned()
            };
        }
        match kind {
            "StateId" => named!(states, StateId),
            "PhaseId" => named!(phases, PhaseId),
            "IntentId" => named!(intents, IntentId),
            "CategoryId" => named!(categories, CategoryId),
            "SlotId" => named!(slots, SlotId),
            "ActionId" => named!(actions, ActionId),
            "BranchId" => named!(branches, BranchId),
            "FlagId" => named!(flags, FlagId),
            "CounterId" => named!(counters, CounterId),
            "LimitId" => named!(limits, LimitId),
            _ => self.part(kind, index),
        }
    }

    /// A hash of the content of an element that has no name in a trace.
    fn part(&self, kind: &str, index: usize) -> String {
        let key = (kind.to_owned(), index);
        if let Some(known) = self.parts.borrow().get(&key) {
            return known.clone();
        }
        let machine = self.machine;
        let description = match kind {
            "ConditionId" => {
                self.describe(&machine.conditions.lookup(ConditionId::from_index(index)))
            }
            "NamedConditionId" => {
                let id = NamedConditionId::from_index(index);
                format!(
                    "{} {}",
                    machine.names.conditions.name(id),
                    self.describe(&machine.named_conditions.lookup(id))
                )
            }
            "ChainId" => self.describe(&machine.alternatives(ChainId::from_index(index))),
            "RuleId" => {
                let rule = RuleId::from_index(index);
                // Its operations refer back to the rule.
                self.parts
                    .borrow_mut()
                    .insert(key.clone(), "itself".to_owned());
                let mark = machine.rules.lookup(rule).map(|rule| rule.mark);
                self.describe(&(mark, machine.rules.lookup(rule).map(|_| machine.ops(rule))))
            }
            "EffectId" => {
                let id = EffectId::from_index(index);
                format!(
                    "{} {}",
                    machine.names.effects.name(id),
                    self.describe(&machine.effects.lookup(id))
                )
            }
            "OutcomeId" => self.describe(&machine.outcomes.lookup(OutcomeId::from_index(index))),
            "SchemaId" => self.describe(&machine.schemas.lookup(SchemaId::from_index(index))),
            "FrameId" => self.describe(&machine.frames.lookup(FrameId::from_index(index))),
            "PriorityId" => machine
                .priorities
                .name(PriorityId::from_index(index))
                .to_owned(),
            "OriginId" => String::new(),
            // Classes are numbered in the order of the file, and the policy describes them.
            "ClassId" => index.to_string(),
            other => panic!("unsupported id type {other}"),
        };
        let mut hasher = DefaultHasher::new();
        description.hash(&mut hasher);
        let description = format!("{kind}#{:x}", hasher.finish());
        self.parts.borrow_mut().insert(key, description.clone());
        description
    }
}
