//! The facts of a contract for front ends: transitions, coverage, deciding texts and violations.

use super::{ContractOutcome, OutcomeRule, TransitionClass, Violation, breaches, lint};
use crate::engine::policy::{
    ForeignTurn, ItemMark, OfferedClass, PolicyBreach, PolicyHooks, PolicyItem, PolicyTransition,
    RowPart, TurnInputs, TurnRow,
};
use crate::engine::{Contract, Machine, PolicyFacts, RecordView, Session, Settings};
use crate::machine::{
    ClassId, ConditionId, Depth, EffectId, Id, IntentId, OutcomeId, SlotId, StateId,
};
use fsmsim_syntax::diagnostic::Diagnostic;
use fsmsim_syntax::terminal::Joined;

/// The parts of a class in coverage: the class itself, its carryover, then each preserved field.
const CLASS: usize = 0;
const CARRIES: usize = 1;
const PRESERVES: usize = 2;

fn mark(class: ClassId, part: usize) -> ItemMark {
    ItemMark::Own(Contract::NAME, class.index(), part)
}

impl PolicyFacts for Contract {
    fn is_like(&self, one: IntentId, other: IntentId) -> bool {
        let is_alike = |class: &TransitionClass| {
            class.intents.contains(&one) == class.intents.contains(&other)
        };
        self.classes.iter().all(is_alike)
    }

    fn outcomes(&self, effect: EffectId) -> Vec<OutcomeId> {
        let rules = self.outcomes.iter();
        let is_executed = self.executes == Some(effect);
        rules
            .filter(|_| is_executed)
            .map(|rule| rule.outcome)
            .collect()
    }

    fn inputs(&self) -> TurnInputs {
        TurnInputs {
            outcome: true,
            classes: !self.classes.is_empty(),
            frames: true,
            is_whole: self.is_whole,
            ..TurnInputs::default()
        }
    }

    /// A class can match in any state.
    fn leads_from(&self, machine: &Machine, _: StateId) -> Vec<PolicyTransition> {
        let class_way = |class: &TransitionClass| {
            let called = if class.title.is_empty() {
                class.name.clone()
            } else {
                format!("{} {}", class.name, class.title).into()
            };
            Some(PolicyTransition {
                target: class.mode?,
                called,
                rule: Some(class.rule),
            })
        };
        let outcome_way = |rule: &OutcomeRule| {
            let outcome = &machine.outcomes[rule.outcome];
            Some(PolicyTransition {
                target: outcome.leads.state()?,
                called: outcome.name.clone(),
                rule: Some(outcome.rule),
            })
        };
        self.classes
            .iter()
            .filter_map(class_way)
            .chain(self.outcomes.iter().filter_map(outcome_way))
            .collect()
    }

    fn registered_classes(&self) -> Vec<&str> {
        self.class_names().collect()
    }

    fn lint(&self, machine: &Machine, _: bool, found: &mut Vec<Diagnostic>) {
        lint::class_overlap(self, machine, found);
        if !self.classes.is_empty() {
            lint::unused_parts(self, machine, found);
            lint::possible_values(self, machine, found);
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
            for intent in &class.intents {
                let name = machine.names.intents.name(*intent).to_owned();
                add("intents", name, class.rule, ItemMark::Intent(*intent));
            }
        }
        items
    }

    fn covered(&self, line: &RecordView<'_>) -> Vec<ItemMark> {
        let outcome = line.record.policies.contract.outcome.as_ref();
        let class = outcome.and_then(|outcome| outcome.class);
        let Some((id, class)) = self.entry(class) else {
            return Vec::new();
        };
        let depth = outcome.and_then(|outcome| outcome.depth);
        let carries = depth.is_some_and(|depth| depth != Depth::NONE);
        let kept = &line.record.carryover.kept;
        let is_kept = |slot| kept.iter().any(|name| name.known() == Some(slot));
        let preserved = class.preserves.iter().zip(PRESERVES..);
        let preserved = preserved.filter(|(preserved, _)| is_kept(preserved.slot));
        [CLASS]
            .into_iter()
            .chain(carries.then_some(CARRIES))
            .chain(preserved.map(|(_, part)| part))
            .map(|part| mark(id, part))
            .collect()
    }

