//! Holds the dialogues of a trace against a model, one after the other.

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

/// Bytes of dialogues that a thread looks at in one go.
const BATCH: usize = 1 << 16;

/// Holds the dialogues of a trace against a model.
pub struct Verifier<'v> {
    pub project: &'v Project,
    pub models: &'v Mutex<ModelCache>,
    pub model: &'v Path,
    /// The profile, whatever the dialogues say.
    pub profile: Option<Profile>,
    /// The profile of dialogues that say nothing.
    pub usual: Profile,
    /// How dialogues are held against it.
    pub mode: Mode,
    /// The file of the trace, for paths that start beside it.
    pub trace: &'v Path,
    /// Which share of the dialogues is held against it, by their names; nothing for all.
    pub shard: Option<Shard>,
}

/// A verification, as its threads share it.
struct Inspection<'v> {
    verifier: &'v Verifier<'v>,
    /// What findings call the trace.
    name: String,
    /// Where its fields are, unless it is one of ours.
    map: Option<Arc<TraceMap>>,
    /// What the model can do, by profile, as far as anybody asked; nothing where it cannot be used.
    reachable: Mutex<BTreeMap<Profile, Option<Arc<Reachability>>>>,
}

/// A dialogue as it was read, with what was found on the way.
struct ReadDialogue {
    text: Option<ObservedText>,
    found: Diagnostics,
    pieces: SourceMap,
}

/// What is said of a dialogue.
struct VerifiedDialogue {
    read: ReadDialogue,
    /// What was found when it was looked into; behind what was found when it was read.
    found: Diagnostics,
    /// Its profile, where it says which.
    profile: Option<Profile>,
    /// What the model can do, and what is said of the dialogue, where it can be held against the model.
    verdict: Option<(Arc<Reachability>, DialogueVerdict)>,
}

/// Why the rest of a trace is not looked at.
enum Ended {
    Faults,
    Unwritten(io::Error),
}

impl Verifier<'_> {
    /// Verifies a trace. `sources` has the map of its fields, where there is one. While it is read, `tell` is told what is
    /// wrong with it, or with the model, and `judged` what is said of each dialogue. What belongs to no dialogue is told and
    /// counted by the first share alone, and what speaks against all of them together by none.
    ///
    /// # Errors
    /// Those of `judged`; they end the verification.
    pub fn run(
        &self,
        mut reader: ObservedReader<InputStream>,
        threads: &Threads,
        sources: &SourceMap,
        tell: &mut dyn FnMut(&Diagnostics, &SourceMap),
        judged: &mut dyn FnMut(Judgement<'_>) -> io::Result<()>,
    ) -> io::Result<Verification> {
        let (name, map) = (reader.name().to_owned(), reader.map());
        let inspection = Inspection {
            verifier: self,
            name,
            map,
            reachable: Mutex::default(),
        };
        let mut verification =
            Verification::new(reader.name(), self.model.display().to_string(), self.mode);
        let mut told = BTreeSet::new();
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
                        verification.unusable += unread.error_count() as u64;
                        tell(&unread, &pieces);
                    }
                    let Some(text) = text else { break };
                    read += 1;
                    verification.last_line = text.last_line();
                    if !self.has(&text) {
                        continue;
                    }
                    if let Some(profile) = profile
                        && told.insert(profile)
                    {
                        self.tell_model(profile, tell);
                    }
                    let verdict = verdict.zip(profile).map(|((reachable, verdict), profile)| {
                        verification.push(&verdict, profile, &reachable.machine);
                        verdict
                    });
                    if verdict.is_none() && profile.is_some() && !found.has_errors() {
                        verification.unusable += 1;
                    }
                    verification.unusable += found.error_count() as u64;
                    tell(&found, &pieces);
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
        if read == 0 && verification.unusable == 0 && !is_part {
            let finding = Diagnostic::error(Code::EmptyTrace, "the trace holds no dialogue");
            diagnostics.push(
                finding
                    .about(inspection.name)
                    .help("name a trace with dialogues"),
            );
        }
        if is_first {
            verification.unusable += diagnostics.error_count() as u64;
            tell(&diagnostics, sources);
        }
        if self.shard.is_none() && !is_part {
            judged(Judgement::OfAll(verification.close()))?;
        }
        Ok(verification)
    }

    /// Whether a dialogue belongs to what is looked at.
    fn has(&self, text: &ObservedText) -> bool {
        self.shard.is_none_or(|shard| shard.has_name(text.name()))
    }

    /// Tells what was found about the model in a profile.
    fn tell_model(&self, profile: Profile, tell: &mut dyn FnMut(&Diagnostics, &SourceMap)) {
        let models = self.models.lock();
        if let Some(found) = models.findings(self.model, profile) {
            tell(&found.without_key_notes(), models.sources());
        }
    }

    /// The profile of a dialogue; nothing, with findings, where it names one that there is not.
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

    /// What is said of a dialogue. `None`, with findings of their own, where it cannot be held against the model.
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

    /// With what a dialogue starts.
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
    /// Looks into a dialogue, and holds it against the model.
    fn look(&self, mut read: ReadDialogue) -> VerifiedDialogue {
        let mut found = Diagnostics::default();
        let (mut profile, mut verdict) = (None, None);
        let pieces = &mut read.pieces;
        match &read.text {
            Some(text) if !self.verifier.has(text) => {
                // Which places of a map no line has is known only where all lines were looked at.
                if let Some(map) = &self.map {
                    let mut nobody = Diagnostics::default();
                    text.open(Some(map), &self.name, &mut nobody, pieces);
                }
            }
            Some(text) => {
                if let Some((known, said)) = self.look_quickly(text) {
                    (profile, verdict) = (Some(known), Some(said));
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

    /// What is said of a dialogue that is played again and comes out as it is written; nothing where there may be more to
    /// say.
    fn look_quickly(
        &self,
        text: &ObservedText,
    ) -> Option<(Profile, (Arc<Reachability>, DialogueVerdict))> {
        if self.verifier.mode != Mode::Replay {
            return None;
        }
        let (head, mut trial) = (text.head()?, Diagnostics::default());
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

    /// What the model can do in a profile; nothing where it cannot be used.
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

/// The next dialogues of a trace; fewer where more may be long in coming. Behind the last one stands what was found then.
fn next_batch(reader: &mut ObservedReader<InputStream>) -> Next<Vec<ReadDialogue>> {
    let mut batch: Vec<ReadDialogue> = Vec::new();
    let (mut size, mut is_dry) = (0, false);
    while size < BATCH && !is_dry {
        let (mut found, mut pieces) = (Diagnostics::default(), SourceMap::default());
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

/// The place of a line of a dialogue.
fn piece(name: &str, text: &ObservedText, line: usize, pieces: &mut SourceMap) -> Span {
    let content = text.line(line);
    Span::new(pieces.add_piece(name, content, line), 0, content.len())
}
