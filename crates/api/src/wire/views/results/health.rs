//! Health checks: whether the data can be trusted.

mod interaction;
mod strangers;

use muriel_analysis::{
    Grade, Health as Checks, HealthCheck as Check, MetricReport, MetricRole, SampleRatioTest as Shares,
};
use muriel_domain::trust::TrustPolicy;
use muriel_results::concentration::Concentration;
use muriel_results::{Computed, LogDamage, Manifest, MetricFacts, MetricNumbers};
use muriel_stats::srm::ChiSquared;
use muriel_warehouse::{LostEvents, OrderSummary, VALUE_SCALE, VisitorsByTrust};
use serde::Serialize;
use utoipa::ToSchema;

/// Health checks of the data.
#[derive(Debug, Serialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Health {
    /// Worst outcome of the checks, without those that are `unknown`. `unknown` when no check warns or fails, but
    /// `sample_ratio` or `crossovers` is not known.
    status: &'static str,
    /// Checks that visitors are distributed according to the weights. If it fails, every verdict is `do_not_trust`.
    sample_ratio: RatioCheck,
    /// Checks that visitors stayed in their arm. If it fails, every verdict is `do_not_trust`.
    crossovers: HealthCheck,
    /// Checks that there is enough data.
    minimum_data: HealthCheck,
    /// Reports suspected bots, which are left out.
    bots: HealthCheck,
    /// Reports exposures dated before the first start, which are not counted.
    before_start: HealthCheck,
    /// Reports changes of weights during the experiment.
    epochs: HealthCheck,
    /// Checks that the arms have similar visitors at entry.
    balance: HealthCheck,
    /// Checks that the changes of the arms match elements on pages. An arm that changes nothing looks like one without
    /// effect.
    changes: HealthCheck,
    /// Checks whether pages of a variant have errors, appear late or are slower than the control's: see `page_health`.
    /// It fails when harm is known. It does not affect verdicts.
    page: HealthCheck,
    /// Checks whether other servers on the same database received events that are missing here. If it fails, every
    /// verdict is `do_not_trust`.
    other_nodes: HealthCheck,
    /// Checks whether built-in metrics got worse.
    guardrails: HealthCheck,
    /// Checks that the event log could be read up to the result. Events in damaged or missing blocks are not counted.
    event_log: HealthCheck,
    /// Checks whether orders have several currencies; for revenue goals.
    #[serde(skip_serializing_if = "Option::is_none")]
    currency: Option<HealthCheck>,
    /// Checks that orders are plausible: none was left out because it is too large or its number is shared, every
    /// refund names a known order, and no order is more than a tenth of the revenue; for revenue goals.
    #[serde(skip_serializing_if = "Option::is_none")]
    orders: Option<HealthCheck>,
    /// Reports events within five seconds before their visitors entered, which do not count; absent if there are none.
    #[serde(skip_serializing_if = "Option::is_none")]
    before_entry: Option<HealthCheck>,
    /// Reports visitors whose form submissions were all prevented by the page. They count nevertheless. For form goals;
    /// absent if there are none.
    #[serde(skip_serializing_if = "Option::is_none")]
    prevented_submits: Option<HealthCheck>,
    /// Reports events that visitors' pages lost; absent if there are none.
    #[serde(skip_serializing_if = "Option::is_none")]
    lost_events: Option<HealthCheck>,
    /// Reports visitors who are neither keyed nor signed, and those that the project's setting `visitors` leaves out;
    /// absent if there are none.
    #[serde(skip_serializing_if = "Option::is_none")]
    unvouched: Option<HealthCheck>,
    /// Reports visitors whom the project's exclusions leave out; absent if it has none.
    #[serde(skip_serializing_if = "Option::is_none")]
    exclusions: Option<HealthCheck>,
    /// Checks that the verdicts on the goal at the top hold without any single network. If one does not, it is
    /// `keep_running`. Visitors who were sent with an API key have no network. `unknown` if one network has more than
    /// half of the visitors, as behind a proxy that is not trusted; then verdicts stay. Absent without a verdict.
    #[serde(skip_serializing_if = "Option::is_none")]
    concentration: Option<HealthCheck>,
    /// Reports another live experiment that changes the effect of this one on its primary goal; absent if there is
    /// none. Pairs are checked every night.
    #[serde(skip_serializing_if = "Option::is_none")]
    interaction: Option<HealthCheck>,
}

