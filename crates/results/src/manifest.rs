//! Manifests: everything that a result is computed from, except the events. With the manifest and the log, anybody can
//! compute the result again.

mod interactions;
mod plan;
mod policy;

pub(crate) use interactions::INTERACTIONS_MAX;
pub use interactions::{InteractionFacts, LogPlaceFacts};
pub use plan::{PlanFacts, PlanNow};
pub(crate) use policy::ExclusionFacts;
pub use policy::PolicyFacts;

use policy::excluded_by;

use crate::inquiry::{Inquiry, Phase, Without, Zone, parse_breakdown, parse_filter};
use muriel_analysis::{AllocationPolicy, Design, EpochPlan, MetricRole};
use muriel_domain::exclusion::EXCLUSIONS_MAX;
use muriel_domain::experiment::{BUILTIN_METRICS, LIST_MAX, VARIANTS_MAX};
use muriel_domain::goal::{GoalType, GoalValue, Trigger};
use muriel_domain::ids::MAX_SAFE;
use muriel_domain::rates::{Rate, Rates, parse_currency, rate_units};
use muriel_domain::time::DAY_US;
use muriel_domain::{Flaw, Instant};
use muriel_log::{LogId, LogPosition, Position};
use muriel_store::experiments::EPOCHS_MAX;
use muriel_warehouse::{
    CountedOutcome, ExchangeRates, Exclusion as ExcludedVisits, ExperimentQuestion, GroupRange, LOGS_MAX, LostBlocks,
    Metric, Policy, Population, RateSpan, RewrittenBlocks, VISIT_AFTER_ENTRY_US, Watermarks,
};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};
use std::collections::BTreeMap;
use std::sync::Arc;

/// Version of the methods that compute numbers. With other methods, the same log may give other numbers.
pub const METHODS: &str = "7";
/// Releases that have these methods.
const RELEASES: [&str; 1] = ["0.1.0"];
/// Period before entry from which the covariate is read, in microseconds.
const BEFORE_US: i64 = 14 * DAY_US;

/// Program that computed the numbers.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Engine {
    /// `muriel`.
    pub name: String,
    /// Release of the program.
    pub version: String,
    /// Version of the methods: see [`METHODS`].
    pub methods: String,
}

impl Engine {
    /// This program.
    pub fn here() -> Self {
        Self { name: "muriel".into(), version: env!("CARGO_PKG_VERSION").into(), methods: METHODS.into() }
    }

    /// Checks that it computes the same numbers as this program.
    ///
    /// # Errors
    /// A program or release that is not known to do so.
    pub fn check(&self) -> Result<(), Flaw> {
        let Self { name, version, methods } = self;
        if methods != METHODS {
            return Err(Flaw::new(format!(
                "was computed by methods {methods} ({name} {version}); this program has methods {METHODS}: verify it \
                 with that release"
            )));
        }
        if name != "muriel" || !RELEASES.contains(&version.as_str()) {
            return Err(Flaw::new(format!(
                "says that it was computed by {name} {version}, but this program (muriel {}) does not know that \
                 release to have methods {METHODS}: verify it with that release",
                env!("CARGO_PKG_VERSION")
            )));
        }
        Ok(())
    }
}

/// Facts about an arm that results depend on.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ArmFacts {
    /// `"0"` is the control.
    pub variant_id: String,
    /// `Control`, `Variant 1`…
    pub name: String,
    /// Name that the team gave it.
    pub nickname: String,
    /// Percentage of the traffic that it gets now, or got in the requested epoch.
    pub traffic_weight: f64,
    /// Time after the first start at which its code was last changed, or its name reused. Earlier conversions belong to
    /// its earlier form.
    pub redefined_at: Option<Instant>,
}

/// Facts about an epoch that results depend on.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct EpochFacts {
    /// Number of the epoch.
    pub epoch: i64,
    /// Start of the epoch.
    pub started_at: Instant,
    /// Weight per arm in hundredths of a percent, the control first.
    pub weights: Vec<u32>,
}

