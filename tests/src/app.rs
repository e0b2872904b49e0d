//! A server for one story, with its own database, clock and data directory.

use crate::postgres::Database;
use crate::template::{self, patient_postgres, runtime};
use crate::{Client, Contract, DEADLINE, Session, eventually, scratch};
use muriel_cli::access::{self, KeyCommand, WantedKey};
use muriel_cli::audit;
use muriel_cli::config::{Common, Settings, StorageSettings};
use muriel_cli::nodes::NodeCommand;
use muriel_cli::open::{Opened, open};
use muriel_cli::page::{self, Changes};
use muriel_cli::person::{self, WantedPerson};
use muriel_cli::serve::{self, Running};
use muriel_context::Actor;
use muriel_context::Precondition;
use muriel_context::api_key::ApiKey;
use muriel_context::clock::Clock;
use muriel_demo::{COMPANY, Company, Prepared, VisitorSettings, store_results, visit_past};
use muriel_domain::Instant;
use muriel_domain::experiment::ConclusionOutcome;
use muriel_domain::ids::ExperimentId;
use muriel_http::edge::EdgeSettings;
use muriel_http::limits::RateLimits;
use muriel_log::{LogOptions, Reserve};
use muriel_results::ReportTimeouts;
use muriel_service::experiments::{self, NewConclusion, Target};
use muriel_service::visitor_data::{self, ExpiryOutcome};
use muriel_service::{App, projects};
use muriel_sql::Db;
use muriel_store::MIGRATIONS;
use muriel_store::experiments::HistoryEntry;
use muriel_store::nodes::{self, NewNode, Node};
use muriel_store::overview::{self, ResultCheck};
use muriel_store::{experiments as stored, tenants};
use muriel_warehouse as warehouse;
use muriel_worker::Worker;
use serde_json::json;
use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};
use std::time::Duration;
use tempfile::TempDir;
use tokio::runtime::Runtime;

/// Password of all people in stories.
pub const PASSWORD: &str = "a horse that is right";

/// Actor of acts that only the dashboard can perform.
const DASHBOARD: Actor = Actor::System("dashboard");

/// The database that a story runs on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum On {
    /// A SQLite file.
    Sqlite,
    /// A separate database in the server of `MURIEL_TEST_POSTGRES`.
    Postgres,
}

impl On {
    /// Starts a server.
    pub fn start(self) -> TestApp {
        self.start_with(|_| {})
    }

    /// Starts a server with changed settings.
    ///
    /// # Panics
    /// When it does not start.
    pub fn start_with(self, change: impl FnOnce(&mut Settings)) -> TestApp {
        let runtime = runtime();
        let dir = scratch();
        let database = match self {
            On::Sqlite => None,
            On::Postgres => Some(Database::take(&runtime)),
        };
        let now = Instant::parse("2026-03-01T10:00:00Z").expect("a moment").us();
        let clock = Arc::new(AtomicI64::new(now));
        let data_dir = dir.path().join("data");
        template::fill(&data_dir, self == On::Sqlite);
        let mut settings = Settings {
            storage: StorageSettings {
                pepper_file: data_dir.join("pepper"),
                data_dir,
                database_url: database.as_ref().map(|database| database.url.clone()),
                postgres: patient_postgres(),
            },
            listen: ([127, 0, 0, 1], 0).into(),
            dashboard_listen: None,
            people: Default::default(),
            metrics_listen: None,
            site: Default::default(),
            edge: EdgeSettings {
                deadline: DEADLINE,
                database_read: DEADLINE,
                database_write: DEADLINE,
                ..EdgeSettings::default()
            },
            rate_limits: RateLimits::OFF,
            log_level: "warn".to_owned(),
            clock: Clock::Manual(clock.clone()),
            geo_database: None,
            trusted_proxies: Default::default(),
            // A fixed reserve, because the test machine's disk may have little free space.
            log: LogOptions { reserve: Reserve::Bytes(1 << 20), ..LogOptions::default() },
            log_retention_days: None,
            alone: false,
            worker: true,
            mcp: Default::default(),
            periods: Default::default(),
            webhook_allow: "127.0.0.0/8".parse().expect("a network"),
            webhook_names: Default::default(),
            node_lease: Duration::from_secs(60),
            // Many servers run at the same time.
            warehouse: warehouse::WarehouseOptions { memory_bytes: 256 << 20, threads: 1 },
            report_timeouts: ReportTimeouts { head: DEADLINE, catch_up: DEADLINE },
        };
        change(&mut settings);
        let opened = runtime.block_on(open(&settings.storage)).expect("the database opens");
        let running = runtime.block_on(serve::start(settings.clone())).expect("the server starts");
        let app = TestApp {
            address: running.address,
            metrics_address: running.metrics_address,
            settings,
            clock,
            running: Some(running),
            opened,
            runtime: Some(runtime),
            database,
            _dir: dir,
        };
        Contract::learn(app.address);
        app
    }
}

