//! The questions of a search, and their answers.

use strum::{IntoStaticStr, VariantArray};

use super::bounds::SearchBound;
use super::witness::Witness;
use fsmsim_core::machine::RuleId;

/// A question about all dialogues of a model.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, IntoStaticStr, VariantArray)]
#[strum(serialize_all = "snake_case")]
pub enum SearchQuestion {
    /// A state that no dialogue reaches.
    UnreachableState,
    /// A final state that no dialogue reaches.
    UnreachableFinalState,
    /// A transition or an answer that no dialogue takes.
    UnreachableTransition,
    /// A point of an interview that no dialogue asks about.
    UnaskedPoint,
    /// A state that no input leaves.
    DeadEnd,
    /// A state that a user who fills its slots and takes its transitions never leaves.
    EndlessQuestion,
    /// States from which no final state can be reached.
    Trap,
    /// A reply with a slot that can be missing.
    MissingSlot,
    /// An effect on the user's data without consent.
    NoConsent,
    /// An effect without gates on the data of an effect with gates.
    BypassedGate,
    /// Knowledge that an agent shares before it is validated.
    UnvalidatedKnowledge,
    /// A counter that reaches its limit.
    ExceededLimit,
    /// A rule of the contract that a dialogue violates.
    ContractViolation,
    /// Two classes of the contract that match one turn.
    ContradictoryRules,
    /// A property of the model.
    Property,
}

impl SearchQuestion {
    /// The questions that are asked of every model.
    pub fn of_every_model() -> impl Iterator<Item = Self> {
        Self::VARIANTS
            .iter()
            .copied()
            .filter(|question| *question != Self::Property)
    }

    /// The name in reports and settings.
    pub fn name(self) -> &'static str {
        self.into()
    }

    /// The question with this name.
    pub fn from_name(name: &str) -> Option<Self> {
        let mut all = Self::VARIANTS.iter().copied();
        all.find(|question| question.name() == name)
    }

    /// Whether each problem of the other kind is also a problem of this kind: no final state can be reached from a dead
    /// end, for example.
    pub fn includes(self, other: Self) -> bool {
        self == other
            || matches!(
                (self, other),
                (Self::UnreachableState, Self::UnreachableFinalState) | (Self::Trap, Self::DeadEnd)
            )
    }

    /// The name of the demand that no dialogue has the problem, as in `--require`. Properties have names of their own.
    pub fn requirement(self) -> String {
        let name = match self {
            Self::UnreachableState => "every-state-reachable",
            Self::UnreachableFinalState => "every-final-state-reachable",
            Self::UnreachableTransition => "every-transition-reachable",
            Self::Trap => "always-a-way-out",
            Self::NoConsent => "no-effect-without-consent",
            other => return format!("no-{}", other.name().replace('_', "-")),
        };
        name.to_owned()
    }
}

/// The answer to a question.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SearchVerdict {
    /// The model has no such problem in any dialogue.
    Proved,
    /// The model has the problem.
    Found,
    /// The search found no problem, but it does not cover all dialogues: a bound was reached.
    WithinBound(SearchBound),
    /// The search found no problem, but it does not represent all values; contains the reason.
    WithinValues(Box<str>),
}

/// An answer, with the dialogue that shows it.
#[derive(Clone, Debug)]
pub struct SearchFinding {
    pub question: SearchQuestion,
    /// The state, transition, slot or property; empty if the answer is about the whole model.
    pub subject: String,
    pub verdict: SearchVerdict,
    /// The shortest dialogue that shows the problem.
    pub witness: Option<Witness>,
    /// The index of the first turn that repeats for ever.
    pub repeats: Option<usize>,
    /// The location of the subject.
    pub rule: Option<RuleId>,
    /// Whether the engine played the dialogue with the same result.
    pub is_played: bool,
    /// The number of states that were visited for this answer alone, and of their turns.
    pub visited: Option<(usize, u64)>,
    /// The reason why the project accepts the problem.
    pub accepted: Option<String>,
    /// Whether the answer counts for the result of the search. All answers count unless some are required.
    pub is_required: bool,
}

impl SearchFinding {
    pub(crate) fn new(
        question: SearchQuestion,
        subject: impl Into<String>,
        verdict: SearchVerdict,
    ) -> Self {
        Self {
            question,
            subject: subject.into(),
            verdict,
            witness: None,
            repeats: None,
            rule: None,
            is_played: true,
            visited: None,
            accepted: None,
            is_required: true,
        }
    }

    /// Whether the answer is a problem that fails the search.
    pub fn fails(&self) -> bool {
        self.verdict == SearchVerdict::Found && self.counts()
    }

    /// Whether a bound left a question open that counts.
    pub fn is_open(&self) -> bool {
        matches!(self.verdict, SearchVerdict::WithinBound(_)) && self.counts()
    }

    fn counts(&self) -> bool {
        self.is_required && self.accepted.is_none()
    }

    pub(crate) fn shown(self, witness: Witness) -> Self {
        Self {
            witness: Some(witness),
            ..self
        }
    }
}

impl SearchQuestion {
    /// The problem, as a clause.
    pub fn problem(self, subject: &str) -> String {
        match self {
            Self::UnreachableState => format!("state `{subject}` is unreachable"),
            Self::UnreachableFinalState => format!("final state `{subject}` is unreachable"),
            Self::UnreachableTransition => format!("`{subject}` is never taken"),
            Self::UnaskedPoint => format!("no dialogue asks about the point `{subject}`"),
            Self::DeadEnd => format!("no input leaves the state `{subject}`"),
            Self::EndlessQuestion => {
                format!("no data and no transition leaves the state `{subject}`")
            }
            Self::Trap => format!("no final state can be reached from `{subject}`"),
            Self::MissingSlot => format!("the reply to `{subject}` needs a slot that is missing"),
            Self::NoConsent => format!("effect `{subject}` is performed without consent"),
            Self::BypassedGate => {
                format!("effect `{subject}` changes data without the gates of another effect")
            }
            Self::UnvalidatedKnowledge => {
                format!("effect `{subject}` shares knowledge without validation")
            }
            Self::ExceededLimit => format!("counter `{subject}` exceeds its limit"),
            Self::ContractViolation => format!("a dialogue has the violation `{subject}`"),
            Self::ContradictoryRules => format!("the classes `{subject}` match the same turn"),
            Self::Property => format!("property `{subject}` does not hold"),
        }
    }

    /// The answer if there is no such problem, as a clause.
    pub fn absence(self, subject: &str) -> String {
        let text = match self {
            Self::UnreachableState => "every state is reachable",
            Self::UnreachableFinalState => "every final state is reachable",
            Self::UnreachableTransition => "every transition can be taken",
            Self::UnaskedPoint => "every point is asked about",
            Self::DeadEnd => "an input leaves every state",
            Self::EndlessQuestion => "every question can be answered",
            Self::Trap => "the dialogue can always end",
            Self::MissingSlot => "every reply has its slots",
            Self::NoConsent => "every effect on the user's data has consent",
            Self::BypassedGate => "no effect bypasses the gates of another effect",
            Self::UnvalidatedKnowledge => "shared knowledge is validated",
            Self::ExceededLimit => "no counter exceeds its limit",
            Self::ContractViolation => "no dialogue violates the contract",
            Self::ContradictoryRules => "no turn matches two classes",
            Self::Property => return format!("property `{subject}` holds"),
        };
        text.to_owned()
    }
}
