//! The content of a cell for states: names with marks and remarks, and keywords for every state, no state, and the same
//! state.

use crate::dialect::markdown::plain::fold;
use crate::dialect::markdown::words as vocabulary;
use fsmsim_syntax::diagnostic::Span;
use fsmsim_syntax::document::Prose;

/// The content of a cell for states.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Named {
    /// These states.
    States(Vec<StateName>),
    /// Every state, possibly with exceptions.
    Every {
        /// The folded names of the exceptions.
        except: Vec<String>,
        /// Whether the text contains further restrictions, which are ignored.
        loosely: bool,
    },
    /// Outside of the machine: `[*]`, `(new)`, `[Final]`.
    Outside,
    /// The source state.
    Same,
    /// The previous state, which is unknown.
    Before,
    /// An empty cell.
    Nothing,
}

/// The name of a state.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct StateName {
    pub text: Box<str>,
    pub span: Span,
    /// Whether a remark marks the state as initial.
    pub initial: bool,
    /// Whether a remark marks the state as final.
    pub is_final: bool,
}

impl Named {
    pub(super) fn names(&self) -> &[StateName] {
        match self {
            Self::States(names) => names,
            _ => &[],
        }
    }
}

impl StateName {
    pub(super) fn new(text: &str, span: Span) -> Self {
        Self {
            text: text.into(),
            span,
            initial: false,
            is_final: false,
        }
    }

    /// The normalized name for comparisons.
    pub(super) fn folded(&self) -> String {
        fold(&self.text)
    }

    /// Whether the text can be a name. Texts with many words or an arrow are sentences.
    pub(super) fn is_short(&self) -> bool {
        self.text.split_whitespace().count() <= MAX_NAME_WORDS && !self.text.contains('→')
    }
}

/// The maximum number of words in a name.
const MAX_NAME_WORDS: usize = 6;

/// The side of a transition.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum TransitionEnd {
    /// The source state.
    From,
    /// The target state.
    To,
}

/// The keywords for initial and final states: those that can precede "state", and those that cannot.
const INITIAL: [&str; 2] = ["initial", "initial_alone"];
const FINAL: [&str; 2] = ["final", "final_alone"];

/// Separators between a name and a remark.
const DIVIDERS: [&str; 4] = [" — ", " – ", ": ", " - "];

/// The number of separators that always end a name. The last one ends a name only if the name is known without the
/// remark.
const UNCONDITIONAL: usize = 3;

/// The name before a remark without parentheses.
pub(super) fn before_remark(text: &str) -> Option<&str> {
    let at = DIVIDERS
        .iter()
        .filter_map(|divider| text.find(divider))
        .min()?;
    Some(text.get(..at)?.trim()).filter(|name| !name.is_empty())
}

/// The text after a keyword for an initial state.
pub(super) fn after_initial(text: &str) -> Option<&str> {
    after_keyword(text, INITIAL)
}

/// The text after a keyword for a final state.
pub(super) fn after_final(text: &str) -> Option<&str> {
    after_keyword(text, FINAL)
}

/// The text after one of the keywords and an optional word "state". `None` if other words follow.
fn after_keyword<'t>(text: &'t str, [before_state, alone]: [&str; 2]) -> Option<&'t str> {
    let text = text.trim_start_matches(|c: char| !c.is_alphanumeric());
    let text = text
        .strip_prefix("The ")
        .or_else(|| text.strip_prefix("the "))
        .unwrap_or(text);
    let cut = |text: &'t str| {
        let end = text
            .find(|c: char| !c.is_alphanumeric())
            .unwrap_or(text.len());
        text.split_at_checked(end)
            .map(|(word, rest)| (fold(word), rest))
    };
    let is = |word: &str, list: &str| vocabulary::is_form(word, "states", list);
    let (first, rest) = cut(text)?;
    let (second, after) = cut(rest.trim_start())?;
    if is(&first, before_state) {
        let has_state_word = words("state").any(|state| second.starts_with(state));
        let rest = if has_state_word { after } else { rest };
        let ends = rest.is_empty()
            || has_state_word
            || !rest.starts_with(' ')
            || !rest.trim_start().starts_with(char::is_alphanumeric);
        return ends.then_some(rest);
    }
    (is(&first, alone) && rest.trim().trim_end_matches([')', ']', '.']).is_empty()).then_some("")
}

