//! Tasks for providers. A task contains all data that is needed to answer it.

use super::kind::TaskKind;
use super::reading_task::{ReadingTask, known};
use super::user_task::UserTask;
use super::utterance::{Utterance, before, last_lines};
use crate::recognizer::SlotOffer;
use fsmsim_core::engine::policy::inquiry::KnowledgeSection;
use fsmsim_core::engine::policy::{Move, Point};
use fsmsim_core::engine::{Machine, Need, Session};
use fsmsim_core::machine::{StateId, Value};

/// A task for a provider.
#[derive(Clone, Debug)]
pub enum Task<'a> {
    /// Recognize an utterance.
    Classify(ReadingTask<'a>),
    /// Generate a reply according to an instruction, and optionally a transition.
    Navigate {
        state: &'a str,
        /// The complete instruction, composed of its layers.
        instruction: &'a str,
        /// The utterances so far.
        history: &'a [Utterance],
        /// The possible target states.
        targets: Vec<&'a str>,
        /// The conditions for each target, as text.
        conditions: Vec<Vec<&'a str>>,
        /// The name, the goal and the heading of each target. Prompts do not contain them.
        about: Vec<Vec<&'a str>>,
    },
    /// Compare an answer with the information that it should contain.
    Assess {
        /// The state in which the question was asked.
        state: &'a str,
        /// The point that the question was about. `None` if there was no question, or if it was about a summary.
        point: Option<Goal<'a>>,
        /// The question was whether a summary of all answers is correct.
        sums_up: bool,
        /// All points in order. The answer may contain information about any of them.
        points: Vec<Goal<'a>>,
        /// The completeness that is sufficient.
        enough: f64,
        /// The utterance, verbatim.
        utterance: &'a str,
        /// The utterances so far, including this one.
        history: &'a [Utterance],
    },
    /// Choose the next state of an autonomous state.
    Decide {
        state: &'a str,
        /// The goal of the state.
        goal: &'a str,
        /// The utterance, verbatim.
        utterance: &'a str,
        /// The possible target states.
        targets: Vec<DecisionTarget<'a>>,
        known: Vec<(&'a str, Value)>,
        /// The last lines before the utterance.
        history: &'a [Utterance],
    },
    /// Perform the task of an agent-cycle node.
    Work {
        /// The current state.
        state: &'a str,
        /// The role of the node.
        role: &'a str,
        /// The goal of the node.
        goal: &'a str,
        /// The known data, by name.
        known: Vec<(&'a str, String)>,
        /// The possible outputs, by name.
        brings: Vec<&'a str>,
        /// The capabilities that may be requested.
        capabilities: &'a [Box<str>],
    },
    /// Generate the text of a message.
    Phrase {
        /// The state after the turn.
        state: &'a str,
        /// The content of the message.
        about: &'a str,
        /// The point of an interview that the message asks about.
        point: Option<Goal<'a>>,
        /// The known answers of an interview: the label of each point with its answer.
        known: Vec<(&'a str, String)>,
        /// The parts missing from the last answer.
        missing: Vec<&'a str>,
        /// Relevant knowledge: titles and texts of sections, most similar first.
        knowledge: Vec<(&'a str, &'a str)>,
        /// The utterances so far.
        history: &'a [Utterance],
    },
    /// Check the replies of the assistant against a rubric.
    Judge {
        /// The state after the turn.
        state: &'a str,
        /// The criterion.
        rubric: &'a str,
        /// The utterances before the replies.
        history: &'a [Utterance],
        /// All replies of the turn.
        replies: &'a str,
    },
    /// Generate the next utterance of the user.
    PlayUser(UserTask<'a>),
}

/// A possible target of an autonomous state.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DecisionTarget<'a> {
    pub state: &'a str,
    /// The goal of the state, or empty.
    pub goal: &'a str,
}

/// A question topic.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Goal<'a> {
    /// The name in answers.
    pub id: &'a str,
    /// The displayed name.
    pub name: &'a str,
    /// A description of the required information.
    pub about: &'a str,
    /// Aspects that an answer can cover.
    pub hints: &'a [Box<str>],
    /// The priority: P0 to P3.
    pub priority: &'static str,
}

impl<'a> From<&'a Point> for Goal<'a> {
    fn from(point: &'a Point) -> Self {
        Self {
            id: &point.id,
            name: &point.name,
            about: &point.about,
            hints: &point.hints,
            priority: point.priority.into(),
        }
    }
}

/// The context for a need of the engine.
#[derive(Clone, Copy, Debug)]
pub struct Scene<'a> {
    pub machine: &'a Machine,
    /// The session before the turn.
    pub session: &'a Session,
    /// The utterance, verbatim.
    pub say: Option<&'a str>,
    /// The time of the turn (RFC 3339), if the turn has one.
    pub at: Option<&'a str>,
    /// The current instruction, or empty.
    pub instruction: &'a str,
    /// The utterances so far.
    pub history: &'a [Utterance],
    /// Sections of an interview's knowledge that are relevant to the question.
    pub knowledge: &'a [KnowledgeSection],
}

