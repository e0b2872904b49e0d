//! Ranges of groups, converted to buckets: which units an exclusion group or a holdout has.

use crate::bucket::{Murmur3, PER_HUNDREDTH};
use crate::document::GroupRange;
use muriel_domain::experiment::WHOLE;

/// Buckets on a group's line: those of one experiment in an exclusion group, or those of a holdout. Ranges in an
/// exclusion group do not overlap, so no unit is in two of its experiments.
#[derive(Debug, Clone, Copy)]
pub(crate) struct CompiledGroupRange {
    /// Group id, for explanations.
    group_id: Option<i64>,
    /// Hash state after the group's `salt:g:`.
    hash: Murmur3,
    /// First bucket of the range.
    pub(crate) from: u32,
    /// First bucket after the range.
    pub(crate) to: u32,
}

impl CompiledGroupRange {
    /// Converts a range of the document to buckets.
    pub(crate) fn of(range: &GroupRange) -> Self {
        let bucket = |hundredths: u32| hundredths.min(WHOLE) * PER_HUNDREDTH;
        Self {
            group_id: range.group_id,
            hash: Murmur3::of(&format!("{}:g:", range.salt)),
            from: bucket(range.from),
            to: bucket(range.to),
        }
    }

    /// The unit's bucket on the group's line, and whether this range has it.
    pub(crate) fn bucket_of(&self, unit: &str) -> (u32, bool) {
        let bucket = self.hash.bucket(unit);
        (bucket, (self.from..self.to).contains(&bucket))
    }

    /// Name for explanations, such as `the holdout 7`.
    pub(crate) fn named(&self, what: &str) -> String {
        self.group_id.map_or_else(|| what.to_owned(), |id| format!("{what} {id}"))
    }
}

impl GroupRange {
    /// Returns a function that checks whether a unit is in the range, as decisions do. The salt is hashed once.
    ///
    /// Ends above 10,000 count as 10,000. A range that does not end after its start has no units.
    pub fn membership(&self) -> impl Fn(&str) -> bool + use<> {
        let range = CompiledGroupRange::of(self);
        move |unit| range.bucket_of(unit).1
    }
}