/// Kind of object that a metric counts.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case", deny_unknown_fields)]
pub enum Counted {
    /// A goal of the project.
    Goal {
        /// Type of the goal, as a word of the interface.
        goal_type: String,
        /// Value of the goal.
        goal_value: GoalValue,
        /// Days after entry within which an event counts.
        window_days: Option<i64>,
        /// Events needed for a conversion.
        min_count: i64,
        /// Largest value that a visitor contributes.
        cap: Option<f64>,
        /// Largest plausible value of an order.
        #[serde(default)]
        max_order_value: Option<f64>,
        /// Currency that orders count in.
        #[serde(default)]
        currency: Option<String>,
    },
    /// `bounce_rate` or `engagement`.
    Builtin,
    /// An event, known by its name.
    Event,
}

/// Facts about a metric that results depend on.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct MetricFacts {
    /// Key of a goal, name of a built-in metric or of an event.
    pub key: String,
    /// Display name.
    pub name: String,
    /// `primary`, `secondary` or `guardrail`.
    pub role: String,
    /// Object that it counts.
    #[serde(flatten)]
    pub counted: Counted,
}

impl MetricFacts {
    /// Returns whether it counts a goal of the project.
    pub fn is_goal(&self) -> bool {
        matches!(self.counted, Counted::Goal { .. })
    }

    /// Returns whether it sums orders.
    pub fn is_revenue(&self) -> bool {
        matches!(&self.counted, Counted::Goal { goal_type, .. } if goal_type == GoalType::Revenue.word())
    }

    /// Returns whether its goal sets the largest plausible order.
    pub fn has_max_order_value(&self) -> bool {
        matches!(&self.counted, Counted::Goal { max_order_value: Some(_), .. })
    }

    /// Returns whether less is better.
    pub fn lower_is_better(&self) -> bool {
        self.counted == Counted::Builtin && self.key == "bounce_rate"
    }

    /// Role of the metric in the analysis.
    pub fn role(&self) -> MetricRole {
        match self.role.as_str() {
            "primary" => MetricRole::Primary,
            "guardrail" => MetricRole::Guardrail,
            _ => MetricRole::Secondary,
        }
    }

    fn metric(&self) -> Result<Metric, Flaw> {
        let plain = |outcome| Metric { before_us: Some(BEFORE_US), ..Metric::new(outcome) };
        Ok(match &self.counted {
            Counted::Builtin => {
                let outcome =
                    if self.key == "bounce_rate" { CountedOutcome::Bounce } else { CountedOutcome::Engagement };
                Metric { window_us: Some(VISIT_AFTER_ENTRY_US), before_us: None, ..plain(outcome) }
            }
            Counted::Event => plain(CountedOutcome::Event(self.key.clone())),
            Counted::Goal { goal_type, goal_value, window_days, min_count, cap, max_order_value, currency } => {
                let known = GoalType::WORDS.iter().find(|(word, _)| word == goal_type);
                let (_, goal_type) =
                    known.ok_or_else(|| Flaw::new(format!("has a goal {:?} of an unknown type", self.key)))?;
                let trigger = Trigger::new(*goal_type, goal_value.clone())
                    .map_err(|flaw| Flaw::new(format!("has a goal {:?} whose value {flaw}", self.key)))?;
                Metric {
                    window_us: window_days.map(|days| days.saturating_mul(DAY_US)),
                    min_count: *min_count,
                    cap: *cap,
                    max_order_value: *max_order_value,
                    currency: currency.clone(),
                    ..plain(CountedOutcome::Goal(trigger))
                }
            }
        })
    }
}

/// Facts about the experiment that results depend on.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ExperimentFacts {
    /// Experiment id.
    pub test_id: i64,
    /// Display name.
    pub test_name: String,
    /// `draft`, `live` or `inactive`.
    pub status: String,
    /// `abtest`, `split` or `personalization`.
    pub test_type: String,
    /// Confidence threshold in percent.
    pub confidence_percent: i64,
    /// True when the team reads the Bayesian view.
    pub bayesian: bool,
    /// True when weights follow the results.
    pub is_mab: bool,
    /// True when weights followed the results earlier, and do not any more.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub was_mab: bool,
    /// Smallest lift worth acting on, in percent.
    pub mde_percent: f64,
    /// Planned total of visitors, as of the first start.
    pub planned_visitors: Option<i64>,
    /// Percentage of eligible visitors that enter.
    pub traffic_allocation: i64,
    /// Percentage of all visitors that exclusion groups and holdouts leave to it; absent when they leave all.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub visitors_percent: Option<f64>,
    /// `equal`, `custom` or `mab`.
    pub distribution_mode: String,
    /// Arm that is served as the winner, if one is.
    pub serving_variant_id: Option<String>,
    /// Time at which the last winner was first served.
    pub deployed_at: Option<Instant>,
    /// Time of the first start.
    pub started_at: Option<Instant>,
    /// Time of the end, if it is not live.
    pub ended_at: Option<Instant>,
    /// Arms, the control first.
    pub arms: Vec<ArmFacts>,
}

