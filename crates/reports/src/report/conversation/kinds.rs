//! Writes a conversation in the supported report kinds.

use std::io::{self, Write};
use std::path::Path;

use minijinja::{Value, context};

use super::conversation_report::{ConversationReport, ConversationTurn};
use super::markdown::write_markdown;
use crate::report::ReportKind;
use crate::report::page::Page;
use fsmsim_syntax::files::safe_stem;

impl ConversationReport {
    /// The supported kinds.
    pub const KINDS: [ReportKind; 2] = [ReportKind::Html, ReportKind::Markdown];

    /// The kind for the extension of a file: `.html` or `.md`.
    pub fn kind_of(path: &Path) -> Option<ReportKind> {
        let extension = path.extension()?.to_string_lossy().to_lowercase();
        Self::KINDS
            .into_iter()
            .find(|kind| Self::ending(*kind) == extension)
    }

    /// The file extension of a kind.
    pub fn ending(kind: ReportKind) -> &'static str {
        match kind {
            ReportKind::Markdown => "md",
            _ => "html",
        }
    }

    /// Writes the report in a supported format.
    pub fn write(&self, kind: ReportKind, out: &mut impl Write) -> io::Result<()> {
        if kind == ReportKind::Markdown {
            return write_markdown(self, out);
        }
        let page = Page {
            title: &self.title,
            template: include_str!("page.html"),
            content: self.content(),
            ..Page::default()
        };
        out.write_all(page.render_still()?.as_bytes())
    }

    fn content(&self) -> Value {
        let turn = |turn: &ConversationTurn| {
            context! {
                number => turn.number,
                said => &turn.said,
                meant => &turn.meant,
                recognized => &turn.recognized,
                event => &turn.event,
                way => &turn.way,
                classes => &turn.classes,
                action => &turn.action,
                replies => &turn.replies,
                why => &turn.why,
                origins => &turn.origins,
            }
        };
        let turns: Vec<Value> = self.turns.iter().map(turn).collect();
        context! { about => &self.about, turns }
    }

    /// A file name for a kind, derived from the name of the model. It is valid on every system.
    pub fn file_name(&self, kind: ReportKind) -> String {
        let name = safe_stem(&self.title, "conversation");
        format!("{name}.{}", Self::ending(kind))
    }
}
