//! Compares numbers exactly.

use std::cmp::Ordering;

use fsmsim_core::machine::Value;

/// The order of two numbers, whatever their types.
pub(super) fn order(a: &Value, b: &Value) -> Option<Ordering> {
    let floats = a.as_number()?.partial_cmp(&b.as_number()?)?;
    // Different integers beyond 53 bits can be equal as floats.
    Some(floats.then_with(|| whole(a).cmp(&whole(b))))
}

/// A number without its fraction.
fn whole(number: &Value) -> i128 {
    match number {
        Value::Int(number) => i128::from(*number),
        #[expect(
            clippy::cast_possible_truncation,
            reason = "it is compared only with a number that is equal as a float"
        )]
        Value::Float(number) => number.get() as i128,
        _ => 0,
    }
}
