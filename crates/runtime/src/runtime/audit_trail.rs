//! What the audit tells of a turn, worked out of its record.

use serde_json::{Map, Value as Json, json};

use fsmsim_adapters::world::{AuditEntry, AuditKind, AuditedTurn};
use fsmsim_core::engine::Machine;
use fsmsim_core::machine::EffectKind;

/// Whether dialogues of a machine have a memory, and so an audit.
pub fn remembers(machine: &Machine) -> bool {
    machine
        .effects
        .iter()
        .any(|effect| matches!(effect.kind, EffectKind::Recall | EffectKind::Remember))
}

/// What the audit tells of a turn of a dialogue. `record` is the line of a trace that tells of it; empty, where there is nothing
/// to tell.
pub fn audited_turn(machine: &Machine, session: &str, turn: u32, record: &str) -> AuditedTurn {
    let audited = AuditedTurn {
        session: session.to_owned(),
        turn,
        ..AuditedTurn::default()
    };
    let Ok(record) = serde_json::from_str::<Json>(record) else {
        return audited;
    };
    let mut trail = AuditTrail {
        machine,
        record: &record,
        entries: Vec::new(),
    };
    trail.tell();
    let entries = trail.entries;
    let text = |pointer: &str| {
        record
            .pointer(pointer)
            .and_then(Json::as_str)
            .map(str::to_owned)
    };
    AuditedTurn {
        task: text("/data/task_id"),
        at: text("/input/at"),
        entries,
        ..audited
    }
}

/// Events that records write under their own names.
const EVENTS: [&str; 4] = ["tick", "observe", "approve", "timeout"];

/// By what a task fails of which the last verdict was none.
const BY_VERDICT: &str = "replan_limit";

/// What a turn is told of by, in the making.
struct AuditTrail<'t> {
    machine: &'t Machine,
    record: &'t Json,
    entries: Vec<AuditEntry>,
}

/// What a memory that was not to be had comes to: nothing that the turn shares is known then, since it would be half of it.
const WITHOUT: [&str; 2] = ["down", "error"];

impl<'t> AuditTrail<'t> {
    fn tell(&mut self) {
        let (from, to) = (self.text("/state/from"), self.text("/state/to"));
        let (phase, next) = (self.text("/phase/from"), self.text("/phase/to"));
        let moved = from != to;
        let event = self.event();
        match event {
            Some("submit") if moved => self.submitted(to),
            Some("approve") if self.took("approve") => {
                let said = self.said();
                self.note(
                    AuditKind::Approved,
                    from,
                    picked(said, &["capability", "by"]),
                );
            }
            _ => {}
        }
        let works = event == Some("tick");
        if works && phase == "VALIDATE" && moved {
            self.verdict(from, next);
        }
        if phase != next && !phase.is_empty() {
            let work = match phase {
                "ANALYZE" => &["analysis"][..],
                "PLAN" => &["plan"],
                "EXECUTE" => &["results", "code_artifacts"],
                _ => &[],
            };
            let mut what = picked(self.record.get("data"), if works { work } else { &[] });
            what.extend([
                ("phase".to_owned(), json!(phase)),
                ("to".to_owned(), json!(to)),
            ]);
            self.note(AuditKind::PhaseLeft, from, what);
        }
        if phase != next && !next.is_empty() {
            let what = [
                ("phase".to_owned(), json!(next)),
                ("from".to_owned(), json!(from)),
            ];
            self.note(AuditKind::PhaseEntered, to, what.into_iter().collect());
        }
        self.effects();
        if moved && self.record.get("final") == Some(&Json::Bool(true)) {
            let what = picked(
                self.record.get("data"),
                &["status", "failed_by", "left_behind"],
            );
            self.note(AuditKind::Ended, to, what);
        }
    }

