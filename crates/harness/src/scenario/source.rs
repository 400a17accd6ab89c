//! The source of a scenario: a document in a YAML file, a whole transcript, or a dialogue in a trace. It can also be a
//! single case of a scenario.

use std::collections::BTreeMap;
use std::ops::Range;
use std::path::Path;
use std::sync::{Arc, OnceLock};

use super::cases::{
    CASES, ParameterFiller, ParameterValues, ScenarioCase, each_parameter, may_hold_placeholders,
    read_cases,
};
use super::long_turns::LongTurns;
use super::scenario_document::ScenarioDocument;
use super::scenario_from_trace::{dialogues, is_trace, parse_recorded};
use super::shared::{
    FolderDefaults, ScenarioLoader, SharedFiles, TurnExpander, differ_by_parameter, may_use,
};
use super::transcript::{is_markdown, parse_transcript};
use super::unreadable_parts::{UnreadableParts, has_error};
use crate::limits::MAX_HELD_TURNS;
use crate::scenario::shared::TURNS;
use fsmsim_syntax::diagnostic::{Diagnostics, FileId, SourceMap, Span};
use fsmsim_syntax::document::{
    Content, LongList, Node, documents, each_placeholder, parse_long_yaml,
};

/// A scenario in its file, or a single case of it.
#[derive(Clone, Debug)]
pub struct ScenarioSource {
    pub file: FileId,
    pub path: Arc<Path>,
    /// The byte range of the document.
    pub range: Range<usize>,
    pub case: Option<Arc<ScenarioCase>>,
    /// Whether the cases are invalid, so that the scenarios in the document are unknown.
    pub has_broken_cases: bool,
    /// The document without its cases, shared by all cases.
    template: Option<Arc<Template>>,
    /// The findings about the cases, or about the text that contains them.
    faults: Option<Arc<Diagnostics>>,
    defaults: Arc<FolderDefaults>,
    files: SharedFiles,
}

/// The tree of a document, which all cases share.
#[derive(Debug)]
struct Template {
    node: Node,
    /// The number of turns in memory, if there are too many to keep all of them.
    held: Option<usize>,
    /// The node without its turns, and one turn of the first case, which stands for the turns in an outline.
    outline: OnceLock<(Node, Node)>,
    /// Whether the files or the keys of turns depend on parameters.
    differs: bool,
}

/// The first document in a file, as written.
pub(super) fn first_document(
    file: FileId,
    path: &Path,
    sources: &SourceMap,
    found: &mut Diagnostics,
) -> Option<Node> {
    let text = sources.file(file)?.text();
    let first = if is_trace(path, text) {
        dialogues(text)
    } else {
        documents(text)
    }
    .into_iter()
    .next()?;
    let part = text.get(first.clone())?;
    if is_trace(path, text) {
        return parse_recorded(file, part, first.start, found);
    }
    Some(parse_long_yaml((file, part, first.start), (TURNS, MAX_HELD_TURNS), found)?.0)
}

impl ScenarioSource {
    /// The scenarios in a file: each non-empty document in a YAML file, a whole Markdown file, or each dialogue in a
    /// trace. A scenario with cases is replaced by its cases. Also loads the files that the scenarios share.
    pub fn all(
        file: FileId,
        path: &Path,
        sources: &mut SourceMap,
        loader: &mut ScenarioLoader<'_>,
    ) -> Vec<Self> {
        let Some(source) = sources.file(file) else {
            return Vec::new();
        };
        let text = Arc::clone(source.text());
        let is_recorded = !is_markdown(path) && is_trace(path, &text);
        let ranges = if is_markdown(path) {
            std::iter::once(0..text.len()).collect()
        } else if is_recorded {
            dialogues(&text)
        } else {
            documents(&text)
        };
        let defaults = if is_recorded {
            Arc::default()
        } else {
            loader.defaults_of(path, sources)
        };
        let files = SharedFiles::default();
        let shared: Arc<Path> = path.into();
        let plain = ranges.into_iter().map(|range| Self {
            file,
            path: Arc::clone(&shared),
            range,
            case: None,
            has_broken_cases: false,
            template: None,
            faults: None,
            defaults: Arc::clone(&defaults),
            files: files.clone(),
        });
        if is_recorded || !(text.contains(CASES) || may_use(&text)) {
            return plain.collect();
        }
        plain
            .flat_map(|source| source.cases(&text, sources, loader))
            .collect()
    }

