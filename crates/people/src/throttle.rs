//! Limits of sign-in attempts, which never lock anybody out.
//!
//! Attempts are counted when they begin and removed when they succeed, so that concurrent attempts are
//! counted too. Each counter allows a number of attempts without delay; after that the delay before the
//! next attempt doubles, up to a maximum.
//!
//! A browser in which the person has signed in before, which a signed cookie proves, has a counter of
//! its own. Attempts from elsewhere, whether from the same network or from thousands of networks, do
//! not delay that browser.
//!
//! Second factors are counted separately from passwords: a right password does not undo attempts at a
//! code, only a complete sign-in does.

use muriel_domain::Instant;
use std::collections::HashMap;
use std::hash::{BuildHasher, RandomState};
use std::sync::{Mutex, PoisonError};

/// Most counters in memory. Beyond that the least recently used half is removed.
const COUNTERS_MAX: usize = 50_000;
/// A counter is removed after this time without another attempt.
const FORGOTTEN_US: i64 = 3_600_000_000;
/// Like `FORGOTTEN_US`, for second factors: with an hour, five codes could be tried every hour indefinitely.
const CODE_FORGOTTEN_US: i64 = 24 * FORGOTTEN_US;
const SECOND_US: i64 = 1_000_000;

/// Kind of a counter.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
enum Kind {
    /// One person from one network.
    PersonAndNetwork,
    /// Anybody from one network.
    Network,
    /// One person from all networks.
    Person,
    /// One person in a recognised browser.
    Device,
    /// Second factors of one person from one network.
    CodeAndNetwork,
    /// Second factors of one person from all networks.
    Code,
    /// Second factors of one person in a recognised browser.
    CodeAndDevice,
    /// Codes of the OpenID provider from one network.
    ProviderAndNetwork,
    /// Codes of the OpenID provider in a recognised browser.
    ProviderAndDevice,
}

impl Kind {
    /// Number of attempts without delay, and maximum delay in seconds.
    fn limits(self) -> (u32, i64) {
        match self {
            Kind::PersonAndNetwork => (5, 900),
            Kind::Network => (30, 60),
            Kind::Person => (50, 30),
            Kind::Device => (10, 900),
            Kind::CodeAndNetwork | Kind::CodeAndDevice => (5, 900),
            Kind::Code => (20, 300),
            Kind::ProviderAndNetwork | Kind::ProviderAndDevice => (30, 60),
        }
    }

    /// Returns whether a success resets the counter. Otherwise it removes one attempt.
    fn is_of_one_place(self) -> bool {
        matches!(
            self,
            Kind::PersonAndNetwork
                | Kind::Device
                | Kind::CodeAndNetwork
                | Kind::CodeAndDevice
                | Kind::ProviderAndDevice
        )
    }

    fn forgotten_us(self) -> i64 {
        match self {
            Kind::CodeAndNetwork | Kind::Code | Kind::CodeAndDevice => CODE_FORGOTTEN_US,
            _ => FORGOTTEN_US,
        }
    }
}

#[derive(Debug, Clone, Copy)]
struct Counter {
    kind: Kind,
    attempts: u32,
    last: Instant,
}

impl Counter {
    fn is_current(&self, now: Instant) -> bool {
        now.us().saturating_sub(self.last.us()) < self.kind.forgotten_us()
    }
}

/// The secret that an attempt tries.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Step {
    Password,
    SecondFactor,
    ProviderCode,
}

/// An attempt to sign in.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Attempt<'a> {
    step: Step,
    email: &'a str,
    network: &'a str,
    device: Option<&'a str>,
}

impl<'a> Attempt<'a> {
    /// Attempt at the password for this e-mail address, whether or not a person has the address.
    /// `device` is the browser, if the person has signed in with it before.
    pub(crate) fn password(email: &'a str, network: &'a str, device: Option<&'a str>) -> Self {
        Self { step: Step::Password, email, network, device }
    }

