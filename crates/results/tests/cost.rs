//! Tests that the data that a result reads does not grow with the experiment's past.

use muriel_domain::Instant;
use muriel_domain::experiment::{Experiment, Revision, Status, TestType, Variant};
use muriel_domain::ids::{ExperimentId, ProjectId};
use muriel_results::{Inquiry, ReportInputs};
use muriel_sql::{BoxFuture, Db, Dialect, Lock, Row, SqliteOptions, Tx, Value};
use muriel_store::experiments::{self, EPOCHS_MAX};
use muriel_store::{Error, tenants};
use std::time::Instant as Moment;

const NOW: Instant = Instant::from_us(1_772_000_000_000_000);

/// Counts the statements and rows of a transaction.
struct Counting<'t> {
    tx: &'t mut dyn Tx,
    statements: usize,
    rows: usize,
}

impl Tx for Counting<'_> {
    fn query<'a>(&'a mut self, sql: &'a str, params: Vec<Value>) -> BoxFuture<'a, muriel_sql::Result<Vec<Row>>> {
        Box::pin(async move {
            let rows = self.tx.query(sql, params).await?;
            self.statements += 1;
            self.rows += rows.len();
            Ok(rows)
        })
    }

    fn execute<'a>(&'a mut self, sql: &'a str, params: Vec<Value>) -> BoxFuture<'a, muriel_sql::Result<u64>> {
        self.tx.execute(sql, params)
    }

    fn batch<'a>(&'a mut self, sql: &'a str) -> BoxFuture<'a, muriel_sql::Result<()>> {
        self.tx.batch(sql)
    }

    fn lock<'a>(&'a mut self, lock: Lock) -> BoxFuture<'a, muriel_sql::Result<()>> {
        self.tx.lock(lock)
    }

    fn notify<'a>(&'a mut self, channel: &'a str, payload: &'a str) -> BoxFuture<'a, muriel_sql::Result<()>> {
        self.tx.notify(channel, payload)
    }

    fn dialect(&self) -> Dialect {
        self.tx.dialect()
    }
}

const MADE: experiments::Act<'static> = experiments::Act { actor: "test", by: "test", action: "create", detail: None };

/// An experiment that was started and paused until it had `epochs` epochs.
async fn experiment(db: &Db, key: &'static str, epochs: i64) -> (ProjectId, ExperimentId) {
    db.write::<_, Error, _>(move |tx| {
        Box::pin(async move {
            let company = tenants::company_ensure(tx, "shop", NOW).await?;
            let project = tenants::project_insert(tx, company, key, key, NOW).await?.id;
            let mut draft = Experiment::draft(company, project, TestType::AbTest, key.to_owned(), NOW);
            draft.variants.push(Variant::default());
            let id = experiments::insert(tx, &Revision::first(draft, NOW), &MADE).await?;
            let mut now = experiments::find(tx, project, id).await?.expect("it was made").experiment;
            for second in 1..=epochs {
                let at = NOW.plus_us(second * 1_000_000);
                let to = if now.lifecycle.is_live() { Status::Inactive } else { Status::Live };
                let moved = now.moved(to, at).expect("not concluded");
                let revision = Revision::between(&now, moved, at).expect("a change");
                let act = experiments::Act { actor: "test", by: "test", action: "status", detail: None };
                experiments::update(tx, &now, &revision, &act).await?;
                now = revision.experiment;
            }
            assert_eq!(now.epoch, epochs);
            Ok((project, id))
        })
    })
    .await
    .expect("an experiment")
}

/// Number of statements and rows for loading the inputs of a result, and the shortest time of 20 runs in microseconds.
async fn load(db: &Db, (project, id): (ProjectId, ExperimentId)) -> (usize, usize, u128) {
    let mut best = (0, 0, u128::MAX);
    for _ in 0..20 {
        let begun = Moment::now();
        let (statements, rows) = db
            .read::<_, Error, _>(move |tx| {
                Box::pin(async move {
                    let mut counting = Counting { tx, statements: 0, rows: 0 };
                    let known = ReportInputs::load(&mut counting, project, id, &Inquiry::default(), None).await?;
                    assert!(known.is_ok(), "the experiment is there");
                    Ok((counting.statements, counting.rows))
                })
            })
            .await
            .expect("an answer");
        best = (statements, rows, best.2.min(begun.elapsed().as_micros()));
    }
    best
}

#[test]
fn a_result_of_many_epochs_asks_as_little_as_one_of_few() {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime");
    let dir = tempfile::tempdir().expect("a directory");
    runtime.block_on(async {
        let db = Db::sqlite(&dir.path().join("muriel.db"), SqliteOptions::default()).expect("a database");
        muriel_store::migrate(&db).await.expect("a schema");
        let few = load(&db, experiment(&db, "few", 5).await).await;
        let many = load(&db, experiment(&db, "many", 10_000).await).await;
        println!("5 epochs: {} statements, {} rows, {} us", few.0, few.1, few.2);
        println!("10,000 epochs: {} statements, {} rows, {} us", many.0, many.1, many.2);
        assert_eq!(many.0, few.0, "statements");
        // Epochs are the only past data that is read, and at most as many as a manifest names.
        assert_eq!(many.1 - few.1, EPOCHS_MAX as usize - 5, "rows");
        let found = db.read::<_, Error, _>(|tx| Box::pin(muriel_store::testing::contradictions(tx))).await;
        assert_eq!(found.expect("an answer"), Vec::<String>::new());
        db.close().await.expect("closed");
    });
}
