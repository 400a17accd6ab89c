//! Checks the dialogues of a trace against a model, in order.

use std::collections::{BTreeMap, BTreeSet};
use std::io;
use std::path::Path;
use std::sync::Arc;

use super::dialogue_verdict::{DialogueVerdict, Judgement};
use super::reachability::Reachability;
use super::replay::{replay_alike, verify_replay};
use super::structure::verify_structure;
use super::verification::{Mode, Verification};
use crate::verify::import::{ObservedDialogue, ObservedReader, ObservedText, TraceMap};
use fsmsim_core::engine::Machine;
use fsmsim_core::machine::Profile;
use fsmsim_runtime::project::{ModelCache, Project};
use fsmsim_runtime::runtime::DialogueSetup;
use fsmsim_runtime::script::read_profile;
use fsmsim_syntax::diagnostic::{Code, Diagnostic, Diagnostics, SourceMap, Span};
use fsmsim_syntax::document::InputStream;
use fsmsim_syntax::threads::{Mutex, Next, Shard, Threads};

/// The number of bytes of dialogues that a thread checks in a batch.
const BATCH: usize = 1 << 16;

/// Checks the dialogues of a trace against a model.
pub struct Verifier<'v> {
    pub project: &'v Project,
    pub models: &'v Mutex<ModelCache>,
    pub model: &'v Path,
    /// The profile for all dialogues, which overrides the recorded profiles.
    pub profile: Option<Profile>,
    /// The profile for dialogues that do not record one.
    pub usual: Profile,
    pub mode: Mode,
    /// The trace file, to which paths in the trace are relative.
    pub trace: &'v Path,
    /// The shard of dialogues to check, selected by dialogue name; `None` for all.
    pub shard: Option<Shard>,
}

/// A verification that several threads share.
struct Inspection<'v> {
    verifier: &'v Verifier<'v>,
    /// The name of the trace in findings.
    name: String,
    /// The locations of fields in the trace; `None` for a trace of this program.
    map: Option<Arc<TraceMap>>,
    /// The reachable states of the model, for each profile used so far; `None` if the model is invalid.
    reachable: Mutex<BTreeMap<Profile, Option<Arc<Reachability>>>>,
}

/// A dialogue, and the findings from reading it.
struct ReadDialogue {
    text: Option<ObservedText>,
    found: Diagnostics,
    pieces: SourceMap,
}

/// The result of checking a dialogue.
struct VerifiedDialogue {
    read: ReadDialogue,
    /// The findings from checking the dialogue, to be reported after those from reading it.
    found: Diagnostics,
    /// The profile of the dialogue, if it is valid.
    profile: Option<Profile>,
    /// The reachable states of the model, and the verdict, if the dialogue is valid.
    verdict: Option<(Arc<Reachability>, DialogueVerdict)>,
}

/// Why the rest of a trace is not checked.
enum Ended {
    Faults,
    Unwritten(io::Error),
}