    /// Attempt at the second factor, after this attempt's password was right.
    pub(crate) fn second_factor(self) -> Self {
        Self { step: Step::SecondFactor, ..self }
    }

    /// Attempt at a code of the OpenID provider, for any person. `device` is the browser, if somebody
    /// has signed in with it before.
    pub(crate) fn at_provider(network: &'a str, device: Option<&'a str>) -> Self {
        Self { step: Step::ProviderCode, email: "", network, device }
    }
}

/// Counters of one server.
#[derive(Default)]
pub(crate) struct Throttle {
    counters: Mutex<HashMap<u64, Counter>>,
    hasher: RandomState,
}

impl Throttle {
    fn keys(&self, attempt: Attempt<'_>) -> Vec<(Kind, u64)> {
        let Attempt { step, email, network, device } = attempt;
        let key = |kind: Kind, parts: &[&str]| (kind, self.hasher.hash_one((kind, parts)));
        match (step, device) {
            (Step::Password, Some(device)) => vec![key(Kind::Device, &[email, device])],
            (Step::Password, None) => vec![
                key(Kind::PersonAndNetwork, &[email, network]),
                key(Kind::Network, &[network]),
                key(Kind::Person, &[email]),
            ],
            (Step::SecondFactor, Some(device)) => vec![key(Kind::CodeAndDevice, &[email, device])],
            (Step::SecondFactor, None) => {
                vec![key(Kind::CodeAndNetwork, &[email, network]), key(Kind::Code, &[email])]
            }
            (Step::ProviderCode, Some(device)) => vec![key(Kind::ProviderAndDevice, &[device])],
            (Step::ProviderCode, None) => vec![key(Kind::ProviderAndNetwork, &[network])],
        }
    }

    /// Counts an attempt that begins now.
    ///
    /// # Errors
    /// Whole seconds after which to try again, at least 1, when the attempt may not begin.
    pub(crate) fn begin(&self, attempt: Attempt<'_>, now: Instant) -> Result<(), u64> {
        let keys = self.keys(attempt);
        let mut counters = self.counters.lock().unwrap_or_else(PoisonError::into_inner);
        let wait_us = keys.iter().filter_map(|(kind, key)| {
            let counter = counters.get(key).filter(|counter| counter.is_current(now))?;
            Some(counter.last.us() + pause_us(*kind, counter.attempts) - now.us())
        });
        // A clock that was set back must not keep people waiting for the whole difference.
        let wait_us = wait_us.max().unwrap_or(0).min(900 * SECOND_US);
        if wait_us > 0 {
            return Err(u64::try_from((wait_us + SECOND_US - 1) / SECOND_US).unwrap_or(1).max(1));
        }
        if counters.len() + keys.len() > COUNTERS_MAX {
            shrink(&mut counters, now);
        }
        for (kind, key) in keys {
            let counter = counters.entry(key).or_insert(Counter { kind, attempts: 0, last: now });
            let attempts = if counter.is_current(now) { counter.attempts } else { 0 };
            *counter = Counter { kind, attempts: attempts.saturating_add(1), last: now };
        }
        Ok(())
    }

    /// Removes a successful attempt: counters of this person and place are reset, and the others lose one attempt.
    pub(crate) fn succeeded(&self, attempt: Attempt<'_>) {
        let mut counters = self.counters.lock().unwrap_or_else(PoisonError::into_inner);
        for (kind, key) in self.keys(attempt) {
            if kind.is_of_one_place() {
                counters.remove(&key);
            } else if let Some(counter) = counters.get_mut(&key) {
                counter.attempts = counter.attempts.saturating_sub(1);
            }
        }
    }

    /// Removes an attempt that could not be checked. Earlier attempts stay, so that overloading the
    /// server gains no free attempts.
    pub(crate) fn not_judged(&self, attempt: Attempt<'_>) {
        let mut counters = self.counters.lock().unwrap_or_else(PoisonError::into_inner);
        for (_, key) in self.keys(attempt) {
            if let Some(counter) = counters.get_mut(&key) {
                counter.attempts = counter.attempts.saturating_sub(1);
            }
        }
    }
}

