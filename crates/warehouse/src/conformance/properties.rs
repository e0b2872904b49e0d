//! Tests with random events and questions.

use super::fixtures::{START, ask, load};
use super::generators::{comparable, holdout_questions, pair_questions, property, questions, records};
use super::{Engine, reference};
use crate::row::hash_of;
use crate::{
    CountedOutcome, ExperimentAnswer, ExperimentQuestion, Metric, QUARTER_US, Segment, SharedQuestion, StopToken,
    Totals,
};
use muriel_domain::Instant;
use muriel_domain::trust::TrustPolicy;
use muriel_log::Record;
use proptest::prelude::*;
use std::collections::{BTreeMap, BTreeSet};

pub(super) fn answers_equal_the_references(engine: Engine<'_>) {
    property((records(), questions()), |(records, question)| {
        let question = comparable(question);
        let warehouse = engine();
        load(&*warehouse, &[&records]);
        prop_assert_eq!(ask(&*warehouse, &question), reference::answer(&records, &question));
        Ok(())
    });
}

pub(super) fn answers_about_holdouts_equal_the_references(engine: Engine<'_>) {
    property((records(), holdout_questions()), |(records, question)| {
        let warehouse = engine();
        load(&*warehouse, &[&records]);
        prop_assert_eq!(ask(&*warehouse, &question), reference::answer(&records, &question));
        Ok(())
    });
}

pub(super) fn answers_about_pairs_equal_the_references(engine: Engine<'_>) {
    property((records(), pair_questions()), |(records, question)| {
        let warehouse = engine();
        load(&*warehouse, &[&records]);
        let answer = warehouse.pair(&question, &StopToken::new()).unwrap();
        prop_assert_eq!(answer.cells, reference::pair(&records, &question));
        prop_assert_eq!(answer.marks, warehouse.watermarks());
        let shared = SharedQuestion { project_key: "shop".into(), test_ids: vec![2, 1, 3] };
        let in_common = warehouse.shared(&shared, &StopToken::new()).unwrap();
        prop_assert_eq!(in_common.pairs, reference::shared(&records, &shared));
        Ok(())
    });
}

pub(super) fn neither_blocks_nor_order_matter(engine: Engine<'_>) {
    let shuffled = records().prop_flat_map(|records| (Just(records.clone()), Just(records).prop_shuffle()));
    let cuts = proptest::collection::vec(any::<prop::sample::Index>(), 0..4);
    let either = prop_oneof![2 => questions(), 1 => holdout_questions()];
    property((shuffled, cuts, either), |((records, shuffled), cuts, question)| {
        let question = ExperimentQuestion { by_quarter: true, ..question };
        let (one, many) = (engine(), engine());
        load(&*one, &[&records]);
        let mut cuts: Vec<usize> = cuts.iter().map(|cut| cut.index(shuffled.len() + 1)).collect();
        cuts.extend([0, shuffled.len()]);
        cuts.sort_unstable();
        let blocks: Vec<&[Record]> = cuts.windows(2).map(|cut| &shuffled[cut[0]..cut[1]]).collect();
        load(&*many, &blocks);
        prop_assert_eq!(ask(&*one, &question), ask(&*many, &question));
        Ok(())
    });
}

pub(super) fn totals_by_network_add_up_to_totals(engine: Engine<'_>) {
    property((records(), questions()), |(records, question)| {
        let warehouse = engine();
        load(&*warehouse, &[&records]);
        let mut asked = 0;
        let mut wants = |_: &ExperimentAnswer| {
            asked += 1;
            true
        };
        let answer = warehouse.ask_with_networks(&question, &StopToken::new(), &mut wants).unwrap();
        prop_assert_eq!(asked, 1);
        let sums = |cells: &[crate::GroupTotals]| {
            let mut sums: BTreeMap<_, Totals> = BTreeMap::new();
            for cell in cells {
                let sum = sums.entry((cell.epoch, cell.variant, cell.open)).or_default();
                *sum = sum.merge(&cell.totals);
            }
            sums
        };
        let first = answer.metrics.first().map(|metric| metric.cells.as_slice()).unwrap_or_default();
        prop_assert_eq!(sums(&answer.networks), sums(first));
        // Visitors who entered by a keyed exposure have no network, and all others have the one of an exposure.
        let networks: BTreeSet<String> =
            records.iter().filter_map(|record| record.network.as_deref().map(hash_of)).collect();
        for cell in &answer.networks {
            if let Some(Segment::Value(network)) = &cell.segment {
                prop_assert!(networks.contains(&**network));
            }
        }
        // Those of trusted visitors are a part of the totals.
        prop_assert!(answer.trusted.is_empty() || answer.trust.unsigned > 0);
        for (place, trusted) in sums(&answer.trusted) {
            let all = sums(first)[&place];
            prop_assert!(trusted.visitors <= all.visitors && trusted.converted <= all.converted);
        }
        if question.policy.visitors >= TrustPolicy::Signed && !answer.trusted.is_empty() {
            prop_assert_eq!(sums(&answer.trusted), sums(first));
        }
        prop_assert_eq!(
            ExperimentAnswer { networks: Vec::new(), trusted: Vec::new(), ..answer },
            warehouse.ask(&question, &StopToken::new()).unwrap()
        );
        Ok(())
    });
}

