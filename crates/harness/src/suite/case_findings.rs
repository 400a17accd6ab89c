//! What is found in cases: each says in which, and what is the same in many is told once.

use std::borrow::Cow;
use std::collections::BTreeSet;

use crate::scenario::ScenarioResult;
use fsmsim_syntax::diagnostic::{Code, Diagnostics, SourceMap};

/// What was found in cases so far.
#[derive(Debug, Default)]
pub(super) struct CaseFindings {
    told: BTreeSet<(Code, String, String)>,
}

impl CaseFindings {
    /// What is to be told of a scenario. Findings in a case say in which; what was told of another case is left out.
    pub(super) fn of<'r>(
        &mut self,
        result: &'r ScenarioResult,
        sources: &SourceMap,
    ) -> Cow<'r, Diagnostics> {
        let Some(case) = &result.case else {
            return Cow::Borrowed(&result.found);
        };
        let mut found = Diagnostics::default();
        for finding in result.found.items() {
            if self.told.insert(sources.identity(finding)) {
                let place = result
                    .case_place
                    .as_ref()
                    .map(|place| format!(", {place}"))
                    .unwrap_or_default();
                found.push(finding.clone().note(format!("in the case [{case}]{place}")));
            }
        }
        Cow::Owned(found)
    }
}
