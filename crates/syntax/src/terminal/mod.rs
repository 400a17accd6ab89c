//! Where text leaves the program: the only place that writes to standard output and standard error.
//!
//! Names, texts and paths come from files that anybody may have written. Whatever of them could move the cursor, hide or
//! reorder text is made visible here, whoever prints it.

mod joined;
mod outlet;
mod printable;
mod quoted;
mod secret_name;
mod shield;
mod shortened;
mod text_mask;

pub use joined::Joined;
pub use outlet::{Outlet, results, stream, tell, tell_styled};
pub use printable::{acts_on_text, is_printable, printable};
pub use quoted::quoted;
pub use secret_name::is_secret_name;
pub use shield::Escaping;
pub use shortened::{beginning, shortened};
pub use text_mask::TextMask;
