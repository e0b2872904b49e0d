//! Limits of attempts to sign in, which lock nobody out.
//!
//! Attempts are counted when they begin and taken back when they succeed, so that many at once are counted too. Each counter
//! has a number of attempts that are free; beyond it the pause before the next attempt doubles, up to a longest one.
//!
//! A browser in which the person has signed in before, which a signed cookie says, has a counter of its own: whoever tries
//! passwords from elsewhere, be it from the same network or from thousands, does not keep the person out there.

use muriel_domain::Instant;
use std::collections::HashMap;
use std::hash::{BuildHasher, RandomState};
use std::sync::{Mutex, PoisonError};

/// Counters that are kept. Beyond that the half that was used least recently goes.
const COUNTERS_MAX: usize = 50_000;
/// Without another attempt a counter is forgotten after this time.
const FORGOTTEN_US: i64 = 3_600_000_000;
const SECOND_US: i64 = 1_000_000;

/// A kind of counter.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
enum Kind {
    /// One person from one network.
    PersonAndNetwork,
    /// Anybody from one network.
    Network,
    /// One person from all networks.
    Person,
    /// One person in a browser that is known.
    Device,
}

impl Kind {
    /// Attempts that are free, and the longest pause in seconds.
    fn limits(self) -> (u32, i64) {
        match self {
            Kind::PersonAndNetwork => (5, 900),
            Kind::Network => (30, 60),
            Kind::Person => (50, 30),
            Kind::Device => (10, 900),
        }
    }
}

#[derive(Debug, Clone, Copy)]
struct Counter {
    attempts: u32,
    last: Instant,
}

/// Who tries to sign in.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Attempt<'a> {
    /// The e-mail address, whether somebody has it or not.
    pub(crate) email: &'a str,
    /// The network.
    pub(crate) network: &'a str,
    /// The browser, if the person has signed in with it before.
    pub(crate) device: Option<&'a str>,
}

/// The counters of one server.
#[derive(Default)]
pub(crate) struct Throttle {
    counters: Mutex<HashMap<u64, Counter>>,
    hasher: RandomState,
}

impl Throttle {
    fn keys(&self, attempt: Attempt<'_>) -> Vec<(Kind, u64)> {
        let key = |kind: Kind, parts: &[&str]| (kind, self.hasher.hash_one((kind, parts)));
        match attempt.device {
            Some(device) => vec![key(Kind::Device, &[attempt.email, device])],
            None => vec![
                key(Kind::PersonAndNetwork, &[attempt.email, attempt.network]),
                key(Kind::Network, &[attempt.network]),
                key(Kind::Person, &[attempt.email]),
            ],
        }
    }

    /// Counts an attempt that begins now.
    ///
    /// # Errors
    /// Whole seconds after which to try again, at least 1, when it may not begin.
    pub(crate) fn begin(&self, attempt: Attempt<'_>, now: Instant) -> Result<(), u64> {
        let keys = self.keys(attempt);
        let mut counters = self.counters.lock().unwrap_or_else(PoisonError::into_inner);
        let current = |counter: &Counter| now.us().saturating_sub(counter.last.us()) < FORGOTTEN_US;
        let wait_us = keys.iter().filter_map(|(kind, key)| {
            let counter = counters.get(key).filter(|counter| current(counter))?;
            Some(counter.last.us() + pause_us(*kind, counter.attempts) - now.us())
        });
        // A clock that was set back must not keep people out for as long as it was ahead.
        let wait_us = wait_us.max().unwrap_or(0).min(900 * SECOND_US);
        if wait_us > 0 {
            return Err(u64::try_from((wait_us + SECOND_US - 1) / SECOND_US).unwrap_or(1).max(1));
        }
        if counters.len() + keys.len() > COUNTERS_MAX {
            shrink(&mut counters, now);
        }
        for (_, key) in keys {
            let counter = counters.entry(key).or_insert(Counter { attempts: 0, last: now });
            if !current(counter) {
                counter.attempts = 0;
            }
            *counter = Counter { attempts: counter.attempts.saturating_add(1), last: now };
        }
        Ok(())
    }

