//! Fills the columns of migration 9 for experiments of older databases, from the history of their changes.
//!
//! It reads the tables as they are at that migration, and history as JSON. Its results must stay the same once it is
//! released: the domain's types may change, but the stored data does not. Later changes write the columns themselves,
//! see `muriel_domain::experiment::Milestones`, and [`testing::contradictions`](crate::testing::contradictions)
//! compares the two.

use muriel_sql::{Result, Tx, params};
use serde_json::{Map, Value};
use std::collections::HashMap;

/// Experiments per page.
const EXPERIMENTS_PER_PAGE: i64 = 100;
/// Changes per page. One change can hold all code of an experiment.
const CHANGES_PER_PAGE: i64 = 100;

/// Values of the columns of one experiment, derived from its history. Times are in microseconds.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Derived {
    pub(crate) first_started_at: Option<i64>,
    pub(crate) first_opened_at: Option<i64>,
    pub(crate) planned_visitors: Option<i64>,
    pub(crate) deployed_at: Option<i64>,
    pub(crate) ended_at: Option<i64>,
    pub(crate) code_redefined_at: Option<i64>,
    pub(crate) control_redefined_at: Option<i64>,
    pub(crate) most_variants: i64,
    /// `Variant 1` first.
    pub(crate) variants_redefined_at: Vec<Option<i64>>,
}

/// Row of an experiment.
pub(crate) struct Current {
    pub(crate) id: i64,
    status: String,
    serving: String,
    plan: Value,
    /// In the JSON form of history, like `variants`.
    control: Value,
    variants: Value,
}

/// Fills the columns for every experiment that is not deleted.
pub(crate) async fn fill(tx: &mut dyn Tx) -> Result<()> {
    let mut last = 0;
    loop {
        let page = page(tx, last).await?;
        let Some(end) = page.last() else { return Ok(()) };
        last = end.id;
        for current in &page {
            let derived = derive(tx, current).await?;
            store(tx, current.id, derived).await?;
        }
    }
}

/// The next page of experiments after the id `after`, lowest id first.
pub(crate) async fn page(tx: &mut dyn Tx, after: i64) -> Result<Vec<Current>> {
    let rows = tx
        .query(
            "SELECT experiment_id, status, serving, plan, control_js, control_css FROM experiment \
             WHERE experiment_id > $1 AND deleted_at IS NULL ORDER BY experiment_id LIMIT $2",
            params![after, EXPERIMENTS_PER_PAGE],
        )
        .await?;
    let mut page = Vec::with_capacity(rows.len());
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
        page.push(Current {
            id,
            variants: variants.collect::<Result<_>>()?,
            status: row.text("status")?,
            serving: row.text("serving")?,
            plan: parsed(&row.text("plan")?),
            control: serde_json::json!({ "customJS": row.text("control_js")?, "customCSS": row.text("control_css")? }),
        });
    }
    Ok(page)
}

/// Derives the columns of an experiment from its first epoch and all of its history.
pub(crate) async fn derive(tx: &mut dyn Tx, current: &Current) -> Result<Derived> {
    let mut replay = Replay::default();
    let sql = "SELECT started_at, opened_at FROM epoch WHERE experiment_id = $1 ORDER BY epoch LIMIT 1";
    if let Some(row) = tx.query_opt(sql, params![current.id]).await? {
        let started_at = row.int("started_at")?;
        replay.derived.first_started_at = Some(started_at);
        replay.derived.first_opened_at = Some(row.opt_int("opened_at")?.unwrap_or(started_at));
    }
    let mut last = i64::MIN;
    loop {
        let rows = tx
            .query(
                "SELECT revision, at, before FROM experiment_history \
                 WHERE experiment_id = $1 AND revision > $2 ORDER BY revision LIMIT $3",
                params![current.id, last, CHANGES_PER_PAGE],
            )
            .await?;
        if rows.is_empty() {
            return Ok(replay.end(current));
        }
        for mut row in rows {
            last = row.int("revision")?;
            if let Value::Object(before) = parsed(&row.text("before")?) {
                replay.change(row.int("at")?, before);
            }
        }
    }
}

