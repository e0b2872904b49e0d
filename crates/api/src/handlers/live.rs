//! Live stream of a visitor's events.

use crate::auth::{Caller, Read};
use crate::error::ApiError;
use crate::explain::explain;
use crate::json::{self as gate, Json};
use crate::wire::query::Query;
use crate::wire::views;
use axum::body::Body;
use axum::extract::State;
use axum::response::Response;
use bytes::Bytes;
use futures_util::stream;
use http::{HeaderValue, Uri, header};
use muriel_context::actor;
use muriel_delivery::live::{NoRoom, Subscription};
use muriel_domain::Flaw;
use muriel_service::App;
use muriel_store::tenants::Project;
use serde_json::Value;
use std::convert::Infallible;
use std::sync::Arc;
use std::time::Duration;
use tokio::time::{Instant, sleep_until, timeout};

/// Interval of comment lines. They keep proxies from closing the stream, and detect readers that are gone.
const HEARTBEAT: Duration = Duration::from_secs(15);
/// Maximum lifetime of a stream. Readers reconnect afterwards.
const LIFETIME: Duration = Duration::from_secs(3_600);
/// Maximum number of experiments whose decisions are sent per page.
const DECISIONS_MAX: usize = 100;
/// `Retry-After` in seconds when there are too many streams.
const BUSY_RETRY_S: u64 = 30;

/// Streams the events of one visitor as they arrive, and the visitor's assignments with their reasons, as server-sent
/// events.
///
/// The stream has only the events that this node receives. It begins with `hello`, has a comment line every 15 seconds,
/// and ends with `bye` after an hour or when the server stops.
#[utoipa::path(
    get, path = "/v2/project/{project_key}/live", tag = "Dashboard", operation_id = "streamVisitor",
    params(
        ("visitor" = inline(String), Query, min_length = 1, max_length = 128, description = "The visitor's id on the page: `localStorage.muriel_id` in its console, with the name of the page's API in place of `muriel`."),
    ),
    responses((status = 200, description = "A stream of messages. The data of each is this JSON.", content_type = "text/event-stream", body = views::LiveMessage)),
    extensions(("x-scope" = json!("read")))
)]
pub(crate) async fn visitor_live(State(app): State<App>, caller: Caller<Read>, uri: Uri) -> Result<Response, ApiError> {
    let mut query = Query::read(uri.query(), &["visitor"]);
    let visitor = query.parsed("visitor", |id| match id.chars().take(129).count() {
        1..=128 => Ok(id.to_owned()),
        _ => Err(Flaw::new("must have 1 to 128 characters")),
    });
    if visitor.is_none() {
        query.refuse("visitor", "is required: the id of a visitor");
    }
    query.finish()?;
    let visitor = visitor.unwrap_or_default();
    let no_room = |why: NoRoom| ApiError::NotYet { why: why.to_string(), retry_after_s: BUSY_RETRY_S };
    let subscription = app.intake.live.subscribe(&caller.project, &visitor).map_err(no_room)?;
    let state =
        Stream { app, project: caller.project, subscription, stage: Stage::Hello, ends_at: Instant::now() + LIFETIME };
    let watcher = Watcher { holder: caller.actor.holder(), asked_at: Instant::now() };
    let messages = stream::unfold((state, watcher), |(mut state, mut watcher)| async move {
        let message = state.next().await?;
        let is_allowed = watcher.may_see(&state.app, &state.project).await;
        is_allowed.then_some((Ok::<_, Infallible>(message), (state, watcher)))
    });
    let mut response = Response::new(Body::from_stream(messages));
    let headers = response.headers_mut();
    headers.insert(header::CONTENT_TYPE, HeaderValue::from_static("text/event-stream"));
    headers.insert(header::CACHE_CONTROL, HeaderValue::from_static("no-store"));
    Ok(response)
}

/// Person or API key that reads a stream. The stream ends soon after the reader loses access to the project.
struct Watcher {
    holder: String,
    asked_at: Instant,
}

impl Watcher {
    /// Returns whether the reader may still see the project. Checked at most once per heartbeat.
    async fn may_see(&mut self, app: &App, project: &Project) -> bool {
        let now = Instant::now();
        if now.duration_since(self.asked_at) < HEARTBEAT {
            return true;
        }
        self.asked_at = now;
        // The stream continues while the database cannot be reached.
        actor::may_still_see(app, &self.holder, project.id).await.unwrap_or(true)
    }
}

