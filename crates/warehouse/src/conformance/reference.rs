//! Reference implementation: computes the answer to a question record by record, without regard to speed.

mod page;
mod pairs;

pub(super) use self::pairs::{pair, shared};

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet, HashMap};

use muriel_domain::Instant;
use muriel_domain::goal::{GoalType, GoalValue, Trigger};

use muriel_domain::exclusion::origin_of;
use muriel_domain::trust::Trust;

use crate::row::hash_of;

use crate::{
    Arrivals, Balance, CountedOutcome, Dimension, ExchangeRates, ExcludedBy, Exclusion, ExperimentAnswer,
    ExperimentQuestion, Filter, GroupRange, GroupTotals, LargestOrder, LostEvents, Metric, MetricAnswer, Policy,
    Population, RateSpan, Segment, Totals, VisitorsByTrust,
};
use muriel_log::{EventKind, Record};

const MAX: i128 = 1_000_000_000_000_000;

/// A visitor who entered the experiment.
struct Entry<'r> {
    visitor: &'r str,
    at: i64,
    epoch: i64,
    variant: u32,
    /// The session in which the visitor entered.
    session: Option<&'r str>,
    /// The exposure by which the visitor entered.
    exposure: &'r Record,
}

/// Visitors who entered an experiment, and numbers of others.
struct Entered<'r> {
    /// Records of the project until the end of the question.
    records: Vec<&'r Record>,
    entries: Vec<Entry<'r>>,
    bots: u64,
    crossed: u64,
    moved: u64,
    early: u64,
    trust: VisitorsByTrust,
    excluded: u64,
}

/// Determines who entered an experiment.
fn entered<'r>(records: Vec<&'r Record>, question: &ExperimentQuestion, test_id: i64) -> Entered<'r> {
    let is_early = |record: &Record| question.started_at.is_some_and(|started_at| record.at < started_at);
    let exposures: Vec<&Record> = records
        .iter()
        .copied()
        .filter(|record| record.kind == EventKind::Exposure && record.test_id == Some(test_id))
        .filter(|record| variant(record).is_some_and(|variant| variant < question.arms))
        .collect();
    let trust = by_trust(&exposures, question);
    let excluded = excluded(&exposures, question);
    let is_counted = |record: &&Record| is_counted(record, &question.policy);
    let exposures: Vec<&Record> = exposures.into_iter().filter(is_counted).collect();
    // If a visitor has a keyed exposure, the others are ignored, regardless of the end of the report.
    let trusted: BTreeSet<&str> = exposures
        .iter()
        .filter(|record| record.vouched && !is_early(record))
        .map(|record| record.visitor.id.as_str())
        .collect();
    let exposures: Vec<&Record> = exposures
        .into_iter()
        .filter(|record| record.vouched || !trusted.contains(record.visitor.id.as_str()))
        .collect();
    let early: BTreeSet<&str> = exposures
        .iter()
        .filter(|record| !record.bot && is_early(record))
        .map(|record| record.visitor.id.as_str())
        .collect();
    let early = early.len() as u64;
    let ended = |record: &&Record| question.until.is_some_and(|until| record.at >= until);
    let records: Vec<&Record> = records.into_iter().filter(|record| !ended(record)).collect();
    let met = exposures.into_iter().filter(|record| !ended(record) && !is_early(record));
    let mut by_visitor: BTreeMap<&str, Vec<&Record>> = BTreeMap::new();
    for record in met {
        by_visitor.entry(&record.visitor.id).or_default().push(record);
    }
    let from = question.from.map_or(i64::MIN, Instant::us);
    let (mut entries, mut bots, mut crossed, mut moved) = (Vec::new(), 0, 0, 0);
    for (visitor, mut all) in by_visitor {
        // Ties are broken by the hash of the event id.
        all.sort_by_key(|record| (record.at, crate::row::hash_id(record.id)));
        let people: Vec<&Record> = all.iter().copied().filter(|record| !record.bot).collect();
        let Some(first) = people.first() else {
            bots += u64::from(all[0].at.us() >= from);
            continue;
        };
        let entry = Entry {
            visitor,
            at: first.at.us(),
            epoch: epoch(first, question),
            variant: variant(first).unwrap(),
            session: first.session.as_deref(),
            exposure: first,
        };
        if entry.at < from || !passes(&entry, question) {
            continue;
        }
        let mut arms: BTreeMap<i64, BTreeSet<u32>> = BTreeMap::new();
        for record in &people {
            arms.entry(epoch(record, question)).or_default().insert(variant(record).unwrap());
        }
        let all: BTreeSet<u32> = arms.values().flatten().copied().collect();
        let within = arms.values().any(|arms| arms.len() > 1);
        crossed += u64::from(within);
        moved += u64::from(all.len() > 1 && !within);
        entries.push(entry);
    }
    Entered { records, entries, bots, crossed, moved, early, trust, excluded }
}

/// Returns whether the policy counts an exposure.
fn is_counted(exposure: &Record, policy: &Policy) -> bool {
    is_judged(exposure, policy) && !is_excluded(exposure, policy)
}

/// Returns whether the policy counts an exposure unless it is excluded.
fn is_judged(exposure: &Record, policy: &Policy) -> bool {
    !exposure.is_late() && !is_elsewhere(exposure, policy) && exposure.trust() >= policy.visitors.least()
}

/// Returns whether an exposure was on a page of another origin than the project's.
fn is_elsewhere(exposure: &Record, policy: &Policy) -> bool {
    let origins = &policy.page_origins;
    let origin = exposure.url.as_deref().and_then(origin_of);
    !exposure.vouched && !origins.is_empty() && origin.is_some_and(|origin| !origins.contains(&origin))
}