/// Delay after this many attempts.
fn pause_us(kind: Kind, attempts: u32) -> i64 {
    let (free, longest_s) = kind.limits();
    match attempts.checked_sub(free) {
        None => 0,
        Some(over) => (1i64 << over.min(20)).min(longest_s) * SECOND_US,
    }
}

fn shrink(counters: &mut HashMap<u64, Counter>, now: Instant) {
    counters.retain(|_, counter| counter.is_current(now));
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
        Attempt::password(ADA, network, None)
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
            let attempt = Attempt::password(ADA, &network, None);
            refused += u32::from(throttle.begin(attempt, at(0)).is_err());
        }
        assert_eq!(refused, 9_950, "the person's own limit holds for all networks together");
        let home = Attempt::password(ADA, "net 1", Some("laptop"));
        assert_eq!(throttle.begin(home, at(0)), Ok(()));
        throttle.succeeded(home);
        let other = Attempt::password("grace@example.com", "elsewhere", None);
        assert_eq!(throttle.begin(other, at(0)), Ok(()));
    }

    #[test]
    fn an_attempt_that_was_not_judged_takes_back_only_itself() {
        let throttle = Throttle::default();
        for _ in 0..5 {
            throttle.begin(from("a"), at(0)).unwrap();
        }
        throttle.not_judged(from("a"));
        assert_eq!(throttle.begin(from("a"), at(0)), Ok(()));
        assert_eq!(throttle.begin(from("a"), at(0)), Err(1));
    }

    #[test]
    fn a_right_password_takes_back_no_attempt_at_a_code() {
        let throttle = Throttle::default();
        let code = from("a").second_factor();
        for _ in 0..5 {
            throttle.begin(from("a"), at(0)).unwrap();
            throttle.succeeded(from("a"));
            throttle.begin(code, at(0)).unwrap();
        }
        throttle.begin(from("a"), at(0)).unwrap();
        throttle.succeeded(from("a"));
        assert_eq!(throttle.begin(code, at(0)), Err(1));
        // Waiting for hours gives no free attempts back.
        throttle.begin(code, at(3_600)).unwrap();
        assert_eq!(throttle.begin(code, at(3_600)), Err(2));
        throttle.succeeded(code);
        assert_eq!(throttle.begin(code, at(3_600)), Ok(()));
        // Other networks do not help either.
        let codes = (0..30).filter(|number| {
            let network = format!("net {number}");
            throttle.begin(Attempt::password(ADA, &network, None).second_factor(), at(7_200)).is_ok()
        });
        assert!(codes.count() < 20);
        let home = Attempt::password(ADA, "net 1", Some("laptop")).second_factor();
        assert_eq!(throttle.begin(home, at(7_200)), Ok(()));
    }

    #[test]
    fn invented_codes_of_the_provider_keep_known_browsers_from_nothing() {
        let throttle = Throttle::default();
        let stranger = Attempt::at_provider("a", None);
        let begun = (0..100).filter(|_| throttle.begin(stranger, at(0)).is_ok()).count();
        assert_eq!(begun, 30);
        assert_eq!(throttle.begin(Attempt::at_provider("b", None), at(0)), Ok(()));
        assert_eq!(throttle.begin(Attempt::at_provider("a", Some("laptop")), at(0)), Ok(()));
        assert_eq!(throttle.begin(from("a"), at(0)), Ok(()), "passwords are counted apart");
    }

    #[test]
    fn counters_are_bounded() {
        let throttle = Throttle::default();
        for number in 0..100_000 {
            let (email, network) = (format!("{number}@x"), format!("net {number}"));
            let _ = throttle.begin(Attempt::password(&email, &network, None), at(number / 1_000));
        }
        assert!(throttle.counters.lock().unwrap().len() <= COUNTERS_MAX);
    }
}
