//! Coverage as text, LCOV, Cobertura and HTML.

mod branches;
mod cobertura;
mod html;
mod lcov;
mod text;

pub use cobertura::write_cobertura;
pub use html::write_coverage_html;
pub use lcov::write_lcov;
pub(super) use text::write_open;
pub use text::{write_coverage, write_coverage_difference, write_unmet};
