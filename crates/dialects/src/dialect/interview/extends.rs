//! Interviews that extend another one: `extends: FILE` and `without: [POINT]`.

use std::borrow::Cow;
use std::path::{Component, Path};

use fsmsim_syntax::diagnostic::{Code, Diagnostic, Diagnostics, SourceMap};
use fsmsim_syntax::document::{
    Content, DEFINITION_LIMIT, Key, Map, Node, read_yaml, text_of, texts_of,
};

/// Keys that the merged interview does not contain.
const EXTENDS: &str = "extends";
const WITHOUT: &str = "without";
const POINTS: &str = "points";

/// Merges an interview with the interview that it extends. Its own keys take precedence. Points are merged, except
/// points under `without`. Returns `None`, with findings, if the extended interview is invalid.
pub(super) fn whole<'n>(
    path: &Path,
    root: &'n Node,
    sources: &mut SourceMap,
    found: &mut Diagnostics,
) -> Option<Cow<'n, Node>> {
    let (Some(own), Some(named)) = (root.map(), root.get(EXTENDS)) else {
        let without = root.map().and_then(|own| own.entry(WITHOUT));
        if let Some((key, _)) = without {
            Diagnostic::error(
                Code::UnknownKey,
                format!("cannot use `{WITHOUT}` without `{EXTENDS}`"),
            )
            .at(key.span, "no effect")
            .help(format!("add `{EXTENDS}: FILE`, or remove the key"))
            .add_to(found);
        }
        return Some(Cow::Borrowed(root));
    };
    let name = text_of(named, EXTENDS, found)?;
    let is_beside = Path::new(name)
        .components()
        .all(|part| matches!(part, Component::Normal(_) | Component::CurDir));
    let refuse = |title: String, help: &str| {
        Diagnostic::error(Code::BadPoint, title)
            .at(named.span, "extended file")
            .help(help)
    };
    if !is_beside {
        let help = "use a file in the directory of the interview or below";
        return refuse(
            format!("cannot extend `{name}`: outside the directory of the interview"),
            help,
        )
        .refuse(found);
    }
    let file = path.parent().unwrap_or(Path::new("")).join(name);
    let base = read_yaml(&file, DEFINITION_LIMIT, sources, found)?;
    let is_interview = base.get("kind").and_then(Node::text) == Some("interview");
    let Some(other) = base
        .map()
        .filter(|_| is_interview && base.get(EXTENDS).is_none())
    else {
        let help = "use a file with `kind: interview` and without `extends`";
        return refuse(
            format!("cannot extend `{name}`: not an interview, or it extends another one"),
            help,
        )
        .refuse(found);
    };
    let without: Vec<&str> = root
        .get(WITHOUT)
        .map(|node| (node, texts_of(node, WITHOUT, found)))
        .into_iter()
        .flat_map(|(node, names)| known(names, node, &base, found))
        .collect();
    let is_kept = |key: &Key| ![EXTENDS, WITHOUT].contains(&&*key.text);
    let mut entries: Vec<(Key, Node)> = own
        .entries
        .iter()
        .filter(|(key, _)| is_kept(key))
        .cloned()
        .collect();
    for (key, node) in &other.entries {
        let mine = entries.iter_mut().find(|(known, _)| known.text == key.text);
        match mine {
            Some((_, mine)) if *key.text == *POINTS => *mine = joined(node, Some(mine), &without),
            Some(_) => {}
            None if *key.text == *POINTS => {
                entries.push((key.clone(), joined(node, None, &without)));
            }
            None => entries.push((key.clone(), node.clone())),
        }
    }
    Some(Cow::Owned(Node {
        span: root.span,
        content: Content::Map(Map { entries }),
    }))
}

/// The points of the extended interview, except points under `without`. Own points replace points with the same name;
/// new points follow.
fn joined(other: &Node, own: Option<&Node>, without: &[&str]) -> Node {
    let own = own.map(Node::entries).unwrap_or_default();
    let pairs = other.entries();
    let mine = |key: &Key| own.iter().find(|(known, _)| known.text == key.text);
    let kept = pairs
        .iter()
        .filter(|(key, _)| !without.contains(&&*key.text));
    let kept = kept.map(|pair| mine(&pair.0).unwrap_or(pair));
    let added = own
        .iter()
        .filter(|(key, _)| pairs.iter().all(|(known, _)| known.text != key.text));
    Node {
        span: other.span,
        content: Content::Map(Map {
            entries: kept.chain(added).cloned().collect(),
        }),
    }
}

/// The names under `without` that the extended interview contains. Reports unknown names.
fn known<'n>(
    names: Vec<&'n str>,
    node: &Node,
    base: &Node,
    found: &mut Diagnostics,
) -> Vec<&'n str> {
    let points = base.get(POINTS).and_then(Node::map);
    let is_known = |name: &&str| points.is_some_and(|points| points.get(name).is_some());
    for name in names.iter().filter(|name| !is_known(name)) {
        let ids = points.into_iter().flat_map(Map::keys);
        Diagnostic::error(
            Code::BadPoint,
            format!("unknown point `{name}` in `{WITHOUT}`"),
        )
        .at(node.span, "not defined")
        .near(name, ids, "use a point of the extended interview")
        .add_to(found);
    }
    names.into_iter().filter(is_known).collect()
}
