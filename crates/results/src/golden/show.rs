//! A report as JSON. Structs are destructured by field name, so a new field has to be added here.

use crate::compute::{Computed, DayNumbers, MetricNumbers, Numbers, SegmentNumbers};
use crate::locked::Labels;
use muriel_analysis::{
    Analysis, Applied, Health, HealthCheck, LiftEstimate, MetricReport, PageArm, PageMeasurement, Report,
    SampleRatioTest,
};
use muriel_domain::Instant;
use muriel_stats::Interval;
use muriel_stats::srm::ChiSquared;
use muriel_warehouse::{LargestOrder, OrderSummary, PageError, Segment};
use serde_json::{Map, Value, json};

pub(super) fn computed(computed: &Computed) -> Value {
    let Computed {
        manifest: _,
        visitors,
        first_entry,
        lost_events,
        trust,
        // The scenarios have no exclusions and no networks, and their visitors are all unsigned.
        excluded: _,
        concentration: _,
        unvouched: _,
        report,
        applied,
        errors,
        metrics,
        values_vary,
        parts,
        stages,
        bandit: _,
    } = computed;
    let Report { health, page, metrics: analysed } = report;
    json!({
        "visitors": visitors,
        "first_entry": first_entry.map(Instant::us),
        "lost_events": { "visitors": lost_events.visitors, "events": lost_events.events },
        "trust": [trust.keyed, trust.signed, trust.unsigned],
        "values_vary": values_vary,
        "health": self::health(health),
        "page": page.arms.iter().map(page_arm).collect::<Vec<_>>(),
        "applied": applied.iter().map(self::applied).collect::<Vec<_>>(),
        "errors": errors.iter().map(page_error).collect::<Vec<_>>(),
        "metrics": metrics.iter().zip(analysed).map(|(shown, report)| metric(shown, report)).collect::<Vec<_>>(),
        "parts": parts.iter().map(part).collect::<Vec<_>>(),
        "stages": stages.iter().map(stage).collect::<Vec<_>>(),
        "labels": labels(&Labels::of_result(computed)),
    })
}

fn labels(labels: &Labels) -> Value {
    let Labels { top, metrics, arms, parts, changed_since, note, no_difference: _, held_back } = labels;
    json!({
        "top": top, "metrics": metrics, "arms": arms, "parts": parts, "changed_since": changed_since, "note": note,
        "held_back": held_back,
    })
}

/// A number; JSON has no infinity.
fn number(number: f64) -> Value {
    if number.is_finite() { json!(number) } else { json!(number.to_string()) }
}

fn interval(interval: Option<Interval>) -> Value {
    interval.map_or(Value::Null, |interval| json!([number(interval.lower), number(interval.upper)]))
}

fn health(health: &Health) -> Value {
    let (mut grades, mut messages) = (Map::new(), Map::new());
    for (name, HealthCheck { grade, message }) in health.checks() {
        grades.insert(name.to_owned(), json!(grade.word()));
        messages.insert(name.to_owned(), json!(message));
    }
    let ratio = |ratio: &SampleRatioTest| {
        let SampleRatioTest { epoch, observed, expected, p_value, chi_squared } = ratio;
        let chi_squared = chi_squared.map(|test| match test {
            ChiSquared::Tested { statistic, df, p_value } => json!([statistic, df, p_value]),
            ChiSquared::UnitsInZeroWeightArm => json!("units_in_zero_weight_arm"),
        });
        json!({
            "epoch": epoch, "observed": observed, "expected": expected, "p_value": p_value, "chi_squared": chi_squared,
        })
    };
    json!({
        "grade": health.grade().word(),
        "checks": grades,
        "messages": messages,
        "ratios": health.ratios.iter().map(ratio).collect::<Vec<_>>(),
    })
}

fn applied(applied: &Applied) -> Value {
    let Applied { arm, change, pages, matched } = applied;
    json!({ "arm": arm, "change": change, "pages": pages, "matched": matched })
}

fn page_error(error: &PageError) -> Value {
    let PageError { variant, message, url, browser, visitors, first_at, last_at } = error;
    json!({
        "variant": variant, "message": message, "url": url, "browser": browser, "visitors": visitors,
        "first_at": first_at.us(), "last_at": last_at.us(),
    })
}

