//! Webhooks: the event types, the events of a change to an experiment, and the retry schedule.

use crate::experiment::{ClockAct, ClockEntry, Experiment, Serving};
use crate::ids::{ProjectId, WebhookId};
use crate::time::DAY_US;
use crate::{Flaw, Instant, text};
use serde_json::{Map, Value, json};
use std::net::Ipv6Addr;
use url::{Host, Url};

mod slots;

pub use slots::{FAILING_SLOTS, HEALTHY_SLOTS, PER_WEBHOOK, Slot, WaitingWebhook, next_slots};

/// Maximum number of webhooks in a project.
pub const WEBHOOKS_MAX: usize = 20;
/// Maximum length of a description, in characters.
pub const DESCRIPTION_MAX: usize = 255;
/// Time for which a replaced secret keeps signing.
pub const OLD_SECRET_US: i64 = DAY_US;
/// Time after the first attempt at which a delivery is abandoned.
pub const GIVE_UP_AFTER_US: i64 = 5 * DAY_US;
/// Minimum number of attempts before a delivery is abandoned, so that setting the clock forward does not end it.
const MIN_ATTEMPTS: i64 = 8;

const SECOND_US: i64 = 1_000_000;
const HOUR_US: i64 = 3_600 * SECOND_US;
/// Backoff: the pauses after the first failures.
const PAUSES_US: [i64; 6] = [5 * SECOND_US, 300 * SECOND_US, 1_800 * SECOND_US, 2 * HOUR_US, 5 * HOUR_US, 10 * HOUR_US];
/// Longest pause, used after each further failure.
pub const LONGEST_PAUSE_US: i64 = 12 * HOUR_US;

macro_rules! events {
    ($($name:ident $word:literal $doc:literal),* $(,)?) => {
        /// Event type of a webhook message.
        #[derive(Debug, Clone, Copy, PartialEq, Eq)]
        pub enum EventType {
            $(#[doc = $doc] $name,)*
        }

        impl EventType {
            /// All event types that a webhook can subscribe to, with their words.
            pub const WORDS: &'static [(&'static str, EventType)] = &[$(($word, EventType::$name)),*];
        }
    };
}

events! {
    Started "experiment.started" "An experiment became live.",
    Stopped "experiment.stopped" "An experiment was stopped, or deleted while live.",
    Concluded "experiment.concluded" "An experiment was concluded.",
    Reopened "experiment.reopened" "A concluded experiment was reopened.",
    Changed "experiment.changed" "An experiment was changed in another way.",
    StartFailed "experiment.start_failed" "The clock could not start an experiment at its start date.",
    ActHeldBack "experiment.act_held_back" "The clock does not act by a rule, as the result may rest on invented visitors. A person can confirm the act.",
    WinnerServed "winner.served" "A winner is served.",
    WinnerStopped "winner.stopped" "A winner is no longer served.",
    HealthFailed "health.failed" "A health check of a live experiment fails.",
    HealthRecovered "health.recovered" "A health check that failed no longer fails.",
    VerdictReached "verdict.reached" "The result of a live experiment has reached a verdict on a variant.",
    Conversion "conversion" "Visitors of an experiment converted; batched, about once a minute.",
}

impl EventType {
    /// Events about results. No request causes them: the server has to compute results to detect them.
    pub const OF_RESULTS: [EventType; 3] =
        [EventType::HealthFailed, EventType::HealthRecovered, EventType::VerdictReached];
}

/// Type of the message that tests a webhook. Sent to every webhook that is tested; not part of subscriptions.
pub const TEST_EVENT: &str = "webhook.test";

/// Type of the message with an experiment's exposures. Enabled by the experiment's integration `webhook`; not part of
/// subscriptions.
pub const EXPOSURES_EVENT: &str = "experiment.exposures";

impl EventType {
    /// Name in messages and in the interface.
    pub fn word(self) -> &'static str {
        Self::WORDS[self as usize].0
    }

    /// Returns the event type with this name.
    ///
    /// [`TEST_EVENT`] and [`EXPOSURES_EVENT`] are not event types.
    ///
    /// # Errors
    /// An unknown name.
    pub fn parse(name: &str) -> Result<Self, Flaw> {
        let known = Self::WORDS.iter().find(|(word, _)| *word == name);
        known.map(|(_, event)| *event).ok_or_else(|| {
            let words: Vec<&str> = Self::WORDS.iter().map(|(word, _)| *word).collect();
            Flaw::new(format!("must be one of {}", words.join(", ")))
        })
    }
}

