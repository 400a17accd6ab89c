//! Prompt templates for authoring tasks.

use rmcp::model::{GetPromptResult, JsonObject, Prompt, PromptArgument, PromptMessage, Role};
use strum::{EnumString, IntoStaticStr, VariantArray};

use crate::limits::MAX_PROMPT_ARGUMENT;
use crate::mcp::argument_schema::{no_such, strange_argument};

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
                "Write a flow for a goal, play it, and keep what was played as scenarios"
            }
            Self::FindOutWhy => {
                "Find out why a dialogue goes where it goes, and what would change that"
            }
            Self::CoverWhatIsMissing => "Write the scenarios that are missing",
        }
    }

    /// The arguments: name, description, and whether it is required.
    fn arguments(self) -> &'static [(&'static str, &'static str, bool)] {
        match self {
            Self::WriteAFlow => &[
                (
                    "goal",
                    "What the dialogue is for, and what has to be found out in it",
                    true,
                ),
                (
                    "path",
                    "The file of the flow, from the project: flows/NAME.yaml",
                    false,
                ),
            ],
            Self::FindOutWhy => &[
                ("model", "The model, by its path from the project", true),
                (
                    "question",
                    "What surprises: what is said, where the dialogue goes, and where it was to go",
                    true,
                ),
            ],
            Self::CoverWhatIsMissing => &[(
                "model",
                "The model, by its path; all models where none is given",
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
                return Err(strange_argument(prompt.name(), name, &known));
            }
            if value
                .as_str()
                .is_none_or(|text| text.chars().count() > MAX_PROMPT_ARGUMENT)
            {
                return Err(format!(
                    "`{name}` of {} is a text of at most {MAX_PROMPT_ARGUMENT} letters.",
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
            return Err(format!("{} lacks `{missing}`.", prompt.name()));
        }
        let message = PromptMessage::new_text(Role::User, prompt.text(&argument));
        Ok(GetPromptResult::new(vec![message]).with_description(prompt.description()))
    }

    fn text<'a>(self, argument: &dyn Fn(&str) -> Option<&'a str>) -> String {
        let given = |name: &str| argument(name).unwrap_or_default();
        match self {
            Self::WriteAFlow => format!(
                "Write a dialogue flow for this goal:\n\n{}\n\n\
                 1. Read fsmsim://docs/flows and fsmsim://docs/scenarios, and look at a model of the project that is alike (models).\n\
                 2. Write the flow to {} with your own tools.\n\
                 3. Call lint until it finds no error, and no warning that you cannot explain. `explain` tells of a code.\n\
                 4. Play the dialogues that matter: the straight way, somebody who does not answer, somebody who goes back, \
                 somebody who leaves. Where a turn surprises, ask why and why_not, and mend the flow.\n\
                 5. Keep each of them by save_scenario, with a title that says what is shown by it.\n\
                 6. Call test, then coverage: states and transitions that no scenario comes to need one, or are not needed.\n",
                given("goal"),
                argument("path").map_or_else(
                    || "a new file below flows/".to_owned(),
                    |path| format!("`{path}`")
                ),
            ),
            Self::FindOutWhy => format!(
                "The dialogue of `{}` does something that was not expected:\n\n{}\n\n\
                 Play it turn by turn (play). Ask why for the turn that surprises: which rule decided, where it is written, which \
                 proposals lost. Ask why_not for the state or action that was expected, and conditions for what the state asks. \
                 Then say in a few sentences what decides, with file and line, and which smallest edit would change it. Edit \
                 only if that was asked for; then play again (the session sees the edit), and run test.\n",
                given("model"),
                given("question"),
            ),
            Self::CoverWhatIsMissing => format!(
                "Write the scenarios that are missing{}.\n\n\
                 Call coverage: it lists the states, transitions and rules to which no scenario comes, with file and line. For \
                 each, play a dialogue that comes there (why_not tells which lines lead to a state), and keep it by save_scenario \
                 with a title that says what is shown by it. What cannot be come to is a finding: tell it, and do not force it. \
                 In the end call test and coverage again, and tell what has changed.\n",
                argument("model")
                    .map(|model| format!(" for `{model}`"))
                    .unwrap_or_default(),
            ),
        }
    }
}
