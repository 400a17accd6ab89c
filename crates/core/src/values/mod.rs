//! Readers of values: numbers, dates, times, contacts, listed values and names in utterances, in Russian and English.
//!
//! A reader finds all values of its kind and never completes or invents one. If a text is ambiguous (`3/4/2027`), the
//! readers find nothing. They use no clock: without the time of the turn, `tomorrow` is not a value.

mod contacts;
mod dates;
mod found_value;
mod listed_value;
mod names;
mod number_words;
mod numbers;
mod readable_slot;
mod said_text;
mod said_values;
mod times;
mod value_words;

pub use found_value::FoundValue;
pub use readable_slot::ReadableSlot;
pub use said_text::SaidText;
pub use said_values::{SaidValues, value_of};
