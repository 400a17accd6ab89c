//! A dialogue to be mailed: what was said, and why each turn went as it did.

mod conversation_report;
mod kinds;
mod markdown;

pub use conversation_report::ConversationReport;