    /// Names each condition after the class that tests it.
    fn condition_names(&self, machine: &Machine) -> Vec<(ConditionId, String)> {
        let mut names = Vec::new();
        for class in &self.classes {
            let mut add = |id, word| names.push((id, format!("{} {word}", class.name)));
            for (word, condition) in [("takes", class.entry), ("requires", class.requires)] {
                if let Some(id) = condition {
                    add(id, word.to_owned());
                }
            }
            if let Some(id) = class.executes.and_then(|route| route.when) {
                add(id, "executes".to_owned());
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

    fn breaches(&self, class: Option<&str>, turn: Option<&ForeignTurn<'_>>) -> Vec<PolicyBreach> {
        breaches::breaches(self, class, turn)
    }

    fn rows(&self, line: &RecordView<'_>) -> Vec<TurnRow> {
        let notes = &line.record.policies.contract;
        let mut rows = Vec::new();
        if let Some(name) = line.contract_class() {
            let title = self
                .class(name)
                .map_or(String::new(), |(_, class)| format!(" {}", class.title));
            let depth = notes.depth(line).name();
            rows.push(TurnRow {
                part: RowPart::Class,
                label: "turn of",
                name: name.to_owned(),
                text: format!("{title}   carried over: {depth}"),
            });
        }
        if let Some(outcome) = &notes.outcome {
            let choices = choices(outcome, self, line.machine).into_iter();
            rows.extend(choices.map(|text| TurnRow::plain(RowPart::Class, "", text)));
            rows.extend(outcome.violations.iter().map(|violation| {
                let text = in_words(violation, self, line.machine);
                TurnRow::plain(RowPart::Fault, "violation", text)
            }));
        }
        rows
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
            let takes = class.intents.iter();
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

/// Explains the choice of the class.
fn choices(outcome: &ContractOutcome, contract: &Contract, machine: &Machine) -> Vec<String> {
    let name = |class: &_| contract.class_name(*class);
    let names = |classes: &[_]| classes.iter().map(name).joined(", ");
    let matching = &outcome.matching;
    let mut texts = Vec::new();
    for refused in &matching.refused {
        let lacks = refused
            .lacks
            .iter()
            .map(|lack| {
                let gate = if lack.withdrawn {
                    ", which the coverage gate removed"
                } else {
                    ""
                };
                format!("{}{gate}", lack.of.name(machine))
            })
            .joined("; ");
        let lacks = if lacks.is_empty() {
            "required data".to_owned()
        } else {
            lacks
        };
        texts.push(format!(
            "{} would match, but lacks {lacks}",
            name(&refused.class)
        ));
    }
    if !matching.also.is_empty() {
        texts.push(format!("{} also matches", names(&matching.also)));
    }
    if let Some((chosen, _)) = outcome.replaced() {
        let status = outcome.outcome.as_deref().unwrap_or_default();
        texts.push(format!(
            "replaces {}: the backend returned `{status}`",
            name(&chosen)
        ));
    }
    texts
}

/// A description of a violation.
fn in_words(violation: &Violation, contract: &Contract, machine: &Machine) -> String {
    let slot_name = |slot: &SlotId| machine.names.slots.name(*slot);
    match violation {
        Violation::Unclassified => "no class matches the turn".to_owned(),
        Violation::UnknownOutcome(outcome) => {
            format!("the contract does not define the outcome `{outcome}`")
        }
        Violation::Value { slot, value } => {
            format!("{} does not allow {}", slot_name(slot), value.plain())
        }
        Violation::Answer { class, mode } => {
            let class = contract.class_name(*class);
            format!("{class} does not allow the answer {}", mode.plain())
        }
        Violation::Property { class, property } => {
            let rule = contract.property(*class, *property);
            let name = rule.map_or("", |rule| &*rule.name);
            let wants = if rule.is_some_and(|rule| rule.must) {
                "must"
            } else {
                "must not"
            };
            format!("{} {wants} satisfy {name}", contract.class_name(*class))
        }
        Violation::Changed(slot, _) => {
            let slot = slot_name(slot);
            format!("{slot} changed, but the class preserves it")
        }
        // Only turns of external systems have the other violations.
        _ => violation.name().to_owned(),
    }
}