fn is_excluded(exposure: &Record, policy: &Policy) -> bool {
    let matches = |exclusion: &Exclusion| {
        let is_by = match &exclusion.by {
            ExcludedBy::Visitor(hash) => hash_of(&exposure.visitor.id) == *hash,
            ExcludedBy::Network(hash) => {
                !exposure.vouched && exposure.network.as_deref().map(hash_of).as_ref() == Some(hash)
            }
            ExcludedBy::Origin(origin) => exposure.url.as_deref().and_then(origin_of).as_ref() == Some(origin),
            ExcludedBy::UserAgent(words) => {
                let known = [&exposure.browser, &exposure.os, &exposure.device];
                words.iter().all(|word| known.iter().any(|text| text.as_deref() == Some(word.as_str())))
            }
            ExcludedBy::Source(source) => source_of(exposure) == source,
            ExcludedBy::Time => true,
        };
        is_by
            && exclusion.from.is_none_or(|from| exposure.at >= from)
            && exclusion.until.is_none_or(|until| exposure.at < until)
    };
    policy.exclusions.iter().any(matches)
}

/// Counts the visitors whose trusted exposures in the period are all excluded.
fn excluded(exposures: &[&Record], question: &ExperimentQuestion) -> u64 {
    let mut all: BTreeMap<&str, bool> = BTreeMap::new();
    let is_judged = |record: &&&Record| is_in(record, question) && is_judged(record, &question.policy);
    for record in exposures.iter().filter(is_judged) {
        *all.entry(&record.visitor.id).or_insert(true) &= is_excluded(record, &question.policy);
    }
    all.values().filter(|excluded| **excluded).count() as u64
}

/// Returns whether an exposure is in the period of the question, and not a bot's.
fn is_in(record: &Record, question: &ExperimentQuestion) -> bool {
    !record.bot
        && question.started_at.is_none_or(|started_at| record.at >= started_at)
        && question.until.is_none_or(|until| record.at < until)
}

/// Counts the visitors of exposures in the period, by the most trusted one.
fn by_trust(exposures: &[&Record], question: &ExperimentQuestion) -> VisitorsByTrust {
    /// A later kind is stronger.
    #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
    enum Kind {
        Late,
        Elsewhere,
        Counted(Trust),
    }
    let mut most: BTreeMap<&str, Kind> = BTreeMap::new();
    for record in exposures.iter().filter(|record| is_in(record, question)) {
        let kind = match record {
            record if record.is_late() => Kind::Late,
            record if is_elsewhere(record, &question.policy) => Kind::Elsewhere,
            record => Kind::Counted(record.trust()),
        };
        let known = most.entry(&record.visitor.id).or_insert(kind);
        *known = kind.max(*known);
    }
    let count = |kind| most.values().filter(|known| **known == kind).count() as u64;
    VisitorsByTrust {
        keyed: count(Kind::Counted(Trust::Keyed)),
        signed: count(Kind::Counted(Trust::Signed)),
        unsigned: count(Kind::Counted(Trust::Unsigned)),
        elsewhere: count(Kind::Elsewhere),
        late: count(Kind::Late),
    }
}

/// Records without the orders and refunds that the policy does not count.
fn with_counted_orders<'r>(records: &[&'r Record], question: &ExperimentQuestion) -> Vec<&'r Record> {
    let is_counted =
        |record: &&&Record| record.kind != EventKind::Order || record.trust() >= question.policy.orders.least();
    records.iter().filter(is_counted).copied().collect()
}

/// Records that count, and late exposures.
fn prompt<'r>(records: &[&'r Record]) -> Vec<&'r Record> {
    let is_loaded = |record: &&Record| record.kind == EventKind::Exposure || !record.is_late();
    records.iter().copied().filter(is_loaded).collect()
}

/// Records of the project.
fn of_project<'r>(records: &'r [Record], question: &ExperimentQuestion) -> Vec<&'r Record> {
    records.iter().filter(|record| record.project_key == question.project_key).collect()
}

/// Answers `question`, without the changes by quarter of an hour.
pub(super) fn answer(records: &[Record], question: &ExperimentQuestion) -> ExperimentAnswer {
    let all = of_project(records, question);
    let records = prompt(&all);
    let test_id = match &question.population {
        Population::Exposed { test_id } => *test_id,
        Population::Holdout(range) => return holdout(&all, question, range),
    };
    let Entered { records, entries, bots, crossed, moved, early, trust, excluded } =
        entered(records, question, test_id);
    let mut arrivals: BTreeMap<(i64, u32), u64> = BTreeMap::new();
    for entry in &entries {
        *arrivals.entry((entry.epoch, entry.variant)).or_default() += 1;
    }
    ExperimentAnswer {
        marks: crate::Watermarks::new(),
        lost: Vec::new(),
        rewritten: Vec::new(),
        arrivals: arrivals
            .into_iter()
            .map(|((epoch, variant), visitors)| Arrivals { epoch, variant, visitors })
            .collect(),
        crossed,
        moved,
        bots,
        early,
        trust,
        excluded,
        networks: Vec::new(),
        trusted: Vec::new(),
        lost_events: lost_events(&all, &entries, question),
        first_entry: entries.iter().map(|entry| Instant::from_us(entry.at)).min(),
        balance: balance(&entries),
        applied: page::applied(&records, &entries, question, test_id),
        pages: page::totals(&records, &entries, question, test_id),
        errors: page::errors(&records, &entries, question, test_id),
        metrics: metrics(&records, &entries, question),
    }
}

