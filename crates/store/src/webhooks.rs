//! Webhooks, the outbox of events, and their deliveries.
//!
//! Functions return an error when the database cannot be reached. `# Errors` names what else can go wrong.

use crate::Result;
use crate::table::{Json, table};
use muriel_domain::Instant;
use muriel_domain::ids::{CompanyId, DeliveryId, ExperimentId, ProjectId, WebhookId};
use muriel_domain::time::DAY_US;
use muriel_domain::webhook::{EXPOSURES_EVENT, Event, EventType, LONGEST_PAUSE_US, WaitingWebhook, Webhook};
use muriel_sql::{Row, Tx, params};
use serde_json::{Map, Value, json};
use std::collections::BTreeSet;
use std::sync::LazyLock;

/// Lease of a node for an attempt, in microseconds of the database's clock. Attempts end by themselves long before.
const LEASE_US: i64 = 60_000_000;
/// Time for which finished deliveries are listed, in microseconds.
const KEPT_US: i64 = 30 * DAY_US;
/// Maximum number of finished deliveries that one call of [`purge`] deletes.
const PURGED_AT_ONCE: i64 = 1_000;
/// Maximum number of waiting deliveries of a webhook. Beyond that it gets no further ones.
const PENDING_MAX: i64 = 10_000;
/// Maximum number of secrets of a webhook that sign at the same time.
const SECRETS_MAX: i64 = 5;

table! {
    /// A webhook without its secrets.
    struct WebhookRow of "webhook" {
        generated { webhook_id: i64 }
        key {}
        fixed {
            project_id: i64,
            created_at: Instant,
        }
        changing {
            url: String,
            description: String,
            events: Json<Vec<String>>,
            failing_since: Option<Instant>,
            disabled_at: Option<Instant>,
            disabled_reason: Option<String>,
        }
    }
}

impl From<&Webhook> for WebhookRow {
    fn from(webhook: &Webhook) -> Self {
        Self {
            webhook_id: webhook.id.0,
            project_id: webhook.project_id.0,
            created_at: webhook.created_at,
            url: webhook.url.clone(),
            description: webhook.description.clone(),
            events: Json(webhook.events.iter().map(|event| event.word().to_owned()).collect()),
            failing_since: webhook.failing_since,
            disabled_at: webhook.disabled.as_ref().map(|(at, _)| *at),
            disabled_reason: webhook.disabled.as_ref().map(|(_, reason)| reason.clone()),
        }
    }
}

impl From<WebhookRow> for Webhook {
    fn from(row: WebhookRow) -> Self {
        Self {
            id: WebhookId(row.webhook_id),
            project_id: ProjectId(row.project_id),
            url: row.url,
            description: row.description,
            // A newer version may have stored events that this one does not know.
            events: row.events.0.iter().filter_map(|word| EventType::parse(word).ok()).collect(),
            created_at: row.created_at,
            failing_since: row.failing_since,
            disabled: row.disabled_at.map(|at| (at, row.disabled_reason.unwrap_or_default())),
        }
    }
}

fn webhook(mut row: Row) -> Result<Webhook> {
    Ok(WebhookRow::try_from(&mut row)?.into())
}

/// The project's webhooks, oldest first.
pub async fn list(tx: &mut dyn Tx, project: ProjectId) -> Result<Vec<Webhook>> {
    static STATEMENT: LazyLock<String> = LazyLock::new(|| {
        format!("SELECT {} FROM webhook w WHERE w.project_id = $1 ORDER BY w.webhook_id", WebhookRow::columns("w"))
    });
    tx.query(&STATEMENT, params![project.0]).await?.into_iter().map(webhook).collect()
}

/// A webhook of the project.
pub async fn find(tx: &mut dyn Tx, project: ProjectId, id: WebhookId) -> Result<Option<Webhook>> {
    static STATEMENT: LazyLock<String> = LazyLock::new(|| {
        format!("SELECT {} FROM webhook w WHERE w.project_id = $1 AND w.webhook_id = $2", WebhookRow::columns("w"))
    });
    tx.query_opt(&STATEMENT, params![project.0, id.0]).await?.map(webhook).transpose()
}

