//! Defaults for the scenarios in a directory: `_defaults.yaml`.

use std::path::{Component, Path, PathBuf};

use super::super::cases::{each_parameter, may_hold_placeholders};
use super::super::unreadable_parts::{UnreadableParts, has_error, misspells_setting};
use fsmsim_adapters::subject::SUBJECT;
use fsmsim_runtime::script::{FOREIGN, read_profile};
use fsmsim_syntax::diagnostic::{Code, Diagnostic, Diagnostics, FileId, Span};
use fsmsim_syntax::document::{Content, Fields, Map, Node, documents, parse_yaml};
use fsmsim_syntax::shapes;

/// The name of the file that contains the defaults for scenarios in its directory.
pub const DEFAULTS: &str = "_defaults.yaml";
/// The key whose values are merged instead of replaced.
const TAGS: &str = "tags";
/// The key of the start of a dialogue, of which only the foreign names are merged.
const START: &str = "start";
/// The prefix of a path that is relative to the file that contains it.
const RELATIVE: &str = "./";

/// The defaults for the scenarios in a directory.
#[derive(Clone, Debug, Default)]
pub(crate) struct FolderDefaults {
    keys: Map,
    /// Whether any of the files has an error.
    pub is_broken: bool,
    /// Whether an error makes the model of the scenarios, or the names that they may use, unknown.
    pub has_unknown_settings: bool,
    /// The files that define the defaults.
    pub files: Vec<FileId>,
}

/// Whether a file contains the defaults of its directory.
pub(crate) fn is_defaults(path: &Path) -> bool {
    path.file_name().is_some_and(|name| name == DEFAULTS)
}

impl FolderDefaults {
    /// Reads the text of a file in a project directory. Paths that are relative to the file become relative to the
    /// project, because the scenarios can be in subdirectories.
    pub(super) fn read(
        file: FileId,
        text: &str,
        folder: Option<&Path>,
        found: &mut Diagnostics,
    ) -> Self {
        let Some(mut keys) = read(file, text, found) else {
            return Self::unread();
        };
        // Scenarios do not report these errors again.
        let lost = UnreadableParts::remove(&mut keys, |node| has_error(node, found.items()));
        let shape = &shapes::DEFAULTS_FILE;
        let has_unknown_settings = lost.settings || misspells_setting(&keys, shape);
        keys.entries
            .retain(|(key, _)| shape.key(&key.text).is_some());
        for (key, node) in keys.entries.iter_mut().filter(|_| folder.is_some()) {
            let folder = folder.unwrap_or(Path::new(""));
            match (&*key.text, &mut node.content) {
                ("model" | "llm", _) => from_project(node, folder),
                (START, Content::Map(start)) => {
                    start
                        .entries
                        .iter_mut()
                        .for_each(|(_, node)| from_project(node, folder));
                }
                _ => {}
            }
        }
        Self {
            keys,
            is_broken: found.has_errors(),
            has_unknown_settings,
            files: vec![file],
        }
    }

    /// The defaults of a file that cannot be read.
    pub(super) fn unread() -> Self {
        Self {
            is_broken: true,
            has_unknown_settings: true,
            ..Self::default()
        }
    }

    /// Overrides these defaults with those from a subdirectory.
    pub(super) fn under(mut self, nearer: Self) -> Self {
        let mut keys = nearer.keys;
        self.lend(&mut keys);
        self.keys = keys;
        self.is_broken |= nearer.is_broken;
        self.has_unknown_settings |= nearer.has_unknown_settings;
        self.files.extend(nearer.files);
        self
    }

    /// Adds the keys that a scenario lacks. Tags and foreign names are merged.
    pub(crate) fn lend(&self, scenario: &mut Map) {
        for (key, value) in &self.keys.entries {
            match scenario
                .entries
                .iter_mut()
                .find(|(own, _)| own.text == key.text)
            {
                None => scenario.entries.push((key.clone(), value.clone())),
                Some((_, own)) if &*key.text == TAGS => add_items(own, value),
                Some((_, own)) if &*key.text == START => lend_foreign(own, value),
                Some(_) => {}
            }
        }
    }
}

/// Adds the foreign names of default settings to those of a scenario.
fn lend_foreign(start: &mut Node, defaults: &Node) {
    let names = defaults.map().and_then(|map| map.entry(FOREIGN));
    let (Content::Map(start), Some((key, names))) = (&mut start.content, names) else {
        return;
    };
    match start
        .entries
        .iter_mut()
        .find(|(own, _)| own.text == key.text)
    {
        Some((_, own)) => add_items(own, names),
        None => start.entries.push((key.clone(), names.clone())),
    }
}

/// Puts the strings of another list before those of a list, without repetition.
fn add_items(list: &mut Node, others: &Node) {
    let items = if list.is_null() { &[] } else { list.items() };
    let text_of = |item: &Node| item.text().map(str::to_owned);
    let more = items.iter().filter(|item| {
        !others
            .items()
            .iter()
            .any(|other| text_of(other) == text_of(item))
    });
    let items = others.items().iter().chain(more).cloned().collect();
    *list = Node {
        span: list.span,
        content: Content::List(items),
    };
}

fn read(file: FileId, text: &str, found: &mut Diagnostics) -> Option<Map> {
    let ranges = documents(text);
    let [range] = ranges.as_slice() else {
        let wrong = if ranges.is_empty() {
            "the file contains no defaults"
        } else {
            "expected one document with defaults, found several"
        };
        return Diagnostic::error(Code::BadDefaults, wrong)
            .at(Span::start_of(file), "start of the file")
            .help("write one map, for example `model: PATH` and `tags: [NAME]`, or remove the file")
            .refuse(found);
    };
    let node = parse_yaml(file, text.get(range.clone())?, range.start, found)?;
    let mut fields = Fields::of(&node, &shapes::DEFAULTS_FILE, found)?;
    fields.text("model");
    let profile = fields.node("profile");
    fields.texts(TAGS);
    fields.text("llm");
    fields.map(START);
    fields.map(SUBJECT);
    fields.finish();
    profile.and_then(|profile| read_profile(profile, found));
    if may_hold_placeholders(text) {
        each_parameter(&node, &mut |name, span| {
            Diagnostic::error(
                Code::BadDefaults,
                format!("cannot use the parameter `{{{{{name}}}}}` in defaults"),
            )
            .at(span, "parameter without a value")
            .help("use it in the scenarios")
            .add_to(found);
        });
    }
    let mut keys = node.into_map()?;
    keys.entries.retain(|(_, value)| !value.is_null());
    Some(keys)
}

/// Makes a path that is relative to the file that contains it relative to the project.
fn from_project(node: &mut Node, inner: &Path) {
    if let Content::Scalar(scalar) = &mut node.content
        && let Some(path) = scalar.text.strip_prefix(RELATIVE)
    {
        let mut whole = PathBuf::new();
        for part in inner.join(path).components() {
            match part {
                Component::ParentDir if whole.file_name().is_some() => {
                    whole.pop();
                }
                Component::CurDir => {}
                part => whole.push(part),
            }
        }
        scalar.text = whole.to_string_lossy().replace('\\', "/").into();
    }
}
