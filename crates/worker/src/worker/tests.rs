use super::*;
use crate::task::RUN_LIMIT;
use proptest::prelude::*;
use std::sync::atomic::{AtomicBool, AtomicI64, AtomicU32, Ordering};
use std::task::Poll;

const DAY_US: i64 = 86_400_000_000;
const SECOND: Duration = Duration::from_secs(1);

/// A clock that stands still until it is moved.
#[derive(Clone, Default)]
struct Clock(Arc<AtomicI64>);

impl Clock {
    fn now(&self) -> Now {
        let clock = self.clone();
        Arc::new(move || Instant::from_us(clock.0.load(Ordering::SeqCst)))
    }

    fn advance(&self, by: Duration) {
        self.advance_us(i64::try_from(by.as_micros()).unwrap());
    }

    fn advance_us(&self, by: i64) {
        self.0.fetch_add(by, Ordering::SeqCst);
    }
}

fn worker() -> (Worker, Clock) {
    let clock = Clock::default();
    (Worker::new(clock.now(), |_| true), clock)
}

/// A task that counts its runs.
fn counting(name: &'static str, period: Duration) -> (Task, Arc<AtomicU32>) {
    let runs = Arc::new(AtomicU32::new(0));
    let counter = runs.clone();
    let task = Task::new(name, period, move |_| {
        counter.fetch_add(1, Ordering::SeqCst);
        async { Ok(Progress::Continue) }
    });
    (task, runs)
}

fn count(runs: &AtomicU32) -> u32 {
    runs.load(Ordering::SeqCst)
}

#[tokio::test]
async fn tasks_run_when_they_are_due_by_the_clock() {
    let (worker, clock) = worker();
    let (slow, slow_runs) = counting("slow", 10 * SECOND);
    let (early, early_runs) = counting("early", 10 * SECOND);
    worker.register(slow);
    worker.register(early.at_once());
    assert_eq!(worker.run_until_idle().await, Ok(1));
    assert_eq!((count(&slow_runs), count(&early_runs)), (0, 1));
    clock.advance(9 * SECOND);
    assert_eq!(worker.run_until_idle().await, Ok(0));
    clock.advance(SECOND);
    assert_eq!(worker.run_until_idle().await, Ok(2));
    let statuses = worker.statuses();
    assert_eq!(statuses.iter().map(|status| status.name).collect::<Vec<_>>(), ["slow", "early"]);
    assert_eq!(statuses[1].next_due_at, Some(Instant::from_us(20_000_000)));
    assert_eq!(statuses[1].last_succeeded_at, Some(Instant::from_us(10_000_000)));
    assert_eq!((statuses[1].runs, &statuses[1].outcome), (2, &TaskOutcome::Ok));
}

#[tokio::test]
async fn a_clock_that_jumps_by_days_makes_one_run_and_no_wait_of_days() {
    let (worker, clock) = worker();
    clock.advance_us(100 * DAY_US);
    let (task, runs) = counting("test", 10 * SECOND);
    worker.register(task);
    clock.advance_us(3 * DAY_US);
    assert_eq!((worker.run_until_idle().await, count(&runs)), (Ok(1), 1));
    clock.advance_us(-5 * DAY_US);
    assert_eq!(worker.run_until_idle().await, Ok(0));
    clock.advance(10 * SECOND);
    assert_eq!((worker.run_until_idle().await, count(&runs)), (Ok(1), 2));
}

#[tokio::test]
async fn the_task_that_has_been_due_for_longest_runs_first() {
    let (worker, clock) = worker();
    let order = Arc::new(Mutex::new(Vec::new()));
    for (name, seconds) in [("c", 3), ("a", 1), ("b", 1)] {
        let order = order.clone();
        worker.register(Task::new(name, seconds * SECOND, move |_| {
            locked(&order).push(name);
            async { Ok(Progress::Continue) }
        }));
    }
    clock.advance(5 * SECOND);
    assert_eq!(worker.run_until_idle().await, Ok(3));
    assert_eq!(*locked(&order), ["a", "b", "c"]);
}

