//! Front ends: definitions in any dialect become a machine; flows are imported from other tools and exported to them.

pub mod convert;
pub mod dialect;
mod limits;
pub mod reference;
