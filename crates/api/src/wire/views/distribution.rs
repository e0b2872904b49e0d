//! Traffic distributions in responses.

use crate::wire::schemas;
use muriel_analysis::bandit::{Bandit as Known, Regret as KnownRegret};
use muriel_domain::Instant;
use muriel_domain::experiment::{Arm, Distribution, Experiment, WHOLE};
use muriel_results::Computed;
use serde::Serialize;
use utoipa::ToSchema;

/// Distribution of an experiment's traffic.
#[derive(Serialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct DistributionAnswer {
    /// Always true.
    pub(crate) success: bool,
    /// Id of the experiment.
    pub(crate) test_id: i64,
    /// Percentage of eligible visitors that enter.
    pub(crate) traffic_allocation: i64,
    /// `equal`, `custom` or `mab`.
    #[schema(value_type = schemas::DistributionMode)]
    pub(crate) distribution_mode: &'static str,
    /// 1 in multi-armed bandit mode.
    #[schema(value_type = schemas::Flag)]
    pub(crate) is_mab: u8,
    /// The control first.
    pub(crate) variants: Vec<ArmShare>,
    /// Explanation of a bandit's weights. Present while `is_mab` is 1, the experiment is not a personalization, and it
    /// has been live as a bandit.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub(crate) bandit: Option<Bandit>,
}

/// Explanation of a bandit's weights and costs. Visitors count once their conversion window is over.
#[derive(Serialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Bandit {
    /// Length of a period, in seconds, after which weights can move again. Periods begin at midnight in UTC.
    period_s: u64,
    /// Time at which the clock last moved the weights; null if never.
    #[schema(required, value_type = Option<String>, format = DateTime)]
    last_moved_at: Option<Instant>,
    /// The control first.
    arms: Vec<BanditArm>,
    /// Minimum weight of each arm, in percent.
    #[schema(example = 5.0)]
    floor: f64,
    /// Expected loss from visitors who met another arm than the best, averaged over what is known of the arms: in
    /// conversions, or in the unit of the value. Null until there is data for every arm.
    #[schema(required, example = 31.5)]
    regret: Option<f64>,
    /// Interval of the regret, at the experiment's confidence.
    #[schema(required, example = json!([12.0, 60.5]))]
    regret_interval: Option<[f64; 2]>,
    /// Expected loss of the same number of visitors with an even split.
    even_split: EvenSplit,
    /// Reason for the current weights, or why they do not move yet.
    #[schema(example = "Variant 1 is the best with a probability of 93.1 percent.")]
    reason: String,
}

/// Expected loss with an even split.
#[derive(Debug, Serialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct EvenSplit {
    /// Regret as for the bandit.
    #[schema(required, example = 104.0)]
    pub(super) regret: Option<f64>,
    /// Interval of the regret.
    #[schema(required, example = json!([40.0, 170.0]))]
    pub(super) regret_interval: Option<[f64; 2]>,
}

/// An arm of a bandit.
#[derive(Serialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct BanditArm {
    /// `"0"` for the control.
    variant_id: String,
    /// Probability that this arm is the best, in percent; null until there is data for every arm, and for an arm
    /// without weight.
    #[schema(required, example = 93.1)]
    probability_best: Option<f64>,
    /// Percent of the entering visitors who get this arm.
    weight: f64,
}

impl Bandit {
    /// Bandit with the numbers of its last result, which are `None` if weights cannot be derived from it.
    pub(crate) fn new(experiment: &Experiment, computed: &Computed, period_s: u64) -> Self {
        let look = computed.bandit.as_ref();
        let known = look.map(|look| &look.bandit);
        let numbers = known.and_then(|known| known.as_ref().ok());
        let weights = experiment.weights();
        let arms = (0..experiment.arms()).map(|number| {
            let arm = Arm(u32::try_from(number).unwrap_or(u32::MAX));
            let known = numbers.and_then(|known| known.arms.iter().find(|known| known.arm == number));
            BanditArm {
                variant_id: arm.id(),
                probability_best: known.map(|known| known.probability_best * 100.0),
                weight: share(weights.of(arm)),
            }
        });
        let weighted = weights.hundredths().iter().filter(|weight| **weight > 0).count();
        Self {
            period_s,
            last_moved_at: experiment.schedule.bandit.and_then(|record| record.last_moved_at),
            arms: arms.collect(),
            floor: muriel_analysis::bandit::floor(weighted) * 100.0,
            regret: numbers.map(|known| known.losses.sent.mean),
            regret_interval: numbers.map(|known| ends(known.losses.sent)),
            even_split: EvenSplit {
                regret: numbers.map(|known| known.losses.even_split.mean),
                regret_interval: numbers.map(|known| ends(known.losses.even_split)),
            },
            reason: match known {
                None if experiment.primary_goal.is_none() => {
                    "Weights follow the conversions of a primary goal, and the experiment has none.".to_owned()
                }
                None => "Weights do not move: each variant of a personalization has its own audience.".to_owned(),
                Some(Err(_)) => {
                    "Weights move once every variant has 20 visitors whose conversion window is over, and all \
                                 variants together have 10 conversions."
                        .to_owned()
                }
                Some(Ok(known)) => match computed.report.health.distrust() {
                    Some(message) => format!("Weights do not move while the numbers cannot be trusted. {message}"),
                    None => leading(known),
                },
            },
        }
    }
}

fn leading(known: &Known) -> String {
    let best = known.arms.iter().max_by(|one, other| one.probability_best.total_cmp(&other.probability_best));
    best.map_or_else(String::new, |best| {
        let arm = Arm(u32::try_from(best.arm).unwrap_or(u32::MAX));
        format!("{arm} is the best with a probability of {:.1} percent.", best.probability_best * 100.0)
    })
}

pub(super) fn ends(regret: KnownRegret) -> [f64; 2] {
    [regret.interval.lower, regret.interval.upper]
}

/// Converts a weight to percent.
fn share(hundredths: u32) -> f64 {
    f64::from(hundredths) * 100.0 / f64::from(WHOLE)
}

/// Share of an arm.
#[derive(Serialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct ArmShare {
    /// `"0"` for the control.
    variant_id: String,
    /// Name of the arm.
    name: String,
    /// Percent of the entering visitors who get this arm.
    traffic_weight: f64,
    /// `active`, or `paused` when its weight is 0.
    #[schema(value_type = schemas::ArmStatus)]
    variant_status: &'static str,
}

impl DistributionAnswer {
    /// Distribution in force.
    pub(crate) fn new(experiment: &Experiment, bandit: Option<Bandit>) -> Self {
        let configuration = &experiment.configuration;
        let weights = experiment.weights();
        let custom = matches!(configuration.distribution, Distribution::Weights(_));
        Self {
            success: true,
            test_id: experiment.id.0,
            traffic_allocation: configuration.traffic_allocation,
            distribution_mode: if configuration.is_mab {
                "mab"
            } else if custom {
                "custom"
            } else {
                "equal"
            },
            is_mab: configuration.is_mab.into(),
            bandit,
            variants: (0u32..)
                .zip(weights.hundredths())
                .map(|(arm, &weight)| ArmShare {
                    variant_id: Arm(arm).id(),
                    name: Arm(arm).to_string(),
                    traffic_weight: share(weight),
                    variant_status: if weight == 0 { "paused" } else { "active" },
                })
                .collect(),
        }
    }
}
