//! A place in a report.

use std::convert::Infallible;
use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

use fsmsim_syntax::diagnostic::Place;

/// A place in a report: `FILE`, `FILE:LINE` or `FILE:LINE:COLUMN`, the file from the project, with `/`; line and column from 1.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(into = "String", from = "String")]
pub struct ReportedPlace {
    /// The file.
    pub file: String,
    /// The line, where one is named.
    pub line: Option<usize>,
    /// The column in characters, where one is named.
    pub column: Option<usize>,
}

impl ReportedPlace {
    /// A place in a file whose path from the project is this.
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

impl FromStr for ReportedPlace {
    type Err = Infallible;

    fn from_str(text: &str) -> Result<Self, Infallible> {
        let number = |text: &str| {
            let (rest, number) = text.rsplit_once(':')?;
            Some((rest.to_owned(), number.parse::<usize>().ok()?))
        };
        Ok(match number(text) {
            None => Self {
                file: text.to_owned(),
                line: None,
                column: None,
            },
            Some((rest, last)) => match number(&rest) {
                None => Self {
                    file: rest,
                    line: Some(last),
                    column: None,
                },
                Some((file, line)) => Self {
                    file,
                    line: Some(line),
                    column: Some(last),
                },
            },
        })
    }
}

impl From<String> for ReportedPlace {
    fn from(text: String) -> Self {
        let Ok(place) = text.parse();
        place
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
    fn a_place_is_read_as_it_was_written() {
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
