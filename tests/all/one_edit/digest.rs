//! What the engine carries out of a machine, told by use: a name, a condition, an effect stands in it only where something
//! that can be played leads to it. What is merely declared is no difference, and neither is how anything is described.

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

/// What the engine carries out of a machine, without where it is written.
pub(super) fn digest(machine: &Machine) -> String {
    Digest {
        machine,
        parts: RefCell::default(),
    }
    .whole()
}

struct Digest<'m> {
    machine: &'m Machine,
    /// What ids come to that have no name.
    parts: RefCell<BTreeMap<(String, usize), String>>,
}

static TEXT: LazyLock<Regex> = LazyLock::new(|| Regex::new(r#""((?:[^"\\]|\\.)*)""#).unwrap());
static ID: LazyLock<Regex> =
    LazyLock::new(|| Regex::new(r"\b([A-Z][A-Za-z]+Id)\((\d+)\)").unwrap());

impl Digest<'_> {
    fn whole(&self) -> String {
        let machine = self.machine;
        let mut lines = vec![
            self.tell(&machine.initial),
            self.tell(&(
                machine.ordered_phases,
                machine.data_passes,
                machine.looks_back,
                machine.asks,
            )),
            self.tell(&(machine.speaks, machine.replans, machine.has_nodes)),
            self.tell(&machine.well_known),
            self.tell(&machine.initial_data),
            self.tell(&machine.properties),
            self.tell(&machine.phrases),
            self.tell(&machine.frames),
        ];
        for (id, state) in machine.declared_states() {
            // The tables are told pair by pair, in no order: their order is that in which names were met.
            let mut place = state.clone();
            (place.rules, place.transitions) = (ChainTable::default(), ChainTable::default());
            place.goal = None;
            let name = machine.names.states.name(id);
            lines.push(format!("state {name}: {}", self.tell(&place)));
            for (kind, table) in [("rule", &state.rules), ("transition", &state.transitions)] {
                lines.extend(
                    table
                        .iter()
                        .map(|pair| format!("{kind} of {name}: {}", self.tell(&pair))),
                );
            }
        }
        for (id, phase) in machine.phases.pairs() {
            lines.push(format!(
                "phase {}: {}",
                machine.names.phases.name(id),
                self.tell(phase)
            ));
        }
        let nothing = self.tell(&machine.unknown_intent);
        for (id, intent) in machine.intents.pairs() {
            let mut intent = intent.clone();
            let mut categories: Vec<_> = intent
                .categories
                .iter()
                .map(|category| self.tell(category))
                .collect();
            categories.sort_unstable();
            intent.categories = Box::default();
            let told = self.tell(&intent);
            if told != nothing || !categories.is_empty() {
                lines.push(format!(
                    "intent {}: {categories:?} {told}",
                    machine.names.intents.name(id)
                ));
            }
        }
        for (id, entry) in machine.priorities.entries.pairs() {
            lines.push(format!(
                "priority {}: {}",
                machine.priorities.name(id),
                self.tell(entry)
            ));
        }
        for (id, counter) in machine.counters.pairs() {
            lines.push(format!(
                "counter {}: {}",
                machine.names.counters.name(id),
                self.tell(counter)
            ));
        }
        lines.push(self.in_no_order(&machine.policies));
        lines.sort_unstable();
        lines.join("\n")
    }

    /// What policies hold lies in tables by id, whose order is that in which names were met.
    fn in_no_order(&self, policies: &impl Debug) -> String {
        static NOTHING: LazyLock<Regex> = LazyLock::new(|| {
            Regex::new(
                r"SalesIntent \{ roles: Roles\(0x0\), price_action: None, fact_action: None \}",
            )
            .unwrap()
        });
        let told = self.tell(policies);
        let told = NOTHING.replace_all(&told, "");
        let mut parts: BTreeMap<&str, usize> = BTreeMap::new();
        for part in told
            .split([',', '{', '}', '[', ']', '(', ')'])
            .map(str::trim)
            .filter(|part| !part.is_empty())
        {
            *parts.entry(part).or_default() += 1;
        }
        format!("{parts:?}")
    }

    /// The text of a thing, with names in the place of ids.
    fn tell(&self, thing: &impl Debug) -> String {
        let text = super::subjects::without_places(&format!("{thing:?}"));
        // A text with a blank in it is for people.
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

    /// What is told by what it is, since it has no name that a turn could show.
    fn part(&self, kind: &str, index: usize) -> String {
        let key = (kind.to_owned(), index);
        if let Some(known) = self.parts.borrow().get(&key) {
            return known.clone();
        }
        let machine = self.machine;
        let told = match kind {
            "ConditionId" => self.tell(&machine.conditions.lookup(ConditionId::from_index(index))),
            "NamedConditionId" => {
                let id = NamedConditionId::from_index(index);
                format!(
                    "{} {}",
                    machine.names.conditions.name(id),
                    self.tell(&machine.named_conditions.lookup(id))
                )
            }
            "ChainId" => self.tell(&machine.clauses(ChainId::from_index(index))),
            "RuleId" => {
                let rule = RuleId::from_index(index);
                // An operation names the rule that it belongs to.
                self.parts
                    .borrow_mut()
                    .insert(key.clone(), "itself".to_owned());
                let mark = machine.rules.lookup(rule).map(|rule| rule.mark);
                self.tell(&(mark, machine.rules.lookup(rule).map(|_| machine.ops(rule))))
            }
            "EffectId" => {
                let id = EffectId::from_index(index);
                format!(
                    "{} {}",
                    machine.names.effects.name(id),
                    self.tell(&machine.effects.lookup(id))
                )
            }
            "OutcomeId" => self.tell(&machine.outcomes.lookup(OutcomeId::from_index(index))),
            "SchemaId" => self.tell(&machine.schemas.lookup(SchemaId::from_index(index))),
            "FrameId" => self.tell(&machine.frames.lookup(FrameId::from_index(index))),
            "PriorityId" => machine
                .priorities
                .name(PriorityId::from_index(index))
                .to_owned(),
            "OriginId" => String::new(),
            // Its policy tells it, in the order of the file.
            "ClassId" => index.to_string(),
            other => panic!("{other} is told by nothing"),
        };
        let mut hasher = DefaultHasher::new();
        told.hash(&mut hasher);
        let told = format!("{kind}#{:x}", hasher.finish());
        self.parts.borrow_mut().insert(key, told.clone());
        told
    }
}
