//! The report: health checks, and a verdict for each metric and arm.
//!
//! Every arm is compared with the control by an always-valid test, so a report may be read, and the experiment stopped,
//! at any time. `docs/methods.md` explains the methods to users. Each method is a function of `muriel_stats`, with its
//! source there.
//!
//! The verdict is the first of these that applies:
//!
//! 1. [`Verdict::DoNotTrust`]: a health check failed that every comparison relies on.
//! 2. [`Verdict::KeepRunning`]: an arm has too few visitors or conversions, or a full day has not passed yet.
//! 3. [`Verdict::Win`] or [`Verdict::Loss`]: the p-value, corrected for the other comparisons, is below alpha.
//! 4. [`Verdict::NoDifference`]: the corrected interval of the lift is within the smallest lift worth acting on.
//! 5. [`Verdict::KeepRunning`].

use crate::arms::{Compared, compare};
use crate::design::{AllocationPolicy, Design, MIN_CONVERTED, MIN_OBSERVED_US, MIN_VISITORS, PRIOR_SD};
use crate::health::{Health, counted, health};
use crate::page::{PageHealth, page_health};
use crate::summary::{Measure, Metric, MetricRole, Summaries};
use muriel_stats::bayes::{Prior, posterior};
use muriel_stats::boundary::{self, BoundSide, Mixture, Sequential, sequential, sequential_bound};
use muriel_stats::lift::delta_lift;
use muriel_stats::multiplicity::{Correction, adjust, adjust_e_values, interval_alpha};
use muriel_stats::srm::conversions_log_bayes_factor;
use muriel_stats::{Effect, Interval, Undefined};

/// Number of conversions of both arms together below which the exact test is useful.
const RARE_CONVERSIONS: u64 = 100;
/// Concentration of the exact test's prior, in units: shares about five points from even, a lift of a fifth.
const RARE_CONCENTRATION: f64 = 100.0;
/// One-sided boundaries exist only for error rates below one half. The lowest confidence of a design is 50 %.
const MAX_ONE_SIDED_ALPHA: f64 = 0.49;

/// Recommendation about an arm.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Verdict {
    /// The arm is better than the control.
    Win,
    /// The arm is worse than the control.
    Loss,
    /// Any difference is too small to act on. The corrected interval of the lift is within ± [`Design::mde`].
    NoDifference,
    /// The data is not conclusive yet.
    KeepRunning,
    /// A health check failed, so no conclusion is possible.
    DoNotTrust,
}

impl Verdict {
    /// All verdicts.
    pub const ALL: [Self; 5] = [Self::Win, Self::Loss, Self::NoDifference, Self::KeepRunning, Self::DoNotTrust];

    /// Word in answers: `win`, `loss`, `no_difference`, `keep_running`, `do_not_trust`.
    pub fn word(self) -> &'static str {
        match self {
            Verdict::Win => "win",
            Verdict::Loss => "loss",
            Verdict::NoDifference => "no_difference",
            Verdict::KeepRunning => "keep_running",
            Verdict::DoNotTrust => "do_not_trust",
        }
    }
}

/// Comparison of an arm with the control. Lifts are fractions: 0.05 is 5 % more.
#[derive(Debug, Clone, PartialEq)]
pub struct Analysis {
    /// Number of the arm, 1 for `Variant 1`.
    pub arm: usize,
    /// Compared visitors of both arms: their conversion window has closed, and they entered under weights with which
    /// both arms got visitors.
    pub visitors: u64,
    /// Difference divided by the absolute mean of the control. `None` when that mean is 0, or when nothing can be
    /// compared.
    pub lift: Option<f64>,
    /// Always-valid confidence interval of the lift, at the design's confidence. `None` while the control is too
    /// uncertain for a bound.
    pub lift_interval: Option<Interval>,
    /// Standard error of the lift by the delta method. `None` without a lift, and while an arm has fewer than 10
    /// conversions, as the lift is then far from normally distributed.
    pub lift_std_error: Option<f64>,
    /// Difference of the means: in conversions per visitor, or in units of the value. Computed per set of weights and
    /// weighted by visitors, so it need not equal the difference of the arms' plain means.
    pub difference: Option<f64>,
    /// Always-valid confidence interval of the difference.
    pub difference_interval: Option<Interval>,
    /// Always-valid p-value.
    pub p_value: Option<f64>,
    /// P-value after correction: Holm's over the arms of the primary metric, e-BH over all others.
    pub p_value_adjusted: Option<f64>,
    /// Always-valid p-value of the exact test, for a conversion metric with 1 to 99 conversions of both arms together.
    /// `None` for more than one set of weights, for bandits and for personalizations.
    pub exact_p_value: Option<f64>,
    /// Posterior probability that the arm is better than the control. 0 to 1. The prior of the lift is normal with mean
    /// 0 and standard deviation 0.1.
    pub chance_to_beat_control: Option<f64>,
    /// Mean lift lost by choosing the arm if it is worse. A fraction of the control's mean, as the lift is.
    pub expected_loss: Option<f64>,
    /// Posterior interval of the lift. It contains the lift with the probability [`Design::confidence`].
    pub credible_interval: Option<Interval>,
    /// True when the metric is a guardrail that is known to have got worse. Always false for other roles.
    pub harmed: bool,
    /// Variance divided by that without the covariate from before entry; 1 when no covariate was used. At most 1.
    pub variance_ratio: f64,
    /// Number of sets of weights that were compared separately. 0 without a comparison. Each epoch of a bandit is a set
    /// of its own.
    pub strata: usize,
    /// Reason why there is no comparison. Also set when there is a difference but no lift, or a lift without an
    /// interval.
    pub undefined: Option<Undefined>,
    /// Recommendation.
    pub verdict: Verdict,
    /// Reason for the verdict, as a sentence.
    pub reason: String,
}

