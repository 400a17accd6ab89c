//! Compiles the files of a flow to a machine. This module defines the order of the steps.

use std::rc::Rc;

use rustc_hash::FxHashMap;

use super::FlowParts;
use super::constants::Constants;
use super::document::states_of;
use super::inherit::{InheritedEntry, StateLibrary};
use super::issues::Issues;
use super::lower::is_yes;
use super::meanings::Meanings;
use super::placeholder::Parameters;
use super::redirects::Redirects;
use super::replies::ReplyReader;
use super::state_lowering::{BRANCH_ENDS, FlowDraft, StateLowering};
use super::{
    disambiguation, everywhere, graph, known_keys, near_names, never, nodes, places, plain_policy,
    priorities,
};
use crate::dialect::NameTable;
use crate::dialect::condition::Conditions;
use crate::dialect::state_declaration::check_reserved;
use fsmsim_core::engine::policy::plain::PlainConfig;
use fsmsim_core::engine::policy::sales::SalesConfig;
use fsmsim_core::engine::{Machine, PolicyList, assemble};
use fsmsim_core::machine::{IntentId, MachineBuilder, MachineHeader, SlotId, Switches};
use fsmsim_syntax::diagnostic::{Code, Diagnostic, Diagnostics, SourceMap};
use fsmsim_syntax::document::{Key, Map, Node, wrong_type};
use fsmsim_syntax::shapes;

