//! What a result says of its experiment, held against what is stored of that.

use crate::config::{Common, Place};
use crate::open::connect;
use crate::{Error, Result};
use muriel_results::{Known, Manifest, Past};
use muriel_store::tenants;
use serde_json::{Map, Value};

/// A report reads what is stored, then the clock. A change that comes between is
/// not in it.
const BETWEEN_US: i64 = 10_000_000;

/// What there is to hold a manifest against.
pub(super) enum History {
    /// What it would be by what is stored, as far as it is about the experiment, and
    /// what is not known of that any more.
    Told(Value, Vec<String>),
    /// Nothing, and why.
    Silent(String),
}

/// Asks the data directory what was stored at the moment of a manifest.
///
/// # Errors
/// A database that is there and cannot be used.
pub(super) async fn history(common: &Common, manifest: &Manifest) -> Result<History> {
    let place = Place::load(common)?;
    if place.database_url.is_none() && !place.data_dir.join("muriel.db").exists() {
        return Ok(History::Silent("there is no database beside the log".to_owned()));
    }
    let db = connect(&place)?;
    muriel_store::migrate(&db).await?;
    let given = manifest.clone();
    let found = db
        .read::<_, Error, _>(move |tx| {
            Box::pin(async move {
                let Some(project) = tenants::project_by_key(tx, &given.project_key).await? else {
                    return Ok(Err(format!("the database has no project {}", given.project_key)));
                };
                let mut told = Vec::new();
                for before_us in [0, BETWEEN_US] {
                    match Known::past(tx, project.id, &given, given.as_of.plus_us(-before_us)).await? {
                        Ok(past) => told.push(past),
                        Err(_) => {
                            let id = given.experiment.test_id;
                            return Ok(Err(format!("the database has no experiment {id}, or not its history")));
                        }
                    }
                }
                Ok(Ok(told))
            })
        })
        .await;
    db.close().await?;
    let told = match found? {
        Ok(told) => told,
        Err(why) => return Ok(History::Silent(why)),
    };
    let as_given = part(manifest)?;
    let mut first = None;
    for Past { manifest, changed_goals } in told {
        let part = part(&manifest)?;
        let fits = part == as_given;
        if fits || first.is_none() {
            first = Some((part, changed_goals));
        }
        if fits {
            break;
        }
    }
    Ok(match first {
        Some((part, changed)) => History::Told(part, changed),
        None => History::Silent("the database does not tell".to_owned()),
    })
}

/// What a manifest says of the experiment.
fn part(manifest: &Manifest) -> Result<Value> {
    let Value::Object(whole) = serde_json::to_value(manifest).map_err(|error| Error::Other(error.into()))? else {
        return Ok(Value::Null);
    };
    let about = |(name, _): &(String, Value)| ["experiment", "epochs", "metrics"].contains(&name.as_str());
    Ok(Value::Object(whole.into_iter().filter(about).collect::<Map<_, _>>()))
}
