//! Plays a fixed amount of work inside one process, so that valgrind can count it: `fsmsim-counted WORKLOAD COUNT [MODEL…]`.
//!
//! A count of 0 prepares the same work and plays none of it. The difference of both counts is the work alone.

#![allow(
    clippy::indexing_slicing,
    clippy::panic,
    clippy::unwrap_used,
    reason = "a measurement that cannot be made stops"
)]

mod flow_turns;
mod sales;

use std::hint::black_box;
use std::io::Write;
use std::path::{Path, PathBuf};

use fsmsim_core::engine::{Machine, SignalMode};
use fsmsim_core::machine::Profile;
use fsmsim_dialects::dialect::Loader;
use fsmsim_syntax::diagnostic::{Diagnostics, render};

use flow_turns::{FlowTurns, Recording};

fn load(path: &Path, profile: Profile) -> Machine {
    let mut loader = Loader::default();
    let mut found = Diagnostics::default();
    let machine = loader.load(path, profile, None, &mut found);
    machine.unwrap_or_else(|| panic!("{}", render(&found, &loader.sources, false)))
}

/// Loads every model `count` times.
fn load_models(models: &[PathBuf], count: usize) {
    for _ in 0..count {
        for model in models {
            black_box(load(model, Profile::default()).rules.len());
        }
    }
}

fn main() {
    let mut arguments = std::env::args().skip(1);
    let workload = arguments.next().unwrap_or_default();
    let count = arguments.next().unwrap().parse::<usize>().unwrap();
    let models: Vec<PathBuf> = arguments.map(PathBuf::from).collect();
    let turns = |signals, recording| {
        let [model] = models.as_slice() else {
            panic!("expected one model");
        };
        FlowTurns::new(load(model, Profile::Reference)).play(signals, recording, count);
    };
    match (workload.as_str(), models.as_slice()) {
        ("events", [model]) => {
            sales::play_events(&load(model, Profile::Documented), count, |_| ());
        }
        ("conversations", [model]) => {
            let text = sales::conversations(&load(model, Profile::Documented), count);
            std::io::stdout().write_all(text.as_bytes()).unwrap();
        }
        ("load", _) => load_models(&models, count),
        ("turns", _) => turns(SignalMode::None, Recording::Off),
        ("turns-derived", _) => turns(SignalMode::Derived, Recording::Off),
        ("turns-recorded", _) => turns(SignalMode::Derived, Recording::Kept),
        ("turns-lines", _) => turns(SignalMode::Derived, Recording::Lines),
        _ => panic!("unknown workload `{workload}`, or a wrong number of models"),
    }
}