/// The comparisons of one metric.
#[derive(Debug, Clone, PartialEq)]
pub struct MetricReport {
    /// One for each arm except the control, in their order. Empty when the control is the only arm.
    pub analyses: Vec<Analysis>,
}

/// Report of an experiment at one moment.
#[derive(Debug, Clone, PartialEq)]
pub struct Report {
    /// Trust in the data.
    pub health: Health,
    /// Page health of the arms.
    pub page: PageHealth,
    /// Reports of the metrics, in the order of the summaries.
    pub metrics: Vec<MetricReport>,
}

/// A lift with its uncertainty, for a segment of the visitors or a day. Not corrected for other comparisons.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct LiftEstimate {
    /// Difference divided by the control's mean.
    pub lift: Option<f64>,
    /// Always-valid confidence interval of the lift.
    pub lift_interval: Option<Interval>,
    /// Always-valid p-value.
    pub p_value: Option<f64>,
}

/// Estimates the lift of an arm for one metric, for time series and breakdowns.
///
/// `arm` is 1 for `Variant 1`. All fields are `None` when nothing can be compared.
///
/// The interval has the confidence [`Design::confidence`]. As in the report, visitors with an open conversion window
/// are left out.
pub fn lift_estimate(design: &Design, metric: &Metric, arm: usize) -> LiftEstimate {
    match judged(design, metric, arm) {
        Ok((_, test)) => {
            LiftEstimate { lift: test.lift.ok(), lift_interval: test.lift_interval.ok(), p_value: Some(test.p_value) }
        }
        Err(_) => LiftEstimate { lift: None, lift_interval: None, p_value: None },
    }
}

/// Computes the report of an experiment with this design.
///
/// The primary metric is corrected on its own; all others form one family. A failed check makes every verdict
/// [`Verdict::DoNotTrust`].
///
/// Never fails. The result has one report for each metric of `summaries`, in their order. Where two arms cannot be
/// compared, [`Analysis::undefined`] has the reason. Several primary metrics are corrected separately, each over its
/// arms.
pub fn report(design: &Design, summaries: &Summaries) -> Report {
    let page = page_health(design, summaries);
    let health = health(design, summaries, &page);
    let drafts: Vec<Vec<Draft>> = summaries
        .metrics
        .iter()
        .map(|metric| (1..design.arms).map(|arm| Draft::new(design, metric, arm)).collect())
        .collect();
    let corrected = corrected(design, summaries, &drafts);
    let metrics = drafts
        .into_iter()
        .zip(corrected)
        .zip(&summaries.metrics)
        .map(|((drafts, corrected), metric)| MetricReport {
            analyses: drafts
                .into_iter()
                .zip(corrected)
                .map(|(draft, corrected)| draft.finish(design, summaries, metric, &health, corrected))
                .collect(),
        })
        .collect();
    Report { health, page, metrics }
}

/// Compares an arm with the control, with an always-valid test at the design's confidence.
///
/// # Errors
/// The reason why there is no comparison, such as an arm without visitors.
fn judged(design: &Design, metric: &Metric, arm: usize) -> muriel_stats::Result<(Compared, Sequential)> {
    let compared = compare(design, metric, arm, design.alpha())?;
    let test = test(&compared, compared.boundary)?;
    Ok((compared, test))
}

/// The sequential test, with units or epochs as its time.
fn test(compared: &Compared, boundary: Mixture) -> muriel_stats::Result<Sequential> {
    sequential(&Effect { n: compared.time, ..compared.effect }, &boundary)
}

/// A comparison before the correction for others.
struct Draft {
    arm: usize,
    /// Visitors of both arms whose conversion window has closed.
    visitors: u64,
    judged: muriel_stats::Result<(Compared, Sequential)>,
}

