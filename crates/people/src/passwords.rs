//! Password hashes: Argon2id with a secret that is not in the database.
//!
//! A hash takes 19 MiB and about 25 ms of processor time, so at most two are computed at once, off the
//! threads that answer requests, and the number of waiting requests is limited. One of the two slots is
//! reserved for browsers in which the person has signed in before, so that a flood of other requests
//! does not delay them.

use argon2::{Algorithm, Argon2, Params, Version};
use base64::Engine;
use base64::engine::general_purpose::STANDARD_NO_PAD;
use muriel_context::error::{Error, Result};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use subtle::ConstantTimeEq;
use tokio::sync::Semaphore;

/// Memory in KiB, passes and lanes: the minimum that OWASP recommends.
const MEMORY_KIB: u32 = 19_456;
const PASSES: u32 = 2;
const LANES: u32 = 1;
const SALT_LEN: usize = 16;
const HASH_LEN: usize = 32;
/// Most memory and passes of a stored hash, which is computed with its own parameters.
const MEMORY_KIB_MAX: u32 = 262_144;
const PASSES_MAX: u32 = 16;
/// Most requests of each kind that wait. Further ones are refused with a retry delay.
const WAITING_MAX: usize = 64;

/// Computes hashes, at most two at a time.
#[derive(Clone)]
pub(crate) struct Passwords(Arc<Turns>);

struct Turns {
    secret: [u8; 32],
    unknown: Queue,
    known: Queue,
    /// Hash to verify where there is no password, so that the response takes the same time.
    absent: String,
}

/// Queue of requests that are processed one after the other. Each kind has its own, so that unknown
/// browsers fill only theirs.
struct Queue {
    semaphore: Arc<Semaphore>,
    waiting: AtomicUsize,
}

impl Queue {
    fn new() -> Self {
        Self { semaphore: Arc::new(Semaphore::new(1)), waiting: AtomicUsize::new(0) }
    }
}

/// The queue that a request waits in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Turn {
    /// Queue of browsers in which nobody has signed in.
    Unknown,
    /// Queue of recognised browsers and people.
    Known,
}

/// Result of verifying a password.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Verdict {
    /// The password matches the hash.
    pub(crate) fits: bool,
    /// The hash was made with other parameters than new hashes.
    pub(crate) is_outdated: bool,
}

impl Passwords {
    /// Creates hashing with this secret.
    pub(crate) fn new(secret: [u8; 32]) -> Self {
        let absent = phc(&[0; SALT_LEN], &[0; HASH_LEN]);
        Self(Arc::new(Turns { secret, unknown: Queue::new(), known: Queue::new(), absent }))
    }

    /// Hashes a new password, in the PHC format.
    ///
    /// # Errors
    /// `Unavailable` when too many requests wait.
    pub(crate) async fn hash(&self, password: String, turn: Turn) -> Result<String> {
        let mut salt = [0; SALT_LEN];
        getrandom::fill(&mut salt).map_err(|error| Error::internal(error.to_string()))?;
        let turns = self.0.clone();
        self.run(turn, move || Ok(phc(&salt, &turns.compute(&password, &salt, MEMORY_KIB, PASSES, LANES)?))).await
    }

    /// Verifies the password against `stored`. Without a stored hash it does not match, which takes the same time.
    ///
    /// # Errors
    /// `Unavailable` when too many requests wait, and a hash that cannot be parsed.
    pub(crate) async fn verify(&self, password: String, stored: Option<String>, turn: Turn) -> Result<Verdict> {
        let turns = self.0.clone();
        self.run(turn, move || {
            let is_there = stored.is_some();
            let stored = parse(stored.as_deref().unwrap_or(&turns.absent))
                .ok_or_else(|| Error::internal("the hash of a password cannot be read"))?;
            let hash = turns.compute(&password, &stored.salt, stored.memory_kib, stored.passes, stored.lanes)?;
            let fits: bool = hash.ct_eq(&stored.hash).into();
            let is_outdated = (stored.memory_kib, stored.passes, stored.lanes) != (MEMORY_KIB, PASSES, LANES);
            Ok(Verdict { fits: fits && is_there, is_outdated })
        })
        .await
    }

    /// Waits in the queue of `turn`, then runs `work` on a thread for blocking work.
    async fn run<T: Send + 'static>(&self, turn: Turn, work: impl FnOnce() -> Result<T> + Send + 'static) -> Result<T> {
        let queue = match turn {
            Turn::Unknown => &self.0.unknown,
            Turn::Known => &self.0.known,
        };
        let _waiting = Waiting::begin(&queue.waiting)?;
        let permit = queue.semaphore.clone().acquire_owned().await.map_err(Error::internal)?;
        let done = tokio::task::spawn_blocking(move || {
            // Held until the work is done, even when no request waits for it any more.
            let _permit = permit;
            work()
        });
        done.await.map_err(Error::internal)?
    }
}

struct Waiting<'a>(&'a AtomicUsize);

impl<'a> Waiting<'a> {
    fn begin(count: &'a AtomicUsize) -> Result<Self> {
        let waiting = Self(count);
        if count.fetch_add(1, Ordering::Relaxed) >= WAITING_MAX {
            return Err(Error::Unavailable { retry_after_s: 2 });
        }
        Ok(waiting)
    }
}

