//! The cap computed in SQL matches the definition in `muriel_stats::cap`, and so do the sums that use it.
#![expect(clippy::unwrap_used, reason = "tests; clippy takes only their own functions for such")]

use muriel_domain::Instant;
use muriel_domain::goal::{GoalType, GoalValue, Trigger};
use muriel_log::{LogId, Position, Record};
use muriel_stats::cap::{QuantileMethod, VALUES_PER_CAPPED, default_cap_rank, threshold, winsorize};
use muriel_warehouse::{
    CountedOutcome, DuckWarehouse, ExperimentQuestion, Filter, LoadTarget, Metric, Policy, Population, Rows, StopToken,
    Totals, WarehouseOptions, WarehouseReader, WarehouseWriter, Watermark,
};
use serde_json::{Value, json};

const START: i64 = 1_767_225_600_000_000;

/// An event of a visitor, `second` seconds after the start.
fn event(number: usize, visitor: usize, second: i64, fields: &Value) -> Record {
    let at = serde_json::to_value(Instant::from_us(START + 1_000_000 * second)).unwrap();
    let mut event = json!({
        "id": uuid::Uuid::from_u128(number as u128).to_string(), "project_key": "shop", "at": at, "received_at": at,
        "visitor": { "id": format!("v{visitor}") }, "bot": false,
    });
    event.as_object_mut().unwrap().extend(fields.as_object().unwrap().clone());
    serde_json::from_value(event).unwrap()
}

#[test]
fn sql_caps_as_stats_defines() {
    let revenue = Trigger::new(GoalType::Revenue, GoalValue::Text("paid".into())).unwrap();
    for buyers in [1_usize, 2, 3, 10, 999, 1_000, 1_001, 2_500] {
        // Some values are equal, and every fourth visitor buys nothing.
        let value = |visitor: usize| match visitor % 4 {
            3 => 0.0,
            _ => f64::from((visitor * 7_919 % 10_007 / 3) as u32) + 0.25,
        };
        let visitors = buyers + (buyers - 1) / 3;

        let mut rows = Rows::default();
        for visitor in 0..visitors {
            let arm = (visitor % 2).to_string();
            let exposure = json!({"type": "exposure", "test_id": 1, "variant_id": arm, "epoch": 1});
            rows.add(&event(2 * visitor, visitor, 0, &exposure), 1);
            if value(visitor) > 0.0 {
                let order = json!({"type": "order", "name": "paid", "value": value(visitor)});
                rows.add(&event(2 * visitor + 1, visitor, 60, &order), 1);
            }
        }
        rows.sort();
        let warehouse = DuckWarehouse::in_memory(&WarehouseOptions { memory_bytes: 256 << 20, threads: 1 }).unwrap();
        let mark = Watermark { position: Position { seq: 1 }, hash: None };
        warehouse.load(LoadTarget::Answering, LogId::from_bytes([7; 16]), &rows, mark).unwrap();
        let question = ExperimentQuestion {
            project_key: "shop".into(),
            population: Population::Exposed { test_id: 1 },
            started_at: None,
            from: None,
            until: None,
            epoch: None,
            epochs: Vec::new(),
            arms: 2,
            policy: Policy::default(),
            filter: Filter::default(),
            breakdown: None,
            by_quarter: false,
            as_of: Instant::from_us(START + 3_600_000_000),
            metrics: vec![Metric::new(CountedOutcome::Goal(revenue.clone()))],
        };
        let answer = &warehouse.ask(&question, &StopToken::new()).unwrap().metrics[0];

        let of_arm = |arm: usize| (0..visitors).filter(|v| v % 2 == arm).map(value).collect::<Vec<f64>>();
        let arms = [of_arm(0), of_arm(1)];
        let mut sorted: Vec<f64> = arms.concat().into_iter().filter(|value| *value > 0.0).collect();
        sorted.sort_by(f64::total_cmp);
        assert_eq!(sorted.len(), buyers);
        let cap = sorted[buyers - 1 - default_cap_rank(buyers as u64).unwrap() as usize];
        if buyers as u64 >= VALUES_PER_CAPPED {
            let quantile = threshold(&[&arms[0], &arms[1]], 0.999, QuantileMethod::NearestRank, true).unwrap();
            assert_eq!(cap, quantile, "{buyers}");
        }
        assert_eq!(answer.cap, Some(cap), "{buyers}");
        let capped = [winsorize(&arms[0], cap), winsorize(&arms[1], cap)];
        assert_eq!(answer.capped, capped[0].capped_units + capped[1].capped_units, "{buyers}");
        for (arm, capped) in (0u32..).zip(capped) {
            let cells = answer.cells.iter().filter(|cell| cell.variant == arm);
            let moments = cells.fold(Totals::default(), |sum, cell| sum.merge(&cell.totals)).moments();
            let is_close = |a: f64, b: f64| (a - b).abs() <= 1e-9 * (1.0 + b.abs());
            assert_eq!(moments.n, capped.moments.n, "{buyers} {arm}");
            assert!(is_close(moments.mean, capped.moments.mean), "{buyers} {arm}");
            assert!(is_close(moments.m2, capped.moments.m2), "{buyers} {arm}");
        }
    }
}
