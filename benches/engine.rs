//! Turns per second and loading times, measured with the flows in `FSMSIM_REFERENCE` (a configuration root). By default
//! with the flows of this repository.

#![allow(
    clippy::indexing_slicing,
    clippy::panic,
    clippy::unwrap_used,
    reason = "a measurement that cannot be made stops"
)]

#[path = "counted/flow_turns.rs"]
mod flow_turns;

use std::hint::black_box;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use fsmsim_core::engine::{Machine, SignalMode};
use fsmsim_core::machine::Profile;
use fsmsim_dialects::dialect::Loader;
use fsmsim_syntax::diagnostic::{Diagnostics, render};

use flow_turns::{FlowTurns, Recording};

/// Turns per iteration.
const COUNT: usize = 10_000;

fn root() -> PathBuf {
    match std::env::var_os("FSMSIM_REFERENCE") {
        Some(folder) => PathBuf::from(folder),
        None => Path::new(env!("CARGO_MANIFEST_DIR")).to_path_buf(),
    }
}

/// The folders that contain a flow, sorted by name.
fn flows() -> Vec<PathBuf> {
    let entries = std::fs::read_dir(root().join("flows")).unwrap();
    let mut flows: Vec<PathBuf> = entries
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.join("flow.yaml").is_file())
        .collect();
    flows.sort();
    flows
}

fn load(loader: &mut Loader, path: &Path) -> Machine {
    let mut found = Diagnostics::default();
    let machine = loader.load(path, Profile::Reference, None, &mut found);
    machine.unwrap_or_else(|| panic!("{}", render(&found, &loader.sources, false)))
}

fn turns(criterion: &mut Criterion) {
    let flow = FlowTurns::new(load(
        &mut Loader::default(),
        &root().join("flows/spin_selling"),
    ));
    let mut group = criterion.benchmark_group("turns of spin_selling");
    group
        .throughput(Throughput::Elements(COUNT as u64))
        .sample_size(20);
    for (name, mode, recording) in [
        ("signals none", SignalMode::None, Recording::Off),
        ("signals derived", SignalMode::Derived, Recording::Off),
        (
            "signals derived, recorded",
            SignalMode::Derived,
            Recording::Kept,
        ),
        (
            "signals derived, written as JSON Lines",
            SignalMode::Derived,
            Recording::Lines,
        ),
    ] {
        group.bench_function(name, |bencher| {
            bencher.iter(|| flow.play(mode, recording, COUNT));
        });
    }
    group.finish();
}

fn loading(criterion: &mut Criterion) {
    let flows = flows();
    let mut group = criterion.benchmark_group("loading");
    group.sample_size(20);
    group.bench_function("one flow", |bencher| {
        bencher.iter(|| {
            black_box(
                load(&mut Loader::default(), &root().join("flows/spin_selling"))
                    .rules
                    .len(),
            )
        });
    });
    group.bench_function(format!("all {} flows", flows.len()), |bencher| {
        bencher.iter(|| {
            let mut loader = Loader::default();
            flows
                .iter()
                .map(|flow| load(&mut loader, flow).rules.len())
                .sum::<usize>()
        });
    });
    group.bench_function("cold start of the binary", |bencher| {
        bencher.iter(|| {
            let status = Command::new(env!("CARGO_BIN_EXE_fsmsim"))
                .arg("--version")
                .stdout(Stdio::null())
                .status()
                .unwrap();
            assert!(status.success());
        });
    });
    group.finish();
}

criterion_group!(benches, turns, loading);
criterion_main!(benches);
