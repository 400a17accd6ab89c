//! Lowers a cycle to a machine.

use std::sync::Arc;

use indexmap::IndexMap;
use rustc_hash::FxHashMap;

use super::cycle_file::CycleFile;
use super::node_draft::{CyclePhase, NodeDraft};
use super::template;
use crate::dialect::condition::Conditions;
use crate::dialect::ops::{KEYS, OpsReader};
use crate::dialect::state_declaration::declare_state;
use crate::dialect::tables::Tables;
use fsmsim_core::engine::policy::cycle::{Cycle, CycleSchema, declare_schemas};
use fsmsim_core::engine::policy::{StateWorker, assemble};
use fsmsim_core::engine::{Machine, PolicyList, Settings, SourceKind};
use fsmsim_core::machine::{
    Alternative, ChainTable, Consequent, EdgeMark, IntentId, MachineBuilder, Op, Origin, OriginId,
    StateId, Value, Variant,
};
use fsmsim_syntax::diagnostic::{Code, Diagnostic, Diagnostics, SourceMap, Span};
use fsmsim_syntax::document::{Fields, Map, Node};

/// The action of a turn in which no other action is selected.
const NO_ACTION: &str = "wait";
/// The state without a task, and the final states.
const WAITING: &str = "waiting";
const ENDS: [&str; 3] = ["committed", "failed", "cancelled"]; // language: ok recorded name
/// The final states that roll back the completed work.
const ROLLED_BACK: [&str; 2] = ["failed", "cancelled"]; // language: ok recorded name

/// The keys of the nested turn data with which a node requests memory writes and actions.
const PARTS: [&str; 8] = [
    "write",
    "write.content",
    "write.type",
    "write.scope",
    "write.metadata",
    "action.capability",
    "action.inputs",
    "message",
];

/// The key of an observation that requests a new session. It is not a part of the observation.
const STARTS: &str = "starts";

struct CycleLowering<'l, 'n> {
    file: &'l CycleFile<'n>,
    builder: MachineBuilder,
    origin: OriginId,
}

/// A state with the rules for its edges.
struct StateEdges {
    id: StateId,
    span: Span,
    rules: Node,
    /// The keys under which the rules contain the edges of the state.
    keys: Vec<&'static str>,
    /// The key under which the rules contain the entry operations.
    entry: Option<&'static str>,
}

/// Lowers a cycle. Returns `None`, with findings, if it is invalid.
pub(super) fn lower(
    file: &CycleFile<'_>,
    rules: &Node,
    variant: Variant,
    sources: &mut SourceMap,
    found: &mut Diagnostics,
) -> Option<Machine> {
    let errors = found.error_count();
    let mut builder = MachineBuilder::default();
    builder.data_passes = true;
    let origin = builder.origin(Origin::default());
    let mut lowering = CycleLowering {
        file,
        builder,
        origin,
    };
    let states = lowering.states(sources, found)?;
    let tables = CycleLowering::built_in_tables(rules, found)?;
    if let Err(why) = declare_schemas(&mut lowering.builder) {
        return Diagnostic::error(
            Code::BadSchema,
            format!("cannot load a built-in schema of cycles: {why}"),
        )
        .refuse(found);
    }
    tables.declare(&mut lowering.builder, found);
    file.tables.declare(&mut lowering.builder, found);
    let always = template::always(sources)?;
    let mut conditions = Conditions::new(variant.switches(), FxHashMap::default());
    let gates = gates(rules, file, &always, found)?;
    for map in rules
        .get("conditions")
        .and_then(Node::map)
        .into_iter()
        .chain([&gates])
        .chain(file.conditions)
    {
        conditions.define(map, false, found);
    }
    lowering.edges(&states, &mut conditions, found);
    tables.compile(&mut conditions, &mut lowering.builder, found);
    file.tables
        .compile(&mut conditions, &mut lowering.builder, found);
    conditions.compile_own(&mut lowering.builder, found);
    conditions.check_names(Some(file.span.file), &lowering.builder, found);
    if found.error_count() > errors {
        return None;
    }
    let cycle = lowering.policy();
    let initial = lowering.builder.state(WAITING);
    let mut builder = lowering.builder;
    let settings = Settings::for_one_source(
        variant,
        SourceKind::TransitionResolver,
        NO_ACTION,
        &mut builder,
    );
    let policies = PolicyList {
        cycle: Some(Box::new(cycle)),
        ..PolicyList::default()
    };
    Some(assemble(
        builder,
        file.header.clone(),
        settings,
        initial,
        sources.clone(),
        policies,
    ))
}

