//! The tool of a model, and its states as resources.

use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, utf8_percent_encode};
use rmcp::model::{Resource, ResourceContents, Tool};

use super::served_tool::ServedTool;
use fsmsim_core::engine::Machine;

/// The tool and the resources of a model.
pub(super) struct Resources {
    pub name: String,
    /// The instructions that a client receives from the server.
    pub introduction: String,
    pub tool: Tool,
    /// The texts: the base instructions, then the instructions of all states in order.
    texts: Vec<(Resource, String)>,
}

const MARKDOWN: &str = "text/markdown";
/// Characters that a resource URI does not escape.
const PLAIN: &AsciiSet = &NON_ALPHANUMERIC.remove(b'_').remove(b'-').remove(b'.');

impl Resources {
    /// The tool and the resources of a machine. Set `is_read` if a recognizer reads utterances.
    pub(super) fn of(machine: &Machine, is_read: bool) -> Self {
        let mut texts = Vec::new();
        let guidance = machine.policies.guidance();
        if let Some(guidance) = guidance.filter(|guidance| !guidance.base.is_empty()) {
            let resource = Resource::new("fsmsim://instructions", "instructions")
                .with_description("Instructions for every state")
                .with_mime_type(MARKDOWN);
            texts.push((resource, guidance.base.to_string()));
        }
        for (id, _) in machine.declared_states() {
            let Some(guide) = machine.guide(id) else {
                continue;
            };
            let name = machine.names.states.name(id);
            let address = format!("fsmsim://states/{}", utf8_percent_encode(name, PLAIN));
            let mut resource = Resource::new(address, name).with_mime_type(MARKDOWN);
            if !guide.triggers.is_empty() {
                resource = resource.with_description(guide.triggers.join("; "));
            }
            texts.push((resource, guide.instruction.to_string()));
        }
        let tool = ServedTool::of(machine);
        let name = machine.header.name.clone();
        let introduction = tool.description(machine);
        Self {
            name,
            introduction,
            tool: tool.tool(machine, is_read),
            texts,
        }
    }

    /// Whether there are no texts. Only Markdown states have texts.
    pub(super) fn is_empty(&self) -> bool {
        self.texts.is_empty()
    }

    pub(super) fn resources(&self) -> Vec<Resource> {
        self.texts
            .iter()
            .map(|(resource, _)| resource.clone())
            .collect()
    }

    /// The contents of a resource.
    pub(super) fn read(&self, address: &str) -> Option<ResourceContents> {
        let (_, text) = self
            .texts
            .iter()
            .find(|(resource, _)| resource.uri == address)?;
        Some(ResourceContents::text(text, address).with_mime_type(MARKDOWN))
    }
}
