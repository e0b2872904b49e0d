//! What a result is computed from, whole: with it and the log, anybody can
//! compute the result again.

use crate::inquiry::{Inquiry, Phase};
use muriel_analysis::{Design, EpochPlan, Role, Trial};
use muriel_domain::experiment::{BUILTIN_METRICS, LIST_MAX, VARIANTS_MAX};
use muriel_domain::goal::{GoalType, GoalValue, Trigger};
use muriel_domain::time::DAY_US;
use muriel_domain::{Flaw, Instant};
use muriel_events::log::Position;
use muriel_events::warehouse::{Metric, Outcome, Question, VISIT_US};
use muriel_store::experiments::EPOCHS_MAX;
use serde::{Deserialize, Serialize};

/// Names the way in which numbers come about. A change of it means that the same
/// log may give other numbers.
pub const METHODS: &str = "1";
/// The releases that have these methods.
const RELEASES: [&str; 1] = ["0.1.0"];
/// How far back of entry the covariate is read.
const BEFORE_US: i64 = 14 * DAY_US;

/// What made the numbers.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Engine {
    /// `muriel`.
    pub name: String,
    /// The release.
    pub version: String,
    /// See [`METHODS`].
    pub methods: String,
}

impl Engine {
    /// This one.
    pub fn here() -> Self {
        Self { name: "muriel".into(), version: env!("CARGO_PKG_VERSION").into(), methods: METHODS.into() }
    }

    /// Whether it makes the same numbers as this one.
    ///
    /// # Errors
    /// A program or release that is not known to.
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
                "says it was computed by {name} {version}, which this program (muriel {}) does not know to have methods \
                 {METHODS}: verify it with that release",
                env!("CARGO_PKG_VERSION")
            )));
        }
        Ok(())
    }
}

/// An arm, as far as results know it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ArmFacts {
    /// `"0"` is the control.
    pub variant_id: String,
    /// `Control`, `Variant 1`…
    pub name: String,
    /// The team's name for it.
    pub nickname: String,
    /// Percent of the traffic that it gets now, or got in the epoch that was asked for.
    pub traffic_weight: f64,
    /// When its code was last changed, or its name used again, after the first
    /// start. Conversions from before belong to what it was.
    pub redefined_at: Option<Instant>,
}

/// An epoch, as far as results know it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct EpochFacts {
    /// Its number.
    pub epoch: i64,
    /// When it began.
    pub started_at: Instant,
    /// Weight per arm in hundredths of a percent, the control first.
    pub weights: Vec<u32>,
}

/// What kind of thing a metric counts.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case", deny_unknown_fields)]
pub enum Counted {
    /// A goal of the project.
    Goal {
        /// Its type, as the interface has it.
        goal_type: String,
        /// Its value.
        goal_value: GoalValue,
        /// Days after entry within which an event counts.
        window_days: Option<i64>,
        /// Events needed for a conversion.
        min_count: i64,
        /// Most value that a visitor contributes.
        cap: Option<f64>,
    },
    /// `bounce_rate` or `engagement`.
    Builtin,
    /// An event by its name.
    Event,
}

/// A metric, as far as results know it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct MetricFacts {
    /// Key of a goal, name of a built-in metric or of an event.
    pub key: String,
    /// Its display name.
    pub name: String,
    /// `primary`, `secondary` or `guardrail`.
    pub role: String,
    /// What it counts.
    #[serde(flatten)]
    pub counted: Counted,
}

impl MetricFacts {
    /// Whether it adds up orders.
    pub fn is_revenue(&self) -> bool {
        matches!(&self.counted, Counted::Goal { goal_type, .. } if goal_type == GoalType::Revenue.word())
    }

    /// Whether less is better.
    pub fn lower_is_better(&self) -> bool {
        self.counted == Counted::Builtin && self.key == "bounce_rate"
    }

    /// What it is for.
    pub fn role(&self) -> Role {
        match self.role.as_str() {
            "primary" => Role::Primary,
            "guardrail" => Role::Guardrail,
            _ => Role::Secondary,
        }
    }