    /// Takes back an attempt that succeeded: those of the person from this place are forgotten, and it does not count for
    /// the others.
    pub(crate) fn succeeded(&self, attempt: Attempt<'_>) {
        let mut counters = self.counters.lock().unwrap_or_else(PoisonError::into_inner);
        for (kind, key) in self.keys(attempt) {
            match kind {
                Kind::PersonAndNetwork | Kind::Device => drop(counters.remove(&key)),
                Kind::Network | Kind::Person => {
                    if let Some(counter) = counters.get_mut(&key) {
                        counter.attempts = counter.attempts.saturating_sub(1);
                    }
                }
            }
        }
    }
}

/// The pause after so many attempts.
fn pause_us(kind: Kind, attempts: u32) -> i64 {
    let (free, longest_s) = kind.limits();
    match attempts.checked_sub(free) {
        None => 0,
        Some(over) => (1i64 << over.min(20)).min(longest_s) * SECOND_US,
    }
}

fn shrink(counters: &mut HashMap<u64, Counter>, now: Instant) {
    counters.retain(|_, counter| now.us().saturating_sub(counter.last.us()) < FORGOTTEN_US);
    if counters.len() > COUNTERS_MAX / 2 {
        let mut moments: Vec<i64> = counters.values().map(|counter| counter.last.us()).collect();
        moments.sort_unstable();
        let median = moments[moments.len() / 2];
        counters.retain(|_, counter| counter.last.us() > median);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const ADA: &str = "ada@example.com";

    fn at(seconds: i64) -> Instant {
        Instant::from_us(seconds * SECOND_US)
    }

    fn from(network: &'static str) -> Attempt<'static> {
        Attempt { email: ADA, network, device: None }
    }

    #[test]
    fn the_pause_doubles_and_has_an_end() {
        let throttle = Throttle::default();
        for _ in 0..5 {
            throttle.begin(from("a"), at(0)).unwrap();
        }
        let mut now = 0;
        for expect in [1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 900, 900] {
            assert_eq!(throttle.begin(from("a"), at(now)), Err(expect));
            now += i64::try_from(expect).unwrap();
            throttle.begin(from("a"), at(now)).unwrap();
        }
        throttle.begin(from("a"), at(now + 3_601)).unwrap();
        assert_eq!(throttle.begin(from("a"), at(now + 3_601)), Ok(()), "an hour later it begins anew");
    }

    #[test]
    fn success_is_not_held_against_anybody() {
        let throttle = Throttle::default();
        for _ in 0..1_000 {
            throttle.begin(from("office"), at(0)).unwrap();
            throttle.succeeded(from("office"));
        }
        assert_eq!(throttle.begin(from("office"), at(0)), Ok(()));
    }

    #[test]
    fn a_known_browser_signs_in_while_the_whole_world_tries() {
        let throttle = Throttle::default();
        let mut refused = 0;
        for number in 0..10_000 {
            let network = format!("net {number}");
            let attempt = Attempt { email: ADA, network: &network, device: None };
            refused += u32::from(throttle.begin(attempt, at(0)).is_err());
        }
        assert_eq!(refused, 9_950, "the person's own limit holds for all networks together");
        let home = Attempt { email: ADA, network: "net 1", device: Some("laptop") };
        assert_eq!(throttle.begin(home, at(0)), Ok(()));
        throttle.succeeded(home);
        let other = Attempt { email: "grace@example.com", network: "elsewhere", device: None };
        assert_eq!(throttle.begin(other, at(0)), Ok(()));
    }

    #[test]
    fn counters_are_bounded() {
        let throttle = Throttle::default();
        for number in 0..100_000 {
            let (email, network) = (format!("{number}@x"), format!("net {number}"));
            let _ = throttle.begin(Attempt { email: &email, network: &network, device: None }, at(number / 1_000));
        }
        assert!(throttle.counters.lock().unwrap().len() <= COUNTERS_MAX);
    }
}
