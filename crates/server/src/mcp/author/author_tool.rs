//! What an author can call.

use rmcp::model::{JsonObject, Tool, ToolAnnotations};
use serde_json::{Value as Json, json};
use strum::{EnumString, IntoStaticStr, VariantArray};

/// What an author can call.
#[derive(Clone, Copy, Debug, PartialEq, Eq, EnumString, IntoStaticStr, VariantArray)]
#[strum(serialize_all = "snake_case")]
pub(super) enum AuthorTool {
    Models,
    Scenarios,
    Lint,
    Explain,
    Graph,
    Conditions,
    Play,
    Why,
    WhyNot,
    SaveScenario,
    Test,
    Coverage,
    Diff,
    Schema,
}

impl AuthorTool {
    pub(super) fn name(self) -> &'static str {
        self.into()
    }

    /// What it does: this alone is what every client shows its model.
    fn description(self) -> &'static str {
        match self {
            Self::Models => "Lists the models of the project, by path.",
            Self::Scenarios => {
                "Lists the scenarios that would run, by address, without running them."
            }
            Self::Lint => {
                "Checks models: what is wrong with them, and what is probably not meant, each with file, line, column and what to \
                 do. Without `models`, all of the project. Call it after each edit."
            }
            Self::Explain => {
                "Tells what the code of a finding means (FS0101), what something built in is (`unclear_escalates`, `StallGuard`), \
                 or lists a kind: intents, categories, conditions, flags, limits, sources, states, actions, signals. Without \
                 `name`, all codes."
            }
            Self::Graph => {
                "Draws a model, as text: each state with its ways out; or for Mermaid, for Graphviz, or as JSON."
            }
            Self::Conditions => {
                "The vocabulary of a model, with what each word means: its conditions, or another `kind`. Of a `session`, what the \
                 conditions say where the dialogue is, and what they looked at."
            }
            Self::Play => {
                "Plays turns of a dialogue. With `model` one begins, with `session` it goes on; `undo` takes turns back first. Each \
                 turn tells where it led, with which action and class, what was said, and why. An edit of the model between two \
                 calls is seen: the dialogue is played again on it, and what went otherwise is told."
            }
            Self::Why => {
                "Why a turn of a session went as it did: the rules that decided, with file and line, the proposals that lost, what \
                 conditions came to, what changed in the data."
            }
            Self::WhyNot => {
                "What could have been said instead of the last turn, so that the dialogue goes to a state, or to an action: the \
                 fewest lines that do, or that none do."
            }
            Self::SaveScenario => {
                "Keeps what was played in a session as a scenario, which expects of each turn what happened, and runs it. Where \
                 the server may not write, the text is told, to be written by other means."
            }
            Self::Test => {
                "Runs scenarios, and tells what they came to: the report that `fsmsim test --check --report json` writes. No live \
                 model is asked, and nothing is written."
            }
            Self::Coverage => {
                "Runs scenarios, and tells to what of the models they come: shares by kind, and what is missed, with file and line."
            }
            Self::Diff => {
                "Plays the scenarios of two models, or of one model now and in a revision of git, and tells which dialogues go \
                 otherwise, and by which edit."
            }
            Self::Schema => {
                "The JSON Schema of a format (flow, scenario, trace, …). Without `name`, which there are."
            }
        }
    }

    /// The schema of what it takes.
    pub(super) fn schema(self) -> Json {
        let (properties, required): (Json, &[&str]) = match self {
            Self::Models => (json!({}), &[]),
            Self::Lint => (
                json!({
                    "models": paths("Models, or folders with some, by path from the project; `PATH@PROFILE` fixes the profile."),
                    "profile": profile(),
                    "permissive": {"type": "boolean", "description": "Say nothing of moves that no state declares."},
                    "limit": limit(100),
                    "cursor": cursor(),
                }),
                &[],
            ),
            Self::Explain => (
                json!({"name": text("A code, the name of something built in, or a kind of it."), "cursor": cursor()}),
                &[],
            ),
            Self::Graph => (
                json!({
                    "model": model(),
                    "profile": profile(),
                    "format": {"enum": ["text", "mermaid", "dot", "json"], "description": "What it is drawn with: text unless said."},
                    "all": {"type": "boolean", "description": "All states, also where there are so many that their phases would be drawn."},
                    "cursor": cursor(),
                }),
                &["model"],
            ),
            Self::Conditions => (
                json!({
                    "model": model(),
                    "profile": profile(),
                    "session": session(),
                    "kind": {"enum": ["conditions", "intents", "slots", "states", "actions", "phases"], "description": "Words of which kind: conditions unless said."},
                    "find": text("Only those with this text in their name."),
                    "limit": limit(100),
                    "cursor": cursor(),
                }),
                &[],
            ),
            Self::Play => (played(), &[]),
            Self::Why => (
                json!({
                    "session": session(),
                    "turn": {"type": "integer", "minimum": 1, "maximum": 1000, "description": "The number of the turn; the last one unless said."},
                    "record": {"type": "boolean", "description": "Tell the whole record of the turn too."},
                }),
                &["session"],
            ),
            Self::WhyNot => (
                json!({"session": session(), "to": text("A state or an action of the model.")}),
                &["session", "to"],
            ),
            Self::SaveScenario => (
                json!({
                    "session": session(),
                    "title": text("What happens in it, in a few words."),
                    "file": text("The file, from the folder of the scenarios: NAME.yaml, FOLDER/NAME.yaml, or NAME.md for a transcript."),
                    "replace": {"type": "boolean", "description": "Write over a file that is there."},
                }),
                &["session", "title", "file"],
            ),
            Self::Scenarios | Self::Test => (
                json!({"paths": paths(SCENARIOS), "filter": filter(), "limit": limit(200), "cursor": cursor()}),
                &[],
            ),
            Self::Coverage => (
                json!({
                    "paths": paths(SCENARIOS),
                    "filter": filter(),
                    "model": text("Only this model, by its path from the project."),
                    "kind": text("Only what is missed of this kind: states, transitions, rules, …"),
                    "limit": limit(200),
                    "cursor": cursor(),
                }),
                &[],
            ),
            Self::Diff => (
                json!({
                    "a": text("A model, by path from the project; `git:REVISION:PATH` is what it was in a revision, `git:REVISION` the other side in that revision."),
                    "b": text("The same, to compare with."),
                    "paths": paths("Scenarios over which they are compared; without any, those of the project."),
                    "profile": profile(),
                    "limit": limit(50),
                    "cursor": cursor(),
                }),
                &["a", "b"],
            ),
            Self::Schema => (
                json!({"name": text("The format."), "cursor": cursor()}),
                &[],
            ),
        };
        json!({"type": "object", "properties": properties, "required": required, "additionalProperties": false})
    }

    /// The schema of the parts that it answers, where it answers in parts.
    pub(super) fn output(self) -> Option<Json> {
        let strings = json!({"type": "array", "items": {"type": "string"}});
        let objects = json!({"type": "array", "items": {"type": "object"}});
        let maybe = json!({"type": ["string", "null"]});
        let (properties, required): (Json, &[&str]) = match self {
            Self::Models => (
                json!({"models": strings, "scenarios": {"type": "string"}}),
                &["models", "scenarios"],
            ),
            Self::Scenarios => (
                json!({"scenarios": objects, "next": maybe}),
                &["scenarios", "next"],
            ),
            Self::Lint => (
                json!({
                    "errors": {"type": "integer"},
                    "warnings": {"type": "integer"},
                    "models": {"type": "integer"},
                    "findings": objects,
                    "next": maybe,
                }),
                &["errors", "warnings", "models", "findings", "next"],
            ),
            Self::Conditions => (
                json!({"kind": {"type": "string"}, "words": objects, "next": maybe}),
                &["kind", "words", "next"],
            ),
            Self::Play => (
                json!({
                    "session": {"type": "string"},
                    "model": {"type": "string"},
                    "profile": {"type": "string"},
                    "turns": objects,
                    "here": {"type": "object"},
                    "notes": strings,
                    "stopped": maybe,
                }),
                &[
                    "session", "model", "profile", "turns", "here", "notes", "stopped",
                ],
            ),
            Self::Why => (
                json!({
                    "session": {"type": "string"},
                    "turn": {"type": "integer"},
                    "why": {"type": "string"},
                    "rules": objects,
                    "lost": strings,
                    "rejected": objects,
                    "conditions": objects,
                    "data": objects,
                }),
                &[
                    "session",
                    "turn",
                    "why",
                    "rules",
                    "lost",
                    "rejected",
                    "conditions",
                    "data",
                ],
            ),
            Self::WhyNot => (
                json!({
                    "to": {"type": "string"},
                    "told": {"type": "string"},
                    "lines": {"type": ["array", "null"], "items": {"type": "string"}},
                    "undo": {"type": "boolean"},
                }),
                &["to", "told", "lines", "undo"],
            ),
            Self::SaveScenario => (
                json!({
                    "written": {"type": "boolean"},
                    "file": {"type": "string"},
                    "address": {"type": "string"},
                    "text": {"type": "string"},
                    "verdict": maybe,
                    "reason": maybe,
                    "failures": objects,
                    "findings": objects,
                }),
                &[
                    "written", "file", "address", "text", "verdict", "reason", "failures",
                    "findings",
                ],
            ),
            Self::Test => (
                json!({
                    "fsmsim_report": {"type": "integer"},
                    "kind": {"const": "test"},
                    "scenarios": objects,
                    "findings": objects,
                    "next": {"type": "string", "description": "There are more scenarios behind this cursor."},
                }),
                &["fsmsim_report", "kind", "scenarios", "findings"],
            ),
            Self::Coverage => (
                json!({"models": objects, "missed": objects, "findings": objects, "next": maybe}),
                &["models", "missed", "findings", "next"],
            ),
            Self::Diff => (
                json!({
                    "same": {"type": "boolean"},
                    "dialogues": {"type": "object"},
                    "causes": objects,
                    "differences": objects,
                    "next": maybe,
                }),
                &["same", "dialogues", "causes", "differences", "next"],
            ),
            Self::Explain | Self::Graph | Self::Schema => return None,
        };
        Some(json!({"type": "object", "properties": properties, "required": required}))
    }

    /// The tool as it is listed.
    pub(super) fn tool(self, writes: bool) -> Tool {
        let annotations = match self {
            Self::SaveScenario if writes => ToolAnnotations::new()
                .read_only(false)
                .destructive(true)
                .idempotent(false),
            // It writes no file, but each call moves a dialogue.
            Self::Play => ToolAnnotations::new()
                .read_only(false)
                .destructive(false)
                .idempotent(false),
            _ => ToolAnnotations::new()
                .read_only(true)
                .destructive(false)
                .idempotent(true),
        };
        // Only a live model may be asked, and that only where the user has agreed to it.
        let annotations = annotations.open_world(self == Self::Play);
        let tool = Tool::new(self.name(), self.description(), object(self.schema()))
            .with_annotations(annotations);
        match self.output() {
            Some(output) => tool.with_raw_output_schema(object(output).into()),
            None => tool,
        }
    }
}

