//! What is probably not meant in a sales dialogue.

pub(super) mod idle_data;
pub(super) mod objection_state;

use super::SalesConfig;
