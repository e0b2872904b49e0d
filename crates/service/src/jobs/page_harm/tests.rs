use super::*;
use crate::app::Traffic;
use muriel_context::api_key::Pepper;
use muriel_context::clock::Clock;
use muriel_domain::experiment::{Distribution, Lifecycle, Revision, Status, TestType, Variant, Weights};
use muriel_domain::project::ProjectSettings;
use muriel_log::{Batch, BatchEvent, DedupScope, Log, LogOptions, Reserve};
use muriel_results::ReportCache;
use muriel_sql::{Db, SqliteOptions, params};
use muriel_store::tenants::Project;
use muriel_store::{experiments, tenants};
use muriel_warehouse::{DuckWarehouse, Loader, WarehouseOptions};
use std::sync::Arc;
use std::sync::atomic::{AtomicI64, AtomicU64, Ordering};

const START: Instant = Instant::from_us(1_772_359_200_000_000);
const MADE: experiments::Act<'static> = experiments::Act { actor: "test", by: "test", action: "change", detail: None };

/// A project that ends experiments that harm pages, with its own log.
struct Shop {
    app: App,
    log: Log,
    project: Project,
    now_us: Arc<AtomicI64>,
    visitors: AtomicU64,
    checks: PageChecks,
    leadership: Leadership,
    _directory: tempfile::TempDir,
}

impl Shop {
    async fn open() -> Self {
        let directory = tempfile::tempdir().unwrap();
        let db = Db::sqlite(&directory.path().join("muriel.db"), SqliteOptions::default()).unwrap();
        muriel_store::migrate(&db).await.unwrap();
        let made = db.write::<_, muriel_store::Error, _>(move |tx| {
            Box::pin(async move {
                let company = tenants::company_ensure(tx, "Acme", START).await?;
                let project = tenants::project_insert(tx, company, "prj_shop", "Shop", START).await?;
                let settings = ProjectSettings { stop_on_page_harm: true, ..ProjectSettings::default() };
                tenants::settings_set(tx, project.id, &settings).await?;
                Ok(project)
            })
        });
        let project = made.await.unwrap();
        let options = LogOptions { reserve: Reserve::Bytes(0), ..LogOptions::default() };
        let log = Log::open(directory.path(), options).unwrap();
        let warehouse = Arc::new(DuckWarehouse::in_memory(&WarehouseOptions::default()).unwrap());
        let loader = Loader::start(directory.path(), warehouse.clone(), None).unwrap();
        let reports = Arc::new(ReportCache::new(warehouse, Arc::new(loader)));
        let traffic = Traffic { results: Some(reports), ..Traffic::default() };
        let now_us = Arc::new(AtomicI64::new(START.us()));
        let app = App::new(db, Pepper::new(&[7; 32]), Clock::Manual(now_us.clone()), traffic);
        let leadership = Leadership::take(&app).await.unwrap().unwrap();
        Self {
            app,
            log,
            project,
            now_us,
            visitors: AtomicU64::new(0),
            checks: PageChecks::default(),
            leadership,
            _directory: directory,
        }
    }

    fn pass(&self, seconds: i64) {
        self.now_us.fetch_add(seconds * 1_000_000, Ordering::Relaxed);
    }

    /// A live experiment with two variants.
    async fn experiment(&self, name: &str) -> ExperimentId {
        let mut one =
            Experiment::draft(self.project.company_id, self.project.id, TestType::AbTest, name.to_owned(), START);
        one.variants = vec![Variant::default(), Variant::default()];
        one.lifecycle = Lifecycle::Live { started_at: START };
        let write = self.app.db.write::<_, muriel_store::Error, _>(move |tx| {
            Box::pin(async move { experiments::insert(tx, &Revision::first(one, START), &MADE).await })
        });
        write.await.unwrap()
    }

    async fn find(&self, id: ExperimentId) -> Experiment {
        let project = self.project.id;
        let read = self.app.db.read::<_, muriel_store::Error, _>(move |tx| {
            Box::pin(async move { experiments::find(tx, project, id).await })
        });
        read.await.unwrap().unwrap().experiment
    }

    /// Changes the experiment as a person would.
    async fn change(&self, id: ExperimentId, change: impl FnOnce(&mut Experiment)) {
        let (before, now) = (self.find(id).await, self.app.clock.now());
        let mut after = before.clone();
        change(&mut after);
        let revision = Revision::between(&before, after, now).unwrap();
        let write = self.app.db.write::<_, muriel_store::Error, _>(move |tx| {
            Box::pin(async move { experiments::update(tx, &before, &revision, &MADE).await })
        });
        write.await.unwrap();
    }

