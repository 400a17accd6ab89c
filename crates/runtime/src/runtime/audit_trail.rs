//! Derives the audit entries of a turn from its record.

use serde_json::{Map, Value as Json, json};

use fsmsim_adapters::stores::{AuditEntry, AuditKind, AuditedTurn};
use fsmsim_core::engine::Machine;
use fsmsim_core::machine::EffectKind;
use fsmsim_core::trace::{ReportedAnswer, ReportedEffect, TurnReport};

/// Whether dialogues of a machine have a memory, and therefore an audit.
pub fn remembers(machine: &Machine) -> bool {
    machine
        .effects
        .iter()
        .any(|effect| matches!(effect.kind, EffectKind::Recall | EffectKind::Remember))
}

/// The audit entries of a turn of a dialogue. `record` is the trace line of the turn. It is empty if the turn was not
/// recorded.
pub fn audited_turn(machine: &Machine, session: &str, turn: u32, record: &str) -> AuditedTurn {
    let audited = AuditedTurn {
        session: session.to_owned(),
        turn,
        ..AuditedTurn::default()
    };
    let Some(record) = TurnReport::read(record) else {
        return audited;
    };
    let mut trail = AuditTrail {
        machine,
        record: &record,
        entries: Vec::new(),
    };
    trail.collect();
    AuditedTurn {
        entries: trail.entries,
        task: record.text_of("task_id").map(str::to_owned),
        at: record.given("at").map(str::to_owned),
        ..audited
    }
}

/// The value of `failed_by` if a verdict ended the task.
const BY_VERDICT: &str = "replan_limit";

/// The audit entries of a turn while they are collected.
struct AuditTrail<'t> {
    machine: &'t Machine,
    record: &'t TurnReport,
    entries: Vec<AuditEntry>,
}

/// Outcomes of an unavailable memory. With them, writes to the shared scope count as failed, because they would be
/// incomplete.
const WITHOUT: [&str; 2] = ["down", "error"];

impl<'t> AuditTrail<'t> {
    fn collect(&mut self) {
        let TurnReport {
            state, phase, data, ..
        } = self.record;
        let [from, to, phase, next] = [&state.from, &state.to, &phase.from, &phase.to]
            .map(|name| name.as_deref().unwrap_or_default());
        let moved = from != to;
        let event = self.record.meant();
        match event {
            Some("submit") if moved => self.submitted(to),
            Some("approve") if self.took("approve") => {
                let what = picked(self.said(), &["capability", "by"]);
                self.note(AuditKind::Approved, from, what);
            }
            _ => {}
        }
        let works = event == Some("tick");
        if works && phase == "VALIDATE" && moved {
            self.verdict(from, next);
        }
        if phase != next && !phase.is_empty() {
            let work = match phase {
                "ANALYZE" if works => &["analysis"][..],
                "PLAN" if works => &["plan"],
                "EXECUTE" if works => &["results", "code_artifacts"],
                _ => &[],
            };
            let mut what = picked(Some(data), work);
            what.extend(map([("phase", json!(phase)), ("to", json!(to))]));
            self.note(AuditKind::PhaseLeft, from, what);
        }
        if phase != next && !next.is_empty() {
            let what = map([("phase", json!(next)), ("from", json!(from))]);
            self.note(AuditKind::PhaseEntered, to, what);
        }
        self.effects();
        if moved && self.record.is_final == Some(true) {
            let what = picked(Some(data), &["status", "failed_by", "left_behind"]);
            self.note(AuditKind::Ended, to, what);
        }
    }

