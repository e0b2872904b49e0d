//! One adapter per method: converts inputs to the crate's types, and results to named outputs.
//!
//! Adapters only do what a table of results needs: choose a scale, take the root of a variance, name a reason.

mod bayes;
mod case;
mod comparison;
mod families;
mod fixed;
mod metrics;
mod parts;
mod power;
mod sample_ratio;
mod sequential;

use serde_json::Value;

use super::{Outputs, functions};
use case::{Input, Read, Stop, Table, unknown};

/// The crate's outputs for one case.
///
/// # Errors
/// A message when the method or an input is not known.
pub(super) fn answer(method: &str, inputs: &Value) -> Result<Outputs, String> {
    let adapter: fn(&Input<'_>, &mut Table) -> Read<()> = match method {
        "special" => special_function,
        "moments" => fixed::moments,
        "proportion_z" => fixed::proportion_z,
        "proportion_interval" => fixed::proportion_interval,
        "proportion_difference_interval" => fixed::proportion_difference_interval,
        "welch_t" => fixed::welch_t,
        "effect_t" => fixed::effect_t,
        "lift_fieller" => fixed::lift_fieller,
        "beta_binomial" => bayes::beta_binomial_case,
        "bayes_lift" => bayes::bayes_lift,
        "asymptotic_cs" => sequential::asymptotic_cs,
        "asymptotic_cs_fieller" => sequential::asymptotic_cs_fieller,
        "mixture_boundary" => sequential::mixture_boundary,
        "cuped" => metrics::cuped,
        "ratio" => metrics::ratio,
        "srm_chi2" => sample_ratio::srm_chi2,
        "srm_sequential" => sample_ratio::srm_sequential,
        "srm_sequential_interval" => sample_ratio::srm_sequential_interval,
        "srm_epochs" => sample_ratio::srm_epochs,
        "p_adjust" => families::p_adjust,
        "e_bh" => families::e_bh,
        "power" => power::power_case,
        "winsorize" => metrics::winsorize,
        "quantile_effect" => metrics::quantile_effect,
        "quantile_ranks" => metrics::quantile_ranks,
        "group_sequential" => sequential::group_sequential_case,
        "post_stratified" => parts::post_stratified_case,
        "epochs_effect" => parts::epochs_effect,
        "best_arm" => bayes::best_arm_case,
        other => return Err(format!("method {other} is not known")),
    };
    let mut table = Table(Outputs::new());
    match adapter(&Input(inputs), &mut table) {
        Ok(()) => {}
        Err(Stop::Undefined(reason)) => {
            table.text("status", "undefined");
            table.text("reason", reason.reason());
        }
        Err(Stop::Unreadable(problem)) => return Err(problem),
    }
    Ok(table.0)
}

fn special_function(input: &Input<'_>, out: &mut Table) -> Read<()> {
    let args = input.f64s("args")?;
    let function = input.text("function")?;
    let value = functions::value(function, &args)
        .ok_or_else(|| unknown("function", &format!("{function} of {} arguments", args.len())))?;
    out.number("value", value);
    Ok(())
}
