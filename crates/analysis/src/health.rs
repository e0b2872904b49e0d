//! Health: whether the data can be trusted.
//!
//! Each check looks for one fault that voids or bends comparisons, and says what it found in a sentence for a person.
//! Thresholds are shares or p-values; those of p-values are always-valid where the check is read again and again.
//!
//! | check | fault | fails | warns |
//! |---|---|---|---|
//! | sample ratio | something loses visitors of an arm | p < 0.01 | p < 0.05 |
//! | crossovers | identities are lost, visitors meet several arms | > 1 % | > 0.1 % |
//! | minimum data | too little to judge from | | below the minimum |
//! | bots | programs among the visitors | | > 20 % |
//! | before start | clocks that are wrong, or a test that ran elsewhere | | > 0.1 % |
//! | epochs | weights that were changed by hand | | two sets or more |
//! | balance | arms differ in what assignment does not look at | | p < 0.001 |
//! | changes | changes that find nothing on the page | | one or more |
//! | page | pages of an arm that fail, come late or are slower | harm is known | any is known |
//! | other nodes | events that another server keeps | one runs | one ran |
//!
//! A failed sample ratio, crossovers or other nodes makes every verdict `do_not_trust`.

use crate::applied;
use crate::design::{AllocationPolicy, Design};
use crate::page::PageHealth;
use crate::summary::{MetricRole, OtherNodes, Summaries};
use muriel_stats::Undefined;
use muriel_stats::boundary;
use muriel_stats::contingency::independence;
use muriel_stats::srm::{self, ChiSquared};
use std::collections::BTreeMap;

/// P-value of the sample ratio below which the comparison is void. The test is always-valid, so daily looks do not raise
/// the rate of false alarms above this.
const SRM_FAIL_P: f64 = 0.01;
/// P-value of the sample ratio below which it is worth watching.
const SRM_WARN_P: f64 = 0.05;
/// Visitors in arms without weight that are a fault: more than so many, and than this
/// share. A page that kept its ruleset for some seconds after a change of weights
/// sends a few; whoever wants to spoil a result must send as many as matter.
const ZERO_WEIGHT_FAIL: (u64, f64) = (5, 0.001);
/// Shares of visitors in several arms of one epoch that are noted, and that void the comparison.
const CROSSED_WARN: f64 = 0.001;
const CROSSED_FAIL: f64 = 0.01;
/// The share of programs among visitors from which it is worth a look.
const BOTS_WARN: f64 = 0.2;
/// The share of visitors with exposures dated before the start from which it is no matter of
/// clocks that differ.
const EARLY_WARN: f64 = 0.001;
/// P-value below which an attribute is unbalanced, after Bonferroni's correction over the attributes. It is strict because
/// the test holds for one look, and reports are read often.
const BALANCE_WARN_P: f64 = 0.001;
/// Visitors that each arm needs before a comparison gets a verdict.
pub(crate) const MIN_VISITORS: u64 = 100;
/// Conversions that each arm needs before a comparison gets a verdict.
pub(crate) const MIN_CONVERTED: u64 = 10;
/// Microseconds from the first entry that have to be over before a verdict: a full day, as days differ by the hour.
pub(crate) const MIN_OBSERVED_US: i64 = 86_400_000_000;

/// How a check went, the better ones first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Grade {
    /// The check found no problem.
    Ok,
    /// The check had nothing to look at, so it neither found a problem nor ruled one out.
    Unknown,
    /// Worth knowing.
    Warn,
    /// What the check protects does not hold.
    Fail,
}

impl Grade {
    /// This grade of several checks together with that of one more, which counts as far
    /// as it is known: a check that does not apply to an experiment, such as that of the
    /// currency before the first order, must not hide what the others found.
    #[must_use]
    pub fn with(self, other: Grade) -> Grade {
        if other == Grade::Unknown { self } else { self.max(other) }
    }

    /// `ok`, `unknown`, `warn` or `fail`.
    pub fn word(self) -> &'static str {
        match self {
            Grade::Ok => "ok",
            Grade::Unknown => "unknown",
            Grade::Warn => "warn",
            Grade::Fail => "fail",
        }
    }
}

/// A check with what it found.
#[derive(Debug, Clone, PartialEq)]
pub struct HealthCheck {
    /// How it went.
    pub grade: Grade,
    /// A sentence for a person.
    pub message: String,
}

impl HealthCheck {
    /// A check that found this.
    pub fn new(grade: Grade, message: impl Into<String>) -> Self {
        Self { grade, message: message.into() }
    }
}

