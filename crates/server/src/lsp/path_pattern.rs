//! Path patterns of the name tables, compiled, and how far a path has come in them.

use std::collections::BTreeMap;

use smallvec::SmallVec;

use super::file_format::FileFormat;
use super::name_table::{NameRow, tables};
use super::named_kind::{NamedKind, NamedRole};
use fsmsim_syntax::threads::Mutex;

/// A step of a pattern.
#[derive(Clone, Debug, PartialEq, Eq)]
enum PatternStep {
    /// One of these keys.
    Keys(Vec<&'static str>),
    /// The same, or nothing.
    Perhaps(Vec<&'static str>),
    /// Any key.
    Any,
    /// Any number of keys.
    Deep,
    /// The key is a name.
    Name,
}

/// A pattern, and what the names are that fit.
#[derive(Debug)]
struct PathPattern {
    steps: Vec<PatternStep>,
    kind: NamedKind,
    role: NamedRole,
}

/// The patterns of a format.
#[derive(Debug)]
pub(super) struct PathPatterns {
    patterns: Vec<PathPattern>,
}

/// How far a path has come: patterns that still may fit, each with its next step.
pub(super) type PathProgress = SmallVec<[(u16, u8); 24]>;

impl PathPatterns {
    /// The patterns of a format. They are compiled once.
    pub(super) fn of(format: FileFormat) -> &'static Self {
        static KNOWN: Mutex<BTreeMap<FileFormat, &'static PathPatterns>> =
            Mutex::new(BTreeMap::new());
        let mut known = KNOWN.lock();
        // There are as many as there are formats, so that none is ever given back.
        known
            .entry(format)
            .or_insert_with(|| Box::leak(Box::new(Self::compile(format))))
    }

    fn compile(format: FileFormat) -> Self {
        let tables = tables(format).iter();
        let rows = tables
            .flat_map(|(below, table)| table.iter().map(|row| PathPattern::parse(*below, row)));
        Self {
            patterns: rows.collect(),
        }
    }

    /// The beginning of all paths.
    pub(super) fn begin(&self) -> PathProgress {
        let mut at = PathProgress::new();
        for number in 0..self.patterns.len() {
            self.reach(&mut at, number, 0);
        }
        at
    }

    /// A pattern has come to a step; steps that may be left out are passed over, too.
    fn reach(&self, at: &mut PathProgress, number: usize, step: usize) {
        let (Ok(short), Ok(place)) = (u16::try_from(number), u8::try_from(step)) else {
            return;
        };
        if !at.contains(&(short, place)) {
            at.push((short, place));
        }
        let next = self
            .patterns
            .get(number)
            .and_then(|pattern| pattern.steps.get(step));
        if matches!(next, Some(PatternStep::Deep | PatternStep::Perhaps(_))) {
            self.reach(at, number, step + 1);
        }
    }

    /// Behind a key.
    pub(super) fn enter(&self, at: &PathProgress, key: &str) -> PathProgress {
        let mut inside = PathProgress::new();
        for (number, step) in at
            .iter()
            .map(|(number, step)| (usize::from(*number), usize::from(*step)))
        {
            match self
                .patterns
                .get(number)
                .and_then(|pattern| pattern.steps.get(step))
            {
                Some(PatternStep::Any) => self.reach(&mut inside, number, step + 1),
                Some(PatternStep::Deep) => self.reach(&mut inside, number, step),
                Some(PatternStep::Keys(keys) | PatternStep::Perhaps(keys))
                    if keys.contains(&key) =>
                {
                    self.reach(&mut inside, number, step + 1);
                }
                Some(PatternStep::Keys(_) | PatternStep::Perhaps(_) | PatternStep::Name) | None => {
                }
            }
        }
        inside
    }

    /// What a key here names.
    pub(super) fn key(&self, at: &PathProgress) -> Option<(NamedKind, NamedRole)> {
        self.first(at, |pattern, step| {
            pattern.steps.get(step) == Some(&PatternStep::Name)
        })
    }

    /// What a value here names.
    pub(super) fn value(&self, at: &PathProgress) -> Option<(NamedKind, NamedRole)> {
        self.first(at, |pattern, step| step == pattern.steps.len())
    }

    /// The first pattern of the table that fits.
    fn first(
        &self,
        at: &PathProgress,
        fits: impl Fn(&PathPattern, usize) -> bool,
    ) -> Option<(NamedKind, NamedRole)> {
        let fitting = at.iter().filter(|(number, step)| {
            self.patterns
                .get(usize::from(*number))
                .is_some_and(|pattern| fits(pattern, usize::from(*step)))
        });
        let pattern = self
            .patterns
            .get(usize::from(fitting.map(|(number, _)| *number).min()?))?;
        Some((pattern.kind, pattern.role))
    }
}

impl PathPattern {
    fn parse(below: Option<&'static str>, (path, kind, role): &NameRow) -> Self {
        let keys = |text: &'static str| text.split('|').collect();
        let steps = below
            .into_iter()
            .chain(path.split('/'))
            .map(|step| match step {
                "*" => PatternStep::Any,
                "**" => PatternStep::Deep,
                "@" => PatternStep::Name,
                step => match step.strip_suffix('?') {
                    Some(step) => PatternStep::Perhaps(keys(step)),
                    None => PatternStep::Keys(keys(step)),
                },
            });
        Self {
            steps: steps.collect(),
            kind: *kind,
            role: *role,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use NamedKind::{Category, Condition, Intent, Phase, Slot, State};

    #[test]
    fn paths_say_what_stands_there() {
        let kinds = |format: FileFormat, path: &str| {
            let patterns = PathPatterns::of(format);
            let at = path
                .split('/')
                .filter(|key| !key.is_empty())
                .fold(patterns.begin(), |at, key| patterns.enter(&at, key));
            (
                patterns.key(&at).map(|(kind, _)| kind),
                patterns.value(&at).map(|(kind, _)| kind),
            )
        };
        for (format, path, key, value) in [
            (FileFormat::Flow, "states", Some(State), None),
            (
                FileFormat::States,
                "states/a/transitions",
                Some(Intent),
                None,
            ),
            (
                FileFormat::States,
                "states/a/transitions/b",
                None,
                Some(State),
            ),
            (
                FileFormat::States,
                "states/a/transitions/b/then",
                None,
                Some(State),
            ),
            (
                FileFormat::States,
                "states/a/transitions/b/when",
                None,
                Some(Condition),
            ),
            (
                FileFormat::States,
                "states/a/transitions/b/when/and/slot",
                None,
                Some(Slot),
            ),
            (FileFormat::Flow, "flow/phases/order", None, Some(Phase)),
            (FileFormat::Flow, "phases/order", None, Some(Phase)),
            (
                FileFormat::Constants,
                "intents/categories",
                Some(Category),
                None,
            ),
            (
                FileFormat::Constants,
                "intents/categories/price",
                None,
                Some(Intent),
            ),
            (
                FileFormat::Flow,
                "constants/intents/categories/price",
                None,
                Some(Intent),
            ),
            (
                FileFormat::Scenario,
                "turns/expect/state",
                None,
                Some(State),
            ),
            (
                FileFormat::Scenario,
                "turns/expect/state/any",
                None,
                Some(State),
            ),
            (FileFormat::Scenario, "end/data", Some(Slot), None),
            (FileFormat::Scenario, "turns/say", None, None),
            (FileFormat::Other, "states", None, None),
        ] {
            assert_eq!(kinds(format, path), (key, value), "{path}");
        }
    }
}
