//! Rate limits per API key and per network.
//!
//! Buckets fill at a rate and hold a burst (GCRA, by `governor`). Memory is bounded: a limiter has
//! at most [`MAX_ENTRIES`] buckets. Callers beyond that share one bucket, so that an attacker gains
//! nothing from using many addresses or keys. Full buckets are removed.

use std::collections::HashMap;
use std::fmt;
use std::hash::{BuildHasher, RandomState};
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};
use std::num::NonZeroU32;
use std::str::FromStr;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use governor::clock::{Clock, DefaultClock};
use governor::middleware::StateInformationMiddleware;
use governor::nanos::Nanos;
use governor::state::StateStore;
use governor::state::keyed::ShrinkableKeyedStateStore;
use governor::{Quota, RateLimiter};
use http::{HeaderMap, HeaderName, HeaderValue};
use prometheus_client::metrics::counter::Counter;
use prometheus_client::metrics::gauge::Gauge;

use crate::error::HttpError;
use crate::metrics::HttpMetrics;

/// Maximum number of callers with their own bucket, per limiter.
pub const MAX_ENTRIES: usize = 100_000;
/// Interval at which full buckets are removed.
pub const SWEEP_EVERY: Duration = Duration::from_secs(60);

/// Network of a peer, which stands for the party that controls it.
///
/// An IPv4 address counts by its /24, an IPv6 address by its /48: the range that providers commonly
/// assign to one customer. So a caller cannot avoid the limit by using its other addresses. IPv4
/// addresses mapped into IPv6 count as IPv4.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Network(u64);

impl Network {
    /// Network that contains an address.
    pub fn of(address: IpAddr) -> Network {
        match address.to_canonical() {
            // The upper bit keeps the two families apart.
            IpAddr::V4(v4) => Network((1 << 63) | u64::from(v4.to_bits() >> 8)),
            // 48 of 128 bits fit.
            IpAddr::V6(v6) => Network((v6.to_bits() >> 80) as u64),
        }
    }

    /// Network that contains an address, in CIDR notation: `203.0.113.0/24`, `2001:db8:1::/48`.
    pub fn shown(address: IpAddr) -> String {
        match address.to_canonical() {
            IpAddr::V4(v4) => format!("{}/24", Ipv4Addr::from_bits(v4.to_bits() & !0xff)),
            IpAddr::V6(v6) => format!("{}/48", Ipv6Addr::from_bits(v6.to_bits() >> 80 << 80)),
        }
    }
}

/// Fill rate and capacity of a bucket.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Rate {
    /// Sustained requests per second.
    pub per_second: NonZeroU32,
    /// Requests allowed at once after a pause.
    pub burst: NonZeroU32,
}

/// Rate limits of a server. `None` means no limit.
///
/// As text: `off`, or `key=1000/5000,network=2000/10000` with requests per second before the slash
/// and the burst after it. `key=off` switches off one limit; one that is left out keeps its
/// default.
///
/// The limit per network applies to the peer of the connection, including loopback. Behind a
/// reverse proxy all callers share the proxy's network: switch this limit off there and limit in
/// the proxy instead.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RateLimits {
    /// Per API key.
    pub per_key: Option<Rate>,
    /// Per peer network, checked before anything else.
    pub per_network: Option<Rate>,
}

impl RateLimits {
    /// No limits at all.
    pub const OFF: RateLimits = RateLimits { per_key: None, per_network: None };
}

const fn rate(per_second: u32, burst: u32) -> Option<Rate> {
    match (NonZeroU32::new(per_second), NonZeroU32::new(burst)) {
        (Some(per_second), Some(burst)) => Some(Rate { per_second, burst }),
        _ => None,
    }
}

impl Default for RateLimits {
    fn default() -> RateLimits {
        RateLimits { per_key: rate(1_000, 5_000), per_network: rate(2_000, 10_000) }
    }
}

/// The text is not a setting for rate limits.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error(
    "rate limits {0:?} are not `off` or a list such as `key=1000/5000,network=2000/10000`, \
     with whole numbers from 1 to 1000000"
)]
pub struct BadRateLimits(String);

impl FromStr for RateLimits {
    type Err = BadRateLimits;

