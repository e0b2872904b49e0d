//! Whether the data can be trusted.

use crate::applied;
use crate::design::{Design, Trial};
use crate::summary::{OtherNodes, Role, Summaries};
use muriel_stats::Undefined;
use muriel_stats::srm::{self, ChiSquared};
use std::collections::BTreeMap;

/// The sample ratio alarm.
const RATIO_ALARM: f64 = 0.01;
/// Below this a ratio is worth watching.
const RATIO_WATCH: f64 = 0.05;
/// Visitors in arms without weight that are a fault: more than so many, and than this
/// share. A page that kept its ruleset for some seconds after a change of weights
/// sends a few; whoever wants to spoil a result must send as many as matter.
const STRAY_FAIL: (u64, f64) = (5, 0.001);
/// Shares of visitors in several arms of one epoch that are noted, and that void the comparison.
const CROSSED_WARN: f64 = 0.001;
const CROSSED_FAIL: f64 = 0.01;
/// The share of programs among visitors from which it is worth a look.
const BOTS_WARN: f64 = 0.2;
/// The share of visitors with exposures dated before the start from which it is no matter of
/// clocks that differ.
const EARLY_WARN: f64 = 0.001;
/// An attribute is unbalanced from this p-value on, over all attributes.
const BALANCE_ALARM: f64 = 0.001;
/// What a comparison needs before it is called.
pub(crate) const LEAST_VISITORS: u64 = 100;
pub(crate) const LEAST_CONVERTED: u64 = 10;
pub(crate) const LEAST_TIME_US: i64 = 86_400_000_000;

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
pub struct Check {
    /// How it went.
    pub grade: Grade,
    /// A sentence for a person.
    pub message: String,
}

impl Check {
    /// A check that found this.
    pub fn new(grade: Grade, message: impl Into<String>) -> Self {
        Self { grade, message: message.into() }
    }
}

/// Visitors per arm beside what the weights promised.
#[derive(Debug, Clone, PartialEq)]
pub struct Ratio {
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
    pub sample_ratio: Check,
    /// Its numbers: all epochs together, then each.
    pub ratios: Vec<Ratio>,
    /// Whether visitors stayed in their arm.
    pub crossovers: Check,
    /// Whether there is enough to judge from.
    pub minimum_data: Check,
    /// How many programs were left out.
    pub bots: Check,
    /// Whether exposures are dated before the start, which do not count.
    pub before_start: Check,
    /// Whether weights changed on the way.
    pub epochs: Check,
    /// Whether the arms resemble each other in what assignment knows nothing of.
    pub balance: Check,
    /// Whether the changes of the arms found on pages what they change.
    pub changes: Check,
    /// Whether other servers took events that are not here.
    pub other_nodes: Check,
}