/// Stores a new webhook and returns its id.
pub async fn insert(tx: &mut dyn Tx, webhook: &Webhook) -> Result<WebhookId> {
    static STATEMENT: LazyLock<String> = LazyLock::new(|| format!("{} RETURNING webhook_id", WebhookRow::insert_sql()));
    let stored = tx.query_one(&STATEMENT, WebhookRow::from(webhook).insert_values()).await?;
    Ok(WebhookId(stored.int("webhook_id")?))
}

/// Stores a changed webhook. The waiting deliveries of a disabled one fail.
pub async fn update(tx: &mut dyn Tx, webhook: &Webhook) -> Result<()> {
    static STATEMENT: LazyLock<String> = LazyLock::new(|| {
        let (set, id) = (WebhookRow::assignments(), WebhookRow::next_place());
        format!("UPDATE webhook SET {set} WHERE webhook_id = ${id}")
    });
    let mut values = WebhookRow::from(webhook).changing_values();
    values.extend(params![webhook.id.0]);
    tx.execute(&STATEMENT, values).await?;
    if webhook.disabled.is_some() {
        give_up(tx, webhook.id).await?;
    }
    Ok(())
}

async fn give_up(tx: &mut dyn Tx, id: WebhookId) -> Result<()> {
    tx.execute(
        "UPDATE webhook_delivery SET status = 'failed', next_at = NULL, lease = lease + 1, lease_until = NULL, \
           reason = 'the webhook was switched off' WHERE webhook_id = $1 AND status = 'pending'",
        params![id.0],
    )
    .await?;
    Ok(())
}

/// Deletes a webhook with its secrets and deliveries.
pub async fn delete(tx: &mut dyn Tx, id: WebhookId) -> Result<()> {
    for sql in [
        "DELETE FROM webhook_delivery WHERE webhook_id = $1",
        "DELETE FROM webhook_secret WHERE webhook_id = $1",
        "DELETE FROM webhook WHERE webhook_id = $1",
    ] {
        tx.execute(sql, params![id.0]).await?;
    }
    Ok(())
}

/// Makes `sealed` the secret of a webhook. Its earlier secrets sign until `old_expire_at`.
pub async fn secret_insert(
    tx: &mut dyn Tx,
    id: WebhookId,
    sealed: Vec<u8>,
    old_expire_at: Instant,
    now: Instant,
) -> Result<()> {
    tx.execute("DELETE FROM webhook_secret WHERE webhook_id = $1 AND expires_at <= $2", params![id.0, now.us()])
        .await?;
    tx.execute(
        "UPDATE webhook_secret SET expires_at = $2 WHERE webhook_id = $1 AND expires_at IS NULL",
        params![id.0, old_expire_at.us()],
    )
    .await?;
    tx.execute("INSERT INTO webhook_secret (webhook_id, sealed) VALUES ($1, $2)", params![id.0, sealed]).await?;
    tx.execute(
        "DELETE FROM webhook_secret WHERE webhook_id = $1 AND secret_id NOT IN \
           (SELECT secret_id FROM webhook_secret WHERE webhook_id = $1 ORDER BY secret_id DESC LIMIT $2)",
        params![id.0, SECRETS_MAX],
    )
    .await?;
    Ok(())
}

/// Writes events to the outbox, for each enabled webhook of the project that subscribes to them.
pub(crate) async fn send_events(tx: &mut dyn Tx, project: ProjectId, events: Vec<Event>, at: Instant) -> Result<()> {
    if events.is_empty() {
        return Ok(());
    }
    let mut webhooks = list(tx, project).await?;
    webhooks.retain(|webhook| webhook.disabled.is_none());
    for event in events {
        let wanting = webhooks.iter().filter(|webhook| webhook.events.contains(&event.event)).map(|webhook| webhook.id);
        let wanting: Vec<WebhookId> = wanting.collect();
        if !wanting.is_empty() {
            send(tx, project, &wanting, (event.event.word(), event.data), at).await?;
        }
    }
    Ok(())
}

