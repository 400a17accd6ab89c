//! Previews the prompt at some point in a dialogue, without sending it.

use std::sync::Arc;

use serde_json::{Value as Json, json};

use super::loaded::LoadedDialogue;
use fsmsim_adapters::llm::{
    Answerer, AnswererReply, Attempt, NoAnswerer, Prompt, PromptFailure, PromptTemplates, Request,
    Task, TaskKind, UserTask,
};
use fsmsim_core::engine::{Machine, Need, Operation, Symbol};
use fsmsim_core::machine::{OpKind, SlotId, Speech, StateId, Value};
use fsmsim_runtime::runtime::{DialogueRunner, DialogueSetup};

/// A preview of the prompt at some point in a dialogue.
pub struct PromptPreview {
    runner: DialogueRunner,
}

/// A prompt, with the kind of request and the state for which it was made.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PreviewedPrompt {
    /// The kind of request.
    pub need: TaskKind,
    /// The state; `None` for the prompt of a simulated user.
    pub state: Option<String>,
    pub prompt: Prompt,
}

impl PreviewedPrompt {
    /// The prompt as a JSON object.
    pub fn to_json(&self) -> Json {
        let Prompt {
            system,
            user,
            schema,
        } = &self.prompt;
        json!({"need": self.need.name(), "state": self.state, "system": system, "user": user, "schema": schema})
    }
}

/// Forwards requests, and always reports that a provider is available so that the runner records the history.
struct Listener(Box<dyn Answerer>);

impl Answerer for Listener {
    fn answer(
        &mut self,
        request: &Request<'_>,
        failed: &mut Vec<Attempt>,
    ) -> Option<AnswererReply> {
        self.0.answer(request, failed)
    }
}

impl PromptPreview {
    /// Begins at the start of a dialogue, or after the turns of a loaded dialogue.
    ///
    /// # Errors
    /// Returns the findings about `start` as text.
    pub fn new(
        machine: &Arc<Machine>,
        start: &str,
        loaded: Option<LoadedDialogue>,
    ) -> Result<Self, String> {
        let (start, turns, answerer) = match loaded {
            Some(loaded) => (loaded.start, loaded.turns, loaded.answerer),
            None => (start.to_owned(), Vec::new(), None),
        };
        let setup = DialogueSetup::parse(machine, &start)?;
        let answerer = answerer.unwrap_or_else(|| Box::new(NoAnswerer));
        let mut runner = setup.runner(machine).asking(Box::new(Listener(answerer)));
        for turn in &turns {
            runner.play(&turn.scripted);
        }
        Ok(Self { runner })
    }

    /// Moves the dialogue to a state.
    pub fn put_at(&mut self, state: StateId) {
        self.runner
            .operate(&[Operation::SetState(Symbol::Known(state))]);
    }

    /// Sets slot values.
    pub fn make_known(&mut self, data: Vec<(Symbol<SlotId>, Value)>) {
        self.runner.operate(&[Operation::SetData(data)]);
    }

    /// The kind of the first request in this state. `is_said` states whether the user said something.
    pub fn first_need(&self, is_said: bool) -> TaskKind {
        let policies = &self.runner.machine().policies;
        if policies.guidance().is_some() {
            TaskKind::Navigate
        } else if policies.inputs().tasks {
            TaskKind::Work
        } else if policies.inquiry().is_none() {
            TaskKind::Classify
        } else if is_said {
            TaskKind::Assess
        } else {
            TaskKind::Phrase
        }
    }

    /// The prompt for an utterance; `None` if the machine never makes this kind of request in the current state.
    pub fn prompt(
        mut self,
        need: TaskKind,
        say: Option<&str>,
        templates: &PromptTemplates,
    ) -> Result<Option<PreviewedPrompt>, Box<PromptFailure>> {
        self.runner.hear(say);
        let machine = self.runner.machine();
        let state = self.runner.session().position.state;
        let asks = match need {
            TaskKind::Navigate => machine.policies.guidance().is_some(),
            TaskKind::Assess => machine.policies.inquiry().is_some(),
            TaskKind::Work => machine.policies.worker(state).is_some(),
            TaskKind::Classify => !machine.known_intents().is_empty(),
            TaskKind::Decide | TaskKind::Phrase => true,
            TaskKind::PlayUser | TaskKind::Judge => false,
        };
        let need_of_engine = Some(need)
            .filter(|_| asks)
            .and_then(|need| need_in(need, state, machine));
        let Some(need_of_engine) = need_of_engine else {
            return Ok(None);
        };
        let state = Some(machine.names.states.name(state).to_owned());
        let prompt = self.runner.with_task(&need_of_engine, say, |task| {
            task.map(|task| Prompt::with(&task, templates))
        });
        Ok(prompt.transpose()?.map(|prompt| PreviewedPrompt {
            need,
            state,
            prompt,
        }))
    }

    /// The prompt for a simulated user.
    pub fn of_user(
        mut self,
        say: Option<&str>,
        templates: &PromptTemplates,
        user: UserTask<'_>,
    ) -> Result<PreviewedPrompt, Box<PromptFailure>> {
        self.runner.hear(say);
        let prompt = Prompt::with(
            &Task::PlayUser(UserTask {
                history: self.runner.history(),
                ..user
            }),
            templates,
        )?;
        Ok(PreviewedPrompt {
            need: TaskKind::PlayUser,
            state: None,
            prompt,
        })
    }
}

/// The engine's need that this kind of request answers in a state.
fn need_in(need: TaskKind, state: StateId, machine: &Machine) -> Option<Need> {
    Some(match need {
        TaskKind::Classify => Need::Classify { state },
        TaskKind::Navigate => Need::Navigate { state },
        TaskKind::Assess => Need::Assess { state },
        TaskKind::Decide => Need::Decide { state },
        TaskKind::Work => Need::Work { state },
        TaskKind::Phrase => {
            let (about, is_optional) = message(state, machine);
            if about.is_empty() {
                return None;
            }
            Need::Phrase {
                state,
                index: 0,
                about,
                missing: Box::default(),
                is_optional,
            }
        }
        TaskKind::PlayUser | TaskKind::Judge => return None,
    })
}

/// The subject of the message on entering a state: the text to phrase, or else the point or the goal of the state. Also
/// returns whether the message is optional.
fn message(state: StateId, machine: &Machine) -> (Box<str>, bool) {
    let here = machine.state(state);
    let said = here
        .entry
        .map(|rule| machine.ops(rule))
        .unwrap_or_default()
        .iter()
        .find_map(|op| match &op.kind {
            OpKind::Say(speech) => match &**speech {
                Speech::Phrase {
                    about, otherwise, ..
                } => Some((about.clone(), otherwise.is_some())),
                _ => None,
            },
            _ => None,
        });
    said.unwrap_or_else(|| {
        let inquiry = machine.policies.inquiry();
        let point = inquiry.and_then(|inquiry| inquiry.point_of(state));
        let about = point.map_or_else(
            || here.goal.clone().unwrap_or_default(),
            |point| match &*point.about {
                "" => point.name.clone(),
                _ => point.about.clone(),
            },
        );
        (about, true)
    })
}
