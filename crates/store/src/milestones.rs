//! Fills the columns of migration 9 for the experiments of databases that are older than it,
//! from the history of their changes.
//!
//! It reads the tables as they are at that migration and history as JSON, and is not changed
//! any more: the domain's types may change, what was written then does not. From then on the
//! columns are written with each change, see `muriel_domain::experiment::Milestones`, and
//! [`contradictions`] holds the two against each other.

use crate::Result;
use muriel_sql::{Tx, params};
use serde_json::{Map, Value};

/// Experiments that are read at once.
const PORTION: i64 = 100;
/// Changes of one field that are looked at, the last ones.
const CHANGES_MAX: i64 = 200;

/// What the columns have to hold. Moments in microseconds.
#[derive(Debug, Default, PartialEq, Eq)]
struct Derived {
    first_started_at: Option<i64>,
    first_opened_at: Option<i64>,
    planned_visitors: Option<i64>,
    deployed_at: Option<i64>,
    ended_at: Option<i64>,
    code_redefined_at: Option<i64>,
    control_redefined_at: Option<i64>,
    most_variants: i64,
    /// `Variant 1` first.
    variants_redefined_at: Vec<Option<i64>>,
}

/// An experiment as its row has it.
struct Current {
    id: i64,
    status: String,
    serving: String,
    plan: Value,
    control: Value,
    /// In the shape of history.
    variants: Vec<Value>,
}

/// One change: its moment, and the values that the changed fields had before it.
struct Change {
    at: i64,
    revision: i64,
    before: Map<String, Value>,
}

/// Fills the columns for every experiment.
pub(crate) async fn fill(tx: &mut dyn Tx) -> Result<(), muriel_sql::Error> {
    let mut last = 0;
    loop {
        let portion = portion(tx, last).await?;
        let Some(end) = portion.last() else { return Ok(()) };
        last = end.id;
        for current in &portion {
            let derived = derive(tx, current).await?;
            store(tx, current.id, derived).await?;
        }
    }
}

/// What the columns of experiments contradict in their histories, a line for each; nothing
/// where all is well.
///
/// # Errors
/// When the database cannot be reached.
pub async fn contradictions(tx: &mut dyn Tx) -> Result<Vec<String>> {
    let (mut found, mut last) = (Vec::new(), 0);
    loop {
        let portion = portion(tx, last).await?;
        let Some(end) = portion.last() else { return Ok(found) };
        last = end.id;
        for current in &portion {
            let (derived, stored) = (derive(tx, current).await?, stored(tx, current.id).await?);
            if derived != stored {
                found.push(format!("experiment {}: history tells {derived:?}, stored is {stored:?}", current.id));
            }
        }
    }
}

async fn portion(tx: &mut dyn Tx, after: i64) -> Result<Vec<Current>, muriel_sql::Error> {
    let rows = tx
        .query(
            "SELECT experiment_id, status, serving, plan, control_js, control_css FROM experiment \
             WHERE experiment_id > $1 AND deleted_at IS NULL ORDER BY experiment_id LIMIT $2",
            params![after, PORTION],
        )
        .await?;
    let mut portion = Vec::with_capacity(rows.len());
    for mut row in rows {
        let id = row.int("experiment_id")?;
        let variants = tx
            .query(
                "SELECT custom_js, custom_css, changes, audience FROM variant WHERE experiment_id = $1 ORDER BY number",
                params![id],
            )
            .await?;
        let variants = variants.into_iter().map(|mut row| {
            let audience = row.opt_text("audience")?.map_or(Value::Null, |audience| parsed(&audience));
            Ok(serde_json::json!({
                "customJS": row.text("custom_js")?,
                "customCSS": row.text("custom_css")?,
                "data": parsed(&row.text("changes")?),
                "targeting": audience,
            }))
        });
        portion.push(Current {
            id,
            variants: variants.collect::<Result<_, muriel_sql::Error>>()?,
            status: row.text("status")?,
            serving: row.text("serving")?,
            plan: parsed(&row.text("plan")?),
            control: serde_json::json!({ "customJS": row.text("control_js")?, "customCSS": row.text("control_css")? }),
        });
    }
    Ok(portion)
}

