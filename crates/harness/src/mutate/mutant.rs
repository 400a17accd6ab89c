//! A small change of a model, and the operators that make such changes.

use std::ops::Range;
use std::path::PathBuf;

use strum::{IntoStaticStr, VariantArray};

use crate::coverage::CoverageKind;

/// One edit of a model.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Mutant {
    pub operator: MutationOperator,
    /// The kind of counted items that the edit changes.
    pub kind: CoverageKind,
    /// The file, as the model was loaded from it.
    pub path: PathBuf,
    /// The bytes of the file to replace.
    pub span: Range<usize>,
    pub replacement: String,
}

/// A kind of edit. `docs/mutate.md` describes each.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, IntoStaticStr, VariantArray)]
#[strum(serialize_all = "snake_case")]
pub enum MutationOperator {
    AddFinal,
    ChangeAction,
    ChangeAnswer,
    ChangeCarryover,
    ChangeCount,
    ChangeHistory,
    ChangeJoin,
    ChangeLimit,
    ChangeMark,
    ChangePhase,
    ChangePriority,
    ChangeValue,
    DropAlternative,
    DropAside,
    DropBranch,
    DropCarryover,
    DropCategoryIntent,
    DropClass,
    DropClassIntent,
    DropClear,
    DropCondition,
    DropCount,
    DropCriterion,
    DropDependency,
    DropDestination,
    DropEffect,
    DropEntryAction,
    DropEverywhereExcept,
    DropExample,
    DropForbids,
    DropGate,
    DropHandledIntent,
    DropHistory,
    DropInitial,
    DropJoin,
    DropLimit,
    DropMessage,
    DropMixin,
    DropNodeRead,
    DropNodeWrite,
    DropOptionalSlot,
    DropOutcome,
    DropPart,
    DropPayload,
    DropPhrase,
    DropPhraseSlot,
    DropPreserves,
    DropPriority,
    DropPromise,
    DropQuestion,
    DropReply,
    DropRequiredSlot,
    DropRequires,
    DropRule,
    DropSet,
    DropSlotType,
    DropSlotValue,
    DropTransition,
    DropValue,
    FlipComparison,
    NegateCondition,
    NegatePart,
    RedirectTransition,
    ReplaceAndOr,
    ShiftBound,
    SwapAlternatives,
    SwapPhases,
    SwapPriorities,
    ToggleFinal,
    ToggleFlag,
    ToggleTest,
}

impl Mutant {
    /// The text of the file with the edit; `None` if the file does not contain the span.
    pub fn applied(&self, text: &str) -> Option<String> {
        let (before, after) = (text.get(..self.span.start)?, text.get(self.span.end..)?);
        Some([before, &self.replacement, after].concat())
    }
}

impl MutationOperator {
    /// The name in reports.
    pub fn name(self) -> &'static str {
        self.into()
    }
}
