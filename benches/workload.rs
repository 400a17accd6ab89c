//! The common workload: an event stream made by a linear congruential generator, played through the engine (W1) and as
//! scenario documents through the binary (W2).

#![allow(
    clippy::indexing_slicing,
    clippy::panic,
    clippy::print_stdout,
    clippy::unwrap_used,
    reason = "a measurement that cannot be made stops"
)]

#[path = "counted/sales.rs"]
mod sales;

use std::hint::black_box;
use std::path::Path;
use std::process::{Command, Stdio};

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use fsmsim_core::engine::Machine;
use fsmsim_core::machine::{Id, Profile};
use fsmsim_dialects::dialect::Loader;
use fsmsim_syntax::diagnostic::{Diagnostics, render};

const STATES: [&str; 10] = [
    "greeting",
    "spin_situation",
    "spin_problem",
    "spin_implication",
    "spin_need_payoff",
    "presentation",
    "handle_objection",
    "close",
    "success",
    "soft_close",
];
const EVENTS: usize = 1_000_000;
/// The hash after a million events. Every engine that runs this workload must reach it.
const EXPECTED_HASH: u32 = 1_670_454_011;
const EXPECTED_VISITS: [u32; 10] = [
    46_926, 68_558, 55_932, 45_816, 33_181, 217_829, 254_776, 198_932, 31_324, 46_726,
];
const CONVERSATIONS: usize = 10_000;

fn machine() -> Machine {
    let mut loader = Loader::default();
    let mut found = Diagnostics::default();
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("benches/sales_workload.yaml");
    let machine = loader.load(&path, Profile::Documented, None, &mut found);
    machine.unwrap_or_else(|| panic!("{}", render(&found, &loader.sources, false)))
}

/// Plays `count` events; returns the visits of each state and the hash of the path.
fn play(machine: &Machine, count: usize) -> ([u32; 10], u32) {
    let mut index = vec![0usize; machine.states.len()];
    for (number, name) in STATES.iter().enumerate() {
        let state = machine.names.states.id(name).unwrap();
        index[state.index()] = number;
    }
    let (mut visits, mut hash) = ([0u32; 10], 0u32);
    sales::play_events(machine, count, |state| {
        let state = index[state.index()];
        visits[state] += 1;
        hash = hash
            .wrapping_mul(31)
            .wrapping_add(u32::try_from(state).unwrap() + 1);
    });
    (visits, hash)
}

fn w1(criterion: &mut Criterion) {
    let machine = machine();
    assert_eq!(
        play(&machine, EVENTS),
        (EXPECTED_VISITS, EXPECTED_HASH),
        "the visits or the hash differ"
    );
    let mut group = criterion.benchmark_group("common workload");
    group
        .throughput(Throughput::Elements(EVENTS as u64))
        .sample_size(10);
    group.bench_function("W1, events through the engine", |bencher| {
        bencher.iter(|| black_box(play(&machine, EVENTS)));
    });
    group.finish();
}

fn w2(criterion: &mut Criterion) {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("workload");
    std::fs::create_dir_all(&folder).unwrap();
    let model = Path::new(env!("CARGO_MANIFEST_DIR")).join("benches/sales_workload.yaml");
    std::fs::copy(model, folder.join("sales_workload.yaml")).unwrap();
    let file = folder.join("conversations.yaml");
    let documents = sales::conversations(&machine(), CONVERSATIONS);
    std::fs::write(&file, documents).unwrap();
    println!("scenarios of W2: {}", file.display());
    let run = || {
        let status = Command::new(env!("CARGO_BIN_EXE_fsmsim"))
            .arg("test")
            .arg(&file)
            .stdout(Stdio::null())
            .status()
            .unwrap();
        assert!(status.success(), "the scenarios of W2 must pass");
    };
    let mut group = criterion.benchmark_group("common workload");
    group
        .throughput(Throughput::Elements(CONVERSATIONS as u64 * 10))
        .sample_size(10);
    group.bench_function("W2, asserted turns through the binary", |bencher| {
        bencher.iter(run);
    });
    group.finish();
}

criterion_group!(benches, w1, w2);
criterion_main!(benches);