    /// The cases of a scenario, or the scenario itself if it has none. Reads all files that the scenario names.
    fn cases(
        mut self,
        text: &str,
        sources: &mut SourceMap,
        loader: &mut ScenarioLoader<'_>,
    ) -> Vec<Self> {
        let text = text.get(self.range.clone()).unwrap_or_default();
        if !text.contains(CASES) && !may_use(text) {
            return vec![self];
        }
        // If there are no cases, these findings are dropped, because the text is read again later and they are reported
        // then.
        let mut found = Diagnostics::default();
        let Some((mut node, long)) = self.tree(text, &mut found) else {
            return vec![self];
        };
        let Content::Map(map) = &mut node.content else {
            return vec![self];
        };
        let Some(cases) = map.take(CASES) else {
            self.load(&node, long, &[], sources, loader);
            return vec![self];
        };
        let mut used = BTreeMap::new();
        let mut collect = |name: &str, span: Span| {
            used.entry(name.to_owned()).or_insert(span);
        };
        each_parameter(&node, &mut collect);
        long.into_iter()
            .flat_map(LongList::rest)
            .for_each(|turn| each_placeholder(&turn, &mut collect));
        let read = match cases.text() {
            _ if found.has_errors() => None,
            None => read_cases(&cases, None, &used, &mut found),
            Some(path) => {
                loader.load_table(path, cases.span, &self.path, sources);
                match loader.files.table(path, &self.path) {
                    Some(Ok(table)) => read_cases(
                        &cases,
                        Some((*table, &sources.text(*table))),
                        &used,
                        &mut found,
                    ),
                    Some(Err(wrong)) => {
                        found.extend(wrong.clone());
                        None
                    }
                    None => None,
                }
            }
        };
        let cases: Vec<Arc<ScenarioCase>> =
            read.unwrap_or_default().into_iter().map(Arc::new).collect();
        self.load(&node, long, &cases, sources, loader);
        let turns = node.get(TURNS).map_or(&[][..], Node::items);
        self.template = Some(Arc::new(Template {
            differs: differ_by_parameter(turns) || self.files.differ_by_parameter(),
            node,
            held: long.map(|long| long.held),
            outline: OnceLock::new(),
        }));
        let mut faults = (!found.is_empty()).then(|| Arc::new(found));
        if cases.is_empty() {
            self.has_broken_cases = true;
            self.faults = faults;
            return vec![self];
        }
        // Findings that are not errors are reported only once, for the first case.
        let each = |case| Self {
            case: Some(case),
            faults: faults.take(),
            ..self.clone()
        };
        cases.into_iter().map(each).collect()
    }

    /// Reads the files with shared turns that a scenario uses.
    fn load(
        &mut self,
        node: &Node,
        long: Option<LongList<'_>>,
        cases: &[Arc<ScenarioCase>],
        sources: &mut SourceMap,
        loader: &mut ScenarioLoader<'_>,
    ) {
        let turns = node.get(TURNS).and_then(Node::list).unwrap_or_default();
        let rest: Vec<Node> = long
            .into_iter()
            .flat_map(LongList::rest)
            .filter(|turn| turn.get("use").is_some())
            .collect();
        let turns: Vec<&Node> = turns
            .iter()
            .filter(|turn| turn.get("use").is_some())
            .chain(&rest)
            .collect();
        let without = ParameterValues::default();
        let mut all = cases.iter().map(|case| &case.values);
        let mut values = all.next().unwrap_or(&without);
        while !turns.is_empty() {
            // Each iteration stops at the next file that was not read yet.
            loop {
                let mut scratch = Diagnostics::default();
                let mut expander = TurnExpander::new(&loader.files);
                let mut out = Vec::new();
                for turn in &turns {
                    let turn = ParameterFiller::new(values, &mut scratch).fill(turn);
                    expander.expand(turn, &self.path, &mut out, &mut scratch);
                }
                let Some((path, file)) = expander.unread else {
                    sources.use_again(expander.used);
                    break;
                };
                loader.load_turns(&path, &file, sources);
            }
            // Usually all cases use the same files.
            let differs = turns
                .iter()
                .any(|turn| differ_by_parameter(std::slice::from_ref(*turn)));
            match all
                .next()
                .filter(|_| differs || loader.files.differ_by_parameter())
            {
                Some(next) => values = next,
                None => break,
            }
        }
        self.files = loader.files.clone();
    }

