//! Health checks: whether the data can be trusted.
//!
//! Each check looks for one fault that invalidates or biases comparisons, and describes its findings in a sentence for
//! people. Thresholds are shares or p-values. The p-values of checks that are read repeatedly are always-valid.
//!
//! | check | fault | fails | warns |
//! |---|---|---|---|
//! | sample ratio | something loses visitors of an arm | p < 0.01 | p < 0.05 |
//! | crossovers | visitor ids are lost, visitors meet several arms | > 1 % | > 0.1 % |
//! | minimum data | too little data for a verdict | | below the minimum |
//! | bots | bots among the visitors | | > 20 % |
//! | before start | wrong clocks, or a test that ran elsewhere | | > 0.1 % |
//! | epochs | weights changed by hand | | two sets or more |
//! | balance | arms differ in attributes that assignment does not use | | p < 0.001 |
//! | changes | changes that match nothing on the page | | one or more |
//! | page | an arm's pages have errors, show it late, or are slower | harm is known | any is known |
//! | other nodes | events stored on another server | one runs | one ran |
//!
//! A failed sample ratio, crossovers or other-nodes check makes every verdict `do_not_trust`.

use crate::applied;
use crate::check::{Grade, HealthCheck};
use crate::design::{AllocationPolicy, Design, MIN_CONVERTED, MIN_OBSERVED_US, MIN_VISITORS};
use crate::page::PageHealth;
use crate::summary::{MetricRole, OtherNodes, Summaries};
use muriel_stats::Undefined;
use muriel_stats::boundary;
use muriel_stats::contingency::independence;
use muriel_stats::srm::{self, ChiSquared};
use std::collections::BTreeMap;

/// P-value of the sample ratio test below which the comparison is invalid. The test is always-valid, so daily checks do
/// not raise the rate of false alarms above this.
const SRM_FAIL_P: f64 = 0.01;
/// P-value of the sample ratio test below which it warns.
const SRM_WARN_P: f64 = 0.05;
/// Number and share of visitors in arms without weight above which they are a fault; both must be exceeded. Pages that
/// use their ruleset for some seconds after a change of weights send a few. An attacker who wants to distort a result
/// has to send enough visitors to matter.
const ZERO_WEIGHT_FAIL: (u64, f64) = (5, 0.001);
/// Shares of visitors in several arms of one epoch: the first warns, the second invalidates the comparison.
const CROSSED_WARN: f64 = 0.001;
const CROSSED_FAIL: f64 = 0.01;
/// Share of bots among visitors above which the check warns.
const BOTS_WARN: f64 = 0.2;
/// Share of visitors with exposures dated before the start above which clock differences do not explain them.
const EARLY_WARN: f64 = 0.001;
/// P-value below which an attribute is unbalanced, after Bonferroni's correction over the attributes. It is strict
/// because the test is valid for one check, and reports are read often.
const BALANCE_WARN_P: f64 = 0.001;

/// Sample ratio test: visitors per arm compared with the weights.
#[derive(Debug, Clone, PartialEq)]
pub struct SampleRatioTest {
    /// Number of the epoch; `None` for all together.
    pub epoch: Option<i64>,
    /// Observed visitors per arm, the control first. Visitors in arms without weight are included.
    pub observed: Vec<u64>,
    /// Expected visitors per arm, from the weights. All 0 when no arm had weight.
    pub expected: Vec<f64>,
    /// Always-valid p-value: the probability of such counts under the weights is at most this, however often it is
    /// read. `None` for an epoch without visitors in arms that had weight.
    pub p_value: Option<f64>,
    /// Pearson's test, which is valid for a single check.
    pub chi_squared: Option<ChiSquared>,
}

/// All health checks of an experiment.
#[derive(Debug, Clone, PartialEq)]
pub struct Health {
    /// Visitors are shared as the weights say.
    pub sample_ratio: HealthCheck,
    /// Numbers of the sample ratio check: all epochs together, then each. Empty for personalizations, for a single arm,
    /// and before the first visitor.
    pub ratios: Vec<SampleRatioTest>,
    /// Visitors stay in their arm.
    pub crossovers: HealthCheck,
    /// There is enough data for a verdict.
    pub minimum_data: HealthCheck,
    /// Bots that were left out.
    pub bots: HealthCheck,
    /// Exposures dated before the start, which do not count.
    pub before_start: HealthCheck,
    /// Weights did not change during the experiment.
    pub epochs: HealthCheck,
    /// Arms are alike in attributes that assignment does not use.
    pub balance: HealthCheck,
    /// The arms' changes matched elements on pages.
    pub changes: HealthCheck,
    /// The pages of an arm do not have more errors, do not show it late and are not slower than the control's.
    pub page: HealthCheck,
    /// No other servers took events that are not stored here.
    pub other_nodes: HealthCheck,
}