/// One check.
#[derive(Debug, Serialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct HealthCheck {
    /// `ok`, `warn`, `fail`, or `unknown` when there is no data.
    status: &'static str,
    /// Message for people.
    message: String,
}

/// The sample ratio test.
#[derive(Debug, Serialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct RatioCheck {
    /// `ok`, `warn`, `fail`, or `unknown` when there is no data.
    status: &'static str,
    /// Message for people.
    message: String,
    /// p-value of the sequential test over all epochs, valid at any time. Below 0.01 the check fails.
    #[schema(required)]
    p_value: Option<f64>,
    /// p-value of Pearson's chi-squared test for comparison, valid for a single check.
    #[schema(required)]
    chi_squared_p_value: Option<f64>,
    /// Epochs with visitors.
    epochs: Vec<EpochRatio>,
}

/// Visitors of an epoch, by arm.
#[derive(Debug, Serialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct EpochRatio {
    /// Number of the epoch. Exposures without an epoch, or with one that was never reached, belong to the epoch at
    /// their time.
    epoch: i64,
    /// Number of visitors per arm, the control first.
    observed: Vec<u64>,
    /// Expected number of visitors per arm, from the weights.
    expected: Vec<f64>,
    /// p-value of the sequential test of this epoch alone.
    #[schema(required)]
    p_value: Option<f64>,
    /// p-value of Pearson's chi-squared test of this epoch alone.
    #[schema(required)]
    chi_squared_p_value: Option<f64>,
}

impl Health {
    /// Combines the report's checks with those of built-in metrics, orders, pages and the log.
    pub(super) fn new(computed: &Computed) -> Self {
        let checks: &Checks = &computed.report.health;
        let harmed: Vec<String> = computed
            .manifest
            .metrics
            .iter()
            .zip(&computed.report.metrics)
            .flat_map(|(facts, metric)| {
                let harmed = metric.analyses.iter().filter(|analysis| analysis.harmed);
                harmed.map(|analysis| format!("{} in {}", facts.name, name_of(&computed.manifest, analysis.arm)))
            })
            .collect();
        let is_compared = |(facts, metric): (&MetricFacts, &MetricReport)| {
            facts.role() == MetricRole::Guardrail
                && metric.analyses.iter().any(|analysis| analysis.difference.is_some())
        };
        let guardrails = if !harmed.is_empty() {
            Check::new(Grade::Warn, format!("Got worse: {}.", harmed.join(", ")))
        } else if computed.manifest.metrics.iter().zip(&computed.report.metrics).any(is_compared) {
            Check::new(Grade::Ok, "No built-in metric is known to have got worse.")
        } else {
            Check::new(Grade::Unknown, "No built-in metric can be compared yet.")
        };
        let currency =
            computed.manifest.top().filter(|facts| facts.is_revenue()).and(computed.metrics.first()).map(|shown| {
                let all = (shown.orders.other_currency, ordered(shown));
                let keyed = (shown.orders.other_currency_trusted, shown.orders.trusted);
                currency(shown.currency.as_deref(), computed.manifest.currency_rates.is_some(), all, keyed)
            });
        let orders = computed
            .manifest
            .top()
            .filter(|facts| facts.is_revenue())
            .and_then(|facts| Some(orders(&computed.manifest, facts, computed.metrics.first()?)));
        let before_entry = computed.manifest.top().and(computed.metrics.first()).and_then(before_entry);
        let prevented_submits = computed.manifest.top().and(computed.metrics.first()).and_then(prevented_submits);
        let lost_events = lost_events(computed);
        let event_log = event_log(&computed.manifest);
        let interaction = interaction::check(computed);
        let unvouched = unvouched(computed);
        let exclusions = exclusions(computed);
        let concentration = concentration(computed);
        let of_metric = [currency.as_ref(), orders.as_ref(), before_entry.as_ref(), prevented_submits.as_ref()];
        let grade = [Some(&guardrails), Some(&event_log)]
            .into_iter()
            .chain(of_metric)
            .chain([
                lost_events.as_ref(),
                unvouched.as_ref(),
                exclusions.as_ref(),
                concentration.as_ref(),
                interaction.as_ref(),
            ])
            .flatten()
            .fold(checks.grade(), |grade, check| grade.with(check.grade));
        Self {
            status: grade.word(),
            sample_ratio: RatioCheck::new(&checks.sample_ratio, &checks.ratios),
            crossovers: HealthCheck::new(&checks.crossovers),
            minimum_data: HealthCheck::new(&checks.minimum_data),
            bots: HealthCheck::new(&checks.bots),
            before_start: HealthCheck::new(&checks.before_start),
            epochs: HealthCheck::new(&checks.epochs),
            balance: HealthCheck::new(&checks.balance),
            changes: HealthCheck::new(&checks.changes),
            page: HealthCheck::new(&checks.page),
            other_nodes: HealthCheck::new(&checks.other_nodes),
            guardrails: HealthCheck::new(&guardrails),
            event_log: HealthCheck::new(&event_log),
            currency: currency.as_ref().map(HealthCheck::new),
            orders: orders.as_ref().map(HealthCheck::new),
            before_entry: before_entry.as_ref().map(HealthCheck::new),
            prevented_submits: prevented_submits.as_ref().map(HealthCheck::new),
            lost_events: lost_events.as_ref().map(HealthCheck::new),
            unvouched: unvouched.as_ref().map(HealthCheck::new),
            exclusions: exclusions.as_ref().map(HealthCheck::new),
            concentration: concentration.as_ref().map(HealthCheck::new),
            interaction: interaction.as_ref().map(HealthCheck::new),
        }
    }
}

