//! Output to the terminal. Only this module writes to standard output and standard error.
//!
//! Names, texts and paths come from untrusted files. Characters that move the cursor, or hide or reorder text, are made
//! visible here, no matter which code prints them.

mod escaping_writer;
mod joined;
mod printable;
mod quoted;
mod secret_name;
mod shortened;
mod stdout_writer;
mod text_redactions;

pub use escaping_writer::Escaping;
pub use joined::Joined;
pub use printable::{acts_on_text, is_printable, printable};
pub use quoted::quoted;
pub use secret_name::is_secret_name;
pub use shortened::{beginning, shortened};
pub use stdout_writer::{StdoutWriter, print_message, print_styled, results, stream};
pub use text_redactions::TextRedactions;
