//! The contract dialect: frames, intents with phrases, classes of turns, and outcomes of the backend
//! (docs/src/explanation/contracts.md).
//!
//! A file of the kind `contract` is a machine whose states are the modes of the assistant. Flows and state sets can
//! contain the same keys. The classes then check the decisions of the flow or the assistant.

mod classes;
mod file;
mod frames;
mod intents;
mod outcomes;
mod patterns;
mod reach;

pub(super) use file::load;
pub(super) use intents::{check_similar, differences, has_phrases, located};

use rustc_hash::FxHashMap;

use self::classes::Classes;
use self::patterns::Patterns;
use crate::dialect::condition::{Conditions, field_named};
use crate::dialect::tables::Tables;
use fsmsim_core::engine::policy::contract::Contract;
use fsmsim_core::machine::{
    Depth, FieldKind, MachineBuilder, NeedKind, OpKind, Origin, SlotId, Switches, Value,
};
use fsmsim_syntax::diagnostic::{Code, Diagnostic, Diagnostics};
use fsmsim_syntax::document::{Fields, Map, Node, text_of};
use fsmsim_syntax::shapes::Shape;

/// The document nodes of a contract.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct ContractText<'n> {
    frames: Option<&'n Map>,
    eligibility: Option<&'n Node>,
    answer: Option<&'n Node>,
    patterns: Option<&'n Map>,
    /// The intents, and the shape of each.
    intents: Option<(&'n Map, &'static Shape)>,
    pub classes: Option<&'n Map>,
    outcomes: Option<&'n Map>,
    /// Tables that do not require a contract.
    pub tables: Tables<'n>,
}

impl<'n> ContractText<'n> {
    /// Reads the contract keys of a definition, except `intents`.
    pub(super) fn read(fields: &mut Fields<'n, '_>) -> Self {
        Self {
            frames: fields.map("frames"),
            eligibility: fields.node("eligibility"),
            answer: fields.node("answer"),
            patterns: fields.map("patterns"),
            intents: None,
            classes: fields.map("classes"),
            outcomes: fields.map("outcomes"),
            tables: Tables::read(fields),
        }
    }

    /// Sets the map of intents. `shape` is the shape of an intent.
    pub(super) fn set_intents(&mut self, map: Option<&'n Map>, shape: &'static Shape) {
        self.intents = map.map(|map| (map, shape));
    }

    /// Whether the definition has no contract keys.
    pub(super) fn is_empty(&self) -> bool {
        self.frames.is_none()
            && self.classes.is_none()
            && self.intents.is_none()
            && self.outcomes.is_none()
    }

    /// Declares frames, counters and slots, so that conditions can refer to them.
    pub(super) fn declare(&self, builder: &mut MachineBuilder, found: &mut Diagnostics) {
        let origin = builder.origin(Origin::default());
        if let Some(map) = self.frames {
            builder.frames = frames::compile(map, origin, builder, found);
        }
        self.tables.declare(builder, found);
    }

    /// Compiles the complete contract with its own conditions. The states of the machine must already be declared.
    /// `rest` compiles other parts that use the conditions.
    pub(super) fn compile_with(
        &self,
        own: Option<&'n Map>,
        switches: Switches,
        builder: &mut MachineBuilder,
        found: &mut Diagnostics,
        rest: impl FnOnce(&mut Conditions<'n>, &mut MachineBuilder, &mut Diagnostics),
    ) -> Contract {
        let mut conditions = Conditions::new(switches, FxHashMap::default());
        if let Some(map) = own {
            conditions.define(map, false, found);
        }
        self.declare(builder, found);
        let contract = self.compile(&mut conditions, builder, found);
        rest(&mut conditions, builder, found);
        self.tables.compile(&mut conditions, builder, found);
        conditions.compile_own(builder, found);
        conditions.check_names(None, builder, found);
        contract
    }

    /// Compiles the declared contract. The states and intents of the machine must already be declared.
    pub(super) fn compile(
        &self,
        conditions: &mut Conditions<'n>,
        builder: &mut MachineBuilder,
        found: &mut Diagnostics,
    ) -> Contract {
        let origin = builder.origin(Origin::default());
        let eligibility = field(self.eligibility, "eligibility", builder, found);
        let answer = field(self.answer, "answer", builder, found);
        if let Some((slot, node)) = eligibility.zip(self.eligibility) {
            check_depths(slot, node, builder, found);
        }
        let mut patterns = self
            .patterns
            .map(|map| Patterns::read(map, found))
            .unwrap_or_default();
        // Declare the effect first, because conditions of intents and classes can refer to it.
        let is_executed = |map: &Map| {
            map.entries
                .iter()
                .any(|(_, class)| class.get("executes").is_some())
        };
        let executes = self.outcomes.is_some() || self.classes.is_some_and(is_executed);
        let executes = executes.then(|| builder.effect(NeedKind::EXECUTE));
        if let Some((map, shape)) = self.intents {
            builder.phrases =
                intents::compile(map, shape, &mut patterns, conditions, builder, found);
        }
        let mut text = Classes {
            origin,
            conditions,
            builder,
            found,
        };
        let classes = self
            .classes
            .map(|map| text.compile(map))
            .unwrap_or_default();
        let outcomes = self.outcomes.zip(executes);
        let outcomes =
            outcomes.map(|(map, execute)| outcomes::compile(map, execute, &classes, &mut text));
        let outcomes = outcomes.unwrap_or_default();
        let appended = builder
            .all_ops()
            .iter()
            .filter_map(|op| match op.kind {
                OpKind::Append(slot, _) => Some(slot),
                _ => None,
            })
            .collect();
        let contract = Contract {
            classes,
            outcomes,
            executes,
            eligibility,
            answer,
            appended,
            is_whole: false,
        };
        outcomes::check(&contract, builder, found);
        outcomes::check_answers(&contract, builder, found);
        reach::check(&contract, builder, found);
        contract
    }
}

/// Checks that the field for the carryover of the next turn can contain only depths. Any other value would carry over
/// everything.
fn check_depths(slot: SlotId, node: &Node, builder: &MachineBuilder, found: &mut Diagnostics) {
    let kind = builder.frames.field(slot).map(|(_, field)| &field.kind);
    let is_depth = |value: &Value| value.as_text().and_then(Depth::from_name).is_some();
    let invalid = match kind {
        Some(FieldKind::OneOf(values)) => values
            .iter()
            .find(|value| !is_depth(value))
            .map(ToString::to_string),
        Some(_) => Some("any value".to_owned()),
        None => None,
    };
    if let Some(invalid) = invalid {
        let depths: Vec<&str> = Depth::ALL.iter().map(|(_, name)| *name).collect();
        Diagnostic::error(
            Code::BadFrame,
            format!("expected carryover depths in the field of `eligibility`, found {invalid}"),
        )
        .at(node.span, "field of `eligibility`")
        .help(format!(
            "declare the field as a list of depths: {}",
            depths.join(", ")
        ))
        .add_to(found);
    }
}

/// The slot of a field.
fn field(
    node: Option<&Node>,
    what: &str,
    builder: &MachineBuilder,
    found: &mut Diagnostics,
) -> Option<SlotId> {
    let node = node?;
    field_named(text_of(node, what, found)?, node.span, builder, found)
}
