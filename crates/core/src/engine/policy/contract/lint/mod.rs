//! What is probably not meant in a contract.

pub(super) mod class_overlap;
pub(super) mod held_values;
pub(super) mod idle_parts;

use super::contract::Contract;
