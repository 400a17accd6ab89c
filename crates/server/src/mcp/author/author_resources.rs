//! Resources of the authoring server: documentation pages, schemas, project models.

use std::path::{Path, PathBuf};

use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, percent_decode_str, utf8_percent_encode};
use rmcp::model::{Resource, ResourceContents, ResourceTemplate};
use walkdir::WalkDir;

use super::author_answer::AuthorRefusal;
use super::fenced_project::FencedProject;
use super::tool_executor::ToolExecutor;
use crate::limits::{MAX_RESOURCE_BYTES, MAX_RESOURCE_FILES};
use crate::mcp::argument_schema::near;
use fsmsim_runtime::schema::FormatSchema;
use fsmsim_syntax::document::{DEFINITION_LIMIT, read_bytes};

const DOCS: &str = "fsmsim://docs/";
const SCHEMAS: &str = "fsmsim://schemas/";
const MODELS: &str = "fsmsim://models/";
const MARKDOWN: &str = "text/markdown";
const SCHEMA: &str = "application/schema+json";
/// Characters that a resource URI does not escape.
const PLAIN: &AsciiSet = &NON_ALPHANUMERIC
    .remove(b'_')
    .remove(b'-')
    .remove(b'.')
    .remove(b'/');
/// The extensions of model files.
const ENDINGS: [&str; 6] = ["yaml", "yml", "md", "json", "jsonl", "csv"];

/// All resources. If the project is invalid, its models are missing.
pub(super) fn resources(desk: &ToolExecutor) -> Vec<Resource> {
    let pages = desk.service.pages.iter().map(|(name, text)| {
        Resource::new(format!("{DOCS}{name}"), *name)
            .with_description(title(text))
            .with_mime_type(MARKDOWN)
    });
    let schemas = FormatSchema::all().into_iter().map(|schema| {
        Resource::new(
            format!("{SCHEMAS}{}", schema.name),
            format!("{}.schema.json", schema.name),
        )
        .with_description(schema.about)
        .with_mime_type(SCHEMA)
    });
    let models = desk
        .project_now()
        .map(|fenced| fenced.models())
        .unwrap_or_default()
        .into_iter()
        .map(|path| {
            Resource::new(address(&path), path)
                .with_description("A project model: its files, and the files that it references")
        });
    pages.chain(schemas).chain(models).collect()
}

/// The URI templates of the resources.
pub(super) fn templates() -> Vec<ResourceTemplate> {
    let template = |address: &str, name: &str, about: &str| {
        ResourceTemplate::new(address, name).with_description(about)
    };
    vec![
        template("fsmsim://docs/{+name}", "docs", "A documentation page").with_mime_type(MARKDOWN),
        template(
            "fsmsim://schemas/{name}",
            "schemas",
            "The JSON Schema of a format",
        )
        .with_mime_type(SCHEMA),
        template(
            "fsmsim://models/{+path}",
            "models",
            "The path of a project model, or of a file that a model references",
        ),
    ]
}

/// The contents of a resource.
pub(super) fn read(
    desk: &ToolExecutor,
    address: &str,
) -> Result<Vec<ResourceContents>, AuthorRefusal> {
    if let Some(name) = address.strip_prefix(DOCS) {
        let pages = desk.service.pages;
        let page = pages.iter().find(|(known, _)| *known == name);
        let (_, text) =
            page.ok_or_else(|| nearest_to("page", pages.iter().map(|(known, _)| *known), name))?;
        let text = ResourceContents::text(*text, address);
        return Ok(vec![text.with_mime_type(MARKDOWN)]);
    }
    if let Some(name) = address.strip_prefix(SCHEMAS) {
        let all = FormatSchema::all();
        let schema = all
            .iter()
            .find(|schema| *schema.name == *name)
            .ok_or_else(|| nearest_to("schema", all.iter().map(|schema| &*schema.name), name))?;
        let text = ResourceContents::text(&*schema.text, address);
        return Ok(vec![text.with_mime_type(SCHEMA)]);
    }
    let path = address.strip_prefix(MODELS).ok_or(
        "expected a URI that starts with fsmsim://docs/, fsmsim://schemas/ or fsmsim://models/",
    )?;
    let path = percent_decode_str(path)
        .decode_utf8()
        .map_err(|_| "the URI is not UTF-8")?;
    read_model(&path, &desk.project_now()?)
}

/// The first heading of a page.
fn title(text: &str) -> &str {
    let heading = text.lines().find_map(|line| line.strip_prefix("# "));
    heading.unwrap_or_default().trim()
}