/// A running server. It is stopped and its data removed when the story ends.
pub struct TestApp {
    /// Address of the server.
    pub address: SocketAddr,
    /// Address of the metrics listener, if there is one.
    pub metrics_address: Option<SocketAddr>,
    /// Settings that the server was started with.
    pub settings: Settings,
    clock: Arc<AtomicI64>,
    running: Option<Running>,
    /// Database and pepper, opened as the command line does.
    opened: Opened,
    runtime: Option<Runtime>,
    database: Option<Database>,
    _dir: TempDir,
}

impl TestApp {
    fn runtime(&self) -> &Runtime {
        self.runtime.as_ref().expect("the runtime is there until the end")
    }

    /// `muriel project create`: returns a client of the new project with a key that has
    /// every scope in its company.
    ///
    /// # Panics
    /// When the project cannot be created.
    pub fn project(&self, company: &str, name: &str) -> Client {
        let clock = self.settings.clock.clone();
        let made = access::project_create(&self.opened, company, name, &clock);
        let made = self.runtime().block_on(made).expect("a project");
        Client::new(self.address, company, made.company_id.0, &made.project_key, made.api_key.reveal())
    }

    /// `muriel key create`: returns the client with a new key.
    ///
    /// # Panics
    /// When the key cannot be created.
    pub fn key(&self, of: &Client, change: impl FnOnce(&mut WantedKey)) -> Client {
        let mut wanted = WantedKey {
            company: of.company.clone(),
            name: "story".to_owned(),
            scopes: "read,write".to_owned(),
            projects: Vec::new(),
            expires_in_days: "365".to_owned(),
        };
        change(&mut wanted);
        let made = access::key_create(&self.opened, wanted, &self.settings.clock);
        let (key, _) = self.runtime().block_on(made).expect("a key");
        of.with_key(Some(key.reveal()))
    }

    /// `muriel person add --password-stdin`: adds a person to the company.
    ///
    /// # Panics
    /// When the person cannot be added.
    pub fn person(&self, company: &str, email: &str, role: &str) {
        let wanted = WantedPerson {
            email: email.to_owned(),
            role: role.to_owned(),
            name: Some(format!("The {role}")),
            company: Some(company.to_owned()),
            password_stdin: true,
            public_url: None,
        };
        let app = self.opened.app(self.settings.clock.clone());
        let added = person::add(&app, &wanted, Some(PASSWORD.to_owned()));
        self.runtime().block_on(added).expect("a person");
    }

    /// Returns the token of the link that `muriel person reset` prints for a person.
    ///
    /// # Panics
    /// When no person has the address.
    pub fn reset_link(&self, email: &str) -> String {
        let app = self.opened.app(self.settings.clock.clone());
        let reset = muriel_people::reset(&app.people, email.to_owned(), None, false);
        let made = self.runtime().block_on(reset).expect("a person").expect("a link");
        made.link.rsplit_once('#').expect("a token").1.to_owned()
    }

