//! A line of a cassette: a request of a turn with its outcome.

use serde::{Deserialize, Serialize};
use serde_json::Value as Json;
use xxhash_rust::xxh3::Xxh3;

use crate::llm::answer_failure::FailureKind;
use crate::llm::answerer::{AnswererReply, Attempt, Request};
use crate::llm::kind::TaskKind;
use crate::llm::prompt::Prompt;
use crate::llm::tokens::Tokens;
use fsmsim_core::machine::Value;
use fsmsim_syntax::document::json_reason;

/// A request of a turn with its outcome. The short fields used by searches come first, and the long request comes last.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Interaction {
    /// The dialogue of a simulation. `None` in a cassette of one dialogue.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) dialogue: Option<Box<str>>,
    /// The turn number, from 1.
    pub(super) turn: u32,
    /// The kind of task.
    pub(super) need: TaskKind,
    /// The hash of the request.
    hash: String,
    /// The provider that answered, or `None`.
    #[serde(deserialize_with = "Option::deserialize")]
    by: Option<Box<str>>,
    /// The answer, or null.
    answer: Value,
    /// The providers that failed before this answer, with the reasons.
    #[serde(default)]
    failed: Vec<Failed>,
    /// The tokens used.
    #[serde(default)]
    tokens: Tokens,
    /// The reason why the model stopped.
    #[serde(default)]
    stop: Option<Box<str>>,
    /// The user message of the prompt.
    user: String,
    /// The system message of the prompt.
    system: String,
    /// The schema of the answer.
    schema: Json,
}

/// A failed attempt.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
struct Failed {
    by: Box<str>,
    kind: FailureKind,
    why: String,
}

impl Interaction {
    /// The outcome of a request. `prompt` is its prompt without ignored parts.
    pub(super) fn new(
        request: &Request<'_>,
        prompt: Prompt,
        failed: &[Attempt],
        reply: Option<&AnswererReply>,
    ) -> Self {
        let failed = failed.iter().map(|attempt| Failed {
            by: (*attempt.by).into(),
            kind: attempt.failure.kind,
            why: attempt.failure.reason.clone(),
        });
        Self {
            dialogue: None,
            turn: request.turn,
            need: request.task.kind(),
            hash: hash_of(&prompt),
            by: reply.map(|reply| (*reply.by).into()),
            answer: reply.map_or(Value::Null, |reply| reply.value.clone()),
            failed: failed.collect(),
            tokens: reply.map_or(Tokens::default(), |reply| reply.tokens),
            stop: reply.and_then(|reply| reply.stop.clone()),
            user: prompt.user,
            system: prompt.system,
            schema: prompt.schema,
        }
    }

    /// Parses a line. An error includes its column.
    pub(super) fn read(line: &str) -> Result<Self, (String, usize)> {
        // Serde would also accept a list of the field values.
        if !line.trim_start().starts_with('{') {
            return Err(("expected a JSON object".to_owned(), 1));
        }
        let interaction: Self = serde_json::from_str(line)
            .map_err(|error| (json_reason(&error), error.column().max(1)))?;
        match interaction.fault() {
            Some(fault) => Err((fault, 1)),
            None => Ok(interaction),
        }
    }

    /// Checks rules that the field types cannot express. Returns the error, if any.
    fn fault(&self) -> Option<String> {
        if self.by.is_some() {
            if let Err(failure) = self.need.check(&self.answer) {
                return Some(failure.reason);
            }
        } else if !self.answer.is_null() {
            return Some("missing `by` for the answer".to_owned());
        }
        (self.hash != hash_of(&self.prompt()))
            .then(|| "`hash` does not match the request".to_owned())
    }

    /// The interaction as a line, without a line break.
    pub(super) fn line(&self) -> String {
        serde_json::to_string(self).unwrap_or_default()
    }

    /// Whether this is the recording of a request with this turn, kind of task and hash.
    pub(super) fn is_for(&self, turn: u32, need: TaskKind, hash: &str) -> bool {
        self.turn == turn && self.need == need && self.hash == hash
    }

    /// Whether a provider answered.
    pub(super) fn is_answered(&self) -> bool {
        self.by.is_some()
    }

    pub(super) fn prompt(&self) -> Prompt {
        Prompt {
            system: self.system.clone(),
            user: self.user.clone(),
            schema: self.schema.clone(),
        }
    }

