//! What is written into the machine: names are checked, and guides are made.

use std::collections::BTreeSet;
use std::path::Path;

use indexmap::IndexMap;
use rustc_hash::FxBuildHasher;

use super::data::DataEffects;
use super::draft::{SetShape, StateDraft, StateSet};
use super::initial::{self, INITIAL};
use super::layout::Layout;
use super::mentions::mentions;
use super::operations::operations;
use super::state_file::LOADS;
use super::targets::{SUGGESTED, Targets};
use crate::dialect::NameTable;
use crate::dialect::contract::ContractText;
use fsmsim_core::engine::policy::contract::Contract;
use fsmsim_core::engine::policy::guidance::{
    DataRequest, Guidance, Guide, Move, StateOutline, spoken,
};
use fsmsim_core::engine::policy::instructions::{Instructions, ReplyLimit};
use fsmsim_core::engine::{Machine, PolicyList, Settings, SourceKind, assemble};
use fsmsim_core::machine::{
    MachineBuilder, MachineHeader, Origin, SchemaId, SlotId, StateId, Variant,
};
use fsmsim_syntax::diagnostic::{Code, Diagnostic, Diagnostics, SourceMap, Span, slip_of};
use fsmsim_syntax::document::{Fields, Node};
use fsmsim_syntax::shapes;

/// The states that need no data unless they say so: they ask for it, load it, or do without.
const DATA: &str = "dt_";

/// Where consent is asked for, and where a dialogue goes on without data, if nothing else is said.
const CONSENT: &str = "dt_consent";
const WITHOUT_DATA: &str = "no_dt_mode";

/// The action of turns that nothing acts on.
const OTHERWISE: &str = "continue_current_goal";

/// A move whose target is known to be a state.
struct Known<'s> {
    /// When it is taken, in words, each way once.
    conditions: Vec<&'s str>,
    target: usize,
    /// What takes it when it is said, each way once.
    events: Vec<String>,
    span: Span,
}

/// Lowers a set of states. `None`, with findings, where it cannot be used.
pub(super) fn lower(
    set: &StateSet,
    variant: Variant,
    path: &Path,
    sources: &SourceMap,
    found: &mut Diagnostics,
) -> Option<Machine> {
    let shown = path.display().to_string();
    if set.states.is_empty() {
        return Diagnostic::error(Code::NoStates, "there is no state")
            .about(&*shown)
            .help("a state is a markdown file with the heading `# State: NAME`, or a row of a table of transitions")
            .refuse(found);
    }
    let mut targets = Targets::new(&set.states, found);
    let moves: Vec<Vec<Known<'_>>> = set
        .states
        .iter()
        .map(|draft| resolve(draft, set.shape, &mut targets, found))
        .collect();
    let mut led_to = vec![false; set.states.len()];
    for (from, known) in moves.iter().enumerate() {
        for known in known.iter().filter(|known| known.target != from) {
            if let Some(place) = led_to.get_mut(known.target) {
                *place = true;
            }
        }
    }
    slips(&set.states, found);
    let said = set.base.initial.as_ref();
    let first = initial::choose(
        said,
        &set.states,
        &targets,
        &led_to,
        set.shape,
        &shown,
        found,
    );
    let mut lowering = SetLowering {
        set,
        targets,
        builder: MachineBuilder::default(),
        instructions: Instructions::default(),
        ids: Vec::new(),
    };
    lowering.declare(first);
    lowering.instructions(found);
    for (draft, known) in set.states.iter().zip(&moves) {
        lowering.complete(draft, known, found);
    }
    lowering.data();
    let first = first.and_then(|first| lowering.ids.get(first).copied());
    let SetLowering {
        mut builder,
        mut instructions,
        mut targets,
        ids,
        ..
    } = lowering;
    let settings =
        Settings::for_one_source(variant, SourceKind::Navigation, OTHERWISE, &mut builder);
    let contract = set
        .contract
        .as_ref()
        .and_then(|node| contract(node, variant, &instructions.guidance, &mut builder, found));
    if found.has_errors() {
        return None;
    }
    if set.shape == SetShape::Folder {
        instructions.guidance.mentions = mentions(set, &mut targets, &ids, sources);
        instructions.guidance.habits = habits(set);
    }
    let header = MachineHeader {
        name: set.name.clone(),
        dialect: "markdown",
        source: shown,
        version: String::new(),
        description: String::new(),
    };
    let (instructions, contract) = (Some(Box::new(instructions)), contract.map(Box::new));
    let policies = PolicyList {
        instructions,
        contract,
        ..PolicyList::default()
    };
    Some(assemble(
        builder,
        header,
        settings,
        first?,
        sources.clone(),
        policies,
    ))
}

