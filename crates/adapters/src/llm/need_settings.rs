//! What a link changes for one kind of need: `[llm.chain.needs.NEED]`.

use std::time::Duration;

use serde::Deserialize;

use super::body_parameters::{BodyParameters, RawParameters};

/// What a link changes for one kind of need.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct NeedSettings {
    /// What is added to bodies and taken out of them, behind what the link says itself.
    pub parameters: BodyParameters,
    /// How long one request may take, where that is another time than that of the link.
    pub timeout: Option<Duration>,
}

/// `[llm.chain.needs.NEED]` as it is written.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub(super) struct RawNeed {
    pub(super) params: RawParameters,
    pub(super) without: Vec<String>,
    pub(super) timeout_s: Option<f64>,
}
