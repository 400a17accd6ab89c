//! The turns of a scenario that are too many to be held.

use std::path::{Path, PathBuf};

use super::cases::{ParameterFiller, ParameterValues};
use super::shared::{ExpandedTurn, SharedFiles, TurnExpander};
use fsmsim_syntax::diagnostic::Diagnostics;
use fsmsim_syntax::document::LongList;

/// The turns of a scenario that its document does not hold: they are read anew by whoever goes through them.
#[derive(Clone, Debug)]
pub struct LongTurns<'t> {
    list: LongList<'t>,
    /// How many turns, the first ones, the document holds.
    pub(super) held: usize,
    /// The values of the parameters, where they have placeholders.
    values: Option<ParameterValues>,
    files: SharedFiles,
    file: PathBuf,
}

impl<'t> LongTurns<'t> {
    pub(super) fn new(
        list: LongList<'t>,
        values: Option<ParameterValues>,
        files: SharedFiles,
        file: &Path,
    ) -> Self {
        Self {
            held: list.held,
            list,
            values,
            files,
            file: file.to_path_buf(),
        }
    }

    /// The turns that the document does not hold, shared ones in the places where they are used; and behind those of a turn
    /// what is wrong with it.
    pub(super) fn rest_with_findings(
        &self,
    ) -> impl Iterator<Item = (Vec<ExpandedTurn>, Diagnostics)> {
        let mut expander = TurnExpander::new(&self.files);
        self.list.rest().map(move |turn| {
            let mut found = Diagnostics::default();
            let turn = match &self.values {
                Some(values) => ParameterFiller::new(values, &mut found).fill(&turn),
                None => turn,
            };
            let mut turns = Vec::with_capacity(1);
            expander.expand(turn, &self.file, &mut turns, &mut found);
            (turns, found)
        })
    }

    /// The turns that the document does not hold. What is wrong with them was told when they were read first.
    pub(super) fn rest(&self) -> impl Iterator<Item = ExpandedTurn> {
        self.rest_with_findings().flat_map(|(turns, _)| turns)
    }
}
