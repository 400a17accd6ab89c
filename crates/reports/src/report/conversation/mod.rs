//! A dialogue as a document to share: utterances and an explanation of each turn.

mod conversation_report;
mod kinds;
mod markdown;

pub use conversation_report::ConversationReport;