    /// Replays the outcome of the request.
    pub(super) fn outcome(&self, failed: &mut Vec<Attempt>) -> Option<AnswererReply> {
        let attempts = self.failed.iter();
        failed.extend(attempts.map(|failed| Attempt::new(&*failed.by, failed.kind, &*failed.why)));
        let reply = AnswererReply::free(self.by.as_deref()?.into(), self.answer.clone());
        Some(AnswererReply {
            tokens: self.tokens,
            stop: self.stop.clone(),
            ..reply
        })
    }
}

/// The 64-bit hash of a request in hexadecimal digits. All versions share cassettes, so the hash function must never
/// change.
pub(super) fn hash_of(prompt: &Prompt) -> String {
    let mut hash = Xxh3::new();
    for part in [
        prompt.system.as_str(),
        prompt.user.as_str(),
        &prompt.schema.to_string(),
    ] {
        // Hash the lengths too: otherwise text could move between the parts without changing the hash.
        hash.update(&(part.len() as u64).to_le_bytes());
        hash.update(part.as_bytes());
    }
    format!("{:016x}", hash.digest())
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::llm::PromptTemplates;
    use crate::llm::task::{DecisionTarget, Task};

    fn request() -> Request<'static> {
        let targets = vec![DecisionTarget {
            state: "b",
            goal: "",
        }];
        let task = Task::Decide {
            state: "a",
            goal: "",
            utterance: "да",
            targets,
            known: Vec::new(),
            history: &[],
        };
        Request { task, turn: 3 }
    }

    #[test]
    fn interaction_survives_a_round_trip() {
        let request = request();
        let failed = [Attempt {
            by: "first".into(),
            failure: FailureKind::TimeOut.failure(),
        }];
        let answer = json!({"should_transition": true, "next_state": "b", "reasoning": null});
        let reply = AnswererReply {
            by: "second".into(),
            value: answer.into(),
            fresh: false,
            tokens: Tokens {
                asked: 12,
                answered: 3,
                cached: 0,
            },
            stop: Some("stop".into()),
        };
        for reply in [Some(&reply), None] {
            let interaction = Interaction::new(
                &request,
                Prompt::with(&request.task, &PromptTemplates::default()).unwrap(),
                &failed,
                reply,
            );
            let read = Interaction::read(&interaction.line()).unwrap();
            assert_eq!(read, interaction);
            let mut again = Vec::new();
            assert_eq!(read.outcome(&mut again).as_ref(), reply);
            assert_eq!(again, failed);
        }
    }

    #[test]
    fn request_hash_never_changes() {
        let prompt = Prompt {
            system: "a".to_owned(),
            user: "b".to_owned(),
            schema: json!({"type": "object"}),
        };
        assert_eq!(hash_of(&prompt), "1d46ed45d1ae2654");
        let moved = Prompt {
            system: "ab".to_owned(),
            user: String::new(),
            schema: prompt.schema.clone(),
        };
        assert_ne!(hash_of(&moved), hash_of(&prompt));
    }

    #[test]
    fn modified_line_is_rejected() {
        let request = request();
        let line = Interaction::new(
            &request,
            Prompt::with(&request.task, &PromptTemplates::default()).unwrap(),
            &[],
            None,
        )
        .line();
        let broken = [
            line.replace("\"turn\":3", "\"turn\":\"3\""),
            line.replace("\"turn\":3", "\"turn\":3,\"turn\":4"),
            line.replace("\"decide\"", "\"decides\""),
            line.replace("\"by\":null,", ""),
            line.replace("\"answer\":null", "\"answer\":{\"should_transition\":true}"),
            line.replace("\"by\":null", "\"by\":\"x\""),
            line.replace("да", "нет"),
            line.replace(
                "\"failed\":[]",
                "\"failed\":[{\"by\":\"x\",\"kind\":\"bored\",\"why\":\"\"}]",
            ),
            line.chars().take(40).collect(),
        ];
        for broken in broken {
            assert_ne!(broken, line);
            assert!(Interaction::read(&broken).is_err(), "{broken}");
        }
        // Keys that other programs add are ignored.
        assert!(Interaction::read(&line.replace("\"turn\":3", "\"turn\":3,\"note\":[1]")).is_ok());
    }
}