    /// Adds a person with this role, signs them in, and returns their client in the client's project.
    ///
    /// # Panics
    /// When adding or signing in is refused.
    #[track_caller]
    pub fn signed_in_as(&self, of: &Client, role: &str) -> Client {
        let email = format!("{role}@{}.example", of.company.to_lowercase());
        self.person(&of.company, &email, role);
        of.signed_in(&self.sign_in(&email))
    }

    /// Signs in a person with the password of all people in stories.
    ///
    /// # Panics
    /// When the sign-in is refused.
    #[track_caller]
    pub fn sign_in(&self, email: &str) -> Session {
        let anyone = self.anyone();
        let body = json!({ "email": email, "password": PASSWORD });
        let answer = anyone.call("POST", "/v2/session").header("origin", &anyone.origin()).json(body).send();
        Session::of(&answer.has_status(200))
    }

    /// Returns the link for the first owner, while nobody can sign in.
    pub fn first_owner(&self) -> Option<String> {
        self.running.as_ref().and_then(|running| running.first_owner.clone())
    }

    /// Returns the address of the dashboard, if it has a separate one.
    pub fn dashboard_address(&self) -> Option<SocketAddr> {
        self.running.as_ref().and_then(|running| running.dashboard_address)
    }

    /// `muriel audit verify`: returns the number of valid entries in a company's log, and the first
    /// fault, if there is one.
    ///
    /// # Panics
    /// When the log cannot be read.
    pub fn audit(&self, company: &str) -> (i64, Option<String>) {
        let app = self.opened.app(self.settings.clock.clone());
        let verified = self.runtime().block_on(audit::verify(&app, Some(company), None)).expect("a log");
        let (_, verified) = verified.into_iter().next().expect("a company");
        (verified.entries, verified.flaw)
    }

    /// Runs SQL directly on the database, without the server.
    ///
    /// # Panics
    /// When it fails.
    pub fn tamper(&self, sql: &'static str) {
        let run =
            self.opened.db.write::<_, muriel_sql::Error, _>(move |tx| Box::pin(async move { tx.batch(sql).await }));
        self.runtime().block_on(run).expect("SQL");
    }

    /// Returns the client with a key of these scopes.
    pub fn scoped(&self, of: &Client, scopes: &str) -> Client {
        self.key(of, |wanted| wanted.scopes = scopes.to_owned())
    }

    /// `muriel key revoke`, while the server runs.
    ///
    /// # Panics
    /// When the key does not exist.
    pub fn revoke(&self, of: &Client) {
        let text = of.api_key.as_deref().expect("a key");
        let key = muriel_context::api_key::ApiKey::parse(text).expect("a key");
        let place = &self.settings.storage;
        let common = Common {
            data_dir: Some(place.data_dir.clone()),
            database_url: place.database_url.clone(),
            database_url_file: None,
            pepper_file: Some(place.pepper_file.clone()),
            config: None,
        };
        let command = KeyCommand::Revoke { common, key_id: key.id().to_owned(), json: false };
        self.runtime().block_on(access::key(command)).expect("the key is revoked");
    }

    /// `muriel project set`, while the server runs.
    ///
    /// # Panics
    /// When it is refused.
    pub fn page_settings(&self, of: &Client, change: impl FnOnce(&mut Changes)) {
        let mut changes = Changes::default();
        change(&mut changes);
        let set = page::set(&self.opened, of.project_key.clone(), changes);
        self.runtime().block_on(set).expect("settings");
    }

    /// Fills the empty database with the demo's company, as `muriel demo` does. Returns the ids of its shop's live
    /// experiments.
    ///
    /// # Panics
    /// When the database is not empty, or refuses a change.
    pub fn seed_demo(&self) -> Vec<i64> {
        self.demo().1.live.into_iter().map(|(_, id)| id).collect()
    }