/// Share of the visitors that the policy leaves out above which the check warns.
const LEFT_OUT_WARN: f64 = 0.5;

/// Reports visitors whom nobody vouches for: neither a key nor a signature, or whose exposures came too late. `None` if
/// there are none and the policy leaves nobody out.
fn unvouched(computed: &Computed) -> Option<Check> {
    let VisitorsByTrust { keyed, signed, unsigned, elsewhere, late } = computed.trust;
    let policy = &computed.manifest.policy;
    let (left_out, what) = match policy.visitors {
        TrustPolicy::Any => (0, ""),
        TrustPolicy::Signed => (unsigned, "neither signed nor keyed"),
        TrustPolicy::Keyed => (signed + unsigned, "not keyed"),
    };
    let all = keyed + signed + unsigned;
    let share = |number: u64| 100.0 * number as f64 / all.max(1) as f64;
    let (grade, message) = if left_out > 0 {
        let message = format!(
            "Left out: {} ({:.1} %), who are {what}, because the project's setting visitors is {}.",
            visitors_of(left_out),
            share(left_out),
            policy.visitors.word()
        );
        let is_most = left_out as f64 > LEFT_OUT_WARN * all as f64;
        (if is_most { Grade::Warn } else { Grade::Ok }, message)
    } else if policy.visitors == TrustPolicy::Any && unsigned > 0 {
        let message = format!(
            "{} ({:.1} %) are neither signed nor keyed, so anybody can have made them up. They count here, but no \
             experiment is ended or served automatically because of them.",
            visitors_of(unsigned),
            share(unsigned)
        );
        let differing = computed.unvouched.iter().map(|one| {
            let name = name_of(&computed.manifest, one.arm);
            let odd =
                if one.is_odd { "; their effect differs from that of all others by more than chance" } else { "" };
            let (trusted, verdict) = (one.trusted.word(), one.verdict.word());
            format!(" Without them, the verdict on {name} would be {trusted} instead of {verdict}{odd}.")
        });
        let is_odd = computed.unvouched.iter().any(|one| one.is_odd);
        let advice =
            if is_odd { " Look for made-up visitors, or count only signed ones (setting visitors)." } else { "" };
        let grade = if is_odd { Grade::Warn } else { Grade::Ok };
        (grade, message + &differing.collect::<String>() + advice)
    } else {
        (Grade::Ok, String::new())
    };
    let late = (late > 0).then(|| {
        let visitors = visitors_of(late);
        format!(
            "Left out: {visitors} whose exposures were received without a key, more than 24 hours after their time."
        )
    });
    let elsewhere = (elsewhere > 0).then(|| {
        let visitors = visitors_of(elsewhere);
        format!("Left out: {visitors} on pages that are not in the project's setting page_origins.")
    });
    let message = (!message.is_empty()).then_some(message);
    let sentences: Vec<String> = message.into_iter().chain(elsewhere).chain(late).collect();
    (!sentences.is_empty()).then(|| Check::new(grade, sentences.join(" ")))
}

