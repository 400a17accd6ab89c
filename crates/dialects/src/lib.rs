//! Front ends that compile definitions in any dialect to a machine, and converters from and to other tools.

pub mod convert;
pub mod dialect;
mod limits;
pub mod reference;
