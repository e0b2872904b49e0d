//! Inputs that many methods share: two arms, their effect, its scale, and the sides of the test.

use muriel_stats::interval::{self, Alternative, Proportion};
use muriel_stats::{Effect, JointMoments, Moments, Sample, Sides, Undefined, both};

use super::case::{Input, Read, Stop, Table, unknown};

/// Both values, or the first reason to stop: unreadable before undefined, then in the order of [`Undefined`].
pub(super) fn pair<A, B>(a: Read<A>, b: Read<B>) -> Read<(A, B)> {
    match (a, b) {
        (Err(Stop::Unreadable(problem)), _) | (_, Err(Stop::Unreadable(problem))) => Err(Stop::Unreadable(problem)),
        (a, b) => {
            let reason = |stop| match stop {
                Stop::Undefined(reason) => reason,
                Stop::Unreadable(_) => Undefined::InvalidInput,
            };
            Ok(both(a.map_err(reason), b.map_err(reason))?)
        }
    }
}

/// Both arms of a comparison.
pub(super) fn arms<'a, T>(input: &Input<'a>, arm: impl Fn(&Input<'a>) -> Read<T>) -> Read<(T, T)> {
    pair(arm(&input.object("control")?), arm(&input.object("treatment")?))
}

pub(super) fn sample(arm: &Input<'_>) -> Read<Sample> {
    let n = arm.count("n")?;
    Ok(if arm.has("conversions") {
        Sample::of_proportion(n, arm.count("conversions")?)?
    } else {
        Sample::of_mean(&Moments::from_sums(n, arm.f64("sum")?, arm.f64("sum_squares")?)?)?
    })
}

pub(super) fn share(arm: &Input<'_>) -> Read<Proportion> {
    Ok(Proportion { n: arm.count("n")?, successes: arm.count("conversions")? })
}

/// Joint moments of two values per unit, named by their prefixes.
pub(super) fn joint(arm: &Input<'_>, n: &str, x: &str, y: &str) -> Read<JointMoments> {
    Ok(JointMoments::from_sums(
        arm.count(n)?,
        arm.f64(&format!("{x}_sum"))?,
        arm.f64(&format!("{x}_sum_squares"))?,
        arm.f64(&format!("{y}_sum"))?,
        arm.f64(&format!("{y}_sum_squares"))?,
        arm.f64("sum_of_products")?,
    )?)
}

pub(super) fn effect(input: &Input<'_>) -> Read<Effect> {
    let (control, treatment) = arms(input, sample)?;
    Ok(Effect::of_samples(&control, &treatment)?)
}

/// The effect on the scale that the input `difference` names.
pub(super) fn scaled(input: &Input<'_>, effect: &Effect) -> Read<Effect> {
    if is_relative(input)? { Ok(effect.relative()?) } else { Ok(*effect) }
}

pub(super) fn is_relative(input: &Input<'_>) -> Read<bool> {
    match input.text("difference")? {
        "relative" => Ok(true),
        "absolute" => Ok(false),
        other => Err(unknown("difference", other)),
    }
}

pub(super) fn alternative(input: &Input<'_>) -> Read<Alternative> {
    match if input.has("alternative") { input.text("alternative")? } else { "two-sided" } {
        "two-sided" => Ok(Alternative::TwoSided),
        "larger" => Ok(Alternative::Larger),
        "smaller" => Ok(Alternative::Smaller),
        other => Err(unknown("alternative", other)),
    }
}

/// Sides of the test; two unless given.
pub(super) fn sides(input: &Input<'_>) -> Read<Sides> {
    match if input.has("sides") { input.count("sides")? } else { 2 } {
        1 => Ok(Sides::One),
        2 => Ok(Sides::Two),
        other => Err(unknown("sides", &other.to_string())),
    }
}

/// Outputs of the t test of an effect, on the scale that the input names.
pub(super) fn effect_outputs(input: &Input<'_>, out: &mut Table, effect: &Effect) -> Read<()> {
    let effect = scaled(input, effect)?;
    out.number("effect", effect.num);
    out.test(&interval::t_test(&effect, input.f64("alpha")?, alternative(input)?)?);
    Ok(())
}