    fn metric(&self) -> Result<Metric, Flaw> {
        let plain = |outcome| Metric { outcome, window_us: None, min_count: 1, cap: None, before_us: Some(BEFORE_US) };
        Ok(match &self.counted {
            Counted::Builtin => {
                let outcome = if self.key == "bounce_rate" { Outcome::Bounce } else { Outcome::Engagement };
                Metric { window_us: Some(VISIT_US), before_us: None, ..plain(outcome) }
            }
            Counted::Event => plain(Outcome::Event(self.key.clone())),
            Counted::Goal { goal_type, goal_value, window_days, min_count, cap } => {
                let known = GoalType::WORDS.iter().find(|(word, _)| word == goal_type);
                let (_, goal_type) =
                    known.ok_or_else(|| Flaw::new(format!("has a goal {:?} of an unknown type", self.key)))?;
                let trigger = Trigger::new(*goal_type, goal_value.clone())
                    .map_err(|flaw| Flaw::new(format!("has a goal {:?} whose value {flaw}", self.key)))?;
                Metric {
                    window_us: window_days.map(|days| days.saturating_mul(DAY_US)),
                    min_count: *min_count,
                    cap: *cap,
                    ..plain(Outcome::Goal(trigger))
                }
            }
        })
    }
}

/// The experiment, as far as results know it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ExperimentFacts {
    /// Its id.
    pub test_id: i64,
    /// Its display name.
    pub test_name: String,
    /// `draft`, `live` or `inactive`.
    pub status: String,
    /// `abtest`, `split` or `personalization`.
    pub test_type: String,
    /// Confidence threshold in percent.
    pub confidence_percent: i64,
    /// Whether the team reads the Bayesian view.
    pub bayesian: bool,
    /// Whether weights follow the results.
    pub is_mab: bool,
    /// Smallest lift worth acting on, in percent.
    pub mde_percent: f64,
    /// Planned total of visitors, as of the first start.
    pub planned_visitors: Option<i64>,
    /// Percentage of eligible visitors that enter.
    pub traffic_allocation: i64,
    /// `equal`, `custom` or `mab`.
    pub distribution_mode: String,
    /// The arm that is served as the winner, if one is.
    pub serving_variant_id: Option<String>,
    /// When the last winner was first served.
    pub deployed_at: Option<Instant>,
    /// When it first started.
    pub started_at: Option<Instant>,
    /// When it ended, if it is not live.
    pub ended_at: Option<Instant>,
    /// Its arms, the control first.
    pub arms: Vec<ArmFacts>,
}

/// What a result is computed from.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Manifest {
    /// What made the numbers.
    pub engine: Engine,
    /// Whose log it is.
    pub project_key: String,
    /// The last block of the log that went in.
    pub log_position: i64,
    /// The hash of that block in hexadecimal digits, which ties the result to this
    /// very log: it chains all blocks up to it. Null when the log had no block yet, or
    /// the block could not be read.
    pub log_hash: Option<String>,
    /// The moment of the report: windows that run on beyond it are open.
    pub as_of: Instant,
    /// What was asked.
    pub inquiry: Inquiry,
    /// The experiment.
    pub experiment: ExperimentFacts,
    /// Its epochs, first one first.
    pub epochs: Vec<EpochFacts>,
    /// What is reported; the first one is at the top of the result.
    pub metrics: Vec<MetricFacts>,
}

/// Metrics of an experiment at most: a goal that is asked for, the primary one, and
/// what lists may hold.
const METRICS_MAX: usize = 2 + 2 * LIST_MAX + BUILTIN_METRICS.len();

impl Manifest {
    /// Whether it can be one of ours, before anything is computed from it.
    ///
    /// # Errors
    /// More arms, epochs or metrics than an experiment has, and a place before the log.
    pub fn check(&self) -> Result<(), Flaw> {
        self.engine.check()?;
        if self.log_position < 0 {
            return Err(Flaw::new("has a manifest whose log_position is negative"));
        }
        let arms = VARIANTS_MAX + 1;
        let epochs = usize::try_from(EPOCHS_MAX).unwrap_or(usize::MAX);
        let weights = self.epochs.iter().map(|epoch| epoch.weights.len()).max().unwrap_or(0);
        for (what, has, most) in [
            ("arms", self.experiment.arms.len(), arms),
            ("weights in an epoch", weights, arms),
            ("epochs", self.epochs.len(), epochs),
            ("metrics", self.metrics.len(), METRICS_MAX),
        ] {
            if has > most {
                return Err(Flaw::new(format!("has a manifest with {has} {what}; an experiment has at most {most}")));
            }
        }
        Ok(())
    }