fn visitors_of(number: u64) -> String {
    if number == 1 { "1 visitor".to_owned() } else { format!("{number} visitors") }
}

/// Reports visitors whom exclusions leave out. `None` without exclusions.
fn exclusions(computed: &Computed) -> Option<Check> {
    let exclusions = &computed.manifest.exclusions;
    let number = match exclusions.len() {
        0 => return None,
        1 => "the project's exclusion".to_owned(),
        number => format!("the project's {number} exclusions"),
    };
    let left_out = computed.excluded;
    if left_out == 0 {
        return Some(Check::new(Grade::Ok, format!("No visitor is left out by {number}.")));
    }
    let all = left_out + computed.visitors.iter().sum::<u64>();
    let share = left_out as f64 / all as f64;
    let message = format!("Left out by {number}: {} ({:.1} %).", visitors_of(left_out), 100.0 * share);
    Some(Check::new(if share > LEFT_OUT_WARN { Grade::Warn } else { Grade::Ok }, message))
}

/// Reports whether the verdicts hold without any single network. `None` without a verdict.
fn concentration(computed: &Computed) -> Option<Check> {
    let found = &computed.concentration;
    let percent = |share: f64| format!("{:.0} %", 100.0 * share);
    let influence = |one: &Concentration| {
        let difference = one.difference.map(|share| format!(" and makes {} of the difference", percent(share)));
        format!("{} of the visitors{}", percent(one.visitors), difference.unwrap_or_default())
    };
    let name = |one: &Concentration| name_of(&computed.manifest, one.arm);
    if let Some(one) = found.iter().find(|one| !one.holds && !one.is_whole_site()) {
        let message = format!(
            "The verdict on {} does not hold without one network, which has {}. If its visitors are not real, exclude \
             the network; otherwise wait until the verdict holds without it.",
            name(one),
            influence(one)
        );
        return Some(Check::new(Grade::Warn, message));
    }
    if let Some(one) = found.iter().find(|one| one.is_whole_site()) {
        let message = format!(
            "One network has {} of the visitors, so the verdicts cannot be judged without it. If it is a proxy of the \
             site, name it in --trusted-proxies.",
            percent(one.visitors)
        );
        return Some(Check::new(Grade::Unknown, message));
    }
    let most =
        found.iter().max_by(|one, other| one.difference.unwrap_or(0.0).total_cmp(&other.difference.unwrap_or(0.0)))?;
    let message = format!(
        "Every verdict holds without any single network. The one with the most influence has {}, for {}.",
        influence(most),
        name(most)
    );
    Some(Check::new(Grade::Ok, message))
}

/// Number of orders that count, in all arms.
fn ordered(shown: &MetricNumbers) -> u64 {
    shown.arms.iter().map(|arm| arm.events).sum()
}

/// Share of orders in other currencies above which the check fails.
const OTHER_CURRENCY_FAIL: f64 = 0.05;