    /// Fills the empty database with the demo's company, and sends visitors at `visits` a day: those of
    /// concluded experiments, and those of one day of the last month. Returns a client whose paths begin with `/v2`.
    ///
    /// # Panics
    /// When the database is not empty, or refuses a change.
    pub fn visit_demo(&self, visits: u64) -> Client {
        let (key, prepared) = self.demo();
        let app = &self.running.as_ref().expect("a server").app;
        self.runtime().block_on(async {
            let settings = VisitorSettings { visitors_per_day: visits, days: 1, seed: 1 };
            visit_past(app, &key, prepared.shop, settings, |_| {}).await.expect("visitors").expect("new ones");
            store_results(app).await.expect("results");
        });
        let mut client = Client::new(self.address, COMPANY, 0, "prj_northwind_shop", key.reveal());
        client.base = "/v2".to_owned();
        client
    }

    /// Creates the demo's company, and a key with every scope.
    fn demo(&self) -> (ApiKey, Prepared) {
        let Opened { db, pepper } = &self.opened;
        self.runtime().block_on(async {
            let company = Company::ensure(db, pepper).await.expect("an empty database");
            let wanted = WantedKey {
                company: COMPANY.to_owned(),
                name: "demo".to_owned(),
                scopes: "read,write,code,evaluate,admin".to_owned(),
                projects: Vec::new(),
                expires_in_days: "30".to_owned(),
            };
            let (key, _) = access::key_create(&self.opened, wanted, &Clock::System).await.expect("a key");
            let prepared = company.fill(db, pepper, &key, "http://127.0.0.1:4172").await.expect("the demo's data");
            (key, prepared)
        })
    }

    /// Returns a client without a key, which takes complete paths.
    pub fn anyone(&self) -> Client {
        Client::anyone(self.address)
    }

    /// Advances the clock.
    pub fn pass(&self, time: Duration) {
        let us = i64::try_from(time.as_micros()).expect("a short time");
        self.clock.fetch_add(us, Ordering::SeqCst);
    }

    /// Runs a task of the server once, after a run in progress. Everything that is due is done when this returns.
    ///
    /// # Panics
    /// When the server has stopped, or has no such task.
    pub fn run_task(&self, name: &str) {
        let running = self.running.as_ref().expect("a server");
        assert!(self.runtime().block_on(running.run_task(name)), "there is no task {name}");
    }

    /// Runs the clock's tasks that are due, in a server that was started without a worker.
    ///
    /// # Panics
    /// When the tasks do not end.
    pub fn run_clock(&self, worker: &Worker) {
        self.runtime().block_on(worker.run_until_idle()).expect("an end");
    }

    /// Creates a worker with the tasks of the clock, whose timers do not run: see [`TestApp::run_clock`].
    ///
    /// # Panics
    /// When the server has stopped.
    pub fn clock_worker(&self) -> Worker {
        let app = self.running.as_ref().expect("a server").app.clone();
        let clock = self.settings.clock.clone();
        let worker = Worker::new(Arc::new(move || clock.now()), |_| true);
        let tasks = muriel_worker::tasks::clock(&app, Arc::new(|_, _| {}), Arc::new(|_| {}));
        tasks.into_iter().for_each(|task| worker.register(task));
        worker
    }

    /// `muriel project retention`: sets the number of days after which the project's events are deleted.
    ///
    /// # Panics
    /// When it cannot be changed.
    pub fn keep_events(&self, of: &Client, days: Option<i64>) {
        let app = self.opened.app(self.settings.clock.clone());
        let set = projects::set_retention(&app, &Actor::COMMAND_LINE, &of.project_key, days);
        self.runtime().block_on(set).expect("a project");
    }

    /// Deletes expired events, as a task of the server does each hour.
    ///
    /// # Panics
    /// When it fails.
    pub fn expire_events(&self) -> Vec<ExpiryOutcome> {
        let app = self.running.as_ref().expect("a server").app.clone();
        self.runtime().block_on(visitor_data::delete_expired(&app, self.settings.clock.now())).expect("outcomes")
    }

    /// Returns the history of an experiment, newest first: the only data that stories
    /// read without the API.
    ///
    /// # Panics
    /// When it cannot be read.
    pub fn history(&self, test_id: i64) -> Vec<HistoryEntry> {
        let read = self
            .opened
            .db
            .read::<_, muriel_store::Error, _>(move |tx| Box::pin(stored::history(tx, ExperimentId(test_id), 1_000)));
        self.runtime().block_on(read).expect("history")
    }

