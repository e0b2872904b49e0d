//! Cache of analysed code. Each text is analysed once: when it is written, or else when
//! it is first needed. The analysis runs in its own task, so that it is not lost when the
//! request that began it is cancelled.

use super::code_analysis::{CodeAnalysis, analyse, may_have_loops};
use super::{code_of, code_of_mut};
use muriel_assign::Document;
use muriel_context::error::Error;
use quick_cache::Weighter;
use quick_cache::sync::Cache;
use sha2::{Digest, Sha256};
use std::collections::HashMap;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;
use tokio::sync::{Semaphore, watch};

/// Capacity of the cache, in bytes of analyses.
const CAPACITY_BYTES: u64 = 64 << 20;
/// Concurrent analyses. They use processor time that requests need too.
const CONCURRENT: usize = 1;
/// Most analyses that run or wait.
const QUEUE_MAX: usize = 500;
/// Timeout of a write that waits for the analysis of its code.
const WRITE_TIMEOUT: Duration = Duration::from_secs(3);

type Hash = [u8; 32];
/// `None` while the analysis runs; `Some(None)` when it was stopped or panicked.
type AnalysisState = Option<Option<Arc<CodeAnalysis>>>;

/// Adds loop guards to customers' code. Clones share the cache.
#[derive(Clone)]
pub struct LoopGuards(Arc<Shared>);

struct Shared {
    analyses: Cache<Hash, Arc<CodeAnalysis>, BySize>,
    running: Mutex<HashMap<Hash, watch::Receiver<AnalysisState>>>,
    permits: Semaphore,
    stop: AtomicBool,
}

#[derive(Clone)]
struct BySize;

impl Weighter<Hash, Arc<CodeAnalysis>> for BySize {
    fn weight(&self, _: &Hash, analysis: &Arc<CodeAnalysis>) -> u64 {
        256 + analysis.guarded.as_ref().map_or(0, |code| code.len() as u64)
    }
}

impl Default for LoopGuards {
    fn default() -> Self {
        Self(Arc::new(Shared {
            analyses: Cache::with_weighter(10_000, CAPACITY_BYTES, BySize),
            running: Mutex::default(),
            permits: Semaphore::new(CONCURRENT),
            stop: AtomicBool::new(false),
        }))
    }
}

impl LoopGuards {
    /// Returns the analysis of a piece of code, if it is cached.
    pub fn cached(&self, code: &str) -> Option<Arc<CodeAnalysis>> {
        self.0.analyses.get(&hash(code))
    }

