//! Adapters for metrics other than means and shares: adjusted, ratios, capped, quantiles.

use muriel_stats::cap::{self, QuantileMethod};
use muriel_stats::{Effect, QuantileSample, quantile};

use super::super::{Output, Outputs};
use super::case::{Input, Read, Table, unknown};
use super::comparison::{arms, effect_outputs, joint};

pub(super) fn cuped(input: &Input<'_>, out: &mut Table) -> Read<()> {
    let (control, treatment) = arms(input, |arm| joint(arm, "n", "post", "pre"))?;
    let adjusted = Effect::of_adjusted(&control, &treatment)?;
    out.number("theta", adjusted.theta);
    out.number("variance_ratio", adjusted.variance_ratio);
    effect_outputs(input, out, &adjusted.effect)
}

pub(super) fn ratio(input: &Input<'_>, out: &mut Table) -> Read<()> {
    let (control, treatment) = arms(input, |arm| joint(arm, "n", "num", "den"))?;
    let effect = Effect::of_ratios(&control, &treatment)?;
    out.number("ratio_control", control.ratio()?);
    out.number("ratio_treatment", treatment.ratio()?);
    effect_outputs(input, out, &effect)
}

pub(super) fn winsorize(input: &Input<'_>, out: &mut Table) -> Read<()> {
    if input.has("pool") && input.text("pool")? != "all_arms" {
        return Err(unknown("pool", input.text("pool")?));
    }
    let rule = match input.text("rule")? {
        "linear" => QuantileMethod::Linear,
        "nearest_rank" => QuantileMethod::NearestRank,
        other => return Err(unknown("rule", other)),
    };
    let (control, treatment) = (input.f64s("control")?, input.f64s("treatment")?);
    let cap = cap::threshold(&[&control, &treatment], input.f64("quantile")?, rule, input.flag("ignore_zeros")?)?;
    out.number("cap", cap);
    let mut capped_units = 0;
    for (name, values) in [("control", control), ("treatment", treatment)] {
        let capped = cap::winsorize(&values, cap);
        capped_units += capped.capped_units;
        let (n, mean) = (capped.moments.n as f64, capped.moments.mean);
        let mut group = Table(Outputs::new());
        group.number("n", n);
        group.number("sum", n * mean);
        group.number("sum_squares", capped.moments.m2 + n * mean * mean);
        out.0.insert(name, Output::Group(group.0));
    }
    out.number("capped_units", capped_units as f64);
    Ok(())
}

pub(super) fn quantile_effect(input: &Input<'_>, out: &mut Table) -> Read<()> {
    let clustered = input.flag("clustered")?;
    let (control, treatment) = arms(input, |arm| {
        let clusters = if clustered { Some(joint(arm, "n_clusters", "at_or_below", "size")?) } else { None };
        Ok(QuantileSample {
            n: arm.count("n")?,
            n_star: arm.count("n_star")?,
            level: arm.f64("quantile_level")?,
            value: arm.f64("quantile")?,
            lower: arm.f64("quantile_lower")?,
            upper: arm.f64("quantile_upper")?,
            clusters,
        })
    })?;
    effect_outputs(input, out, &Effect::of_quantiles(&control, &treatment)?)
}

pub(super) fn quantile_ranks(input: &Input<'_>, out: &mut Table) -> Read<()> {
    let got = quantile::ranks(input.count("n")?, input.f64("quantile_level")?, input.f64("alpha")?)?;
    out.0.insert("lower_rank", Table::optional(got.lower.map(|rank| rank as f64)));
    out.0.insert("upper_rank", Table::optional(got.upper.map(|rank| rank as f64)));
    Ok(())
}
