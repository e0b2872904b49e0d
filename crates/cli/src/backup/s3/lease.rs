//! Lock of a store in S3, which has no locks: a file in `locks/` that is renewed continuously.
//!
//! A process that finds no other file there writes its own and lists the folder again. It has the
//! lock if its file is the only one. S3 lists a file as soon as it is written, so of two concurrent
//! processes at least one sees the other. Among processes that see each other, the one whose random
//! name sorts first keeps its file and waits. The others remove theirs, and write none while one
//! exists. So one of them gets the lock. Ages are differences between times of the store.

use super::super::interrupt;
use super::super::store::{BackupStore, StoreLock};
use super::client::Request;
use super::{S3Store, SIGNED_FOR};
use crate::{Error, Result};
use jiff::Timestamp;
use rusty_s3::S3Action;
use rusty_s3::actions::ListObjectsV2;
use serde::{Deserialize, Serialize};
use std::sync::mpsc::{self, RecvTimeoutError, Sender};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};
use uuid::Uuid;

const LOCKS: &str = "locks/";
/// Interval at which the file is renewed.
const RENEWAL: Duration = Duration::from_secs(15);
/// Maximum age of the file at which its owner may still change something.
const VALIDITY: Duration = Duration::from_secs(60);
/// Timeout for writing a manifest. Together with [`VALIDITY`] it ends before [`EXPIRY`], after which
/// others may remove the contents that the manifest lists.
pub(super) const MANIFEST_TIMEOUT: Duration = Duration::from_secs(80);
/// Age of the file after which others consider its owner dead.
const EXPIRY: Duration = Duration::from_secs(150);
/// Timeout for the request that renews it.
const RENEWAL_TIMEOUT: Duration = Duration::from_secs(15);
/// Maximum number of checks whether the lock is free.
const MAX_ATTEMPTS: u32 = 5;
/// Maximum size of a lock file, in bytes.
const MAX_BYTES: u64 = 4096;

/// Content of the file, for the message of processes that are refused.
#[derive(Serialize, Deserialize)]
struct Holder {
    host: String,
    process: u32,
    since: String,
}

pub(super) struct Lease<'s> {
    store: &'s S3Store,
    name: String,
    renewed: Arc<Mutex<Instant>>,
    /// Dropping it ends the thread.
    stop: Option<Sender<()>>,
    thread: Option<JoinHandle<()>>,
}

/// Lock file of another process.
struct Other {
    name: String,
    age: Duration,
}

impl<'s> Lease<'s> {
    pub(super) fn take(store: &'s S3Store) -> Result<Self> {
        let random = Uuid::new_v4();
        let name = format!("{LOCKS}{random}.json");
        let mut lease: Option<Self> = None;
        let mut attempt = 0;
        loop {
            attempt += 1;
            let mut others = other_locks(store, &name)?;
            if others.is_empty() && lease.is_none() {
                lease = Some(Self::write(store, name.clone())?);
                others = other_locks(store, &name)?;
            }
            let first = others.into_iter().min_by(|one, other| one.name.cmp(&other.name));
            let first = match (first, lease.take()) {
                (None, Some(lease)) => return Ok(lease),
                (None, None) => continue,
                (Some(first), own) => {
                    lease = own.filter(|_| name < first.name);
                    first
                }
            };
            if attempt >= MAX_ATTEMPTS {
                return Err(held(store, &first));
            }
            let jitter = u64::from(random.as_bytes()[0]) * u64::from(attempt);
            interrupt::sleep(Duration::from_millis(300 + 4 * jitter));
            interrupt::check()?;
        }
    }

