//! The order of turns by a time or a number.

use super::borrowed_json::BorrowedJson;

/// The number of nanoseconds in a second.
const SECOND: i128 = 1_000_000_000;

/// The position of a turn: a number, or a time as in RFC 3339. `None` for other values.
pub(super) fn order_key(value: &BorrowedJson<'_>) -> Option<i128> {
    match value {
        BorrowedJson::Int(number) => Some(i128::from(*number) * SECOND),
        BorrowedJson::Float(number) => decimal(&format!("{number:.9}")),
        BorrowedJson::Text(text) => decimal(text).or_else(|| time(text)),
        _ => None,
    }
}

/// A decimal number in billionths. Further digits are ignored.
fn decimal(text: &str) -> Option<i128> {
    let text = text.trim();
    let (unsigned, sign) = text.strip_prefix('-').map_or((text, 1), |text| (text, -1));
    let (whole, fraction) = unsigned.split_once('.').unwrap_or((unsigned, ""));
    let are_digits = |text: &str| text.bytes().all(|byte| byte.is_ascii_digit());
    if whole.is_empty() || !are_digits(whole) || !are_digits(fraction) {
        return None;
    }
    let whole: i128 = whole.parse().ok()?;
    let fraction: i128 = format!("{fraction:0<9}").get(..9)?.parse().ok()?;
    Some(sign * (whole.checked_mul(SECOND)? + fraction))
}

/// A time in nanoseconds since the year 0: a date, optionally with a time of day and an offset.
fn time(text: &str) -> Option<i128> {
    let number = |from: usize, to: usize| text.get(from..to)?.parse::<i128>().ok();
    let (year, month, day) = (number(0, 4)?, number(5, 7)?, number(8, 10)?);
    // Days from the civil date, with years that start in March.
    let years = if month <= 2 { year - 1 } else { year };
    let days = 365 * years + years.div_euclid(4) - years.div_euclid(100)
        + years.div_euclid(400)
        + (153 * ((month + 9) % 12) + 2) / 5
        + day;
    let Some(hour) = number(11, 13) else {
        return (text.len() == 10).then_some(days * 86_400 * SECOND);
    };
    let minutes = 60 * hour + number(14, 16)?;
    let rest = text.get(17..).unwrap_or_default();
    let end = rest.find(['Z', 'z', '+', '-']).unwrap_or(rest.len());
    let (seconds, offset) = rest.split_at(end);
    let seconds = decimal(seconds.trim())?;
    let sign = if offset.starts_with('-') { -1 } else { 1 };
    let part = |from: usize, to: usize| {
        offset
            .get(from..to)
            .and_then(|text| text.parse::<i128>().ok())
    };
    let minutes_of = part(4, 6).or(part(3, 5)).unwrap_or(0);
    let offset = sign * (60 * part(1, 3).unwrap_or(0) + minutes_of);
    Some((days * 86_400 + 60 * (minutes - offset)) * SECOND + seconds)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_and_numbers_are_ordered() {
        let key = |text: &str| order_key(&BorrowedJson::Text(text.into()));
        for pair in [
            ["2024-02-29T23:59:59.5Z", "2024-03-01T00:00:00Z"],
            ["2024-01-01T00:00:00Z", "2024-01-01T00:00:00.25Z"],
            ["2024-01-01T02:00:00+02:00", "2024-01-01T00:00:01Z"],
            ["2023-12-31", "2024-01-01"],
            ["1720000000000000001", "1720000000000000002"],
            ["-1.5", "-1.25"],
        ] {
            let [one, other] = pair.map(|text| key(text).unwrap());
            assert!(one < other, "{pair:?}");
        }
        assert_eq!(key("2024-01-01 00:00:00"), key("2023-12-31T22:00:00-02:00"));
        assert_eq!(order_key(&BorrowedJson::Float(1.5)), key("1.5"));
        for text in ["", "soon", "1e3", "2024-1-1", "99", "x.5"] {
            assert_eq!(key(text).is_some(), text == "99", "{text}");
        }
    }
}
