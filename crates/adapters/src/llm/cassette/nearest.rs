//! Finds the recording that is most similar to an unrecorded request, and shows the difference.

use super::interaction::Interaction;
use crate::limits::{MAX_COMPARED_CHARACTERS, MAX_COMPARED_RECORDINGS, MAX_DIFFERENCE_LINES};
use crate::llm::kind::TaskKind;
use crate::llm::prompt::Prompt;
use fsmsim_syntax::diagnostic::Diagnostic;
use fsmsim_syntax::document::sequence_changes;

/// Maximum number of displayed characters of a line.
const WIDTH: usize = 160;
/// Maximum number of displayed characters before the first difference in a line.
const BEFORE: usize = 40;

/// A request that was not recorded.
pub(super) struct SimilarEntry<'a> {
    /// The turn number.
    pub turn: u32,
    /// The kind of task.
    pub need: TaskKind,
    /// The request without its ignored parts.
    pub asked: &'a Prompt,
}

impl SimilarEntry<'_> {
    /// Adds the most similar recording and the differences to a finding.
    pub(super) fn explain(&self, interactions: &[Interaction], finding: Diagnostic) -> Diagnostic {
        let Some(nearest) = self.nearest(interactions) else {
            return finding.note("the cassette has no recordings");
        };
        let turn = nearest.turn;
        let need = nearest.need.name();
        let prompt = nearest.prompt();
        match difference(&prompt, self.asked) {
            lines if !lines.is_empty() => {
                let title = format!(
                    "the most similar recording is `{need}` in turn {turn} (- recorded, + requested)"
                );
                lines
                    .into_iter()
                    .fold(finding.note(title), Diagnostic::note)
            }
            _ if turn == self.turn && nearest.need == self.need => {
                finding.note("the same request was recorded fewer times")
            }
            _ => finding.note(format!(
                "the same request was recorded as `{need}` in turn {turn}"
            )),
        }
    }

    /// The most similar recording: by need, then by turn, then by text.
    fn nearest<'r>(&self, interactions: &'r [Interaction]) -> Option<&'r Interaction> {
        let mismatch = |interaction: &Interaction| {
            (interaction.need != self.need, interaction.turn != self.turn)
        };
        let closest = interactions.iter().map(mismatch).min()?;
        let mut candidates: Vec<&Interaction> = interactions
            .iter()
            .filter(|interaction| mismatch(interaction) == closest)
            .collect();
        // Limit the comparison of a long cassette to nearby turns.
        candidates.sort_by_key(|interaction| interaction.turn.abs_diff(self.turn));
        candidates.truncate(MAX_COMPARED_RECORDINGS);
        let asked = compared_text(self.asked);
        let distance = |interaction: &&&Interaction| {
            let recorded = compared_text(&interaction.prompt());
            let [old, new] = [&recorded, &asked].map(|text| words_and_spaces(text));
            let length = |words: Option<&[&str]>| -> usize {
                words.into_iter().flatten().map(|word| word.len()).sum()
            };
            sequence_changes(&old, &new)
                .map(|(gone, come)| length(old.get(gone)) + length(new.get(come)))
                .sum::<usize>()
        };
        candidates.iter().min_by_key(distance).copied()
    }
}

/// Splits a text into words and white space.
fn words_and_spaces(text: &str) -> Vec<&str> {
    let mut pieces = Vec::new();
    let mut rest = text;
    while let Some(first) = rest.chars().next() {
        let other_kind = |c: char| c.is_whitespace() != first.is_whitespace();
        let (piece, after) = rest.split_at(rest.find(other_kind).unwrap_or(rest.len()));
        pieces.push(piece);
        rest = after;
    }
    pieces
}

/// The start of a request as one string. The parts that differ most often come first.
fn compared_text(prompt: &Prompt) -> String {
    let parts = [
        prompt.user.as_str(),
        "\n",
        &prompt.system,
        "\n",
        &prompt.schema.to_string(),
    ];
    parts
        .iter()
        .flat_map(|part| part.chars())
        .take(MAX_COMPARED_CHARACTERS)
        .collect()
}

/// The differences between a recording and a request, line by line, truncated.
fn difference(recorded: &Prompt, asked: &Prompt) -> Vec<String> {
    let schema = |prompt: &Prompt| serde_json::to_string_pretty(&prompt.schema).unwrap_or_default();
    let parts = [
        ("", recorded.user.clone(), asked.user.clone()),
        (
            "in the instructions: ",
            recorded.system.clone(),
            asked.system.clone(),
        ),
        ("in the schema: ", schema(recorded), schema(asked)),
    ];
    let mut lines = Vec::new();
    for (place, old, new) in parts {
        let [old, new] = [&old, &new].map(|text| text.lines().collect::<Vec<_>>());
        for (gone, come) in sequence_changes(&old, &new) {
            let gone = old.get(gone).unwrap_or_default();
            let come = new.get(come).unwrap_or_default();
            for (sign, these, others) in [('-', gone, come), ('+', come, gone)] {
                for (at, line) in these.iter().enumerate() {
                    let shown = around(line, others.get(at).copied().unwrap_or_default());
                    lines.push(format!("{sign} {place}{shown}"));
                }
            }
        }
    }
    if lines.len() > MAX_DIFFERENCE_LINES {
        let more = lines.len() - MAX_DIFFERENCE_LINES;
        lines.truncate(MAX_DIFFERENCE_LINES);
        lines.push(format!("{more} more lines differ"));
    }
    lines
}