/// Visitors per arm beside what the weights promised.
#[derive(Debug, Clone, PartialEq)]
pub struct SampleRatioTest {
    /// The epoch; `None` for all of them.
    pub epoch: Option<i64>,
    /// Visitors per arm, the control first.
    pub observed: Vec<u64>,
    /// Visitors per arm by the weights.
    pub expected: Vec<f64>,
    /// Always-valid p-value: at most this probable under the weights, whenever it is read.
    pub p_value: Option<f64>,
    /// Pearson's test, which holds for a single look.
    pub chi_squared: Option<ChiSquared>,
}

/// Every check.
#[derive(Debug, Clone, PartialEq)]
pub struct Health {
    /// Whether visitors were shared as the weights say.
    pub sample_ratio: HealthCheck,
    /// Its numbers: all epochs together, then each.
    pub ratios: Vec<SampleRatioTest>,
    /// Whether visitors stayed in their arm.
    pub crossovers: HealthCheck,
    /// Whether there is enough to judge from.
    pub minimum_data: HealthCheck,
    /// How many programs were left out.
    pub bots: HealthCheck,
    /// Whether exposures are dated before the start, which do not count.
    pub before_start: HealthCheck,
    /// Whether weights changed on the way.
    pub epochs: HealthCheck,
    /// Whether the arms resemble each other in what assignment knows nothing of.
    pub balance: HealthCheck,
    /// Whether the changes of the arms found on pages what they change.
    pub changes: HealthCheck,
    /// Whether the pages of an arm fail, come late or are slower than the control's.
    pub page: HealthCheck,
    /// Whether other servers took events that are not here.
    pub other_nodes: HealthCheck,
}

impl Health {
    /// Every check with its name in answers, in the order in which they are shown.
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

    /// The worst of them. It is not `Ok` while a check without which no comparison can be
    /// trusted is unknown.
    pub fn grade(&self) -> Grade {
        let needed = self.sample_ratio.grade.max(self.crossovers.grade);
        self.checks().iter().fold(needed, |grade, (_, check)| grade.with(check.grade))
    }

    /// Why no comparison can be trusted, if none can.
    pub fn distrust(&self) -> Option<&str> {
        [&self.sample_ratio, &self.crossovers, &self.other_nodes]
            .into_iter()
            .find(|check| check.grade == Grade::Fail)
            .map(|check| check.message.as_str())
    }
}

/// Every check of an experiment of this design. A check that has nothing to look at is [`Grade::Unknown`].
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

/// Fails while another server runs: a visitor who met the arm there, or bought there,
/// is missing here.
fn other_nodes(summaries: &Summaries) -> HealthCheck {
    let OtherNodes { running, gone } = summaries.other_nodes;
    if running > 0 {
        let others = counted(running, "other node");
        let runs = if running == 1 { "runs" } else { "run" };
        let message = format!(
            "{others} {runs} on this database and keeps the events that it takes. They are missing here, so these \
             numbers are of a part of the visitors only. Run one node."
        );
        HealthCheck::new(Grade::Fail, message)
    } else if gone > 0 {
        let others = counted(gone, "other node");
        let message = format!(
            "{others} took events while this experiment ran, and stopped. They are missing here unless that node's \
             event log was imported; when it was, or none are of this experiment, forget the node (muriel node forget)."
        );
        HealthCheck::new(Grade::Warn, message)
    } else if visitors(summaries) == 0 {
        nobody()
    } else {
        HealthCheck::new(Grade::Ok, "No other server took events.")
    }
}

/// Visitors per arm of each epoch that has some.
fn counts(design: &Design, summaries: &Summaries) -> BTreeMap<i64, Vec<u64>> {
    let mut counts: BTreeMap<i64, Vec<u64>> = BTreeMap::new();
    for arrivals in summaries.arrivals.iter().filter(|arrivals| arrivals.arm < design.arms) {
        counts.entry(arrivals.epoch).or_insert_with(|| vec![0; design.arms])[arrivals.arm] += arrivals.visitors;
    }
    counts
}

/// The sample ratio of each epoch in which somebody entered, lowest number first.
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

/// Visitors of the arms that had weight; the others are counted separately.
fn placed(observed: &[u64], weights: &[f64]) -> Vec<u64> {
    observed.iter().zip(weights).map(|(seen, weight)| if *weight > 0.0 { *seen } else { 0 }).collect()
}

/// Always-valid p-value of these epochs' counts under their weights; `None`
/// without anybody.
fn sequential(epochs: Vec<srm::Epoch>) -> Option<f64> {
    match srm::mixed_over_epochs(&epochs) {
        Ok(log) => Some(boundary::p_value(log)),
        Err(Undefined::NoUnits) => None,
        // Somebody was where nobody could be.
        Err(_) => Some(0.0),
    }
}

