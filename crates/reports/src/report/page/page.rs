//! A page in one file.

use std::io;

use base64::Engine;
use base64::prelude::BASE64_STANDARD;
use minijinja::{Environment, Value, context};
use serde::Serialize;
use sha2::{Digest, Sha256};

/// The styles of all pages, in their order.
const STYLES: [&str; 3] = [
    include_str!("tokens.css"),
    include_str!("style.css"),
    include_str!("graph.css"),
];

/// A page in one file.
#[derive(Default)]
pub(crate) struct Page<'p> {
    /// What it is about.
    pub(crate) title: &'p str,
    /// Its template, which fills the template of all pages.
    pub(crate) template: &'static str,
    /// What it does, behind what all pages do.
    pub(crate) script: &'static str,
    /// The pictures of models.
    pub(crate) graphs: Vec<PageGraph<'p>>,
    /// What its template shows, where it does not leave that to its script.
    pub(crate) content: Value,
}

/// The picture of a model in a page.
pub(crate) struct PageGraph<'p> {
    pub(crate) model: &'p str,
    /// Its picture.
    pub(crate) svg: String,
}

impl Page<'_> {
    /// The page, with what its script shows.
    pub(crate) fn render(&self, data: &impl Serialize) -> io::Result<String> {
        let style = STYLES.concat();
        let script = [include_str!("page.js"), self.script].concat();
        let data = serde_json::to_string(data)
            .map_err(io::Error::other)?
            .replace('<', "\\u003c");
        let (style_hash, script_hash) = (hash(&style), hash(&script));
        let graph =
            |graph: &PageGraph<'_>| context! { model => graph.model, svg => graph.svg.clone() };
        let graphs: Vec<Value> = self.graphs.iter().map(graph).collect();
        let (title, version, content) = (self.title, env!("CARGO_PKG_VERSION"), &self.content);
        let content = context! { title, version, style, script, style_hash, script_hash, graphs, data, content };
        on_base(self.template, content)
    }

    /// The page without scripts: its template shows everything.
    pub(crate) fn render_still(&self) -> io::Result<String> {
        let style = STYLES.concat();
        let (title, style_hash, content) = (self.title, hash(&style), &self.content);
        on_base(
            self.template,
            context! { title, style, style_hash, content },
        )
    }
}

/// A page whose template fills the template of all pages.
pub(super) fn on_base(template: &str, content: Value) -> io::Result<String> {
    let mut pages = Environment::new();
    for (name, text) in [
        ("base.html", include_str!("base.html")),
        ("page.html", template),
    ] {
        pages.add_template(name, text).map_err(io::Error::other)?;
    }
    let page = pages.get_template("page.html");
    page.and_then(|page| page.render(content))
        .map_err(io::Error::other)
}

/// What a policy for contents knows a text by.
fn hash(text: &str) -> String {
    BASE64_STANDARD.encode(Sha256::digest(text))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_page_without_data_is_small_and_names_nothing_outside() {
        let page = Page {
            title: "</title><script>alert(1)</script>",
            template: include_str!("run.html"),
            script: concat!(include_str!("talk.js"), include_str!("run.js")),
            graphs: Vec::new(),
            content: Value::UNDEFINED,
        };
        let text = page
            .render(&serde_json::json!({"say": "</script><!--"}))
            .unwrap();
        assert!(text.len() < 300_000, "{}", text.len());
        assert!(!text.contains("<script>alert"));
        assert_eq!(
            text.matches("</script>").count(),
            2,
            "the data and the script"
        );
        for outside in ["http://", "https://", "@import", "url("] {
            let named = text.replace("http://www.w3.org/2000/svg", "");
            assert!(!named.contains(outside), "{outside}");
        }
    }

    /// The relative luminance of `#rrggbb`.
    fn luminance(colour: &str) -> f64 {
        let part = |at: usize| {
            let share = f64::from(u8::from_str_radix(&colour[at..at + 2], 16).unwrap()) / 255.0;
            if share <= 0.040_45 {
                share / 12.92
            } else {
                ((share + 0.055) / 1.055).powf(2.4)
            }
        };
        0.2126 * part(1) + 0.7152 * part(3) + 0.0722 * part(5)
    }

    fn contrast(one: &str, other: &str) -> f64 {
        let (one, other) = (luminance(one), luminance(other));
        (one.max(other) + 0.05) / (one.min(other) + 0.05)
    }

    #[test]
    fn text_stands_out_from_what_is_behind_it() {
        let (light, dark) = STYLES[0].split_once("@media").unwrap();
        for tokens in [light, dark] {
            let token = |name: &str| {
                let at = tokens
                    .find(&format!("--{name}: #"))
                    .unwrap_or_else(|| panic!("{name} is missing"));
                let from = at + name.len() + 4;
                &tokens[from..from + 7]
            };
            for text in ["text", "quiet", "accent", "pass", "fail", "warn", "a", "b"] {
                for behind in ["bg", "raised"] {
                    let contrast = contrast(token(text), token(behind));
                    assert!(contrast >= 4.5, "{text} on {behind}: {contrast:.2}");
                }
            }
            assert!(
                contrast(token("bg"), token("accent")) >= 4.5,
                "numbers of turns in pictures"
            );
        }
    }

    #[test]
    fn text_stands_out_from_the_tints_of_phases() {
        let (light, dark) = STYLES[0].split_once("@media").unwrap();
        let value = |tokens: &str, name: &str| {
            let at = tokens.find(&format!("--{name}: #")).unwrap() + name.len() + 4;
            tokens[at..at + 7].to_owned()
        };
        let mixed = |colour: &str, behind: &str| {
            let part = |at: usize| {
                let of = |text: &str| u32::from_str_radix(&text[at..at + 2], 16).unwrap();
                format!("{:02x}", (of(colour) * 16 + of(behind) * 84) / 100)
            };
            format!("#{}{}{}", part(1), part(3), part(5))
        };
        for tokens in [light, dark] {
            for phase in 0..8 {
                let tint = mixed(&value(light, &format!("p{phase}")), &value(tokens, "bg"));
                for text in ["text", "quiet"] {
                    let contrast = contrast(&value(tokens, text), &tint);
                    assert!(
                        contrast >= 4.5,
                        "{text} on the tint of phase {phase}: {contrast:.2}"
                    );
                }
            }
        }
    }
}