/// Reads the gates as conditions. The condition of a disabled gate is always true.
fn gates(
    rules: &Node,
    file: &CycleFile<'_>,
    always: &Node,
    found: &mut Diagnostics,
) -> Option<Map> {
    let mut gates = rules.get("gates")?.map()?.clone();
    for (key, is_enabled) in &file.gates {
        let mut entries = gates.entries.iter_mut();
        let Some((_, condition)) = entries.find(|(name, _)| name.text == key.text) else {
            let known = rules.get("gates")?.map()?.keys();
            Diagnostic::undefined(Code::UnknownKey, "gate", &key.text, key.span)
                .offer(&key.text, "gates", known)
                .add_to(found);
            continue;
        };
        if !is_enabled {
            Diagnostic::warning(
                Code::GateDisabled,
                format!("gate `{}` is disabled", key.text),
            )
            .at(key.span, "blocks nothing")
            .help("disable gates only in a copy, for experiments")
            .add_to(found);
            *condition = always.clone();
        }
    }
    Some(gates)
}

impl CycleLowering<'_, '_> {
    /// Declares the states, and reads the rules for their edges.
    fn states(
        &mut self,
        sources: &mut SourceMap,
        found: &mut Diagnostics,
    ) -> Option<Vec<StateEdges>> {
        let mut states = vec![self.state(
            WAITING,
            None,
            (vec!["WAITING", "ANYWHERE"], None),
            sources,
            found,
        )?];
        for node in &self.file.nodes {
            let entry = (!node.reads.is_empty()).then_some("READS");
            states.push(self.state(
                node.id,
                Some(node),
                (vec!["WATCHED", node.phase.name(), "WORKING"], entry),
                sources,
                found,
            )?);
        }
        self.builder.ordered_phases = self.builder.phases.len();
        for end in ENDS {
            let entry = ROLLED_BACK.contains(&end).then_some("GIVEN_UP");
            let state = self.state(end, None, (vec!["ANYWHERE"], entry), sources, found)?;
            self.builder.states[state.id].is_final = true;
            states.push(state);
        }
        Some(states)
    }

    fn state(
        &mut self,
        name: &str,
        node: Option<&NodeDraft<'_>>,
        (keys, entry): (Vec<&'static str>, Option<&'static str>),
        sources: &mut SourceMap,
        found: &mut Diagnostics,
    ) -> Option<StateEdges> {
        let span = node.map_or(self.file.span, |node| node.span);
        let known = self
            .builder
            .names
            .states
            .id(name)
            .filter(|id| self.builder.states[*id].declared);
        if known.is_some() {
            return Diagnostic::error(
                Code::NameTaken,
                format!("the name `{name}` is used by a built-in state"),
            )
            .at(span, "built-in name")
            .help("rename the node")
            .refuse(found);
        }
        let phase = node.map(|node| self.builder.phase(node.phase.name()));
        let goal = node
            .map(|node| node.about)
            .filter(|about| !about.is_empty())
            .map(Into::into);
        let id = declare_state(name, span, phase, goal, &mut self.builder);
        let rules = template::edges(self.file, (name, node), sources, found)?;
        Some(StateEdges {
            id,
            span,
            rules,
            keys,
            entry,
        })
    }

