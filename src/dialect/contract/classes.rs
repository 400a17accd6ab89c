//! The registry: each class with its invariants (docs/contracts.md, "Classes").

use crate::diagnostic::{Code, Diagnostic, Diagnostics, Span, nearest};
use crate::dialect::condition::{Conditions, field_named};
use crate::document::{Fields, Map, Node, one_of, text_of};
use crate::engine::policy::contract::{Depth, Mutation, Preserved, Property, TransitionClass};
use crate::machine::{
    ClassId, ConditionId, FrameId, Id, IdVec, IntentId, MachineBuilder, OriginId, SlotId, StateId, Value,
};

use super::class_text::ClassText;
use super::values::mutations;

/// What a class says where it has nothing to say.
const NOTHING: &str = "nothing";

/// Compiles the registry.
pub(super) struct Classes<'c, 'n> {
    pub(super) origin: OriginId,
    pub(super) conditions: &'c mut Conditions<'n>,
    pub(super) builder: &'c mut MachineBuilder,
    pub(super) found: &'c mut Diagnostics,
}

impl<'n> Classes<'_, 'n> {
    /// The classes, in the order of the file.
    pub(super) fn compile(&mut self, map: &'n Map) -> IdVec<ClassId, TransitionClass> {
        let mut classes = IdVec::default();
        for (key, node) in &map.entries {
            let text = ClassText::read(&key.text, key.span, node, self.found);
            if let Some(class) = text.and_then(|text| self.class(&text)) {
                classes.push(class);
            }
        }
        classes
    }

    fn class(&mut self, text: &ClassText<'n>) -> Option<TransitionClass> {
        let errors = self.found.error_count();
        let owner = self.frame(text.owner, "owner");
        let readings = text.reads.map(|node| self.readings(node)).unwrap_or_default();
        let entry = text.when.and_then(|node| self.guard(node));
        let requires = self.guard(text.requires);
        let depth = self.depth(text.carryover);
        let sets = mutations(text.sets, self.origin, Code::BadClass, self.builder, self.found);
        let clears = text.clears.map(|node| self.frames(node)).unwrap_or_default();
        let forbids = self.frames(text.forbids);
        let preserves: Box<[Preserved]> = text.preserves.iter().filter_map(|node| self.preserved(node)).collect();
        let executes = text.executes.and_then(|node| self.field(node));
        let answers = text.answers.list().unwrap_or(std::slice::from_ref(text.answers));
        let mode = text.mode.and_then(|node| mode_named(node, self.builder, self.found));
        let action = text.action.map(|name| self.builder.action(name));
        let properties = self.properties(text);
        self.check_preserved(text.name, &preserves, &sets);
        if let Some(depth) = depth {
            self.check_carried(text.name, &preserves, depth, &forbids);
        }
        let rule = self.builder.rule(text.span, self.origin);
        (self.found.error_count() == errors).then_some(TransitionClass {
            name: text.name.into(),
            title: text.title.into(),
            owner: owner?,
            readings,
            entry,
            requires,
            depth: depth?,
            sets,
            clears,
            forbids,
            preserves,
            answers: answers.iter().map(Value::from).collect(),
            executes,
            action,
            mode,
            properties,
            rule,
        })
    }

    fn depth(&mut self, node: &Node) -> Option<Depth> {
        let name = text_of(node, "carryover", self.found)?;
        one_of(name, node.span, &Depth::ALL).map_err(|finding| self.found.push(*finding)).ok()
    }

    /// What must hold after a turn of the class, and what must not.
    fn properties(&mut self, text: &ClassText<'n>) -> Box<[Property]> {
        let mut properties = Vec::new();
        for (map, must) in [(text.must, true), (text.must_not, false)] {
            for (key, node) in map.into_iter().flat_map(|map| &map.entries) {
                let condition = self.conditions.compile_when(node, false, self.builder, self.found);
                let rule = self.builder.rule(key.span, self.origin);
                properties.push(Property { name: key.text.clone(), condition, must, rule });
            }
        }
        properties.into()
    }

    /// A field cannot be set and stay as it is.
    fn check_preserved(&mut self, name: &str, preserves: &[Preserved], sets: &[Mutation]) {
        for preserved in preserves.iter().filter(|preserved| preserved.unless.is_none()) {
            let Some(set) = sets.iter().find(|set| set.slot == preserved.slot) else { continue };
            let title = format!("the class `{name}` preserves a field and sets it");
            Diagnostic::error(Code::BadClass, title)
                .at(self.builder.rule_span(set.rule), "set here")
                .at(self.builder.rule_span(preserved.rule), "preserved here")
                .help("take one of the two out, or say when it may change: `{field: …, unless: NAME}`")
                .add_to(self.found);
        }
    }

    /// What is not carried over cannot stay as it is.
    fn check_carried(&mut self, name: &str, preserves: &[Preserved], depth: Depth, forbids: &[FrameId]) {
        for preserved in preserves {
            let owner = self
                .builder
                .frames
                .pairs()
                .find(|(_, frame)| frame.fields.iter().any(|field| field.slot == preserved.slot));
            let Some((id, frame)) = owner else { continue };
            let why = match (depth.has(frame.part), forbids.contains(&id)) {
                (_, true) => format!("`{}` is forbidden", frame.name),
                (false, _) => format!("`{}` does not come along with `{}`", frame.name, depth.name()),
                (true, false) => continue,
            };
            let title = format!("the class `{name}` preserves what it does not carry over");
            Diagnostic::error(Code::BadClass, title)
                .at(self.builder.rule_span(preserved.rule), why)
                .help("carry the frame over, or do not preserve its fields")
                .add_to(self.found);
        }
    }

    /// The readings that a class takes.
    fn readings(&mut self, node: &Node) -> Box<[IntentId]> {
        let mut readings = Vec::new();
        for (name, span) in self.names(node) {
            let known = self.builder.names.intents.id(name);
            if known.is_none() {
                let near = nearest(name, self.builder.names.intents.iter()).map(str::to_owned);
                Diagnostic::error(Code::BadReading, format!("there is no reading `{name}`"))
                    .at(span, "not known")
                    .suggest(near.as_deref(), "declare it under `readings`")
                    .add_to(self.found);
            }
            readings.extend(known);
        }
        readings.into()
    }

    /// A condition; nothing where it is said that there is none.
    fn guard(&mut self, node: &'n Node) -> Option<ConditionId> {
        (node.text() != Some(NOTHING)).then(|| self.conditions.compile_when(node, false, self.builder, self.found))
    }

    /// The texts of a list, or the one text.
    fn names<'t>(&mut self, node: &'t Node) -> Vec<(&'t str, Span)> {
        let items = node.list().unwrap_or(std::slice::from_ref(node));
        items.iter().filter_map(|item| Some((text_of(item, "a name", self.found)?, item.span))).collect()
    }

    fn frame(&mut self, node: &Node, what: &str) -> Option<FrameId> {
        let name = text_of(node, what, self.found)?;
        self.frame_named(name, node.span)
    }

    fn frames(&mut self, node: &Node) -> Box<[FrameId]> {
        let names = self.names(node);
        names.into_iter().filter_map(|(name, span)| self.frame_named(name, span)).collect()
    }

    fn frame_named(&mut self, name: &str, span: Span) -> Option<FrameId> {
        let names: Vec<&str> = self.builder.frames.iter().map(|frame| &*frame.name).collect();
        names.iter().position(|known| *known == name).map(FrameId::from_index).or_else(|| {
            Diagnostic::error(Code::UnknownFrame, format!("there is no frame `{name}`"))
                .at(span, "not known")
                .suggest(nearest(name, names), "declare it under `frames`")
                .refuse(self.found)
        })
    }

    fn field(&mut self, node: &Node) -> Option<SlotId> {
        let name = text_of(node, "a field", self.found)?;
        field_named(name, node.span, self.builder).map_err(|finding| self.found.push(*finding)).ok()
    }

    /// A field that stays as it is: its name, or `{field: NAME, unless: SAID}`.
    fn preserved(&mut self, node: &Node) -> Option<Preserved> {
        let (field, unless) = match node.map() {
            None => (node, None),
            Some(_) => {
                let mut fields = Fields::open(node, "a preserved field", self.found)?;
                let (field, unless) = (fields.node("field"), fields.text("unless"));
                if field.is_none() {
                    fields.missing("field");
                }
                fields.finish();
                (field?, unless)
            }
        };
        let slot = self.field(field)?;
        let unless = unless.map(|name| self.builder.slot(name));
        Some(Preserved { slot, unless, rule: self.builder.rule(node.span, self.origin) })
    }
}

/// The state that a key names.
pub(super) fn mode_named(node: &Node, builder: &MachineBuilder, found: &mut Diagnostics) -> Option<StateId> {
    let name = text_of(node, "mode", found)?;
    builder.names.states.id(name).filter(|id| builder.states[*id].declared).or_else(|| {
        Diagnostic::error(Code::UnknownState, format!("`{name}` is no mode"))
            .at(node.span, "not known")
            .suggest(nearest(name, builder.names.states.iter()), "name one of the `modes`")
            .refuse(found)
    })
}
