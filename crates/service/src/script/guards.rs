//! Customers' code, read once for each text: when it is written, or else when
//! somebody first needs it. It is read apart from requests, so that one that gives
//! up leaves no work behind that the next one begins again.

use super::guard::{Reading, may_have_loops, read};
use super::{code_of, codes_mut};
use crate::error::Error;
use muriel_assign::Document;
use quick_cache::Weighter;
use quick_cache::sync::Cache;
use sha2::{Digest, Sha256};
use std::collections::HashMap;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;
use tokio::sync::{Semaphore, watch};

/// Bytes of readings that are kept.
const KEPT_BYTES: u64 = 64 << 20;
/// Pieces of code that are read at one time: others have work to do, too.
const AT_ONCE: usize = 1;
/// Pieces of code that may wait for that.
const WAITING_MAX: usize = 500;
/// How long a write waits for its code to be read.
const WRITE_WAITS: Duration = Duration::from_secs(3);

type Hash = [u8; 32];
/// None until the code has been read; then nothing where that was stopped.
type Outcome = Option<Option<Arc<Reading>>>;

/// Readings of code. Clones share them.
#[derive(Clone)]
pub struct Guards(Arc<Shared>);

struct Shared {
    known: Cache<Hash, Arc<Reading>, BySize>,
    running: Mutex<HashMap<Hash, watch::Receiver<Outcome>>>,
    room: Semaphore,
    stop: AtomicBool,
}

#[derive(Clone)]
struct BySize;

impl Weighter<Hash, Arc<Reading>> for BySize {
    fn weight(&self, _: &Hash, reading: &Arc<Reading>) -> u64 {
        256 + reading.guarded.as_ref().map_or(0, |code| code.len() as u64)
    }
}

impl Default for Guards {
    fn default() -> Self {
        Self(Arc::new(Shared {
            known: Cache::with_weighter(10_000, KEPT_BYTES, BySize),
            running: Mutex::default(),
            room: Semaphore::new(AT_ONCE),
            stop: AtomicBool::new(false),
        }))
    }
}

impl Guards {
    /// What a piece of code is, if it was read.
    pub(crate) fn known(&self, code: &str) -> Option<Arc<Reading>> {
        self.0.known.get(&hash(code))
    }

    /// Reads a piece of code, or waits for whoever does. The work goes on when nobody
    /// waits any more.
    ///
    /// # Errors
    /// `Unavailable` while too much code waits to be read, and when the server stops.
    pub(crate) async fn read(&self, code: &Arc<str>) -> Result<Arc<Reading>, Error> {
        const UNAVAILABLE: Error = Error::Unavailable { retry_after_s: 1 };
        let hash = hash(code);
        let mut done = {
            let mut running = self.running();
            if let Some(known) = self.0.known.get(&hash) {
                return Ok(known);
            }
            match running.get(&hash) {
                Some(done) => done.clone(),
                None if running.len() >= WAITING_MAX => return Err(UNAVAILABLE),
                None => {
                    let (sender, done) = watch::channel(None);
                    running.insert(hash, done.clone());
                    tokio::spawn(self.clone().run(hash, code.clone(), sender));
                    done
                }
            }
        };
        let outcome = done.wait_for(Option::is_some).await.ok().and_then(|outcome| outcome.clone().flatten());
        outcome.ok_or(UNAVAILABLE)
    }

    async fn run(self, hash: Hash, code: Arc<str>, sender: watch::Sender<Outcome>) {
        let _room = self.0.room.acquire().await;
        let shared = self.0.clone();
        let reading = tokio::task::spawn_blocking(move || read(&code, &shared.stop)).await;
        let reading = match reading {
            Ok(Ok(reading)) => Some(Arc::new(reading)),
            // It was stopped, or has panicked, which is logged where that happens.
            Ok(Err(_)) | Err(_) => None,
        };
        if let Some(reading) = &reading {
            self.0.known.insert(hash, reading.clone());
        }
        self.running().remove(&hash);
        sender.send_replace(Some(reading));
    }

    /// Reads pieces of code, as far as a write waits for that.
    pub async fn read_all(&self, codes: Vec<Arc<str>>) {
        let all = async {
            for code in &codes {
                let _ = self.read(code).await;
            }
        };
        let _ = tokio::time::timeout(WRITE_WAITS, all).await;
    }

