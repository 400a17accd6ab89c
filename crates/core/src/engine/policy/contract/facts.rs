//! What front ends show of a contract: its ways, what of it is covered, what decided a turn, what a turn broke.

use super::contract::Contract;
use super::lint::{class_overlap, held_values, idle_parts};
use super::transition_class::{OutcomeRule, TransitionClass};
use super::{breaches, rows};
use crate::engine::Machine;
use crate::engine::policy::{
    DecidingTexts, ForeignTurn, ItemMark, OfferedClass, PolicyBreach, PolicyFacts, PolicyHooks,
    PolicyItem, PolicyWay, TurnInputs, TurnRow,
};
use crate::engine::record_view::RecordView;
use crate::engine::session::{Session, Settings};
use crate::machine::{ClassId, ConditionId, Depth, Id, Op, SlotId, StateId};
use fsmsim_syntax::diagnostic::{Diagnostic, Span};

/// The class itself, by its part; then what it carries over, then each field that it leaves as it is.
const CLASS: usize = 0;
const CARRIES: usize = 1;
const PRESERVES: usize = 2;

fn mark(class: ClassId, part: usize) -> ItemMark {
    ItemMark::Own(Contract::NAME, class.index(), part)
}

impl PolicyFacts for Contract {
    fn inputs(&self) -> TurnInputs {
        TurnInputs {
            outcome: true,
            classes: !self.classes.is_empty(),
            frames: true,
            is_whole: self.is_whole,
            ..TurnInputs::default()
        }
    }

    /// A class takes its turns wherever the dialogue is.
    fn leads_from(&self, machine: &Machine, _: StateId) -> Vec<PolicyWay> {
        let class_way = |class: &TransitionClass| {
            let called = if class.title.is_empty() {
                class.name.clone()
            } else {
                format!("{} {}", class.name, class.title).into()
            };
            Some(PolicyWay {
                target: class.mode?,
                called,
                rule: Some(class.rule),
            })
        };
        let outcome_way = |rule: &OutcomeRule| {
            let outcome = &machine.outcomes[rule.outcome];
            Some(PolicyWay {
                target: outcome.leads.state()?,
                called: outcome.name.clone(),
                rule: Some(outcome.rule),
            })
        };
        let classes = self.classes.iter().filter_map(class_way);
        classes
            .chain(self.outcomes.iter().filter_map(outcome_way))
            .collect()
    }

    fn registered_classes(&self) -> Vec<&str> {
        self.class_names().collect()
    }

    fn lint(&self, machine: &Machine, _: bool, found: &mut Vec<Diagnostic>) {
        class_overlap::check(self, machine, found);
        if !self.classes.is_empty() {
            idle_parts::check(self, machine, found);
            held_values::check(self, machine, found);
        }
    }

    fn coverage_items(&self, machine: &Machine) -> Vec<PolicyItem> {
        let mut items = Vec::new();
        for (id, class) in self.classes.pairs() {
            let mut add = |kind, name, rule, mark| {
                items.push(PolicyItem {
                    kind,
                    name,
                    span: Some(machine.rules[rule].span),
                    mark,
                });
            };
            let name = &class.name;
            add("classes", name.to_string(), class.rule, mark(id, CLASS));
            if class.depth != Depth::NONE {
                let name = format!("{name} carries {}", class.depth.name());
                add("carryover", name, class.rule, mark(id, CARRIES));
            }
            for (preserved, part) in class.preserves.iter().zip(PRESERVES..) {
                let slot = machine.names.slots.name(preserved.slot);
                let name = format!("{name} preserves {slot}");
                add("carryover", name, preserved.rule, mark(id, part));
            }
            for intent in &class.readings {
                let name = machine.names.intents.name(*intent).to_owned();
                add("intents", name, class.rule, ItemMark::Intent(*intent));
            }
        }
        items
    }

