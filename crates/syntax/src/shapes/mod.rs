//! The declarations of the file formats: keys with their types, allowed values, kinds of names, and what they are for.
//!
//! They are written in `shapes/*.yaml` of this crate; `build.rs` makes the static tables here. From them come the checks of
//! unknown keys, the JSON Schemas, the reference tables of the docs, and what the language server offers, explains and renames.
//!
//! A shape is a map. `about` says what it is, `what` how findings call it. `is` says that it is a type; else it is a map of its
//! own, closed unless `others` says of which type its other keys are. `keys` has a line for each key, `NAME: TYPE - WORDS`,
//! where `NAME!` must be there. `also` takes the keys of other shapes, `require` makes some of these required. `names` says by
//! a list of words which keys there are, or what they name; `pattern` how they are written; `least` is how much is in it at
//! least; `either` are keys of which one must be there.
//!
//! | type | what it is |
//! |---|---|
//! | `text` | a text; a number or a word of YAML is one, too |
//! | `string` | a text, where nothing else is one |
//! | `flag`, `integer`, `number`, `map`, `list`, `null`, `any` | what the word says |
//! | `count`, `share` | a whole number from 0; a number from 0 to 1 |
//! | `level` | how frustrated the user is |
//! | `hole` | a text that is one placeholder |
//! | `=a/b` | one of these words |
//! | `word LIST` | a word of a list that the program has |
//! | `$KIND`, `$KIND!`, `$KIND?` | a text that is the name of something: it uses, defines or introduces the name |
//! | `list of TYPE`, `map of TYPE`, `many TYPE` | a list, a map by name, one or a list |
//! | `map $KIND of TYPE` | a map whose keys are names |
//! | `expected TYPE` | this, or a map of operators, such as `not`, below which it stands |
//! | `NAME` | another shape |
//! | `TYPE \| TYPE` | one or the other |
//! | `TYPE as TYPE` | the first for checks and schemas; the second says where names stand in it |

mod named_kind;
mod shape;

pub use named_kind::{NameUse, NamedKind, NamedRole};
pub use shape::{Format, Shape, ShapeKey, ShapeType};
pub use table::*;

#[allow(missing_docs, reason = "`about` says what each one is")]
mod table {
    use super::{Format, NameUse, NamedKind, NamedRole, Shape, ShapeKey, ShapeType};

    include!(concat!(env!("OUT_DIR"), "/shapes.rs"));
}
