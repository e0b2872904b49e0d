//! Adapters for effects combined from strata or from epochs.

use muriel_stats::Epochs;
use muriel_stats::lift::delta_lift;
use muriel_stats::strata::post_stratified;

use super::case::{Input, Read, Stop, Table};
use super::comparison::{effect, is_relative, pair, scaled};

pub(super) fn post_stratified_case(input: &Input<'_>, out: &mut Table) -> Read<()> {
    let strata = input.list("strata", |_, stratum| Ok(effect(&Input(stratum))))?;
    // All strata are computed before an error is returned, because the first reason in the order of reasons is
    // expected.
    let mut all = Ok(Vec::new());
    for stratum in strata {
        all = pair(all, stratum).map(|(mut all, stratum)| {
            all.push(stratum);
            all
        });
    }
    let all = all?;
    let whole = post_stratified(&all)?;
    out.number("control_mean", whole.den);
    if is_relative(input)? {
        out.number("effect", whole.lift()?);
        out.number("std_error", delta_lift(&whole)?.1);
    } else {
        out.number("effect", whole.num);
        out.number("std_error", whole.std_error()?);
    }
    Ok(())
}

pub(super) fn epochs_effect(input: &Input<'_>, out: &mut Table) -> Read<()> {
    let epochs = input.list("epochs", |_, epoch| {
        let effect = effect(&Input(epoch)).and_then(|effect| scaled(input, &effect));
        match effect {
            Ok(effect) => Ok(Ok(effect)),
            Err(Stop::Undefined(reason)) => Ok(Err(reason)),
            Err(unreadable) => Err(unreadable),
        }
    })?;
    let got = Epochs::combine(&epochs)?;
    out.number("epochs_used", got.used as f64);
    out.number("z", got.studentised.z()?);
    out.number("p_value", got.p_value()?);
    out.number("effect", got.studentised.num);
    out.number("std_error", got.studentised.std_error()?);
    out.number("share_weighted_effect", got.share_weighted.num);
    out.number("share_weighted_std_error", got.share_weighted.std_error()?);
    Ok(())
}
