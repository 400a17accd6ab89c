//! One line of a cassette: what was asked in a turn, and what came of it.

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

/// What was asked in a turn, and what came of it. A line holds first what is short and looked for, and last the request,
/// which is long.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Interaction {
    /// Which dialogue of a simulation it is of; nothing where a cassette is of one dialogue.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) dialogue: Option<Box<str>>,
    /// The number of the turn, from 1.
    pub(super) turn: u32,
    /// What kind of thing was needed.
    pub(super) need: TaskKind,
    /// The request by its hash.
    hash: String,
    /// Who answered; nothing where nobody did.
    #[serde(deserialize_with = "Option::deserialize")]
    by: Option<Box<str>>,
    /// The answer; nothing where nobody gave one.
    answer: Value,
    /// Who was asked before and did not answer, and why.
    #[serde(default)]
    failed: Vec<Failed>,
    /// What the answer cost.
    #[serde(default)]
    tokens: Tokens,
    /// Why the model stopped.
    #[serde(default)]
    stop: Option<Box<str>>,
    /// What the model was to look at.
    user: String,
    /// How it was to answer.
    system: String,
    /// The schema of the answer.
    schema: Json,
}

/// An attempt that came to nothing.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
struct Failed {
    by: Box<str>,
    kind: FailureKind,
    why: String,
}

impl Interaction {
    /// What came of a request whose words, without their volatile parts, are `prompt`.
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

    /// Reads a line.
    pub(super) fn read(line: &str) -> Result<Self, (String, usize)> {
        // A list of the same values would be taken for it too.
        if !line.trim_start().starts_with('{') {
            return Err(("a recording is a JSON object".to_owned(), 1));
        }
        let interaction: Self = serde_json::from_str(line)
            .map_err(|error| (json_reason(&error), error.column().max(1)))?;
        match interaction.fault() {
            Some(fault) => Err((fault, 1)),
            None => Ok(interaction),
        }
    }

    /// What the types of a line do not rule out.
    fn fault(&self) -> Option<String> {
        if self.by.is_some() {
            if let Err(failure) = self.need.check(&self.answer) {
                return Some(failure.reason);
            }
        } else if !self.answer.is_null() {
            return Some("there is an answer, but nobody who gave it".to_owned());
        }
        (self.hash != hash_of(&self.prompt())).then(|| {
            "`hash` is not that of the request: one of the two was changed by hand".to_owned()
        })
    }

    /// The line, without a line break.
    pub(super) fn line(&self) -> String {
        serde_json::to_string(self).unwrap_or_default()
    }

    /// Whether this was recorded for such a request.
    pub(super) fn is_for(&self, turn: u32, need: TaskKind, hash: &str) -> bool {
        self.turn == turn && self.need == need && self.hash == hash
    }

    /// Whether somebody answered.
    pub(super) fn is_answered(&self) -> bool {
        self.by.is_some()
    }

    /// The request.
    pub(super) fn prompt(&self) -> Prompt {
        Prompt {
            system: self.system.clone(),
            user: self.user.clone(),
            schema: self.schema.clone(),
        }
    }

    /// What came of the request, once more.
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

/// A request by a hash of 64 bits, in hexadecimal digits. Cassettes of all builds share it, so it never changes.
pub(super) fn hash_of(prompt: &Prompt) -> String {
    let mut hash = Xxh3::new();
    for part in [
        prompt.system.as_str(),
        prompt.user.as_str(),
        &prompt.schema.to_string(),
    ] {
        // The length keeps text from moving between the parts unseen.
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
    fn a_line_reads_back_whoever_answered() {
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
    fn the_hash_of_a_request_never_changes() {
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
    fn a_line_that_was_meddled_with_is_refused() {
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
        // What other programs add is none of our business.
        assert!(Interaction::read(&line.replace("\"turn\":3", "\"turn\":3,\"note\":[1]")).is_ok());
    }
}