/// A receiver of a project's events.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Webhook {
    /// Webhook id; 0 until stored.
    pub id: WebhookId,
    /// Project id.
    pub project_id: ProjectId,
    /// URL that messages are sent to.
    pub url: String,
    /// Purpose of the webhook, as the owner described it.
    pub description: String,
    /// Subscribed event types; at least one, without repeats.
    pub events: Vec<EventType>,
    /// Time of creation.
    pub created_at: Instant,
    /// First failed attempt since the last success. `None` when none has failed since, or since the
    /// webhook was enabled again.
    pub failing_since: Option<Instant>,
    /// Time at which the webhook was disabled, and the reason. `None` while it is enabled.
    pub disabled: Option<(Instant, String)>,
}

/// Changes to a webhook: `None` keeps a field.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct WebhookPatch {
    /// New URL.
    pub url: Option<String>,
    /// New description.
    pub description: Option<String>,
    /// New event types.
    pub events: Option<Vec<EventType>>,
    /// True enables the webhook, false disables it.
    pub is_enabled: Option<bool>,
}

impl Webhook {
    /// Returns the webhook after the changes. Enabling a disabled webhook clears its failures.
    ///
    /// Disabling a webhook that is already disabled keeps the first time and reason. Enabling one that is enabled keeps
    /// its failures.
    #[must_use]
    pub fn patched(&self, patch: WebhookPatch, now: Instant) -> Self {
        let mut next = self.clone();
        next.url = patch.url.unwrap_or(next.url);
        next.description = patch.description.unwrap_or(next.description);
        next.events = patch.events.unwrap_or(next.events);
        match patch.is_enabled {
            Some(true) if next.disabled.is_some() => (next.disabled, next.failing_since) = (None, None),
            Some(false) if next.disabled.is_none() => {
                next.disabled = Some((now, "it was switched off by a request".to_owned()));
            }
            _ => {}
        }
        next
    }
}

/// Reads the URL of a webhook: http or https.
///
/// # Errors
/// URLs that [`text::web_address`] refuses; fragments, which are never sent; and spellings in which two parsers could
/// read different hosts or ports.
pub fn parse_webhook_url(url: &str) -> Result<String, Flaw> {
    if url.contains('#') {
        return Err(Flaw::new("must not have a fragment; remove the # and what follows it"));
    }
    let url = text::web_address(url)?;
    check_authority(&url)?;
    Ok(url)
}

/// Refuses an address whose host and port are not in canonical spelling. The URL standard, which browsers follow,
/// repairs many addresses: it reads `\` as `/`, adds missing slashes, turns `%31` and `0x7f.1` into digits, and maps
/// letters of other scripts. Everything that reads the address by other rules (an HTTP client, a firewall, a person)
/// must see the same host and port.
fn check_authority(text: &str) -> Result<(), Flaw> {
    let url = Url::parse(text).map_err(|_| Flaw::new("must be an absolute http or https URL"))?;
    if text.contains('\\') {
        return Err(Flaw::new("must not contain a backslash"));
    }
    let rest = match text.split_once("://") {
        Some((scheme, rest)) if scheme.eq_ignore_ascii_case(url.scheme()) => rest,
        _ => return Err(Flaw::new("must begin with https:// or http://")),
    };
    let authority = rest.split(['/', '?']).next().unwrap_or_default();
    if authority.contains('@') {
        return Err(Flaw::new("must not contain a user name or password"));
    }
    let (host, port) = match authority.rsplit_once(':') {
        Some((host, port)) if !port.ends_with(']') => (host, Some(port)),
        _ => (authority, None),
    };
    let is_port = |port: &str| port.parse::<u16>().is_ok_and(|number| number > 0 && number.to_string() == port);
    if port.is_some_and(|port| !is_port(port)) {
        return Err(Flaw::new("must have a port from 1 to 65535, or none"));
    }
    let canonical = url.host_str().unwrap_or_default();
    let is_canonical = match url.host() {
        Some(Host::Ipv6(address)) => {
            let bare = host.strip_prefix('[').and_then(|host| host.strip_suffix(']'));
            bare.and_then(|bare| bare.parse::<Ipv6Addr>().ok()) == Some(address)
        }
        _ => host.eq_ignore_ascii_case(canonical),
    };
    if !is_canonical {
        return Err(Flaw::new(format!("must write its host in canonical form: {canonical}")));
    }
    let is_name = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'.' | b'-' | b'_');
    if !host.starts_with('[') && (!host.bytes().all(is_name) || host.ends_with('.')) {
        let sentence = "must have a host of letters, digits, \".\", \"-\" and \"_\", without a dot at its end";
        return Err(Flaw::new(sentence));
    }
    Ok(())
}