/// Facts about a holdout that results depend on.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct HoldoutFacts {
    /// Id of the group.
    pub group_id: i64,
    /// Salt with which visitors are placed.
    pub salt: String,
    /// Share of visitors that it has, in hundredths of a percent.
    pub held_out: u32,
}

impl HoldoutFacts {
    /// Group range of its visitors.
    fn group_range(&self) -> GroupRange {
        GroupRange { group_id: Some(self.group_id), salt: self.salt.clone(), from: 0, to: self.held_out }
    }
}

/// Another server on the same database. It keeps the events that it received in a log of its own, so they are not in
/// the result.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct NodeFacts {
    /// Node id: `muriel node list` shows where it runs.
    pub node: String,
    /// Time of the first start.
    pub started_at: Instant,
    /// Time of the last sign of life; null while it runs.
    pub ended_at: Option<Instant>,
}

/// Everything that a result is computed from, except the events.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Manifest {
    /// Program that computed the numbers.
    pub engine: Engine,
    /// Key of the project whose events count.
    pub project_key: String,
    /// Logs whose events were included, in the order of their ids. Empty when no log had a block yet.
    pub logs: Vec<LogFacts>,
    /// Time of the report: windows that end later are open.
    pub as_of: Instant,
    /// Inquiry that the result answers.
    pub inquiry: Inquiry,
    /// The holdout that the result is about in place of an experiment: its visitors are the control, and all others are
    /// the other arm.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub holdout: Option<HoldoutFacts>,
    /// The experiment; for a holdout, its name, its time and its arms.
    pub experiment: ExperimentFacts,
    /// Epochs, oldest first.
    pub epochs: Vec<EpochFacts>,
    /// Metrics that are reported; the first one is at the top of the result.
    pub metrics: Vec<MetricFacts>,
    /// Other nodes that run, or that received events since the experiment started.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub other_nodes: Vec<NodeFacts>,
    /// Currency rates, if the project has some and revenue is reported.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub currency_rates: Option<RateFacts>,
    /// Other experiments that were found to change the effect of this one, by the last nightly check of the project's
    /// pairs.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub interactions: Vec<InteractionFacts>,
    /// Visitors and orders that count, by who sent them. Absent when all count.
    #[serde(default, skip_serializing_if = "PolicyFacts::counts_all")]
    pub policy: PolicyFacts,
    /// Visits that the project excludes from results. Absent when it excludes none.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub exclusions: Vec<ExclusionFacts>,
    /// The plan that was locked at the first start. Absent for holdouts, and in results of releases that locked no
    /// plans.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub plan: Option<PlanFacts>,
}

/// Values of one unit of each currency in one of them, each valid from a day until the next; only those that affect the
/// result.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RateFacts {
    /// Currency that orders are converted to.
    pub currency: String,
    /// Rates by currency, then by the first day of their validity, in UTC.
    pub rates: BTreeMap<String, BTreeMap<String, f64>>,
}

impl RateFacts {
    /// The rates of a table that affect a report at `now` about an experiment that first started at `started_at`.
    pub(crate) fn of(table: &Rates, started_at: Option<Instant>, now: Instant) -> Self {
        let from = started_at.unwrap_or(now).min(now).plus_us(-BEFORE_US);
        Self { currency: table.currency().to_owned(), rates: table.between(from, now) }
    }