/// Compiles a flow. Returns `None`, with findings, if it is invalid.
pub(super) fn compile(
    parts: &FlowParts<'_>,
    sources: &SourceMap,
    found: &mut Diagnostics,
) -> Option<Machine> {
    let document = &parts.document;
    let switches = parts.variant.switches();
    check_keys(parts, found);
    let flow_name = document.name.unwrap_or(&parts.name);
    let constants = Constants::new(
        document.constants,
        parts.root.constants.as_ref(),
        parts.defaults,
        found,
    );
    let mut builder = MachineBuilder::default();
    builder.has_profiles = parts.is_sales;
    let mut plain = PlainConfig::default();
    let mut sales = parts.is_sales.then(|| SalesConfig::new(&mut builder));
    match &mut sales {
        Some(sales) => constants.mint_intents(sales, &mut builder, found),
        None => plain = plain_policy::begin(&constants, &mut builder, found),
    }
    let flags: Vec<&Node> = parts.feature_flags().collect();
    let settings = constants.settings(parts.variant, &flags, &mut builder, found);
    if let Some(sales) = &mut sales {
        constants.switch_sources(switches, sales, &mut builder, found);
    }
    let mut conditions = conditions(parts, &constants, switches, found);

    document.contract.declare(&mut builder, found);
    let safety = builder
        .names
        .flags
        .id("greeting_state_safety")
        .is_some_and(|flag| settings.flag(flag));
    let mut states = StateLibraries::read(parts, switches, found);
    let drafts = states.drafts(parts, &Redirects::new(&constants, safety), found);
    if drafts.is_empty() {
        Diagnostic::error(Code::NoStates, format!("flow `{flow_name}` has no states"))
            .at(parts.span, "")
            .help("add a state under `states:`; abstract states do not count")
            .add_to(found);
    }
    for name in document.phases.iter().flat_map(|phases| &phases.order) {
        builder.phase(name);
    }
    builder.ordered_phases = builder.phases.len();

    let mut issues = Issues::default();
    let none = FlowDraft {
        name: flow_name,
        span: parts.span,
        resolved: Rc::default(),
        parameters: Parameters::default(),
    };
    let mut lowering = StateLowering {
        draft: &none,
        builder: &mut builder,
        conditions: &mut conditions,
        issues: &mut issues,
        found,
        switches,
        is_sales: parts.is_sales,
        with_stubs: parts.variant.with_stubs,
        targets_must_exist: switches.strict_load || !parts.single,
        has_forks: drafts.iter().any(nodes::forks),
        phase_exhaust: 0,
        sites: Vec::new(),
        compiled: FxHashMap::default(),
        origins: FxHashMap::default(),
    };
    let reserved: &[&str] = if parts.is_sales { &[] } else { &BRANCH_ENDS };
    for draft in &drafts {
        check_reserved(draft.name, draft.span, reserved, lowering.found);
        lowering.draft = draft;
        lowering.declare();
    }
    if let Some(sales) = &mut sales {
        constants.mint_names(flow_name, sales, lowering.builder, lowering.found);
        lowering.phase_exhaust = sales.thresholds.phase_exhaust;
    } else {
        plain_policy::mint_names(&mut plain, &constants, lowering.builder, lowering.found);
    }
    if drafts
        .iter()
        .any(|draft| draft.resolved.fields.contains_key("aside"))
    {
        lowering.builder.resume();
    }
    for draft in &drafts {
        lowering.draft = draft;
        lowering.complete();
    }
    let own_phases: Vec<_> = drafts
        .iter()
        .map(|draft| {
            lowering.draft = draft;
            (draft.name, lowering.own_phase())
        })
        .collect();
    let sites = std::mem::take(&mut lowering.sites);
    if lowering.has_branches() {
        builder.well_known.join_waiting = Some(builder.action("join_waiting"));
        builder.well_known.branch_results = Some(builder.slot("_dag_results"));
    }
    issues.report(|name| states.definition(name), found);
    // The graph checks require a flow without errors.
    if !found.has_errors() {
        graph::check(&sites, &builder, found);
    }

    let mut places = places::PhaseLowering {
        document,
        switches,
        targets_must_exist: switches.strict_load || !parts.single,
        with_stubs: parts.variant.with_stubs,
        builder: &mut builder,
        sales: sales.as_mut(),
        found,
    };
    places.phases(&own_phases, &constants.all, &mut conditions);
    places.well_known(&constants.all);
    let initial = places.initial(parts.span);
    // The state that handles objections is an aside, which its own source leaves.
    let handling = sales
        .as_ref()
        .and_then(|sales| sales.states.handle_objection);
    if let Some(id) = handling.filter(|id| builder.states[*id].declared) {
        builder.states[id].aside = Some(id);
    }
    never::check(parts, &drafts, &states.hidden(), &builder, found);
    let built_in = parts.root.folder.is_none().then_some(parts.defaults);
    let files: Vec<&Node> = parts.root.priorities.iter().chain(built_in).collect();
    let own = document.priorities;
    let profile = document.priorities_profile;
    let priorities = priorities::resolve(&files, own, profile, found);
    priorities::lower(
        &priorities,
        &constants,
        &conditions,
        switches,
        &mut builder,
        found,
    );
    let meanings = Meanings::read(document.intents, &constants.all, found);
    meanings.mint(&mut builder);
    let disambiguation =
        disambiguation::read(&constants.all, meanings.bypass(), &mut builder, found);
    match &mut sales {
        Some(sales) => sales.disambiguation = disambiguation,
        None => plain.disambiguation = disambiguation,
    }
    let contract = (!document.contract.is_empty()).then(|| {
        document
            .contract
            .compile(&mut conditions, &mut builder, found)
    });
    document
        .contract
        .tables
        .compile(&mut conditions, &mut builder, found);
    let variables = document.variables;
    ReplyReader {
        conditions: &mut conditions,
        builder: &mut builder,
        found,
        variables,
    }
    .read(document.replies);
    match &sales {
        Some(sales) => conditions.known = known_to(sales),
        None => plain_policy::finish(&mut plain, parts.span, &mut builder),
    }
    conditions.compile_all(parts.is_sales, &mut builder, found);
    meanings.check(document.intents, &builder, found);
    if switches.strict_load {
        near_names::check(parts, &builder, found);
    }
    if !found.keep_paths() {
        return None;
    }
    let policies = PolicyList {
        plain: (!parts.is_sales).then(|| Box::new(plain)),
        sales: sales.map(Box::new),
        contract: contract.map(Box::new),
        ..PolicyList::default()
    };
    Some(assemble(
        builder,
        header(parts),
        settings,
        initial,
        sources.clone(),
        policies,
    ))
}

