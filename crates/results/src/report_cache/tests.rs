//! Guarantees of the cache, with a warehouse that answers only when a test lets it.

use super::*;
use crate::define::ReportInputs;
use crate::planning::PlanningRequest;
use muriel_domain::experiment::{Experiment, TestType};
use muriel_domain::ids::{CompanyId, ProjectId};
use muriel_log::LogId;
use muriel_log::{Batch, BatchEvent, DedupScope, Log, LogOptions, Reserve};
use muriel_warehouse::testing::{Fault, FaultyWriter};
use muriel_warehouse::{
    ActivityAnswer, ActivityQuestion, Arrivals, DuckWarehouse, Error, ExperimentAnswer, ExperimentQuestion,
    PagesAnswer, PagesQuestion, PairAnswer, PairQuestion, SharedAnswer, SharedQuestion, TrafficAnswer, TrafficQuestion,
    VisitorTotals, VisitorsQuestion, WarehouseOptions,
};
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};

type Result<T> = std::result::Result<T, Error>;

/// Timeout of a test for something that must happen.
const TIMEOUT: Duration = Duration::from_secs(60);

/// Lets questions pass when it is open, and counts them.
#[derive(Default)]
struct Gate {
    asked: AtomicUsize,
    stopped: AtomicUsize,
    open: AtomicBool,
}

impl Gate {
    fn pass(&self, stop: &StopToken) -> Result<()> {
        self.asked.fetch_add(1, Ordering::SeqCst);
        let began = Ticks::now();
        while !self.open.load(Ordering::SeqCst) {
            // The end of a failed test waits for its threads, so they must end.
            if began.elapsed() > TIMEOUT {
                return Err(Error::Memory);
            }
            if stop.is_stopped() {
                self.stopped.fetch_add(1, Ordering::SeqCst);
                return Err(Error::Stopped);
            }
            std::thread::yield_now();
        }
        Ok(())
    }

    fn open(&self) {
        self.open.store(true, Ordering::SeqCst);
    }

    fn asked(&self) -> usize {
        self.asked.load(Ordering::SeqCst)
    }

    fn stopped(&self) -> usize {
        self.stopped.load(Ordering::SeqCst)
    }
}

/// A warehouse that answers only when its gates are open.
struct GatedReader {
    inner: Arc<DuckWarehouse>,
    reports: Gate,
    traffic: Gate,
    /// True when the next answer has no rows.
    is_emptied: AtomicBool,
    /// True when the writer accepts no rows.
    is_full: Arc<AtomicBool>,
    /// Number of visitors that are added to answers.
    crowd: AtomicU64,
}

impl WarehouseReader for GatedReader {
    fn ask_with_networks(
        &self,
        question: &ExperimentQuestion,
        stop: &StopToken,
        wants: &mut dyn FnMut(&ExperimentAnswer) -> bool,
    ) -> Result<ExperimentAnswer> {
        self.reports.pass(stop)?;
        let mut answer = self.inner.ask_with_networks(question, stop, wants)?;
        let visitors = self.crowd.load(Ordering::SeqCst);
        answer.arrivals.extend((visitors > 0).then_some(Arrivals { epoch: 1, variant: 0, visitors }));
        let is_emptied = self.is_emptied.swap(false, Ordering::SeqCst);
        Ok(ExperimentAnswer { marks: if is_emptied { Watermarks::new() } else { answer.marks }, ..answer })
    }

    fn pair(&self, question: &PairQuestion, stop: &StopToken) -> Result<PairAnswer> {
        self.inner.pair(question, stop)
    }

    fn shared(&self, question: &SharedQuestion, stop: &StopToken) -> Result<SharedAnswer> {
        self.inner.shared(question, stop)
    }

    fn traffic(&self, question: &TrafficQuestion, stop: &StopToken) -> Result<TrafficAnswer> {
        self.traffic.pass(stop)?;
        self.inner.traffic(question, stop)
    }