/// Replays the changes of an experiment, oldest first.
///
/// History has the values that the changed fields had before each change. So the value of a field after a change is
/// known only from the next change of that field, or, after the last one, from the experiment itself.
#[derive(Default)]
struct Replay {
    derived: Derived,
    /// Last change of each field whose value after it matters: its time, and the value before it.
    open: HashMap<&'static str, (i64, Value)>,
    /// True when the experiment is known to have been live before the current change.
    has_started: bool,
    /// The planned visitors before the first change of the plan after the first start.
    planned_visitors: Option<Option<i64>>,
}

impl Replay {
    fn change(&mut self, at: i64, mut before: Map<String, Value>) {
        let was_live = before.get("status").map(|status| status["status"] == "live");
        if was_live == Some(false) && !self.has_started {
            // This may be the first start, so plans changed until now were changed before it.
            self.planned_visitors = None;
        } else if let Some(plan) = before.get("plan") {
            self.planned_visitors.get_or_insert(plan["visitors"].as_i64());
        }
        if was_live == Some(true) {
            self.has_started = true;
            self.derived.ended_at = Some(at);
        }
        if before.contains_key("custom_js") || before.contains_key("custom_css") {
            self.derived.code_redefined_at = Some(at);
        }
        for field in ["control", "variants", "serving"] {
            if let Some(value) = before.remove(field) {
                if let Some((changed_at, earlier)) = self.open.remove(field) {
                    self.settle(field, changed_at, &earlier, &value);
                }
                self.open.insert(field, (at, value));
            }
        }
    }

    /// Applies the change of a field from `before` to `after`, which was made at `at`.
    fn settle(&mut self, field: &str, at: i64, before: &Value, after: &Value) {
        match field {
            "control" if code(before) != code(after) => self.derived.control_redefined_at = Some(at),
            "serving" if after.is_object() && !before.is_object() => self.derived.deployed_at = Some(at),
            "variants" => self.settle_variants(at, list(before), list(after)),
            _ => {}
        }
    }

    fn settle_variants(&mut self, at: i64, before: &[Value], after: &[Value]) {
        let derived = &mut self.derived;
        derived.most_variants = derived.most_variants.max(before.len() as i64);
        derived.variants_redefined_at.resize(after.len(), None);
        for (number, variant) in after.iter().enumerate() {
            let differs = match before.get(number) {
                Some(earlier) => shown(earlier) != shown(variant),
                // Another variant had its number before.
                None => (number as i64) < derived.most_variants,
            };
            if differs {
                derived.variants_redefined_at[number] = Some(at);
            }
        }
    }

    fn end(mut self, current: &Current) -> Derived {
        for (field, (at, before)) in std::mem::take(&mut self.open) {
            match field {
                "control" => self.settle(field, at, &before, &current.control),
                "variants" => self.settle(field, at, &before, &current.variants),
                "serving" if current.serving == "winner" && !before.is_object() => self.derived.deployed_at = Some(at),
                _ => {}
            }
        }
        let mut derived = self.derived;
        let variants = list(&current.variants).len();
        derived.variants_redefined_at.resize(variants, None);
        derived.most_variants = derived.most_variants.max(variants as i64);
        match derived.first_started_at {
            Some(_) => {
                let now = current.plan["visitors"].as_i64();
                derived.planned_visitors = self.planned_visitors.unwrap_or(now);
            }
            None => derived.ended_at = None,
        }
        if current.status == "live" {
            derived.ended_at = None;
        }
        derived
    }
}

/// Code of a control that visitors run.
fn code(control: &Value) -> [&Value; 2] {
    ["customJS", "customCSS"].map(|field| &control[field])
}

/// Fields of a variant that visitors are affected by.
fn shown(variant: &Value) -> [&Value; 4] {
    ["customJS", "customCSS", "data", "targeting"].map(|field| &variant[field])
}

fn list(value: &Value) -> &[Value] {
    value.as_array().map_or(&[], Vec::as_slice)
}

/// The JSON of a column; null when it is not valid JSON. No release wrote such text, but one damaged row must not keep
/// the server from starting.
fn parsed(text: &str) -> Value {
    serde_json::from_str(text).unwrap_or(Value::Null)
}

async fn store(tx: &mut dyn Tx, id: i64, derived: Derived) -> Result<()> {
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
