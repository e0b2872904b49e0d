//! Distribution functions against 50-digit values.
//!
//! `special.json` holds rows of function, arguments and value, evaluated from the defining series at 60 to 420 digits with
//! mpmath 1.3.0 and rounded once.

use muriel_stats::special;

fn value(function: &str, args: &[f64]) -> f64 {
    match (function, args) {
        ("normal_cdf", &[x]) => special::normal_cdf(x),
        ("normal_ppf", &[p]) => special::normal_ppf(p),
        ("student_t_sf", &[t, df]) => special::student_t_sf(t, df),
        ("student_t_ppf", &[p, df]) => special::student_t_ppf(p, df),
        ("chi_squared_sf", &[x, k]) => special::chi_squared_sf(x, k),
        ("beta_cdf", &[x, a, b]) => special::beta_cdf(x, a, b),
        ("beta_ppf", &[p, a, b]) => special::beta_ppf(p, a, b),
        ("ln_gamma", &[x]) => special::ln_gamma(x),
        ("ln_beta", &[a, b]) => special::ln_beta(a, b),
        ("ln_gamma_ratio", &[x, d]) => special::ln_gamma_ratio(x, d),
        ("log1p_minus", &[x]) => special::log1p_minus(x),
        ("stirling_error", &[x]) => special::stirling_error(x),
        _ => panic!("no such function: {function}{args:?}"),
    }
}

#[test]
fn agrees_with_fifty_digit_values() {
    let rows: Vec<(String, Vec<f64>, f64)> = serde_json::from_str(include_str!("special.json")).unwrap();
    assert!(rows.len() > 200, "the table is whole");
    let mut wrong = Vec::new();
    for (function, args, want) in &rows {
        let got = value(function, args);
        if (got - want).abs() > (1e-11 * want.abs()).max(1e-300) || got.is_nan() {
            wrong.push(format!("{function}{args:?}: got {got:e}, want {want:e}, off by {:e}", (got - want) / want));
        }
    }
    assert!(wrong.is_empty(), "{} of {}:\n{}", wrong.len(), rows.len(), wrong.join("\n"));
}
