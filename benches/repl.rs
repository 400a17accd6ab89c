//! The time from saving an edited flow to the updated dialogue, for a flow with sixty states and a dialogue with thirty turns.

#![allow(
    clippy::panic,
    clippy::unwrap_used,
    reason = "a measurement that cannot be made stops"
)]

use std::fmt::Write;
use std::hint::black_box;
use std::path::Path;
use std::sync::Arc;

use criterion::{BatchSize, Criterion, criterion_group, criterion_main};
use fsmsim::repl::{Repl, ReplReply};
use fsmsim_core::engine::Machine;
use fsmsim_core::machine::Profile;
use fsmsim_dialects::dialect::Loader;
use fsmsim_harness::interactive::InteractiveDialogue;
use fsmsim_syntax::diagnostic::Diagnostics;

const STATES: usize = 60;
const TURNS: usize = 30;

/// A chain of states. `last` is the state that the last turn of the dialogue reaches.
fn flow(last: usize) -> String {
    let mut text = String::from("flow: {name: sixty}\nentry_points: {default: s0}\nstates:\n");
    for state in 0..STATES {
        let next = if state + 1 == TURNS {
            last
        } else {
            (state + 1) % STATES
        };
        let _ = writeln!(
            text,
            "  s{state}:\n    goal: Goal {state}\n    transitions: {{go: s{next}, back: s{}, stay: s{state}}}",
            state.saturating_sub(1)
        );
    }
    text
}

fn load(path: &Path) -> Arc<Machine> {
    let mut found = Diagnostics::default();
    let machine = Loader::default().load(path, Profile::default(), None, &mut found);
    Arc::new(
        machine
            .filter(|_| !found.has_errors())
            .unwrap_or_else(|| panic!("{found:?}")),
    )
}

/// An interactive dialogue whose flow was edited and saved.
fn edited(path: &Path) -> Repl {
    std::fs::write(path, flow(TURNS)).unwrap();
    let file = path.to_path_buf();
    let interactive = InteractiveDialogue::new(&load(path), "", false).unwrap();
    let mut repl = Repl::over(interactive.reading_again(Box::new(move || Ok(load(&file)))));
    for _ in 0..TURNS {
        repl.take("go");
    }
    std::fs::write(path, flow(STATES - 1)).unwrap();
    repl
}

fn reload(criterion: &mut Criterion) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("sixty.yaml");
    let seen = edited(&path).take(":branches");
    assert!(
        matches!(&seen, ReplReply::Show(text) if text.contains("+ state: s59")),
        "{seen:?}"
    );
    criterion.bench_function("from an edit to the differences", |bencher| {
        bencher.iter_batched(
            || edited(&path),
            |mut repl| black_box(repl.take(":branches")),
            BatchSize::PerIteration,
        );
    });
}

criterion_group!(benches, reload);
criterion_main!(benches);
