//! The stable codes of all findings. They are in `codes.md` of this crate; `build.rs` makes the lines of the table.

use strum::{Display, EnumString, IntoStaticStr, VariantArray};

macro_rules! codes {
    ($($name:ident = $number:literal, $title:literal, $explanation:literal;)*) => {
        /// The stable code of a kind of finding. A code never changes its meaning and is never used again.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Display, EnumString, IntoStaticStr, VariantArray)]
        #[strum(ascii_case_insensitive)]
        pub enum Code {
            $(#[doc = $title] #[strum(serialize = $number)] $name,)*
        }

        impl Code {
            /// All codes, by number.
            pub const ALL: &'static [Code] = Self::VARIANTS;

            /// The code as it is written: `FS` and four digits.
            pub fn as_str(self) -> &'static str {
                self.into()
            }

            /// What the code stands for, in a few words.
            pub fn title(self) -> &'static str {
                match self { $(Code::$name => $title,)* }
            }

            /// What usually causes the finding and what to do about it.
            pub fn explanation(self) -> &'static str {
                match self { $(Code::$name => $explanation,)* }
            }
        }
    };
}

include!(concat!(env!("OUT_DIR"), "/codes.rs"));

impl Code {
    /// Whether the finding says that something could not be read at all, and so nothing of what it says.
    pub fn is_unreadable(self) -> bool {
        matches!(
            self,
            Self::FileUnreadable
                | Self::FileTooLarge
                | Self::NotUtf8
                | Self::UnknownModel
                | Self::UnknownKind
                | Self::UnknownProfile
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
    fn a_code_reads_back() {
        for code in Code::ALL {
            assert_eq!(code.as_str().to_lowercase().parse(), Ok(*code));
        }
        assert!("FS9999".parse::<Code>().is_err());
    }
}
