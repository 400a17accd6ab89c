//! What the scenarios of a folder have in common: `_defaults.yaml`.

use std::path::Path;

use crate::diagnostic::{Code, Diagnostic, Diagnostics, FileId, Span};
use crate::document::{Content, Fields, Map, Node, documents, parse_yaml};
use crate::script::read_profile;

/// The name of the file.
pub(in crate::scenario) const DEFAULTS: &str = "_defaults.yaml";
/// The key whose values add up.
const TAGS: &str = "tags";
/// How a path begins that starts beside its file.
const BESIDE: &str = "./";

/// What the scenarios of a folder have in common.
#[derive(Clone, Debug, Default)]
pub(in crate::scenario) struct FolderDefaults {
    keys: Map,
    /// Something in it cannot be used.
    pub(in crate::scenario) is_broken: bool,
}

/// Whether a file holds the defaults of its folder.
pub(in crate::scenario) fn is_defaults(path: &Path) -> bool {
    path.file_name().is_some_and(|name| name == DEFAULTS)
}

impl FolderDefaults {
    /// Reads the text of a file.
    pub(super) fn read(file: FileId, text: &str, found: &mut Diagnostics) -> Self {
        let errors = found.error_count();
        let keys = read(file, text, found).unwrap_or_default();
        Self { keys, is_broken: found.error_count() > errors }
    }

    /// Those of a file that cannot be read.
    pub(super) fn unread() -> Self {
        Self { is_broken: true, ..Self::default() }
    }

    /// The same for a folder in this one: paths that start beside the file start one folder further away.
    pub(super) fn one_deeper(&self) -> Self {
        let mut deeper = self.clone();
        for (key, node) in &mut deeper.keys.entries {
            match (&*key.text, &mut node.content) {
                ("model" | "llm", _) => step_out(node),
                ("start", Content::Map(start)) => start.entries.iter_mut().for_each(|(_, node)| step_out(node)),
                _ => {}
            }
        }
        deeper
    }

    /// The same laid over by what stands nearer.
    pub(super) fn under(mut self, nearer: Self) -> Self {
        let mut keys = nearer.keys;
        self.lend(&mut keys);
        self.keys = keys;
        self.is_broken |= nearer.is_broken;
        self
    }

    /// Gives a scenario the keys that it has not itself; tags add up.
    pub(in crate::scenario) fn lend(&self, scenario: &mut Map) {
        for (key, value) in &self.keys.entries {
            match scenario.entries.iter_mut().find(|(own, _)| own.text == key.text) {
                None => scenario.entries.push((key.clone(), value.clone())),
                Some((_, own)) if &*key.text == TAGS => {
                    let own_items = if own.is_null() { &[] } else { own.items() };
                    let text_of = |item: &Node| item.text().map(str::to_owned);
                    let more = own_items
                        .iter()
                        .filter(|item| !value.items().iter().any(|other| text_of(other) == text_of(item)));
                    let items = value.items().iter().chain(more).cloned().collect();
                    *own = Node { span: own.span, content: Content::List(items) };
                }
                Some(_) => {}
            }
        }
    }
}

fn read(file: FileId, text: &str, found: &mut Diagnostics) -> Option<Map> {
    let ranges = documents(text);
    let [range] = ranges.as_slice() else {
        let wrong = if ranges.is_empty() { "the file says nothing" } else { "the file has several documents" };
        return Diagnostic::error(Code::BadDefaults, wrong)
            .at(Span::start_of(file), "this file")
            .help("write a map: `model: PATH`, `tags: [NAME]`; or remove the file")
            .refuse(found);
    };
    let node = parse_yaml(file, text.get(range.clone())?, range.start, found)?;
    let mut fields = Fields::open(&node, "`_defaults.yaml`", found)?;
    fields.text("model");
    let profile = fields.node("profile");
    fields.node("signals");
    fields.texts(TAGS);
    fields.text("llm");
    fields.map("start");
    fields.finish();
    profile.and_then(|profile| read_profile(profile, found));
    if super::super::cases::may_hold_placeholders(text) {
        super::super::cases::each_placeholder(&node, &mut |name, span| {
            Diagnostic::error(
                Code::BadDefaults,
                format!("`{{{{{name}}}}}` stands in defaults, which have no parameters"),
            )
            .at(span, "nobody gives it")
            .help("write it in the scenarios")
            .add_to(found);
        });
    }
    let mut keys = node.into_map()?;
    keys.entries.retain(|(_, value)| !value.is_null());
    Some(keys)
}

/// A path beside its file, as a file in a folder further in names it.
fn step_out(node: &mut Node) {
    if let Content::Scalar(scalar) = &mut node.content
        && let Some(path) = scalar.text.strip_prefix(BESIDE)
    {
        scalar.text = format!("{BESIDE}../{path}").into();
    }
}
