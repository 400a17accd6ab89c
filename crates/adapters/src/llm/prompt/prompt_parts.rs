//! The parts of a prompt, rendered from the built-in templates.

use std::sync::LazyLock;

use minijinja::syntax::SyntaxConfig;
use minijinja::{Environment, UndefinedBehavior, Value};
use serde_json::Value as Json;

use super::jinja_value::jinja;
use super::prompt_failure::PromptFailure;
use super::quoted::RULE;
use crate::llm::kind::TaskKind;
use crate::llm::reading_task::NEAREST_AT_MOST;
use fsmsim_core::engine::TONES;

/// The parts of a prompt.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct PromptParts {
    /// The part that is the same in all turns of a dialogue, as far as the need allows.
    pub fixed: String,
    /// The part that changes from turn to turn.
    pub changing: String,
    /// The utterance, in delimiters.
    pub said: String,
}

/// The parts of a template file, separated by `---` lines. The last part is the plain content, for the patterns of
/// mocks.
const PARTS: [&str; 4] = ["fixed", "changing", "said", "matter"];

/// The built-in templates, parsed once. They use the same variables as project templates.
static TEMPLATES: LazyLock<Environment<'static>> = LazyLock::new(|| {
    let mut environment = Environment::new();
    environment.set_undefined_behavior(UndefinedBehavior::Strict);
    let mut syntax = SyntaxConfig::builder();
    syntax
        .trim_blocks(true)
        .lstrip_blocks(true)
        .keep_trailing_newline(true);
    environment.set_syntax(syntax.build().unwrap_or_default());
    environment.add_global("rule", RULE);
    environment.add_global("tones", TONES.to_vec());
    environment.add_global("nearest_at_most", NEAREST_AT_MOST);
    // By default, templates write 1 as 1.0.
    environment.add_filter("plain", |number: f64| number.to_string());
    for kind in TaskKind::ALL {
        for (part, text) in PARTS.into_iter().zip(text_of(*kind).split("---\n")) {
            let text = match part {
                "fixed" => text.trim_end_matches('\n'),
                _ => text,
            };
            // A test renders all of them.
            let _ = environment.add_template_owned(name_of(*kind, part), text);
        }
    }
    environment
});

fn text_of(kind: TaskKind) -> &'static str {
    match kind {
        TaskKind::Classify => include_str!("../../../prompts/classify.jinja"),
        TaskKind::Navigate => include_str!("../../../prompts/navigate.jinja"),
        TaskKind::Assess => include_str!("../../../prompts/assess.jinja"),
        TaskKind::Phrase => include_str!("../../../prompts/phrase.jinja"),
        TaskKind::Decide => include_str!("../../../prompts/decide.jinja"),
        TaskKind::Work => include_str!("../../../prompts/work.jinja"),
        TaskKind::PlayUser => include_str!("../../../prompts/play_user.jinja"),
        TaskKind::Judge => include_str!("../../../prompts/judge.jinja"),
    }
}

fn name_of(kind: TaskKind, part: &str) -> String {
    format!("{}.{part}", kind.name())
}

/// A rendered part of the built-in prompt for a need. Empty if the need has no such part.
fn filled(kind: TaskKind, part: &str, variables: Value) -> Result<String, Box<PromptFailure>> {
    let Ok(template) = TEMPLATES.get_template(&name_of(kind, part)) else {
        return Ok(String::new());
    };
    template.render(variables).map_err(|error| {
        Box::new(PromptFailure {
            kind,
            place: format!("part `{part}` of the built-in prompt"),
            why: error.to_string(),
        })
    })
}

impl PromptParts {
    /// Renders the built-in prompt for a need.
    pub(super) fn of(kind: TaskKind, variables: &Json) -> Result<Self, Box<PromptFailure>> {
        let variables = jinja(variables);
        Ok(Self {
            fixed: filled(kind, "fixed", variables.clone())?,
            changing: filled(kind, "changing", variables.clone())?,
            said: filled(kind, "said", variables)?,
        })
    }

    /// The system and the user message of the prompt.
    pub(super) fn words(self) -> (String, String) {
        let user = match (&*self.changing, &*self.said) {
            ("", said) => said.trim_end().to_owned(),
            (changing, "") => changing.trim_end().to_owned(),
            (changing, said) => format!("{}\n{}", changing.trim_end(), said.trim_end()),
        };
        (self.fixed, user)
    }
}

/// The content of a message in plain lines.
pub(super) fn matter(variables: &Json) -> Result<String, Box<PromptFailure>> {
    filled(TaskKind::Phrase, "matter", jinja(variables))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::llm::prompt::template_variables::sample;

    #[test]
    fn all_parts_of_all_prompts_can_be_rendered() {
        for kind in TaskKind::ALL {
            for (part, _) in PARTS.into_iter().zip(text_of(*kind).split("---\n")) {
                let template = TEMPLATES.get_template(&name_of(*kind, part)).unwrap();
                if part != "matter" {
                    template.render(jinja(&sample(*kind))).unwrap();
                }
            }
        }
        let variables = serde_json::json!({
            "about": "a", "missing": ["b", "c"], "known": [["d", "e"]], "knowledge": [["", "f"], ["g", "h"]],
        });
        assert_eq!(
            matter(&variables).unwrap(),
            "Content of the reply: a\nMissing in the last answer: b; c\nBackground:\n- f\n- g: h\nKnown so far:\n- d: e\n"
        );
    }
}
