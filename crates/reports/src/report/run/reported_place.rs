//! A location in a report.

use std::fmt;

use serde::{Deserialize, Serialize};

use fsmsim_syntax::diagnostic::Place;

/// A location: `FILE`, `FILE:LINE` or `FILE:LINE:COLUMN`. The path is relative to the project and uses `/`; line and
/// column start at 1.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(into = "String", from = "String")]
pub struct ReportedPlace {
    pub file: String,
    pub line: Option<usize>,
    /// The column in characters.
    pub column: Option<usize>,
}

impl ReportedPlace {
    /// Parses a location; `from_root` converts a command-line path to a relative path.
    pub(super) fn read(text: &str, from_root: &dyn Fn(&str) -> String) -> Self {
        let place = Self::from(text.to_owned());
        Self {
            file: from_root(&place.file),
            ..place
        }
    }

    /// The location with a prefix of its path: empty, or a folder with `/` at its end.
    #[must_use]
    pub(super) fn below(&self, folder: &str) -> Self {
        let is_inside = !self.file.starts_with('/') && !self.file.is_empty();
        Self {
            file: if is_inside { folder } else { "" }.to_owned() + &self.file,
            ..*self
        }
    }

    /// A location in a file with this relative path.
    pub fn of(place: &Place, file: String) -> Self {
        Self {
            file,
            line: Some(place.line),
            column: Some(place.column),
        }
    }
}

impl fmt::Display for ReportedPlace {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.file)?;
        for number in [self.line, self.column].into_iter().flatten() {
            write!(f, ":{number}")?;
        }
        Ok(())
    }
}

impl From<String> for ReportedPlace {
    fn from(text: String) -> Self {
        let number = |text: &str| {
            let (rest, number) = text.rsplit_once(':')?;
            Some((rest.to_owned(), number.parse::<usize>().ok()?))
        };
        let (file, line, column) = match number(&text) {
            None => (text, None, None),
            Some((rest, last)) => match number(&rest) {
                None => (rest, Some(last), None),
                Some((file, line)) => (file, Some(line), Some(last)),
            },
        };
        Self { file, line, column }
    }
}

impl From<ReportedPlace> for String {
    fn from(place: ReportedPlace) -> Self {
        place.to_string()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_place_round_trips_through_its_text() {
        for text in [
            "flows/bant",
            "flows/bant:12",
            "a b/c.yaml:12:5",
            "C:/x.yaml:3",
            "дом.md:1:1",
            "",
        ] {
            let place = ReportedPlace::from(text.to_owned());
            assert_eq!(place.to_string(), text);
        }
        let place = ReportedPlace::from("a:12:5".to_owned());
        assert_eq!(
            (&*place.file, place.line, place.column),
            ("a", Some(12), Some(5))
        );
    }
}
