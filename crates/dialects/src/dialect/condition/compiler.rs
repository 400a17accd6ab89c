//! Compiles definitions of conditions to expressions of the machine.

use std::collections::BTreeSet;

use rustc_hash::FxHashMap;

use super::unknown_references::NamedSubject;
use super::{library, question, unknown_references};
use crate::dialect::{NameTable, circle};
use crate::limits::MAX_CONDITION_DEPTH;
use fsmsim_core::machine::{
    Condition, ConditionId, IdVec, IntentId, MachineBuilder, NamedCondition, NamedConditionId,
    Profile, SlotId, Switches,
};
use fsmsim_syntax::diagnostic::{Code, Diagnostic, Diagnostics, FileId, Span};
use fsmsim_syntax::document::{Content, Fields, Key, Map, Node, unknown_key};
use fsmsim_syntax::shapes::{self, NamedKind};

/// The conditions that a definition can name: built-in ones and its own.
pub struct Conditions<'a> {
    own: NameTable<'a, Own<'a>>,
    switches: Switches,
    /// The named thresholds for comparisons.
    thresholds: FxHashMap<&'a str, i64>,
    /// The height of each compiled condition; `None` if the condition is not compiled yet.
    heights: IdVec<NamedConditionId, Option<usize>>,
    /// The conditions of the definition that are being compiled, outermost first.
    open: Vec<&'a str>,
    /// The names in the compiled inline conditions.
    inline: Vec<NamedSubject>,
    /// Slots and intents that are known, although no state declares them.
    pub known: (Vec<SlotId>, Vec<IntentId>),
}

#[derive(Clone, Copy)]
struct Own<'a> {
    key: &'a Key,
    expression: &'a Node,
    description: &'a str,
}

impl<'a> Conditions<'a> {
    /// Creates a set with only the built-in conditions.
    pub fn new(switches: Switches, thresholds: FxHashMap<&'a str, i64>) -> Self {
        Self {
            own: NameTable::default(),
            switches,
            thresholds,
            heights: IdVec::default(),
            open: Vec::new(),
            inline: Vec::new(),
            known: (Vec::new(), Vec::new()),
        }
    }

    /// Adds the conditions of a `conditions:` map: a name with an expression, or with `description` and `expression`.
    ///
    /// A definition can reuse the name of a built-in condition only if `shadowing` is set. `custom:NAME` then refers to
    /// its own condition.
    pub fn define(&mut self, map: &'a Map, shadowing: bool, found: &mut Diagnostics) {
        for (key, node) in &map.entries {
            if !shadowing && library::find(&key.text, self.switches).is_some() {
                Diagnostic::error(
                    Code::NameTaken,
                    format!("the name `{}` is used by a built-in condition", key.text),
                )
                .at(key.span, "built-in name")
                .help("choose another name")
                .add_to(found);
                continue;
            }
            let (expression, description) = match node.get("expression") {
                Some(expression) => {
                    let Some(mut fields) = Fields::of(node, &shapes::DESCRIBED_CONDITION, found)
                    else {
                        continue;
                    };
                    fields.raw("expression");
                    let description = fields.text("description").unwrap_or_default();
                    fields.finish();
                    (expression, description)
                }
                None => (node, ""),
            };
            let own = Own {
                key,
                expression,
                description,
            };
            self.own.insert(&key.text, own);
        }
    }

    /// The ID of a condition. Built-in conditions take precedence; `custom:NAME` always refers to the definition.
    pub fn resolve(&self, name: &str, builder: &mut MachineBuilder) -> Option<NamedConditionId> {
        if let Some(own) = name.strip_prefix("custom:") {
            return self
                .own
                .get(own)
                .map(|_| builder.named_condition(&self.machine_name(own)));
        }
        let known = library::find(name, self.switches).is_some() || self.own.contains_key(name);
        known.then(|| builder.named_condition(name))
    }

    /// The name that the machine uses for a condition of the definition.
    fn machine_name(&self, own: &str) -> String {
        if library::find(own, self.switches).is_some() {
            format!("custom:{own}")
        } else {
            own.to_owned()
        }
    }

    /// Compiles a condition in another element, such as a transition.
    pub fn compile_when(
        &mut self,
        node: &Node,
        builder: &mut MachineBuilder,
        found: &mut Diagnostics,
    ) -> ConditionId {
        unknown_references::collect(node, &mut self.inline);
        self.compiler(builder, found).expression(node, 0).0
    }

    /// Compiles a condition of a property. Unknown names in it are errors, because nothing could violate the property.
    pub fn compile_of_property(
        &mut self,
        node: &Node,
        builder: &mut MachineBuilder,
        found: &mut Diagnostics,
    ) -> ConditionId {
        let mut asked = Vec::new();
        unknown_references::collect(node, &mut asked);
        let mut seen = BTreeSet::new();
        let mut at = 0;
        // Conditions that the property names are a part of it.
        while let Some(subject) = asked.get(at) {
            at += 1;
            let name = subject.name.trim_start_matches("custom:");
            let is_condition = subject.kind == NamedKind::Condition;
            if let Some(own) = self.own.get(name).copied().filter(|_| is_condition)
                && seen.insert(own.key.span)
            {
                unknown_references::collect(own.expression, &mut asked);
            }
        }
        for subject in &mut asked {
            subject.is_strict = true;
            subject.is_new = match subject.kind {
                NamedKind::Slot => builder.names.slots.id(&subject.name).is_none(),
                _ => builder.names.intents.id(&subject.name).is_none(),
            };
        }
        self.inline.append(&mut asked);
        self.compiler(builder, found).expression(node, 0).0
    }

