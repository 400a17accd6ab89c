//! Parses lines that users type.

use super::json_turn::turn_of;
use super::nameable_intents::nameable_intents;
use crate::limits::MAX_SIMILAR_NAMES;
use fsmsim_core::engine::policy::Guide;
use fsmsim_core::engine::{Consent, Input, Machine, ScriptedTurn, Symbol, TONES, TurnData};
use fsmsim_core::machine::{Float, Id, IntentId, Names, NeedKey, NeedKind, SlotId, StateId, Value};
use fsmsim_runtime::script::{AcceptedInputs, MAX_FRUSTRATION, missing_examples, said_trigger};
use fsmsim_syntax::diagnostic::{Diagnostics, SourceMap, nearest, similar_name_hint};
use fsmsim_syntax::document::{Node, parse_yaml};
use fsmsim_syntax::terminal::Joined;

/// The short forms of commands.
const SHORT_FORMS: [(&str, &str); 3] = [
    ("cond", "condition"),
    ("conds", "conditions"),
    ("go", "goto"),
];

/// A parsed input line.
#[derive(Debug, PartialEq)]
pub enum InputLine {
    /// An empty line.
    Empty,
    /// A command: its name, and the rest of the line.
    Command(String, String),
    Turn(Box<ScriptedTurn>),
}

/// Parses a line: `:command`, `text / intent slot=value` or `intent slot=value`. Free text is accepted if a recognizer,
/// a phrase of the contract or an event in the state can interpret it.
pub fn read_line(
    line: &str,
    machine: &Machine,
    state: StateId,
    may_be_unread: bool,
) -> Result<InputLine, String> {
    let line = line.trim();
    if line.is_empty() {
        return Ok(InputLine::Empty);
    }
    if let Some(command) = line.strip_prefix(':') {
        let (name, rest) = command
            .split_once(char::is_whitespace)
            .unwrap_or((command, ""));
        let name = SHORT_FORMS
            .iter()
            .find(|(short, _)| *short == name)
            .map_or(name, |(_, full)| *full);
        return Ok(InputLine::Command(name.to_owned(), rest.trim().to_owned()));
    }
    if let Some(allowed) = consent_word(line)
        && (machine.policies.guidance()).is_some_and(|guidance| guidance.consent == Some(state))
    {
        return Ok(InputLine::Turn(Box::new(ScriptedTurn::of_consent(
            Consent {
                read: Some(allowed),
                write: Some(allowed),
            },
        ))));
    }
    if line.starts_with('{') && line.ends_with('}') {
        return turn_of(line, machine).map(|turn| InputLine::Turn(Box::new(turn)));
    }
    // New users must be able to get help or exit without knowing the syntax of commands.
    if let Some(command) = ["help", "exit", "quit", "?"]
        .into_iter()
        .find(|word| *word == line)
        && machine.names.intents.id(line).is_none()
        && machine.state_id(line).is_none()
        && machine.phrases_in(line).next().is_none()
        && !takes_any_text(machine)
    {
        return Ok(InputLine::Command(command.to_owned(), String::new()));
    }
    let turn = |input| Ok(InputLine::Turn(Box::new(ScriptedTurn::from(input))));
    let utterance = || {
        turn(Input {
            say: Some(line.into()),
            ..Input::default()
        })
    };
    let guide = machine.guide(state);
    if guide.is_some_and(|guide| guide.move_by(line).is_some()) {
        return utterance();
    }
    // State names in a document may contain spaces.
    if let Some(target) = machine
        .state_id(line)
        .filter(|_| AcceptedInputs::of(machine).moves)
    {
        return turn(Input {
            goto: Some(Symbol::Known(target)),
            ..Input::default()
        });
    }
    let (say, reading) = match split(line, machine, may_be_unread) {
        Err(message)
            if !may_be_unread && guide.is_some_and(|guide| guide.events().next().is_some()) =>
        {
            let events = guide
                .into_iter()
                .flat_map(Guide::events)
                .map(|event| format!("`{event}`"))
                .joined(", ");
            let place = machine.names.states.name(state);
            return Err(format!("{message} Events of `{place}`: {events}."));
        }
        Err(_)
            if may_be_unread && !is_mistyped(line, machine)
                || machine.phrases_in(line).next().is_some()
                || is_free_text(line, machine) =>
        {
            return utterance();
        }
        // An answer may contain a slash: `10 / 20 a year`.
        Ok((Some(_), reading))
            if takes_any_text(machine) && !begins_with_intent(reading, machine) =>
        {
            return utterance();
        }
        split => split?,
    };
    let words = words(reading)?;
    let mut words = words.iter();
    let mut input = Input {
        say: say.map(Into::into),
        ..Input::default()
    };
    match words.next() {
        None => return Err("missing intent after the slash".to_owned()),
        Some(word) if AcceptedInputs::of(machine).moves => {
            input.goto = Some(known("state", &word.plain()?, &machine.names.states)?);
        }
        Some(word) => input.intent = Some(known_intent(&word.plain()?, machine)?),
    }
    let mut data = Vec::new();
    let mut answers = Vec::new();
    for word in words {
        match word {
            Word::Value(slot, value) => data.push(slot_value(slot, value.clone(), machine)?),
            Word::Field(field, value)
                if field == "outcome" && machine.policies.inputs().outcome =>
            {
                let status = value.as_text().ok_or(
                    "expected a string for `outcome`, the status that the backend returns",
                )?;
                let executes = machine
                    .names
                    .effects
                    .id(NeedKind::EXECUTE)
                    .ok_or("the model has no effect that a backend executes")?;
                let need = NeedKey::first(NeedKind::Effect(executes));
                answers.push((need, Some(Value::map([("status", Value::text(status))]))));
            }
            Word::Field(field, value) => set_field(&mut input, field, value, machine)?,
            Word::Plain(word) => {
                return Err(format!(
                    "expected `slot=value` or `field:value`, found `{word}`; quote values with spaces: slot=\"two words\""
                ));
            }
        }
    }
    if !data.is_empty() {
        input.data = TurnData::Given(data);
    }
    Ok(InputLine::Turn(Box::new(ScriptedTurn {
        input,
        answers,
        ..ScriptedTurn::default()
    })))
}