/// The states in a cell or a text.
pub(super) fn of_prose(prose: &Prose, side: TransitionEnd) -> Named {
    let whole = of_text(&prose.text, prose.span, side);
    let Named::States(_) = whole else {
        // In backticks, a word such as `NONE` is a name.
        let is_name = matches!(whole, Named::Nothing | Named::Before);
        let named = match &prose.codes[..] {
            [only] if is_name && only.text.trim() == prose.trimmed() => {
                name_of(&only.text, only.span, side)
            }
            _ => None,
        };
        return named.map_or(whole, |name| Named::States(vec![name]));
    };
    match &prose.codes[..] {
        [] => whole,
        [only] => match of_text(&only.text, only.span, side) {
            Named::States(mut names) => {
                let rest = prose.text.replacen(&*only.text, "", 1);
                for name in &mut names {
                    mark(name, &rest, side);
                }
                Named::States(names)
            }
            other => other,
        },
        several => {
            let names = several
                .iter()
                .filter_map(|code| name_of(&code.text, code.span, side));
            Named::States(names.collect())
        }
    }
}

/// The states in a text without backticks.
pub(super) fn of_text(text: &str, span: Span, side: TransitionEnd) -> Named {
    let text = text.trim();
    let folded = fold(text);
    let bare = folded.trim_matches(|c: char| {
        c.is_whitespace()
            || matches!(
                c,
                '(' | ')' | '[' | ']' | '{' | '}' | '_' | '.' | '`' | '"' | '«' | '»'
            )
    });
    let bracketed =
        folded.starts_with(['(', '[', '<', '{']) && folded.ends_with([')', ']', '>', '}']);
    let outside = match side {
        TransitionEnd::From => "outside_from",
        TransitionEnd::To => "outside_to",
    };
    // A keyword can have a remark: `any (once started)`, `(unchanged, a lamp is lit)`.
    let marks: &[&str] = if bracketed {
        &[" (", ", ", " — ", ": ", " - "]
    } else {
        &[" ("]
    };
    let end = marks.iter().filter_map(|mark| bare.find(mark)).min();
    let (word, remark) = bare
        .split_at_checked(end.unwrap_or(bare.len()))
        .unwrap_or((bare, ""));
    if matches!(&*folded, "[*]" | "(*)" | "●" | "◉" | "∅") || bracketed && is_listed(outside, word)
    {
        return Named::Outside;
    }
    if folded.chars().all(|c| matches!(c, '—' | '–' | '-' | '―')) {
        return match side {
            _ if folded.is_empty() => Named::Nothing,
            TransitionEnd::From => Named::Outside,
            TransitionEnd::To => Named::Same,
        };
    }
    if is_listed("every", bare) {
        return Named::Every {
            except: Vec::new(),
            loosely: false,
        };
    }
    if let Some(every) = every_but(bare) {
        return every;
    }
    if is_listed("every", word) {
        return Named::Every {
            except: Vec::new(),
            loosely: is_restriction(remark) && !is_listed("every", tidy(remark)),
        };
    }
    if is_listed("nothing", word) {
        return Named::Nothing;
    }
    if side == TransitionEnd::To {
        if is_listed("same", word) {
            return Named::Same;
        }
        if is_listed("before", bare) && (bracketed || bare.contains(' ') || bare.len() > 4) {
            return Named::Before;
        }
    }
    let names: Vec<StateName> = pieces(text)
        .into_iter()
        .filter_map(|piece| name_of(piece, span, side))
        .collect();
    if names.is_empty() {
        Named::Nothing
    } else {
        Named::States(names)
    }
}

/// The words in a list of the vocabulary section `states`.
fn words(list: &str) -> impl Iterator<Item = &'static str> {
    vocabulary::words("states", list)
}