    fn exchange(&self) -> Result<ExchangeRates, Flaw> {
        let rates = self.rates.iter().flat_map(|(currency, days)| {
            let rate =
                |(date, rate): (&String, &f64)| Rate { currency: currency.clone(), date: date.clone(), rate: *rate };
            days.iter().map(rate)
        });
        let rates: Vec<Rate> = rates.collect();
        let flaw = |what: String| Flaw::new(format!("has invalid currency_rates: {what}"));
        if rates.is_empty() {
            parse_currency(&self.currency).map_err(|wrong| flaw(format!("currency {wrong}")))?;
            return Ok(ExchangeRates { currency: self.currency.clone(), spans: Vec::new() });
        }
        let table = Rates::new(&self.currency, rates).map_err(|problems| {
            flaw(problems.iter().next().map(|first| format!("{} {}", first.field, first.message)).unwrap_or_default())
        })?;
        let all = table.rates();
        let span = |(at, rate): (usize, &Rate)| RateSpan {
            currency: rate.currency.clone(),
            since: rate.since(),
            until: all.get(at + 1).filter(|next| next.currency == rate.currency).map(Rate::since),
            rate: rate_units(rate.rate),
        };
        Ok(ExchangeRates { currency: self.currency.clone(), spans: all.iter().enumerate().map(span).collect() })
    }
}

/// Maximum number of other nodes that are named; those seen last come first.
pub(crate) const OTHER_NODES_MAX: usize = 100;

/// Maximum number of metrics of an experiment: a requested goal, the primary one, and the longest possible lists.
const METRICS_MAX: usize = 2 + 2 * LIST_MAX + BUILTIN_METRICS.len();

/// The part of a log that a result includes.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct LogFacts {
    /// Id of the log, a UUID.
    pub id: LogId,
    /// Last block that was included, from 1.
    pub position: i64,
    /// Hash of that block in hexadecimal digits. It chains all blocks up to it, so it ties the result to this log. Null
    /// when the block could not be read.
    pub hash: Option<String>,
    /// Blocks up to there that could not be read, so that their events are not in the result. Absent when all could be
    /// read.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub damage: Option<LogDamage>,
    /// Events of the project up to there that were deleted before the result was computed: a visitor's data, or events
    /// beyond the project's retention. Absent when there were none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rewritten: Option<LogRewrites>,
}

/// Events of the project that were deleted from blocks of an event log.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct LogRewrites {
    /// Number of blocks that had them.
    pub blocks: u64,
    /// Number of deleted events.
    pub events: u64,
    /// Number of these events that the project's retention deleted. The others were of visitors whose data was deleted.
    pub expired: u64,
    /// Time of the last deletion.
    pub last_at: Instant,
}

/// Blocks of an event log that are damaged or missing.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct LogDamage {
    /// Number of these blocks; 0 when none is lost, but the log is not as it was written.
    pub blocks: u64,
    /// Number of the first of them.
    pub first_block: i64,
    /// Number of the last of them.
    pub last_block: i64,
}

impl Manifest {
    /// Checks that it can come from this program, before anything is computed from it.
    ///
    /// # Errors
    /// More arms, epochs or metrics than an experiment can have, a position before the beginning of the log, and values
    /// that no result of this program has: they would be ignored, and the result would be confirmed although it claims
    /// to answer another inquiry.
    pub fn check(&self) -> Result<(), Flaw> {
        self.engine.check()?;
        let arms = VARIANTS_MAX + 1;
        let epochs = usize::try_from(EPOCHS_MAX).unwrap_or(usize::MAX);
        let weights = self.epochs.iter().map(|epoch| epoch.weights.len()).max().unwrap_or(0);
        for (what, has, most) in [
            ("logs", self.logs.len(), LOGS_MAX),
            ("variants", self.experiment.arms.len(), arms),
            ("weights in an epoch", weights, arms),
            ("epochs", self.epochs.len(), epochs),
            ("metrics", self.metrics.len(), METRICS_MAX),
            ("other nodes", self.other_nodes.len(), OTHER_NODES_MAX),
            ("interactions", self.interactions.len(), INTERACTIONS_MAX),
            ("exclusions", self.exclusions.len(), EXCLUSIONS_MAX),
        ] {
            if has > most {
                return Err(Flaw::new(format!("has a manifest with {has} {what}; at most {most} are allowed")));
            }
        }
        let wrong = |field: &str, flaw: Flaw| Flaw::new(format!("has a manifest whose {field} {flaw}"));
        self.check_inquiry().map_err(|(field, flaw)| wrong(&format!("inquiry.{field}"), flaw))?;
        self.check_holdout().map_err(|(field, flaw)| wrong(field, flaw))?;
        self.check_experiment().map_err(|(field, flaw)| wrong(&format!("experiment.{field}"), flaw))?;
        self.check_logs().map_err(|(field, flaw)| wrong(&field, flaw))?;
        for (at, facts) in self.interactions.iter().enumerate() {
            facts.check(self).map_err(|(field, flaw)| wrong(&format!("interactions[{at}].{field}"), flaw))?;
        }
        if let Some(plan) = &self.plan {
            let test_id = self.experiment.test_id;
            plan.check(test_id).map_err(|(field, flaw)| wrong(&format!("plan.{field}"), flaw))?;
        }
        let roles = ["primary", "secondary", "guardrail"];
        match self.metrics.iter().position(|metric| !roles.contains(&metric.role.as_str())) {
            Some(at) => Err(wrong(&format!("metrics[{at}].role"), one_of(&roles))),
            None => Ok(()),
        }
    }

