//! Files of the kind `contract`: machines whose states are the modes of the assistant.

use std::path::Path;

use super::ContractText;
use super::classes::mode_named;
use crate::dialect::header::read_header;
use crate::dialect::state_declaration::check_reserved;
use fsmsim_core::engine::policy::contract::Contract;
use fsmsim_core::engine::{Machine, PolicyList, Settings, SourceKind, assemble};
use fsmsim_core::machine::{MachineBuilder, State, StateId, Variant};
use fsmsim_syntax::diagnostic::{Code, Diagnostic, Diagnostics, SourceMap, Span};
use fsmsim_syntax::document::{Content, Fields, Node, text_of, wrong_type};
use fsmsim_syntax::shapes;

/// Loads a file of the kind `contract`. Returns `None`, with findings, if it is invalid.
pub(in crate::dialect) fn load(
    path: &Path,
    root: &Node,
    variant: Variant,
    sources: &SourceMap,
    found: &mut Diagnostics,
) -> Option<Machine> {
    let errors = found.error_count();
    let mut fields = Fields::of(root, &shapes::CONTRACT_FILE, found)?;
    fields.text("kind");
    let [about, initial, modes] = fields.nodes(["contract", "initial", "modes"]);
    let own_conditions = fields.map("conditions");
    let mut text = ContractText::read(&mut fields);
    text.set_intents(fields.map("intents"), &shapes::CONTRACT_INTENT);
    if modes.is_none() {
        fields.missing("modes");
    }
    if text.classes.is_none() {
        fields.missing("classes");
    }
    fields.finish();
    let header = read_header(about, ("contract", "`contract`"), path, found);
    let mut builder = MachineBuilder::default();
    let settings = Settings::for_one_source(
        variant,
        SourceKind::ContractClass,
        Contract::NO_ACTION,
        &mut builder,
    );
    let modes = modes
        .map(|node| declare(node, &mut builder, found))
        .unwrap_or_default();
    let initial = start(initial, &modes, root, &builder, found);
    builder.data_passes = true;
    let contract = text.compile_with(
        own_conditions,
        variant.switches(),
        &mut builder,
        found,
        |_, _, _| {},
    );
    let initial = initial.filter(|_| found.no_errors_since(errors))?;
    let contract = Some(Box::new(Contract {
        is_whole: true,
        ..contract
    }));
    let policies = PolicyList {
        contract,
        ..PolicyList::default()
    };
    Some(assemble(
        builder,
        header,
        settings,
        initial,
        sources.clone(),
        policies,
    ))
}

/// Declares the modes: a list of names, or a map from names to descriptions (`{about: TEXT, phase: NAME, final: true}`,
/// or only the text). Phases are ordered by their first use.
fn declare(node: &Node, builder: &mut MachineBuilder, found: &mut Diagnostics) -> Vec<StateId> {
    let names: Vec<(&str, Span, Option<&Node>)> = match &node.content {
        Content::List(items) => items
            .iter()
            .filter_map(|item| Some((text_of(item, "a mode", found)?, item.span, None)))
            .collect(),
        Content::Map(map) => map
            .entries
            .iter()
            .map(|(key, node)| (&*key.text, key.span, Some(node)))
            .collect(),
        Content::Scalar(_) => {
            wrong_type(node, "`modes` is a list of names", found);
            Vec::new()
        }
    };
    let mut modes = Vec::new();
    for (name, span, node) in names {
        check_reserved(name, span, &[], found);
        let id = builder.state(name);
        if modes.contains(&id) {
            Diagnostic::error(
                Code::DuplicateState,
                format!("mode `{name}` is defined twice"),
            )
            .at(span, "second definition")
            .help("rename one of the modes")
            .add_to(found);
            continue;
        }
        let mut state = State {
            span: Some(span),
            declared: true,
            ..State::default()
        };
        if let Some(mut fields) = node
            .filter(|node| node.map().is_some())
            .and_then(|node| Fields::of(node, &shapes::MODE_WITH_PHASE, found))
        {
            state.goal = fields.text("about").map(Into::into);
            state.phase = fields.text("phase").map(|name| builder.phase(name));
            state.is_final = fields.boolean("final").unwrap_or(false);
            state.aside = fields.boolean("aside").unwrap_or(false).then_some(id);
            state.seen_phase = state.phase;
            fields.finish();
        } else {
            state.goal = node.and_then(Node::text).map(Into::into);
        }
        builder.states[id] = state;
        modes.push(id);
    }
    builder.ordered_phases = builder.phases.len();
    if builder.states.iter().any(|state| state.aside.is_some()) {
        builder.resume();
    }
    modes
}

/// The initial mode: the one under `initial`, otherwise the first one.
fn start(
    initial: Option<&Node>,
    modes: &[StateId],
    root: &Node,
    builder: &MachineBuilder,
    found: &mut Diagnostics,
) -> Option<StateId> {
    let Some(node) = initial else {
        if modes.is_empty() {
            Diagnostic::error(Code::NoStates, "the contract has no modes")
                .at(Span::start_of(root.span.file), "")
                .help("list the modes of the assistant under `modes`")
                .add_to(found);
        }
        return modes.first().copied();
    };
    mode_named(node, "initial", builder, found)
}
