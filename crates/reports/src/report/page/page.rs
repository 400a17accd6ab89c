//! An HTML page in one file.

use std::collections::BTreeMap;
use std::io;
use std::sync::Arc;

use base64::Engine;
use base64::prelude::BASE64_STANDARD;
use minijinja::{Environment, Value, context};
use serde::Serialize;
use sha2::{Digest, Sha256};

use crate::report::graph::overview_svg;
use fsmsim_core::engine::Machine;
use fsmsim_harness::graph::MachineGraph;

/// The styles of all pages, in order.
const STYLES: [&str; 3] = [
    include_str!("tokens.css"),
    include_str!("style.css"),
    include_str!("graph.css"),
];

/// The script of the page of a run.
pub(crate) const RUN_SCRIPT: &str = concat!(
    include_str!("texts.js"),
    include_str!("run-texts.js"),
    include_str!("filter.js"),
    include_str!("talk.js"),
    include_str!("list.js"),
    include_str!("run.js")
);

/// The script of the page of a comparison.
pub(crate) const DIFF_SCRIPT: &str = concat!(
    include_str!("texts.js"),
    include_str!("diff-texts.js"),
    include_str!("filter.js"),
    include_str!("talk.js"),
    include_str!("list.js"),
    include_str!("diff.js")
);

/// An HTML page in one file.
#[derive(Default)]
pub(crate) struct Page<'p> {
    pub title: &'p str,
    /// The template, which extends the base template.
    pub template: &'static str,
    /// The script of the page, which runs after the shared script.
    pub script: &'static str,
    /// The diagrams of models.
    pub graphs: Vec<PageGraph<'p>>,
    /// The values for the template, unless the script renders the page.
    pub content: Value,
}

/// The diagram of a model in a page.
pub(crate) struct PageGraph<'p> {
    pub model: &'p str,
    pub svg: String,
}

impl<'p> PageGraph<'p> {
    /// The diagrams of these models, by their names.
    pub(crate) fn all(models: &'p BTreeMap<String, Arc<Machine>>) -> io::Result<Vec<Self>> {
        let graphs = models.iter().map(|(model, machine)| {
            let svg = overview_svg(&MachineGraph::of(machine))?;
            Ok(Self { model, svg })
        });
        graphs.collect()
    }
}

impl Page<'_> {
    /// Renders the page with the data for its script.
    pub(crate) fn render(&self, data: &impl Serialize) -> io::Result<String> {
        let style = STYLES.concat();
        let script = [include_str!("page.js"), self.script].concat();
        let data = serde_json::to_string(data)
            .map_err(io::Error::other)?
            .replace('<', "\\u003c");
        let style_hash = hash(&style);
        let script_hash = hash(&script);
        let graph =
            |graph: &PageGraph<'_>| context! { model => graph.model, svg => graph.svg.clone() };
        let graphs: Vec<Value> = self.graphs.iter().map(graph).collect();
        let title = self.title;
        let version = env!("CARGO_PKG_VERSION");
        let content = &self.content;
        let content = context! { title, version, style, script, style_hash, script_hash, graphs, data, content };
        on_base(self.template, content)
    }

    /// Renders the page without scripts: its template shows everything.
    pub(crate) fn render_still(&self) -> io::Result<String> {
        let style = STYLES.concat();
        let title = self.title;
        let style_hash = hash(&style);
        let content = &self.content;
        on_base(
            self.template,
            context! { title, style, style_hash, content },
        )
    }
}

/// Renders a template that extends the base template.
pub(super) fn on_base(template: &str, content: Value) -> io::Result<String> {
    let mut pages = Environment::new();
    // JSON is an expression of the template language.
    let texts = pages
        .compile_expression(include_str!("texts.json"))
        .and_then(|texts| texts.eval(()))
        .map_err(io::Error::other)?;
    pages.add_global("T", texts);
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

/// The hash of a text for the content security policy.
fn hash(text: &str) -> String {
    BASE64_STANDARD.encode(Sha256::digest(text))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_page_is_small_and_has_no_external_references() {
        let page = Page {
            title: "</title><script>alert(1)</script>",
            template: include_str!("run.html"),
            script: RUN_SCRIPT,
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
            "only the data and the script are script elements"
        );
        for outside in ["http://", "https://", "@import", "url("] {
            let named = text.replace("http://www.w3.org/2000/svg", "");
            assert!(!named.contains(outside), "{outside}");
        }
    }

    /// The relative luminance of `#rrggbb`.
    fn luminance(color: &str) -> f64 {
        let part = |at: usize| {
            let share = f64::from(u8::from_str_radix(&color[at..at + 2], 16).unwrap()) / 255.0;
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
    fn text_has_enough_contrast_with_backgrounds() {
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
                for background in ["bg", "raised"] {
                    let contrast = contrast(token(text), token(background));
                    assert!(contrast >= 4.5, "{text} on {background}: {contrast:.2}");
                }
            }
            assert!(
                contrast(token("bg"), token("accent")) >= 4.5,
                "contrast of turn numbers in diagrams"
            );
        }
    }

    #[test]
    fn text_has_enough_contrast_with_phase_tints() {
        let (light, dark) = STYLES[0].split_once("@media").unwrap();
        let value = |tokens: &str, name: &str| {
            let at = tokens.find(&format!("--{name}: #")).unwrap() + name.len() + 4;
            tokens[at..at + 7].to_owned()
        };
        let mixed = |color: &str, background: &str| {
            let part = |at: usize| {
                let of = |text: &str| u32::from_str_radix(&text[at..at + 2], 16).unwrap();
                format!("{:02x}", (of(color) * 16 + of(background) * 84) / 100)
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
