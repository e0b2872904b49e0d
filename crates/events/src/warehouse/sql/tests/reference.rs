//! What a warehouse has to answer, worked out over records one at a time, with no
//! regard to speed.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet, HashMap};

use muriel_domain::Instant;
use muriel_domain::goal::{GoalType, GoalValue, Trigger};

use crate::log::Position;
use crate::warehouse::{
    Answer, Arrivals, Balance, Cell, Dimension, Metric, MetricAnswer, Outcome, Question, Segment, Totals,
};
use crate::{Kind, Record};

const MAX: i128 = 1_000_000_000_000_000;

/// A visitor who entered.
struct Entry<'r> {
    visitor: &'r str,
    at: i64,
    epoch: i64,
    variant: u32,
    exposure: &'r Record,
}

/// Answers `question` without steps.
pub(super) fn answer(records: &[Record], question: &Question) -> Answer {
    // An id counts once; every repeat here is the same as the first.
    let mut seen = BTreeSet::new();
    let records: Vec<&Record> = records
        .iter()
        .filter(|record| record.project_key == question.project_key && seen.insert(record.id))
        .filter(|record| question.until.is_none_or(|until| record.at < until))
        .collect();
    let met: Vec<&Record> = records
        .iter()
        .copied()
        .filter(|record| record.kind == Kind::Exposure && record.test_id == Some(question.test_id))
        .filter(|record| variant(record).is_some_and(|variant| variant < question.arms))
        .filter(|record| question.started_at.is_none_or(|started_at| record.at >= started_at))
        .collect();
    let mut by_visitor: BTreeMap<&str, Vec<&Record>> = BTreeMap::new();
    for record in met {
        by_visitor.entry(&record.visitor.id).or_default().push(record);
    }
    let from = question.from.map_or(i64::MIN, Instant::us);
    let (mut entries, mut bots, mut crossed, mut moved) = (Vec::new(), 0, 0, 0);
    for (visitor, mut all) in by_visitor {
        // Of the same moment, the first by the hash of its id.
        all.sort_by_key(|record| (record.at, crate::warehouse::row::hash_id(record.id)));
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
    let mut arrivals: BTreeMap<(i64, u32), u64> = BTreeMap::new();
    for entry in &entries {
        *arrivals.entry((entry.epoch, entry.variant)).or_default() += 1;
    }
    Answer {
        position: Position { seq: 0 },
        hash: None,
        arrivals: arrivals
            .into_iter()
            .map(|((epoch, variant), visitors)| Arrivals { epoch, variant, visitors })
            .collect(),
        crossed,
        moved,
        bots,
        first_entry: entries.iter().map(|entry| Instant::from_us(entry.at)).min(),
        balance: balance(&entries),
        metrics: question.metrics.iter().map(|asked| metric(&records, &entries, question, asked)).collect(),
    }
}

fn variant(record: &Record) -> Option<u32> {
    record.variant_id.as_ref()?.parse::<u8>().ok().map(u32::from)
}

fn epoch(record: &Record, question: &Question) -> i64 {
    record.epoch.unwrap_or_else(|| {
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
    }
}

fn passes(entry: &Entry<'_>, question: &Question) -> bool {
    let is = |dimension, wanted: &[String]| {
        wanted.iter().all(|wanted| value(entry.exposure, dimension) == Some(wanted.as_str()))
    };
    let filter = &question.filter;
    let country = value(entry.exposure, Dimension::Country);
    let source = super::source(entry.exposure.referrer.as_deref(), None, None);
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

/// What happened to a visitor, as a metric counts it.
#[derive(Default, Clone)]
struct Seen {
    after: Vec<Hit>,
    before: Vec<Hit>,
}

#[derive(Clone)]
struct Hit {
    amount: i128,
    currency: Option<String>,
}

fn metric(records: &[&Record], entries: &[Entry<'_>], question: &Question, metric: &Metric) -> MetricAnswer {
    let visit = matches!(metric.outcome, Outcome::Bounce | Outcome::Engagement);
    let window = if visit { Some(30 * 60 * 1_000_000) } else { metric.window_us };
    let event = match &metric.outcome {
        Outcome::Event(name) => {
            Some(Outcome::Goal(Trigger::new(GoalType::Event, GoalValue::Text(name.clone())).unwrap()))
        }
        _ => None,
    };
    let trigger = match event.as_ref().unwrap_or(&metric.outcome) {
        Outcome::Goal(trigger) => Some(trigger),
        _ => None,
    };
    let revenue = trigger.is_some_and(|trigger| trigger.goal_type() == GoalType::Revenue);
    let matching: Vec<&Record> =
        trigger.map_or_else(Vec::new, |trigger| once(records.iter().copied().filter(|r| fits(r, trigger)), trigger));
    let mut seen: HashMap<&str, Seen> = HashMap::new();
    for entry in entries {
        let mut known = Seen::default();
        let (mut after, mut before) = (BTreeSet::new(), BTreeSet::new());
        let pages =
            trigger.is_some_and(|trigger| matches!(trigger.goal_type(), GoalType::Scrolling | GoalType::Duration));
        for record in &matching {
            if record.visitor.id != entry.visitor || record.bot {
                continue;
            }
            let at = record.at.us();
            let hit = Hit {
                amount: if revenue { units(record.value.unwrap_or(0.0)) } else { 0 },
                currency: record.currency.clone(),
            };
            if at >= entry.at && window.is_none_or(|window| at < entry.at + window) {
                if !pages || after.insert(&record.url) {
                    known.after.push(hit);
                }
            } else if at < entry.at
                && metric.before_us.is_some_and(|before| at >= entry.at - before)
                && (!pages || before.insert(&record.url))
            {
                known.before.push(hit);
            }
        }
        if visit && acted(records, entry, metric.outcome == Outcome::Bounce) != (metric.outcome == Outcome::Bounce) {
            known.after.push(Hit { amount: 0, currency: None });
        }
        seen.insert(entry.visitor, known);
    }
    let mut answer = MetricAnswer::default();
    if revenue {
        let mut orders: BTreeMap<String, u64> = BTreeMap::new();
        for hit in seen.values().flat_map(|seen| &seen.after) {
            if let Some(currency) = &hit.currency {
                *orders.entry(currency.clone()).or_default() += 1;
            }
        }
        answer.currency = orders.iter().min_by_key(|(name, n)| (Reverse(**n), *name)).map(|(name, _)| name.clone());
        let counts = |hit: &Hit| hit.currency.is_none() || hit.currency == answer.currency;
        answer.other_currency_orders =
            seen.values().flat_map(|seen| &seen.after).filter(|hit| !counts(hit)).count() as u64;
        for seen in seen.values_mut() {
            seen.after.retain(counts);
            seen.before.retain(counts);
        }
    }
    let worth = |hits: &[Hit]| hits.iter().map(|hit| hit.amount).sum::<i128>().clamp(-MAX, MAX);
    let mut values: Vec<i128> = seen.values().map(|seen| worth(&seen.after)).filter(|value| *value != 0).collect();
    values.sort_unstable();
    let cap = match metric.cap {
        _ if !revenue => None,
        Some(cap) => Some(units(cap)),
        None if values.is_empty() => None,
        None => Some(values[(999 * values.len()).div_ceil(1_000) - 1]).filter(|cap| *cap > 0),
    };
    answer.cap = cap.map(|cap| cap as f64 / 10_000.0);
    let capped = |value: i128| cap.map_or(value, |cap| value.min(cap));
    let segments = question.breakdown.map(|dimension| (dimension, segments(entries, dimension)));
    let open_after = question.until.map_or(question.as_of, |until| until.min(question.as_of)).us();
    let mut cells: BTreeMap<Place, (Option<Segment>, Totals)> = BTreeMap::new();
    for entry in entries {
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
        let open = window.is_some_and(|window| entry.at + window > open_after);
        let seen = &seen[entry.visitor];
        let least = metric.min_count as usize;
        let converted = !seen.after.is_empty() && seen.after.len() >= least;
        let raw = worth(&seen.after);
        // Nobody without an order is worth less than nothing.
        let value = if seen.after.is_empty() { raw } else { capped(raw) };
        let before = if revenue {
            if seen.after.is_empty() && seen.before.is_empty() { 0 } else { capped(worth(&seen.before)) }
        } else {
            i128::from(!seen.before.is_empty() && seen.before.len() >= least)
        };
        let count = seen.after.len() as u64;
        answer.capped += u64::from(cap.is_some_and(|cap| count > 0 && raw > cap));
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
        let cell = cells.entry((entry.epoch, entry.variant, number, open)).or_default();
        *cell = (segment, cell.1.merge(&totals));
    }
    answer.cells = cells
        .into_iter()
        .map(|((epoch, variant, _, open), (segment, totals))| Cell { epoch, variant, segment, open, totals })
        .collect();
    answer
}

fn units(value: f64) -> i128 {
    let units = (value * 10_000.0).round();
    if units.abs() >= MAX as f64 { MAX * units.signum() as i128 } else { units as i128 }
}

/// Orders with the same number are one, the first.
fn once<'r>(records: impl Iterator<Item = &'r Record>, trigger: &Trigger) -> Vec<&'r Record> {
    let mut records: Vec<&Record> = records.filter(|record| !record.bot).collect();
    records.sort_by_key(|record| (record.at, crate::warehouse::row::hash_id(record.id)));
    if !matches!(trigger.goal_type(), GoalType::Event | GoalType::Revenue) {
        return records;
    }
    let mut orders = BTreeSet::new();
    records.retain(|record| record.order_id.as_ref().is_none_or(|order| orders.insert(order.clone())));
    records
}

fn fits(record: &Record, trigger: &Trigger) -> bool {
    let text = match trigger.value() {
        GoalValue::Text(text) => text.clone(),
        GoalValue::Number(number) => number.to_string(),
    };
    let url = record.url.as_deref().unwrap_or_default();
    let by = |wanted: &str| record.kind == Kind::Click && record.by.as_deref() == Some(wanted);
    let triggered = record.trigger.as_ref() == Some(&text);
    let named = record.name.as_ref() == Some(&text);
    let measured = || record.value.is_some_and(|value| units(value) >= units(text.parse().unwrap()));
    match trigger.goal_type() {
        GoalType::Pageview => record.kind == Kind::Pageview && url.contains(&text),
        GoalType::PageviewExact => record.kind == Kind::Pageview && (url == text || url == text + "/"),
        GoalType::PageviewWildcard => {
            let parts: Vec<String> = text.split('*').map(regex::escape).collect();
            let regex = regex::Regex::new(&format!("^(?s:{})$", parts.join(".*"))).unwrap();
            record.kind == Kind::Pageview && regex.is_match(url)
        }
        GoalType::PageviewRegex => record.kind == Kind::Pageview && regex::Regex::new(&text).unwrap().is_match(url),
        GoalType::ClickOnElement => by("element") && triggered,
        GoalType::ClickOnText => by("text") && triggered,
        GoalType::ExternalLink => {
            let href = record.href.as_deref().unwrap_or_default();
            by("link") && href.contains(&text) && href.starts_with("https://elsewhere.example/")
        }
        GoalType::FormSubmit => record.kind == Kind::Submit && triggered,
        GoalType::ElementAppears => record.kind == Kind::Appear && triggered,
        GoalType::Scrolling => record.kind == Kind::Scroll && measured(),
        GoalType::Duration => record.kind == Kind::Duration && measured(),
        GoalType::Event => matches!(record.kind, Kind::Custom | Kind::Order) && named,
        GoalType::Revenue => record.kind == Kind::Order && named,
        GoalType::Script => record.kind == Kind::Script && triggered,
    }
}

/// Whether a visitor did enough not to bounce, or to be engaged.
fn acted(records: &[&Record], entry: &Entry<'_>, bounce: bool) -> bool {
    let during = |record: &&&Record| {
        let (at, session) = (record.at.us(), &entry.exposure.session);
        let same = session.is_some() && record.session == *session;
        at >= entry.at - 5_000_000 && (at < entry.at + 1_800_000_000 || same)
    };
    let whose = |record: &&&Record| record.visitor.id == entry.visitor && !record.bot;
    let mut pages = 0;
    for record in records.iter().filter(whose).filter(during) {
        // As it is stored: what is rounded up to ten seconds has lasted ten.
        let value = units(record.value.unwrap_or(0.0));
        match record.kind {
            Kind::Click | Kind::Submit | Kind::Custom | Kind::Order | Kind::Script => return true,
            Kind::Pageview => pages += 1,
            Kind::Scroll if !bounce && value >= units(50.0) => return true,
            Kind::Duration if !bounce && value >= units(10.0) => return true,
            _ => {}
        }
    }
    pages >= 2
}