#[tokio::test]
async fn a_run_that_fails_or_panics_is_tried_again_with_backoff() {
    let (worker, clock) = worker();
    let seen = Arc::new(Mutex::new(Vec::new()));
    let observed = seen.clone();
    let worker = worker.on_run(move |status| locked(&observed).push((status.outcome.word(), status.is_failing())));
    let mut attempt = 0;
    let task = Task::new("test", SECOND, move |_| {
        attempt += 1;
        assert_ne!(attempt, 2, "attempt");
        async move {
            match attempt {
                1 => Err(RunError::Failed("no reason".to_owned())),
                3 => panic!("text"),
                _ => Ok(Progress::Continue),
            }
        }
    });
    worker.register(task);
    let mut reasons = Vec::new();
    // The pauses are 1, 1, 2 and 4 seconds.
    for seconds in [1, 1, 2] {
        clock.advance(seconds * SECOND);
        assert_eq!(worker.run_until_idle().await, Ok(1));
        let TaskOutcome::Failed(reason) = worker.statuses()[0].outcome.clone() else { panic!("it did not fail") };
        reasons.push(reason);
    }
    assert_eq!((&*reasons[0], &*reasons[2]), ("no reason", "it panicked: text"));
    assert!(reasons[1].starts_with("it panicked: assertion"), "{}", reasons[1]);
    clock.advance(3 * SECOND);
    assert_eq!(worker.run_until_idle().await, Ok(0));
    clock.advance(SECOND);
    assert_eq!(worker.run_until_idle().await, Ok(1));
    let status = worker.statuses().remove(0);
    assert_eq!((status.runs, status.failures, status.consecutive_failures), (4, 3, 0));
    assert_eq!(*locked(&seen), [("failed", false), ("failed", false), ("failed", true), ("ok", false)]);
}

#[tokio::test]
async fn a_task_waits_for_what_it_needs() {
    let clock = Clock::default();
    let is_there = Arc::new(AtomicBool::new(false));
    let known = is_there.clone();
    let worker = Worker::new(clock.now(), move |need| need == Dependency::Database || known.load(Ordering::SeqCst));
    let (task, runs) = counting("test", SECOND);
    worker.register(task.needs(Dependency::Database).needs(Dependency::EventLog));
    for _ in 0..20 {
        clock.advance(SECOND);
        assert_eq!(worker.run_until_idle().await, Ok(1));
    }
    let status = worker.statuses().remove(0);
    assert_eq!(
        (status.outcome, status.runs, status.consecutive_failures),
        (TaskOutcome::Waiting(Dependency::EventLog), 0, 0)
    );
    is_there.store(true, Ordering::SeqCst);
    clock.advance(SECOND);
    assert_eq!((worker.run_until_idle().await, count(&runs)), (Ok(1), 1));
    assert_eq!(worker.statuses()[0].outcome, TaskOutcome::Ok);
}

#[tokio::test]
async fn a_finished_task_does_not_run_again() {
    let (worker, clock) = worker();
    worker.register(Task::new("test", SECOND, |_| async { Ok(Progress::Finished) }));
    clock.advance_us(DAY_US);
    assert_eq!(worker.run_until_idle().await, Ok(1));
    clock.advance_us(DAY_US);
    assert_eq!(worker.run_until_idle().await, Ok(0));
    let status = worker.statuses().remove(0);
    assert_eq!((status.outcome, status.next_due_at), (TaskOutcome::Finished, None));
}

#[tokio::test]
async fn a_task_that_moves_the_clock_itself_is_stuck() {
    let (worker, clock) = worker();
    let moved = clock.clone();
    worker.register(Task::new("test", SECOND, move |_| {
        moved.advance(2 * SECOND);
        let moved = moved.clone();
        async move {
            moved.advance(2 * SECOND);
            Ok(Progress::Continue)
        }
    }));
    // The pause begins at the end of a run, so the task becomes due only when the clock moves after it.
    clock.advance(SECOND);
    assert_eq!(worker.run_until_idle().await, Ok(1));
    let worker = {
        let clock = clock.clone();
        worker.on_run(move |_| clock.advance(SECOND))
    };
    clock.advance(SECOND);
    assert_eq!(worker.run_until_idle().await, Err(Stuck { task: "test" }));
}

#[tokio::test(start_paused = true)]
async fn timers_run_tasks_without_overlap() {
    let (worker, _) = worker();
    let (at_once, most) = (Arc::new(AtomicU32::new(0)), Arc::new(AtomicU32::new(0)));
    let (in_flight, seen) = (at_once.clone(), most.clone());
    worker.register(Task::new("slow", SECOND, move |_| {
        let (in_flight, seen) = (in_flight.clone(), seen.clone());
        async move {
            seen.fetch_max(in_flight.fetch_add(1, Ordering::SeqCst) + 1, Ordering::SeqCst);
            tokio::time::sleep(10 * SECOND).await;
            in_flight.fetch_sub(1, Ordering::SeqCst);
            Ok(Progress::Continue)
        }
    }));
    let (quick, quick_runs) = counting("quick", SECOND);
    worker.register(quick);
    worker.start();
    tokio::time::sleep(Duration::from_millis(60_500)).await;
    // A slow task does not hold up others. Its pause begins at the end of a run, so it runs every eleven seconds.
    assert_eq!((count(&quick_runs), count(&most)), (60, 1));
    assert_eq!(worker.statuses()[0].runs, 5);
    worker.stop(SECOND).await;
}

