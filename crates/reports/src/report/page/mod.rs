//! HTML pages: they share one base template, one stylesheet and one set of components. A page is one file without
//! external resources, and runs only its own script. Only the studio page has several files, which the studio server
//! delivers.
//!
//! All texts for people are in tables: `texts.json` for templates, and `texts.js` for scripts, extended by
//! `run-texts.js`, `diff-texts.js` and `studio-texts.js`. A page refers to a text as `T.key`.

mod graph_page;
mod page;
mod simulation_page;
mod source_excerpt;
mod studio_page;

pub use graph_page::GraphPage;
pub(super) use page::{DIFF_SCRIPT, Page, PageGraph, RUN_SCRIPT};
pub(super) use simulation_page::SimulationPage;
pub use simulation_page::{SampleDialogue, SimulationExtras, ending_text, most_frequent};
pub use source_excerpt::SourceExcerpt;
pub use studio_page::{StudioAsset, studio_page};
