//! Runs many dialogues of the model with simulated users.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::{mem, thread};

use serde::Serialize;
use serde_json::value::RawValue;
use serde_json::{Value as Json, json};

use crate::limits::MAX_DIALOGUES;
use crate::studio::operation::{Reply, StudioOperation, bodies, immediately, later, operations};
use crate::studio::refusal::Refusal;
use crate::studio::studio_state::StudioState;
use fsmsim_core::engine::{Machine, ScriptedTurn};
use fsmsim_core::trace::JsonLine;
use fsmsim_reports::report::{ending_text, most_frequent};
use fsmsim_runtime::project::Project;
use fsmsim_runtime::runtime::DialogueSetup;
use fsmsim_runtime::simulate::{
    CompiledPersona, EndCauseCount, EndReason, Persona, PersonaFolder, PersonaResult, Simulation,
    SimulationResult, SpokenIntents,
};
use fsmsim_syntax::diagnostic::{Diagnostics, SourceMap};
use fsmsim_syntax::threads::Threads;

operations! {
    "simulate" => later(simulate);
    "simulate/show" => immediately(show);
}

bodies! {
    struct SimulateBody {
        #[serde(default = "built_in")]
        personas: Vec<String>,
        #[serde(default = "some")]
        dialogues: u64,
        #[serde(default)]
        seed: u64,
    }

    /// One dialogue in a simulation.
    pub(super) struct ShowBody {
        persona: String,
        number: u64,
        #[serde(default)]
        seed: u64,
        #[serde(default = "some")]
        dialogues: u64,
    }
}

fn built_in() -> Vec<String> {
    vec!["built-in".to_owned()]
}

fn some() -> u64 {
    200
}

#[derive(Serialize)]
struct ShowAnswer {
    turns: Vec<Box<RawValue>>,
}

/// Runs the dialogues in the background. A simulation in progress is stopped.
fn simulate(bench: &mut StudioState, body: &SimulateBody, reply: Reply) {
    let prepared = compiled(
        &body.personas,
        &bench.model.machine,
        &bench.settings.project,
    )
    .and_then(|personas| Ok((personas, simulation(bench, body.seed, body.dialogues)?)));
    let (personas, simulation) = match prepared {
        Ok(prepared) => prepared,
        Err(refused) => return reply.give(Err::<(), _>(refused)),
    };
    let stopped = Arc::new(AtomicBool::new(false));
    mem::replace(&mut bench.simulation.stopped, Arc::clone(&stopped))
        .store(true, Ordering::Relaxed);
    let threads = Arc::clone(&bench.threads);
    let last = Arc::clone(&bench.simulation.last);
    thread::spawn(move || {
        reply.give(
            played(&simulation, &personas, &stopped, &threads).map(|result| {
                let personas: Vec<Json> = result.personas.iter().map(persona_json).collect();
                *last.lock() = Some((simulation.machine.files.fingerprint(), result));
                json!({"personas": personas})
            }),
        );
    });
}

fn played(
    simulation: &Simulation,
    personas: &[(Persona, CompiledPersona)],
    stopped: &AtomicBool,
    threads: &Threads,
) -> Result<SimulationResult, Refusal> {
    let mut result =
        SimulationResult::new(&simulation.machine, simulation.seed, simulation.dialogues);
    for (persona, compiled) in personas {
        let summary = simulation.run_until(stopped, compiled, threads.pool());
        if stopped.load(Ordering::Relaxed) {
            return Err(Refusal::cannot(
                "another simulation was started",
                "wait for its result",
            ));
        }
        result.push(
            &persona.name.text,
            &persona.description,
            &summary,
            &simulation.machine,
        );
    }
    result.close();
    Ok(result)
}

/// The records of one dialogue in a simulation.
fn show(bench: &mut StudioState, body: &ShowBody) -> Result<ShowAnswer, Refusal> {
    let machine = Arc::clone(&bench.model.machine);
    let mut runner = DialogueSetup::parse(&machine, "")?.runner(&machine);
    let mut turns = Vec::new();
    for turn in simulated_turns(bench, body)? {
        let mut line = JsonLine::default();
        runner.play(&turn).view.write(&mut line);
        let record = RawValue::from_string(line.into_string());
        turns.push(record.map_err(|error| format!("cannot write a record: {error}"))?);
    }
    Ok(ShowAnswer { turns })
}