impl Verifier<'_> {
    /// Verifies a trace. `sources` contains the field map, if any. While reading, passes findings about the trace and
    /// the model to `report`, and the verdict on each dialogue to `judged`. Only the first shard reports and counts
    /// findings that belong to no dialogue. Findings about all dialogues together are reported only if there are no
    /// shards.
    ///
    /// # Errors
    /// Returns the error of `judged`, which ends the verification.
    pub fn run(
        &self,
        mut reader: ObservedReader<InputStream>,
        threads: &Threads,
        sources: &SourceMap,
        report: &mut dyn FnMut(&Diagnostics, &SourceMap),
        judged: &mut dyn FnMut(Judgement<'_>) -> io::Result<()>,
    ) -> io::Result<Verification> {
        let name = reader.name().to_owned();
        let map = reader.map();
        let inspection = Inspection {
            verifier: self,
            name,
            map,
            reachable: Mutex::default(),
        };
        let mut verification =
            Verification::new(reader.name(), self.model.display().to_string(), self.mode);
        let mut reported = BTreeSet::new();
        let mut read = 0_u64;
        let is_first = self.shard.is_none_or(Shard::is_first);
        let ended = threads.in_order(
            || next_batch(&mut reader),
            |batch: Vec<ReadDialogue>| {
                batch
                    .into_iter()
                    .map(|read| inspection.look(read))
                    .collect::<Vec<_>>()
            },
            |batch| {
                for dialogue in batch {
                    if verification.gave_up() {
                        return Err(Ended::Faults);
                    }
                    let VerifiedDialogue {
                        read:
                            ReadDialogue {
                                text,
                                found: unread,
                                pieces,
                            },
                        found,
                        profile,
                        verdict,
                    } = dialogue;
                    if is_first {
                        verification.invalid += unread.error_count() as u64;
                        report(&unread, &pieces);
                    }
                    let Some(text) = text else { break };
                    read += 1;
                    verification.last_line = text.last_line();
                    if !self.has(&text) {
                        continue;
                    }
                    if let Some(profile) = profile
                        && reported.insert(profile)
                    {
                        self.report_model(profile, report);
                    }
                    let verdict = verdict.zip(profile).map(|((reachable, verdict), profile)| {
                        verification.push(&verdict, profile, &reachable.machine);
                        verdict
                    });
                    if verdict.is_none() && profile.is_some() && !found.has_errors() {
                        verification.invalid += 1;
                    }
                    verification.invalid += found.error_count() as u64;
                    report(&found, &pieces);
                    judged(Judgement::OfDialogue {
                        name: text.name(),
                        profile,
                        verdict,
                    })
                    .map_err(Ended::Unwritten)?;
                }
                Ok(())
            },
        );
        if let Err(Ended::Unwritten(error)) = ended {
            return Err(error);
        }
        let mut diagnostics = Diagnostics::default();
        let is_part = reader.is_part;
        if let Some(map) = inspection.map.as_ref().filter(|_| !is_part) {
            map.check(verification.last_line, &mut diagnostics);
        }
        let (what, is_empty) = match read {
            0 => ("dialogue", !is_part),
            // Another shard can contain turns.
            _ => ("turn", verification.turns == 0 && self.shard.is_none()),
        };
        if is_empty && verification.invalid == 0 && !diagnostics.has_errors() {
            let title = format!("the trace contains no {what}");
            let finding = Diagnostic::error(Code::EmptyTrace, title).about(inspection.name);
            let help = "use a trace that contains turns; in a map, check `turns` or `events`";
            diagnostics.push(finding.help(help));
        }
        if is_first {
            verification.invalid += diagnostics.error_count() as u64;
            report(&diagnostics, sources);
        }
        if self.shard.is_none() && !is_part {
            judged(Judgement::OfAll(verification.close()))?;
        }
        Ok(verification)
    }

    /// Whether a dialogue belongs to the shard.
    fn has(&self, text: &ObservedText) -> bool {
        self.shard.is_none_or(|shard| shard.has_name(text.name()))
    }

    /// Reports the findings about the model under a profile.
    fn report_model(&self, profile: Profile, report: &mut dyn FnMut(&Diagnostics, &SourceMap)) {
        let models = self.models.lock();
        if let Some(found) = models.findings(self.model, profile) {
            report(&found.without_key_notes(), models.sources());
        }
    }

    /// The profile of a dialogue. Returns `None`, with findings, if the dialogue names an unknown profile.
    fn profile_of(
        &self,
        dialogue: &ObservedDialogue<'_>,
        place: &mut dyn FnMut(usize) -> Span,
        diagnostics: &mut Diagnostics,
    ) -> Option<Profile> {
        let named = dialogue.profile.as_ref().filter(|named| !named.is_null());
        match (self.profile, named) {
            (Some(profile), _) => Some(profile),
            (None, Some(named)) => {
                let known = named.text().and_then(Profile::from_name);
                known.or_else(|| read_profile(&named.to_node(place(dialogue.line)), diagnostics))
            }
            (None, None) => Some(self.usual),
        }
    }

    /// The verdict on a dialogue. Returns `None`, with findings, if the dialogue is invalid.
    fn verify(
        &self,
        reachable: &Reachability,
        dialogue: &ObservedDialogue<'_>,
        place: &mut dyn FnMut(usize) -> Span,
        diagnostics: &mut Diagnostics,
    ) -> Option<DialogueVerdict> {
        let machine = &reachable.machine;
        let setup = self.begin(machine, dialogue, place, diagnostics)?;
        match self.mode {
            Mode::Structure => Some(verify_structure(reachable, &setup.settings, dialogue)),
            Mode::Replay => verify_replay(machine, setup, dialogue, diagnostics, place).ok(),
        }
    }

    /// The settings and the session at the start of a dialogue.
    fn begin(
        &self,
        machine: &Machine,
        dialogue: &ObservedDialogue<'_>,
        place: &mut dyn FnMut(usize) -> Span,
        diagnostics: &mut Diagnostics,
    ) -> Option<DialogueSetup> {
        let path = |path: &str| self.project.resolve(path, self.trace);
        let setup = |span, found: &mut Diagnostics| dialogue.setup(machine, span, &path, found);
        setup(Span::NOWHERE, &mut Diagnostics::default())
            .or_else(|| setup(place(dialogue.line), diagnostics))
    }
}