/// Whether a line gives or refuses consent; `None` if it does neither.
fn consent_word(line: &str) -> Option<bool> {
    match line.to_lowercase().as_str() {
        "yes" | "да" => Some(true),
        "no" | "нет" => Some(false),
        _ => None,
    }
}

/// Whether a line that matches no phrase is still valid input, rather than a mistyped intent.
fn is_free_text(line: &str, machine: &Machine) -> bool {
    takes_any_text(machine)
        || machine.knows_phrase(line)
            && !is_mistyped(line, machine)
            && nearest(line, nameable_intents(machine)).is_none()
}

/// Whether a line that a recognizer could read is a mistyped name: a new name, a name with underscores or with values,
/// or a single word that is similar to a name with underscores.
fn is_mistyped(line: &str, machine: &Machine) -> bool {
    let mut words = line.split_whitespace();
    let first = words.next().unwrap_or_default();
    let near = || {
        if AcceptedInputs::of(machine).moves {
            nearest(first, machine.names.states.iter())
        } else {
            nearest(first, nameable_intents(machine))
        }
    };
    let is_name = first.starts_with('!') || first.contains('_');
    match words.next() {
        _ if is_name => true,
        Some(second) => second.contains('=') && words.all(|word| word.contains('=')),
        // `thanks` is a word to recognize, although it is similar to the name `thank`.
        None => near().is_some_and(|name| name.contains('_')),
    }
}

/// Whether the machine accepts any text without a recognizer.
fn takes_any_text(machine: &Machine) -> bool {
    let inputs = machine.policies.inputs();
    inputs.words && !inputs.navigation
}

fn begins_with_intent(reading: &str, machine: &Machine) -> bool {
    let first = first_name(reading);
    first.starts_with('!') || machine.names.intents.id(first).is_some()
}

/// The first word, or the text in quotation marks at the start: names can contain spaces.
fn first_name(line: &str) -> &str {
    let quoted = ['"', '\''].iter().find_map(|mark| {
        let (name, _) = line.strip_prefix(*mark)?.split_once(*mark)?;
        Some(name)
    });
    quoted.unwrap_or_else(|| line.split_whitespace().next().unwrap_or_default())
}

