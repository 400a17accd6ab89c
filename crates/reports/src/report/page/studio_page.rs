//! The page of the studio.

use std::io;

use minijinja::context;

use super::page::on_base;

/// A file that the studio page loads.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct StudioAsset {
    /// The file name. The URL is `/assets/NAME`.
    pub name: &'static str,
    /// The MIME type.
    pub content_type: &'static str,
    pub text: &'static str,
}

/// Includes files of this folder with a content type.
macro_rules! assets {
    ($kind:literal: $($name:literal)*) => {
        [$(StudioAsset {
            name: $name,
            content_type: concat!($kind, "; charset=utf-8"),
            text: include_str!($name),
        }),*]
    };
}

/// The styles, in order.
const STYLES: [StudioAsset; 4] = assets! {
    "text/css":
    "tokens.css"
    "style.css"
    "graph.css"
    "studio.css"
};

/// The scripts, in order: texts and shared code first, the start of the page last.
const SCRIPTS: [StudioAsset; 20] = assets! {
    "text/javascript":
    "texts.js"
    "studio-texts.js"
    "page.js"
    "filter.js"
    "talk.js"
    "studio-api.js"
    "studio-store.js"
    "studio-choice.js"
    "studio-graph.js"
    "studio-conversation.js"
    "studio-composer.js"
    "studio-turn.js"
    "studio-time.js"
    "studio-share.js"
    "studio-edit.js"
    "studio-suite.js"
    "studio-simulation.js"
    "studio-project.js"
    "studio-keys.js"
    "studio-start.js"
};

/// Renders the studio page, which loads its assets from the studio server. The nonce, which is new for each response,
/// authorizes the scripts and styles of the page.
pub fn studio_page(nonce: &str) -> io::Result<String> {
    let styles = STYLES.map(|file| file.name);
    let scripts = SCRIPTS.map(|file| file.name);
    let content = context! { title => "studio", nonce, styles, scripts };
    on_base(include_str!("studio.html"), content)
}

impl StudioAsset {
    pub fn all() -> impl Iterator<Item = Self> {
        STYLES.into_iter().chain(SCRIPTS)
    }

    /// The file with this name.
    pub fn named(name: &str) -> Option<Self> {
        Self::all().find(|file| file.name == name)
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;
    use crate::report::page::{DIFF_SCRIPT, RUN_SCRIPT};

    /// The keys of a table in a script.
    fn keys_of(table: &str) -> BTreeSet<&str> {
        table
            .lines()
            .filter_map(|line| line.strip_prefix("  ")?.split_once(':'))
            .map(|(key, _)| key)
            .filter(|key| key.chars().all(char::is_alphanumeric))
            .collect()
    }

    /// The keys after a prefix, such as `turn` in `T.turn(1)`.
    fn keys_after<'t>(text: &'t str, prefix: &str) -> BTreeSet<&'t str> {
        let is_name = |c: char| c.is_alphanumeric() || c == '_';
        text.match_indices(prefix)
            .filter(|(at, _)| !text[..*at].ends_with(is_name))
            .map(|(at, _)| &text[at + prefix.len()..])
            .filter_map(|rest| rest.split(|c: char| !is_name(c)).next())
            .collect()
    }

    /// The keys of a table in JSON.
    fn keys_in(table: &serde_json::Value) -> BTreeSet<&str> {
        let table = table.as_object().unwrap();
        table.keys().map(String::as_str).collect()
    }

    #[test]
    fn texts_of_scripts_are_defined_and_used() {
        let studio = SCRIPTS.map(|file| file.text).concat();
        let shared = keys_of(include_str!("texts.js"));
        let mut all = BTreeSet::new();
        for (table, scripts) in [
            (include_str!("run-texts.js"), RUN_SCRIPT),
            (include_str!("diff-texts.js"), DIFF_SCRIPT),
            (include_str!("studio-texts.js"), &*studio),
        ] {
            let (own, used) = (keys_of(table), keys_after(scripts, "T."));
            assert!(own.len() > 10 && own.is_disjoint(&shared));
            let wrong: Vec<_> = used
                .symmetric_difference(&own)
                .filter(|key| !shared.contains(*key))
                .collect();
            assert!(wrong.is_empty(), "undefined or unused: {wrong:?}");
            all.extend(used);
        }
        assert!(all.is_superset(&shared), "unused texts in texts.js");
    }

    #[test]
    fn texts_of_templates_are_defined_and_used() {
        let texts: serde_json::Value = serde_json::from_str(include_str!("texts.json")).unwrap();
        let templates = [
            ("diff", include_str!("diff.html")),
            ("eval", include_str!("eval.html")),
            ("explore", include_str!("explore.html")),
            ("flakiness", include_str!("flakiness.html")),
            ("graph", include_str!("graph.html")),
            ("mutate", include_str!("mutate.html")),
            ("run", include_str!("run.html")),
            ("simulation", include_str!("simulation.html")),
            ("studio", include_str!("studio.html")),
        ];
        for (area, template) in templates {
            assert_eq!(keys_after(template, "t."), keys_in(&texts[area]), "{area}");
        }
        let all = templates.map(|(_, template)| template).concat() + include_str!("base.html");
        assert_eq!(keys_after(&all, "T.page."), keys_in(&texts["page"]));
    }

    #[test]
    fn the_page_loads_exactly_its_assets() {
        let page = studio_page("abc").unwrap();
        let loaded = |from: &str| page.matches(from).count();
        assert_eq!(
            loaded("<script nonce=\"abc\" src=\"/assets/"),
            SCRIPTS.len(),
            "{page}"
        );
        assert_eq!(
            loaded("<link rel=\"stylesheet\" nonce=\"abc\" href=\"/assets/"),
            STYLES.len(),
            "{page}"
        );
        assert_eq!(loaded("<script"), SCRIPTS.len());
        for file in StudioAsset::all() {
            assert_eq!(
                loaded(&format!("/assets/{}\"", file.name)),
                1,
                "{}",
                file.name
            );
            assert_eq!(StudioAsset::named(file.name), Some(file));
        }
        assert_eq!(StudioAsset::named("../page.rs"), None);
        for inline in [" style=", " onclick=", "<style", "javascript:"] {
            assert!(!page.contains(inline), "{inline}");
        }
    }

    #[test]
    fn global_names_in_the_scripts_are_unique() {
        let mut names = std::collections::BTreeMap::new();
        for file in SCRIPTS {
            // Declarations at the start of a line are global for all scripts.
            let words = ["function ", "async function ", "const ", "let ", "class "];
            let begun = file
                .text
                .lines()
                .filter_map(|line| words.iter().find_map(|word| line.strip_prefix(word)));
            for name in begun.map(|line| {
                line.split(|c: char| !c.is_alphanumeric() && c != '_')
                    .next()
                    .unwrap()
            }) {
                let other = names.insert(name, file.name);
                assert!(
                    other.is_none() || name.is_empty(),
                    "{name}: {other:?} and {}",
                    file.name
                );
            }
        }
        assert!(names.len() > 50);
    }

    #[test]
    fn the_page_is_small_and_has_no_external_references() {
        let page = studio_page("").unwrap();
        let texts = || StudioAsset::all().map(|file| file.text).chain([&*page]);
        let size: usize = texts().map(str::len).sum();
        assert!(size < 300_000, "{size}");
        for text in texts() {
            let named = text.replace("http://www.w3.org/2000/svg", "");
            for outside in [
                "http://",
                "https://",
                "@import",
                "innerHTML",
                "insertAdjacentHTML",
                "eval(",
            ] {
                assert!(!named.contains(outside), "{outside}");
            }
        }
    }
}
