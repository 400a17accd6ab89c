//! Dates: in digits, with the name of the month, and relative to the day of the turn.

use chrono::{Datelike, Days, Months, NaiveDate};

use super::found_value::FoundValue;
use super::said_text::Groups;
use super::value_words::{index_of, number_of};
use crate::machine::Value;

/// The numbers of units in `value_words.txt`.
const YEAR: u32 = 4;
const MONTH: u32 = 5;
const WEEK: u32 = 6;
const DAY: u32 = 7;
/// The greatest distance of a relative date, in days, weeks, months or years.
const MAX_DISTANCE: u32 = 1000;

/// A date such as `2026-12-31`. Without the day of the turn, a date needs a year.
pub(super) fn date(group: &Groups<'_>, today: Option<NaiveDate>) -> Option<FoundValue> {
    let is = |name: &str| group(name).is_some();
    let (date, is_uncertain) = if is("d") {
        absolute(group, today)?
    } else if let Some(word) = group("relative") {
        let days = number_of("relative", word)?;
        let distance = days.abs().to_string().parse().ok()?;
        (moved(today?, distance, DAY, days < 0.0)?, false)
    } else if let Some(word) = group("weekday") {
        let (weekday, today) = (index_of("weekday", word)?, today?);
        let now = today.weekday().num_days_from_monday();
        let ahead = (weekday + 6 - now) % 7 + 1;
        // On Monday, "next Friday" can also be the Friday of the same week.
        let (days, is_uncertain) = match (is("next"), is("last")) {
            (true, _) => (7 + weekday - now, weekday > now),
            (_, true) => (7 - ahead % 7, false),
            _ => (ahead, weekday == now),
        };
        (moved(today, days, DAY, is("last"))?, is_uncertain)
    } else {
        let distance = group("n").map_or(Some(1), |number| number.parse().ok())?;
        let unit = index_of("unit", group("unit")?)?;
        (moved(today?, distance, unit, is("ago"))?, unit < WEEK)
    };
    let found = FoundValue::new(Value::text(&date.to_string()));
    Some(found.doubted(is_uncertain).weakened(is("short")))
}

/// A date with a day and a month, and whether it is uncertain. Without a year, it is the next such date.
fn absolute(group: &Groups<'_>, today: Option<NaiveDate>) -> Option<(NaiveDate, bool)> {
    let (day, month) = (group("d")?, group("m")?);
    let day: u32 = day.parse().ok()?;
    let month = month.parse().ok().or_else(|| index_of("month", month))?;
    // 3/4/2027 can be in March or in April.
    let (day, month) = match group("slash") {
        Some(_) if day <= 12 && month <= 12 && day != month => return None,
        Some(_) if month > 12 => (month, day),
        _ => (day, month),
    };
    let Some(year) = group("y") else {
        let year = today?.year();
        let mut dates = [year, year + 1].into_iter();
        let date = dates.find_map(|year| {
            NaiveDate::from_ymd_opt(year, month, day).filter(|date| Some(*date) >= today)
        });
        return Some((date?, group("short").is_some()));
    };
    let year = year.split(|c: char| !c.is_ascii_digit()).next()?;
    let year: i32 = year.parse().ok()?;
    let full = match year {
        0..30 => 2000 + year,
        30..100 => 1900 + year,
        _ => year,
    };
    Some((NaiveDate::from_ymd_opt(full, month, day)?, year < 100))
}

/// The date at a distance from today.
fn moved(today: NaiveDate, distance: u32, unit: u32, is_back: bool) -> Option<NaiveDate> {
    let (days, months) = match unit {
        _ if distance >= MAX_DISTANCE => return None,
        DAY => (distance, 0),
        WEEK => (distance * 7, 0),
        MONTH => (0, distance),
        YEAR => (0, distance * 12),
        _ => return None,
    };
    let (days, months) = (Days::new(days.into()), Months::new(months));
    if is_back {
        today.checked_sub_days(days)?.checked_sub_months(months)
    } else {
        today.checked_add_days(days)?.checked_add_months(months)
    }
}
