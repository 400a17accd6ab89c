//! Holds the dialogues of a trace against a model, one after the other.

use std::collections::BTreeMap;
use std::io::{self, BufRead};
use std::path::Path;

use super::finding::Finding;
use super::reachability::Reachability;
use super::replay::verify_replay;
use super::structure::verify_structure;
use super::verification::{Mode, Verification};
use crate::diagnostic::{Code, Diagnostic, Diagnostics, SourceMap, Span};
use crate::engine::Machine;
use crate::machine::Profile;
use crate::project::{ModelCache, Project};
use crate::runtime::DialogueSetup;
use crate::script::read_profile;
use crate::verify::import::{ObservedDialogue, ObservedReader, ObservedText};

/// Dialogues that cannot be used, after which the rest of a trace is not read.
const MAX_FAULTS: u64 = 20;

/// Holds the dialogues of a trace against a model.
pub struct Verifier<'v> {
    /// The project.
    pub project: &'v Project,
    /// The models.
    pub models: &'v mut ModelCache,
    /// The path of the model.
    pub model: &'v Path,
    /// The profile, whatever the dialogues say.
    pub profile: Option<Profile>,
    /// The profile of dialogues that say nothing.
    pub usual: Profile,
    /// How dialogues are held against it.
    pub mode: Mode,
    /// The file of the trace, for paths that start beside it.
    pub trace: &'v Path,
}

impl Verifier<'_> {
    /// Verifies a trace. `sources` has the map of its fields, where there is one. While it is read, `tell` is told what is
    /// wrong with it, or with the model, and `broken` what speaks against a dialogue.
    ///
    /// # Errors
    /// Those of `broken`; they end the verification.
    pub fn run(
        &mut self,
        mut reader: ObservedReader<Box<dyn BufRead>>,
        sources: &SourceMap,
        tell: &mut dyn FnMut(&Diagnostics, &SourceMap),
        broken: &mut dyn FnMut(Vec<Finding>) -> io::Result<()>,
    ) -> io::Result<Verification> {
        let model = self.model.display().to_string();
        let mut verification = Verification::new(reader.name(), model, self.mode);
        let mut reachable: BTreeMap<Profile, Option<Reachability>> = BTreeMap::new();
        let mut read = 0_u64;
        while verification.unusable < MAX_FAULTS {
            let mut diagnostics = Diagnostics::default();
            let mut pieces = SourceMap::default();
            let text = reader.read(&mut diagnostics, &mut pieces);
            verification.unusable += diagnostics.error_count() as u64;
            tell(&diagnostics, &pieces);
            let Some(text) = text else { break };
            read += 1;
            let mut diagnostics = Diagnostics::default();
            let dialogue = reader.open(&text, &mut diagnostics, &mut pieces);
            if let Some(dialogue) = dialogue.filter(|_| !diagnostics.has_errors()) {
                let mut place = |line| piece(reader.name(), &text, line, &mut pieces);
                if let Some(profile) = self.profile_of(&dialogue, &mut place, &mut diagnostics) {
                    let reachable = reachable.entry(profile).or_insert_with(|| self.reachability(profile, tell));
                    let findings = reachable
                        .as_ref()
                        .and_then(|reachable| self.verify(reachable, &dialogue, &mut place, &mut diagnostics));
                    if let Some(findings) = findings {
                        verification.push(dialogue.turns.len(), profile, &findings);
                        broken(findings)?;
                    } else {
                        verification.unusable += u64::from(!diagnostics.has_errors());
                    }
                }
            }
            verification.unusable += diagnostics.error_count() as u64;
            tell(&diagnostics, &pieces);
        }
        let mut diagnostics = Diagnostics::default();
        reader.check(&mut diagnostics);
        if read == 0 && verification.unusable == 0 {
            let finding = Diagnostic::error(Code::EmptyTrace, "the trace holds no dialogue");
            diagnostics.push(finding.about(reader.name().to_owned()).help("name a trace with dialogues"));
        }
        verification.unusable += diagnostics.error_count() as u64;
        tell(&diagnostics, sources);
        Ok(verification)
    }

    /// What the model can do in a profile; nothing, once told, where it cannot be used.
    fn reachability(
        &mut self,
        profile: Profile,
        tell: &mut dyn FnMut(&Diagnostics, &SourceMap),
    ) -> Option<Reachability> {
        let machine = self.models.load(self.model, profile);
        if let Some(found) = self.models.findings(self.model, profile) {
            tell(found, self.models.sources());
        }
        machine.map(Reachability::of)
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

    /// All findings about a dialogue. `None`, with findings of their own, where it cannot be held against the model.
    fn verify(
        &self,
        reachable: &Reachability,
        dialogue: &ObservedDialogue<'_>,
        place: &mut dyn FnMut(usize) -> Span,
        diagnostics: &mut Diagnostics,
    ) -> Option<Vec<Finding>> {
        let machine = reachable.machine();
        let setup = self.begin(machine, dialogue, place, diagnostics)?;
        match self.mode {
            Mode::Structure => Some(verify_structure(reachable, &setup.settings, dialogue)),
            Mode::Replay => {
                let divergence = verify_replay(machine, setup, dialogue, diagnostics, place).ok()?;
                Some(divergence.into_iter().collect())
            }
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
        let start = |span: Span, diagnostics: &mut Diagnostics| {
            let [signals, start] =
                [&dialogue.signals, &dialogue.start].map(|json| json.as_ref().map(|json| json.to_node(span)));
            let signals = signals.filter(|signals| !signals.is_null());
            DialogueSetup::read(machine, signals.as_ref(), start.as_ref(), &path, diagnostics)
        };
        let nowhere = Span::start_of(SourceMap::default().add("", ""));
        // Places are worked out only where they are told.
        start(nowhere, &mut Diagnostics::default()).or_else(|| start(place(dialogue.line), diagnostics))
    }
}

/// The place of a line of a dialogue.
fn piece(name: &str, text: &ObservedText, line: usize, pieces: &mut SourceMap) -> Span {
    let content = text.line(line);
    Span::new(pieces.add_piece(name, content, line), 0, content.len())
}
