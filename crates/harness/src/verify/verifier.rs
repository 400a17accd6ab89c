//! Checks the dialogues of a trace against a model, in order.

use std::collections::{BTreeMap, BTreeSet};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::dialogue_verdict::{DialogueVerdict, Judgement};
use super::known_violations::KnownViolations;
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
use fsmsim_syntax::diagnostic::{Checked, Code, Diagnostic, Diagnostics, SourceMap, Span};
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
    /// The name of all traces together.
    pub name: &'v str,
    /// Whether the input is only part of a trace. A part may be empty, and may lack values that other parts contain.
    pub is_part: bool,
    /// The known violations.
    pub known: KnownViolations,
    /// The shard of dialogues to check, selected by dialogue name; `None` for all.
    pub shard: Option<Shard>,
}

/// The reachable states of the model, for each profile used so far; `None` if the model is invalid.
pub type ReachableStates = Mutex<BTreeMap<Profile, Option<Arc<Reachability>>>>;

/// A trace to be verified.
pub struct OpenTrace {
    /// The trace file, to which paths in the trace are relative.
    pub path: PathBuf,
    pub reader: ObservedReader<InputStream>,
}

/// The verification of a trace that several threads share.
pub(super) struct Inspection<'v> {
    pub verifier: &'v Verifier<'v>,
    /// The path and the name of the trace.
    pub path: &'v Path,
    pub name: String,
    /// The locations of fields in the trace; `None` for a trace of this program.
    pub map: Option<Arc<TraceMap>>,
    pub reachable: &'v ReachableStates,
}

/// The state of a verification between traces.
struct TraceLoop<'l> {
    verification: Verification,
    /// The profiles with which the model was reported.
    reported: BTreeSet<Profile>,
    /// The number of dialogues that were read.
    read: u64,
    report: &'l mut dyn FnMut(&Diagnostics, &SourceMap),
    judged: &'l mut dyn FnMut(Judgement<'_>) -> io::Result<()>,
}

/// A dialogue, and the findings from reading it.
pub(super) struct ReadDialogue {
    pub text: Option<ObservedText>,
    pub found: Diagnostics,
    pub pieces: SourceMap,
    /// Whether reading the next dialogue can take long.
    pub is_dry: bool,
}

/// The result of checking a dialogue.
pub(super) struct VerifiedDialogue {
    pub read: ReadDialogue,
    /// The findings from checking the dialogue, to be reported after those from reading it.
    pub found: Diagnostics,
    /// The profile of the dialogue, if it is valid.
    pub profile: Option<Profile>,
    /// The reachable states of the model, and the verdict, if the dialogue is valid.
    pub verdict: Option<(Arc<Reachability>, DialogueVerdict)>,
}

/// Why the rest of a trace is not checked.
enum Ended {
    Faults,
    Unwritten(io::Error),
}

