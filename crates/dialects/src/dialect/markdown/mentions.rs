//! Collects the locations of state names in the texts of a set: declarations, targets, names in backticks and after
//! arrows, and the front matter.

use std::collections::BTreeSet;

use super::draft::{StateDraft, StateSet};
use super::layout::{CALL, in_word};
use super::plain::{ARROWS, NamedText, clean};
use super::targets::Targets;
use fsmsim_core::engine::policy::guidance::StateMention;
use fsmsim_core::machine::{Names, StateId};
use fsmsim_syntax::diagnostic::{Diagnostics, SourceMap, Span};

/// A collector of state mentions.
struct MentionReader<'r, 's> {
    targets: &'r mut Targets<'s>,
    ids: &'r Names<StateId>,
    sources: &'r SourceMap,
    /// The keys of data. In backticks, such a word refers to the data.
    data: BTreeSet<&'s str>,
    mentions: Vec<StateMention>,
}

/// The mentions of states, in the order of the files. `ids` are the states by name.
pub(super) fn mentions<'s>(
    set: &'s StateSet,
    targets: &mut Targets<'s>,
    ids: &Names<StateId>,
    sources: &SourceMap,
) -> Box<[StateMention]> {
    let data = set.states.iter().flat_map(StateDraft::data);
    let mut reader = MentionReader {
        targets,
        ids,
        sources,
        data: data.map(|name| &*name.text).collect(),
        mentions: Vec::new(),
    };
    let base = &set.base;
    for name in [&base.initial, &base.consent, &base.no_data_state]
        .into_iter()
        .flatten()
        .chain(base.limits.iter().flat_map(|limit| &limit.states))
    {
        reader.name(name, false);
    }
    base.quoted.iter().for_each(|name| reader.quoted(name));
    set.states.iter().for_each(|draft| reader.state(draft));
    let mut mentions = reader.mentions;
    // Declarations come first, so that they are preferred to other mentions at the same location.
    mentions.sort_by_key(|mention| {
        (
            mention.span.file,
            mention.span.start,
            mention.span.end,
            !mention.is_name,
        )
    });
    mentions.dedup_by_key(|mention| mention.span);
    mentions.into()
}

impl<'s> MentionReader<'_, 's> {
    fn state(&mut self, draft: &'s StateDraft) {
        self.name(&draft.name, true);
        for (_, target) in draft.targets() {
            // Unknown targets were reported when the transitions were resolved.
            for place in self.targets.resolve(target, &mut Diagnostics::default()) {
                self.words(place, target.name.span);
            }
        }
        let Some(layout) = &draft.layout else { return };
        // A heading can repeat the name in the front matter.
        if let Some(called) = &layout.called
            && called.text == draft.name.text
        {
            self.name(called, true);
        }
        for lead in &layout.named {
            if let Some(place) = self.targets.place(&lead.text) {
                self.words(place, lead.span);
            }
        }
        layout.quoted.iter().for_each(|name| self.quoted(name));
    }

    /// Adds the names in a text in backticks: a state name that is not a key of data, or a tool call with a state name.
    fn quoted(&mut self, name: &NamedText) {
        if name.text.contains(CALL) {
            for word in name.text.split(|c| !in_word(c)) {
                if let Some(place) = self.targets.place(word) {
                    self.words(place, name.span);
                }
            }
        } else if !self.data.contains(&*name.text)
            && let Some(place) = self.targets.place(clean(&name.text))
        {
            self.words(place, name.span);
        }
    }

    /// Adds the name of a state in its declaration or in a setting. A state that is named after its file has no
    /// location.
    fn name(&mut self, name: &NamedText, is_name: bool) {
        let Some(place) = self.targets.place(&name.text) else {
            return;
        };
        let written = self.sources.slice(name.span);
        // In a heading, the name follows the word "state" and a punctuation mark.
        let mark = written.find([':', '—', '–', '-', '`']).unwrap_or(0);
        let at = written
            .get(mark..)
            .unwrap_or_default()
            .find(&*name.text)
            .map(|at| mark + at)
            .or_else(|| written.find(&*name.text));
        if let Some(at) = at {
            self.add(place, name.span, at..at + name.text.len(), is_name);
        }
    }

    /// Adds the occurrences of a name as a separate word in a text. If some occurrences follow an arrow, adds only
    /// these.
    fn words(&mut self, place: usize, span: Span) {
        let sources = self.sources;
        let name = self.targets.name(place);
        if name.is_empty() {
            return;
        }
        let written = sources.slice(span);
        let is_free = |at: &usize| {
            let before = written
                .get(..*at)
                .and_then(|before| before.chars().next_back());
            let after = written
                .get(at + name.len()..)
                .and_then(|after| after.chars().next());
            // A hyphen can belong to an arrow, so it is not a part of the word.
            let joins = |c: Option<char>| c.is_some_and(|c| c != '-' && in_word(c));
            !joins(before) && !joins(after) && !follows_hyphen(written, *at)
        };
        let found: Vec<usize> = written
            .match_indices(name)
            .map(|(at, _)| at)
            .filter(is_free)
            .collect();
        let arrow = ARROWS
            .iter()
            .filter_map(|arrow| written.rfind(arrow))
            .max()
            .unwrap_or(0);
        let after_arrow = found.iter().filter(|at| **at >= arrow).count();
        for at in found.iter().skip(if after_arrow > 0 {
            found.len() - after_arrow
        } else {
            0
        }) {
            self.add(place, span, *at..at + name.len(), false);
        }
    }

    fn add(&mut self, place: usize, span: Span, at: std::ops::Range<usize>, is_name: bool) {
        let Some(state) = self.ids.id(self.targets.name(place)) else {
            return;
        };
        let start = span.start as usize;
        let span = Span::new(span.file, start + at.start, start + at.end);
        self.mentions.push(StateMention {
            state,
            span,
            is_name,
        });
    }
}

/// Whether a hyphen joins the text at an offset with the word before it.
fn follows_hyphen(text: &str, at: usize) -> bool {
    let before = text.get(..at).and_then(|before| before.strip_suffix('-'));
    before
        .and_then(|before| before.chars().next_back())
        .is_some_and(char::is_alphanumeric)
}
