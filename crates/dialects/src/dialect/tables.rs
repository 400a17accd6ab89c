//! Declarations of all dialects: counters with limits, slots with initial values, events, effects and properties.

use super::condition::{Conditions, slot_named};
use super::ops::OpsReader;
use super::property::compile_property;
use super::{effects, slots};
use fsmsim_core::machine::{Counter, EVENT_CATEGORY, MachineBuilder, Origin, Traits, Value};
use fsmsim_syntax::diagnostic::{Code, Diagnostics};
use fsmsim_syntax::document::{Fields, Key, Node, texts_of};
use fsmsim_syntax::shapes;

/// The document nodes of counters, slots, events, effects and properties.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Tables<'n> {
    counters: &'n [(Key, Node)],
    slots: &'n [(Key, Node)],
    properties: &'n [(Key, Node)],
    /// Events in addition to the built-in ones.
    events: Option<&'n Node>,
    effects: &'n [(Key, Node)],
}

impl<'n> Tables<'n> {
    /// Reads the keys of these tables from a definition.
    pub(super) fn read(fields: &mut Fields<'n, '_>) -> Self {
        Self {
            counters: fields.entries("counters"),
            slots: fields.entries("slots"),
            properties: fields.entries("properties"),
            events: fields.node("events"),
            effects: fields.entries("effects"),
        }
    }

    /// Compiles the effects and the properties. Must run after the declaration of everything that conditions can name.
    pub(super) fn compile(
        &self,
        conditions: &mut Conditions<'n>,
        builder: &mut MachineBuilder,
        found: &mut Diagnostics,
    ) {
        slots::declare(self.slots, builder, found);
        let origin = builder.origin(Origin::default());
        for (key, node) in self.effects {
            let code = Code::BadEffect;
            OpsReader {
                conditions,
                builder,
                found,
                origin,
                code,
                fields_only: false,
            }
            .kind(key, node);
        }
        for (key, node) in self.properties {
            let property = compile_property(key, node, conditions, builder, found);
            builder.properties.extend(property);
        }
    }

    /// Declares the counters, each with a limit of the same name (`NAME: {initial: 0, limit: 3}`), and the initial
    /// values of slots (`NAME: {initial: VALUE}`). The frames must already be declared.
    pub(super) fn declare(&self, builder: &mut MachineBuilder, found: &mut Diagnostics) {
        for (key, node) in self.counters {
            let id = builder.counter(&key.text);
            let mut counter = Counter {
                is_declared: true,
                ..Counter::default()
            };
            if let Some(mut fields) = Fields::of(node, &shapes::COUNTER, found) {
                counter.initial = fields.integer("initial").unwrap_or(0);
                if let Some(most) = fields.integer("limit") {
                    counter.limit = Some((builder.limit(&key.text), most));
                }
                fields.finish();
            }
            builder.counters[id] = counter;
        }
        effects::declare(self.effects, builder, found);
        for name in self
            .events
            .map(|node| texts_of(node, "events", found))
            .unwrap_or_default()
        {
            builder.give_trait(name, Traits::EVENT);
            builder.category(EVENT_CATEGORY);
        }
        for (key, node) in self.slots {
            // The other keys are read later, after all slots are declared.
            let Some(initial) = node.get("initial") else {
                continue;
            };
            let slot = slot_named(&key.text, key.span, builder, &mut Diagnostics::default());
            builder
                .initial_data
                .extend(slot.map(|slot| (slot, Value::from(initial))));
        }
    }
}
