//! Seeded random numbers: the same seed produces the same numbers on every machine.

use oorandom::Rand32;

/// A stream of random numbers (PCG-XSH-RR with 32 bits). Not suitable for secrets.
#[derive(Clone, Debug)]
pub struct SeededRng {
    stream: Rand32,
}

impl SeededRng {
    /// The stream for dialogue number `number` of `name`, derived from `seed`. Each combination has a separate stream,
    /// so dialogues can run in any order.
    pub fn of(seed: u64, name: &str, number: u64) -> Self {
        let own = name.bytes().fold(FNV_BASIS, |hash, byte| {
            (hash ^ u64::from(byte)).wrapping_mul(FNV_PRIME)
        });
        let start = mix(mix(seed) ^ own);
        Self {
            stream: Rand32::new_inc(mix(start ^ mix(number)), start),
        }
    }

    /// The position in the stream, for [`at`](Self::at).
    pub fn position(&self) -> (u64, u64) {
        self.stream.state()
    }

    /// A stream at this position.
    pub fn at(position: (u64, u64)) -> Self {
        Self {
            stream: Rand32::from_state(position),
        }
    }

    /// A uniform random number from 0 to `limit - 1`, or 0 if `limit` is 0.
    #[inline]
    pub fn below(&mut self, limit: u32) -> u32 {
        if limit < 2 {
            0
        } else {
            self.stream.rand_range(0..limit)
        }
    }

    /// Draws an event with a probability of `likely` out of [`ALWAYS`](Self::ALWAYS).
    #[inline]
    pub fn happens(&mut self, likely: u64) -> bool {
        u64::from(self.stream.rand_u32()) < likely
    }

    /// Converts a probability to a number out of [`ALWAYS`](Self::ALWAYS). Returns `None` if it is not from 0 to 1.
    pub fn likely(rate: f64) -> Option<u64> {
        #[expect(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            clippy::cast_precision_loss,
            reason = "the rate is from 0 to 1"
        )]
        let likely = || (rate * Self::ALWAYS as f64) as u64;
        (0.0..=1.0).contains(&rate).then(likely)
    }

    /// The value for a certain event in [`happens`](Self::happens).
    pub const ALWAYS: u64 = 1 << 32;
}

const FNV_BASIS: u64 = 0xcbf2_9ce4_8422_2325;
const FNV_PRIME: u64 = 0x0000_0100_0000_01b3;

/// The finalizer of `SplitMix64`: similar inputs produce very different outputs.
fn mix(number: u64) -> u64 {
    let mut mixed = number.wrapping_add(0x9e37_79b9_7f4a_7c15);
    mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    mixed ^ (mixed >> 31)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn drawn(seed: u64, name: &str, number: u64) -> Vec<u32> {
        let mut rng = SeededRng::of(seed, name, number);
        (0..4).map(|_| rng.below(1000)).collect()
    }

    #[test]
    fn seed_always_gives_the_same_numbers() {
        // Stable numbers make results comparable between days and machines.
        assert_eq!(drawn(0, "busy", 0), [851, 651, 924, 129]);
        assert_eq!(drawn(7, "analytical", 99), [446, 820, 208, 473]);
    }

    #[test]
    fn stream_depends_on_seed_name_and_number() {
        let streams = [
            drawn(0, "busy", 0),
            drawn(1, "busy", 0),
            drawn(0, "busz", 0),
            drawn(0, "busy", 1),
        ];
        for (at, one) in streams.iter().enumerate() {
            assert!(
                streams.iter().skip(at + 1).all(|other| one != other),
                "{streams:?}"
            );
        }
    }

    #[test]
    fn numbers_are_below_the_limit_and_uniform() {
        let mut counts = [0_u32; 10];
        for number in 0..10_000 {
            let drawn = SeededRng::of(3, "busy", number).below(10);
            counts[drawn as usize] += 1;
        }
        assert!(
            counts.iter().all(|count| (850..1150).contains(count)),
            "{counts:?}"
        );
        let mut rng = SeededRng::of(0, "", 0);
        assert_eq!((rng.below(0), rng.below(1)), (0, 0));
    }

    #[test]
    fn certain_event_happens_and_impossible_event_does_not() {
        let mut rng = SeededRng::of(0, "", 0);
        assert!((0..1000).all(|_| rng.happens(SeededRng::ALWAYS)));
        assert!((0..1000).all(|_| !rng.happens(0)));
        let half = (0..10_000)
            .filter(|_| rng.happens(SeededRng::ALWAYS / 2))
            .count();
        assert!((4_800..5_200).contains(&half), "{half}");
    }
}