/// Checks whether orders of a revenue goal have other currencies than most: `(left out, counted)` of all orders, and of
/// those sent with a key. If there are any sent with a key, they alone decide whether the check fails, because anybody
/// can send the others. With `rates`, only orders in currencies without a rate are left out.
fn currency(currency: Option<&str>, rates: bool, (others, counted): (u64, u64), keyed: (u64, u64)) -> Check {
    let currency = match (currency, others) {
        (None, 0) => return Check::new(Grade::Unknown, "There is no order yet."),
        (Some(currency), 0) if rates => {
            let message = format!("Every order is in {currency}, or is converted by the project's currency rates.");
            return Check::new(Grade::Ok, message);
        }
        (Some(_), 0) => return Check::new(Grade::Ok, "All orders are in one currency."),
        (currency, _) => currency.unwrap_or("no currency"),
    };
    let (why, what_to_do) = match rates {
        true => ("have no rate to", "Add their rates to the project's currency rates."),
        false => ("are not in", "Send values in one currency, or give the project currency rates."),
    };
    let share_of = |others: u64, counted: u64| others as f64 / (others + counted) as f64;
    let share = share_of(others, counted);
    let decisive = if keyed == (0, 0) { share } else { share_of(keyed.0, keyed.1) };
    let orders = if others == 1 { "order" } else { "orders" };
    let left_out =
        format!("Left out because their values {why} {currency}: {others} {orders}, {:.1} % of all.", 100.0 * share);
    if decisive > OTHER_CURRENCY_FAIL {
        let message = format!("{left_out} Revenue covers only a part of the buyers. {what_to_do}");
        Check::new(Grade::Fail, message)
    } else {
        Check::new(Grade::Warn, format!("{left_out} {what_to_do}"))
    }
}

impl Health {
    /// Worst outcome of the checks.
    pub(super) fn status(&self) -> &'static str {
        self.status
    }

    /// Checks that are not `ok`, by name, with status and message.
    pub(super) fn not_ok(&self) -> impl Iterator<Item = (&'static str, &'static str, &str)> {
        // No `..`, so that code with a check missing in the list below does not compile.
        let Self {
            status: _,
            sample_ratio,
            crossovers,
            minimum_data,
            bots,
            before_start,
            epochs,
            balance,
            changes,
            page,
            other_nodes,
            guardrails,
            event_log,
            currency,
            orders,
            before_entry,
            prevented_submits,
            lost_events,
            unvouched,
            exclusions,
            concentration,
            interaction,
        } = self;
        let plain = [
            ("crossovers", Some(crossovers)),
            ("minimum_data", Some(minimum_data)),
            ("bots", Some(bots)),
            ("before_start", Some(before_start)),
            ("epochs", Some(epochs)),
            ("balance", Some(balance)),
            ("changes", Some(changes)),
            ("page", Some(page)),
            ("other_nodes", Some(other_nodes)),
            ("guardrails", Some(guardrails)),
            ("event_log", Some(event_log)),
            ("currency", currency.as_ref()),
            ("orders", orders.as_ref()),
            ("before_entry", before_entry.as_ref()),
            ("prevented_submits", prevented_submits.as_ref()),
            ("lost_events", lost_events.as_ref()),
            ("unvouched", unvouched.as_ref()),
            ("exclusions", exclusions.as_ref()),
            ("concentration", concentration.as_ref()),
            ("interaction", interaction.as_ref()),
        ];
        let plain = plain.into_iter().filter_map(|(name, check)| Some((name, check?)));
        let sample_ratio = ("sample_ratio", sample_ratio.status, sample_ratio.message.as_str());
        std::iter::once(sample_ratio)
            .chain(plain.map(|(name, check)| (name, check.status, check.message.as_str())))
            .filter(|(_, status, _)| *status != "ok")
    }

    /// Messages of the checks that warn or fail.
    pub(super) fn warnings(&self) -> Vec<String> {
        let found = self.not_ok().filter(|(_, status, _)| *status != "unknown");
        found.map(|(name, _, message)| format!("health.{name}: {message}")).collect()
    }
}

/// Number of orders from which the usual limit applies to the largest one: with ten orders, one always has a tenth of
/// the revenue.
const FEW_ORDERS: u64 = 10;
/// Maximum plausible share of one order in the revenue.
const ORDER_SHARE: f64 = 0.1;
/// Maximum plausible share when there are few orders.
const FEW_ORDERS_SHARE: f64 = 0.9;