/// The text and the interpretation in a line, separated by the last slash with white space around it. Without such a
/// slash, the line must start with a known intent.
fn split<'l>(
    line: &'l str,
    machine: &Machine,
    may_be_unread: bool,
) -> Result<(Option<&'l str>, &'l str), String> {
    let alone = |at: usize| {
        let before = line.get(..at).unwrap_or_default();
        let after = line.get(at + 1..).unwrap_or_default();
        (before.is_empty() || before.ends_with(char::is_whitespace))
            && (after.is_empty() || after.starts_with(char::is_whitespace))
    };
    if let Some((at, _)) = line.match_indices('/').rfind(|(at, _)| alone(*at)) {
        let say = line.get(..at).unwrap_or_default().trim();
        let reading = line.get(at + 1..).unwrap_or_default().trim();
        return Ok(((!say.is_empty()).then_some(say), reading));
    }
    let first = first_name(line);
    if AcceptedInputs::of(machine).moves {
        if machine.state_id(first).is_some() {
            return Ok((None, line));
        }
        let near = similar_name_hint("state", nearest(first, machine.names.states.iter()));
        if may_be_unread {
            return Err(format!(
                "unknown state `{first}`.{near} `:states` lists the states."
            ));
        }
        return Err(format!(
            "no provider is configured. Write a state, or `text / state`. `:states` lists the states; \
             `:reply TEXT` answers without leaving the state.{near}"
        ));
    }
    // A sentence may start with a word that is also an intent.
    let is_sentence = || {
        let plain = |words: Vec<Word>| {
            words
                .iter()
                .skip(1)
                .any(|word| matches!(word, Word::Plain(_)))
        };
        let is_speech = may_be_unread && !line.contains(['_', '=']);
        words(line).map_or(true, plain)
            && (is_speech || takes_any_text(machine) || machine.knows_phrase(line))
    };
    if machine.names.intents.id(first).is_some() && !is_sentence() {
        return Ok((None, line));
    }
    let hint = if machine.names.intents.id(line).is_some() {
        format!(" Write the intent in quotation marks: `\"{line}\"`.")
    } else {
        similar_name_hint("intent", nearest(first, nameable_intents(machine)))
    };
    Err(match (no_phrase(machine), missing_examples(machine)) {
        _ if may_be_unread => {
            format!("unknown intent `{first}`.{hint} `:intents` lists the intents.")
        }
        (Some(no_phrase), _) => format!("{no_phrase}{hint}"),
        (None, None) => format!(
            "no recognizer is selected. Write `text / intent`. `:intents` lists the intents.{hint}"
        ),
        (None, Some(lines)) => format!(
            "the model has no examples to recognize text by. Write `text / intent`, or add examples.{hint}\n{lines}"
        ),
    })
}

/// The message that a line matches no phrase of the contract; `None` if the machine has no phrases.
fn no_phrase(machine: &Machine) -> Option<String> {
    let known = machine
        .phrases
        .iter()
        .filter(|phrases| !machine.is_trigger(phrases.intent))
        .map(|phrases| machine.names.intents.name(phrases.intent))
        .joined(", ");
    (!known.is_empty()).then(|| format!(
        "no phrase of the contract matches, and no recognizer is configured. Write `text / intent`. Intents: {known}."
    ))
}

/// Resolves a name. A name that the model does not define must have the prefix `!`.
fn known<I: Id>(what: &str, text: &str, names: &Names<I>) -> Result<Symbol<I>, String> {
    if let Some(own) = text.strip_prefix('!') {
        return Ok(Symbol::of(own, names));
    }
    match names.id(text) {
        Some(id) => Ok(Symbol::Known(id)),
        None => Err(format!(
            "{} To use it anyway, write `!{text}`.",
            unknown(what, text, names)
        )),
    }
}

/// Resolves the name of an intent. No user can say a trigger.
fn known_intent(text: &str, machine: &Machine) -> Result<Symbol<IntentId>, String> {
    match said_trigger(machine, text) {
        Some(finding) => Err(finding.title),
        None => known("intent", text, &machine.names.intents),
    }
}

