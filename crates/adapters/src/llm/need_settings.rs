//! Settings of a provider for one kind of need: `[llm.chain.needs.NEED]`.

use std::time::Duration;

use serde::Deserialize;

use super::body_parameters::{BodyParameters, RawParameters};

/// Settings of a provider for one kind of need.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct NeedSettings {
    /// Body parameters, applied after those of the provider.
    pub parameters: BodyParameters,
    /// The timeout for a request, if it differs from that of the provider.
    pub timeout: Option<Duration>,
}

/// The unvalidated `[llm.chain.needs.NEED]` table.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub(super) struct RawNeed {
    pub params: RawParameters,
    pub omit: Vec<String>,
    pub timeout_s: Option<f64>,
}
