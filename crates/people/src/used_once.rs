//! Single-use tokens whose MAC covers their creation time.

use muriel_domain::Instant;
use std::collections::BTreeSet;
use std::sync::{Mutex, PoisonError};

/// Most used tokens in memory. Beyond that the oldest is dropped, so that heavy use by others never causes a refusal.
const USED_MAX: usize = 10_000;

/// Used tokens of one kind. Each is remembered for as long as it could be used again.
pub(super) struct UsedOnce {
    /// Lifetime of a token from its creation, in microseconds.
    lifetime_us: i64,
    /// Used tokens, ordered by creation time.
    used: Mutex<BTreeSet<(i64, String)>>,
}

impl UsedOnce {
    pub(super) fn new(lifetime_us: i64) -> Self {
        Self { lifetime_us, used: Mutex::default() }
    }

    /// Records the use of a token that was made at `made_us`. Returns whether it was unused and has not expired.
    ///
    /// Call it last, once everything else about the request is valid: invalid requests of strangers are
    /// then not remembered.
    pub(super) fn first(&self, token: &str, made_us: i64, now: Instant) -> bool {
        let is_expired = |made_us: i64| now.us().saturating_sub(made_us) >= self.lifetime_us;
        let mut used = self.used.lock().unwrap_or_else(PoisonError::into_inner);
        while used.first().is_some_and(|(made_us, _)| is_expired(*made_us)) {
            used.pop_first();
        }
        if is_expired(made_us) || !used.insert((made_us, token.to_owned())) {
            return false;
        }
        if used.len() > USED_MAX {
            used.pop_first();
        }
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_token_works_once_until_it_expires() {
        let used = UsedOnce::new(10);
        assert!(used.first("a", 0, Instant::from_us(9)));
        assert!(!used.first("a", 0, Instant::from_us(9)));
        assert!(used.first("b", 0, Instant::from_us(9)));
        assert!(!used.first("c", 0, Instant::from_us(10)));
        assert!(used.used.lock().unwrap().is_empty(), "expired tokens are forgotten");
    }

    #[test]
    fn nobody_is_refused_because_others_have_used_many() {
        let used = UsedOnce::new(i64::MAX);
        for made_us in 0..3 * USED_MAX as i64 {
            assert!(used.first("theirs", made_us, Instant::from_us(made_us)));
        }
        let now = 3 * USED_MAX as i64;
        assert!(used.first("ours", now, Instant::from_us(now)));
        assert!(!used.first("ours", now, Instant::from_us(now)));
        assert_eq!(used.used.lock().unwrap().len(), USED_MAX);
    }
}