/// Writes the number of exposures of arms to the outbox, for each enabled webhook of the project, or only for the
/// webhook with the id `only`. Returns whether there is such a webhook.
pub async fn send_exposures(
    tx: &mut dyn Tx,
    project: ProjectId,
    only: Option<i64>,
    data: Map<String, Value>,
    at: Instant,
) -> Result<bool> {
    let mut webhooks = list(tx, project).await?;
    webhooks.retain(|webhook| webhook.disabled.is_none() && only.is_none_or(|id| webhook.id.0 == id));
    let to: Vec<WebhookId> = webhooks.iter().map(|webhook| webhook.id).collect();
    if !to.is_empty() {
        send(tx, project, &to, (EXPOSURES_EVENT, data), at).await?;
    }
    Ok(!to.is_empty())
}

/// Writes an event to the outbox, for these webhooks of the project. Returns the deliveries. A webhook with too many
/// waiting deliveries gets none.
pub async fn send(
    tx: &mut dyn Tx,
    project: ProjectId,
    to: &[WebhookId],
    (event, data): (&str, Map<String, Value>),
    at: Instant,
) -> Result<Vec<DeliveryId>> {
    let named = tx.query_one("SELECT project_key FROM project WHERE project_id = $1", params![project.0]).await?;
    let mut named = named;
    let mut whole = Map::new();
    whole.insert("project_key".to_owned(), named.text("project_key")?.into());
    whole.extend(data);
    let body = json!({ "type": event, "timestamp": at, "data": whole }).to_string();
    let message = format!("msg_{}", uuid::Uuid::now_v7().simple());
    let stored = tx
        .query_one(
            "INSERT INTO outbox_event (project_id, message_id, event, at, body) VALUES ($1, $2, $3, $4, $5) \
             RETURNING event_id",
            params![project.0, message, event, at.us(), body],
        )
        .await?;
    let event_id = stored.int("event_id")?;
    let mut deliveries = Vec::new();
    for webhook in to {
        let full = tx
            .query_opt(
                "SELECT 1 AS one FROM webhook_delivery WHERE webhook_id = $1 AND status = 'pending' LIMIT 1 OFFSET $2",
                params![webhook.0, PENDING_MAX - 1],
            )
            .await?;
        let (status, next_at, reason) = match full {
            None => ("pending", Some(at.us()), None),
            Some(_) => ("failed", None, Some(format!("{PENDING_MAX} deliveries of the webhook were pending already"))),
        };
        let row = tx
            .query_one(
                "INSERT INTO webhook_delivery (webhook_id, event_id, status, attempts, next_at, reason, lease) \
                 VALUES ($1, $2, $3, 0, $4, $5, 0) RETURNING delivery_id",
                params![webhook.0, event_id, status, next_at, reason],
            )
            .await?;
        deliveries.push(DeliveryId(row.int("delivery_id")?));
    }
    Ok(deliveries)
}

/// A live experiment whose result is reported to webhooks or watchers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Followed {
    /// Project of the experiment.
    pub project: ProjectId,
    /// Experiment id.
    pub id: ExperimentId,
    /// Revision of the experiment.
    pub revision: i64,
    /// True when a webhook subscribes to its result, and not only people watch it.
    pub by_webhook: bool,
}

