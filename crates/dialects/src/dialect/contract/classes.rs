//! The classes of a contract with their invariants (docs/src/explanation/contracts.md).

use crate::dialect::condition::{Conditions, field_named};
use crate::dialect::ops::OpsReader;
use fsmsim_core::engine::policy::contract::{Preserved, Property, TransitionClass};
use fsmsim_core::machine::{
    ClassId, ConditionId, Depth, FrameId, FramePart, Id, IdVec, IntentId, MachineBuilder, Op,
    OriginId, SlotId, StateId, Value,
};
use fsmsim_syntax::diagnostic::{Code, Diagnostic, Diagnostics, Span};
use fsmsim_syntax::document::{Content, Fields, Key, Map, Node, one_of, text_of};
use fsmsim_syntax::shapes;

/// The value that marks a key as explicitly empty.
const NOTHING: &str = "nothing";

/// A compiler for classes.
pub(super) struct Classes<'c, 'n> {
    pub origin: OriginId,
    pub conditions: &'c mut Conditions<'n>,
    pub builder: &'c mut MachineBuilder,
    pub found: &'c mut Diagnostics,
}

impl<'n> Classes<'_, 'n> {
    /// Compiles the classes, in the order of the file.
    pub(super) fn compile(&mut self, map: &'n Map) -> IdVec<ClassId, TransitionClass> {
        let mut classes = IdVec::default();
        for (key, node) in &map.entries {
            if let Some(class) = self.class(&key.text, key.span, node) {
                classes.push(class);
            }
        }
        classes
    }

    /// Compiles a class. Returns `None`, with a finding, if a required declaration is missing
    /// (docs/src/explanation/contracts.md).
    fn class(&mut self, name: &'n str, span: Span, node: &'n Node) -> Option<TransitionClass> {
        let mut fields = Fields::of(node, &shapes::CLASS, self.found)?;
        let title = fields.text("title").unwrap_or_default();
        let fallback = fields.boolean("fallback").unwrap_or(false);
        let [owner, intent, when, requires, carryover] =
            fields.nodes(["owner", "intent", "when", "requires", "carryover"]);
        let preserves = fields.list("preserves").unwrap_or_default();
        let [clears, forbids, executes, answers, mode] =
            fields.nodes(["clears", "forbids", "executes", "answers", "mode"]);
        let action = fields.text("action");
        let must = fields.entries("must");
        let must_not = fields.entries("must_not");
        fields.finish();
        let declared = [
            ("owner", owner.is_some()),
            ("intent", intent.is_some() || when.is_some() || fallback),
            ("requires", requires.is_some()),
            ("carryover", carryover.is_some()),
            ("sets", node.get("sets").is_some()),
            ("forbids", forbids.is_some()),
            ("answers", answers.is_some()),
        ];
        let errors = self.found.error_count();
        self.check_declared(name, span, declared);
        // Compile the other keys even if one is missing, to report all errors.
        let answers = answers.map(|node| node.items().iter().map(Value::from).collect());
        let owner = owner.and_then(|node| self.frame(node));
        let intents = intent.map(|node| self.intents(node)).unwrap_or_default();
        let entry = when.and_then(|node| self.guard(node));
        let requires = requires.and_then(|node| self.guard(node));
        let (depth, others) = carryover
            .map(|node| self.carried_over(node))
            .unwrap_or_default();
        let sets = self
            .ops(Code::BadClass)
            .read_all(node, &["sets", "appends", "counts", "effects", "says"]);
        let clears = clears.map(|node| self.frames(node)).unwrap_or_default();
        let mut forbids = forbids.map(|node| self.frames(node)).unwrap_or_default();
        for other in others {
            if !forbids.contains(&other) {
                forbids.push(other);
            }
        }
        let preserves: Box<[Preserved]> = preserves
            .iter()
            .filter_map(|node| self.conditional_field(node))
            .collect();
        let executes = executes.and_then(|node| self.conditional_field(node));
        let mode = mode.and_then(|node| mode_named(node, "mode", self.builder, self.found));
        let action = action.map(|name| self.builder.action(name));
        let properties = self.properties(must, must_not);
        self.check_preserved(name, &preserves, &sets);
        if let Some(depth) = depth {
            self.check_carried(name, &preserves, depth, &forbids);
        }
        let [rule, does] = [(); 2].map(|()| self.builder.rule(span, self.origin));
        self.builder.give_ops(does, sets);
        self.found
            .no_errors_since(errors)
            .then_some(TransitionClass {
                name: name.into(),
                title: title.into(),
                owner: owner?,
                intents,
                entry,
                fallback,
                requires,
                depth: depth?,
                clears: clears.into(),
                forbids: forbids.into(),
                preserves,
                answers: answers?,
                executes,
                action,
                mode,
                properties,
                does,
                rule,
            })
    }

    /// Reports missing keys. A class must declare all of them, even with an empty value.
    fn check_declared(&mut self, name: &str, span: Span, declared: [(&str, bool); 7]) {
        let missing: Vec<String> = declared
            .iter()
            .filter(|(_, there)| !there)
            .map(|(key, _)| format!("`{key}`"))
            .collect();
        if !missing.is_empty() {
            let title = format!("missing {} in the class `{name}`", missing.join(", "));
            Diagnostic::error(Code::BadClass, title)
                .at(span, "incomplete class")
                .help("add the keys; write empty values as `requires: nothing`, `sets: {}`, `forbids: []`")
                .add_to(self.found);
        }
    }

    /// Creates a reader of operations on fields.
    pub(super) fn ops(&mut self, code: Code) -> OpsReader<'_, 'n> {
        let Self {
            origin,
            conditions,
            builder,
            found,
        } = self;
        OpsReader {
            conditions,
            builder,
            found,
            origin: *origin,
            code,
            fields_only: true,
        }
    }

    /// Reads the carryover: a depth, or a list of frames. Also returns the frames that the list omits, although it
    /// carries over other frames of the same part.
    fn carried_over(&mut self, node: &Node) -> (Option<Depth>, Vec<FrameId>) {
        if !matches!(node.content, Content::List(_)) {
            let depth = text_of(node, "carryover", self.found);
            return (
                depth.and_then(|name| self.found.take(one_of(name, node.span, &Depth::ALL))),
                Vec::new(),
            );
        }
        let named = self.frames(node);
        let frames = &self.builder.frames;
        let depth = frames
            .pairs()
            .filter(|(id, _)| named.contains(id))
            .map(|(_, frame)| frame.part)
            .fold(Depth::NONE, Depth::with);
        let others = frames.pairs().filter(|(id, frame)| {
            frame.part != FramePart::None && depth.has(frame.part) && !named.contains(id)
        });
        (Some(depth), others.map(|(id, _)| id).collect())
    }

    /// Compiles the conditions that must be true or must be false after a turn of the class.
    fn properties(
        &mut self,
        must: &'n [(Key, Node)],
        must_not: &'n [(Key, Node)],
    ) -> Box<[Property]> {
        let mut properties = Vec::new();
        for (entries, must) in [(must, true), (must_not, false)] {
            for (key, node) in entries {
                let condition = self.conditions.compile_when(node, self.builder, self.found);
                let rule = self.builder.rule(key.span, self.origin);
                properties.push(Property {
                    name: key.text.clone(),
                    condition,
                    must,
                    rule,
                });
            }
        }
        properties.into()
    }

    /// Reports fields that are both set and preserved.
    fn check_preserved(&mut self, name: &str, preserves: &[Preserved], sets: &[Op]) {
        let always =
            |preserved: &&Preserved| preserved.unless.is_none() && preserved.when.is_none();
        for preserved in preserves.iter().filter(always) {
            let Some(set) = sets.iter().find(|set| set.slot() == Some(preserved.slot)) else {
                continue;
            };
            let title = format!("class `{name}` sets a field that it preserves");
            Diagnostic::error(Code::BadClass, title)
                .at(self.builder.rule_span(set.rule), "set here")
                .at(self.builder.rule_span(preserved.rule), "preserved here")
                .help(
                    "remove one of them, or add a condition: `{field: …, unless: NAME}`, `{field: …, when: …}`",
                )
                .add_to(self.found);
        }
    }

    /// Reports fields that are preserved but not carried over.
    fn check_carried(
        &mut self,
        name: &str,
        preserves: &[Preserved],
        depth: Depth,
        forbids: &[FrameId],
    ) {
        for preserved in preserves {
            let owner = self.builder.frames.pairs().find(|(_, frame)| {
                frame
                    .fields
                    .iter()
                    .any(|field| field.slot == preserved.slot)
            });
            let Some((id, frame)) = owner else { continue };
            let why = match (depth.has(frame.part), forbids.contains(&id)) {
                (_, true) => format!("`{}` is forbidden", frame.name),
                (false, _) => format!(
                    "`{}` is not carried over with `{}`",
                    frame.name,
                    depth.name()
                ),
                (true, false) => continue,
            };
            Diagnostic::error(
                Code::BadClass,
                format!("class `{name}` preserves a field that it does not carry over"),
            )
            .at(self.builder.rule_span(preserved.rule), why)
            .help("carry the frame over, or remove the field from `preserves`")
            .add_to(self.found);
        }
    }

    /// Reads the intents of a class.
    fn intents(&mut self, node: &Node) -> Box<[IntentId]> {
        let mut intents = Vec::new();
        for (name, span) in self.names(node) {
            let known = self.builder.names.intents.id(name);
            if known.is_none() {
                Diagnostic::undefined(Code::InvalidIntent, "intent", name, span)
                    .near(
                        name,
                        self.builder.names.intents.iter(),
                        "declare it under `intents`",
                    )
                    .add_to(self.found);
            }
            intents.extend(known);
        }
        intents.into()
    }

    /// Compiles a condition. Returns `None` for `nothing`.
    fn guard(&mut self, node: &'n Node) -> Option<ConditionId> {
        (node.text() != Some(NOTHING))
            .then(|| self.conditions.compile_when(node, self.builder, self.found))
    }

    /// The strings of a list, or a single string.
    fn names<'t>(&mut self, node: &'t Node) -> Vec<(&'t str, Span)> {
        node.items()
            .iter()
            .filter_map(|item| Some((text_of(item, "a name", self.found)?, item.span)))
            .collect()
    }

    fn frame(&mut self, node: &Node) -> Option<FrameId> {
        let name = text_of(node, "owner", self.found)?;
        self.frame_named(name, node.span)
    }

    fn frames(&mut self, node: &Node) -> Vec<FrameId> {
        self.names(node)
            .into_iter()
            .filter_map(|(name, span)| self.frame_named(name, span))
            .collect()
    }

    fn frame_named(&mut self, name: &str, span: Span) -> Option<FrameId> {
        let names = || self.builder.frames.iter().map(|frame| &*frame.name);
        names()
            .position(|known| known == name)
            .map(FrameId::from_index)
            .or_else(|| {
                Diagnostic::undefined(Code::UnknownFrame, "frame", name, span)
                    .near(name, names(), "declare it under `frames`")
                    .refuse(self.found)
            })
    }

    fn field(&mut self, node: &Node) -> Option<SlotId> {
        field_named(
            text_of(node, "a field", self.found)?,
            node.span,
            self.builder,
            self.found,
        )
    }

    /// Reads a field that is preserved or executed: its name, or `{field: NAME, unless: SAID, when: CONDITION}`.
    fn conditional_field(&mut self, node: &'n Node) -> Option<Preserved> {
        let (field, unless, when) = match node.map() {
            None => (node, None, None),
            Some(_) => {
                let mut fields = Fields::of(node, &shapes::PRESERVED_FIELD, self.found)?;
                let unless = fields.text("unless");
                let [field, when] = fields.nodes(["field", "when"]);
                if field.is_none() {
                    fields.missing("field");
                }
                fields.finish();
                (field?, unless, when)
            }
        };
        let slot = self.field(field)?;
        let unless = unless.map(|name| self.builder.slot(name));
        let when = when.and_then(|node| self.guard(node));
        Some(Preserved {
            slot,
            unless,
            when,
            rule: self.builder.rule(node.span, self.origin),
        })
    }
}

/// The mode that `node` names, or a finding.
pub(super) fn mode_named(
    node: &Node,
    key: &str,
    builder: &MachineBuilder,
    found: &mut Diagnostics,
) -> Option<StateId> {
    let name = text_of(node, key, found)?;
    builder
        .names
        .states
        .id(name)
        .filter(|id| builder.states[*id].declared)
        .or_else(|| {
            Diagnostic::undefined(Code::UnknownState, "mode", name, node.span)
                .near(name, builder.names.states.iter(), "use one of the `modes`")
                .refuse(found)
        })
}
