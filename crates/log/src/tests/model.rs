use super::*;

use proptest::prelude::*;

const WINDOW: i64 = 100 * SECOND;

#[derive(Clone, Debug)]
enum Step {
    Append {
        project: usize,
        ids: Vec<u64>,
        later_s: i64,
    },
    Reopen,
    /// Continues with a copy of the files, taken while the writer is open.
    Crash,
    PruneRequest {
        age_s: i64,
    },
    LoseIndex,
    Second {
        ids: Vec<u64>,
    },
}

fn step() -> impl Strategy<Value = Step> {
    let ids = || proptest::collection::vec(0..30u64, 1..6);
    prop_oneof![
        8 => (0..2usize, ids(), 0..40i64).prop_map(|(project, ids, later_s)| Step::Append { project, ids, later_s }),
        1 => Just(Step::Reopen),
        1 => Just(Step::Crash),
        1 => (100..300i64).prop_map(|age_s| Step::PruneRequest { age_s }),
        1 => Just(Step::LoseIndex),
        1 => ids().prop_map(|ids| Step::Second { ids }),
    ]
}

/// The expected behaviour of the log, without files.
#[derive(Default)]
struct Model {
    /// Events in order, with their time.
    events: Vec<(String, Uuid, i64)>,
    /// Time at which each event was last stored.
    stored: BTreeMap<(String, Uuid), i64>,
    now: i64,
}

impl Model {
    fn appended(&mut self, project: &str, ids: &[Uuid], taken: &[AppendOutcome]) -> Result<(), TestCaseError> {
        for (&id, taken) in ids.iter().zip(taken) {
            let key = (project.to_owned(), id);
            match self.stored.get(&key) {
                Some(at) if self.now - at < WINDOW => prop_assert_eq!(*taken, AppendOutcome::Repeated),
                // The index may still contain it.
                Some(_) => {}
                None => prop_assert_eq!(*taken, AppendOutcome::Stored),
            }
            if *taken == AppendOutcome::Stored {
                self.events.push((key.0.clone(), id, self.now));
                self.stored.insert(key, self.now);
            }
        }
        Ok(())
    }
}

async fn run(steps: Vec<Step>, roll_bytes: u64) -> Result<(), TestCaseError> {
    let options = LogOptions { roll_bytes, dedup_window_us: WINDOW, durability: Durability::Relaxed, ..options() };
    let mut dir = place();
    let mut log = Log::open(dir.path(), options.clone()).unwrap();
    let mut model = Model { now: 1000 * SECOND, ..Model::default() };
    let mut pruned = 0;
    for step in steps {
        match step {
            Step::Append { project, ids, later_s } => {
                model.now += later_s * SECOND;
                let project = ["shop", "blog"][project];
                let ids: Vec<Uuid> = ids.iter().map(|&n| id(n, n)).collect();
                let taken = log.append(batch(project, model.now, &ids)).await.unwrap();
                model.appended(project, &ids, &taken)?;
            }
            Step::Reopen => {
                log.close().await.unwrap();
                log = Log::open(dir.path(), options.clone()).unwrap();
            }
            Step::Crash => {
                idle(&log).await;
                let after = copy(dir.path());
                log.close().await.unwrap();
                dir = after;
                log = Log::open(dir.path(), options.clone()).unwrap();
            }
            Step::PruneRequest { age_s } => {
                let before = model.now - age_s * SECOND;
                prune(&log, before).await;
                let left = read(dir.path()).len();
                for (_, _, at) in &model.events[pruned..model.events.len() - left] {
                    prop_assert!(*at < before, "too young to be pruned");
                }
                pruned = model.events.len() - left;
            }
            Step::LoseIndex => {
                log.close().await.unwrap();
                files_named(dir.path(), "seen").iter().for_each(|name| fs::remove_file(dir.path().join(name)).unwrap());
                log = Log::open(dir.path(), options.clone()).unwrap();
            }
            Step::Second { ids } => {
                let second = Log::open(dir.path(), options.clone()).unwrap();
                let ids: Vec<Uuid> = ids.iter().map(|&n| id(n, n)).collect();
                let taken = second.append(batch("shop", model.now, &ids)).await.unwrap();
                model.appended("shop", &ids, &taken)?;
                second.close().await.unwrap();
            }
        }
        prop_assert_eq!(log.state(), LogState::Accepting);
    }
    let expect: Vec<(String, Uuid)> =
        model.events[pruned..].iter().map(|(project, id, _)| (project.clone(), *id)).collect();
    prop_assert_eq!(read(dir.path()), expect);
    whole(dir.path());
    log.close().await.unwrap();
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 48, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn the_log_is_what_was_appended(
        steps in proptest::collection::vec(step(), 1..40),
        roll_bytes in prop_oneof![Just(1), Just(20_000), Just(1 << 30)],
    ) {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        runtime.block_on(run(steps, roll_bytes))?;
    }
}
