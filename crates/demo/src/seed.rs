//! Two hundred days of work, sent through the API with the clock moved between
//! requests.
//!
//! Functions return an error when the database cannot be reached. `# Errors` names what else can go wrong.

use super::client::Client;
use super::data::{Body, COMPANY, Deed, Demo, Experiment, Goal, Group, Project, Verdict};
use crate::{Error, Result};
use axum::http::Method;
use muriel_context::Actor;
use muriel_context::Precondition;
use muriel_context::api_key::{ApiKey, Pepper};
use muriel_context::clock::Clock;
use muriel_domain::Instant;
use muriel_domain::experiment::ConclusionOutcome;
use muriel_domain::ids::ExperimentId;
use muriel_domain::time::DAY_US;
use muriel_service::experiments::{self, NewConclusion, Target};
use muriel_service::jobs::{self, JobOutcome, Leadership};
use muriel_service::projects::{self, NewProject};
use muriel_service::{App, Traffic};
use muriel_sql::Db;
use muriel_store::settings;
use muriel_store::tenants::{self, Project as Founded};
use serde_json::{Value, json};
use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};

/// Actor for acts that the company's people do in the dashboard.
const DEMO: Actor = Actor::System("demo");
/// First day of the company, in days before today.
const FOUNDED: i64 = 204;
/// Setting that records that a database holds the whole demo.
pub(super) const SEEDED: &str = "demo";
/// Setting with the origin of the shop at the creation of its experiments.
pub(super) const SHOP: &str = "demo_shop";
/// Origin of the shop in demos that were created before the shop had pages.
pub(super) const NOWHERE: &str = "https://shop.northwind-outdoor.example";

/// Returns whether the database holds the demo.
///
/// # Errors
/// A database that holds other companies, or an incomplete demo.
pub(super) async fn is_seeded(db: &Db) -> Result<bool> {
    let (seeded, used) = db
        .read::<_, Error, _>(|tx| {
            Box::pin(async move { Ok((settings::get(tx, SEEDED).await?.is_some(), tenants::any(tx).await?)) })
        })
        .await?;
    if used && !seeded {
        let message = "the database holds another company, or a demo whose creation was interrupted; give muriel demo \
                       a directory or a database of its own";
        return Err(Error::Refused(message.to_owned()));
    }
    Ok(seeded)
}

/// Origin of the shop that the experiments name; `None` if there are none yet.
pub(super) async fn shop(db: &Db) -> Result<Option<String>> {
    db.read::<_, Error, _>(|tx| {
        Box::pin(async move {
            let seeded = settings::get(tx, SEEDED).await?;
            Ok(settings::get(tx, SHOP).await?.or(seeded.map(|_| NOWHERE.to_owned())))
        })
    })
    .await
}

/// Creates the company with its projects.
pub(super) async fn found(db: &Db, pepper: &Pepper, now: Instant) -> Result<[Arc<Founded>; 2]> {
    let clock = Clock::Manual(Arc::new(AtomicI64::new(moment(now, FOUNDED, 0).us())));
    let app = App::new(db.clone(), pepper.clone(), clock, Traffic::default());
    let create = async |project: Project| {
        let (name, key) = (project.name().to_owned(), Some(project.key().to_owned()));
        let new = NewProject { company: COMPANY.to_owned(), name, key };
        projects::create(&app, &DEMO, new).await.map(Arc::new)
    };
    let [first, second] = Project::ALL;
    Ok([create(first).await?, create(second).await?])
}

/// Does everything that the company did until `now`, with this key. `shop` is the
/// origin of its shop, which the experiments name.
///
/// # Errors
/// A request that the API refuses, in its words.
pub(super) async fn seed(
    db: &Db,
    pepper: &Pepper,
    key: &ApiKey,
    projects: [Arc<Founded>; 2],
    shop: &str,
    now: Instant,
) -> Result<()> {
    let demo = Demo::load()?;
    let clock = Arc::new(AtomicI64::new(0));
    let app = App::new(db.clone(), pepper.clone(), Clock::Manual(clock.clone()), Traffic::default());
    let leads = Leadership::take(&app).await?;
    let other = || Error::Refused("another server works on the database; stop it and start the demo again".to_owned());
    let mut history = History {
        leadership: leads.ok_or_else(other)?,
        client: Client::new(app.clone(), key),
        app,
        projects,
        now,
        shop,
        ideas: vec![0; demo.hypotheses.len()],
        tests: vec![0; demo.experiments.len()],
        demo: &demo,
    };
    for (at, act) in acts(&demo, now) {
        history.pass_time(&clock, at).await?;
        clock.store(at.us(), Ordering::SeqCst);
        history.perform(act).await?;
    }
    history.pass_time(&clock, now).await?;
    let shop = shop.to_owned();
    db.write::<_, Error, _>(move |tx| {
        Box::pin(async move {
            settings::get_or_set(tx, SHOP, &shop).await?;
            Ok(settings::get_or_set(tx, SEEDED, &now.to_string()).await.map(drop)?)
        })
    })
    .await
}