/// The header of the flow.
fn header(parts: &FlowParts<'_>) -> MachineHeader {
    let document = &parts.document;
    MachineHeader {
        name: document.name.unwrap_or(&parts.name).to_owned(),
        dialect: "flow",
        source: parts.source.clone(),
        version: document.version.unwrap_or("1.0").to_owned(),
        description: document.description.unwrap_or_default().to_owned(),
    }
}

/// Checks keys in the files that no other reader checks completely.
fn check_keys(parts: &FlowParts<'_>, found: &mut Diagnostics) {
    let root = parts.root;
    if let Some(node) = &root.constants {
        known_keys::check_file(node, &shapes::CONSTANTS_FILE, found);
    }
    if let Some(node) = &root.settings {
        known_keys::check_file(node, &shapes::SETTINGS_FILE, found);
    }
    if let Some(map) = parts.document.constants.and_then(Node::map) {
        known_keys::check_map(map, "`constants`", &shapes::CONSTANTS_OWN, found);
    }
    let built_in = parts.defaults.get("feature_flags").and_then(Node::map);
    for flags in parts.feature_flags() {
        known_keys::check_flags(flags, built_in, found);
    }
    let states = root.states.as_ref().filter(|_| !parts.single);
    for (file, shape) in [
        (states, &shapes::STATES_FILE),
        (parts.own, &shapes::STATES_FILE),
        (root.mixins.as_ref(), &shapes::MIXINS_FILE),
        (root.conditions.as_ref(), &shapes::CONDITIONS_FILE),
    ] {
        if let Some(map) = file.and_then(Node::map) {
            shape.check(map, found);
        }
    }
}

/// The slots and intents that sources use. Conditions can test them even if no state declares them.
fn known_to(sales: &SalesConfig) -> (Vec<SlotId>, Vec<IntentId>) {
    let slots = [
        sales.slots.persona,
        sales.slots.objection_limit_final,
        sales.slots.company_size,
    ];
    let intents = sales
        .intents
        .pairs()
        .filter(|(_, intent)| !intent.roles.is_empty());
    (
        slots.into_iter().flatten().collect(),
        intents.map(|(id, _)| id).collect(),
    )
}

/// The conditions that the flow can name: built-in ones, those of the root, and its own.
fn conditions<'a>(
    parts: &FlowParts<'a>,
    constants: &Constants<'a>,
    switches: Switches,
    found: &mut Diagnostics,
) -> Conditions<'a> {
    let mut conditions = Conditions::new(switches, constants.thresholds(found));
    let root = parts
        .root
        .conditions
        .as_ref()
        .and_then(|node| node.get("conditions"));
    if let Some(map) = root.and_then(Node::map) {
        conditions.define(map, true, found);
    }
    if let Some(map) = parts.document.conditions {
        conditions.define(map, false, found);
    }
    conditions
}

/// The states of the base flow, and all states after the flow has replaced some and added others.
struct StateLibraries<'a> {
    base: StateLibrary<'a>,
    all: StateLibrary<'a>,
    own: Vec<&'a str>,
    defaults: Vec<&'a Map>,
}