    fn from_str(text: &str) -> Result<RateLimits, BadRateLimits> {
        const MOST: u32 = 1_000_000;
        let bad = || BadRateLimits(text.to_owned());
        if text.trim() == "off" {
            return Ok(RateLimits::OFF);
        }
        let number = |part: &str| part.trim().parse().ok().filter(|n| (1..=MOST).contains(n));
        let mut limits = RateLimits::default();
        for item in text.split(',') {
            let (name, value) = item.split_once('=').ok_or_else(bad)?;
            let value = if value.trim() == "off" {
                None
            } else {
                let (per_second, burst) = value.split_once('/').ok_or_else(bad)?;
                let per_second = number(per_second).ok_or_else(bad)?;
                rate(per_second, number(burst).ok_or_else(bad)?)
            };
            match name.trim() {
                "key" => limits.per_key = value,
                "network" => limits.per_network = value,
                _ => return Err(bad()),
            }
        }
        Ok(limits)
    }
}

impl fmt::Display for RateLimits {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let show = |limit: Option<Rate>| match limit {
            Some(rate) => format!("{}/{}", rate.per_second, rate.burst),
            None => "off".to_owned(),
        };
        let (key, network) = (show(self.per_key), show(self.per_network));
        write!(f, "key={key},network={network}")
    }
}

/// Decision of a limiter about one request.
#[derive(Debug, Clone)]
pub struct Allowance {
    name: &'static str,
    policy: HeaderValue,
    rate: Rate,
    remaining: u32,
    /// Seconds to wait; `None` when the request is allowed.
    retry_after_s: Option<u64>,
}

impl Allowance {
    /// Returns the error for a request that is refused.
    ///
    /// # Errors
    /// [`HttpError::RateLimited`] when the bucket is empty.
    pub fn check(&self) -> Result<(), HttpError> {
        match self.retry_after_s {
            None => Ok(()),
            Some(retry_after_s) => Err(HttpError::RateLimited { retry_after_s }),
        }
    }

    /// Requests left in the bucket.
    pub fn remaining(&self) -> u32 {
        self.remaining
    }

    /// Sets `RateLimit-Policy` and `RateLimit`.
    ///
    /// The only place that knows their format, which is a draft and has changed before
    /// (draft-ietf-httpapi-ratelimit-headers-10): `q` requests within `w` seconds, `r` of them
    /// left, `t` seconds until the bucket is full.
    pub fn add_headers(&self, headers: &mut HeaderMap) {
        const POLICY: HeaderName = HeaderName::from_static("ratelimit-policy");
        const LIMIT: HeaderName = HeaderName::from_static("ratelimit");
        let used = self.rate.burst.get().saturating_sub(self.remaining);
        let state = format!("\"{}\";r={};t={}", self.name, self.remaining, used.div_ceil(self.rate.per_second.get()));
        headers.insert(POLICY, self.policy.clone());
        // Letters, digits and punctuation always make a header value.
        if let Ok(state) = HeaderValue::try_from(state) {
            headers.insert(LIMIT, state);
        }
    }
}

fn policy(name: &str, rate: Rate) -> HeaderValue {
    let window_s = rate.burst.get().div_ceil(rate.per_second.get());
    HeaderValue::try_from(format!("\"{name}\";q={};w={window_s}", rate.burst))
        .unwrap_or_else(|_| HeaderValue::from_static(""))
}

/// Limiters of one server.
pub struct Limits {
    keys: Option<Limiter>,
    networks: Option<Limiter>,
}

impl Limits {
    /// Creates limiters with full buckets for everyone.
    pub fn new(settings: RateLimits, metrics: &HttpMetrics) -> Limits {
        Limits {
            keys: settings.per_key.map(|rate| {
                let entries = metrics.rate_limit_keys.clone();
                Limiter::new("key", rate, entries, metrics.rate_limited_key.clone())
            }),
            networks: settings.per_network.map(|rate| {
                let entries = metrics.rate_limit_networks.clone();
                let refused = metrics.rate_limited_network.clone();
                Limiter::new("network", rate, entries, refused)
            }),
        }
    }

    /// Takes one request from the bucket of a key; `None` without a limit.
    pub fn take_key(&self, key_id: &str) -> Option<Allowance> {
        self.keys.as_ref().map(|keys| keys.take(key_id))
    }

    /// Takes one request from the bucket of a network; `None` without a limit.
    pub fn take_network(&self, network: Network) -> Option<Allowance> {
        self.networks.as_ref().map(|all| all.take(network))
    }

    /// Takes one request from the bucket of a key.
    ///
    /// Within a request prefer [`RequestContext::authenticated`], which also adds the `RateLimit`
    /// fields to the response.
    ///
    /// # Errors
    /// [`HttpError::RateLimited`] when the bucket is empty.
    ///
    /// [`RequestContext::authenticated`]: crate::request::RequestContext::authenticated
    pub fn check_key(&self, key_id: &str) -> Result<(), HttpError> {
        self.take_key(key_id).map_or(Ok(()), |taken| taken.check())
    }

