//! Parses only the parts of a line that are needed, and skips the rest.

use std::borrow::Cow;
use std::fmt;

use serde::de::{
    Deserialize, DeserializeSeed, Deserializer, Error, IgnoredAny, MapAccess, SeqAccess, Visitor,
};

use super::borrowed_json::BorrowedJson;
use fsmsim_syntax::document::Location;

/// The parts of a value that are needed.
#[derive(Clone, Debug)]
pub(super) enum Projection {
    /// The whole value.
    Whole,
    /// The values of these keys in a map.
    Keys(Vec<(Box<str>, Projection)>),
    /// The same parts of each item in a list.
    Each(Box<Projection>),
}

impl Projection {
    /// A projection without any parts.
    pub(super) fn new() -> Self {
        Self::Keys(Vec::new())
    }

    /// Adds the value at a location to the needed parts.
    pub(super) fn add(&mut self, location: &Location, what: Self) {
        let what = if location.is_plain() {
            what
        } else {
            Self::Whole
        };
        self.add_steps(&mut location.plain_steps(), what);
    }

    fn add_steps(&mut self, steps: &mut dyn Iterator<Item = &str>, what: Self) {
        let Some(step) = steps.next() else {
            *self = what;
            return;
        };
        // List positions are rare, so the whole list is read for them.
        if step.parse::<i64>().is_ok() {
            *self = Self::Whole;
        }
        if let Self::Keys(keys) = self {
            match keys.iter_mut().find(|(key, _)| **key == *step) {
                Some((_, Self::Whole)) => {}
                Some((_, projection)) => projection.add_steps(steps, what),
                None => {
                    let mut projection = Self::new();
                    projection.add_steps(steps, what);
                    keys.push((step.into(), projection));
                }
            }
        } else {
            *self = Self::Whole;
        }
    }
}

impl<'de: 'a, 'a> Deserialize<'de> for BorrowedJson<'a> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Projection::Whole.deserialize(deserializer)
    }
}

impl<'de> DeserializeSeed<'de> for &Projection {
    type Value = BorrowedJson<'de>;

    fn deserialize<D: Deserializer<'de>>(
        self,
        deserializer: D,
    ) -> Result<BorrowedJson<'de>, D::Error> {
        deserializer.deserialize_any(self)
    }
}

/// Builds a tree of the needed parts.
impl<'de> Visitor<'de> for &Projection {
    type Value = BorrowedJson<'de>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("JSON")
    }

    fn visit_unit<E: Error>(self) -> Result<BorrowedJson<'de>, E> {
        Ok(BorrowedJson::Null)
    }

    fn visit_bool<E: Error>(self, value: bool) -> Result<BorrowedJson<'de>, E> {
        Ok(BorrowedJson::Bool(value))
    }

    fn visit_i64<E: Error>(self, value: i64) -> Result<BorrowedJson<'de>, E> {
        Ok(BorrowedJson::Int(value))
    }

    #[expect(
        clippy::cast_precision_loss,
        reason = "what does not fit is the nearest float, as elsewhere"
    )]
    fn visit_u64<E: Error>(self, value: u64) -> Result<BorrowedJson<'de>, E> {
        Ok(i64::try_from(value).map_or(BorrowedJson::Float(value as f64), BorrowedJson::Int))
    }

    fn visit_f64<E: Error>(self, value: f64) -> Result<BorrowedJson<'de>, E> {
        Ok(BorrowedJson::Float(value))
    }

    fn visit_borrowed_str<E: Error>(self, text: &'de str) -> Result<BorrowedJson<'de>, E> {
        Ok(BorrowedJson::Text(Cow::Borrowed(text)))
    }

    fn visit_str<E: Error>(self, text: &str) -> Result<BorrowedJson<'de>, E> {
        Ok(BorrowedJson::Text(Cow::Owned(text.to_owned())))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<BorrowedJson<'de>, A::Error> {
        let each = if let Projection::Each(each) = self {
            each
        } else {
            &Projection::Whole
        };
        let mut items = Vec::new();
        while let Some(item) = list.next_element_seed(each)? {
            items.push(item);
        }
        Ok(BorrowedJson::List(items))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<BorrowedJson<'de>, A::Error> {
        let mut pairs = Vec::new();
        while let Some(BorrowedJson::Text(key)) = map.next_key_seed(&Projection::Whole)? {
            let projection = match self {
                Projection::Keys(keys) => keys
                    .iter()
                    .find(|(known, _)| **known == *key)
                    .map(|(_, projection)| projection),
                Projection::Whole | Projection::Each(_) => Some(&Projection::Whole),
            };
            match projection {
                Some(projection) => pairs.push((key, map.next_value_seed(projection)?)),
                None => {
                    map.next_value::<IgnoredAny>()?;
                }
            }
        }
        Ok(BorrowedJson::Map(pairs))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use fsmsim_syntax::diagnostic::{Code, Diagnostics, Span};

    #[test]
    fn only_projected_parts_are_kept() {
        let path = |text: &str| {
            let mut found = Diagnostics::default();
            Location::parse(text, Span::NOWHERE, Code::BadTraceMap, &mut found).unwrap()
        };
        let mut turn = Projection::new();
        for text in ["out.state", "in", "in.say", "list[*].x"] {
            turn.add(&path(text), Projection::Whole);
        }
        let mut projection = Projection::new();
        projection.add(&path("id"), Projection::Whole);
        projection.add(&path("a.turns"), Projection::Each(Box::new(turn)));
        let text = r#"{"id":1,"b":[{}],"a":{"x":2,"turns":[
            {"out":{"state":"s","y":{}},"in":{"say":"x","more":1},"list":[7,8],"z":null},5,{"out":3}]}}"#;
        let mut reader = serde_json::Deserializer::from_str(text);
        let kept = projection.deserialize(&mut reader).unwrap();
        insta::assert_snapshot!(
            kept,
            @r#"{id: 1, a: {turns: [{out: {state: "s"}, in: {say: "x", more: 1}, list: [7, 8]}, 5, {out: 3}]}}"#
        );
    }
}