/// Checks whether single orders dominate a revenue goal, or were left out.
fn orders(manifest: &Manifest, facts: &MetricFacts, shown: &MetricNumbers) -> Check {
    let currency = shown.currency.as_deref().unwrap_or_default();
    let money = |value: f64| format!("{value} {currency}").trim_end().to_owned();
    let mut sentences = Vec::new();
    if let Some(limit) = shown.orders.limit.filter(|_| shown.orders.implausible > 0) {
        let orders = match shown.orders.implausible {
            1 => "1 order, which is".to_owned(),
            orders => format!("{orders} orders, each of which is"),
        };
        sentences.push(if facts.has_max_order_value() {
            format!("Left out: {orders} worth more than the goal's max_order_value of {}.", money(limit))
        } else {
            format!(
                "Left out: {orders} worth more than {}, ten times the largest order that was sent with a key. If this \
                 is genuine, send it with a key or set max_order_value of the goal.",
                money(limit)
            )
        });
    }
    let (orders, units) =
        shown.arms.iter().fold((0, 0), |(orders, units), arm| (orders + arm.events, units + arm.units));
    let mut notes = left_out_orders(&shown.orders, orders, &mut sentences);
    notes += &untrusted_orders(&shown.orders, manifest.policy.orders);
    let Some(largest) = shown.orders.largest.filter(|_| units > 0) else {
        return match sentences.is_empty() {
            // All orders have value 0, or were repeated by visitors who did not enter.
            true if orders > 0 || shown.orders.repeated > 0 || shown.orders.untrusted > 0 => {
                Check::new(Grade::Unknown, format!("No order that counts has a value above 0.{notes}"))
            }
            true => Check::new(Grade::Unknown, "There is no order yet."),
            false => Check::new(Grade::Warn, sentences.join(" ") + &notes),
        };
    };
    let share = largest.units as f64 / units as f64;
    let usual = if orders > FEW_ORDERS { ORDER_SHARE } else { FEW_ORDERS_SHARE };
    if share > usual && orders > 1 {
        sentences.push(format!(
            "One order of {}, made at {} in {} and sent {} a key, is {:.0} % of the revenue. If it is not genuine, \
             set max_order_value of the goal.",
            money(largest.units as f64 / VALUE_SCALE as f64),
            largest.at,
            name_of(manifest, largest.variant as usize),
            if largest.trusted { "with" } else { "without" },
            100.0 * share
        ));
    }
    if !sentences.is_empty() {
        Check::new(Grade::Warn, sentences.join(" ") + &notes)
    } else if orders > FEW_ORDERS {
        Check::new(Grade::Ok, format!("No order is more than a tenth of the revenue.{notes}"))
    } else {
        let message = format!("There are too few orders to say whether one of them stands out.{notes}");
        Check::new(Grade::Unknown, message)
    }
}

/// Usual maximum of left-out orders per counted one, because of a repeated number: a page and a server that both report
/// the order, and a page that is reloaded.
const REPEATS_USUAL: u64 = 2;

/// Adds messages about orders and refunds that are not counted, where they need attention. Returns a sentence about the
/// usual repeats, which begins with a space.
fn left_out_orders(summary: &OrderSummary, counted: u64, sentences: &mut Vec<String>) -> String {
    let of = |number: u64, one: &str, more: &str| format!("{number} {}", if number == 1 { one } else { more });
    let OrderSummary { repeated, shared, lost_refunds, unread, .. } = *summary;
    if unread > 0 {
        sentences.push(format!(
            "Left out: {} without an amount and a currency that can be read. Send value as a number, and currency as its code, such \
             as EUR; docs/runtime.md (Amounts) says what the script reads.",
            of(unread, "event with the name of the orders", "events with the name of the orders")
        ));
    }
    if shared > 0 {
        sentences.push(format!(
            "Left out: {}, because three visitors or more sent the same order number, and only one order with it \
             counts. Each order needs its own number: check what sends them, for instance a template that fills in the \
             same text for everybody.",
            of(shared, "order", "orders")
        ));
    }
    let own = repeated - shared;
    let is_usual = own <= FEW_ORDERS || own <= REPEATS_USUAL.saturating_mul(counted);
    if own > 0 && !is_usual {
        sentences.push(format!(
            "Left out: {}, because an order with the same number was already counted. That is more than \
             {REPEATS_USUAL} repeats per counted order. If these are separate orders, give each its own number.",
            of(own, "order", "orders")
        ));
    }
    if lost_refunds > 0 {
        sentences.push(format!(
            "Left out: {}, because no order has the number that they name, or they may not reduce that order. A refund \
             names its order in refund_of, or has the order's order_id. A refund without a key reduces only orders of \
             the same visitor that were sent without a key.",
            of(lost_refunds, "refund", "refunds")
        ));
    }
    match own {
        own if own > 0 && is_usual => {
            format!(" Counted once: {} with a number that was already counted.", of(own, "order", "orders"))
        }
        _ => String::new(),
    }
}