    async fn start(&self, id: ExperimentId) {
        let now = self.app.clock.now();
        self.change(id, |it| *it = it.moved(Status::Live, now).unwrap()).await;
    }

    /// Adds `number` signed visitors to each arm now, each from a network of their own; `failed` of them get a page that
    /// fails, per arm.
    async fn visit(&self, id: ExperimentId, number: u64, failed: [u64; 3]) {
        let network = |visitor: u64| format!("10.{}.{}.0", visitor / 256, visitor % 256);
        self.visit_as(id, number, failed, |visitor| json!({ "signed": true, "network": network(visitor) })).await;
    }

    /// Like [`Self::visit`], with these fields of each visitor's events.
    async fn visit_as(&self, id: ExperimentId, number: u64, failed: [u64; 3], fields: impl Fn(u64) -> Value) {
        let (epoch, at, key) = (self.find(id).await.epoch, self.app.clock.now(), &self.project.key);
        let (mut lines, mut events) = (Vec::new(), Vec::new());
        for (arm, failed) in failed.into_iter().enumerate() {
            for at_arm in 0..number {
                let visitor = self.visitors.fetch_add(1, Ordering::Relaxed);
                let exposure = json!({ "type": "exposure", "epoch": epoch });
                let health = json!({ "type": "health", "hidden_ms": 0, "errors": u8::from(at_arm < failed) });
                for (kind, mut event) in (0..).zip([exposure, health]) {
                    let event_id = uuid::Uuid::from_u128(u128::from(2 * visitor + kind) + 1);
                    let all = json!({
                        "id": event_id.to_string(), "project_key": key, "at": at, "received_at": at, "bot": false,
                        "visitor": { "id": format!("v{visitor}") }, "test_id": id.0, "variant_id": arm.to_string(),
                    });
                    for fields in [all, fields(visitor)] {
                        event.as_object_mut().unwrap().extend(fields.as_object().unwrap().clone());
                    }
                    lines.extend(event.to_string().into_bytes());
                    lines.push(b'\n');
                    events.push(BatchEvent { id: event_id, scope: DedupScope::PROJECT, end: lines.len() });
                }
            }
        }
        let project_key = self.project.key.as_str().into();
        self.log.append(Batch { project_key, received_at: at, events, lines }).await.unwrap();
        assert!(self.app.results().unwrap().loader().wait_for(self.log.last()).await);
    }

