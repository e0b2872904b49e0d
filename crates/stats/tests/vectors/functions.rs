//! Distribution functions by their names in the tables of reference values.

use muriel_stats::special;

/// Evaluates a distribution function; `None` when no function has this name and number of arguments.
pub(crate) fn value(function: &str, args: &[f64]) -> Option<f64> {
    Some(match (function, args) {
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
        _ => return None,
    })
}