/// The live experiments with an enabled webhook that subscribes to results, or with a watcher who sees them.
pub async fn followed(tx: &mut dyn Tx) -> Result<Vec<Followed>> {
    static STATEMENT: LazyLock<String> = LazyLock::new(|| {
        let wants = EventType::OF_RESULTS.map(|event| format!("w.events LIKE '%\"{}\"%'", event.word())).join(" OR ");
        let by_webhook =
            format!("e.project_id IN (SELECT w.project_id FROM webhook w WHERE w.disabled_at IS NULL AND ({wants}))");
        let is_watched = format!(
            "EXISTS (SELECT 1 FROM watch a JOIN person p ON p.person_id = a.person_id \
             WHERE a.experiment_id = e.experiment_id AND a.watching = 1 AND {})",
            crate::people::sees("e.project_id")
        );
        format!(
            "SELECT e.project_id, e.experiment_id, e.revision, CASE WHEN {by_webhook} THEN 1 ELSE 0 END AS by_webhook \
             FROM experiment e WHERE e.status = 'live' AND e.deleted_at IS NULL AND ({by_webhook} OR {is_watched}) \
             ORDER BY e.experiment_id"
        )
    });
    let rows = tx.query(&STATEMENT, params![]).await?;
    let read = rows.into_iter().map(|row| {
        Ok(Followed {
            project: ProjectId(row.int("project_id")?),
            id: ExperimentId(row.int("experiment_id")?),
            revision: row.int("revision")?,
            by_webhook: row.flag("by_webhook")?,
        })
    });
    read.collect()
}

/// Findings about an experiment's result that were reported: failing health checks, and verdicts of variants.
pub async fn findings(tx: &mut dyn Tx, id: ExperimentId) -> Result<BTreeSet<String>> {
    let rows = tx.query("SELECT finding FROM result_finding WHERE experiment_id = $1", params![id.0]).await?;
    rows.into_iter().map(|mut row| Ok(row.text("finding")?)).collect()
}

/// Stores a change of the reported findings: new ones, and those that do not hold any more.
pub async fn findings_change(
    tx: &mut dyn Tx,
    id: ExperimentId,
    new: &[String],
    gone: &[String],
    at: Instant,
) -> Result<()> {
    for finding in new {
        let sql = "INSERT INTO result_finding (experiment_id, finding, told_at) VALUES ($1, $2, $3)";
        tx.execute(sql, params![id.0, finding.as_str(), at.us()]).await?;
    }
    for finding in gone {
        let sql = "DELETE FROM result_finding WHERE experiment_id = $1 AND finding = $2";
        tx.execute(sql, params![id.0, finding.as_str()]).await?;
    }
    Ok(())
}

/// State of a delivery.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Delivery {
    /// Delivery id.
    pub id: DeliveryId,
    /// Type of the event.
    pub event: String,
    /// Time of the event.
    pub at: Instant,
    /// Number of attempts since it was first sent, or sent again.
    pub attempts: i64,
    /// `pending`, `delivered` or `failed`.
    pub status: String,
    /// HTTP status of the response to the last attempt.
    pub response_code: Option<i64>,
    /// Reason why the last attempt failed.
    pub reason: Option<String>,
    /// Time of the next attempt.
    pub next_at: Option<Instant>,
}

/// A page of a webhook's deliveries, newest first.
pub async fn deliveries(tx: &mut dyn Tx, id: WebhookId, (limit, offset): (i64, i64)) -> Result<Vec<Delivery>> {
    let rows = tx
        .query(
            "SELECT d.delivery_id, o.event, o.at, d.attempts, d.status, d.response_code, d.reason, d.next_at \
             FROM webhook_delivery d JOIN outbox_event o ON o.event_id = d.event_id \
             WHERE d.webhook_id = $1 ORDER BY d.delivery_id DESC LIMIT $2 OFFSET $3",
            params![id.0, limit, offset],
        )
        .await?;
    let read = rows.into_iter().map(|mut row| {
        Ok(Delivery {
            id: DeliveryId(row.int("delivery_id")?),
            event: row.text("event")?,
            at: Instant::from_us(row.int("at")?),
            attempts: row.int("attempts")?,
            status: row.text("status")?,
            response_code: row.opt_int("response_code")?,
            reason: row.opt_text("reason")?,
            next_at: row.opt_int("next_at")?.map(Instant::from_us),
        })
    });
    read.collect()
}