    fn visitors(
        &self,
        question: &VisitorsQuestion,
        stop: &StopToken,
        each: &mut dyn FnMut(VisitorTotals),
    ) -> Result<()> {
        self.inner.visitors(question, stop, each)
    }

    fn activity(&self, question: &ActivityQuestion, stop: &StopToken) -> Result<ActivityAnswer> {
        self.inner.activity(question, stop)
    }

    fn pages(&self, question: &PagesQuestion, stop: &StopToken) -> Result<PagesAnswer> {
        self.inner.pages(question, stop)
    }
}

/// Position before all blocks, in a log from which nothing is loaded.
const START: LogPosition = LogPosition { log: LogId::from_bytes([0; 16]), position: Position { seq: 0 } };
const NOW: Instant = Instant::from_us(1_772_359_200_000_000);

fn scene(directory: &std::path::Path) -> (Arc<GatedReader>, Arc<ReportCache>, ReportKey, ReportInputs) {
    let inner = Arc::new(DuckWarehouse::in_memory(&WarehouseOptions { memory_bytes: 256 << 20, threads: 1 }).unwrap());
    let (reports, traffic) = (Gate::default(), Gate::default());
    let (is_emptied, is_full) = (AtomicBool::new(false), Arc::new(AtomicBool::new(false)));
    let crowd = AtomicU64::new(0);
    let is_refused = is_full.clone();
    let fault = move |_| if is_refused.load(Ordering::SeqCst) { Fault::Before } else { Fault::None };
    let writer = Arc::new(FaultyWriter::new(inner.clone(), fault));
    let warehouse = Arc::new(GatedReader { inner, reports, traffic, is_emptied, is_full, crowd });
    let loader = Loader::start(directory, writer, None).unwrap();
    let reports = ReportCache::new(warehouse.clone(), Arc::new(loader)).with_timeouts(timeouts(TIMEOUT));
    let reports = Arc::new(reports);
    let key = key(1);
    let known =
        ReportInputs::of(Experiment::draft(CompanyId(1), ProjectId(1), TestType::AbTest, "one".to_owned(), NOW), "1");
    (warehouse, reports, key, known)
}

/// The timeout for the head is long, as a slow machine may need long to read it.
fn timeouts(catch_up: Duration) -> ReportTimeouts {
    ReportTimeouts { head: TIMEOUT, catch_up }
}

fn key(test_id: i64) -> ReportKey {
    ReportKey {
        project_key: "prj".into(),
        subject: SubjectId::Experiment(ExperimentId(test_id)),
        inquiry: Inquiry::default(),
        by_quarter: false,
    }
}

/// A log, to which blocks of one event are added.
fn log(directory: &std::path::Path) -> Log {
    Log::open(directory, LogOptions { reserve: Reserve::Bytes(0), ..LogOptions::default() }).unwrap()
}

async fn block(log: &Log) -> Position {
    let id = uuid::Uuid::from_u128(log.last().seq as u128);
    let line = format!(
        r#"{{"id":"{id}","type":"pageview","project_key":"prj","at":"{NOW}","received_at":"{NOW}","visitor":{{"id":"v"}},"bot":false}}"#
    ) + "\n";
    let (lines, events) =
        (line.clone().into_bytes(), vec![BatchEvent { id, scope: DedupScope::PROJECT, end: line.len() }]);
    log.append(Batch { project_key: "prj".into(), received_at: NOW, events, lines }).await.unwrap();
    log.last()
}