/// Tells what stands in backticks and is nearly the name of a state, and neither that of one nor one of data.
fn slips(states: &[StateDraft], found: &mut Diagnostics) {
    let known: BTreeSet<&str> = states.iter().map(|draft| &*draft.name.text).collect();
    let data = states
        .iter()
        .flat_map(|draft| draft.reads.iter().flatten().chain(&draft.writes));
    let data: BTreeSet<&str> = data.map(|name| &*name.text).collect();
    // These are told of where they are read as names.
    let targets = states
        .iter()
        .flat_map(|draft| &draft.moves)
        .flat_map(|one| &one.targets)
        .map(|target| &target.name);
    let read: BTreeSet<Span> = states
        .iter()
        .flat_map(|draft| &draft.loads)
        .chain(targets)
        .map(|name| name.span)
        .collect();
    let quoted = states
        .iter()
        .filter_map(|draft| draft.layout.as_ref())
        .flat_map(|layout| &layout.quoted);
    let quoted = quoted.filter(|name| !known.contains(&*name.text) && !data.contains(&*name.text));
    let mut asked = BTreeSet::new();
    for name in quoted.filter(|name| !read.contains(&name.span)) {
        // Nobody reads more of them.
        if asked.len() == SUGGESTED || !asked.insert(&*name.text) {
            continue;
        }
        let Some(near) = slip_of(&name.text, &known) else {
            continue;
        };
        Diagnostic::warning(
            Code::NearName,
            format!("nothing else knows `{}`", name.text),
        )
        .at(name.span, "only here")
        .help(format!("did you mean the state `{near}`?"))
        .replacement(near)
        .add_to(found);
    }
}

/// The names that mean something by themselves, each with the key of `instructions/system.md` that would say it.
fn habits(set: &StateSet) -> Box<[(&'static str, &'static str)]> {
    let base = &set.base;
    let usual = [
        (INITIAL, "initial", &base.initial),
        (CONSENT, "consent", &base.consent),
        (WITHOUT_DATA, "without_data", &base.without_data),
    ];
    usual
        .into_iter()
        .filter(|(_, _, said)| said.is_none())
        .map(|(name, key, _)| (name, key))
        .collect()
}

/// What a name says of its state by how it begins: that it loads data, or that it needs none unless it says so.
pub fn said_by_beginning(name: &str) -> Option<&'static str> {
    [LOADS, DATA]
        .into_iter()
        .find(|beginning| name.starts_with(beginning))
}

/// What may be carried over from turn to turn, as `contract.yaml` beside the states says.
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
    let text = ContractText::read(&mut fields);
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

