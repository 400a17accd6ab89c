//! Assigns phases, entry points and other special roles to states.

use super::document::{FlowDocument, Phases};
use super::layers::Layers;
use crate::dialect::condition::{Conditions, state_named, state_names};
use crate::dialect::state_declaration::{STUB, declare_stub};
use fsmsim_core::engine::policy::sales::SalesConfig;
use fsmsim_core::machine::{ConditionId, MachineBuilder, PhaseId, StateId, Switches, Traits};
use fsmsim_syntax::diagnostic::{Code, Diagnostic, Diagnostics, Span};
use fsmsim_syntax::document::{Node, integer_of, text_of, texts_of};

/// The context for assigning phases and roles.
pub(super) struct PhaseLowering<'a, 'b> {
    pub document: &'b FlowDocument<'a>,
    pub switches: Switches,
    pub targets_must_exist: bool,
    /// Whether unknown states become stubs.
    pub with_stubs: bool,
    pub builder: &'b mut MachineBuilder,
    /// The sales policy, if the flow has it.
    pub sales: Option<&'b mut SalesConfig>,
    pub found: &'b mut Diagnostics,
}

impl<'a> PhaseLowering<'a, '_> {
    /// Assigns phases to states and states to phases (docs/src/explanation/flows.md). The phase of a state overrides
    /// the mapping.
    pub(super) fn phases(
        &mut self,
        own: &[(&str, Option<PhaseId>)],
        constants: &Layers<'a>,
        conditions: &mut Conditions<'a>,
    ) {
        let document = self.document;
        let none = Phases::default();
        let phases = document.phases.as_ref().unwrap_or(&none);
        for (key, node) in phases.mapping {
            let phase = self.builder.phase(&key.text);
            if let Some(state) = self.declared(node, Code::UnknownPhaseState, "phases.mapping") {
                self.builder.phases[phase].state = Some(state);
                self.builder.states[state].phase = Some(phase);
            }
        }
        for (name, phase) in own {
            let state = self.builder.state(name);
            if phase.is_some() {
                self.builder.states[state].phase = *phase;
            }
        }
        for (key, node) in phases.skip_conditions {
            let phase = self.builder.phase(&key.text);
            let guards: Box<[ConditionId]> = node
                .items()
                .iter()
                .filter(|item| !item.is_null())
                .map(|item| conditions.compile_when(item, self.builder, self.found))
                .collect();
            self.builder.phases[phase].skip = guards;
        }
        for (key, _) in phases.progress_intents {
            self.builder.give_trait(&key.text, Traits::PROGRESS);
        }
        // For conditions, the constants can also assign phases to well-known states.
        for id in self.builder.states.ids() {
            self.builder.states[id].seen_phase = self.builder.states[id].phase;
        }
        for (key, node) in constants.section("spin.states").entries() {
            let Some(name) = text_of(node, &key.text, self.found) else {
                continue;
            };
            let state = self.builder.state(name);
            let phase = self.builder.phase(&key.text);
            self.builder.states[state].seen_phase.get_or_insert(phase);
        }
    }

    /// Sets the states that sources use and that have no fixed name: for entry, escalation, after the phases, going
    /// back, and the funnel.
    pub(super) fn well_known(&mut self, constants: &Layers<'a>) {
        let document = self.document;
        let is_sales = self.sales.is_some();
        for (_, node) in &document.entry_points {
            let point = self.declared(node, Code::UnknownEntryPoint, "entry_points");
            self.builder.well_known.entry_points.extend(point);
        }
        let entry = document
            .variables
            .iter()
            .find(|(key, _)| &*key.text == "entry_state")
            .and_then(|(_, node)| self.known(node.text()?));
        let after = document
            .phases
            .as_ref()
            .and_then(|phases| match phases.post_phases_state {
                Some(node) => self.declared(node, Code::UnknownState, "post_phases_state"),
                None => self.known("presentation").filter(|_| is_sales),
            });
        self.builder.well_known.post_phases = after;
        let point = document
            .entry_points
            .get("escalation")
            .and_then(|node| self.known(node.text()?));
        let handover = constants
            .section("states")
            .get("escalation")
            .map(|node| texts_of(node, "escalation", self.found))
            .unwrap_or_default()
            .into_iter()
            .find_map(|name| self.known(name))
            .filter(|_| self.switches.escalation_moves);
        let Some(sales) = &mut self.sales else { return };
        let states = &mut sales.states;
        states.entry = entry;
        // Sources can move the dialogue to these states without a transition.
        let forced = states.stall_default.into_iter().chain(entry);
        self.builder.well_known.entry_points.extend(forced);
        states.escalation = point.or(handover).or(states.soft_close);
        for left in [states.soft_close, states.escalation].into_iter().flatten() {
            self.builder.states[left].leaves_branches = true;
        }
        if let Some(soft_close) = states.soft_close {
            self.builder.states[soft_close].final_if = sales.slots.objection_limit_final;
        }
        for (key, node) in constants.section("circular_flow.allowed_gobacks").entries() {
            // All flows of a root share the table. In the profile `reference`, a target that is missing in this flow
            // still counts.
            let to = node.text().map(|name| self.builder.state(name));
            let to =
                to.filter(|to| !self.switches.strict_load || self.builder.states[*to].declared);
            if let Some(from) = self.known(&key.text) {
                self.builder.states[from].allowed_go_back = to;
            }
        }
        for (key, node) in constants.section("context.state_order").entries() {
            let order = integer_of(node, &key.text, self.found);
            if let Some(state) = self.known(&key.text) {
                self.builder.states[state].funnel = order;
            }
        }
    }

    /// The initial state.
    pub(super) fn initial(&mut self, flow: Span) -> StateId {
        let point = self
            .document
            .entry_points
            .get("default")
            .filter(|_| self.switches.entry_point);
        let name = point.and_then(|node| node.text()).unwrap_or("greeting");
        let id = self.builder.state(name);
        let any_state = self.builder.states.iter().any(|state| state.declared);
        if !self.builder.states[id].declared && point.is_none() && any_state {
            Diagnostic::error_if(
                self.switches.strict_load,
                Code::NoInitialState,
                format!("unknown initial state `{name}`"),
            )
            .at(flow, "")
            .help("set `entry_points: {default: STATE}`")
            .add_to(self.found);
        }
        id
    }

    fn known(&self, name: &str) -> Option<StateId> {
        state_named(name, self.builder)
    }

    /// The declared state that `node` names, or a finding.
    fn declared(&mut self, node: &Node, code: Code, what: &str) -> Option<StateId> {
        let name = text_of(node, "the name of a state", self.found)?;
        if let Some(id) = self.known(name) {
            return Some(id);
        }
        let title = format!("unknown state `{name}`");
        let is_error = self.targets_must_exist && !self.with_stubs;
        let finding = Diagnostic::error_if(is_error, code, title)
            .at(node.span, format!("in `{what}`"))
            .near(name, state_names(self.builder), "use a state of the flow");
        if !self.with_stubs {
            return finding.refuse(self.found);
        }
        self.found.push(finding.note(STUB));
        Some(declare_stub(name, self.builder))
    }
}
