//! A state set whose turns write two documents and request two messages, and queries of its saved sessions.

use rusqlite::{Connection, OptionalExtension};

use crate::support::{Invocation, Project};

/// The start of its dialogues: the user has consented to reading and writing data.
pub(super) const AGREED: &str = "{consent: {read: true, write: true}}";

/// A project with the state set.
pub(super) fn diary() -> Project {
    let state = |name: &str, other: &str| {
        format!(
            "---\nwrites: note\n---\n# State: {name}\n\n## Transitions\n- `{other}`\n\n## Degradation\nDo without.\n"
        )
    };
    let schema =
        r#"{"type": "object", "properties": {"text": {"type": "string"}}, "required": ["text"]}"#;
    let moves =
        "{sets: {page: {slot: note}}, effects: [keep], says: [{phrase: first}, {phrase: second}]}";
    let contract = format!(
        "effects:\n  keep: {{does: write, schema: page}}\nmoves:\n  a: {{b: {moves}}}\n  b: {{a: {moves}}}\n"
    );
    Project::new()
        .file(
            "diary/states/init.md",
            "# State: init\n\n## Transitions\n- `a`\n- `b`\n",
        )
        .file("diary/states/a.md", state("a", "b"))
        .file("diary/states/b.md", state("b", "a"))
        .file("diary/schemas/note.json", schema)
        .file("diary/schemas/page.json", schema)
        .file("diary/contract.yaml", contract)
}

/// Runs the state set interactively in a named session.
pub(super) fn play(project: &Project, name: &str, more: &[&str]) -> Invocation {
    project
        .fsmsim(["run", "diary", "--start", AGREED, "--session", name])
        .args(more)
}

/// A separate connection to the session store of the project.
pub(crate) fn store(project: &Project) -> Connection {
    Connection::open(project.path().join(".fsmsim/sessions.sqlite")).unwrap()
}

/// The saved progress of a session.
#[derive(Debug, Default, PartialEq)]
pub(crate) struct Kept {
    /// Number of complete turns.
    pub(crate) turns: usize,
    /// Input line of the interrupted turn.
    pub(crate) line: Option<String>,
    /// Saved answers of that turn: kind of need, kind of effect, number.
    pub(crate) answers: Vec<(String, String, u32)>,
}

/// Reads the saved progress of a session.
pub(crate) fn kept(project: &Project, name: &str) -> Kept {
    if !project.path().join(".fsmsim/sessions.sqlite").exists() {
        return Kept::default();
    }
    let store = store(project);
    let turns = store.query_row(
        "SELECT turns FROM sessions WHERE name = ?1",
        [name],
        |row| row.get::<_, u32>(0),
    );
    // A process that was killed early has not created the tables yet.
    let Ok(turns) = turns.optional() else {
        return Kept::default();
    };
    let line = store.query_row(
        "SELECT line FROM progress WHERE session = ?1",
        [name],
        |row| row.get(0),
    );
    let answers = store
        .prepare("SELECT need, effect, number FROM answers WHERE session = ?1 ORDER BY position")
        .unwrap()
        .query_map([name], |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?)))
        .unwrap()
        .map(Result::unwrap)
        .collect();
    Kept {
        turns: turns.unwrap_or(0) as usize,
        line: line.optional().unwrap(),
        answers,
    }
}
