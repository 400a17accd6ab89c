//! The file of a cycle.

use std::path::Path;

use super::capability::Capability;
use super::node_draft::{CyclePhase, NodeDraft};
use super::sensor::Sensor;
use crate::dialect::header::read_header;
use crate::dialect::tables::Tables;
use fsmsim_core::machine::MachineHeader;
use fsmsim_syntax::diagnostic::{Code, Diagnostic, Diagnostics, Span};
use fsmsim_syntax::document::{Fields, Key, Map, Node, boolean_of};
use fsmsim_syntax::shapes;

/// The default limit for replans of a task.
const DEFAULT_REPLANS: u32 = 3;

/// The limits of a task.
#[derive(Clone, Copy)]
pub(super) struct TaskLimits {
    /// The maximum number of replans.
    pub replans: u32,
    /// The maximum number of turns, if there is a limit.
    pub turns: Option<u32>,
    /// The seconds without progress after which the task counts as hung, if there is a limit.
    pub idle: Option<u32>,
}

/// The file of a cycle.
pub(super) struct CycleFile<'n> {
    pub header: MachineHeader,
    pub limits: TaskLimits,
    /// One node per phase, in the order of the phases.
    pub nodes: Vec<NodeDraft<'n>>,
    pub capabilities: Vec<Capability<'n>>,
    pub sensors: Vec<Sensor<'n>>,
    pub verdicts: Verdicts<'n>,
    /// The gates that the file names, and whether they are enabled.
    pub gates: Vec<(&'n Key, bool)>,
    pub conditions: Option<&'n Map>,
    pub tables: Tables<'n>,
    pub span: Span,
}

/// The phrases that mark the verdict of a report.
pub(super) struct Verdicts<'n> {
    pub approved: Vec<&'n str>,
    pub replan: Vec<&'n str>,
    pub failed: Vec<&'n str>,
}

impl TaskLimits {
    fn read(node: Option<&Node>, found: &mut Diagnostics) -> Self {
        let mut limits = Self {
            replans: DEFAULT_REPLANS,
            turns: None,
            idle: None,
        };
        if let Some(mut fields) =
            node.and_then(|node| Fields::of(node, &shapes::TASK_LIMITS, found))
        {
            limits.replans = fields.count("replans").unwrap_or(DEFAULT_REPLANS);
            limits.turns = fields.count("turns");
            limits.idle = fields.count("idle");
            fields.finish();
        }
        limits
    }
}

impl<'n> CycleFile<'n> {
    /// Reads the file. Returns `None`, with findings, if it is invalid.
    pub(super) fn read(root: &'n Node, path: &Path, found: &mut Diagnostics) -> Option<Self> {
        let errors = found.error_count();
        let mut fields = Fields::of(root, &shapes::CYCLE_FILE, found)?;
        fields.text("kind");
        let [about, limits, verdicts] = fields.nodes(["cycle", "limits", "verdicts"]);
        let nodes = fields.required("nodes").and_then(|_| fields.map("nodes"));
        let capabilities = fields.entries("capabilities");
        let sensors = fields.entries("sensors");
        let gates = fields.entries("gates");
        let conditions = fields.map("conditions");
        let tables = Tables::read(&mut fields);
        fields.finish();
        let nodes: Vec<NodeDraft<'n>> = nodes
            .map(|map| &*map.entries)
            .unwrap_or_default()
            .iter()
            .filter_map(|(key, node)| NodeDraft::read(key, node, found))
            .collect();
        let file = Self {
            header: read_header(about, ("cycle", "`cycle`"), path, found),
            limits: TaskLimits::read(limits, found),
            nodes: if found.error_count() > errors {
                Vec::new()
            } else {
                in_order(nodes, root.span, found)
            },
            capabilities: capabilities
                .iter()
                .filter_map(|(key, node)| Capability::read(key, node, found))
                .collect(),
            sensors: Sensor::all(sensors, found),
            verdicts: Verdicts::read(verdicts, found),
            gates: named_gates(gates, found),
            conditions,
            tables,
            span: Span::start_of(root.span.file),
        };
        found.no_errors_since(errors).then_some(file)
    }

    pub(super) fn node(&self, phase: CyclePhase) -> Option<&NodeDraft<'n>> {
        self.nodes.iter().find(|node| node.phase == phase)
    }
}

impl<'n> Verdicts<'n> {
    fn read(node: Option<&'n Node>, found: &mut Diagnostics) -> Self {
        let mut verdicts = Self {
            approved: vec!["DECISION: APPROVED"],
            replan: vec!["DECISION: NEEDS_REPLAN"],
            failed: vec!["DECISION: FAILED"],
        };
        let Some(mut fields) = node.and_then(|node| Fields::of(node, &shapes::VERDICTS, found))
        else {
            return verdicts;
        };
        let lists = [
            ("approved", &mut verdicts.approved),
            ("replan", &mut verdicts.replan),
            ("failed", &mut verdicts.failed),
        ];
        for (key, list) in lists {
            if fields.node(key).is_some() {
                *list = fields.texts(key);
            }
        }
        fields.finish();
        verdicts
    }
}

/// The nodes in the order of their phases. Reports missing and duplicate phases.
fn in_order<'n>(
    nodes: Vec<NodeDraft<'n>>,
    span: Span,
    found: &mut Diagnostics,
) -> Vec<NodeDraft<'n>> {
    for phase in CyclePhase::ALL {
        let mut of_phase = nodes.iter().filter(|node| node.phase == *phase);
        match (of_phase.next(), of_phase.next()) {
            (None, _) => {
                Diagnostic::error(
                    Code::BadNodeOfCycle,
                    format!("missing node for the phase {}", phase.name()),
                )
                .at(span, "incomplete nodes")
                .help(format!(
                    "add `{}: {{phase: {}}}`",
                    phase.name().to_lowercase(),
                    phase.name()
                ))
                .add_to(found);
            }
            (Some(first), Some(second)) => {
                Diagnostic::error(
                    Code::BadNodeOfCycle,
                    format!(
                        "nodes `{}` and `{}` have the same phase",
                        first.id, second.id
                    ),
                )
                .at(second.span, "second node of the phase")
                .help(format!("keep one node for {}", phase.name()))
                .add_to(found);
            }
            (Some(_), None) => {}
        }
    }
    let mut nodes = nodes;
    nodes.sort_by_key(|node| node.phase as usize);
    nodes
}

/// The gates that the file names: `NAME: false` disables one.
fn named_gates<'n>(gates: &'n [(Key, Node)], found: &mut Diagnostics) -> Vec<(&'n Key, bool)> {
    let named = gates
        .iter()
        .filter_map(|(key, node)| Some((key, boolean_of(node, &key.text, found)?)));
    named.collect()
}