    /// Numbers of keys and networks that have a bucket.
    pub fn entries(&self) -> (usize, usize) {
        let count = |limiter: &Option<Limiter>| limiter.as_ref().map_or(0, Limiter::len);
        (count(&self.keys), count(&self.networks))
    }

    /// Removes full buckets and frees their memory.
    pub fn sweep(&self) {
        for limiter in self.keys.iter().chain(&self.networks) {
            limiter.buckets.retain_recent();
            limiter.buckets.shrink_to_fit();
        }
    }
}

struct Limiter {
    name: &'static str,
    rate: Rate,
    policy: HeaderValue,
    hasher: RandomState,
    buckets: RateLimiter<u64, Buckets, DefaultClock, StateInformationMiddleware>,
    refused: Counter,
}

impl Limiter {
    fn new(name: &'static str, rate: Rate, entries: Gauge, refused: Counter) -> Limiter {
        let quota = Quota::per_second(rate.per_second).allow_burst(rate.burst);
        Limiter {
            name,
            rate,
            policy: policy(name, rate),
            hasher: RandomState::new(),
            buckets: RateLimiter::new(quota, Buckets::new(entries), DefaultClock::default()),
            refused,
        }
    }

    /// Takes one request from the bucket of a caller. Callers are identified by a 64-bit hash under
    /// a secret seed, so that entries have one small size whatever the length of the name.
    fn take(&self, caller: impl std::hash::Hash) -> Allowance {
        let hash = self.hasher.hash_one(caller);
        let (remaining, retry_after_s) = match self.buckets.check_key(&hash) {
            Ok(state) => (state.remaining_burst_capacity(), None),
            Err(until) => {
                self.refused.inc();
                let wait = until.wait_time_from(self.buckets.clock().now());
                let whole = wait.as_secs() + u64::from(wait.subsec_nanos() > 0);
                (0, Some(whole.max(1)))
            }
        };
        Allowance { name: self.name, policy: self.policy.clone(), rate: self.rate, remaining, retry_after_s }
    }

    fn len(&self) -> usize {
        self.buckets.len()
    }
}

/// State of all buckets: the time at which each will be full again.
struct Buckets {
    shards: [Mutex<HashMap<u64, Nanos>>; Buckets::SHARDS],
    /// Bucket shared by all callers beyond the maximum.
    overflow: Mutex<Option<Nanos>>,
    count: AtomicUsize,
    entries: Gauge,
}

impl Buckets {
    const SHARDS: usize = 16;

    fn new(entries: Gauge) -> Buckets {
        Buckets {
            shards: std::array::from_fn(|_| Mutex::default()),
            overflow: Mutex::default(),
            count: AtomicUsize::new(0),
            entries,
        }
    }

    fn reserve(&self) -> bool {
        let taken = self.count.fetch_add(1, Ordering::Relaxed);
        let room = taken < MAX_ENTRIES;
        if !room {
            self.count.fetch_sub(1, Ordering::Relaxed);
        }
        room
    }

    fn show_count(&self) {
        self.entries.set(self.count.load(Ordering::Relaxed) as i64);
    }
}

/// Ignores poisoning: a bucket is never left half written, so a panic elsewhere does not corrupt
/// it.
fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl StateStore for Buckets {
    type Key = u64;

    fn measure_and_replace<T, F, E>(&self, key: &u64, f: F) -> Result<T, E>
    where
        F: Fn(Option<Nanos>) -> Result<(T, Nanos), E>,
    {
        let mut shard = lock(&self.shards[(*key % Self::SHARDS as u64) as usize]);
        if let Some(state) = shard.get_mut(key) {
            let (answer, next) = f(Some(*state))?;
            *state = next;
            return Ok(answer);
        }
        if self.reserve() {
            // A new bucket is full, so this never refuses.
            let (answer, next) = f(None).inspect_err(|_| {
                self.count.fetch_sub(1, Ordering::Relaxed);
            })?;
            shard.insert(*key, next);
            drop(shard);
            self.show_count();
            return Ok(answer);
        }
        drop(shard);
        let mut overflow = lock(&self.overflow);
        let (answer, next) = f(*overflow)?;
        *overflow = Some(next);
        Ok(answer)
    }
}

