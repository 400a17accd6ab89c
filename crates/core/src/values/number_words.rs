//! Numbers in words, converted to digits.

use regex::Match;

use super::value_words::number_of;

/// Reads the number that starts with the first token. Returns it in digits, with the number of its tokens: "двадцать
/// третьего" becomes `23°`. `None` if the tokens are not a number, or need no conversion.
pub(super) fn in_digits(say: &str, tokens: &[Match<'_>]) -> Option<(String, usize)> {
    let first = tokens.first()?;
    let mut total = 0.0;
    // The number below the next multiplier; the next part must be less than `below`.
    let mut group: Option<f64> = None;
    let (mut below, mut last_scale) = (f64::INFINITY, f64::INFINITY);
    let mut ending = "";
    let mut last = first;
    let mut count = 0;
    for token in tokens {
        let word = token.as_str();
        let gap = say.get(last.end()..token.start()).unwrap_or(" ");
        let is_first = count == 0;
        let ordinal = number_of("ordinal", word).filter(|_| !gap.is_empty());
        let scale = number_of("times", word).or_else(|| number_of("times_of", word));
        let part = in_one_word(word).or(ordinal);
        // "Пять-шесть" is a range, "thirty-five" a number.
        let previous = number_of("number", last.as_str()).filter(|_| gap == "-" && !is_first);
        let is_range = previous.is_some_and(|previous| previous < 20.0);
        if !matches!(gap, " " | "" | "-" | "\u{a0}") {
            break;
        } else if let Some(number) = part.filter(|number| *number < below && !is_range) {
            let is_number = word.starts_with(|c: char| c.is_ascii_digit());
            if is_number && (group.is_some() || !is_first && below.is_infinite()) {
                break;
            }
            group = Some(group.unwrap_or(0.0) + number);
            below = if number < 20.0 || is_number {
                1.0
            } else if number < 100.0 {
                10.0
            } else {
                100.0
            };
            if ordinal.is_some() {
                ending = "°";
                count += 1;
                break;
            }
        } else if let Some(scale) = scale {
            // "Тысяч триста" is an approximation. A single `k` is not a number.
            if is_first && number_of("times_of", word).is_some() {
                let next = tokens.get(1)?.start();
                say.get(token.end()..next).filter(|gap| *gap == " ")?;
                let (number, count) = in_digits(say, tokens.get(1..)?)?;
                let number = number.parse().ok().filter(|number: &f64| *number < 1e3)?;
                return Some((format!("~{}", times(number, scale)), count + 1));
            }
            let is_hundred = (50.0..1e3).contains(&scale);
            let is_full = group.is_some_and(|group| group >= 100.0 || group.fract() != 0.0);
            if is_first && word.chars().count() == 1
                || scale >= last_scale
                || is_hundred && is_full
                || scale >= 1e3 && group.is_none() && !is_first
            {
                break;
            }
            let number = times(group.unwrap_or(1.0), scale);
            if scale >= 1e3 {
                total += number;
                (group, below, last_scale) = (None, scale, scale);
            } else {
                (group, below) = (Some(number), if is_hundred { scale } else { 1.0 });
            }
        } else if word != "and" || is_first || below < 100.0 {
            break;
        }
        last = token;
        count += 1;
    }
    // An "and" after the number is not part of it.
    count -= usize::from(count > 1 && last.as_str() == "and");
    let word = first.as_str();
    let is_plain = word
        .bytes()
        .all(|byte| byte.is_ascii_digit() || byte == b'.');
    // "One" is also a pronoun.
    let has_unit = tokens
        .get(1)
        .is_some_and(|next| number_of("unit", next.as_str()).is_some());
    let is_pronoun = number_of("number", word) == Some(1.0) && !has_unit && word.len() < say.len();
    if count == 0 || count == 1 && ending.is_empty() && (is_plain || is_pronoun) {
        return None;
    }
    Some((format!("{}{ending}", total + group.unwrap_or(0.0)), count))
}

/// The number of one token: a word, or digits such as `1 500`, `1,500`, `2,5` or `5-ти`. `1.500` is ambiguous.
fn in_one_word(word: &str) -> Option<f64> {
    if let Some(number) = number_of("number", word) {
        return Some(number);
    }
    let digits = word.split('-').next()?;
    let (whole, fraction) = digits.split_once(['.', ',']).unwrap_or((digits, ""));
    let is_grouped = digits.contains(',') && fraction.split(',').all(|group| group.len() == 3);
    let is_ambiguous = digits.contains('.') && fraction.len() == 3 && whole != "0";
    let digits = digits.replace(',', if is_grouped { "" } else { "." });
    let digits = digits.replace(|c: char| !c.is_ascii_digit() && c != '.', "");
    digits.parse().ok().filter(|_| !is_ambiguous)
}

/// The product without the error of floats, as of 2.3 and a million.
fn times(number: f64, scale: f64) -> f64 {
    (number * scale * 100.0).round() / 100.0
}