/// What is taken by `play`.
fn played() -> Json {
    json!({
        "model": text("Begins a dialogue of this model, by its path from the project; `PATH@PROFILE` fixes the profile."),
        "profile": profile(),
        "start": {"type": "object", "description": "How the dialogue starts, as under `start` of a scenario: {\"state\": …, \"data\": {…}}."},
        "from": {"type": "string", "minLength": 1, "maxLength": 4000, "description": "Plays the turns of a scenario first: FILE::TITLE, or FILE::TITLE@3 for its first three turns."},
        "ask": text("Who reads plain text in a new dialogue: `bank`, the examples of the model; `mock:FILE`; or `live`, the models of the project, where the user has agreed to that."),
        "session": text("Goes on with this dialogue, as an earlier answer named it."),
        "undo": {"type": "integer", "minimum": 1, "maximum": 500, "description": "Takes so many turns back first."},
        "turns": {
            "type": "array",
            "maxItems": 100,
            "description": "The turns, one after the other. An object as in a scenario: {\"intent\": \"price_question\", \"say\": \"How much?\", \"data\": {\"company_size\": 50}}, {\"say\": …} where somebody reads text, {\"goto\": STATE} for states in markdown, {\"open\": true} and other events. Or a line: `How much? / price_question company_size=50`; `:set slot=value` and `:go STATE` change the dialogue by hand.",
            "items": {"type": ["object", "string"]},
        },
        "records": {"type": "boolean", "description": "Tell the whole record of each turn too."},
    })
}