/// Whether visitors were shared as the weights say, over all epochs together, and the numbers behind it.
///
/// Epochs multiply their evidence, so a change of weights is not a fault. Visitors in arms without weight are counted
/// separately: a few are pages that kept an old ruleset for some seconds, many are a fault of their own.
fn sample_ratio(design: &Design, summaries: &Summaries) -> (HealthCheck, Vec<SampleRatioTest>) {
    if design.policy == AllocationPolicy::Personalization {
        let message = "Visitors are shared by audience first, so the numbers per arm say nothing about the ratio.";
        return (HealthCheck::new(Grade::Unknown, message), Vec::new());
    }
    if design.arms < 2 {
        return (HealthCheck::new(Grade::Unknown, "There is one arm only."), Vec::new());
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
    // Many in arms without weight are a mismatch whatever the others are.
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
    let had_none = "seen in an arm that had no share of the traffic at that time";
    let seen = split(&overall.observed.iter().map(|n| *n as f64).collect::<Vec<_>>());
    let meant = split(&overall.expected);
    let check = if astray {
        let message = format!(
            "{} ({:.1} %) were {had_none}: something places visitors by other weights, so the arms cannot be compared.",
            counted(strays, "visitor"),
            100.0 * share(strays, all)
        );
        HealthCheck::new(Grade::Fail, message)
    } else if p_value < SRM_FAIL_P {
        let message = format!(
            "Visitors were shared {seen}, where the weights promise {meant}; by chance this happens less than once in {}. \
             Something keeps visitors out of an arm, so the arms cannot be compared.",
            once_in(p_value)
        );
        HealthCheck::new(Grade::Fail, message)
    } else if p_value < SRM_WARN_P {
        let message =
            format!("Visitors were shared {seen}, where the weights promise {meant}; this is rare. Watch it.");
        HealthCheck::new(Grade::Warn, message)
    } else if strays > 0 {
        let was = if strays == 1 { "was" } else { "were" };
        let message = format!(
            "{} of {all} {was} {had_none}, too few to matter. They are not compared.",
            counted(strays, "visitor")
        );
        HealthCheck::new(Grade::Warn, message)
    } else {
        let message = format!("Visitors were shared {seen}, within chance of what the weights promise ({meant}).");
        HealthCheck::new(Grade::Ok, message)
    };
    let ratios = std::iter::once(overall).chain(each).collect();
    (check, ratios)
}

/// What a check says before the first visitor.
fn nobody() -> HealthCheck {
    HealthCheck::new(Grade::Unknown, "Nobody entered yet.")
}

/// `1 visitor`, `2 visitors`.
pub(crate) fn counted(number: u64, what: &str) -> String {
    format!("{number} {what}{}", if number == 1 { "" } else { "s" })
}

/// How often something of this p-value happens by chance, in words: `250 times` for 0.004.
fn once_in(p_value: f64) -> String {
    if p_value < 1e-9 { "a thousand million times".to_owned() } else { format!("{:.0} times", (1.0 / p_value).floor()) }
}

/// `50.0 : 50.0` percent.
fn split(parts: &[f64]) -> String {
    let all: f64 = parts.iter().sum();
    let shares: Vec<String> = parts.iter().map(|part| format!("{:.1}", 100.0 * part / all.max(1.0))).collect();
    shares.join(" : ")
}

/// Visitors of all arms and epochs.
fn visitors(summaries: &Summaries) -> u64 {
    summaries.arrivals.iter().map(|arrivals| arrivals.visitors).sum()
}

/// A share of a whole, 0 to 1; 0 of nothing.
fn share(part: u64, of: u64) -> f64 {
    if of == 0 { 0.0 } else { part as f64 / of as f64 }
}

/// Whether visitors stayed in their arm. Visitors who met another one after a change of the experiment are not a fault.
fn crossovers(summaries: &Summaries) -> HealthCheck {
    let all = visitors(summaries);
    if all == 0 {
        return nobody();
    }
    let crossed = share(summaries.crossed, all);
    let moved = match summaries.moved {
        0 => String::new(),
        1 => " One more met another arm after a change of the experiment; it counts where it entered.".to_owned(),
        moved => {
            format!(" {moved} more met another arm after a change of the experiment; they count where they entered.")
        }
    };
    let number = summaries.crossed;
    if crossed > CROSSED_FAIL {
        let message = format!(
            "{} ({:.1} %) met more than one arm while nothing was changed: identities are not kept, and the arms \
             cannot be compared.{moved}",
            counted(number, "visitor"),
            100.0 * crossed
        );
        HealthCheck::new(Grade::Fail, message)
    } else if crossed > CROSSED_WARN {
        let message =
            format!("{} ({:.2} %) met more than one arm.{moved}", counted(number, "visitor"), 100.0 * crossed);
        HealthCheck::new(Grade::Warn, message)
    } else if number > 0 {
        let all = counted(all, "visitor");
        HealthCheck::new(Grade::Ok, format!("{number} of {all} met more than one arm, too few to matter.{moved}"))
    } else {
        HealthCheck::new(Grade::Ok, format!("No visitor met more than one arm of an epoch.{moved}"))
    }
}

/// What one arm still needs, in words.
fn minimum_data(design: &Design, summaries: &Summaries) -> HealthCheck {
    let Some(primary) = summaries.metrics.iter().find(|metric| metric.role == MetricRole::Primary) else {
        return HealthCheck::new(Grade::Warn, "There is no primary goal, so nothing can be called.");
    };
    let mut needs = Vec::new();
    for arm in 0..design.arms {
        let cells = || primary.cells.iter().filter(|cell| cell.arm == arm && !cell.open);
        let visitors: u64 = cells().map(|cell| cell.summary.visitors).sum();
        let converted: u64 = cells().map(|cell| cell.summary.converted).sum();
        if visitors < MIN_VISITORS {
            needs.push(format!("{} has {visitors} of {MIN_VISITORS} visitors", name(design, arm)));
        } else if converted < MIN_CONVERTED {
            needs.push(format!("{} has {converted} of {MIN_CONVERTED} conversions", name(design, arm)));
        }
    }
    if summaries.observed_us < MIN_OBSERVED_US {
        needs.push("a full day is not over yet".to_owned());
    }
    if needs.is_empty() {
        HealthCheck::new(Grade::Ok, "There is enough to judge from.")
    } else {
        HealthCheck::new(Grade::Warn, format!("Too early to call: {}.", needs.join("; ")))
    }
}

/// `Control`, `Variant 1`; of a holdout what its arms are.
pub(crate) fn name(design: &Design, arm: usize) -> String {
    match (design.policy, arm) {
        (AllocationPolicy::Holdout, 0) => "Held out".to_owned(),
        (AllocationPolicy::Holdout, _) => "Everybody else".to_owned(),
        (_, 0) => "Control".to_owned(),
        (_, number) => format!("Variant {number}"),
    }
}

/// How many visitors were programs, which count nowhere.
fn bots(summaries: &Summaries) -> HealthCheck {
    let bots = summaries.bots;
    let all = bots + visitors(summaries);
    if all == 0 {
        return nobody();
    }
    let of = share(bots, all);
    let message = match bots {
        0 => "No programs were among the visitors.".to_owned(),
        _ => format!("Programs, not people, were left out: {bots}, {:.1} % of all who came.", 100.0 * of),
    };
    HealthCheck::new(if of > BOTS_WARN { Grade::Warn } else { Grade::Ok }, message)
}

/// How many visitors sent exposures that are dated before the first start, which count nowhere.
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
        "{} sent exposures that are dated before the first start; these are in no result. A test that ran elsewhere can \
         be given its start when it is first started here, with started_at.",
        counted(early, "visitor")
    );
    HealthCheck::new(if share(early, all) > EARLY_WARN { Grade::Warn } else { Grade::Ok }, message)
}

