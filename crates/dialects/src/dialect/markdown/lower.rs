//! Lowers a state set to a machine: checks names and builds the guides of the states.

use std::collections::BTreeSet;
use std::path::Path;

use indexmap::IndexMap;
use rustc_hash::{FxBuildHasher, FxHashSet};

use super::data::DataEffects;
use super::draft::{SetShape, StateDraft, StateSet};
use super::initial::{self, INITIAL};
use super::layout::Layout;
use super::mentions::mentions;
use super::operations::operations;
use super::plain::NamedText;
use super::state_file::LOADS;
use super::targets::Targets;
use crate::dialect::NameTable;
use crate::dialect::contract::ContractText;
use crate::dialect::state_declaration::declare_state;
use crate::limits::MAX_SUGGESTIONS;
use fsmsim_core::engine::policy::contract::Contract;
use fsmsim_core::engine::policy::guidance::{
    DataRequest, Guidance, Guide, Move, StateOutline, spoken,
};
use fsmsim_core::engine::policy::instructions::{Instructions, ReplyLimit};
use fsmsim_core::engine::{Machine, PolicyList, Settings, SourceKind, assemble};
use fsmsim_core::machine::{
    MachineBuilder, MachineHeader, Origin, SchemaId, SlotId, StateId, Value, Variant,
};
use fsmsim_syntax::diagnostic::{Code, Diagnostic, Diagnostics, SourceMap, Span, typo_of};
use fsmsim_syntax::document::{Fields, Node};
use fsmsim_syntax::shapes;

/// The prefix of states that read no data by default: they ask for it, load it, or continue without it.
const DATA: &str = "dt_";

/// The default names of the state that asks for consent and of the state for dialogues without data.
const CONSENT: &str = "dt_consent";
const NO_DATA_STATE: &str = "no_dt_mode";

/// The action of a turn in which no other action is selected.
const NO_ACTION: &str = "continue_current_goal";

/// A transition with a resolved target.
struct Known<'s> {
    /// The texts of the conditions, without duplicates.
    conditions: Vec<&'s str>,
    target: usize,
    /// Utterances that trigger the transition, without duplicates.
    events: Vec<String>,
    span: Span,
}

/// Lowers a state set. Returns `None`, with findings, if it is invalid.
pub(super) fn lower(
    set: &StateSet,
    variant: Variant,
    path: &Path,
    sources: &SourceMap,
    found: &mut Diagnostics,
) -> Option<Machine> {
    let shown = path.display().to_string();
    if set.states.is_empty() {
        return Diagnostic::error(Code::NoStates, "state set has no states")
            .about(&*shown)
            .help("add a Markdown file with the heading `# State: NAME`, or a row to a table of transitions")
            .refuse(found);
    }
    let mut targets = Targets::new(&set.states, found);
    let moves: Vec<Vec<Known<'_>>> = set
        .states
        .iter()
        .map(|draft| resolve(draft, set.shape, &mut targets, found))
        .collect();
    let mut led_to = FxHashSet::default();
    for (from, known) in moves.iter().enumerate() {
        let places = known.iter().map(|known| known.target);
        led_to.extend(places.filter(|place| *place != from));
    }
    report_typos(&set.states, found);
    let initial = initial::choose(set, &targets, &led_to, &shown, found);
    let mut lowering = SetLowering {
        set,
        targets,
        builder: MachineBuilder::default(),
        instructions: Instructions::default(),
    };
    lowering.declare(initial);
    lowering.instructions(found);
    for (draft, known) in set.states.iter().zip(moves) {
        lowering.complete(draft, known, found);
    }
    lowering.data();
    let SetLowering {
        mut builder,
        mut instructions,
        mut targets,
        ..
    } = lowering;
    let settings =
        Settings::for_one_source(variant, SourceKind::Navigation, NO_ACTION, &mut builder);
    let contract = set
        .contract
        .as_ref()
        .and_then(|node| contract(node, variant, &instructions.guidance, &mut builder, found));
    if found.has_errors() {
        return None;
    }
    if set.shape == SetShape::Folder {
        let ids = &builder.names.states;
        instructions.guidance.mentions = mentions(set, &mut targets, ids, sources);
        instructions.guidance.habits = habits(set);
    }
    let header = MachineHeader {
        name: set.name.clone(),
        dialect: "markdown",
        source: shown,
        ..MachineHeader::default()
    };
    let policies = PolicyList {
        instructions: Some(Box::new(instructions)),
        contract: contract.map(Box::new),
        ..PolicyList::default()
    };
    let initial = builder.state(initial?);
    Some(assemble(
        builder,
        header,
        settings,
        initial,
        sources.clone(),
        policies,
    ))
}

