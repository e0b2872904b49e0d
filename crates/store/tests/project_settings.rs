//! Migrations 31 and 32 on databases of an older release: settings of projects become one column.
//!
//! PostgreSQL comes from `MURIEL_TEST_POSTGRES`: `scripts/with-postgres`.
#![expect(clippy::unwrap_used, reason = "tests; clippy takes only their own functions for such")]

mod old;

use muriel_domain::ids::{CompanyId, ProjectId};
use muriel_domain::page::{Base, ConsentMode, PageSettings, Percent};
use muriel_domain::project::ProjectSettings;
use muriel_sql::{Db, params};
use muriel_store::{Error, MIGRATIONS, tenants};
use old::{Place, close, execute, on_both, rows};

on_both![settings_of_all_columns_are_kept, settings_that_cannot_be_read_keep_no_server_from_starting];

/// A database of the release before, in which each project has page settings and two of its flags.
async fn before(place: &Place, projects: &[(&'static str, Option<&'static str>, bool, bool)]) -> Db {
    let version = MIGRATIONS.iter().position(|migration| migration.name == "project settings").unwrap();
    let db = place.old(version).await;
    for &(key, page, approve_live, stops) in projects {
        let sql = "INSERT INTO project (company_id, project_key, name, created_at, backlog_seq, hypotheses, archived, \
                     page_settings, approve_live, stop_on_page_harm) \
                   SELECT company_id, $1, $1, 1, 0, 0, 0, $2, $3, $4 FROM company";
        execute(&db, sql, params![key, page.map(str::to_owned), approve_live, stops]).await;
    }
    muriel_store::migrate(&db).await.unwrap();
    db
}

async fn settings(db: &Db, key: &'static str) -> muriel_store::Result<ProjectSettings> {
    let row = rows(db, "SELECT project_id FROM project WHERE project_key = $1", params![key]).await.remove(0);
    let id = ProjectId(row.int("project_id").unwrap());
    db.read::<_, Error, _>(move |tx| Box::pin(async move { tenants::settings(tx, id).await })).await
}

async fn settings_of_all_columns_are_kept(place: &Place) {
    let page = r#"{"consent":"required","gpc":true,"bots":false,"health":77,"base":"/x"}"#;
    let partly = r#"{"gpc":true}"#;
    let db = before(place, &[("all", Some(page), true, false), ("some", Some(partly), false, true)]).await;
    let page = PageSettings {
        consent: ConsentMode::Required,
        gpc: true,
        health: Percent::new(77).unwrap(),
        base: Base::parse("/x").unwrap(),
        ..PageSettings::default()
    };
    let expect = ProjectSettings { approve_live: true, ..ProjectSettings::default() }.with_page(page);
    assert_eq!(settings(&db, "all").await.unwrap(), expect);
    let expect = ProjectSettings { gpc: true, stop_on_page_harm: true, ..ProjectSettings::default() };
    assert_eq!(settings(&db, "some").await.unwrap(), expect);
    // One that nobody had changed anything in.
    assert_eq!(settings(&db, "prj_shop").await.unwrap(), ProjectSettings::default());
    close(db).await;
}

async fn settings_that_cannot_be_read_keep_no_server_from_starting(place: &Place) {
    let db = before(place, &[("odd", Some("not JSON"), true, true)]).await;
    let error = settings(&db, "odd").await.unwrap_err().to_string();
    assert!(error.contains("settings"), "{error}");
    let mut row = rows(&db, "SELECT settings FROM project WHERE project_key = 'odd'", params![]).await.remove(0);
    let kept: serde_json::Value = serde_json::from_str(&row.text("settings").unwrap()).unwrap();
    assert_eq!((&kept["approve_live"], &kept["consent"]), (&true.into(), &"not JSON".into()));
    // Questions about all projects of a company do not fail because of it.
    let company = CompanyId(1);
    let code = db.read::<_, Error, _>(move |tx| Box::pin(tenants::with_code_for_editors(tx, company))).await.unwrap();
    assert_eq!(code, []);
    assert_eq!(settings(&db, "prj_shop").await.unwrap(), ProjectSettings::default());
    close(db).await;
}