    /// The tables that every cycle declares.
    fn built_in_tables<'r>(rules: &'r Node, found: &mut Diagnostics) -> Option<Tables<'r>> {
        let mut fields = Fields::open(rules, "the rules of cycles", found)?;
        let tables = Tables::read(&mut fields);
        for key in ["gates", "conditions"] {
            fields.raw(key);
        }
        fields.finish();
        Some(tables)
    }

    /// Adds the edges of the states.
    fn edges<'r>(
        &mut self,
        states: &'r [StateEdges],
        conditions: &mut Conditions<'r>,
        found: &mut Diagnostics,
    ) {
        for state in states {
            let mut ways: IndexMap<IntentId, Vec<Alternative>> = IndexMap::new();
            let edges = state
                .keys
                .iter()
                .filter_map(|key| state.rules.get(key))
                .flat_map(Node::items);
            for edge in edges {
                if let Some((intent, alternative)) = self.edge(edge, state, conditions, found) {
                    ways.entry(intent).or_default().push(alternative);
                }
            }
            let ways = ways
                .into_iter()
                .map(|(intent, ways)| (intent, self.builder.chain(&ways)))
                .collect();
            self.builder.states[state.id].transitions = ChainTable::new(ways);
            if let Some(entry) = state.entry.and_then(|key| state.rules.get(key)) {
                let ops = self.ops(entry, conditions, found);
                let rule = self.builder.rule(state.span, self.origin);
                self.builder.give_ops(rule, ops);
                self.builder.states[state.id].entry = Some(rule);
            }
        }
    }

    fn edge<'r>(
        &mut self,
        edge: &'r Node,
        state: &StateEdges,
        conditions: &mut Conditions<'r>,
        found: &mut Diagnostics,
    ) -> Option<(IntentId, Alternative)> {
        let intent = self.builder.intent(edge.get("on")?.text()?);
        let to = self.builder.state(edge.get("to")?.text()?);
        let when = edge
            .get("when")
            .map(|node| conditions.compile_when(node, &mut self.builder, found));
        let ops = self.ops(edge, conditions, found);
        let rule = self.builder.rule(state.span, self.origin);
        self.builder.give_ops(rule, ops);
        if edge.get("mark").is_some() {
            self.builder.mark(rule, EdgeMark::Replan);
        }
        Some((
            intent,
            Alternative {
                when,
                then: Consequent::State(to),
                rule,
            },
        ))
    }

    fn ops<'r>(
        &mut self,
        node: &'r Node,
        conditions: &mut Conditions<'r>,
        found: &mut Diagnostics,
    ) -> Vec<Op> {
        let origin = self.origin;
        let code = Code::BadEffect;
        let mut reader = OpsReader {
            conditions,
            builder: &mut self.builder,
            found,
            origin,
            code,
            fields_only: false,
        };
        reader.read_all(node, &KEYS)
    }

    /// Builds the policy that requests the work of the nodes.
    fn policy(&mut self) -> Cycle {
        let builder = &mut self.builder;
        let capabilities: Arc<[Box<str>]> = self
            .file
            .capabilities
            .iter()
            .map(|it| it.name.into())
            .collect();
        let nodes = self.file.nodes.iter().map(|node| StateWorker {
            state: builder.state(node.id),
            is_asked: node.phase != CyclePhase::Commit,
            role: node.role.into(),
            reads: node
                .phase
                .knows()
                .iter()
                .map(|name| builder.slot(name))
                .collect(),
            brings: node
                .phase
                .brings()
                .iter()
                .chain(&PARTS)
                .map(|name| ((*name).into(), builder.slot(name)))
                .collect(),
            capabilities: Arc::clone(&capabilities),
        });
        let nodes = nodes.collect();
        let mut schemas = builder.schemas.iter();
        let observation = schemas.find(|schema| *schema.name == *CycleSchema::Observation.name());
        let properties = observation.and_then(|schema| schema.text.get("properties").cloned());
        let observed = match &properties {
            Some(Value::Map(properties)) => properties.as_ref(),
            _ => &[],
        };
        let observed = observed.iter().map(|(name, _)| &**name);
        Cycle {
            nodes,
            observed: observed
                .chain([STARTS])
                .map(|name| builder.slot(name))
                .collect(),
            tick: builder.intent("tick"),
            observe: builder.intent("observe"),
            timestamp: builder.slot("timestamp"),
            unknown: builder.slot("unknown"),
            now: builder.slot("now"),
            message: builder.slot("message"),
            plan: builder.slot("plan"),
            report: builder.slot("report"),
            tests: self
                .file
                .capabilities
                .iter()
                .filter(|one| one.tests)
                .map(|one| one.name.into())
                .collect(),
        }
    }
}
