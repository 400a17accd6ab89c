//! Applies the operators to the document tree of a file.

use super::mutation_names::{MutationNames, next_name};
use super::node_types::NodeTypes;
use super::rules::{KeyEdit, OperatorRule, RULES};
use super::yaml_source::{YamlEdit, YamlSource, is_bracketed};
use crate::coverage::CoverageKind;
use crate::mutate::mutant::MutationOperator;
use crate::snapshot::FlowStyle;
use fsmsim_core::machine::Value;
use fsmsim_syntax::document::{Atom, Content, Node};
use fsmsim_syntax::shapes::{NamedKind, NamedRole};

/// An operator with the kind of items that it changes, and its edit.
pub(super) type FoundEdit = (MutationOperator, CoverageKind, YamlEdit);

/// The edits of a file.
pub(super) struct OperatorWalk<'w> {
    pub source: YamlSource<'w>,
    pub names: &'w MutationNames<'w>,
    pub found: Vec<FoundEdit>,
}

/// The location of a value.
#[derive(Clone, Copy, Default)]
pub(super) struct WalkPlace<'k> {
    /// The last key above the value.
    key: &'k str,
    in_condition: bool,
    /// Whether the value is a part of a condition with `and` or `or`.
    is_part: bool,
}

impl OperatorWalk<'_> {
    pub(super) fn push(
        &mut self,
        operator: MutationOperator,
        kind: CoverageKind,
        change: Option<YamlEdit>,
    ) {
        self.found
            .extend(change.map(|change| (operator, kind, change)));
    }

    /// Adds the edits of a value and of all values below it.
    pub(super) fn value(&mut self, node: &Node, types: &NodeTypes, place: WalkPlace<'_>) {
        let is_condition = types.is_condition(node);
        // The condition below `not` is negated instead.
        if is_condition && node.get("not").is_none() {
            let (operator, kind) = if place.is_part {
                (MutationOperator::NegatePart, CoverageKind::Mcdc)
            } else {
                (MutationOperator::NegateCondition, CoverageKind::Conditions)
            };
            let text = format!("{{not: {}}}", self.source.in_brackets(node));
            let change = (self.source.range(node), text);
            self.push(operator, kind, Some(change));
        }
        match &node.content {
            Content::Scalar(_) => self.name(node, types, place),
            Content::List(items) => {
                for item in items {
                    self.value(item, types, place);
                }
            }
            Content::Map(map) => {
                self.add_final(node, types);
                for (number, (key, value)) in map.entries.iter().enumerate() {
                    let joins = is_condition && matches!(&*key.text, "and" | "or");
                    if joins {
                        self.drop_parts(node, value);
                    }
                    let inside = types.enter(&key.text);
                    let owners = types.owners(&key.text);
                    for rule in RULES {
                        for (shape, is_required) in &owners {
                            if rule.applies(shape, &key.text, &inside) {
                                self.entry(rule, (node, number), *is_required, &inside);
                            }
                        }
                    }
                    let place = WalkPlace {
                        key: &key.text,
                        in_condition: place.in_condition || is_condition,
                        is_part: joins || (place.is_part && &*key.text == "not"),
                    };
                    self.value(value, &inside, place);
                }
            }
        }
    }

    /// Replaces a name by the next one.
    fn name(&mut self, node: &Node, types: &NodeTypes, place: WalkPlace<'_>) {
        let (Some(of), Some(text)) = (types.name(), node.text()) else {
            return;
        };
        let MutationNames {
            states,
            actions,
            phases,
        } = self.names;
        let redirect = MutationOperator::RedirectTransition;
        let (operator, kind, names) = match of.kind {
            _ if of.role == NamedRole::Defines => return,
            NamedKind::State if place.in_condition => {
                let operator = MutationOperator::ChangeValue;
                (operator, CoverageKind::Conditions, states)
            }
            NamedKind::State if matches!(place.key, "extends" | "region" | "except" | "states") => {
                return;
            }
            NamedKind::State => (redirect, CoverageKind::Transitions, states),
            NamedKind::Parameter if states.contains(&text) => {
                (redirect, CoverageKind::Transitions, states)
            }
            NamedKind::Parameter if !actions.contains(&text) => return,
            NamedKind::Action | NamedKind::Parameter => {
                (MutationOperator::ChangeAction, CoverageKind::Rules, actions)
            }
            NamedKind::Phase if !place.in_condition => {
                (MutationOperator::ChangePhase, CoverageKind::Phases, phases)
            }
            _ => return,
        };
        let next = next_name(names, text).map(|next| self.text_change(node, next));
        self.push(operator, kind, next);
    }

    fn text_change(&self, node: &Node, text: &str) -> YamlEdit {
        let text = FlowStyle(&Value::text(text)).to_string();
        (self.source.range(node), text)
    }

    /// Makes a state final that is not.
    fn add_final(&mut self, node: &Node, types: &NodeTypes) {
        let key = if types.has_map("flow_state") {
            "is_final"
        } else if types.has_map("mode_with_phase") || types.has_map("state_front") {
            "final"
        } else {
            return;
        };
        let Some((first, _)) = node.entries().first() else {
            return;
        };
        if node.get(key).is_some() || node.get("abstract").is_some() {
            return;
        }
        let at = first.span.start as usize;
        let text = if is_bracketed(node) {
            format!("{key}: true, ")
        } else {
            format!("{key}: true\n{}", self.source.prefix(at))
        };
        self.push(
            MutationOperator::AddFinal,
            CoverageKind::States,
            Some((at..at, text)),
        );
    }

    /// Drops each part of a condition. Of two parts, the other one remains without `and` or `or`.
    fn drop_parts(&mut self, condition: &Node, list: &Node) {
        let parts = list.list().unwrap_or_default();
        for number in 0..parts.len() {
            let change = match parts {
                [first, second] => {
                    let other = if number == 0 { second } else { first };
                    let text = self.source.in_brackets(other);
                    Some((self.source.range(condition), text))
                }
                _ => self.source.without_item(list, number),
            };
            self.push(MutationOperator::DropPart, CoverageKind::Mcdc, change);
        }
    }

    /// Applies an operator to an entry of a map.
    fn entry(
        &mut self,
        rule: &OperatorRule,
        (map, number): (&Node, usize),
        is_required: bool,
        types: &NodeTypes,
    ) {
        let Some((key, value)) = map.entries().get(number) else {
            return;
        };
        let source = self.source;
        let items = value.list().unwrap_or_default();
        let without_key = || source.without_entry(map, number).filter(|_| !is_required);
        let changes: Vec<Option<YamlEdit>> = match rule.edit {
            KeyEdit::Drop => vec![without_key()],
            KeyEdit::Items if items.len() < 2 => Vec::new(),
            KeyEdit::Parts | KeyEdit::Items => match &value.content {
                Content::List(items) => (0..items.len())
                    .map(|item| source.without_item(value, item))
                    .collect(),
                Content::Map(parts) => (0..parts.entries.len())
                    .map(|entry| source.without_entry(value, entry))
                    .collect(),
                Content::Scalar(_) => vec![without_key()],
            },
            KeyEdit::Nested => {
                let lists = value.entries().iter().map(|(_, list)| list);
                lists
                    .flat_map(|list| {
                        let count = list.list().unwrap_or_default().len();
                        (0..count).map(move |item| source.without_item(list, item))
                    })
                    .collect()
            }
            KeyEdit::Toggle => with_children(value)
                .map(|node| {
                    let other = !node.boolean()?;
                    Some((source.range(node), other.to_string()))
                })
                .collect(),
            KeyEdit::Add(numbers) => with_children(value)
                .flat_map(|node| {
                    let sums = numbers.iter().filter_map(move |number| sum(node, *number));
                    sums.map(move |sum| Some((source.range(node), sum)))
                })
                .collect(),
            KeyEdit::Next(words) => {
                let old = value.text().filter(|old| words.contains(old));
                let next = old.and_then(|old| next_name(words, old));
                vec![next.map(|next| self.text_change(value, next))]
            }
            KeyEdit::Rename(pairs) => {
                let new = pairs.iter().find(|(old, _)| *old == &*key.text);
                let range = key.span.start as usize..key.span.end as usize;
                vec![new.map(|(_, new)| (range, (*new).to_owned()))]
            }
            KeyEdit::Set(text) => vec![Some((source.range(value), text.to_owned()))],
            KeyEdit::Swap => swaps(source, items.iter()),
            KeyEdit::SwapKey(key) => swaps(source, items.iter().filter_map(|item| item.get(key))),
            KeyEdit::Value => vec![self.other_value(value, types)],
            KeyEdit::Groups => groups(source, value),
        };
        for change in changes {
            self.push(rule.operator, rule.kind, change);
        }
    }

    /// Replaces the value of a comparison, except for names.
    fn other_value(&self, node: &Node, types: &NodeTypes) -> Option<YamlEdit> {
        let range = self.source.range(node);
        match node.atom()? {
            Atom::Bool(value) => Some((range, (!value).to_string())),
            Atom::Int(_) => Some((range, sum(node, 1)?)),
            Atom::Text(text) if types.name().is_none() => {
                let other = next_name(&["other", "another"], text)?;
                Some((range, other.to_owned()))
            }
            _ => None,
        }
    }
}

