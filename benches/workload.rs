//! The common workload: an event stream made by a linear congruential generator, played through the engine (W1) and as
//! scenario documents through the binary (W2).

#![allow(
    clippy::indexing_slicing,
    clippy::panic,
    clippy::print_stdout,
    clippy::unwrap_used,
    reason = "a measurement that cannot be made stops"
)]

use std::fmt::Write;
use std::hint::black_box;
use std::path::Path;
use std::process::{Command, Stdio};

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use fsmsim_core::engine::{Input, Machine, Scratch, Session, SignalMode, advance};
use fsmsim_core::machine::{Id, IntentId, Profile, StateId};
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
const INTENTS: [&str; 14] = [
    "price_question",
    "info_provided",
    "situation_provided",
    "problem_revealed",
    "implication_acknowledged",
    "need_expressed",
    "agreement",
    "demo_request",
    "contact_provided",
    "objection_price",
    "objection_think",
    "rejection",
    "go_back",
    "unclear",
];
/// Which intent a draw of five bits stands for.
const TABLE: [usize; 32] = [
    0, 0, 0, 1, 1, 1, 1, 2, 2, 2, 3, 3, 3, 4, 4, 5, 5, 6, 6, 7, 8, 9, 9, 9, 10, 10, 11, 12, 12, 13,
    13, 13,
];
const EVENTS: usize = 1_000_000;
/// What every engine measured on this workload comes to after a million events.
const EXPECTED_HASH: u32 = 1_670_454_011;
const EXPECTED_VISITS: [u32; 10] = [
    46_926, 68_558, 55_932, 45_816, 33_181, 217_829, 254_776, 198_932, 31_324, 46_726,
];
const CONVERSATIONS: usize = 10_000;

/// The event stream: numbers of intents.
struct Events(u32);

impl Iterator for Events {
    type Item = usize;

    fn next(&mut self) -> Option<usize> {
        self.0 = self.0.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        TABLE.get((self.0 >> 27) as usize).copied()
    }
}

fn events() -> Events {
    Events(12_345)
}

fn machine() -> Machine {
    let mut loader = Loader::default();
    let mut found = Diagnostics::default();
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("benches/sales_workload.yaml");
    let machine = loader.load(&path, Profile::Documented, None, &mut found);
    machine.unwrap_or_else(|| panic!("{}", render(&found, &loader.sources, false)))
}

/// Plays `count` events; gives the visits of each state and the hash of the path.
fn play(machine: &Machine, inputs: &[Input], count: usize) -> ([u32; 10], u32) {
    let mut settings = machine.settings().clone();
    settings.signals = SignalMode::None;
    let places: Vec<StateId> = STATES
        .iter()
        .map(|name| machine.names.states.id(name).unwrap())
        .collect();
    let mut index = vec![0usize; machine.states.len()];
    for (number, state) in places.iter().enumerate() {
        index[state.index()] = number;
    }
    let mut session = Session::new(machine);
    let mut scratch = Scratch::default();
    let (mut visits, mut hash) = ([0u32; 10], 0u32);
    for event in events().take(count) {
        advance(
            machine,
            &settings,
            &mut session,
            &inputs[event],
            &[],
            &mut scratch,
            &mut (),
        );
        let state = index[session.position.state.index()];
        visits[state] += 1;
        hash = hash
            .wrapping_mul(31)
            .wrapping_add(u32::try_from(state).unwrap() + 1);
        if session.is_final(machine) {
            session.reset(machine);
        }
    }
    (visits, hash)
}

fn w1(criterion: &mut Criterion) {
    let machine = machine();
    let inputs: Vec<Input> = INTENTS
        .iter()
        .map(|name| {
            Input::intent(
                machine
                    .names
                    .intents
                    .id(name)
                    .unwrap_or_else(|| IntentId::from_index(usize::MAX)),
            )
        })
        .collect();
    assert_eq!(
        play(&machine, &inputs, EVENTS),
        (EXPECTED_VISITS, EXPECTED_HASH),
        "the engine plays another game"
    );
    let mut group = criterion.benchmark_group("common workload");
    group
        .throughput(Throughput::Elements(EVENTS as u64))
        .sample_size(10);
    group.bench_function("W1, events through the engine", |bencher| {
        bencher.iter(|| black_box(play(&machine, &inputs, EVENTS)));
    });
    group.finish();
}

/// The scenario documents: ten asserted turns each; a conversation that ended begins again.
fn documents() -> String {
    let machine = machine();
    let mut settings = machine.settings().clone();
    settings.signals = SignalMode::None;
    let mut text = String::new();
    let mut stream = events();
    let mut scratch = Scratch::default();
    for number in 0..CONVERSATIONS {
        let _ = write!(
            text,
            "---\nscenario: Conversation {number}\nmodel: ./sales_workload.yaml\nsignals: none\nturns:\n"
        );
        let mut session = Session::new(&machine);
        for _ in 0..10 {
            let event = stream.next().unwrap();
            let reset = session.is_final(&machine);
            if reset {
                session.reset(&machine);
            }
            let input = Input::intent(machine.names.intents.id(INTENTS[event]).unwrap());
            advance(
                &machine,
                &settings,
                &mut session,
                &input,
                &[],
                &mut scratch,
                &mut (),
            );
            let state = machine.names.states.name(session.position.state);
            let before = if reset { "before: [{op: reset}], " } else { "" };
            let _ = writeln!(
                text,
                "  - {{{before}intent: {}, expect: {{state: {state}}}}}",
                INTENTS[event]
            );
        }
    }
    text
}

fn w2(criterion: &mut Criterion) {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("workload");
    std::fs::create_dir_all(&folder).unwrap();
    let model = Path::new(env!("CARGO_MANIFEST_DIR")).join("benches/sales_workload.yaml");
    std::fs::copy(model, folder.join("sales_workload.yaml")).unwrap();
    let file = folder.join("conversations.yaml");
    std::fs::write(&file, documents()).unwrap();
    println!("scenarios of W2: {}", file.display());
    let run = || {
        let status = Command::new(env!("CARGO_BIN_EXE_fsmsim"))
            .arg("test")
            .arg(&file)
            .stdout(Stdio::null())
            .status()
            .unwrap();
        assert!(status.success(), "the scenarios of W2 pass");
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
