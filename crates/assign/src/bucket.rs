//! Bucketing: a unit's place on a line of a million buckets.
//!
//! A 32-bit hash times 1,000,000 stays below 2⁵³, so JavaScript's doubles give exactly the same bucket. A bucket is a
//! ten-thousandth of a percent, which is finer than any weight: shares are exact to one visitor in a million.

/// Number of buckets on the line.
pub const BUCKETS: u32 = 1_000_000;
/// Buckets per hundredth of a percent, the unit of weights.
pub(crate) const PER_HUNDREDTH: u32 = BUCKETS / 10_000;
/// Buckets per percent.
pub(crate) const PER_PERCENT: u32 = BUCKETS / 100;

/// MurmurHash3 (x86, 32 bits, seed 0) of bytes that arrive in pieces.
///
/// The state after the salt is kept, so a decision hashes only the unit.
///
/// ```
/// use muriel_assign::Murmur3;
///
/// // The salt is hashed once, when the ruleset is compiled; the unit at each decision.
/// let salted = Murmur3::of("exp-1:v:");
/// assert_eq!(salted.with(b"visitor-1").finish(), 1_045_915_408);
/// assert_eq!(salted.bucket("visitor-1"), 243_521); // 1,045,915,408 / 2³² of a million
/// ```
///
/// # Source
/// Austin Appleby's MurmurHash3_x86_32, public domain; the values in the tests
/// were computed with the Python package mmh3.
#[derive(Debug, Clone, Copy, Default)]
pub struct Murmur3 {
    hash: u32,
    /// Bytes that do not fill a block yet, the first in the lowest bits.
    tail: u32,
    length: u32,
}

impl Murmur3 {
    /// Returns the state after `text`.
    pub fn of(text: &str) -> Self {
        Self::default().with(text.as_bytes())
    }

    /// Returns the state after more bytes.
    ///
    /// Bytes may be split into pieces anywhere: the hash depends only on their concatenation.
    #[must_use]
    #[inline]
    pub fn with(mut self, mut bytes: &[u8]) -> Self {
        let mut waiting = self.length % 4;
        self.length = self.length.wrapping_add(bytes.len() as u32);
        while waiting != 0 {
            let Some((&byte, rest)) = bytes.split_first() else { return self };
            self.tail |= u32::from(byte) << (8 * waiting);
            bytes = rest;
            waiting = (waiting + 1) % 4;
            if waiting == 0 {
                self.block(self.tail);
                self.tail = 0;
            }
        }
        let (blocks, rest) = bytes.as_chunks::<4>();
        for block in blocks {
            self.block(u32::from_le_bytes(*block));
        }
        for (at, &byte) in rest.iter().enumerate() {
            self.tail |= u32::from(byte) << (8 * at);
        }
        self
    }

    /// Mixes in four bytes, the first in the lowest bits.
    #[inline]
    fn block(&mut self, block: u32) {
        self.hash = (self.hash ^ scrambled(block)).rotate_left(13).wrapping_mul(5).wrapping_add(0xe654_6b64);
    }

    /// The hash of all bytes so far. The state is not consumed, so more bytes can follow.
    #[inline]
    pub fn finish(self) -> u32 {
        let mut hash = self.hash ^ scrambled(self.tail) ^ self.length;
        hash = (hash ^ (hash >> 16)).wrapping_mul(0x85eb_ca6b);
        hash = (hash ^ (hash >> 13)).wrapping_mul(0xc2b2_ae35);
        hash ^ (hash >> 16)
    }

    /// The bucket of a unit, 0 to 999,999: the scaled hash.
    ///
    /// The product with the hash is shifted instead of divided, which gives the same as rounding the quotient down.
    #[inline]
    pub fn bucket(self, unit: &str) -> u32 {
        let hash = self.with(unit.as_bytes()).finish();
        ((u64::from(hash) * u64::from(BUCKETS)) >> 32) as u32
    }
}

/// Scrambles a block before it is mixed into the state. 0 stays 0, so an empty tail changes nothing.
#[inline]
fn scrambled(block: u32) -> u32 {
    block.wrapping_mul(0xcc9e_2d51).rotate_left(15).wrapping_mul(0x1b87_3593)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn pieces_do_not_matter(bytes: Vec<u8>, cut: prop::sample::Index, again: prop::sample::Index) {
            let whole = Murmur3::default().with(&bytes).finish();
            let (one, rest) = bytes.split_at(cut.index(bytes.len() + 1));
            let (two, three) = rest.split_at(again.index(rest.len() + 1));
            prop_assert_eq!(Murmur3::default().with(one).with(two).with(three).finish(), whole);
        }
    }
}