    /// The payload of the event.
    fn said(&self) -> Option<&'t Map<String, Json>> {
        let input = &self.record.input;
        self.record
            .meant()
            .and_then(|event| input.get(event))
            .or_else(|| input.get("data"))?
            .as_object()
    }

    /// Whether the transition of this event was taken.
    fn took(&self, event: &str) -> bool {
        let mut why = self.record.why.iter();
        why.any(|why| why.strip_prefix("intent_transition_") == Some(event))
    }

    fn submitted(&mut self, to: &str) {
        let mut what = picked(Some(&self.record.data), &["description", "is_adaptation"]);
        what.extend(picked(self.said(), &["begun_by"]));
        self.note(AuditKind::TaskSubmitted, to, what);
    }

    fn verdict(&mut self, from: &str, next: &str) {
        let replans = self.record.class.as_deref() == Some("replan");
        let verdict = match next {
            "COMMIT" => "approved",
            _ if replans => "replan",
            _ if self.record.text_of("failed_by") == Some(BY_VERDICT) => "failed",
            // The task ended before validation.
            _ => return,
        };
        let report = self.record.data.get("validation_report");
        let mut what = map([("verdict", json!(verdict))]);
        what.extend(report.map(|report| ("report".to_owned(), report.clone())));
        self.note(AuditKind::Verdict, from, what);
        if replans {
            let replans = json!(self.record.counters.get("replans"));
            self.note(AuditKind::Replanned, from, map([("replans", replans)]));
        }
    }

    fn effects(&mut self) {
        let effects = self.record.effects();
        let answers = self.record.answers();
        let is_incomplete = effects
            .iter()
            .any(|effect| is_shared(effect) && WITHOUT.contains(&outcome(effect)));
        for (at, effect) in effects.iter().enumerate() {
            let name = &*effect.effect;
            let index = effects
                .iter()
                .take(at)
                .filter(|other| other.effect == name)
                .count();
            // An answer of the backend belongs to the effect with the same name and index.
            let is_its = |answer: &&ReportedAnswer| {
                answer.effect.as_deref() == Some(name) && answer.index == index
            };
            let answer = answers.iter().find(is_its);
            let answer = answer.and_then(|answer| answer.answer.as_ref()?.as_object());
            let id = self.machine.names.effects.id(name);
            match id.map(|id| self.machine.effects[id].kind) {
                Some(EffectKind::Recall) => self.read(effect, answer),
                Some(EffectKind::Remember) => {
                    self.written(effect, answer, is_incomplete && is_shared(effect));
                }
                Some(EffectKind::Invoke) if name == "roll_back" => {
                    let what = [
                        ("actions", effect.given("actions").clone()),
                        outcome_entry(effect),
                    ];
                    self.effect(AuditKind::RolledBack, effect, map(what));
                }
                Some(EffectKind::Invoke) => self.action(effect, answer),
                Some(EffectKind::Keep) if name == "take_observation" => {
                    self.kept(AuditKind::Observed, effect);
                }
                Some(EffectKind::Keep) if name == "new_session" => {
                    self.kept(AuditKind::SessionAsked, effect);
                }
                _ => {}
            }
        }
    }

    fn read(&mut self, effect: &ReportedEffect, answer: Option<&Map<String, Json>>) {
        let mut what = picked(effect.payload.as_object(), &["kinds"]);
        if !effect.is_done() {
            what.extend(map([outcome_entry(effect)]));
            return self.effect(AuditKind::MemorySilent, effect, what);
        }
        let ids: Vec<&Json> = answer
            .and_then(|answer| answer.get("found")?.as_array())
            .into_iter()
            .flatten()
            .filter_map(|artifact| artifact.get("id"))
            .collect();
        what.extend(map([("found", json!(ids))]));
        self.effect(AuditKind::MemoryRead, effect, what);
    }

    fn written(
        &mut self,
        effect: &ReportedEffect,
        answer: Option<&Map<String, Json>>,
        is_incomplete: bool,
    ) {
        let mut what = picked(effect.payload.as_object(), &["type", "scope"]);
        if !effect.is_done() || is_incomplete {
            what.extend(map([if is_incomplete {
                ("why", json!("the turn could not be written completely"))
            } else {
                outcome_entry(effect)
            }]));
            return self.effect(AuditKind::MemoryRefused, effect, what);
        }
        for (key, of_answer) in [("artifact", "id"), ("hash", "hash")] {
            what.extend(
                answer.and_then(|answer| Some((key.to_owned(), answer.get(of_answer)?.clone()))),
            );
        }
        self.effect(AuditKind::MemoryWritten, effect, what);
    }

    fn action(&mut self, effect: &ReportedEffect, answer: Option<&Map<String, Json>>) {
        let asked = picked(effect.payload.as_object(), &["capability", "inputs"]);
        self.effect(AuditKind::ActionAsked, effect, asked);
        let capability = effect.given("capability").as_str().unwrap_or_default();
        let mut what = map([("capability", json!(capability)), outcome_entry(effect)]);
        let kind = if effect.is_denied() {
            AuditKind::ActionRefused
        } else if effect.is_done() {
            AuditKind::ActionDone
        } else {
            AuditKind::ActionFailed
        };
        if kind != AuditKind::ActionRefused {
            // For a result that violates its schema, record only the reason.
            what.extend(match &effect.why {
                Some(why) => map([("why", json!(why))]),
                None => picked(answer, &["measurable_effect"]),
            });
            let mut facts = self.machine.policies.facts();
            let tests = self.record.phase.from.as_deref() == Some("VALIDATE")
                && facts.any(|policy| policy.is_test(capability));
            what.extend(map([("tests", json!(tests))]));
        }
        self.effect(kind, effect, what);
    }

    /// An effect that is saved with the session, or refused by a gate.
    fn kept(&mut self, kind: AuditKind, effect: &ReportedEffect) {
        let what = match &effect.why {
            Some(why) => map([("refused", json!(why))]),
            None => effect.payload.as_object().cloned().unwrap_or_default(),
        };
        self.effect(kind, effect, what);
    }

    fn effect(&mut self, kind: AuditKind, effect: &ReportedEffect, what: Map<String, Json>) {
        let node = match effect.given("node") {
            Json::Null => &effect.state,
            node => node.as_str().unwrap_or_default(),
        };
        self.note(kind, node, what);
    }

    fn note(&mut self, kind: AuditKind, state: &str, what: Map<String, Json>) {
        self.entries.push(AuditEntry {
            kind,
            state: state.to_owned(),
            what: Json::Object(what),
        });
    }
}

fn map<const N: usize>(pairs: [(&str, Json); N]) -> Map<String, Json> {
    pairs
        .map(|(key, value)| (key.to_owned(), value))
        .into_iter()
        .collect()
}

/// The values of a map under these keys, without missing and null ones.
fn picked(map: Option<&Map<String, Json>>, keys: &[&str]) -> Map<String, Json> {
    keys.iter()
        .filter_map(|key| Some(((*key).to_owned(), map?.get(*key)?.clone())))
        .filter(|(_, value)| !value.is_null())
        .collect()
}

/// The outcome of an effect. Empty if a gate stopped it.
fn outcome(effect: &ReportedEffect) -> &str {
    effect.outcome.as_deref().unwrap_or_default()
}

/// The outcome of an effect, or the reason why a gate stopped it.
fn outcome_entry(effect: &ReportedEffect) -> (&'static str, Json) {
    match effect.why.as_ref().filter(|_| effect.is_denied()) {
        Some(why) => ("why", json!(why)),
        None => ("outcome", json!(outcome(effect))),
    }
}

/// Whether an effect writes to the shared scope.
fn is_shared(effect: &ReportedEffect) -> bool {
    effect.given("scope") == "shared"
}