impl Drop for Waiting<'_> {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::Relaxed);
    }
}

impl Turns {
    fn compute(&self, password: &str, salt: &[u8], memory: u32, passes: u32, lanes: u32) -> Result<[u8; HASH_LEN]> {
        let failed = |error: argon2::Error| Error::internal(error.to_string());
        let params = Params::new(memory, passes, lanes, Some(HASH_LEN)).map_err(failed)?;
        let argon =
            Argon2::new_with_secret(&self.secret, Algorithm::Argon2id, Version::V0x13, params).map_err(failed)?;
        let mut hash = [0; HASH_LEN];
        argon.hash_password_into(password.as_bytes(), salt, &mut hash).map_err(failed)?;
        Ok(hash)
    }
}

/// A hash from the database.
struct Stored {
    memory_kib: u32,
    passes: u32,
    lanes: u32,
    salt: Vec<u8>,
    hash: Vec<u8>,
}

/// Formats a hash with its parameters: `$argon2id$v=19$m=19456,t=2,p=1$<salt>$<hash>`.
fn phc(salt: &[u8], hash: &[u8]) -> String {
    let (salt, hash) = (STANDARD_NO_PAD.encode(salt), STANDARD_NO_PAD.encode(hash));
    format!("$argon2id$v=19$m={MEMORY_KIB},t={PASSES},p={LANES}${salt}${hash}")
}

/// Parses the format of [`phc`], with any parameters within the limits of memory and time.
fn parse(text: &str) -> Option<Stored> {
    let mut parts = text.strip_prefix("$argon2id$v=19$")?.split('$');
    let (parameters, salt, hash, None) = (parts.next()?, parts.next()?, parts.next()?, parts.next()) else {
        return None;
    };
    let mut numbers =
        parameters.split(',').zip(["m=", "t=", "p="]).map(|(part, name)| part.strip_prefix(name)?.parse().ok());
    let (memory_kib, passes, lanes) = (numbers.next()??, numbers.next()??, numbers.next()??);
    let bearable = memory_kib <= MEMORY_KIB_MAX && passes <= PASSES_MAX && lanes <= 4;
    let decoded = |text: &str| STANDARD_NO_PAD.decode(text).ok();
    let stored = Stored { memory_kib, passes, lanes, salt: decoded(salt)?, hash: decoded(hash)? };
    (bearable && stored.hash.len() == HASH_LEN).then_some(stored)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn a_password_fits_its_own_hash_only() {
        let passwords = Passwords::new([7; 32]);
        let hash = passwords.hash("correct horse battery".to_owned(), Turn::Known).await.unwrap();
        assert!(hash.starts_with("$argon2id$v=19$m=19456,t=2,p=1$"), "{hash}");
        let check = async |passwords: &Passwords, password: &str, stored: Option<&str>| {
            passwords.verify(password.to_owned(), stored.map(str::to_owned), Turn::Unknown).await.unwrap().fits
        };
        assert!(check(&passwords, "correct horse battery", Some(&hash)).await);
        assert!(!check(&passwords, "correct horse batterz", Some(&hash)).await);
        assert!(!check(&passwords, "correct horse battery", None).await);
        let elsewhere = Passwords::new([8; 32]);
        assert!(!check(&elsewhere, "correct horse battery", Some(&hash)).await, "without the secret it is of no use");
        let weak = hash.replace("m=19456", "m=8192");
        assert!(passwords.verify("x".to_owned(), Some(weak), Turn::Known).await.unwrap().is_outdated);
    }

    #[test]
    fn hashes_that_would_take_everything_are_not_read() {
        let good = phc(&[1; SALT_LEN], &[2; HASH_LEN]);
        assert!(parse(&good).is_some());
        for bad in [
            good.replace("m=19456", "m=4194304"),
            good.replace("t=2", "t=100"),
            good.replace("argon2id", "argon2i"),
            good.replace("$v=19", ""),
            format!("{good}$"),
            String::new(),
        ] {
            assert!(parse(&bad).is_none(), "{bad}");
        }
    }

    #[tokio::test]
    async fn only_so_many_wait_and_only_those_of_their_kind_are_refused() {
        let passwords = Passwords::new([7; 32]);
        let held = passwords.0.unknown.semaphore.clone().acquire_owned().await.unwrap();
        let waiting: Vec<_> = (0..WAITING_MAX)
            .map(|_| {
                let passwords = passwords.clone();
                tokio::spawn(async move { passwords.verify("x".to_owned(), None, Turn::Unknown).await })
            })
            .collect();
        while passwords.0.unknown.waiting.load(Ordering::Relaxed) < WAITING_MAX {
            tokio::task::yield_now().await;
        }
        let refused = passwords.verify("x".to_owned(), None, Turn::Unknown).await;
        assert!(matches!(refused, Err(Error::Unavailable { .. })), "{refused:?}");
        passwords.verify("x".to_owned(), None, Turn::Known).await.unwrap();
        waiting.iter().for_each(|task| task.abort());
        for task in waiting {
            let _ = task.await;
        }
        drop(held);
        assert_eq!(passwords.0.unknown.waiting.load(Ordering::Relaxed), 0);
        passwords.verify("x".to_owned(), None, Turn::Unknown).await.unwrap();
    }
}