/// The message about an unknown name. It suggests similar names.
pub(super) fn unknown<I: Id>(what: &str, text: &str, names: &Names<I>) -> String {
    let similar = similar_names(text, names);
    let similar = if similar.is_empty() {
        String::new()
    } else {
        format!(" Similar: {}.", similar.join(", "))
    };
    format!("unknown {what} `{text}`.{similar}")
}

/// The names that contain this text, starting with those that begin with it. Without any, the most similar name.
fn similar_names<I: Id>(text: &str, names: &Names<I>) -> Vec<String> {
    let containing = |starts: bool| {
        names
            .iter()
            .filter(move |name| name.contains(text) && name.starts_with(text) == starts)
    };
    let mut similar: Vec<&str> = containing(true).chain(containing(false)).collect();
    if text.is_empty() || similar.is_empty() {
        similar = nearest(text, names.iter()).into_iter().collect();
    }
    similar.truncate(MAX_SIMILAR_NAMES);
    similar.iter().map(|name| format!("`{name}`")).collect()
}

/// Parses a line that consists of `slot=value` pairs.
pub fn data_of(line: &str, machine: &Machine) -> Result<Vec<(Symbol<SlotId>, Value)>, String> {
    let data = words(line)?.into_iter().map(|word| match word {
        Word::Value(slot, value) => slot_value(&slot, value, machine),
        Word::Plain(word) => Err(format!(
            "expected `slot=value`, found `{word}`; quote values with spaces: slot=\"two words\""
        )),
        Word::Field(field, _) => Err(format!(
            "`{field}:` is a field of a turn; set a slot with `slot=value`"
        )),
    });
    data.collect()
}

/// A slot and its value.
fn slot_value(
    slot: &str,
    value: Value,
    machine: &Machine,
) -> Result<(Symbol<SlotId>, Value), String> {
    let name = slot_name(slot, machine)?;
    let Some(declared) = name.known().map(|slot| machine.slot(slot)) else {
        return Ok((name, value));
    };
    match declared.admit(&value) {
        Some(held) => Ok((name, held)),
        None => Err(format!(
            "expected {} for `{slot}`, found {value}",
            declared.in_words()
        )),
    }
}

/// Resolves the name of a slot. Undeclared slots are allowed, unless the name is similar to a declared one.
fn slot_name(text: &str, machine: &Machine) -> Result<Symbol<SlotId>, String> {
    let names = &machine.names.slots;
    match nearest(text, names.iter()) {
        Some(_) => known("slot", text, names),
        None => Ok(Symbol::of(text.strip_prefix('!').unwrap_or(text), names)),
    }
}

fn set_field(
    input: &mut Input,
    field: &str,
    value: &Value,
    machine: &Machine,
) -> Result<(), String> {
    const FIELDS: [&str; 6] = ["also", "tone", "frustration", "confidence", "read", "write"];
    match (field, value) {
        ("read", Value::Bool(word)) => input.consent.read = Some(*word),
        ("write", Value::Bool(word)) => input.consent.write = Some(*word),
        ("also", Value::Text(name)) => {
            input.also.push(known_intent(name, machine)?);
        }
        ("tone", Value::Text(tone)) => match tone.strip_prefix('!') {
            Some(own) => input.tone = Some(own.into()),
            None if TONES.contains(&&*tone.to_lowercase()) => input.tone = Some(tone.clone()),
            None => {
                let near = similar_name_hint("tone", nearest(tone, TONES));
                return Err(format!(
                    "unknown tone `{tone}`. Tones: {}.{near}",
                    TONES.join(", ")
                ));
            }
        },
        ("frustration", Value::Int(level)) if (0..=MAX_FRUSTRATION).contains(level) => {
            input.frustration = Some(*level);
        }
        ("frustration", value) => {
            return Err(format!(
                "expected an integer from 0 to {MAX_FRUSTRATION} for `frustration`, found {value}"
            ));
        }
        ("confidence", value) => match value
            .as_number()
            .filter(|share| (0.0..=1.0).contains(share))
        {
            Some(share) => input.confidence = Some(Float::new(share)),
            None => {
                return Err(format!(
                    "expected a number from 0 to 1 for `confidence`, found {value}"
                ));
            }
        },
        (field, value) if FIELDS.contains(&field) => {
            return Err(format!("invalid value {value} for `{field}`"));
        }
        (field, _) => {
            let near = similar_name_hint("field", nearest(field, FIELDS));
            return Err(format!(
                "unknown field `{field}` in a turn. Fields: {}.{near}",
                FIELDS.join(", ")
            ));
        }
    }
    Ok(())
}

