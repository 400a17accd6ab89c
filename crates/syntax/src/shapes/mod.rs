//! The declarations of the file formats: keys with their types, allowed values, kinds of names, and descriptions.
//!
//! They are in `shapes/*.yaml` of this crate; `build.rs` generates the static tables here. The tables are used for
//! checks of unknown keys, JSON Schemas, reference tables, and completion, hover and renaming in the language server.
//!
//! A shape has these keys:
//!
//! * `about`: a description; `what`: the noun in findings
//! * `is`: a type. Without it, the shape is a map, closed unless `others` gives the type of undeclared keys
//! * `keys`: one line per key, `NAME: TYPE - DESCRIPTION`, or `NAME!` for a required key. In flows,
//!   only the policy `sales` knows the key `NAME@sales`
//! * `also`: shapes whose keys it includes; `require`: the included keys that are required
//! * `names`: the list of words, or the kind of name, of undeclared keys; `pattern`: a regular expression for them
//! * `least`: the minimum number of items; `either`: keys of which one is required
//!
//! | type | meaning |
//! |---|---|
//! | `text` | a string; other YAML scalars are accepted |
//! | `string` | a string only |
//! | `flag`, `integer`, `number`, `map`, `list`, `null`, `any` | the YAML type |
//! | `count`, `share` | a non-negative integer; a number from 0 to 1 |
//! | `level` | the frustration of the user |
//! | `hole` | a string that is one placeholder |
//! | `=a/b` | one of these words |
//! | `word LIST` | a word from a list in the program |
//! | `$KIND`, `$KIND!`, `$KIND?` | a name that is used, defined or introduced |
//! | `list of TYPE`, `map of TYPE`, `many TYPE` | a list, a map by name, one value or a list |
//! | `map $KIND of TYPE` | a map whose keys are names |
//! | `expected TYPE` | the type, or a map of operators, such as `not`, that contain it |
//! | `NAME` | another shape |
//! | `TYPE \| TYPE` | either type |
//! | `TYPE as TYPE` | the first type for checks and schemas, the second to locate names |

mod named_kind;
mod shape;

pub use named_kind::{NameUse, NamedKind, NamedRole};
pub use shape::{Format, Shape, ShapeKey, ShapeType};
pub use table::*;

#[allow(missing_docs, reason = "`about` describes each shape")]
mod table {
    use super::{Format, NameUse, NamedKind, NamedRole, Shape, ShapeKey, ShapeType};

    include!(concat!(env!("OUT_DIR"), "/shapes.rs"));
}