/// Result of the correction for other comparisons.
#[derive(Clone, Copy)]
struct Corrected {
    p_value: Option<f64>,
    /// Level of the interval.
    level: f64,
}

/// Corrects all comparisons. The arms of the primary metric are one family, all others another.
fn corrected(design: &Design, summaries: &Summaries, drafts: &[Vec<Draft>]) -> Vec<Vec<Corrected>> {
    let alpha = design.alpha();
    let decides = |at: usize| summaries.metrics[at].role == MetricRole::Primary;
    let logs: Vec<Option<f64>> = drafts
        .iter()
        .enumerate()
        .filter(|(at, _)| !decides(*at))
        .flat_map(|(_, drafts)| drafts.iter().map(|draft| draft.test().map(|test| test.log_e)))
        .collect();
    // Neither correction can fail: e-values are numbers, and p-values are between 0 and 1.
    let of_rest = adjust_e_values(&logs).unwrap_or_else(|_| vec![None; logs.len()]);
    let compared = logs.iter().flatten().count();
    let discoveries = of_rest.iter().flatten().filter(|p| **p <= alpha).count();
    // Without a comparison there is no interval to show.
    let level_of_rest = interval_alpha(alpha, discoveries, compared).unwrap_or(alpha);
    let mut of_rest = of_rest.into_iter();
    let of_metric = |(at, drafts): (usize, &Vec<Draft>)| {
        if !decides(at) {
            let each = of_rest.by_ref().take(drafts.len());
            return each.map(|p_value| Corrected { p_value, level: level_of_rest }).collect();
        }
        let p_values: Vec<Option<f64>> = drafts.iter().map(|draft| draft.test().map(|test| test.p_value)).collect();
        let level = interval_alpha(alpha, 0, p_values.iter().flatten().count()).unwrap_or(alpha);
        let adjusted = adjust(&p_values, Correction::Holm).unwrap_or_else(|_| vec![None; p_values.len()]);
        adjusted.into_iter().map(|p_value| Corrected { p_value, level }).collect()
    };
    drafts.iter().enumerate().map(of_metric).collect()
}

impl Draft {
    fn new(design: &Design, metric: &Metric, arm: usize) -> Self {
        let cells = metric.cells.iter().filter(|cell| (cell.arm == 0 || cell.arm == arm) && !cell.open);
        let visitors = cells.map(|cell| cell.summary.visitors).sum();
        Self { arm, visitors, judged: judged(design, metric, arm) }
    }

    fn test(&self) -> Option<&Sequential> {
        self.judged.as_ref().ok().map(|(_, test)| test)
    }

    fn finish(
        self,
        design: &Design,
        summaries: &Summaries,
        metric: &Metric,
        health: &Health,
        corrected: Corrected,
    ) -> Analysis {
        let (verdict, reason) = self.verdict(design, summaries, metric, health, corrected);
        let mut analysis = Analysis {
            arm: self.arm,
            visitors: self.visitors,
            lift: None,
            lift_interval: None,
            lift_std_error: None,
            difference: None,
            difference_interval: None,
            p_value: None,
            p_value_adjusted: corrected.p_value,
            exact_p_value: None,
            chance_to_beat_control: None,
            expected_loss: None,
            credible_interval: None,
            harmed: false,
            variance_ratio: 1.0,
            strata: 0,
            undefined: None,
            verdict,
            reason,
        };
        let (compared, test) = match &self.judged {
            Err(problem) => return Analysis { undefined: Some(*problem), ..analysis },
            Ok(judged) => judged,
        };
        analysis.visitors = compared.control.visitors + compared.treatment.visitors;
        analysis.lift = test.lift.ok();
        analysis.lift_interval = test.lift_interval.ok();
        let fewest = compared.control.converted.min(compared.treatment.converted);
        analysis.lift_std_error =
            delta_lift(&compared.effect).ok().filter(|_| fewest >= MIN_CONVERTED).map(|(_, std_error)| std_error);
        analysis.difference = Some(compared.effect.num);
        analysis.difference_interval = Some(test.interval);
        analysis.p_value = Some(test.p_value);
        analysis.exact_p_value = exact(design, metric, compared);
        analysis.undefined = test.lift.err().or(test.lift_interval.err());
        analysis.variance_ratio = compared.variance_ratio;
        analysis.strata = compared.strata;
        analysis.harmed = metric.role == MetricRole::Guardrail && harmed(design, metric, self.arm, compared);
        let prior = Prior::Normal { mean: 0.0, sd: PRIOR_SD };
        let view = posterior(&compared.effect, &prior, design.alpha(), metric.lower_is_better);
        if let Ok(view) = view.and_then(|view| view.in_lift_units(&compared.effect)) {
            analysis.chance_to_beat_control = Some(view.chance_to_win);
            analysis.expected_loss = Some(view.expected_loss_treatment);
            analysis.credible_interval = Some(view.interval);
        }
        analysis
    }