impl<'a> Task<'a> {
    /// The task for a need of the engine. Returns `None` if the need involves no model.
    pub fn of(need: &'a Need, scene: &Scene<'a>) -> Option<Self> {
        let Scene {
            machine,
            session,
            say,
            at,
            instruction,
            history,
            knowledge,
        } = *scene;
        let id = match need {
            Need::Classify { state }
            | Need::Assess { state }
            | Need::Decide { state }
            | Need::Work { state }
            | Need::Navigate { state }
            | Need::Phrase { state, .. } => *state,
            Need::Effect { .. } => return None,
        };
        let here = machine.state(id);
        let state = machine.names.states.name(id);
        let goal = here.goal.as_deref().unwrap_or_default();
        let utterance = say.unwrap_or_default();
        Some(match need {
            Need::Classify { .. } => {
                let reading = ReadingTask::of(machine, session, id, utterance, history);
                Self::Classify(ReadingTask { at, ..reading })
            }
            Need::Decide { .. } => {
                let targets = machine
                    .declared_states()
                    .map(|(id, target)| DecisionTarget {
                        state: machine.names.states.name(id),
                        goal: target.goal.as_deref().unwrap_or_default(),
                    })
                    .collect();
                let known = known(machine, session, &SlotOffer::all(machine));
                let history = last_lines(before(history, utterance));
                Self::Decide {
                    state,
                    goal,
                    utterance,
                    targets,
                    known,
                    history,
                }
            }
            Need::Navigate { .. } => {
                let moves = machine.moves(id);
                let targets = moves
                    .iter()
                    .map(|declared| machine.names.states.name(declared.target))
                    .collect();
                let conditions = moves
                    .iter()
                    .map(|declared| conditions(machine, declared))
                    .collect();
                let about = moves
                    .iter()
                    .map(|declared| about(machine, declared.target))
                    .collect();
                Self::Navigate {
                    state,
                    instruction,
                    history,
                    targets,
                    conditions,
                    about,
                }
            }
            Need::Work { .. } => {
                let worker = machine.policies.worker(id)?;
                let known = worker
                    .reads
                    .iter()
                    .map(|slot| (machine.names.slots.name(*slot), session.slots.get(*slot)));
                Self::Work {
                    state,
                    role: &worker.role,
                    goal,
                    known: in_words(known),
                    brings: worker.outputs().collect(),
                    capabilities: &worker.capabilities,
                }
            }
            Need::Assess { .. } => {
                let inquiry = machine.policies.inquiry()?;
                let asked = inquiry.point_of(id);
                let points = inquiry.points.iter().map(Goal::from).collect();
                let point = asked.map(Goal::from);
                let sums_up = inquiry.summary == Some(id);
                Self::Assess {
                    state,
                    point,
                    sums_up,
                    points,
                    enough: inquiry.threshold,
                    utterance,
                    history,
                }
            }
            Need::Phrase { about, missing, .. } => {
                let points = machine.policies.points().iter();
                let known =
                    points.map(|point| (&*point.label, session.slots.get(point.kept.answers)));
                let missing = missing.iter().map(|text| &**text).collect();
                let knowledge = knowledge
                    .iter()
                    .map(|found| (&*found.title, &*found.text))
                    .collect();
                let inquiry = machine.policies.inquiry();
                let point = inquiry.and_then(|inquiry| inquiry.point_of(id));
                Self::Phrase {
                    state,
                    about,
                    point: point.map(Goal::from),
                    known: in_words(known),
                    missing,
                    knowledge,
                    history,
                }
            }
            Need::Effect { .. } => return None,
        })
    }

