//! The common workload of model checkers (`fixtures/explore/workload.yaml`): its size is known exactly.
#![allow(
    clippy::unwrap_used,
    clippy::print_stderr,
    reason = "a test that cannot continue fails"
)]

use std::path::Path;
use std::sync::Arc;
use std::time::Instant;

use fsmsim_core::engine::Machine;
use fsmsim_core::machine::Profile;
use fsmsim_runtime::project::{ModelCache, Project};
use fsmsim_search::search::{Bounds, Exploration, SearchQuestion, SearchVerdict, explore};
use fsmsim_syntax::diagnostic::{Diagnostics, SourceMap};
use fsmsim_syntax::threads::Threads;

fn workload() -> Arc<Machine> {
    let home = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let project = Project::at(
        &home,
        &mut SourceMap::default(),
        &mut Diagnostics::default(),
    );
    let mut models = ModelCache::new(&project, None);
    models
        .load(
            &home.join("fixtures/explore/workload.yaml"),
            Profile::default(),
        )
        .unwrap()
}

fn explored(machine: &Machine, depth: Option<u32>, threads: usize) -> Exploration {
    let bounds = Bounds {
        depth,
        ..Bounds::default()
    };
    let threads = Threads::new(threads).unwrap();
    let start = Instant::now();
    let wanted = |_: &str| depth.is_some();
    let found = explore(
        machine,
        machine.settings(),
        &wanted,
        &bounds,
        &threads,
        &mut |_| None,
    );
    eprintln!("depth {depth:?}: {:?}", start.elapsed());
    found
}

#[test]
fn workload_has_the_known_numbers_of_states_and_transitions() {
    let machine = workload();
    for threads in [1, 2] {
        let found = explored(&machine, Some(600), threads);
        let is_property = |finding: &&fsmsim_search::search::SearchFinding| {
            finding.question == SearchQuestion::Property
        };
        let property = found.findings.iter().find(is_property).unwrap();
        assert_eq!(property.visited, Some((4_758_408, 42_680_218)));
        assert!(matches!(property.verdict, SearchVerdict::WithinBound(_)));
    }
}

#[test]
fn workload_without_its_property_is_small() {
    let found = explored(&workload(), None, 1);
    assert_eq!(
        (found.states, found.transitions, found.bound),
        (135, 1260, None)
    );
}