fn is_listed(list: &str, word: &str) -> bool {
    words(list).any(|known| known == word)
}

/// Reads "any state except these" and similar phrases.
fn every_but(folded: &str) -> Option<Named> {
    let (first, rest) = folded.split_once([' ', ',', '('])?;
    let rest = rest.trim_start_matches([' ', ',', '(']);
    let is_continued = words("every_goes_on").any(|word| rest.starts_with(word));
    if !is_listed("every_begins", first) || !is_continued {
        return None;
    }
    let (restriction, except) = words("except")
        .find_map(|word| rest.split_once(word))
        .unwrap_or((rest, ""));
    let mut except = except.to_owned();
    for word in [" and ", " or ", " и ", " или "] {
        except = except.replace(word, ",");
    }
    let names = except
        .split([',', '/', ';'])
        .map(tidy)
        .filter(|name| !name.is_empty())
        .map(ToOwned::to_owned);
    Some(Named::Every {
        except: names.collect(),
        loosely: is_restriction(restriction),
    })
}

/// Whether the rest of a phrase such as "any active state" has a meaning that is ignored.
fn is_restriction(rest: &str) -> bool {
    let rest = rest.trim_matches(|c: char| !c.is_alphanumeric());
    !is_listed("every_plain", rest) && !words("not_final").any(|word| rest.contains(word))
}

/// Splits a cell with several names.
fn pieces(text: &str) -> Vec<&str> {
    let mut pieces = vec![text];
    for word in [
        "<br>",
        "<br/>",
        "<br />",
        " или ",
        " либо ",
        " or ",
        "-->",
        "==>",
        "->",
        "=>",
    ] {
        pieces = pieces
            .into_iter()
            .flat_map(|piece| piece.split(word))
            .collect();
    }
    // Text in brackets is a remark.
    let mut depth = 0_usize;
    let mut marks = |c: char| {
        match c {
            '(' | '[' => depth += 1,
            ')' | ']' => depth = depth.saturating_sub(1),
            _ => {}
        }
        depth == 0 && matches!(c, '\n' | ',' | ';' | '/' | '|' | '⇒' | '➜' | '➔' | '⟶')
    };
    pieces
        .into_iter()
        .flat_map(|piece| piece.split(&mut marks).collect::<Vec<_>>())
        .collect()
}

/// The name in a text, without its marks and remarks.
fn name_of(text: &str, span: Span, side: TransitionEnd) -> Option<StateName> {
    let text = text.trim();
    let unwrapped = text
        .strip_prefix('(')
        .and_then(|rest| rest.strip_suffix(')'))
        .unwrap_or(text);
    let wiki = unwrapped
        .strip_prefix("[[")
        .and_then(|rest| rest.split("]]").next())
        .unwrap_or(unwrapped);
    let opened = wiki.trim_start_matches(['[', '{']);
    let start = wiki.len() - opened.len();
    let separators = DIVIDERS
        .iter()
        .take(UNCONDITIONAL)
        .filter_map(|divider| opened.find(divider));
    let end = opened
        .find(['(', '['])
        .into_iter()
        .chain(separators)
        .min()
        .map_or(wiki.len(), |at| start + at);
    let name = wiki.get(..end).unwrap_or_default();
    let remark = wiki.get(end..).unwrap_or_default();
    let mut name = StateName::new(tidy(without_leading_words(name)), span);
    // The convention of automata theory: an arrow before the initial state, an asterisk next to final states.
    name.initial = side == TransitionEnd::From && text.starts_with(['→', '▶', '►']);
    let starred = text.strip_prefix('*').or_else(|| text.strip_suffix('*'));
    name.is_final = starred.is_some_and(|rest| !rest.contains('*'));
    mark(&mut name, remark, side);
    name.text.chars().any(char::is_alphanumeric).then_some(name)
}