/// An act of the company; numbers are rows of the data.
enum Act<'a> {
    Goal(&'a Goal),
    Idea(usize),
    Archive(usize),
    Test(usize),
    Step(usize, &'a Deed),
    Group(&'a Group),
}

/// All acts with their times, in order.
fn acts(demo: &Demo, now: Instant) -> Vec<(Instant, Act<'_>)> {
    let mut acts = Vec::new();
    for (row, goal) in demo.goals.iter().enumerate() {
        acts.push((moment(now, goal.day, row), Act::Goal(goal)));
    }
    for (row, idea) in demo.hypotheses.iter().enumerate() {
        acts.push((moment(now, idea.day, row), Act::Idea(row)));
        acts.extend(idea.archived.map(|day| (moment(now, day, row), Act::Archive(row))));
    }
    for (row, test) in demo.experiments.iter().enumerate() {
        acts.push((moment(now, test.day, row), Act::Test(row)));
        acts.extend(test.story.iter().map(|step| (moment(now, step.day, row), Act::Step(row, &step.deed))));
    }
    for (row, group) in demo.groups.iter().enumerate() {
        acts.push((moment(now, group.day, row), Act::Group(group)));
    }
    acts.sort_by_key(|&(at, _)| at);
    acts
}

/// A time of the working day `days` before today; it differs by row and day.
fn moment(now: Instant, days: i64, row: usize) -> Instant {
    let since_eight = (row as i64 * 5_821 + days * 3_671) % (9 * 3_600);
    midnight(now, -days).plus_us((8 * 3_600 + since_eight) * 1_000_000)
}

/// Midnight (UTC) at the beginning of the day that is `days` after today.
fn midnight(now: Instant, days: i64) -> Instant {
    Instant::from_us((now.us().div_euclid(DAY_US) + days) * DAY_US)
}

/// The data, and the state of its creation.
struct History<'a> {
    client: Client,
    app: App,
    leadership: Leadership,
    projects: [Arc<Founded>; 2],
    now: Instant,
    shop: &'a str,
    demo: &'a Demo,
    /// Ids by row; 0 for rows that are not created yet.
    ideas: Vec<i64>,
    tests: Vec<i64>,
}

impl History<'_> {
    /// Does what the clock of a server would have done until then: starts and ends
    /// experiments by their dates and rules.
    async fn pass_time(&self, clock: &AtomicI64, until: Instant) -> Result<()> {
        loop {
            let jobs = jobs::next(&self.app).await?;
            let Some(job) = jobs.into_iter().find(|job| job.due_at < until) else { return Ok(()) };
            clock.store(job.due_at.us(), Ordering::SeqCst);
            match jobs::run(&self.app, &self.leadership, &job).await? {
                JobOutcome::Done | JobOutcome::Nothing => {}
                left @ (JobOutcome::Blocked | JobOutcome::Failed(_)) => {
                    let message = format!("the clock could not act on experiment {}: {left:?}", job.experiment);
                    return Err(Error::Refused(message));
                }
            }
        }
    }

    async fn perform(&mut self, act: Act<'_>) -> Result<()> {
        match act {
            Act::Goal(goal) => {
                self.client.send(Method::POST, goal.project, "goal", &self.filled(&goal.body)).await?;
            }
            Act::Idea(row) => {
                let idea = &self.demo.hypotheses[row];
                let made = self.client.send(Method::POST, idea.project, "hypothesis", &idea.body()).await?;
                self.ideas[row] = made["hypothesis_id"].as_i64().unwrap_or_default();
            }
            Act::Archive(row) => {
                let path = format!("hypothesis/{}", self.ideas[row]);
                let project = self.demo.hypotheses[row].project;
                self.client.send(Method::PATCH, project, &path, &body(json!({ "archived": true }))).await?;
            }
            Act::Test(row) => {
                let test = &self.demo.experiments[row];
                let made =
                    self.client.send(Method::POST, test.project, "create-experiment", &self.creation(test)?).await?;
                self.tests[row] = made["test_id"].as_i64().unwrap_or_default();
            }
            Act::Step(row, deed) => self.step(row, deed).await?,
            Act::Group(group) => {
                let body = self.grouping(group)?;
                self.client.send(Method::POST, group.project, "exclusion-group", &body).await?;
            }
        }
        Ok(())
    }

    /// A row's body in the form that is sent.
    fn filled(&self, row: &Body) -> Body {
        row.iter().map(|(key, value)| (key.clone(), filled(value, self.shop, self.now))).collect()
    }

    /// The body that creates an experiment.
    fn creation(&self, test: &Experiment) -> Result<Body> {
        let mut body = self.filled(&test.body);
        if let Some(name) = &test.hypothesis {
            let row = self.demo.hypotheses.iter().position(|idea| idea.name.as_ref() == Some(name));
            let row = row.ok_or_else(|| Error::Refused(format!("the demo has no hypothesis named {name}")))?;
            body.insert("hypothesis_id".to_owned(), self.ideas[row].into());
        }
        Ok(body)
    }

    /// The body that creates a group.
    fn grouping(&self, group: &Group) -> Result<Body> {
        let mut body = self.filled(&group.body);
        let members = group.members.iter().map(|member| {
            let named =
                |test: &Experiment| test.body.get("test_name").and_then(Value::as_str) == Some(&member.test_name);
            let row = self.demo.experiments.iter().position(named);
            let unknown = || Error::Refused(format!("the demo has no experiment named {}", member.test_name));
            Ok(json!({ "test_id": self.tests[row.ok_or_else(unknown)?], "percent": member.percent }))
        });
        let members = members.collect::<Result<Vec<Value>>>()?;
        if !members.is_empty() {
            body.insert("members".to_owned(), members.into());
        }
        Ok(body)
    }

    async fn step(&self, row: usize, deed: &Deed) -> Result<()> {
        let project = self.demo.experiments[row].project;
        let path = |rest: &str| format!("experiment/{}{rest}", self.tests[row]);
        match deed {
            Deed::Status(status) => {
                let status = body(json!({ "status": status }));
                self.client.send(Method::PATCH, project, &path("/status"), &status).await?
            }
            Deed::Update(changes) => self.client.merge(project, &path(""), &self.filled(changes)).await?,
            Deed::Serve(winner) => self.client.send(Method::POST, project, &path("/serve-winner"), winner).await?,
            Deed::Rollout(to) => self.client.send(Method::PATCH, project, &path("/serving-rollout"), to).await?,
            Deed::StopServing(nothing) => {
                self.client.send(Method::POST, project, &path("/stop-serving"), nothing).await?
            }
            Deed::Conclude(verdict) => {
                let id = ExperimentId(self.tests[row]);
                return conclude(&self.app, self.projects[project as usize].clone(), id, verdict).await;
            }
        };
        Ok(())
    }
}

