//! Results day by day.

use super::super::distribution::{EvenSplit, ends};
use super::health::Health;
use super::locked::Exploratory;
use super::numbers::{Lift, rate};
use muriel_results::{Computed, DayNumbers, Labels, MetricFacts};
use serde::Serialize;
use utoipa::ToSchema;

/// Result of an experiment day by day.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct TimeseriesAnswer {
    /// Always true.
    pub(super) success: bool,
    /// Identifies the experiment.
    pub(super) test_id: i64,
    /// Key of the goal of the numbers.
    #[schema(required)]
    pub(super) goal_key: Option<String>,
    /// Time zone of the days.
    pub(super) tz: String,
    /// Label for the numbers of this goal.
    #[serde(flatten)]
    pub(super) exploratory: Exploratory,
    /// Arms that are not part of the plan locked at the first start.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[schema(required = false)]
    pub(super) exploratory_arms: Vec<ExploratoryArm>,
    /// Cumulative numbers, by day and then by arm.
    pub(super) timeseries: Vec<SeriesPoint>,
    /// Loss of a bandit by the end of each day, from what is known of its arms now. Absent for other experiments, and
    /// until there is data for every arm.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub(super) bandit: Option<Vec<BanditPoint>>,
}

/// A bandit as of the end of a day.
#[derive(Debug, Serialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct BanditPoint {
    /// The day.
    #[schema(format = Date)]
    date: String,
    /// Expected loss from visitors who met another arm than the best, as in `GET …/distribution`.
    #[schema(example = 31.5)]
    regret: f64,
    /// Interval of the regret, at the experiment's confidence.
    #[schema(example = json!([12.0, 60.5]))]
    regret_interval: [f64; 2],
    /// Expected loss of the same number of visitors with an even split.
    even_split: EvenSplit,
}

/// An arm that was added or changed after the plan was locked.
#[derive(Debug, Serialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct ExploratoryArm {
    /// Variant number as text.
    variant_id: String,
    /// Reason why it is exploratory, as a sentence.
    exploratory_reason: String,
}

/// An arm as of the end of a day.
#[derive(Debug, Serialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct SeriesPoint {
    /// The day.
    #[schema(format = Date)]
    date: String,
    /// `"0"` is the control.
    variant_id: String,
    /// Number of visitors who had entered.
    visitors: u64,
    /// Number of those who had converted.
    conversions: u64,
    /// Conversion rate, in percent.
    #[schema(required)]
    conversion_rate: Option<f64>,
    /// Total value of their orders; null for other goals.
    #[schema(required)]
    revenue: Option<f64>,
    /// Lift, as in the result; null on the control.
    #[schema(required)]
    lift: Option<f64>,
    /// Interval of the lift, as in the result. The intervals of all days hold simultaneously.
    #[schema(required)]
    lift_interval: Option<[f64; 2]>,
    /// p-value, as in the result.
    #[schema(required)]
    p_value: Option<f64>,
}

impl TimeseriesAnswer {
    /// Warnings of the result's health checks. A time series has none of its own.
    pub(crate) fn warnings(computed: &Computed) -> Vec<String> {
        Health::new(computed).warnings()
    }

    /// Response with a point per day and arm; `computed` has numbers by day.
    pub(crate) fn new(computed: &Computed) -> Self {
        let manifest = &computed.manifest;
        let top = manifest.top();
        let is_revenue = top.is_some_and(MetricFacts::is_revenue);
        let of_stage = |stage: &DayNumbers| -> Vec<SeriesPoint> {
            (0..stage.arms.len())
                .map(|arm| {
                    let numbers = &stage.arms[arm];
                    let Lift { lift, lift_interval, p_value } = Lift::new(&stage.points, arm);
                    SeriesPoint {
                        date: stage.day.to_string(),
                        variant_id: manifest.experiment.arms[arm].variant_id.clone(),
                        visitors: numbers.visitors,
                        conversions: numbers.converted,
                        conversion_rate: rate(numbers),
                        revenue: is_revenue.then(|| numbers.value()),
                        lift,
                        lift_interval,
                        p_value,
                    }
                })
                .collect()
        };
        let of_bandit: Vec<BanditPoint> = computed.stages.iter().filter_map(BanditPoint::of).collect();
        let labels = Labels::of_result(computed);
        let arms = manifest.experiment.arms.iter().zip(&labels.arms);
        let exploratory_arms = arms.filter_map(|(arm, reason)| {
            let exploratory_reason = reason.clone()?;
            Some(ExploratoryArm { variant_id: arm.variant_id.clone(), exploratory_reason })
        });
        Self {
            exploratory: Exploratory::new(labels.top.as_ref()),
            exploratory_arms: exploratory_arms.collect(),
            success: true,
            test_id: manifest.experiment.test_id,
            goal_key: top.map(|top| top.key.clone()),
            tz: manifest.inquiry.tz.as_str().to_owned(),
            timeseries: computed.stages.iter().flat_map(of_stage).collect(),
            bandit: (!of_bandit.is_empty()).then_some(of_bandit),
        }
    }
}

impl BanditPoint {
    fn of(stage: &DayNumbers) -> Option<Self> {
        let losses = stage.losses?;
        Some(Self {
            date: stage.day.to_string(),
            regret: losses.sent.mean,
            regret_interval: ends(losses.sent),
            even_split: EvenSplit {
                regret: Some(losses.even_split.mean),
                regret_interval: Some(ends(losses.even_split)),
            },
        })
    }
}