/// Returns the time of the next attempt for a delivery that failed at `now`, after `attempts` attempts since
/// `first_at`. `None` when the delivery is abandoned.
///
/// The pauses are 5 seconds, 5 and 30 minutes, and 2, 5 and 10 hours; after each further failure, 12 hours. A delivery
/// is abandoned after five days, but not before eight attempts.
///
/// # Examples
///
/// ```
/// use muriel_domain::Instant;
/// use muriel_domain::webhook::{GIVE_UP_AFTER_US, retry_at};
///
/// let start = Instant::from_us(0);
/// assert_eq!(retry_at(1, start, start), Some(start.plus_us(5_000_000)));
/// assert_eq!(retry_at(8, start, start.plus_us(GIVE_UP_AFTER_US)), None);
/// ```
pub fn retry_at(attempts: i64, first_at: Instant, now: Instant) -> Option<Instant> {
    let last = first_at.plus_us(GIVE_UP_AFTER_US);
    if now >= last && attempts >= MIN_ATTEMPTS {
        return None;
    }
    let pause =
        usize::try_from(attempts - 1).ok().and_then(|at| PAUSES_US.get(at).copied()).unwrap_or(LONGEST_PAUSE_US);
    let next = now.plus_us(pause);
    // The last attempt is made at the deadline, not after it.
    Some(if now < last { next.min(last) } else { next })
}

/// A change of an experiment, as the source of events.
#[derive(Debug, Clone)]
pub struct ExperimentChange<'a> {
    /// Previous state; `None` when it was created.
    pub before: Option<&'a Experiment>,
    /// New state; `None` when it was deleted.
    pub after: Option<&'a Experiment>,
    /// Names of the fields that changed.
    pub fields: Vec<&'a str>,
    /// Id of the API key, or name of the component, that made the change.
    pub actor: &'a str,
}

/// An event, before its receivers are known.
#[derive(Debug, Clone, PartialEq)]
pub struct Event {
    /// Event type.
    pub event: EventType,
    /// The message's `data`, except for the project.
    pub data: Map<String, Value>,
    /// True for frequent automatic events that need no attention: they are not put into inboxes.
    pub is_routine: bool,
}

impl Event {
    /// The event as a sentence. Empty when the data has none.
    pub fn sentence(&self) -> &str {
        self.data.get("sentence").and_then(Value::as_str).unwrap_or_default()
    }

    /// Creates an event about the result of a live experiment.
    pub fn of_result(event: EventType, experiment: &Experiment, actor: &str, sentence: String, more: Value) -> Self {
        Self::of(event, Some(experiment), experiment.lifecycle.status().word(), actor, sentence, more)
    }

    fn of(
        event: EventType,
        experiment: Option<&Experiment>,
        status: &str,
        actor: &str,
        sentence: String,
        more: Value,
    ) -> Self {
        Self { event, data: data(experiment, status, actor, sentence, more), is_routine: false }
    }
}

/// Turns names of fields and words of the interface into text that people read.
fn in_words(names: &str) -> String {
    names.replace('_', " ")
}

/// Returns the `data` of a message about an experiment's exposures; see [`EXPOSURES_EVENT`].
pub fn exposures_data(experiment: &Experiment, actor: &str, sentence: String, more: Value) -> Map<String, Value> {
    data(Some(experiment), experiment.lifecycle.status().word(), actor, sentence, more)
}

/// Members that all messages about experiments have, and those of `more`, which replace members of the same name.
fn data(
    experiment: Option<&Experiment>,
    status: &str,
    actor: &str,
    sentence: String,
    more: Value,
) -> Map<String, Value> {
    let mut data = Map::new();
    if let Some(experiment) = experiment {
        data.insert("test_id".to_owned(), experiment.id.0.into());
        data.insert("experiment_key".to_owned(), experiment.key.clone().into());
        data.insert("test_name".to_owned(), experiment.name.clone().into());
    }
    data.insert("status".to_owned(), status.into());
    data.insert("actor".to_owned(), actor.into());
    data.insert("sentence".to_owned(), sentence.into());
    if let Value::Object(more) = more {
        data.extend(more);
    }
    data
}

