//! Why something is known: from what an artifact comes, back to what began its task.

use rusqlite::{Connection, Error, OptionalExtension};
use serde_json::Value as Json;

use super::artifact::Artifact;
use super::memory_file::MemoryFile;
use super::sqlite_memory::artifact;
use crate::limits::{MAX_LISTED_IDS, MAX_PROVENANCE_LINKS};
use fsmsim_syntax::diagnostic::Checked;

/// Why something is known. Entries are those of the audit, as it tells them.
#[derive(Clone, Debug, PartialEq)]
pub struct Explanation {
    /// What is known.
    pub artifact: Artifact,
    /// The dialogue in which it was written.
    pub session: String,
    pub turn: u32,
    /// The entry that tells so.
    pub written: Option<Json>,
    /// From what it comes, each by what that is to it, in the order in which it happened.
    pub sources: Vec<(String, Json)>,
    /// What began the task, the last first: its submission, the observation or the task behind that, and so on.
    pub origin: Vec<Json>,
}

/// What is found under an id.
#[derive(Clone, Debug, PartialEq)]
pub enum Found {
    /// This.
    One(Box<Explanation>),
    /// Several begin so.
    Several(Vec<String>),
    /// Nothing; these were shared last.
    Nothing(Vec<String>),
}

/// Letters of an id that its beginning has at least.
const LEAST_LETTERS: usize = 4;

impl Explanation {
    /// Explains the artifact of an id, or of the beginning of one.
    pub fn find(file: &MemoryFile, id: &str) -> Checked<Found> {
        let mut connection = file.look_into()?;
        let found = connection
            .transaction()
            .and_then(|view| Self::look(&view, id));
        found.map_err(|error| file.finding(&error).into())
    }

    fn look(view: &Connection, id: &str) -> Result<Found, Error> {
        let ids = if id.len() < LEAST_LETTERS {
            Vec::new()
        } else {
            beginning_with(view, id)?
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

/// What began a task: its submission, what that names, and so on.
fn origin(view: &Connection, submitted: Option<Json>) -> Result<Vec<Json>, Error> {
    let mut origin: Vec<Json> = submitted.into_iter().collect();
    while let Some(last) = origin
        .last()
        .filter(|_| origin.len() < MAX_PROVENANCE_LINKS)
    {
        let Some(next) = before(view, last)? else {
            break;
        };
        // What names what began it and so on leads nowhere where it leads back.
        if origin.contains(&next) {
            break;
        }
        origin.push(next);
    }
    Ok(origin)
}

/// What stands before an entry: for a submission what it says that it was begun by, an observation or a task; for an observation
/// in a task the submission of that.
fn before(view: &Connection, entry: &Json) -> Result<Option<Json>, Error> {
    let text = |pointer: &str| entry.pointer(pointer).and_then(Json::as_str);
    let number = entry.get("number").and_then(Json::as_i64).unwrap_or(0);
    let find = |column: &str, value: &str| {
        // The latest one that it can have meant.
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

/// Ids that begin so.
fn beginning_with(view: &Connection, id: &str) -> Result<Vec<String>, Error> {
    let select =
        "SELECT id FROM artifacts WHERE substr(id, 1, length(?1)) = ?1 AND sequence IS NOT NULL
                  ORDER BY sequence LIMIT ?2";
    view.prepare(select)?
        .query_map((id.to_lowercase(), MAX_LISTED_IDS), |row| row.get(0))?
        .collect()
}

/// The ids of what was shared last.
fn latest(view: &Connection) -> Result<Vec<String>, Error> {
    let select = "SELECT id FROM artifacts WHERE sequence IS NOT NULL AND kind <> 'episodic'
                  ORDER BY sequence DESC LIMIT ?1";
    view.prepare(select)?
        .query_map([MAX_LISTED_IDS], |row| row.get(0))?
        .collect()
}