    fn covered(&self, line: &RecordView<'_>) -> Vec<ItemMark> {
        let outcome = line.record.policies.contract.outcome.as_ref();
        let class = outcome.and_then(|outcome| outcome.class);
        let Some((id, class)) = class.and_then(|id| Some((id, self.classes.lookup(id)?))) else {
            return Vec::new();
        };
        let depth = outcome.and_then(|outcome| outcome.depth);
        let carries = depth.is_some_and(|depth| depth != Depth::NONE);
        let kept = &line.record.carryover.kept;
        let is_kept = |slot| kept.iter().any(|name| name.known() == Some(slot));
        let preserved = class.preserves.iter().zip(PRESERVES..);
        let preserved = preserved.filter(|(preserved, _)| is_kept(preserved.slot));
        let parts = [CLASS].into_iter().chain(carries.then_some(CARRIES));
        let parts = parts.chain(preserved.map(|(_, part)| part));
        parts.map(|part| mark(id, part)).collect()
    }

    /// Conditions are called by the class that tests them.
    fn condition_names(&self, machine: &Machine) -> Vec<(ConditionId, String)> {
        let mut names = Vec::new();
        for class in &self.classes {
            let mut add = |id, word| names.push((id, format!("{} {word}", class.name)));
            for (word, condition) in [("takes", class.entry), ("requires", class.requires)] {
                if let Some(id) = condition {
                    add(id, word.to_owned());
                }
            }
            for property in &class.properties {
                add(property.condition, format!("keeps {}", property.name));
            }
            for preserved in &class.preserves {
                if let Some(id) = preserved.when {
                    let slot = machine.names.slots.name(preserved.slot);
                    add(id, format!("preserves {slot}"));
                }
            }
        }
        names
    }

    /// What writes the field in which the turn differs, its class, and the outcome.
    fn deciding_texts(
        &self,
        machine: &Machine,
        class: &str,
        outcome: Option<&str>,
        slot: Option<SlotId>,
    ) -> Option<DecidingTexts> {
        let class = self.class(class).map(|(_, class)| class);
        let outcome = outcome.and_then(|status| self.outcome(machine, status));
        let rules = class.map(|class| class.does).into_iter();
        let rules = rules.chain(outcome.map(|rule| machine.outcomes[rule.outcome].rule));
        let writes = |op: &&Op| slot.is_some() && op.slot() == slot;
        let ops = rules.flat_map(|rule| machine.ops(rule)).filter(writes);
        let mut written: Vec<Span> = ops.map(|op| machine.rules[op.rule].span).collect();
        let body = class.map(|class| class.body);
        if slot.is_some() && slot == self.answer {
            let answers = outcome.filter(|rule| rule.answer.is_some());
            written.extend(answers.map(|rule| rule.body).or(body));
        }
        Some(DecidingTexts {
            file: self.classes.iter().next().map(|class| class.body.file),
            is_whole: self.is_whole,
            ranks: [
                written,
                body.into_iter().collect(),
                outcome.map(|rule| rule.body).into_iter().collect(),
            ],
        })
    }

    fn breaches(&self, class: Option<&str>, turn: Option<&ForeignTurn<'_>>) -> Vec<PolicyBreach> {
        breaches::breaches(self, class, turn)
    }

    fn rows(&self, line: &RecordView<'_>) -> Vec<TurnRow> {
        rows::rows(self, line)
    }

    fn offered_classes<'m>(
        &'m self,
        machine: &'m Machine,
        settings: &Settings,
        session: &Session,
    ) -> Vec<OfferedClass<'m>> {
        let states = self.prior_states(machine, settings, session).into_iter();
        let offer = |(class, is_ready)| {
            let class = self.classes.lookup(class)?;
            let takes = class.readings.iter();
            Some(OfferedClass {
                name: &class.name,
                title: &class.title,
                takes: takes.map(|id| machine.names.intents.name(*id)).collect(),
                is_ready,
            })
        };
        states.filter_map(offer).collect()
    }
}
