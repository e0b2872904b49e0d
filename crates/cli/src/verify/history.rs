//! Compares a result's statements about its experiment with the history in the database.

use crate::config::{Common, StorageSettings};
use crate::node::NodeFile;
use crate::open::connect;
use crate::{Error, Result};
use muriel_results::{Manifest, Past, ReportInputs};
use muriel_store::tenants;
use serde_json::{Map, Value};

/// Longest time, in microseconds, between a report's read of the database and its `as_of`. A change in between is not
/// in the report.
const MAX_READ_US: i64 = 10_000_000;

/// Knowledge of the database about the experiment of a manifest.
pub(super) enum History {
    /// Parts of the manifest as stored in the database, and notes about parts that are not stored any more.
    Recorded(Value, Vec<String>),
    /// The reason why there is nothing.
    Unavailable(String),
}

/// Loads the stored data as of a manifest.
///
/// # Errors
/// A database that exists and cannot be used.
pub(super) async fn history(common: &Common, manifest: &Manifest) -> Result<History> {
    if manifest.holdout.is_some() {
        return Ok(History::Unavailable("the database keeps no history of holdouts".to_owned()));
    }
    let place = StorageSettings::load(common)?;
    if place.database_url.is_none() && !place.data_dir.join("muriel.db").exists() {
        return Ok(History::Unavailable("the data directory has no database".to_owned()));
    }
    let db = connect(&place)?;
    muriel_store::migrate(&db).await?;
    // Identity of the log's node, and so of the server that can have computed the result.
    let node = NodeFile::id_in(&place.data_dir)?;
    let given = manifest.clone();
    let found = db
        .read::<_, Error, _>(move |tx| {
            Box::pin(async move {
                let Some(project) = tenants::project_by_key(tx, &given.project_key).await? else {
                    return Ok(Err(format!("the database has no project {}", given.project_key)));
                };
                let mut pasts = Vec::new();
                for before_us in [0, MAX_READ_US] {
                    let at = given.as_of.plus_us(-before_us);
                    match ReportInputs::past(tx, project.id, &given, at, node.as_deref()).await? {
                        Ok(past) => pasts.push(past),
                        Err(_) => {
                            let id = given.experiment.test_id;
                            return Ok(Err(format!("the database does not have experiment {id} or its history")));
                        }
                    }
                }
                Ok(Ok(pasts))
            })
        })
        .await;
    db.close().await?;
    let pasts = match found? {
        Ok(pasts) => pasts,
        Err(why) => return Ok(History::Unavailable(why)),
    };
    let as_given = part(manifest)?;
    let mut first = None;
    for Past { manifest, believed } in pasts {
        let part = part(&manifest)?;
        let fits = part == as_given;
        if fits || first.is_none() {
            first = Some((part, believed));
        }
        if fits {
            break;
        }
    }
    Ok(match first {
        Some((part, believed)) => History::Recorded(part, believed),
        None => History::Unavailable("the database has no record of these parts".to_owned()),
    })
}

/// Parts of a manifest that come from the database; null where it has none.
fn part(manifest: &Manifest) -> Result<Value> {
    let whole = serde_json::to_value(manifest).map_err(|error| Error::Other(error.into()))?;
    let stored = ["experiment", "epochs", "metrics", "other_nodes", "currency_rates", "interactions", "plan"];
    Ok(Value::Object(stored.map(|name| (name.to_owned(), whole[name].clone())).into_iter().collect::<Map<_, _>>()))
}