/// The files of a model and the files that it references, or one of these files.
fn read_model(named: &str, fenced: &FencedProject) -> Result<Vec<ResourceContents>, AuthorRefusal> {
    let path = fenced.admit(named)?;
    let models = fenced.models();
    let is_model = models.iter().any(|model| Path::new(model) == path);
    let is_below = is_model
        || models
            .iter()
            .any(|model| model == "." || path.starts_with(model));
    // Shared files are outside the folders of the models that use them.
    let is_needed = || {
        models
            .iter()
            .any(|model| needed(Path::new(model), fenced).contains(&path))
    };
    if !(is_below || path.is_file() && is_needed()) {
        let known = models.iter().map(String::as_str);
        return Err(nearest_to("model", known, named));
    }
    let mut files = if path.is_dir() {
        files_of(&path)
    } else {
        vec![path.clone()]
    };
    if is_model {
        let own: Vec<PathBuf> = files.clone();
        files.extend(
            needed(&path, fenced)
                .into_iter()
                .filter(|file| !own.contains(file)),
        );
    }
    let mut contents = Vec::new();
    let mut omitted = Vec::new();
    let mut bytes = 0;
    for file in &files {
        // If a link in a folder points outside the project, the complete folder is rejected.
        fenced.admit(&file.to_string_lossy())?;
        let name = fenced.named(file);
        let text = match read_text(file) {
            Ok(text) => text,
            // If only one file was requested, its error is returned.
            Err(why) if files.len() == 1 => return Err(why),
            Err(why) => {
                omitted.push(format!("{name}: {}", why.text));
                continue;
            }
        };
        if contents.len() >= MAX_RESOURCE_FILES
            || bytes + text.len() > MAX_RESOURCE_BYTES && !contents.is_empty()
        {
            omitted.push(format!(
                "{}: a result has at most {MAX_RESOURCE_FILES} files and {MAX_RESOURCE_BYTES} bytes",
                address(&name)
            ));
            continue;
        }
        bytes += text.len();
        let is_markdown = file.extension().is_some_and(|ending| ending == "md");
        let kind = if is_markdown { MARKDOWN } else { "text/plain" };
        contents.push(ResourceContents::text(text, address(&name)).with_mime_type(kind));
    }
    if !omitted.is_empty() {
        // The list of omitted files has its own URI, which no file has.
        let list = format!(
            "Omitted files, with the reason. Read them one by one:\n\n{}\n",
            omitted.join("\n")
        );
        contents.push(
            ResourceContents::text(list, format!("{}#left-out", address(&fenced.named(&path))))
                .with_mime_type("text/plain"),
        );
    }
    if contents.is_empty() {
        return Err(format!("no readable file in `{}`", named.escape_debug()).into());
    }
    Ok(contents)
}

/// The URI of a file or a folder.
fn address(name: &str) -> String {
    format!("{MODELS}{}", utf8_percent_encode(name, PLAIN))
}

/// The text of a project file.
fn read_text(file: &Path) -> Result<String, AuthorRefusal> {
    let text = read_bytes(file, DEFINITION_LIMIT)?;
    String::from_utf8(text).map_err(|_| format!("`{}` is not UTF-8 text", file.display()).into())
}

/// The project files that loading a model reads, as paths relative to the project.
fn needed(model: &Path, fenced: &FencedProject) -> Vec<PathBuf> {
    let mut models = fenced.cache();
    // Even an invalid model has read its files.
    drop(models.load(model, fenced.project.profile.unwrap_or_default()));
    let mut read: Vec<PathBuf> = models
        .sources()
        .files()
        .filter(|file| !file.is_invented())
        .filter_map(|file| fenced.admit(file.path()).ok())
        .collect();
    read.retain(|file| file.is_file());
    read.sort();
    read.dedup();
    read
}

/// The files in a folder that have the extension of a model file, sorted by name.
fn files_of(folder: &Path) -> Vec<PathBuf> {
    let is_usual = |path: &Path| {
        path.extension()
            .is_some_and(|ending| ENDINGS.iter().any(|known| ending == *known))
    };
    let entries = WalkDir::new(folder)
        .sort_by_file_name()
        .into_iter()
        .filter_entry(|entry| {
            entry.depth() == 0 || !entry.file_name().to_string_lossy().starts_with('.')
        });
    entries
        .flatten()
        .map(walkdir::DirEntry::into_path)
        .filter(|path| path.is_file() && is_usual(path))
        .collect()
}

fn nearest_to<'k>(what: &str, known: impl Iterator<Item = &'k str>, name: &str) -> AuthorRefusal {
    format!("unknown {what}.{}", near(what, name, known)).into()
}