async fn until(so: impl Fn() -> bool) {
    tokio::time::timeout(TIMEOUT, async {
        while !so() {
            tokio::task::yield_now().await;
        }
    })
    .await
    .expect("it becomes so");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn whoever_asks_the_same_waits_for_one_computation() {
    let directory = tempfile::tempdir().unwrap();
    let (warehouse, reports, key, known) = scene(directory.path());
    let asking: Vec<_> = (0..10)
        .map(|_| {
            let (reports, key, known) = (reports.clone(), key.clone(), known.clone());
            tokio::spawn(async move { reports.report_at(&key, &known, START, NOW).await })
        })
        .collect();
    until(|| warehouse.reports.asked() == 1).await;
    warehouse.reports.open();
    let mut answers = Vec::new();
    for asking in asking {
        answers.push(asking.await.unwrap().unwrap());
    }
    assert!(answers.iter().all(|answer| Arc::ptr_eq(answer, &answers[0])));
    assert_eq!(warehouse.reports.asked(), 1);
    // The report is cached until the experiment changes or time passes.
    let again = reports.report_at(&key, &known, START, NOW.plus_us(1_000_000)).await.unwrap();
    assert!(Arc::ptr_eq(&again, &answers[0]));
    reports.report_at(&key, &known, START, NOW.plus_us(MAX_AGE_US + 1_000)).await.unwrap();
    assert_eq!(warehouse.reports.asked(), 2);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_computation_of_an_earlier_time_is_not_shared() {
    let directory = tempfile::tempdir().unwrap();
    let (warehouse, reports, key, known) = scene(directory.path());
    let ask = |now| {
        let (reports, key, known) = (reports.clone(), key.clone(), known.clone());
        tokio::spawn(async move { reports.report_at(&key, &known, START, now).await })
    };
    let early = ask(NOW);
    until(|| warehouse.reports.asked() == 1).await;
    let late = NOW.plus_us(MAX_AGE_US + 1_000);
    let waiting = ask(late);
    let has_joined = || reports.in_flight.lock().unwrap().get(&key).is_some_and(|flight| flight.strong_count() == 2);
    until(has_joined).await;
    warehouse.reports.open();
    assert_eq!(early.await.unwrap().unwrap().manifest.as_of, NOW);
    assert_eq!(waiting.await.unwrap().unwrap().manifest.as_of, late);
    assert_eq!(warehouse.reports.asked(), 2);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_computation_ends_with_the_last_who_waits() {
    let directory = tempfile::tempdir().unwrap();
    let (warehouse, reports, key, known) = scene(directory.path());
    let ask = || {
        let (reports, key, known) = (reports.clone(), key.clone(), known.clone());
        tokio::spawn(async move { reports.report_at(&key, &known, START, NOW).await.is_ok() })
    };
    let (one, other) = (ask(), ask());
    let wait = || reports.in_flight.lock().unwrap().get(&key).is_some_and(|flight| flight.strong_count() == 2);
    until(|| warehouse.reports.asked() == 1 && wait()).await;
    one.abort();
    let _ = one.await;
    assert_eq!(warehouse.reports.stopped(), 0, "somebody still waits");
    other.abort();
    let _ = other.await;
    until(|| warehouse.reports.stopped() == 1).await;
    // A later request gets an answer all the same.
    warehouse.reports.open();
    assert!(ask().await.unwrap());
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_place_in_the_queue_is_left_with_the_question() {
    let directory = tempfile::tempdir().unwrap();
    let (warehouse, reports, _, known) = scene(directory.path());
    let ask = |test_id: usize| {
        let (reports, key, known) = (reports.clone(), key(test_id as i64), known.clone());
        tokio::spawn(async move { reports.report_at(&key, &known, START, NOW).await.is_ok() })
    };
    let running: Vec<_> = (0..CONCURRENT).map(ask).collect();
    until(|| warehouse.reports.asked() == CONCURRENT).await;
    let waiting: Vec<_> = (CONCURRENT..CONCURRENT + QUEUE).map(ask).collect();
    until(|| reports.queue.available_permits() == 0).await;
    let more = reports.report_at(&key(-1), &known, START, NOW).await;
    assert!(matches!(more, Err(ReportError::Busy)), "{more:?}");
    waiting.iter().for_each(|waiting| waiting.abort());
    until(|| reports.queue.available_permits() == QUEUE).await;
    warehouse.reports.open();
    for running in running {
        assert!(running.await.unwrap());
    }
    assert_eq!(warehouse.reports.asked(), CONCURRENT);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn plans_wait_for_room_and_end_with_who_asks() {
    let directory = tempfile::tempdir().unwrap();
    let (warehouse, reports, key, known) = scene(directory.path());
    warehouse.reports.open();
    let plan = || {
        let (reports, known) = (reports.clone(), known.clone());
        let manifest = known.manifest(&key.project_key, &key.inquiry, NOW);
        tokio::spawn(
            async move { reports.plan_at(manifest, &known, PlanningRequest::default(), START, NOW).await.is_ok() },
        )
    };
    let all = CONCURRENT + QUEUE;
    let running: Vec<_> = (0..CONCURRENT).map(|_| plan()).collect();
    until(|| warehouse.traffic.asked() == CONCURRENT).await;
    let waiting: Vec<_> = (0..3).map(|_| plan()).collect();
    until(|| reports.queue.available_permits() == all - CONCURRENT - 3).await;
    // The places are left one after the other, and no waiting computation may start because of that.
    waiting.iter().for_each(|waiting| waiting.abort());
    until(|| reports.queue.available_permits() == all - CONCURRENT).await;
    running.iter().for_each(|running| running.abort());
    let places = || (reports.queue.available_permits(), reports.computing.available_permits());
    until(|| warehouse.traffic.stopped() == CONCURRENT && places() == (all, CONCURRENT)).await;
    assert_eq!(warehouse.traffic.asked(), CONCURRENT);
    warehouse.traffic.open();
    assert!(plan().await.unwrap());
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn rows_that_go_while_it_is_asked_are_waited_for() {
    let directory = tempfile::tempdir().unwrap();
    let log = log(directory.path());
    let head = block(&log).await;
    let (warehouse, reports, key, known) = scene(directory.path());
    warehouse.reports.open();
    warehouse.is_emptied.store(true, Ordering::SeqCst);
    for _ in 0..2 {
        let answer = reports.report(&key, &known, NOW).await.unwrap();
        assert_eq!(answer.manifest.logs[0].position, head.seq);
        // A report that lacks the rows is not cached either.
        assert_eq!(warehouse.reports.asked(), 2);
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn there_is_no_answer_without_the_events_that_were_acknowledged() {
    let directory = tempfile::tempdir().unwrap();
    let log = log(directory.path());
    let head = block(&log).await;
    let (warehouse, reports, key, known) = scene(directory.path());
    let reports = Arc::into_inner(reports).unwrap().with_timeouts(timeouts(Duration::from_millis(1)));
    warehouse.reports.open();
    until(|| reports.loader.position() == head).await;
    assert!(reports.report(&key, &known, NOW).await.is_ok());
    warehouse.is_full.store(true, Ordering::SeqCst);
    block(&log).await;
    let answer = reports.report(&key, &known, NOW).await;
    assert!(matches!(answer, Err(ReportError::Loading { done: 1, of: 2 })), "{answer:?}");
}

/// A report of many visitors, whose computation takes a while.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_large_report_is_made_again_when_events_came() {
    let directory = tempfile::tempdir().unwrap();
    let log = log(directory.path());
    let (warehouse, reports, key, known) = scene(directory.path());
    warehouse.crowd.store(1_000_000, Ordering::SeqCst);
    for made in 1..4 {
        let head = block(&log).await;
        warehouse.reports.open.store(false, Ordering::SeqCst);
        let asking = {
            let (reports, key, known) = (reports.clone(), key.clone(), known.clone());
            tokio::spawn(async move { reports.report(&key, &known, NOW).await })
        };
        until(|| warehouse.reports.asked() == made).await;
        tokio::time::sleep(Duration::from_millis(60)).await;
        warehouse.reports.open();
        assert_eq!(asking.await.unwrap().unwrap().manifest.logs[0].position, head.seq);
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_report_that_was_made_while_events_were_loaded_is_not_given_afterwards() {
    let directory = tempfile::tempdir().unwrap();
    let log = log(directory.path());
    block(&log).await;
    let (warehouse, reports, key, known) = scene(directory.path());
    warehouse.reports.open();
    warehouse.crowd.store(1_000_000, Ordering::SeqCst);
    until(|| reports.loader.position().seq == 1).await;
    warehouse.is_full.store(true, Ordering::SeqCst);
    let head = block(&log).await;
    // As if it was computed in the middle of loading.
    let early = reports.report_at(&key, &known, reports.loader.loaded().unwrap(), NOW).await.unwrap();
    assert_eq!(early.manifest.logs[0].position, 1);
    let reports = Arc::into_inner(reports).unwrap().with_timeouts(timeouts(Duration::from_millis(1)));
    let answer = reports.report(&key, &known, NOW).await;
    assert!(matches!(answer, Err(ReportError::Loading { done: 1, of: 2 })), "{answer:?}");
    // A report in the background is not computed either.
    reports.warm(&key, &known, NOW).await;
    warehouse.is_full.store(false, Ordering::SeqCst);
    let reports = reports.with_timeouts(timeouts(TIMEOUT));
    assert_eq!(reports.report(&key, &known, NOW).await.unwrap().manifest.logs[0].position, head.seq);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_another_process_appends_is_waited_for() {
    let directory = tempfile::tempdir().unwrap();
    let (server, import) = (log(directory.path()), log(directory.path()));
    let (warehouse, reports, key, known) = scene(directory.path());
    warehouse.reports.open();
    for _ in 0..3 {
        let head = block(&import).await;
        assert!(server.last() <= head);
        assert_eq!(reports.report(&key, &known, NOW).await.unwrap().manifest.logs[0].position, head.seq);
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn without_a_log_there_is_no_report() {
    let directory = tempfile::tempdir().unwrap();
    let (warehouse, reports, key, known) = scene(directory.path());
    warehouse.reports.open();
    let answer = reports.report(&key, &known, NOW).await;
    assert!(matches!(answer, Err(ReportError::LogUnreadable(Some(_)))), "{answer:?}");
    assert_eq!(warehouse.reports.asked(), 0);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn reports_are_outdated_once_events_came_and_no_more_do() {
    let directory = tempfile::tempdir().unwrap();
    let log = log(directory.path());
    let (warehouse, reports, key, known) = scene(directory.path());
    warehouse.reports.open();
    block(&log).await;
    // No report was requested.
    assert_eq!((reports.outdated(), reports.outdated()), (vec![], vec![]));
    reports.report(&key, &known, NOW).await.unwrap();
    // Nothing changed, however much time passes.
    assert_eq!((reports.outdated(), reports.outdated()), (vec![], vec![]));
    let all = vec![(key.clone(), ProjectId(1))];
    for made in 2..4 {
        for _ in 0..3 {
            let head = block(&log).await;
            until(|| reports.loader.position() == head && reports.loader.progress().is_none()).await;
            assert_eq!(reports.outdated(), [], "while events come");
        }
        assert_eq!(reports.outdated(), all);
        // A report is offered once; one that could not be computed waits for new events.
        assert_eq!(reports.outdated(), []);
        reports.warm(&key, &known, NOW).await;
        assert_eq!(warehouse.reports.asked(), made);
        assert_eq!((reports.outdated(), reports.outdated()), (vec![], vec![]));
        reports.report(&key, &known, NOW.plus_us(1_000_000)).await.unwrap();
        assert_eq!(warehouse.reports.asked(), made, "it is at hand");
    }
    // Only the most recently requested reports are remembered.
    for test_id in 0..=WARM_MAX as i64 {
        reports.note_request(&self::key(1_000 + test_id), ProjectId(1));
    }
    let recent = reports.recent.lock().unwrap();
    assert_eq!((recent.len(), recent.contains_key(&key)), (WARM_MAX, false));
}
