//! A system under test that is called over HTTP.

use std::time::Duration;

use serde_json::Value as Json;

use super::http_agent::{HttpAgent, parse};
use crate::subject::http_spec::HttpSpec;
use crate::subject::subject_failure::SubjectFailure;
use crate::subject::subject_turn::TurnValues;
use crate::subject::subject_wire::SubjectWire;
use fsmsim_syntax::terminal::TextRedactions;

/// A system under test that is called over HTTP, once per turn. Requests are not retried: a second request might count
/// as another turn.
pub(super) struct HttpSubject {
    spec: HttpSpec,
    agent: HttpAgent,
}

impl HttpSubject {
    pub(super) fn new(
        spec: &HttpSpec,
        timeout: Duration,
        mask: &mut TextRedactions,
    ) -> Result<Self, SubjectFailure> {
        let agent = HttpAgent::new(&spec.url, &spec.headers, timeout, mask)?;
        Ok(Self {
            spec: spec.clone(),
            agent,
        })
    }
}

impl SubjectWire for HttpSubject {
    fn ask(&mut self, values: &TurnValues, _: &mut TextRedactions) -> Result<Json, SubjectFailure> {
        let body = self
            .spec
            .body
            .as_ref()
            .map(|body| body.fill(values).to_string().into_bytes());
        let types: &[(&str, &str)] = &[
            ("accept", "application/json"),
            ("content-type", "application/json"),
        ];
        let types = if body.is_some() {
            types
        } else {
            types.get(..1).unwrap_or_default()
        };
        let own = |name: &str| {
            self.spec
                .headers
                .iter()
                .any(|header| header.name.eq_ignore_ascii_case(name))
        };
        let types: Vec<(&str, &str)> = types
            .iter()
            .copied()
            .filter(|(name, _)| !own(name))
            .collect();
        let response = self.agent.send(
            self.spec.method(),
            &self.spec.url.fill(values),
            body,
            &types,
        )?;
        let mut response = self.agent.check(response)?;
        parse(&self.agent.read(&mut response)?)
    }
}
