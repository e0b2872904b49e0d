//! Sending the messages of the outbox.
//!
//! Functions return an error when the database cannot be reached. `# Errors` names what else can go wrong.

use super::secret::{Secret, signatures};
use super::{purpose, write};
use crate::client::{Outbound, SendOutcome};
use muriel_context::Context;
use muriel_context::error::{Error, Result};
use muriel_context::sealed::unseal;
use muriel_domain::Instant;
use muriel_domain::ids::DeliveryId;
use muriel_domain::webhook::{Slot, next_slots, retry_at};
use muriel_store::webhooks::{self, Attempt, AttemptEnd};

/// Outcome of an attempt.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DeliveryOutcome {
    /// The receiver accepted the message.
    Delivered,
    /// The attempt failed and is retried.
    Failed,
    /// The attempt failed and is not retried.
    GivenUp,
    /// Another node performs the delivery, or it is already done.
    Nothing,
}

/// Returns the deliveries to attempt next in addition to the requests in flight, each with the slot
/// that it takes: see [`next_slots`].
pub async fn due(context: &Context, in_flight: Vec<Slot>) -> Result<Vec<(DeliveryId, Slot)>> {
    let now = context.clock.now();
    context
        .read(move |tx| {
            Box::pin(async move {
                let waiting = webhooks::waiting(tx, now).await?;
                let mut slots = next_slots(&waiting, &in_flight);
                let mut due = Vec::with_capacity(slots.len());
                while let Some(slot) = slots.first().copied() {
                    let before = slots.len();
                    slots.retain(|other| other.webhook != slot.webhook);
                    let deliveries = webhooks::due(tx, slot.webhook, now, (before - slots.len()) as i64).await?;
                    due.extend(deliveries.into_iter().map(|id| (id, slot)));
                }
                Ok(due)
            })
        })
        .await
}

/// Holder of this node's leases: the same after a restart.
fn holder(context: &Context) -> String {
    context.node_id().as_deref().unwrap_or("this node").to_owned()
}

/// Releases the leases that this node held when it was stopped.
pub async fn release(context: &Context) -> Result<()> {
    let holder = holder(context);
    write(context, move |tx| Box::pin(async move { Ok(webhooks::release(tx, &holder).await?) })).await
}

/// Deletes deliveries that are no longer listed. Returns whether there may be more.
pub async fn purge(context: &Context) -> Result<bool> {
    let now = context.clock.now();
    Ok(write(context, move |tx| Box::pin(async move { Ok(webhooks::purge(tx, now).await?) })).await? > 0)
}

/// Attempts a delivery, if no other node does. A process that ends between the attempt and its record repeats it.
pub async fn attempt(context: &Context, outbound: &Outbound, id: DeliveryId) -> Result<DeliveryOutcome> {
    let (holder, now) = (holder(context), context.clock.now());
    let begun =
        write(context, move |tx| Box::pin(async move { Ok(webhooks::begin(tx, id, &holder, now).await?) })).await?;
    let Some(attempt) = begun else { return Ok(DeliveryOutcome::Nothing) };
    let sent = send(context, outbound, &attempt, now).await;
    let now = context.clock.now();
    write(context, move |tx| {
        Box::pin(async move {
            let (end, outcome) = judged(&attempt, sent, webhooks::failing_since(tx, attempt.webhook).await?, now);
            webhooks::end(tx, &attempt, &end, now).await?;
            Ok(outcome)
        })
    })
    .await
}

async fn send(context: &Context, outbound: &Outbound, attempt: &Attempt, now: Instant) -> SendOutcome {
    let (key, purpose) = (context.pepper.webhook_key(), purpose(attempt.webhook));
    let opened = attempt.secrets.iter().map(|sealed| {
        let bytes = unseal(&key, &purpose, sealed)?;
        Secret::from_bytes(&bytes).ok_or_else(|| Error::internal("a secret has the wrong length"))
    });
    let secrets = match opened.collect::<Result<Vec<_>>>() {
        Ok(secrets) if !secrets.is_empty() => secrets,
        _ => {
            tracing::error!(
                webhook_id = attempt.webhook.0,
                "the secrets of a webhook cannot be decrypted; rotate them"
            );
            return SendOutcome::Failed("not sent: the secret cannot be read; rotate it".to_owned());
        }
    };
    let timestamp_s = now.us().div_euclid(1_000_000);
    let headers = [
        ("webhook-id", attempt.message_id.clone()),
        ("webhook-timestamp", timestamp_s.to_string()),
        ("webhook-signature", signatures(&secrets, &attempt.message_id, timestamp_s, &attempt.body)),
    ];
    let (outbound, url, body) = (outbound.clone(), attempt.url.clone(), attempt.body.clone());
    let sent = tokio::task::spawn_blocking(move || outbound.post(&url, &headers, &body)).await;
    sent.unwrap_or_else(|_| SendOutcome::Failed("the request failed".to_owned()))
}