/// A value, its items and its direct entries.
fn with_children(node: &Node) -> impl Iterator<Item = &Node> {
    let items = node.list().unwrap_or_default();
    let values = node.entries().iter().map(|(_, value)| value);
    std::iter::once(node).chain(items).chain(values)
}

/// A written number plus another number. For a fraction, a tenth of the other number. The result never becomes
/// negative.
fn sum(node: &Node, number: i64) -> Option<String> {
    match node.atom()? {
        Atom::Int(value) => {
            let sum = value.checked_add(number)?;
            (sum >= 0 || value < 0).then(|| sum.to_string())
        }
        Atom::Float(value) => {
            let step = if number > 0 { 0.1 } else { -0.1 };
            // From 0 to 1, the result remains a share.
            let step = if value <= 1.0 && value + step > 1.0 {
                -step
            } else {
                step
            };
            let sum = ((value + step) * 1000.0).round() / 1000.0;
            (sum >= 0.0).then(|| sum.to_string())
        }
        _ => None,
    }
}

/// Exchanges each two adjacent values.
fn swaps<'n>(
    source: YamlSource<'_>,
    nodes: impl Iterator<Item = &'n Node>,
) -> Vec<Option<YamlEdit>> {
    let ranges: Vec<_> = nodes.map(|node| source.range(node)).collect();
    let pairs = ranges.iter().zip(ranges.iter().skip(1));
    pairs
        .map(|(first, second)| {
            let text = |start, end| source.0.get(start..end);
            let swapped = [
                text(second.start, second.end)?,
                text(first.end, second.start)?,
                text(first.start, first.end)?,
            ];
            Some((first.start..second.end, swapped.concat()))
        })
        .collect()
}

/// Removes the name of each named group in the regular expressions below a value.
fn groups(source: YamlSource<'_>, node: &Node) -> Vec<Option<YamlEdit>> {
    const START: &str = "(?P<";
    let mut changes = Vec::new();
    node.each_text(&mut |_, span| {
        let start = span.start as usize;
        let text = source.0.get(start..span.end as usize).unwrap_or_default();
        for (at, _) in text.match_indices(START) {
            let length = text.get(at..).and_then(|rest| rest.find('>'));
            let at = start + at;
            changes.push(length.map(|length| (at..at + length + 1, "(?:".to_owned())));
        }
    });
    changes
}