/// Reports names in backticks that are probably typos of a state name.
fn report_typos(states: &[StateDraft], found: &mut Diagnostics) {
    let known: BTreeSet<&str> = states.iter().map(|draft| &*draft.name.text).collect();
    let data: BTreeSet<&str> = states
        .iter()
        .flat_map(StateDraft::data)
        .map(|name| &*name.text)
        .collect();
    // The names at these locations are reported elsewhere.
    let targets = states
        .iter()
        .flat_map(StateDraft::targets)
        .map(|(_, target)| &target.name);
    let read: BTreeSet<Span> = states
        .iter()
        .flat_map(|draft| &draft.loads)
        .chain(targets)
        .map(|name| name.span)
        .collect();
    let quoted = states
        .iter()
        .filter_map(|draft| draft.layout.as_ref())
        .flat_map(|layout| &layout.quoted)
        .filter(|name| !known.contains(&*name.text) && !data.contains(&*name.text));
    let mut asked = BTreeSet::new();
    for name in quoted.filter(|name| !read.contains(&name.span)) {
        // Users do not read more findings.
        if asked.len() == MAX_SUGGESTIONS || !asked.insert(&*name.text) {
            continue;
        }
        let Some(near) = typo_of(&name.text, &known) else {
            continue;
        };
        Diagnostic::warning(
            Code::SimilarName,
            format!("name `{}` is used only here", name.text),
        )
        .at(name.span, "only use")
        .suggest_kind("state", near)
        .add_to(found);
    }
}

/// The names with a default meaning, each with the key of `instructions/system.md` that can override it.
fn habits(set: &StateSet) -> Box<[(&'static str, &'static str)]> {
    let base = &set.base;
    let usual = [
        (&base.initial, (INITIAL, "initial")),
        (&base.consent, (CONSENT, "consent")),
        (&base.no_data_state, (NO_DATA_STATE, "no_data_state")),
    ];
    usual
        .into_iter()
        .filter(|(set_name, _)| set_name.is_none())
        .map(|(_, habit)| habit)
        .collect()
}

/// The meaning of the prefix of a state name: the state loads data, or it reads no data by default.
pub fn said_by_beginning(name: &str) -> Option<&'static str> {
    [LOADS, DATA]
        .into_iter()
        .find(|beginning| name.starts_with(beginning))
}

/// Compiles the contract in `contract.yaml`.
fn contract(
    node: &Node,
    variant: Variant,
    guidance: &Guidance,
    builder: &mut MachineBuilder,
    found: &mut Diagnostics,
) -> Option<Contract> {
    let mut fields = Fields::of(node, &shapes::SET_CONTRACT_FILE, found)?;
    let own = fields.map("conditions");
    let moves = fields.entries("moves");
    let mut text = ContractText::read(&mut fields);
    text.set_intents(fields.map("intents"), &shapes::CONTRACT_INTENT);
    fields.finish();
    let contract = text.compile_with(
        own,
        variant.switches(),
        builder,
        found,
        |conditions, builder, found| {
            operations(moves, guidance, conditions, builder, found);
        },
    );
    (!text.is_empty()).then_some(contract)
}

/// The transitions of a state, one per target, in the order of the text.
fn resolve<'s>(
    draft: &'s StateDraft,
    shape: SetShape,
    targets: &mut Targets<'_>,
    found: &mut Diagnostics,
) -> Vec<Known<'s>> {
    let mut moves: IndexMap<usize, Known<'s>, FxBuildHasher> = IndexMap::default();
    let errors = found.error_count();
    for (written, target) in draft.targets() {
        for place in targets.resolve(target, found) {
            let known = moves.entry(place).or_insert(Known {
                conditions: Vec::new(),
                target: place,
                events: Vec::new(),
                span: target.name.span,
            });
            for event in written.events.iter().map(|event| spoken(event)) {
                if !known.events.contains(&event) {
                    known.events.push(event);
                }
            }
            let condition = &*written.condition;
            if !condition.is_empty() && !known.conditions.contains(&condition) {
                known.conditions.push(condition);
            }
        }
    }
    if moves.is_empty() && !draft.is_final && !draft.moves_lost && found.no_errors_since(errors) {
        let remedy = match shape {
            SetShape::Folder => {
                "add the section `## Transitions` (`## Переходы`), or `final: true` to the front matter"
            }
            SetShape::Document => {
                "add a row for the state, or add it to `final:` in the front matter"
            }
        };
        Diagnostic::warning(
            Code::DeadEnd,
            format!("state `{}` has no outgoing transition", draft.name.text),
        )
        .at(draft.name.span, "dead end")
        .help(remedy)
        .add_to(found);
    }
    moves.into_values().collect()
}