    pub fn kind(&self) -> TaskKind {
        match self {
            Self::Classify(_) => TaskKind::Classify,
            Self::Assess { .. } => TaskKind::Assess,
            Self::Navigate { .. } => TaskKind::Navigate,
            Self::Decide { .. } => TaskKind::Decide,
            Self::Work { .. } => TaskKind::Work,
            Self::Phrase { .. } => TaskKind::Phrase,
            Self::PlayUser(_) => TaskKind::PlayUser,
            Self::Judge { .. } => TaskKind::Judge,
        }
    }

    /// The slots to fill from the utterance.
    pub fn slots(&self) -> Vec<&'a str> {
        match self {
            Self::Classify(reading) => reading.slots.iter().map(|slot| slot.name).collect(),
            _ => Vec::new(),
        }
    }

    /// The state of the task, or an empty string.
    pub fn place(&self) -> &'a str {
        match self {
            Self::Classify(ReadingTask { state, .. })
            | Self::Assess { state, .. }
            | Self::Navigate { state, .. }
            | Self::Decide { state, .. }
            | Self::Work { state, .. }
            | Self::Phrase { state, .. }
            | Self::Judge { state, .. } => state,
            Self::PlayUser(_) => "",
        }
    }

    /// The last utterance that the answer depends on. Mock patterns match it.
    pub fn said(&self) -> Option<&'a str> {
        match self {
            Self::Classify(ReadingTask { utterance, .. })
            | Self::Assess { utterance, .. }
            | Self::Decide { utterance, .. } => Some(utterance),
            Self::Judge { replies, .. } => Some(replies),
            Self::Work { .. } => None,
            Self::Navigate { history, .. }
            | Self::Phrase { history, .. }
            | Self::PlayUser(UserTask { history, .. }) => history.last().map(|line| &*line.text),
        }
    }
}

/// Filled values as text.
fn in_words<'a, 'v>(known: impl Iterator<Item = (&'a str, &'v Value)>) -> Vec<(&'a str, String)> {
    known
        .filter(|(_, value)| value.filled())
        .map(|(name, value)| (name, value.in_words()))
        .collect()
}

/// The conditions of a move as text: the declared ones, its events, and the triggers of its target.
fn conditions<'a>(machine: &'a Machine, declared: &'a Move) -> Vec<&'a str> {
    let triggers = machine
        .guide(declared.target)
        .into_iter()
        .flat_map(|guide| guide.triggers.iter().map(|trigger| &**trigger));
    let events = declared.events.iter().map(|event| &**event);
    declared
        .condition
        .split("; ")
        .chain(events)
        .chain(triggers)
        .filter(|text| !text.is_empty())
        .collect()
}

/// The name, the goal and the heading of a state.
fn about(machine: &Machine, id: StateId) -> Vec<&str> {
    let instruction = machine.guide(id).map_or("", |guide| &guide.instruction);
    let heading = instruction.lines().find_map(|line| line.strip_prefix("# "));
    let goal = machine.state(id).goal.as_deref();
    let name = Some(machine.names.states.name(id));
    [name, goal, heading].into_iter().flatten().collect()
}
