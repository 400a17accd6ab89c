//! The notation of locations in JSON.

use serde_json::Value as Json;

use super::location_step::LocationStep;

/// The steps of a location, without the leading `$`. The first key of a location without `$` has no dot before it.
pub(super) fn read_steps(text: &str, is_rooted: bool) -> Result<Vec<LocationStep>, &'static str> {
    let mut steps = Vec::new();
    let mut rest = text;
    let mut is_first = !is_rooted;
    while !rest.is_empty() {
        let (step, after) = match (rest.strip_prefix('['), rest.strip_prefix('.')) {
            (Some(inner), _) => bracket(inner)?,
            (None, Some(inner)) if !is_first => dotted(inner)?,
            _ if is_first => dotted(rest)?,
            _ => return Err("expected `.` or `[` after `]`"),
        };
        steps.push(step);
        rest = after;
        is_first = false;
    }
    Ok(steps)
}

/// The key after a dot, up to the next dot or bracket.
fn dotted(text: &str) -> Result<(LocationStep, &str), &'static str> {
    let end = text.find(['.', '[']).unwrap_or(text.len());
    let (key, rest) = text.split_at(end);
    match key {
        "" => Err("empty key"),
        "*" => Ok((LocationStep::Each, rest)),
        key => Ok((LocationStep::Key(key.into()), rest)),
    }
}

/// The step in brackets.
fn bracket(text: &str) -> Result<(LocationStep, &str), &'static str> {
    const UNCLOSED: &str = "missing `]`";
    let text = text.trim_start();
    let (step, rest) = if let Some(rest) = text.strip_prefix('*') {
        (LocationStep::Each, rest)
    } else if let Some(rest) = text.strip_prefix('?') {
        filter(rest.trim_start())?
    } else if text.starts_with(['\'', '"']) {
        let (key, rest) = quoted(text)?;
        (LocationStep::Key(key.into()), rest)
    } else {
        let (index, rest) = text.split_at(text.find(']').ok_or(UNCLOSED)?);
        let index = index.trim();
        index
            .parse::<i64>()
            .map_err(|_| "expected an index, a quoted key, `*` or `?`")?;
        (LocationStep::Key(index.into()), rest)
    };
    let rest = rest.trim_start().strip_prefix(']').ok_or(UNCLOSED)?;
    Ok((step, rest))
}

/// A filter: `@.key == 'value'`, or `@.key`.
fn filter(text: &str) -> Result<(LocationStep, &str), &'static str> {
    const EXPECTED: &str = "expected `@.key` in a filter";
    let mut rest = text.strip_prefix('@').ok_or(EXPECTED)?;
    let mut keys: Vec<Box<str>> = Vec::new();
    loop {
        if let Some(inner) = rest.strip_prefix('.') {
            let end = inner
                .find(|c: char| ".[]=! ".contains(c))
                .unwrap_or(inner.len());
            let (key, after) = inner.split_at(end);
            keys.push(
                Some(key)
                    .filter(|key| !key.is_empty())
                    .ok_or("empty key")?
                    .into(),
            );
            rest = after;
        } else if rest.starts_with('[') {
            let (LocationStep::Key(key), after) = bracket(rest.trim_start_matches('['))? else {
                return Err(EXPECTED);
            };
            keys.push(key);
            rest = after;
        } else {
            break;
        }
    }
    if keys.is_empty() {
        return Err(EXPECTED);
    }
    let Some(value) = rest.trim_start().strip_prefix("==") else {
        return Ok((LocationStep::Where(keys.into(), None), rest));
    };
    let value = value.trim_start();
    let (value, rest) = if value.starts_with(['\'', '"']) {
        let (text, rest) = quoted(value)?;
        (Json::String(text), rest)
    } else {
        let (scalar, rest) = value.split_at(value.find(']').unwrap_or(value.len()));
        let scalar = serde_json::from_str(scalar.trim());
        let scalar =
            scalar.map_err(|_| "expected a quoted string, a number, `true`, `false` or `null`")?;
        (scalar, rest)
    };
    Ok((LocationStep::Where(keys.into(), Some(value)), rest))
}

/// A quoted string, in which a backslash quotes the next character, and the text after it.
fn quoted(text: &str) -> Result<(String, &str), &'static str> {
    let mut chars = text.char_indices();
    let quote = chars.next().map(|(_, quote)| quote);
    let mut value = String::new();
    while let Some((at, c)) = chars.next() {
        match c {
            '\\' => value.extend(chars.next().map(|(_, c)| c)),
            c if Some(c) == quote => {
                return Ok((value, text.get(at + 1..).unwrap_or_default()));
            }
            c => value.push(c),
        }
    }
    Err("missing quotation mark")
}

/// The key with a dot before it, or in brackets.
fn quoted_key(key: &str) -> String {
    let is_index = key.parse::<i64>().is_ok();
    let is_word = key
        .chars()
        .all(|c| c.is_alphanumeric() || "_-?".contains(c));
    match key {
        key if is_index => format!("[{key}]"),
        key if is_word && !key.is_empty() => format!(".{key}"),
        key => {
            let key = key.replace('\\', "\\\\").replace('\'', "\\'");
            format!("['{key}']")
        }
    }
}

/// The location with the same meaning as a JSON Pointer, in which `*` is every item and `*KEY=VALUE` a filter.
pub(super) fn pointer_spelling(pointer: &str) -> String {
    let steps = pointer.split('/').skip(1).map(|step| {
        let step = step.replace("~1", "/").replace("~0", "~");
        match (step.strip_prefix('*'), step.split_once('=')) {
            (Some(""), _) => "[*]".to_owned(),
            (Some(_), Some((key, value))) => {
                let key = key.trim_start_matches('*');
                format!("[?@.{key} == '{}']", value.replace('\'', "\\'"))
            }
            _ => quoted_key(&step),
        }
    });
    let steps: String = steps.collect();
    match steps.strip_prefix('.').unwrap_or(&steps) {
        "" => "$".to_owned(),
        steps => steps.to_owned(),
    }
}