impl Health {
    /// Every check with its name.
    pub fn checks(&self) -> [(&'static str, &Check); 9] {
        [
            ("sample_ratio", &self.sample_ratio),
            ("crossovers", &self.crossovers),
            ("minimum_data", &self.minimum_data),
            ("bots", &self.bots),
            ("before_start", &self.before_start),
            ("epochs", &self.epochs),
            ("balance", &self.balance),
            ("changes", &self.changes),
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

pub(crate) fn health(design: &Design, summaries: &Summaries) -> Health {
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
        other_nodes: other_nodes(summaries),
    }
}

/// Fails while another server runs: a visitor who met the arm there, or bought there,
/// is missing here.
fn other_nodes(summaries: &Summaries) -> Check {
    let OtherNodes { running, gone } = summaries.other_nodes;
    if running > 0 {
        let others = counted(running, "other node");
        let runs = if running == 1 { "runs" } else { "run" };
        let message = format!(
            "{others} {runs} on this database and keeps the events that it takes. They are missing here, so these \
             numbers are of a part of the visitors only. Run one node."
        );
        Check::new(Grade::Fail, message)
    } else if gone > 0 {
        let others = counted(gone, "other node");
        let message = format!(
            "{others} took events while this experiment ran, and stopped. They are missing here unless that node's \
             event log was imported; when it was, or none are of this experiment, forget the node (muriel node forget)."
        );
        Check::new(Grade::Warn, message)
    } else if visitors(summaries) == 0 {
        nobody()
    } else {
        Check::new(Grade::Ok, "No other server took events.")
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

/// The ratio of each epoch.
pub fn epoch_ratios(design: &Design, summaries: &Summaries) -> Vec<Ratio> {
    counts(design, summaries)
        .into_iter()
        .map(|(epoch, observed)| {
            let weights: Vec<f64> = design.weights(epoch).into_iter().map(f64::from).collect();
            let (all, total) = (observed.iter().sum::<u64>() as f64, weights.iter().sum::<f64>());
            let expected = weights.iter().map(|weight| if total > 0.0 { all * weight / total } else { 0.0 }).collect();
            let counts = placed(&observed, &weights);
            let p_value = sequential(vec![srm::Epoch { weights: weights.clone(), counts: counts.clone() }]);
            let chi_squared = srm::chi_squared(&counts, &weights).ok();
            Ratio { epoch: Some(epoch), p_value, chi_squared, observed, expected }
        })
        .collect()
}

/// Visitors of the arms that had weight: of the others is told apart.
fn placed(observed: &[u64], weights: &[f64]) -> Vec<u64> {
    observed.iter().zip(weights).map(|(seen, weight)| if *weight > 0.0 { *seen } else { 0 }).collect()
}

/// Always-valid p-value of these epochs' counts under their weights; `None`
/// without anybody.
fn sequential(epochs: Vec<srm::Epoch>) -> Option<f64> {
    match srm::mixed_over_epochs(&epochs) {
        Ok(log) => Some((-log).exp().min(1.0)),
        Err(Undefined::NoUnits) => None,
        // Somebody was where nobody could be.
        Err(_) => Some(0.0),
    }
}

fn sample_ratio(design: &Design, summaries: &Summaries) -> (Check, Vec<Ratio>) {
    if design.trial == Trial::Personalization {
        let message = "Visitors are shared by audience first, so the numbers per arm say nothing about the ratio.";
        return (Check::new(Grade::Unknown, message), Vec::new());
    }
    if design.arms < 2 {
        return (Check::new(Grade::Unknown, "There is one arm only."), Vec::new());
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
    let astray = strays > STRAY_FAIL.0 && share(strays, all) > STRAY_FAIL.1;
    let p_value = if astray { 0.0 } else { sequential(epochs).unwrap_or(1.0) };
    let overall = Ratio {
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
        Check::new(Grade::Fail, message)
    } else if p_value < RATIO_ALARM {
        let message = format!(
            "Visitors were shared {seen}, where the weights promise {meant}; by chance this happens less than once in {}. \
             Something keeps visitors out of an arm, so the arms cannot be compared.",
            once_in(p_value)
        );
        Check::new(Grade::Fail, message)
    } else if p_value < RATIO_WATCH {
        let message =
            format!("Visitors were shared {seen}, where the weights promise {meant}; this is rare. Watch it.");
        Check::new(Grade::Warn, message)
    } else if strays > 0 {
        let was = if strays == 1 { "was" } else { "were" };
        let message = format!(
            "{} of {all} {was} {had_none}, too few to matter. They are not compared.",
            counted(strays, "visitor")
        );
        Check::new(Grade::Warn, message)
    } else {
        let message = format!("Visitors were shared {seen}, within chance of what the weights promise ({meant}).");
        Check::new(Grade::Ok, message)
    };
    let ratios = std::iter::once(overall).chain(each).collect();
    (check, ratios)
}

/// What a check says before the first visitor.
fn nobody() -> Check {
    Check::new(Grade::Unknown, "Nobody entered yet.")
}

/// `1 visitor`, `2 visitors`.
pub(crate) fn counted(number: u64, what: &str) -> String {
    format!("{number} {what}{}", if number == 1 { "" } else { "s" })
}

fn once_in(p_value: f64) -> String {
    if p_value < 1e-9 { "a thousand million times".to_owned() } else { format!("{:.0} times", (1.0 / p_value).floor()) }
}

/// `50.0 : 50.0` percent.
fn split(parts: &[f64]) -> String {
    let all: f64 = parts.iter().sum();
    let shares: Vec<String> = parts.iter().map(|part| format!("{:.1}", 100.0 * part / all.max(1.0))).collect();
    shares.join(" : ")
}

fn visitors(summaries: &Summaries) -> u64 {
    summaries.arrivals.iter().map(|arrivals| arrivals.visitors).sum()
}

fn share(part: u64, of: u64) -> f64 {
    if of == 0 { 0.0 } else { part as f64 / of as f64 }
}

fn crossovers(summaries: &Summaries) -> Check {
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
        Check::new(Grade::Fail, message)
    } else if crossed > CROSSED_WARN {
        let message =
            format!("{} ({:.2} %) met more than one arm.{moved}", counted(number, "visitor"), 100.0 * crossed);
        Check::new(Grade::Warn, message)
    } else if number > 0 {
        let all = counted(all, "visitor");
        Check::new(Grade::Ok, format!("{number} of {all} met more than one arm, too few to matter.{moved}"))
    } else {
        Check::new(Grade::Ok, format!("No visitor met more than one arm of an epoch.{moved}"))
    }
}

/// What one arm still needs, in words.
fn minimum_data(design: &Design, summaries: &Summaries) -> Check {
    let Some(primary) = summaries.metrics.iter().find(|metric| metric.role == Role::Primary) else {
        return Check::new(Grade::Warn, "There is no primary goal, so nothing can be called.");
    };
    let mut needs = Vec::new();
    for arm in 0..design.arms {
        let cells = || primary.cells.iter().filter(|cell| cell.arm == arm && !cell.open);
        let visitors: u64 = cells().map(|cell| cell.summary.visitors).sum();
        let converted: u64 = cells().map(|cell| cell.summary.converted).sum();
        if visitors < LEAST_VISITORS {
            needs.push(format!("{} has {visitors} of {LEAST_VISITORS} visitors", name(arm)));
        } else if converted < LEAST_CONVERTED {
            needs.push(format!("{} has {converted} of {LEAST_CONVERTED} conversions", name(arm)));
        }
    }
    if summaries.observed_us < LEAST_TIME_US {
        needs.push("a full day is not over yet".to_owned());
    }
    if needs.is_empty() {
        Check::new(Grade::Ok, "There is enough to judge from.")
    } else {
        Check::new(Grade::Warn, format!("Too early to call: {}.", needs.join("; ")))
    }
}

fn name(arm: usize) -> String {
    if arm == 0 { "Control".to_owned() } else { format!("Variant {arm}") }
}

fn bots(summaries: &Summaries) -> Check {
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
    Check::new(if of > BOTS_WARN { Grade::Warn } else { Grade::Ok }, message)
}

fn before_start(summaries: &Summaries) -> Check {
    let early = summaries.early;
    let all = early + visitors(summaries);
    if all == 0 {
        return nobody();
    }
    if early == 0 {
        return Check::new(Grade::Ok, "No exposure is dated before the start.");
    }
    let message = format!(
        "{} sent exposures that are dated before the first start; these are in no result. A test that ran elsewhere can \
         be given its start when it is first started here, with started_at.",
        counted(early, "visitor")
    );
    Check::new(if share(early, all) > EARLY_WARN { Grade::Warn } else { Grade::Ok }, message)
}

fn epochs(design: &Design, summaries: &Summaries) -> Check {
    let seen: Vec<i64> = counts(design, summaries).into_keys().collect();
    let mut weights: Vec<Vec<u32>> = seen.iter().map(|epoch| design.weights(*epoch)).collect();
    weights.sort_unstable();
    weights.dedup();
    match (seen.len(), weights.len()) {
        (0, _) => nobody(),
        (1, _) => Check::new(Grade::Ok, "Nothing was changed while visitors entered."),
        (epochs, 0 | 1) => {
            Check::new(Grade::Ok, format!("Visitors entered in {epochs} epochs, all with the same weights."))
        }
        (epochs, weights) if design.trial == Trial::Bandit => Check::new(
            Grade::Ok,
            format!("Visitors entered in {epochs} epochs with {weights} sets of weights, as a bandit's do."),
        ),
        (epochs, weights) => {
            let message = format!(
                "Weights were changed while it ran: visitors entered in {epochs} epochs with {weights} sets of weights. \
                 Each set is compared on its own, and the differences are put together by their visitors."
            );
            Check::new(Grade::Warn, message)
        }
    }
}

/// Whether an attribute depends on the arm: Pearson's test of independence.
fn balance(design: &Design, summaries: &Summaries) -> Check {
    if design.trial == Trial::Personalization {
        return Check::new(Grade::Unknown, "Arms have audiences of their own, so they need not resemble each other.");
    }
    let mut tables: BTreeMap<&str, BTreeMap<&str, Vec<f64>>> = BTreeMap::new();
    for row in summaries.balance.iter().filter(|row| row.arm < design.arms) {
        let values = tables.entry(&row.dimension).or_default();
        values.entry(&row.value).or_insert_with(|| vec![0.0; design.arms])[row.arm] += row.visitors as f64;
    }
    let mut worst: Option<(f64, &str)> = None;
    for (dimension, values) in &tables {
        let rows: Vec<&Vec<f64>> = values.values().collect();
        if let Some(p) = independence(&rows)
            && worst.is_none_or(|(least, _)| p < least)
        {
            worst = Some((p, dimension));
        }
    }
    match worst {
        None => Check::new(
            Grade::Unknown,
            "The arms cannot be compared: there are too few visitors, or their device, browser, system and country are \
             not known.",
        ),
        Some((p, dimension)) if p * (tables.len() as f64) < BALANCE_ALARM => {
            let message = format!(
                "The arms differ by {} more than chance explains: visitors of one kind may be lost, or counted twice, in an arm.",
                dimension.replace('_', " ")
            );
            Check::new(Grade::Warn, message)
        }
        Some(_) => Check::new(Grade::Ok, "The arms resemble each other in device, browser, system and country."),
    }
}

/// P-value of rows and columns being independent; `None` with fewer than two of
/// each, or where so few are expected that the test does not hold.
fn independence(rows: &[&Vec<f64>]) -> Option<f64> {
    let columns = rows.first()?.len();
    let of_columns: Vec<f64> = (0..columns).map(|at| rows.iter().map(|row| row[at]).sum()).collect();
    let all: f64 = of_columns.iter().sum();
    let used: Vec<usize> = (0..columns).filter(|at| of_columns[*at] > 0.0).collect();
    let (mut chi2, mut kept) = (0.0, 0_u32);
    for row in rows {
        let of_row: f64 = row.iter().sum();
        let expected = |at: usize| of_row * of_columns[at] / all;
        if used.iter().any(|at| expected(*at) < 5.0) {
            continue;
        }
        kept += 1;
        chi2 += used.iter().map(|at| (row[*at] - expected(*at)).powi(2) / expected(*at)).sum::<f64>();
    }
    let freedom = (used.len() as u32).checked_sub(1)?.checked_mul(kept.checked_sub(1)?)?;
    (freedom > 0).then(|| muriel_stats::special::chi_squared_sf(chi2, f64::from(freedom)))
}