    /// The name of the event that came in.
    fn event(&self) -> Option<&'t str> {
        let input = self.record.get("input")?;
        let named = input.get("event").and_then(Json::as_str);
        named.or_else(|| EVENTS.into_iter().find(|event| input.get(*event).is_some()))
    }

    /// What the event said.
    fn said(&self) -> Option<&'t Json> {
        let input = self.record.get("input")?;
        let own = EVENTS.into_iter().find_map(|event| input.get(event));
        own.or_else(|| input.get("data"))
    }

    /// Whether an edge of this event was taken.
    fn took(&self, event: &str) -> bool {
        let why = self
            .record
            .get("why")
            .and_then(Json::as_array)
            .into_iter()
            .flatten();
        why.filter_map(Json::as_str)
            .any(|why| why.strip_prefix("intent_transition_") == Some(event))
    }

    fn submitted(&mut self, to: &str) {
        let mut what = picked(self.record.get("data"), &["description", "is_adaptation"]);
        what.extend(picked(self.said(), &["begun_by"]));
        self.note(AuditKind::TaskSubmitted, to, what);
    }

    fn verdict(&mut self, from: &str, next: &str) {
        let replans = self.text("/class") == "replan";
        let verdict = match next {
            "COMMIT" => "approved",
            _ if replans => "replan",
            _ if self.text("/data/failed_by") == BY_VERDICT => "failed",
            // The task ended before anything was validated.
            _ => return,
        };
        let mut what = Map::new();
        what.insert("verdict".to_owned(), json!(verdict));
        let report = self.record.pointer("/data/validation_report");
        what.extend(report.map(|report| ("report".to_owned(), report.clone())));
        self.note(AuditKind::Verdict, from, what);
        if replans {
            let replans = self
                .record
                .pointer("/counters/replans")
                .cloned()
                .unwrap_or_default();
            self.note(
                AuditKind::Replanned,
                from,
                [("replans".to_owned(), replans)].into_iter().collect(),
            );
        }
    }

    fn effects(&mut self) {
        let effects: Vec<&'t Json> = self
            .record
            .get("effects")
            .and_then(Json::as_array)
            .into_iter()
            .flatten()
            .collect();
        let is_half = effects
            .iter()
            .any(|effect| is_shared(effect) && WITHOUT.contains(&outcome(effect)));
        for (at, effect) in effects.iter().enumerate() {
            let name = effect
                .get("effect")
                .and_then(Json::as_str)
                .unwrap_or_default();
            let before = effects
                .iter()
                .take(at)
                .filter(|other| other.get("effect") == effect.get("effect"));
            let answer = self.answer(name, before.count());
            let kind = self
                .machine
                .names
                .effects
                .id(name)
                .map(|id| self.machine.effects[id].kind);
            match kind {
                Some(EffectKind::Recall) => self.read(effect, answer),
                Some(EffectKind::Remember) => {
                    self.written(effect, answer, is_half && is_shared(effect))
                }
                Some(EffectKind::Invoke) if name == "roll_back" => {
                    let what = [
                        ("actions".to_owned(), payload(effect, "actions")),
                        came_to(effect),
                    ];
                    self.effect(AuditKind::RolledBack, effect, what.into_iter().collect());
                }
                Some(EffectKind::Invoke) => self.action(effect, answer),
                Some(EffectKind::Keep) if name == "take_observation" => {
                    self.kept(AuditKind::Observed, effect)
                }
                Some(EffectKind::Keep) if name == "new_session" => {
                    self.kept(AuditKind::SessionAsked, effect)
                }
                _ => {}
            }
        }
    }

    fn read(&mut self, effect: &Json, answer: Option<&Json>) {
        let mut what = picked(effect.get("payload"), &["kinds"]);
        if outcome(effect) != "done" {
            what.extend([came_to(effect)]);
            return self.effect(AuditKind::MemorySilent, effect, what);
        }
        let found = answer
            .and_then(|answer| answer.get("found")?.as_array())
            .into_iter()
            .flatten();
        let ids: Vec<&Json> = found.filter_map(|artifact| artifact.get("id")).collect();
        what.insert("found".to_owned(), json!(ids));
        self.effect(AuditKind::MemoryRead, effect, what);
    }

    fn written(&mut self, effect: &Json, answer: Option<&Json>, is_half: bool) {
        let mut what = picked(effect.get("payload"), &["type", "scope"]);
        if outcome(effect) != "done" || is_half {
            let why = if is_half {
                (
                    "why".to_owned(),
                    json!("not all of the turn could be written"),
                )
            } else {
                came_to(effect)
            };
            what.extend([why]);
            return self.effect(AuditKind::MemoryRefused, effect, what);
        }
        for (key, of_answer) in [("artifact", "id"), ("hash", "hash")] {
            what.extend(
                answer.and_then(|answer| Some((key.to_owned(), answer.get(of_answer)?.clone()))),
            );
        }
        self.effect(AuditKind::MemoryWritten, effect, what);
    }

    fn action(&mut self, effect: &Json, answer: Option<&Json>) {
        let asked = picked(effect.get("payload"), &["capability", "inputs"]);
        let capability = asked
            .get("capability")
            .and_then(Json::as_str)
            .unwrap_or_default()
            .to_owned();
        self.effect(AuditKind::ActionAsked, effect, asked);
        let mut what = Map::new();
        what.insert("capability".to_owned(), json!(capability));
        what.extend([came_to(effect)]);
        let kind = match outcome(effect) {
            _ if is_denied(effect) => AuditKind::ActionRefused,
            "done" => AuditKind::ActionDone,
            _ => AuditKind::ActionFailed,
        };
        if kind != AuditKind::ActionRefused {
            // Of what breaks its schema it stands only how.
            let broken = picked(Some(effect), &["why"]);
            what.extend(if broken.is_empty() {
                picked(answer, &["measurable_effect"])
            } else {
                broken
            });
            let mut policies = self.machine.policies.facts();
            let tests = policies.any(|policy| policy.is_test(&capability));
            what.insert("tests".to_owned(), json!(tests));
        }
        self.effect(kind, effect, what);
    }

    /// Something that is kept with the session, or not where a gate stopped it.
    fn kept(&mut self, kind: AuditKind, effect: &Json) {
        let refused = effect
            .get("why")
            .map(|why| ("refused".to_owned(), why.clone()));
        let what = match refused {
            Some(refused) => [refused].into_iter().collect(),
            None => effect
                .get("payload")
                .and_then(Json::as_object)
                .cloned()
                .unwrap_or_default(),
        };
        self.effect(kind, effect, what);
    }

    /// What the world answered to an effect: by its kind and its number among those.
    fn answer(&self, effect: &str, index: usize) -> Option<&'t Json> {
        let answers = self
            .record
            .get("answers")
            .and_then(Json::as_array)
            .into_iter()
            .flatten();
        let number = |answer: &Json| answer.get("index").and_then(Json::as_u64).unwrap_or(0);
        let mut of_effect =
            answers.filter(|answer| answer.get("effect").and_then(Json::as_str) == Some(effect));
        of_effect
            .find(|answer| usize::try_from(number(answer)) == Ok(index))?
            .get("answer")
    }

    fn effect(&mut self, kind: AuditKind, effect: &Json, what: Map<String, Json>) {
        let node = effect
            .pointer("/payload/node")
            .or_else(|| effect.get("state"));
        let node = node.and_then(Json::as_str).unwrap_or_default().to_owned();
        self.note(kind, &node, what);
    }

    fn note(&mut self, kind: AuditKind, state: &str, what: Map<String, Json>) {
        self.entries.push(AuditEntry {
            kind,
            state: state.to_owned(),
            what: Json::Object(what),
        });
    }

    fn text(&self, pointer: &str) -> &'t str {
        self.record
            .pointer(pointer)
            .and_then(Json::as_str)
            .unwrap_or_default()
    }
}