    /// Adds the name of the case, if there is one, to the findings.
    pub fn name_case(&self, found: Diagnostics) -> Diagnostics {
        let Some(case) = &self.case else { return found };
        let mut named = Diagnostics::default();
        for finding in found.items() {
            named.push(finding.clone().note(format!("in the case [{}]", case.name)));
        }
        named
    }

    /// The start of the document, after any white space.
    pub fn start(&self, sources: &SourceMap) -> Span {
        let text = self.text(sources);
        let start = self.range.start + text.len() - text.trim_start().len();
        Span::new(self.file, start, start)
    }

    /// The scenario as a tree, including shared parts. Returns `None`, with findings, if the text cannot be read.
    pub fn document<'s>(
        &self,
        sources: &'s SourceMap,
        found: &mut Diagnostics,
    ) -> Option<ScenarioDocument<'s>> {
        self.read(false, sources, found)
    }

    /// The same tree, but all cases after the first have only one turn, because many cases with many shared turns
    /// would be millions of turns. It is enough to list the scenario, and whether it can call a provider.
    pub(crate) fn outline<'s>(
        &self,
        sources: &'s SourceMap,
        found: &mut Diagnostics,
    ) -> Option<ScenarioDocument<'s>> {
        let document = self.read(true, sources, found)?;
        if let Some(template) = self.template.as_ref().filter(|template| !template.differs)
            && let Some(turns) = document.node.get(TURNS).and_then(Node::list)
            && let Some(turn) = turns
                .iter()
                .find(|turn| is_unread_turn(turn))
                .or(turns.first())
        {
            template.outline.get_or_init(|| {
                let mut node = template.node.clone();
                if let Content::Map(map) = &mut node.content {
                    map.take(TURNS);
                }
                (node, turn.clone())
            });
        }
        Some(document)
    }

    fn read<'s>(
        &self,
        is_outline: bool,
        sources: &'s SourceMap,
        found: &mut Diagnostics,
    ) -> Option<ScenarioDocument<'s>> {
        let text = self.text(sources);
        let begin = found.items().len();
        let is_recorded = !is_markdown(&self.path) && is_trace(&self.path, text);
        let outline = self
            .template
            .as_ref()
            .filter(|_| is_outline)
            .and_then(|template| template.outline.get());
        let (mut node, long) = match (&self.template, outline) {
            (_, Some((node, _))) => (node.clone(), None),
            (Some(template), None) => {
                let long = template
                    .held
                    .map(|held| LongList::of((self.file, text, self.range.start), TURNS, held));
                (template.node.clone(), long)
            }
            (None, None) => self.tree(text, found)?,
        };
        if let Some(faults) = &self.faults {
            found.extend(Diagnostics::clone(faults));
        }
        // Documents that are not scenarios, such as flows, contain no parameters.
        let has_placeholders =
            !is_recorded && may_hold_placeholders(text) && !is_of_something_else(&node);
        let values = has_placeholders.then(|| {
            self.case
                .as_ref()
                .map(|case| case.values.clone())
                .unwrap_or_default()
        });
        // If the cases are invalid, only that error is reported, and not those that follow from it.
        let values = values.filter(|_| !self.has_broken_cases);
        if let Some(values) = &values {
            node = ParameterFiller::new(values, found).fill_scenario(&node);
        }
        let mut unreadable = UnreadableParts::default();
        let errors = found.items().get(begin..).unwrap_or_default();
        if let Content::Map(map) = &mut node.content
            && (self.has_broken_cases || !errors.is_empty())
        {
            unreadable = UnreadableParts::remove(map, |node| {
                has_error(node, errors) || self.has_broken_cases && has_placeholder(node)
            });
        }
        let mut long = long
            .filter(|_| !self.has_broken_cases)
            .map(|list| LongTurns::new(list, values, self.files.clone(), &self.path));
        if let Some(long) = long.as_mut().filter(|_| unreadable.turns) {
            let turns = node.get(TURNS).map_or(&[][..], Node::items);
            long.held = turns.len().saturating_sub(1);
        }
        let mut used_at = Vec::new();
        let errors = found.error_count();
        if let Some((_, turn)) = outline
            && let Content::Map(map) = &mut node.content
        {
            let turns = Content::List(vec![turn.clone()]);
            map.put(
                TURNS,
                Some(Node {
                    span: turn.span,
                    content: turns,
                }),
            );
        } else if !is_recorded && may_use(text) {
            used_at = self.expand(&mut node, long.as_mut(), found);
        }
        unreadable.turns |= self.has_broken_cases || !found.no_errors_since(errors);
        if let Content::Map(map) = &mut node.content {
            self.defaults.lend(map);
        }
        let is_broken = self.defaults.is_broken || unreadable.settings;
        unreadable.settings |= self.defaults.has_unknown_settings;
        Some(ScenarioDocument {
            node,
            turns: long,
            is_recorded,
            is_broken,
            unreadable,
            case: self.case.clone(),
            used_at,
            path: Arc::clone(&self.path),
        })
    }

    /// Expands shared turns. Returns, for each turn, the locations of the `use` keys by which it is included.
    fn expand(
        &self,
        node: &mut Node,
        long: Option<&mut LongTurns<'_>>,
        found: &mut Diagnostics,
    ) -> Vec<Vec<Span>> {
        let Content::Map(map) = &mut node.content else {
            return Vec::new();
        };
        let turns = map.entries.iter_mut().find(|(key, _)| &*key.text == TURNS);
        let Some(Content::List(turns)) = turns.map(|(_, turns)| &mut turns.content) else {
            return Vec::new();
        };
        let mut expander = TurnExpander::new(&self.files);
        let mut all = Vec::with_capacity(turns.len());
        let held = long.as_ref().map_or(turns.len(), |long| long.held);
        for (number, turn) in std::mem::take(turns).into_iter().enumerate() {
            if number < held {
                expander.expand(turn, &self.path, &mut all, found);
            } else {
                // The last turn in memory of a long list only marks the end of the list.
                all.push((turn, Vec::new()));
            }
        }
        if let Some(long) = long {
            long.held = all.len().saturating_sub(1);
        }
        let (nodes, places): (Vec<Node>, Vec<Vec<Span>>) = all.into_iter().unzip();
        *turns = nodes;
        places
    }

    fn tree<'t>(
        &self,
        text: &'t str,
        found: &mut Diagnostics,
    ) -> Option<(Node, Option<LongList<'t>>)> {
        if is_markdown(&self.path) {
            return Some((parse_transcript(self.file, &self.path, text, found)?, None));
        }
        if is_trace(&self.path, text) {
            return Some((
                parse_recorded(self.file, text, self.range.start, found)?,
                None,
            ));
        }
        parse_long_yaml(
            (self.file, text, self.range.start),
            (TURNS, MAX_HELD_TURNS),
            found,
        )
    }

    fn text<'s>(&self, sources: &'s SourceMap) -> &'s str {
        let text = sources.file(self.file).map(|file| &**file.text());
        text.and_then(|text| text.get(self.range.clone()))
            .unwrap_or_default()
    }
}

/// Whether a turn has an utterance that a provider must read.
pub(super) fn is_unread_turn(turn: &Node) -> bool {
    let is_absent = |key| turn.get(key).is_none();
    turn.get("say").is_some() && is_absent("intent") && is_absent("answer")
}

fn has_placeholder(node: &Node) -> bool {
    let mut is_found = false;
    each_placeholder(node, &mut |_, _| is_found = true);
    is_found
}

/// Whether a document is not a scenario, but some other file in a scenario directory.
pub(super) fn is_of_something_else(node: &Node) -> bool {
    node.map()
        .is_some_and(|map| map.get("scenario").is_none() && map.get(TURNS).is_none())
}