impl Inspection<'_> {
    /// Parses a dialogue and checks it against the model.
    fn look(&self, mut read: ReadDialogue) -> VerifiedDialogue {
        let mut found = Diagnostics::default();
        let mut profile = None;
        let mut verdict = None;
        let pieces = &mut read.pieces;
        match &read.text {
            Some(text) if !self.verifier.has(text) => {
                // Which paths of a map are in no line is known only after all lines were parsed.
                if let Some(map) = &self.map {
                    let mut ignored = Diagnostics::default();
                    text.open(Some(map), &self.name, &mut ignored, pieces);
                }
            }
            Some(text) => {
                if let Some((known, said)) = self.look_quickly(text) {
                    profile = Some(known);
                    verdict = Some(said);
                } else if let Some(dialogue) = text
                    .open(self.map.as_deref(), &self.name, &mut found, pieces)
                    .filter(|_| !found.has_errors())
                {
                    let mut place = |line| piece(&self.name, text, line, pieces);
                    profile = self.verifier.profile_of(&dialogue, &mut place, &mut found);
                    let reachable = profile.and_then(|profile| self.reachability(profile));
                    verdict = reachable.and_then(|reachable| {
                        let verdict = self
                            .verifier
                            .verify(&reachable, &dialogue, &mut place, &mut found)?;
                        Some((reachable, verdict))
                    });
                }
            }
            None => {}
        }
        VerifiedDialogue {
            read,
            found,
            profile,
            verdict,
        }
    }

    /// The verdict on a dialogue if its replay is identical to the recording; `None` if there may be differences.
    fn look_quickly(
        &self,
        text: &ObservedText,
    ) -> Option<(Profile, (Arc<Reachability>, DialogueVerdict))> {
        if self.verifier.mode != Mode::Replay {
            return None;
        }
        let head = text.head()?;
        let mut trial = Diagnostics::default();
        let mut place = |_| Span::NOWHERE;
        let profile = self.verifier.profile_of(&head, &mut place, &mut trial)?;
        let reachable = self.reachability(profile)?;
        let setup = self
            .verifier
            .begin(&reachable.machine, &head, &mut place, &mut trial)?;
        if !trial.is_empty() {
            return None;
        }
        let verdict = replay_alike(&reachable.machine, setup, text)?;
        Some((profile, (reachable, verdict)))
    }

    /// The reachable states of the model under a profile; `None` if the model is invalid.
    fn reachability(&self, profile: Profile) -> Option<Arc<Reachability>> {
        let mut known = self.reachable.lock();
        let reachable = known.entry(profile).or_insert_with(|| {
            let mut models = self.verifier.models.lock();
            models
                .load(self.verifier.model, profile)
                .map(|machine| Arc::new(Reachability::of(machine)))
        });
        reachable.clone()
    }
}

/// The next dialogues in a trace, or fewer if the stream currently has no more data. The last entry contains the
/// findings at the end of the trace.
fn next_batch(reader: &mut ObservedReader<InputStream>) -> Next<Vec<ReadDialogue>> {
    let mut batch: Vec<ReadDialogue> = Vec::new();
    let mut size = 0;
    let mut is_dry = false;
    while size < BATCH && !is_dry {
        let mut found = Diagnostics::default();
        let mut pieces = SourceMap::default();
        let text = reader.read(&mut found, &mut pieces);
        let is_last = text.is_none();
        size += text.as_ref().map_or(0, ObservedText::bytes);
        if !is_last || !found.is_empty() {
            batch.push(ReadDialogue {
                text,
                found,
                pieces,
            });
        }
        if is_last {
            break;
        }
        is_dry = reader.input().is_dry();
    }
    match batch {
        batch if batch.is_empty() => Next::End,
        batch if is_dry => Next::LastForNow(batch),
        batch => Next::Item(batch),
    }
}

/// The span of a line in a dialogue.
fn piece(name: &str, text: &ObservedText, line: usize, pieces: &mut SourceMap) -> Span {
    let content = text.line(line);
    Span::new(pieces.add_piece(name, content, line), 0, content.len())
}
