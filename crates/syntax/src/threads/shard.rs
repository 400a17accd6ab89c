//! Shards: parts of work that is divided among several machines.

use std::fmt;
use std::num::NonZeroU32;
use std::str::FromStr;

use serde::{Deserialize, Serialize};
use xxhash_rust::xxh3::xxh3_64;

/// A part of the work: `2/3` is the second of three. A hash of the name assigns an item to a shard, so new items do not
/// move existing ones.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(into = "String", try_from = "String")]
pub struct Shard {
    /// The number of shards.
    of: NonZeroU32,
    /// The number of this shard, from 1.
    number: NonZeroU32,
}

impl Shard {
    /// The number of shards.
    pub fn of(self) -> u32 {
        self.of.get()
    }

    /// All shards of `of`.
    pub fn all(of: u32) -> impl Iterator<Item = Self> {
        let of = NonZeroU32::new(of);
        let number = move |number| {
            Some(Self {
                of: of?,
                number: NonZeroU32::new(number)?,
            })
        };
        (1..=of.map_or(0, NonZeroU32::get)).filter_map(number)
    }

    /// Whether this is the first shard. It also does the work that is not divided among the shards.
    pub fn is_first(self) -> bool {
        self.number.get() == 1
    }

    /// Whether the item with this name belongs to the shard.
    pub fn has_name(self, name: &str) -> bool {
        self.has_number(xxh3_64(name.as_bytes()))
    }

    /// Whether the item with this number, from 0, belongs to the shard.
    pub fn has_number(self, number: u64) -> bool {
        number % u64::from(self.of.get()) == u64::from(self.number.get() - 1)
    }
}

impl fmt::Display for Shard {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}", self.number, self.of)
    }
}

impl FromStr for Shard {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let numbers = text.split_once('/').and_then(|(number, of)| {
            let number: NonZeroU32 = number.trim().parse().ok()?;
            let of: NonZeroU32 = of.trim().parse().ok()?;
            Some((number, of))
        });
        match numbers {
            Some((number, of)) if number <= of => Ok(Self { of, number }),
            Some((_, of)) => Err(format!("expected a shard from 1/{of} to {of}/{of}")),
            None => Err("expected NUMBER/TOTAL, for example 1/3".to_owned()),
        }
    }
}

impl TryFrom<String> for Shard {
    type Error = String;

    fn try_from(text: String) -> Result<Self, String> {
        text.parse()
    }
}

impl From<Shard> for String {
    fn from(shard: Shard) -> Self {
        shard.to_string()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_name_belongs_to_exactly_one_shard() {
        for of in 1..7 {
            for name in (0..200).map(|number| format!("scenarios/{number}.yaml::Заголовок"))
            {
                assert_eq!(
                    Shard::all(of).filter(|shard| shard.has_name(&name)).count(),
                    1
                );
            }
        }
    }

    #[test]
    fn a_shard_is_parsed_from_its_text() {
        assert_eq!("2/3".parse::<Shard>().unwrap().to_string(), "2/3");
        for wrong in ["0/3", "4/3", "1/0", "3", "a/b", "1/2/3", "-1/3", ""] {
            assert!(wrong.parse::<Shard>().is_err(), "{wrong}");
        }
    }
}