    /// Returns the experiments that the clock ends a minute later.
    async fn ended(&mut self) -> Vec<ExperimentId> {
        self.pass(60);
        stop_page_harm(&self.app, &self.leadership, &mut self.checks).await.unwrap()
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn code_that_was_repaired_is_not_judged_by_what_it_was() {
    let mut shop = Shop::open().await;
    let id = shop.experiment("one").await;
    // Too few visitors to be sure, and a person notices it first.
    shop.visit(id, 90, [0, 36, 0]).await;
    assert_eq!(shop.ended().await, []);
    shop.change(id, |it| it.variants[0].code.js = "repaired".into()).await;
    // Some visitors have the old script for another moment.
    shop.pass(30);
    shop.visit(id, 110, [0, 44, 0]).await;
    shop.pass(300);
    shop.visit(id, 10, [0, 0, 0]).await;
    assert_eq!(shop.ended().await, []);
    shop.visit(id, 400, [0, 0, 0]).await;
    assert_eq!(shop.ended().await, []);
    assert!(shop.find(id).await.lifecycle.is_live());
    // The next change breaks the code again.
    shop.change(id, |it| it.variants[0].code.js = "broken again".into()).await;
    shop.pass(300);
    shop.visit(id, 110, [0, 30, 0]).await;
    assert_eq!(shop.ended().await, [id]);
    let last = shop.find(id).await.schedule.last.unwrap();
    assert!(last.detail.contains("Variant 1 fails for 27.27 % of its visitors"), "{}", last.detail);
    let variant = &last.numbers["variants"][0];
    assert_eq!((&variant["variant_id"], &variant["harmed"][0]["visitors"]), (&json!("1"), &json!(110)));
    assert!(variant["entered_since"].is_string(), "{variant}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn harm_that_one_network_reports_ends_nothing() {
    let mut shop = Shop::open().await;
    let id = shop.experiment("one").await;
    shop.visit(id, 110, [0, 0, 0]).await;
    // Nobody has signed these.
    shop.visit_as(id, 200, [0, 180, 0], |visitor| json!({ "network": format!("10.1.{}.0", visitor % 256) })).await;
    assert_eq!(shop.ended().await, []);
    assert_eq!(shop.find(id).await.schedule.last, None, "unsigned visitors do not count");
    shop.visit_as(id, 110, [0, 100, 0], |_| json!({ "signed": true, "network": "203.0.113.0" })).await;
    assert_eq!(shop.ended().await, []);
    let last = shop.find(id).await.schedule.last.unwrap();
    assert_eq!(last.rule, Rule::PageHarm);
    assert!(last.failed.as_ref().is_some_and(|why| why.contains("without one network")), "{last:?}");
    let revision = shop.find(id).await.revision;
    shop.visit_as(id, 5, [0, 5, 0], |_| json!({ "signed": true, "network": "203.0.113.0" })).await;
    assert_eq!(shop.ended().await, []);
    assert_eq!(shop.find(id).await.revision, revision, "the same reason is stored once");
    // With a key it does not matter where the visitors are.
    shop.visit_as(id, 110, [0, 60, 0], |_| json!({ "vouched": true, "network": "203.0.113.0" })).await;
    assert_eq!(shop.ended().await, [id]);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn after_a_restart_what_changed_is_protected_again() {
    let mut shop = Shop::open().await;
    let id = shop.experiment("one").await;
    shop.visit(id, 150, [0, 60, 0]).await;
    assert_eq!(shop.ended().await, [id]);
    // The person who starts it unchanged has been warned, and is warned again.
    shop.start(id).await;
    shop.visit(id, 150, [0, 60, 0]).await;
    assert_eq!(shop.ended().await, []);
    let experiment = shop.find(id).await;
    assert!(experiment.warnings().iter().any(|warning| warning.contains("Variant 1")), "{:?}", experiment.warnings());
    // Another variant stays protected.
    shop.change(id, |it| it.variants[1].code.js = "broken".into()).await;
    shop.pass(300);
    shop.visit(id, 150, [0, 60, 60]).await;
    assert_eq!(shop.ended().await, [id]);
    let last = shop.find(id).await.schedule.last.unwrap();
    assert!(last.detail.contains("Variant 2") && !last.detail.contains("Variant 1"), "{}", last.detail);
    // A repaired arm is judged anew, and ends the experiment again if the repair failed.
    shop.change(id, |it| it.variants[0].code.js = "repaired?".into()).await;
    shop.start(id).await;
    assert_eq!(shop.ended().await, []);
    shop.pass(300);
    shop.visit(id, 150, [0, 60, 0]).await;
    assert_eq!(shop.ended().await, [id]);
    let last = shop.find(id).await.schedule.last.unwrap();
    assert!(last.detail.contains("Variant 1") && !last.detail.contains("Variant 2"), "{}", last.detail);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_arm_without_visitors_ends_nothing() {
    let mut shop = Shop::open().await;
    let id = shop.experiment("one").await;
    shop.visit(id, 150, [0, 60, 0]).await;
    shop.change(id, |it| {
        it.configuration.distribution = Distribution::Weights(Weights::of_shares(&[0.5, 0.0, 0.5]).unwrap());
    })
    .await;
    assert_eq!(shop.ended().await, []);
    shop.change(id, |it| it.configuration.distribution = Distribution::Equal).await;
    assert_eq!(shop.ended().await, [id]);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_experiment_that_cannot_be_read_leaves_the_others_protected() {
    let mut shop = Shop::open().await;
    let (broken, harmed) = (shop.experiment("one").await, shop.experiment("two").await);
    assert!(broken < harmed);
    shop.visit(harmed, 150, [0, 60, 0]).await;
    let write = shop.app.db.write::<_, muriel_store::Error, _>(move |tx| {
        Box::pin(async move {
            let sql = "UPDATE experiment SET schedule = '7' WHERE experiment_id = $1";
            tx.execute(sql, params![broken.0]).await?;
            Ok(())
        })
    });
    write.await.unwrap();
    assert_eq!(shop.ended().await, [harmed]);
    assert!(shop.checks.0.contains_key(&broken));
}