#[tokio::test(start_paused = true)]
async fn timers_do_not_follow_the_clock() {
    let (worker, clock) = worker();
    clock.advance_us(100 * DAY_US);
    let (task, runs) = counting("test", 10 * SECOND);
    worker.register(task);
    worker.start();
    for (jump_us, expect) in [(3 * DAY_US, 1), (-30 * DAY_US, 2), (0, 3)] {
        clock.advance_us(jump_us);
        let due = worker.statuses()[0].next_due_at.unwrap();
        let now = (worker.now)();
        assert!(due >= now && due <= later(now, 10 * SECOND), "{due} at {now}");
        tokio::time::sleep(10 * SECOND + Duration::from_millis(1)).await;
        assert_eq!(count(&runs), expect);
    }
    worker.stop(SECOND).await;
}

#[tokio::test(start_paused = true)]
async fn stop_waits_for_a_run_but_not_for_ever() {
    let (worker, _) = worker();
    let ended = Arc::new(AtomicBool::new(false));
    let end = ended.clone();
    worker.register(
        Task::new("long", SECOND, move |_| {
            let end = end.clone();
            async move {
                tokio::time::sleep(2 * SECOND).await;
                end.store(true, Ordering::SeqCst);
                Ok(Progress::Continue)
            }
        })
        .at_once(),
    );
    worker.register(Task::new("endless", SECOND, |_| std::future::pending()).at_once());
    worker.start();
    tokio::time::sleep(SECOND).await;
    assert!(worker.statuses().iter().all(|status| status.is_running && status.next_due_at.is_none()));
    let started = Tick::now();
    worker.stop(3 * SECOND).await;
    assert!(ended.load(Ordering::SeqCst));
    assert_eq!(started.elapsed().as_secs(), 3);
    // No task starts after that.
    let (late, runs) = counting("late", SECOND);
    worker.register(late);
    tokio::time::sleep(60 * SECOND).await;
    assert_eq!(count(&runs), 0);
}

#[tokio::test(start_paused = true)]
async fn a_task_that_always_panics_counts_as_failing_and_harms_no_other() {
    let (worker, _) = worker();
    worker.register(Task::new("panics", 5 * SECOND, |_| async { panic!("always") }));
    let (other, other_runs) = counting("other", SECOND);
    worker.register(other);
    worker.start();
    // It runs after 5, 10 and 20 seconds.
    for (seconds, failures, is_failing) in [(6, 1, false), (5, 2, false), (10, 3, true), (3_600, 64, true)] {
        tokio::time::sleep(seconds * SECOND).await;
        let status = worker.statuses().remove(0);
        assert_eq!((status.failures, status.is_failing()), (failures, is_failing));
        assert_eq!(status.outcome, TaskOutcome::Failed("it panicked: always".to_owned()));
        let pause_us = status.next_due_at.unwrap().us() - (worker.now)().us();
        assert!((1..=60_000_000).contains(&pause_us), "{pause_us}");
    }
    assert!(count(&other_runs) > 3_600);
    worker.stop(SECOND).await;
}

#[tokio::test(start_paused = true)]
async fn a_run_that_does_not_end_counts_as_failing_until_it_ends() {
    let (worker, _) = worker();
    let seen = Arc::new(Mutex::new(Vec::new()));
    let observed = seen.clone();
    let worker = worker.on_run(move |status| {
        locked(&observed).push((status.name, status.is_running, status.is_failing(), status.runs))
    });
    let mut runs = 0;
    worker.register(
        Task::new("slow", SECOND, move |_| {
            runs += 1;
            async move {
                if runs == 1 {
                    tokio::time::sleep(RUN_LIMIT + 60 * SECOND).await;
                }
                Ok(Progress::Continue)
            }
        })
        .at_once(),
    );
    // A long period allows long runs.
    worker.register(Task::new("endless", 2 * RUN_LIMIT, |_| std::future::pending()).at_once());
    worker.start();
    let statuses = || -> Vec<_> {
        worker.statuses().iter().map(|status| (status.is_running, status.is_overdue, status.is_failing())).collect()
    };
    tokio::time::sleep(RUN_LIMIT - SECOND).await;
    assert_eq!(statuses(), [(true, false, false); 2]);
    tokio::time::sleep(2 * SECOND).await;
    assert_eq!(statuses(), [(true, true, true), (true, false, false)]);
    // The run was not cancelled, and the next one comes after the usual pause.
    tokio::time::sleep(60 * SECOND + Duration::from_millis(500)).await;
    assert_eq!(statuses(), [(false, false, false), (true, false, false)]);
    assert_eq!((worker.statuses()[0].runs, &worker.statuses()[0].outcome), (2, &TaskOutcome::Ok));
    assert_eq!(locked(&seen)[..3], [("slow", true, true, 0), ("slow", false, false, 1), ("slow", false, false, 2)]);
    tokio::time::sleep(RUN_LIMIT).await;
    assert_eq!(statuses()[1], (true, true, true));
    assert_eq!(locked(&seen).iter().filter(|seen| seen.0 == "endless").count(), 1);
    let started = Tick::now();
    worker.stop(SECOND).await;
    assert_eq!(started.elapsed().as_secs(), 1);
}

