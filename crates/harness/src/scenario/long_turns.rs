//! Turns of a scenario with too many turns to keep in memory.

use std::path::{Path, PathBuf};

use super::cases::{ParameterFiller, ParameterValues};
use super::shared::{ExpandedTurn, SharedFiles, TurnExpander};
use fsmsim_syntax::diagnostic::Diagnostics;
use fsmsim_syntax::document::LongList;

/// The turns of a scenario that are not kept in its document. Each iteration reads them again.
#[derive(Clone, Debug)]
pub struct LongTurns<'t> {
    list: LongList<'t>,
    /// The number of turns, from the start of the list, that the document contains.
    pub(super) held: usize,
    /// The parameter values, if the turns contain placeholders.
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

    /// The turns that the document does not contain, with shared turns expanded. Each item contains the turns that
    /// replace one written turn, and the findings about it.
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
            if found.has_errors() {
                return (turns, found);
            }
            expander.expand(turn, &self.file, &mut turns, &mut found);
            (turns, found)
        })
    }

    /// The turns that the document does not contain. Findings about them were reported when the turns were first read.
    pub(super) fn rest(&self) -> impl Iterator<Item = ExpandedTurn> {
        self.rest_with_findings().flat_map(|(turns, _)| turns)
    }
}
