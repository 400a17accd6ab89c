//! The gates: whatever would touch the world passes them, or is denied with a reason.

mod consent;
mod schema;

pub(super) use consent::{may_read, may_write};
pub(super) use schema::fits;
