//! What the server offers: the tool, and the states as resources.

use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, utf8_percent_encode};
use rmcp::model::{JsonObject, Resource, ResourceContents, Tool, ToolAnnotations};
use serde_json::{Value as Json, json};

use super::call::TOOL;
use super::tool_reply::ToolReply;
use crate::engine::Machine;

/// What the server offers.
pub(super) struct Resources {
    /// The name of the machine.
    pub(super) name: String,
    /// What an assistant is told of the server as a whole.
    pub(super) introduction: String,
    /// The tool.
    pub(super) tool: Tool,
    /// The texts: the base layer, then the states in their order.
    texts: Vec<(Resource, String)>,
}

/// What the text of a state is written in.
const MARKDOWN: &str = "text/markdown";
/// What stands as it is in an address.
const PLAIN: &AsciiSet = &NON_ALPHANUMERIC.remove(b'_').remove(b'-').remove(b'.');

impl Resources {
    /// What a machine with instructions offers.
    pub(super) fn of(machine: &Machine) -> Self {
        let mut texts = Vec::new();
        let instructions = machine.instructions();
        if let Some(instructions) = instructions.filter(|instructions| !instructions.base.is_empty()) {
            let resource = Resource::new("fsmsim://instructions", "instructions")
                .with_description("What holds in every state")
                .with_mime_type(MARKDOWN);
            texts.push((resource, instructions.base.to_string()));
        }
        for (id, _) in machine.declared_states() {
            let Some(guide) = instructions.and_then(|instructions| instructions.of(id)) else { continue };
            let name = machine.names.states.name(id);
            let address = format!("fsmsim://states/{}", utf8_percent_encode(name, PLAIN));
            let mut resource = Resource::new(address, name).with_mime_type(MARKDOWN);
            if !guide.triggers.is_empty() {
                resource = resource.with_description(guide.triggers.join("; "));
            }
            texts.push((resource, guide.instruction.to_string()));
        }
        let name = machine.header.name.clone();
        let introduction = format!(
            "The dialogue `{name}` is led state by state. Call {TOOL} before you answer the user for the first time, do what \
             it says, and call {TOOL}(state) whenever the dialogue goes on to another state."
        );
        Self { name, introduction, tool: tool(), texts }
    }

    /// The resources.
    pub(super) fn resources(&self) -> Vec<Resource> {
        self.texts.iter().map(|(resource, _)| resource.clone()).collect()
    }

    /// What stands at an address.
    pub(super) fn read(&self, address: &str) -> Option<ResourceContents> {
        let (_, text) = self.texts.iter().find(|(resource, _)| resource.uri == address)?;
        Some(ResourceContents::text(text, address).with_mime_type(MARKDOWN))
    }
}

fn tool() -> Tool {
    let text = |description: &str| json!({"type": "string", "description": description});
    let input = json!({
        "type": "object",
        "properties": {
            "state": text("The state to go to. Without it you are told what holds in the state as it is."),
            "session": text("The session that the last answer named. Without it a new dialogue begins, unless this connection has one."),
        },
        "additionalProperties": false,
    });
    Tool::new(
        TOOL,
        "What to do in the state in which the dialogue is, and where it leads; with a state, goes there first.",
        object(input),
    )
    .with_raw_output_schema(object(ToolReply::schema()).into())
    .with_annotations(ToolAnnotations::new().read_only(false).destructive(false).open_world(false))
}

fn object(value: Json) -> JsonObject {
    match value {
        Json::Object(object) => object,
        _ => JsonObject::new(),
    }
}
