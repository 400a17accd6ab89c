//! Systems under test: external dialogue systems that scenarios run instead of the model. Defines the requests of a
//! turn, the connection, and the mapping of answers.
//!
//! Callers use a [`SubjectDialogue`] to get the mapped answers or the reason of a failure. Running a command or sending
//! utterances needs the consent of the user, which must be checked before a dialogue starts.

mod answer_field;
mod answer_map;
mod answer_path;
mod header_spec;
mod http_spec;
mod mcp_spec;
mod reach;
mod reply_watch;
mod request_template;
mod subject_answer;
mod subject_dialogue;
mod subject_failure;
mod subject_spec;
mod subject_turn;
mod subject_wire;
mod url_template;
#[cfg(feature = "live")]
mod wire;

pub use answer_field::AnswerField;
pub use answer_map::AnswerMap;
pub use answer_path::AnswerPath;
pub use header_spec::{HeaderSpec, HeaderValueSpec};
pub use http_spec::HttpSpec;
pub use mcp_spec::{McpServerSpec, McpSpec};
pub use reach::SubjectReach;
pub use request_template::RequestTemplate;
pub use subject_answer::SubjectAnswer;
pub use subject_dialogue::SubjectDialogue;
pub use subject_failure::SubjectFailure;
pub use subject_spec::{SUBJECT, SubjectKind, SubjectSpec, subject_placeholders};
pub use subject_turn::{SubjectTurn, TurnValues};
pub use subject_wire::SubjectWire;
pub use url_template::UrlTemplate;