    /// Concludes an experiment, as only the dashboard can.
    ///
    /// # Panics
    /// When it cannot be concluded.
    pub fn conclude(&self, test_id: i64) {
        let conclusion = NewConclusion {
            outcome: ConclusionOutcome::Won,
            note: String::new(),
            learned: String::new(),
            override_reason: Some("the story says so".to_owned()),
            winner: None,
            follow_up: None,
            judged_later: false,
        };
        let (app, target) = self.target(test_id);
        let conclude = experiments::conclude(&app, &DASHBOARD, target, Ok(None), Ok(conclusion), |_| Ok(String::new()));
        self.runtime().block_on(conclude).expect("a conclusion");
    }

    /// Stores the summary of an experiment's result, dated an hour from now, so that no real check replaces it.
    /// `is_ready` is true when its planned visitors have entered.
    ///
    /// # Panics
    /// When the database refuses it.
    pub fn looked_at(&self, test_id: i64, verdict: &str, health: &str, is_ready: bool) {
        let as_of = self.settings.clock.now().plus_us(3_600_000_000);
        let check = ResultCheck {
            as_of,
            revision: 1,
            verdict: verdict.to_owned(),
            health: health.to_owned(),
            visitors: 1,
            ready_at: Some(if is_ready { as_of } else { as_of.plus_us(1) }),
            summary: serde_json::json!({}),
        };
        let write = self.opened.db.write::<_, muriel_store::Error, _>(move |tx| {
            let check = check.clone();
            Box::pin(async move { overview::save_check(tx, ExperimentId(test_id), &check).await })
        });
        self.runtime().block_on(write).expect("a row");
    }

    /// Reopens a concluded experiment, as only the dashboard can.
    ///
    /// # Panics
    /// When it cannot be reopened.
    pub fn reopen(&self, test_id: i64) {
        let (app, target) = self.target(test_id);
        let reopen = experiments::reopen(&app, &DASHBOARD, target, Ok(None), |_| Ok(String::new()));
        self.runtime().block_on(reopen).expect("a concluded experiment");
    }

    /// Returns the server's state, and an experiment in it as a target.
    fn target(&self, test_id: i64) -> (App, Target) {
        let app =
            self.running.as_ref().map_or_else(|| self.opened.app(self.settings.clock.clone()), |it| it.app.clone());
        let read = self.opened.db.read::<_, muriel_store::Error, _>(move |tx| {
            Box::pin(async move {
                let sql = "SELECT p.project_key FROM experiment e JOIN project p ON p.project_id = e.project_id \
                           WHERE e.experiment_id = $1";
                let key = tx.query_one(sql, muriel_sql::params![test_id]).await?.text(0)?;
                Ok(tenants::project_by_key(tx, &key).await?.expect("a project"))
            })
        });
        let project = Arc::new(self.runtime().block_on(read).expect("the experiment"));
        (app, Target { project, id: ExperimentId(test_id), precondition: Precondition::None })
    }

    /// Stops the server; its data stays.
    ///
    /// # Panics
    /// When stopping fails.
    pub fn stop(&mut self) {
        if let Some(running) = self.running.take() {
            self.runtime().block_on(running.stop()).expect("the server stops well");
        }
    }

    /// Restarts the server with the same data, at another address.
    ///
    /// # Panics
    /// When it does not start.
    pub fn start_again(&mut self) {
        self.stop();
        // A process that another test is starting holds a copy of the data's lock until it executes its own program.
        let mut running = None;
        eventually("the end of all locks", DEADLINE, || {
            match self.runtime().block_on(serve::start(self.settings.clone())) {
                Err(muriel_cli::Error::Running(_)) => false,
                started => {
                    running = Some(started.expect("the server starts"));
                    true
                }
            }
        });
        let running = running.expect("a server");
        self.address = running.address;
        self.running = Some(running);
    }