    /// Says up to where the log went in.
    pub(crate) fn ends_at(&mut self, position: Position, hash: Option<[u8; 32]>) {
        self.log_position = position.seq;
        self.log_hash = hash.map(|hash| hash.iter().map(|byte| format!("{byte:02x}")).collect());
    }

    /// What is at the top of the result: the goal that was asked for, or the primary one.
    pub fn top(&self) -> Option<&MetricFacts> {
        self.metrics.first().filter(|metric| self.inquiry.goal_key.is_some() || metric.role() == Role::Primary)
    }

    /// Which visitors and events count: from when, until when.
    pub fn span(&self) -> (Option<Instant>, Option<Instant>) {
        let (inquiry, deployed_at) = (&self.inquiry, self.experiment.deployed_at);
        let start = inquiry.start_date.map(|day| inquiry.tz.begin(day));
        let end = inquiry.end_date.map(|day| inquiry.tz.begin(day.tomorrow().unwrap_or(day)));
        let earlier = |a: Option<Instant>, b: Option<Instant>| a.into_iter().chain(b).min();
        match inquiry.report_phase {
            Phase::AllTime => (start, end),
            Phase::PreDeploy => (start, earlier(end, deployed_at)),
            // Without a deployment nothing came after one.
            Phase::PostDeploy => (start.max(Some(deployed_at.unwrap_or(self.as_of))), end),
        }
    }

    /// The same for the warehouse.
    ///
    /// # Errors
    /// A goal that is none; a manifest that was made by us holds no such goal.
    pub fn question(&self, by_quarter: bool) -> Result<Question, Flaw> {
        let (from, until) = self.span();
        let metrics = if by_quarter { &self.metrics[..self.metrics.len().min(1)] } else { &self.metrics[..] };
        Ok(Question {
            project_key: self.project_key.as_str().into(),
            test_id: self.experiment.test_id,
            // Nobody enters what has not started.
            started_at: Some(self.experiment.started_at.unwrap_or(Instant::from_us(i64::MAX))),
            from,
            until,
            epoch: self.inquiry.epoch,
            epochs: self.epochs.iter().map(|epoch| (epoch.epoch, epoch.started_at)).collect(),
            arms: u32::try_from(self.experiment.arms.len()).unwrap_or(u32::MAX),
            filter: self.inquiry.filter(),
            breakdown: self.inquiry.breakdown_by.as_deref().and_then(crate::inquiry::dimension),
            by_quarter,
            as_of: self.as_of,
            metrics: metrics.iter().map(MetricFacts::metric).collect::<Result<_, _>>()?,
        })
    }

    /// The same for the analysis.
    pub fn design(&self) -> Design {
        let facts = &self.experiment;
        Design {
            trial: match (facts.is_mab, facts.test_type.as_str()) {
                (_, "personalization") => Trial::Personalization,
                (true, _) => Trial::Bandit,
                (false, _) => Trial::Fixed,
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::define::Known;
    use crate::inquiry::parse_day;
    use muriel_domain::experiment::{Experiment, TestType};
    use muriel_domain::ids::{CompanyId, ProjectId};

    #[test]
    fn this_release_knows_itself() {
        assert_eq!(Engine::here().check(), Ok(()));
        for (name, version, methods) in [("muriel", "9.9.9", "1"), ("other", "0.1.0", "1"), ("muriel", "0.1.0", "0")] {
            let engine = Engine { name: name.into(), version: version.into(), methods: methods.into() };
            assert!(engine.check().is_err(), "{name} {version} {methods}");
        }
    }

    #[test]
    fn a_report_ends_with_its_last_day() {
        let now = Instant::from_us(1_772_359_200_000_000);
        let known =
            Known::of(Experiment::draft(CompanyId(1), ProjectId(1), TestType::AbTest, "one".to_owned(), now), "1");
        for (end_date, expect) in [
            (None, None),
            (Some("1970-01-01"), Some("1970-01-02T00:00:00.000Z")),
            (Some("2026-03-01"), Some("2026-03-02T00:00:00.000Z")),
            (Some("9999-12-30"), Some("9999-12-30T22:00:00.999Z")),
            (Some("9999-12-31"), Some("9999-12-30T22:00:00.999Z")),
        ] {
            let inquiry = Inquiry { end_date: end_date.map(|day| parse_day(day).unwrap()), ..Inquiry::default() };
            let until = known.manifest(&"prj".into(), &inquiry, now).span().1;
            assert_eq!(until.map(|until| until.to_string()).as_deref(), expect, "{end_date:?}");
        }
    }
}
