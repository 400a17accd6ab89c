//! `fsmsim simulate --show`: one dialogue of a simulated user, as a person would see it.

use std::io::Write;
use std::path::{Path, PathBuf};

use indexmap::IndexSet;

use super::context::Context;
use super::exit::{Exit, Stop};
use crate::repl::Repl;
use fsmsim_adapters::llm::AnswererConfig;
use fsmsim_core::trace::TurnReport;
use fsmsim_harness::rehearsal::Rehearsal;
use fsmsim_reports::report::SampleDialogue;
use fsmsim_runtime::simulate::{
    CompiledPersona, EndCauseCount, Ending, Persona, Simulation, SimulationResult,
};
use fsmsim_syntax::diagnostic::{Diagnostic, SourceMap};
use fsmsim_syntax::terminal::{Escaping, stream, tell};

/// A dialogue of a persona, by its number from 1.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct ShownDialogue {
    pub(super) persona: String,
    pub(super) number: u64,
}

impl ShownDialogue {
    /// Reads `PERSONA:N`.
    pub(super) fn parse(text: &str) -> Result<Self, String> {
        let (persona, number) = text
            .rsplit_once(':')
            .ok_or("write the persona and the number of a dialogue: `buyer:3`")?;
        match number.parse() {
            Ok(number) if number > 0 && !persona.is_empty() => Ok(Self {
                persona: persona.to_owned(),
                number,
            }),
            _ => Err("dialogues are numbered from 1: `buyer:3` is the third of `buyer`".to_owned()),
        }
    }
}

/// Who speaks for the user.
pub(super) enum Voice<'v> {
    /// A persona that speaks by chance.
    Chance(&'v CompiledPersona),
    /// A persona that is played by models.
    Models(&'v Persona, &'v AnswererConfig),
}

/// Shows a dialogue, and keeps it as a scenario where that is wanted; `model` is where its model lies, as scenarios name it.
pub(super) fn show(
    simulation: &Simulation,
    voice: &Voice<'_>,
    shown: &ShownDialogue,
    model: &str,
    file: Option<&PathBuf>,
    context: &mut Context,
) -> Result<Exit, Stop> {
    let dialogue = match voice {
        Voice::Chance(persona) => simulation.dialogue(persona, shown.number),
        Voice::Models(persona, answerers) => {
            simulation.dialogue_with_model(persona, answerers, shown.number)
        }
    };
    let rehearsal = Rehearsal::new(&simulation.machine, &simulation.start, false);
    let rehearsal = rehearsal.map_err(|findings| Stop::told(&findings))?;
    let mut repl = Repl::over(rehearsal.of_model(model));
    let mut out = stream(Escaping::of_text());
    let (text, _) = repl.tell_turns(&dialogue.turns)?;
    out.write_all(text.as_bytes())?;
    if let Some(cause) = dialogue.cause {
        let how = match cause.how {
            Ending::Finished => "the dialogue is over",
            Ending::Left => "the user left",
            Ending::Looped => "the dialogue went round",
            Ending::Endless => "the dialogue did not end",
            Ending::Unanswered => "the dialogue could not go on",
        };
        write!(out, "{how} in {}", repl.state())?;
        match cause.how {
            Ending::Finished => writeln!(out)?,
            _ => writeln!(out, ": {}", cause.reason.told())?,
        }
    }
    out.flush()?;
    context.usable(Some(()), &dialogue.found, &SourceMap::default())?;
    if let Some(file) = file {
        keep(&repl, file)?;
    }
    // The cassette had no answer.
    Ok(if dialogue.found.is_empty() {
        Exit::Ok
    } else {
        Exit::Unavailable
    })
}

fn keep(repl: &Repl, file: &Path) -> Result<(), Stop> {
    let refused =
        |why: String| Diagnostic::bad_arguments(format!("the dialogue is not kept: {why}"));
    let note = repl.save(&file.display().to_string()).map_err(refused)?;
    tell(note.trim_start());
    Ok(())
}

/// Some dialogues of each persona for a page: of each way to end in each state one, the most frequent ways first.
pub(super) fn samples(
    simulation: &Simulation,
    result: &SimulationResult,
    voices: &[Voice<'_>],
) -> Vec<SampleDialogue> {
    let mut samples = Vec::new();
    for (persona, voice) in result.personas.iter().zip(voices) {
        // Whoever is played by models would have to be asked again.
        let Voice::Chance(compiled) = voice else {
            continue;
        };
        let mut causes: Vec<&EndCauseCount> = persona.causes.iter().collect();
        causes.sort_by_key(|cause| std::cmp::Reverse(cause.dialogues));
        let mut ways: IndexSet<(&str, &str)> = IndexSet::new();
        for cause in causes {
            if ways.len() < SAMPLES && ways.insert((&cause.how, &cause.state)) {
                let dialogue = simulation.dialogue(compiled, cause.first);
                let repl = Repl::new(&simulation.machine, &simulation.start, false).ok();
                let played = repl.and_then(|mut repl| repl.tell_turns(&dialogue.turns).ok());
                let lines = played.map(|(_, lines)| lines).unwrap_or_default();
                let records = lines.lines().filter_map(TurnReport::read).collect();
                samples.push(SampleDialogue {
                    persona: persona.persona.clone(),
                    number: cause.first,
                    records,
                });
            }
        }
    }
    samples
}

/// So many dialogues of a persona are shown whole.
const SAMPLES: usize = 8;