    /// Starts a second server on the same PostgreSQL database, with its own data
    /// directory and the setting that allows several servers.
    ///
    /// # Panics
    /// When it does not start.
    pub fn start_beside(&self) -> SecondServer<'_> {
        let dir = scratch();
        let mut settings = self.settings.clone();
        assert!(settings.storage.database_url.is_some(), "a SQLite file has one server");
        settings.storage.data_dir = dir.path().join("data");
        settings.alone = true;
        let running = self.runtime().block_on(serve::start(settings)).expect("the server starts");
        SecondServer { address: running.address, app: self, running: Some(running), _dir: dir }
    }

    /// Registers a node that no server runs, as after a crash or for a copy of a node.
    ///
    /// # Panics
    /// When it cannot be registered.
    pub fn leave_behind(&self, id: &str, blocks: i64, lease: Duration) {
        let text = |text: &str| text.to_owned();
        let node =
            NewNode { id: text(id), session: text("gone"), host: text("elsewhere"), data_dir: text("/data"), blocks };
        let lease_us = i64::try_from(lease.as_micros()).expect("a short time");
        let register = self.opened.db.write::<_, muriel_store::Error, _>(move |tx| {
            Box::pin(async move { nodes::register(tx, &node, lease_us, true).await })
        });
        self.runtime().block_on(register).expect("a node");
    }

    /// Empties the PostgreSQL database and creates the schema before the last migration. The server must be stopped.
    ///
    /// # Panics
    /// When a step fails.
    pub fn downgrade(&self) {
        assert!(self.settings.storage.database_url.is_some(), "only a PostgreSQL database is emptied");
        let db = &self.opened.db;
        let (_, older) = MIGRATIONS.split_last().expect("migrations");
        self.runtime().block_on(async {
            let empty = db.write::<_, muriel_sql::Error, _>(|tx| {
                Box::pin(async move { tx.batch("DROP SCHEMA public CASCADE; CREATE SCHEMA public").await })
            });
            empty.await.expect("an empty database");
            db.migrate(older).await.expect("an older schema");
        });
        // The keys of the database are gone, and so is the pepper they were made with.
        std::fs::remove_file(&self.settings.storage.pepper_file).expect("a pepper");
    }

    /// Sets the project's rules for approval by a second person: for changes of code, and of live experiments.
    ///
    /// # Panics
    /// When the settings are refused.
    pub fn approval_rules(&self, of: &Client, code: bool, live: bool) {
        let settings = serde_json::json!({ "approve_code": code, "approve_live": live });
        self.scoped(of, "read,admin").patch("/settings", settings).ok();
    }

    /// Refills the overview, as its migration did.
    ///
    /// # Panics
    /// When it fails.
    pub fn refill_overview(&self) {
        let refill = self.opened.db.write::<_, muriel_store::Error, _>(|tx| {
            Box::pin(async move { muriel_store::testing::refill_overview(tx).await })
        });
        self.runtime().block_on(refill).expect("a new overview");
    }

    /// Returns the last migration that the database has had.
    ///
    /// # Panics
    /// When it cannot be read.
    pub fn schema_version(&self) -> i64 {
        self.count("SELECT max(version) FROM schema_migration")
    }

    /// Returns the number that a query yields, directly from the database.
    ///
    /// # Panics
    /// When the query fails or yields no number.
    pub fn count(&self, sql: &'static str) -> i64 {
        let read = self.opened.db.read::<_, muriel_sql::Error, _>(move |tx| {
            Box::pin(async move { tx.query_one(sql, muriel_sql::params![]).await?.int(0) })
        });
        self.runtime().block_on(read).expect("a number")
    }

    /// Moves the last sign of life of a node, and the end of its lease, into the future, as if the
    /// database's clock had been ahead by `time` until now.
    ///
    /// # Panics
    /// When the row cannot be changed.
    pub fn shift_node(&self, id: &str, time: Duration) {
        let (id, us) = (id.to_owned(), i64::try_from(time.as_micros()).expect("a short time"));
        let shift = self.opened.db.write::<_, muriel_store::Error, _>(move |tx| {
            Box::pin(async move {
                let sql = "UPDATE node SET seen_at = seen_at + $2, leased_until = leased_until + $2 WHERE node_id = $1";
                Ok(tx.execute(sql, muriel_sql::params![id, us]).await?)
            })
        });
        assert_eq!(self.runtime().block_on(shift).expect("a node"), 1);
    }

    /// Returns the registered nodes.
    ///
    /// # Panics
    /// When they cannot be read.
    pub fn nodes(&self) -> Vec<Node> {
        let read = self.opened.db.read::<_, muriel_store::Error, _>(|tx| Box::pin(nodes::others(tx, "")));
        self.runtime().block_on(read).expect("nodes")
    }

    /// `muriel node forget`.
    ///
    /// # Panics
    /// When the node does not exist or runs.
    pub fn forget_node(&self, id: &str) {
        let place = &self.settings.storage;
        let common = Common {
            data_dir: Some(place.data_dir.clone()),
            database_url: place.database_url.clone(),
            database_url_file: None,
            pepper_file: Some(place.pepper_file.clone()),
            config: None,
        };
        let command = NodeCommand::Forget { common, node_id: id.to_owned() };
        self.runtime().block_on(muriel_cli::nodes::run(command)).expect("the node is forgotten");
    }

    /// Returns the reason why a server with these settings does not start.
    ///
    /// # Panics
    /// When it starts.
    pub fn start_refused(&self, change: impl FnOnce(&mut Settings)) -> String {
        let mut settings = self.settings.clone();
        change(&mut settings);
        match self.runtime().block_on(serve::start(settings)) {
            Ok(_) => panic!("a second server started"),
            Err(error) => error.to_string(),
        }
    }
}