#[test]
fn a_run_that_blocks_its_thread_does_not_keep_stop_waiting() {
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_time().build().unwrap();
    let (end, ended) = std::sync::mpsc::channel::<()>();
    let (begin, begun) = std::sync::mpsc::channel();
    let (wait, waiting) = std::sync::mpsc::channel::<std::task::Waker>();
    runtime.block_on(async {
        let (worker, _) = worker();
        let ended = Arc::new(Mutex::new(ended));
        worker.register(
            Task::new("blocks", SECOND, move |_| {
                let (ended, begin, wait) = (ended.clone(), begin.clone(), wait.clone());
                async move {
                    // The thread that a timer woke drives the timers of all, and Tokio wakes no other thread to take
                    // over. A task that is woken from outside lets that happen before it blocks.
                    let mut is_first = true;
                    std::future::poll_fn(|context| {
                        if !std::mem::take(&mut is_first) {
                            return Poll::Ready(());
                        }
                        wait.send(context.waker().clone()).unwrap();
                        Poll::Pending
                    })
                    .await;
                    begin.send(()).unwrap();
                    // Blocks until the test drops the other end.
                    let _ = locked(&ended).recv();
                    Ok(Progress::Continue)
                }
            })
            .at_once(),
        );
        worker.start();
        tokio::task::spawn_blocking(move || waiting.recv()).await.unwrap().unwrap().wake();
        tokio::task::spawn_blocking(move || begun.recv()).await.unwrap().unwrap();
        worker.stop(Duration::from_millis(10)).await;
        assert!(worker.statuses()[0].is_running);
    });
    drop(end);
}

#[tokio::test(start_paused = true)]
async fn a_clock_that_is_set_during_a_run_changes_neither_its_duration_nor_the_pause() {
    const HOUR_US: i64 = 3_600_000_000;
    for jump_us in [-HOUR_US, 365 * DAY_US] {
        let (worker, clock) = worker();
        clock.advance_us(20_000 * DAY_US);
        let set = clock.clone();
        let mut runs = 0;
        worker.register(Task::new("test", 10 * SECOND, move |_| {
            let set = set.clone();
            runs += 1;
            async move {
                tokio::time::sleep(2 * SECOND).await;
                if runs == 1 {
                    set.advance_us(jump_us);
                }
                Ok(Progress::Continue)
            }
        }));
        worker.start();
        tokio::time::sleep(12 * SECOND + Duration::from_millis(5)).await;
        let status = worker.statuses().remove(0);
        let now = (worker.now)();
        assert_eq!((status.runs, status.is_failing(), status.last_succeeded_at), (1, false, Some(now)));
        assert_eq!(status.last_duration.unwrap().as_secs(), 2);
        let next = status.next_due_at.unwrap();
        assert!(next > now && next <= later(now, 10 * SECOND), "{next} at {now}");
        tokio::time::sleep(12 * SECOND).await;
        assert_eq!(worker.statuses()[0].runs, 2);
        worker.stop(SECOND).await;
    }
}

#[tokio::test(start_paused = true)]
async fn a_task_that_is_registered_later_starts_too() {
    let (worker, _) = worker();
    let (first, _) = counting("first", SECOND);
    worker.register(first);
    worker.start();
    let (second, runs) = counting("second", SECOND);
    worker.register(second);
    tokio::time::sleep(Duration::from_millis(3_500)).await;
    assert_eq!(count(&runs), 3);
    worker.stop(SECOND).await;
}

proptest! {
    /// However the clock is moved, each call runs a task at most once, and after a whole period at least once.
    #[test]
    fn one_run_for_each_move_of_the_clock(moves in prop::collection::vec(-10 * DAY_US..10 * DAY_US, 1..50)) {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_time().build().unwrap();
        runtime.block_on(async {
            let (worker, clock) = worker();
            clock.advance_us(20_000 * DAY_US);
            let (task, _) = counting("test", 60 * SECOND);
            worker.register(task);
            for by in moves {
                clock.advance_us(by);
                let runs = worker.run_until_idle().await.unwrap();
                prop_assert!(runs == usize::from(by >= 60_000_000) || by.abs() < 60_000_000);
                clock.advance(60 * SECOND);
                prop_assert_eq!(worker.run_until_idle().await.unwrap(), 1);
            }
            Ok(())
        })?;
    }
}