/// The moves of a state, one a target, in the order of the text.
fn resolve<'s>(
    draft: &'s StateDraft,
    shape: SetShape,
    targets: &mut Targets<'_>,
    found: &mut Diagnostics,
) -> Vec<Known<'s>> {
    let mut moves: IndexMap<usize, Known<'s>, FxBuildHasher> = IndexMap::default();
    let errors = found.error_count();
    for written in &draft.moves {
        for target in &written.targets {
            for place in targets.resolve(target, found) {
                let span = target.name.span;
                let known = moves.entry(place).or_insert(Known {
                    conditions: Vec::new(),
                    target: place,
                    events: Vec::new(),
                    span,
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
    }
    if moves.is_empty() && !draft.is_final && !draft.moves_lost && found.no_errors_since(errors) {
        let remedy = match shape {
            SetShape::Folder => {
                "add the section `## Transitions` (`## Переходы`), or `final: true` to the front matter"
            }
            SetShape::Document => "add a row for it, or name it under `final:` in the front matter",
        };
        Diagnostic::warning(
            Code::DeadEnd,
            format!("nothing leads out of `{}`", draft.name.text),
        )
        .at(draft.name.span, "this state")
        .help(remedy)
        .add_to(found);
    }
    moves.into_values().collect()
}

/// The machine in the making.
struct SetLowering<'s> {
    set: &'s StateSet,
    targets: Targets<'s>,
    builder: MachineBuilder,
    instructions: Instructions,
    /// The ids of the states, by their place in the set.
    ids: Vec<StateId>,
}

impl SetLowering<'_> {
    /// Mints the names of the states: the initial one first.
    fn declare(&mut self, first: Option<usize>) {
        // The default of all other actions is the first one that is minted.
        self.builder.action(OTHERWISE);
        let draft = first.and_then(|first| self.set.states.get(first));
        for draft in draft.into_iter().chain(&self.set.states) {
            self.builder.state(&draft.name.text);
        }
        self.ids = self
            .set
            .states
            .iter()
            .map(|draft| self.builder.state(&draft.name.text))
            .collect();
    }

    fn id(&self, place: usize) -> Option<StateId> {
        self.ids.get(place).copied()
    }

    fn instructions(&mut self, found: &mut Diagnostics) {
        let base = &self.set.base;
        let mut special = |said: &Option<super::plain::NamedText>, key: &str, usual: &str| {
            let place = match said {
                Some(name) => self.targets.named(name, key, found),
                None => self.targets.place(usual),
            };
            place.and_then(|place| self.id(place))
        };
        let consent = special(&base.consent, "consent", CONSENT);
        let without_data = special(&base.without_data, "without_data", WITHOUT_DATA);
        let limits = base.limits.iter().map(|limit| {
            let states = limit
                .states
                .iter()
                .filter_map(|name| self.targets.named(name, "states", found));
            ReplyLimit {
                name: limit.name.clone(),
                pattern: limit.pattern.clone(),
                least: limit.least,
                most: limit.most,
                states: states.filter_map(|place| self.id(place)).collect(),
            }
        });
        let limits = limits.collect();
        self.builder.schemas.clone_from(&base.schemas);
        self.instructions = Instructions {
            guidance: Guidance {
                base: base.text.as_str().into(),
                consent,
                without_data,
                ..Guidance::default()
            },
            limits,
        };
    }

    fn complete(&mut self, draft: &StateDraft, known: &[Known<'_>], found: &mut Diagnostics) {
        let origin = self.builder.origin(Origin {
            state: draft.name.text.clone(),
            mixin: None,
        });
        let mut moves = Vec::with_capacity(known.len());
        for known in known {
            let Some(target) = self.id(known.target) else {
                continue;
            };
            let rule = self.builder.rule(known.span, origin);
            let events = known
                .events
                .iter()
                .map(|event| event.as_str().into())
                .collect();
            moves.push(Move {
                target,
                condition: known.conditions.join("; ").into(),
                events,
                rule,
            });
        }
        let reads = self.reads(draft, found);
        let writes = self.writes(draft, found);
        let outline = self.outline(draft);
        let phase = draft.phase.as_deref().map(|name| self.builder.phase(name));
        let arrival = self
            .builder
            .action(&format!("transition_to_{}", draft.name.text));
        let id = self.builder.state(&draft.name.text);
        let state = &mut self.builder.states[id];
        state.declared = true;
        state.span = Some(draft.name.span);
        state.arrival = Some(arrival);
        state.phase = phase;
        state.seen_phase = phase;
        state.is_final = draft.is_final;
        state.goal.clone_from(&draft.goal);
        *self.instructions.guidance.states.grow(id) = Some(Guide {
            instruction: draft.instruction.clone(),
            triggers: draft.triggers.clone().into(),
            moves: moves.into(),
            degradation: draft.degradation.clone(),
            reads: reads.into(),
            writes,
            outline: outline.map(Box::new),
        });
    }

    /// What is read and written where states are entered.
    fn data(&mut self) {
        let Self {
            set,
            builder,
            instructions: Instructions { guidance, .. },
            ids,
            ..
        } = self;
        if guidance
            .all()
            .all(|(_, guide)| guide.reads.is_empty() && guide.writes.is_none())
        {
            return;
        }
        let effects = DataEffects::declare(builder);
        for (draft, id) in set.states.iter().zip(ids) {
            let Some(guide) = guidance.of(*id) else {
                continue;
            };
            let origin = builder.origin(Origin {
                state: draft.name.text.clone(),
                mixin: None,
            });
            let rule = builder.rule(draft.name.span, origin);
            effects.enter(*id, guide, guidance, rule, builder);
        }
    }

    /// The data that a state needs: as it says, else what the states load that its steps name.
    fn reads(&mut self, draft: &StateDraft, found: &mut Diagnostics) -> Vec<SlotId> {
        let mut keys: NameTable<'_, ()> = NameTable::default();
        if let Some(reads) = &draft.reads {
            keys.extend(reads.iter().map(|key| (&*key.text, ())));
        } else if !draft.name.text.starts_with(DATA) {
            for load in &draft.loads {
                let place = self.targets.place(&load.text);
                let loader = place.and_then(|place| self.set.states.get(place));
                match loader.and_then(|loader| loader.reads.as_ref()) {
                    Some(reads) => keys.extend(reads.iter().map(|key| (&*key.text, ()))),
                    None => {
                        keys.insert(load.text.strip_prefix(LOADS).unwrap_or_default(), ());
                    }
                }
                if loader.is_none() {
                    let title = format!("`{}` loads data, but is not a state", load.text);
                    Diagnostic::warning(Code::UnknownState, title)
                        .at(load.span, "no such state")
                        .suggest(
                            self.targets.near(&load.text),
                            "add the state, or say what is read with `reads:`",
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

    /// What the rules of good states are held against.
    fn outline(&mut self, draft: &StateDraft) -> Option<StateOutline> {
        let layout = draft.layout.as_ref()?;
        let own = &draft.name.text;
        let leads = layout
            .leads
            .iter()
            .filter(|lead| !lead.text.starts_with(LOADS) && lead.text != *own);
        let leads =
            leads.filter_map(|lead| Some((self.id(self.targets.place(&lead.text)?)?, lead.span)));
        let leads = leads.collect();
        let loaders = draft
            .loads
            .iter()
            .filter_map(|load| self.id(self.targets.place(&load.text)?));
        let loaders = loaders.collect();
        let keys = draft
            .reads
            .iter()
            .flatten()
            .filter(|key| !key.text.is_empty());
        let asks = keys.map(|key| DataRequest {
            slot: self.builder.slot(&key.text),
            span: key.span,
            named: names(&self.targets, &self.set.states, draft, layout, &key.text),
        });
        Some(StateOutline {
            asks: asks.collect(),
            leads,
            loaders,
            goals: layout.goals.as_slice().into(),
        })
    }

    fn writes(&self, draft: &StateDraft, found: &mut Diagnostics) -> Option<SchemaId> {
        let name = draft.writes.as_ref()?;
        let schemas = &self.set.base.schemas;
        schemas
            .pairs()
            .find_map(|(id, schema)| (schema.name == name.text).then_some(id))
            .or_else(|| {
                let names = schemas.iter().map(|schema| &*schema.name);
                Diagnostic::error(
                    Code::UnknownSchema,
                    format!("there is no schema `{}`", name.text),
                )
                .at(name.span, "no such schema")
                .near(
                    &name.text,
                    names,
                    "name a file of `schemas/`, without `.json`",
                )
                .refuse(found)
            })
    }
}

/// Whether the text of a state names a piece of data: by its key in backticks, or by a state that loads it. Such a state
/// names by its own name what it loads.
fn names(
    targets: &Targets<'_>,
    states: &[StateDraft],
    draft: &StateDraft,
    layout: &Layout,
    key: &str,
) -> bool {
    let loads = |word: &str| {
        let loader = targets
            .place(word)
            .and_then(|place| states.get(place))
            .filter(|_| word != &*draft.name.text);
        let reads = loader.and_then(|loader| loader.reads.as_ref());
        word.strip_prefix(LOADS) == Some(key)
            || reads.into_iter().flatten().any(|read| &*read.text == key)
    };
    let words = layout.words.iter().filter(|word| word.starts_with(LOADS));
    layout.words.contains(key)
        || loads(&draft.name.text)
        || words.into_iter().any(|word| loads(word))
}