    /// The document with loops in its code that can be stopped.
    ///
    /// # Errors
    /// `Unavailable` while too much code waits to be read, and when the server stops.
    pub async fn guarded(&self, document: &Document) -> Result<Document, Error> {
        let mut document = document.clone();
        for delivered in &mut document.experiments {
            let codes: Vec<_> = code_of(delivered).cloned().collect();
            let mut guarded = Vec::with_capacity(codes.len());
            for code in &codes {
                guarded.push(if may_have_loops(code) { self.read(code).await?.guarded.clone() } else { None });
            }
            if guarded.iter().all(Option::is_none) {
                continue;
            }
            for (code, guarded) in codes_mut(Arc::make_mut(delivered)).zip(guarded) {
                if let Some(guarded) = guarded {
                    *code = guarded;
                }
            }
        }
        Ok(document)
    }

    /// Ends what is being read: the server is about to end.
    pub fn stop(&self) {
        self.0.stop.store(true, Ordering::Relaxed);
    }

    fn running(&self) -> MutexGuard<'_, HashMap<Hash, watch::Receiver<Outcome>>> {
        self.0.running.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn hash(code: &str) -> Hash {
    Sha256::digest(code.as_bytes()).into()
}

#[cfg(test)]
mod tests {
    use super::super::tests::document;
    use super::*;
    use serde_json::json;

    #[tokio::test]
    async fn loops_are_guarded_in_all_code_and_nowhere_else() {
        let code = "for (;;) a()";
        let all = json!({
            "custom_js": code, "control": { "customJS": code }, "custom_css": code,
            "variants": [{ "customJS": code }, { "customJS": "a()" }],
        });
        let plain = document(all);
        let guards = Guards::default();
        let delivered = &guards.guarded(&plain).await.unwrap().experiments[0];
        let turned = "for (;;) {__muriel_turn();a()}";
        let codes: Vec<_> = code_of(delivered).map(|code| &**code).collect();
        assert_eq!(codes, [turned, turned, turned, "a()"]);
        assert_eq!(&*delivered.custom_css, code);
        assert_eq!(&*plain.experiments[0].custom_js, code);
    }

    #[tokio::test]
    async fn the_same_code_is_read_once_whoever_asks_and_gives_up() {
        let guards = Guards::default();
        let code: Arc<str> = "for (;;) a();\n".repeat(2_000).into();
        let asked = {
            let (guards, code) = (guards.clone(), code.clone());
            tokio::spawn(async move { guards.read(&code).await.map(drop) })
        };
        tokio::task::yield_now().await;
        // Who asked gives up; the work goes on, and the next one waits for that.
        asked.abort();
        let document = document(json!({ "custom_js": &*code, "variants": vec![json!({ "customJS": &*code }); 50] }));
        let (one, other) = tokio::join!(guards.guarded(&document), guards.read(&code));
        let other = other.unwrap();
        assert!(
            one.unwrap().experiments[0].variants.iter().all(|variant| Some(&variant.code.js) == other.guarded.as_ref())
        );
        assert!(Arc::ptr_eq(&guards.read(&code).await.unwrap(), &other));
        assert!(guards.running().is_empty());
    }

    #[tokio::test]
    async fn different_code_of_many_variants_takes_steps_in_proportion() {
        const VARIANTS: usize = 50;
        let deep = |n: usize| format!("var n = {n:02};{}a(){}", "for(;;){".repeat(1_000), "}".repeat(1_000));
        let codes: Vec<String> = (0..VARIANTS).map(deep).collect();
        let variants: Vec<_> = codes.iter().map(|code| json!({ "customJS": code })).collect();
        let (guards, document) = (Guards::default(), document(json!({ "variants": variants })));
        let readings = || codes.iter().map(|code| guards.known(code).expect("it was read")).collect::<Vec<_>>();
        let guarded = guards.guarded(&document).await.unwrap();
        for (variant, code) in guarded.experiments[0].variants.iter().zip(&codes) {
            assert_eq!(variant.code.js.matches("__muriel_turn();").count(), 1_000);
            assert_eq!(variant.code.js.replace("__muriel_turn();", ""), *code);
        }
        let first = readings();
        let steps: usize = first.iter().map(|reading| reading.steps).sum();
        assert!(steps > 0 && steps <= VARIANTS * (first[0].steps + 1), "{steps} steps, {} for one", first[0].steps);
        // Another script of the same code finds all of it read.
        assert_eq!(guards.guarded(&document).await.unwrap().experiments, guarded.experiments);
        assert!(readings().iter().zip(&first).all(|(again, first)| Arc::ptr_eq(again, first)));
    }

    #[tokio::test]
    async fn who_is_stopped_reads_nothing_more() {
        let guards = Guards::default();
        guards.stop();
        let long: Arc<str> = "for (;;) a();\n".repeat(2_000).into();
        assert!(matches!(guards.read(&long).await, Err(Error::Unavailable { .. })));
        assert_eq!((guards.known(&long), guards.running().len()), (None, 0));
    }
}
