//! What it all means: a verdict per arm and metric.

use crate::arms::{Compared, compare};
use crate::design::{Design, PRIOR_SD, Trial};
use crate::family;
use crate::health::{Health, LEAST_CONVERTED, LEAST_TIME_US, LEAST_VISITORS, counted, health};
use crate::summary::{Measure, Metric, Role, Summaries};
use muriel_stats::bayes::{Prior, posterior};
use muriel_stats::boundary::{Mixture, Sequential, sequential};
use muriel_stats::srm::conversions_log_bayes_factor;
use muriel_stats::{Effect, Interval, Undefined};

/// Below this many conversions of both arms the exact test is worth showing.
const RARE: u64 = 100;
/// Its prior: shares some five points from even, a lift of a fifth.
const RARE_CONCENTRATION: f64 = 100.0;

/// What to do about an arm.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Verdict {
    /// It is better than the control.
    Win,
    /// It is worse.
    Loss,
    /// If there is a difference, it is too small to act on.
    NoDifference,
    /// Nothing can be said yet.
    KeepRunning,
    /// A check failed, so nothing can be said at all.
    DoNotTrust,
}

impl Verdict {
    /// Its word: `win`, `loss`, `no_difference`, `keep_running`, `do_not_trust`.
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

/// An arm beside the control. Lifts are fractions: 0.05 is 5 % more.
#[derive(Debug, Clone, PartialEq)]
pub struct Analysis {
    /// Which arm, 1 for `Variant 1`.
    pub arm: usize,
    /// Visitors of both who are compared: their time to convert is over, and they
    /// came under weights under which both arms got some.
    pub visitors: u64,
    /// Difference over the control's mean.
    pub lift: Option<f64>,
    /// Where the true lift is, with the design's confidence, at any time it is
    /// read. `None` while the control is too uncertain for a bound.
    pub lift_interval: Option<Interval>,
    /// Difference of the means.
    pub difference: Option<f64>,
    /// Where the true difference is.
    pub difference_interval: Option<Interval>,
    /// Always-valid p-value.
    pub p_value: Option<f64>,
    /// The same after correction over arms and metrics.
    pub p_value_adjusted: Option<f64>,
    /// Always-valid p-value of the exact test, where conversions are rare.
    pub exact_p_value: Option<f64>,
    /// Posterior probability of being better than the control.
    pub chance_to_beat_control: Option<f64>,
    /// Lift that is lost on average by choosing the arm, if it is worse.
    pub expected_loss: Option<f64>,
    /// Where the posterior has the lift.
    pub credible_interval: Option<Interval>,
    /// Whether a guardrail is known to have got worse.
    pub harmed: bool,
    /// Variance over that without what was known before entry; 1 where nothing was.
    pub variance_ratio: f64,
    /// Sets of weights that were compared on their own.
    pub strata: usize,
    /// Why there is no comparison.
    pub undefined: Option<Undefined>,
    /// What to do.
    pub verdict: Verdict,
    /// Why, as a sentence.
    pub reason: String,
}

/// A metric's comparisons.
#[derive(Debug, Clone, PartialEq)]
pub struct MetricReport {
    /// One per arm but the control, in their order.
    pub analyses: Vec<Analysis>,
}

/// What is known of an experiment.
#[derive(Debug, Clone, PartialEq)]
pub struct Report {
    /// Whether the data can be trusted.
    pub health: Health,
    /// In the order of the summaries' metrics.
    pub metrics: Vec<MetricReport>,
}

/// A lift as of some time.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Point {
    /// Difference over the control's mean.
    pub lift: Option<f64>,
    /// Where the true lift is; valid at any time it is read.
    pub lift_interval: Option<Interval>,
    /// Always-valid p-value.
    pub p_value: Option<f64>,
}

/// The lift of an arm by a metric's numbers as they were at some time.
pub fn point(design: &Design, metric: &Metric, arm: usize) -> Point {
    match judged(design, metric, arm) {
        Ok((_, test)) => {
            Point { lift: test.lift.ok(), lift_interval: test.lift_interval.ok(), p_value: Some(test.p_value) }
        }
        Err(_) => Point { lift: None, lift_interval: None, p_value: None },
    }
}

/// What the summaries say of an experiment of this design.
///
/// The first metric decides on its own; the others are one family. A failed
/// check makes every verdict [`Verdict::DoNotTrust`].
pub fn report(design: &Design, summaries: &Summaries) -> Report {
    let health = health(design, summaries);
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
    Report { health, metrics }
}

fn judged(design: &Design, metric: &Metric, arm: usize) -> muriel_stats::Result<(Compared, Sequential)> {
    let compared = compare(design, metric, arm, design.alpha())?;
    let test = test(&compared, compared.boundary)?;
    Ok((compared, test))
}

/// The sequential test, its time being units or epochs.
fn test(compared: &Compared, boundary: Mixture) -> muriel_stats::Result<Sequential> {
    sequential(&Effect { n: compared.time, ..compared.effect }, &boundary)
}

/// A comparison before it is corrected for the others.
struct Draft {
    arm: usize,
    /// Visitors of both whose time to convert is over.
    visitors: u64,
    judged: muriel_stats::Result<(Compared, Sequential)>,
}

/// What the other comparisons make of one.
#[derive(Clone, Copy)]
struct Corrected {
    p_value: Option<f64>,
    /// The level of its interval.
    level: f64,
}