/// Schedules a delivery of the webhook again, from the first attempt on. Returns whether the delivery exists.
pub async fn resend(tx: &mut dyn Tx, id: WebhookId, delivery: DeliveryId, now: Instant) -> Result<bool> {
    let changed = tx
        .execute(
            "UPDATE webhook_delivery SET status = 'pending', attempts = 0, first_attempt_at = NULL, next_at = $3, \
               lease = lease + 1, lease_until = NULL WHERE webhook_id = $1 AND delivery_id = $2",
            params![id.0, delivery.0, now.us()],
        )
        .await?;
    Ok(changed > 0)
}

/// Returns whether the webhook has this delivery.
pub async fn has_delivery(tx: &mut dyn Tx, id: WebhookId, delivery: DeliveryId) -> Result<bool> {
    let sql = "SELECT 1 AS one FROM webhook_delivery WHERE webhook_id = $1 AND delivery_id = $2";
    Ok(tx.query_opt(sql, params![id.0, delivery.0]).await?.is_some())
}

/// The webhooks with a delivery that is due at `now` and not leased by a node. A delivery whose time is further ahead
/// than any pause is due as well: the clock was set back.
pub async fn waiting(tx: &mut dyn Tx, now: Instant) -> Result<Vec<WaitingWebhook>> {
    // Steps through the index find the webhooks, and only the first and the last delivery of each is read, so that a
    // webhook with thousands of waiting deliveries costs no more than one with a few.
    let free = free(tx);
    let edge = |order: &str| {
        format!(
            "(SELECT d.next_at FROM webhook_delivery d WHERE d.webhook_id = w.webhook_id AND d.next_at IS NOT NULL \
               AND {free} ORDER BY d.next_at {order} LIMIT 1)"
        )
    };
    let sql = format!(
        "WITH RECURSIVE pending (webhook_id) AS ( \
           SELECT MIN(f.webhook_id) FROM webhook_delivery f WHERE f.next_at IS NOT NULL \
           UNION ALL \
           SELECT (SELECT MIN(n.webhook_id) FROM webhook_delivery n \
                   WHERE n.next_at IS NOT NULL AND n.webhook_id > p.webhook_id) \
           FROM pending p WHERE p.webhook_id IS NOT NULL) \
         SELECT w.webhook_id, o.company_id, CASE WHEN w.failing_since IS NULL THEN 0 ELSE 1 END AS is_failing, \
           {} AS first_at, {} AS last_at \
         FROM pending JOIN webhook w ON w.webhook_id = pending.webhook_id \
           JOIN project o ON o.project_id = w.project_id",
        edge("ASC"),
        edge("DESC")
    );
    let mut waiting = Vec::new();
    for row in tx.query(&sql, params![]).await? {
        let (Some(first_at), Some(last_at)) = (row.opt_int("first_at")?, row.opt_int("last_at")?) else { continue };
        if first_at <= now.us() || last_at > far_ahead(now).us() {
            waiting.push(WaitingWebhook {
                webhook: WebhookId(row.int("webhook_id")?),
                company: CompanyId(row.int("company_id")?),
                is_failing: row.flag("is_failing")?,
                due_at: Instant::from_us(first_at),
            });
        }
    }
    Ok(waiting)
}

/// At most `limit` deliveries of a webhook that are due at `now`, oldest first; see [`waiting`].
pub async fn due(tx: &mut dyn Tx, id: WebhookId, now: Instant, limit: i64) -> Result<Vec<DeliveryId>> {
    let sql = format!(
        "SELECT d.delivery_id FROM webhook_delivery d WHERE d.webhook_id = $1 AND d.next_at IS NOT NULL \
           AND (d.next_at <= $2 OR d.next_at > $3) AND {} ORDER BY d.next_at, d.delivery_id LIMIT $4",
        free(tx)
    );
    let rows = tx.query(&sql, params![id.0, now.us(), far_ahead(now).us(), limit]).await?;
    rows.iter().map(|row| Ok(DeliveryId(row.int("delivery_id")?))).collect()
}

