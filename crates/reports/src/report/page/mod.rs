//! Pages: one template, one stylesheet and one set of components for all that is shown in a browser. A page is one file: it
//! loads nothing, and nothing in it runs but its own script. The page of the studio alone is several, since the studio gives them.

mod graph_page;
mod page;
mod simulation_page;
mod source_excerpt;
mod studio_page;

pub use graph_page::GraphPage;
pub(super) use page::{Page, PageGraph};
pub(super) use simulation_page::SimulationPage;
pub use simulation_page::{SampleDialogue, SimulationExtras, told_ending};
pub use source_excerpt::SourceExcerpt;
pub use studio_page::{StudioAsset, studio_page};
