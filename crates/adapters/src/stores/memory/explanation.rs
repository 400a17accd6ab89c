//! The provenance of an artifact, back to the cause of its task.

use rusqlite::{Connection, Error, OptionalExtension};
use serde_json::Value as Json;

use super::artifact::Artifact;
use super::memory_file::MemoryFile;
use super::sqlite_memory::artifact;
use crate::limits::{MAX_LISTED_IDS, MAX_PROVENANCE_LINKS};
use fsmsim_syntax::diagnostic::Checked;

/// The provenance of an artifact. Entries have the format of the audit.
#[derive(Clone, Debug, PartialEq)]
pub struct Explanation {
    pub artifact: Artifact,
    /// The dialogue that wrote it.
    pub session: String,
    pub turn: u32,
    /// The entry that records the write.
    pub written: Option<Json>,
    /// The sources, each with its relation to the artifact, in chronological order.
    pub sources: Vec<(String, Json)>,
    /// The causes of the task, latest first: its submission, the observation or task that caused it, and so on.
    pub origin: Vec<Json>,
}

/// The result of a search by ID.
#[derive(Clone, Debug, PartialEq)]
pub enum Found {
    /// One artifact.
    One(Box<Explanation>),
    /// The IDs that start with the given text.
    Several(Vec<String>),
    /// No artifact was found. Contains the IDs of the artifacts that were shared last.
    Nothing(Vec<String>),
}

/// Minimum length of an ID prefix in characters.
const MIN_PREFIX: usize = 4;

impl Explanation {
    /// Explains the artifact with this ID or ID prefix.
    pub fn find(file: &MemoryFile, id: &str) -> Checked<Found> {
        let mut connection = file.look_into()?;
        connection
            .transaction()
            .and_then(|view| Self::look(&view, id))
            .map_err(|error| file.finding(&error).into())
    }

    fn look(view: &Connection, id: &str) -> Result<Found, Error> {
        let ids = if id.len() < MIN_PREFIX {
            Vec::new()
        } else {
            ids_with_prefix(view, id)?
        };
        let [one] = ids.as_slice() else {
            return Ok(if ids.is_empty() {
                Found::Nothing(latest(view)?)
            } else {
                Found::Several(ids)
            });
        };
        let Some((artifact, session, turn)) = artifact(view, one)? else {
            return Ok(Found::Nothing(Vec::new()));
        };
        let mut sources: Vec<(String, Json)> = Vec::new();
        let select =
            "SELECT relation, audit.entry FROM relations JOIN audit ON audit.id = relations.entry
                      WHERE artifact = ?1 ORDER BY number";
        let mut select = view.prepare(select)?;
        let mut rows = select.query([one])?;
        while let Some(row) = rows.next()? {
            sources.push((row.get(0)?, json_of(&row.get::<_, String>(1)?)));
        }
        let written =
            "SELECT entry FROM audit WHERE session = ?1 AND json_extract(entry, '$.turn') = ?2
                       AND json_extract(entry, '$.what.artifact') = ?3 ORDER BY number LIMIT 1";
        let written = view
            .query_row(written, (&session, turn, one), |row| {
                row.get::<_, String>(0)
            })
            .optional()?;
        let submitted = sources
            .iter()
            .find(|(relation, _)| relation == "task")
            .map(|(_, entry)| entry.clone());
        Ok(Found::One(Box::new(Self {
            origin: origin(view, submitted)?,
            written: written.as_deref().map(json_of),
            artifact,
            session,
            turn,
            sources,
        })))
    }
}

/// The causes of a task: its submission, the cause of the submission, and so on.
fn origin(view: &Connection, submitted: Option<Json>) -> Result<Vec<Json>, Error> {
    let mut origin: Vec<Json> = submitted.into_iter().collect();
    while let Some(last) = origin
        .last()
        .filter(|_| origin.len() < MAX_PROVENANCE_LINKS)
    {
        let Some(next) = before(view, last)? else {
            break;
        };
        // The causes are circular.
        if origin.contains(&next) {
            break;
        }
        origin.push(next);
    }
    Ok(origin)
}

/// The cause of an entry. The cause of a submission is the observation or task that it names. The cause of an
/// observation in a task is the submission of the task.
fn before(view: &Connection, entry: &Json) -> Result<Option<Json>, Error> {
    let text = |pointer: &str| entry.pointer(pointer).and_then(Json::as_str);
    let number = entry.get("number").and_then(Json::as_i64).unwrap_or(0);
    let find = |column: &str, value: &str| {
        // The latest earlier entry with this name.
        let select = format!(
            "SELECT entry FROM audit WHERE {column} = ?1 AND number < ?2 ORDER BY number DESC LIMIT 1"
        );
        let entry = view
            .query_row(&select, (value, number), |row| row.get::<_, String>(0))
            .optional()?;
        Ok::<_, Error>(entry.as_deref().map(json_of))
    };
    if let Some(cause) = text("/what/begun_by") {
        return Ok(find("observation", cause)?.or(find("submitted", cause)?));
    }
    match (text("/kind"), text("/task")) {
        (Some("observed"), Some(task)) => find("submitted", task),
        _ => Ok(None),
    }
}

fn json_of(text: &str) -> Json {
    serde_json::from_str(text).unwrap_or(Json::Null)
}

/// IDs with this prefix.
fn ids_with_prefix(view: &Connection, id: &str) -> Result<Vec<String>, Error> {
    let select =
        "SELECT id FROM artifacts WHERE substr(id, 1, length(?1)) = ?1 AND sequence IS NOT NULL
                  ORDER BY sequence LIMIT ?2";
    view.prepare(select)?
        .query_map((id.to_lowercase(), MAX_LISTED_IDS), |row| row.get(0))?
        .collect()
}

/// The IDs of the artifacts that were shared last.
fn latest(view: &Connection) -> Result<Vec<String>, Error> {
    let select = "SELECT id FROM artifacts WHERE sequence IS NOT NULL AND kind <> 'episodic'
                  ORDER BY sequence DESC LIMIT ?1";
    view.prepare(select)?
        .query_map([MAX_LISTED_IDS], |row| row.get(0))?
        .collect()
}
