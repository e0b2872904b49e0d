//! Adapters for results that may be checked repeatedly: always valid, or at planned checks.

use muriel_stats::Sides;
use muriel_stats::boundary::{BoundSide, Mixture, sequential, sequential_bound};
use muriel_stats::group_sequential::{self, Recursion, Spending};

use super::case::{Input, Read, Table, unknown};
use super::comparison::{effect, scaled, sides};

pub(super) fn asymptotic_cs(input: &Input<'_>, out: &mut Table) -> Read<()> {
    let effect = scaled(input, &effect(input)?)?;
    out.number("effect", effect.num);
    let (planned, alpha) = (input.f64("tuning_n")?, input.f64("alpha")?);
    match sides(input)? {
        Sides::Two => {
            let got = sequential(&effect, &Mixture::tuned(planned, alpha)?)?;
            out.number("std_error", got.std_error);
            out.number("multiplier", got.multiplier);
            out.number("log_e_value", got.log_e);
            out.number("p_value", got.p_value);
            out.interval(got.interval);
        }
        Sides::One => {
            let side = match input.text("bound")? {
                "lower" => BoundSide::Lower,
                "upper" => BoundSide::Upper,
                other => return Err(unknown("bound", other)),
            };
            let got = sequential_bound(&effect, &Mixture::tuned_one_sided(planned, alpha)?, side)?;
            out.number("std_error", got.std_error);
            out.number("multiplier", got.multiplier);
            out.number("bound", got.bound);
        }
    }
    Ok(())
}

pub(super) fn asymptotic_cs_fieller(input: &Input<'_>, out: &mut Table) -> Read<()> {
    let effect = effect(input)?;
    out.number("effect", effect.lift()?);
    let got = sequential(&effect, &Mixture::tuned(input.f64("tuning_n")?, input.f64("alpha")?)?)?;
    out.number("multiplier", got.multiplier);
    out.number("g", got.g);
    out.interval(got.lift_interval?);
    Ok(())
}

pub(super) fn mixture_boundary(input: &Input<'_>, out: &mut Table) -> Read<()> {
    let alpha = input.f64("alpha")?;
    let t = input.f64("t")?;
    let (mixture, multiplier) = match (input.text("rule")?, sides(input)?) {
        ("closed_form", Sides::One) => {
            let mixture = Mixture::tuned_one_sided(input.f64("tuning_n")?, alpha)?;
            (mixture, mixture.multiplier_one_sided(t))
        }
        ("closed_form", Sides::Two) => {
            let mixture = Mixture::tuned(input.f64("tuning_n")?, alpha)?;
            (mixture, mixture.multiplier(t))
        }
        ("exact", Sides::Two) => {
            let mixture = Mixture::exact(input.f64("tuning_n")?, alpha)?;
            (mixture, mixture.multiplier(t))
        }
        ("msprt", Sides::Two) => {
            let mixture = Mixture::msprt(input.f64("msprt_mixing_variance")?, input.f64("unit_variance")?, alpha)?;
            (mixture, mixture.multiplier(t))
        }
        (other, _) => return Err(unknown("rule", other)),
    };
    out.number("rho", mixture.r);
    out.number("multiplier", multiplier);
    Ok(())
}

pub(super) fn group_sequential_case(input: &Input<'_>, out: &mut Table) -> Read<()> {
    let of = input.object("spending")?;
    let spending = match of.text("family")? {
        "power" => Spending::Power { rho: of.f64("rho")? },
        "obrien_fleming" => Spending::ObrienFleming,
        "pocock" => Spending::Pocock,
        other => return Err(unknown("spending family", other)),
    };
    let recursion = match input.text("recursion")? {
        "one_sided_per_tail" => Recursion::OneSidedPerTail,
        "two_sided_symmetric" => Recursion::TwoSidedSymmetric,
        other => return Err(unknown("recursion", other)),
    };
    let information = input.f64s("information")?;
    let got = group_sequential::bounds(&information, input.f64("alpha")?, sides(input)?, spending, recursion)?;
    out.numbers("bounds", got.z);
    out.numbers("nominal_p", got.nominal_p);
    Ok(())
}
