//! Adapters for sample ratio mismatch.

use muriel_stats::srm::{self, ChiSquared, SampleRatio};

use super::case::{Input, Read, Table, counts, unknown};

pub(super) fn srm_chi2(input: &Input<'_>, out: &mut Table) -> Read<()> {
    let got = srm::chi_squared(&counts("counts", input.get("counts")?)?, &input.f64s("weights")?)?;
    match got {
        ChiSquared::Tested { statistic, df, .. } => {
            out.number("chi2", statistic);
            out.number("df", f64::from(df));
        }
        ChiSquared::UnitsInZeroWeightArm => {
            out.text("status", "mismatch");
            out.text("reason", "units_in_zero_weight_arm");
        }
    }
    out.number("p_value", got.p_value());
    Ok(())
}

fn sample_ratio(out: &mut Table, got: &SampleRatio) {
    out.number("log_bayes_factor", got.log_bayes_factor);
    out.numbers("p_values", got.p_values.iter().copied());
    out.number("p_value", got.p_value());
}

pub(super) fn srm_sequential(input: &Input<'_>, out: &mut Table) -> Read<()> {
    let batches = input.list("batches", counts)?;
    sample_ratio(out, &srm::sequential(&input.f64s("weights")?, &batches, input.f64("concentration")?)?);
    Ok(())
}

pub(super) fn srm_sequential_interval(input: &Input<'_>, out: &mut Table) -> Read<()> {
    let (counts, weights) = (counts("counts", input.get("counts")?)?, input.f64s("weights")?);
    let (&[first, second], &[a, b]) = (counts.as_slice(), weights.as_slice()) else {
        return Err(unknown("number of arms", &counts.len().to_string()));
    };
    let got = srm::share_interval([a, b], [first, second], input.f64("concentration")?, input.f64("alpha")?)?;
    let total = first as f64 + second as f64;
    out.number("share", first as f64 / total);
    out.interval(got);
    Ok(())
}

pub(super) fn srm_epochs(input: &Input<'_>, out: &mut Table) -> Read<()> {
    let epochs = input.list("epochs", |_, epoch| {
        let epoch = Input(epoch);
        Ok(srm::Epoch { weights: epoch.f64s("weights")?, counts: counts("counts", epoch.get("counts")?)? })
    })?;
    sample_ratio(out, &srm::over_epochs(&epochs, input.f64("concentration")?)?);
    Ok(())
}
