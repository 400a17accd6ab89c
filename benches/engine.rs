//! Turns a second and loading times. The figures are of the flows in `FSMSIM_REFERENCE` (a configuration root), where it
//! is set, else of the project's own.

#![allow(
    clippy::indexing_slicing,
    clippy::panic,
    clippy::unwrap_used,
    reason = "a measurement that cannot be made stops"
)]

use std::hint::black_box;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use fsmsim_core::engine::{
    Input, Machine, RecordView, Scratch, ScriptedTurn, Session, SignalMode, Symbol, TurnData,
    TurnRecord, advance,
};
use fsmsim_core::machine::{Float, Profile, Value};
use fsmsim_core::trace::JsonLine;
use fsmsim_dialects::dialect::Loader;
use fsmsim_syntax::diagnostic::{Diagnostics, render};

const DIALOGUES: usize = 500;
const TURNS: usize = 20;

fn root() -> PathBuf {
    match std::env::var_os("FSMSIM_REFERENCE") {
        Some(folder) => PathBuf::from(folder),
        None => Path::new(env!("CARGO_MANIFEST_DIR")).to_path_buf(),
    }
}

/// The folders with a flow, by name.
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

/// Dialogues that touch every intent: an intent by a generator, every third turn with data.
fn dialogues(machine: &Machine) -> Vec<Vec<ScriptedTurn>> {
    let known: Vec<&str> = machine.names.intents.iter().collect();
    let mut seed = 12_345u32;
    let mut draw = |below: usize| {
        seed = seed.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        (seed >> 8) as usize % below
    };
    let slot = Symbol::of("company_size", &machine.names.slots);
    let mut turn = || {
        let data = if draw(3) == 0 {
            TurnData::Given(vec![(slot.clone(), Value::Int(50))])
        } else {
            TurnData::Absent
        };
        let input = Input {
            intent: Some(Symbol::of(known[draw(known.len())], &machine.names.intents)),
            say: Some("расскажите подробнее про интеграции с кассами".into()),
            confidence: Some(Float::new(0.5)),
            data,
            ..Input::default()
        };
        ScriptedTurn {
            input,
            ..ScriptedTurn::default()
        }
    };
    (0..DIALOGUES)
        .map(|_| (0..TURNS).map(|_| turn()).collect())
        .collect()
}

fn turns(criterion: &mut Criterion) {
    let machine = load(&mut Loader::default(), &root().join("flows/spin_selling"));
    let dialogues = dialogues(&machine);
    let mut group = criterion.benchmark_group("turns of spin_selling");
    group
        .throughput(Throughput::Elements((DIALOGUES * TURNS) as u64))
        .sample_size(20);
    for mode in [SignalMode::None, SignalMode::Derived] {
        let mut settings = machine.settings().clone();
        settings.signals = mode;
        let (mut session, mut scratch) = (Session::new(&machine), Scratch::default());
        group.bench_function(format!("signals {}", mode.name()), |bencher| {
            bencher.iter(|| {
                for dialogue in &dialogues {
                    session.reset(&machine);
                    for turn in dialogue {
                        advance(
                            &machine,
                            &settings,
                            &mut session,
                            &turn.input,
                            &[],
                            &mut scratch,
                            &mut (),
                        );
                    }
                }
                black_box(session.position)
            });
        });
    }
    let settings = machine.settings().clone();
    let (mut session, mut scratch) = (Session::new(&machine), Scratch::default());
    group.bench_function("signals derived, recorded", |bencher| {
        bencher.iter(|| {
            let mut record = TurnRecord::default();
            for dialogue in &dialogues {
                session.reset(&machine);
                for turn in dialogue {
                    advance(
                        &machine,
                        &settings,
                        &mut session,
                        &turn.input,
                        &[],
                        &mut scratch,
                        &mut record,
                    );
                }
            }
            black_box(record.turn)
        });
    });
    let (mut session, mut scratch, mut line) = (
        Session::new(&machine),
        Scratch::default(),
        JsonLine::default(),
    );
    group.bench_function("signals derived, written as JSON lines", |bencher| {
        bencher.iter(|| {
            for dialogue in &dialogues {
                session.reset(&machine);
                let mut record = TurnRecord::default();
                for turn in dialogue {
                    advance(
                        &machine,
                        &settings,
                        &mut session,
                        &turn.input,
                        &[],
                        &mut scratch,
                        &mut record,
                    );
                    line.clear();
                    let turn = RecordView {
                        machine: &machine,
                        settings: &settings,
                        session: &session,
                        scripted: turn,
                        record: &record,
                        watch: None,
                    };
                    turn.write(&mut line);
                }
            }
            black_box(line.as_bytes().len())
        });
    });
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