    /// Writes the file, and starts to renew it.
    fn write(store: &'s S3Store, name: String) -> Result<Self> {
        let host = rustix::system::uname().nodename().to_string_lossy().into_owned();
        let holder =
            Holder { host, process: std::process::id(), since: Timestamp::now().strftime("%FT%TZ").to_string() };
        let text = serde_json::to_vec(&holder).map_err(|error| Error::Other(error.into()))?;
        let begun = Instant::now();
        store.put_bytes(&name, &text, VALIDITY)?;
        let renewed = Arc::new(Mutex::new(begun));
        let (stop, stopped) = mpsc::channel();
        let renew = {
            let (client, bucket, credentials) = (store.client.clone(), store.bucket.clone(), store.credentials.clone());
            let (key, renewed) = (store.key(&name), renewed.clone());
            move || {
                let doing = "renew the lock";
                while let Err(RecvTimeoutError::Timeout) = stopped.recv_timeout(RENEWAL) {
                    let begun = Instant::now();
                    let action = bucket.put_object(Some(&credentials), &key);
                    let request = Request::put(&text, &[]).within(RENEWAL_TIMEOUT);
                    if client.send_once(doing, request, || action.sign(SIGNED_FOR)).is_ok() {
                        *renewed.lock().unwrap_or_else(PoisonError::into_inner) = begun;
                    }
                }
            }
        };
        let thread = thread::Builder::new().name("muriel-backup-lock".to_owned()).spawn(renew);
        let thread = thread.map_err(|error| Error::Other(error.into()))?;
        Ok(Self { store, name, renewed, stop: Some(stop), thread: Some(thread) })
    }
}

/// Lists the files of owners other than `own` that have not expired. Removes expired ones.
fn other_locks(store: &S3Store, own: &str) -> Result<Vec<Other>> {
    let doing = format!("list {}", store.show(LOCKS));
    let mut action = store.bucket.list_objects_v2(store.credentials());
    action.with_prefix(store.key(LOCKS));
    let answer = store.send_to(&doing, &action, Request::get())?;
    let unreadable = || store.client.unreadable(&doing);
    let now = answer.header("date").and_then(|date| jiff::fmt::rfc2822::parse(date).ok());
    // Without a time from the store, use this machine's.
    let now = now.map_or_else(Timestamp::now, |date| date.timestamp());
    let listed = ListObjectsV2::parse_response(&answer.text()).map_err(|_| unreadable())?;
    let mut others = Vec::new();
    for object in listed.contents {
        let key = object.key;
        let Some(name) = key.strip_prefix(&store.prefix).filter(|name| *name != own) else { continue };
        let written = object.last_modified.and_then(|time| time.parse::<Timestamp>().ok()).unwrap_or(now);
        let age = Duration::try_from(now.duration_since(written)).unwrap_or_default();
        if age > EXPIRY {
            store.remove(name)?;
        } else {
            others.push(Other { name: name.to_owned(), age });
        }
    }
    Ok(others)
}

/// Error that names the holder of the lock.
fn held(store: &S3Store, other: &Other) -> Error {
    let holder = store.read_small(&other.name, MAX_BYTES).ok().flatten();
    let holder = holder.and_then(|text| serde_json::from_slice::<Holder>(&text).ok());
    let is_plain = |text: &str| text.len() <= 255 && !text.contains(char::is_control);
    let who = match holder.filter(|holder| is_plain(&holder.host) && is_plain(&holder.since)) {
        Some(Holder { host, process, since }) => format!("process {process} on {host}, since {since}"),
        None => "another process".to_owned(),
    };
    let left = EXPIRY.saturating_sub(other.age).as_secs() + 1;
    Error::Refused(format!(
        "another backup to {} is being made or pruned ({who}); wait until it ends. If that process is gone, its lock expires \
         in {left} seconds",
        store.show("")
    ))
}

impl StoreLock for Lease<'_> {
    fn check(&self) -> Result<()> {
        let age = self.renewed.lock().unwrap_or_else(PoisonError::into_inner).elapsed();
        if age <= VALIDITY {
            return Ok(());
        }
        Err(Error::ObjectStore(format!(
            "the lock of {} could not be renewed for {} seconds, so others may take it; nothing more is stored",
            self.store.show(""),
            age.as_secs()
        )))
    }
}

impl Drop for Lease<'_> {
    fn drop(&mut self) {
        self.stop.take();
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
        // Also after an interrupt. If this fails, the lock expires.
        let key = self.store.key(&self.name);
        let action = self.store.bucket.delete_object(self.store.credentials(), &key);
        let request = Request::delete().within(RENEWAL_TIMEOUT);
        let _ = self.store.client.send_once("release the lock", request, || action.sign(SIGNED_FOR));
    }
}