/// Concludes an experiment. People do this in the dashboard; keys cannot.
async fn conclude(app: &App, project: Arc<Founded>, id: ExperimentId, verdict: &Verdict) -> Result<()> {
    let unknown = || Error::Refused(format!("the demo concludes with an unknown outcome, {}", verdict.outcome));
    let outcome =
        ConclusionOutcome::WORDS.into_iter().find(|(word, _)| *word == verdict.outcome).ok_or_else(unknown)?.1;
    let conclusion = NewConclusion {
        outcome,
        note: verdict.note.clone(),
        learned: verdict.learned.clone(),
        // Removed once the visitors are there, if the result agrees.
        override_reason: Some("Decided by the report of the tool that was used before.".to_owned()),
        winner: verdict.serve.clone().map(|arm| (arm, 100)),
        follow_up: None,
        judged_later: true,
    };
    let target = Target { project, id, precondition: Precondition::None };
    experiments::conclude(app, &DEMO, target, Ok(None), Ok(conclusion), |_| Ok(String::new())).await?;
    Ok(())
}

fn body(value: Value) -> Body {
    match value {
        Value::Object(body) => body,
        _ => Body::new(),
    }
}

/// Replaces days in a value, such as `{day 12}` or `{day -3}`, by dates, and `{shop}`
/// by the shop's origin.
fn filled(value: &Value, shop: &str, now: Instant) -> Value {
    match value {
        Value::Object(body) => {
            Value::Object(body.iter().map(|(key, value)| (key.clone(), filled(value, shop, now))).collect())
        }
        Value::Array(items) => items.iter().map(|item| filled(item, shop, now)).collect(),
        Value::String(text) => {
            let days = text.strip_prefix("{day ").and_then(|text| text.strip_suffix('}'));
            match days.and_then(|days| days.parse::<i64>().ok()) {
                Some(days) => midnight(now, -days).to_string().into(),
                None => text.replace("{shop}", shop).into(),
            }
        }
        other => other.clone(),
    }
}