/// Whether weights were changed while visitors entered. A bandit's always are.
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
            format!("Visitors entered in {epochs} epochs with {weights} sets of weights, as a bandit's do."),
        ),
        (epochs, weights) => {
            let message = format!(
                "Weights were changed while it ran: visitors entered in {epochs} epochs with {weights} sets of weights. \
                 Each set is compared on its own, and the differences are put together by their visitors."
            );
            HealthCheck::new(Grade::Warn, message)
        }
    }
}

/// Whether an attribute at entry depends on the arm, by Pearson's test of independence for each attribute. Assignment does
/// not look at attributes, so where one does, visitors of one kind are lost or counted twice in an arm.
fn balance(design: &Design, summaries: &Summaries) -> HealthCheck {
    if design.policy == AllocationPolicy::Personalization {
        return HealthCheck::new(
            Grade::Unknown,
            "Arms have audiences of their own, so they need not resemble each other.",
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
            "The arms cannot be compared: there are too few visitors, or their device, browser, system and country are \
             not known.",
        ),
        Some((p, dimension)) if p * (tables.len() as f64) < BALANCE_WARN_P => {
            let message = format!(
                "The arms differ by {} more than chance explains: visitors of one kind may be lost, or counted twice, in an arm.",
                dimension.replace('_', " ")
            );
            HealthCheck::new(Grade::Warn, message)
        }
        Some(_) => HealthCheck::new(Grade::Ok, "The arms resemble each other in device, browser, system and country."),
    }
}
