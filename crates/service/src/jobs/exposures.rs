//! Reports the number of exposures per arm to webhooks once a minute, for experiments that use the
//! integration `webhook`.
//!
//! Each node counts the exposures in its own log, block by block. The last reported block is stored in the
//! transaction that writes the messages to the outbox, so that each exposure is in exactly one message,
//! even after restarts.

use super::CLOCK;
use crate::app::App;
use muriel_context::error::{Error, Result};
use muriel_domain::Instant;
use muriel_domain::experiment::integration::{WEBHOOK, WEBHOOK_ID};
use muriel_domain::experiment::{Arm, Experiment, VARIANTS_MAX};
use muriel_domain::ids::{ExperimentId, ProjectId};
use muriel_domain::webhook::exposures_data;
use muriel_log::{LogReader, Position, ReadError};
use muriel_sql::Tx;
use muriel_store::integrations::{self, Success};
use muriel_store::webhooks;
use serde::Deserialize;
use serde_json::{Map, Value, json};
use std::collections::{BTreeMap, HashMap};

const MINUTE_US: i64 = 60_000_000;
/// Blocks counted per message. The limit keeps the transaction short on a node that was down for long.
const BLOCKS_AT_ONCE: usize = 2_000;

/// Minute in which exposures were last reported.
#[derive(Debug, Default)]
pub struct ExposureChecks(Option<i64>);

/// Exposures of an experiment in a number of blocks.
#[derive(Debug, Clone, PartialEq, Eq)]
struct ArmCounts {
    /// Receipt of the first and of the last exposure.
    from: Instant,
    to: Instant,
    /// Counts by arm number.
    arms: BTreeMap<u32, u64>,
}

type Counts = BTreeMap<(ProjectId, ExperimentId), ArmCounts>;

/// Fields that are read from an event.
#[derive(Deserialize)]
struct EventLine<'l> {
    #[serde(rename = "type", borrow)]
    kind: std::borrow::Cow<'l, str>,
    #[serde(default)]
    bot: bool,
    test_id: Option<i64>,
    #[serde(borrow)]
    variant_id: Option<std::borrow::Cow<'l, str>>,
    received_at: Instant,
}

/// Reports the exposures that reached the log since the last message, once in each minute of the clock.
/// Returns the number of messages.
///
/// # Errors
/// When the database cannot be reached or the log cannot be read.
pub async fn report_exposures(app: &App, checks: &mut ExposureChecks) -> Result<usize> {
    let minute = app.clock.now().us().div_euclid(MINUTE_US);
    let Some(results) = app.results().filter(|_| checks.0 != Some(minute)) else { return Ok(0) };
    let loader = results.loader().clone();
    let extent = tokio::task::spawn_blocking(move || {
        let reader = loader.log_reader().map_err(Error::internal)?;
        let extent = reader.extent().map_err(Error::internal)?;
        Ok::<_, Error>((reader, extent))
    });
    let (reader, extent) = extent.await.map_err(Error::internal)??;
    let log = extent.log.to_string();
    let mut sent = 0;
    loop {
        let named = log.clone();
        let (before, wanted) = app
            .read(move |tx| {
                Box::pin(async move {
                    Ok((integrations::reported_exposures(tx, &named).await?, integrations::with_webhook(tx).await?))
                })
            })
            .await?;
        // Events from before the first request are not reported, nor are they repeated after an older
        // log is restored.
        let begins = before.filter(|before| *before <= extent.last);
        let after = match begins {
            Some(before) if before == extent.last => break,
            Some(before) if !wanted.is_empty() => before,
            _ => {
                move_on(app, &log, before, extent.last).await?;
                break;
            }
        };
        let (counts, passed) = counted(&reader, after, extent.last, wanted).await?;
        sent += report_counts(app, &log, (after, passed), counts).await?;
        if passed >= extent.last {
            break;
        }
    }
    checks.0 = Some(minute);
    Ok(sent)
}

async fn move_on(app: &App, log: &str, before: Option<i64>, after: i64) -> Result<()> {
    let log = log.to_owned();
    app.db
        .write::<_, Error, _>(move |tx| {
            Box::pin(async move { Ok(integrations::reported_exposures_set(tx, &log, before, after).await?) })
        })
        .await?;
    Ok(())
}

