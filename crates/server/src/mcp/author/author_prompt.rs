//! Prompt templates for authoring tasks.

use rmcp::model::{GetPromptResult, JsonObject, Prompt, PromptArgument, PromptMessage, Role};
use strum::{EnumString, IntoStaticStr, VariantArray};

use crate::limits::MAX_PROMPT_ARGUMENT;
use crate::mcp::argument_schema::{lacks, no_such, unknown_argument};

/// A prompt template.
#[derive(Clone, Copy, Debug, PartialEq, Eq, EnumString, IntoStaticStr, VariantArray)]
#[strum(serialize_all = "snake_case")]
pub(super) enum AuthorPrompt {
    WriteAFlow,
    FindOutWhy,
    CoverWhatIsMissing,
}

impl AuthorPrompt {
    fn name(self) -> &'static str {
        self.into()
    }

    fn description(self) -> &'static str {
        match self {
            Self::WriteAFlow => {
                "Write a flow for a goal, run dialogues, and save them as scenarios"
            }
            Self::FindOutWhy => "Find out why a dialogue behaves as it does, and how to change it",
            Self::CoverWhatIsMissing => "Write the missing scenarios",
        }
    }

    /// The arguments, each with its name, its description, and whether it is required.
    fn arguments(self) -> &'static [(&'static str, &'static str, bool)] {
        match self {
            Self::WriteAFlow => &[
                (
                    "goal",
                    "The goal of the dialogue, and the information to collect",
                    true,
                ),
                (
                    "path",
                    "The path of the flow file, relative to the project: flows/NAME.yaml",
                    false,
                ),
            ],
            Self::FindOutWhy => &[
                (
                    "model",
                    "The path of the model, relative to the project",
                    true,
                ),
                (
                    "question",
                    "The unexpected behavior: the utterance, the actual state and the expected state",
                    true,
                ),
            ],
            Self::CoverWhatIsMissing => &[(
                "model",
                "The path of the model (default: all models)",
                false,
            )],
        }
    }

    pub(super) fn listed(self) -> Prompt {
        let argument = |(name, about, required): &(&str, &str, bool)| {
            PromptArgument::new(*name)
                .with_description(*about)
                .with_required(*required)
        };
        let arguments = self.arguments().iter().map(argument).collect();
        Prompt::new(self.name(), Some(self.description()), Some(arguments))
    }

    /// The prompt with this name and these arguments.
    pub(super) fn filled(
        name: &str,
        given: Option<&JsonObject>,
    ) -> Result<GetPromptResult, String> {
        let prompt: Self = name.parse().map_err(|_| {
            let names: Vec<&str> = Self::VARIANTS.iter().map(|prompt| prompt.name()).collect();
            no_such("prompt", name, &names)
        })?;
        let known: Vec<&str> = prompt.arguments().iter().map(|(name, ..)| *name).collect();
        for (name, value) in given.into_iter().flatten() {
            if !known.contains(&name.as_str()) {
                return Err(unknown_argument(prompt.name(), name, &known));
            }
            if value
                .as_str()
                .is_none_or(|text| text.chars().count() > MAX_PROMPT_ARGUMENT)
            {
                return Err(format!(
                    "Expected a string of at most {MAX_PROMPT_ARGUMENT} characters for `{name}` of {}.",
                    prompt.name()
                ));
            }
        }
        let argument = |name: &str| {
            let argument = given?.get(name)?.as_str()?.trim();
            Some(argument).filter(|argument| !argument.is_empty())
        };
        if let Some((missing, ..)) = prompt
            .arguments()
            .iter()
            .find(|(name, _, needed)| *needed && argument(name).is_none())
        {
            return Err(lacks(prompt.name(), missing));
        }
        let message = PromptMessage::new_text(Role::User, prompt.text(&argument));
        Ok(GetPromptResult::new(vec![message]).with_description(prompt.description()))
    }

    fn text<'a>(self, argument: &dyn Fn(&str) -> Option<&'a str>) -> String {
        let given = |name: &str| argument(name).unwrap_or_default();
        match self {
            Self::WriteAFlow => format!(
                include_str!("write_a_flow.md"),
                goal = given("goal"),
                path = argument("path").map_or_else(
                    || "a new file in flows/".to_owned(),
                    |path| format!("`{path}`")
                ),
            ),
            Self::FindOutWhy => format!(
                include_str!("find_out_why.md"),
                model = given("model"),
                question = given("question"),
            ),
            Self::CoverWhatIsMissing => format!(
                include_str!("cover_what_is_missing.md"),
                models = argument("model")
                    .map(|model| format!(" for `{model}`"))
                    .unwrap_or_default(),
            ),
        }
    }
}
