//! Components that answer requests of the engine: recognizers, language models, stores, systems under test.

pub mod limits;
pub mod llm;
pub mod recognizer;
pub mod stores;
pub mod subject;
