//! Health events of the pages of visitors who entered.

use super::{Entry, variant};
use crate::{
    AppliedChange, CLS_CAP, CLS_SCALE, ExperimentQuestion, HIDDEN_CAP_MS, INP_CAP_MS, LCP_CAP_MS, PageError,
    PageMeasure, PageTotals, TOP_ERRORS,
};
use muriel_log::{EventKind, Record};
use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};

/// Health events of a visitor, in the arm in which the visitor entered.
fn health_events<'r>(
    records: &'r [&'r Record],
    entry: &'r Entry<'r>,
    question: &'r ExperimentQuestion,
    test_id: i64,
) -> impl Iterator<Item = &'r Record> {
    records
        .iter()
        .copied()
        .filter(move |record| record.kind == EventKind::Health && record.test_id == Some(test_id) && !record.bot)
        .filter(|record| record.visitor.id == entry.visitor && variant(record) == Some(entry.variant))
        .filter(|record| question.started_at.is_none_or(|started_at| record.at >= started_at))
}

pub(super) fn applied(
    records: &[&Record],
    entries: &[Entry<'_>],
    question: &ExperimentQuestion,
    test_id: i64,
) -> Vec<AppliedChange> {
    let mut counts: BTreeMap<(u32, u32), (u64, u64)> = BTreeMap::new();
    for entry in entries {
        let first = health_events(records, entry, question, test_id)
            .filter(|record| record.changes.as_ref().is_some_and(|changes| changes.contains(['0', '1'])))
            .min_by_key(|record| (!record.vouched, record.at, crate::row::hash_id(record.id)));
        for (place, letter) in
            first.iter().flat_map(|record| record.changes.iter().flat_map(|all| all.chars().enumerate()))
        {
            if letter != '-' {
                let (pages, matched) = counts.entry((entry.variant, place as u32)).or_default();
                *pages += 1;
                *matched += u64::from(letter == '1');
            }
        }
    }
    let applied = |((variant, change), (pages, matched))| AppliedChange { variant, change, pages, matched };
    counts.into_iter().map(applied).collect()
}

pub(super) fn totals(
    records: &[&Record],
    entries: &[Entry<'_>],
    question: &ExperimentQuestion,
    test_id: i64,
) -> Vec<PageTotals> {
    let mut totals: BTreeMap<(i64, u32), PageTotals> = BTreeMap::new();
    for entry in entries {
        let all: Vec<&Record> = health_events(records, entry, question, test_id).collect();
        let is_trusted = all.iter().any(|record| record.vouched);
        let any = |of: fn(&Record) -> Option<f64>| {
            let counted = all.iter().filter(|record| record.vouched || !is_trusted);
            counted.filter(|record| of(record).is_some_and(|number| number > 0.0)).count() > 0
        };
        let first = |of: fn(&Record) -> Option<f64>, scale: f64, cap: i64| -> Option<u64> {
            let cut = |record: &Record| (of(record).unwrap() * scale).round().min(cap as f64) as u64;
            let with = all.iter().filter(|record| of(record).is_some());
            let key = |record: &&&Record| (!record.vouched, record.at, crate::row::hash_id(record.id), cut(record));
            with.min_by_key(key).map(|record| cut(record))
        };
        let place = totals.entry((entry.epoch, entry.variant)).or_insert(PageTotals {
            epoch: entry.epoch,
            variant: entry.variant,
            ..PageTotals::default()
        });
        place.failed += u64::from(any(|record| record.errors));
        place.late += u64::from(any(|record| record.late));
        let add = |measure: &mut PageMeasure, value: Option<u64>| {
            if let Some(value) = value {
                measure.visitors += 1;
                measure.sum += value;
                measure.squares += value * value;
            }
        };
        add(&mut place.hidden, first(|record| record.hidden_ms, 1.0, HIDDEN_CAP_MS));
        add(&mut place.lcp, first(|record| record.lcp_ms, 1.0, LCP_CAP_MS));
        add(&mut place.cls, first(|record| record.cls, CLS_SCALE as f64, CLS_CAP));
        add(&mut place.inp, first(|record| record.inp_ms, 1.0, INP_CAP_MS));
    }
    totals.into_values().filter(PageTotals::has_reports).collect()
}

pub(super) fn errors(
    records: &[&Record],
    entries: &[Entry<'_>],
    question: &ExperimentQuestion,
    test_id: i64,
) -> Vec<PageError> {
    let mut met: BTreeMap<(u32, String), Vec<&Record>> = BTreeMap::new();
    for entry in entries {
        let all: Vec<&Record> = health_events(records, entry, question, test_id).collect();
        let is_trusted = all.iter().any(|record| record.vouched);
        let counted = all.into_iter().filter(|record| record.vouched || !is_trusted);
        for record in counted.filter(|record| record.errors.is_some_and(|errors| errors > 0.0)) {
            if let Some(message) = &record.error_message {
                met.entry((entry.variant, crate::row::plain(message))).or_default().push(record);
            }
        }
    }
    let visitors = |records: &[&Record]| records.iter().map(|record| &record.visitor.id).collect::<BTreeSet<_>>().len();
    let most = |records: &[&Record], of: &dyn Fn(&Record) -> Option<String>| {
        let mut places: BTreeMap<String, Vec<&Record>> = BTreeMap::new();
        for record in records {
            if let Some(place) = of(record) {
                places.entry(place).or_default().push(record);
            }
        }
        // On a tie, the first by name.
        places.into_iter().rev().max_by_key(|(_, records)| visitors(records)).map(|(place, _)| place)
    };
    let mut errors: Vec<PageError> = met
        .into_iter()
        .map(|((variant, message), records)| PageError {
            variant,
            message,
            url: most(&records, &|record| record.url.as_deref().map(crate::row::page)),
            browser: most(&records, &|record| record.browser.as_deref().map(str::to_owned)),
            visitors: visitors(&records) as u64,
            first_at: records.iter().map(|record| record.at).min().unwrap(),
            last_at: records.iter().map(|record| record.at).max().unwrap(),
        })
        .collect();
    errors.sort_by_key(|error| (error.variant, Reverse(error.visitors), error.message.clone()));
    let mut ranks: BTreeMap<u32, usize> = BTreeMap::new();
    errors.retain(|error| {
        let rank = ranks.entry(error.variant).or_default();
        *rank += 1;
        *rank <= TOP_ERRORS
    });
    errors
}
