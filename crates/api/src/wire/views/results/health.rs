//! Whether the data can be trusted.

use muriel_analysis::{Check, Health as Checks, Ratio as Shares};
use muriel_domain::experiment::Arm;
use muriel_results::Computed;
use muriel_stats::srm::ChiSquared;
use serde::Serialize;
use utoipa::ToSchema;

/// Whether the data can be trusted.
#[derive(Debug, Serialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Health {
    /// The worst of the checks.
    status: &'static str,
    /// Whether visitors were shared as the weights say. When it fails, every
    /// verdict is `do_not_trust`.
    sample_ratio: RatioCheck,
    /// Whether visitors stayed in their arm. When it fails, every verdict is `do_not_trust`.
    crossovers: HealthCheck,
    /// Whether there is enough to judge from.
    minimum_data: HealthCheck,
    /// Suspected programs, which are left out.
    bots: HealthCheck,
    /// Whether weights changed on the way.
    epochs: HealthCheck,
    /// Whether the arms resemble each other at entry.
    balance: HealthCheck,
    /// Whether built-in metrics got worse.
    guardrails: HealthCheck,
    /// Whether orders were in several currencies; of revenue goals.
    #[serde(skip_serializing_if = "Option::is_none")]
    currency: Option<HealthCheck>,
}

/// One check.
#[derive(Debug, Serialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct HealthCheck {
    /// `ok`, `warn` or `fail`.
    status: &'static str,
    /// A sentence for a person.
    message: String,
}

/// The sample ratio test.
#[derive(Debug, Serialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct RatioCheck {
    /// `ok`, `warn` or `fail`.
    status: &'static str,
    /// A sentence for a person.
    message: String,
    /// Sequential test over all epochs, valid at any look; below 0.01 it fails.
    #[schema(required)]
    p_value: Option<f64>,
    /// Pearson's test for comparison, valid for one look.
    #[schema(required)]
    chi_squared_p_value: Option<f64>,
    /// Each epoch with visitors.
    epochs: Vec<EpochRatio>,
}

/// Visitors of an epoch.
#[derive(Debug, Serialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct EpochRatio {
    /// Its number. Exposures that name no epoch belong to the one of their time.
    epoch: i64,
    /// Visitors per arm, the control first.
    observed: Vec<u64>,
    /// Visitors per arm by the weights.
    expected: Vec<f64>,
    /// Sequential test of this epoch alone.
    #[schema(required)]
    p_value: Option<f64>,
    /// Pearson's test of this epoch alone.
    #[schema(required)]
    chi_squared_p_value: Option<f64>,
}

impl Health {
    /// What the report's checks found, and what the built-in metrics and the currency say.
    pub(super) fn new(computed: &Computed) -> Self {
        let checks: &Checks = &computed.report.health;
        let harmed: Vec<String> = computed
            .manifest
            .metrics
            .iter()
            .zip(&computed.report.metrics)
            .flat_map(|(facts, metric)| {
                let harmed = metric.analyses.iter().filter(|analysis| analysis.harmed);
                harmed.map(|analysis| format!("{} in {}", facts.name, name_of(analysis.arm)))
            })
            .collect();
        let guardrails = if harmed.is_empty() {
            HealthCheck::plain("ok", "No built-in metric is known to have got worse.")
        } else {
            HealthCheck::plain("warn", format!("Got worse: {}.", harmed.join(", ")))
        };
        let currency =
        computed.manifest.top().filter(|facts| facts.is_revenue()).and(computed.metrics.first()).map(|shown| {
            let currency = shown.currency.as_deref().unwrap_or("no currency");
            match shown.other_currency_orders {
                0 => HealthCheck::plain("ok", "All orders are in one currency."),
                others => HealthCheck::plain(
                    "warn",
                    format!(
                        "Left out, as their values are not in {currency}: {others} orders. Send values in one currency."
                    ),
                ),
            }
        });
        let worst = checks.grade().word();
        let warned = [Some(&guardrails), currency.as_ref()].into_iter().flatten().any(|check| check.status == "warn");
        Self {
            status: if worst == "ok" && warned { "warn" } else { worst },
            sample_ratio: RatioCheck::new(&checks.sample_ratio, &checks.ratios),
            crossovers: HealthCheck::new(&checks.crossovers),
            minimum_data: HealthCheck::new(&checks.minimum_data),
            bots: HealthCheck::new(&checks.bots),
            epochs: HealthCheck::new(&checks.epochs),
            balance: HealthCheck::new(&checks.balance),
            guardrails,
            currency,
        }
    }
}

impl HealthCheck {
    fn new(check: &Check) -> Self {
        Self { status: check.grade.word(), message: check.message.clone() }
    }

    fn plain(status: &'static str, message: impl Into<String>) -> Self {
        Self { status, message: message.into() }
    }
}

impl RatioCheck {
    fn new(check: &Check, ratios: &[Shares]) -> Self {
        let overall = ratios.iter().find(|ratio| ratio.epoch.is_none());
        let chi_squared = |ratio: &Shares| ratio.chi_squared.as_ref().map(ChiSquared::p_value);
        Self {
            status: check.grade.word(),
            message: check.message.clone(),
            p_value: overall.and_then(|ratio| ratio.p_value),
            chi_squared_p_value: overall.and_then(chi_squared),
            epochs: ratios
                .iter()
                .filter_map(|ratio| {
                    Some(EpochRatio {
                        epoch: ratio.epoch?,
                        observed: ratio.observed.clone(),
                        expected: ratio.expected.clone(),
                        p_value: ratio.p_value,
                        chi_squared_p_value: chi_squared(ratio),
                    })
                })
                .collect(),
        }
    }
}

fn name_of(arm: usize) -> String {
    Arm(u32::try_from(arm).unwrap_or(u32::MAX)).to_string()
}
