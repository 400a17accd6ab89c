//! Times of the day: `9:15`, `3 pm`, "в половине десятого".

use super::found_value::FoundValue;
use super::said_text::Groups;
use super::value_words::index_of;
use crate::machine::Value;

/// A time of the day. In digits, such as `9:15`, it keeps its form; other times have the form `09:15`.
pub(super) fn time(group: &Groups<'_>) -> Option<FoundValue> {
    let is = |name: &str| group(name).is_some();
    let said = group("h")?;
    let hour = said.parse().ok();
    let hour: u32 = hour.or_else(|| index_of("hour", said))?;
    let minute = group("min").map_or(Some(0), |minute| minute.parse().ok())?;
    let (hour, minute) = if is("to") {
        // "Половина десятого" is 9:30.
        ((hour + 10) % 12 + 1, 30)
    } else if is("half") {
        (hour, 30)
    } else {
        (hour, if is("past") { 15 } else { minute })
    };
    let has_part = is("morning") || is("evening") || is("night");
    let is_hour = if has_part { 1..=12 } else { 0..=23 };
    if !is_hour.contains(&hour) || minute > 59 {
        return None;
    }
    let in_digits = group("v").filter(|time| time.contains(':') && !has_part);
    if let Some(time) = in_digits {
        return Some(FoundValue::new(Value::text(time)));
    }
    let is_late = is("evening") || is("night") && (6..12).contains(&hour);
    let start = if has_part { hour % 12 } else { hour };
    let before = group("before").map_or(0, |minutes| minutes.parse().unwrap_or(15));
    let minutes = (start * 60 + minute + 24 * 60).checked_sub(before)?;
    let hours = minutes / 60 + if is_late { 12 } else { 0 };
    let time = format!("{:02}:{:02}", hours % 24, minutes % 60);
    // A time in words before noon can also be after noon.
    let is_uncertain = !has_part && hour < 12 && !is("noon");
    let found = FoundValue::new(Value::text(&time));
    Some(found.doubted(is_uncertain).weakened(is("weak")))
}