async fn derive(tx: &mut dyn Tx, current: &Current) -> Result<Derived, muriel_sql::Error> {
    let sql = "SELECT started_at, opened_at FROM epoch WHERE experiment_id = $1 ORDER BY epoch LIMIT 1";
    let mut derived = Derived::default();
    if let Some(row) = tx.query_opt(sql, params![current.id]).await? {
        let started_at = row.int("started_at")?;
        let opened_at = row.opt_int("opened_at")?.unwrap_or(started_at);
        derived.first_started_at = Some(started_at);
        derived.first_opened_at = Some(opened_at);
        derived.planned_visitors = planned_visitors(tx, current, opened_at).await?;
    }
    derived.deployed_at = deployed_at(&changes_of(tx, current.id, "serving").await?, &current.serving);
    let statuses = changes_of(tx, current.id, "status").await?;
    if current.status != "live" && derived.first_started_at.is_some() {
        let ended = statuses.iter().rev().find(|change| change.before["status"]["status"] == "live");
        derived.ended_at = ended.map(|change| change.at);
    }
    let last_of = |changes: &[Change]| changes.last().map(|change| change.at);
    let js = last_of(&changes_of(tx, current.id, "custom_js").await?);
    derived.code_redefined_at = js.max(last_of(&changes_of(tx, current.id, "custom_css").await?));
    let code = |control: &Value| [control["customJS"].clone(), control["customCSS"].clone()];
    let controls = changes_of(tx, current.id, "control").await?;
    for (at, change) in controls.iter().enumerate() {
        let after = controls.get(at + 1).map_or(&current.control, |next| &next.before["control"]);
        if code(&change.before["control"]) != code(after) {
            derived.control_redefined_at = Some(change.at);
        }
    }
    let variants = changes_of(tx, current.id, "variants").await?;
    (derived.variants_redefined_at, derived.most_variants) = variants_redefined_at(&variants, &current.variants);
    Ok(derived)
}

/// The planned total as of the first start: that before the first change of the plan after it.
async fn planned_visitors(
    tx: &mut dyn Tx,
    current: &Current,
    opened_at: i64,
) -> Result<Option<i64>, muriel_sql::Error> {
    let was_idle = |change: &Change| change.before["status"]["status"] != "live";
    let statuses = changes_since(tx, current.id, "status", opened_at, 1).await?;
    let start = statuses.iter().find(|change| change.at == opened_at && was_idle(change));
    // One that was made live was started by its first revision.
    let started_by = start.map_or(1, |change| change.revision);
    let plans = changes_since(tx, current.id, "plan", opened_at, started_by + 1).await?;
    Ok(match plans.first() {
        Some(change) => change.before["plan"]["visitors"].as_i64(),
        None => current.plan["visitors"].as_i64(),
    })
}

/// When the last winner began to be served.
fn deployed_at(changes: &[Change], serving: &str) -> Option<i64> {
    let is_served = |value: &Value| value.is_object();
    // The state after a change is the one before the next.
    let mut began = None;
    for (at, change) in changes.iter().enumerate() {
        let serves = match changes.get(at + 1) {
            Some(next) => is_served(&next.before["serving"]),
            None => serving == "winner",
        };
        if serves && !is_served(&change.before["serving"]) {
            began = Some(change.at);
        }
    }
    began
}

/// Of each variant when it became something else, and the most that there were.
fn variants_redefined_at(changes: &[Change], now: &[Value]) -> (Vec<Option<i64>>, i64) {
    let shown = |variant: &Value| {
        let field = |name: &str| variant.get(name).cloned().unwrap_or(Value::Null);
        [field("customJS"), field("customCSS"), field("data"), field("targeting")]
    };
    let list = |change: &Change| change.before["variants"].as_array().cloned().unwrap_or_default();
    let mut redefined = vec![None; now.len()];
    let mut most = 0;
    for (at, change) in changes.iter().enumerate() {
        let before = list(change);
        let after = changes.get(at + 1).map_or_else(|| now.to_vec(), list);
        most = most.max(before.len());
        for (number, variant) in after.iter().enumerate() {
            let other = match before.get(number) {
                Some(was) => shown(was) != shown(variant),
                // Another variant had its number before.
                None => number < most,
            };
            if other && let Some(slot) = redefined.get_mut(number) {
                *slot = Some(change.at);
            }
        }
    }
    (redefined, most.max(now.len()) as i64)
}

