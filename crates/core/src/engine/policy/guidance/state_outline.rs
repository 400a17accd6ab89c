//! How the text of a state is laid out: what the rules of good states are held against. Playing needs none of it.

use crate::machine::{SlotId, StateId};
use fsmsim_syntax::diagnostic::Span;

/// How the text of a state is laid out, where it is written in sections.
#[derive(Clone, Debug, Default)]
pub struct StateOutline {
    /// The goals, each where it stands. One is enough (docs/markdown.md, "Rules of good states").
    pub goals: Box<[Span]>,
    /// The states that the steps name as somewhere to go; each once, where it first stands.
    pub leads: Box<[(StateId, Span)]>,
    /// The states of which the steps say that they load data.
    pub loaders: Box<[StateId]>,
    /// The data that the state asks for by its own word.
    pub asks: Box<[DataRequest]>,
}

/// A piece of data that a state asks for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DataRequest {
    /// The data.
    pub slot: SlotId,
    /// Where it is asked for.
    pub span: Span,
    /// Whether the text of the state names it too.
    pub named: bool,
}