/// Returns a sentence about the orders that the policy leaves out, which begins with a space; empty without any.
fn untrusted_orders(summary: &OrderSummary, policy: TrustPolicy) -> String {
    let orders = match summary.untrusted {
        0 => return String::new(),
        1 => "1 order that was".to_owned(),
        orders => format!("{orders} orders that were"),
    };
    let how = match policy {
        TrustPolicy::Any => return String::new(),
        TrustPolicy::Signed => "neither with a key nor by a visitor with a signature",
        TrustPolicy::Keyed => "without a key",
    };
    format!(" Not counted: {orders} sent {how}, because the project's setting orders is {}.", policy.word())
}

/// Share of conversions just before entry from which the check warns.
const JUST_BEFORE_WARN: f64 = 0.01;

/// Checks for conversions just before their visitors entered, which do not count; `None` if there are none.
fn before_entry(shown: &MetricNumbers) -> Option<Check> {
    let late = shown.just_before;
    if late == 0 {
        return None;
    }
    let converted: u64 = shown.arms.iter().map(|arm| arm.converted).sum();
    let share = late as f64 / (late + converted) as f64;
    let visitors = if late == 1 { "1 visitor" } else { &format!("{late} visitors") };
    let message = format!(
        "{visitors} had an event of the goal within five seconds before entry, which does not count: the clocks of the \
         senders differ, or one of them writes whole seconds. Send the field at with milliseconds, from clocks that \
         are synchronised over the network, and send the exposure before the events that follow from it."
    );
    Some(Check::new(if share > JUST_BEFORE_WARN { Grade::Warn } else { Grade::Ok }, message))
}

/// Share of visitors with lost events from which the check warns.
const LOST_WARN: f64 = 0.01;

/// Checks for events that pages could not send or read; `None` if there are none.
fn lost_events(computed: &Computed) -> Option<Check> {
    let LostEvents { visitors, events } = computed.lost_events;
    if visitors == 0 {
        return None;
    }
    let entered: u64 = computed.visitors.iter().sum();
    let of = |number: u64, word: &str| if number == 1 { format!("1 {word}") } else { format!("{number} {word}s") };
    let message = format!(
        "Pages of {} lost {}: an order whose amount or currency cannot be read, an event that is not valid, one that could not be \
         sent, or one that was received more than 24 hours after its time. The error event of a page says which: muriel.push([\"on\", \"error\", console.warn]).",
        of(visitors, "visitor"),
        of(events, "event"),
    );
    let grade = if visitors as f64 > LOST_WARN * entered as f64 { Grade::Warn } else { Grade::Ok };
    Some(Check::new(grade, message))
}

/// Shares of visitors with only prevented submissions for which the check warns. At 100 % it does not: then the page
/// sends the form itself.
const PREVENTED_WARN: std::ops::Range<f64> = 0.01..1.0;