impl Verifier<'_> {
    /// Verifies traces, in order. `sources` contains the field map, if any. While reading, passes findings about the
    /// traces and the model to `report`, and the verdict on each dialogue to `judged`. Only the first shard reports and
    /// counts findings that belong to no dialogue. Findings about all dialogues together are reported only if there are
    /// no shards.
    ///
    /// # Errors
    /// Returns the error of `judged`, which ends the verification.
    pub fn run(
        &self,
        traces: impl Iterator<Item = Checked<OpenTrace>>,
        threads: &Threads,
        sources: &SourceMap,
        report: &mut dyn FnMut(&Diagnostics, &SourceMap),
        judged: &mut dyn FnMut(Judgement<'_>) -> io::Result<()>,
    ) -> io::Result<Verification> {
        let mut all = TraceLoop {
            verification: self.empty(),
            reported: BTreeSet::new(),
            read: 0,
            report,
            judged,
        };
        let reachable = Mutex::default();
        let mut map = None;
        for trace in traces {
            match trace {
                Ok(trace) => {
                    map = map.or_else(|| trace.reader.map());
                    let ended = self.check(trace, threads, &reachable, &mut all);
                    match ended {
                        Err(Ended::Unwritten(error)) => return Err(error),
                        Err(Ended::Faults) => break,
                        Ok(()) => {}
                    }
                }
                Err(finding) => {
                    let mut found = Diagnostics::default();
                    found.push(*finding);
                    self.report_once(&found, &SourceMap::default(), &mut all);
                }
            }
        }
        let mut found = Diagnostics::default();
        if let Some(map) = map.filter(|_| !self.is_part) {
            map.check(all.verification.last_line, &mut found);
        }
        let (what, is_empty) = match all.read {
            0 => ("dialogue", !self.is_part),
            // Another shard can contain turns.
            _ => ("turn", all.verification.turns == 0 && self.shard.is_none()),
        };
        if is_empty && all.verification.invalid == 0 && !found.has_errors() {
            let title = format!("the trace contains no {what}");
            let finding = Diagnostic::error(Code::EmptyTrace, title).about(self.name.to_owned());
            let help = "use a trace that contains turns; in a map, check `turns` or `events`";
            found.push(finding.help(help));
        }
        self.report_once(&found, sources, &mut all);
        if self.shard.is_none() && !self.is_part {
            let findings = all.verification.close();
            (all.judged)(Judgement::OfAll(findings))?;
        }
        Ok(all.verification)
    }

    /// A result that contains no dialogues yet.
    pub(super) fn empty(&self) -> Verification {
        let model = self.model.display().to_string();
        Verification::new(self.name, model, self.mode, self.known.clone())
    }

    /// Reports and counts findings that belong to no dialogue, in the first shard.
    fn report_once(&self, found: &Diagnostics, sources: &SourceMap, all: &mut TraceLoop<'_>) {
        if self.shard.is_none_or(Shard::is_first) {
            all.verification.invalid += found.error_count() as u64;
            (all.report)(found, sources);
        }
    }

    /// Verifies the dialogues of a trace.
    fn check(
        &self,
        trace: OpenTrace,
        threads: &Threads,
        reachable: &ReachableStates,
        all: &mut TraceLoop<'_>,
    ) -> Result<(), Ended> {
        let OpenTrace { path, mut reader } = trace;
        let inspection = Inspection {
            verifier: self,
            path: &path,
            name: reader.name().to_owned(),
            map: reader.map(),
            reachable,
        };
        let earlier_lines = all.verification.last_line;
        threads.in_order(
            || next_batch(&mut reader),
            |batch: Vec<ReadDialogue>| {
                batch
                    .into_iter()
                    .map(|read| inspection.look(read))
                    .collect::<Vec<_>>()
            },
            |batch| {
                let is_dry = batch.last().is_some_and(|last| last.read.is_dry);
                for dialogue in batch {
                    if all.verification.gave_up() {
                        return Err(Ended::Faults);
                    }
                    let VerifiedDialogue {
                        read:
                            ReadDialogue {
                                text,
                                found: unread,
                                pieces,
                                ..
                            },
                        found,
                        profile,
                        verdict,
                    } = dialogue;
                    self.report_once(&unread, &pieces, all);
                    let Some(text) = text else { break };
                    all.read += 1;
                    let verification = &mut all.verification;
                    verification.last_line = earlier_lines + text.last_line();
                    if !self.has(&text) {
                        continue;
                    }
                    if let Some(profile) = profile
                        && all.reported.insert(profile)
                    {
                        self.report_model(profile, all.report);
                    }
                    let verdict =
                        verdict
                            .zip(profile)
                            .map(|((reachable, mut verdict), profile)| {
                                verdict.known = verification.known.take(&mut verdict.findings);
                                verification.push(&verdict, profile, &reachable.machine);
                                verdict
                            });
                    if verdict.is_none() && profile.is_some() && !found.has_errors() {
                        verification.invalid += 1;
                    }
                    verification.invalid += found.error_count() as u64;
                    (all.report)(&found, &pieces);
                    (all.judged)(Judgement::OfDialogue {
                        trace: &inspection.name,
                        text: &text,
                        map: inspection.map.as_deref(),
                        profile,
                        verdict,
                    })
                    .map_err(Ended::Unwritten)?;
                }
                if is_dry {
                    (all.judged)(Judgement::Pause).map_err(Ended::Unwritten)?;
                }
                Ok(())
            },
        )
    }

    /// Whether a dialogue belongs to the shard.
    fn has(&self, text: &ObservedText) -> bool {
        self.shard.is_none_or(|shard| shard.has_name(text.name()))
    }

    /// Reports the findings about the model under a profile.
    pub(super) fn report_model(
        &self,
        profile: Profile,
        report: &mut dyn FnMut(&Diagnostics, &SourceMap),
    ) {
        let models = self.models.lock();
        if let Some(found) = models.findings(self.model, profile) {
            report(&found.without_key_notes(), models.sources());
        }
    }

    /// The profile of a dialogue. Returns `None`, with findings, if the dialogue names an unknown profile.
    pub(super) fn profile_of(
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
}

impl Inspection<'_> {
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
        let mut verdict = match self.verifier.mode {
            Mode::Structure => verify_structure(reachable, &setup.settings, dialogue),
            Mode::Replay => verify_replay(machine, setup, dialogue, diagnostics, place).ok()?,
        };
        verdict.not_checked.extend(&dialogue.not_checked);
        Some(verdict)
    }

    /// The settings and the session at the start of a dialogue.
    pub(super) fn begin(
        &self,
        machine: &Machine,
        dialogue: &ObservedDialogue<'_>,
        place: &mut dyn FnMut(usize) -> Span,
        diagnostics: &mut Diagnostics,
    ) -> Option<DialogueSetup> {
        let path = |path: &str| self.verifier.project.resolve(path, self.path);
        let setup = |span, found: &mut Diagnostics| dialogue.setup(machine, span, &path, found);
        setup(Span::NOWHERE, &mut Diagnostics::default())
            .or_else(|| setup(place(dialogue.line), diagnostics))
    }

    /// Parses a dialogue and checks it against the model.
    pub(super) fn look(&self, mut read: ReadDialogue) -> VerifiedDialogue {
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
                        let verdict = self.verify(&reachable, &dialogue, &mut place, &mut found)?;
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
        let setup = self.begin(&reachable.machine, &head, &mut place, &mut trial)?;
        if !trial.is_empty() {
            return None;
        }
        let verdict = replay_alike(&reachable.machine, setup, text)?;
        Some((profile, (reachable, verdict)))
    }

    /// The reachable states of the model under a profile; `None` if the model is invalid.
    pub(super) fn reachability(&self, profile: Profile) -> Option<Arc<Reachability>> {
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
    // A dialogue on several lines can be incomplete; those before it are checked while its lines are missing.
    let can_pause = reader.map().is_none_or(|map| !map.is_of_dialogues());
    while size < BATCH && !is_dry {
        reader.lines().input_mut().never_waits = can_pause && !batch.is_empty();
        let mut found = Diagnostics::default();
        let mut pieces = SourceMap::default();
        let text = reader.read(&mut found, &mut pieces);
        let waits = reader.lines().waits;
        let is_last = text.is_none() && !waits;
        size += text.as_ref().map_or(0, ObservedText::bytes);
        if text.is_some() || !found.is_empty() {
            batch.push(ReadDialogue {
                text,
                found,
                pieces,
                is_dry: false,
            });
        }
        if is_last {
            break;
        }
        is_dry = waits || reader.lines().input().is_dry();
    }
    if let Some(last) = batch.last_mut() {
        last.is_dry = is_dry;
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