/// Applies a remark, such as "initial", to the name before it.
fn mark(name: &mut StateName, remark: &str, side: TransitionEnd) {
    let remark = remark.trim();
    if remark.starts_with("[*]") {
        match side {
            TransitionEnd::From => name.initial = true,
            TransitionEnd::To => name.is_final = true,
        }
    }
    for part in remark
        .split(['(', '[', ',', ';'])
        .filter(|_| remark.starts_with(['(', '[', ',', ':', '—', '–', '-']))
    {
        name.initial |= after_initial(part).is_some();
        name.is_final |= after_final(part).is_some();
    }
}

/// Removes words such as "go to" before a name.
fn without_leading_words(text: &str) -> &str {
    let text = text.trim_start_matches(|c: char| c.is_whitespace() || matches!(c, '→' | '▶' | '►'));
    let folded = text.to_lowercase().replace('ё', "е");
    // The length of the folded word is used to cut the text, so folding must not change the length.
    let word = words("leading").find(|word| folded.len() == text.len() && folded.starts_with(word));
    word.and_then(|word| text.get(word.len()..)).unwrap_or(text)
}

/// A name without surrounding punctuation.
fn tidy(text: &str) -> &str {
    let text = text.trim_matches(|c: char| {
        !c.is_alphanumeric() && !matches!(c, '_' | '+' | '#' | '%' | '!' | '?')
    });
    text.strip_suffix(".md").unwrap_or(text)
}

#[cfg(test)]
mod tests {
    use super::*;
    use fsmsim_syntax::diagnostic::SourceMap;

    fn described(text: &str, side: TransitionEnd) -> String {
        let span = Span::start_of(SourceMap::default().add("a", "a"));
        match of_text(text, span, side) {
            Named::States(names) => {
                let shown = names.iter().map(|name| {
                    let marks = [(name.initial, " initial"), (name.is_final, " final")];
                    let marks = marks.iter().filter(|(is, _)| *is).map(|(_, mark)| *mark);
                    format!("{}{}", name.text, marks.collect::<String>())
                });
                shown.collect::<Vec<_>>().join(" + ")
            }
            other => format!("{other:?}"),
        }
    }

    #[test]
    fn cells_with_names_marks_and_keywords_are_recognized() {
        for (text, from, to) in [
            (
                "Waiting for payment",
                "Waiting for payment",
                "Waiting for payment",
            ),
            ("A / B", "A + B", "A + B"),
            ("paid (after capture / later)", "paid", "paid"),
            ("Done [Final]", "Done final", "Done final"),
            ("Idle (initial)", "Idle initial", "Idle initial"),
            ("→ q0", "q0 initial", "q0"),
            ("*q1", "q1 final", "q1 final"),
            ("[[init]]", "init", "init"),
            ("go to done (the end)", "done final", "done final"),
            ("✅ Готово", "Готово", "Готово"),
            ("[*]", "Outside", "Outside"),
            ("(new)", "Outside", "new"),
            ("—", "Outside", "Same"),
            ("без изменений", "без изменений", "Same"),
            ("(self)", "self", "Same"),
            (
                "Any",
                "Every { except: [], loosely: false }",
                "Every { except: [], loosely: false }",
            ),
            (
                "*",
                "Every { except: [], loosely: false }",
                "Every { except: [], loosely: false }",
            ),
            (
                "Любое (кроме «Отменён», Done)",
                "Every { except: [\"отменен\", \"done\"], loosely: false }",
                "Every { except: [\"отменен\", \"done\"], loosely: false }",
            ),
            (
                "Any active state",
                "Every { except: [], loosely: true }",
                "Every { except: [], loosely: true }",
            ),
            (
                "any (once started)",
                "Every { except: [], loosely: true }",
                "Every { except: [], loosely: true }",
            ),
            (
                "* (любой)",
                "Every { except: [], loosely: false }",
                "Every { except: [], loosely: false }",
            ),
            ("(unchanged, a badge)", "unchanged, a badge", "Same"),
            ("(нет)", "Outside", "Nothing"),
            ("All good", "All good", "All good"),
            ("", "Nothing", "Nothing"),
            ("previous state", "previous state", "Before"),
        ] {
            assert_eq!(described(text, TransitionEnd::From), from, "{text}");
            assert_eq!(described(text, TransitionEnd::To), to, "{text}");
        }
    }
}