    /// Analyses a piece of code. Calls with the same code share one analysis, which
    /// continues when no caller waits for it any more.
    ///
    /// # Errors
    /// `Unavailable` while too much code waits to be analysed, and when the server stops.
    pub(crate) async fn analysis(&self, code: &Arc<str>) -> Result<Arc<CodeAnalysis>, Error> {
        const UNAVAILABLE: Error = Error::Unavailable { retry_after_s: 1 };
        let hash = hash(code);
        let mut done = {
            let mut running = self.running();
            if let Some(known) = self.0.analyses.get(&hash) {
                return Ok(known);
            }
            match running.get(&hash) {
                Some(done) => done.clone(),
                None if running.len() >= QUEUE_MAX => return Err(UNAVAILABLE),
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

    async fn run(self, hash: Hash, code: Arc<str>, sender: watch::Sender<AnalysisState>) {
        let _permit = self.0.permits.acquire().await;
        let shared = self.0.clone();
        let analysis = tokio::task::spawn_blocking(move || analyse(&code, &shared.stop)).await;
        let analysis = match analysis {
            Ok(Ok(analysis)) => Some(Arc::new(analysis)),
            // The analysis was stopped, or panicked, which the panic hook logs.
            Ok(Err(_)) | Err(_) => None,
        };
        if let Some(analysis) = &analysis {
            self.0.analyses.insert(hash, analysis.clone());
        }
        self.running().remove(&hash);
        sender.send_replace(Some(analysis));
    }

    /// Analyses code before it is needed. Returns when that is done, or after `WRITE_TIMEOUT`.
    pub async fn prepare(&self, codes: Vec<Arc<str>>) {
        let all = async {
            for code in &codes {
                let _ = self.analysis(code).await;
            }
        };
        let _ = tokio::time::timeout(WRITE_TIMEOUT, all).await;
    }

    /// Returns the document with a guard in each loop of its code.
    ///
    /// # Errors
    /// `Unavailable` while too much code waits to be analysed, and when the server stops.
    pub async fn guarded(&self, document: &Document) -> Result<Document, Error> {
        let mut document = document.clone();
        for delivered in &mut document.experiments {
            let codes: Vec<_> = code_of(delivered).cloned().collect();
            let mut guarded = Vec::with_capacity(codes.len());
            for code in &codes {
                guarded.push(if may_have_loops(code) { self.analysis(code).await?.guarded.clone() } else { None });
            }
            if guarded.iter().all(Option::is_none) {
                continue;
            }
            for (code, guarded) in code_of_mut(Arc::make_mut(delivered)).zip(guarded) {
                if let Some(guarded) = guarded {
                    *code = guarded;
                }
            }
        }
        Ok(document)
    }

    /// Stops running analyses, because the server is shutting down.
    pub fn stop(&self) {
        self.0.stop.store(true, Ordering::Relaxed);
    }

    fn running(&self) -> MutexGuard<'_, HashMap<Hash, watch::Receiver<AnalysisState>>> {
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
        let guards = LoopGuards::default();
        let delivered = &guards.guarded(&plain).await.unwrap().experiments[0];
        let turned = "for (;;) {__muriel_turn();a()}";
        let codes: Vec<_> = code_of(delivered).map(|code| &**code).collect();
        assert_eq!(codes, [turned, turned, turned, "a()"]);
        assert_eq!(&*delivered.custom_css, code);
        assert_eq!(&*plain.experiments[0].custom_js, code);
    }

    #[tokio::test]
    async fn the_same_code_is_read_once_whoever_asks_and_gives_up() {
        let guards = LoopGuards::default();
        let code: Arc<str> = "for (;;) a();\n".repeat(2_000).into();
        let asked = {
            let (guards, code) = (guards.clone(), code.clone());
            tokio::spawn(async move { guards.analysis(&code).await.map(drop) })
        };
        tokio::task::yield_now().await;
        // The first caller gives up, the work continues, and the next caller waits for it.
        asked.abort();
        let document = document(json!({ "custom_js": &*code, "variants": vec![json!({ "customJS": &*code }); 50] }));
        let (one, other) = tokio::join!(guards.guarded(&document), guards.analysis(&code));
        let other = other.unwrap();
        assert!(
            one.unwrap().experiments[0].variants.iter().all(|variant| Some(&variant.code.js) == other.guarded.as_ref())
        );
        assert!(Arc::ptr_eq(&guards.analysis(&code).await.unwrap(), &other));
        assert!(guards.running().is_empty());
    }

    #[tokio::test]
    async fn different_code_of_many_variants_takes_steps_in_proportion() {
        const VARIANTS: usize = 50;
        let deep = |n: usize| format!("var n = {n:02};{}a(){}", "for(;;){".repeat(1_000), "}".repeat(1_000));
        let codes: Vec<String> = (0..VARIANTS).map(deep).collect();
        let variants: Vec<_> = codes.iter().map(|code| json!({ "customJS": code })).collect();
        let (guards, document) = (LoopGuards::default(), document(json!({ "variants": variants })));
        let analyses = || codes.iter().map(|code| guards.cached(code).expect("it was read")).collect::<Vec<_>>();
        let guarded = guards.guarded(&document).await.unwrap();
        for (variant, code) in guarded.experiments[0].variants.iter().zip(&codes) {
            assert_eq!(variant.code.js.matches("__muriel_turn();").count(), 1_000);
            assert_eq!(variant.code.js.replace("__muriel_turn();", ""), *code);
        }
        let first = analyses();
        let steps: usize = first.iter().map(|analysis| analysis.steps).sum();
        assert!(steps > 0 && steps <= VARIANTS * (first[0].steps + 1), "{steps} steps, {} for one", first[0].steps);
        // Another script with the same code finds all of it analysed.
        assert_eq!(guards.guarded(&document).await.unwrap().experiments, guarded.experiments);
        assert!(analyses().iter().zip(&first).all(|(again, first)| Arc::ptr_eq(again, first)));
    }

    #[tokio::test]
    async fn who_is_stopped_reads_nothing_more() {
        let guards = LoopGuards::default();
        guards.stop();
        let long: Arc<str> = "for (;;) a();\n".repeat(2_000).into();
        assert!(matches!(guards.analysis(&long).await, Err(Error::Unavailable { .. })));
        assert_eq!((guards.cached(&long), guards.running().len()), (None, 0));
    }
}