/// What is there of a map under these keys.
fn picked(map: Option<&Json>, keys: &[&str]) -> Map<String, Json> {
    let found = keys
        .iter()
        .filter_map(|key| Some(((*key).to_owned(), map?.get(key)?.clone())));
    found.filter(|(_, value)| !value.is_null()).collect()
}

/// What an effect was done with, under a key.
fn payload(effect: &Json, key: &str) -> Json {
    effect
        .get("payload")
        .and_then(|payload| payload.get(key))
        .cloned()
        .unwrap_or_default()
}

/// What came of an effect; nothing where a gate stopped it.
fn outcome(effect: &Json) -> &str {
    effect
        .get("outcome")
        .and_then(Json::as_str)
        .unwrap_or_default()
}

/// What came of an effect, or why a gate stopped it.
fn came_to(effect: &Json) -> (String, Json) {
    match effect.get("why").filter(|_| is_denied(effect)) {
        Some(why) => ("why".to_owned(), why.clone()),
        None => ("outcome".to_owned(), json!(outcome(effect))),
    }
}

/// Whether a gate stopped an effect.
fn is_denied(effect: &Json) -> bool {
    effect.get("verdict").and_then(Json::as_str) == Some("denied")
}

/// Whether an effect writes what is shared.
fn is_shared(effect: &Json) -> bool {
    payload(effect, "scope") == "shared"
}