    fn check_logs(&self) -> Result<(), (String, Flaw)> {
        if let Some(at) = self.logs.iter().position(|log| log.position < 1) {
            return Err((format!("logs[{at}].position"), Flaw::new("must be at least 1, the first block of a log")));
        }
        match self.logs.windows(2).position(|pair| pair[0].id >= pair[1].id) {
            Some(at) => Err((
                format!("logs[{}].id", at + 1),
                Flaw::new("must come after the id before it: ids are in ascending order, each once"),
            )),
            None => Ok(()),
        }
    }

    fn check_inquiry(&self) -> Result<(), (&'static str, Flaw)> {
        let Inquiry { start_date, end_date, tz, goal_key, filter_by, breakdown_by, epoch, .. } = &self.inquiry;
        Zone::parse(tz.as_str()).map_err(|flaw| ("tz", flaw))?;
        if start_date.zip(*end_date).is_some_and(|(start, end)| end < start) {
            return Err(("end_date", Flaw::new("must not be before start_date")));
        }
        let words = filter_by.join(",");
        if *filter_by != parse_filter(&words).map_err(|flaw| ("filter_by", flaw))? {
            return Err(("filter_by", Flaw::new("must have each word once, as results write it")));
        }
        if let Some(word) = breakdown_by {
            parse_breakdown(word).map_err(|flaw| ("breakdown_by", flaw))?;
        }
        let has_plan = |plan: &PlanFacts| plan.content.is_some() || plan.confirmed.is_some();
        if self.inquiry.judged_by.is_some() && !self.plan.as_ref().is_some_and(has_plan) {
            return Err(("judged_by", Flaw::new("must be absent, as there is no plan to judge by")));
        }
        if epoch.is_some_and(|asked| !self.epochs.iter().any(|epoch| epoch.epoch == asked)) {
            return Err(("epoch", Flaw::new("must be one of its epochs")));
        }
        let first = self.metrics.first().map(|metric| &metric.key);
        if goal_key.is_some() && goal_key.as_ref() != first {
            return Err(("goal_key", Flaw::new("must be the key of its first metric")));
        }
        Ok(())
    }

    /// Checks the fields that only results of holdouts have, and those that they never have.
    fn check_holdout(&self) -> Result<(), (&'static str, Flaw)> {
        let Some(holdout) = &self.holdout else { return Ok(()) };
        if !(1..=10_000).contains(&holdout.held_out) {
            return Err(("holdout.held_out", Flaw::new("must be from 1 to 10000")));
        }
        if self.plan.is_some() {
            return Err(("plan", Flaw::new("must be absent, as it is about a holdout")));
        }
        if !self.interactions.is_empty() {
            return Err(("interactions", Flaw::new("must be none, as it is about a holdout")));
        }
        if self.experiment.arms.len() != 2 {
            return Err(("experiment.arms", Flaw::new("must be two, those who are held out and everybody else")));
        }
        let Inquiry { filter_by, breakdown_by, epoch, report_phase, entered_since, .. } = &self.inquiry;
        let is_plain = filter_by.is_empty() && breakdown_by.is_none() && epoch.is_none() && entered_since.is_none();
        if !is_plain || *report_phase != Phase::default() {
            return Err((
                "inquiry",
                Flaw::new("must have no filter, breakdown, epoch and phase, as it is about a holdout"),
            ));
        }
        Ok(())
    }

