//! Asks a user for consent to data access.

use std::collections::BTreeMap;

use rmcp::model::{
    ElicitRequest, ElicitRequestParams, ElicitResult, ElicitationAction, ElicitationSchema,
    InputRequest, InputRequiredResult,
};
use serde_json::Value as Json;

use super::argument_schema::listed;
use fsmsim_core::engine::policy::Guide;
use fsmsim_core::engine::{Consent, Machine};
use fsmsim_core::machine::StateId;

/// Asks whether a state may access its data.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct ConsentQuestion {
    /// Links an answer to this question.
    pub nonce: String,
    /// The data that the state reads.
    reads: Vec<String>,
    /// The schema of the data that the state saves.
    writes: Option<String>,
    /// The state that needs the data.
    state: String,
}

/// A user's answer to a question.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct ConsentAnswer {
    /// The nonce of the question.
    pub nonce: String,
    /// The decision; `None` if the user said neither yes nor no.
    pub word: Option<Consent>,
}

/// The request key for clients without a stored connection.
const KEY: &str = "consent";
const READ: &str = "read";
const WRITE: &str = "write";

impl ConsentQuestion {
    /// The question about the data of a state; `None` if it needs no data.
    pub(super) fn about(state: StateId, machine: &Machine) -> Option<Self> {
        let Guide { reads, writes, .. } = machine.guide(state)?;
        let reads: Vec<String> = reads
            .iter()
            .map(|slot| machine.names.slots.name(*slot).to_owned())
            .collect();
        let writes = writes.map(|schema| {
            let schema = &machine.schemas[schema];
            let title = serde_json::to_value(&schema.text).ok();
            let title = title
                .as_ref()
                .and_then(|text| text.get("title")?.as_str().map(str::to_owned));
            title.map_or_else(
                || format!("`{}`", schema.name),
                |title| format!("`{}` ({title})", schema.name),
            )
        });
        if reads.is_empty() && writes.is_none() {
            return None;
        }
        let nonce = uuid::Uuid::new_v4().simple().to_string();
        Some(Self {
            nonce,
            reads,
            writes,
            state: machine.names.states.name(state).to_owned(),
        })
    }

    /// Whether another question asks for the same data, whatever its nonce.
    pub(super) fn asks_the_same_as(&self, other: &Self) -> bool {
        Self {
            nonce: other.nonce.clone(),
            ..self.clone()
        } == *other
    }

    /// The question as an elicitation request.
    pub(super) fn params(&self) -> Option<ElicitRequestParams> {
        let mut schema = ElicitationSchema::builder();
        let mut asked = Vec::new();
        if !self.reads.is_empty() {
            let read = listed(&self.reads);
            asked.push(format!("read {read}"));
            schema = schema
                .required_bool_property(READ, |flag| flag.title(format!("Allow reading {read}?")));
        }
        if let Some(writes) = &self.writes {
            asked.push(format!("save {writes}"));
            schema = schema.required_bool_property(WRITE, |flag| {
                flag.title(format!("Allow saving {writes}?"))
            });
        }
        let requested_schema = schema.build().ok()?;
        let message = format!(
            "For `{}`, the assistant needs to {} in your data. Do you agree?",
            self.state,
            asked.join(" and ")
        );
        Some(ElicitRequestParams::FormElicitationParams {
            meta: None,
            message,
            requested_schema,
        })
    }

    /// The question for a client without a stored connection: the client repeats the call with the answer.
    pub(super) fn held_up(&self, session: &str) -> Option<InputRequiredResult> {
        let request = InputRequest::Elicitation(ElicitRequest::new(self.params()?));
        let requests = BTreeMap::from([(KEY.to_owned(), request)]);
        Some(InputRequiredResult::new(
            Some(requests),
            Some(format!("{session}.{}", self.nonce)),
        ))
    }

    /// The answer in an elicitation result.
    pub(super) fn answered(&self, result: &ElicitResult) -> ConsentAnswer {
        ConsentAnswer {
            nonce: self.nonce.clone(),
            word: word(result),
        }
    }

    /// The consent for the data in this question. Data outside the question has no value; data that was not granted is
    /// refused.
    pub(super) fn granted(&self, word: Consent) -> Consent {
        Consent {
            read: (!self.reads.is_empty()).then(|| word.read == Some(true)),
            write: self.writes.is_some().then(|| word.write == Some(true)),
        }
    }
}

impl ConsentAnswer {
    /// The answer in a repeated call of a client without a stored connection, and the session of the call.
    pub(super) fn of_retry(
        state: Option<&str>,
        responses: Option<&BTreeMap<String, Json>>,
    ) -> Option<(String, Self)> {
        let (session, nonce) = state?.split_once('.')?;
        let response = responses.and_then(|responses| responses.get(KEY));
        let result = response
            .and_then(|response| serde_json::from_value::<ElicitResult>(response.clone()).ok());
        let word = result.as_ref().and_then(word);
        Some((
            session.to_owned(),
            Self {
                nonce: nonce.to_owned(),
                word,
            },
        ))
    }
}

/// The decision of a user: consent to the marked data, or refusal of all. `None` if the user closed the question, or
/// the answer is invalid.
fn word(result: &ElicitResult) -> Option<Consent> {
    match result.action {
        ElicitationAction::Accept => {
            let content = result.content.as_ref()?.as_object()?;
            let marked = |key: &str| match content.get(key) {
                Some(marked) => marked.as_bool().map(Some),
                None => Some(None),
            };
            Some(Consent {
                read: marked(READ)?,
                write: marked(WRITE)?,
            })
        }
        ElicitationAction::Decline => Some(Consent {
            read: Some(false),
            write: Some(false),
        }),
        _ => None,
    }
}