impl<'a> StateLibraries<'a> {
    fn read(parts: &FlowParts<'a>, switches: Switches, found: &mut Diagnostics) -> Self {
        let base_file = parts.root.states.as_ref().filter(|_| !parts.single);
        let base = base_file
            .and_then(|file| file.get("states"))
            .map(|node| states_of(node, found))
            .unwrap_or_default();
        let mut own = NameTable::default();
        for node in parts
            .own
            .and_then(|file| file.get("states"))
            .into_iter()
            .chain(parts.document.states)
        {
            own.extend(states_of(node, found));
        }
        let root_mixins = parts.root.mixins.as_ref();
        let mut mixins: NameTable<'_, &Map> = NameTable::default();
        for (key, node) in root_mixins
            .and_then(|file| file.get("mixins"))
            .and_then(Node::map)
            .into_iter()
            .chain(parts.document.mixins)
            .flat_map(|map| &map.entries)
        {
            match node.map() {
                Some(map) => {
                    shapes::MIXIN.check(map, found);
                    mixins.insert(&key.text, map);
                }
                None => wrong_type(node, &format!("the mixin `{}` is a map", key.text), found),
            }
        }
        let defaults = [base_file, root_mixins, parts.own]
            .into_iter()
            .flatten()
            .filter_map(|file| file.get("defaults")?.map())
            .chain(parts.document.defaults)
            .filter(|_| switches.mixin_parameters)
            .collect();
        let names = own.keys().copied().collect();
        let mut all = base.clone();
        all.extend(own);
        Self {
            base: StateLibrary::new(base, mixins.clone(), switches),
            all: StateLibrary::new(all, mixins, switches),
            own: names,
            defaults,
        }
    }

    /// The states of the flow that replace states of the base flow, each with the state that it replaces.
    fn hidden(&self) -> Vec<(&'a Key, &'a Key)> {
        let both =
            |name: &&'a str| Some((self.all.states.get(name)?.0, self.base.states.get(name)?.0));
        self.own.iter().filter_map(both).collect()
    }

    /// The definition of a state.
    fn definition(&self, name: &str) -> Option<(&'a Key, &'a Map)> {
        self.all.states.get(name).copied()
    }

    /// The concrete states in order, with all inherited entries. A state that replaces a base state takes the position
    /// of that state. Base states inherit only from base states.
    fn drafts(
        &mut self,
        parts: &FlowParts<'a>,
        redirects: &Redirects<'a>,
        found: &mut Diagnostics,
    ) -> Vec<FlowDraft<'a>> {
        let concrete: Vec<(&'a str, &'a Key, &'a Map)> = self
            .all
            .states
            .iter()
            .filter(|(_, (_, map))| {
                let switches = parts.variant.switches();
                !is_yes(map.get("abstract"), "abstract", switches, found)
            })
            .map(|(name, (key, map))| (*name, *key, *map))
            .collect();
        let own: rustc_hash::FxHashSet<&str> = self.own.iter().copied().collect();
        let mut drafts: Vec<FlowDraft<'_>> = Vec::with_capacity(concrete.len());
        for (name, key, map) in concrete {
            let library = if own.contains(name) {
                &mut self.all
            } else {
                &mut self.base
            };
            let mut resolved = library.resolve(name, found);
            if map.get("extends").and_then(Node::text) == Some("_base_greeting") {
                redirects.apply(name, Rc::make_mut(&mut resolved));
            }
            // Parameters of the state override the variables of the flow. An overridden variable keeps its position in
            // the order.
            let given = resolved.parameters.iter();
            let nodes =
                |(name, entry): (&&'a str, &InheritedEntry<'a>)| Some((*name, entry.node()?));
            let pairs = |(key, node): &'a (Key, Node)| (&*key.text, node);
            let mut values: NameTable<'a, &'a Node> =
                parts.document.variables.iter().map(pairs).collect();
            values.extend(given.filter_map(nodes));
            let weak = resolved.weak_parameters.iter().filter_map(nodes);
            let defaults = self.defaults.iter().flat_map(|map| &map.entries).map(pairs);
            for (name, node) in weak.chain(defaults) {
                values.entry(name).or_insert(node);
            }
            let parameters = Parameters { values };
            drafts.push(FlowDraft {
                name,
                span: key.span,
                resolved,
                parameters,
            });
        }
        let own = parts.document.everywhere.map(|node| (node, None));
        let mixins = self.all.mixins.iter();
        let shared = mixins.filter_map(|(name, map)| Some((map.given("everywhere")?, Some(*name))));
        everywhere::apply(own.into_iter().chain(shared), &mut drafts, found);
        drafts
    }
}
