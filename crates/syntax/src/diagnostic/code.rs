//! The stable codes of all findings. They are defined in `codes.md` of this crate; `build.rs` generates the table from
//! it.

use strum::{Display, EnumString, IntoStaticStr, VariantArray};

macro_rules! codes {
    ($($name:ident = $number:literal, $title:literal, $explanation:literal;)*) => {
        /// The stable code of a kind of finding. A code keeps its meaning forever and is never reused.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Display, EnumString, IntoStaticStr, VariantArray)]
        #[strum(ascii_case_insensitive)]
        pub enum Code {
            $(#[doc = $title] #[strum(serialize = $number)] $name,)*
        }

        impl Code {
            /// All codes, by number.
            pub const ALL: &'static [Code] = Self::VARIANTS;

            /// The code as users see it: `FS` and four digits.
            pub fn as_str(self) -> &'static str {
                self.into()
            }

            /// A short description of the finding.
            pub fn title(self) -> &'static str {
                match self { $(Code::$name => $title,)* }
            }

            /// The usual causes of the finding, their fixes, and an example, as paragraphs.
            pub fn explanation(self) -> &'static str {
                match self { $(Code::$name => $explanation,)* }
            }
        }
    };
}

include!(concat!(env!("OUT_DIR"), "/codes.rs"));

impl Code {
    /// Whether the finding reports an input that could not be read, so that nothing is known about its content.
    pub fn is_unreadable(self) -> bool {
        matches!(
            self,
            Self::FileUnreadable
                | Self::FileTooLarge
                | Self::NotUtf8
                | Self::UnknownModel
                | Self::UnknownKind
                | Self::UnknownProfile
                | Self::UnsupportedFormat
        )
    }

    /// Whether a flow with this error still has all its states and transitions.
    pub(super) fn keeps_paths(self) -> bool {
        matches!(
            self,
            Self::UnknownCondition
                | Self::UnknownReference
                | Self::UnknownPhase
                | Self::BadCondition
                | Self::ExtraDocument
        )
    }
}

#[cfg(test)]
mod tests {
    use super::Code;

    #[test]
    fn codes_are_unique_and_sorted() {
        let names: Vec<_> = Code::ALL.iter().map(|code| code.as_str()).collect();
        let mut sorted = names.clone();
        sorted.sort_unstable();
        sorted.dedup();
        assert_eq!(names, sorted);
    }

    #[test]
    fn a_code_is_parsed_from_its_text() {
        for code in Code::ALL {
            assert_eq!(code.as_str().to_lowercase().parse(), Ok(*code));
        }
        assert!("FS9999".parse::<Code>().is_err());
    }
}
