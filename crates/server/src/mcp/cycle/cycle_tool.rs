//! The tools of a cycle: their names, what they are for, and what they take.

use rmcp::model::{JsonObject, Tool, ToolAnnotations};
use serde_json::{Value as Json, json};
use strum::{EnumString, IntoStaticStr, VariantArray};

/// The tools of a cycle.
#[derive(Clone, Copy, Debug, PartialEq, Eq, EnumString, IntoStaticStr, VariantArray)]
#[strum(serialize_all = "snake_case")]
pub(super) enum CycleTool {
    SubmitTask,
    Tick,
    Stream,
    TaskStatus,
    Observe,
    Approve,
    Cancel,
    SearchMemory,
    Why,
    Audit,
}

impl CycleTool {
    pub(super) fn name(self) -> &'static str {
        self.into()
    }

    /// Whether it changes nothing.
    pub(super) fn is_read_only(self) -> bool {
        matches!(
            self,
            Self::TaskStatus | Self::SearchMemory | Self::Why | Self::Audit
        )
    }

    fn description(self) -> &'static str {
        match self {
            Self::SubmitTask => {
                "Begins a task: memory is asked, then it waits for the work of its first node. With `run` it is driven to its end at once."
            }
            Self::Tick => {
                "The work of one node of a task: `output` is what it comes to, under the names that task_status gives as `waits_for`. Without `output` whoever works for the server is asked."
            }
            Self::Stream => {
                "Follows a task to its end, and drives it there where somebody works for the server. Each turn is told as progress, if asked for."
            }
            Self::TaskStatus => {
                "Where a task is: phase, status, plan, pending subtasks, whose work is next and what is known to it, what went wrong. Without `task_id` all tasks, in few words."
            }
            Self::Observe => {
                "Takes an observation, of a task or of none. It writes no memory; with `starts` it begins a task that looks into it."
            }
            Self::Approve => {
                "Lets a capability of high risk pass in a task from now on, in somebody's name."
            }
            Self::Cancel => "Ends a task; what it did is taken back as far as that goes.",
            Self::SearchMemory => {
                "What is known, by its words: semantic and procedural memory of all tasks, and with `task_id` what that task remembers of itself."
            }
            Self::Why => {
                "Why something is known: the task, the plan, the tests and the report that it comes from, and what began it."
            }
            Self::Audit => {
                "What tasks did, entry by entry, how far the chain of entries goes, and whether it is whole."
            }
        }
    }

    /// The schema of what it takes.
    pub(super) fn schema(self) -> Json {
        let (properties, required): (Json, &[&str]) = match self {
            Self::SubmitTask => (
                json!({
                    "description": {"type": "string", "minLength": 1, "maxLength": 10000, "description": "What is to be done."},
                    "task_id": task_id("The id of the task: letters, digits, `-`, `_` and `.`. Without it one is derived."),
                    "deadline": time("When it has to be done. A tick that comes later, by its `at`, ends the task."),
                    "begun_by": {"type": "string", "minLength": 1, "maxLength": 200, "description": "What began it: an observation or a task, by its id."},
                    "run": {"type": "boolean", "description": "Drive it to its end, where somebody works for the server."},
                    "at": time("The time now."),
                }),
                &["description"],
            ),
            Self::Tick => (
                json!({
                    "task_id": task_id("The task."),
                    "output": {"type": ["string", "object"], "description": "What the work comes to: an object, or a text for the first name that the node brings."},
                    "at": time("The time now."),
                }),
                &["task_id"],
            ),
            Self::Stream => (
                json!({
                    "task_id": task_id("The task."),
                    "turns": {"type": "integer", "minimum": 1, "maximum": 1000, "description": "Turns that are driven at most: 100 unless said."},
                    "wait_s": {"type": "integer", "minimum": 0, "maximum": 600, "description": "Where nobody works for the server: seconds to wait for the next turn, 60 unless said."},
                    "at": time("The time now."),
                }),
                &["task_id"],
            ),
            Self::TaskStatus => (
                json!({"task_id": task_id("The task; without it, all of them.")}),
                &[],
            ),
            Self::Observe => (
                json!({
                    "source": {"type": "string", "minLength": 1, "maxLength": 200, "description": "Who observed it."},
                    "category": {"enum": ["system", "environment", "temporal"], "description": "Of what kind it is."},
                    "signal": {"type": "string", "minLength": 1, "maxLength": 1000, "description": "What was observed."},
                    "confidence": {"type": "number", "minimum": 0, "maximum": 1, "description": "How sure that is."},
                    "starts": {"type": "boolean", "description": "Begin a task that looks into it."},
                    "metadata": {"type": "object", "description": "What else there is to say of it."},
                    "observation_id": {"type": "string", "minLength": 1, "maxLength": 200, "description": "Its id. Without it one is derived."},
                    "task_id": task_id("The task that it is about; without it, none in particular."),
                    "at": time("When it was observed."),
                }),
                &["source", "category", "signal", "confidence"],
            ),
            Self::Approve => (
                json!({
                    "task_id": task_id("The task."),
                    "capability": {"type": "string", "minLength": 1, "maxLength": 200, "description": "What may be done."},
                    "by": {"type": "string", "minLength": 1, "maxLength": 200, "description": "Who approves it."},
                    "at": time("The time now."),
                }),
                &["task_id", "capability", "by"],
            ),
            Self::Cancel => (
                json!({"task_id": task_id("The task."), "at": time("The time now.")}),
                &["task_id"],
            ),
            Self::SearchMemory => (
                json!({
                    "query": {"type": "string", "minLength": 1, "maxLength": 1000, "description": "The words that are looked for, in any form."},
                    "kinds": {"type": "array", "maxItems": 2, "items": {"enum": ["semantic", "procedural"]}, "description": "Of which kinds; both, unless said."},
                    "task_id": task_id("Also what this task remembers of itself."),
                }),
                &["query"],
            ),
            Self::Why => (
                json!({"artifact": {"type": "string", "minLength": 4, "maxLength": 100, "description": "The id of what is known, or its beginning."}}),
                &["artifact"],
            ),
            Self::Audit => (
                json!({
                    "task_id": task_id("The entries of this task; without it, all."),
                    "behind": {"type": "integer", "minimum": 0, "description": "The entries behind this number."},
                    "most": {"type": "integer", "minimum": 1, "maximum": 1000, "description": "Entries at most: 100 unless said."},
                }),
                &[],
            ),
        };
        json!({"type": "object", "properties": properties, "required": required, "additionalProperties": false})
    }

    /// The tool as it is listed.
    pub(super) fn tool(self) -> Tool {
        let schema = match self.schema() {
            Json::Object(schema) => schema,
            _ => JsonObject::new(),
        };
        let reads = self.is_read_only();
        let annotations = ToolAnnotations::new().read_only(reads).open_world(false);
        let annotations = if reads {
            annotations
        } else {
            annotations.destructive(self == Self::Cancel)
        };
        Tool::new(self.name(), self.description(), schema).with_annotations(annotations)
    }
}

fn task_id(description: &str) -> Json {
    json!({"type": "string", "pattern": "^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$", "description": description})
}

fn time(description: &str) -> Json {
    json!({"type": "string", "maxLength": 64, "description": format!("{description} As RFC 3339 writes it: 2026-01-31T18:00:00Z.")})
}