struct SetLowering<'s> {
    set: &'s StateSet,
    targets: Targets<'s>,
    builder: MachineBuilder,
    instructions: Instructions,
}

impl SetLowering<'_> {
    /// Declares the names of the states, starting with the initial one.
    fn declare(&mut self, initial: Option<&str>) {
        // The action that is declared first is the default action.
        self.builder.action(NO_ACTION);
        let names = self.set.states.iter().map(|draft| &*draft.name.text);
        for name in initial.into_iter().chain(names) {
            self.builder.state(name);
        }
        if self.set.states.iter().any(|draft| draft.is_aside) {
            self.builder.resume();
        }
    }

    /// The state with this name.
    fn id(&self, name: &str) -> Option<StateId> {
        self.builder.names.states.id(name)
    }

    fn instructions(&mut self, found: &mut Diagnostics) {
        let base = &self.set.base;
        let mut special = |set_name: &Option<NamedText>, key: &str, usual: &str| match set_name {
            Some(name) => self.id(self.targets.named(name, key, found)?),
            None => self.id(usual),
        };
        let consent = special(&base.consent, "consent", CONSENT);
        let no_data_state = special(&base.no_data_state, "no_data_state", NO_DATA_STATE);
        let limits = base.limits.iter().map(|limit| {
            let states = limit.states.iter();
            ReplyLimit {
                name: limit.name.clone(),
                pattern: limit.pattern.clone(),
                min: limit.min,
                max: limit.max,
                states: states
                    .filter_map(|name| self.id(self.targets.named(name, "states", found)?))
                    .collect(),
            }
        });
        let limits = limits.collect();
        self.builder.schemas.clone_from(&base.schemas);
        self.instructions = Instructions {
            guidance: Guidance {
                base: base.text.as_str().into(),
                consent,
                no_data_state,
                ..Guidance::default()
            },
            limits,
        };
    }

    fn complete(&mut self, draft: &StateDraft, known: Vec<Known<'_>>, found: &mut Diagnostics) {
        let builder = &mut self.builder;
        let origin = builder.origin(Origin {
            state: draft.name.text.clone(),
            mixin: None,
        });
        let moves = known
            .into_iter()
            .map(|known| Move {
                target: builder.state(self.targets.name(known.target)),
                condition: known.conditions.join("; ").into(),
                events: known.events.into_iter().map(Into::into).collect(),
                rule: builder.rule(known.span, origin),
            })
            .collect();
        let reads = self.reads(draft, found);
        let writes = self.writes(draft, found);
        let outline = self.outline(draft);
        let phase = draft.phase.as_deref().map(|name| self.builder.phase(name));
        let NamedText { text: name, span } = &draft.name;
        let id = declare_state(name, *span, phase, draft.goal.clone(), &mut self.builder);
        self.builder.states[id].is_final = draft.is_final;
        self.builder.states[id].aside = draft.is_aside.then_some(id);
        *self.instructions.guidance.states.grow(id) = Some(Guide {
            instruction: draft.instruction.clone(),
            triggers: draft.triggers.clone().into(),
            moves,
            degradation: draft.degradation.clone(),
            reads: reads.into(),
            writes,
            outline: outline.map(Box::new),
        });
    }

    /// Adds the effects of entering states.
    fn data(&mut self) {
        let builder = &mut self.builder;
        let guidance = &self.instructions.guidance;
        if guidance
            .all()
            .all(|(_, guide)| guide.reads.is_empty() && guide.writes.is_none())
        {
            return;
        }
        let effects = DataEffects::declare(builder);
        for draft in &self.set.states {
            let id = builder.state(&draft.name.text);
            let Some(guide) = guidance.of(id) else {
                continue;
            };
            let origin = builder.origin(Origin {
                state: draft.name.text.clone(),
                mixin: None,
            });
            let rule = builder.rule(draft.name.span, origin);
            effects.enter(id, guide, guidance, rule, builder);
        }
    }

    /// The data that a state reads: as declared, otherwise the data that the states in its steps load.
    fn reads(&mut self, draft: &StateDraft, found: &mut Diagnostics) -> Vec<SlotId> {
        let mut keys: NameTable<'_, ()> = NameTable::default();
        if let Some(reads) = &draft.reads {
            keys.extend(reads.iter().map(|key| (&*key.text, ())));
        } else if !draft.name.text.starts_with(DATA) {
            for load in &draft.loads {
                let loader = self.targets.state(&load.text);
                match loader.and_then(|loader| loader.reads.as_ref()) {
                    Some(reads) => keys.extend(reads.iter().map(|key| (&*key.text, ()))),
                    None => {
                        keys.insert(load.text.strip_prefix(LOADS).unwrap_or_default(), ());
                    }
                }
                if loader.is_none() {
                    Diagnostic::warning(
                        Code::UnknownState,
                        format!("unknown state `{}` for loading data", load.text),
                    )
                    .at(load.span, "not defined")
                    .suggest(
                        self.targets.near(&load.text),
                        "add the state, or list the data under `reads:`",
                    )
                    .add_to(found);
                }
            }
        }
        keys.keys()
            .filter(|key| !key.is_empty())
            .map(|key| self.builder.slot(key))
            .collect()
    }

    /// Builds the outline that the quality rules check.
    fn outline(&mut self, draft: &StateDraft) -> Option<StateOutline> {
        let layout = draft.layout.as_ref()?;
        let own = &draft.name.text;
        let leads = layout
            .leads
            .iter()
            .filter(|lead| !lead.text.starts_with(LOADS) && lead.text != *own)
            .filter_map(|lead| Some((self.id(&lead.text)?, lead.span)))
            .collect();
        let loaders = draft
            .loads
            .iter()
            .filter_map(|load| self.id(&load.text))
            .collect();
        let asks = draft
            .reads
            .iter()
            .flatten()
            .filter(|key| !key.text.is_empty())
            .map(|key| DataRequest {
                slot: self.builder.slot(&key.text),
                span: key.span,
                named: names(&self.targets, draft, layout, &key.text),
            });
        Some(StateOutline {
            asks: asks.collect(),
            leads,
            loaders,
            goals: layout.goals.as_slice().into(),
        })
    }

    fn writes(&mut self, draft: &StateDraft, found: &mut Diagnostics) -> Option<SchemaId> {
        let name = draft.writes.as_ref()?;
        let schemas = &self.set.base.schemas;
        let mut pairs = schemas.pairs();
        if let Some((id, schema)) = pairs.find(|(_, schema)| schema.name == name.text) {
            // A turn gives the data under the name of the schema, or as its properties.
            self.builder.slot(&schema.name);
            if let Some(Value::Map(properties)) = schema.text.get("properties") {
                for (property, _) in properties.iter() {
                    self.builder.slot(property);
                }
            }
            return Some(id);
        }
        let names = schemas.iter().map(|schema| &*schema.name);
        Diagnostic::undefined(Code::UnknownSchema, "schema", &name.text, name.span)
            .near(
                &name.text,
                names,
                "use the name of a file in `schemas/`, without `.json`",
            )
            .refuse(found)
    }
}

/// Whether the text of a state mentions the data under `key`: as a key in backticks, or as a state that loads the data.
/// A state that loads the data mentions it by its own name.
fn names(targets: &Targets<'_>, draft: &StateDraft, layout: &Layout, key: &str) -> bool {
    let loads = |word: &str| {
        let loader = targets.state(word).filter(|_| word != &*draft.name.text);
        let mut reads = loader
            .into_iter()
            .flat_map(|loader| loader.reads.iter().flatten());
        word.strip_prefix(LOADS) == Some(key) || reads.any(|read| &*read.text == key)
    };
    let mut words = layout.words.iter().filter(|word| word.starts_with(LOADS));
    layout.words.contains(key) || loads(&draft.name.text) || words.any(|word| loads(word))
}
