//! The pages of the file formats.

use std::collections::BTreeMap;

use super::markdown_page::{MarkdownPage, title_of};
use fsmsim_runtime::schema::word_list;
use fsmsim_syntax::shapes::{Format, NamedKind, Shape, ShapeType};
use fsmsim_syntax::terminal::Joined;

/// The page of objects that several formats share.
const SHARED: &str = "shared-objects";

/// The page of a format with an example, or of the objects that several formats share, with a section for each object.
pub(super) struct FormatPage {
    page: MarkdownPage,
    /// The objects in the order of their first mention.
    objects: Vec<&'static Shape>,
    /// The pages of objects that are not on this page, by name.
    elsewhere: BTreeMap<&'static str, String>,
}

impl FormatPage {
    /// The pages of all formats, with their names.
    pub(super) fn all(formats: &'static [Format]) -> Vec<(String, MarkdownPage)> {
        let roots: BTreeMap<&'static str, &'static str> = formats
            .iter()
            .map(|format| (format.shape.name, format.name))
            .collect();
        let mut uses = BTreeMap::<&'static str, (usize, &'static Shape)>::new();
        for format in formats {
            for object in Self::of(format, BTreeMap::new()).objects {
                uses.entry(object.name).or_insert((0, object)).0 += 1;
            }
        }
        uses.retain(|name, (count, _)| *count > 1 || roots.contains_key(name));
        let elsewhere = |page: &str| {
            let places = uses
                .keys()
                .map(|name| (*name, *roots.get(name).unwrap_or(&SHARED)));
            places
                .filter(|(_, of)| *of != page)
                .map(|(name, of)| (name, format!("{of}.md")))
                .collect()
        };
        let mut pages: Vec<(String, MarkdownPage)> = formats
            .iter()
            .map(|format| {
                (
                    format.name.to_owned(),
                    Self::of(format, elsewhere(format.name)).page,
                )
            })
            .collect();
        let shared = uses
            .values()
            .map(|(_, shape)| *shape)
            .filter(|shape| !roots.contains_key(shape.name))
            .collect();
        let page = MarkdownPage::new("Shared objects", "Several formats contain these objects.");
        pages.push((
            SHARED.to_owned(),
            Self::with(page, shared, elsewhere(SHARED)).page,
        ));
        pages
    }

    fn of(format: &'static Format, elsewhere: BTreeMap<&'static str, String>) -> Self {
        let Format {
            name,
            shape,
            about,
            example: (path, example),
        } = *format;
        let title = format!("{} format", title_of(name));
        let introduction = format!(
            "The format `{name}` describes {about}. `fsmsim schema {name}` prints its JSON Schema."
        );
        let mut page = MarkdownPage::new(&title, &introduction);
        page.paragraph(&format!("Example, `{path}`:"));
        let extension = path.rsplit('.').next().unwrap_or_default();
        let language = match extension {
            "md" => "markdown",
            "jsonl" => "json",
            extension => extension,
        };
        page.code(language, example.trim_end());
        Self::with(page, vec![shape], elsewhere)
    }

    fn with(
        page: MarkdownPage,
        objects: Vec<&'static Shape>,
        elsewhere: BTreeMap<&'static str, String>,
    ) -> Self {
        let mut page = Self {
            page,
            objects,
            elsewhere,
        };
        // A section can mention more objects, and itself.
        let mut next = 0;
        while let Some(object) = page.objects.get(next).copied() {
            page.add(object);
            next += 1;
        }
        page
    }

    fn add(&mut self, shape: &'static Shape) {
        self.page.section(&title_of(shape.name));
        self.page.paragraph(&format!("{}.", shape.about));
        if let Some(is) = &shape.is {
            let is = self.type_of(is);
            self.page.paragraph(&format!("Type: {is}."));
            return;
        }
        let keys = shape.keys.iter().map(|key| {
            let required = if key.is_required { " (required)" } else { "" };
            let name = format!("`{}`{required}", key.name);
            let policy = if key.policy.is_empty() {
                ""
            } else {
                " (policy `sales`)"
            };
            [name, self.type_of(&key.of), key.about.to_owned() + policy]
        });
        let mut rows: Vec<[String; 3]> = keys.collect();
        if let Some(of) = &shape.others {
            let key = match (shape.names, shape.words) {
                (Some(of), _) => name_of(of.kind),
                (None, Some(_)) => "each key below".to_owned(),
                (None, None) if rows.is_empty() => "any key".to_owned(),
                (None, None) => "any other key".to_owned(),
            };
            rows.push([key, self.type_of(of), String::new()]);
        }
        self.page.table(["key", "type", "description"], rows);
        let mut note = |title: &str, text: &str| {
            if !text.is_empty() {
                self.page.paragraph(&format!("{title}: {text}."));
            }
        };
        note("At least one key is required", &words(shape.either));
        note(
            "Keys",
            &words(&shape.words.map(word_list).unwrap_or_default()),
        );
        let pattern = Some(shape.pattern).filter(|pattern| !pattern.is_empty());
        note("Regular expression of keys", &words(pattern.as_slice()));
    }

    /// A type as text, for example `list of string`. Objects are links to their sections.
    fn type_of(&mut self, of: &'static ShapeType) -> String {
        match of {
            ShapeType::Plain(word) => plain(word).to_owned(),
            ShapeType::Words(known) => words(known),
            ShapeType::Listed(list) => words(&word_list(list)),
            ShapeType::Name(of) => name_of(of.kind),
            ShapeType::List(of) => format!("list of {}", self.type_of(of)),
            ShapeType::Map(None, ShapeType::Plain("any")) => "map".to_owned(),
            ShapeType::Map(None, of) => format!("map of {}", self.type_of(of)),
            ShapeType::Map(Some(names), of) => {
                format!("map from {} to {}", name_of(names.kind), self.type_of(of))
            }
            ShapeType::Named(shape) => match &shape.is {
                Some(is @ (ShapeType::Plain(_) | ShapeType::Words(_))) => self.type_of(is),
                _ => self.link(shape),
            },
            ShapeType::As(of, _) => self.type_of(of),
            ShapeType::Many(_) | ShapeType::Either(_) | ShapeType::Expected(_) => {
                let mut choices = self.alternatives(of);
                let last = choices.pop().unwrap_or_default();
                if choices.is_empty() {
                    last
                } else {
                    format!("{} or {last}", choices.join(", "))
                }
            }
        }
    }

    /// The types that a type allows, each as text.
    fn alternatives(&mut self, of: &'static ShapeType) -> Vec<String> {
        let (of, list) = match of {
            ShapeType::Either(either) => {
                return either.iter().flat_map(|of| self.alternatives(of)).collect();
            }
            ShapeType::Many(of) => (of, "a list"),
            ShapeType::Expected(of) => (of, "a map of operators"),
            of => return vec![self.type_of(of)],
        };
        let mut choices = self.alternatives(of);
        choices.push(list.to_owned());
        choices
    }

    /// A link to the section of an object.
    fn link(&mut self, shape: &'static Shape) -> String {
        let page = self.elsewhere.get(shape.name).map_or("", String::as_str);
        if page.is_empty() && !self.objects.iter().any(|known| known.name == shape.name) {
            self.objects.push(shape);
        }
        let separated = |by| shape.name.replace('_', by);
        format!("[{}]({page}#{})", separated(" "), separated("-"))
    }
}

fn name_of(kind: NamedKind) -> String {
    match kind {
        NamedKind::File | NamedKind::Model => "path".to_owned(),
        kind => format!("{} name", kind.noun()),
    }
}

fn words(words: &[&str]) -> String {
    words.iter().map(|word| format!("`{word}`")).joined(", ")
}

/// A basic type as text.
fn plain(word: &str) -> &str {
    match word {
        "any" => "any value",
        "count" | "level" => "integer ≥ 0",
        "flag" => "`true`/`false`",
        "hole" => "placeholder",
        "null" => "`null`",
        "share" => "number from 0 to 1",
        word => word,
    }
}