/// SQL condition that no node holds a lease of the delivery `d`.
fn free(tx: &mut dyn Tx) -> String {
    format!("(d.lease_until IS NULL OR d.lease_until <= {})", tx.dialect().now_us())
}

/// A time that is further ahead than any pause between attempts.
fn far_ahead(now: Instant) -> Instant {
    now.plus_us(2 * LONGEST_PAUSE_US)
}

/// An attempt for which this node holds the lease.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Attempt {
    /// Delivery id.
    pub delivery: DeliveryId,
    /// Number of the lease, which increases with each attempt at the delivery.
    pub lease: i64,
    /// Webhook id.
    pub webhook: WebhookId,
    /// Project id.
    pub project: ProjectId,
    /// URL to send to.
    pub url: String,
    /// Message id, the same for every attempt.
    pub message_id: String,
    /// Request body.
    pub body: String,
    /// Number of attempts, including this one.
    pub attempts: i64,
    /// Time of the first attempt.
    pub first_at: Instant,
    /// Secrets that sign, newest first, in their stored form.
    pub secrets: Vec<Vec<u8>>,
}

/// Begins an attempt at a delivery. `None` when another node holds its lease, or there is nothing to send any more.
pub async fn begin(tx: &mut dyn Tx, id: DeliveryId, holder: &str, now: Instant) -> Result<Option<Attempt>> {
    let database_now = tx.dialect().now_us();
    let sql = format!(
        "UPDATE webhook_delivery SET lease = lease + 1, lease_holder = $2, lease_until = {database_now} + $3, \
           attempts = attempts + 1, first_attempt_at = COALESCE(first_attempt_at, $4) \
         WHERE delivery_id = $1 AND next_at IS NOT NULL AND (lease_until IS NULL OR lease_until <= {database_now}) \
         RETURNING webhook_id, event_id, lease, attempts, first_attempt_at"
    );
    let Some(row) = tx.query_opt(&sql, params![id.0, holder, LEASE_US, now.us()]).await? else { return Ok(None) };
    let webhook = row.int("webhook_id")?;
    let mut known = tx
        .query_one(
            "SELECT w.project_id, w.url, o.message_id, o.body FROM webhook w, outbox_event o \
             WHERE w.webhook_id = $1 AND o.event_id = $2",
            params![webhook, row.int("event_id")?],
        )
        .await?;
    let secrets = tx
        .query(
            "SELECT sealed FROM webhook_secret WHERE webhook_id = $1 AND (expires_at IS NULL OR expires_at > $2) \
             ORDER BY secret_id DESC",
            params![webhook, now.us()],
        )
        .await?;
    Ok(Some(Attempt {
        delivery: id,
        lease: row.int("lease")?,
        webhook: WebhookId(webhook),
        project: ProjectId(known.int("project_id")?),
        url: known.text("url")?,
        message_id: known.text("message_id")?,
        body: known.text("body")?,
        attempts: row.int("attempts")?,
        first_at: Instant::from_us(row.int("first_attempt_at")?),
        secrets: secrets.into_iter().map(|mut row| Ok(row.blob("sealed")?)).collect::<Result<_>>()?,
    }))
}

/// Result of an attempt.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AttemptEnd {
    /// HTTP status of the response.
    pub response_code: Option<i64>,
    /// Reason for the failure; `None` when the attempt succeeded.
    pub failure: Option<String>,
    /// Time of the next attempt.
    pub retry_at: Option<Instant>,
    /// Reason for disabling the webhook after this attempt.
    pub switch_off: Option<String>,
}