pub(super) fn changes_by_quarter_add_up_to_totals(engine: Engine<'_>) {
    property((records(), questions(), 0i64..13), |(records, mut question, when)| {
        question.by_quarter = true;
        for metric in &mut question.metrics {
            // The default cap depends on the values, so it changes over time.
            metric.cap = Some(metric.cap.unwrap_or(50.0));
        }
        // So does the currency, which is that of the orders after entry unless the question names
        // one.
        for metric in &mut question.metrics {
            let usual = metric.exchange.as_ref().map_or("EUR", |exchange| &exchange.currency).to_owned();
            metric.currency.get_or_insert(usual);
        }
        // Keyed events overrule earlier ones without a key and determine the largest plausible
        // order, so all records are of the same kind.
        let trusted = records.first().is_some_and(|record| record.vouched);
        let records: Vec<Record> = records
            .into_iter()
            .map(|mut record| {
                record.currency = record.currency.map(|_| "EUR".to_owned());
                record.vouched = trusted;
                record
            })
            .collect();
        let warehouse = engine();
        load(&*warehouse, &[&records]);
        let whole = ask(&*warehouse, &question);
        let end = START + when * QUARTER_US;
        let until = question.until.map_or(end, |until| until.us().min(end));
        // A visit continues with its session, regardless of its window.
        let visit = |metric: &Metric| matches!(metric.outcome, CountedOutcome::Bounce | CountedOutcome::Engagement);
        let visits: Vec<bool> = question.metrics.iter().map(visit).collect();
        let then = ask(
            &*warehouse,
            &ExperimentQuestion { until: Some(Instant::from_us(until)), by_quarter: false, ..question },
        );
        for ((whole, then), visit) in whole.metrics.iter().zip(&then.metrics).zip(visits) {
            for (epoch, variant) in (0..4).flat_map(|epoch| (0..3).map(move |variant| (epoch, variant))) {
                let of = |cells: &[crate::GroupTotals]| {
                    cells
                        .iter()
                        .filter(|cell| (cell.epoch, cell.variant) == (epoch, variant))
                        .fold(Totals::default(), |sum, cell| sum.merge(&cell.totals))
                };
                let up_to = |quarter: i64| {
                    whole
                        .steps
                        .iter()
                        .filter(|step| (step.epoch, step.variant) == (epoch, variant) && step.quarter < quarter)
                        .fold(Totals::default(), |sum, step| sum.after(&step.totals))
                };
                prop_assert_eq!(up_to(i64::MAX), of(&whole.cells));
                prop_assert_eq!(up_to(end / QUARTER_US), of(&then.cells));
                let Some(closings) = &whole.closings else { continue };
                let closed = |cells: &[crate::GroupTotals]| {
                    of(&cells.iter().filter(|cell| !cell.open).cloned().collect::<Vec<_>>())
                };
                let by = |quarter: i64| {
                    closings
                        .iter()
                        .filter(|closing| {
                            (closing.epoch, closing.variant) == (epoch, variant) && closing.quarter < quarter
                        })
                        .fold(Totals::default(), |sum, closing| sum.merge(&closing.totals))
                };
                prop_assert_eq!(by(i64::MAX), closed(&whole.cells));
                if !visit {
                    prop_assert_eq!(by(end / QUARTER_US), closed(&then.cells));
                }
            }
        }
        Ok(())
    });
}