/// The turns of one dialogue in a simulation, the same as in a complete run.
pub(super) fn simulated_turns(
    bench: &StudioState,
    wanted: &ShowBody,
) -> Result<Vec<ScriptedTurn>, Refusal> {
    let simulation = simulation(bench, wanted.seed, wanted.dialogues)?;
    if !(1..=wanted.dialogues).contains(&wanted.number) {
        let error = format!("invalid `number`: expected 1 to {}", wanted.dialogues);
        return Err(Refusal::bad(
            error,
            "use the number of a dialogue in the simulation",
        ));
    }
    let personas = compiled(
        std::slice::from_ref(&wanted.persona),
        &simulation.machine,
        &bench.settings.project,
    )?;
    let [(_, persona)] = &*personas else {
        return Err(Refusal::bad(
            "`persona` matches several personas",
            "name one of them",
        ));
    };
    Ok(simulation.dialogue(persona, wanted.number).turns)
}

fn simulation(bench: &StudioState, seed: u64, dialogues: u64) -> Result<Simulation, Refusal> {
    if !(1..=MAX_DIALOGUES).contains(&dialogues) {
        let help = "run `fsmsim simulate` for more dialogues";
        return Err(Refusal::bad(
            format!("invalid `dialogues`: expected 1 to {MAX_DIALOGUES}"),
            help,
        ));
    }
    let machine = Arc::clone(&bench.model.machine);
    Ok(Simulation {
        machine,
        seed,
        dialogues,
        start: String::new(),
        shard: None,
        recognizes: false,
    })
}

/// The personas with these names, compiled for a model.
fn compiled(
    names: &[String],
    machine: &Arc<Machine>,
    project: &Project,
) -> Result<Vec<(Persona, CompiledPersona)>, Refusal> {
    let mut found = Diagnostics::default();
    let mut sources = SourceMap::default();
    let folder = PersonaFolder::open_if_there(&project.root.join("fixtures/personas"), &mut found);
    let personas = folder
        .and_then(|folder| folder.select(names, &mut sources, &mut found))
        .unwrap_or_default();
    let spoken = Arc::new(SpokenIntents::of(machine));
    let mut compiled = Vec::new();
    for persona in personas {
        if let Some(ready) = CompiledPersona::new(&persona, machine, &spoken, &mut found) {
            compiled.push((persona, ready));
        }
    }
    match found.items().iter().find(|_| found.has_errors()) {
        Some(finding) => Err(Refusal::from(finding)),
        None if compiled.is_empty() => Err(Refusal::bad(
            "`personas` is empty",
            "name a persona, or omit the key to use the built-in personas",
        )),
        None => Ok(compiled),
    }
}

fn persona_json(result: &PersonaResult) -> Json {
    let ends = [("finished", &*result.finished)]
        .into_iter()
        .chain(result.unfinished())
        .flat_map(|(how, parts)| parts.iter().map(move |part| (how, part)))
        .filter(|(_, part)| part.dialogues > 0)
        .map(|(how, part)| json!({"how": how, "state": part.name, "dialogues": part.dialogues}));
    let last = |phase: &str| {
        let last = result.last_phases.iter().find(|last| last.phase == phase);
        last.map(|last| &*last.ends).unwrap_or_default()
    };
    let phase = |name: &str, dialogues: u64| {
        let ends = last(name).iter().filter(|end| end.dialogues > 0);
        let ends =
            ends.map(|end| json!({"how": ending_text(&end.name), "dialogues": end.dialogues}));
        json!({"phase": name, "dialogues": dialogues, "ends": ends.collect::<Json>()})
    };
    let outside: u64 = last("").iter().map(|end| end.dialogues).sum();
    let outside = (outside > 0).then(|| phase("", outside));
    let phases = result
        .phases
        .iter()
        .map(|share| phase(&share.name, share.dialogues));
    let causes = most_frequent(&result.causes);
    let turns = &result.turns;
    json!({
        "name": result.persona,
        "about": result.description,
        "dialogues": turns.dialogues(),
        "ends": ends.collect::<Json>(),
        "funnel": outside.into_iter().chain(phases).collect::<Json>(),
        "causes": causes.into_iter().map(cause_json).collect::<Json>(),
        "turns": {"mean": turns.mean, "p90": turns.p90},
    })
}

fn cause_json(cause: &EndCauseCount) -> Json {
    let why = cause.reason.parse().map_or("", EndReason::description);
    json!({
        "how": ending_text(&cause.how),
        "state": cause.state,
        "why": why,
        "intent": cause.intent,
        "action": cause.action,
        "dialogues": cause.dialogues,
        // The number of the first dialogue with this cause.
        "first": cause.first,
    })
}
