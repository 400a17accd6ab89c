//! The page of the studio.

use std::io;

use minijinja::context;

use super::page::on_base;

/// A file that the studio page loads.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct StudioAsset {
    /// Its name: the URL is `/assets/NAME`.
    pub name: &'static str,
    /// Its content type.
    pub content_type: &'static str,
    pub text: &'static str,
}

/// The styles, in order.
const STYLES: [StudioAsset; 4] = [
    style("tokens.css", include_str!("tokens.css")),
    style("style.css", include_str!("style.css")),
    style("graph.css", include_str!("graph.css")),
    style("studio.css", include_str!("studio.css")),
];

/// The scripts, in order: shared code first, the start of the page last.
const SCRIPTS: [StudioAsset; 17] = [
    script("page.js", include_str!("page.js")),
    script("talk.js", include_str!("talk.js")),
    script("studio-api.js", include_str!("studio-api.js")),
    script("studio-store.js", include_str!("studio-store.js")),
    script("studio-choice.js", include_str!("studio-choice.js")),
    script("studio-graph.js", include_str!("studio-graph.js")),
    script(
        "studio-conversation.js",
        include_str!("studio-conversation.js"),
    ),
    script("studio-composer.js", include_str!("studio-composer.js")),
    script("studio-turn.js", include_str!("studio-turn.js")),
    script("studio-time.js", include_str!("studio-time.js")),
    script("studio-share.js", include_str!("studio-share.js")),
    script("studio-edit.js", include_str!("studio-edit.js")),
    script("studio-suite.js", include_str!("studio-suite.js")),
    script("studio-simulation.js", include_str!("studio-simulation.js")),
    script("studio-project.js", include_str!("studio-project.js")),
    script("studio-keys.js", include_str!("studio-keys.js")),
    script("studio-start.js", include_str!("studio-start.js")),
];

const fn style(name: &'static str, text: &'static str) -> StudioAsset {
    StudioAsset {
        name,
        content_type: "text/css; charset=utf-8",
        text,
    }
}

const fn script(name: &'static str, text: &'static str) -> StudioAsset {
    StudioAsset {
        name,
        content_type: "text/javascript; charset=utf-8",
        text,
    }
}

/// Renders the studio page, which loads its assets from the studio server. The nonce, which is new for each response,
/// authorizes its scripts and styles.
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
    use super::*;

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
    fn global_names_of_the_scripts_are_unique() {
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