    /// Recommendation about the arm, and the reason as a sentence.
    fn verdict(
        &self,
        design: &Design,
        summaries: &Summaries,
        metric: &Metric,
        health: &Health,
        corrected: Corrected,
    ) -> (Verdict, String) {
        if let Some(why) = health.distrust() {
            return (Verdict::DoNotTrust, why.to_owned());
        }
        let keep = |why: String| (Verdict::KeepRunning, why);
        let (compared, test) = match &self.judged {
            Ok(judged) => judged,
            Err(problem) => return keep(format!("There is nothing to compare yet: {}.", in_visitors(*problem))),
        };
        let (control, treatment) = (&compared.control, &compared.treatment);
        let (least, fewest) = (control.visitors.min(treatment.visitors), control.converted.min(treatment.converted));
        // No conversions in one arm with many in the other is not a lack of data.
        let is_all_or_nothing = control.converted + treatment.converted >= 10 * MIN_CONVERTED;
        if least < MIN_VISITORS {
            return keep(format!(
                "One of the variants has {}; at least {MIN_VISITORS} are needed.",
                counted(least, "visitor")
            ));
        }
        if fewest < MIN_CONVERTED && !is_all_or_nothing {
            return keep(format!(
                "One of the variants has {}; at least {MIN_CONVERTED} are needed.",
                counted(fewest, "conversion")
            ));
        }
        if summaries.observed_us < MIN_OBSERVED_US {
            return keep("Less than a full day has passed, and results differ by the hour.".to_owned());
        }
        let better = (compared.effect.num > 0.0) != metric.lower_is_better;
        if corrected.p_value.is_some_and(|p| p < design.alpha()) {
            let word = if better { "better" } else { "worse" };
            let verdict = if better { Verdict::Win } else { Verdict::Loss };
            return (verdict, format!("It is {word} than the control, at any time you look."));
        }
        let within = |interval: Interval| interval.lower >= -design.mde && interval.upper <= design.mde;
        if let Ok(judged) = compared.boundary.at_level(corrected.level).and_then(|level| self::test(compared, level))
            && judged.lift_interval.is_ok_and(within)
        {
            let margin = 100.0 * design.mde;
            return (Verdict::NoDifference, format!("The lift is within {margin} % of zero, too small to act on."));
        }
        if test.p_value < design.alpha() {
            return keep("It is significant on its own, but not after the correction for all comparisons.".to_owned());
        }
        keep("The interval still includes both better and worse.".to_owned())
    }
}

/// Always-valid p-value of the exact test on conversions, for conversions so rare that the normal approximation is
/// coarse.
///
/// `None` when the test does not apply: it needs a single set of weights, and visitors who were shared by these
/// weights.
fn exact(design: &Design, metric: &Metric, compared: &Compared) -> Option<f64> {
    let conversions = [compared.control.converted, compared.treatment.converted];
    let rare = metric.measure == Measure::Conversion && (1..RARE_CONVERSIONS).contains(&conversions.iter().sum());
    if !rare || compared.strata != 1 || !matches!(design.policy, AllocationPolicy::Fixed | AllocationPolicy::Holdout) {
        return None;
    }
    let weights = [compared.ratio.0 as f64, compared.ratio.1 as f64];
    let log = conversions_log_bayes_factor(&weights, &conversions, RARE_CONCENTRATION).ok()?;
    Some(boundary::p_value(log))
}

/// Returns whether a guardrail got worse, by a one-sided always-valid bound: an improvement is not a reason to stop.
///
/// False when the bound cannot be computed.
fn harmed(design: &Design, metric: &Metric, arm: usize, compared: &Compared) -> bool {
    let planned = match design.policy {
        AllocationPolicy::Bandit if compared.strata > 1 => crate::design::BANDIT_EPOCHS,
        _ => design.planned_units(arm),
    };
    let effect = Effect { n: compared.time, ..compared.effect };
    let side = if metric.lower_is_better { BoundSide::Lower } else { BoundSide::Upper };
    let bound = Mixture::tuned_one_sided(planned, design.alpha().min(MAX_ONE_SIDED_ALPHA))
        .and_then(|boundary| sequential_bound(&effect, &boundary, side));
    match (bound, side) {
        (Ok(worst), BoundSide::Lower) => worst.bound > 0.0,
        (Ok(worst), BoundSide::Upper) => worst.bound < 0.0,
        (Err(_), _) => false,
    }
}

/// Reason why a comparison is undefined, in words for readers of a report.
fn in_visitors(problem: Undefined) -> String {
    match problem {
        Undefined::NoUnits => "a variant has no visitors".to_owned(),
        Undefined::TooFewUnits => "a variant has fewer than two visitors".to_owned(),
        other => other.to_string(),
    }
}
