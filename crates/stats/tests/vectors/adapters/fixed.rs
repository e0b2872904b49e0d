//! Adapters for moments, and for intervals and tests at a single check.

use muriel_stats::Moments;
use muriel_stats::interval::{self, Alternative};
use muriel_stats::lift::fieller;

use super::case::{Input, Read, Table, unknown};
use super::comparison::{alternative, arms, effect, effect_outputs, share};

pub(super) fn moments(input: &Input<'_>, out: &mut Table) -> Read<()> {
    let moments = Moments::from_sums(input.count("n")?, input.f64("sum")?, input.f64("sum_squares")?)?;
    if moments.n > 0 {
        out.number("mean", moments.mean);
    }
    out.number("variance", moments.variance()?);
    out.number("std_error", moments.std_error()?);
    Ok(())
}

pub(super) fn proportion_z(input: &Input<'_>, out: &mut Table) -> Read<()> {
    let alternative = alternative(input)?;
    match input.text("variance")? {
        "pooled" => {
            let (control, treatment) = arms(input, share)?;
            let test = interval::pooled_z_test(&control, &treatment, alternative)?;
            out.number("difference", test.difference);
            out.number("std_error", test.std_error);
            out.number("z", test.z);
            out.number("p_value", test.p_value);
        }
        "unpooled" => {
            let effect = effect(input)?;
            out.number("difference", effect.num);
            // Without an alpha only the interval would depend on the default, and it is left out of the outputs.
            let alpha = if input.has("alpha") { Some(input.f64("alpha")?) } else { None };
            let test = interval::z_test(&effect, alpha.unwrap_or(0.05), alternative)?;
            out.number("std_error", test.std_error);
            out.number("z", test.statistic);
            out.number("p_value", test.p_value);
            if alpha.is_some() {
                out.interval(test.interval);
            }
        }
        other => return Err(unknown("variance", other)),
    }
    Ok(())
}

pub(super) fn proportion_interval(input: &Input<'_>, out: &mut Table) -> Read<()> {
    let method = match input.text("interval")? {
        "wilson" => interval::wilson,
        "clopper_pearson" => interval::clopper_pearson,
        "jeffreys" => interval::jeffreys,
        other => return Err(unknown("interval", other)),
    };
    out.interval(method(&share(input)?, input.f64("alpha")?)?);
    Ok(())
}

pub(super) fn proportion_difference_interval(input: &Input<'_>, out: &mut Table) -> Read<()> {
    let method = match input.text("interval")? {
        "newcombe" => interval::newcombe,
        "agresti_caffo" => interval::agresti_caffo,
        other => return Err(unknown("interval", other)),
    };
    let (control, treatment) = arms(input, share)?;
    out.interval(method(&control, &treatment, input.f64("alpha")?)?);
    Ok(())
}

pub(super) fn welch_t(input: &Input<'_>, out: &mut Table) -> Read<()> {
    let effect = effect(input)?;
    out.number("difference", effect.num);
    let test = interval::t_test(&effect, input.f64("alpha")?, alternative(input)?)?;
    out.number("t", test.statistic);
    out.test(&test);
    Ok(())
}

pub(super) fn effect_t(input: &Input<'_>, out: &mut Table) -> Read<()> {
    effect_outputs(input, out, &effect(input)?)
}

pub(super) fn lift_fieller(input: &Input<'_>, out: &mut Table) -> Read<()> {
    let effect = effect(input)?;
    out.number("effect", effect.lift()?);
    let critical = match input.text("critical")? {
        "normal" => interval::z_test(&effect, input.f64("alpha")?, Alternative::TwoSided)?.critical,
        "t" | "student_t" => interval::t_test(&effect, input.f64("alpha")?, Alternative::TwoSided)?.critical,
        other => return Err(unknown("critical", other)),
    };
    let fieller = fieller(&effect, critical)?;
    out.number("g", fieller.g);
    out.interval(fieller.interval?);
    Ok(())
}
