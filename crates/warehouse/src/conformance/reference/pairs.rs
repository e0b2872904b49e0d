//! Questions about two experiments, computed record by record.

use std::collections::{BTreeMap, BTreeSet};

use super::{entered, metric_of_each, of_project, variant, window};
use crate::{ExperimentQuestion, PairQuestion, PairTotals, Population, SharedQuestion, SharedVisitors, Totals};
use muriel_log::{EventKind, Record};

/// Answers a question about two experiments.
pub(in crate::conformance) fn pair(records: &[Record], question: &PairQuestion) -> Vec<PairTotals> {
    let of = |asked: &ExperimentQuestion| match asked.population {
        Population::Exposed { test_id } => entered(of_project(records, asked), asked, test_id),
        Population::Holdout(_) => panic!("an experiment"),
    };
    let (own, other) = (of(&question.experiment), of(&question.other));
    let asked = &question.experiment.metrics[0];
    let (_, each) = metric_of_each(&own.records, &own.entries, &question.experiment, asked);
    let window = window(asked);
    let mut cells: BTreeMap<(i64, u32, i64, u32, bool), Totals> = BTreeMap::new();
    for (entry, (open, totals)) in own.entries.iter().zip(each) {
        let Some(met) = other.entries.iter().find(|other| other.visitor == entry.visitor) else { continue };
        if window.is_some_and(|window| met.at >= entry.at + window) {
            continue;
        }
        let cell = cells.entry((entry.epoch, entry.variant, met.epoch, met.variant, open)).or_default();
        *cell = cell.merge(&totals);
    }
    let cell = |((epoch, variant, other_epoch, other_variant, open), totals)| PairTotals {
        epoch,
        variant,
        other_epoch,
        other_variant,
        open,
        totals,
    };
    cells.into_iter().map(cell).collect()
}

/// Counts visitors that experiments have in common.
pub(in crate::conformance) fn shared(records: &[Record], question: &SharedQuestion) -> Vec<SharedVisitors> {
    let met = |test_id: i64| -> BTreeSet<&str> {
        let of = records.iter().filter(|record| record.project_key == question.project_key && !record.bot);
        let exposures = of.filter(|record| {
            record.kind == EventKind::Exposure && record.test_id == Some(test_id) && variant(record).is_some()
        });
        exposures.map(|record| record.visitor.id.as_str()).collect()
    };
    let mut all = Vec::new();
    for (at, &test_id) in question.test_ids.iter().enumerate() {
        for &other_test_id in &question.test_ids[at + 1..] {
            let visitors = met(test_id).intersection(&met(other_test_id)).count() as u64;
            all.extend((visitors > 0).then_some(SharedVisitors { test_id, other_test_id, visitors }));
        }
    }
    all
}