    /// Compiles the conditions of a flow, so that they can be evaluated by name. Only the sales policy has all built-in
    /// conditions; another flow has those that it uses. Reports unknown names in these conditions and in the inline
    /// conditions compiled earlier.
    pub fn compile_all(
        &mut self,
        is_sales: bool,
        builder: &mut MachineBuilder,
        found: &mut Diagnostics,
    ) {
        let mut compiler = self.compiler(builder, found);
        for name in library::names(compiler.conditions.switches) {
            if is_sales || compiler.builder.names.conditions.id(name).is_some() {
                compiler.built_in(name);
            }
        }
        self.compile_own(builder, found);
        let asked = self.asked();
        let flow = Some((is_sales.then_some(self.switches), &self.known));
        unknown_references::find(&asked, flow, builder, found);
    }

    /// The names in the conditions of the definition and in inline conditions.
    fn asked(&mut self) -> Vec<NamedSubject> {
        let mut asked = Vec::new();
        for own in self.own.values() {
            unknown_references::collect(own.expression, &mut asked);
        }
        asked.append(&mut self.inline);
        asked
    }

    /// Reports unknown names in the conditions of a definition that is not a flow, or in those of one `file`. All parts
    /// of the definition must be compiled.
    pub fn check_names(
        &mut self,
        file: Option<FileId>,
        builder: &MachineBuilder,
        found: &mut Diagnostics,
    ) {
        let mut asked = self.asked();
        asked.retain(|asked| file.is_none_or(|file| asked.span.file == file));
        unknown_references::find(&asked, None, builder, found);
    }

    /// Compiles the conditions of the definition, so that they can be evaluated by name.
    pub fn compile_own(&mut self, builder: &mut MachineBuilder, found: &mut Diagnostics) {
        let own: Vec<&'a str> = self.own.keys().copied().collect();
        let mut compiler = self.compiler(builder, found);
        for name in own {
            compiler.own(name);
        }
    }

    /// All names that `when` can refer to.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        library::names(self.switches)
            .map(|name| -> &str { name })
            .chain(self.own.keys().copied())
    }

    /// Whether the definition or a profile has a condition with this name.
    pub(in crate::dialect) fn exists(&self, name: &str) -> bool {
        let switches = Profile::default().switches();
        self.own.contains_key(name.trim_start_matches("custom:"))
            || library::find(name, switches).is_some()
    }

    /// The finding about an unknown condition.
    pub(in crate::dialect) fn unknown(&self, name: &str, span: Span) -> Diagnostic {
        Diagnostic::error_if(
            self.switches.strict_load,
            Code::UnknownCondition,
            format!("unknown condition `{name}`"),
        )
        .at(span, "not defined")
        .near(
            name,
            self.names(),
            "define it under `conditions:`, or use a built-in one",
        )
    }

    fn compiler<'c>(
        &'c mut self,
        builder: &'c mut MachineBuilder,
        found: &'c mut Diagnostics,
    ) -> Compiler<'c, 'a> {
        Compiler {
            conditions: self,
            builder,
            found,
            built_in: 0,
        }
    }
}

/// A compiler for conditions.
struct Compiler<'c, 'a> {
    conditions: &'c mut Conditions<'a>,
    builder: &'c mut MachineBuilder,
    found: &'c mut Diagnostics,
    /// The nesting depth of built-in conditions that are being compiled.
    built_in: usize,
}