impl Health {
    /// All checks with their names in answers, in display order.
    pub fn checks(&self) -> [(&'static str, &HealthCheck); 10] {
        [
            ("sample_ratio", &self.sample_ratio),
            ("crossovers", &self.crossovers),
            ("minimum_data", &self.minimum_data),
            ("bots", &self.bots),
            ("before_start", &self.before_start),
            ("epochs", &self.epochs),
            ("balance", &self.balance),
            ("changes", &self.changes),
            ("page", &self.page),
            ("other_nodes", &self.other_nodes),
        ]
    }

    /// The worst grade of all checks. Not `Ok` while a check that every comparison relies on is unknown. These are the
    /// sample ratio and the crossovers. Any other check that is unknown is ignored.
    pub fn grade(&self) -> Grade {
        let needed = self.sample_ratio.grade.max(self.crossovers.grade);
        self.checks().iter().fold(needed, |grade, (_, check)| grade.with(check.grade))
    }

    /// Reason why no comparison can be trusted. `None` when they can be trusted.
    ///
    /// Returns the message of the first failed check among sample ratio, crossovers and other nodes. No other check
    /// affects verdicts.
    pub fn distrust(&self) -> Option<&str> {
        [&self.sample_ratio, &self.crossovers, &self.other_nodes]
            .into_iter()
            .find(|check| check.grade == Grade::Fail)
            .map(|check| check.message.as_str())
    }
}

/// Runs all checks of an experiment with this design. A check without data is [`Grade::Unknown`].
pub(crate) fn health(design: &Design, summaries: &Summaries, page: &PageHealth) -> Health {
    let (sample_ratio, ratios) = sample_ratio(design, summaries);
    Health {
        sample_ratio,
        ratios,
        crossovers: crossovers(summaries),
        minimum_data: minimum_data(design, summaries),
        bots: bots(summaries),
        before_start: before_start(summaries),
        epochs: epochs(design, summaries),
        balance: balance(design, summaries),
        changes: applied::changes(summaries),
        page: page.check.clone(),
        other_nodes: other_nodes(summaries),
    }
}

/// Fails while another server runs: visitors who entered or converted there are missing here.
fn other_nodes(summaries: &Summaries) -> HealthCheck {
    let OtherNodes { running, gone } = summaries.other_nodes;
    if running > 0 {
        let others = counted(running, "other node");
        let runs = if running == 1 { "runs" } else { "run" };
        let message = format!(
            "{others} {runs} on this database and keeps the events that it takes. They are missing here, so these \
             numbers cover only some of the visitors. Run one node."
        );
        HealthCheck::new(Grade::Fail, message)
    } else if gone > 0 {
        let others = counted(gone, "other node");
        let message = format!(
            "{others} took events while this experiment ran, and stopped. They are missing here unless that node's \
             event log was imported. If it was, or no events belong to this experiment, forget the node (muriel node \
             forget)."
        );
        HealthCheck::new(Grade::Warn, message)
    } else if visitors(summaries) == 0 {
        nobody()
    } else {
        HealthCheck::new(Grade::Ok, "No other server took events.")
    }
}

/// Visitors per arm, for each epoch with visitors.
fn counts(design: &Design, summaries: &Summaries) -> BTreeMap<i64, Vec<u64>> {
    let mut counts: BTreeMap<i64, Vec<u64>> = BTreeMap::new();
    for arrivals in summaries.arrivals.iter().filter(|arrivals| arrivals.arm < design.arms) {
        counts.entry(arrivals.epoch).or_insert_with(|| vec![0; design.arms])[arrivals.arm] += arrivals.visitors;
    }
    counts
}

/// Sample ratio tests of all epochs with visitors, in ascending order of number.
///
/// Arrivals in arms that the design does not have are left out. The policy is not checked: the ratios of a
/// personalization are meaningless, because its visitors are split by audience first. P-values are not corrected for
/// the number of epochs.
pub fn epoch_ratios(design: &Design, summaries: &Summaries) -> Vec<SampleRatioTest> {
    counts(design, summaries)
        .into_iter()
        .map(|(epoch, observed)| {
            let weights: Vec<f64> = design.weights(epoch).into_iter().map(f64::from).collect();
            let (all, total) = (observed.iter().sum::<u64>() as f64, weights.iter().sum::<f64>());
            let expected = weights.iter().map(|weight| if total > 0.0 { all * weight / total } else { 0.0 }).collect();
            let counts = placed(&observed, &weights);
            let p_value = sequential(vec![srm::Epoch { weights: weights.clone(), counts: counts.clone() }]);
            let chi_squared = srm::chi_squared(&counts, &weights).ok();
            SampleRatioTest { epoch: Some(epoch), p_value, chi_squared, observed, expected }
        })
        .collect()
}

/// Visitors of the arms with weight. The others are counted separately.
fn placed(observed: &[u64], weights: &[f64]) -> Vec<u64> {
    observed.iter().zip(weights).map(|(seen, weight)| if *weight > 0.0 { *seen } else { 0 }).collect()
}

/// Always-valid p-value of the epochs' counts under their weights. `None` without visitors.
fn sequential(epochs: Vec<srm::Epoch>) -> Option<f64> {
    match srm::mixed_over_epochs(&epochs) {
        Ok(log) => Some(boundary::p_value(log)),
        Err(Undefined::NoUnits) => None,
        // There were visitors where the weights allow none.
        Err(_) => Some(0.0),
    }
}

/// Checks that visitors are shared as the weights say, over all epochs together. Returns the numbers as well.
///
/// The evidence of epochs multiplies, so a change of weights is not a fault. Visitors in arms without weight are
/// counted separately: a few come from pages that used an old ruleset for some seconds, many are a separate fault.
fn sample_ratio(design: &Design, summaries: &Summaries) -> (HealthCheck, Vec<SampleRatioTest>) {
    if design.policy == AllocationPolicy::Personalization {
        let message = "Visitors are split by audience first, so the numbers per variant say nothing about the ratio.";
        return (HealthCheck::new(Grade::Unknown, message), Vec::new());
    }
    if design.arms < 2 {
        return (HealthCheck::new(Grade::Unknown, "There is only one variant."), Vec::new());
    }
    let each = epoch_ratios(design, summaries);
    let arms = design.arms;
    let (mut observed, mut expected) = (vec![0; arms], vec![0.0; arms]);
    for ratio in &each {
        for arm in 0..arms {
            observed[arm] += ratio.observed[arm];
            expected[arm] += ratio.expected[arm];
        }
    }
    if observed.iter().sum::<u64>() == 0 {
        return (nobody(), Vec::new());
    }
    let epochs: Vec<_> = each
        .iter()
        .map(|ratio| {
            let weights: Vec<f64> = design.weights(ratio.epoch.unwrap_or(0)).into_iter().map(f64::from).collect();
            srm::Epoch { counts: placed(&ratio.observed, &weights), weights }
        })
        .collect();
    // Many visitors in arms without weight are a mismatch, whatever the other counts are.
    let all: u64 = observed.iter().sum();
    let in_place: u64 = epochs.iter().flat_map(|epoch| &epoch.counts).sum();
    let strays = all - in_place;
    let astray = strays > ZERO_WEIGHT_FAIL.0 && share(strays, all) > ZERO_WEIGHT_FAIL.1;
    let p_value = if astray { 0.0 } else { sequential(epochs).unwrap_or(1.0) };
    let overall = SampleRatioTest {
        epoch: None,
        p_value: Some(p_value),
        chi_squared: srm::chi_squared(&observed, &expected).ok(),
        observed,
        expected,
    };
    let had_none = "seen in a variant that had no share of the traffic at that time";
    let seen = split(&overall.observed.iter().map(|n| *n as f64).collect::<Vec<_>>());
    let meant = split(&overall.expected);
    let check = if astray {
        let message = format!(
            "{} ({:.1} %) were {had_none}: something places visitors by other weights, so the variants cannot be compared.",
            counted(strays, "visitor"),
            100.0 * share(strays, all)
        );
        HealthCheck::new(Grade::Fail, message)
    } else if p_value < SRM_FAIL_P {
        let message = format!(
            "Visitors were split {seen}, but the weights say {meant}; by chance this happens less than once in {}. \
             Something keeps visitors out of a variant, so the variants cannot be compared.",
            once_in(p_value)
        );
        HealthCheck::new(Grade::Fail, message)
    } else if p_value < SRM_WARN_P {
        let message = format!("Visitors were split {seen}, but the weights say {meant}; this is rare. Watch it.");
        HealthCheck::new(Grade::Warn, message)
    } else if strays > 0 {
        let was = if strays == 1 { "was" } else { "were" };
        let message = format!(
            "{} of {all} {was} {had_none}, too few to matter. They are not compared.",
            counted(strays, "visitor")
        );
        HealthCheck::new(Grade::Warn, message)
    } else {
        let message = format!("Visitors were split {seen}, within chance of the weights ({meant}).");
        HealthCheck::new(Grade::Ok, message)
    };
    let ratios = std::iter::once(overall).chain(each).collect();
    (check, ratios)
}

/// Result of a check before the first visitor.
fn nobody() -> HealthCheck {
    HealthCheck::new(Grade::Unknown, "Nobody entered yet.")
}

/// Number with noun: `1 visitor`, `2 visitors`.
pub(crate) fn counted(number: u64, what: &str) -> String {
    format!("{number} {what}{}", if number == 1 { "" } else { "s" })
}

/// Frequency of a p-value by chance, in words: `250 times` for 0.004.
fn once_in(p_value: f64) -> String {
    if p_value < 1e-9 { "a thousand million times".to_owned() } else { format!("{:.0} times", (1.0 / p_value).floor()) }
}

/// Percentages: `50.0 : 50.0`.
fn split(parts: &[f64]) -> String {
    let all: f64 = parts.iter().sum();
    let shares: Vec<String> = parts.iter().map(|part| format!("{:.1}", 100.0 * part / all.max(1.0))).collect();
    shares.join(" : ")
}

/// Visitors of all arms and epochs.
fn visitors(summaries: &Summaries) -> u64 {
    summaries.arrivals.iter().map(|arrivals| arrivals.visitors).sum()
}

/// Share of a whole, 0 to 1; 0 when the whole is 0.
fn share(part: u64, of: u64) -> f64 {
    if of == 0 { 0.0 } else { part as f64 / of as f64 }
}

/// Checks that visitors stay in their arm. Visitors who met another arm after a change of the experiment are not a
/// fault.
fn crossovers(summaries: &Summaries) -> HealthCheck {
    let all = visitors(summaries);
    if all == 0 {
        return nobody();
    }
    let crossed = share(summaries.crossed, all);
    let moved = match summaries.moved {
        0 => String::new(),
        1 => " One more met another variant after a change of the experiment; it counts where it entered.".to_owned(),
        moved => {
            format!(
                " {moved} more met another variant after a change of the experiment; they count where they entered."
            )
        }
    };
    let number = summaries.crossed;
    if crossed > CROSSED_FAIL {
        let message = format!(
            "{} ({:.1} %) met more than one variant while nothing was changed: visitor ids are not stable, so the \
             variants cannot be compared.{moved}",
            counted(number, "visitor"),
            100.0 * crossed
        );
        HealthCheck::new(Grade::Fail, message)
    } else if crossed > CROSSED_WARN {
        let message =
            format!("{} ({:.2} %) met more than one variant.{moved}", counted(number, "visitor"), 100.0 * crossed);
        HealthCheck::new(Grade::Warn, message)
    } else if number > 0 {
        let all = counted(all, "visitor");
        HealthCheck::new(Grade::Ok, format!("{number} of {all} met more than one variant, too few to matter.{moved}"))
    } else {
        HealthCheck::new(Grade::Ok, format!("No visitor met more than one variant of an epoch.{moved}"))
    }
}

/// Checks that each arm has enough data, and says what is missing.
fn minimum_data(design: &Design, summaries: &Summaries) -> HealthCheck {
    let Some(primary) = summaries.metrics.iter().find(|metric| metric.role == MetricRole::Primary) else {
        return HealthCheck::new(Grade::Warn, "There is no primary goal, so there is no verdict.");
    };
    let mut needs = Vec::new();
    for arm in 0..design.arms {
        let cells = || primary.cells.iter().filter(|cell| cell.arm == arm && !cell.open);
        let visitors: u64 = cells().map(|cell| cell.summary.visitors).sum();
        let converted: u64 = cells().map(|cell| cell.summary.converted).sum();
        if visitors < MIN_VISITORS {
            needs.push(format!("{} has {visitors} of {MIN_VISITORS} visitors", design.arm_name(arm)));
        } else if converted < MIN_CONVERTED {
            needs.push(format!("{} has {converted} of {MIN_CONVERTED} conversions", design.arm_name(arm)));
        }
    }
    if summaries.observed_us < MIN_OBSERVED_US {
        needs.push("less than a full day has passed".to_owned());
    }
    if needs.is_empty() {
        HealthCheck::new(Grade::Ok, "There is enough data for a verdict.")
    } else {
        HealthCheck::new(Grade::Warn, format!("Too early to call: {}.", needs.join("; ")))
    }
}

/// Counts the bots, which are left out everywhere.
fn bots(summaries: &Summaries) -> HealthCheck {
    let bots = summaries.bots;
    let all = bots + visitors(summaries);
    if all == 0 {
        return nobody();
    }
    let of = share(bots, all);
    let message = match bots {
        0 => "No bots were among the visitors.".to_owned(),
        _ => format!("Bots were left out: {bots}, {:.1} % of bots and visitors together.", 100.0 * of),
    };
    HealthCheck::new(if of > BOTS_WARN { Grade::Warn } else { Grade::Ok }, message)
}

/// Counts visitors whose exposures are dated before the first start. They are left out everywhere.
fn before_start(summaries: &Summaries) -> HealthCheck {
    let early = summaries.early;
    let all = early + visitors(summaries);
    if all == 0 {
        return nobody();
    }
    if early == 0 {
        return HealthCheck::new(Grade::Ok, "No exposure is dated before the start.");
    }
    let message = format!(
        "{} sent exposures that are dated before the first start; results do not count them. For a test that ran \
         elsewhere, send its start as started_at when you first start it here.",
        counted(early, "visitor")
    );
    HealthCheck::new(if share(early, all) > EARLY_WARN { Grade::Warn } else { Grade::Ok }, message)
}

/// Checks whether weights changed while visitors entered. Those of a bandit always do.
fn epochs(design: &Design, summaries: &Summaries) -> HealthCheck {
    let seen: Vec<i64> = counts(design, summaries).into_keys().collect();
    let mut weights: Vec<Vec<u32>> = seen.iter().map(|epoch| design.weights(*epoch)).collect();
    weights.sort_unstable();
    weights.dedup();
    match (seen.len(), weights.len()) {
        (0, _) => nobody(),
        (1, _) => HealthCheck::new(Grade::Ok, "Nothing was changed while visitors entered."),
        (epochs, 0 | 1) => {
            HealthCheck::new(Grade::Ok, format!("Visitors entered in {epochs} epochs, all with the same weights."))
        }
        (epochs, weights) if design.policy == AllocationPolicy::Bandit => HealthCheck::new(
            Grade::Ok,
            format!("Visitors entered in {epochs} epochs with {weights} sets of weights, as usual for a bandit."),
        ),
        (epochs, weights) => {
            let message = format!(
                "Weights were changed while it ran: visitors entered in {epochs} epochs with {weights} sets of weights. \
                 Each set is compared on its own, and the differences are combined, weighted by visitors."
            );
            HealthCheck::new(Grade::Warn, message)
        }
    }
}

/// Checks whether an attribute at entry depends on the arm, by Pearson's test of independence for each attribute.
/// Assignment does not use attributes, so a dependence means that visitors of one kind are lost or counted twice in an
/// arm.
fn balance(design: &Design, summaries: &Summaries) -> HealthCheck {
    if design.policy == AllocationPolicy::Personalization {
        return HealthCheck::new(
            Grade::Unknown,
            "Variants have audiences of their own, so they need not resemble each other.",
        );
    }
    let mut tables: BTreeMap<&str, BTreeMap<&str, Vec<f64>>> = BTreeMap::new();
    for row in summaries.balance.iter().filter(|row| row.arm < design.arms) {
        let values = tables.entry(&row.dimension).or_default();
        values.entry(&row.value).or_insert_with(|| vec![0.0; design.arms])[row.arm] += row.visitors as f64;
    }
    let mut worst: Option<(f64, &str)> = None;
    for (dimension, values) in &tables {
        let rows: Vec<&[f64]> = values.values().map(Vec::as_slice).collect();
        if let Ok(p) = independence(&rows)
            && worst.is_none_or(|(least, _)| p < least)
        {
            worst = Some((p, dimension));
        }
    }
    match worst {
        None => HealthCheck::new(
            Grade::Unknown,
            "The variants cannot be compared: there are too few visitors, or their device, browser, system and country are \
             not known.",
        ),
        Some((p, dimension)) if p * (tables.len() as f64) < BALANCE_WARN_P => {
            let message = format!(
                "The variants differ by {} more than chance explains: visitors of one kind may be lost, or counted twice, in a variant.",
                dimension.replace('_', " ")
            );
            HealthCheck::new(Grade::Warn, message)
        }
        Some(_) => {
            HealthCheck::new(Grade::Ok, "The variants resemble each other in device, browser, system and country.")
        }
    }
}