/// State of a stream.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Stage {
    Hello,
    Open,
    Over,
}

struct Stream {
    app: App,
    project: Arc<Project>,
    subscription: Subscription,
    stage: Stage,
    ends_at: Instant,
}

impl Stream {
    /// Next part of the body.
    async fn next(&mut self) -> Option<Bytes> {
        match self.stage {
            Stage::Hello => {
                self.stage = Stage::Open;
                let note = "this stream has the visitor's events at this server, and the decisions for each page view";
                Some(self.message("hello", |message| message.note = Some(note.to_owned())))
            }
            Stage::Over => None,
            Stage::Open => {
                let next = tokio::select! {
                    next = timeout(HEARTBEAT, self.subscription.next()) => next,
                    () = sleep_until(self.ends_at) => Ok(None),
                };
                match next {
                    Err(_) => Some(Bytes::from_static(b": still here\n\n")),
                    Ok(None) => {
                        self.stage = Stage::Over;
                        let note = "the stream has ended; connect again to continue";
                        Some(self.message("bye", |message| message.note = Some(note.to_owned())))
                    }
                    Ok(Some(event)) => Some(self.event_messages(&event).await),
                }
            }
        }
    }

    /// Messages about an event: the event, and for a page view the decisions on its page.
    async fn event_messages(&self, event: &Value) -> Bytes {
        let mut messages = self.message("event", |message| message.event = Some(event.clone())).to_vec();
        if event["type"] == "pageview"
            && let Some(decisions) = self.decisions(event).await
        {
            messages.extend_from_slice(&self.message("decisions", |message| message.decisions = Some(decisions)));
        }
        messages.into()
    }

    /// Decision of each experiment for the visitor on the page of an event.
    async fn decisions(&self, event: &Value) -> Option<Vec<views::LiveDecision>> {
        let delivery = self.app.rulesets.of(&self.project).await.ok()?;
        let members = context(event);
        let now = self.app.clock.now();
        let pairs = delivery.delivered().iter().zip(delivery.ruleset.experiments()).take(DECISIONS_MAX);
        let decision = |explained: crate::explain::Explanation| views::LiveDecision {
            test_id: explained.test_id,
            experiment_key: explained.experiment_key,
            variant: explained.variant,
            reason: explained.reason,
            in_experiment: explained.in_experiment,
            elsewhere: explained.elsewhere,
            steps: explained.steps,
        };
        pairs
            .map(|(delivered, compiled)| {
                explain(delivered, compiled, &members, &self.app.visitors, now).ok().map(decision)
            })
            .collect()
    }

    /// Formats a message of the stream. JSON escapes line feeds, so its data is one line.
    fn message(&self, name: &str, fill: impl FnOnce(&mut views::LiveMessage)) -> Bytes {
        let (at, missed) = (self.app.clock.now(), self.subscription.missed());
        let mut message = views::LiveMessage { at, missed, event: None, decisions: None, note: None };
        fill(&mut message);
        let data = serde_json::to_string(&message).unwrap_or_default();
        format!("event: {name}\ndata: {data}\n\n").into()
    }
}

/// Evaluation context with the facts of an event.
fn context(event: &Value) -> Vec<(String, Json)> {
    let text = |value: &Value| value.as_str().map(|text| Json::Text(text.to_owned()));
    let mut members: Vec<(String, Json)> = Vec::new();
    let mut add = |name: &str, value: Option<Json>| members.extend(value.map(|value| (name.to_owned(), value)));
    add("targetingKey", text(&event["visitor"]["id"]));
    for name in ["url", "referrer", "device", "browser", "os", "country", "region", "city"] {
        add(name, text(&event[name]));
    }
    if let Some(attributes) = event["visitor"]["attributes"].as_object() {
        for (name, value) in attributes {
            let is_fact = members.iter().any(|(known, _)| known == name);
            let value = serde_json::to_vec(value).ok().and_then(|bytes| gate::parse(&bytes).ok());
            members.extend(value.filter(|_| !is_fact).map(|value| (name.clone(), value)));
        }
    }
    members
}
