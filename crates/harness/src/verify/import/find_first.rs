//! Finds one value in a JSON line without reading the rest.

use std::fmt;

use serde::de::{DeserializeSeed, Deserializer, Error, IgnoredAny, MapAccess, SeqAccess, Visitor};

/// The string or number at a path in a line. `None` if it is missing, or if the line is invalid JSON up to that point.
pub(super) fn find_first(line: &str, steps: &[Box<str>]) -> Option<String> {
    let mut found = None;
    let mut reader = serde_json::Deserializer::from_str(line);
    // The visitor reports an error in order to stop early.
    let _ = FindFirst {
        steps,
        found: &mut found,
    }
    .deserialize(&mut reader);
    found
}

struct FindFirst<'p> {
    steps: &'p [Box<str>],
    found: &'p mut Option<String>,
}

impl FindFirst<'_> {
    fn take<T, E: Error>(self, text: &(impl ToString + ?Sized)) -> Result<T, E> {
        if self.steps.is_empty() {
            *self.found = Some(text.to_string());
        }
        Err(E::custom("the search is over"))
    }
}

impl<'de> DeserializeSeed<'de> for FindFirst<'_> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        deserializer.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for FindFirst<'_> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a string or a number")
    }

    fn visit_str<E: Error>(self, text: &str) -> Result<(), E> {
        self.take(text)
    }

    fn visit_i64<E: Error>(self, number: i64) -> Result<(), E> {
        self.take(&number)
    }

    fn visit_u64<E: Error>(self, number: u64) -> Result<(), E> {
        self.take(&number)
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<(), A::Error> {
        let step = self
            .steps
            .split_first()
            .and_then(|(step, rest)| Some((step.parse().ok()?, rest)));
        let Some((place, steps)): Option<(usize, _)> = step else {
            return Err(A::Error::custom("no list was looked for"));
        };
        for _ in 0..place {
            if list.next_element::<IgnoredAny>()?.is_none() {
                return Err(A::Error::custom("the list is shorter"));
            }
        }
        list.next_element_seed(FindFirst {
            steps,
            found: self.found,
        })?;
        Err(A::Error::custom("the search is over"))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<(), A::Error> {
        let Some((step, steps)) = self.steps.split_first() else {
            return Err(A::Error::custom("no map was looked for"));
        };
        while let Some(key) = map.next_key::<std::borrow::Cow<'_, str>>()? {
            if key == **step {
                return map.next_value_seed(FindFirst {
                    steps,
                    found: self.found,
                });
            }
            map.next_value::<IgnoredAny>()?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::find_first;

    #[test]
    fn value_is_found_without_reading_the_rest() {
        let at = |line: &str, path: &str| {
            let steps: Vec<Box<str>> = path.split('.').map(Into::into).collect();
            find_first(line, &steps)
        };
        assert_eq!(
            at(r#"{"x":[1,{}],"id":"a\n","#, "id").as_deref(),
            Some("a\n")
        );
        assert_eq!(at(r#"{"x":[1,{"y":-7}],"#, "x.1.y").as_deref(), Some("-7"));
        for (line, path) in [
            (r#"{"id":{}}"#, "id"),
            (r#"{"x":[1]}"#, "x.18446744073709551615"),
            (r#"{"x":1}"#, "id"),
            ("[]", "0"),
            ("{\"id\"", "id"),
            ("3", "id"),
        ] {
            assert_eq!(at(line, path), None, "{line} {path}");
        }
    }
}