/// A second server, stopped when it is dropped.
pub struct SecondServer<'a> {
    /// Address of the server.
    pub address: SocketAddr,
    app: &'a TestApp,
    running: Option<Running>,
    _dir: TempDir,
}

impl SecondServer<'_> {
    /// Like [`TestApp::run_task`].
    ///
    /// # Panics
    /// When it has no such task.
    pub fn run_task(&self, name: &str) {
        let running = self.running.as_ref().expect("a server");
        assert!(self.app.runtime().block_on(running.run_task(name)), "there is no task {name}");
    }
}

impl Drop for SecondServer<'_> {
    fn drop(&mut self) {
        if let Some(running) = self.running.take() {
            let stopped = self.app.runtime().block_on(running.stop());
            if !std::thread::panicking() {
                stopped.expect("the server stops well");
            }
        }
    }
}

impl Drop for TestApp {
    fn drop(&mut self) {
        let Some(runtime) = self.runtime.take() else { return };
        let running = self.running.take();
        let db = self.opened.db.clone();
        let checked = runtime.block_on(contradictions(&db, self.database.as_ref()));
        let stopped = runtime.block_on(async {
            let stopped = match running {
                Some(running) => running.stop().await.map_err(|error| error.to_string()),
                None => Ok(()),
            };
            let _ = db.close().await;
            stopped
        });
        if let Some(database) = self.database.take() {
            database.give_back(&runtime);
        }
        runtime.shutdown_background();
        if !std::thread::panicking() {
            stopped.expect("the server stops well");
            let contradictions = checked.expect("the database can be read at the end of a story");
            assert_eq!(contradictions, Vec::<String>::new(), "milestones differ from history");
        }
    }
}

/// Returns the differences between the milestones of experiments and their history.
async fn contradictions(db: &Db, postgres: Option<&Database>) -> Result<Vec<String>, muriel_store::Error> {
    // Some stories cut the connection to PostgreSQL, so this uses a direct one.
    let direct = match postgres {
        Some(database) => Db::postgres(&database.url, patient_postgres()).await?,
        None => db.clone(),
    };
    let found = direct.read(|tx| Box::pin(muriel_store::testing::contradictions(tx))).await;
    if postgres.is_some() {
        direct.close().await?;
    }
    found
}
