//! Pseudo-random numbers that are the same for the same seed.

use muriel_domain::Instant;
use uuid::{Builder, Uuid};

/// A pseudo-random number generator: SplitMix64.
#[derive(Debug, Clone)]
pub(super) struct Chance(u64);

impl Chance {
    /// Creates the generator that belongs to these numbers, independent of what else was drawn.
    pub(super) fn of(numbers: &[u64]) -> Self {
        let mut chance = Self(0x9e37_79b9_7f4a_7c15);
        for number in numbers {
            chance.0 ^= *number;
            chance.0 = chance.next();
        }
        chance
    }

    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    /// A number from 0 to below 1.
    pub(super) fn share(&mut self) -> f64 {
        (self.next() >> 11) as f64 / (1_u64 << 53) as f64
    }

    /// True in this share of cases.
    pub(super) fn is(&mut self, share: f64) -> bool {
        self.share() < share
    }

    /// A number below `end`, which is at least 1.
    pub(super) fn below(&mut self, end: u64) -> u64 {
        // The bias is too small to matter in a demo.
        self.next() % end.max(1)
    }

    /// A number from `least` to below `most`.
    pub(super) fn between(&mut self, least: i64, most: i64) -> i64 {
        least + self.below(most.abs_diff(least)) as i64
    }

    /// One of the values, each with a probability proportional to its weight.
    pub(super) fn pick<'t, T>(&mut self, of: &'t [(u32, T)]) -> &'t T {
        let whole: u64 = of.iter().map(|(weight, _)| u64::from(*weight)).sum();
        let mut place = self.below(whole);
        for (weight, thing) in of {
            match place.checked_sub(u64::from(*weight)) {
                Some(rest) => place = rest,
                None => return thing,
            }
        }
        &of[0].1
    }

    /// An event id (UUID version 7) for this time.
    pub(super) fn id(&mut self, at: Instant) -> Uuid {
        let (a, b) = (self.next().to_be_bytes(), self.next().to_be_bytes());
        let [a0, a1, a2, a3, a4, a5, a6, a7] = a;
        let bytes = [a0, a1, a2, a3, a4, a5, a6, a7, b[0], b[1]];
        Builder::from_unix_timestamp_millis((at.us() / 1_000).unsigned_abs(), &bytes).into_uuid()
    }
}