/// Checks for visitors who count although the page prevented all their submissions; `None` if there are none.
fn prevented_submits(shown: &MetricNumbers) -> Option<Check> {
    let prevented = shown.only_prevented;
    if prevented == 0 {
        return None;
    }
    let submitted: u64 = shown.arms.iter().map(|arm| arm.converted).sum::<u64>().max(prevented);
    let share = prevented as f64 / submitted as f64;
    let visitors = if prevented == 1 { "1 visitor".to_owned() } else { format!("{prevented} visitors") };
    let message = format!(
        "The page prevented all submissions of {visitors}, out of {submitted} who count: it sends the form itself, or \
         it found mistakes, and browsers do not distinguish the two. If it found mistakes, use a goal that only a \
         successful submission reaches: a call by the page (script), the thank-you page, or an element on it."
    );
    Some(Check::new(if PREVENTED_WARN.contains(&share) { Grade::Warn } else { Grade::Ok }, message))
}

/// Checks whether the logs could be read. If more than a hundredth of a log's blocks could not, the counts are not
/// valid.
fn event_log(manifest: &Manifest) -> Check {
    if manifest.logs.is_empty() {
        return Check::new(Grade::Unknown, "The event log has no events yet.");
    }
    let (mut grade, mut sentences) = (Grade::Warn, Vec::new());
    for log in &manifest.logs {
        let Some(LogDamage { blocks, first_block, last_block }) = log.damage else { continue };
        // With a single node the log needs no name.
        let name = match manifest.logs.len() {
            1 => "the event log".to_owned(),
            _ => format!("the event log {}", log.id),
        };
        sentences.push(match blocks {
            0 => format!("At block {first_block}, {name} differs from what was written. Run muriel log verify."),
            1 => format!(
                "Block {first_block} of {name} is damaged or missing, so its events are not counted. Run muriel log \
                 verify, restore the log, then run muriel warehouse rebuild."
            ),
            _ => format!(
                "{blocks} blocks of {name}, from {first_block} to {last_block}, are damaged or missing, so their \
                 events are not counted. Run muriel log verify, restore the log, then run muriel warehouse rebuild."
            ),
        });
        if blocks.saturating_mul(100) > log.position.unsigned_abs() {
            grade = Grade::Fail;
        }
    }
    match sentences.is_empty() {
        true => Check::new(Grade::Ok, "Every block of the event log could be read."),
        false => Check::new(grade, sentences.join(" ")),
    }
}

impl HealthCheck {
    fn new(check: &Check) -> Self {
        Self { status: check.grade.word(), message: check.message.clone() }
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

fn name_of(manifest: &Manifest, arm: usize) -> &str {
    manifest.experiment.arms.get(arm).map_or("", |arm| arm.name.as_str())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn more_than_a_twentieth_in_other_currencies_fails() {
        for (all, keyed, grade, words) in [
            ((0, 95), (0, 0), Grade::Ok, "one currency"),
            ((4, 96), (0, 0), Grade::Warn, "not in EUR: 4 orders, 4.0 % of all"),
            ((5, 95), (0, 0), Grade::Warn, "5 orders, 5.0 % of all"),
            ((5, 94), (0, 0), Grade::Fail, "5 orders, 5.1 % of all"),
            ((45, 55), (0, 0), Grade::Fail, "45 orders, 45.0 % of all"),
            ((1, 0), (0, 0), Grade::Fail, "1 order, 100.0 % of all"),
            // Orders without a key cannot make it fail.
            ((45, 55), (0, 10), Grade::Warn, "45 orders, 45.0 % of all"),
            ((45, 55), (1, 9), Grade::Fail, "45 orders, 45.0 % of all"),
        ] {
            let check = currency(Some("EUR"), false, all, keyed);
            assert_eq!(check.grade, grade, "{all:?} {keyed:?}: {}", check.message);
            assert!(check.message.contains(words), "{all:?} {keyed:?}: {}", check.message);
        }
    }

    #[test]
    fn with_rates_only_orders_without_one_are_left_out() {
        for (others, grade, words) in [
            (0, Grade::Ok, "in EUR, or is converted by the project's currency rates"),
            (4, Grade::Warn, "have no rate to EUR: 4 orders, 4.0 % of all. Add their rates"),
            (10, Grade::Fail, "Add their rates to the project's currency rates"),
        ] {
            let check = currency(Some("EUR"), true, (others, 100 - others), (0, 0));
            assert_eq!(check.grade, grade, "{}", check.message);
            assert!(check.message.contains(words), "{}", check.message);
        }
    }
}
