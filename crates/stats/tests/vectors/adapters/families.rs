//! Adapters for families of results.

use muriel_stats::multiplicity::{self, Correction};

use super::super::Output;
use super::case::{Input, Read, Table, optional_number, unknown};

pub(super) fn p_adjust(input: &Input<'_>, out: &mut Table) -> Read<()> {
    let correction = match input.text("correction")? {
        "bonferroni" => Correction::Bonferroni,
        "holm" => Correction::Holm,
        "benjamini_hochberg" => Correction::BenjaminiHochberg,
        "benjamini_yekutieli" => Correction::BenjaminiYekutieli,
        other => return Err(unknown("correction", other)),
    };
    let adjusted = multiplicity::adjust(&input.list("p_values", optional_number)?, correction)?;
    out.0.insert("adjusted", Output::List(adjusted.into_iter().map(Table::optional).collect()));
    Ok(())
}

pub(super) fn e_bh(input: &Input<'_>, out: &mut Table) -> Read<()> {
    let (log_e_values, fdr) = (input.list("log_e_values", optional_number)?, input.f64("fdr")?);
    let rejected = multiplicity::e_bh(&log_e_values, fdr)?;
    let adjusted = multiplicity::adjust_e_values(&log_e_values)?;
    let found: Vec<usize> = (0..adjusted.len()).filter(|i| adjusted[*i].is_some_and(|p| p <= fdr)).collect();
    assert_eq!(found, rejected, "the adjusted values tell other rejections");
    out.numbers("rejected", rejected.into_iter().map(|i| i as f64));
    Ok(())
}