/// Stores the result of an attempt. Does nothing when another attempt was begun, or the delivery was scheduled again,
/// in the meantime.
pub async fn end(tx: &mut dyn Tx, attempt: &Attempt, end: &AttemptEnd, now: Instant) -> Result<()> {
    let status = match (&end.failure, end.retry_at) {
        (None, _) => "delivered",
        (Some(_), Some(_)) => "pending",
        (Some(_), None) => "failed",
    };
    let changed = tx
        .execute(
            "UPDATE webhook_delivery SET status = $3, next_at = $4, response_code = $5, reason = $6, lease_until = NULL \
             WHERE delivery_id = $1 AND lease = $2",
            params![
                attempt.delivery.0,
                attempt.lease,
                status,
                end.retry_at.map(Instant::us),
                end.response_code,
                end.failure.as_deref()
            ],
        )
        .await?;
    if changed == 0 {
        return Ok(());
    }
    match end.failure {
        None => {
            let sql = "UPDATE webhook SET failing_since = NULL WHERE webhook_id = $1 AND failing_since IS NOT NULL";
            tx.execute(sql, params![attempt.webhook.0]).await?;
        }
        Some(_) => {
            tx.execute(
                "UPDATE webhook SET failing_since = $2 WHERE webhook_id = $1 AND failing_since IS NULL",
                params![attempt.webhook.0, now.us()],
            )
            .await?;
        }
    }
    match &end.switch_off {
        None => Ok(()),
        Some(why) => switch_off(tx, attempt, why, now).await,
    }
}

/// Disables the webhook, unless it was disabled already, and fails its waiting deliveries.
async fn switch_off(tx: &mut dyn Tx, attempt: &Attempt, why: &str, now: Instant) -> Result<()> {
    let changed = tx
        .execute(
            "UPDATE webhook SET disabled_at = $2, disabled_reason = $3 \
             WHERE webhook_id = $1 AND disabled_at IS NULL",
            params![attempt.webhook.0, now.us(), why],
        )
        .await?;
    if changed > 0 { give_up(tx, attempt.webhook).await } else { Ok(()) }
}

/// Time since which the webhook has been failing; `None` when it is not.
pub async fn failing_since(tx: &mut dyn Tx, id: WebhookId) -> Result<Option<Instant>> {
    let row = tx.query_opt("SELECT failing_since FROM webhook WHERE webhook_id = $1", params![id.0]).await?;
    Ok(row.map(|row| row.opt_int("failing_since")).transpose()?.flatten().map(Instant::from_us))
}

/// Releases the leases of a node that was stopped during its attempts.
pub async fn release(tx: &mut dyn Tx, holder: &str) -> Result<()> {
    tx.execute(
        "UPDATE webhook_delivery SET lease_until = NULL WHERE lease_holder = $1 AND lease_until IS NOT NULL",
        params![holder],
    )
    .await?;
    Ok(())
}

/// Deletes finished deliveries of events older than 30 days, and such events without deliveries. Returns the number of
/// deleted deliveries, at most 1,000.
pub async fn purge(tx: &mut dyn Tx, now: Instant) -> Result<u64> {
    let before = now.plus_us(-KEPT_US).us();
    let purged = tx
        .execute(
            "DELETE FROM webhook_delivery WHERE delivery_id IN (SELECT d.delivery_id FROM webhook_delivery d \
               JOIN outbox_event o ON o.event_id = d.event_id WHERE o.at < $1 AND d.next_at IS NULL LIMIT $2)",
            params![before, PURGED_AT_ONCE],
        )
        .await?;
    tx.execute(
        "DELETE FROM outbox_event WHERE event_id IN (SELECT o.event_id FROM outbox_event o WHERE o.at < $1 \
           AND NOT EXISTS (SELECT 1 FROM webhook_delivery d WHERE d.event_id = o.event_id) LIMIT $2)",
        params![before, PURGED_AT_ONCE],
    )
    .await?;
    Ok(purged)
}