    fn check_experiment(&self) -> Result<(), (&'static str, Flaw)> {
        let facts = &self.experiment;
        for (field, word, words) in [
            ("status", &facts.status, &["draft", "live", "inactive"]),
            ("test_type", &facts.test_type, &["abtest", "split", "personalization"]),
            ("distribution_mode", &facts.distribution_mode, &["equal", "custom", "mab"]),
        ] {
            if !words.contains(&word.as_str()) {
                return Err((field, one_of(words)));
            }
        }
        let within = |number: i64, least: i64, most: i64| {
            if (least..=most).contains(&number) {
                Ok(())
            } else {
                Err(Flaw::new(format!("must be from {least} to {most}")))
            }
        };
        within(facts.confidence_percent, 50, 99).map_err(|flaw| ("confidence_percent", flaw))?;
        within(facts.traffic_allocation, 0, 100).map_err(|flaw| ("traffic_allocation", flaw))?;
        within(facts.planned_visitors.unwrap_or(1), 1, MAX_SAFE).map_err(|flaw| ("planned_visitors", flaw))?;
        if !facts.visitors_percent.is_none_or(|percent| (0.0..=100.0).contains(&percent)) {
            return Err(("visitors_percent", Flaw::new("must be from 0 to 100")));
        }
        if !(facts.mde_percent.is_finite() && facts.mde_percent > 0.0) {
            return Err(("mde_percent", Flaw::new("must be more than 0")));
        }
        Ok(())
    }

    /// Sets the positions up to which logs were included, and their lost and rewritten blocks.
    pub(crate) fn set_logs(&mut self, marks: &Watermarks, lost: &[LostBlocks], rewritten: &[RewrittenBlocks]) {
        let damage = |id: &LogId| {
            let lost = lost.iter().find(|lost| lost.log == *id)?;
            Some(LogDamage { blocks: lost.blocks, first_block: lost.first, last_block: lost.last })
        };
        let rewrites = |id: &LogId| {
            let found = rewritten.iter().find(|rewritten| rewritten.log == *id)?;
            let RewrittenBlocks { blocks, removed: events, expired, last_at, .. } = *found;
            // In milliseconds, as it is written, so that a manifest that is read back is equal.
            let last_at = Instant::from_us(last_at.us() - last_at.us().rem_euclid(1_000));
            Some(LogRewrites { blocks, events, expired, last_at })
        };
        let with_blocks = marks.iter().filter(|(_, mark)| mark.position.seq > 0);
        self.logs = with_blocks
            .map(|(id, mark)| LogFacts {
                id: *id,
                position: mark.position.seq,
                hash: mark.hash.map(|hash| hash.iter().map(|byte| format!("{byte:02x}")).collect()),
                damage: damage(id),
                rewritten: rewrites(id),
            })
            .collect();
    }

    /// Position up to which a log was included; the beginning when nothing of it was.
    pub fn position_in(&self, log: LogId) -> Position {
        let facts = self.logs.iter().find(|facts| facts.id == log);
        facts.map_or(Position::default(), |facts| Position { seq: facts.position })
    }

    /// Returns whether all events of a log up to a position were included.
    pub fn has_events_up_to(&self, place: LogPosition) -> bool {
        self.position_in(place.log) >= place.position
    }

    /// Returns whether a manifest has the former format, which named the only log by its position and not by its id.
    pub fn is_of_former_format(manifest: &Value) -> bool {
        manifest.get("logs").is_none() && manifest.get("log_position").is_some_and(Value::is_i64)
    }

    /// Converts a manifest [of the former format](Manifest::is_of_former_format) to this one, where `log` is the id of
    /// the log that it is about. Its meaning stays the same.
    pub fn name_log(manifest: &mut Map<String, Value>, log: LogId) {
        let [position, hash, damage] =
            ["log_position", "log_hash", "log_damage"].map(|field| manifest.remove(field).unwrap_or_default());
        let mut facts = json!({ "id": log, "position": position, "hash": hash });
        if !damage.is_null() {
            facts["damage"] = damage;
        }
        // Before the first block there was no log to name.
        let is_empty = facts["position"] == 0 && facts["hash"].is_null() && facts.get("damage").is_none();
        manifest.insert("logs".to_owned(), if is_empty { json!([]) } else { json!([facts]) });
    }

    /// Metric at the top of the result: the requested goal, or the primary one.
    pub fn top(&self) -> Option<&MetricFacts> {
        self.metrics.first().filter(|metric| self.inquiry.goal_key.is_some() || metric.role() == MetricRole::Primary)
    }