/// Shortens a long line to the part around the first difference from the other line.
fn around(line: &str, other: &str) -> String {
    let common = line
        .chars()
        .zip(other.chars())
        .take_while(|(a, b)| a == b)
        .count();
    let length = line.chars().count();
    let start = if length <= WIDTH {
        0
    } else {
        common.saturating_sub(BEFORE).min(length - WIDTH)
    };
    let shown: String = line.chars().skip(start).take(WIDTH).collect();
    let before = if start > 0 { "… " } else { "" };
    let after = if start + WIDTH < length { " …" } else { "" };
    format!("{before}{shown}{after}")
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::llm::PromptTemplates;
    use crate::llm::answerer::Request;
    use crate::llm::task::Task;
    use fsmsim_syntax::diagnostic::Code;

    fn recorded(turn: u32, utterance: &str) -> Interaction {
        let task = Task::Decide {
            state: "a",
            goal: "",
            utterance,
            targets: Vec::new(),
            known: Vec::new(),
            history: &[],
        };
        let prompt = Prompt::with(&task, &PromptTemplates::default()).unwrap();
        Interaction::new(&Request { task, turn }, prompt, &[], None)
    }

    fn notes_of(interactions: &[Interaction], asked: &Interaction) -> Vec<String> {
        let prompt = asked.prompt();
        let miss = SimilarEntry {
            turn: asked.turn,
            need: asked.need,
            asked: &prompt,
        };
        miss.explain(interactions, Diagnostic::warning(Code::NotRecorded, ""))
            .notes
    }

    #[test]
    fn text_is_split_into_words_and_spaces() {
        assert_eq!(
            words_and_spaces(" Сколько  стоит?\n"),
            [" ", "Сколько", "  ", "стоит?", "\n"]
        );
        assert_eq!(words_and_spaces(""), [""; 0]);
    }

    #[test]
    fn nearest_recording_is_chosen_by_turn_and_then_by_text() {
        let interactions = [
            recorded(1, "Сколько стоит демо?"),
            recorded(2, "Привет"),
            recorded(2, "Сколько стоит?"),
        ];
        let notes = notes_of(&interactions, &recorded(2, "Сколько стоит демо?"));
        assert_eq!(
            notes,
            [
                "the most similar recording is `decide` in turn 2 (- recorded, + requested)",
                "- The user says: \"Сколько стоит?\"",
                "+ The user says: \"Сколько стоит демо?\"",
            ]
        );
        let notes = notes_of(&interactions, &recorded(7, "Привет"));
        assert_eq!(
            notes,
            ["the same request was recorded as `decide` in turn 2"]
        );
        let notes = notes_of(&interactions, &recorded(2, "Привет"));
        assert_eq!(notes, ["the same request was recorded fewer times"]);
        assert_eq!(
            notes_of(&[], &recorded(2, "Привет")),
            ["the cassette has no recordings"]
        );
    }

    #[test]
    fn long_lines_and_many_lines_are_truncated() {
        let long = |end: &str| format!("{}{end}", "слово ".repeat(1000));
        let notes = notes_of(&[recorded(1, &long("раз"))], &recorded(1, &long("два")));
        assert!(
            notes[1].starts_with("- … ") && notes[1].ends_with("раз\""),
            "{}",
            notes[1]
        );
        assert!(
            notes[2].ends_with("два\"") && notes[2].chars().count() < 200,
            "{}",
            notes[2]
        );
        let many = |word: &str| Prompt {
            system: String::new(),
            user: format!("{word}\n").repeat(50),
            schema: serde_json::Value::Null,
        };
        let lines = difference(&many("раз"), &many("два"));
        assert_eq!(
            (lines.len(), lines[12].as_str()),
            (13, "88 more lines differ")
        );
    }

    #[test]
    fn schema_difference_is_labeled() {
        let prompt = |names: serde_json::Value| Prompt {
            system: String::new(),
            user: String::new(),
            schema: json!({"properties": {"target": {"enum": names}}}),
        };
        let lines = difference(&prompt(json!(["a", "b"])), &prompt(json!(["a", "c"])));
        assert_eq!(
            lines,
            [
                "- in the schema:         \"b\"",
                "+ in the schema:         \"c\""
            ]
        );
    }
}
