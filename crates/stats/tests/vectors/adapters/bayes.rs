//! Adapters for posteriors of two arms and probabilities of being the best arm.

use muriel_stats::Undefined;
use muriel_stats::bayes::{Posterior, Prior, beta_binomial, posterior, posterior_relative};
use muriel_stats::best_arm::{self, ArmPosterior, Direction};

use super::case::{Input, Read, Table, unknown};
use super::comparison::{arms, effect, is_relative, share};

pub(super) fn beta_binomial_case(input: &Input<'_>, out: &mut Table) -> Read<()> {
    let (control, treatment) = arms(input, share)?;
    let prior = input.object("prior")?;
    let got = beta_binomial(&control, &treatment, (prior.f64("alpha")?, prior.f64("beta")?))?;
    out.number("chance_to_win", got.chance_to_win);
    out.number("expected_loss_control", got.expected_loss_control);
    out.number("expected_loss_treatment", got.expected_loss_treatment);
    Ok(())
}

pub(super) fn bayes_lift(input: &Input<'_>, out: &mut Table) -> Read<()> {
    let effect = effect(input)?;
    let of = input.object("prior")?;
    let prior = match of.text("kind")? {
        "flat" => Prior::Flat,
        "normal" if of.has("scale") && of.text("scale")? != "relative" => {
            return Err(unknown("prior scale", of.text("scale")?));
        }
        "normal" => Prior::Normal { mean: of.f64("mean")?, sd: of.f64("sd")? },
        other => return Err(unknown("prior", other)),
    };
    let view = if is_relative(input)? { posterior_relative } else { posterior };
    let Posterior { mean, sd, interval, chance_to_win, expected_loss_control, expected_loss_treatment } =
        view(&effect, &prior, input.f64("alpha")?, input.flag("lower_is_better")?)?;
    out.number("posterior_mean", mean);
    out.number("posterior_sd", sd);
    out.interval(interval);
    out.number("chance_to_win", chance_to_win);
    out.number("expected_loss_control", expected_loss_control);
    out.number("expected_loss_treatment", expected_loss_treatment);
    Ok(())
}

pub(super) fn best_arm_case(input: &Input<'_>, out: &mut Table) -> Read<()> {
    let (means, std_errors) = (input.f64s("means")?, input.f64s("std_errors")?);
    if means.len() != std_errors.len() {
        return Err(Undefined::InvalidInput.into());
    }
    let arms: Vec<ArmPosterior> =
        means.iter().zip(&std_errors).map(|(&mean, &std_error)| ArmPosterior { mean, std_error }).collect();
    let goal = match input.text("goal")? {
        "max" => Direction::Max,
        "min" => Direction::Min,
        other => return Err(unknown("goal", other)),
    };
    let probabilities = best_arm::probabilities(&arms, goal)?;
    out.numbers("weights", best_arm::allocation(&probabilities, input.f64("floor")?)?);
    out.numbers("probabilities", probabilities);
    Ok(())
}