impl ExperimentChange<'_> {
    /// Returns the events of the change. A change of several kinds has one event for each; `experiment.changed` is used
    /// when no other event applies. The creation of a draft has no event, and an act that failed has no
    /// `experiment.changed`.
    pub fn events(&self) -> Vec<Event> {
        let (before, after) = (self.before, self.after);
        if let Some(entry) = self.failed_act() {
            let more = json!({ "rule": entry.rule.word(), "reason": entry.failed });
            let event = if entry.is_held_back() { EventType::ActHeldBack } else { EventType::StartFailed };
            return vec![self.event(event, entry.detail.clone(), more)];
        }
        let was_live = before.is_some_and(|it| it.lifecycle.is_live());
        let is_live = after.is_some_and(|it| it.lifecycle.is_live());
        let mut events = Vec::new();
        match (was_live, is_live) {
            (false, true) => {
                let sentence = self.clock_sentence(ClockAct::Start);
                events.push(self.event(
                    EventType::Started,
                    sentence.unwrap_or_else(|| "the experiment was started".to_owned()),
                    json!({}),
                ));
            }
            (true, false) => {
                let plain = if after.is_none() {
                    "the experiment was deleted while it was live"
                } else {
                    "the experiment was stopped"
                };
                let sentence = self.clock_sentence(ClockAct::Stop);
                events.push(self.event(EventType::Stopped, sentence.unwrap_or_else(|| plain.to_owned()), json!({})));
            }
            _ => {}
        }
        events.extend(self.conclusion());
        events.extend(self.serving());
        match before {
            Some(_) if events.is_empty() => {
                let reweighted = self.clock_sentence(ClockAct::Reweight);
                let is_routine = reweighted.is_some();
                let sentence = match after {
                    None => "the experiment was deleted".to_owned(),
                    Some(_) => reweighted.or_else(|| self.clock_sentence(ClockAct::Ramp)).unwrap_or_else(|| {
                        format!("the experiment was changed: {}", in_words(&self.fields.join(", ")))
                    }),
                };
                let changed = self.event(EventType::Changed, sentence, json!({ "fields": self.fields }));
                events.push(Event { is_routine, ..changed });
            }
            _ => {}
        }
        events
    }

    /// The act that the clock could not, or did not, perform, if this change records it.
    fn failed_act(&self) -> Option<&ClockEntry> {
        let entry = self.after?.schedule.last.as_ref()?;
        let is_new = self.before.and_then(|before| before.schedule.last.as_ref()) != Some(entry);
        Some(entry).filter(|entry| is_new && entry.failed.is_some())
    }

    /// The sentence of the clock's act, if this change is an act of this kind.
    fn clock_sentence(&self, act: ClockAct) -> Option<String> {
        let entry = self.after?.schedule.last.as_ref().filter(|entry| entry.act == act)?;
        let is_new = self.before.and_then(|before| before.schedule.last.as_ref()) != Some(entry);
        is_new.then(|| entry.detail.clone())
    }

    fn conclusion(&self) -> Option<Event> {
        let was = self.before.and_then(|before| before.conclusion.as_ref());
        let is = self.after?.conclusion.as_ref();
        match (was, is) {
            (None, Some(conclusion)) => {
                let sentence = format!("the experiment was concluded: {}", in_words(conclusion.outcome.word()));
                Some(self.event(EventType::Concluded, sentence, json!({ "outcome": conclusion.outcome.word() })))
            }
            (Some(_), None) => {
                Some(self.event(EventType::Reopened, "the experiment was reopened".to_owned(), json!({})))
            }
            _ => None,
        }
    }

    fn serving(&self) -> Option<Event> {
        let arm = |experiment: Option<&Experiment>| match experiment.map(|it| it.serving) {
            Some(Serving::Winner { arm, rollout }) => Some((arm, rollout)),
            _ => None,
        };
        match (arm(self.before), arm(self.after)) {
            (was, Some((arm, rollout))) if was.map(|was| was.0) != Some(arm) => {
                let sentence = self.clock_sentence(ClockAct::Ramp);
                let sentence =
                    sentence.unwrap_or_else(|| format!("{arm} is served to {rollout} percent of the visitors"));
                let more = json!({ "variant_id": arm.0.to_string(), "traffic_allocation": rollout });
                Some(self.event(EventType::WinnerServed, sentence, more))
            }
            (Some((arm, _)), None) => {
                let sentence = self.clock_sentence(ClockAct::Stop);
                let sentence = sentence.unwrap_or_else(|| format!("{arm} is no longer served"));
                Some(self.event(EventType::WinnerStopped, sentence, json!({ "variant_id": arm.0.to_string() })))
            }
            _ => None,
        }
    }

    fn event(&self, event: EventType, sentence: String, more: Value) -> Event {
        let status = self.after.map_or("deleted", |after| after.lifecycle.status().word());
        Event::of(event, self.after.or(self.before), status, self.actor, sentence, more)
    }
}

#[cfg(test)]
mod tests;