const SCENARIOS: &str = "Files and folders of scenarios, or scenarios as FILE::TITLE; without any, the folder of the project's scenarios.";

fn text(description: &str) -> Json {
    json!({"type": "string", "minLength": 1, "maxLength": 2000, "description": description})
}

fn paths(description: &str) -> Json {
    json!({"type": "array", "maxItems": 200, "items": {"type": "string", "minLength": 1, "maxLength": 4000}, "description": description})
}

fn model() -> Json {
    text("The model, by its path from the project; `PATH@PROFILE` fixes the profile.")
}

fn profile() -> Json {
    text("The profile.")
}

fn session() -> Json {
    text("The dialogue, as play named it.")
}

fn filter() -> Json {
    text(
        "Only scenarios for which this holds, as behind `fsmsim test -E`: `tag(smoke) & !model(bant*)`, `title(~price)`, `changed(HEAD)`.",
    )
}

fn limit(usual: u32) -> Json {
    json!({"type": "integer", "minimum": 1, "maximum": 1000, "description": format!("So many at most: {usual} unless said.")})
}

fn cursor() -> Json {
    json!({"type": "string", "pattern": "^[0-9]{1,9}$", "description": "Goes on behind an earlier answer, by its `next`."})
}

fn object(value: Json) -> JsonObject {
    match value {
        Json::Object(object) => object,
        _ => JsonObject::new(),
    }
}
