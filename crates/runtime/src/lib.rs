//! Projects, scripts, and the one loop that runs dialogues for every front end.

pub mod limits;
pub mod project;
pub mod runtime;
pub mod schema;
pub mod script;
pub mod simulate;
