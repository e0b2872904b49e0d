//! Adapters for sample sizes, power and smallest detectable effects.

use muriel_stats::power::{self, Baseline, Looks, NullVariance, TreatmentVariance, Units};

use super::case::{Input, Read, Table, unknown};
use super::comparison::sides;

pub(super) fn power_case(input: &Input<'_>, out: &mut Table) -> Read<()> {
    let kind = input.text("kind")?;
    // Every kind has a variant whose rule may be checked at any time.
    let (kind, looks) = match kind.strip_suffix("_sequential") {
        Some(kind) if input.has("tuning_n") => (kind, Looks::Any { planned_units: Some(input.f64("tuning_n")?) }),
        Some(kind) => (kind, Looks::Any { planned_units: None }),
        None => (kind, Looks::Once),
    };
    let rule = power::DecisionRule { alpha: input.f64("alpha")?, sides: sides(input)?, looks };
    let units = || -> Read<Units> {
        Ok(if input.has("n_per_arm") {
            let n = input.f64("n_per_arm")?;
            Units { control: n, treatment: n }
        } else {
            Units { control: input.f64("n_control")?, treatment: input.f64("n_treatment")? }
        })
    };
    let treatment_share = if input.has("treatment_share") { input.f64("treatment_share")? } else { 0.5 };
    let baseline = || -> Read<Baseline> { Ok(Baseline { mean: input.f64("mean")?, sd: input.f64("sd")? }) };
    let target = || input.f64("target_power");
    let multiplier = |out: &mut Table, units: &Units| -> Read<()> {
        if matches!(looks, Looks::Any { .. }) {
            out.number("multiplier", rule.critical(units.total())?);
        }
        Ok(())
    };
    let sizes = |out: &mut Table, solved: power::Solved<Units>| {
        out.number("n_per_arm", solved.exact.treatment);
        out.number("n_per_arm_rounded", power::whole_units(solved.exact.treatment) as f64);
        out.number("n_per_arm_approx", solved.approximate.treatment);
        // Packages that return totals use the formula without the far tail.
        out.number("n_total", power::whole_units(solved.approximate.total()) as f64);
    };
    match kind {
        "power_mean" => {
            let units = units()?;
            let power = power::power_of_mean(input.f64("effect")?, input.f64("sd")?, &units, &rule)?;
            multiplier(out, &units)?;
            out.number("power", power);
        }
        "power_mean_t" if looks == Looks::Once => {
            let (effect, sd) = (input.f64("effect")?, input.f64("sd")?);
            out.number("power", power::power_of_mean_t(effect, sd, &units()?, rule.alpha, rule.sides)?);
        }
        "power_proportion" => {
            let null = match input.text("variance")? {
                "unpooled" => NullVariance::Unpooled,
                "pooled_null" => NullVariance::Pooled,
                other => return Err(unknown("variance", other)),
            };
            let (control, treatment) = (input.f64("p_control")?, input.f64("p_treatment")?);
            let units = units()?;
            let power = power::power_of_proportion(control, treatment, &units, &rule, null)?;
            multiplier(out, &units)?;
            out.number("power", power);
        }
        "power_lift" => {
            let units = units()?;
            let power = power::power_of_lift(&baseline()?, input.f64("lift")?, &units, &rule)?;
            multiplier(out, &units)?;
            out.number("power", power);
        }
        "mde_mean" => {
            let units = units()?;
            let mde = power::mde_of_mean(input.f64("sd")?, &units, &rule, target()?)?;
            multiplier(out, &units)?;
            out.number("mde", mde.exact);
            out.number("mde_approx", mde.approximate);
        }
        "mde_proportion" => {
            let units = units()?;
            let mde = power::mde_of_proportion(input.f64("p_control")?, &units, &rule, target()?)?;
            multiplier(out, &units)?;
            out.number("mde", mde.exact);
            out.number("mde_approx", mde.approximate);
        }
        "mde_lift" => {
            let units = units()?;
            let mde = power::mde_of_lift(&baseline()?, &units, &rule, target()?)?;
            multiplier(out, &units)?;
            out.number("mde", mde);
        }
        "sample_size_mean" | "sample_size_total_mean" => {
            let (effect, sd) = (input.f64("effect")?, input.f64("sd")?);
            sizes(out, power::units_for_mean(effect, sd, treatment_share, &rule, target()?)?);
        }
        "sample_size_proportion" | "sample_size_total_proportion" => {
            let variance = match input.text("variance")? {
                "unpooled" => TreatmentVariance::Own,
                "baseline_both_arms" => TreatmentVariance::OfControl,
                other => return Err(unknown("variance", other)),
            };
            let control = input.f64("p_control")?;
            let rise = if input.has("effect") { input.f64("effect")? } else { input.f64("p_treatment")? - control };
            sizes(out, power::units_for_proportion(control, rise, variance, treatment_share, &rule, target()?)?);
        }
        "sample_size_lift" | "sample_size_total_lift" => {
            let lift = input.f64("lift")?;
            sizes(out, power::units_for_lift(&baseline()?, lift, treatment_share, &rule, target()?)?);
        }
        other => return Err(unknown("kind", other)),
    }
    Ok(())
}