/// Answers a question about a holdout.
fn holdout(all: &[&Record], question: &ExperimentQuestion, range: &GroupRange) -> ExperimentAnswer {
    let is_held_out = range.membership();
    let epoch = question.epochs.first().map_or(0, |(epoch, _)| *epoch);
    let is_nobody = question.filter != Filter::default() || question.epoch.is_some_and(|asked| asked != epoch);
    let (started, from) = (question.started_at, question.from.map_or(i64::MIN, Instant::us));
    let records: Vec<&Record> =
        prompt(all).into_iter().filter(|record| question.until.is_none_or(|until| record.at < until)).collect();
    let is_nothing = |record: &Record| {
        record.bot || matches!(record.kind, EventKind::Exposure | EventKind::Identify | EventKind::Health)
    };
    let mut first: BTreeMap<&str, &Record> = BTreeMap::new();
    for record in records.iter().filter(|record| !is_nothing(record) && started.is_none_or(|at| record.at >= at)) {
        let known = first.entry(&record.visitor.id).or_insert(record);
        if record.at < known.at {
            *known = record;
        }
    }
    let first = first.into_iter().filter(|(_, record)| record.at.us() >= from && !is_nobody);
    let entries: Vec<Entry<'_>> = first
        .map(|(visitor, exposure)| {
            let variant = if is_held_out(visitor) { 0 } else { 1 };
            Entry { visitor, at: exposure.at.us(), epoch, variant, session: None, exposure }
        })
        .collect();
    let count = |variant| entries.iter().filter(|entry| entry.variant == variant).count() as u64;
    let arrivals = [0, 1].map(|variant| Arrivals { epoch, variant, visitors: count(variant) });
    ExperimentAnswer {
        marks: crate::Watermarks::new(),
        lost: Vec::new(),
        rewritten: Vec::new(),
        arrivals: arrivals.into_iter().filter(|arrivals| arrivals.visitors > 0).collect(),
        crossed: 0,
        moved: 0,
        bots: 0,
        early: 0,
        trust: VisitorsByTrust::default(),
        excluded: 0,
        networks: Vec::new(),
        trusted: Vec::new(),
        lost_events: lost_events(all, &entries, question),
        first_entry: entries.iter().map(|entry| Instant::from_us(entry.at)).min(),
        balance: Vec::new(),
        applied: Vec::new(),
        pages: Vec::new(),
        errors: Vec::new(),
        metrics: metrics(&records, &entries, question),
    }
}

fn variant(record: &Record) -> Option<u32> {
    record.variant_id.as_ref()?.parse::<u8>().ok().map(u32::from)
}

fn epoch(record: &Record, question: &ExperimentQuestion) -> i64 {
    let last = question.epochs.iter().map(|(epoch, _)| *epoch).max();
    let reached = record.epoch.filter(|epoch| last.is_none_or(|last| (1..=last).contains(epoch)));
    reached.unwrap_or_else(|| {
        let mut epochs = question.epochs.clone();
        epochs.sort_by_key(|(epoch, start)| (*start, *epoch));
        let begun = epochs.iter().rfind(|(_, start)| *start <= record.at);
        begun.or(epochs.first()).map_or(0, |(epoch, _)| *epoch)
    })
}

fn value(record: &Record, dimension: Dimension) -> Option<&str> {
    let context = |name: &str| record.context.get(name).and_then(|value| value.as_str());
    match dimension {
        Dimension::Device => record.device.as_deref(),
        Dimension::Browser => record.browser.as_deref(),
        Dimension::Os => record.os.as_deref(),
        Dimension::Country => record.country.as_deref(),
        Dimension::UserType => context("visitor_type"),
        Dimension::LandingPage => context("landing_page"),
        Dimension::Referrer => None,
        Dimension::UtmSource => context("utm_source"),
        Dimension::UtmMedium => context("utm_medium"),
        Dimension::UtmCampaign => context("utm_campaign"),
        // Answers have its hash. Other tests compare it.
        Dimension::Network => None,
    }
}

/// Source of the visits of the generated exposures.
fn source_of(exposure: &Record) -> &'static str {
    if exposure.referrer.is_some() { "referral" } else { "direct" }
}

fn passes(entry: &Entry<'_>, question: &ExperimentQuestion) -> bool {
    let is = |dimension, wanted: &[String]| {
        wanted.iter().all(|wanted| value(entry.exposure, dimension) == Some(wanted.as_str()))
    };
    let filter = &question.filter;
    let country = value(entry.exposure, Dimension::Country);
    // The generated records have no medium, click id or network, and their referrers are other hosts.
    let source = source_of(entry.exposure);
    question.epoch.is_none_or(|epoch| epoch == entry.epoch)
        && is(Dimension::Device, &filter.devices)
        && is(Dimension::UserType, &filter.user_types)
        && filter.sources.iter().all(|wanted| source == wanted)
        && (filter.countries.is_empty() || filter.countries.iter().any(|wanted| country == Some(wanted.as_str())))
}