/// A word after the slash.
#[derive(Debug, PartialEq)]
enum Word {
    Plain(String),
    /// `slot=value`
    Value(String, Value),
    /// `field:value`
    Field(String, Value),
}

impl Word {
    fn plain(&self) -> Result<String, String> {
        match self {
            Self::Plain(word) => Ok(first_name(word).to_owned()),
            Self::Value(slot, _) => Err(format!("missing intent before `{slot}=…`")),
            Self::Field(field, _) => Err(format!("missing intent before `{field}:…`")),
        }
    }
}

fn words(text: &str) -> Result<Vec<Word>, String> {
    let mut words = Vec::new();
    let mut rest = text.trim_start();
    while !rest.is_empty() {
        let end = word_end(rest)?;
        let (word, tail) = rest.split_at(end);
        // A comma before a space is a separator, as in `a=1, b=2`; in `1,5` and `"a, b"` it is part of the value.
        words.push(read_word(word.strip_suffix(',').unwrap_or(word)));
        rest = tail.trim_start_matches(|c: char| c == ',' || c.is_whitespace());
    }
    Ok(words)
}

/// The position at which a word ends: the next space outside quotation marks and brackets.
fn word_end(text: &str) -> Result<usize, String> {
    let mut quote = None;
    let mut depth = 0usize;
    let mut escaped = false;
    for (at, c) in text.char_indices() {
        match (quote, c) {
            _ if escaped => escaped = false,
            (Some('"'), '\\') => escaped = true,
            (Some(open), c) if c == open => quote = None,
            (None, '"' | '\'') => quote = Some(c),
            (None, '[' | '{') => depth += 1,
            (None, ']' | '}') => depth = depth.saturating_sub(1),
            (None, c) if c.is_whitespace() && depth == 0 => return Ok(at),
            _ => {}
        }
    }
    if quote.is_some() {
        return Err("unclosed quotation mark".to_owned());
    }
    Ok(text.len())
}

fn read_word(word: &str) -> Word {
    let sign = word.find(['=', ':', '"', '\'']);
    match sign.map(|at| word.split_at(at)) {
        Some((name, rest)) if !name.is_empty() && rest.starts_with('=') => Word::Value(
            name.to_owned(),
            read_value(rest.get(1..).unwrap_or_default(), |node| Value::from(node)),
        ),
        Some((name, rest)) if !name.is_empty() && rest.starts_with(':') => Word::Field(
            name.to_owned(),
            read_value(rest.get(1..).unwrap_or_default(), Value::of_number),
        ),
        _ => Word::Plain(word.to_owned()),
    }
}

/// Parses a value as YAML. If it is not valid YAML, it is text.
fn read_value(text: &str, value_of: impl Fn(&Node) -> Value) -> Value {
    let file = SourceMap::default().add("line", text);
    let mut found = Diagnostics::default();
    match parse_yaml(file, text, 0, &mut found) {
        Some(node) if !found.has_errors() => value_of(&node),
        _ => Value::text(text),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_keep_quoted_spaces_and_separators() {
        assert_eq!(
            words(
                r#"info_provided size=50 pain="теряем клиентов" also:price_question list=[a, b] x"#
            )
            .unwrap(),
            [
                Word::Plain("info_provided".into()),
                Word::Value("size".into(), Value::Int(50)),
                Word::Value("pain".into(), Value::text("теряем клиентов")),
                Word::Field("also".into(), Value::text("price_question")),
                Word::Value(
                    "list".into(),
                    Value::List([Value::text("a"), Value::text("b")].into())
                ),
                Word::Plain("x".into()),
            ]
        );
        let separated = words("a=1,5, b='x, y' , c=[1, 2],").unwrap();
        assert_eq!(separated, words("a=1,5 b='x, y' c=[1, 2]").unwrap());
        assert!(words("a=\"b").unwrap_err().contains("unclosed"));
        assert_eq!(
            words("phone=+79001234567").unwrap(),
            [Word::Value("phone".into(), Value::text("+79001234567"))]
        );
    }
}
