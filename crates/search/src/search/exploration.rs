//! Everything that a search of one model answers.

use super::bounds::{Bounds, SearchBound, Watch};
use super::finding::{SearchFinding, SearchQuestion, SearchVerdict};
use super::product::Product;
use super::questions::questions;
use super::searched_model::SearchedModel;
use super::space::Space;
use fsmsim_core::engine::{Fault, Machine, Settings, TurnRecord};
use fsmsim_core::machine::{MachineProperty, PropertyKind};
use fsmsim_syntax::threads::Threads;

/// The answers about all dialogues of a model.
#[derive(Debug)]
pub struct Exploration {
    pub states: usize,
    /// The number of turns, counted per declared intent.
    pub transitions: u64,
    /// The number of turns of the longest shortest dialogue.
    pub depth: usize,
    pub memory: usize,
    pub bound: Option<SearchBound>,
    /// The reasons why results do not hold for all dialogues.
    pub loose: Vec<Box<str>>,
    /// The parts that multiply the states, the largest first.
    pub sizes: Vec<StatePart>,
    pub findings: Vec<SearchFinding>,
}

/// A part of a state with several values.
#[derive(Clone, Debug)]
pub struct StatePart {
    /// `slots`, `counters`, `signals` or another kind of part.
    pub kind: &'static str,
    pub name: String,
    /// The number of values.
    pub values: usize,
    /// The factor by which the part multiplies the states.
    pub factor: f64,
}

/// Searches all dialogues of a model, answers the questions of every model and checks its properties. `wanted` selects
/// properties by name.
pub fn explore(
    machine: &Machine,
    settings: &Settings,
    wanted: &dyn Fn(&str) -> bool,
    bounds: &Bounds,
    threads: &Threads,
    watch: &mut Watch<'_>,
) -> Exploration {
    let mut searched = SearchedModel::new(machine, settings);
    let space = Space::search(&mut searched, bounds, threads, watch);
    let mut findings = questions(&searched, &space);
    findings
        .retain(|finding| finding.question != SearchQuestion::Property || wanted(&finding.subject));
    for (number, property) in machine.properties.iter().enumerate() {
        let is_known = findings.iter().any(|known| {
            known.question == SearchQuestion::Property && known.subject == *property.name
        });
        if wanted(&property.name) && !is_known {
            findings.push(check(&searched, &space, (number, property), bounds, watch));
        }
    }
    for finding in &mut findings {
        if let Some(witness) = &finding.witness {
            // A loop is played twice, so that it leads to where it began.
            let mut witness = witness.clone();
            let loops = finding.repeats.unwrap_or(witness.steps.len());
            witness.steps.extend_from_within(loops..);
            let record = witness.replay(machine, &searched.settings);
            finding.is_played = record.is_ok_and(|record| shows(machine, finding, &record));
        }
    }
    let parts = searched.projection.parts(machine).into_iter();
    let sizes = parts.map(|part| StatePart {
        factor: space.factor(&part),
        kind: part.kind,
        name: part.name,
        values: part.values,
    });
    let sizes = sizes.collect();
    Exploration {
        states: space.len(),
        transitions: space.transitions,
        depth: space.depth(),
        memory: space.memory(),
        bound: space.bound,
        loose: searched.loose.iter().cloned().collect(),
        sizes,
        findings,
    }
}

/// Whether the last turn of a dialogue violates the property, if one turn can violate it.
fn shows(machine: &Machine, finding: &SearchFinding, record: &TurnRecord) -> bool {
    let is_subject = |property: &MachineProperty| {
        finding.question == SearchQuestion::Property && *property.name == *finding.subject
    };
    let number = machine.properties.iter().position(is_subject);
    let single = number.filter(|number| {
        machine
            .properties
            .get(*number)
            .is_some_and(|property| !property.kind.is_lasting())
    });
    single.is_none_or(|number| record.violations.contains(&Fault::Property(number)))
}

/// Checks one property.
fn check(
    searched: &SearchedModel<'_>,
    space: &Space,
    (number, property): (usize, &MachineProperty),
    bounds: &Bounds,
    watch: &mut Watch<'_>,
) -> SearchFinding {
    let is_carried = searched.is_carried.get(number) == Some(&true);
    let open = |bound: Option<SearchBound>| match (bound, searched.loose.first()) {
        (Some(bound), _) => Some(SearchVerdict::WithinBound(bound)),
        (None, Some(reason)) => Some(SearchVerdict::WithinValues(reason.clone())),
        (None, None) => None,
    };
    let named = |verdict| SearchFinding {
        rule: Some(property.rule),
        ..SearchFinding::new(SearchQuestion::Property, &*property.name, verdict)
    };
    let is_single = matches!(property.kind, PropertyKind::Always | PropertyKind::Never);
    if is_single && !is_carried {
        // The engine evaluated the property in every turn, and no turn violates it.
        return named(open(space.bound).unwrap_or(SearchVerdict::Proved));
    }
    if property.kind == PropertyKind::Reachable && !is_carried {
        let holds = |state: &u32| {
            let edges = space.edges(*state).iter();
            let mut held = edges.filter(|edge| {
                let lasting = &space.sight(edge).lasting;
                lasting.iter().any(|(of, _, holds)| *of == number && *holds)
            });
            held.next().is_some()
        };
        let verdict = match space.numbers().find(holds) {
            Some(_) => SearchVerdict::Proved,
            None => open(space.bound).unwrap_or(SearchVerdict::Found),
        };
        return named(verdict);
    }
    let Some(mut product) = Product::new(searched, space, number) else {
        return named(SearchVerdict::WithinValues(
            "the property reads too many slots".into(),
        ));
    };
    let found = product.search(bounds, watch);
    let is_wanted = property.kind == PropertyKind::Reachable;
    let verdict = match (&found, is_wanted) {
        (Some(_), true) => SearchVerdict::Proved,
        // A value that is not tried could leave a loop.
        (Some((_, Some(_))), false) => open(None).unwrap_or(SearchVerdict::Found),
        (Some(_), false) => SearchVerdict::Found,
        (None, true) => open(product.bound).unwrap_or(SearchVerdict::Found),
        (None, false) => open(product.bound).unwrap_or(SearchVerdict::Proved),
    };
    let visited = Some((product.len(), product.transitions));
    let (witness, repeats) = found.filter(|_| !is_wanted).unzip();
    SearchFinding {
        visited,
        witness,
        repeats: repeats.flatten(),
        ..named(verdict)
    }
}
