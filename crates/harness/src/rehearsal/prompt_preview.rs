//! What a model would be asked at some point of a dialogue. Nobody is asked.

use std::sync::Arc;

use serde_json::{Value as Json, json};

use super::loaded::LoadedDialogue;
use fsmsim_adapters::llm::{
    Answerer, AnswererReply, Attempt, Nobody, Prompt, PromptFailure, PromptTemplates, Request,
    Task, TaskKind, UserTask,
};
use fsmsim_core::engine::{Machine, Need, Operation, Symbol};
use fsmsim_core::machine::{OpKind, SlotId, Speech, StateId, Value};
use fsmsim_runtime::runtime::{DialogueRunner, DialogueSetup};

/// What a model would be asked at some point of a dialogue.
pub struct PromptPreview {
    runner: DialogueRunner,
}

/// What a model would be asked, with where and for what.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PreviewedPrompt {
    /// What it would be asked for.
    pub need: TaskKind,
    /// The state; nothing where it plays a user.
    pub state: Option<String>,
    /// What it would be told.
    pub prompt: Prompt,
}

impl PreviewedPrompt {
    /// The prompt as an object.
    pub fn to_json(&self) -> Json {
        let Prompt {
            system,
            user,
            schema,
        } = &self.prompt;
        json!({"need": self.need.name(), "state": self.state, "system": system, "user": user, "schema": schema})
    }
}

/// Hears what is said, and lets others answer.
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
    /// At the beginning of a dialogue that starts so, or behind the turns of one that somebody wrote.
    ///
    /// # Errors
    /// The findings about `start` as text.
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
        let answerer = answerer.unwrap_or_else(|| Box::new(Nobody));
        let mut runner = setup.runner(machine).asking(Box::new(Listener(answerer)));
        for turn in &turns {
            runner.play(&turn.scripted);
        }
        Ok(Self { runner })
    }

    /// Puts the dialogue at a state.
    pub fn put_at(&mut self, state: StateId) {
        self.runner
            .operate(&[Operation::SetState(Symbol::Known(state))]);
    }

    /// Makes data known.
    pub fn make_known(&mut self, data: Vec<(Symbol<SlotId>, Value)>) {
        self.runner.operate(&[Operation::SetData(data)]);
    }

    /// What a model is asked for first where something is said here.
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

    /// What a model would be asked where this is said; nothing where the machine asks for no such thing here.
    pub fn prompt(
        mut self,
        need: TaskKind,
        say: Option<&str>,
        templates: &PromptTemplates,
    ) -> Result<Option<PreviewedPrompt>, Box<PromptFailure>> {
        self.runner.hear(say);
        let (machine, state) = (self.runner.machine(), self.runner.session().position.state);
        let asks = match need {
            TaskKind::Navigate => machine.policies.guidance().is_some(),
            TaskKind::Assess => machine.policies.inquiry().is_some(),
            TaskKind::Work => machine.policies.worker(state).is_some(),
            TaskKind::Classify => !machine.names.intents.is_empty(),
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

    /// What a model would be asked that plays a user.
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

/// A need of the engine in a state.
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

/// What is said where a state is entered, for whoever finds the words: its message, else its point, else its goal.
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
            |point| point.about.clone(),
        );
        (about, true)
    })
}
