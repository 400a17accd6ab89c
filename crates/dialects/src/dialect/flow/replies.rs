//! Reads `replies:`, the texts for the actions of a flow (docs/src/how-to/write-replies.md).

use std::sync::Arc;

use crate::dialect::condition::Conditions;
use fsmsim_core::machine::{
    MachineBuilder, Op, OpKind, Origin, OriginId, Speech, TemplatePiece, TextTemplate, Value,
};
use fsmsim_syntax::diagnostic::{Code, Diagnostic, Diagnostics, Span};
use fsmsim_syntax::document::{Content, Fields, Key, Node, text_of};
use fsmsim_syntax::shapes;

/// A reader of the texts for actions. All names of the flow must already be declared.
pub(super) struct ReplyReader<'r, 'a> {
    pub conditions: &'r mut Conditions<'a>,
    pub builder: &'r mut MachineBuilder,
    pub found: &'r mut Diagnostics,
    /// The variables of the flow. They are filled during compilation; other placeholders are filled at run time.
    pub variables: &'a [(Key, Node)],
}

impl<'a> ReplyReader<'_, 'a> {
    /// Reads a map of actions, each with a text or a list of texts.
    pub(super) fn read(&mut self, replies: &'a [(Key, Node)]) {
        let origin = self.builder.origin(Origin::default());
        for (key, node) in replies {
            let Some(action) = self.builder.names.actions.id(&key.text) else {
                Diagnostic::warning(
                    Code::UnusedReply,
                    format!("unknown action `{}` in a reply", key.text),
                )
                .at(key.span, "never used")
                .near(
                    &key.text,
                    self.builder.names.actions.iter(),
                    "use an action of a rule, or remove the reply",
                )
                .add_to(self.found);
                continue;
            };
            if node.items().is_empty() {
                Diagnostic::error(
                    Code::BadEffect,
                    format!("missing text in the reply to `{}`", key.text),
                )
                .at(node.span, "empty")
                .help("write a string, or a list of strings; the first one without missing values is used")
                .add_to(self.found);
            }
            let ops: Vec<Op> = node
                .items()
                .iter()
                .filter_map(|item| self.text(item, &key.text, origin))
                .collect();
            let rule = self.builder.rule(key.span, origin);
            self.builder.give_ops(rule, ops);
            self.builder.replies.insert(action, rule);
        }
    }

    /// Reads a text: a string, or `{text: TEXT, phrase: true, when: CONDITION}`.
    fn text(&mut self, node: &'a Node, action: &str, origin: OriginId) -> Option<Op> {
        let rule = self.builder.rule(node.span, origin);
        let (text, is_phrased, when) = match &node.content {
            Content::Map(_) => {
                let mut fields = Fields::of(node, &shapes::REPLY_TEXT, self.found)?;
                let text = fields.node("text");
                let is_phrased = fields.boolean("phrase").unwrap_or(false);
                let when = fields.node("when");
                fields.finish();
                let Some(text) = text else {
                    return Diagnostic::error(
                        Code::MissingKey,
                        format!("missing `text` in a reply to `{action}`"),
                    )
                    .at(node.span, "no text")
                    .help(
                        "write `{text: TEXT}`; add `phrase: true` to let a model rephrase the text",
                    )
                    .refuse(self.found);
                };
                (text, is_phrased, when)
            }
            Content::Scalar(_) | Content::List(_) => (node, false, None),
        };
        let words = text_of(text, "text", self.found)?;
        let template = self.template(words, text.span, action)?;
        let when = when.map(|node| self.conditions.compile_when(node, self.builder, self.found));
        let speech = Speech::Filled {
            text: template,
            is_phrased,
        };
        Some(Op {
            kind: OpKind::Say(Arc::new(speech)),
            when,
            rule,
        })
    }

    /// Parses a text with placeholders.
    fn template(&mut self, text: &str, span: Span, action: &str) -> Option<TextTemplate> {
        if text.trim().is_empty() {
            return Diagnostic::error(Code::BadEffect, format!("reply to `{action}` is empty"))
                .at(span, "no text")
                .help("write the reply, or remove it if the action has no reply")
                .refuse(self.found);
        }
        let slots = &self.builder.names.slots;
        let template = TextTemplate::parse(text, |name| {
            let variable = self
                .variables
                .iter()
                .find(|(key, _)| *key.text == *name)
                .map(|(_, value)| value);
            match (variable, slots.id(name)) {
                (Some(_), Some(_)) => Err((name, true)),
                (Some(value), None) => {
                    Ok(TemplatePiece::Words(Value::from(value).in_words().into()))
                }
                (None, Some(slot)) => Ok(TemplatePiece::Slot(slot)),
                (None, None) => Err((name, false)),
            }
        });
        template
            .map_err(|(name, is_both)| self.unknown(name, is_both, span))
            .ok()
    }

    /// Reports a placeholder that is unknown or ambiguous.
    fn unknown(&mut self, name: &str, is_both: bool, span: Span) {
        let finding = if is_both {
            Diagnostic::error(
                Code::UnresolvedPlaceholder,
                format!("placeholder `{{{{{name}}}}}` is ambiguous: it is a variable and a slot"),
            )
            .at(span, "ambiguous")
            .help("rename the variable or the slot")
        } else {
            let title = format!("unknown placeholder `{{{{{name}}}}}`");
            let known = self
                .builder
                .names
                .slots
                .iter()
                .chain(self.variables.iter().map(|(key, _)| &*key.text));
            let otherwise = format!("declare `{name}` under `slots` or `variables` of the flow");
            Diagnostic::error(Code::UnresolvedPlaceholder, title)
                .at(span, "not defined")
                .near(name, known, otherwise)
        };
        self.found.push(finding);
    }
}
