//! Output to the terminal. Only this module writes to standard output and standard error.
//!
//! Names, texts and paths come from untrusted files. Characters that move the cursor, or hide or reorder text, are made
//! visible here, no matter which code prints them.

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
