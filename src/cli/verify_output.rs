//! The verdicts of `fsmsim verify` while a trace is read.

use std::collections::BTreeMap;
use std::io::{self, Write};
use std::path::Path;
use std::sync::Arc;

use super::output::save_scenario;
use super::verify_args::{VerifyArgs, VerifyFormat};
use super::{CommandResult, Context};
use fsmsim_core::engine::Machine;
use fsmsim_core::machine::Profile;
use fsmsim_harness::generate::ViolatingScenario;
use fsmsim_harness::scenario::{ModelKey, Runner};
use fsmsim_harness::verify::{Finding, Judgement, RecordedDialogue, ViolationKind};
use fsmsim_reports::report::{FindingLine, ReportedScenario, VerdictLine};
use fsmsim_runtime::project::{ModelCache, Project};
use fsmsim_syntax::files::safe_stem;
use fsmsim_syntax::terminal::{StdoutWriter, print_message};
use fsmsim_syntax::threads::Mutex;

/// Writes verdicts as they arrive, and collects the first findings and their dialogues.
pub(super) struct VerdictOutput<'r> {
    args: &'r VerifyArgs,
    /// The model, relative to the project.
    model: String,
    project: Project,
    out: StdoutWriter,
    /// The name of all traces together.
    name: &'r str,
    has_several: bool,
    pub first: Vec<FindingLine>,
    /// The first violating dialogues.
    pub dialogues: Vec<ReportedScenario>,
    /// The first dialogue with each kind of violation.
    examples: BTreeMap<ViolationKind, ViolationExample>,
}

/// A dialogue with a violation, and its profile.
struct ViolationExample {
    dialogue: RecordedDialogue,
    profile: Option<Profile>,
    finding: Finding,
}

impl<'r> VerdictOutput<'r> {
    /// The output of a run over these traces.
    pub(super) fn new(
        args: &'r VerifyArgs,
        (name, has_several): (&'r str, bool),
        model: String,
        project: Project,
        out: StdoutWriter,
    ) -> Self {
        Self {
            args,
            model,
            project,
            out,
            name,
            has_several,
            first: Vec::new(),
            dialogues: Vec::new(),
            examples: BTreeMap::new(),
        }
    }

    /// Writes and collects a verdict.
    pub(super) fn judge(&mut self, verdict: Judgement<'_>) -> io::Result<()> {
        let limit = self.args.limit;
        let (trace, text, map, profile, verdict) = match verdict {
            Judgement::OfDialogue {
                trace,
                text,
                map,
                profile,
                verdict,
            } => (trace, text, map, profile, verdict),
            Judgement::Pause => return self.out.flush(),
            Judgement::OfAll(findings) => {
                let lines = findings
                    .into_iter()
                    .map(|finding| FindingLine::of(finding, self.name));
                FindingLine::keep_first(&mut self.first, lines, limit);
                return Ok(());
            }
        };
        let findings = verdict.as_ref().map(|verdict| verdict.findings.clone());
        if self.args.format == VerifyFormat::Jsonl {
            let mut line = VerdictLine::of(text.name(), profile, verdict);
            line.file = self.has_several.then_some(trace);
            serde_json::to_writer(&mut self.out, &line)?;
            writeln!(self.out)?;
        }
        let findings = findings.unwrap_or_default();
        if findings.is_empty() {
            return Ok(());
        }
        let kinds = findings.iter().map(ViolationKind::of);
        let is_new = |kind: &ViolationKind| !self.examples.contains_key(kind);
        let is_saved = self.args.save.is_some() && kinds.clone().any(|kind| is_new(&kind));
        let is_shown = self.args.has_dialogues() && self.dialogues.len() < limit;
        let dialogue = (is_saved || is_shown).then(|| RecordedDialogue::read(text, map));
        let lines = findings.iter().cloned();
        let lines: Vec<FindingLine> = lines.map(|one| FindingLine::of(one, trace)).collect();
        if let Some(dialogue) = dialogue.flatten() {
            if is_shown {
                let project = &self.project;
                let layout = project.artifacts_in(&project.snapshots);
                let from_root = |path: &str| layout.from_root(Path::new(path));
                let model = self.model.clone();
                let shown =
                    ReportedScenario::violating(&dialogue, &lines, model, profile, &from_root);
                self.dialogues.push(shown);
            }
            for (kind, finding) in kinds.zip(&findings).filter(|_| is_saved) {
                self.examples
                    .entry(kind)
                    .or_insert_with(|| ViolationExample {
                        dialogue: dialogue.clone(),
                        profile,
                        finding: finding.clone(),
                    });
            }
        }
        FindingLine::keep_first(&mut self.first, lines, limit);
        Ok(())
    }

    /// Completes the output of verdicts, and saves a scenario for each kind of violation.
    pub(super) fn finish(
        mut self,
        models: &Mutex<ModelCache>,
        model: (&Path, &str),
        usual: Profile,
        context: &Context,
    ) -> CommandResult<(Vec<FindingLine>, Vec<ReportedScenario>)> {
        self.out.flush()?;
        let folder = self.args.save.as_deref();
        for (kind, example) in folder.iter().flat_map(|_| &self.examples) {
            let Some(folder) = folder else { continue };
            let stem = safe_stem(&format!("{} {}", kind.kind, kind.place), "violation");
            let profile = example.profile.unwrap_or(usual);
            let machine = models.lock().load(model.0, profile);
            let saved = machine.map(|machine| {
                scenario(example, models, model, (profile, &machine), folder, context)
            });
            match saved {
                Some(Ok(text)) => save_scenario(folder, &stem, &text)?,
                Some(Err(why)) => print_message(&format!(
                    "cannot save the dialogue with `{}`: {why}\n",
                    kind.kind
                )),
                None => {}
            }
        }
        Ok((self.first, self.dialogues))
    }
}

/// The scenario of a violation.
fn scenario(
    example: &ViolationExample,
    models: &Mutex<ModelCache>,
    (model, place): (&Path, &str),
    (profile, machine): (Profile, &Arc<Machine>),
    folder: &Path,
    context: &Context,
) -> Result<String, String> {
    let scenario = ViolatingScenario {
        runner: &Runner::new(&context.project, models),
        key: &ModelKey {
            path: model.to_path_buf(),
            variant: profile.into(),
        },
        machine,
        place,
        path: &folder.join("violation.yaml"),
    };
    scenario.text(&example.dialogue, &example.finding)
}
