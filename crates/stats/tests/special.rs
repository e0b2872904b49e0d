//! Distribution functions against 50-digit values.
//!
//! `special.json` holds rows of function, arguments and value, computed from the defining series at 60 to 420 digits
//! with mpmath 1.3.0 and rounded once.

use crate::vectors::functions;

#[test]
fn agrees_with_fifty_digit_values() {
    let rows: Vec<(String, Vec<f64>, f64)> = serde_json::from_str(include_str!("special.json")).unwrap();
    assert!(rows.len() > 200, "the table is whole");
    let mut wrong = Vec::new();
    for (function, args, want) in &rows {
        let got = functions::value(function, args).unwrap_or_else(|| panic!("no such function: {function}{args:?}"));
        if (got - want).abs() > (1e-11 * want.abs()).max(1e-300) || got.is_nan() {
            wrong.push(format!("{function}{args:?}: got {got:e}, want {want:e}, off by {:e}", (got - want) / want));
        }
    }
    assert!(wrong.is_empty(), "{} of {}:\n{}", wrong.len(), rows.len(), wrong.join("\n"));
}
