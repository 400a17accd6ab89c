//! Generates the tables of `src/shapes` from the declarations of the formats in `shapes/*.yaml`, and the table of
//! `diagnostic/code.rs` from `codes.md`.
//!
//! The files use a subset of YAML that is parsed line by line. A shape has no indentation, its properties two spaces,
//! its keys four. `src/shapes/mod.rs` explains the properties and the types. An unknown shape or type causes a compiler
//! error in the generated tables.

use std::error::Error;
use std::fmt::Write;
use std::path::Path;
use std::{env, fs};

/// The files of shapes; `formats.yaml` lists the formats.
const FILES: [&str; 5] = ["shared", "flows", "definitions", "scenarios", "project"];

/// Types that refer to no other type.
const PLAIN: [&str; 13] = [
    "text", "string", "flag", "integer", "number", "count", "level", "share", "map", "list",
    "null", "any", "hole",
];

/// A shape as declared in a file.
#[derive(Default)]
struct Shape {
    name: String,
    /// The properties, such as `about`, `is` and `also`.
    properties: Vec<(String, String)>,
    /// The keys with their types and descriptions. The suffix `@POLICY` names the only policy that knows the key.
    keys: Vec<(String, String)>,
}

impl Shape {
    /// The words of a list property: `[a, b]`.
    fn list(&self, word: &str) -> Vec<&str> {
        let entries = self.properties.iter().filter(|(key, _)| key == word);
        entries
            .flat_map(|(_, value)| value.trim_matches(['[', ']']).split(", "))
            .collect()
    }

    /// All keys: first the keys of the shape itself, then those of the shapes that it includes. The suffix `!` marks a
    /// required key.
    fn all_keys(&self, all: &[Self]) -> Vec<(String, String)> {
        let mut keys = self.keys.clone();
        for name in self.list("also") {
            let other = all.iter().filter(|shape| shape.name == name);
            keys.extend(other.flat_map(|shape| shape.all_keys(all)));
        }
        let required = self.list("require");
        for (key, _) in &mut keys {
            if required.contains(&key.as_str()) {
                key.push('!');
            }
        }
        keys
    }

    fn write(&self, all: &[Self], out: &mut String) -> Result<(), Box<dyn Error>> {
        let Self {
            name, properties, ..
        } = self;
        let constant = name.to_uppercase();
        writeln!(
            out,
            "pub static {constant}: Shape = Shape {{ name: {name:?}, keys: &["
        )?;
        for (key, value) in self.all_keys(all) {
            let (of, about) = value.split_once(" - ").unwrap_or((&value, ""));
            let (name, is_required, of) =
                (key.trim_end_matches('!'), key.ends_with('!'), type_of(of));
            let (name, policy) = name.split_once('@').unwrap_or((name, ""));
            writeln!(
                out,
                "ShapeKey {{ name: {name:?}, is_required: {is_required}, policy: {policy:?}, of: {of}, about: {about:?} }},"
            )?;
        }
        out.push_str("],\n");
        for (word, value) in properties {
            match word.as_str() {
                "also" | "require" => {}
                "is" | "others" => writeln!(out, "{word}: Some({}),", type_of(value))?,
                "names" if value.starts_with('$') => {
                    writeln!(out, "names: Some({}),", named(value))?;
                }
                "names" => writeln!(out, "words: Some({:?}),", value.replace("word ", ""))?,
                "either" => writeln!(out, "either: &{:?},", self.list(word))?,
                "least" => writeln!(out, "least: {value},")?,
                word => writeln!(out, "{word}: {value:?},")?,
            }
        }
        out.push_str("..Shape::EMPTY };\n");
        Ok(())
    }
}

fn read(text: &str, shapes: &mut Vec<Shape>) -> Option<()> {
    for line in text
        .lines()
        .filter(|line| !line.is_empty() && !line.starts_with('#'))
    {
        let (key, value) = line.split_once(':')?;
        let (name, value) = (
            key.trim().to_owned(),
            value.trim().trim_matches(['\'', '"']),
        );
        let entry = (name.clone(), value.to_owned());
        match key.len() - name.len() {
            0 => shapes.push(Shape {
                name,
                ..Shape::default()
            }),
            2 if name == "keys" => {}
            2 => shapes.last_mut()?.properties.push(entry),
            _ => shapes.last_mut()?.keys.push(entry),
        }
    }
    Some(())
}