impl ShrinkableKeyedStateStore<u64> for Buckets {
    fn retain_recent(&self, drop_below: Nanos) {
        for shard in &self.shards {
            let mut shard = lock(shard);
            let before = shard.len();
            shard.retain(|_, full_at| *full_at > drop_below);
            let gone = before - shard.len();
            drop(shard);
            self.count.fetch_sub(gone, Ordering::Relaxed);
        }
        self.show_count();
    }

    fn shrink_to_fit(&self) {
        for shard in &self.shards {
            lock(shard).shrink_to_fit();
        }
    }

    fn len(&self) -> usize {
        self.count.load(Ordering::Relaxed)
    }

    fn is_empty(&self) -> bool {
        self.len() == 0
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::Instant;

    fn check_settings(text: &str, expect: Option<&str>) {
        let parsed: Result<RateLimits, _> = text.parse();
        assert_eq!(parsed.ok().map(|limits| limits.to_string()).as_deref(), expect, "for {text:?}");
    }

    #[test]
    fn settings_as_text() {
        let default = "key=1000/5000,network=2000/10000";
        assert_eq!(RateLimits::default().to_string(), default);
        check_settings(default, Some(default));
        check_settings("off", Some("key=off,network=off"));
        check_settings("key=5/10", Some("key=5/10,network=2000/10000"));
        check_settings("network=off", Some("key=1000/5000,network=off"));
        check_settings(" key = 1 / 2 , network = off ", Some("key=1/2,network=off"));
        for bad in ["", "on", "key", "key=", "key=1", "key=0/1", "key=1/0", "key=1/-1", "ip=1/1"] {
            check_settings(bad, None);
        }
        check_settings("key=1/1000001", None);
    }

    #[test]
    fn networks_of_addresses() {
        let network = |text: &str| Network::of(text.parse().unwrap());
        for (one, other, same) in [
            ("192.0.2.1", "192.0.2.255", true),
            ("192.0.2.1", "192.0.3.1", false),
            ("192.0.2.1", "::ffff:192.0.2.9", true),
            ("2001:db8:1::1", "2001:db8:1:ffff::9", true),
            ("2001:db8:1::1", "2001:db8:2::1", false),
            ("0.0.0.1", "::1", false),
        ] {
            assert_eq!(network(one) == network(other), same, "{one} and {other}");
        }
    }

    fn limits(text: &str) -> (Limits, HttpMetrics) {
        let metrics = HttpMetrics::default();
        (Limits::new(text.parse().unwrap(), &metrics), metrics)
    }

    #[test]
    fn a_burst_then_the_rate() {
        let (limits, metrics) = limits("key=1/3,network=off");
        let left: Vec<_> = (0..3).map(|_| limits.take_key("a").unwrap().remaining()).collect();
        assert_eq!(left, [2, 1, 0]);
        let refused = limits.take_key("a").unwrap();
        assert!(matches!(refused.check(), Err(HttpError::RateLimited { retry_after_s: 1 })));
        let mut headers = HeaderMap::new();
        refused.add_headers(&mut headers);
        assert_eq!(headers["ratelimit-policy"], "\"key\";q=3;w=3");
        assert_eq!(headers["ratelimit"], "\"key\";r=0;t=3");
        assert!(limits.check_key("b").is_ok());
        assert_eq!(metrics.rate_limited_key.get(), 1);
        assert_eq!(metrics.rate_limit_keys.get(), 2);
        let network = Network::of([127, 0, 0, 1].into());
        assert!(limits.take_network(network).is_none());
    }

    #[test]
    fn memory_is_bounded_and_given_back() {
        let (limits, metrics) = limits("key=1000000/5,network=off");
        for caller in 0..300_000 {
            let _ = limits.check_key(&caller.to_string());
        }
        assert_eq!(limits.entries().0, MAX_ENTRIES);
        assert_eq!(metrics.rate_limit_keys.get(), MAX_ENTRIES as i64);
        let deadline = Instant::now() + Duration::from_secs(10);
        while limits.entries().0 > 0 && Instant::now() < deadline {
            limits.sweep();
        }
        assert_eq!(limits.entries().0, 0);
        assert_eq!(metrics.rate_limit_keys.get(), 0);
    }

    #[test]
    fn callers_without_room_share_a_bucket() {
        let (limits, _) = limits("key=1/2,network=off");
        for caller in 0..MAX_ENTRIES {
            assert!(limits.check_key(&caller.to_string()).is_ok());
        }
        let passed = (0..10).filter(|n| limits.check_key(&format!("new {n}")).is_ok());
        let passed = passed.count();
        assert!(passed <= 3, "{passed} of ten newcomers passed");
        assert!(limits.check_key("7").is_ok(), "known callers keep their own");
    }
}
