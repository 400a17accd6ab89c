//! A moment, as RFC 3339 writes it: what two of them tell is which comes first.

use crate::script::is_time;

/// A moment: seconds since 1970 in UTC, and the digits behind them.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Timestamp {
    seconds: i64,
    fraction: String,
}

impl Timestamp {
    /// Reads a moment; nothing where the text is none.
    pub(super) fn read(text: &str) -> Option<Self> {
        let (start, rest) = text.split_at_checked(19).filter(|_| is_time(text))?;
        let number = |from: usize, to: usize| start.get(from..to)?.parse::<i64>().ok();
        let (year, month, day) = (number(0, 4)?, number(5, 7)?, number(8, 10)?);
        let clock = number(11, 13)? * 3600 + number(14, 16)? * 60 + number(17, 19)?;
        let zone = rest.find(['Z', '+', '-'])?;
        let (fraction, zone) = rest.split_at(zone);
        let offset = match zone.split_at(1) {
            ("Z", _) => 0,
            (sign, offset) => {
                let (hours, minutes) = offset.split_once(':')?;
                let seconds = hours.parse::<i64>().ok()? * 3600 + minutes.parse::<i64>().ok()? * 60;
                if sign == "-" { -seconds } else { seconds }
            }
        };
        let fraction = fraction.trim_start_matches('.').trim_end_matches('0').to_owned();
        Some(Self { seconds: days(year, month, day) * 86_400 + clock - offset, fraction })
    }
}

/// The days from 1970 to a date, counted in years that begin in March: then the day that comes every four years is the last.
fn days(year: i64, month: i64, day: i64) -> i64 {
    let year = if month > 2 { year } else { year - 1 };
    let month = (month + 9) % 12;
    year * 365 + year / 4 - year / 100 + year / 400 + (month * 153 + 2) / 5 + day - 1 - 719_468
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn moments_are_ordered_whatever_their_zone() {
        let read = |text: &str| Timestamp::read(text).unwrap();
        assert_eq!(read("1970-01-01T00:00:00Z").seconds, 0);
        assert_eq!(read("2000-03-01T00:00:00Z").seconds, 951_868_800);
        assert_eq!(read("2026-01-31T18:00:00Z"), read("2026-01-31T21:00:00.000+03:00"));
        let in_order = [
            "2023-12-31T23:59:59Z",
            "2024-02-29T00:00:00Z",
            "2024-02-29T00:00:00.05Z",
            "2024-02-29T00:00:00.5Z",
            "2024-03-01T00:00:00+01:00",
            "2024-02-29T23:30:00Z",
            "2024-02-29T20:00:00-05:00",
        ];
        assert!(in_order.is_sorted_by_key(|text| read(text)));
        for text in ["", "soon", "2024-02-29", "2024-02-29T00:00:00", "2024-02-29T00:00:00+1"] {
            assert_eq!(Timestamp::read(text), None, "{text}");
        }
    }
}