/// Counts the exposures in a limited number of blocks after `after`, up to `last`. Also returns the
/// last counted block.
async fn counted(
    reader: &LogReader,
    after: i64,
    last: i64,
    wanted: Vec<(String, ProjectId, ExperimentId)>,
) -> Result<(Counts, i64)> {
    let mut blocks = reader.blocks(Position { seq: after }).map_err(Error::internal)?;
    let work = move || {
        let mut projects: HashMap<String, Vec<(ProjectId, ExperimentId)>> = HashMap::new();
        for (key, project, id) in wanted {
            projects.entry(key).or_default().push((project, id));
        }
        let mut counts = Counts::new();
        let mut passed = after;
        for _ in 0..BLOCKS_AT_ONCE {
            if passed >= last {
                break;
            }
            match blocks.next() {
                None => passed = last,
                Some(Ok(block)) => {
                    passed = block.seq;
                    for event in block.events() {
                        if let Some(wanted) = projects.get(&**event.project_key) {
                            count(event.line, wanted, &mut counts);
                        }
                    }
                }
                // Results do not contain unreadable events either.
                Some(Err(ReadError::Damage(damage))) => passed = passed.max(damage.last.unwrap_or(last)),
                Some(Err(ReadError::Failed(error))) => return Err(Error::internal(error)),
            }
        }
        Ok((counts, passed))
    };
    tokio::task::spawn_blocking(work).await.map_err(Error::internal)?
}

fn count(line: &[u8], wanted: &[(ProjectId, ExperimentId)], counts: &mut Counts) {
    let Ok(event) = serde_json::from_slice::<EventLine<'_>>(line) else { return };
    if event.kind != "exposure" || event.bot {
        return;
    }
    let arm = event.variant_id.and_then(|arm| arm.parse::<u32>().ok()).filter(|arm| *arm as usize <= VARIANTS_MAX);
    let known = wanted.iter().find(|(_, id)| Some(id.0) == event.test_id);
    let (Some(arm), Some(known)) = (arm, known) else { return };
    let at = event.received_at;
    let of = counts.entry(*known).or_insert_with(|| ArmCounts { from: at, to: at, arms: BTreeMap::new() });
    (of.from, of.to) = (of.from.min(at), of.to.max(at));
    *of.arms.entry(arm).or_default() += 1;
}

async fn report_counts(app: &App, log: &str, (before, after): (i64, i64), counts: Counts) -> Result<usize> {
    let (log, now) = (log.to_owned(), app.clock.now());
    app.db
        .write::<_, Error, _>(move |tx| {
            Box::pin(async move {
                if !integrations::reported_exposures_set(tx, &log, Some(before), after).await? {
                    return Ok(0);
                }
                let mut sent = 0;
                for ((project, id), counts) in counts {
                    sent += usize::from(report_experiment(tx, project, id, &counts, now).await?);
                }
                Ok(sent)
            })
        })
        .await
}

async fn report_experiment(
    tx: &mut dyn Tx,
    project: ProjectId,
    id: ExperimentId,
    counts: &ArmCounts,
    now: Instant,
) -> Result<bool> {
    let Some(found) = muriel_store::experiments::find(tx, project, id).await? else { return Ok(false) };
    let experiment = found.experiment;
    let named = experiment.configuration.integrations().into_iter().find(|it| it.name == WEBHOOK);
    let Some(named) = named else { return Ok(false) };
    let only = named.settings.get(WEBHOOK_ID).and_then(Value::as_i64);
    let is_sent = webhooks::send_exposures(tx, project, only, data(&experiment, counts), now).await?;
    if is_sent {
        integrations::succeeded(tx, &[Success { project, experiment: id, name: WEBHOOK, at: now }]).await?;
    }
    Ok(is_sent)
}

fn data(experiment: &Experiment, counts: &ArmCounts) -> Map<String, Value> {
    // Every arm that the experiment has, and those that it had at the time of the exposures.
    let has = 0..=experiment.variants.len() as u32;
    let numbers: std::collections::BTreeSet<u32> = has.chain(counts.arms.keys().copied()).collect();
    let arm = |number: &u32| json!({ "variant_id": number.to_string(), "name": Arm(*number).to_string(), "exposures": counts.arms.get(number).unwrap_or(&0) });
    let arms: Vec<Value> = numbers.iter().map(arm).collect();
    let all: u64 = counts.arms.values().sum();
    let sentence = format!("{all} {} recorded", if all == 1 { "exposure was" } else { "exposures were" });
    let more = json!({ "from": counts.from, "to": counts.to, "variants": arms });
    exposures_data(experiment, CLOCK.name(), sentence, more)
}