fn page_arm(page: &PageArm) -> Value {
    let PageArm { arm, visitors, hidden_visitors, hidden_ms, measurements, message } = page;
    let measurement = |measured: &PageMeasurement| {
        let PageMeasurement { metric, visitors, number, value, difference, interval, status } = measured;
        json!({
            "metric": metric.word(), "visitors": visitors, "number": number, "value": value, "difference": difference,
            "interval": self::interval(*interval), "status": status.word(),
        })
    };
    json!({
        "arm": arm, "visitors": visitors, "hidden_visitors": hidden_visitors, "hidden_ms": hidden_ms,
        "measurements": measurements.iter().map(measurement).collect::<Vec<_>>(), "message": message,
    })
}

fn numbers(arms: &[Numbers]) -> Value {
    let arm = |numbers: &Numbers| {
        let Numbers { visitors, open, converted, events, units } = numbers;
        json!({
            "visitors": visitors, "open": open, "converted": converted, "events": events, "units": units.to_string(),
            "rate": numbers.rate(), "value_per_visitor": numbers.value_per_visitor(),
            "value_per_order": numbers.value_per_order(),
        })
    };
    arms.iter().map(arm).collect()
}

fn metric(shown: &MetricNumbers, report: &MetricReport) -> Value {
    let MetricNumbers { arms, cap, capped, currency, orders, just_before, only_prevented, is_unfed } = shown;
    let OrderSummary {
        other_currency,
        other_currency_trusted,
        implausible,
        limit,
        trusted,
        repeated,
        shared,
        lost_refunds,
        unread,
        untrusted,
        largest,
    } = orders;
    let largest = largest.map(|largest| {
        let LargestOrder { units, at, variant, trusted } = largest;
        json!({ "units": units, "at": at.us(), "variant": variant, "vouched": trusted })
    });
    let MetricReport { analyses } = report;
    json!({
        "arms": numbers(arms),
        "cap": cap,
        "capped": capped,
        "currency": currency,
        "other_currency_orders": other_currency,
        "other_currency_vouched_orders": other_currency_trusted,
        "implausible_orders": implausible,
        "order_limit": limit,
        "vouched_orders": trusted,
        "repeated_orders": repeated,
        "shared_orders": shared,
        "lost_refunds": lost_refunds,
        "unread_orders": unread,
        "untrusted_orders": untrusted,
        "just_before": just_before,
        "only_prevented": only_prevented,
        "is_unfed": is_unfed,
        "largest_order": largest,
        "analyses": analyses.iter().map(analysis).collect::<Vec<_>>(),
    })
}

fn analysis(analysis: &Analysis) -> Value {
    let Analysis {
        arm,
        visitors,
        lift,
        lift_interval,
        lift_std_error,
        difference,
        difference_interval,
        p_value,
        p_value_adjusted,
        exact_p_value,
        chance_to_beat_control,
        expected_loss,
        credible_interval,
        harmed,
        variance_ratio,
        strata,
        undefined,
        verdict,
        reason,
    } = analysis;
    json!({
        "arm": arm,
        "visitors": visitors,
        "lift": lift,
        "lift_interval": interval(*lift_interval),
        "lift_std_error": lift_std_error,
        "difference": difference,
        "difference_interval": interval(*difference_interval),
        "p_value": p_value,
        "p_value_adjusted": p_value_adjusted,
        "exact_p_value": exact_p_value,
        "chance_to_beat_control": chance_to_beat_control,
        "expected_loss": expected_loss,
        "credible_interval": interval(*credible_interval),
        "harmed": harmed,
        "variance_ratio": variance_ratio,
        "strata": strata,
        "undefined": undefined.map(muriel_stats::Undefined::reason),
        "verdict": verdict.word(),
        "reason": reason,
    })
}

fn estimate(estimate: &LiftEstimate) -> Value {
    let LiftEstimate { lift, lift_interval, p_value } = estimate;
    json!({ "lift": lift, "lift_interval": interval(*lift_interval), "p_value": p_value })
}

fn part(part: &SegmentNumbers) -> Value {
    let SegmentNumbers { segment, arms, points } = part;
    let segment = match segment {
        Segment::Value(value) => value.to_string(),
        Segment::Unknown => "(unknown)".to_owned(),
        Segment::Rest => "(rest)".to_owned(),
    };
    json!({ "segment": segment, "arms": numbers(arms), "points": points.iter().map(estimate).collect::<Vec<_>>() })
}

fn stage(stage: &DayNumbers) -> Value {
    let DayNumbers { day, arms, points, losses: _ } = stage;
    json!({
        "day": day.to_string(), "arms": numbers(arms), "points": points.iter().map(estimate).collect::<Vec<_>>(),
    })
}