/// A type as a Rust expression: `list of text` becomes `ShapeType::List(&ShapeType::Plain("text"))`.
fn type_of(text: &str) -> String {
    if let Some((schema, names)) = text.split_once(" as ") {
        return format!("ShapeType::As(&{}, &{})", type_of(schema), type_of(names));
    }
    let parts: Vec<String> = text.split(" | ").map(one).collect();
    match parts.as_slice() {
        [part] => part.clone(),
        parts => format!("ShapeType::Either(&[{}])", parts.join(", ")),
    }
}

fn one(text: &str) -> String {
    let (word, rest) = text.split_once(' ').unwrap_or((text, ""));
    let inner = || one(rest.trim_start_matches("of "));
    let variant = match word {
        "list" if !rest.is_empty() => format!("List(&{})", inner()),
        "many" => format!("Many(&{})", inner()),
        "expected" => format!("Expected(&{})", inner()),
        "word" => format!("Listed({rest:?})"),
        "map" => match rest.split_once(" of ") {
            Some((name, of)) if rest.starts_with('$') => {
                format!("Map(Some({}), &{})", named(name), one(of))
            }
            _ if rest.is_empty() => format!("Plain({text:?})"),
            _ => format!("Map(None, &{})", inner()),
        },
        _ if PLAIN.contains(&text) => format!("Plain({text:?})"),
        _ if text.starts_with('$') => format!("Name({})", named(text)),
        _ => match text.strip_prefix('=') {
            Some(words) => format!("Words(&{:?})", words.split('/').collect::<Vec<_>>()),
            None => format!("Named(&{})", text.to_uppercase()),
        },
    };
    format!("ShapeType::{variant}")
}

/// The kind and the role of a name: `$state`, `$state!`, `$state?`.
fn named(text: &str) -> String {
    let role = match text.chars().last() {
        Some('!') => "Defines",
        Some('?') => "Introduces",
        _ => "Uses",
    };
    let kind = text.trim_matches(['$', '!', '?']);
    let (first, rest) = kind.split_at(1);
    let first = first.to_uppercase();
    format!("NameUse {{ kind: NamedKind::{first}{rest}, role: NamedRole::{role} }}")
}

/// The codes as arguments of the macro `codes`. A section is `## NUMBER NAME: TITLE`, followed by the paragraphs of the
/// explanation.
fn codes(text: &str) -> Option<String> {
    let mut out = String::from("codes! {\n");
    for section in text.split("\n## ").skip(1) {
        let (heading, explanation) = section.split_once('\n')?;
        let (code, title) = heading.split_once(": ")?;
        let (number, name) = code.split_once(' ')?;
        let paragraphs = explanation.trim().split("\n\n");
        let explanation: Vec<String> = paragraphs
            .map(|lines| lines.split_whitespace().collect::<Vec<_>>().join(" "))
            .collect();
        let explanation = explanation.join("\n\n");
        writeln!(out, "{name} = {number:?}, {title:?}, {explanation:?};").ok()?;
    }
    Some(out + "}\n")
}

fn main() -> Result<(), Box<dyn Error>> {
    println!("cargo::rerun-if-changed=codes.md");
    println!("cargo::rerun-if-changed=shapes");
    let target = env::var("OUT_DIR")?;
    let codes = codes(&fs::read_to_string("codes.md")?).ok_or("cannot parse `codes.md`")?;
    fs::write(Path::new(&target).join("codes.rs"), codes)?;
    let mut shapes = Vec::new();
    for file in FILES {
        let text = fs::read_to_string(format!("shapes/{file}.yaml"))?;
        read(&text, &mut shapes).ok_or_else(|| format!("cannot parse `{file}.yaml`"))?;
    }
    let mut out = String::new();
    for shape in &shapes {
        shape.write(&shapes, &mut out)?;
    }
    let mut formats = Vec::new();
    read(&fs::read_to_string("shapes/formats.yaml")?, &mut formats)
        .ok_or("cannot parse `formats.yaml`")?;
    out.push_str("pub static FORMATS: &[Format] = &[\n");
    for Shape {
        name, properties, ..
    } in &formats
    {
        let [(shape, about), (_, path)] = properties.as_slice() else {
            return Err(format!("expected a shape and an example in the format `{name}`").into());
        };
        let shape = shape.to_uppercase();
        let text = fs::read_to_string(format!("shapes/examples/{path}"))?;
        writeln!(
            out,
            "Format {{ name: {name:?}, shape: &{shape}, about: {about:?}, example: ({path:?}, {text:?}) }},"
        )?;
    }
    out.push_str("];\n");
    fs::write(Path::new(&target).join("shapes.rs"), out)?;
    Ok(())
}
