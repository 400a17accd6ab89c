//! What somebody is asked, whole: nothing else is needed to answer it.

use super::kind::TaskKind;
use super::reading_task::{ReadingTask, known};
use super::slot_offer::SlotOffer;
use super::user_task::UserTask;
use super::utterance::{Utterance, before, last_lines};
use fsmsim_core::engine::policy::inquiry::KnowledgeSection;
use fsmsim_core::engine::policy::{Move, Point};
use fsmsim_core::engine::{Machine, Need, Session};
use fsmsim_core::machine::Value;

/// What somebody is asked.
#[derive(Clone, Debug, PartialEq)]
pub enum Task<'a> {
    /// Read what was said.
    Classify(ReadingTask<'a>),
    /// Say something by an instruction, and perhaps move on.
    Navigate {
        state: &'a str,
        /// The instruction, composed of its layers.
        instruction: &'a str,
        /// What was said so far.
        history: &'a [Utterance],
        /// The states that may be gone to.
        targets: Vec<&'a str>,
        /// When each of them is gone to, in words.
        conditions: Vec<Vec<&'a str>>,
    },
    /// Hold an answer against what it is to tell.
    Assess {
        /// The state in which it was given.
        state: &'a str,
        /// The point that was asked about; nothing where nothing was asked, or all of them were summed up.
        point: Option<Goal<'a>>,
        /// All that was known was summed up, and the user was asked whether it is right.
        sums_up: bool,
        /// All points, in their order: the answer may tell something about each.
        points: Vec<Goal<'a>>,
        /// How complete an answer has to be.
        enough: f64,
        /// What was said, word for word.
        utterance: &'a str,
        /// What was said so far, this included.
        history: &'a [Utterance],
    },
    /// Decide how an autonomous state goes on.
    Decide {
        state: &'a str,
        /// What the state is for.
        goal: &'a str,
        /// What was said, word for word.
        utterance: &'a str,
        /// The states that may be gone to.
        targets: Vec<DecisionTarget<'a>>,
        known: Vec<(&'a str, Value)>,
        /// The last lines before what was said.
        history: &'a [Utterance],
    },
    /// Do the work of a node of a cycle.
    Work {
        /// The state in which it works.
        state: &'a str,
        /// Who works there.
        role: &'a str,
        /// What the work is.
        goal: &'a str,
        /// What is known, by its name.
        known: Vec<(&'a str, String)>,
        /// What the work may bring, by name.
        brings: Vec<&'a str>,
        /// The capabilities that may be asked for.
        capabilities: &'a [Box<str>],
    },
    /// Find the words for a message.
    Phrase {
        /// The state after the turn.
        state: &'a str,
        /// What is to be said.
        about: &'a str,
        /// What is known by now that an interview is to find out: what it is called, and what was answered.
        known: Vec<(&'a str, String)>,
        /// What was missing in the last answer.
        missing: Vec<&'a str>,
        /// What is known about it in general: the titles and the texts of sections, the nearest first.
        knowledge: Vec<(&'a str, &'a str)>,
        /// What was said so far.
        history: &'a [Utterance],
    },
    /// Hold what the assistant said against a rubric.
    Judge {
        /// The state after the turn in which it was said.
        state: &'a str,
        /// What it must be.
        rubric: &'a str,
        /// What was said before it.
        history: &'a [Utterance],
        /// All that was said in the turn.
        replies: &'a str,
    },
    /// Say what the user says next.
    PlayUser(UserTask<'a>),
}

/// A state to which an autonomous state may go on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DecisionTarget<'a> {
    pub state: &'a str,
    /// What it is for; empty where nobody says.
    pub goal: &'a str,
}

/// What is to be found out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Goal<'a> {
    /// Its name in answers.
    pub id: &'a str,
    /// What people call it.
    pub name: &'a str,
    /// What exactly is to be found out.
    pub about: &'a str,
    /// What an answer may go into.
    pub hints: &'a [Box<str>],
}

impl<'a> From<&'a Point> for Goal<'a> {
    fn from(point: &'a Point) -> Self {
        Self {
            id: &point.id,
            name: &point.name,
            about: &point.about,
            hints: &point.hints,
        }
    }
}

/// What is around a need of the engine.
#[derive(Clone, Copy, Debug)]
pub struct Scene<'a> {
    pub machine: &'a Machine,
    /// The session before the turn.
    pub session: &'a Session,
    /// What was said, word for word.
    pub say: Option<&'a str>,
    /// The instruction of the moment; empty where there is none.
    pub instruction: &'a str,
    /// What was said so far.
    pub history: &'a [Utterance],
    /// What the knowledge of an interview has about the question.
    pub knowledge: &'a [KnowledgeSection],
}

impl<'a> Task<'a> {
    /// What a need of the engine asks for; nothing where it asks no model.
    pub fn of(need: &'a Need, scene: &Scene<'a>) -> Option<Self> {
        let Scene {
            machine,
            session,
            say,
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
        let (goal, utterance) = (
            here.goal.as_deref().unwrap_or_default(),
            say.unwrap_or_default(),
        );
        Some(match need {
            Need::Classify { .. } => {
                Self::Classify(ReadingTask::of(machine, session, id, utterance, history))
            }
            Need::Decide { .. } => {
                let targets = machine
                    .declared_states()
                    .map(|(id, target)| DecisionTarget {
                        state: machine.names.states.name(id),
                        goal: target.goal.as_deref().unwrap_or_default(),
                    });
                let (targets, known) = (
                    targets.collect(),
                    known(machine, session, &SlotOffer::all(machine)),
                );
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
                Self::Navigate {
                    state,
                    instruction,
                    history,
                    targets,
                    conditions,
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
                let (point, sums_up) = (asked.map(Goal::from), inquiry.summary == Some(id));
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
                Self::Phrase {
                    state,
                    about,
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

    /// The slots to fill from what was said.
    pub fn slots(&self) -> Vec<&'a str> {
        match self {
            Self::Classify(reading) => reading.slots.iter().map(|slot| slot.name).collect(),
            _ => Vec::new(),
        }
    }

    /// Where it is asked: the state, or nothing.
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

    /// What was said last by whom the answer is about; patterns of mocks look at it.
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

/// What is known, in words.
fn in_words<'a, 'v>(known: impl Iterator<Item = (&'a str, &'v Value)>) -> Vec<(&'a str, String)> {
    known
        .filter(|(_, value)| value.filled())
        .map(|(name, value)| (name, value.in_words()))
        .collect()
}

/// When a move is taken, in words: by its conditions, by its events, and by when its target is entered.
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