/// The primary metric's arms are a family of their own; everything else is one.
fn corrected(design: &Design, summaries: &Summaries, drafts: &[Vec<Draft>]) -> Vec<Vec<Corrected>> {
    let alpha = design.alpha();
    let decides = |at: usize| summaries.metrics[at].role == Role::Primary;
    let logs: Vec<Option<f64>> = drafts
        .iter()
        .enumerate()
        .filter(|(at, _)| !decides(*at))
        .flat_map(|(_, drafts)| drafts.iter().map(|draft| draft.test().map(|test| test.log_e)))
        .collect();
    let of_rest = family::of_discoveries(&logs);
    let compared = logs.iter().flatten().count().max(1) as f64;
    let found = of_rest.iter().flatten().filter(|p| **p <= alpha).count().max(1) as f64;
    let mut of_rest = of_rest.into_iter();
    let of_metric = |(at, drafts): (usize, &Vec<Draft>)| {
        if !decides(at) {
            let each = of_rest.by_ref().take(drafts.len());
            return each.map(|p_value| Corrected { p_value, level: alpha * found / compared }).collect();
        }
        let p_values: Vec<Option<f64>> = drafts.iter().map(|draft| draft.test().map(|test| test.p_value)).collect();
        let of_arms = p_values.iter().flatten().count().max(1) as f64;
        let adjusted = family::of_arms(&p_values).into_iter();
        adjusted.map(|p_value| Corrected { p_value, level: alpha / of_arms }).collect()
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
        analysis.difference = Some(compared.effect.num);
        analysis.difference_interval = Some(test.interval);
        analysis.p_value = Some(test.p_value);
        analysis.exact_p_value = exact(design, metric, compared);
        analysis.undefined = test.lift.err().or(test.lift_interval.err());
        analysis.variance_ratio = compared.variance_ratio;
        analysis.strata = compared.strata;
        analysis.harmed = metric.role == Role::Guardrail && harmed(design, metric, self.arm, compared);
        let prior = Prior::Normal { mean: 0.0, sd: PRIOR_SD };
        if let Ok(view) = posterior(&compared.effect, &prior, design.alpha(), metric.lower_is_better) {
            let base = compared.effect.den.abs();
            analysis.chance_to_beat_control = Some(view.chance_to_win);
            analysis.expected_loss = Some(view.expected_loss_treatment / base);
            analysis.credible_interval =
                Some(Interval { lower: view.interval.lower / base, upper: view.interval.upper / base });
        }
        analysis
    }

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
        // Nobody in one arm while many converted in the other is no lack of data.
        let is_all_or_nothing = control.converted + treatment.converted >= 10 * LEAST_CONVERTED;
        if least < LEAST_VISITORS {
            return keep(format!(
                "One of the arms has {}; {LEAST_VISITORS} are the least to judge from.",
                counted(least, "visitor")
            ));
        }
        if fewest < LEAST_CONVERTED && !is_all_or_nothing {
            return keep(format!(
                "One of the arms has {}; {LEAST_CONVERTED} are the least to judge from.",
                counted(fewest, "conversion")
            ));
        }
        if summaries.observed_us < LEAST_TIME_US {
            return keep("A full day is not over yet, and days differ by the hour.".to_owned());
        }
        let better = (compared.effect.num > 0.0) != metric.lower_is_better;
        if corrected.p_value.is_some_and(|p| p < design.alpha()) {
            let word = if better { "better" } else { "worse" };
            let verdict = if better { Verdict::Win } else { Verdict::Loss };
            return (verdict, format!("It is {word} than the control, whenever this is read."));
        }
        let within = |interval: Interval| interval.lower >= -design.mde && interval.upper <= design.mde;
        if let Ok(judged) = compared.boundary.at_level(corrected.level).and_then(|level| self::test(compared, level))
            && judged.lift_interval.is_ok_and(within)
        {
            let margin = 100.0 * design.mde;
            return (Verdict::NoDifference, format!("The lift is within {margin} % of none, too small to act on."));
        }
        if test.p_value < design.alpha() {
            return keep("It stands out on its own, but not among all that are compared here.".to_owned());
        }
        keep("The interval still holds both better and worse.".to_owned())
    }
}

/// The exact test, which needs one set of weights and visitors that were
/// shared as these say.
fn exact(design: &Design, metric: &Metric, compared: &Compared) -> Option<f64> {
    let conversions = [compared.control.converted, compared.treatment.converted];
    let rare = metric.measure == Measure::Conversion && (1..RARE).contains(&conversions.iter().sum());
    if !rare || compared.strata != 1 || design.trial != Trial::Fixed {
        return None;
    }
    let weights = [compared.ratio.0 as f64, compared.ratio.1 as f64];
    let log = conversions_log_bayes_factor(&weights, &conversions, RARE_CONCENTRATION).ok()?;
    Some((-log).exp().min(1.0))
}

/// Whether a guardrail got worse: one-sided, as nobody stops for its better.
fn harmed(design: &Design, metric: &Metric, arm: usize, compared: &Compared) -> bool {
    let planned = match design.trial {
        Trial::Bandit if compared.strata > 1 => crate::design::BANDIT_EPOCHS,
        _ => design.planned_units(arm),
    };
    let (Ok(boundary), Ok(se)) =
        (Mixture::tuned_one_sided(planned, design.alpha().min(0.49)), compared.effect.std_error())
    else {
        return false;
    };
    let worse = if metric.lower_is_better { compared.effect.num } else { -compared.effect.num };
    worse > boundary.multiplier_one_sided(compared.time) * se
}

/// Why a comparison has no value, in the words of who reads a report.
fn in_visitors(problem: Undefined) -> String {
    match problem {
        Undefined::NoUnits => "an arm has no visitors".to_owned(),
        Undefined::TooFewUnits => "an arm has fewer than two visitors".to_owned(),
        other => other.to_string(),
    }
}
