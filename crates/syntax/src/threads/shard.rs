//! A share of work that several machines do.

use std::fmt;
use std::num::NonZeroU32;
use std::str::FromStr;

use serde::{Deserialize, Serialize};
use xxhash_rust::xxh3::xxh3_64;

/// A share of the work: `2/3` is the second of three. What belongs to it is told by what it is called, so that it stays
/// where it is when other work comes along.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(into = "String", try_from = "String")]
pub struct Shard {
    /// How many shares there are.
    of: NonZeroU32,
    /// Which one it is, from 1.
    number: NonZeroU32,
}

impl Shard {
    /// How many shares there are.
    pub fn of(self) -> u32 {
        self.of.get()
    }

    /// All shares of this number.
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

    /// Whether it is the first one: what belongs to nobody else belongs to it.
    pub fn is_first(self) -> bool {
        self.number.get() == 1
    }

    /// Whether what is called so belongs to it.
    pub fn has_name(self, name: &str) -> bool {
        self.has_number(xxh3_64(name.as_bytes()))
    }

    /// Whether what has this number, from 0, belongs to it.
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
            Some((_, of)) => Err(format!("there are {of} shards: write 1/{of} to {of}/{of}")),
            None => Err("write NUMBER/OF, such as 1/3".to_owned()),
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
    fn shares_are_apart_and_together_all() {
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
    fn a_share_is_read_as_it_is_written() {
        assert_eq!("2/3".parse::<Shard>().unwrap().to_string(), "2/3");
        for wrong in ["0/3", "4/3", "1/0", "3", "a/b", "1/2/3", "-1/3", ""] {
            assert!(wrong.parse::<Shard>().is_err(), "{wrong}");
        }
    }
}
