//! Selects sections from the knowledge of an interview for providers that phrase its questions.

#[cfg(feature = "sqlite")]
use crate::limits::{MAX_SECTION, MAX_SECTIONS};
use fsmsim_core::engine::Machine;
use fsmsim_core::engine::policy::inquiry::KnowledgeSection;
use fsmsim_core::machine::StateId;

/// The sections most similar to the question of a state and to the last utterance, truncated for a prompt.
#[cfg(feature = "sqlite")]
pub(super) fn knowledge_for(
    machine: &Machine,
    state: StateId,
    said: Option<&str>,
) -> Vec<KnowledgeSection> {
    let inquiry = machine.policies.inquiry();
    let Some(inquiry) = inquiry.filter(|inquiry| !inquiry.knowledge.is_empty()) else {
        return Vec::new();
    };
    let Some(point) = inquiry.point_of(state) else {
        return Vec::new();
    };
    let looked_for: Vec<&str> = [&*point.name, &*point.about]
        .into_iter()
        .chain(point.hints.iter().map(|hint| &**hint))
        .chain(said)
        .collect();
    held::nearest(&inquiry.knowledge, &looked_for, MAX_SECTIONS)
        .into_iter()
        .filter_map(|number| inquiry.knowledge.get(number))
        .map(shortened)
        .collect()
}

/// This build cannot search. A finding reported this when the interview was loaded.
#[cfg(not(feature = "sqlite"))]
pub(super) fn knowledge_for(_: &Machine, _: StateId, _: Option<&str>) -> Vec<KnowledgeSection> {
    Vec::new()
}

#[cfg(feature = "sqlite")]
fn shortened(section: &KnowledgeSection) -> KnowledgeSection {
    let cut = |text: &str| fsmsim_syntax::terminal::shortened(text, MAX_SECTION).into();
    KnowledgeSection {
        title: cut(&section.title),
        text: cut(&section.text),
    }
}

/// Caches the index of the knowledge that was searched last. Each thread has its own cache, because a connection
/// belongs to one thread.
#[cfg(feature = "sqlite")]
mod held {
    use std::cell::RefCell;
    use std::sync::Arc;

    use super::KnowledgeSection;
    use fsmsim_adapters::stores::KnowledgeIndex;

    type Held = (Arc<[KnowledgeSection]>, Option<KnowledgeIndex>);

    thread_local! {
        static HELD: RefCell<Option<Held>> = const { RefCell::new(None) };
    }

    /// The numbers of the sections most similar to the texts. Empty if the search fails.
    pub(super) fn nearest(
        sections: &Arc<[KnowledgeSection]>,
        looked_for: &[&str],
        most: u32,
    ) -> Vec<usize> {
        HELD.with_borrow_mut(|held| {
            let (known, index) = match held.take() {
                Some((known, index)) if Arc::ptr_eq(&known, sections) => (known, index),
                _ => {
                    let texts = sections
                        .iter()
                        .map(|section| (&*section.title, &*section.text));
                    (Arc::clone(sections), KnowledgeIndex::new(texts).ok())
                }
            };
            let found = index
                .as_ref()
                .map(|index| index.nearest(looked_for, most))
                .unwrap_or_default();
            *held = Some((known, index));
            found
        })
    }
}