/// The last changes of a field, oldest first.
async fn changes_of(tx: &mut dyn Tx, id: i64, field: &str) -> Result<Vec<Change>, muriel_sql::Error> {
    let mut changes = Vec::new();
    let (mut below, mut left) = (i64::MAX, CHANGES_MAX);
    while left > 0 {
        let rows = tx
            .query(
                "SELECT revision, at, before FROM experiment_history \
                 WHERE experiment_id = $1 AND before LIKE $2 AND revision < $3 ORDER BY revision DESC LIMIT $4",
                params![id, format!("%\"{field}\":%"), below, left],
            )
            .await?;
        if rows.is_empty() {
            break;
        }
        for row in rows {
            let change = change(row)?;
            below = change.revision;
            // The text may hold the words in another place.
            if change.before.contains_key(field) {
                left -= 1;
                changes.push(change);
            }
        }
    }
    changes.reverse();
    Ok(changes)
}

/// The first changes of a field at `since` or later, from revision `from` on.
async fn changes_since(
    tx: &mut dyn Tx,
    id: i64,
    field: &str,
    since: i64,
    from: i64,
) -> Result<Vec<Change>, muriel_sql::Error> {
    let mut from = from;
    loop {
        let rows = tx
            .query(
                "SELECT revision, at, before FROM experiment_history \
                 WHERE experiment_id = $1 AND before LIKE $2 AND revision >= $3 AND at >= $4 ORDER BY revision LIMIT 10",
                params![id, format!("%\"{field}\":%"), from, since],
            )
            .await?;
        let changes: Vec<Change> = rows.into_iter().map(change).collect::<Result<_, _>>()?;
        let Some(last) = changes.last() else { return Ok(changes) };
        from = last.revision + 1;
        if changes.iter().any(|change| change.before.contains_key(field)) {
            return Ok(changes.into_iter().filter(|change| change.before.contains_key(field)).collect());
        }
    }
}

fn change(mut row: muriel_sql::Row) -> Result<Change, muriel_sql::Error> {
    let before = match parsed(&row.text("before")?) {
        Value::Object(before) => before,
        _ => Map::new(),
    };
    Ok(Change { at: row.int("at")?, revision: row.int("revision")?, before })
}

/// The JSON of a column; null where it cannot be read, which no program wrote.
fn parsed(text: &str) -> Value {
    serde_json::from_str(text).unwrap_or(Value::Null)
}

async fn store(tx: &mut dyn Tx, id: i64, derived: Derived) -> Result<(), muriel_sql::Error> {
    tx.execute(
        "UPDATE experiment SET first_started_at = $2, first_opened_at = $3, planned_visitors = $4, deployed_at = $5, \
           ended_at = $6, code_redefined_at = $7, control_redefined_at = $8, most_variants = $9 \
         WHERE experiment_id = $1",
        params![
            id,
            derived.first_started_at,
            derived.first_opened_at,
            derived.planned_visitors,
            derived.deployed_at,
            derived.ended_at,
            derived.code_redefined_at,
            derived.control_redefined_at,
            derived.most_variants
        ],
    )
    .await?;
    for (number, at) in (1i64..).zip(&derived.variants_redefined_at) {
        if at.is_some() {
            tx.execute(
                "UPDATE variant SET redefined_at = $3 WHERE experiment_id = $1 AND number = $2",
                params![id, number, *at],
            )
            .await?;
        }
    }
    Ok(())
}

async fn stored(tx: &mut dyn Tx, id: i64) -> Result<Derived, muriel_sql::Error> {
    let row = tx
        .query_one(
            "SELECT first_started_at, first_opened_at, planned_visitors, deployed_at, ended_at, code_redefined_at, \
               control_redefined_at, most_variants FROM experiment WHERE experiment_id = $1",
            params![id],
        )
        .await?;
    let variants =
        tx.query("SELECT redefined_at FROM variant WHERE experiment_id = $1 ORDER BY number", params![id]).await?;
    Ok(Derived {
        first_started_at: row.opt_int("first_started_at")?,
        first_opened_at: row.opt_int("first_opened_at")?,
        planned_visitors: row.opt_int("planned_visitors")?,
        deployed_at: row.opt_int("deployed_at")?,
        ended_at: row.opt_int("ended_at")?,
        code_redefined_at: row.opt_int("code_redefined_at")?,
        control_redefined_at: row.opt_int("control_redefined_at")?,
        most_variants: row.int("most_variants")?,
        variants_redefined_at: variants.iter().map(|row| row.opt_int("redefined_at")).collect::<Result<_, _>>()?,
    })
}