impl<'a> Compiler<'_, 'a> {
    /// Compiles an expression. Returns its ID and its height.
    fn expression(&mut self, node: &Node, depth: usize) -> (ConditionId, usize) {
        if depth > MAX_CONDITION_DEPTH {
            return self.too_deep(node.span);
        }
        let map = match &node.content {
            Content::Map(map) => map,
            Content::Scalar(_) if node.text().is_some() => return self.reference(node, depth),
            _ => {
                let title = format!(
                    "expected the name of a condition or a map, found {}",
                    node.kind()
                );
                return self.broken(node, &title);
            }
        };
        for (word, all) in [("and", true), ("or", false)] {
            if let Some(parts) = map.get(word) {
                self.check_keys(map, word);
                let Some(parts) = parts.list().filter(|parts| parts.len() >= 2) else {
                    return self.broken(
                        parts,
                        &format!("expected a list of at least two conditions for `{word}`"),
                    );
                };
                let parts = parts.iter().map(|part| self.expression(part, depth + 1));
                let (parts, heights): (Vec<ConditionId>, Vec<usize>) = parts.unzip();
                let condition = if all {
                    Condition::And(parts.into())
                } else {
                    Condition::Or(parts.into())
                };
                return (
                    self.written(condition, node),
                    heights.into_iter().max().unwrap_or(0) + 1,
                );
            }
        }
        if let Some(part) = map.get("not") {
            self.check_keys(map, "not");
            let (condition, height) = self.expression(part, depth + 1);
            return (self.written(Condition::Not(condition), node), height + 1);
        }
        let condition =
            question::compile(node, &self.conditions.thresholds, self.builder, self.found);
        let condition =
            condition.unwrap_or_else(|| Condition::Broken("the condition is invalid".into()));
        (self.written(condition, node), 1)
    }

    /// Reports keys next to `and`, `or` or `not`, because they have no effect.
    fn check_keys(&mut self, map: &Map, word: &'static str) {
        let known = [word, "description"];
        for (key, _) in map
            .entries
            .iter()
            .filter(|(key, _)| !known.contains(&&*key.text))
        {
            unknown_key(
                key,
                &format!("a condition with `{word}`"),
                &known,
                self.found,
            );
        }
    }

    /// Adds a condition with its source location. Parts of built-in conditions have no location.
    fn written(&mut self, condition: Condition, node: &Node) -> ConditionId {
        if self.built_in > 0 {
            return self.builder.condition(condition);
        }
        self.builder.written_condition(condition, node.span)
    }

    /// Compiles a reference to a named condition.
    fn reference(&mut self, node: &Node, depth: usize) -> (ConditionId, usize) {
        let name = node.text().unwrap_or_default();
        let own = name.strip_prefix("custom:");
        let id = match library::find(name, self.conditions.switches).filter(|_| own.is_none()) {
            Some((known, ..)) => self.built_in(known),
            None => {
                let own = self
                    .conditions
                    .own
                    .get_key_value(own.unwrap_or(name))
                    .map(|(own, _)| *own);
                own.and_then(|own| self.own(own))
            }
        };
        let Some(id) = id else {
            let finding = self.conditions.unknown(name, node.span);
            let broken = Condition::Broken(finding.title.clone().into());
            finding.add_to(self.found);
            return (self.builder.condition(broken), 1);
        };
        let height = self.height(id).unwrap_or(0) + 1;
        if depth + height > MAX_CONDITION_DEPTH {
            return self.too_deep(node.span);
        }
        (self.written(Condition::Named(id), node), height)
    }

    /// The height of a compiled condition.
    fn height(&self, id: NamedConditionId) -> Option<usize> {
        self.conditions.heights.lookup(id).copied().flatten()
    }

    /// Returns a built-in condition. Compiles it on first use.
    fn built_in(&mut self, name: &'static str) -> Option<NamedConditionId> {
        let id = self.builder.named_condition(name);
        if self.height(id).is_none() {
            let (_, expression, description) = library::find(name, self.conditions.switches)?;
            self.built_in += 1;
            self.define(id, expression, 0, description, None);
            self.built_in -= 1;
        }
        Some(id)
    }

    /// Returns a condition of the definition. Compiles it on first use, and reports a circular reference.
    fn own(&mut self, name: &'a str) -> Option<NamedConditionId> {
        let own = self.conditions.own.get(name).copied()?;
        let id = self
            .builder
            .named_condition(&self.conditions.machine_name(name));
        if self.height(id).is_some() {
            return Some(id);
        }
        let open = &mut self.conditions.open;
        if let Some(cycle) = circle(open, name) {
            Diagnostic::error(
                Code::ConditionCycle,
                format!(
                    "circular reference between conditions: {}",
                    cycle.join(" -> ")
                ),
            )
            .at(own.key.span, "start of the cycle")
            .help("remove one reference from the cycle")
            .add_to(self.found);
            return Some(id);
        }
        open.push(name);
        let depth = open.len();
        self.define(
            id,
            own.expression,
            depth,
            own.description,
            Some(own.key.span),
        );
        self.conditions.open.pop();
        Some(id)
    }

    fn define(
        &mut self,
        id: NamedConditionId,
        expression: &Node,
        depth: usize,
        description: &str,
        span: Option<Span>,
    ) {
        let (condition, height) = self.expression(expression, depth);
        *self.conditions.heights.grow(id) = Some(height);
        self.builder.define(
            id,
            NamedCondition {
                condition,
                description: description.into(),
                span,
            },
        );
    }

    fn too_deep(&mut self, span: Span) -> (ConditionId, usize) {
        Diagnostic::error(
            Code::TooDeep,
            format!("condition is nested too deeply: limit {MAX_CONDITION_DEPTH} levels"),
        )
        .at(span, "exceeds the limit")
        .help("move nested parts to named conditions with fewer levels")
        .add_to(self.found);
        (
            self.builder
                .condition(Condition::Broken("nested too deeply".into())),
            1,
        )
    }

    fn broken(&mut self, node: &Node, title: &str) -> (ConditionId, usize) {
        Diagnostic::error(Code::BadCondition, title)
            .at(node.span, "invalid condition")
            .help("see `fsmsim explain FS0118`")
            .add_to(self.found);
        (self.builder.condition(Condition::Broken(title.into())), 1)
    }
}
