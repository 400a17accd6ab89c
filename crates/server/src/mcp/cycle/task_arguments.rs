//! What several tools take.

use std::ops::Deref;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The task.
#[derive(Debug, Deserialize, Serialize, JsonSchema)]
#[serde(transparent)]
pub(super) struct TaskId(
    #[schemars(regex(pattern = "^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$"))] pub(super) String,
);

/// The time now. As RFC 3339 writes it: 2026-01-31T18:00:00Z.
#[derive(Debug, Deserialize, Serialize, JsonSchema)]
#[serde(transparent)]
pub(super) struct Time(#[schemars(length(max = 64), extend("format" = "date-time"))] String);

impl Deref for Time {
    type Target = str;

    fn deref(&self) -> &str {
        &self.0
    }
}