/// Classifies a response. Only a 2xx is a success: a redirect is not followed.
fn judged(
    attempt: &Attempt,
    sent: SendOutcome,
    failing_since: Option<Instant>,
    now: Instant,
) -> (AttemptEnd, DeliveryOutcome) {
    let (response_code, failure) = match sent {
        SendOutcome::Status(status @ 200..=299) => (Some(status), None),
        SendOutcome::Status(status @ 300..=399) => {
            (Some(status), Some(format!("answered {status}: redirects are not followed; change the URL")))
        }
        SendOutcome::Status(status) => (Some(status), Some(format!("answered {status}"))),
        SendOutcome::Failed(why) => (None, Some(why)),
    };
    let response_code = response_code.map(i64::from);
    let Some(failure) = failure else {
        let end = AttemptEnd { response_code, failure: None, retry_at: None, switch_off: None };
        return (end, DeliveryOutcome::Delivered);
    };
    // 410 Gone means that the receiver wants no further messages.
    let is_gone = response_code == Some(410);
    let retry_at = if is_gone { None } else { retry_at(attempt.attempts, attempt.first_at, now) };
    let never_succeeded = failing_since.is_some_and(|since| since <= attempt.first_at.plus_us(FIRST_FAILURE_US));
    let switch_off = match retry_at {
        None if is_gone => Some("the receiver answered 410 Gone".to_owned()),
        None if never_succeeded => Some(format!("every attempt of five days failed, the last one: {failure}")),
        _ => None,
    };
    let outcome = if retry_at.is_some() { DeliveryOutcome::Failed } else { DeliveryOutcome::GivenUp };
    (AttemptEnd { response_code, failure: Some(failure), retry_at, switch_off }, outcome)
}

/// Tolerance for a webhook's first failure, which is recorded when the attempt ends, a little after it began.
const FIRST_FAILURE_US: i64 = 60_000_000;

#[cfg(test)]
mod tests {
    use super::*;
    use muriel_domain::ids::{ProjectId, WebhookId};
    use muriel_domain::webhook::GIVE_UP_AFTER_US;

    #[test]
    fn answers_are_judged() {
        let first_at = Instant::from_us(1_000_000_000);
        let attempt = |attempts| Attempt {
            delivery: DeliveryId(1),
            lease: 1,
            webhook: WebhookId(1),
            project: ProjectId(1),
            url: String::new(),
            message_id: String::new(),
            body: String::new(),
            attempts,
            first_at,
            secrets: Vec::new(),
        };
        let late = first_at.plus_us(GIVE_UP_AFTER_US);
        let status = SendOutcome::Status;
        for (sent, attempts, failing_since, now, outcome, is_off) in [
            (status(200), 1, None, first_at, DeliveryOutcome::Delivered, false),
            (status(299), 20, Some(first_at), late, DeliveryOutcome::Delivered, false),
            (status(302), 1, None, first_at, DeliveryOutcome::Failed, false),
            (status(500), 1, None, first_at, DeliveryOutcome::Failed, false),
            (status(199), 1, None, first_at, DeliveryOutcome::Failed, false),
            (status(410), 1, None, first_at, DeliveryOutcome::GivenUp, true),
            (status(500), 20, Some(first_at), late, DeliveryOutcome::GivenUp, true),
            // Other messages were delivered meanwhile, so only this one is rejected.
            (status(500), 20, Some(late), late, DeliveryOutcome::GivenUp, false),
            (status(500), 20, None, late, DeliveryOutcome::GivenUp, false),
            // The clock was set forward by five days, which does not make five days of failures.
            (status(500), 3, Some(first_at), late, DeliveryOutcome::Failed, false),
            (SendOutcome::Failed("x".to_owned()), 1, None, first_at, DeliveryOutcome::Failed, false),
        ] {
            let (end, judged_as) = judged(&attempt(attempts), sent.clone(), failing_since, now);
            assert_eq!((judged_as, end.switch_off.is_some()), (outcome, is_off), "{sent:?} {attempts}");
            assert_eq!(end.retry_at.is_some(), outcome == DeliveryOutcome::Failed);
        }
    }
}