fn balance(entries: &[Entry<'_>]) -> Vec<Balance> {
    let dimensions = [Dimension::Device, Dimension::Browser, Dimension::Os, Dimension::Country, Dimension::UserType];
    let mut balance = Vec::new();
    for dimension in dimensions {
        let count = |wanted: Option<&str>, variant: Option<u32>| {
            entries
                .iter()
                .filter(|entry| value(entry.exposure, dimension) == wanted)
                .filter(|entry| variant.is_none_or(|variant| variant == entry.variant))
                .count() as u64
        };
        let known: BTreeSet<&str> = entries.iter().filter_map(|entry| value(entry.exposure, dimension)).collect();
        let mut known: Vec<&str> = known.into_iter().collect();
        known.sort_by_key(|value| (Reverse(count(Some(value), None)), *value));
        known.truncate(10);
        for value in known.into_iter().map(Some).chain([None]) {
            for variant in 0..=255 {
                let visitors = count(value, Some(variant));
                if visitors > 0 {
                    balance.push(Balance { dimension, value: value.map(Into::into), variant, visitors });
                }
            }
        }
    }
    balance
}

fn segments(entries: &[Entry<'_>], dimension: Dimension) -> Vec<String> {
    let mut counts: BTreeMap<&str, u64> = BTreeMap::new();
    for entry in entries {
        if let Some(value) = value(entry.exposure, dimension) {
            *counts.entry(value).or_default() += 1;
        }
    }
    let mut largest: Vec<(&str, u64)> = counts.into_iter().collect();
    largest.sort_by_key(|(value, visitors)| (Reverse(*visitors), *value));
    largest.into_iter().take(50).map(|(value, _)| value.to_owned()).collect()
}

/// Epoch, variant, segment, and whether the window is open.
type Place = (i64, u32, usize, bool);

/// Counted events of a metric for one visitor.
#[derive(Default, Clone)]
struct Seen {
    after: Vec<Hit>,
    before: Vec<Hit>,
}

/// An event that counts.
#[derive(Clone)]
struct Hit {
    visitor: String,
    at: i64,
    /// Time of the order, also for its refunds.
    ordered_at: i64,
    /// Hash of the event or of the order.
    root: u64,
    amount: i128,
    /// Value of the order before refunds.
    gross: i128,
    currency: Option<String>,
    trusted: bool,
    what: What,
    url: Option<String>,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum What {
    /// An event that counts towards a conversion.
    Event,
    Tied,
    Untied,
}

impl Hit {
    fn of(record: &Record) -> Hit {
        let amount = if record.kind == EventKind::Order { units(record.value.unwrap_or(0.0)) } else { 0 };
        Hit {
            visitor: record.visitor.id.clone(),
            at: record.at.us(),
            ordered_at: record.at.us(),
            root: crate::row::hash_id(record.id),
            amount,
            gross: amount,
            currency: record.currency.clone(),
            trusted: record.vouched,
            what: What::Event,
            url: record.url.clone(),
        }
    }
}

/// Converts orders and their refunds at the rate of the order's time, rounded half away from zero.
fn convert(hits: &mut [Hit], exchange: &ExchangeRates) {
    for hit in hits {
        let ordered_at = Instant::from_us(hit.ordered_at);
        let holds = |span: &&RateSpan| {
            Some(&span.currency) == hit.currency.as_ref()
                && span.since <= ordered_at
                && span.until.is_none_or(|until| ordered_at < until)
        };
        let Some(span) = exchange.spans.iter().find(holds) else { continue };
        let converted = |units: i128| {
            let (parts, whole) = (units * i128::from(span.rate), 10_000_000_000);
            ((2 * parts.abs() + whole) / (2 * whole) * parts.signum()).clamp(-MAX, MAX)
        };
        (hit.amount, hit.gross) = (converted(hit.amount), converted(hit.gross));
        hit.currency = Some(exchange.currency.clone());
    }
}

/// Sum of the values, limited like the value of a visitor.
fn worth(hits: &[Hit]) -> i128 {
    let sum = |trusted: bool, untied: bool| -> i128 {
        let those = hits.iter().filter(|hit| hit.trusted == trusted && (hit.what == What::Untied) == untied);
        those.map(|hit| hit.amount).sum()
    };
    (sum(true, false) + (sum(false, false) + sum(false, true)).max(0) + sum(true, true)).clamp(0, MAX)
}

/// Like [`worth`], for events sent with an API key only.
fn trusted_worth(hits: &[Hit]) -> i128 {
    worth(&hits.iter().filter(|hit| hit.trusted).cloned().collect::<Vec<_>>())
}

fn bought(hits: &[Hit]) -> impl Iterator<Item = &Hit> {
    hits.iter().filter(|hit| hit.what == What::Event)
}

/// Time after entry within which events count.
fn window(metric: &Metric) -> Option<i64> {
    match metric.outcome {
        CountedOutcome::Bounce | CountedOutcome::Engagement => Some(30 * 60 * 1_000_000),
        _ => metric.window_us,
    }
}

fn metrics(records: &[&Record], entries: &[Entry<'_>], question: &ExperimentQuestion) -> Vec<MetricAnswer> {
    let answer = |(at, asked): (usize, &Metric)| MetricAnswer {
        just_before: if at == 0 { just_before(&with_counted_orders(records, question), entries, asked) } else { 0 },
        only_prevented: if at == 0 { only_prevented(records, entries, asked) } else { 0 },
        is_unfed: matches!(asked.outcome, CountedOutcome::Bounce | CountedOutcome::Engagement)
            && !entries.iter().any(|entry| has_page_view(records, entry)),
        ..with_uncounted(at == 0, records, entries, question, asked, metric(records, entries, question, asked))
    };
    question.metrics.iter().enumerate().map(answer).collect()
}

/// Events that pages of entered visitors have lost after entry.
fn lost_events(records: &[&Record], entries: &[Entry<'_>], question: &ExperimentQuestion) -> LostEvents {
    let mut reports: BTreeMap<(&str, uuid::Uuid), i64> = BTreeMap::new();
    let is_before_end = |record: &&&Record| question.until.is_none_or(|until| record.at < until);
    for record in records.iter().filter(is_before_end).filter(|record| !record.bot) {
        let entry = entries.iter().find(|entry| entry.visitor == record.visitor.id);
        let number = match record.kind {
            EventKind::Exposure | EventKind::Identify => 0,
            EventKind::Health if record.is_late() => 0,
            EventKind::Health => record.dropped.unwrap_or(0.0).round().min(1_000.0) as i64,
            _ => i64::from(record.is_late()),
        };
        if number > 0 && entry.is_some_and(|entry| record.at.us() >= entry.at) {
            let most = reports.entry((record.visitor.id.as_str(), record.id)).or_default();
            *most = number.max(*most);
        }
    }
    let visitors: BTreeSet<&str> = reports.keys().map(|(visitor, _)| *visitor).collect();
    LostEvents { visitors: visitors.len() as u64, events: reports.values().sum::<i64>().unsigned_abs() }
}

/// Adds the numbers of purchases that are not among the first metric's orders to the answer: custom events with their
/// name, and orders that the policy does not count.
fn with_uncounted(
    is_first: bool,
    records: &[&Record],
    entries: &[Entry<'_>],
    question: &ExperimentQuestion,
    metric: &Metric,
    mut answer: MetricAnswer,
) -> MetricAnswer {
    let CountedOutcome::Goal(trigger) = &metric.outcome else { return answer };
    if is_first && trigger.goal_type() == GoalType::Revenue {
        let GoalValue::Text(name) = trigger.value() else { unreachable!("revenue goals have names") };
        let number = |is_it: &dyn Fn(&Record) -> bool| {
            let is_counted = |record: &&&Record| {
                let entry = entries.iter().find(|entry| entry.visitor == record.visitor.id);
                let is_named = !record.bot && record.name.as_ref() == Some(name) && is_it(record);
                is_named && entry.is_some_and(|entry| is_within(record.at.us(), entry, metric))
            };
            let counted = records.iter().filter(is_counted).map(|record| (&record.visitor.id, record.id));
            counted.collect::<BTreeSet<_>>().len() as u64
        };
        answer.orders.unread = number(&|record| record.kind == EventKind::Custom);
        answer.orders.untrusted = number(&|record| {
            let is_refund = record.value.is_some_and(|value| value < 0.0);
            record.kind == EventKind::Order && !is_refund && record.trust() < question.policy.orders.least()
        });
    }
    answer
}

/// Returns whether the time is after entry and within the window.
fn is_within(at: i64, entry: &Entry<'_>, metric: &Metric) -> bool {
    at >= entry.at && window(metric).is_none_or(|window| at < entry.at + window)
}

/// Number of visitors whose counted submits were all prevented.
fn only_prevented(records: &[&Record], entries: &[Entry<'_>], metric: &Metric) -> u64 {
    let CountedOutcome::Goal(trigger) = &metric.outcome else { return 0 };
    if trigger.goal_type() != GoalType::FormSubmit {
        return 0;
    }
    let submits: Vec<&Record> = records.iter().copied().filter(|record| !record.bot && fits(record, trigger)).collect();
    let each = first(submits.clone(), |record| Some((record.visitor.id.clone(), record.id)));
    let is_prevented = |record: &&Record| record.properties.get("prevented") == Some(&true.into());
    let all_prevented = |entry: &&Entry<'_>| {
        let own: BTreeSet<_> = each
            .iter()
            .filter(|record| record.visitor.id == entry.visitor && is_within(record.at.us(), entry, metric))
            .map(|record| record.id)
            .collect();
        let of_own = |record: &&&Record| record.visitor.id == entry.visitor && own.contains(&record.id);
        !own.is_empty() && submits.iter().filter(of_own).all(is_prevented)
    };
    entries.iter().filter(all_prevented).count() as u64
}

/// Number of visitors with a custom event or order within five seconds before entry.
fn just_before(records: &[&Record], entries: &[Entry<'_>], metric: &Metric) -> u64 {
    let trigger = match &metric.outcome {
        CountedOutcome::Event(name) => Trigger::new(GoalType::Event, GoalValue::Text(name.clone())).unwrap(),
        CountedOutcome::Goal(trigger) if matches!(trigger.goal_type(), GoalType::Event | GoalType::Revenue) => {
            trigger.clone()
        }
        _ => return 0,
    };
    let Some(before) = metric.before_us else { return 0 };
    let matching = hits(records, &trigger, &mut LeftOut::default());
    let is_just_before = |entry: &Entry<'_>, hit: &Hit| {
        hit.visitor == entry.visitor
            && hit.what == What::Event
            && (entry.at - before.min(5_000_000)..entry.at).contains(&hit.at)
    };
    entries.iter().filter(|entry| matching.iter().any(|hit| is_just_before(entry, hit))).count() as u64
}

fn metric(records: &[&Record], entries: &[Entry<'_>], question: &ExperimentQuestion, metric: &Metric) -> MetricAnswer {
    let (answer, each) = metric_of_each(records, entries, question, metric);
    let segments = question.breakdown.map(|dimension| (dimension, segments(entries, dimension)));
    let mut cells: BTreeMap<Place, (Option<Segment>, Totals)> = BTreeMap::new();
    for (entry, (open, totals)) in entries.iter().zip(each) {
        let (number, segment) = match &segments {
            None => (0, None),
            Some((dimension, named)) => match value(entry.exposure, *dimension) {
                None => (named.len(), Some(Segment::Unknown)),
                Some(value) => match named.iter().position(|name| name == value) {
                    Some(number) => (number, Some(Segment::Value(value.into()))),
                    None => (named.len() + 1, Some(Segment::Rest)),
                },
            },
        };
        let cell = cells.entry((entry.epoch, entry.variant, number, open)).or_default();
        *cell = (segment, cell.1.merge(&totals));
    }
    let cells = cells
        .into_iter()
        .map(|((epoch, variant, _, open), (segment, totals))| GroupTotals { epoch, variant, segment, open, totals })
        .collect();
    MetricAnswer { cells, ..answer }
}

/// The metric's answer without its cells, and for each entry whether its window is open and the counted events.
fn metric_of_each(
    records: &[&Record],
    entries: &[Entry<'_>],
    question: &ExperimentQuestion,
    metric: &Metric,
) -> (MetricAnswer, Vec<(bool, Totals)>) {
    let visit = matches!(metric.outcome, CountedOutcome::Bounce | CountedOutcome::Engagement);
    let window = window(metric);
    let counted = with_counted_orders(records, question);
    let event = match &metric.outcome {
        CountedOutcome::Event(name) => {
            Some(CountedOutcome::Goal(Trigger::new(GoalType::Event, GoalValue::Text(name.clone())).unwrap()))
        }
        _ => None,
    };
    let trigger = match event.as_ref().unwrap_or(&metric.outcome) {
        CountedOutcome::Goal(trigger) => Some(trigger),
        _ => None,
    };
    let revenue = trigger.is_some_and(|trigger| trigger.goal_type() == GoalType::Revenue);
    let mut left_out = LeftOut::default();
    let mut matching = trigger.map_or_else(Vec::new, |trigger| hits(&counted, trigger, &mut left_out));
    if let Some(exchange) = metric.exchange.as_ref().filter(|_| revenue) {
        convert(&mut matching, exchange);
    }
    let mut seen: HashMap<&str, Seen> = HashMap::new();
    for entry in entries {
        let mut known = Seen::default();
        let (mut after, mut before) = (BTreeSet::new(), BTreeSet::new());
        let pages =
            trigger.is_some_and(|trigger| matches!(trigger.goal_type(), GoalType::Scrolling | GoalType::Duration));
        for hit in matching.iter().filter(|hit| hit.visitor == entry.visitor) {
            if hit.ordered_at >= entry.at && window.is_none_or(|window| hit.at < entry.at + window) {
                if !pages || after.insert(&hit.url) {
                    known.after.push(hit.clone());
                }
            } else if hit.at < entry.at
                && metric.before_us.is_some_and(|before| hit.ordered_at >= entry.at - before)
                && (!pages || before.insert(&hit.url))
            {
                known.before.push(hit.clone());
            }
        }
        if visit
            && acted(records, entry, metric.outcome == CountedOutcome::Bounce)
                != (metric.outcome == CountedOutcome::Bounce)
        {
            known.after.push(Hit::of(entry.exposure));
        }
        seen.insert(entry.visitor, known);
    }
    let mut answer = MetricAnswer::default();
    let mut sure = false;
    if revenue {
        let counts = |hit: &Hit| {
            let entry = entries.iter().find(|entry| entry.visitor == hit.visitor);
            entry.is_some_and(|entry| hit.at >= entry.at && window.is_none_or(|window| hit.at < entry.at + window))
        };
        let repeated: Vec<bool> =
            left_out.repeated.iter().filter(|(hit, _)| counts(hit)).map(|(_, is_shared)| *is_shared).collect();
        answer.orders.repeated = repeated.len() as u64;
        answer.orders.shared = repeated.iter().filter(|is_shared| **is_shared).count() as u64;
        answer.orders.lost_refunds = left_out.refunds.iter().filter(|hit| counts(hit)).count() as u64;
        currency(&mut seen, metric, &mut answer);
        sure = limit(&mut seen, metric, &mut answer);
        answer.orders.trusted =
            seen.values().flat_map(|seen| bought(&seen.after)).filter(|hit| hit.trusted).count() as u64;
        answer.orders.largest = largest(&seen, entries);
    }
    let pool = |seen: &Seen| if sure { trusted_worth(&seen.after) } else { worth(&seen.after) };
    let mut values: Vec<i128> = seen.values().map(pool).filter(|value| *value > 0).collect();
    values.sort_unstable_by_key(|value| Reverse(*value));
    let cap = match metric.cap {
        _ if !revenue => None,
        Some(cap) => Some(units(cap)),
        // The largest thousandth, and at least one value, is reduced to the next largest.
        None => values.get((values.len() / 1_000).max(1)).or(values.first()).copied(),
    };
    answer.cap = cap.map(|cap| cap as f64 / 10_000.0);
    let capped = |value: i128| cap.map_or(value, |cap| value.min(cap));
    let open_after = question.until.map_or(question.as_of, |until| until.min(question.as_of)).us();
    let mut each = Vec::new();
    for entry in entries {
        let open = window.is_some_and(|window| entry.at + window > open_after);
        let seen = &seen[entry.visitor];
        let least = metric.min_count as u64;
        let count = bought(&seen.after).count() as u64;
        let converted = count > 0 && count >= least;
        let raw = if revenue { worth(&seen.after) } else { 0 };
        let value = capped(raw);
        let before = if revenue {
            capped(worth(&seen.before))
        } else {
            i128::from(!seen.before.is_empty() && seen.before.len() as u64 >= least)
        };
        answer.capped += u64::from(cap.is_some_and(|cap| raw > cap));
        let totals = Totals {
            visitors: 1,
            converted: u64::from(converted),
            count,
            count_squared: u128::from(count * count),
            value,
            value_squared: value * value,
            raw_value: raw,
            count_value: i128::from(count) * value,
            before,
            before_squared: before * before,
            outcome_before: before * if revenue { value } else { i128::from(converted) },
        };
        each.push((open, totals));
    }
    (answer, each)
}

fn units(value: f64) -> i128 {
    let units = (value * 10_000.0).round();
    if units.abs() >= MAX as f64 { MAX * units.signum() as i128 } else { units as i128 }
}

/// Orders and refunds that do not count.
#[derive(Default)]
struct LeftOut {
    /// Repeated orders; true when at least three visitors have sent the number.
    repeated: Vec<(Hit, bool)>,
    refunds: Vec<Hit>,
}

/// Events that a goal counts, ordered by time.
fn hits(records: &[&Record], trigger: &Trigger, left_out: &mut LeftOut) -> Vec<Hit> {
    let people = || records.iter().copied().filter(|record| !record.bot);
    let negative = |record: &Record| record.kind == EventKind::Order && record.value.is_some_and(|value| value < 0.0);
    let matching = people().filter(|record| fits(record, trigger) && !negative(record));
    let (ordered, others): (Vec<&Record>, Vec<&Record>) = matching.partition(|record| record.kind == EventKind::Order);
    let mut hits: Vec<Hit> =
        first(others, |record| Some((record.visitor.id.clone(), record.id))).into_iter().map(Hit::of).collect();
    let by_id = |record: &Record| Some(record.id);
    let each = first(ordered, by_id);
    let ordered = first(each.clone(), |record| record.order_id.clone());
    hits.extend(ordered.iter().map(|record| Hit::of(record)));
    if trigger.goal_type() == GoalType::Revenue {
        let of = |record: &Record| record.refund_of.clone().or_else(|| record.order_id.clone());
        let own = |record: &Record| {
            record.order_id.clone().filter(|own| record.refund_of.as_ref().is_some_and(|order| order != own))
        };
        let refunds = people().filter(|record| negative(record) && (fits(record, trigger) || of(record).is_some()));
        let refunds = first(first(refunds.collect(), by_id), own);
        let is_left = |record: &&&Record| {
            !ordered.iter().any(|order| order.id == record.id && order.visitor.id == record.visitor.id)
        };
        for record in each.iter().filter(is_left) {
            let senders: BTreeSet<&str> = each
                .iter()
                .filter(|other| other.order_id == record.order_id)
                .map(|other| other.visitor.id.as_str())
                .collect();
            left_out.repeated.push((Hit::of(record), senders.len() >= 3));
        }
        for refund in &refunds {
            let Some(number) = of(refund) else { continue };
            let has_number = |record: &&Record| {
                record.kind == EventKind::Order && !negative(record) && record.order_id.as_ref() == Some(&number)
            };
            let takes = |order: &&&Record| {
                (refund.vouched || (!order.vouched && refund.visitor == order.visitor))
                    && (refund.currency.is_none() || order.currency.is_none() || refund.currency == order.currency)
            };
            let mut own = ordered.iter().filter(|order| has_number(order)).peekable();
            let is_known = own.peek().is_some();
            if !own.any(|order| takes(&order)) && (is_known || !people().any(|record| has_number(&record))) {
                left_out.refunds.push(Hit::of(refund));
            }
        }
        for refund in refunds.iter().filter(|refund| of(refund).is_none()) {
            let hit = Hit::of(refund);
            hits.push(Hit { what: What::Untied, gross: -hit.amount, ..hit });
        }
        for order in &ordered {
            let its = refunds.iter().filter(|refund| of(refund).is_some() && of(refund) == order.order_id);
            let its = its.filter(|refund| refund.vouched || (!order.vouched && refund.visitor == order.visitor));
            let its = its.filter(|refund| {
                refund.currency.is_none() || order.currency.is_none() || refund.currency == order.currency
            });
            let mut its: Vec<Hit> =
                its.map(|refund| Hit { at: refund.at.max(order.at).us(), ..Hit::of(refund) }).collect();
            its.sort_by_key(|hit| (hit.at, hit.root));
            let order = Hit::of(order);
            let mut left = order.gross;
            for refund in its {
                let amount = -(-refund.amount).min(left);
                left += amount;
                hits.push(Hit { at: refund.at, amount, what: What::Tied, ..order.clone() });
            }
        }
    }
    hits.sort_by_key(|hit| (hit.at, hit.root));
    hits
}

/// Deduplicates by `key`: keeps the first event with an API key or, without one, the first of each visitor.
fn first<K: Ord>(mut records: Vec<&Record>, key: impl Fn(&Record) -> Option<K>) -> Vec<&Record> {
    use crate::row::{hash_id, hash_text};
    records.sort_by_key(|record| (!record.vouched, record.at, hash_id(record.id), hash_text(&record.visitor.id)));
    let (mut known, mut anonymous) = (BTreeSet::new(), BTreeSet::new());
    for record in &records {
        known.extend(key(record).filter(|_| record.vouched));
    }
    let mut taken = BTreeSet::new();
    records.retain(|record| match key(record) {
        None => true,
        Some(key) if known.contains(&key) => record.vouched && taken.insert(key),
        Some(key) => anonymous.insert((key, record.visitor.id.clone())),
    });
    records
}

/// Keeps the orders in the currency of most buyers.
fn currency(seen: &mut HashMap<&str, Seen>, metric: &Metric, answer: &mut MetricAnswer) {
    let mut buyers: BTreeMap<String, (BTreeSet<String>, BTreeSet<String>)> = BTreeMap::new();
    for hit in seen.values().flat_map(|seen| bought(&seen.after)) {
        if let Some(currency) = &hit.currency {
            let (trusted, all) = buyers.entry(currency.clone()).or_default();
            all.insert(hit.visitor.clone());
            if hit.trusted {
                trusted.insert(hit.visitor.clone());
            }
        }
    }
    let most = buyers.iter().min_by_key(|(name, (trusted, all))| (Reverse(trusted.len()), Reverse(all.len()), *name));
    let of_rates = metric.exchange.as_ref().filter(|_| most.is_some()).map(|exchange| exchange.currency.clone());
    answer.currency = metric.currency.clone().or(of_rates).or_else(|| most.map(|(name, _)| name.clone()));
    let counts = |hit: &Hit| hit.currency.is_none() || hit.currency == answer.currency;
    let left_out = |trusted: bool| {
        let others = seen.values().flat_map(|seen| bought(&seen.after)).filter(|hit| !counts(hit));
        others.filter(|hit| hit.trusted || !trusted).count() as u64
    };
    (answer.orders.other_currency, answer.orders.other_currency_trusted) = (left_out(false), left_out(true));
    for seen in seen.values_mut() {
        seen.after.retain(counts);
        seen.before.retain(counts);
    }
}

/// Keeps the plausible orders. Returns whether enough buyers have orders sent with an API key.
fn limit(seen: &mut HashMap<&str, Seen>, metric: &Metric, answer: &mut MetricAnswer) -> bool {
    let buyers = |trusted: bool| {
        let buys = |seen: &&Seen| bought(&seen.after).any(|hit| hit.trusted || !trusted);
        seen.values().filter(buys).count()
    };
    let sure = buyers(true) > 0 && buyers(true) * 10 >= buyers(false);
    let largest =
        seen.values().flat_map(|seen| bought(&seen.after)).filter(|hit| hit.trusted).map(|hit| hit.amount).max();
    let limit = match (metric.max_order_value, largest.filter(|largest| sure && *largest > 0)) {
        (Some(limit), _) => Some((units(limit), false)),
        (None, Some(largest)) => Some((10 * largest, true)),
        (None, None) => None,
    };
    let Some((limit, anonymous)) = limit else { return sure };
    answer.orders.limit = Some(limit as f64 / 10_000.0);
    let plausible = |hit: &Hit| hit.gross <= limit || (anonymous && hit.trusted);
    answer.orders.implausible =
        seen.values().flat_map(|seen| bought(&seen.after)).filter(|hit| !plausible(hit)).count() as u64;
    for seen in seen.values_mut() {
        seen.after.retain(plausible);
        seen.before.retain(plausible);
    }
    sure
}

/// The order with the largest value after refunds.
fn largest(seen: &HashMap<&str, Seen>, entries: &[Entry<'_>]) -> Option<LargestOrder> {
    let mut orders = Vec::new();
    for entry in entries {
        let visitor = crate::row::hash_text(entry.visitor);
        for order in bought(&seen[entry.visitor].after) {
            let tied = seen[entry.visitor].after.iter().filter(|hit| hit.what == What::Tied && hit.root == order.root);
            let net = order.amount + tied.map(|hit| hit.amount).sum::<i128>();
            orders.push((Reverse(net), order.at, visitor, order.root, entry.variant, order.trusted));
        }
    }
    let (Reverse(net), at, _, _, variant, trusted) = orders.into_iter().min()?;
    let units = i64::try_from(net).unwrap();
    (net > 0).then_some(LargestOrder { units, at: Instant::from_us(at), variant, trusted })
}

fn fits(record: &Record, trigger: &Trigger) -> bool {
    let text = match trigger.value() {
        GoalValue::Text(text) => text.clone(),
        GoalValue::Number(number) => number.to_string(),
    };
    let url = record.url.as_deref().unwrap_or_default();
    let by = |wanted: &str| record.kind == EventKind::Click && record.by.as_deref() == Some(wanted);
    let triggered = record.trigger.as_ref() == Some(&text);
    let named = record.name.as_ref() == Some(&text);
    let measured = || record.value.is_some_and(|value| units(value) >= units(text.parse().unwrap()));
    match trigger.goal_type() {
        GoalType::Pageview => record.kind == EventKind::Pageview && url.contains(&text),
        GoalType::PageviewExact => record.kind == EventKind::Pageview && (url == text || url == text + "/"),
        GoalType::PageviewWildcard => {
            let parts: Vec<String> = text.split('*').map(regex::escape).collect();
            let regex = regex::Regex::new(&format!("^(?s:{})$", parts.join(".*"))).unwrap();
            record.kind == EventKind::Pageview && regex.is_match(url)
        }
        GoalType::PageviewRegex => {
            record.kind == EventKind::Pageview && regex::Regex::new(&text).unwrap().is_match(url)
        }
        GoalType::ClickOnElement => by("element") && triggered,
        GoalType::ClickOnText => by("text") && triggered,
        GoalType::ExternalLink => {
            let href = record.href.as_deref().unwrap_or_default();
            by("link") && href.contains(&text) && href.starts_with("https://elsewhere.example/")
        }
        GoalType::FormSubmit => record.kind == EventKind::Submit && triggered,
        GoalType::ElementAppears => record.kind == EventKind::Appear && triggered,
        GoalType::Scrolling => record.kind == EventKind::Scroll && measured(),
        GoalType::Duration => record.kind == EventKind::Duration && measured(),
        GoalType::Event => matches!(record.kind, EventKind::Custom | EventKind::Order) && named,
        GoalType::Revenue => record.kind == EventKind::Order && named,
        GoalType::Script => record.kind == EventKind::Script && triggered,
    }
}

/// Returns whether the record is part of the visit in which the visitor entered.
fn is_of_visit(record: &Record, entry: &Entry<'_>) -> bool {
    let at = record.at.us();
    let same = entry.session.is_some() && record.session.as_deref() == entry.session;
    at >= entry.at - 5_000_000 && (at < entry.at + 1_800_000_000 || same)
}

fn has_page_view(records: &[&Record], entry: &Entry<'_>) -> bool {
    let is_view = |record: &&&Record| record.kind == EventKind::Pageview && !record.bot;
    records.iter().filter(is_view).any(|record| record.visitor.id == entry.visitor && is_of_visit(record, entry))
}

/// Returns whether a visitor did not bounce, or was engaged.
fn acted(records: &[&Record], entry: &Entry<'_>, bounce: bool) -> bool {
    let during = |record: &&&Record| is_of_visit(record, entry);
    let whose = |record: &&&Record| record.visitor.id == entry.visitor && !record.bot;
    // `Some(true)` for an event that is enough alone, `None` for one that does not count.
    let enough = |record: &Record| {
        // Rounded like the stored value: a duration that rounds up to ten seconds counts as ten.
        let value = units(record.value.unwrap_or(0.0));
        match record.kind {
            // A refund is not an action of the visitor.
            EventKind::Order if record.value.is_some_and(|value| value < 0.0) => None,
            EventKind::Click | EventKind::Submit | EventKind::Custom | EventKind::Order | EventKind::Script => {
                Some(true)
            }
            EventKind::Pageview => Some(false),
            EventKind::Scroll if !bounce && value >= units(50.0) => Some(true),
            EventKind::Duration if !bounce && value >= units(10.0) => Some(true),
            _ => None,
        }
    };
    let did: Vec<(&Record, bool)> = records
        .iter()
        .filter(whose)
        .filter(during)
        .filter_map(|record| enough(record).map(|enough| (*record, enough)))
        .collect();
    let trusted: BTreeSet<_> = did.iter().filter(|(record, _)| record.vouched).map(|(record, _)| record.id).collect();
    let counts = |record: &Record| record.vouched || !trusted.contains(&record.id);
    let did = || did.iter().filter(|(record, _)| counts(record));
    did().any(|(_, enough)| *enough) || did().map(|(record, _)| record.id).collect::<BTreeSet<_>>().len() >= 2
}