    /// Period in which visitors and events count: its start and its end.
    pub fn span(&self) -> (Option<Instant>, Option<Instant>) {
        let (inquiry, deployed_at) = (&self.inquiry, self.experiment.deployed_at);
        let start = inquiry.start_date.map(|day| inquiry.tz.begin(day)).max(inquiry.entered_since);
        let end = inquiry.end_date.map(|day| inquiry.tz.begin(day.tomorrow().unwrap_or(day)));
        let earlier = |a: Option<Instant>, b: Option<Instant>| a.into_iter().chain(b).min();
        match inquiry.report_phase {
            Phase::AllTime => (start, end),
            Phase::PreDeploy => (start, earlier(end, deployed_at)),
            // Without a deployment, the phase after it is empty.
            Phase::PostDeploy => (start.max(Some(deployed_at.unwrap_or(self.as_of))), end),
        }
    }

    /// Builds the question for the warehouse.
    ///
    /// # Errors
    /// An invalid goal. Manifests of this program have none.
    pub fn question(&self, by_quarter: bool) -> Result<ExperimentQuestion, Flaw> {
        let (from, until) = self.span();
        let metrics = if by_quarter { &self.metrics[..self.metrics.len().min(1)] } else { &self.metrics[..] };
        let exchange = self.currency_rates.as_ref().map(RateFacts::exchange).transpose()?.map(Arc::new);
        let metric = |facts: &MetricFacts| {
            let metric = facts.metric()?;
            // Orders of a goal with another currency are not converted to the currency of the table.
            let fits =
                |exchange: &Arc<ExchangeRates>| metric.currency.as_ref().is_none_or(|own| *own == exchange.currency);
            let exchange = exchange.clone().filter(|exchange| facts.is_revenue() && fits(exchange));
            Ok(Metric { exchange, ..metric })
        };
        Ok(ExperimentQuestion {
            project_key: self.project_key.as_str().into(),
            population: match &self.holdout {
                None => Population::Exposed { test_id: self.experiment.test_id },
                Some(holdout) => Population::Holdout(holdout.group_range()),
            },
            // No visitor enters an experiment that has not started.
            started_at: Some(self.experiment.started_at.unwrap_or(Instant::from_us(i64::MAX))),
            from,
            until,
            epoch: self.inquiry.epoch,
            epochs: self.epochs.iter().map(|epoch| (epoch.epoch, epoch.started_at)).collect(),
            arms: u32::try_from(self.experiment.arms.len()).unwrap_or(u32::MAX),
            policy: self.counted()?,
            filter: self.inquiry.filter(),
            breakdown: self.inquiry.breakdown_by.as_deref().and_then(crate::inquiry::dimension),
            by_quarter,
            as_of: self.as_of,
            metrics: metrics.iter().map(metric).collect::<Result<_, Flaw>>()?,
        })
    }

    /// Exposures and orders that count.
    fn counted(&self) -> Result<Policy, Flaw> {
        let without = |without: &Without| {
            Ok(ExcludedVisits { by: excluded_by(&without.kind, without.value.clone())?, from: None, until: None })
        };
        let of_project = self.exclusions.iter().map(ExclusionFacts::excluded);
        Ok(Policy {
            visitors: self.policy.visitors,
            orders: self.policy.orders,
            page_origins: self.policy.page_origins.origins().to_vec(),
            exclusions: of_project.chain(self.inquiry.without.iter().map(without)).collect::<Result<_, Flaw>>()?,
        })
    }

    /// Builds the design for the analysis.
    pub fn design(&self) -> Design {
        let facts = &self.experiment;
        Design {
            policy: match (facts.is_mab || facts.was_mab, facts.test_type.as_str()) {
                _ if self.holdout.is_some() => AllocationPolicy::Holdout,
                (_, "personalization") => AllocationPolicy::Personalization,
                (true, _) => AllocationPolicy::Bandit,
                (false, _) => AllocationPolicy::Fixed,
            },
            arms: facts.arms.len(),
            confidence: facts.confidence_percent.clamp(50, 99) as f64 / 100.0,
            visitors: facts.planned_visitors.map(|visitors| visitors as f64),
            mde: facts.mde_percent / 100.0,
            epochs: self
                .epochs
                .iter()
                .map(|epoch| EpochPlan { number: epoch.epoch, weights: epoch.weights.clone() })
                .collect(),
        }
    }
}

fn one_of(words: &[&str]) -> Flaw {
    Flaw::new(format!("must be one of {}", words.join(", ")))
}

#[cfg(test)]
mod tests;
